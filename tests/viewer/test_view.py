"""What the viewer is told about a page."""

import json

import pytest

from joeira.viewer.view import Wish, methods, source, view

PAGE = """<html><head><title>A page</title><style>p { min-height: 50vh }</style></head><body>
<nav><a href="javascript:evil()">Home</a> <a href="/b">About</a></nav>
<article><h1>The harbour opens</h1>
<p onclick="evil()">The new harbour was opened on Monday, after nine years of work.</p>
<p>It has room for two hundred boats, and a ferry goes to the islands twice a day.</p>
<img src="http://x/y.png" alt="boats" onerror="evil()"><script>evil()</script>
<select><option>one<option>two</select></article></body></html>"""


@pytest.fixture(scope="module")
def seen() -> dict:
    return json.loads(view(PAGE, "https://example.org/a", Wish(method="bte", other="all_text")))


def test_both_methods_decide_about_every_block(seen: dict) -> None:
    assert [result["method"] for result in seen["results"]] == ["bte", "all_text"]
    texts = [block["text"] for block in seen["blocks"]]
    assert any(text.startswith("It has room") for text in texts)
    assert all(len(block["decisions"]) == 2 for block in seen["blocks"])
    kept = {block["text"]: block["decisions"][0]["kept"] for block in seen["blocks"]}
    assert kept["Home About"] is False
    assert all(block["xpath"].startswith("/html") for block in seen["blocks"])
    decisions = [decision for block in seen["blocks"] for decision in block["decisions"]]
    assert {decision["code"] for decision in decisions} == {
        "in_range", "outside_range", "head", "text",
    }  # fmt: skip
    assert all(decision["reasons"] and all(decision["reasons"]) for decision in decisions)


def test_blocks_are_the_texts_of_the_page_in_order(seen: dict) -> None:
    ends = [block["stop"] for block in seen["blocks"]]
    assert [block["first"] for block in seen["blocks"]] == [0, *ends[:-1]]


def test_the_frame_has_nothing_that_acts(seen: dict) -> None:
    frame = seen["frame"]
    for forbidden in ("evil", "<script", "href", "src=", "onclick", "onerror", "<iframe", "<link"):
        assert forbidden not in frame
    assert "default-src 'none'; script-src 'none'" in frame
    assert "min-height: 400px" in frame  # half of a window, which the frame does not have
    assert ">boats</joeira-image>" in frame
    assert "<option data-r=" in frame
    assert "> one</option>" in frame  # no elements inside options


def test_texts_of_the_frame_say_their_block(seen: dict) -> None:
    number = next(i for i, b in enumerate(seen["blocks"]) if b["text"].startswith("It has"))
    assert f'data-b="{number}">It has room' in seen["frame"]


@pytest.mark.parametrize(
    "html", ["", "<p>x", b"\x89PNG\r\n", "<frameset><frame>", "<p>\ud800</p>", "<title>t</title>"]
)
def test_any_page_can_be_looked_at(html: str | bytes) -> None:
    found = json.loads(view(html, None, Wish(method="cetr", other="tps")))
    assert found["frame"].endswith("</html>\n")


def test_series_have_rows_and_shares(seen: dict) -> None:
    for row, share in (*seen["slope"], *seen["paths"]["points"]):
        assert 0 <= row < seen["rows"]
        assert 0 <= share <= 1


def test_records_have_cells_with_places() -> None:
    items = "".join(
        f"<li><a href=/{n}>Item number {n}</a> <span class=price>{n}0 €</span></li>"
        for n in range(8)
    )
    found = json.loads(view(f"<body><ul class=list>{items}</ul>", None, Wish(records="mdr")))
    table = found["records"]["tables"][0]
    assert len(table["records"]) == 8
    cell = next(cell for cell in table["records"][0]["cells"] if cell)
    assert f'data-r="{cell["row"]}"' in found["frame"]
    assert cell["xpath"].startswith("/html/body/ul/li[1]")
    assert table["csv"].count("\n") == 9


def test_source_is_that_of_the_element() -> None:
    found = json.loads(source("<p>a <b>c</b></p>", 3))
    assert found == {"html": "<p>a <b>c</b></p>", "cut": False}
    assert json.loads(source("<p>a</p>", 10**9))["html"] == ""


def test_methods_say_what_they_are() -> None:
    assert all(method["about"] for task in methods().values() for method in task)
