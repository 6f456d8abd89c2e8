"""What the learned default leaves out of pages of each type, given chances of blocks and types."""

from __future__ import annotations

import numpy as np
import pytest

import joeira
from joeira.blockmodel import columns
from joeira.blockmodel.choosing import choose
from joeira.blockmodel.columns import PAGE_TYPES
from joeira.blockmodel.model import Scores
from joeira.blockmodel.reasons import Reason
from joeira.content.learned import Learned
from joeira.content.result import without

ABOUT = "<p>" + "about " * 60
COPY = "<div><p>The same eight words stand here once more</div>"


def kept(
    html: str, chances: dict[str, float], method: Learned | None = None, url: str | None = None
) -> str:
    """Return the first words of what is kept of a page whose every block may be content."""
    matrix = columns.matrix(joeira.parse(html, url))
    types = dict.fromkeys(PAGE_TYPES, 0.0) | chances
    scores = Scores(np.full(matrix.view.size, 0.9), types)
    choice = choose(matrix, scores, method or Learned())
    blocks = np.flatnonzero(choice.kept)
    texts = [matrix.view.page.block_texts[matrix.view.chosen[block]] for block in blocks]
    return " ".join(text.split()[0] for text in texts)


@pytest.mark.parametrize(
    "name, chances, found",
    [
        ("product-reviews", {"product": 0.6, "article": 0.4}, "about after"),
        ("ProductReviews", {"product": 1}, "about after"),
        ("avaliações", {"product": 1}, "about after"),
        ("review", {"product": 1}, "about theirs after"),
        ("previews", {"product": 1}, "about theirs after"),
        ("product-reviews", {"article": 0.6, "product": 0.4}, "about theirs after"),
        ("message-signature", {"forum": 1}, "about after"),
        ("message-signature", {"article": 1}, "about theirs after"),
        ("comments", {"article": 1}, "about after"),
        ("comments", {"forum": 0.5, "article": 0.4}, "about theirs after"),
        ("comments", {"forum": 0.09, "article": 0.91}, "about after"),
        # Where the page may be a forum, sixty words make no article yet.
        ("comments", {"forum": 0.1, "article": 0.9}, "about theirs after"),
        # A reference may well have a section on responses.
        ("responses", {"documentation": 0.9, "article": 0.1}, "about theirs after"),
    ],
)
@pytest.mark.parametrize("attribute", ["class", "id"])
def test_what_is_beside_the_subject(
    attribute: str, name: str, chances: dict[str, float], found: str
) -> None:
    html = f'{ABOUT}<div {attribute}="{name}"><p>theirs and some more of it</div><p>after'
    assert kept(html, chances) == found


def test_it_stays_where_next_to_nothing_is_before_it() -> None:
    theirs = '<div class="reviews"><p>theirs</div>'
    assert kept(f"<p>few words{theirs}{ABOUT}", {"product": 1}) == "few theirs about"
    bold = Learned(min_content_words=0, min_article_words=2)
    assert kept(f"<p>few words{theirs}", {"product": 1}, bold) == "few"


def test_reviews_are_among_the_comments() -> None:
    page = joeira.parse(f'{ABOUT}<div class="reviews"><p>theirs')
    content = Learned().extract(page)
    left = without(content, np.array([0, Reason.REVIEW]))
    assert left.comments.text() == "theirs"
    assert without(content, np.array([0, Reason.SIGNATURE])).comments.text() == ""


@pytest.mark.parametrize("kind", PAGE_TYPES)
def test_buttons_are_no_content_unless_they_may_be_titles(kind: str) -> None:
    found = "about Copy" if kind in ("article", "service") else "about"
    assert kept(f"{ABOUT}<button>Copy</button>", {kind: 1.0}) == found


@pytest.mark.parametrize("chance, found", [(0.1, "about The"), (0.3, "about The The")])
def test_copies_stay_where_a_page_may_be_documentation(chance: float, found: str) -> None:
    chances = {"documentation": chance, "service": 1 - chance}
    assert kept(f"{ABOUT}{COPY}{COPY}", chances) == found


@pytest.mark.parametrize("kind", PAGE_TYPES)
def test_recall_counts_more_on_broad_pages(kind: str) -> None:
    """Half the words are content for sure; the others are worth it only if recall counts."""
    matrix = columns.matrix(joeira.parse(f"{ABOUT}{ABOUT}"))
    scores = Scores(np.array([1.0, 0.45]), dict.fromkeys(PAGE_TYPES, 0.0) | {kind: 1.0})
    broad = kind in ("collection", "listing", "documentation", "service")
    usual, narrow = Learned(min_copy_words=99), Learned(breadth=1.0, min_copy_words=99)
    assert choose(matrix, scores, usual).keep.tolist() == [True, broad]
    assert choose(matrix, scores, narrow).keep.tolist() == [True, False]


@pytest.mark.parametrize(
    "url, chances, found",
    [
        (None, {"forum": 0.2, "article": 0.8}, "about about after"),
        (None, {"forum": 0.3, "article": 0.7}, "about about theirs after"),
        ("https://example.org/2020/a-day-out", {"forum": 0.4, "article": 0.6}, "about about after"),
        (
            "https://example.org/forum/12",
            {"forum": 0.4, "article": 0.6},
            "about about theirs after",
        ),
    ],
)
def test_certainty_of_an_article(url: str | None, chances: dict[str, float], found: str) -> None:
    html = f'{ABOUT}{ABOUT}<div class="comments"><p>theirs and some more of it</div><p>after'
    assert kept(html, chances, Learned(min_copy_words=99), url) == found


def test_a_refrain_stays_but_not_its_copy_for_another_screen() -> None:
    refrain = "<p>The same eight words stand here once more</p>"
    song = f"<div>{ABOUT}</p>{refrain}<p>verse</p>{refrain}<p>verse</p>{refrain}</div>"
    wanted = "about The verse The verse The"
    assert kept(song, {"article": 1}) == wanted
    small = f'<div class="mobile">{refrain}{refrain}</div>'
    assert kept(song + small, {"article": 1}) == wanted
