"""Tables of log-odds: what they hold, and that no page is told its own answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest

import joeira
from joeira.arrays import strings
from joeira.blockmodel import columns
from joeira.blockmodel.columns import NAMES, PAGE_TYPES, PLAIN
from joeira.blockmodel.lexicon import SPACES, bucket
from joeira.evaluation.datasets import Example
from support.learning import made_up_example, made_up_knowledge, made_up_tables, row
from training import odds
from training.pages import LabelledPage, domains, example

SITES, PAGES_PER_SITE = 5, 2
TYPES = np.zeros(len(PAGE_TYPES), np.float32)


@pytest.fixture(scope="module")
def examples() -> list[LabelledPage]:
    return [
        made_up_example(site * PAGES_PER_SITE + k, site)
        for site in range(SITES)
        for k in range(PAGES_PER_SITE)
    ]


def place(word: str, space: str = "word") -> int:
    return int(bucket(np.array([strings.hash_of(word)], np.uint64), SPACES[space])[0])


def share_of(one: LabelledPage, word: str, space: str = "word") -> float:
    places, values = odds.shares(one)[space]
    return float(values[places.tolist().index(place(word, space))])


def small(body: str, gold: str) -> LabelledPage:
    found = example(Example("1", f"<body>{body}", "https://a.example", text=gold), "wcxb-dev")
    assert found is not None
    return found


def left_out(examples: Sequence[LabelledPage]) -> list[np.ndarray]:
    """Features as training makes them: the tables know nothing of the page's domain."""
    shares = {id(one): odds.shares(one) for one in examples}
    total = odds.totals(shares.values())
    found = {}
    for members in domains(examples).values():
        rest = odds.tables(odds.without(total, [shares[id(one)] for one in members]))
        found |= {id(one): odds.columns(one, rest, TYPES) for one in members}
    return [found[id(one)] for one in examples]


def flipped(one: LabelledPage) -> LabelledPage:
    """Return the example with the opposite labels."""
    return dataclasses.replace(one, matched=one.size - one.matched)


def test_share_of_a_word_is_the_mean_over_its_places() -> None:
    one = small("<p>rain fell all day long</p><p>rain</p><nav>home</nav>", "rain fell all day long")
    assert one.share.tolist() == [1, 0, 0]
    assert share_of(one, "fell") == 1
    assert share_of(one, "rain") == 0.5
    assert share_of(one, "home") == 0


def test_share_of_a_name_is_that_of_the_words_below() -> None:
    one = small(
        "<div class='post-body'><p>rain fell all day</p><p class=body>buy now my friends</p></div>",
        "rain fell all day",
    )
    # "post" holds 4 gold words of 8; "body" is on both: half of 8 words and none of 4.
    assert share_of(one, "post", "name") == pytest.approx(4 / 8)
    assert share_of(one, "body", "name") == pytest.approx((0.5 * 8 + 0 * 4) / 12)


def test_classes_and_ids_are_one_kind_of_name() -> None:
    one = small("<div id=post>rain fell all day</div><p class=post>buy</p>", "rain fell all day")
    assert share_of(one, "post", "name") == pytest.approx(4 / 5)


def test_each_table_has_its_own_buckets(examples: list[LabelledPage]) -> None:
    shares = odds.shares(examples[0])
    assert {*shares, "listed"} == set(SPACES), "the page is no list"
    for space, (places, values) in shares.items():
        assert len(np.unique(places)) == len(places) > 0
        assert 0 <= places.min() <= places.max() < 1 << SPACES[space]
        assert 0 <= values.min() <= values.max() <= 1


def test_totals_count_pages_not_places(examples: list[LabelledPage]) -> None:
    total = odds.totals(map(odds.shares, examples))
    content, count = total["word"][:, place("the")]
    assert count == len(examples)
    assert content == pytest.approx(sum(share_of(one, "the") for one in examples))
    assert total["word"][1, place("home")] == len(examples)
    assert total["word"][0, place("home")] == 0


def test_without_is_the_total_of_the_others(examples: list[LabelledPage]) -> None:
    shares = [odds.shares(one) for one in examples]
    total = odds.totals(shares)
    before = {space: table.copy() for space, table in total.items()}
    rest, expected = odds.without(total, shares[:3]), odds.totals(shares[3:])
    for space in SPACES:
        assert rest[space][1].tolist() == expected[space][1].tolist()
        np.testing.assert_allclose(rest[space][0], expected[space][0], atol=1e-12)
        assert total[space].tolist() == before[space].tolist()


@pytest.mark.parametrize(
    "content, count, expected",
    [
        (0, 0, 0),  # nobody has it
        (2, 2, 0),  # too few pages
        (3, 3, round(16 * np.log(3.7 / 1.3))),
        (0, 3, round(16 * np.log(0.7 / 4.3))),
        (1.5, 3, round(16 * np.log(2.2 / 2.8))),
        (1e9, 1e9, 127),
        (0, 1e9, -127),
        (-1e-13, 3, round(16 * np.log(0.7 / 4.3))),  # what is left of a subtraction
    ],
)
def test_tables_by_hand(content: float, count: float, expected: int) -> None:
    total = {space: np.zeros((2, 1 << bits)) for space, bits in SPACES.items()}
    total["word"][:, 5] = content, count
    table = odds.tables(total)
    assert table["word"][5] == expected
    assert table["word"].dtype == np.int8
    assert not table["word"][:5].any()
    assert not table["name"].any()


def test_names_need_one_page_more() -> None:
    total = {space: np.zeros((2, 1 << bits)) for space, bits in SPACES.items()}
    total["name"][:, 5], total["name"][:, 6] = (3, 3), (4, 4)
    assert odds.tables(total)["name"][5:7].tolist() == [0, round(16 * np.log(5))]


def test_features_never_depend_on_the_labels_of_their_own_domain(
    examples: list[LabelledPage],
) -> None:
    before = left_out(examples)
    changed = [flipped(one) if one.domain == examples[0].domain else one for one in examples]
    after = left_out(changed)
    others_differ = False
    for one, old, new in zip(examples, before, after, strict=True):
        if one.domain == examples[0].domain:
            assert old.tolist() == new.tolist()
        others_differ |= old.tolist() != new.tolist()
    assert others_differ, "labels reach the features of other domains, or this shows nothing"


def test_features_never_depend_on_other_pages_of_their_domain(examples: list[LabelledPage]) -> None:
    alone = examples[1:]
    assert alone[0].domain == examples[0].domain
    assert left_out(alone)[0].tolist() == left_out(examples)[1].tolist()


def test_unknown_words_say_nothing(examples: list[LabelledPage]) -> None:
    learned = left_out(examples[:2])[0][:, PLAIN:]
    assert not learned.any(), "one domain alone leaves no evidence"


def test_training_and_extraction_see_the_same_columns() -> None:
    one, known = made_up_example(1), made_up_knowledge()
    expected = columns.matrix(joeira.parse(row(1).html), known)
    found = odds.columns(one, made_up_tables(), expected.types)
    assert found.dtype == np.float32
    assert found.tolist() == expected.values.tolist()


def test_a_page_without_blocks() -> None:
    empty = small("<script></script>", "words that a browser would have shown")
    assert odds.columns(empty, made_up_tables(), TYPES).shape == (0, len(NAMES))
    assert not len(odds.shares(empty)["word"][0])
    total = odds.totals([odds.shares(empty)])
    assert not any(table.any() for table in total.values())
