"""Features of elements that may be segments: their text, children and position.

One column for each of `FEATURES`, one value per row of the page. Names of classes and ids count
only as the handful of stems that page builders everywhere use, whatever the language of the page.

`joeira._native.elements` computes the same in C; the numpy code here is what it is tested against,
and what runs without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira._native import native_available
from joeira.arrays import Floats, trees
from joeira.blockmodel.view import group_sizes, log
from joeira.models import Feature
from joeira.page import Page, tags
from joeira.segments.learned.names import Names

if native_available:
    from joeira._native import elements as kernels

OWN_TAGS: Final = (
    "div td tr table ul ol dl li p h1 h2 h3 section article aside nav header footer form body span "
    "a main center fieldset tbody dd figure"
).split()
PARENT_TAGS: Final = ("ul", "li", "td", "form", "p", "table")
COUNTED_TAGS: Final = (
    "ul",
    "form",
    "input",
    "img",
    "a",
    "p",
    "table",
    "div",
    "h1",
    "h2",
    "h3",
    "li",
    "td",
)
STEMS: Final = {
    "navigation": "nav menu",
    "header": "head top banner",
    "footer": "foot bottom copyright legal",
    "sidebar": "side rail col",
    "main": "main content article story post",
    "box": "box module block widget panel teaser promo section",
    "list": "list links item",
    "wrapper": "wrap container inner outer page layout row grid",
    "form": "search form login",
}
"""Parts of class names and ids, as in `joeira.segments.learned.names`."""

_OWN: Final = (
    Feature("words", "number of words", "text", "log1p"),
    Feature("blocks", "number of blocks", "text", "log1p"),
    Feature("children", "number of children with text", "children", "log1p"),
    Feature("link_density", "share of linked words", "text", "share"),
    Feature("share", "share of the page's words", "text", "share"),
    Feature("place", "share of the page's words before it", "place", "share"),
    Feature("depth", "depth in the tree", "place"),
    Feature("height", "number of levels below it", "children"),
    Feature("headings", "number of headings", "text", "log1p"),
    Feature("largest_child", "share of its words in its largest child", "children", "share"),
    Feature("concentration", "sum of the squared shares of its children", "children", "share"),
    Feature("link_contrast", "how much its children differ in link density", "children"),
    Feature("alike_tag", "share of its children that have one tag", "children", "share"),
    Feature("alike_class", "share of its children with one tag and class", "children", "share"),
    Feature("alike_shape", "share of its children that have one shape", "children", "share"),
    Feature("siblings_tag", "number of its siblings of the same tag", "siblings", "log1p"),
    Feature("siblings_class", "siblings of the same tag and class", "siblings", "log1p"),
    Feature("siblings_shape", "number of its siblings of the same shape", "siblings", "log1p"),
    Feature("own_words", "share of its words that are in no element below", "text", "share"),
    Feature("words_per_block", "number of words per block", "text", "log1p"),
    Feature("share_of_parent", "share of its parent's words", "text", "share"),
    Feature("headings_per_block", "number of headings per block", "text", "rate"),
    Feature("has_id", "has an id", "names", "flag"),
    Feature("has_class", "has a class", "names", "flag"),
    Feature("child_ids", "number of its children that have an id", "children", "log1p"),
    Feature("ids", "number of ids below it", "names", "log1p"),
    Feature("share_of_blocks", "share of the page's blocks", "text", "share"),
    Feature("page_words", "number of words of the page", "page", "log1p"),
    Feature("page_blocks", "number of blocks of the page", "page", "log1p"),
    Feature("branches_above", "elements around it with text in several children", "place", "log1p"),
    Feature("branches_below", "elements in it with text in several children", "children", "log1p"),
    Feature("words_to_siblings", "its words to the mean of its siblings'", "siblings", "rate"),
    Feature("repeated_words", "share of its words in lists of three or more", "text", "share"),
    Feature("images_per_block", "number of images per block", "tags", "rate"),
    Feature("children_with_image", "share of its children that have an image", "children", "share"),
    Feature("opens_with_heading", "begins with a heading", "headings", "flag"),
    Feature("top_level", "level of its highest heading, 7 without one", "headings"),
    Feature("top_headings", "number of its headings of that level", "headings", "log1p"),
    Feature("child_headings", "number of its children that are headings", "headings", "log1p"),
    Feature("parts", "children that are no heading and have one", "headings", "log1p"),
    Feature("share_of_parts", "share of its children that are such", "headings", "share"),
    Feature("opened_parts", "share of its children that begin with one", "headings", "share"),
)
_OF_PARENT: Final = (
    "words", "blocks", "children", "headings", "link_density", "alike_class", "alike_shape",
    "has_id",
)  # fmt: skip
"""What is also known of an element's parent."""
_OWN_BY_NAME: Final = {feature.name: feature for feature in _OWN}
FEATURES: Final = (
    *_OWN,
    *(
        Feature(f"{name}_count", f"number of <{name}> below it", "tags", "log1p")
        for name in COUNTED_TAGS
    ),
    *(_OWN_BY_NAME[name].of("parent_", "of its parent: {}") for name in _OF_PARENT),
    *(Feature(f"is_{name}", f"is a <{name}>", "tags", "flag") for name in OWN_TAGS),
    *(Feature(f"in_{name}", f"its parent is a <{name}>", "tags", "flag") for name in PARENT_TAGS),
    *(
        Feature(f"named_{name}", f"has a class or id like {stems}", "names", "flag")
        for name, stems in STEMS.items()
    ),
)
"""All features of an element, in the order that the model knows them by."""
NAMES: Final = tuple(feature.name for feature in FEATURES)

