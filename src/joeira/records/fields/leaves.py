"""The values of records: single texts, whole sentences, whole lists, images and links.

A record is reduced to the elements that hold something, with its values as leaves. Three kinds of
texts are taken as one value instead of being split where the markup splits them:

- *Sentences.* A line is the children of one element between line breaks and block-level elements.
  One that mixes texts of its own with elements is split only where that is regular, as in
  "<a>title</a> by <b>author</b>". It is a sentence where it has two or more texts of its own that
  differ between records, where a text stands right against markup, where it is a title with a word
  marked that was searched for, or where less than half of the lines below alike elements are made
  as it is. A line break within a sentence ends no line, and a day that a sentence begins with is a
  value of its own.
- *Prose.* Elements that begin with a long text in most records, hold mainly such texts and are made
  differently from record to record, as posts of a forum are.
- *Lists within a record.* Equal siblings in a row, as tags or paragraphs are, whose number differs
  between records and reaches four, are one value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Bools, Ints, trees
from joeira.arrays.strings import collapse, mixed
from joeira.arrays.trees import outermost, subtree_sums
from joeira.page import tags
from joeira.records.fields.kinds import shows_date
from joeira.records.fields.rows import RecordRows

_GLUE_SHARE = 0.3
"""A text on so many of the alike elements is a label or a separator, part of the template."""
_PROSE_LINES_SHARE = 0.15
"""So many lines that are sentences make all lines below alike elements sentences."""
_SIGNATURE_SHARE = 0.5

_BREAK = tags.table("br hr")
_ENDS = tuple(".!?:;…。")
_EMPHASIS = tags.table("b em i mark strong")
_TITLE = tags.table("a h1 h2 h3 h4 h5 h6")


@dataclass(frozen=True, eq=False)
class _Lines:
    """Children that hold something, in runs between line breaks and block-level elements."""

    items: Ints
    """Places, by parent, in order."""
    line: Ints
    """Line of each item."""
    group: Ints
    """Number of each line's group: lines below alike elements."""
    own_text: Bools
    """Which items are texts of the line itself."""
    varies: Bools
    """Which of them differ between records."""

    def per_line(self, marked: Bools) -> Ints:
        return np.bincount(self.line[marked], minlength=len(self.group))


def sentences(table: RecordRows, holds: Bools) -> tuple[Ints, Ints]:
    """Return the first and the last child of each line that is one value.

    Args:
        table: The rows of records.
        holds: Which places hold a value, at or below them.
    """
    lines = _lines(table, holds)
    if not len(lines.items):
        return lines.items, lines.items
    symbol = np.where(lines.own_text, np.uint64(0), table.symbol[lines.items])
    several = lines.per_line(np.ones(len(lines.items), bool)) > 1
    varying = lines.per_line(lines.varies)
    mixed_lines = several & (varying > 0)
    groups = int(lines.group.max()) + 1
    prose = (varying > 1) | (lines.per_line(_glued(table, lines) | _marked(table, lines)) > 0)
    prose &= mixed_lines
    in_group = np.bincount(lines.group[mixed_lines], minlength=groups)
    prose_group = np.bincount(lines.group[prose], minlength=groups) > _PROSE_LINES_SHARE * in_group
    whole = mixed_lines & (prose_group[lines.group] | ~_regular(lines, symbol, mixed_lines) | prose)
    # A sentence that is nothing but a marked-up word is of the same kind as its neighbours.
    element = ~lines.own_text
    key = symbol + mixed(lines.group[lines.line].astype(np.uint64))
    seen = np.unique(key[element & whole[lines.line] & prose_group[lines.group[lines.line]]])
    strange = lines.per_line(element & ~np.isin(key, seen)) > 0
    whole |= prose_group[lines.group] & ~strange & (lines.per_line(element) > 0)

    last = np.append(np.flatnonzero(np.diff(lines.line)), len(lines.line) - 1)
    first = np.concatenate(([0], last[:-1] + 1))
    return lines.items[first[whole]], lines.items[last[whole]]


