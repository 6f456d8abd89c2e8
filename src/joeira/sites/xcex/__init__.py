"""X-CEX: blocks of a page that have no similar blocks on other pages of the site.

Fernandes (2021) extends Content Extractor (Debnath et al. 2005):

1. take each page apart by an ordered list of tags; keep the blocks with a word;
2. a block that stands unchanged on another page is never content;
3. compare each other block with all blocks: a weighted sum of the similarity of their markup and
   of their texts, alike above a threshold; count the pages that hold a block alike;
4. content are the blocks with fewer such pages than a share of all pages.

What is fast does not approximate: equal blocks are compared once, an inverted index counts common
words, and a pair is compared in full only where an upper bound of its similarity passes the
threshold. The decisions are those of the loop over all pairs.

Departures. A page given twice counts once, also if it is only nearly equal. A page that was not
learned from is judged as if it were one more page of the set. Of a site with more than `max_pages`
pages a sample is kept. Text of the document head belongs to no block. Beside the outermost elements
of a tag, as published, `blocks` offers the innermost, and the lossless paragraph-like blocks of the
page, whatever the tags. The thesis' Jaro-Winkler distance divides a similarity by a length and
calls every pair alike; here it is the similarity itself. The stop words are lists of our own. The
order of the arguments of difflib's ratio, which matters, is: the judged block first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from joeira.arrays import Case
from joeira.content.result import Content, ReasonTable
from joeira.errors import require
from joeira.page import Page
from joeira.page.pieces import MAX_PIECES, Cut, Piece, cut_note, pieces
from joeira.papers import FERNANDES_2021, Paper
from joeira.params import TAG_NAME, check, param
from joeira.sites._words import language_of, stop_words
from joeira.sites.corpus import (
    MAX_PAGES,
    Corpus,
    CorpusSite,
    JudgedBlock,
    fingerprint,
    identify,
    judged_blocks,
)
from joeira.sites.near_duplicates import NO_SKETCH, to_plain
from joeira.sites.xcex import likeness
from joeira.sites.xcex.likeness import Block, Index, Likeness

_WORDS = {"ascii": re.compile(r"\b[A-Za-z]{2,}\b"), "unicode": re.compile(r"[^\W\d_]{2,}")}
_TAG_LIST_2005 = ("table", "tr", "p", "hr", "ul", "div", "span")


class LikenessCase(Case):
    """On how many pages of the site there are blocks like that of a text."""

    OUTSIDE_BLOCKS = 0, "outside every block"
    DUPLICATE = 1, "appears unchanged on another page of the site"
    LIKE_FEW = 2, "similar blocks on {count} of {total} pages; content if fewer than {limit}"
    LIKE_MANY = 3, "similar blocks on {count} of {total} pages; content if fewer than {limit}"

    @classmethod
    def of(cls, count: int, limit: int) -> LikenessCase:
        """Return the case of a block with so many pages alike; -1 for an exact duplicate."""
        if count < 0:
            return cls.DUPLICATE
        return cls.LIKE_FEW if count < limit else cls.LIKE_MANY


@dataclass(frozen=True)
class XCEX:
    """Keep the blocks that too few other pages of the site have in similar form."""

    tags: tuple[str, ...] = param(
        ("body", "main", "article", "div", "p"),
        "Tags that split the page into blocks, in order.",
        pattern=TAG_NAME,
        min_items=1,
    )
    blocks: Cut = param(
        "outermost",
        'Which of nested elements with the same tag are blocks; "lossless" uses the page\'s own '
        "blocks.",
    )
    exact_duplicate_rule: bool = param(
        True, "Whether a block that appears unchanged on another page is never content."
    )
    exact_duplicate_of: Literal["html", "text"] = param(
        "html", "What must be unchanged: the markup, or only the text."
    )
    page_limit_percent: int = param(
        20,
        "A block is content if fewer than this percentage of the pages have a similar one.",
        ge=0,
        le=100,
    )
    content_weight: float = param(
        0.7, "Weight of the similarity of texts; the rest is that of the markup.", ge=0, le=1
    )
    structure: Literal["html_similarity", "cosine", "griazev"] = param(
        "html_similarity", "How to compare markup."
    )
    content: Literal["cosine", "levenshtein", "damerau_levenshtein", "hamming", "jaro_winkler"] = (
        param(
            "cosine", "How to compare texts; all but cosine and hamming need the extra ``sites``."
        )
    )
    similarity_threshold: float = param(
        0.5, "Similarity above which blocks are similar.", ge=0, le=1
    )
    compare_same_page: bool = param(
        True, "Whether a similar block on the same page counts as a page."
    )
    griazev_op_cost: float = param(0.5, "Cost of replacing one tag with another.", ge=0, le=1)
    griazev_level: float = param(
        0.9, "Level factor of Griazev's comparison, the same for all tags.", ge=0, le=1
    )
    word_pattern: Literal["ascii", "unicode"] = param(
        "ascii", "Definition of a word; as published, words with accented letters are lost."
    )
    stop_words: bool = param(
        True,
        "Whether to leave out stop words in the declared or detected language of the page.",
    )
    empty_elements_cut: bool = param(
        False,
        "Whether elements without words also split the page, as in the thesis; text next to them "
        "is then lost.",
    )
    max_pages: int = param(
        MAX_PAGES,
        "Maximum number of pages to keep: of more, a sample that does not depend on their order.",
        ge=1,
    )
    near_duplicates: bool = param(
        True, "Whether a page that is nearly equal to another counts as that page."
    )

    papers: ClassVar[tuple[Paper, ...]] = (FERNANDES_2021,)
    origin: ClassVar[Paper | None] = FERNANDES_2021

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)
        require(
            likeness.can(self.content),
            f"content={self.content!r} needs rapidfuzz: pip install 'joeira[sites]'",
        )

    @classmethod
    def recommended(cls) -> XCEX:
        """Return what does best from 20 pages a site: no text is lost, and words are in Unicode.

        The limit of 25 % is the thesis' own advice. Its advice for comparing texts is Hamming's
        distance, for the sake of speed: `advised`. Here the cosine is the quicker one, but with
        six pages a site ``content="hamming"`` keeps more of the content.
        """
        return cls(blocks="lossless", page_limit_percent=25, word_pattern="unicode")

    @classmethod
    def advised(cls) -> XCEX:
        """Return the final advice of the thesis (chapter 6): Hamming's distance, 25 % of pages."""
        return cls(content="hamming", page_limit_percent=25)

    @classmethod
    def original_tags(cls) -> XCEX:
        """Return X-CEX with the tag list of 2005."""
        return cls(tags=_TAG_LIST_2005)

    def fit(self, pages: Iterable[Page], /) -> XCEXSite:
        """Return what tells the content of the site's pages."""
        return XCEXSite(self, Corpus(self.max_pages)).update(pages)

    def restore(self, data: dict[str, Any]) -> XCEXSite:
        """Return what `XCEXSite.to_dict` described."""
        copies = {
            Block(tuple(tags), frozenset(classes), frozenset(words), text, int(count), digest): {
                int(page): int(times) for page, times in places
            }
            for tags, classes, words, text, count, digest, places in data["blocks"]
        }
        return XCEXSite(self, Corpus.restore(self.max_pages, data, copies))

    @property
    def likeness(self) -> Likeness:
        """How blocks are compared."""
        different = self.griazev_op_cost**2 * self.griazev_level
        return Likeness(
            self.structure,
            self.content,
            self.content_weight,
            self.similarity_threshold,
            different,
        )

    def pieces(self, page: Page) -> list[Piece]:
        """Return the blocks of a page, at most `MAX_PIECES`."""
        cut = pieces(page, self.tags, self.blocks, wordless=self.empty_elements_cut)
        return [piece for piece in cut if piece.words][:MAX_PIECES]

    def described(self, piece: Piece, ignored: frozenset[str]) -> Block:
        """Return what is compared of a block."""
        text = piece.text
        by_words = self.content == "cosine"
        found = _WORDS[self.word_pattern].findall(text.lower()) if by_words else ()
        return Block(
            piece.tags,
            piece.classes,
            frozenset(found) - ignored,
            "" if by_words else text,
            piece.words,
            piece.markup_digest if self.exact_duplicate_of == "html" else piece.text_digest,
        )

    def page_blocks(self, page: Page) -> tuple[list[Piece], list[Block]]:
        """Return the blocks of a page and what is compared of them."""
        found = self.pieces(page)
        by_words = self.stop_words and self.content == "cosine"
        ignored = stop_words(language_of(page)) if by_words else frozenset()
        return found, [self.described(piece, ignored) for piece in found]


