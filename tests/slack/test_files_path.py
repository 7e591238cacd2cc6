"""The whole way of a file: from the signed event that names it, by its id, to what is read in it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from adapters.slack import SlackPlatform
from bot.files import Opened, Picture, Text, Unread, open_all
from tests.fakes.slack import BOT_TOKEN, SIGNING_SECRET
from tests.fakes.slack_files import FilingSlack, Stored
from tests.fakes.slack_requests import Sender, dm_event
from tests.files.samples import pdf, png
from tests.slack.bot import RecordingBot
from tests.slack.conftest import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def slack() -> AsyncIterator[FilingSlack]:
    async with FilingSlack() as fake:
        yield fake


async def opened(slack: FilingSlack, *files: dict[str, object]) -> tuple[Opened, ...]:
    """Share files with the bot, and open what it heard of."""
    bot = RecordingBot()
    platform = SlackPlatform(
        bot_token=BOT_TOKEN,
        signing_secret=SIGNING_SECRET,
        port=0,
        api_url=slack.api_url,
        files_url=slack.files.address,
    )
    async with running(platform, bot), Sender(platform.address) as send:
        assert await send.event(dm_event("Look at these", subtype="file_share", files=list(files))) == 200
        (message,) = bot.said
        return await open_all(message.attachments, partial(platform.fetch, message))


@pytest.mark.case("S28", "S70")
async def test_shared_files_are_fetched_by_their_ids_and_read_by_their_bytes(slack: FilingSlack) -> None:
    slack.files.put("F0A", Stored(png(), "image/png"))
    slack.files.put("F0B", Stored(pdf("The budget is 12."), "application/pdf"))
    slack.files.put("F0C", Stored(b"x"), url_private="https://files.slack.com.evil.com/F0C")
    of = await opened(
        slack,
        {"id": "F0A", "name": "cat.png", "mimetype": "image/png", "size": 70},
        {"id": "F0B", "name": "plan.pdf", "mimetype": "application/pdf", "size": 600},
        {"id": "F0C", "name": "bait.txt", "mimetype": "text/plain", "size": 1},
        {"id": "F0D", "name": "gone.txt", "mimetype": "text/plain", "size": 1},
    )
    assert [one.attachment.name for one in of] == ["cat.png", "plan.pdf", "bait.txt", "gone.txt"]
    assert [one.content for one in of] == [
        Picture(png(), "image/png", 3, 2),
        Text("The budget is 12."),
        Unread("it is kept outside Slack, where I cannot look"),
        Unread("it is no longer in Slack"),
    ]
    assert {token for _, token in slack.files.asked} == {f"Bearer {BOT_TOKEN}"}


@pytest.mark.case("S70")
async def test_an_address_in_the_event_itself_is_never_asked(slack: FilingSlack) -> None:
    slack.files.put("F0A", Stored(b"the true one"))
    slack.files.put("F0B", Stored(b"bait"))
    bait = f"{slack.files.address}/files-pri/F0B"
    (one,) = await opened(slack, {"id": "F0A", "name": "a.txt", "url_private": bait, "url_private_download": bait})
    assert one.content == Text("the true one")
    assert [path for path, _ in slack.files.asked] == ["/files-pri/F0A"]


async def test_a_file_of_another_workspace_is_looked_up_like_any_other(slack: FilingSlack) -> None:
    """In Slack Connect the event says only that the file must be looked up."""
    slack.files.put("F0A", Stored(b"shared"))
    (one,) = await opened(slack, {"id": "F0A", "file_access": "check_file_info"})
    assert one.content == Text("shared")


async def test_without_the_right_to_read_files_it_says_which_is_missing(slack: FilingSlack) -> None:
    slack.files.error = "missing_scope"
    (one,) = await opened(slack, {"id": "F0A", "name": "a.txt"})
    assert isinstance(one.content, Unread)
    assert "files:read" in one.content.why