def _lines(table: RecordRows, holds: Bools) -> _Lines:
    is_break = _BREAK[table.tag] & (table.rows >= 0)
    path = trees.path_hashes(table.symbol, table.parent)
    is_break[_within_sentences(table, np.flatnonzero(is_break), path)] = False
    items = np.flatnonzero((holds | is_break) & (table.parent >= 0))
    items = items[np.argsort(table.parent[items], kind="stable")]
    block = ~tags.INLINE[table.tag] & (table.rows >= 0)
    has_text = subtree_sums(table.is_text, table.end) > 0
    apart = ((subtree_sums(block, table.end) > 0) | ~has_text)[items]  # also line breaks
    new = np.ones(len(items), bool)
    new[1:] = (np.diff(table.parent[items]) != 0) | apart[1:] | apart[:-1]
    days = _leading_days(table, items, new, path)
    new[1:] |= days[:-1]
    line = np.cumsum(new) - 1
    keep = ~apart
    items, line = items[keep], line[keep]
    numbers, line = np.unique(line, return_inverse=True)
    above = np.zeros(len(numbers), np.int64)
    above[line] = table.parent[items]
    groups, group = np.unique(path[above], return_inverse=True)
    own_text = table.is_text[items]
    varies = own_text & ~_is_glue(table, items, group[line], len(groups))
    return _Lines(items, line, group, own_text, varies)


def _within_sentences(table: RecordRows, breaks: Ints, path: NDArray[np.uint64]) -> Ints:
    """Return the line breaks that stand within sentences, as search engines put them into snippets.

    The text before does not end and the one behind goes on in lower case, at half of the breaks
    below alike elements: then all of them are such. Neither stands in a link, or in any other
    element that does more than emphasise.
    """
    if not len(breaks):
        return breaks
    page = table.page
    behind = page.text_index[table.rows[breaks]]
    first = page.text_index[table.rows[np.maximum(table.parent[breaks], 0)]]
    last = page.text_index[table.rows[table.end[table.parent[breaks]] - 1] + 1]
    inner = (behind > first) & (behind < last) & (table.parent[breaks] >= 0)
    breaks, behind = breaks[inner], behind[inner]
    holder = table.rows[table.parent[breaks]]
    sides = page.parent[page.text_rows[np.stack((behind - 1, behind))]]
    plain = ((sides == holder) | _EMPHASIS[page.known_tag[sides]]).all(axis=0)
    breaks, behind = breaks[plain], behind[plain]
    if not len(breaks):
        return breaks
    goes_on = np.array([
        page.texts[text].lstrip()[:1].islower()
        and page.texts[text - 1].rstrip()[-1:] not in _ENDS
        for text in behind.tolist()
    ])  # fmt: skip
    _, group = np.unique(path[table.parent[breaks]], return_inverse=True)
    share = np.bincount(group, goes_on) / np.bincount(group)
    return breaks[share[group] >= _SIGNATURE_SHARE]


def _leading_days(table: RecordRows, items: Ints, new: Bools, path: NDArray[np.uint64]) -> Bools:
    """Return which items are elements with a day before a text of the same line.

    Only where they have a class or are ``time``, and nearly all that lead alike lines show a day.
    """
    page = table.page
    days = np.zeros(len(items), bool)
    called, names = table.called
    named = np.array([bool(name) for name in names], bool)[called[items]]
    named |= table.tag[items] == tags.NUMBER["time"]
    leads = np.zeros(len(items), bool)
    leads[:-1] = new[:-1] & ~new[1:] & named[:-1] & table.is_text[items[1:]]
    leads &= ~table.is_text[items]
    leading = np.flatnonzero(leads)
    if not len(leading):
        return days
    rows = table.rows[items[leading]]
    texts = zip(
        page.text_index[rows].tolist(), page.text_index[page.end[rows]].tolist(), strict=True
    )
    shows_day = np.array([shows_date(page.joined(first, last)) for first, last in texts], bool)
    _, group = np.unique(path[items[leading]], return_inverse=True)
    share = np.bincount(group, shows_day) / np.bincount(group)
    days[leading] = share[group] >= _REGULAR_SHARE
    return days


