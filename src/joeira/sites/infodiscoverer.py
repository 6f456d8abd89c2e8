"""InfoDiscoverer: blocks whose words are not spread evenly over the pages of the site.

Lin and Ho (2002):

1. take each page apart into blocks;
2. the features of a block are its keywords: words without function words, stemmed;
3. the entropy of a keyword over the pages is 1 when it stands on all of them alike, and 0 when it
   stands on one page only; the entropy of a block is the mean of that of its keywords;
4. a block with an entropy above a threshold is redundant; the others are informative.

Two sums for each keyword give its entropy (see `joeira.sites._words`), so pages are read once.

Departures. The paper takes pages apart by ``table``, as `InfoDiscoverer.published` does; pages of
today seldom use it, so the default takes the paragraph-like blocks. The paper finds the threshold
of each site by a greedy search over answers; here there are none, and it is a parameter. Words are
stemmed unless the page says that it is not in English, and only those in plain letters. A block
without keywords has no entropy and is informative. A page given twice counts once; a page that was
not learned from is judged as one more page of the set. Of a site with more than `max_pages` pages a
sample is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Case
from joeira.content.result import Content, ReasonTable
from joeira.page import Page
from joeira.page.pieces import Cut, Piece, pieces
from joeira.papers import LIN_2002, Paper
from joeira.params import TAG_NAME, check, param
from joeira.sites._words import f_log_f, language_of, share_of_even, stem, stop_words
from joeira.sites.corpus import MAX_PAGES, Sample, fingerprint, kept, read_fingerprints

_WORD = re.compile(r"[^\W\d_]+")


class EntropyCase(Case):
    """How the keywords around a text are spread over the site."""

    OUTSIDE_BLOCKS = 0, "outside every block"
    REDUNDANT = 1, "its keywords are spread over the pages of the site, mean entropy {score:.2f}"
    INFORMATIVE = 2, "its keywords are on few pages, mean entropy {score:.2f}"


class Spread(NamedTuple):
    """How often a keyword stands on the pages: the sum of f and of f ln f over them."""

    times: int
    logs: float


@dataclass(frozen=True)
class InfoDiscoverer:
    """Keep the blocks whose keywords appear on few pages of the site."""

    tags: tuple[str, ...] = param(
        ("table",),
        "Tags that split the page into blocks, in order, unless blocks are lossless.",
        pattern=TAG_NAME,
        min_items=1,
    )
    blocks: Cut = param(
        "lossless",
        'Which of nested elements with the same tag are blocks; "lossless" uses the page\'s own '
        "blocks.",
    )
    entropy_threshold: float = param(
        0.7, "Blocks with a mean entropy above this are redundant.", ge=0, le=1
    )
    stemming: bool = param(True, "Whether to stem English words.")
    max_pages: int = param(
        MAX_PAGES,
        "Maximum number of pages to keep: of more, a sample that does not depend on their order.",
        ge=1,
    )

    papers: ClassVar[tuple[Paper, ...]] = (LIN_2002,)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    @classmethod
    def published(cls) -> InfoDiscoverer:
        """Return the method on the blocks of the paper: tables, the innermost of nested ones."""
        return cls(blocks="innermost")

    def fit(self, pages: Iterable[Page], /) -> InfoDiscovererSite:
        """Return what tells the content of the site's pages."""
        return InfoDiscovererSite(self).update(pages)

    def restore(self, data: dict[str, Any]) -> InfoDiscovererSite:
        """Return what `InfoDiscovererSite.to_dict` described."""
        levels = {
            int(level): {
                str(word): Spread(int(times), float(logs))
                for word, (times, logs) in keywords.items()
            }
            for level, keywords in data["keywords"].items()
        }
        return InfoDiscovererSite(self, read_fingerprints(data["pages"]), levels)

    def keywords(self, page: Page) -> tuple[list[Piece], list[list[str]]]:
        """Return the blocks of a page and the keywords of each, as often as they stand there."""
        found = pieces(page, self.tags, self.blocks)
        language = language_of(page)
        ignored = stop_words(language)
        stems = self.stemming and (not language or language.startswith("en"))
        return found, [
            [
                stem(word) if stems and word.isascii() else word
                for word in _WORD.findall(piece.text.lower())
                if word not in ignored
            ]
            for piece in found
        ]


