"""HTML to page table. Only this module, `nodes` and `attributes` know the parser.

The tree is read once, from the markup that the parser writes of it or, where no kernel was
compiled, from its nodes; after that a page is numpy columns. Nothing here recurses, and nothing
raises because of what a page contains.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import replace
from functools import cache, partial
from itertools import compress
from typing import Any

import numpy as np
import turbohtml
from numpy.typing import NDArray

from joeira._lazy import HAS_GLOBAL_LOCK
from joeira._native import native_available
from joeira.arrays.strings import Characters, class_table
from joeira.errors import BadParameter, UsageError
from joeira.page import attributes, nodes, tags
from joeira.page.attributes import Attributes, Seen, Tree
from joeira.page.left_out import LeftOut, without_long_texts, without_surrogates
from joeira.page.model import Page

if native_available:
    from joeira._native import decoding, tree_markup

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


def as_served(data: bytes | memoryview, charset: str | None) -> bytes | str:
    """Return text where the server names an encoding that browsers know, else the bytes."""
    if bytes(data[:3]).startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return bytes(data)  # a byte order mark is stronger than what the server says
    try:
        name = codecs.lookup(charset or "").name
    except (LookupError, ValueError):
        return bytes(data)
    name = _ENCODINGS.get(name, name)
    if native_available and name == "utf-8" and (text := decoding.utf8(data)) is not None:
        return text
    return str(data, name, "replace") if name in _AS_NAMED else bytes(data)


MAX_BYTES = 10_000_000
"""The parser takes up to 47 bytes for a character, and nothing may need more than 512 MB."""
MAX_NODES = 500_000
MAX_DEPTH = 512

_MARKUP_MAX_CHARS = 4_000_000
"""The markup of a longer page would take more memory than the time is worth."""

_SHELL_MAX_TEXTS = 30
_SHELL_MAX_CHARS = 300
_SHELL_MIN_NOSCRIPT = 1000
"""A page with so little text outside <noscript>, and so much in one, shows itself only there."""

_RAW = ("iframe", "textarea", "title", "style", "script", "xmp", "noembed", "noframes")
"""Elements whose content is text to HTML, up to their end tag."""
_SWALLOWED_MIN_CHARS = 1000
_OPEN_END = re.compile(rf"<({'|'.join(_RAW)})(?=[\s/])([^<>]*/>)", re.IGNORECASE)
_OPEN_END_BYTES = re.compile(_OPEN_END.pattern.encode(), re.IGNORECASE)
_SIGNATURES = {
    b"%PDF-": "a PDF document", b"\x89PNG": "a PNG image", b"GIF8": "a GIF image",
    b"\xff\xd8\xff": "a JPEG image", b"PK\x03\x04": "a ZIP archive (or an Office document)",
    b"\x1f\x8b": "gzip data", b"BZh": "bzip2 data", b"\xfd7zXZ": "xz data",
    b"7z\xbc\xaf": "a 7-Zip archive", b"\x28\xb5\x2f\xfd": "Zstandard data",
    b"\xd0\xcf\x11\xe0": "an old Office document", b"{\\rtf": "an RTF document",
    b"%!PS": "a PostScript document", b"OggS": "an Ogg file", b"ID3": "an MP3 file",
    b"\x1aE\xdf\xa3": "a WebM or Matroska video", b"wOFF": "a font", b"wOF2": "a font",
    b"\x7fELF": "a program", b"\x00asm": "a WebAssembly program", b"SQLite format 3": "a database",
}  # fmt: skip
_TYPED = {b"ftyp": (4, "an MP4 video or an AVIF image"), b"WEBP": (8, "a WebP image")}
"""Names that stand a few bytes after the beginning, with their place."""
_UNWRITTEN = re.compile("[\x01-\x08\x0e-\x1f\x7f]")
"""Control characters that nobody writes; wrongly decoded text has none and stays text."""
_BINARY_SHARE, _BINARY_LEAST = 0.05, 20
_SAMPLE_TEXTS, _SAMPLE_CHARS = 50, 2000

_MARKUP = re.compile(r"<(?!https?:|mailto:|[\w.+-]{1,64}@)[a-zA-Z/!?]")
_MARKUP_BYTES = re.compile(_MARKUP.pattern.encode())
"""Text without any of this is plain text, or Markdown."""
_PARAGRAPH = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_BYTE_ORDER_MARKS = ("\ufeff", "\u00ef\u00bb\u00bf")
"""As a character, and as UTF-8 with a character for each byte."""
_LINES_PER_NODE = 4
_JSON_CHARS = 5_000_000


def parse(
    html: str | bytes | bytearray | memoryview,
    url: str | None = None,
    *,
    max_bytes: int = MAX_BYTES,
    max_nodes: int = MAX_NODES,
    max_depth: int = MAX_DEPTH,
) -> Page:
    """Parse a document into a page table.

    Bytes are decoded as browsers do it: byte order mark, ``<meta>``, then detection. Content never
    raises; what had to be cut (`max_bytes` of input, `max_nodes` nodes, elements nested deeper than
    `max_depth`, whose text is kept) is noted in ``page.notes``. A PDF, a picture, JSON and the like
    give an empty page that says there what it is. Text without any tag keeps its lines: what blank
    lines part are paragraphs.

    A page that shows next to nothing without running scripts, but has its text in ``<noscript>``
    (as some forums do), is read as a browser without scripts would: ``page.scripting`` is False.
    One that was stored as XML, of which an ``<iframe/>`` would swallow the rest, is read as XML is
    meant: that element is empty.
    """
    if min(max_bytes, max_nodes, max_depth) < 1:
        raise BadParameter("the limits of parse() must be at least 1")
    # One unit more than the limit is kept: a page parsed again tells the same notes.
    source = _source(html)[: max_bytes + 1]
    if isinstance(source, str):
        source = without_surrogates(source)  # no text, name or value of the page has any then
    notes = []
    if len(source) > max_bytes:
        notes.append(f"input cut at {max_bytes} {_unit(source)}")
    limits = {"max_bytes": max_bytes, "max_nodes": max_nodes, "max_depth": max_depth}
    again = partial(parse, source, url, **limits)
    given = source[:max_bytes]
    with_tags = _with_tags(given, max_nodes)
    read = partial(_read, with_tags, url, tuple(notes), (max_nodes, max_depth), again)
    page = read(scripting=True)
    if other := _kind_of_data(source, page):
        told = (*notes, f"{other}, not a web page")
        return _read("", url, told, (max_nodes, max_depth), again, scripting=True)
    if with_tags is not given:
        return replace(page, is_plain_text=True)
    page = read(scripting=False) if _is_shell(page) else page
    if _is_swallowed(page):
        closed = _without_open_ends(source)
        if closed != source:
            return parse(closed, url, **limits)
    return page


def _source(html: object) -> str | bytes:
    """Return the input as the parser reads it, or raise: only the caller can be wrong here."""
    if isinstance(html, bytearray | memoryview):
        return bytes(html)
    if not isinstance(html, str | bytes):
        message = f"html must be str or bytes, not {type(html).__name__}"
        raise UsageError(message)
    return html


def _kind_of_data(source: str | bytes, page: Page) -> str:
    """Return what input is that is no text to read: a picture, an archive ...; '' if it is one."""
    if isinstance(source, bytes):
        for signature, kind in _SIGNATURES.items():
            if source.startswith(signature):
                return kind
        for signature, (place, kind) in _TYPED.items():
            if source.startswith(signature, place):
                return kind
    if "texts" in page.__dict__:
        sample = "".join(page.texts[:_SAMPLE_TEXTS])[:_SAMPLE_CHARS]
        unwritten, size = len(_UNWRITTEN.findall(sample)), len(sample)
    else:
        unwritten, size = page.characters.unwritten(_SAMPLE_TEXTS, _SAMPLE_CHARS)
    if unwritten > max(_BINARY_LEAST, _BINARY_SHARE * size):
        return "binary data"
    return "JSON data" if _is_json(source) else ""


def _is_json(source: str | bytes) -> bool:
    """Return whether the input is an object or a list of JSON."""
    opens = source[:100].lstrip()[:1]
    if opens not in (b"{", b"[", "{", "[") or len(source) > _JSON_CHARS:
        return False
    import json

    try:
        return isinstance(json.loads(source), dict | list)
    except (ValueError, RecursionError):
        return False


def _with_tags(source: str | bytes, max_nodes: int) -> str | bytes:
    """Return plain text with tags for its paragraphs and lines, and anything else as it is."""
    if isinstance(source, str):
        return source if _MARKUP.search(source) else _tagged(source, max_nodes)
    if _MARKUP_BYTES.search(source) or b"\0" in source[:_SAMPLE_CHARS] or b"\x1b" in source:
        return source  # markup, or an encoding in which a line break may be anything
    text = source.decode("latin-1")  # a character for each byte, whatever they stand for
    tagged = _tagged(text, max_nodes)
    return source if tagged is text else tagged.encode("latin-1")


def _tagged(text: str, max_nodes: int) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not 0 < lines.count("\n") < max_nodes // _LINES_PER_NODE:
        return text  # one line is one block anyway
    lines = lines.replace("<", "&lt;")
    mark = next(filter(lines.startswith, _BYTE_ORDER_MARKS), "")
    paragraphs = _PARAGRAPH.split(lines.removeprefix(mark))
    return mark + "".join(f"<p>{paragraph}" for paragraph in paragraphs).replace("\n", "<br>\n")


def _unit(source: str | bytes) -> str:
    return "characters" if isinstance(source, str) else "bytes"


def _read(
    source: str | bytes,
    url: str | None,
    notes: tuple[str, ...],
    limits: tuple[int, int],
    again: partial[Page],
    scripting: bool,
) -> Page:
    told = list(notes)
    table = _plain_table(source, limits) if native_available and scripting else None
    tree: Tree | partial[Tree] = partial(_tree_of, source, scripting)
    encoding = table["encoding"] if table else None
    if table is None:
        if native_available and scripting:
            document, table, left_out = _parsed(source, told, limits)
        else:
            document, left_out = _document(source, told, scripting), None
        if HAS_GLOBAL_LOCK:
            tree = document, left_out
        encoding = document.encoding
    if table is None:
        columns, derived, seen = nodes.walked(document, limits, told, scripting), {}, None
    else:
        columns, derived, seen = *_named(table), _seen(table)
        columns["texts"] = ()  # they are made when somebody asks for them
    page = Page(
        url=url,
        encoding=encoding,
        attributes=Attributes(
            tree, columns.pop("in_tree"), columns["tag"], seen, table.get("tags") if table else None
        ),
        notes=tuple(told),
        scripting=scripting,
        again=again,
        **columns,
    )
    for name, column in derived.items():
        column.flags.writeable = False
        page.__dict__[name] = column  # as if somebody had asked for it
    if table is not None:
        page.__dict__["characters"] = Characters.classified(*table["texts"])
        del page.__dict__["texts"]
    return page


def _parsed(
    source: str | bytes, notes: list[str], limits: tuple[int, int]
) -> tuple[turbohtml.Document, dict[str, Any] | None, LeftOut | None]:
    """Return the document, its table unless the kernel is unsure, and what was left out of it."""
    rest, left_out = without_long_texts(source)
    if left_out and len(rest) <= _MARKUP_MAX_CHARS:
        document = _document(rest, [], scripting=True)
        table = _table(document, len(rest), limits)
        if table and table["marks"] == len(left_out):
            return document, table, left_out
    document = _document(source, notes, scripting=True)
    return document, _table(document, len(source), limits), None


def _plain_table(source: str | bytes, limits: tuple[int, int]) -> dict[str, Any] | None:
    """Return the page table that the kernel reads from a source; None if it needs a parser."""
    text, encoding = _decoded(source) if isinstance(source, bytes) else (source, None)
    if text is None:
        return None
    max_nodes, max_depth = limits
    table = _tree_markup().from_source(text, max_nodes)
    if not table or table["deepest"] >= min(nodes.PARSER_DEPTH, max_depth):
        return None
    table["encoding"] = encoding
    return None if encoding and _may_say_otherwise(table) else table


def _decoded(source: bytes) -> tuple[str | None, str]:
    """Return characters and their encoding; no characters where that is not plain to see."""
    encoding = "UTF-8"
    if not _says_utf8(source):
        from turbohtml.detect import detect  # for pages that do not say it at once

        encoding = detect(source).encoding or ""
    if encoding != "UTF-8" and not (encoding == "windows-1252" and source.isascii()):
        return None, encoding
    return decoding.utf8(source), encoding


def _may_say_otherwise(table: dict[str, Any]) -> bool:
    """Return whether a page says, perhaps late, that it is not in the encoding it was read in."""
    rows = tags.rows_of(table["columns"][0], tags.NUMBER["meta"]).tolist()
    said = table["tags"].values_of(rows, "charset")
    if said is None:
        return True
    contents = (content.lower().partition("charset") for _, _, content in table["declarations"][0])
    named = [name.lstrip("= '\"") for _, has_name, name in contents if has_name]
    named += [name for name in said if name is not None]
    return any(name.strip().lower() != table["encoding"].lower() for name in named)


_SAYS_UTF8 = re.compile(
    rb"<meta\s+(?:http-equiv\s*=\s*[\"']?content-type[\"']?\s+content\s*=\s*[\"'][^\"'<>]{0,80}?)?"
    rb"charset\s*=\s*[\"']?utf-8[\"'\s/>]",
    re.IGNORECASE,
)
_PRESCAN_BYTES = 1024
"""So far into a page browsers look for its encoding before they read it."""


def _says_utf8(source: bytes) -> bool:
    """Return whether bytes say at once that they are UTF-8."""
    said = _SAYS_UTF8.search(source[:_PRESCAN_BYTES])
    if said is None or source[:1] != b"<":
        return False
    before = source[: said.start()].lower()
    return not any(word in before for word in (b"charset", b"<!--", b"<?", b"encoding"))


def _tree_of(source: str | bytes, scripting: bool) -> Tree:
    """Return the tree of a page whose table was read before, with all its texts."""
    return _document(source, [], scripting), None


def _seen(table: dict[str, Any]) -> Seen:
    """Return what the kernel noticed beside the columns."""
    return Seen(*table["seen"], *table["declarations"])


def _is_shell(page: Page) -> bool:
    """Return whether a page without scripts shows its text only in <noscript>."""
    if page.text_count > _SHELL_MAX_TEXTS:
        return False
    in_head = page.in_head[page.text_rows]
    shown = sum(map(len, compress(page.texts, (~in_head).tolist())))
    if shown > _SHELL_MAX_CHARS:
        return False
    hidden = (len(page.attributes.inner_text(int(row))) for row in page.rows_of("noscript"))
    return max(hidden, default=0) >= _SHELL_MIN_NOSCRIPT


def _is_swallowed(page: Page) -> bool:
    """Return whether the last element has much markup in it as if it were its text."""
    last = len(page) - 1
    if last > 0 and page.tag[last] == tags.TEXT:
        last = int(page.parent[last])
    if last < 0 or page.tag_name(last) not in _RAW:
        return False
    return page.attributes.last_markup(last) >= _SWALLOWED_MIN_CHARS


def _without_open_ends(source: str | bytes) -> str | bytes:
    """Return a source without the elements that only XML lets end in their start tag.

    Each gives way to an element that is empty in HTML too, as long as it: no offset changes.
    """
    if isinstance(source, bytes):
        return _OPEN_END_BYTES.sub(
            lambda match: b"<" + b"wbr".ljust(len(match[1])) + match[2], source
        )
    return _OPEN_END.sub(lambda match: "<" + "wbr".ljust(len(match[1])) + match[2], source)


def _document(source: str | bytes, notes: list[str], scripting: bool) -> turbohtml.Document:
    # Scripting on, as in a browser: <noscript> stays raw text and cannot break the <head> open.
    # Where elements stand in the source few ask for: `SourcePlaces` parses again for those.
    read = partial(
        turbohtml.parse, scripting=scripting, allow_declarative_shadow_roots=False, positions=False
    )
    try:
        if isinstance(source, bytes):
            return read(source, detect_encoding=True)
        return read(source)
    except Exception as error:  # the parser's failure is a property of the page, not of the caller
        notes.append(f"the parser failed: {type(error).__name__}: {error}")
        return read("")


def _table(
    document: turbohtml.Document, size: int, limits: tuple[int, int]
) -> dict[str, Any] | None:
    """Return the page table that the kernel reads from the tree's markup; None if it is unsure."""
    if size > _MARKUP_MAX_CHARS:
        return None
    max_nodes, max_depth = limits
    table = _tree_markup()(document.html, max_nodes)
    return table if table and table["deepest"] < min(nodes.PARSER_DEPTH, max_depth) else None


