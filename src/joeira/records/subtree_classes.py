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

The report's introduction speaks of the classes of a collection of pages, its listings of those of
one page: `scope` ``page`` is the reading of the listings. With ``collection``, `fit` counts one
table of classes over all pages and chooses from it; records are then read off each page as in the
listing. So pages with one record each have classes that repeat, and their records are as large as
what all of them share: if they are of one shape, the whole body.

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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from joeira.arrays import AnyInts, Hashes, strings, trees
from joeira.arrays.matching import SiblingTree
from joeira.errors import BadParameter
from joeira.page import Page, tag_paths, tags
from joeira.papers import RIBEIRO_MIRANDA, VALIENTE_2001, Paper
from joeira.params import check, param
from joeira.records.result import Records, RecordTable

_LINKED_WEIGHT = 0.3


@dataclass(frozen=True)
class SubtreeClasses:
    """Find the subtrees whose shapes a page repeats most often."""

    min_size: int = param(3, "Minimum number of nodes of a subtree.", ge=1)
    max_classes: int = param(10, "Maximum number of classes to choose.", ge=1)
    max_drop: float = param(
        0.9, "Maximum drop from the frequency of one chosen class to the next.", ge=0, le=1
    )
    min_frequency: int = param(2, "Minimum frequency of a class.", ge=1)
    leaves: Literal["wildcard", "drop", "keep"] = param(
        "wildcard",
        "Whether leaves are all of one class, left out, or distinguished by tag and text.",
    )
    record_rule: Literal["first_class", "any_repeat"] = param(
        "first_class", "Which class starts a new record when it recurs."
    )
    choice: Literal["frequency", "coverage"] = param(
        "frequency",
        "Whether to choose the most frequent classes, or the one that covers most words.",
    )
    scope: Literal["page", "collection"] = param(
        "page", "Whether classes are those of each page, or of all pages together."
    )
    prefilter: tag_paths.Prefilter = param(
        "none", "Prefilter of the page: none, or its main region by tag paths."
    )

    papers: ClassVar[tuple[Paper, ...]] = (VALIENTE_2001,)
    origin: ClassVar[Paper | None] = RIBEIRO_MIRANDA

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def fit(self, pages: Iterable[Page], /) -> CollectionClasses:
        """Return a method with the classes that are chosen from all pages together."""
        if self.choice == "coverage":
            message = "a collection is for choice 'frequency': 'coverage' counts words by page"
            raise BadParameter(message)
        kinds = [self._classes(page) for page in pages]
        return CollectionClasses(self, self._chosen(kinds))

    def extract(self, page: Page, /) -> Records:
        """Return the records of the chosen classes as one table."""
        kinds = self._classes(page)
        if self.choice == "coverage":
            nodes, number = self._covering(page, kinds)
            return self._records(page, kinds.rows[nodes], number)
        return self._records(page, *kinds.nodes_of(self._chosen([kinds])))

    def extract_known(self, page: Page, classes: Hashes) -> Records:
        """Return the records of classes that are chosen already."""
        return self._records(page, *self._classes(page).nodes_of(classes))

    def _classes(self, page: Page) -> _Classes:
        """Return the nodes of subtrees that are large enough, and the class of each."""
        kept = tag_paths.unfiltered(page, self.prefilter)
        rows = page.body + np.flatnonzero(kept[page.body :])
        tree = SiblingTree.induced(page.tag_symbol, page.parent, rows)
        size = tree.end - np.arange(len(tree))
        leaf = size == 1
        places = np.flatnonzero((size >= self.min_size) & ~(leaf & (self.leaves == "drop")))
        if self.leaves == "drop":
            inner = np.flatnonzero(~leaf)
            shape = np.zeros(len(tree), np.uint64)
            shape[inner] = SiblingTree.induced(tree.symbol, tree.parent, inner).shape
            return _Classes(rows, places, shape[places], tree.end)
        symbol = np.where(leaf, tags.LEAF_SYMBOL, tree.symbol)
        if self.leaves == "keep":
            texts = np.zeros(len(page), np.uint64)
            texts[page.text_rows] = [tags.symbol(" ".join(text.split())) for text in page.texts]
            symbol = tree.symbol + texts[rows]
        shape = trees.shape_hashes(symbol, tree.depth, tree.end)
        return _Classes(rows, places, shape[places], tree.end)

    def _chosen(self, pages: Sequence[_Classes]) -> Hashes:
        """Return the most frequent classes of some pages that are in no other of them."""
        none = np.zeros(0, np.uint64)
        symbols = np.concatenate([none, *(kinds.symbols for kinds in pages)])
        sizes = np.concatenate([np.zeros(0, np.int64), *(kinds.sizes for kinds in pages)])
        classes, first, count = np.unique(symbols, return_index=True, return_counts=True)
        ranked = np.lexsort((first, -sizes[first], -count))
        ranked = ranked[count[ranked] >= self.min_frequency][: self.max_classes]
        falls = count[ranked[1:]] / count[ranked[:-1]] < 1 - self.max_drop
        chosen = classes[ranked[: int(np.argmax(falls)) + 1 if falls.any() else len(ranked)]]
        return np.setdiff1d(
            chosen, np.concatenate([none, *(kinds.nested(chosen) for kinds in pages)])
        )

    def _covering(self, page: Page, kinds: _Classes) -> tuple[AnyInts, AnyInts]:
        """Return the nodes of the class that covers most words, and their common number."""
        places, symbols = kinds.places, kinds.symbols
        here = kinds.rows[places]
        styled = page.path[here] * tags.CLASS_STEP + _first_class_symbols(page)[here]
        symbols = strings.mixed(symbols) + strings.mixed(styled)
        _, number, count = np.unique(symbols, return_inverse=True, return_counts=True)
        number = number.reshape(-1)
        words = page.words - (1 - _LINKED_WEIGHT) * page.linked_words
        covered = np.bincount(number, trees.subtree_sums(words, page.end)[here])
        size = np.bincount(number, kinds.sizes) / np.maximum(count, 1)
        score = np.where(count >= self.min_frequency, covered * np.log(size), -math.inf)
        if not len(score) or score.max() <= 0:
            return places[:0], number[:0]
        inside = number == np.argmax(score)
        return places[inside], number[inside]

    def _records(self, page: Page, nodes: AnyInts, number: AnyInts) -> Records:
        table = self._table(page, nodes, number)
        return Records(page, () if table is None else (table,), "subtree_classes")

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


