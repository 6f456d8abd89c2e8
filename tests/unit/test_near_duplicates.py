"""Pages that are nearly equal, and what site methods make of them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import joeira
from joeira.sites import XCEX, ContentExtractor, Template
from joeira.sites.near_duplicates import (
    MIN_SHINGLES,
    SHINGLE_CHARS,
    SKETCH_SIZE,
    KnownPages,
    from_plain,
    shingles,
    sketch,
    smallest,
    to_plain,
)

LEGAL = "<p>All rights reserved; no part of these pages may be copied without permission.</p>"


def word(draw: random.Random) -> str:
    return "".join(draw.choice("aeioulmnrst") for _ in range(6))


def page_of(number: int, counter: int = 0) -> str:
    draw = random.Random(number)
    story = "".join(f"<p>{' '.join(word(draw) for _ in range(25))}.</p>" for _ in range(6))
    seen = f"<p class=seen>{counter} readers have seen this page today</p>" if counter else ""
    return f"<div class=story><h1>Story {number}</h1>{story}</div>{seen}<div>{LEGAL}</div>"


def test_shingles_are_the_runs_of_characters_within_a_line() -> None:
    text = "abcdefghijklmnopqrstuvwxyz"
    runs = len(text) - SHINGLE_CHARS + 1
    assert len(set(shingles(text).tolist())) == runs
    assert shingles(text + "\n" + text).tolist() == shingles(text).tolist() * 2
    assert not len(shingles("too short"))
    assert shingles(text)[3:].tolist() == shingles(text[3:]).tolist()


def test_the_smallest_numbers_are_those_of_sorting_all() -> None:
    draw = np.random.default_rng(1)
    for high in (3, 50, 10_000):
        numbers = draw.integers(0, high, 1000).astype(np.uint32)
        assert smallest(numbers, 16).tolist() == sorted(set(numbers.tolist()))[:16]


def test_a_sketch_estimates_the_share_of_common_shingles() -> None:
    draw = random.Random(7)
    first = "".join(draw.choice("abcdefghij ") for _ in range(6000))
    second = first[:4500] + "".join(draw.choice("abcdefghij ") for _ in range(1500))
    one, two = (set(shingles(text).tolist()) for text in (first, second))
    exact = len(one & two) / len(one | two)
    sketches = [smallest(shingles(text), SKETCH_SIZE) for text in (first, second)]
    both = np.unique(np.concatenate(sketches))[:SKETCH_SIZE]
    common = np.isin(both, sketches[0]) & np.isin(both, sketches[1])
    assert abs(common.mean() - exact) < 0.15


def test_a_page_with_a_changed_counter_is_the_same_page() -> None:
    known = KnownPages()
    for number in range(8):
        own = sketch(joeira.parse(page_of(number, 7)))
        assert known.same_as(own) is None
        known.add(str(number), own)
    for number in range(8):
        assert known.same_as(sketch(joeira.parse(page_of(number, 1234)))) == str(number)
    assert known.same_as(sketch(joeira.parse(page_of(9)))) is None


def test_a_common_text_makes_no_two_pages_the_same() -> None:
    long_text = "".join(f"<p>{LEGAL} Clause {n} of the terms of use.</p>" for n in range(40))
    known = KnownPages()
    for number in range(12):
        page = joeira.parse(f"{page_of(number)}{long_text}")
        own = sketch(page)
        assert known.same_as(own) is None
        known.add(str(number), own)
    assert known.same_as(sketch(joeira.parse(f"{page_of(3, 88)}{long_text}"))) == "3"


def test_too_few_shingles_tell_nothing() -> None:
    known = KnownPages()
    own = sketch(joeira.parse("<p>a page with few words</p>"))
    assert 0 < len(own) < MIN_SHINGLES
    known.add("short", own)
    assert known.same_as(own) is None
    assert not known.sketches


def test_sketches_are_stored_and_damaged_ones_refused() -> None:
    known = KnownPages()
    for number in range(3):
        known.add(f"{number}", sketch(joeira.parse(page_of(number))))
    plain = to_plain(known.sketches)
    again = from_plain(plain, ["0", "1", "2"])
    assert {key: value.tolist() for key, value in again.items()} == {
        key: value.tolist() for key, value in known.sketches.items()
    }
    for damaged in ({"3": plain["0"]}, {"0": "zz"}, {"0": "00" * 80}, ["0"]):
        with pytest.raises(ValueError, match=r"sketch|hex"):
            from_plain(damaged, ["0", "1", "2"])


METHODS = [Template(), XCEX(), XCEX.recommended(), ContentExtractor()]


@pytest.mark.parametrize("method", METHODS, ids=["template", "xcex", "recommended", "2005"])
def test_a_page_fetched_again_keeps_its_content(method: Template | XCEX | ContentExtractor) -> None:
    pages = [joeira.parse(page_of(number, 7)) for number in range(10)]
    again = [joeira.parse(page_of(number, 1000 + number)) for number in range(10)]
    once = method.fit(pages)
    twice = method.fit([*pages, *again])
    assert len(once.fingerprints) == len(twice.fingerprints) == 10
    restored = method.restore(twice.to_dict())
    for first, second in zip(pages, again, strict=True):
        story = once.extract(first).text().partition(" readers")[0][:400]
        assert len(story) == 400
        for site in (once, twice, restored):
            assert story in site.extract(second).text()


def test_a_site_counts_a_page_fetched_again_once() -> None:
    site = joeira.learn_site([page_of(number % 5, number) for number in range(10)])
    assert site.pages == 5
    assert sum(pages for pages, _ in site.templates) == 5
    published = joeira.learn_site(
        [page_of(number % 5, number) for number in range(10)], "xcex", near_duplicates=False
    )
    assert published.pages == 10
    assert sum(pages for pages, _ in published.templates) == 10
