"""Records in the viewer: columns that a person names, wrappers to keep, single cells to mark."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

import joeira
from joeira.records.wrapper import Wrapper
from support.command_line import EXAMPLES
from support.window import READY, Watched

LISTING = (EXAMPLES / "listing.html").read_bytes()


def columns(table: joeira.RecordTable, **names: str | None) -> list[str | None]:
    """The names of the columns of a table, some of them changed."""
    return [names.get(str(column), str(column)) for column in table.columns]


@pytest.fixture
def ask(served: tuple[str, Path]) -> Any:
    def send(**wish: Any) -> httpx.Response:
        path = f"{served[0]}/v1/viewer/pages/example-listing/table"
        return httpx.post(path, json=wish, timeout=120)

    return send


def test_columns_are_renamed_and_dropped(ask: Any) -> None:
    (table,) = joeira.find_records(LISTING)
    wanted = columns(table, title="título", url=None, image=None)
    text = ask(columns=wanted).json()["text"]
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == [name for name in wanted if name]
    place = [str(column) for column in table.columns].index("title")
    assert [row[0] for row in rows[1:]] == [row[place] for row in table.rows()]


def test_a_wrapper_reads_the_same_with_the_new_names(ask: Any) -> None:
    (table,) = joeira.find_records(LISTING)
    answer = ask(columns=columns(table, price="preço", url=None), to="wrapper").json()
    assert answer["lost"] == [name for name in table.columns if name == "other"]
    wrapper = Wrapper.from_dict(json.loads(answer["text"]))
    (found,) = wrapper.extract(LISTING)
    assert "preço" in found.columns
    assert "url" not in found.columns
    assert [row["preço"] for row in found.to_dicts()] == [row["price"] for row in table.to_dicts()]
    assert "class RecordList" in ask(to="parsel").json()["text"]


@pytest.mark.parametrize(
    "wish",
    [
        {"table": 7},
        {"table": -1},
        {"to": "exe"},
        {"columns": "all"},
        {"columns": [3]},
        {"columns": ["x\n"]},
        {"columns": [None] * 50},
        {"columns": ["a", "a"]},
        {"records": "none_such"},
    ],
    ids=str,
)
def test_tables_that_cannot_be_kept(ask: Any, wish: dict[str, Any]) -> None:
    answer = ask(**wish)
    assert answer.status_code == 400
    assert answer.json()["error"]


@pytest.mark.browser
def test_edit_and_keep_a_table(seen: Watched) -> None:
    seen.open("example-listing")
    page = seen.page
    page.click("#tab-records")
    page.click("[data-edit='0']")
    page.fill("th input >> nth=0", "título")
    page.keyboard.press("Tab")
    page.click("th:nth-child(2) button")  # drops url
    page.click("[data-edit='0']")
    heads = page.locator("th button").all_inner_texts()
    assert heads[0].startswith("título")
    assert not any(head.startswith("url") for head in heads)
    with page.expect_download() as waiting:
        page.click("[data-csv='0']")
    first = Path(waiting.value.path()).read_text("utf-8").splitlines()[0]
    assert first.startswith("título,location")
    page.click("[data-wrapper='0'] summary")
    with page.expect_download() as waiting:
        page.click("[data-form='wrapper']")
    assert waiting.value.suggested_filename == "listing.wrapper.json"
    wrapper = Wrapper.load(Path(waiting.value.path()))
    assert wrapper.columns[0].name == "título"


@pytest.mark.browser
def test_the_table_scrolls_in_sight(seen: Watched) -> None:
    seen.open("example-listing")
    page = seen.page
    page.click("#tab-records")
    box = page.locator(".table-scroll")
    wide, shown = box.evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert wide > shown
    place = box.bounding_box()
    panel = page.locator("#panel").bounding_box()
    assert place["y"] + place["height"] <= panel["y"] + panel["height"]  # its bar is not below
    box.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(500)
    assert box.evaluate("e => e.scrollLeft") > 0


@pytest.mark.browser
def test_single_cells_are_marked_and_survive_a_reload(seen: Watched) -> None:
    """One block holds seller and date; a click says which of the two is meant."""
    seen.open("example-listing")
    page = seen.page
    page.click("#layers label:has-text('Records')")
    seen.click("Imobiliária Farol")
    assert page.inner_text("#inspector blockquote") == "Imobiliária Farol"
    page.click("#inspector [data-as='field']")
    assert page.input_value("#field-name") == "seller"
    page.click("#inspector form button")
    assert "marked: 1" in page.inner_text("#lesson")
    page.reload()
    page.wait_for_selector(READY, state="attached")
    assert "marked: 1" in page.inner_text("#lesson")
    page.click("#preview-rules")
    page.wait_for_selector("#gold li")
    shown = page.inner_text("#gold")
    assert "10, with seller" in shown
    assert "Imobiliária Farol" in shown
    assert "hoje" not in shown
    page.click("#lesson button:text-is('Discard')")
    page.reload()
    page.wait_for_selector(READY, state="attached")
    assert page.is_hidden("#lesson")


@pytest.mark.browser
def test_cells_are_reached_by_keyboard(seen: Watched) -> None:
    seen.open("example-listing")
    page = seen.page
    page.click("#layers label:has-text('Records')")
    page.focus("#stage")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert page.inner_text("#inspector header").startswith("Cell")


@pytest.mark.browser
def test_segments_and_posts_are_lists(seen: Watched) -> None:
    seen.open("example-forum")
    page = seen.page
    page.click("#tab-segments")
    parts = joeira.segment((EXAMPLES / "forum.html").read_bytes())
    assert page.locator(".segments li").count() == len(parts)
    page.click("#tab-posts")
    posts = joeira.extract((EXAMPLES / "forum.html").read_bytes()).posts
    assert page.locator(".posts header b").all_inner_texts() == [post.author for post in posts]
    assert posts[1].text[:40] in page.inner_text(".posts")
    page.click(".posts button >> nth=2")
    page.wait_for_selector(".box.flash", state="attached")
    seen.open("example-documentation")
    assert page.locator("#tab-posts").count() == 0


@pytest.mark.browser
def test_the_toolbar_stays_where_it_is(seen: Watched) -> None:
    seen.open("example-listing")
    page = seen.page
    places = []
    for layer in ("Content", "Segments", "Records", "Plain"):
        page.click(f"#layers label:has-text('{layer}')")
        boxes = [page.locator(name).bounding_box() for name in ("#layers", "#plot", "#stage")]
        places.append([(box["x"], box["y"]) for box in boxes])
    assert all(place == places[0] for place in places)
    seen.paste(f"<title>{'A long title of many words. ' * 20}</title><p>And a few words of text.")
    title = page.locator("#page-title").bounding_box()
    assert title["height"] > 30  # two lines
    box = page.locator("#layers").bounding_box()
    assert (box["x"], box["y"]) == places[0][0]


@pytest.mark.browser
def test_the_plot_fits_a_phone(seen: Watched) -> None:
    page = seen.page
    page.set_viewport_size({"width": 390, "height": 800})
    seen.open("example-listing")
    page.click("#switch button >> nth=0")
    for plot in ("score", "slope", "paths"):
        page.select_option("#plot", plot)
        outside = page.evaluate(
            """() => {
                const gutter = document.getElementById("gutter").getBoundingClientRect();
                const shapes = [...document.querySelectorAll("#gutter *")];
                const isOutside = ({ left, right }) =>
                    left < 0 || left < gutter.left - 1 || right > gutter.right + 1;
                return shapes.filter((shape) => isOutside(shape.getBoundingClientRect())).length;
            }"""
        )
        assert outside == 0, plot
