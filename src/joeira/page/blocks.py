"""Blocks: the paragraph-like runs of text of a page.

A block is a run of consecutive texts under the same nearest block-level element, with no other
block-level element between them. Inline elements never break a block.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, islice, pairwise
from operator import add
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira._native import native_available
from joeira.arrays import AnyInts, Bools, trees
from joeira.arrays.strings import SPACE, UNSPACED, WORD, collapse
from joeira.page import tags

if native_available:
    from joeira._native import blocks as kernels
    from joeira._native import sheets as sheet_kernels
if TYPE_CHECKING:
    from joeira.page.model import Page


_BR = tags.NUMBER["br"]
_INLINE_TAGS = tags.INLINE.view(np.uint8)
_UNSTYLED = tags.VERBATIM | tags.NOT_TEXT | tags.table("#text")
"""What is inline however it is styled, or shows nothing."""
_PICTURES = tags.table("img svg input")
_NO_KIND = np.zeros(len(tags.TIGHT), np.uint8)
_BASIC_PLANE = 0x10000
_CLOSES = np.zeros(_BASIC_PLANE, bool)
_CLOSES[[ord(mark) for mark in ",.;:!?)]}%…”’»、。，．：；！？）］」』】"]] = True
_OPENS = np.zeros(_BASIC_PLANE, bool)
_OPENS[[ord(mark) for mark in "([{“‘«¿¡$€£¥#@（［「『【"]] = True


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of a page; block *b* holds the texts ``first[b]:first[b + 1]``.

    A light view: what is costly to compute is kept by the page, so that pages never refer to
    themselves and are freed as soon as nobody needs them.
    """

    page: Page

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.owner)

    @property
    def owner(self) -> NDArray[np.int32]:
        """Row of the block-level element of each block."""
        return self.page.block_bounds[0]

    @property
    def first(self) -> NDArray[np.int32]:
        """Number of the first text of each block, and one more entry: the number of texts."""
        return self.page.block_bounds[1]

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each block, white space collapsed."""
        return self.page.block_texts

    @property
    def of_text(self) -> NDArray[np.int32]:
        """Block of each text."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.first))

    def sums(self, per_text: NDArray[Any]) -> NDArray[Any]:
        """Return the sum over the texts of each block."""
        if not len(self):
            return np.zeros(0, per_text.dtype)
        return np.add.reduceat(per_text, self.first[:-1], dtype=np.int64)


def is_inline(page: Page) -> Bools:
    """Return which rows flow inside a line, as texts do, or show nothing; others begin a block.

    Elements that no standard knows are inline, as in browsers, unless they hold what is not or the
    page's own styles say otherwise.
    """
    inline: Bools
    asked: AnyInts
    if not page.foreign_names:
        return tags.INLINE.take(page.known_tag)
    if native_available:
        rows = page.tag, page.known_tag, page.end, page.text_index
        inline, asked = kernels.inline_rows(rows, _INLINE_TAGS, tags.FIRST_FOREIGN)
    else:
        inline = tags.INLINE.take(page.known_tag)
        foreign = (page.tag >= tags.FIRST_FOREIGN).nonzero()[0]
        inline[foreign] = True
        inline[foreign] = _holds_no_block(page, inline, foreign)
        texts = page.text_index
        is_asked = texts.take(page.end.take(foreign)) > texts.take(foreign)
        asked = foreign[inline.take(foreign) & is_asked]
    if len(asked):
        foreign = (page.tag >= tags.FIRST_FOREIGN).nonzero()[0]
        inline[styled_blocks(page, asked)] = False
        inline[foreign] &= _holds_no_block(page, inline, foreign)
    return inline


def _holds_no_block(page: Page, inline: Bools, rows: AnyInts) -> Bools:
    opened = (~inline).cumsum()
    same: Bools = opened.take(page.end.take(rows) - 1) == opened.take(rows)
    return same