_LIST_ITEMS: Final = 3
_NO_LEVEL: Final = 7
_LEVELS: Final = [tags.NUMBER[f"h{level}"] for level in range(1, _NO_LEVEL)]
_BESIDE: Final = tags.table("nav aside")
_ITEMS: Final = tags.table("article aside nav")
_EDGES: Final = tags.table("header footer")
_SECTIONS: Final = tags.table("article section main aside nav")
_PARTS: Final = np.packbits(
    np.stack([_SECTIONS, _ITEMS, _EDGES, _BESIDE, tags.table("main")]), axis=0
)[0] >> np.uint8(3)
"""Per known tag: the bits of those tables, the last one the lowest."""
_LINE: Final = {name: line for line, name in enumerate(NAMES)}
_LOGARITHMIC: Final = [line for line, each in enumerate(FEATURES) if each.scale == "log1p"]
_STEM_PLACES: Final = np.arange(len(STEMS), dtype=np.uint32)[:, None]
_PARENT_STEP: Final = np.uint64(0xD1342543DE82EF95)


def _places(names: Sequence[str]) -> NDArray[np.int32]:
    """Return per known tag its place among some; -1 for others."""
    places = np.full(tags.FIRST_FOREIGN + 1, -1, np.int32)
    places[[tags.NUMBER[name] for name in names]] = np.arange(len(names))
    return places


_KINDS: Final = (
    _places(["#text", *(f"h{level}" for level in range(1, _NO_LEVEL))]).clip(0),
    *map(_places, (COUNTED_TAGS, OWN_TAGS, PARENT_TAGS)),
)
"""Per known tag: level of a heading, 0 for others; places among the tags that features tell of."""


