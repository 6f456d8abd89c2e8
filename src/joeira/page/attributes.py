"""The parser's nodes behind the rows: attributes, names, positions and raw content.

Names (class, id, role) are numbered while the parser's nodes are at hand; the rest is read when
somebody asks.

Where the table of a page was read from its source, most of this is, too: the tree is made when
somebody asks for more than tags can tell.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import compress, zip_longest
from operator import attrgetter, methodcaller
from threading import Lock
from typing import Any, Final, NamedTuple, cast

import numpy as np
import turbohtml
from numpy.typing import NDArray

from joeira._lazy import Lazy, PerThread
from joeira._native import native_available
from joeira.page import tags
from joeira.page.left_out import MARK, LeftOut, without_surrogates

if native_available:
    from joeira._native import tree_markup

_TEXT_NODES = (turbohtml.Text, turbohtml.CData)


Tree = tuple[turbohtml.Document, LeftOut | None]
"""The tree of a page, and what was left out of it."""
Described = tuple[int, dict[str, str]]
"""A row, and its attributes."""
_ONE_TREE: Final = Lock()
_RAW: Final = ("script", "style")
"""Elements that have nothing but text in them."""
_STYLE: Final = tags.NUMBER["style"]
_OF_SHEETS: Final = frozenset(("type", "media", "rel", "href", "disabled"))
"""Attributes of style sheets, which SVG writes like HTML."""
_FEW, _LISTED = 4, re.compile(r",\s*+(?!\[)")
_WRITTEN: Final = {
    tags.NUMBER[name]: {"pre": 1, "title": 2}.get(name, 0)
    for name in (*_RAW, "noscript", "iframe", "code", "pre", "title")
}
"""Elements whose text can often be seen in the source, and what this is: see `SourceTags`."""
_ROOTS: Final = (tags.NUMBER["html"], tags.NUMBER["body"])
_CONTENT: Final = tags.NOT_TEXT + np.uint8(2) * tags.table("pre listing")
WATCHED: Final = (
    "itemscope", "itemtype", "itemprop", "typeof", "colspan", "rowspan", "start",
    "itemtype=omment", "itemprop=omment", "rel=uthor",
)  # fmt: skip
"""Attributes, and letters of values, that most pages lack, so that nothing is searched for them."""
DESCRIBING: Final = frozenset(WATCHED[:4])
"""Those by which microdata and RDFa describe things."""


class Seen(NamedTuple):
    """What was noticed while a tree was read, so that its nodes need not be asked."""

    names: frozenset[str]
    """Those of `WATCHED` that some element has."""
    styles_display: bool
    """Whether the style of some element says how it is displayed."""
    raw_row: int
    """Row of the last element that can hold nothing but text; -1 for none."""
    raw_size: int
    """How long its text is; 0 where no end tag is in it."""
    metas: Sequence[tuple[str, ...]]
    links: Sequence[tuple[str, ...]]
    facts: Sequence[str]
    otherwise: Sequence[tuple[int, str, str]]
    fact_rows: Sequence[tuple[int, int]]
    described: Sequence[Described]
    """The attributes of elements that have one of `DESCRIBING`, unless the source tells them."""


def _has(said: str | None, word: str | None) -> bool:
    """Return whether a word is in what an attribute says, or neither is there."""
    if said is None or word is None:
        return said is word
    return not word or word in said.lower().split()


class Attributes(PerThread):
    """The attributes of a page's elements, read from the parser's nodes when asked for.

    Nodes are made anew from the document the first time they are needed: keeping thousands of them
    with every page would cost more than most pages ever ask for. Two threads cannot ask one tree
    at once, so every thread has its own.
    """

    def __init__(
        self,
        tree: Tree | Callable[[], Tree],
        in_tree: NDArray[np.bool_],
        tag: NDArray[np.int32],
        seen: Seen | None = None,
        written: tree_markup.SourceTags | None = None,
    ) -> None:
        """Keep the tree or what makes it, which elements have a row, and the tag of every row.

        `written` are the tags of the source, where the table was read from these: what stands in
        them need not be asked of a tree.
        """
        self._seen, self._written = seen, written
        self._tree = tree
        self._left_out: LeftOut | None = None if callable(tree) else tree[1]
        self._in_tree = in_tree
        self._tag = tag
        self._by_tag: dict[str, tuple[list[Any], list[int]]] = {}
        self._rows_of_tag: dict[str, dict[Any, int]] = {}

    @Lazy
    def _document(self) -> turbohtml.Document:
        with _ONE_TREE:  # or nodes of one tree would be looked for in another
            if callable(self._tree):
                self._tree = self._tree()
                self._left_out = self._tree[1]
            return self._tree[0]

    def get(self, row: int, name: str) -> str | None:
        """Return the value of one attribute; None when it is missing, '' when it has no value."""
        written = self._written
        if written is not None and (written.knows(row) or name in _OF_SHEETS):
            return written.value(row, name)
        element = self._element(row)
        value = cast("str | None", None if element is None else element.attr(name))
        return value and without_surrogates(value)

    def of(self, row: int) -> dict[str, str]:
        """Return all attributes of a row."""
        if self._written is not None and self._written.knows(row):
            return self._written.values(row)
        element = self._element(row)
        names = () if element is None else element.attrs
        return {name: without_surrogates(element.attr(name) or "") for name in names}

    def select(self, selector: str) -> list[int]:
        """Return the rows that match a CSS selector, in document order."""
        rows = self._written_rows(selector)
        return self._select(selector)[0] if rows is None else rows

    def _written_rows(self, selectors: str) -> list[int] | None:
        """Return the rows that match one of a few simple selectors; None where a tree must tell."""
        rows: list[int] = []
        for selector in _LISTED.split(selectors, _FEW):
            simple, written = tags.simple(selector), self._written
            if written is None or simple is None:
                return None
            found: list[int] = tags.rows_of(self._tag, simple[0]).tolist()
            if not (simple[1] or simple[0] == _STYLE or all(map(written.knows, found))):
                return None
            for name, word in simple[1]:
                values = written.values_of(found, name)
                if values is None:
                    return None
                found = list(compress(found, [_has(said, word) for said in values]))
            rows = sorted({*rows, *found}) if rows else found
        return rows

    def selects(self, selector: str, rows: Sequence[int]) -> bool:
        """Return whether a CSS selector matches just these rows, which are in document order."""
        elements: list[Any] = self._document.select(selector)
        if len(elements) < len(rows):
            return False
        # The first that is another one decides: a selector may match most of a page.
        return all(row == other for row, other in zip_longest(self._rows_known(elements), rows))

    def _rows_known(self, elements: Iterable[Any]) -> Iterator[int]:
        """Yield the rows of the elements that have one."""
        all_rows, numbers = self._element_rows, map(self._number_of.get, elements)
        return (all_rows[number] for number in numbers if number is not None)

    def matching(self, selector: str) -> list[int]:
        """Return the rows that match a selector of the page's own, none if it cannot be read."""
        try:
            return self.select(selector)
        except ValueError:
            return []

    def matching_among(self, rows: Iterable[int], selector: str) -> list[int]:
        """Return which of some elements match a selector of the page's own: quick for few."""
        element = self._element
        try:
            return [row for row in rows if element(row).matches(selector)]
        except ValueError:
            return []

    def find(self, xpath: str, row: int | None = None) -> list[int]:
        """Return the rows of elements that an XPath finds on the page, or from a row on.

        What has no row is left out: texts, attributes, elements in a template. An XPath that cannot
        be read raises `ValueError`.
        """
        self._put_all_back()
        start = self._document if row is None else self._element(row)
        nodes = start.xpath(xpath) if start is not None else []
        if not isinstance(nodes, list):  # a number, a text or a truth value
            return []
        return [*self._rows_known(node for node in nodes if isinstance(node, turbohtml.Element))]

    def holds(self, row: int, selector: str) -> bool:
        """Return whether something below an element matches a selector, in a template too."""
        return bool(self._element(row).select(selector))

    def column(self, name: str, sign: str = "") -> tuple[list[int], list[str]]:
        """Return the rows that have an attribute, perhaps only one with a sign, and its values."""
        if self._written is not None:
            return self._written.having(name, sign)
        rows, elements = self._select(f"[{name}*='{sign}']" if sign else f"[{name}]")
        return rows, list(map(methodcaller("attr", name), elements))

    def values(self, selector: str, name: str) -> list[str]:
        """Return an attribute of all elements that match a selector, '' where it is missing.

        Without their rows, which cost more than all the rest when nothing else asks for them.
        """
        if self._in_tree.all():  # no element is in a template
            rows = self._written_rows(selector)
            if rows is not None:
                return [self.get(row, name) or "" for row in rows]
        return [node.attr(name) or "" for node in self._document.select(selector)]

    def inner_texts(self, selector: str) -> list[str]:
        """Return all characters below each element that matches a selector."""
        if self._written is not None and selector in _RAW:
            texts = self._written.raw_texts(tags.NUMBER[selector])
            if texts is not None:
                return texts
        return [self._text(node) for node in self._document.select(selector)]

    def read(self, selector: str, names: Sequence[str]) -> Iterator[tuple[int, list[str | None]]]:
        """Yield the rows that match a CSS selector with the values of some attributes."""
        rows = self._written_rows(selector)
        for row in rows or ():
            yield row, [self.get(row, name) for name in names]
        for row, node in zip(*self._select(selector), strict=True) if rows is None else ():
            yield row, [node.attr(name) for name in names]

    def having(self, *names: str) -> Sequence[Described]:
        """Return the rows that have one of some attributes, with all their attributes."""
        found = self._written.having_any(names) if self._written is not None else None
        if found is not None:
            return found
        rows, nodes = self._select(",".join(f"[{name}]" for name in names))
        values = [{name: node.attr(name) or "" for name in node.attrs} for node in nodes]
        return list(zip(rows, values, strict=True))

    def _put_all_back(self) -> None:
        """Give the document all its texts, for those whose questions may be about any of them."""
        document, left_out = self._document, self._left_out
        if left_out is None:
            return
        for node in document.select("script,style"):
            if MARK in node.text:
                node.set_text(left_out.text_for(node.text))
        self._left_out = None

    def _text(self, node: Any) -> str:
        """Return all characters below an element."""
        left_out = self._left_out  # before the text: another thread may put it back in between
        text: str = node.text
        if left_out is None or MARK not in text:
            return text
        if node.tag in ("script", "style"):
            return left_out.text_for(text)
        self._put_all_back()
        return cast("str", node.text)

    def _select(self, selector: str) -> tuple[list[int], list[Any]]:
        return self._with_rows(self._document.select(selector))

    def _with_rows(self, elements: list[Any]) -> tuple[list[int], list[Any]]:
        """Return the rows of elements, and the elements without those that have none."""
        if not elements:
            return [], []
        rows = self._rows_by_tag(elements)
        if rows is not None:
            return rows, elements
        if not self._number_of.keys() >= {*elements}:  # in a template: no row
            elements = [node for node in elements if node in self._number_of]
        return [*self._rows_known(elements)], elements

    def _rows_by_tag(self, elements: list[Any]) -> list[int] | None:
        """Return the rows of elements; None where their tags do not tell."""
        if "_number_of" in self.__dict__:
            return None
        wanted = list(map(attrgetter("tag"), elements))
        rows_of = self._rows_of_tag
        for tag in {*wanted}.difference(rows_of):
            rows_of[tag] = dict(zip(*self._of_tag(tag), strict=True))
        if not all(map(rows_of.get, {*wanted})):
            return None
        return [rows_of[tag][node] for tag, node in zip(wanted, elements, strict=True)]

    def _of_tag(self, tag: str) -> tuple[list[Any], list[int]]:
        """Return the elements of a tag and their rows.

        The parser finds the elements of a tag at once, all elements only by visiting each. Nothing
        is returned where some of them have no row, so that their places do not tell it.
        """
        if tag not in self._by_tag:
            elements: list[Any] = self._document.select(tag) if tag in tags.NUMBER else []
            rows: list[int] = tags.rows_of(self._tag, tags.NUMBER.get(tag, -1)).tolist()
            if len(elements) != len(rows):
                elements, rows = [], []
            self._by_tag[tag] = elements, rows
        return self._by_tag[tag]

    @Lazy
    def described(self) -> Sequence[Described]:
        """Rows and attributes of the elements that have one of `DESCRIBING`."""
        if self._seen is not None and self._written is None:
            return self._seen.described
        return self.having(*WATCHED[:4]) if self.may_have(DESCRIBING) else ()

    @Lazy
    def metas(self) -> Sequence[tuple[str, ...]]:
        """Name, property and content of each ``<meta>``, '' for what it does not say."""
        return self._seen.metas if self._seen else self._said("meta", "name", "property", "content")

    @Lazy
    def metas_named_otherwise(self) -> Sequence[tuple[int, str, str]]:
        """Number, itemprop and http-equiv of each ``<meta>`` that has one of the latter."""
        if self._seen:
            return self._seen.otherwise
        said = enumerate(self._said("meta", "itemprop", "http-equiv"))
        return [(number, prop, header) for number, (prop, header) in said if prop or header]

    @Lazy
    def links(self) -> Sequence[tuple[str, ...]]:
        """Relation and address of each ``<link>``, '' for what it does not say."""
        return self._seen.links if self._seen else self._said("link", "rel", "href")

    @Lazy
    def facts(self) -> Sequence[str]:
        """The scripts of linked data (JSON-LD)."""
        if self._seen:
            return self._seen.facts
        return self.inner_texts("script[type='application/ld+json' i]")

    @Lazy
    def fact_rows(self) -> Sequence[tuple[int, int]]:
        """Row of each script with ``ld+json`` in its type, and its number in `facts`, or -1."""
        if self._seen:
            return self._seen.fact_rows
        kinds = self.read("script[type]", ["type"])
        return [(row, -1) for row, (kind,) in kinds if "ld+json" in (kind or "").lower()]

    def _said(self, tag: str, *names: str) -> list[tuple[str, ...]]:
        nodes = self._document.select(tag)
        return [tuple(node.attr(name) or "" for name in names) for node in nodes]

    def may_have(self, names: Set[str]) -> bool:
        """Return whether some element may have one of some attributes, all of them `WATCHED`."""
        return self._seen is None or not names.isdisjoint(self._seen.names)

    @property
    def may_style_display(self) -> bool:
        """Whether the style of some element may say how it is displayed."""
        return self._seen is None or self._seen.styles_display

    def of_same_source(self, document: turbohtml.Document) -> Iterator[tuple[int, Any]]:
        """Yield every row of an element with that element in another parse of the source."""
        elements = compress(document.iter_elements(), self._in_tree.tolist())
        return zip(self._element_rows, elements, strict=False)

    def inner_text(self, row: int) -> str:
        """Return all characters below an element, scripts and styles included."""
        written, content = self._written, _WRITTEN.get(self._tag.item(row))
        text = None if written is None or content is None else written.inner_text(row, content)
        if text is None and (element := self._element(row)) is not None:
            text = self._text(element)
        return text or ""

    def last_markup(self, row: int) -> int:
        """Return how long the text of the last row's element is; 0 where no end tag is in it.

        The element has a known tag and no other elements in it.
        """
        if self._seen is not None and self._seen.raw_row == row:
            return self._seen.raw_size
        if self._in_tree[-1]:  # what is last in a template may have the same tag
            inner = self._text(self._document.select(tags.NAMES[self._tag[row]])[-1])
        else:
            inner = self.inner_text(row)
        return len(inner) if "</" in inner else 0

    def written_below(self, row: int) -> list[str | bool] | None:
        """Return what is below an element; None where a tree must tell: see `SourceTags`."""
        return self._written.below(row, self._tag, _CONTENT) if self._written else None

    def below(self, row: int) -> tuple[Any, list[Any]]:
        """Return the node of an element and all nodes below it, in the order of the source."""
        self._put_all_back()
        element = self._element(row)
        return element, list(element.descendants)

    def node_html(self, row: int) -> str:
        """Return the raw HTML of a row's node as the parser writes it: nothing is made safe."""
        self._put_all_back()
        element = self._element(row)
        return "" if element is None else cast("str", element.html)

    def is_html(self, row: int) -> bool:
        """Return whether an element is HTML; not so what SVG and MathML bring."""
        is_known = self._written is not None and self._written.knows(row)
        return is_known or self._element(row).namespace is turbohtml.Namespace.HTML

    def direct_texts(self, row: int) -> list[str]:
        """Return every text node right below an element, blank ones included."""
        children = self._element(row).children
        return [node.data for node in children if isinstance(node, _TEXT_NODES)]

    def _element(self, row: int) -> Any:
        tag = int(self._tag[row])
        if tag == tags.TEXT:
            return None
        if tag in _ROOTS and row == tags.rows_of(self._tag, tag)[0]:
            root: Any = self._document.root
            for node in (root, *root.children):  # sooner than the parser looks for a name
                if getattr(node, "tag", "") == tags.NAMES[tag]:
                    return node
        if "_elements" not in self.__dict__ and tag < tags.FIRST_FOREIGN:
            elements, rows = self._of_tag(tags.NAMES[tag])
            if elements:
                return elements[bisect_left(rows, row)]
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


Numbered = tuple[NDArray[np.int32], tuple[str, ...]]