@dataclass(frozen=True, eq=False)
class XCEXSite(CorpusSite):
    """What X-CEX knows of a site: its distinct blocks, and the pages that hold them."""

    method: XCEX
    corpus: Corpus[Block] = field(repr=False)

    def update(self, pages: Iterable[Page], /) -> XCEXSite:
        """Return a site with more pages."""
        near = self.method.near_duplicates
        described = (
            (identify(page, near=near), self.method.page_blocks(page)[1]) for page in pages
        )
        return XCEXSite(self.method, self.corpus.add(described))

    def to_dict(self) -> dict[str, Any]:
        """Return what was learned as plain data."""
        return {
            "pages": list(self.corpus.fingerprints),
            "sketches": to_plain(self.corpus.sketches),
            "blocks": [
                [
                    list(block.tags), sorted(block.classes), sorted(block.words), block.text,
                    block.word_count, block.digest, [list(item) for item in places.items()],
                ]
                for block, places in self.corpus.copies.items()
            ],
        }  # fmt: skip

    def extract(self, page: Page, /) -> Content:
        """Return the blocks of a page that few other pages have."""
        pieces, similar, total, limit = self._judge(page)
        cases, counts = np.zeros((2, len(page.texts)), np.int64)
        scores = np.zeros(len(page.texts))
        for piece, count in zip(pieces, similar, strict=True):
            cases[piece.texts] = LikenessCase.of(count, limit)
            counts[piece.texts] = count
            scores[piece.texts] = 1 - count / total if count >= 0 else 0
        cases[page.in_head[page.text_rows]] = LikenessCase.OUTSIDE_BLOCKS
        values = {"count": counts, "total": total, "limit": limit}
        reasons = ReasonTable(cases, LikenessCase, scores, values)
        return Content(
            page, cases == LikenessCase.LIKE_FEW, scores, reasons, "xcex", note=cut_note(pieces)
        )

    def blocks(self, page: Page, /) -> list[JudgedBlock]:
        """Return the method's own blocks of a page, with what is decided about each."""
        pieces, similar, _, limit = self._judge(page)
        return judged_blocks(pieces, similar, limit)

    def _judge(self, page: Page) -> tuple[list[Piece], list[int], int, int]:
        """Return the blocks of a page, the pages with a block like each, all pages, the limit."""
        pieces, described = self.method.page_blocks(page)
        own = self.corpus.page_like(page, near=self.method.near_duplicates)
        similar = self._similar(page, described, own)
        total = self.corpus.pages + (own is None)
        return pieces, similar, total, max(1, self.method.page_limit_percent * total // 100)

    def similar_pages(self, page: Page, described: list[Block]) -> list[int]:
        """Return per block the number of pages with a block alike; -1 for an exact duplicate."""
        own = self.corpus.page_like(page, near=self.method.near_duplicates)
        return self._similar(page, described, own)

    def _similar(self, page: Page, described: list[Block], own: int | None) -> list[int]:
        """Return the same for a page that takes the place of a known one, or of one more page."""
        asked = dict.fromkeys(described)
        alone = None
        if self.corpus.page_of.get(fingerprint(page)) is None:
            alone = XCEXSite(self.method, Corpus[Block](1).add([(("", NO_SKETCH), described)]))
        found = {}
        for block in asked:
            if self.method.exact_duplicate_rule and self._is_elsewhere(block, own):
                found[block] = -1
                continue
            found[block] = self._pages_alike(block, own, own_page=alone is None)
            if alone is not None:  # what the page itself has, which is not what was learned
                found[block] += alone._pages_alike(block, 0, own_page=True)
        return [found[block] for block in described]

    def _is_elsewhere(self, block: Block, own: int | None) -> bool:
        places = self._pages_of_digest.get(block.digest, set())
        return bool(places - {own})

    def _pages_alike(self, block: Block, page: int | None, *, own_page: bool) -> int:
        alike = self._index.alike(block)
        same = own_page and self.method.compare_same_page
        return self.corpus.pages_with(alike, block, page, own_page=same)

    @cached_property
    def _pages_of_digest(self) -> dict[str, set[int | None]]:
        found: dict[str, set[int | None]] = {}
        for block, places in self.corpus.copies.items():
            found.setdefault(block.digest, set()).update(places)
        return found

    @cached_property
    def _index(self) -> Index:
        return Index(self.method.likeness, self.corpus.blocks)
