"""Gzip files of any number of members, read as one stream.

WARC files: where each record lies, and the page in it; damage is reported, then passed by.

Records are cut out of the file here, because only so can one that is damaged be told by its offset
and the next one be found. What is inside of a record (HTTP headers, chunks, encodings) is read by
FastWARC, in the process that works on the page.
"""

from __future__ import annotations

import io
import re
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Literal

from joeira.errors import OutputError
from joeira.page.parse import as_served


def _fastest_zlib() -> Any:
    """Return the library that takes half as long and says the same, where it is installed."""
    try:
        from zlib_ng import zlib_ng
    except ImportError:
        return zlib
    return zlib_ng


_zlib = _fastest_zlib()
_MOST_UNPACKED = 1_000_000_000
"""A file that is compressed as a whole may unpack to so many bytes, ..."""
_MOST_TIMES = 50
"""... or to so many times its size. Pages shrink to a fifth or a tenth, a bomb to a thousandth."""


def inflated(file: BinaryIO) -> Iterator[tuple[bytes, str]]:
    """Yield the content of a gzip file of any number of members; at damage, say so and end."""
    inflate = _zlib.decompressobj(31)
    rest = b""
    began = False
    try:
        while rest or (rest := file.read(1 << 16)):
            if inflate.eof:
                inflate, began = _zlib.decompressobj(31), False
                rest = rest.lstrip(b"\0")  # padding between members
                continue
            began = True
            data = inflate.decompress(rest, 1 << 20)
            rest = inflate.unconsumed_tail or inflate.unused_data
            yield data, ""
    except _zlib.error as error:
        yield b"", f"damaged gzip near byte {file.tell()}: {error}; the rest of the file is lost"
        return
    if began and not inflate.eof:
        yield b"", "the file ends within its gzip data; the rest of the file is lost"


@contextmanager
def unpacked(file: BinaryIO) -> Iterator[tuple[BinaryIO, str]]:
    """Give the content of a gzip file as a temporary file, and what was wrong with it.

    A full disk is no fault of the file, so it is not told as damage: `OutputError`. A file that
    unpacks to far more than pages do is: it would fill the disk for everybody.
    """
    most_bytes = max(_MOST_UNPACKED, _MOST_TIMES * file.seek(0, io.SEEK_END))
    file.seek(0)
    with _made() as plain:
        damage = ""
        for data, said in inflated(file):
            _write(plain, data)
            damage = said
            if plain.tell() > most_bytes:
                damage = f"unpacks to more than {most_bytes:,} bytes; the rest of the file is lost"
                break
        yield plain, damage


def _made() -> BinaryIO:
    try:
        return tempfile.TemporaryFile(buffering=0)  # a buffer would fail again when it is closed
    except OSError as error:
        raise _no_room(error) from error


def _write(file: BinaryIO, data: bytes) -> None:
    try:
        while data:
            data = data[file.write(data) :]
    except OSError as error:
        raise _no_room(error) from error


def _no_room(error: OSError) -> OutputError:
    hint = "a file compressed as a whole is unpacked to a temporary file; TMPDIR says where"
    return OutputError(f"{error.strerror or error}: {hint}")


MAX_BYTES = 20_000_000
"""As much of a page as is unpacked, in bytes; of that, `parse` reads its own limit."""

_CHUNK = 1 << 16
_MAGIC = b"\x1f\x8b\x08"
_BEGIN = b"WARC/"
_PAGE_TYPES = (b"text/html", b"application/xhtml+xml")
_RESPONSE = (
    b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n"
    b"Content-Length: %d\r\n\r\n"
)
_ENCODED = ("Content-Encoding", "Transfer-Encoding")
_HEADER = re.compile(rb"^([A-Za-z-]+)[ \t]*:[ \t]*(.*?)[ \t]*\r?$", re.MULTILINE)
_PLAIN_HEAD = re.compile(
    rb"HTTP/1\.[01] \d{3}[^\0-\x1f]*\r\n(?:[A-Za-z-]+: ?(?! )[^\0-\x1f]*\r\n){0,99}\r\n"
)
"""The head of an HTTP response as most servers write it: one line for each field."""
_MOST_PLAIN = 1 << 13
_PLAIN_TYPE = re.compile(rb"[\w.+/-]+(?:;\s?charset=([\w-]+))?", re.IGNORECASE)
_RECORD = re.compile(rb"WARC/1\.\d\r?\n[A-Za-z-]+[ \t]*:")
_BLANK = re.compile(rb"\r?\n\r?\n")