@cache
def _tree_markup() -> tree_markup.TreeMarkup:
    """Return the kernel that reads the markup of trees."""

    def marked(table: NDArray[np.bool_]) -> frozenset[str]:
        return frozenset(compress(tags.NAMES, table.tolist()))

    meanings = {
        "code": marked(tags.NOT_TEXT),
        "head": marked(tags.HEAD),
        "link": frozenset(["a"]),
        "foreign": frozenset(["svg", "math"]),
        "void": marked(tags.VOID) | {"basefont", "bgsound", "frame", "keygen"},
        "raw": frozenset((*_RAW, "noscript")) - {"textarea", "title"},
        "template": frozenset(["template"]),
        "broken": frozenset(["pre", "listing", "textarea"]),
        "unread": frozenset(["noindex"]),
        "unreadable": frozenset(["plaintext"]),
        "meta": frozenset(["meta"]),
        "related": frozenset(["link"]),
        "script": frozenset(["script"]),
    }
    roles = tags.NO_SNIPPET, tags.MODAL
    return tree_markup.TreeMarkup(
        tags.NUMBER, tags.FIRST_FOREIGN, meanings, roles, attributes.WATCHED, class_table()
    )


def _named(table: dict[str, Any]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the columns of a table, and those derived from them that are known by now."""
    tag, parent, depth, end, known_tag, classes, ids, roles = table["columns"]
    columns = {name: table[name] for name in ("gap_before", "foreign_names", "in_tree")}
    numbered = {
        "classes": (classes, table["classes"]),
        "ids": (ids, table["ids"]),
        "roles": (roles, table["roles"]),
    }
    derived = {name: table[name] for name in ("text_rows", "text_linked", "text_index", "in_head")}
    derived |= {"end": end, "known_tag": known_tag}
    return {**columns, **numbered, "tag": tag, "parent": parent, "depth": depth}, derived
