"""Files as people attach them, made here: no sample holds anything of anybody's."""

from __future__ import annotations

import io
import struct
import zlib

from pypdf import PdfWriter

from bot.chat import Attachment


def attached(name: str = "a.txt", media_type: str = "text/plain", size: int = 10, id: str = "F1") -> Attachment:  # noqa: A002 - as in the class
    return Attachment(id, name, media_type, size)


def png(width: int = 3, height: int = 2) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\x00" + b"\x10\x20\x30" * width for _ in range(height))) if width < 100 else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def jpeg(width: int = 640, height: int = 480) -> bytes:
    """With a thumbnail's frame inside its Exif part, as cameras write it: not the picture's own."""
    thumbnail = b"\xff\xd8\xff\xc0\x00\x11\x08" + struct.pack(">HH", 10, 10) + bytes(10)
    exif = b"\xff\xe1" + struct.pack(">H", 2 + len(thumbnail)) + thumbnail
    frame = b"\xff\xff\xc2\x00\x11\x08" + struct.pack(">HH", height, width) + bytes(12)
    return b"\xff\xd8" + exif + frame + b"\xff\xda\x00\x02\xff\xd9"


def gif(width: int = 5, height: int = 4) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x00\x00\x00;"


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", 12 + len(body)) + b"WEBP" + kind + struct.pack("<I", len(body)) + body


def pdf(*pages: str, password: str = "") -> bytes:
    """A PDF whose pages say that, in ASCII."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    kids = []
    for page in pages:
        lines = b"".join(b"(%s) Tj T* " % line.encode() for line in page.splitlines())
        stream = b"BT /F1 12 Tf 14 TL 72 700 Td " + lines + b"ET"
        number = len(objects) + 1
        kids.append(b"%d 0 R" % number)
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>"
            % (number + 1),
            b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        ]
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids))
    plain = _numbered(objects)
    return _locked(plain, password) if password else plain


def _numbered(objects: list[bytes]) -> bytes:
    out, starts = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        starts.append(len(out))
        out += b"%d 0 obj%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    count = len(objects) + 1
    end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (count, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % count + table + end


def _locked(plain: bytes, password: str) -> bytes:
    writer = PdfWriter(clone_from=io.BytesIO(plain))
    writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
