"""Articles shown once more with a thread of comments behind them."""

from __future__ import annotations

import numpy as np
import pytest

from joeira.evaluation.datasets import Row
from joeira.training import comments
from joeira.training.pages import Example, example

STORY = [
    f"Sentence number {k} of a story told at length. {'And so it went on. ' * 4}".strip()
    for k in range(6)
]
BODY = "\n".join(f"<p>{line}</p>" for line in STORY)
HTML = f"<body><nav>Home</nav>\n<div><h1>Story</h1>\n{BODY}</div>\n<footer>Imprint</footer></body>"


def article(number: int, html: str = HTML) -> tuple[Row, Example]:
    gold = "Story\n" + "\n".join(STORY)
    row = Row(f"{number}", html, page_type="article", text=gold)
    one = example(row, "wcxb-dev")
    assert one is not None
    return row, one


def forum() -> tuple[Row, Example]:
    text = "\n".join(f"Reply {k} by a reader of the forum" for k in range(9)) + "\nshort"
    row = Row("f", f"<p>{text}</p>", page_type="forum", text=text)
    one = example(row, "wcxb-dev")
    assert one is not None
    return row, one


@pytest.fixture(scope="module")
def made() -> list[Example]:
    return comments.commented([*(article(k) for k in range(60)), forum()])


def texts(one: Example) -> list[str]:
    page = one.matrix.view.page
    return [page.block_texts[number] for number in one.matrix.view.chosen]


def test_some_articles_come_back_and_say_so(made: list[Example]) -> None:
    assert 10 < len(made) < 35
    assert all(one.made_up and one.kind == "article" for one in made)


def test_the_thread_stands_behind_the_story_and_before_the_footer(made: list[Example]) -> None:
    for one in made:
        found = texts(one)
        last = found.index(STORY[-1])
        assert found[-1] == "Imprint"
        assert any("by a reader of the forum" in text for text in found[last + 1 : -1])


def test_the_story_is_still_the_answer_and_the_thread_is_none(made: list[Example]) -> None:
    before = article(0)[1]
    for one in made:
        assert one.matched.sum() == before.matched.sum()
        assert not any(
            share
            for share, text in zip(one.share, texts(one), strict=True)
            if "by a reader of the forum" in text
        )


def test_threads_differ(made: list[Example]) -> None:
    assert len({tuple(texts(one)) for one in made}) > len(made) / 2


def test_nothing_is_made_up_without_posts_or_without_a_place() -> None:
    assert comments.commented([article(k) for k in range(30)]) == []
    endless = HTML.replace("<footer>Imprint</footer>", "").replace("<nav>Home</nav>", "")
    assert comments.commented([*(article(k, endless) for k in range(30)), forum()]) == []


def test_posts_are_lines_of_some_length() -> None:
    assert len(comments.posts_of([forum()[0]])) == 9


def test_every_kind_of_thread_is_written() -> None:
    random = np.random.default_rng(1)
    threads = [comments._thread(["A post of some words"], random) for _ in range(200)]
    for beginning in {frame[:12] for frame in comments._FRAMES}:
        assert any(thread.startswith(beginning.split("{", maxsplit=1)[0]) for thread in threads)
