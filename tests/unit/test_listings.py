"""Pages of records as training pages: the list of the gold records is the content."""

from __future__ import annotations

from dataclasses import replace

import pytest

from joeira.evaluation.datasets import Row
from joeira.training.listings import listed
from joeira.training.lists import best_list
from support.learning import listing

PAGE = listing(0)


def test_the_list_of_the_records_is_found() -> None:
    texts, f1 = best_list(PAGE)
    assert f1 == 1
    assert " ".join(texts) == " ".join(map(str, PAGE.records))


def test_its_words_are_the_content_and_no_others() -> None:
    (one,) = listed([PAGE], "some-set")
    view = one.matrix.view
    inside = [
        view.page.block_texts[block]
        for block, share in zip(view.chosen, one.share, strict=True)
        if share > 0.5
    ]
    assert " ".join(inside) == " ".join(map(str, PAGE.records))
    assert 0 < one.share.sum() < view.size
    assert one.made_up, "such pages are never measured"
    assert one.kind is None


@pytest.mark.parametrize(
    "site, domain", [("Shop.Example", "shop.example"), ("17", "some-set/0"), (None, "some-set/0")]
)
def test_the_domain_is_the_name_of_the_site(site: str | None, domain: str) -> None:
    (one,) = listed([replace(PAGE, site=site)], "some-set")
    assert one.domain == domain


@pytest.mark.parametrize(
    "row",
    [
        Row(id="1", html=""),
        replace(PAGE, records=()),
        replace(PAGE, records=("nothing like it", "nor this")),
        replace(PAGE, records=PAGE.records[:2]),
    ],
)
def test_pages_without_such_a_list_are_left_out(row: Row) -> None:
    assert listed([row], "some-set") == []
