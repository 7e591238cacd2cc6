"""Reads the text of one PDF in a process of its own, which is killed at the end: bytes in, lines of JSON out.

It refuses to need more than its share of memory or time, and writes no word of the PDF but to its output.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from typing import TYPE_CHECKING

from pypdf import PdfReader
from pypdf.errors import DependencyError

if TYPE_CHECKING:
    from collections.abc import Iterator

_MEMORY = 768 * 1024 * 1024  # bytes of address space, the interpreter included


def limit(seconds: int) -> None:
    """Ask the system to hold us to our share, where it can."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not on every platform

        for what, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_FSIZE, 0)):
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(what, (most, most))


def lines(data: bytes, pages: int, characters: int) -> Iterator[dict[str, object]]:
    """Give how many pages there are, then each page's text, up to so many pages and characters, then the end."""
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            yield {"why": "locked"}
            return
        count = len(reader.pages)
        yield {"pages": count}
        for number in range(min(count, pages)):
            text = _page(reader, number)
            if text is None:
                yield {"text": "", "unread": True}
                continue
            kept = text[: characters + 1]
            characters -= len(kept)
            yield {"text": kept}
            if characters < 0:
                break
        yield {"end": True}
    except (DependencyError, NotImplementedError):  # an encryption that needs a library that is not here, or an odd one
        yield {"why": "locked"}
    except MemoryError:
        yield {"why": "heavy"}
    except Exception:  # noqa: BLE001 - a broken PDF breaks its reader in any way
        yield {"why": "broken"}


def _page(reader: PdfReader, number: int) -> str | None:
    """One page; None when it cannot be read: the others may be."""
    try:
        return reader.pages[number].extract_text().strip()
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - as above
        return None


def main() -> None:
    """Take seconds, pages and characters as arguments, the PDF on the standard input."""
    seconds, pages, characters = (int(argument) for argument in sys.argv[1:4])
    limit(seconds)
    for line in lines(sys.stdin.buffer.read(), pages, characters):
        print(json.dumps(line), flush=True)  # noqa: T201 - this is how it answers


if __name__ == "__main__":
    main()
