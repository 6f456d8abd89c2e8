"""Bottom-up subtree classes: records are the subtrees of the most frequent shapes.

1. Two nodes are of one class when they have the same tag and the same sequence of classes of
   children; all leaves, texts and empty elements alike, are one class, because records differ in
   their data and not in their shape.
2. Classes of subtrees with at least `min_size` nodes are ranked by frequency. They are chosen from
   the top, at most `max_classes`, until the next one is rarer than its predecessor by more than
   `max_drop`. Classes inside another chosen class are dropped.
3. In document order, a node of the class that came first begins a new record; nodes of the other
   classes join it.

Readings of the report: ten classes as its text has it, not the nine of its listing; equally
frequent classes are ranked by size, then by place; "leaves are not considered" means that they
count as one class (`leaves` ``wildcard``), not that they vanish (``drop``); ``keep`` is Valiente's
original. A record begins when the *first* class comes again, as in the listing; the text lets any
class that comes again begin one (`record_rule` ``any_repeat``).

Departures:

- Classes that occur fewer than `min_frequency` times are no candidates: with the report's 1 a small
  page is one record, its root.
- `choice` ``coverage`` takes one class instead: that whose subtrees hold most words, linked ones
  counting 0.3, times the logarithm of their mean size. Class attribute and tag path are then part
  of a class. The most frequent classes are those of menus; this option was measured to be better.
- `prefilter`: only what the TPS filter leaves of the page is searched. Elements that show nothing
  are no nodes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from joeira.arrays import AnyInts, Hashes, strings, trees
from joeira.arrays.matching import SiblingTree
from joeira.page import Page, tag_paths, tags
from joeira.papers import RIBEIRO_MIRANDA, VALIENTE_2001, Paper
from joeira.params import check, param
from joeira.records.result import Records, RecordTable

_LINKED_WEIGHT = 0.3


@dataclass(frozen=True)
class SubtreeClasses:
    """Find the subtrees of the shapes that a page repeats most."""

    min_size: int = param(3, "Nodes of the smallest subtree that counts.", ge=1)
    max_classes: int = param(10, "Number of classes that are chosen at most.", ge=1)
    max_drop: float = param(
        0.9, "Largest fall from the frequency of one chosen class to the next.", ge=0, le=1
    )
    min_frequency: int = param(2, "Least frequency of a class.", ge=1)
    leaves: Literal["wildcard", "drop", "keep"] = param(
        "wildcard", "Whether leaves are all of one class, left out, or told apart by tag and text."
    )
    record_rule: Literal["first_class", "any_repeat"] = param(
        "first_class", "Which class begins a new record when it comes again."
    )
    choice: Literal["frequency", "coverage"] = param(
        "frequency",
        "Whether the most frequent classes are chosen, or the one that covers most words.",
    )
    prefilter: tag_paths.Prefilter = param(
        "none", "What is left of the page before: all of it, or its main region by tag paths."
    )

    papers: ClassVar[tuple[Paper, ...]] = (VALIENTE_2001,)
    origin: ClassVar[Paper | None] = RIBEIRO_MIRANDA

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def extract(self, page: Page, /) -> Records:
        """Return the records of the chosen classes as one table."""
        kept = tag_paths.unfiltered(page, self.prefilter)
        rows = page.body + np.flatnonzero(kept[page.body :])
        tree = SiblingTree.induced(page.tag_symbol, page.parent, rows)
        places, symbols = self._classes(page, tree, rows)
        if self.choice == "coverage":
            nodes, number = self._covering(page, tree, rows, (places, symbols))
        else:
            nodes, number = self._frequent(tree, places, symbols)
        table = self._table(page, rows[nodes], number)
        return Records(page, () if table is None else (table,), "subtree_classes")

    def _classes(self, page: Page, tree: SiblingTree, rows: AnyInts) -> tuple[AnyInts, Hashes]:
        """Return the nodes of subtrees that are large enough, and the class of each."""
        size = tree.end - np.arange(len(tree))
        leaf = size == 1
        places = np.flatnonzero((size >= self.min_size) & ~(leaf & (self.leaves == "drop")))
        if self.leaves == "drop":
            inner = np.flatnonzero(~leaf)
            shape = np.zeros(len(tree), np.uint64)
            shape[inner] = SiblingTree.induced(tree.symbol, tree.parent, inner).shape
            return places, shape[places]
        symbol = np.where(leaf, tags.LEAF_SYMBOL, tree.symbol)
        if self.leaves == "keep":
            texts = np.zeros(len(page), np.uint64)
            texts[page.text_rows] = [tags.symbol(" ".join(text.split())) for text in page.texts]
            symbol = tree.symbol + texts[rows]
        return places, trees.shape_hashes(symbol, tree.depth, tree.end)[places]

    def _frequent(
        self, tree: SiblingTree, places: AnyInts, symbols: Hashes
    ) -> tuple[AnyInts, AnyInts]:
        """Return the nodes of the chosen classes in order, and the number of each one's class."""
        _, first, number, count = np.unique(
            symbols, return_index=True, return_inverse=True, return_counts=True
        )
        number = number.reshape(-1)
        size = tree.end[places[first]] - places[first]
        ranked = np.lexsort((first, -size, -count))
        ranked = ranked[count[ranked] >= self.min_frequency][: self.max_classes]
        falls = count[ranked[1:]] / count[ranked[:-1]] < 1 - self.max_drop
        chosen = ranked[: int(np.argmax(falls)) + 1 if falls.any() else len(ranked)]
        marked = places[np.isin(number, chosen)]
        own = number[np.isin(number, chosen)]
        nested = ~np.isin(marked, trees.outermost(marked, tree.end))
        alone = ~np.isin(own, own[nested])
        return marked[alone], own[alone]

    def _covering(
        self, page: Page, tree: SiblingTree, rows: AnyInts, classes: tuple[AnyInts, Hashes]
    ) -> tuple[AnyInts, AnyInts]:
        """Return the nodes of the class that covers most words, and their common number."""
        places, symbols = classes
        here = rows[places]
        styled = page.path[here] * tags.CLASS_STEP + _first_class_symbols(page)[here]
        symbols = strings.mixed(symbols) + strings.mixed(styled)
        _, number, count = np.unique(symbols, return_inverse=True, return_counts=True)
        number = number.reshape(-1)
        words = page.words - (1 - _LINKED_WEIGHT) * page.linked_words
        covered = np.bincount(number, trees.subtree_sums(words, page.end)[here])
        size = np.bincount(number, tree.end[places] - places) / np.maximum(count, 1)
        score = np.where(count >= self.min_frequency, covered * np.log(size), -math.inf)
        if not len(score) or score.max() <= 0:
            return places[:0], number[:0]
        inside = number == np.argmax(score)
        return places[inside], number[inside]

    def _table(self, page: Page, nodes: AnyInts, number: AnyInts) -> RecordTable | None:
        """Return the records that nodes of several classes make; None where they have no text."""
        if not len(nodes):
            return None
        if self.record_rule == "first_class":
            record = np.cumsum(number == number[0]) - 1
        else:
            record = _by_any_repeat(number)
        slices = np.column_stack((nodes, page.end[nodes]))
        filled = page.text_index[slices[:, 1]] > page.text_index[slices[:, 0]]
        if not filled.any():
            return None
        slices = slices[filled]
        record = np.unique(record[filled], return_inverse=True)[1].reshape(-1)
        holder = trees.lowest_common_ancestor(
            int(slices[0, 0]), int(slices[-1, 0]), page.parent, page.end
        )
        kinds = len(np.unique(number))
        reason = f"{len(nodes)} subtrees of {kinds} class{'es' * (kinds > 1)} of shapes"
        return RecordTable(page, page.region(holder), slices, record, float(len(nodes)), reason)


def _by_any_repeat(number: AnyInts) -> AnyInts:
    """Return the record of each node: a new one when a class comes again within a record."""
    record = 0
    seen: set[int] = set()
    starts = []
    for each in number.tolist():
        if each in seen:
            record += 1
            seen = set()
        seen.add(each)
        starts.append(record)
    return np.array(starts)


def _first_class_symbols(page: Page) -> Hashes:
    """Return a symbol for the first word of each row's class attribute."""
    numbers, names = page.classes
    firsts = [(name.split() or [""])[0] for name in names]
    return np.array([tags.symbol(first) for first in firsts], np.uint64)[numbers]
