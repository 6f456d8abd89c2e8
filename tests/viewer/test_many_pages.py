"""The viewer with a folder of pages: titles, a filter, and turning from page to page."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from joeira.viewer.pages import Shown, Styles, title_of
from support.command_line import COMMAND, environment
from support.window import READY, Watched

LONG = "a-very-long-name-without-any-blank-" * 5
PAGES = {
    "one.html": "<title>Boats &amp; harbours</title><p>The first page is about boats.",
    "two.html": "<title>\n  Bread \n baking</title><p>The second page is about bread.",
    "three.html": "<title>Boats of the north</title><link rel=stylesheet href=css/a.css>"
    "<p>The third page is about boats of the north.",
    f"{LONG[:100]}.html": "<p>The last page has no title.",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pages")
    for name, html in PAGES.items():
        (place / name).write_text(html, "utf-8")
    (place / "css").mkdir()
    (place / "css" / "a.css").write_text("p { background: rgb(0, 128, 0) }", "utf-8")
    return place


@pytest.fixture(scope="module")
def viewer(folder: Path) -> Iterator[str]:
    """The address of ``joeira view`` with the folder."""
    process = subprocess.Popen(
        [*COMMAND, "view", str(folder), "--no-browser"],
        stdout=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip().rstrip("/")
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


@pytest.fixture
def window(browser: Any, viewer: str) -> Iterator[Watched]:
    context = browser.new_context(locale="en-GB", viewport={"width": 1300, "height": 820})
    watched = Watched(context.new_page(), viewer)
    yield watched
    found = (watched.errors, watched.foreign)
    context.close()
    assert found == ([], [])


@pytest.mark.browser
def test_titles_can_be_filtered(window: Watched) -> None:
    page = window.page
    page.goto(f"{window.url}/")
    page.wait_for_selector("#given li")
    titles = page.locator("#given b").all_inner_texts()
    assert {"Boats & harbours", "Bread baking", "Boats of the north"} < set(titles)
    card = page.locator("#given button", has_text=LONG[:30]).bounding_box()
    words = page.locator("#given b", has_text=LONG[:30]).bounding_box()
    assert words["width"] <= card["width"]  # a long name wraps
    assert words["height"] > 30
    # Who names pages wants these first, and the window itself does not scroll beside them.
    assert page.locator("#given").bounding_box()["y"] < page.locator("#ways").bounding_box()["y"]
    assert page.evaluate("document.documentElement.scrollHeight") <= 820
    page.fill("#page-filter", "boats")
    assert page.locator("#given li").count() == 2
    assert page.inner_text("#given-count") == "2 of 4"
    page.fill("#page-filter", "north boats")
    assert page.locator("#given b").all_inner_texts() == ["Boats of the north"]


@pytest.mark.browser
def test_next_and_previous_go_over_what_the_filter_left(window: Watched) -> None:
    page = window.page
    page.goto(f"{window.url}/")
    page.wait_for_selector("#given li")
    page.fill("#page-filter", "boats")
    page.click("#given button >> nth=0")
    page.wait_for_selector(READY, state="attached")
    assert page.inner_text("#page-number") == "1 / 2"
    assert page.is_disabled("#previous")
    page.click("#next")
    page.wait_for_selector("#page-number:has-text('2 / 2')")
    page.wait_for_selector(READY, state="attached")
    assert page.is_disabled("#next")
    page.focus("#stage")
    page.keyboard.press("k")
    page.wait_for_selector("#page-number:has-text('1 / 2')")


@pytest.mark.browser
def test_a_page_is_drawn_with_the_styles_beside_it(window: Watched) -> None:
    page = window.page
    page.goto(f"{window.url}/")
    page.wait_for_selector("#given li")
    page.click("#given button:has-text('Boats of the north')")
    page.wait_for_selector("#style-note:visible")
    assert "linked style sheet is not loaded" in page.inner_text("#style-note")
    page.click("#draw")
    page.wait_for_selector("#dialog img")
    colour = page.evaluate(
        """async () => {
            const picture = document.querySelector("#dialog img");
            await picture.decode();
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [800, 100];
            const pen = canvas.getContext("2d");
            pen.drawImage(picture, 0, 0);
            return [...pen.getImageData(600, 25, 1, 1).data].slice(0, 3);
        }"""
    )
    assert colour == pytest.approx([0, 128, 0], abs=40)  # near an edge of a JPEG
    assert "1 of 1" in page.inner_text("#dialog")


@pytest.mark.browser
def test_the_bar_of_a_phone_has_room_for_the_arrows(window: Watched) -> None:
    page = window.page
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{window.url}/#page-1")
    page.wait_for_selector("#pager:visible")
    tops = {round(page.locator(name).bounding_box()["y"]) for name in ("#next", "#open", "#help")}
    assert len(tops) == 1


@pytest.mark.browser
def test_pages_without_linked_styles_say_nothing_of_them(window: Watched) -> None:
    window.page.goto(f"{window.url}/")
    window.page.wait_for_selector("#given li")
    window.page.click("#given button:has-text('Bread baking')")
    window.page.wait_for_selector(READY, state="attached")
    assert window.page.is_hidden("#style-note")


def test_titles_are_read_without_parsing(tmp_path: Path) -> None:
    latin = '<meta charset="latin1"><title>Café à Lisboa</title>'.encode("latin-1")
    (tmp_path / "a.html").write_bytes(latin)
    assert title_of(Shown("a", path=tmp_path / "a.html")) == "Café à Lisboa"
    assert title_of(Shown("gone", path=tmp_path / "gone.html")) == "gone"
    assert title_of(Shown("none", html="<p>no title")) == "none"
    assert title_of(Shown("x", html="<title lang=en>A\x00\u202e B</title>")) == "A B"
    assert len(title_of(Shown("x", html=f"<title>{'long ' * 150}"))) <= 200
    assert title_of(Shown("x", html="<title " * 20_000)) == "x"  # and soon


def test_only_styles_near_a_page_are_read(folder: Path, tmp_path: Path) -> None:
    (folder / "css" / "outside.css").symlink_to(tmp_path / "secret.css")
    (tmp_path / "secret.css").write_text("p { color: red }")
    styles = Styles(folder / "one.html", False, 1.0)
    near = "http://page.invalid/"
    assert styles.load(f"{near}css/a.css") == b"p { background: rgb(0, 128, 0) }"
    for name in ("one.html", "../secret.css", "%2e%2e/secret.css", "css/outside.css", "gone.css"):
        assert styles.load(near + name) is None, name
    assert styles.load("http://127.0.0.1/a.css") is None  # nobody allowed to fetch
    for _ in range(100):
        styles.load(f"{near}css/a.css")
    assert styles.load(f"{near}css/a.css") is None  # one page has so many, and no more
