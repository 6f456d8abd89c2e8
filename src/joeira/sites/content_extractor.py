"""Content Extractor: blocks that do not recur, nearly unchanged, on other pages of the site.

Debnath, Mitra, Pal and Giles (2005), as Fernandes (2021) describes and measures it:

1. take each page apart by an ordered list of tags; text beside the elements found is lost;
2. describe a block by the number of its elements of each name and by the set of its words;
3. two blocks are alike when the cosine of these vectors is above a threshold; count the other pages
   that hold a block alike;
4. content are the blocks with fewer such pages than a share of all pages.

Equal blocks are compared once and an inverted index counts common words; dot products are whole
numbers, so the decisions are those of the loop over all pairs.

Departures. The decision is made on the number of pages, not on its inverse, which is not defined
for none. The number of terms is no feature by default: as a raw count it makes all long paragraphs
alike. Of nested elements with one tag the outermost are blocks; an element that is always empty
(``hr``) is none. A page given twice counts once, also if it is only nearly equal; a page that was
not learned from is judged as one more page of the set. Of a site with more than `max_pages` pages a
sample is kept. Text of the document head belongs to no block.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Case
from joeira.content.result import Content, ReasonTable
from joeira.errors import BadParameter
from joeira.page import Page
from joeira.page.pieces import MAX_PIECES, Piece, cut_note, pieces
from joeira.papers import DEBNATH_2005, FERNANDES_2021, Paper
from joeira.params import TAG_NAME, check, param
from joeira.sites.corpus import (
    MAX_PAGES,
    Corpus,
    CorpusSite,
    JudgedBlock,
    Postings,
    identify,
    judged_blocks,
)
from joeira.sites.near_duplicates import to_plain


class PageCase(Case):
    """On how many pages of the site there are blocks like that of a text."""

    OUTSIDE_BLOCKS = 0, "outside every block"
    FEW_PAGES = (
        1,
        ("similar blocks on {count} of {total} other pages; content if fewer than {limit}"),
    )
    MANY_PAGES = (
        2,
        ("similar blocks on {count} of {total} other pages; content if fewer than {limit}"),
    )


@dataclass(frozen=True)
class Block:
    """What is compared of a block."""

    counts: tuple[tuple[str, int], ...]
    """Names of counted things, in order, and how many of each."""
    words: frozenset[str]

    @property
    def squared_norm(self) -> int:
        """Squared length of the vector."""
        return sum(count * count for _, count in self.counts) + len(self.words)


@dataclass(frozen=True)
class ContentExtractor:
    """Keep the blocks that do not recur, nearly unchanged, on enough other pages of the site."""

    tags: tuple[str, ...] = param(
        ("table", "tr", "p", "hr", "ul", "div", "span"),
        "Tags that split the page into blocks, in order.",
        pattern=TAG_NAME,
        min_items=1,
    )
    similarity_threshold: float = param(0.9, "Cosine above which blocks are similar.", ge=0, le=1)
    page_limit: float = param(
        0.20,
        "A block is content if fewer than this share of the pages have a similar one.",
        ge=0,
        le=1,
    )
    include_term_count: bool = param(False, "Whether the number of words is also a feature.")
    word_pattern: str = param(r"\w+", "Regular expression of a word.")
    max_pages: int = param(
        MAX_PAGES,
        "Maximum number of pages to keep: of more, a sample that does not depend on their order.",
        ge=1,
    )
    near_duplicates: bool = param(
        True, "Whether a page that is nearly equal to another counts as that page."
    )

    papers: ClassVar[tuple[Paper, ...]] = (DEBNATH_2005,)
    origin: ClassVar[Paper | None] = FERNANDES_2021

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)
        try:
            re.compile(self.word_pattern)
        except re.error as error:
            raise BadParameter(f"word_pattern is not a regular expression: {error}") from None

    def fit(self, pages: Iterable[Page], /) -> ContentExtractorSite:
        """Return what tells the content of the site's pages."""
        return ContentExtractorSite(self, Corpus(self.max_pages)).update(pages)

    def restore(self, data: dict[str, Any]) -> ContentExtractorSite:
        """Return what `ContentExtractorSite.to_dict` described."""
        copies = {
            Block(
                tuple((str(name), int(count)) for name, count in counts), frozenset(map(str, words))
            ): {int(page): int(times) for page, times in places}
            for counts, words, places in data["blocks"]
        }
        return ContentExtractorSite(self, Corpus.restore(self.max_pages, data, copies))

    def pieces(self, page: Page) -> list[Piece]:
        """Return the blocks of a page, at most `MAX_PIECES`."""
        return pieces(page, self.tags, "outermost", wordless=True)[:MAX_PIECES]

    def described(self, piece: Piece) -> Block:
        """Return what is compared of a block."""
        counts = Counter(piece.tags)
        words = re.findall(self.word_pattern, piece.text.lower())
        if self.include_term_count:
            counts["#terms"] = len(words)
        return Block(tuple(sorted(counts.items())), frozenset(words))


