"""The default segmenter: a partition of the page's texts, labelled."""

import numpy as np
import pytest

import joeira
from joeira.errors import BadParameter
from joeira.models import read_card
from joeira.segments import TreeCut
from joeira.segments.learned.features import NAMES
from joeira.segments.learned.labels import LABELS
from joeira.segments.result import OUTSIDE

PROSE = "Rain is expected in the valley, and the river will rise by a metre before the night ends. "
PAGE = f"""<html><head><title>Storm - The Daily</title></head><body>
<nav><ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li><li><a href=/s>Sport</a></li>
<li><a href=/w>Weather</a></li></ul></nav>
<main><h1>Storm reaches the coast</h1><p>{PROSE * 3}</p><p>{PROSE * 4}</p><p>{PROSE * 2}</p></main>
<footer><p>© The Daily</p><a href=/p>Privacy</a> <a href=/i>Imprint</a></footer></body></html>"""


def test_every_text_is_in_exactly_one_segment() -> None:
    found = joeira.segment(PAGE)
    rows = found.page.text_rows
    for number, part in enumerate(found):
        inside = (rows >= part.start) & (rows < part.stop)
        assert np.array_equal(inside, found.labels == number)
    shown = rows >= found.page.body
    assert set(found.labels[shown].tolist()) == set(range(len(found)))
    assert set(found.labels[~shown].tolist()) <= {OUTSIDE}


def test_segments_are_in_page_order_and_labelled_with_a_probability() -> None:
    found = joeira.segment(PAGE)
    assert [part.start for part in found] == sorted(part.start for part in found)
    assert all(part.label in LABELS and 0 < part.score <= 1 for part in found)


def test_what_authors_say_of_a_part_is_its_label() -> None:
    label_of = {part.text.split()[0]: part.label for part in joeira.segment(PAGE)}
    assert label_of["Home"] == "navigation"
    assert label_of["©"] == "footer"
    text = next(part for part in joeira.segment(PAGE) if "metre" in part.text)
    assert text.label == "main"


def test_a_line_is_never_cut() -> None:
    found = joeira.segment("<body>one <a href=/>two</a> three<div>four</div></body>", size_power=1)
    assert len(set(found.labels[:3].tolist())) == 1


@pytest.mark.parametrize("html", ["", "<p>", b"\x00\xff", "<frameset><frame></frameset>"])
def test_a_page_without_text_has_no_segments(html: str | bytes) -> None:
    found = joeira.segment(html)
    assert not found or found.labels.tolist()
    assert found.reason or found


def test_deep_pages_are_cut_in_bounded_time() -> None:
    found = joeira.segment("<div>x" * 5000)
    assert len(found.labels) == len(found.page.texts)


@pytest.mark.parametrize("wrong", [{"least_together": 1.0}, {"size_power": 3.0}])
def test_parameters_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(BadParameter):
        TreeCut(**wrong)


def test_the_card_says_how_well_the_shipped_model_does_on_unseen_pages() -> None:
    default = TreeCut()
    key = f"least_together={default.least_together}, size_power={default.size_power}"
    scores = read_card("segments")["out_of_fold"][key]
    assert scores["ari"] >= 0.65
    assert scores["f1"] >= 0.72


def test_the_card_names_the_features() -> None:
    assert tuple(read_card("segments")["features"]) == NAMES
