"""Which lines within records are sentences, to be taken whole although markup splits them.

A line is the children of one element between line breaks and block-level elements. One that mixes
texts of its own with elements is split only where that is regular, as in "<a>title</a> by
<b>author</b>". It is a sentence where it has two or more texts of its own that differ between
records, where a text stands right against markup, or where less than half of the lines below alike
elements are made as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.arrays.hashing import mixed
from joeira.arrays.strings import collapse
from joeira.arrays.trees import subtree_sums
from joeira.output.record_rows import Ints, RecordRows
from joeira.page import tags

_GLUE_SHARE = 0.3
"""A text on so many of the alike elements is a label or a separator, part of the template."""
_PROSE_LINES_SHARE = 0.15
"""So many lines that are sentences make all lines below alike elements sentences."""
_SIGNATURE_SHARE = 0.5

_BREAK = tags.table("br hr")

Bools = NDArray[np.bool_]


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
    prose = mixed_lines & ((varying > 1) | (lines.per_line(_glued(table, lines)) > 0))
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
    items = np.flatnonzero((holds | is_break) & (table.parent >= 0))
    items = items[np.argsort(table.parent[items], kind="stable")]
    block = ~tags.INLINE[table.tag] & (table.rows >= 0)
    has_text = subtree_sums(table.is_text, table.end) > 0
    apart = ((subtree_sums(block, table.end) > 0) | ~has_text)[items]  # also line breaks
    new = np.ones(len(items), bool)
    new[1:] = (np.diff(table.parent[items]) != 0) | apart[1:] | apart[:-1]
    line = np.cumsum(new) - 1
    keep = ~apart
    items, line = items[keep], line[keep]
    numbers, line = np.unique(line, return_inverse=True)
    above = np.zeros(len(numbers), np.int64)
    above[line] = table.parent[items]
    path = trees.path_hashes(table.symbol, table.parent)
    groups, group = np.unique(path[above], return_inverse=True)
    own_text = table.is_text[items]
    varies = own_text & ~_is_glue(table, items, group[line], len(groups))
    return _Lines(items, line, group, own_text, varies)


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