def _marked(table: RecordRows, lines: _Lines) -> Bools:
    """Return which items are words marked in a title, as the ones that were searched for are."""
    above = table.tag[table.parent[lines.items]]
    marked = _EMPHASIS[table.tag[lines.items]] & ~lines.own_text & _TITLE[above]
    where = np.flatnonzero(marked)
    if not len(where):
        return marked
    page = table.page
    rows = table.rows[lines.items[where]]
    number: dict[tuple[int, str], int] = {}
    groups = lines.group[lines.line[where]].tolist()
    same = np.array([
        number.setdefault((group, page.joined(first, last).casefold()), len(number))
        for group, first, last in zip(
            groups, page.text_index[rows].tolist(), page.text_index[page.end[rows]].tolist(),
            strict=True,
        )
    ])  # fmt: skip
    count = np.bincount(same)[same]
    in_group = np.bincount(groups)[groups]
    marked[where] = count >= np.maximum(2, _GLUE_SHARE * in_group)
    return marked


def _is_glue(table: RecordRows, items: Ints, group: Ints, groups: int) -> Bools:
    """Return which items are texts without letters, or the same on many alike elements."""
    page = table.page
    new = np.ones(len(items), bool)
    new[1:] = np.diff(table.parent[items]) != 0
    elements = np.bincount(group[new], minlength=groups)
    texts = np.flatnonzero(table.is_text[items])
    words = [page.texts[i] for i in page.text_index[table.rows[items[texts]]].tolist()]
    number: dict[str, int] = {}
    same = np.array(
        [number.setdefault(collapse(word).casefold(), len(number)) for word in words], np.int64
    )
    silent = np.array([not any(map(str.isalnum, word)) for word in words], bool)
    _, inverse, count = np.unique(
        same * groups + group[texts], return_inverse=True, return_counts=True
    )
    often = count[inverse] >= np.maximum(2, _GLUE_SHARE * elements[group[texts]])
    glue = np.zeros(len(items), bool)
    glue[texts] = silent | often
    return glue


def _glued(table: RecordRows, lines: _Lines) -> Bools:
    """Return which texts stand right against markup, as in ``<b>W</b>ord``."""
    page = table.page
    tight = lines.own_text | tags.TIGHT[table.tag[lines.items]]
    glued = np.zeros(len(lines.items), bool)
    inner = (np.diff(lines.line) == 0) & tight[1:] & tight[:-1]
    inner &= lines.varies[1:] | lines.varies[:-1]
    where = np.flatnonzero(inner) + 1
    text = page.text_index[table.rows[lines.items[where]]]
    glued[where] = ~page.space_before[np.minimum(text, max(len(page.texts) - 1, 0))]
    return glued


def _regular(lines: _Lines, symbol: NDArray[np.uint64], asked: Bools) -> Bools:
    """Return which lines are made of the same things as at least half of those alike."""
    counts = lines.varies | ~lines.own_text
    rank = np.cumsum(counts) - 1
    start = np.zeros(len(lines.group), np.int64)
    new = np.concatenate(([True], np.diff(lines.line) != 0))
    start[lines.line[new]] = rank[new] - counts[new] + 1
    order = (rank - start[lines.line]).astype(np.uint64)
    terms = np.where(counts, mixed(symbol + (order << np.uint64(1)) + np.uint64(1)), np.uint64(0))
    signature = np.zeros(len(lines.group), np.uint64)
    np.add.at(signature, lines.line, terms)
    key = signature + mixed(lines.group.astype(np.uint64))
    _, inverse, count = np.unique(key[asked], return_inverse=True, return_counts=True)
    total = np.bincount(lines.group[asked], minlength=int(lines.group.max()) + 1)
    regular = np.zeros(len(lines.group), bool)
    regular[asked] = count[inverse] >= _SIGNATURE_SHARE * total[lines.group[asked]]
    return regular


ELEMENT, TEXT, IMAGE, LINK, LIST = range(5)
"""Kinds of nodes: an element with values below it, or a value."""

