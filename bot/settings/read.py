"""Reads the settings once, and says in one sentence for each what is wrong. Refuses set-ups that would lose memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.settings import checks
from bot.settings.fields import Settings, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic_core import ErrorDetails


def _sentence(error: ErrorDetails) -> str:
    said = error.get("ctx", {}).get("error")
    if isinstance(said, checks.SentenceError):
        return str(said)
    name = str(error["loc"][0])
    field = next(field for field in Settings.model_fields.values() if field.alias == name)
    return f"{name} must be {field.description}."


def read_settings(env_file: Path | None = Path(".env")) -> Settings:
    """Read the environment, and below it the file, which may be missing.

    Raises:
        SettingsError: one sentence for each setting that is missing or wrong, one a line.
    """
    make: Callable[..., Settings] = Settings  # the type checker does not know of `_env_file`
    if env_file is not None and env_file.is_dir():
        raise SettingsError(f"{env_file} is a directory, not the file with settings: give it another name.")
    try:
        return make(_env_file=env_file)
    except ValidationError as invalid:
        wrong = [error for error in invalid.errors() if error["type"] != "default_factory_not_called"]
        raise SettingsError("\n".join(_sentence(error) for error in wrong)) from None
    except (OSError, UnicodeError) as error:
        raise SettingsError(
            f"The file {env_file} cannot be read ({type(error).__name__}): make it readable UTF-8 text, or remove it."
        ) from None


def refuse_memory_loss(settings: Settings, environ: Mapping[str, str]) -> None:
    """Refuse a platform such as Heroku, which empties its disk at every restart, while anything is kept on that disk.

    Raises:
        SettingsError: one sentence that says what to set.
    """
    if not environ.get("DYNO") or not (settings.local_memory or settings.database_url.startswith("sqlite")):
        return
    memory = "what people told the bot (GENIFFY_API_KEY moves that to Geniffy) and " if settings.local_memory else ""
    raise SettingsError(
        f"This platform empties its disk at every restart, and with it {memory}the SQLite database (PostgreSQL, for "
        "DATABASE_URL, comes with a later version): run Keepsake on a machine that keeps its disk."
    )