@dataclass(frozen=True, eq=False)
class ContentExtractorSite(CorpusSite):
    """What Content Extractor knows of a site: its distinct blocks, and the pages holding them."""

    method: ContentExtractor
    corpus: Corpus[Block] = field(repr=False)

    def update(self, pages: Iterable[Page], /) -> ContentExtractorSite:
        """Return a site with more pages."""
        described = (
            (
                identify(page, near=self.method.near_duplicates),
                list(map(self.method.described, self.method.pieces(page))),
            )
            for page in pages
        )
        return ContentExtractorSite(self.method, self.corpus.add(described))

    def to_dict(self) -> dict[str, Any]:
        """Return what was learned as plain data."""
        return {
            "pages": list(self.corpus.fingerprints),
            "sketches": to_plain(self.corpus.sketches),
            "blocks": [
                [
                    list(map(list, block.counts)),
                    sorted(block.words),
                    list(map(list, places.items())),
                ]
                for block, places in self.corpus.copies.items()
            ],
        }

    def extract(self, page: Page, /) -> Content:
        """Return the blocks of a page that few other pages have."""
        pieces, similar, total, limit = self._judge(page)
        cases, counts = np.zeros((2, len(page.texts)), np.int64)
        scores = np.zeros(len(page.texts))
        for piece, count in zip(pieces, similar, strict=True):
            cases[piece.texts] = PageCase.FEW_PAGES if count < limit else PageCase.MANY_PAGES
            counts[piece.texts] = count
            scores[piece.texts] = 1 - count / total
        cases[page.in_head[page.text_rows]] = PageCase.OUTSIDE_BLOCKS
        values = {"count": counts, "total": total, "limit": limit}
        reasons = ReasonTable(cases, PageCase, scores, values)
        return Content(
            page,
            cases == PageCase.FEW_PAGES,
            scores,
            reasons,
            "content_extractor",
            note=cut_note(pieces),
        )

    def blocks(self, page: Page, /) -> list[JudgedBlock]:
        """Return the method's own blocks of a page, with what is decided about each."""
        pieces, similar, _, limit = self._judge(page)
        return judged_blocks(pieces, similar, limit)

    def _judge(self, page: Page) -> tuple[list[Piece], list[int], int, int]:
        """Return the blocks of a page, the pages with a block like each, all pages, the limit."""
        pieces = self.method.pieces(page)
        own = self.corpus.page_like(page, near=self.method.near_duplicates)
        similar = self._similar([self.method.described(piece) for piece in pieces], own)
        total = self.corpus.pages + (own is None)
        return pieces, similar, total, max(1, int(self.method.page_limit * total))

    def similar_pages(self, page: Page, described: list[Block]) -> list[int]:
        """Return per block the number of other pages that hold a block alike."""
        own = self.corpus.page_like(page, near=self.method.near_duplicates)
        return self._similar(described, own)

    def _similar(self, described: list[Block], own: int | None) -> list[int]:
        """Return the same for the blocks of a page with a number; None for a page from outside."""
        found = {
            block: self.corpus.pages_with(self._alike(block), block, own, own_page=False)
            for block in dict.fromkeys(described)
        }
        return [found[block] for block in described]

    def _alike(self, block: Block) -> NDArray[np.bool_]:
        words, names, postings, counts, norms = self._index
        dot = postings.shared([words[word] for word in block.words if word in words])
        known = [(names[name], count) for name, count in block.counts if name in names]
        if known:
            columns, own = np.array(known, np.int64).T
            dot = dot + counts[:, columns] @ own
        alike: NDArray[np.bool_] = dot > self.method.similarity_threshold * np.sqrt(
            norms * block.squared_norm
        )
        return alike

    @cached_property
    def _index(
        self,
    ) -> tuple[dict[str, int], dict[str, int], Postings, NDArray[np.int64], NDArray[np.int64]]:
        """Numbers of words and of counted names, the sets of words, counts and squared norms."""
        blocks = self.corpus.blocks
        words: dict[str, int] = {}
        names: dict[str, int] = {}
        for block in blocks:
            for word in block.words:
                words.setdefault(word, len(words))
            for name, _ in block.counts:
                names.setdefault(name, len(names))
        postings = Postings.of([[words[w] for w in block.words] for block in blocks], len(words))
        counts = np.zeros((len(blocks), len(names)), np.int64)
        for number, block in enumerate(blocks):
            for name, count in block.counts:
                counts[number, names[name]] = count
        norms = np.array([block.squared_norm for block in blocks], np.int64)
        return words, names, postings, counts, norms
