"""HTML to page table. Only this module and `attributes` know the parser.

The parser's nodes are visited once, by C loops (``map`` over attribute getters); after that a page
is numpy columns. Nothing here recurses, and nothing raises because of what a page contains.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import compress, islice, repeat
from operator import attrgetter
from typing import Any

import numpy as np
import turbohtml
from numpy.typing import NDArray

from joeira._native import native_available
from joeira.arrays import trees
from joeira.errors import BadParameter, UsageError
from joeira.page import attributes, tags
from joeira.page.attributes import Attributes, without_surrogates
from joeira.page.model import Page

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


MAX_BYTES = 10_000_000
"""The parser takes up to 47 bytes for a character, and nothing may need more than 512 MB."""
MAX_NODES = 500_000
MAX_DEPTH = 512

_PARSER_DEPTH = 511
"""Depth below which the parser itself, as browsers do, hangs elements beside each other."""

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

_OTHER, _ELEMENT, _TEXT, _FRAGMENT = range(4)


class _Numbers(dict[str, int]):
    """Tag numbers of one page: a name seen for the first time gets the next foreign number."""

    def __missing__(self, name: str) -> int:
        number = tags.FIRST_FOREIGN + len(self) - len(tags.NUMBER)
        self[name] = number
        return number


_KIND: dict[type, int] = {
    turbohtml.Element: _ELEMENT,
    turbohtml.Text: _TEXT,
    turbohtml.CData: _TEXT,
    turbohtml.DocumentFragment: _FRAGMENT,
}
"""Kinds of node types; comments, doctypes and the like are all `_OTHER`."""

_get_parent = attrgetter("parent")
_get_tag = attrgetter("tag")
_get_data = attrgetter("data")


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
    if other := _kind_of_data(source, page.texts):
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


def _kind_of_data(source: str | bytes, texts: Sequence[str]) -> str:
    """Return what input is that is no text to read: a picture, an archive ...; '' if it is one."""
    start = source[:20] if isinstance(source, bytes) else b""
    for signature, kind in _SIGNATURES.items():
        if start.startswith(signature):
            return kind
    for signature, (place, kind) in _TYPED.items():
        if start.startswith(signature, place):
            return kind
    sample = "".join(texts[:_SAMPLE_TEXTS])[:_SAMPLE_CHARS]
    if len(_UNWRITTEN.findall(sample)) > max(_BINARY_LEAST, _BINARY_SHARE * len(sample)):
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
    max_nodes, max_depth = limits
    told = list(notes)
    document = _document(source, told, scripting)
    nodes = list(islice(document.descendants, max_nodes + 1))
    if len(nodes) > max_nodes:
        del nodes[max_nodes:]
        told.append(f"document cut at {max_nodes} nodes")
    columns, derived = _walked(document, nodes, max_depth, told, scripting)
    page = Page(
        url=url,
        encoding=document.encoding,
        attributes=Attributes(document, columns.pop("in_tree"), columns["tag"]),
        notes=tuple(told),
        scripting=scripting,
        again=again,
        **columns,
    )
    for name, column in derived.items():
        column.flags.writeable = False
        page.__dict__[name] = column  # as if somebody had asked for it
    return page


def _is_shell(page: Page) -> bool:
    """Return whether a page without scripts shows its text only in <noscript>."""
    if len(page.texts) > _SHELL_MAX_TEXTS:
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
    inner = page.attributes.last_inner_text(last)  # there are no elements in such a one
    return len(inner) >= _SWALLOWED_MIN_CHARS and "</" in inner


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
    read = partial(turbohtml.parse, scripting=scripting, allow_declarative_shadow_roots=False)
    try:
        if isinstance(source, bytes):
            return read(source, detect_encoding=True)
        return read(source)
    except Exception as error:  # the parser's failure is a property of the page, not of the caller
        notes.append(f"the parser failed: {type(error).__name__}: {error}")
        return read("")


def _walked(
    document: turbohtml.Document,
    nodes: list[Any],
    max_depth: int,
    notes: list[str],
    scripting: bool,
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the columns of the page table, and those derived from them that are known by now."""
    walk = _walks()[scripting] if native_available else None
    with_names = list(map(document.select, attributes.WITH_NAMES)) if walk else []
    table = walk(nodes, *with_names) if walk else None
    if table is None or table["deepest"] >= min(_PARSER_DEPTH, max_depth):
        return _columns(document, nodes, max_depth, notes, scripting), {}
    tag, parent, depth, end, known_tag, classes, ids, roles = table["columns"]
    columns = {name: table[name] for name in ("texts", "gap_before", "foreign_names", "in_tree")}
    numbered = {
        "classes": (classes, table["classes"]),
        "ids": (ids, table["ids"]),
        "roles": (roles, table["roles"]),
    }
    derived = {name: table[name] for name in ("text_rows", "text_linked", "text_index", "in_head")}
    derived |= {"end": end, "known_tag": known_tag}
    return {**columns, **numbered, "tag": tag, "parent": parent, "depth": depth}, derived


