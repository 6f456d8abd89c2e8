"""Pages as training examples: domains, folds, labels, weights and scores."""

from __future__ import annotations

from collections import Counter, defaultdict
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from joeira.arrays.strings import words
from joeira.blockmodel.columns import PAGE_TYPES, PLAIN
from joeira.evaluation.datasets import Example
from support.learning import made_up_example, row
from training.pages import FOLDS, TRAINING_SETS, _domain, domains, example, folds


def pages(seed: int = 0, count: int = 300) -> list[Any]:
    """Stand-ins with a domain and a type, a few domains being large."""
    random = np.random.default_rng(seed)
    kinds = [*PAGE_TYPES, None]
    sites = [f"site{int(number)}" for number in random.geometric(0.02, count)]
    return [SimpleNamespace(domain=site, kind=kinds[random.integers(8)]) for site in sites]


def test_domains_stay_together() -> None:
    examples = pages()
    of_domain = defaultdict(set)
    for one, fold in zip(examples, folds(examples).tolist(), strict=True):
        of_domain[one.domain].add(fold)
    assert all(len(found) == 1 for found in of_domain.values())


def test_every_fold_is_used_and_of_like_size() -> None:
    sizes = Counter(folds(pages()).tolist())
    assert sorted(sizes) == list(range(FOLDS))
    assert max(sizes.values()) - min(sizes.values()) <= 12


def test_page_types_are_spread() -> None:
    examples = pages()
    fold = folds(examples, 5)
    for kind in PAGE_TYPES:
        of_kind = np.array([one.kind == kind for one in examples])
        share = np.bincount(fold[of_kind], minlength=5) / of_kind.sum()
        assert share.min() > 0.08
        assert share.max() < 0.4


def test_one_domain_is_one_fold() -> None:
    examples: Any = [SimpleNamespace(domain="a", kind=None)] * 7
    assert len(set(folds(examples).tolist())) == 1


def test_the_same_folds_every_time_in_any_order() -> None:
    examples = pages()
    fold = folds(examples)
    assert folds(examples).tolist() == fold.tolist()
    order = np.random.default_rng(5).permutation(len(examples))
    assert folds([examples[i] for i in order]).tolist() == fold[order].tolist()


def test_another_seed_or_number_of_folds() -> None:
    examples = pages()
    assert folds(examples, seed=1).tolist() != folds(examples).tolist()
    assert set(folds(examples, count=3).tolist()) == {0, 1, 2}


def test_no_examples_no_folds() -> None:
    assert not len(folds([]))
    assert domains([]) == {}


def test_domains_hold_every_example() -> None:
    examples = pages(count=40)
    found = domains(examples)
    assert sum(map(len, found.values())) == 40
    assert all(one.domain == name for name, members in found.items() for one in members)


@pytest.mark.parametrize(
    "url, expected",
    [
        ("https://www.example.org/a", "example.org"),
        ("https://example.org", "example.org"),
        ("http://News.Example.ORG:8080/a?b", "example.org"),
        ("https://www.example.co.uk/", "example.co.uk"),
        ("https://a.b.example.com.br/", "example.com.br"),
        ("https://localhost/", "localhost"),
        ("no address", None),
        ("", None),
        (None, None),
    ],
)
def test_domain_of_an_address(url: str | None, expected: str | None) -> None:
    assert _domain(url) == expected


def test_pages_without_address_are_domains_of_their_own() -> None:
    first, second = (
        example(Example(name, "<p>text</p>", None, text="text"), "wcxb-dev") for name in "ab"
    )
    assert first is not None
    assert second is not None
    assert first.domain != second.domain


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_a_page_without_gold_is_no_example(text: str | None) -> None:
    assert example(Example("1", "<p>text</p>", text=text), "wcxb-dev") is None


def test_an_example_by_hand() -> None:
    one = made_up_example(1, site=4)
    assert (one.id, one.domain, one.kind) == ("4-1", "site4.example", "article")
    # Home, News, Contact us, heading, story, more, footer
    assert one.size.tolist() == [1, 1, 2, 3, 26, 10, 4]
    assert one.matched.tolist() == [0, 0, 0, 3, 26, 10, 0]
    assert one.share.tolist() == [0, 0, 0, 1, 1, 1, 0]
    assert one.gold_size == 39
    assert one.weight == pytest.approx(one.size / (47 + 39))
    assert one.matrix.values.shape == (7, PLAIN)


def test_page_types_are_those_of_the_main_set() -> None:
    assert made_up_example(1, dataset="wcxb-dev").kind == "article"
    assert made_up_example(1, dataset="fundus-dev").kind is None
    odd = example(Example("1", "<p>a</p>", page_type="game", text="a"), "wcxb-dev")
    assert odd is not None
    assert odd.kind is None


def test_every_training_set_names_its_licence() -> None:
    assert TRAINING_SETS["wcxb-dev"]
    assert all(TRAINING_SETS.values())


@pytest.mark.parametrize("number", range(16))
def test_f1_is_that_of_the_bags_of_words(number: int) -> None:
    one = made_up_example(3)
    page = one.matrix.view.page
    # Some of the blocks: the bits of the number, over and over.
    keep = np.array([bool(number >> (block % 4) & 1) for block in range(len(one.size))])
    text = " ".join(page.block_texts[k] for k in one.matrix.view.chosen[keep])
    taken, gold = (Counter(words(part.lower())) for part in (text, row(3).text or ""))
    hit = sum((taken & gold).values())
    expected = 2 * hit / (sum(taken.values()) + sum(gold.values())) if taken else 0
    assert one.f1(keep) == pytest.approx(expected)


def test_f1_of_the_gold_blocks_is_one() -> None:
    one = made_up_example(2)
    assert one.f1(one.share > 0.5) == 1
    assert one.f1(np.zeros(len(one.size), bool)) == 0
