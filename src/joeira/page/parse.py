"""HTML to page table. The only module of the package, with `joeira.output`, that knows the parser.

The parser's nodes are visited once, by C loops (``map`` over attribute getters); after that a page
is numpy columns. Nothing here recurses, and nothing raises because of what a page contains.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property, partial
from itertools import compress, islice
from operator import attrgetter
from typing import Any, cast

import numpy as np
import turbohtml
from numpy.typing import NDArray

from joeira.errors import UsageError, require
from joeira.kernels import trees
from joeira.page import tags
from joeira.page.model import Page

MAX_BYTES = 20_000_000
MAX_NODES = 1_000_000
MAX_DEPTH = 512

_PARSER_DEPTH = 511
"""Depth below which the parser itself, as browsers do, hangs elements beside each other."""

_OTHER, _ELEMENT, _TEXT, _FRAGMENT = range(4)


class _Kinds(dict[type, int]):
    """Kinds of node types; comments, doctypes and the like are all `_OTHER`."""

    def __missing__(self, node_type: type) -> int:
        return _OTHER


class _Rows(dict[Any, int]):
    """Positions of elements; what is no element has none."""

    def __missing__(self, node: Any) -> int:
        return -1


class _Numbers(dict[str, int]):
    """Tag numbers of one page: a name seen for the first time gets the next foreign number."""

    def __missing__(self, name: str) -> int:
        number = tags.FIRST_FOREIGN + len(self) - len(tags.NUMBER)
        self[name] = number
        return number


_KIND = _Kinds(
    {
        turbohtml.Element: _ELEMENT,
        turbohtml.Text: _TEXT,
        turbohtml.CData: _TEXT,
        turbohtml.DocumentFragment: _FRAGMENT,
    }
)

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
    `max_depth`, whose text is kept) is told in ``page.notes``.
    """
    require(min(max_bytes, max_nodes, max_depth) >= 1, "limits of parse() must be at least 1")
    # One unit more than the limit is kept: a page parsed again tells the same notes.
    source = _source(html)[: max_bytes + 1]
    notes = []
    if len(source) > max_bytes:
        notes.append(f"input cut at {max_bytes} {_unit(source)}")
    document = _document(source[:max_bytes], notes)
    nodes = list(islice(document.descendants, max_nodes + 1))
    if len(nodes) > max_nodes:
        del nodes[max_nodes:]
        notes.append(f"document cut at {max_nodes} nodes")
    again = partial(
        parse, source, url, max_bytes=max_bytes, max_nodes=max_nodes, max_depth=max_depth
    )
    return _table(document, nodes, url, max_depth, notes, again)


class Attributes:
    """The attributes of a page's elements, read from the parser's nodes when asked for."""

    def __init__(
        self, document: turbohtml.Document, in_tree: NDArray[np.bool_], tag: NDArray[np.int32]
    ) -> None:
        """Keep the document, which of its elements have a row, and the tag of every row."""
        self._document = document
        self._in_tree = in_tree
        self._tag = tag

    def get(self, row: int, name: str) -> str | None:
        """Return the value of one attribute; None when it is missing, '' when it has no value."""
        element = self._element(row)
        return None if element is None else cast("str | None", element.attr(name))

    def of(self, row: int) -> dict[str, str]:
        """Return all attributes of a row."""
        element = self._element(row)
        if element is None:
            return {}
        return {name: element.attr(name) or "" for name in element.attrs}

    def select(self, selector: str) -> list[int]:
        """Return the rows that match a CSS selector, in document order."""
        found = self._document.select(selector)
        if not found:
            return []
        number_of = self._number_of
        rows = self._element_rows
        return [rows[number_of[node]] for node in found if node in number_of]

    def column(self, name: str) -> tuple[list[int], list[str]]:
        """Return the rows that have an attribute, and its values."""
        number_of = self._number_of
        rows = self._element_rows
        found = [node for node in self._document.select(f"[{name}]") if node in number_of]
        return [rows[number_of[node]] for node in found], [node.attr(name) or "" for node in found]

    def position(self, row: int) -> tuple[int, int] | None:
        """Return the line (from 1) and column (from 0) of an element's start tag."""
        element = self._element(row)
        return None if element is None else cast("tuple[int, int] | None", element.position)

    def inner_text(self, row: int) -> str:
        """Return all characters below an element, scripts and styles included."""
        element = self._element(row)
        return "" if element is None else cast("str", element.text)

    def is_html(self, row: int) -> bool:
        """Return whether an element is HTML; not so what SVG and MathML bring."""
        return self._element(row).namespace is turbohtml.Namespace.HTML

    def direct_texts(self, row: int) -> list[str]:
        """Return every text node right below an element, blank ones included."""
        return [node.data for node in self._element(row).children if _KIND[type(node)] == _TEXT]

    def _element(self, row: int) -> Any:
        if self._tag[row] == tags.TEXT:
            return None
        return self._elements[bisect_left(self._element_rows, row)]

    @cached_property
    def _elements(self) -> list[Any]:
        nodes = self._document.iter_elements()
        return list(compress(nodes, self._in_tree.tolist()))

    @cached_property
    def _element_rows(self) -> list[int]:
        return np.flatnonzero(self._tag != tags.TEXT).tolist()

    @cached_property
    def _number_of(self) -> dict[Any, int]:
        return dict(zip(self._elements, range(len(self._elements)), strict=True))


