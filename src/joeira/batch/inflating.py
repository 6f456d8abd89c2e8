"""Gzip files of any number of members, read as one stream."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import BinaryIO


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
