"""Articles once more, with comments or teasers: what is added is noise, what was gold stays."""

import numpy as np
import pytest

from joeira.evaluation.datasets import Example
from training import comments, teasers
from training.insertion import before_content, behind_content
from training.pages import LabelledPage, example

TEXT = [" ".join(f"word{part}{number}" for number in range(30)) for part in "abc"]
ARTICLE = (
    '<html><head><meta property="og:type" content="article"><title>t</title></head><body>'
    "<nav><a href=/>home</a></nav><main><article>"
    + "".join(f"<p>{text}</p>" for text in TEXT)
    + "</article></main><footer><p>end of page</p></footer></body></html>"
)
ITEMS = "\n".join(f"Item {number} of a long list of things" for number in range(20))


def pair(page_id: str, kind: str, html: str, text: str) -> tuple[Example, LabelledPage]:
    row = Example(page_id, html, f"https://{page_id}.example.org/", page_type=kind, text=text)
    one = example(row, "wcxb-dev")
    assert one is not None
    return row, one


@pytest.fixture(scope="module")
def pairs() -> list[tuple[Example, LabelledPage]]:
    return [
        *(pair(f"a{number}", "article", ARTICLE, "\n".join(TEXT)) for number in range(20)),
        pair("l", "listing", f"<ul><li>{ITEMS}</li></ul>", ITEMS),
        pair("f", "forum", f"<p>{ITEMS}</p>", ITEMS),
    ]


def test_places_are_right_around_the_content(pairs: list[tuple[Example, LabelledPage]]) -> None:
    row, one = pairs[0]
    before, behind = before_content(row.html, one), behind_content(row.html, one)
    assert before is not None
    assert row.html[before:].startswith("<article>")
    assert behind is not None
    assert row.html[behind:].startswith("<footer>")


@pytest.mark.parametrize("made", [comments.commented, teasers.surrounded])
def test_gold_stays_gold_and_what_is_added_is_noise(
    made: object, pairs: list[tuple[Example, LabelledPage]]
) -> None:
    found = made(pairs)  # type: ignore[operator]  # one of two functions
    assert 0 < len(found) < len(pairs), "some of the articles"
    original = pairs[0][1]
    for one in found:
        assert one.made_up
        assert one.kind == "article"
        assert one.gold_size == original.gold_size
        assert one.size.sum() > original.size.sum()
        texts = np.array([one.matrix.view.page.block_texts[n] for n in one.matrix.view.chosen])
        assert set(texts[one.share > 0.5]) == set(TEXT)
    again = made(pairs)  # type: ignore[operator]  # as above
    assert [len(one.size) for one in again] == [len(one.size) for one in found]


def test_pages_with_teasers_look_old(pairs: list[tuple[Example, LabelledPage]]) -> None:
    for one in teasers.surrounded(pairs):
        page = one.matrix.view.page
        assert not page.attributes.select("meta, main, nav, footer")
        assert len(page.rows_of("title")) == 1