@dataclass(frozen=True)
class Part:
    """One record of a file, or a stretch of it that holds none."""

    offset: int
    stop: int
    data: bytes = b""
    problem: str = ""


def parts(file: BinaryIO, offset: int) -> Iterator[Part]:
    """Yield what a file holds from an offset at which a record begins.

    In a file that is compressed as a whole, offsets are those of the content.
    """
    if is_packed(file):
        yield from _packed_parts(file, offset)
        return
    file.seek(offset)
    is_gzip = file.read(3) == _MAGIC
    if not is_gzip and offset == 0 and _next_member(file, 0) is not None:
        is_gzip = True  # damaged at its very beginning
    cut = _member if is_gzip else _plain
    size = file.seek(0, io.SEEK_END)
    while offset < size:
        part = cut(file, offset, size)
        yield part
        offset = part.stop


def is_packed(file: BinaryIO) -> bool:
    """Return whether a file is compressed as a whole, not record by record."""
    file.seek(0)
    if file.read(3) != _MAGIC:
        return False
    file.seek(0)
    begin = bytearray()
    inflate = _zlib.decompressobj(31)
    with suppress(_zlib.error):  # what came before the damage tells
        while not inflate.eof and (left := 2 * MAX_BYTES - len(begin)) > 0:
            if not (chunk := file.read(_CHUNK)):
                break
            begin += inflate.decompress(chunk, left)
            if _unfit(begin) == _PACKED:
                return True
    return False


def _packed_parts(file: BinaryIO, offset: int) -> Iterator[Part]:
    """Yield what a file holds that can only be read from its beginning."""
    with unpacked(file) as (plain, damage):
        size = plain.seek(0, io.SEEK_END)
        part = Part(offset, offset)
        while part.stop < size:
            part = _plain(plain, part.stop, size)
            is_cut = bool(damage and part.problem) and part.stop == size
            yield replace(part, stop=size + 1, problem=damage) if is_cut else part
        if damage and not part.problem and part.stop == size:
            yield Part(size, size + 1, problem=damage)


def _member(file: BinaryIO, offset: int, size: int) -> Part:
    """Return the gzip member at an offset."""
    file.seek(offset)
    inflate = _zlib.decompressobj(31)
    taken: list[bytes] = []
    length = 0
    stop = offset
    problem = "the file ends within a record"
    try:
        while not inflate.eof and length <= 2 * MAX_BYTES and (chunk := file.read(_CHUNK)):
            stop += len(chunk)
            chunk = inflate.decompress(chunk, 2 * MAX_BYTES + 1 - length)
            length += len(chunk)
            taken.append(chunk)
    except _zlib.error as error:
        problem = f"damaged gzip: {str(error).partition(': ')[2] or error}"
    else:
        if inflate.eof:
            data = b"".join(taken)
            stop -= len(inflate.unused_data)
            return Part(offset, stop, data, _unfit(data))
        if length > 2 * MAX_BYTES:  # the rest is not even looked at
            found = _next_member(file, offset + 1) or size
            data = b"".join(taken)[: 2 * MAX_BYTES]
            return Part(offset, found, data, _unfit(data))
    return Part(offset, _next_member(file, offset + 1) or size, problem=problem)


_NO_RECORD = "not a WARC record"
_PACKED = "several records in one gzip member, in a file whose first member contains one record"


