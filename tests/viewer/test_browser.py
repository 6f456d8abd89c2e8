"""The viewer in a real browser: what people do with it."""

import json
from pathlib import Path

import pytest

import joeira
from joeira import catalog
from joeira.evaluation import datasets
from support.command_line import EXAMPLES
from support.command_line import joeira as command
from support.window import READY, Watched

pytestmark = pytest.mark.browser

PAGE = """<html><head><title>Harbour</title><style>.side { float: right }</style></head><body>
<nav class="top"><a href="/a">Home</a> <a href="/b">About us</a></nav>
<div class="story"><h1>The harbour opens</h1>
<p>The new harbour was opened on Monday, after nine years of work, by the mayor of the town.</p>
<p>It has room for two hundred boats, and a ferry goes to the islands twice a day.</p>
<p>Read also: the ferry that never came, and other stories about the sea and its people.</p></div>
<div class="side">Buy <b>fishing rods</b> cheaply</div></body></html>"""


def test_paste_shows_page_and_result(seen: Watched) -> None:
    seen.paste(PAGE)
    page = seen.page
    assert page.inner_text("#page-title") == "Harbour"
    assert "two hundred boats" in page.inner_text("#markdown-result p >> nth=1")
    assert seen.text_of("Home").get_attribute("data-k") == "0"
    assert seen.text_of("two hundred").get_attribute("data-k") == "1"
    page.click("#panel button:text-is('source')")
    assert "two hundred boats" in page.inner_text("#markdown-source")
    page.click("#tab-text")
    assert "two hundred boats" in page.inner_text("#text-result")
    page.click("#tab-json")
    assert json.loads(page.inner_text("#json-result"))["method"] == "learned"


def test_drop_a_file_in_any_encoding(seen: Watched) -> None:
    page = seen.page
    page.goto(seen.url)
    page.wait_for_selector("#examples li")
    letters = list('<meta charset="latin1"><title>Café</title><p>Café à Lisboa'.encode("latin-1"))
    dropped = page.evaluate_handle(
        """(letters) => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(letters)], "café.html"));
            return data;
        }""",
        letters,
    )
    page.dispatch_event("body", "drop", {"dataTransfer": dropped})
    page.wait_for_selector(READY, state="attached")
    assert seen.text_of("Café à Lisboa").count() == 1
    assert page.inner_text("#page-facts").endswith("café.html")


def test_click_explains(seen: Watched) -> None:
    seen.paste(PAGE)
    seen.click("Buy")
    shown = seen.page.inner_text("#inspector")
    assert "dropped" in shown
    assert "score 0." in shown
    assert "/html/body/div[2]" in shown
    assert seen.page.locator("#inspector .reasons li").count() >= 1
    seen.page.click("#inspector summary")
    seen.page.wait_for_selector("#inspector pre:has-text('<b>fishing rods</b>')")


def test_methods_are_switched_and_compared(seen: Watched) -> None:
    seen.paste(PAGE)
    page = seen.page
    page.select_option("#method", "all_text")
    page.wait_for_selector("#markdown-result:has-text('About us')")
    page.select_option("#other", "bte")
    page.wait_for_selector(".versus .only-a:has-text('About us')")
    assert seen.text_of("About us").get_attribute("data-k") == "10"
    assert seen.text_of("two hundred").get_attribute("data-k") == "11"
    page.click(".versus .only-a:has-text('About us')")
    assert page.locator("#inspector .decision").count() == 2


def test_segments_and_records_have_methods_of_their_own(seen: Watched) -> None:
    seen.open("example-listing")
    page = seen.page
    assert page.locator("#layer-method select").count() == 0  # content has its own in the bar
    page.click("#layers label:has-text('Segments')")
    offered = page.locator("#segments-method option").all_inner_texts()
    assert offered == [entry.name for entry in catalog.entries("segments") if not entry.needs]
    html = (EXAMPLES / "listing.html").read_bytes()
    for method in ("headings", "density"):
        seen.pick("#segments-method", method)
        assert page.input_value("#segments-method") == method
        assert 0 < page.locator(".box.segment").count() <= len(joeira.segment(html, method))
    page.click("#layers label:has-text('Records')")
    page.click("#tab-records")
    for picker, method in (("#records-method", "tables"), ("#table-method", "mdr")):
        seen.pick(picker, method)
        assert page.input_value("#records-method") == page.input_value("#table-method") == method
        assert page.locator("#panel section").count() == len(joeira.find_records(html, method))
    assert page.input_value("#method") == "learned"


