"""Words and class names as features: learned log-odds in hashed tables.

Every word and every part of a class name falls into a bucket of a table of log-odds "content
against not"; the tables are learned, so there is no list of key words here and nothing is tied to a
language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import Lazy
from joeira._native import native_available
from joeira.arrays import Floats, Hashes, strings, trees
from joeira.arrays.strings import DIGIT
from joeira.blockmodel.view import MAX_CHARACTERS, BlockView, group_sizes
from joeira.models import Feature
from joeira.page import Page

if native_available:
    from joeira._native import columns as kernels

SPACES = {"word": 16, "heading": 15, "name": 14, "listed": 14}
"""Tables and the number of bits of their index. ``heading`` has what the words of a heading say
about the text below it, ``name`` what class and id names say, ``listed`` what these say where a
page is a list."""

Table = NDArray[np.int8]
TABLE_SCALE = 16.0
"""Log-odds in tables are whole numbers of sixteenths."""

WORDS_PER_BLOCK = 40
"""Only this many words of a block are looked up: the beginning tells."""
_NUMBER = np.uint64(0x6E756D626572)
_NO_HASHES = np.zeros(0, np.uint64)
_NAME_MIN_CHARS, _NAME_MAX_CHARS = 3, 15
DESCRIPTION_CHARS = 1000
"""So much is read of the description of a page."""
_DESCRIPTION_MIN_WORDS = 4
_BETWEEN = "\0"
"""No name holds it: no HTML parser lets it through."""

FEATURES: Final = (
    Feature("word_mean", "mean log-odds of its words", "wording", "odds"),
    Feature("word_min", "least log-odds of its words", "wording", "odds"),
    Feature("heading_mean", "mean log-odds of words of its heading", "heading", "odds"),
    Feature(
        "name_sum",
        "log-odds of class and id names of all ancestors, nearer ones counting more",
        "names",
        "odds",
    ),
    Feature("name_min", "least log-odds of a class or id name above", "names", "odds"),
    Feature("name_max", "greatest log-odds of a class or id name above", "names", "odds"),
    Feature("name_own", "log-odds of its own class and id", "names", "odds"),
    Feature("name_parent", "log-odds of the parent's class and id", "names", "odds"),
    Feature("name_grandparent", "log-odds of the grandparent's class and id", "names", "odds"),
)


def bucket(hashes: Hashes, bits: int) -> NDArray[np.int64]:
    """Return the bucket of each hash in a table with 2^bits entries."""
    return (hashes >> np.uint64(64 - bits)).view(np.int64)


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a page's blocks as hashes."""

    view: BlockView

    @Lazy
    def _all(self) -> tuple[Hashes, NDArray[np.int64], Hashes]:
        """Hash of every word of the blocks, where the words of each block begin; the title's."""
        page, view = self.view.page, self.view
        characters = page.characters
        start, stop = characters.word_slices()
        if len(characters.codes) > MAX_CHARACTERS:
            near = stop < MAX_CHARACTERS
            start, stop = start[near], stop[near]
        hashes = strings.slice_hashes(characters.lowered(MAX_CHARACTERS), start, stop)
        first_title, last_title = (int(page.text_words[:text].sum()) for text in self._title_texts)
        title = _distinct(hashes[first_title:last_title])
        # A number stands for any other: prices and dates would never repeat.
        ends = characters.classes.take(start) & characters.classes.take(stop - 1)
        hashes[(ends & DIGIT) != 0] = _NUMBER
        # Words stand in the order of the blocks; the last ones may have been cut.
        bounds = np.zeros(len(view.all_words) + 1, np.int64)
        np.minimum(view.all_words.cumsum(), len(hashes), out=bounds[1:])
        words = bounds[1:] - bounds[:-1]
        counted = np.zeros(len(words), bool)
        counted[view.chosen] = True
        begin = np.zeros(view.size + 1, np.int64)
        words[view.chosen].cumsum(out=begin[1:])
        return hashes[counted.repeat(words)], begin, title

    @Lazy
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Block of every word, and its place there."""
        begin = self._all[1]
        block = self.view.number.repeat(begin[1:] - begin[:-1])
        return block, np.arange(len(block)) - begin.take(block)

    @property
    def _title_texts(self) -> tuple[int, int]:
        """Numbers of the first text of the title and of the one after its last."""
        page = self.view.page
        rows = page.rows_of("title")
        if not len(rows):
            return 0, 0
        return int(page.text_index[rows[0]]), int(page.text_index[page.end[rows[0]]])

    @Lazy
    def block_hashes(self) -> Hashes:
        """One hash per block, of all its words in order."""
        hashes, begin, _ = self._all
        power = self._places[1].astype(np.uint64) * np.uint64(2) + np.uint64(1)
        total = np.zeros(len(hashes) + 1, np.uint64)
        strings.mixed(hashes * power).cumsum(out=total[1:])
        at_bounds = total.take(begin)
        return strings.mixed(at_bounds[1:] - at_bounds[:-1])

    @Lazy
    def copies(self) -> Floats:
        """Number of blocks with the same words as each block, itself included."""
        if native_available:
            return self.view.kernel.copies
        return group_sizes(self.block_hashes)

    @Lazy
    def single(self) -> tuple[Hashes, NDArray[np.int64]]:
        """Hashes of the first words of each block, and their blocks."""
        block, place = self._places
        near = (place < WORDS_PER_BLOCK).nonzero()[0]
        return self._all[0].take(near), block.take(near)

    @Lazy
    def headings(self) -> tuple[Hashes, NDArray[np.int64]]:
        """Hashes of the first words of headings, and their blocks."""
        hashes, block = self.single
        inside = self.view.is_heading.take(block).nonzero()[0]
        return hashes.take(inside), block.take(inside)

    @property
    def told(self) -> Hashes:
        """Hashes of the words of the longest description of the page, in order; of few none."""
        told = [
            content
            for name, other, content in self.view.page.attributes.metas
            if name == "description" or other == "og:description"
        ]
        text = max(told, key=len, default="")[:DESCRIPTION_CHARS]
        if not text:
            return _NO_HASHES
        if native_available:
            wanted = kernels.hash_text(text, strings.lower_table())
        else:
            characters = strings.Characters.of([text])
            lowered = characters.lowered(len(text))
            wanted = _distinct(strings.slice_hashes(lowered, *characters.word_slices()))
        return wanted if len(wanted) >= _DESCRIPTION_MIN_WORDS else _NO_HASHES

    def title_cover(self, max_words: int) -> Floats:
        """Return the share of the title's words in each block of at most so many words."""
        return self._overlap(self._all[2], max_words)[1]

    def description_overlap(self) -> tuple[Floats, Floats]:
        """Return the share of each block's words in the page's description, and of those in it."""
        return self._overlap(self.told)

    def _overlap(self, wanted: Hashes, max_words: float = np.inf) -> tuple[Floats, Floats]:
        """Return the share of each block's words that are wanted, and of the wanted ones in it."""
        none = np.zeros(self.view.size)
        hashes, block = self.single
        if not len(wanted) or not len(hashes):
            return none, none
        # Few words are of the title: the last bits of its words keep most others away.
        ends = np.zeros(256, bool)
        ends[wanted.astype(np.uint8)] = True
        near = ends.take(hashes.astype(np.uint8)).nonzero()[0]
        hashes, block = hashes.take(near), block.take(near)
        place = np.minimum(wanted.searchsorted(hashes), len(wanted) - 1)
        in_short = (self.view.words <= max_words).take(block)
        hit = ((wanted.take(place) == hashes) & in_short).nonzero()[0]
        block, place = block.take(hit), place.take(hit)
        hits = np.bincount(block, minlength=len(none))
        # A wanted word that a block repeats counts once.
        has = np.zeros(len(none) * len(wanted), bool)
        has[block * len(wanted) + place] = True
        cover = has.reshape(len(none), len(wanted)).sum(axis=1) / len(wanted)
        return hits / self.view.at_least_one_word, cover


