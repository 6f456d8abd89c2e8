"""VIPS, and the default on drawn pages, with a real browser; skipped where there is none."""

from collections.abc import Iterator

import numpy as np
import pytest

import joeira
from joeira.errors import UsageError
from joeira.render import browser as rendered
from joeira.render.browser import Browser
from joeira.segments import VIPS
from joeira.segments.learned.features import SegmentView
from joeira.segments.learned.layout import FEATURES, columns

pytestmark = pytest.mark.browser

LAYOUT_NAMES = [feature.name for feature in FEATURES]

HTML = """<title>t</title><style>body { margin: 0 } .side { float: left; width: 200px; margin-right:
60px } .main { margin-left: 260px } .gone { display: none } header { background: #ddd }</style>
<body><header><p>The Daily</p></header><div class=side><p>Menu</p><p>News</p></div>
<div class=main><h1>Storm</h1><p>Rain fell.</p><p class=gone>Not seen</p></div>
<script>document.body.innerHTML = "changed"</script><img src="http://127.0.0.1:9/x.png">"""


@pytest.fixture(scope="module")
def program() -> Iterator[Browser]:
    try:
        opened = rendered.browser()
        browser = opened.__enter__()
    except UsageError as error:
        pytest.skip(str(error))
    yield browser
    opened.__exit__(None, None, None)


def test_boxes_are_those_of_the_page(program: Browser) -> None:
    page = joeira.parse(HTML)
    layout = program.layout(page)
    assert layout is not None
    where = {page.xpath(row): layout.box[row] for row in range(len(page))}
    side, main = where["/html/body/div[1]"], where["/html/body/div[2]"]
    assert side[2] - side[0] == 200
    assert main[0] == 260
    assert side[1] == main[1] or abs(side[1] - main[1]) < 30
    hidden = next(row for row in range(len(page)) if page.xpath(row) == "/html/body/div[2]/p[2]")
    assert not layout.shown[hidden]
    header = next(row for row in range(len(page)) if page.tag_name(row) == "header")
    assert layout.background[header] != layout.background[page.body]
    assert layout.shown[page.text_rows].tolist() == [False, True, True, True, True, True, False]


def test_columns_are_told_apart(program: Browser) -> None:
    page = joeira.parse(HTML)
    layout = program.layout(page)
    assert layout is not None
    found = [part.text for part in VIPS().divide(page, layout)]
    assert found[0] == "The Daily"
    assert "Menu News" in found
    assert any("Rain fell. Not seen" in text and "Menu" not in text for text in found)


@pytest.mark.parametrize(
    "html", ["x", "<frameset><frame src=x></frameset>", "<p>a" * 500, "<svg><p>z"]
)
def test_odd_pages(program: Browser, html: str) -> None:
    page = joeira.parse(html)
    layout = program.layout(page)
    assert layout is not None
    assert np.isfinite(layout.box).all()
    assert len(VIPS().divide(page, layout).labels) == len(page.texts)


def test_by_name() -> None:
    try:
        found = joeira.segment(HTML, "vips")
    except UsageError as error:
        pytest.skip(str(error))
    assert found.method == "vips"
    assert len(found) >= 3


CARDS = """<style>body {{ margin: 0 }} .row div {{ {style} }}</style><body><h1>Shop</h1>
<div class=row><div><p>Lamp for the desk</p><p>Ten euros and a bulb</p></div>
<div><p>Chair for the desk</p><p>Forty euros and a cushion</p></div></div>"""


def test_the_default_sees_where_things_are(program: Browser) -> None:
    """One source, two layouts: what the model knows of the page differs in nothing else."""
    told = []
    for style in ("float: left; width: 50%", "margin: 0"):
        page = joeira.parse(CARDS.format(style=style))
        layout = program.layout(page)
        assert layout is not None
        view = SegmentView(page)
        rows = page.rows_of("div")
        told.append(dict(zip(LAYOUT_NAMES, columns(view, layout, rows), strict=True)))
    beside, below = told
    assert beside["columns"][0] == pytest.approx(np.log(2))
    assert below["columns"][0] == 0
    assert beside["width"][1:] == pytest.approx([0.5, 0.5], abs=0.01)
    assert below["width"][1:] == pytest.approx([1, 1], abs=0.01)
    assert below["top"][2] > below["top"][1]
    assert beside["top"][2] == beside["top"][1]


def test_rendered_by_option() -> None:
    try:
        found = joeira.segment(HTML, rendered=True)
    except UsageError as error:
        pytest.skip(str(error))
    assert found.method == "learned"
    assert not found.reason
    assert len(found.labels) == len(found.page.texts)
    assert all(part.label for part in found)
    assert any("Rain fell." in part.text and "Menu" not in part.text for part in found)


@pytest.mark.parametrize("html", ["", "<title>x</title>", "<p> </p>"])
def test_nothing_is_drawn_where_there_is_no_text(html: str) -> None:
    try:
        found = joeira.segment(html, rendered=True)
    except UsageError as error:
        pytest.skip(str(error))
    assert not found