def test_a_method_that_cannot_be_asked_leaves_everything_as_it_was(seen: Watched) -> None:
    seen.open("example-listing")
    page = seen.page
    told = {"error": "no such thing"}
    page.route("**/v1/viewer/pages/*bte*", lambda route: route.fulfill(status=400, json=told))
    page.select_option("#method", "bte")
    page.wait_for_selector("#notice:has-text('no such thing')")
    assert page.input_value("#method") == "learned"
    seen.errors.clear()  # the browser notes every answer of 400


def test_records_are_sorted_and_downloaded(seen: Watched) -> None:
    seen.open("example-listing")
    page = seen.page
    page.click("#tab-records")
    page.click("th:has-text('price') button")
    heads = page.locator("th").all_inner_texts()
    column = next(n for n, head in enumerate(heads) if head.startswith("price"))
    cells = page.locator(f"tbody tr td:nth-child({column + 1})").all_inner_texts()
    prices = [int(cell.replace(".", "").replace("€", "")) for cell in cells if cell.strip()]
    assert prices == sorted(prices)
    assert len(prices) >= 8
    page.click("#layers label:has-text('Records')")
    (table,) = joeira.find_records((EXAMPLES / "listing.html").read_bytes())
    assert page.locator(".box.record").count() == len(table)
    assert page.locator(".box.cell").count() > 50
    with page.expect_download() as waiting:
        page.click("[data-csv='0']")
    assert Path(waiting.value.path()).read_text("utf-8") == table.to_csv(safe=True)
    assert waiting.value.suggested_filename == "listing.csv"


def test_segments_plots_and_metadata(seen: Watched) -> None:
    seen.open("example-article")
    page = seen.page
    page.click("#layers label:has-text('Segments')")
    labels = page.locator(".box.segment b").all_inner_texts()
    assert {"main", "header", "footer"} <= set(labels)
    height = page.locator("#frame").bounding_box()["height"]
    assert page.locator("#gutter").bounding_box()["height"] == pytest.approx(height, abs=2)
    for plot, shape in (("slope", "polyline"), ("paths", "circle"), ("score", "rect.kept")):
        page.select_option("#plot", plot)
        page.wait_for_selector(f"#gutter {shape}", state="attached")
    page.click("#tab-metadata")
    assert "json-ld" in page.inner_text("#panel")
    page.click("#panel button:text-is('show on the page') >> nth=0")
    page.wait_for_selector(".box.flash", state="attached")


def test_teach_by_clicking(seen: Watched, served: tuple[str, Path], tmp_path: Path) -> None:
    folder = served[1]
    seen.paste(PAGE)
    page = seen.page
    seen.click("Read also")
    page.click("#inspector [data-as='noise']")
    assert seen.text_of("Read also").get_attribute("data-k") == "0"
    seen.click("Buy")
    page.click("#inspector [data-as='field']")
    page.fill("#field-name", "offer")
    page.click("#inspector form button")
    page.click("#preview-rules")
    page.wait_for_selector("#rules li >> nth=1")
    page.click("#save-marks")
    page.wait_for_selector("#lesson-note:has-text('labels.jsonl')")

    rows = {row.id.partition("#")[0]: row for row in datasets.find(folder / "labels.jsonl").rows()}
    row = rows["pasted.html"]
    assert "two hundred boats" in row.text
    assert "Read also" not in row.text
    done = command("evaluate", folder / "labels.jsonl", "--methods", "all_text")
    assert done.returncode == 0
    assert "all_text" in done.stdout

    site = folder / "viewer-sites" / "pages.json"
    source = tmp_path / "page.html"
    source.write_text(PAGE, "utf-8")
    done = command("extract", source, "--site", site, "--to", "json")
    found = json.loads(done.stdout)
    assert "two hundred boats" in found["text"]
    assert "Read also" not in found["text"]
    assert found["fields"] == {"offer": ["Buy fishing rods cheaply"]}

    seen.page.reload()  # the page is in the address, and now there is a site to choose
    page.wait_for_selector(READY, state="attached")
    page.select_option("#method", "site")
    page.wait_for_selector("#markdown-result:not(:has-text('Read also'))")


