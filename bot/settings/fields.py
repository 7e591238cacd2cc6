"""The settings themselves: what each must look like, what goes with what, what is set and not used yet."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from bot.settings import checks, secret

if TYPE_CHECKING:
    from collections.abc import Iterator

_OAUTH = "SLACK_CLIENT_ID and SLACK_CLIENT_SECRET are for as many workspaces as install the app"


class SettingsError(Exception):
    """Settings are missing or wrong: one sentence for each, one a line, fit to be shown to the operator as it is."""


def _database_at_home(data: dict[str, Any]) -> str:
    return f"sqlite+aiosqlite:///{(data['keepsake_home'] / 'keepsake.db').as_posix()}"


def _host() -> str:
    """Listen to this machine only, except where a platform such as Heroku hands out the port to be reached by."""
    everywhere = "0.0.0.0"  # noqa: S104 - the platform's router stands in front
    return everywhere if os.environ.keys() >= {"DYNO", "PORT"} else "127.0.0.1"


_Word = Annotated[SecretStr, checks.token()] | None
_Address = Annotated[str, checks.address()] | None
_WORD = "one word, copied without quotes or spaces"
_ADDRESS = "an https:// address, or http:// on this machine, without a user name, password or query"


class Settings(BaseSettings):
    """Every setting, under its variable's name in lower case. A blank variable counts as unset.

    The description of a field completes the sentence "<NAME> must be …" that the operator reads when it is not.
    """

    model_config = SettingsConfigDict(
        alias_generator=str.upper,
        case_sensitive=True,
        enable_decoding=False,
        env_file_encoding="utf-8-sig",
        extra="ignore",
        frozen=True,
    )

    slack_bot_token: Annotated[SecretStr, checks.token("xoxb-", "xoxe.xoxb-")] | None = Field(
        None, description="a bot token, which starts with xoxb-: copy it from the app's OAuth & Permissions page"
    )
    slack_signing_secret: _Word = Field(None, description=_WORD)
    slack_app_token: Annotated[SecretStr, checks.token("xapp-")] | None = Field(
        None, description="an app-level token, which starts with xapp-: copy it from the app's Basic Information page"
    )
    slack_client_id: Annotated[str, AfterValidator(checks.word)] | None = Field(None, description=_WORD)
    slack_client_secret: _Word = Field(None, description=_WORD)
    slack_api_url: Annotated[str, checks.address("/api/")] = Field(
        "https://slack.com/api/", description=f"{_ADDRESS}, ending in /api/"
    )
    slack_files_url: _Address = Field(None, description=_ADDRESS)
    follow_ups: Literal["one-human", "thread", "never"] = Field("one-human", description="one-human, thread or never")
    uninstall_grace: int = Field(72, ge=0, le=8760, description="a whole number of hours from 0 to 8760")
    discord_token: _Word = Field(None, description=_WORD)
    discord_api_url: Annotated[str, checks.address("/api/v10")] = Field(
        "https://discord.com/api/v10", description=f"{_ADDRESS}, ending in /api/v10"
    )
    discord_cdn_url: _Address = Field(None, description=_ADDRESS)
    openai_api_key: _Word = Field(None, description=_WORD)
    openai_base_url: _Address = Field(None, description=_ADDRESS)
    model: str = Field("gpt-5", description="the name of a model")
    model_options: Annotated[dict[str, Any], BeforeValidator(checks.json_object)] = Field(
        default_factory=dict, description='a JSON object such as {"reasoning_effort": "low"}', repr=False, exclude=True
    )
    model_config_file: Annotated[Path, AfterValidator(checks.existing_file)] | None = Field(
        None, alias="MODEL_CONFIG", description="the path of an existing file"
    )
    """MODEL_CONFIG. Its own name in lower case is taken by pydantic."""

    geniffy_api_key: _Word = Field(None, description=_WORD)
    geniffy_base_url: _Address = Field(None, description=_ADDRESS)
    recall: Literal["judged", "fast"] = Field("judged", description="judged or fast")
    keepsake_home: Annotated[Path, AfterValidator(checks.directory)] = Field(
        Path(".keepsake"), description="the path of a directory"
    )
    keepsake_secret: Annotated[SecretStr, AfterValidator(checks.strong)] | None = Field(
        None, description=f"at least {checks.SECRET_LENGTH} characters that nobody can guess"
    )
    database_url: Annotated[str, AfterValidator(checks.database)] = Field(
        default_factory=_database_at_home, description="sqlite+aiosqlite:/// and the path of a file, without a query"
    )
    instructions: Annotated[str, AfterValidator(checks.instructions)] = Field(
        "", description="text, or the path of a UTF-8 text file that exists"
    )
    retention_days: int = Field(30, ge=1, description="a whole number of days, 1 or more")
    operator_name: str = Field("", description="a name")
    privacy_url: Annotated[str, AfterValidator(checks.https)] | None = Field(None, description="an https:// address")
    host: str = Field(default_factory=_host, description="a host name or address to listen on")
    port: int = Field(3000, ge=1, le=65535, description="a whole number from 1 to 65535")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read the environment first, then `.env`; nothing else."""
        del file_secret_settings
        return (
            init_settings,
            checks.NotBlank(settings_cls, env_settings),
            checks.NotBlank(settings_cls, dotenv_settings),
        )

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        if problems := "\n".join(_missing_beside(self)):
            raise checks.SentenceError(problems)
        return self

    @property
    def slack_over(self) -> Literal["socket", "http", "oauth"] | None:
        """How Slack is talked to: one workspace over Socket Mode or HTTP, or many over HTTP; None for not at all."""
        if self.slack_client_id:
            return "oauth"
        if not self.slack_bot_token:
            return None
        return "socket" if self.slack_app_token else "http"

    @property
    def local_memory(self) -> bool:
        """Tell whether the memory is the one that Keepsake keeps itself, on this machine."""
        return self.geniffy_api_key is None and self.geniffy_base_url is None

    @property
    def memory_is(self) -> str:
        """Where people's words are kept, as they are told: "Your words are kept …"."""
        if self.local_memory:
            return "on the operator's own machine"
        return f"by Geniffy ({self.geniffy_base_url or 'api.geniffy.com'})"

    @property
    def model_is(self) -> str:
        """Who writes the answers, as people are told: "Answers are written by …"."""
        if self.model_config_file:
            return "a model that the operator chose"
        if self.openai_api_key or self.openai_base_url:
            return f"the model {self.model} at {self.openai_base_url or 'OpenAI'}"
        return "a program on the operator's own machine, with no model behind it"

    def home(self) -> Path:
        """Make the directory for what Keepsake keeps, for its owner only; one that is there keeps its permissions.

        Raises:
            SettingsError: it cannot be made.
        """
        try:
            self.keepsake_home.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(
                f"KEEPSAKE_HOME cannot be made a directory ({type(error).__name__}): name one that this user may write."
            ) from None
        return self.keepsake_home

    def secret(self) -> bytes:
        """Give the secret behind every keyed hash: KEEPSAKE_SECRET, or a file at home that is made at the first call.

        The file's text, moved into KEEPSAKE_SECRET, gives the same bytes.

        Raises:
            SettingsError: the file is damaged, or cannot be made or read.
        """
        if self.keepsake_secret is not None:
            return self.keepsake_secret.get_secret_value().encode()
        file = self.home() / "secret"
        try:
            return secret.read_or_make(file)
        except (OSError, ValueError) as error:
            raise SettingsError(
                f"The file {file} cannot be made or read, or is damaged ({type(error).__name__}): "
                "restore it, let this user write there, or set KEEPSAKE_SECRET to what it held."
            ) from None

    def notices(self) -> tuple[str, ...]:
        """Say what is set and not used yet: one sentence each, to be shown at the start."""
        return tuple(_not_used_yet(self))