def _unfit(data: bytes | bytearray) -> str:
    """Return why what a gzip member holds is not one record; '' when it is."""
    if not data.startswith(_BEGIN):
        return _NO_RECORD
    blank = _BLANK.search(data, 0, _CHUNK)
    length = _length(bytes(data[: blank.start()])) if blank else None
    if blank is None or length is None:
        return ""
    after = data[blank.end() + length : blank.end() + length + _CHUNK]
    return _PACKED if after.lstrip(b"\r\n").startswith(_BEGIN) else ""


def _next_member(file: BinaryIO, offset: int) -> int | None:
    """Return the offset of the next gzip member that begins as a record does."""
    for found in _search(file, _MAGIC, offset):
        file.seek(found)
        try:
            begin = _zlib.decompressobj(31).decompress(file.read(1024), len(_BEGIN))
        except _zlib.error:
            continue
        if begin == _BEGIN:
            return found
    return None


def _plain(file: BinaryIO, offset: int, size: int) -> Part:
    """Return the uncompressed record at an offset."""
    file.seek(offset)
    head = file.read(_CHUNK)
    blank = _BLANK.search(head)
    if blank is None or not head.startswith(_BEGIN):
        return Part(offset, _next_record(file, offset + 1) or size, problem=_NO_RECORD)
    length = _length(head[: blank.start()])
    stop = offset + blank.end() + (length or 0)
    file.seek(stop)
    after = file.read(4)
    if length is not None and stop <= size and (after == b"\r\n\r\n" or not after):
        return Part(offset, stop + len(after), _read(file, offset, stop))
    # The stated length is wrong: the record ends where the next one begins.
    following = _next_record(file, offset + blank.end())
    if following is None and stop > size:
        return Part(offset, size, problem="the file ends within a record")
    following = following or size
    return Part(offset, following, _read(file, offset, following))


def _next_record(file: BinaryIO, offset: int) -> int | None:
    """Return the offset of the next uncompressed record."""
    for found in _search(file, b"WARC/1.", offset):
        file.seek(found)
        if _RECORD.match(file.read(64)):
            return found
    return None


def _read(file: BinaryIO, start: int, stop: int) -> bytes:
    file.seek(start)
    return file.read(min(stop - start, 2 * MAX_BYTES))


def _search(file: BinaryIO, needle: bytes, offset: int) -> Iterator[int]:
    overlap = len(needle) - 1
    while True:
        file.seek(offset)
        chunk = file.read(_CHUNK * 16)
        at = chunk.find(needle)
        while at >= 0:
            yield offset + at
            at = chunk.find(needle, at + 1)
        if len(chunk) <= overlap:
            return
        offset += len(chunk) - overlap


def _length(head: bytes) -> int | None:
    said = headers(head).get(b"content-length", b"")
    return int(said) if said.isdigit() and len(said) < 16 else None


def headers(head: bytes) -> dict[bytes, bytes]:
    """Return header fields by their names in lower case, the first of each name."""
    found: dict[bytes, bytes] = {}
    for name, value in _HEADER.findall(head):
        found.setdefault(name.lower(), value)
    return found


def head(data: bytes, start: int = 0) -> tuple[dict[bytes, bytes], int]:
    """Return the header fields that begin at an offset, and where what follows them begins."""
    blank = _BLANK.search(data, start, start + _CHUNK)
    if blank is None:
        return {}, len(data)
    return headers(data[start : blank.start()]), blank.end()