@dataclass(frozen=True, eq=False)
class InfoDiscovererSite:
    """What InfoDiscoverer knows of a site: how its keywords are spread over the pages."""

    method: InfoDiscoverer
    fingerprints: tuple[str, ...] = field(default=(), repr=False)
    """One for each page learned from."""
    levels: Mapping[int, Mapping[str, Spread]] = field(default_factory=dict, repr=False)
    """Keywords of each level of the sample of pages (`joeira.sites.corpus.level_of`)."""

    def update(self, pages: Iterable[Page], /) -> InfoDiscovererSite:
        """Return a site with more pages."""
        prints = dict.fromkeys(self.fingerprints)
        sample = Sample.of(prints, self.method.max_pages)
        levels = {level: dict(spreads) for level, spreads in self.levels.items()}
        for level, page in sample.new_pages(pages, prints):
            levels = sample.kept(levels)
            spreads = levels.setdefault(level, {})
            spreads.update(_with_page(spreads, self.method.keywords(page)[1]))
        return InfoDiscovererSite(self.method, tuple(prints), sample.kept(levels))

    @cached_property
    def spreads(self) -> Mapping[str, Spread]:
        """How every keyword is spread over the pages that are kept."""
        found: dict[str, Spread] = {}
        for spreads in self.levels.values():
            for word, more in spreads.items():
                before = found.get(word, _NONE)
                found[word] = Spread(before.times + more.times, before.logs + more.logs)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return what was learned as plain data."""
        return {
            "pages": list(self.fingerprints),
            "keywords": {
                str(level): {word: list(spread) for word, spread in spreads.items()}
                for level, spreads in self.levels.items()
            },
        }

    def extract(self, page: Page, /) -> Content:
        """Return the blocks of a page whose keywords stand on few pages."""
        pieces, entropies = self.entropies(page)
        cases = np.zeros(len(page.texts), np.int64)
        entropy = np.ones(len(page.texts))
        for piece, value in zip(pieces, entropies.tolist(), strict=True):
            redundant = value > self.method.entropy_threshold
            cases[piece.texts] = EntropyCase.REDUNDANT if redundant else EntropyCase.INFORMATIVE
            entropy[piece.texts] = value
        cases[page.in_head[page.text_rows]] = EntropyCase.OUTSIDE_BLOCKS
        reasons = ReasonTable(cases, EntropyCase, entropy)
        keep = cases == EntropyCase.INFORMATIVE
        return Content(page, keep, 1 - entropy, reasons, "infodiscoverer")

    def entropies(self, page: Page) -> tuple[list[Piece], NDArray[np.float64]]:
        """Return the blocks of a page and the mean entropy of each one's keywords."""
        found, keywords = self.method.keywords(page)
        known = fingerprint(page) in self._known
        spreads = self.spreads if known else _with_page(self.spreads, keywords)
        total = len(self._known) + (not known)
        distinct = [list(dict.fromkeys(words)) for words in keywords]
        sizes = np.array([len(words) for words in distinct], np.int64)
        sums = np.array([spreads[word] for words in distinct for word in words]).reshape(-1, 2)
        entropy = share_of_even(sums[:, 0], sums[:, 1], total)
        block = np.repeat(np.arange(len(found)), sizes)
        return found, np.bincount(block, entropy, len(found)) / np.maximum(sizes, 1)

    @cached_property
    def _known(self) -> frozenset[str]:
        """Fingerprints of the pages that are kept."""
        return kept(self.fingerprints, self.method.max_pages)


_NONE = Spread(0, 0.0)


def _with_page(spreads: Mapping[str, Spread], keywords: list[list[str]]) -> dict[str, Spread]:
    """Return the spreads of a page's keywords once the page is counted."""
    times = Counter(chain.from_iterable(keywords))
    logs = f_log_f(np.fromiter(times.values(), np.int64, len(times))).tolist()
    found = {}
    for (word, count), log in zip(times.items(), logs, strict=True):
        before = spreads.get(word, _NONE)
        found[word] = Spread(before.times + count, before.logs + log)
    return found