@cache
def _walks() -> tuple[Any, Any]:
    """Return the kernel that walks over nodes, without and with scripts."""
    from joeira._native import walk as kernels

    types = (turbohtml.Element, turbohtml.Text, turbohtml.CData, turbohtml.DocumentFragment)
    flags = tags.NOT_TEXT | tags.HEAD << np.uint8(1)
    flags[tags.NUMBER["a"]] |= 4
    without_scripts = flags.copy()
    without_scripts[tags.NUMBER["noscript"]] = 0
    make = partial(kernels.Walk, types, (turbohtml.Element.attr, attributes.role), tags.NUMBER)
    return make(without_scripts), make(flags)


def _columns(
    document: turbohtml.Document,
    nodes: list[Any],
    max_depth: int,
    notes: list[str],
    scripting: bool,
) -> dict[str, Any]:
    """Return the columns of the page table."""
    kind_of_each = bytes(map(_KIND.get, map(type, nodes), repeat(_OTHER)))
    kinds = np.frombuffer(kind_of_each, np.uint8)
    is_element = kinds == _ELEMENT
    elements = list(compress(nodes, is_element.tobytes()))
    number_of = dict(zip(elements, range(len(elements)), strict=True))
    # Numbers that serve as indices have the type of one: else each use would cast them.
    parents = map(number_of.get, map(_get_parent, nodes), repeat(-1))
    above = np.fromiter(parents, np.intp, len(nodes))

    # Elements first: a tree of their own, without what hangs in a <template>.
    element_place = is_element.nonzero()[0]
    parent = above.take(element_place)
    foreign = _Numbers(tags.NUMBER)
    tag = np.fromiter(map(foreign.__getitem__, map(_get_tag, elements)), np.int32, len(elements))
    in_tree = ~_in_fragments(parent) if _FRAGMENT in kind_of_each else np.ones(len(elements), bool)
    ladder = trees.ladder(parent)
    depth = trees.depths(parent, ladder)
    deepest = depth.max(initial=0)
    if deepest >= _PARSER_DEPTH:
        notes.append(f"elements nested deeper than {_PARSER_DEPTH} flattened by the parser")
    if deepest > max_depth:
        notes.append(f"elements nested deeper than {max_depth} flattened")
        parent, depth = _flatten(parent, depth, max_depth)
        ladder = trees.ladder(parent)

    # Then the texts that count, each between the elements around it.
    code = tags.NOT_TEXT.take(tags.known(tag)) | ~in_tree
    if not scripting:
        code &= tag != tags.NUMBER["noscript"]
    # One more entry, which -1 finds: what hangs in no element is no text.
    in_code = np.concatenate((trees.union_over_ancestors(code, parent, ladder), [True]))
    is_text = (kinds == _TEXT) & ~in_code.take(above)
    strings = list(map(_get_data, compress(nodes, is_text.tobytes())))
    solid = ~np.frombuffer(bytes(map(str.isspace, strings)), bool)
    solid_place = solid.nonzero()[0]
    place = is_text.nonzero()[0].take(solid_place)
    place_before = np.concatenate(([-1], solid_place[:-1]))

    # Rows are both, in document order.
    keep = np.zeros(len(nodes), bool)
    keep[element_place] = in_tree
    keep[place] = True
    row_of = keep.cumsum() - 1
    shown = in_tree.nonzero()[0]
    element_row = row_of.take(element_place)
    own_row, text_row, text_parent = element_row.take(shown), row_of.take(place), above.take(place)
    columns = np.zeros((3, int(keep.sum())), np.int32)
    columns[0][own_row] = tag.take(shown)
    columns[1][own_row] = element_row.take(parent.take(shown))
    columns[1][text_row] = element_row.take(text_parent)
    columns[2][own_row] = depth.take(shown)
    columns[2][text_row] = depth.take(text_parent) + 1
    columns[1, :1] = -1

    # Nearly every method asks for names, and now the nodes are at hand.
    nowhere = len(columns[0])
    rows = np.concatenate((np.where(in_tree, element_row, nowhere), [nowhere]))
    return {
        **attributes.names(document, number_of, rows),
        "tag": columns[0],
        "parent": columns[1],
        "depth": columns[2],
        "texts": tuple(compress(strings, solid.tobytes())),
        "gap_before": solid_place > place_before + 1,
        "foreign_names": tuple(foreign)[len(tags.NUMBER) :],
        "in_tree": in_tree,
    }


def _in_fragments(parent: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which elements lie in a <template>: its content hangs under a fragment."""
    orphan = parent < 0
    orphan[0] = False
    return trees.nearest(orphan, parent) >= 0


def _flatten(
    parent: NDArray[np.intp], depth: NDArray[np.int32], max_depth: int
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Hang every row deeper than the limit under its ancestor just above the limit."""
    anchor = trees.nearest(depth == max_depth - 1, parent)
    parent = np.where(depth > max_depth, anchor, parent)
    return parent, np.minimum(depth, max_depth)
