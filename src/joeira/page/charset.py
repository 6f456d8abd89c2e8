"""The encoding that a server names for a page."""

from __future__ import annotations

import codecs

# Encodings that servers may name, by Python's names, as browsers read them: the older name of a
# family stands for its latest member. Others, such as utf-7, are left to the page itself.
_ENCODINGS = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874",
    "tis-620": "cp874", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
    "euc_kr": "cp949",
}  # fmt: skip
_AS_NAMED = {
    "utf-8", "big5", "euc_jp", "gb18030", "iso2022_jp", "koi8-r", "koi8-u", "cp866", "cp874",
    "cp932", "cp949", "mac-roman", *(f"cp{number}" for number in range(1250, 1259)),
    *(f"iso8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
}  # fmt: skip


def as_served(data: bytes, charset: str | None) -> bytes | str:
    """Return text where the server names an encoding that browsers know, else the bytes."""
    if data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data  # a byte order mark is stronger than what the server says
    try:
        name = codecs.lookup(charset or "").name
    except (LookupError, ValueError):
        return data
    name = _ENCODINGS.get(name, name)
    return data.decode(name, "replace") if name in _AS_NAMED else data
