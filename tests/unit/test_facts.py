"""How title, author and date are measured, and the facts of products."""

from __future__ import annotations

import numpy as np
import pytest

from joeira.errors import UsageError
from joeira.evaluation import contenders, metadata_scores, tasks
from joeira.evaluation.datasets import Example

ROW = Example(
    "1", "<p>x", title="“Ice” — house", author="Ann Lee, Bo Ek", date="2024-05-06 10:00:00"
)


@pytest.mark.parametrize(
    "output, expected",
    [
        ({"title": '"ice" HOUSE', "author": "Bo Ek; Ann Lee", "date": "2024-05-06"}, [1, 1, 1]),
        ({"title": "Ice", "author": "Ann Lee", "date": "2024-05-07"}, [0, 0, 0]),
        ({"title": None, "author": "", "date": None}, [0, 0, 0]),
        ({}, [0, 0, 0]),
    ],
)
def test_each_fact(output: metadata_scores.Facts, expected: list[int]) -> None:
    assert metadata_scores.Gold(ROW).measure(output).tolist() == expected


def test_a_fact_without_answer_is_not_measured() -> None:
    found = metadata_scores.Gold(Example("1", "", title="T")).measure({"title": "T", "author": "A"})
    assert found[0] == 1
    assert np.isnan(found[1:]).all()
    assert metadata_scores.accuracy(found[1:2]) is None
    assert not metadata_scores.has_gold(Example("1", ""))


def test_accuracy() -> None:
    found = metadata_scores.accuracy(np.array([1, 0, np.nan, 1, 1]))
    assert found is not None
    assert (found.pages, found.share) == (4, 0.75)
    assert found.interval[0] <= 0.75 <= found.interval[1]


def test_pages_of_one_host_are_in_one_half() -> None:
    hosts = [
        Example(str(n), "", url=f"https://{'www.' * (n % 2)}h{n // 4}.org/{n}") for n in range(80)
    ]
    first = metadata_scores.in_first_half(hosts).reshape(-1, 4)
    assert (first.all(axis=1) | ~first.any(axis=1)).all()
    assert 0 < first.sum() < first.size


def test_our_reader_is_a_contender() -> None:
    page = Example(
        "1", "<title>T</title><meta name=author content='Ann Lee'>", url="https://e.org/"
    )
    found = contenders.find("metadata", tasks.METADATA)()(page)
    assert found == {"title": "T", "author": "Ann Lee", "date": None}
    with pytest.raises(UsageError, match="metadata"):
        contenders.find("nce", tasks.METADATA)


def test_facts_of_a_product() -> None:
    accepted = (
        ("availability", ("InStock",)),
        ("currency", ("$",)),
        ("price", ("229.99 ",)),
        ("sku", ("466/7999", "X-1")),
    )
    gold = metadata_scores.ProductGold(Example("1", "", product=accepted))
    output = {
        "price": "229.990", "currency": "CAD", "availability": "LimitedAvailability",
        "sku": "4667999", "brand": "Ek",
    }  # fmt: skip
    measured = np.array([gold.measure(output), gold.measure({"price": "5"}), gold.measure({})])
    scores = metadata_scores.product_scores(measured, samples=5)
    assert (scores["price"].precision, scores["price"].recall) == (1 / 2, 1 / 3)
    assert (scores["sku"].right, scores["sku"].f1) == (1, 0.5)
    assert (scores["currency"].right, scores["availability"].right) == (1, 1)
    assert (scores["brand"].precision, scores["brand"].recall) == (0, 0)


def test_our_reader_of_products_is_a_contender() -> None:
    body = "<h1>Chair</h1><p class=price>$49.00</p><button>Add to cart</button>"
    found = contenders.find("product", tasks.PRODUCT)()(Example("1", body))
    assert (found["name"], found["price"]) == ("Chair", "49.00")
    assert contenders.find("product", tasks.PRODUCT)()(Example("1", "<p>x")) == {}