def bounds(page: Page) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the owner of each block and where the texts of each block begin."""
    rows = page.text_rows
    if native_available:
        if page.foreign_names:
            return kernels.bounds(page.is_inline.view(np.uint8), page.parent, rows)
        return kernels.bounds(_INLINE_TAGS, page.parent, rows, page.known_tag)
    block_level = ~page.is_inline
    owner = trees.climb(rows, block_level, page.parent).astype(np.int32)
    opened = block_level.cumsum().take(rows)
    new = np.ones(len(rows) + 1, bool)
    new[1:-1] = (owner[1:] != owner[:-1]) | (opened[1:] != opened[:-1])
    first = new.nonzero()[0].astype(np.int32)
    return owner.take(first[:-1]), first


def space_before(page: Page) -> Bools:
    """Return, per text, whether a space separates it from the text before.

    White space in the source does, and so do a line break and the border of a block. An inline
    element and the text right beside it are one word: "un<span>believ</span>able". Two elements
    that touch are one word only where their tags mark up parts of words or phrases, as in
    "<b>W</b><i>ord</i>", or code; "<span>Price</span><span>5</span>" are two, as style sheets set
    such pieces apart. An image stands for a space, too. Neither does so before a comma, after an
    opening bracket or within Chinese.
    """
    if not page.text_count:
        return np.zeros(0, bool)
    if native_available:
        by_tags, unsure = page._spaces_by_tags
        _ask_styles(page, by_tags, unsure)
        return np.frombuffer(by_tags, bool)
    characters = page.characters
    # Each text is followed by one separator: two back is the last character of the text before.
    first, last = characters.starts[1:], characters.starts[1:] - 2
    of_first, of_last = characters.classes.take(first), characters.classes.take(last)
    new_block = np.zeros(page.text_count, bool)
    new_block[page.block_bounds[1][:-1]] = True
    written = page.gap_before[1:] | (((of_first | of_last) & SPACE) != 0)
    together = (of_first & of_last & UNSPACED) != 0
    before = np.ones(page.text_count, bool)
    before[1:] = written | (new_block[1:] & ~together)
    touching = (~(before[1:] | together)).nonzero()[0]
    if len(touching):
        closes = _CLOSES.take(characters.codes.take(first.take(touching)), mode="clip")
        opens = _OPENS.take(characters.codes.take(last.take(touching)), mode="clip")
        tight = closes | opens
        rows, rows_after = page.text_rows.take(touching), page.text_rows.take(touching + 1)
        apart = _is_broken(page, rows, rows_after) | (_is_apart(page, rows, rows_after) & ~tight)
        asked = ~(apart | tight) & ((of_first.take(touching) & WORD) != 0)
        apart[asked] = _is_styled_apart(page, rows[asked], rows_after[asked])
        before[touching + 1] = apart
    return before


def spaces_by_tags(page: Page) -> tuple[bytearray, list[int]]:
    """Return `space_before` as far as tags tell, and the texts of which only styles do."""
    before, asked, _ = _spaces(page, None)
    return before, asked


def spaces_between(page: Page, start: int, stop: int) -> Sequence[int]:
    """Return whether there is a space before each of some texts but the first: quick for few.

    Styles, which take long to read, are asked about no others.
    """
    if "space_before" in vars(page) or not native_available:
        some: list[int] = page.space_before[start + 1 : stop].tolist()
        return some
    before, asked = page._spaces_by_tags
    low = bisect_left(asked, start + 1)
    _ask_styles(page, before, asked[low : bisect_left(asked, stop, low)])
    return before[start + 1 : stop]


def line(texts: Sequence[str], spaces: Sequence[int]) -> str:
    """Return texts as one line, with a space before those after the first that have one."""
    parted = (f" {text}" if space else text for text, space in zip(texts[1:], spaces, strict=True))
    return collapse("".join((*texts[:1], *parted)))


@cache
def _kind_of_tag() -> NDArray[np.uint8]:
    """Return, per known tag, what the kernel knows it by."""
    flags = (~tags.TIGHT, tags.VERBATIM, _PICTURES, tags.table("br"))
    return sum((flag * np.uint8(1 << bit) for bit, flag in enumerate(flags)), _NO_KIND)


_MARKS: Final = _CLOSES + np.uint8(2) * _OPENS


Chosen = tuple[NDArray[np.uint8], NDArray[np.uint8], int]
"""Per text: is it chosen (2: whatever styles say), and linked? And how long marks are, at most."""


def chosen_spaces(page: Page, chosen: Chosen) -> tuple[bytearray, list[int]]:
    """Return the spaces between chosen texts next to each other, and which links may be marks.

    For the compiled kernels. Styles, which take long to read, are not asked about other texts.
    """
    before, asked, links = _spaces(page, chosen)
    if asked:
        known: Bools | None = vars(page).get("space_before")
        if known is None:
            _ask_styles(page, before, asked)
        else:
            for text in asked:
                before[text] = bool(known[text])
    return before, links


def _spaces(page: Page, chosen: Chosen | None) -> tuple[bytearray, list[int], list[int]]:
    characters = page.characters
    return kernels.spaces(
        (page.known_tag, page.parent, page.end),
        _kind_of_tag(),
        (page.text_rows, page.gap_before.view(np.uint8), page.block_bounds[1]),
        (characters.codes, characters.classes, characters.starts),
        _MARKS,
        chosen,
    )


def _ask_styles(page: Page, before: bytearray, asked: list[int]) -> None:
    if asked:
        rows, after = (page.text_rows.take(np.array(asked) + shift) for shift in (-1, 0))
        for text, is_apart in zip(asked, _is_styled_apart(page, rows, after).tolist(), strict=True):
            before[text] = is_apart


def _is_broken(page: Page, rows: AnyInts, rows_after: AnyInts) -> Bools:
    """Return which pairs of texts have a line break between them."""
    return _is_any_between((page.tag == _BR).nonzero()[0], rows, rows_after)


def _is_apart(page: Page, rows: AnyInts, rows_after: AnyInts) -> Bools:
    """Return which pairs of texts that touch have an image between them, or are single pieces."""
    loose = ~tags.TIGHT.take(page.known_tag)
    opened = loose.cumsum()
    pieces: Bools = opened.take(rows) != opened.take(rows_after)
    nearest = trees.climb(np.concatenate((rows, rows_after)), loose, page.parent)
    pieces |= nearest[: len(rows)] != nearest[len(rows) :]
    # Else the element around one of the texts holds the other, too, and that text stands beside it.
    pieces &= page.parent.take(rows_after) > rows
    pieces &= page.end.take(page.parent.take(rows)) <= rows_after
    verbatim = tags.VERBATIM.take(page.known_tag).nonzero()[0]
    if len(verbatim):
        pieces &= trees.enclosing(verbatim, page.end, rows) < 0
        pieces &= trees.enclosing(verbatim, page.end, rows_after) < 0
    return pieces | _is_any_between(_PICTURES.take(page.known_tag).nonzero()[0], rows, rows_after)


def _is_styled_apart(page: Page, rows: AnyInts, rows_after: AnyInts) -> Bools:
    """Return between which pairs of texts a block begins or ends by the page's own styles."""
    # There are few such pairs, and few elements that begin or end between two texts.
    elements = [
        [*range(row + 1, after), *_ended(page, row, after)]
        for row, after in zip(rows.tolist(), rows_after.tolist(), strict=True)
    ]
    between = np.array([*chain.from_iterable(elements)], np.intp)
    between = between[~_UNSTYLED.take(page.known_tag.take(between))]
    styled = set(styled_blocks(page, between).tolist() if len(between) else ())
    return np.array([not styled.isdisjoint(each) for each in elements], bool)


