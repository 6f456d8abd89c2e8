"""One copy of a text is enough."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import joeira
from joeira.arrays import Bools
from joeira.blockmodel import columns
from joeira.blockmodel.choosing import later_copies, repeated_blocks
from joeira.page import Page
from support.examples import EXAMPLES

LONG = "Ten words are enough to make a paragraph worth comparing."
PRICE = "Now only {} dollars for this great and shiny new thing."


def later(*paragraphs: str, dropped: tuple[int, ...] = (), min_words: float = 8) -> list[int]:
    """Return which paragraphs are later copies when all but some are kept."""
    page = joeira.parse("".join(f"<div><p>{text}</p></div>" for text in paragraphs))
    keep = np.ones(len(paragraphs), bool)
    keep[list(dropped)] = False
    return later_of(page, keep, min_words)


def later_of(page: Page, keep: Bools, min_words: float = 8) -> list[int]:
    """Return which blocks of a page are later copies."""
    matrix = columns.matrix(page)
    return sorted(later_copies(matrix.view, repeated_blocks(matrix, keep), min_words))


def test_every_copy_but_the_first() -> None:
    assert later(LONG, "Something else that is long enough to be compared.", LONG, LONG) == [2, 3]


def test_short_texts_may_repeat() -> None:
    assert later("Read more", LONG, "Read more") == []
    assert later("Read more", LONG, "Read more", min_words=2) == [2]


def test_white_space_makes_no_difference() -> None:
    assert later(LONG, LONG.replace(" ", "\n  ")) == [1]


def test_texts_that_differ_in_a_number_are_no_copies() -> None:
    assert later(PRICE.format(10), PRICE.format(12), PRICE.format(10)) == [2]


def test_a_copy_of_what_is_not_kept_is_the_first() -> None:
    assert later(LONG, LONG, LONG, dropped=(0,)) == [2]


def test_nothing_kept() -> None:
    assert later(LONG, LONG, dropped=(0, 1)) == []


def test_siblings_are_no_copies() -> None:
    page = joeira.parse(f"<div>{f'<p>{LONG}</p>' * 3}</div><div>{f'<p>{LONG}</p>' * 2}</div>")
    assert later_of(page, np.ones(5, bool)) == [3, 4]


@EXAMPLES
@given(st.lists(st.sampled_from("abc"), max_size=12), st.sets(st.integers(0, 11)))
def test_against_a_slow_twin(letters: list[str], dropped: set[int]) -> None:
    texts = [f"{letter} {letter} 1" for letter in letters]
    kept = [number for number in range(len(texts)) if number not in dropped]
    wanted = [n for n in kept if any(texts[n] == texts[m] for m in kept if m < n)]
    left = tuple(number for number in dropped if number < len(texts))
    assert later(*texts, dropped=left, min_words=3) == wanted


def test_a_hidden_copy_of_what_is_shown_goes_however_short() -> None:
    shown, hidden = (
        "<p>It costs 12 euros a day.</p>",
        "<p class=hidden>It costs 12 euros a day.</p>",
    )
    prose = "<p>The ice house on the quay opened its doors again, and the queue was long.</p>"
    style = "<style>.hidden{display:none}</style>"
    both = joeira.extract(f"{style}<article>{prose}{shown}{hidden}{prose}</article>").text()
    assert both.count("12 euros") == 1
    alone = joeira.extract(f"{style}<article>{prose}{hidden}{prose}</article>").text()
    assert alone.count("12 euros") == 1