@dataclass(frozen=True, eq=False)
class NameParts:
    """The parts of a page's class and id names: ``post-bodyText`` has post, body and text."""

    page: Page

    @Lazy
    def parts(self) -> tuple[Hashes, NDArray[np.int64]]:
        """Hash of every part of the distinct names, and the number of its name."""
        if native_available:
            return kernels.name_parts(self.page.classes[1], self.page.ids[1])
        # Letters of other alphabets are no parts; as question marks they keep every place.
        codes = np.frombuffer(_BETWEEN.join(self.names).encode("ascii", "replace"), np.uint8)
        small = (codes >= ord("a")) & (codes <= ord("z"))
        capital = (codes >= ord("A")) & (codes <= ord("Z"))
        letter = small | capital
        begins, ends = letter.copy(), letter.copy()
        begins[1:] &= ~letter[:-1] | (capital[1:] & small[:-1])
        ends[:-1] &= ~letter[1:] | (capital[1:] & small[:-1])
        start, stop = begins.nonzero()[0], ends.nonzero()[0] + 1
        length = stop - start
        fit = ((length >= _NAME_MIN_CHARS) & (length <= _NAME_MAX_CHARS)).nonzero()[0]
        start, stop = start.take(fit), stop.take(fit)
        hashes = strings.slice_hashes(codes + capital * np.uint8(32), start, stop)
        return hashes, (codes == ord(_BETWEEN)).nonzero()[0].searchsorted(start)

    @Lazy
    def names(self) -> list[str]:
        """The distinct class attributes, then the distinct ids."""
        return [*self.page.classes[1], *self.page.ids[1]]