@dataclass(frozen=True, eq=False)
class _Classes:
    """The subtrees of a page that are large enough, and the class of each."""

    rows: AnyInts
    """Rows of the page that are nodes."""
    places: AnyInts
    """Where the subtrees are among them."""
    symbols: Hashes
    end: AnyInts
    """Per node: one past the last of its subtree."""

    @property
    def sizes(self) -> AnyInts:
        """Nodes of each subtree."""
        sizes: AnyInts = self.end[self.places] - self.places
        return sizes

    def nested(self, classes: Hashes) -> Hashes:
        """Return those of some classes of which a subtree lies in one of another or its own."""
        marked = np.isin(self.symbols, classes)
        outermost = trees.outermost(self.places[marked], self.end)
        return np.unique(self.symbols[marked][~np.isin(self.places[marked], outermost)])

    def nodes_of(self, classes: Hashes) -> tuple[AnyInts, AnyInts]:
        """Return the rows of the subtrees of some classes, in order, and which class each has."""
        marked = np.isin(self.symbols, classes)
        number = np.unique(self.symbols[marked], return_inverse=True)[1].reshape(-1)
        return self.rows[self.places[marked]], number


@dataclass(frozen=True, eq=False)
class CollectionClasses:
    """Subtree classes that were chosen from a collection of pages."""

    method: SubtreeClasses
    classes: Hashes
    """Symbol of each class."""

    def extract(self, page: Page, /) -> Records:
        """Return the records of these classes as one table."""
        return self.method.extract_known(page, self.classes)


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
