"""VIPS with a real browser; skipped where there is none."""

from collections.abc import Iterator

import numpy as np
import pytest

import joeira
from joeira.errors import UsageError
from joeira.render import browser as rendered
from joeira.render.browser import Browser
from joeira.segments import VIPS

pytestmark = pytest.mark.browser

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
    assert found[0] == "t"
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
