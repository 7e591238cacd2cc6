"""Installing the app by Slack's OAuth v2: `/slack/install` sends to Slack, `/slack/oauth_redirect` is where it returns.

Refuses a return that this browser did not set out for within ten minutes. What was asked for is said in one sentence;
no code, token or state is logged, and nothing of a request is shown again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import html
import logging
import re
import secrets
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlsplit

from cryptography.fernet import Fernet, InvalidToken
from slack_sdk.oauth import AuthorizeUrlGenerator
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from adapters.slack.calls import CallError, Closed
from adapters.slack.identity import is_install
from adapters.slack.installation import read_grant
from adapters.slack.manifest import SCOPES
from adapters.slack.payload import text_at
from adapters.slack.tokens import exchange
from adapters.slack.words import one_line

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient
    from starlette.requests import Request

    from adapters.slack.installation import Installation
    from adapters.slack.many import ManyWorkspaces
    from adapters.slack.tokens import AppKeys
    from bot.chat import Bot

_log = logging.getLogger(__name__)
_INSTALL, _RETURN = "/slack/install", "/slack/oauth_redirect"
_COOKIE, _GOOD_FOR = "keepsake-oauth", 600  # seconds
_BROWSER = re.compile(r"[A-Za-z0-9_-]{43}")
_LONGEST = 1_000  # characters of a state or a code; Slack's are far shorter
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_AGAIN = f'<a href="{_INSTALL}">Start again</a>.'


class _Refused(Exception):  # noqa: N818 - what the page says
    """It did not work; the text is the sentence for the page."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.status = status


class States:
    """Makes the state that goes to Slack and back: sealed, good for ten minutes, and for one browser."""

    def __init__(self, secret: bytes) -> None:
        """Seal with a key of its own, derived from this secret."""
        key = hmac.new(secret, b"keepsake.slack.oauth.state", hashlib.sha256).digest()
        self._fernet = Fernet(base64.urlsafe_b64encode(key))

    def new(self, browser: str) -> str:
        """A state for this browser."""
        return self._fernet.encrypt(browser.encode()).decode()

    def is_for(self, state: str, browser: str) -> bool:
        """Whether this state was made for this browser within ten minutes."""
        if len(state) > _LONGEST or not _BROWSER.fullmatch(browser):
            return False
        try:
            made_for = self._fernet.decrypt(state.encode(), ttl=_GOOD_FOR)
        except (InvalidToken, ValueError):
            return False
        return hmac.compare_digest(made_for, browser.encode())


class OAuth(NamedTuple):
    """The two pages."""

    app: AppKeys
    client: AsyncWebClient
    workspaces: ManyWorkspaces
    bot: Bot
    states: States

    def routes(self) -> list[Route]:
        """The routes of the two pages."""
        return [Route(_INSTALL, self.install, methods=["GET"]), Route(_RETURN, self.come_back, methods=["GET"])]

    async def install(self, request: Request) -> Response:
        """Send the browser to Slack, which asks for consent."""
        browser = request.cookies.get(_COOKIE, "")
        if not _BROWSER.fullmatch(browser):  # kept when it is there: several tabs are one browser
            browser = secrets.token_urlsafe(32)
        team = request.query_params.get("team", "")
        api = urlsplit(self.client.base_url)
        links = AuthorizeUrlGenerator(
            client_id=quote(self.app.client_id),
            scopes=sorted(SCOPES),
            authorization_url=f"{api.scheme}://{api.netloc}/oauth/v2/authorize",
        )
        address = links.generate(quote(self.states.new(browser)), team=team if is_install(team) else None)
        answer = RedirectResponse(address, 302, _HEADERS)
        answer.set_cookie(_COOKIE, browser, _GOOD_FOR, path="/slack", secure=True, httponly=True, samesite="lax")
        return answer

    async def come_back(self, request: Request) -> Response:
        """Finish what `install` began, and say how it ended."""
        try:
            name = await self._finish(request)
        except _Refused as refused:
            return _page("Not installed", f"{html.escape(str(refused))} {_AGAIN}", refused.status)
        return _page("Installed", f"Keepsake is installed in {html.escape(name)}: write it a direct message in Slack.")

    async def _finish(self, request: Request) -> str:
        asked = request.query_params
        if asked.get("error") == "access_denied":
            raise _Refused("Slack says that the installation was cancelled, so nothing was installed.")
        if not self.states.is_for(asked.get("state", ""), request.cookies.get(_COOKIE, "")):
            raise _Refused("This installation was not begun in this browser within the last ten minutes.")
        code = asked.get("code", "")
        if not code or len(code) > _LONGEST or "error" in asked:
            raise _Refused("Slack did not complete the installation.")
        try:
            answer = await exchange(self.client, self.app, code=code)
        except (CallError, Closed) as failed:
            _log.warning("Slack did not complete an installation: %s", failed.error)
            lost = isinstance(failed, CallError) and failed.lost
            sentence = "Slack could not be reached" if lost else "Slack did not accept the installation"
            raise _Refused(f"{sentence}, so nothing was installed.", 503 if lost else 400) from None
        installation = read_grant(answer)
        if installation is None:
            raise _Refused("Slack granted no token for a bot, so nothing was installed.")
        await self._keep(installation)
        return one_line(text_at(answer, "team", "name") or text_at(answer, "enterprise", "name")) or "your workspace"

    async def _keep(self, installation: Installation) -> None:
        try:
            await self.workspaces.keep(installation, self.bot)
        except Exception as error:  # noqa: BLE001 - a store of whatever kind: what is not whole is not installed
            _log.error("An installation could not be kept: %s", type(error).__name__)
            raise _Refused("The installation could not be stored just now; please try once more.", 503) from None
        _log.info("A workspace was installed.")


def _page(title: str, sentence: str, status: int = 200) -> Response:
    text = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><p>{sentence}</p></html>'
    return HTMLResponse(text, status, _HEADERS)