def _ended(page: Page, row: int, after: int) -> Iterator[int]:
    """Yield the elements around a row that end before another."""
    above = int(page.parent[row])
    while above >= 0 and page.end[above] <= after:
        yield above
        above = int(page.parent[above])


def _is_any_between(marked: AnyInts, rows: AnyInts, rows_after: AnyInts) -> Bools:
    """Return between which pairs of rows there is a marked one, or it is the first of the two."""
    between: Bools = marked.searchsorted(rows) != marked.searchsorted(rows_after)
    return between


def texts(page: Page) -> tuple[str, ...]:
    """Return the text of each block."""
    spaces = np.where(page.space_before, " ", "").tolist()
    pieces = list(map(add, spaces, page.texts))
    first = page.block_bounds[1].tolist()
    return tuple(" ".join("".join(pieces[start:stop]).split()) for start, stop in pairwise(first))


# Styles -------------------------------------------------------------------------------------------

_MAX_NAMES: Final = 50
_MAX_CSS_CHARS: Final = 500_000
_BLOCK: Final = re.compile(r"(?:block|flex|grid|table|list-item|flow-root)\b")
_SHOWS_BLOCK: Final = re.compile(r"display\s*:\s*(?:block|flex|grid|table|list-item|flow-root)")
_SUBJECTS: Final = re.compile(r"(?<![^\s{},>+~])[^\s{},>+~]++(?=\s*[,{])")
_PLAIN_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")