def _source(html: object) -> str | bytes:
    """Return the input as the parser reads it, or raise: only the caller can be wrong here."""
    if isinstance(html, bytearray | memoryview):
        return bytes(html)
    if not isinstance(html, str | bytes):
        message = f"html must be str or bytes, not {type(html).__name__}"
        raise UsageError(message)
    return _without_surrogates(html) if isinstance(html, str) else html


def _without_surrogates(text: str) -> str:
    """Return text that can be written as UTF-8: pairs of surrogates joined, lone ones replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _unit(source: str | bytes) -> str:
    return "characters" if isinstance(source, str) else "bytes"


def _document(source: str | bytes, notes: list[str]) -> turbohtml.Document:
    # Scripting on, as in a browser: <noscript> stays raw text and cannot break the <head> open.
    read = partial(turbohtml.parse, scripting=True, allow_declarative_shadow_roots=False)
    try:
        if isinstance(source, bytes):
            return read(source, detect_encoding=True)
        return read(source)
    except Exception as error:  # the parser's failure is a property of the page, not of the caller
        notes.append(f"the parser failed: {type(error).__name__}: {error}")
        return read("")


def _table(
    document: turbohtml.Document,
    nodes: list[Any],
    url: str | None,
    max_depth: int,
    notes: list[str],
    again: Callable[[], Page],
) -> Page:
    kinds = np.frombuffer(bytes(map(_KIND.__getitem__, map(type, nodes))), np.uint8)
    is_element = kinds == _ELEMENT
    elements = list(compress(nodes, is_element.tolist()))
    number_of = _Rows(zip(elements, range(len(elements)), strict=True))
    above = np.fromiter(map(number_of.__getitem__, map(_get_parent, nodes)), np.int32, len(nodes))

    # Elements first: a tree of their own, without what hangs in a <template>.
    parent = above[is_element]
    foreign = _Numbers(tags.NUMBER)
    tag = np.array(list(map(foreign.__getitem__, map(_get_tag, elements))), np.int32)
    in_tree = ~_in_fragments(parent) if _FRAGMENT in kinds else np.ones(len(elements), bool)
    depth = trees.depths(parent)
    if depth.max(initial=0) >= _PARSER_DEPTH:
        notes.append(f"elements nested deeper than {_PARSER_DEPTH} flattened by the parser")
    if depth.max(initial=0) > max_depth:
        notes.append(f"elements nested deeper than {max_depth} flattened")
        parent, depth = _flatten(parent, depth, max_depth)

    # Then the texts that count, each between the elements around it.
    code = tags.NOT_TEXT[tags.known(tag)] | ~in_tree
    is_text = (kinds == _TEXT) & (above >= 0)
    is_text[is_text] = trees.nearest(code, parent)[above[is_text]] < 0
    strings = list(map(_get_data, compress(nodes, is_text.tolist())))
    solid = ~np.fromiter(map(str.isspace, strings), bool, len(strings))
    place = np.flatnonzero(is_text)[solid]
    blanks = np.cumsum(~solid)[solid]

    # Rows are both, in document order.
    keep = np.zeros(len(nodes), bool)
    keep[is_element] = in_tree
    keep[place] = True
    row_of = np.cumsum(keep, dtype=np.int32) - 1
    element_row = row_of[is_element]
    text_row = row_of[place]
    columns = np.zeros((3, int(keep.sum())), np.int32)
    columns[:, element_row[in_tree]] = tag[in_tree], element_row[parent[in_tree]], depth[in_tree]
    columns[1:, text_row] = element_row[above[place]], depth[above[place]] + 1
    columns[1, :1] = -1
    return Page(
        url=url,
        tag=columns[0],
        parent=columns[1],
        depth=columns[2],
        texts=tuple(compress(strings, solid.tolist())),
        gap_before=blanks > np.concatenate(([0], blanks[:-1])),
        attributes=Attributes(document, in_tree, columns[0]),
        foreign_names=tuple(foreign)[len(tags.NUMBER) :],
        encoding=document.encoding,
        notes=tuple(notes),
        again=again,
    )


def _in_fragments(parent: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which elements lie in a <template>: its content hangs under a fragment."""
    orphan = parent < 0
    orphan[0] = False
    return trees.nearest(orphan, parent) >= 0


def _flatten(
    parent: NDArray[np.int32], depth: NDArray[np.int32], max_depth: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Hang every row deeper than the limit under its ancestor just above the limit."""
    anchor = trees.nearest(depth == max_depth - 1, parent)
    parent = np.where(depth > max_depth, anchor, parent)
    return parent, np.minimum(depth, max_depth)
