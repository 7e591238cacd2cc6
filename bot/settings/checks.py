"""What each setting must look like. A check raises ValueError without a word of the value; the sentence comes later."""

from __future__ import annotations

import ipaddress
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

if TYPE_CHECKING:
    from pydantic import SecretStr
    from pydantic.fields import FieldInfo

SECRET_LENGTH = 16
"""Characters that KEEPSAKE_SECRET must have at least."""


class SentenceError(ValueError):
    """Says in full what is wrong, where the field's description cannot."""


def word(value: str) -> str:
    """Accept one word that can travel in a header; quotes and spaces are copying mistakes."""
    if not value.isascii() or not value.isprintable() or set(value) & set(" \"'"):
        raise ValueError
    return value


def token(*starts: str) -> AfterValidator:
    """Accept a secret that is one word and starts as it should."""

    def check(value: SecretStr) -> SecretStr:
        said = word(value.get_secret_value())
        if starts and not said.startswith(starts):
            raise ValueError
        return value

    return AfterValidator(check)


def strong(value: SecretStr) -> SecretStr:
    """Accept a secret that is long enough not to be found by trying."""
    if len(value.get_secret_value()) < SECRET_LENGTH:
        raise ValueError
    return value


def _loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def address(end: str = "") -> AfterValidator:
    """Accept https, or http on this machine; a name and password in an address would end up in logs."""

    def check(value: str) -> str:
        parts = urlsplit(value)
        safe = parts.scheme == "https" or (parts.scheme == "http" and _loopback(parts.hostname or ""))
        plain = not (parts.username or parts.password or parts.query or parts.fragment)
        if not safe or not parts.hostname or not plain or not value.endswith(end) or set(value) & set(" \t\r\n"):
            raise ValueError
        return value

    return AfterValidator(check)


def https(value: str) -> str:
    """Accept an address that people open in a browser."""
    if urlsplit(value).scheme != "https" or not urlsplit(value).hostname:
        raise ValueError
    return value


def json_object(value: object) -> object:
    """Read a JSON object."""
    found = json.loads(value) if isinstance(value, str) else value
    if not isinstance(found, dict):
        raise ValueError  # noqa: TRY004 - pydantic turns a ValueError, not a TypeError, into our sentence
    return found


def directory(value: Path) -> Path:
    """Take `~` for somebody's home directory."""
    try:
        return value.expanduser()
    except RuntimeError:  # nobody of that name
        raise ValueError from None


def existing_file(value: Path) -> Path:
    """Accept the path of a file that is there."""
    path = directory(value)
    if not path.is_file():
        raise ValueError
    return path


def _named_file(value: str) -> Path | None:
    try:
        return existing_file(Path(value))
    except (OSError, ValueError):  # not there, or not even a possible name
        return None


def instructions(value: str) -> str:
    """Read the file when there is one of that name; otherwise the value is the text itself."""
    file = None if "\n" in value else _named_file(value)
    if file is None and "\n" not in value and value.lower().endswith((".md", ".txt")):
        raise ValueError
    try:
        return file.read_text(encoding="utf-8").strip() if file else value
    except OSError:
        raise ValueError from None


def database(value: str) -> str:
    """Accept a SQLite file. In memory it would lose everything at the first restart."""
    try:
        url = make_url(value)
    except ArgumentError:
        raise ValueError from None
    if url.get_backend_name() in {"postgres", "postgresql"}:
        raise SentenceError(
            "PostgreSQL support comes with a later version; leave DATABASE_URL unset to use SQLite in KEEPSAKE_HOME."
        )
    file = url.database or ":memory:"
    if url.drivername not in {"sqlite", "sqlite+aiosqlite"} or url.host or url.query:
        raise ValueError
    if file.startswith((":memory:", "file:")):
        raise ValueError
    return f"sqlite+aiosqlite:///{file}"


class NotBlank(PydanticBaseSettingsSource):
    """Another source with its values trimmed, and without those that are blank: a blank one counts as unset."""

    def __init__(self, settings: type[BaseSettings], source: PydanticBaseSettingsSource) -> None:
        """Wrap the source."""
        super().__init__(settings)
        self._source = source

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Ask the other source."""
        return self._source.get_field_value(field, field_name)

    def __call__(self) -> dict[str, Any]:
        """Give what is set, by variable name."""
        trimmed = {name: str(value).strip() for name, value in self._source().items() if value is not None}
        return {name: value for name, value in trimmed.items() if value}
