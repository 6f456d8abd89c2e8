"""Gzip files of any number of members, read as one stream."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from joeira.errors import OutputError


def inflated(file: BinaryIO) -> Iterator[tuple[bytes, str]]:
    """Yield the content of a gzip file of any number of members; at damage, say so and end."""
    inflate = zlib.decompressobj(31)
    rest = b""
    began = False
    try:
        while rest or (rest := file.read(1 << 16)):
            if inflate.eof:
                inflate, began = zlib.decompressobj(31), False
                rest = rest.lstrip(b"\0")  # padding between members
                continue
            began = True
            data = inflate.decompress(rest, 1 << 20)
            rest = inflate.unconsumed_tail or inflate.unused_data
            yield data, ""
    except zlib.error as error:
        yield b"", f"damaged gzip near byte {file.tell()}: {error}; the rest of the file is lost"
        return
    if began and not inflate.eof:
        yield b"", "the file ends within its gzip data; the rest of the file is lost"


@contextmanager
def unpacked(file: BinaryIO) -> Iterator[tuple[BinaryIO, str]]:
    """Give the content of a gzip file as a temporary file, and what was wrong with it.

    A full disk is no fault of the file, so it is not told as damage: `OutputError`.
    """
    with _made() as plain:
        damage = ""
        for data, said in inflated(file):
            _write(plain, data)
            damage = said
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
    hint = "what is compressed as a whole is unpacked to a temporary file; TMPDIR says where"
    return OutputError(f"{error.strerror or error}: {hint}")