def columns(
    words: Words, names: NameParts, tables: Mapping[str, Table], listed: float
) -> list[Floats]:
    """Return the columns of `FEATURES` by the tables of log-odds, `listed` the chance of a list."""
    hashes, block = words.single
    odds = log_odds(tables["word"].take(bucket(hashes, SPACES["word"])))
    return [
        *spread(odds, block, words.view.size)[:2],
        _heading_column(words, tables["heading"]),
        *_name_columns(words.view, names, name_table(tables, listed)),
    ]


def _distinct(hashes: Hashes) -> Hashes:
    return np.array(sorted(set(hashes.tolist())), np.uint64)


def log_odds(entries: Table) -> NDArray[np.float32]:
    """Return what entries of a table say."""
    return entries.astype(np.float32) / np.float32(TABLE_SCALE)


def name_table(tables: Mapping[str, Table], listed: float) -> NDArray[np.float32]:
    """Return what names say about a page that is a list by such a chance."""
    part = np.float32(listed)
    return (1 - part) * log_odds(tables["name"]) + part * log_odds(tables["listed"])


def _heading_column(words: Words, table: Table) -> Floats:
    """Return what the last heading at or before each block says; 0 before the first."""
    hashes, block = words.headings
    odds = log_odds(table.take(bucket(hashes, SPACES["heading"])))
    said = spread(odds, block, words.view.size)[0]
    last = words.view.heading_above
    return np.where(last >= 0, said.take(last), 0.0)


def spread(odds: NDArray[np.floating[Any]], group: NDArray[np.int64], size: int) -> list[Floats]:
    """Return the mean, the least and the greatest of the known log-odds of each group."""
    known = (odds != 0).nonzero()[0]
    odds, group = odds.take(known).astype(np.float64), group.take(known)
    mean, least, greatest = np.zeros((3, size))
    if len(group):
        first = np.concatenate(([0], (group[1:] != group[:-1]).nonzero()[0] + 1))
        which = group.take(first)
        least[which] = np.minimum(np.minimum.reduceat(odds, first), 0)
        greatest[which] = np.maximum.reduceat(odds, first)
        mean = np.bincount(group, odds, size) / np.maximum(np.bincount(group, minlength=size), 1)
    return [mean, least, greatest]


def _name_columns(view: BlockView, names: NameParts, table: NDArray[np.float32]) -> list[Floats]:
    page, holders = view.page, view.holders
    hashes, name = names.parts
    odds = table.take(bucket(hashes, SPACES["name"]))
    size = len(names.names)
    total = np.bincount(name, odds, size)
    _, least, greatest = spread(odds, name, size)
    of_class = page.classes[0].take(holders.rows)
    of_id = page.ids[0].take(holders.rows) + len(page.classes[1])
    own = total.take(of_class) + total.take(of_id)
    low = np.minimum(least.take(of_class), least.take(of_id))
    high = np.maximum(greatest.take(of_class), greatest.take(of_id))
    parent, ladder, of_block = holders.parent, holders.ladder, holders.of_block
    return [
        trees.decayed_sums(own, parent, 0.9, ladder).take(of_block),
        trees.minimum_over_ancestors(low, parent, ladder).take(of_block),
        -trees.minimum_over_ancestors(-high, parent, ladder).take(of_block),
        own.take(holders.above_block[:3]),
    ]
