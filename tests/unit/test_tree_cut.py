"""The default segmenter: a partition of the page's texts, labelled."""

import numpy as np
import pytest

import joeira
from joeira.errors import BadParameter
from joeira.models import read_card
from joeira.segments import TreeCut
from joeira.segments.learned import numbered
from joeira.segments.learned.features import NAMES, SegmentView
from joeira.segments.learned.labels import LABELS, SIGNS, signs
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


def labels_of(html: str) -> dict[str, str | None]:
    """Return the label of each segment by its first word."""
    return {part.text.split()[0]: part.label for part in joeira.segment(html)}


def test_a_notice_on_cookies_is_not_the_main_part() -> None:
    banner = f"<div class=cookie-banner><p>We use cookies. {PROSE}</p></div>"
    told = labels_of(PAGE.replace("<nav>", f"{banner}<nav>"))
    assert told["We"] == "other"
    assert told["Storm"] == "main"


def test_the_name_of_what_holds_most_of_the_page_tells_nothing() -> None:
    named = PAGE.replace("<main>", "<main class=enable-comments>")
    assert labels_of(named)["Storm"] == "main"


def test_one_block_is_no_list() -> None:
    told = labels_of(PAGE.replace("<footer>", "<div><div>By A. Smith</div></div><footer>"))
    assert told["By"] != "listing"


def test_among_many_first_headings_the_title_is_the_one_of_the_article() -> None:
    boxes = "".join(f"<aside><h1>Box{n}</h1><p>{PROSE}</p></aside>" for n in range(3))
    html = PAGE.replace(
        "<main><h1>Storm reaches the coast</h1>",
        "<main><article><header><h1>Storm reaches the coast</h1></header><div>",
    ).replace("</main>", f"</div></main>{boxes}")
    page = joeira.parse(html)
    view = SegmentView(page)
    headings = page.rows_of("h1")
    is_title = signs(view, headings, page.end[headings])[:, list(SIGNS).index("is_h1")]
    assert is_title.tolist() == [1, 0, 0, 0]


def test_a_heading_is_not_alone() -> None:
    items = "".join(f"<li><a href=/{n}>{PROSE}</a></li>" for n in range(4))
    box = f"<div><h2>Latest</h2><div><ul>{items}</ul></div></div>"
    page = joeira.parse(f"<body>{box * 2}</body>")
    lists = np.array([page.rows_of("div")[1], page.rows_of("div")[3]])
    root = np.where(
        np.isin(page.parent[page.text_rows], page.rows_of("h2")),
        page.parent[page.text_rows],
        np.repeat(lists, 5),
    ).astype(np.int32)
    assert numbered(page, root).tolist() == [0] * 5 + [1] * 5
