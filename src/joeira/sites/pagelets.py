"""Templates as recurring pagelets: regions of a page with a function of their own.

Bar-Yossef and Rajagopalan (2002):

1. take the page apart from the top: an element one of whose children holds at least `min_links`
   links is taken apart into its children, any other one is a pagelet;
2. describe the text of a pagelet by a shingle: the least of all hashes of its runs of characters,
   once for each of `SHINGLES` ways of mixing. Pagelets with equal shingles say nearly the same;
3. pagelets with equal shingles on several pages are a template. What is in none is content.

Departures. The paper finds templates over the whole web, and asks that the pages be joined by
links; here the pages of one site are given, as for its local detection. Runs are of characters,
not of words, so that languages without spaces have them. A text beside the elements that are taken
apart is a pagelet by itself. The paper drops templates before other mining and does not call the
rest content; a page given twice counts once, also if it is only nearly equal, and a page that was
not learned from is judged as one more page. Of a site with more than `max_pages` pages a sample is
kept. Text of the document head belongs to no pagelet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, ClassVar, Final

import numpy as np

from joeira.arrays import Case
from joeira.arrays.trees import subtree_sums
from joeira.content.result import Content, ReasonTable
from joeira.page import Page
from joeira.page.pieces import MAX_PIECES, Piece, cut_note
from joeira.papers import BAR_YOSSEF_2002, Paper
from joeira.params import check, param
from joeira.sites.corpus import MAX_PAGES, Corpus, CorpusSite, JudgedBlock, identify, judged_blocks
from joeira.sites.near_duplicates import shingles, to_plain

SHINGLES: Final = 8
"""Ways of mixing: pagelets count as equal if the smallest number is the same in all."""
_MIXERS: Final = np.array([0x9E3779B1 * (2 * n + 1) % 2**32 for n in range(SHINGLES)], np.uint32)


class PageletCase(Case):
    """On how many pages of the site the pagelet of a text stands."""

    OUTSIDE = 0, "outside every pagelet"
    OWN = 1, "its pagelet is on {count} of {total} pages; a template is on {limit} or more"
    TEMPLATE = 2, "its pagelet is on {count} of {total} pages; a template is on {limit} or more"


@dataclass(frozen=True)
class Pagelet:
    """What is compared of a pagelet."""

    shingle: str

    @property
    def words(self) -> tuple[str, ...]:
        """What is shown of it: the text itself is not kept."""
        return (self.shingle,)


def shingle_of(text: str) -> str:
    """Return the shingle of a text; of one too short for runs of characters, a digest of it."""
    numbers = shingles(text)
    if not len(numbers):
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    least = [int((numbers * mixer).min()) for mixer in _MIXERS]
    return blake2b(np.array(least, np.uint32).tobytes(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class Pagelets:
    """Keep the regions of a page that hardly any other page of the site has."""

    min_links: int = param(
        3, "Number of links from which an element has a function of its own.", ge=1
    )
    min_pages: int = param(2, "Number of pages from which a pagelet is a template.", ge=2)
    max_pages: int = param(
        MAX_PAGES,
        "Maximum number of pages to keep: of more, a sample that does not depend on their order.",
        ge=1,
    )
    near_duplicates: bool = param(
        True, "Whether a page that is nearly equal to another counts as that page."
    )

    papers: ClassVar[tuple[Paper, ...]] = (BAR_YOSSEF_2002,)

    def __post_init__(self) -> None:
        """Check the parameters."""
        check(self)

    def fit(self, pages: Iterable[Page], /) -> PageletSite:
        """Return what tells the content of the site's pages."""
        return PageletSite(self, Corpus(self.max_pages)).update(pages)

    def restore(self, data: dict[str, Any]) -> PageletSite:
        """Return what `PageletSite.to_dict` described."""
        copies = {
            Pagelet(str(shingle)): {int(page): int(times) for page, times in places}
            for shingle, places in data["pagelets"]
        }
        return PageletSite(self, Corpus.restore(self.max_pages, data, copies))

    def pieces(self, page: Page) -> list[Piece]:
        """Return the pagelets of a page that have a word, at most `MAX_PIECES`."""
        if not len(page):
            return []
        is_link = np.zeros(len(page))
        is_link[page.rows_of("a")] = 1
        is_full = subtree_sums(is_link, page.end) >= self.min_links
        is_full[: page.body + 1] = False
        # Whatever is above an element with so many links has them, too: all that is taken apart.
        is_apart = np.zeros(len(page), bool)
        is_apart[page.parent[is_full]] = True
        is_pagelet = ~is_apart & np.where(page.parent >= 0, is_apart[page.parent], False)
        is_pagelet[page.body] = not is_apart[page.body]
        words = np.concatenate(([0], np.cumsum(np.where(page.in_head, 0, page.words))))
        rows = np.flatnonzero(is_pagelet & (words[page.end] > words[:-1]))
        owner = np.where(page.is_text[rows], page.parent[rows], rows)
        starts = zip(owner.tolist(), rows.tolist(), page.end[rows].tolist(), strict=True)
        return [Piece(page, *bounds) for bounds in starts][:MAX_PIECES]


