"""Articles once more, with comments or teasers: what is added is noise, what was gold stays."""

import dataclasses

import numpy as np
import pytest

from joeira.evaluation.datasets import Example
from training import comments, labels, shops, teasers
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


def test_a_shop_around_a_product_is_noise(pairs: list[tuple[Example, LabelledPage]]) -> None:
    product = pair("p", "product", ARTICLE, "\n".join(TEXT))
    found = shops.stocked([*pairs, product])
    assert len(found) == shops.TIMES
    for one in found:
        assert one.made_up
        assert one.kind == "product"
        assert one.size.sum() > product[1].size.sum()
        texts = np.array([one.matrix.view.page.block_texts[n] for n in one.matrix.view.chosen])
        assert set(texts[one.share > 0.5]) == set(TEXT)


def test_the_answer_of_a_reader_is_trusted_most() -> None:
    row = Example("p", "<p>Menu</p><p>Rain fell</p>", "https://a.example/", text="Menu Rain fell")
    digest = labels.html_hash(row.html)
    known = labels.Label(digest, labels.OWN_SET, "wcxb-dev", "article", None, "1", "")
    with pytest.raises(ValueError, match="its blocks are not those"):
        labels.trusted(row, {digest: known})
    known = dataclasses.replace(known, words_sha256=labels.words_hash(["Rain fell"]))
    answered, gold = labels.trusted(row, {digest: known})
    assert (answered.text, answered.page_type, gold) == ("Rain fell", "article", labels.OWN_SET)
    assert labels.trusted(row, {}) == (row, None)