def test_fields_of_a_list_become_records(seen: Watched, served: tuple[str, Path]) -> None:
    """Two clicks in a list, and the real program measures against all of it."""
    folder = served[1]
    seen.open("example-listing")
    page = seen.page
    for words, name in (("285.000 €", "price"), ("Apartamento T2 junto", "title")):
        seen.click(words)
        page.click("#inspector [data-as='field']")
        page.fill("#field-name", name)
        page.click("#inspector form button")
    page.click("#preview-rules")
    page.wait_for_selector("#gold li >> nth=2")
    assert "10, with price, title" in page.inner_text("#gold")
    assert "285.000 € · Moradia T3 com quintal" in page.inner_text("#gold")
    page.click("#save-marks")
    page.wait_for_selector("#lesson-note:has-text('labels.jsonl')")
    done = command(
        "evaluate", folder / "labels.jsonl", "--task", "records", "--methods", "auto,mdr"
    )
    assert done.returncode == 0, done.stderr
    assert "all tables" in done.stdout
    assert all(method in done.stdout for method in ("auto", "mdr"))
    site = folder / "viewer-sites" / "example-listing.json"
    done = command("extract", EXAMPLES / "listing.html", "--site", site, "--to", "json")
    fields = json.loads(done.stdout)["fields"]
    assert (len(fields["price"]), fields["title"][1]) == (10, "Apartamento T2 junto ao rio")


def test_all_by_keyboard(seen: Watched) -> None:
    seen.open("example-product")
    page = seen.page
    page.focus("#stage")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert "2 / " in page.inner_text("#inspector header") or "3 / " in page.inner_text(
        "#inspector header"
    )
    assert page.inner_text("#live").startswith("dropped:")
    page.keyboard.press("c")
    assert "marked: 1" in page.inner_text("#lesson")
    page.keyboard.press("u")
    page.keyboard.press("Escape")
    assert page.is_hidden("#inspector")
    page.focus("#tab-markdown")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("#tab-text", "aria-selected") == "true"
    page.keyboard.press("End")
    page.click("#panel [data-block='3']")
    assert page.is_visible("#inspector")


NAMELESS = """() => [...document.querySelectorAll("button, select, input, textarea, [role]")]
    .filter((e) => e.checkVisibility() && !["presentation", "alert"].includes(e.role))
    .filter((e) => !(e.innerText?.trim() || e.ariaLabel || e.title || e.labels?.length
        || e.getAttribute("aria-labelledby")))
    .map((e) => e.outerHTML.slice(0, 120))"""


def test_everything_has_a_name_in_both_languages(seen: Watched) -> None:
    page = seen.page
    page.goto(seen.url)
    page.wait_for_selector("#examples li")
    for _ in range(2):
        assert page.evaluate(NAMELESS) == []
        page.click("#language")
    page.click("#examples button >> nth=0")
    page.wait_for_selector(READY, state="attached")
    seen.click("Oonagh Pell")
    for language, word in (("pt", "Resultado"), ("en", "Result")):
        page.click("#language")
        assert page.get_attribute("html", "lang") == language
        assert page.get_attribute("#result", "aria-label") == word
        assert page.evaluate(NAMELESS) == []