@dataclass(frozen=True, eq=False)
class PageletSite(CorpusSite):
    """What is known of a site: its distinct pagelets, and the pages that hold them."""

    method: Pagelets
    corpus: Corpus[Pagelet] = field(repr=False)

    def update(self, pages: Iterable[Page], /) -> PageletSite:
        """Return a site with more pages."""
        near = self.method.near_duplicates
        described = (
            (
                identify(page, near=near),
                [Pagelet(shingle_of(piece.text)) for piece in self.method.pieces(page)],
            )
            for page in pages
        )
        return PageletSite(self.method, self.corpus.add(described))

    def to_dict(self) -> dict[str, Any]:
        """Return what was learned as plain data."""
        return {
            "pages": list(self.corpus.fingerprints),
            "sketches": to_plain(self.corpus.sketches),
            "pagelets": [
                [pagelet.shingle, list(map(list, places.items()))]
                for pagelet, places in self.corpus.copies.items()
            ],
        }

    def blocks(self, page: Page, /) -> list[JudgedBlock]:
        """Return the pagelets of a page, with what is decided about each."""
        pieces, others, _ = self._judge(page)
        return judged_blocks(pieces, others, self.method.min_pages - 1)

    def extract(self, page: Page, /) -> Content:
        """Return the pagelets of a page that are not template."""
        pieces, others, total = self._judge(page)
        limit = self.method.min_pages
        cases, counts = np.zeros((2, len(page.texts)), np.int64)
        scores = np.zeros(len(page.texts))
        for piece, count in zip(pieces, others, strict=True):
            cases[piece.texts] = PageletCase.OWN if count + 1 < limit else PageletCase.TEMPLATE
            counts[piece.texts] = count + 1
            scores[piece.texts] = 1 - count / total
        cases[page.in_head[page.text_rows]] = PageletCase.OUTSIDE
        values = {"count": counts, "total": total, "limit": limit}
        reasons = ReasonTable(cases, PageletCase, scores, values)
        keep = cases == PageletCase.OWN
        return Content(page, keep, scores, reasons, "pagelets", note=cut_note(pieces))

    def _judge(self, page: Page) -> tuple[list[Piece], list[int], int]:
        """Return the pagelets of a page, on how many other pages each stands, and all pages."""
        pieces = self.method.pieces(page)
        own = self.corpus.page_like(page, near=self.method.near_duplicates)
        others = []
        for piece in pieces:
            places = self.corpus.copies.get(Pagelet(shingle_of(piece.text)), {})
            others.append(len(places) - (own in places))
        return pieces, others, self.corpus.pages + (own is None)