def _not_used_yet(settings: Settings) -> Iterator[str]:
    if settings.discord_cdn_url:
        yield "DISCORD_CDN_URL is set and not used yet: opening files on Discord comes with a later version."


def _missing_beside(settings: Settings) -> Iterator[str]:
    """Name what one setting needs beside it, or does not go with."""
    if settings.slack_client_id or settings.slack_client_secret:
        yield from _missing_for_oauth(settings)
    elif settings.slack_bot_token:
        if not settings.slack_app_token and not settings.slack_signing_secret:
            yield "SLACK_BOT_TOKEN needs SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP) beside it."
    else:
        for name in ("SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"):
            if getattr(settings, name.lower()):
                yield f"{name} needs SLACK_BOT_TOKEN beside it: set that too, or remove {name}."


def _missing_for_oauth(settings: Settings) -> Iterator[str]:
    names = ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_SIGNING_SECRET")
    if missing := [name for name in names if not getattr(settings, name.lower())]:
        yield f"{_OAUTH}, over HTTP: set {' and '.join(missing)} beside them."
    for name, what in (("SLACK_BOT_TOKEN", "one workspace"), ("SLACK_APP_TOKEN", "Socket Mode with one workspace")):
        if getattr(settings, name.lower()):
            yield f"{name} is for {what}, {_OAUTH}: remove {name}, or those two."