_MAX_SEPARATE = 3
"""So many equal siblings stay values of their own even where their number differs."""
_REGULAR_SHARE = 0.8
"""Share of lists that must have one length for their items to be values of their own."""
_CELL = tags.table("td th")
_LONG_TEXT = 20
"""Number of words from which a text is prose and not the value of a field."""
_PROSE_SHARE = 0.5
"""Share of the words that are in long texts, and of the elements that begin with one."""


@dataclass(frozen=True, eq=False)
class RecordNodes:
    """Records reduced to their values and the elements above them, in preorder."""

    table: RecordRows
    place: Ints
    """Place of each node: of the first one, where a value is several siblings."""
    stop: Ints
    """One past the last place of each node."""
    kind: Ints
    symbol: NDArray[np.uint64]

    @cached_property
    def record(self) -> Ints:
        """Record of each node."""
        return self.table.record[self.place]

    @cached_property
    def parent(self) -> Ints:
        """Node above each node; -1 for the roots of records."""
        above = self.table.parent[self.place]
        return np.where(above >= 0, np.searchsorted(self.place, above), -1)

    @cached_property
    def end(self) -> Ints:
        """One past the last node of each subtree."""
        return np.searchsorted(self.place, self.stop)

    @cached_property
    def depth(self) -> Ints:
        """Number of nodes above; all elements above a node are nodes."""
        return self.table.depth[self.place]

    @cached_property
    def path(self) -> NDArray[np.uint64]:
        """Symbol of the way from the root of the record to each node."""
        return trees.path_hashes(self.symbol, self.parent)

    @cached_property
    def leaves(self) -> Ints:
        """Nodes that are values."""
        return np.flatnonzero(self.kind != ELEMENT)

    @cached_property
    def leaf_counts(self) -> Ints:
        """Number of values at or below each node."""
        return subtree_sums(self.kind != ELEMENT, self.end)


def reduced(table: RecordRows) -> RecordNodes:
    """Return the values of records and the elements above them."""
    return _with_lists_whole(_with_prose_whole(_with_sentences_whole(table)))


def _with_sentences_whole(table: RecordRows) -> RecordNodes:
    kind = _value_kinds(table)
    holds = subtree_sums(kind > ELEMENT, table.end) > 0
    holds[table.roots] = True
    first, last = sentences(table, holds)
    stop = table.end.copy()
    stop[first] = table.end[last]
    first = outermost(np.sort(first), stop).astype(np.int64)  # one may be part of another
    keep = holds & ~_covered(len(table), first, stop[first])
    keep[first] = True
    kind[first] = TEXT
    place = np.flatnonzero(keep)
    symbol = np.where(kind == ELEMENT, table.symbol, mixed(kind.astype(np.uint64)))
    return RecordNodes(table, place, stop[place], kind[place], symbol[place])


def _value_kinds(table: RecordRows) -> Ints:
    kind = np.zeros(len(table), np.int64)
    kind[table.is_text] = TEXT
    kind[list(table.images)] = IMAGE
    empty = subtree_sums(kind > ELEMENT, table.end) == 0
    links = np.array(list(table.links), np.int64)
    links = links[empty[links]]
    # A value has no values below it: of links in links, which scripts and SVG make, the inner one.
    kind[links[np.append(links[1:], len(table)) >= table.end[links]]] = LINK
    return kind


def _covered(size: int, first: Ints, stop: Ints) -> Bools:
    change = np.zeros(size + 1, np.int64)
    np.add.at(change, first, 1)
    np.add.at(change, stop, -1)
    return np.cumsum(change)[:-1] > 0


# Prose ------------------------------------------------------------------------------------------