@dataclass(frozen=True, eq=False)
class SegmentView:
    """Counts over the subtree of every row, the page's head left out."""

    page: Page

    @cached_property
    def above(self) -> NDArray[np.int32]:
        """Per row: row of its parent; the root is its own."""
        return np.maximum(self.page.parent, 0)

    @cached_property
    def parent_symbol(self) -> NDArray[np.uint64]:
        """Per row: a number that its siblings share, and no other row."""
        symbol: NDArray[np.uint64] = self.above.astype(np.uint64) * _PARENT_STEP
        return symbol

    def below(self, value: NDArray[Any]) -> Floats:
        """Return per row the sum of a column over its subtree."""
        return trees.subtree_sums(value.astype(np.float64), self.page.end)

    def over_children(self, value: NDArray[Any]) -> Floats:
        """Return per row the sum of a column over its children."""
        sums: Floats = trees.child_counts(self.page.parent, value).astype(np.float64)
        return sums

    @cached_property
    def own_words(self) -> Floats:
        """Per row: words of its own text; 0 in the head."""
        return np.where(self.page.in_head, 0, self.page.words).astype(np.float64)

    @cached_property
    def kernel(self) -> kernels.Elements:
        """The same counts in C; only where there are kernels, and a page has rows."""
        page = self.page
        return kernels.Elements(
            (
                page.tag, page.known_tag, page.parent, page.end, page.depth, page.classes[0],
                page.ids[0],
            ),
            (page.words, page.linked_words),
            self._begins,
            page.in_head.view(np.uint8),
        )  # fmt: skip

    @cached_property
    def words(self) -> Floats:
        """Per row: words of its subtree."""
        return self.kernel.words if native_available else self.below(self.own_words)

    @cached_property
    def link_density(self) -> Floats:
        """Per row: share of linked words of its subtree."""
        linked = np.where(self.page.in_head, 0, self.page.linked_words)
        return self.below(linked) / np.maximum(self.words, 1)

    @cached_property
    def blocks(self) -> Floats:
        """Per row: number of blocks that begin in its subtree."""
        return (
            self.kernel.blocks
            if native_available
            else self.below(self._begins & ~self.page.in_head)
        )

    @property
    def _begins(self) -> NDArray[np.uint8]:
        begins = np.zeros(len(self.page), np.uint8)
        begins[self.page.text_rows[self.page.blocks.first[:-1]]] = 1
        return begins

    @cached_property
    def has_text(self) -> NDArray[np.bool_]:
        """Per row: is it an element with words below it?"""
        if native_available:
            return self.kernel.has_text
        return (self.words > 0) & ~self.page.is_text

    @cached_property
    def is_heading(self) -> NDArray[np.bool_]:
        """Per row: is it a heading with words?"""
        heading: NDArray[np.bool_] = tags.HEADINGS[self.page.known_tag] & self.has_text
        return heading

    @cached_property
    def headings(self) -> Floats:
        """Per row: number of headings of its subtree."""
        return self.below(self.is_heading)

    @cached_property
    def children(self) -> Floats:
        """Per row: number of its children with text."""
        return self.over_children(self.has_text)

    @cached_property
    def holds_landmark(self) -> NDArray[np.bool_]:
        """Per row: is there a part of the page below it that its author named?

        A ``<header>`` or ``<footer>`` of an article or a section is part of that; so is a ``<nav>``
        or ``<aside>`` in an article, such as the links of a teaser.
        """
        if native_available:
            return self.kernel.holds_landmark(_PARTS)
        page = self.page
        sections = trees.inside(_SECTIONS[page.known_tag], page.end)
        items = trees.inside(_ITEMS[page.known_tag], page.end)
        landmark = page.tag == tags.NUMBER["main"]
        landmark |= _BESIDE[page.known_tag] & ~items
        landmark |= _EDGES[page.known_tag] & ~sections
        landmark &= self.has_text
        below: NDArray[np.bool_] = self.below(landmark) > landmark
        return below

    @cached_property
    def alike_by_class(self) -> tuple[Floats, Floats]:
        """As `alike`, of tag and class together."""
        page = self.page
        return self.alike(page.tag_symbol + page.classes[0].astype(np.uint64) * trees.PATH_BASE)

    @cached_property
    def alike_children(self) -> Floats:
        """Per row: the most of its children that are alike in tag and class."""
        return self.kernel.alike_children if native_available else self.alike_by_class[1]

    @cached_property
    def names(self) -> Names:
        """The names of classes and ids."""
        return Names(self.page)

    def alike(self, kind: NDArray[np.uint64]) -> tuple[Floats, Floats]:
        """Return per row its siblings with text of one kind, and the most such of its children."""
        rows = np.flatnonzero(self.has_text)
        size = np.zeros(len(self.page))
        size[rows] = group_sizes(kind[rows] + self.parent_symbol[rows])
        return size, self.greatest_child(size)

    def greatest_child(self, value: Floats) -> Floats:
        """Return per row the greatest value among its children, 0 for leaves."""
        greatest = np.zeros(len(self.page))
        np.maximum.at(greatest, self.page.parent[1:], value[1:])
        return greatest