def test_a_phone_shows_one_pane_at_a_time(seen: Watched) -> None:
    page = seen.page
    page.set_viewport_size({"width": 390, "height": 800})
    page.emulate_media(color_scheme="dark")
    seen.open("example-forum")
    assert page.get_attribute("html", "data-theme") == "dark"
    assert page.is_visible("#markdown-result")  # what was found comes first
    assert not page.is_visible("#stage")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click("#switch button >> nth=0")
    assert page.is_visible("#stage")
    assert not page.is_visible("#panel")
    assert page.locator("#gutter rect").count() > 10  # measured though it was hidden at first
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    "number, tab, button",
    [
        ("example-article", "segments", "#panel .segments button >> nth=5"),
        ("example-forum", "posts", "#panel .posts header button >> nth=1"),
        ("example-article", "metadata", "#panel button:text-is('show on the page') >> nth=0"),
        ("example-listing", "records", "#panel tbody tr >> nth=2"),
    ],
)
def test_a_phone_goes_to_the_page_to_show_a_place(
    seen: Watched, number: str, tab: str, button: str
) -> None:
    page = seen.page
    page.set_viewport_size({"width": 390, "height": 800})
    seen.open(number)
    page.click(f"#tab-{tab}")
    page.click(button)
    flash = page.wait_for_selector("#overlay .flash", state="attached")
    assert flash.bounding_box()["height"] > 10
    assert page.is_visible("#stage")


def test_the_chosen_tab_is_in_sight(seen: Watched) -> None:
    page = seen.page
    page.set_viewport_size({"width": 390, "height": 800})
    seen.open("example-article")
    seen.pick("#other", "bte")
    box = page.wait_for_selector("#tab-compare[aria-selected=true]").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


def test_the_heading_that_is_the_title_is_not_called_dropped(seen: Watched) -> None:
    page = seen.page
    seen.open("example-article")
    title = page.inner_text("#page-title")
    assert seen.text_of(title).get_attribute("data-k") == "title"
    assert "title" in page.inner_text("#legend")
    page.click("#tab-blocks")
    entry = page.locator("#panel .blocks button", has_text=title).nth(1)  # after that of the head
    assert entry.inner_text().startswith("title")
    entry.click()
    assert "the title above it" in page.inner_text("#inspector")


def test_a_cell_without_words_cannot_be_marked(seen: Watched) -> None:
    page = seen.page
    seen.open("example-listing")
    page.click("#layers label:has-text('Records')")
    page.focus("#stage")
    page.keyboard.press("ArrowDown")
    assert "no words" in page.inner_text("#inspector .teach")
    for key in "cnfu":
        page.keyboard.press(key)
    assert not page.is_visible("#lesson")


def test_no_method_keeps_more_words_than_there_are(seen: Watched) -> None:
    page = seen.page
    seen.open("example-listing")
    seen.pick("#other", "nce")  # keeps the title of the head, too
    page.wait_for_selector(".versus")
    for head in page.locator(".versus .head").all_inner_texts():
        kept, of, every = head.splitlines()[1].split()[:3]
        assert of == "of"
        assert int(kept) <= int(every)


def test_a_menu_closes_when_it_is_left(seen: Watched) -> None:
    page = seen.page
    seen.open("example-listing")
    page.click("#tab-records")
    menu = page.locator("[data-wrapper='0']")
    for leave in (lambda: page.keyboard.press("Escape"), lambda: page.click("#panel b >> nth=0")):
        menu.locator("summary").click()
        assert menu.get_attribute("open") is not None
        leave()
        assert menu.get_attribute("open") is None


def test_copying_says_whether_it_worked(seen: Watched) -> None:
    page = seen.page
    seen.open("example-article")
    copy = page.locator("#panel .panel-tools .push")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    copy.click()
    page.wait_for_selector("#panel :text('not allowed')")
    page.reload()
    page.wait_for_selector(READY, state="attached")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copy.click()
    page.wait_for_selector("#panel :text-is('Copied')")
    assert page.evaluate("navigator.clipboard.readText()").startswith("# Harbour town")