def styled_blocks(page: Page, elements: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """Return which of some elements the page's own styles show as blocks.

    On most pages there is no such rule for any of their classes or names of the page's own, which
    is seen without reading style sheets as such.
    """
    examples = dict(zip(page.tag.take(elements).tolist(), elements.tolist(), strict=True))
    kinds = set(map(page.tag_name, examples.values()))
    own = _own_displays(page, elements, kinds) if page.attributes.may_style_display else {}
    numbers, values = page.classes
    words = " ".join([values[number] for number in set(numbers.take(elements).tolist())]).split()
    asked = kinds.difference(tags.NUMBER).union(map(".{}".format, words))
    if asked and not _is_any_shown_as_block(page, asked):
        asked.clear()
    if not (own or asked):
        return np.zeros(0, np.int32)
    displays = _displays(page, own, asked)
    shown = {row for row, display in displays.items() if _BLOCK.match(display)}
    return np.array(sorted(shown.intersection(elements.tolist())), np.int32)


def _own_displays(page: Page, elements: AnyInts, kinds: set[str]) -> dict[int, str]:
    """Return the styles of elements that say how these are displayed."""
    plain = sorted(filter(_PLAIN_NAME.fullmatch, kinds))[:_MAX_NAMES]
    rows = [row for row in elements.tolist() if page.tag_name(row) in plain]
    styles = {row: page.attributes.get(row, "style") or "" for row in rows}
    return {row: style for row, style in styles.items() if "display" in style.lower()}


def _displays(page: Page, own: dict[int, str], asked: set[str]) -> dict[int, str]:
    """Return how rows are displayed that have a style of their own, or a name asked about."""
    from joeira.page import cascade, css, css_values, rules  # few pages need them

    named = {"display": ("display",)}
    reading = css.Reading(css_values.longhands, named, lambda _: set(), {}, frozenset())
    found: Iterable[rules.Rule] = ()
    if asked:
        wanted = rules.Wanted("display", asked=frozenset(asked))
        reader = rules.Reader(cascade.Names(page).all, reading, wanted)
        found = (rule for rule in reader.read(page) if not css.is_hard(rule.selector))
    rules_of: dict[int, list[rules.Rule]] = {row: [] for row in own}
    matches = 0
    for rule in islice(found, cascade.MAX_SELECTORS):
        rows = page.attributes.matching(css.readable(rule.selector))
        matches += len(rows)
        if matches > cascade.MAX_MATCHES:
            break
        for row in rows:
            rules_of.setdefault(row, []).append(rule)

    @lru_cache(maxsize=1024)
    def display(style: str, *orders: int) -> str:
        """Return what the cascade chooses; many rows have the same rules, and no other style."""
        declared = css.declarations(css.plain(style[: cascade.MAX_STYLE_CHARS]), reading)
        said = [rule_of[order] for order in orders]
        return cascade.winning(said, declared, named).get("display", "")

    rule_of = {rule.order: rule for said in rules_of.values() for rule in said}
    return {
        row: display(own.get(row, ""), *(rule.order for rule in said))
        for row, said in rules_of.items()
    }


def _is_any_shown_as_block(page: Page, asked: set[str]) -> bool:
    text = "\n".join(page.attributes.inner_texts("style"))[:_MAX_CSS_CHARS]
    if native_available:
        return sheet_kernels.shows_as_block(text, asked)
    return not asked.isdisjoint(_names_of_blocks(text))


def _names_of_blocks(text: str) -> set[str]:
    """Return the tags and classes of what rules show as blocks, without reading other rules."""
    from joeira.page import css

    selectors = []
    read = 0  # no part is looked through twice
    for match in _SHOWS_BLOCK.finditer(text):
        brace = text.rfind("{", read, match.start())
        if brace >= 0:
            selectors.append(text[max(text.rfind("}", read, brace), read) : brace + 1])
        read = match.end()
    return set(css.NAMES.findall(" ".join(_SUBJECTS.findall("".join(selectors)))))