def columns(view: SegmentView, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
    """Return the features of some rows: one line for each of `FEATURES`."""
    values = np.empty((len(NAMES), len(rows)), np.float32)
    asked = rows.astype(np.int64)
    if native_available:
        view.kernel.columns(asked, _KINDS, COUNTED_TAGS.index("img"), values)
    else:
        write_by_numpy(values, view, asked)
    bits = view.names.bits(STEMS, asked)
    values[_lines("named_{}", list(STEMS))] = (bits >> _STEM_PLACES) & 1
    values[_LOGARITHMIC] = log(values[_LOGARITHMIC])
    return values


def write_by_numpy(values: NDArray[np.float32], view: SegmentView, rows: NDArray[np.int64]) -> None:
    """Write what does not depend on names, before any logarithm."""
    for name, column in _by_name(view):
        values[_LINE[name]] = column[rows]
        if name in _OF_PARENT:
            values[_LINE[f"parent_{name}"]] = column[view.above[rows]]
    _set_tags(values, view, rows)


def _by_name(view: SegmentView) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the features of every row but those of tags, parents and names."""
    page, words = view.page, view.words
    some = np.maximum(words, 1)
    total = max(float(words[0]), 1.0) if len(words) else 1.0
    children = view.children
    has_id = page.ids[0] > 0
    share_of_parent = words / some[view.above]
    contrast = share_of_parent * (view.link_density - view.link_density[view.above]) ** 2
    yield "words", words
    yield "blocks", view.blocks
    yield "children", children
    yield "link_density", view.link_density
    yield "share", words / total
    yield "place", (np.cumsum(view.own_words) - view.own_words) / total
    yield "depth", page.depth / 10
    yield "height", _heights(page) / 10
    yield "headings", view.headings
    yield "largest_child", view.greatest_child(words) / some
    yield "concentration", view.over_children(share_of_parent**2)
    yield "link_contrast", np.sqrt(view.over_children(contrast))
    yield "own_words", view.over_children(view.own_words) / some
    yield "words_per_block", words / np.maximum(view.blocks, 1)
    yield "share_of_parent", share_of_parent
    yield "headings_per_block", view.headings / np.maximum(view.blocks, 1)
    yield "has_id", has_id
    yield "has_class", page.classes[0] > 0
    yield "child_ids", view.over_children(has_id & view.has_text)
    yield "ids", view.below(has_id & view.has_text)
    yield "share_of_blocks", view.blocks / max(float(view.blocks[0]), 1.0)
    yield "page_words", np.broadcast_to(words[:1], len(words))
    yield "page_blocks", np.broadcast_to(view.blocks[:1], len(words))
    yield "words_to_siblings", share_of_parent * np.maximum(children, 1)[view.above]
    yield from _branches(view)
    yield from _images(view)
    yield from _headings(view)
    kinds = {
        "tag": view.alike(page.tag_symbol),
        "class": view.alike_by_class,
        "shape": view.alike(page.shape),
    }
    for name, (siblings, most) in kinds.items():
        yield f"siblings_{name}", siblings
        yield f"alike_{name}", most / np.maximum(children, 1)


def _branches(view: SegmentView) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield how text branches around and below every row, and how much of it is repeated."""
    page = view.page
    is_branch = view.has_text & (view.children > 1)
    # A branch is above the rows from the one after it to its end.
    rows = np.flatnonzero(is_branch)
    steps = np.zeros(len(page) + 1)
    steps[rows + 1] += 1
    np.subtract.at(steps, page.end[rows], 1)
    yield "branches_above", np.cumsum(steps)[:-1]
    yield "branches_below", view.below(is_branch)
    in_list = trees.inside(view.alike_by_class[0] >= _LIST_ITEMS, page.end)
    yield "repeated_words", view.below(view.own_words * in_list) / np.maximum(view.words, 1)


def _images(view: SegmentView) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield how images are spread over the blocks and the children of every row."""
    images = view.below(view.page.tag == tags.NUMBER["img"])
    yield "images_per_block", images / np.maximum(view.blocks, 1)
    illustrated = view.over_children((images > 0) & view.has_text)
    yield "children_with_image", illustrated / np.maximum(view.children, 1)


def _headings(view: SegmentView) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield which headings every row has, and whether they open it or parts of it."""
    page, count = view.page, np.maximum(view.children, 1)
    in_heading = np.append(trees.inside(view.is_heading, page.end)[page.text_rows], False)
    opens = in_heading[page.text_index[:-1]] & view.has_text
    level = np.full(len(page), float(_NO_LEVEL))
    headings = np.zeros(len(page))
    for number in range(_NO_LEVEL - 1, 0, -1):
        is_level = (page.tag == _LEVELS[number - 1]) & view.has_text
        if is_level.any():
            below = view.below(is_level)
            level[below > 0] = number
            headings = np.where(below > 0, below, headings)
    parts = view.over_children((view.headings > 0) & ~view.is_heading)
    yield "opens_with_heading", opens
    yield "top_level", level
    yield "top_headings", headings
    yield "child_headings", view.over_children(view.is_heading)
    yield "parts", parts
    yield "share_of_parts", parts / count
    yield "opened_parts", view.over_children(opens & ~view.is_heading) / count


def _set_tags(
    values: NDArray[np.float32], view: SegmentView, rows: NDArray[np.integer[Any]]
) -> None:
    """Set what is known of the tags of some rows, and of those below and above them."""
    page = view.page
    counted = np.zeros((len(COUNTED_TAGS), len(page) + 1), np.int32)
    np.cumsum(page.tag == _numbers(COUNTED_TAGS), axis=1, out=counted[:, 1:])
    values[_lines("{}_count", COUNTED_TAGS)] = counted[:, page.end[rows]] - counted[:, rows]
    values[_lines("is_{}", OWN_TAGS)] = page.tag[rows] == _numbers(OWN_TAGS)
    values[_lines("in_{}", PARENT_TAGS)] = page.tag[view.above[rows]] == _numbers(PARENT_TAGS)


def _numbers(names: Sequence[str]) -> NDArray[np.int32]:
    """Return the numbers of tags, one to a line."""
    return np.array([[tags.NUMBER[name]] for name in names], np.int32)


def _lines(pattern: str, names: Sequence[str]) -> slice:
    """Return the lines of tags: they follow each other in `FEATURES`."""
    first = _LINE[pattern.format(names[0])]
    return slice(first, first + len(names))


def _heights(page: Page) -> Floats:
    """Return per row the number of levels below it."""
    deepest = page.depth.astype(np.float64)
    for pointer in page.ladder:  # after k rounds a row knows the 2^k levels below it
        np.maximum.at(deepest, pointer, deepest.copy())
    return deepest - page.depth