def is_page(fields: dict[bytes, bytes], data: bytes, start: int) -> bool:
    """Return whether a record is the successful HTTP response with an HTML page.

    Args:
        fields: Header fields of the record.
        data: The whole record.
        start: Where its block begins.
    """
    if fields.get(b"warc-type", b"").lower() != b"response":
        return False
    blank = _BLANK.search(data, start, start + _CHUNK)
    head = data[start : blank.start() if blank else start + _CHUNK]
    status = re.match(rb"HTTP/[\d.]+ +(\d{3})", head)
    if status is None:  # damaged, if it should have one
        return fields.get(b"content-type", b"").lower().startswith(b"application/http")
    if not status[1].startswith(b"2"):
        return False
    said = headers(head)
    kind = fields.get(b"warc-identified-payload-type") or said.get(b"content-type", b"")
    if not kind.strip():
        if blank is None:
            return False
        return data[blank.end() : blank.end() + 1024].lstrip().startswith(b"<")
    return kind.lower().lstrip().startswith(_PAGE_TYPES)


def body(record: bytes) -> tuple[bytes | str, str]:
    """Return the page in a record, and what was wrong with how it is encoded."""
    fields, start = head(record)
    block = memoryview(record)[start:]
    stated = fields.get(b"content-length", b"")
    if stated != b"%d" % len(block) and bytes(block[-4:]) == b"\r\n\r\n":
        block = block[:-4]
    problem = ""
    if not stated.isdigit():
        problem = "the record does not say how long it is"
    elif int(stated) != len(block):
        problem = f"the record says it has {int(stated)} bytes, and has {len(block)}"
    quick = _stored_as_it_is(block)
    if quick is not None:
        return quick, problem
    ways: tuple[Literal["all", "none"], ...] = ("all", "none")
    for decode in ways:
        try:
            found = _response(block, decode)
            if found is None:
                break
            return as_served(found.reader.read(MAX_BYTES + 1), found.http_charset), problem
        except OSError as error:  # some crawlers decode the body and keep the header
            problem = f"read without its content encoding: {error}"
    else:
        if page := _below_long_head(bytes(block)):
            return page, "its HTTP header is too long, and the page was read without it"
    return b"", problem or "no HTTP response in the record"


def _below_long_head(block: bytes) -> bytes:
    """Return the page below a head that FastWARC finds too long; nothing if it is encoded."""
    fields, start = head(block)
    is_plain = block.startswith(b"HTTP/") and not any(
        name.lower().encode() in fields for name in _ENCODED
    )
    return block[start : start + MAX_BYTES + 1] if is_plain else b""


def _stored_as_it_is(block: memoryview) -> bytes | str | None:
    """Return the page of an HTTP response that is not encoded, as most are; None of all others.

    FastWARC reads what is before the page unless that is plain, and nobody has to copy the page.
    """
    blank = _BLANK.search(block, 0, _CHUNK)
    if blank is None or blank[0] != b"\r\n\r\n":
        return None
    charset = _plain_charset(bytes(block[: blank.end()]))
    if charset is None:
        try:
            found = _response(block[: blank.end()], "none")
        except OSError:  # a head that is too long
            return None
        if found is None or found.reader.read(1) or any(map(found.http_headers.get, _ENCODED)):
            return None
        charset = found.http_charset
    return as_served(block[blank.end() : blank.end() + MAX_BYTES + 1], charset)


def _plain_charset(head: bytes) -> str | None:
    """Return the charset that a response names, '' if none; None where FastWARC has to tell.

    FastWARC sets up more than the few lines need that most servers write, and says the same.
    """
    if len(head) > _MOST_PLAIN or not _PLAIN_HEAD.fullmatch(head):
        return None
    said = headers(head)
    kind = _PLAIN_TYPE.fullmatch(said.get(b"content-type", b"-"))
    if kind is None or any(name.lower().encode() in said for name in _ENCODED):
        return None
    return (kind[1] or b"").decode()


def _response(block: memoryview, decode: Literal["all", "none"]) -> Any:
    """Return what FastWARC makes of an HTTP response; None if it is none."""
    from fastwarc.warc import ArchiveIterator

    # The length is set right: FastWARC believes it, and wrong ones are common.
    whole = b"".join([_RESPONSE % len(block), block, b"\r\n\r\n"])
    archive = ArchiveIterator(io.BytesIO(whole), parse_http=True, auto_decode=decode)
    return next(iter(archive), None)