def _with_prose_whole(nodes: RecordNodes) -> RecordNodes:
    elements = np.flatnonzero((nodes.kind == ELEMENT) & (nodes.parent >= 0))
    if not len(elements):
        return nodes
    words = _words(nodes)
    long = words * (words >= _LONG_TEXT)
    _, group = np.unique(nodes.path[elements], return_inverse=True)
    groups = int(group.max()) + 1

    def total(per_element: NDArray[Any]) -> NDArray[np.float64]:
        return np.bincount(group, per_element, groups).astype(np.float64)

    count = total(np.ones(len(elements)))
    first_leaf = nodes.leaves[np.searchsorted(nodes.leaves, elements)]
    shapes = trees.shape_hashes(nodes.symbol, nodes.depth, nodes.end)[elements]
    _, shape = np.unique(shapes, return_inverse=True)
    prose = total(subtree_sums(long, nodes.end)[elements]) >= _PROSE_SHARE * np.maximum(
        total(subtree_sums(words, nodes.end)[elements]), 1
    )
    prose &= total(long[first_leaf] > 0) >= _PROSE_SHARE * count
    prose &= total(nodes.leaf_counts[elements]) > count  # else it is one text in every record
    prose &= _most_frequent_share(group, shape) < _REGULAR_SHARE
    chosen = outermost(elements[prose[group]], nodes.end).astype(np.int64)
    kind, symbol = nodes.kind.copy(), nodes.symbol.copy()
    kind[chosen] = TEXT
    symbol[chosen] = mixed(symbol[chosen] + np.uint64(TEXT))
    keep = ~_covered(len(nodes.place), chosen + 1, nodes.end[chosen])
    return RecordNodes(nodes.table, nodes.place[keep], nodes.stop[keep], kind[keep], symbol[keep])


def _words(nodes: RecordNodes) -> Ints:
    """Return the words of each text that is a value; 0 for other nodes."""
    table = nodes.table
    running = np.concatenate(([0], np.cumsum(table.page.words)))
    first = np.maximum(table.rows[nodes.place], 0)
    last = np.maximum(table.rows[nodes.stop - 1], 0)
    return np.where(nodes.kind == TEXT, running[last + 1] - running[first], 0)


# Lists within a record --------------------------------------------------------------------------


def _with_lists_whole(nodes: RecordNodes) -> RecordNodes:
    table = nodes.table
    order = np.argsort(nodes.parent, kind="stable")
    order = order[nodes.parent[order] >= 0]
    if not len(order):
        return nodes
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(nodes.parent[order]) != 0) | (
        nodes.symbol[order[1:]] != nodes.symbol[order[:-1]]
    )
    first = np.flatnonzero(new)
    length = np.diff(np.append(first, len(order)))
    head, tail = order[first], order[first + length - 1]
    _, group = np.unique(nodes.path[head], return_inverse=True)
    longest = np.zeros(int(group.max()) + 1, np.int64)
    np.maximum.at(longest, group, length)
    usual = _most_frequent_share(group, length)
    irregular = (longest[group] > _MAX_SEPARATE) & (usual[group] < _REGULAR_SHARE)
    irregular &= ~(_CELL[table.tag[nodes.place[head]]])
    head, tail = head[irregular], tail[irregular]
    by_place = np.argsort(head)
    head, tail = head[by_place], tail[by_place]
    end = nodes.end.copy()
    end[head] = end[tail]
    stop, kind, symbol = nodes.stop.copy(), nodes.kind.copy(), nodes.symbol.copy()
    stop[head] = nodes.stop[tail]
    keep = ~_covered(len(nodes.place), head, end[head])
    keep[outermost(head, end)] = True
    only_images = (kind[head] == IMAGE) | (kind[head] == LINK)
    kind[head] = np.where(only_images, kind[head], LIST)
    symbol[head] = mixed(symbol[head] + np.uint64(LIST))
    return RecordNodes(table, nodes.place[keep], stop[keep], kind[keep], symbol[keep])


def _most_frequent_share(group: Ints, value: Ints) -> NDArray[np.float64]:
    """Return, per group, the share of its most frequent value."""
    span = int(value.max()) + 1
    pairs, count = np.unique(group * span + value, return_counts=True)
    most = np.zeros(int(group.max()) + 1)
    np.maximum.at(most, pairs // span, count)
    return most / np.bincount(group)
