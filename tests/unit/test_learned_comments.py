"""The learned default leaves out what readers wrote under an article, with its own weights."""

from __future__ import annotations

import random

import pytest

import joeira
from joeira.content.learned import Learned

WORDS = "river bridge market garden winter letter harbour teacher window mountain village".split()


def sentence(chance: random.Random) -> str:
    first, second = (" ".join(chance.choices(WORDS, k=k)) for k in (9, 6))
    return f"The {first}, and the {second}."


def article(words: int, name: str) -> joeira.Page:
    """Return an article with ten long comments under it, in elements with a class."""
    chance = random.Random(1)
    text = "".join(f"<p>{sentence(chance)} {sentence(chance)}</p>" for _ in range(words // 36 + 1))
    said = " ".join(sentence(chance) for _ in range(5))
    comments = f'<div class="{name}"><p>{said}</p><p>{said} Zanzibar.</p></div>' * 10
    return joeira.parse(f'<h1>A day out</h1><div>{text}</div><div id="{name}s">{comments}</div>')


def test_comments_under_an_article_are_left_out_and_say_so() -> None:
    content = Learned().extract(article(300, "comment"))
    assert "Zanzibar" not in content.text()
    assert "Zanzibar" in content.comments.text()
    theirs = [block for block in content.explain() if "Zanzibar" in block.text]
    assert {block.code for block in theirs} == {"comment"}
    assert all(block.reason.startswith("a comment; before: probability") for block in theirs)


def test_comments_that_are_nearly_all_of_the_page() -> None:
    """The page alone would be taken for a forum; the model knows better."""
    page = article(72, "comment")
    assert not page.in_comments.any()
    content = Learned().extract(page)
    assert content.pagetype is not None
    assert content.pagetype[0] == "article"
    assert "Zanzibar" not in content.text()
    assert "Zanzibar" in content.comments.text()


@pytest.mark.parametrize(
    "words, name, method",
    [
        (300, "part", Learned()),  # nothing speaks of comments
        (0, "comment", Learned()),  # too little before them to be an article
        (300, "comment", Learned(min_article_words=1000)),
    ],
)
def test_other_long_texts_are_kept(words: int, name: str, method: Learned) -> None:
    assert "Zanzibar" in method.extract(article(words, name)).text()
