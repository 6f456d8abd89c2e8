"""The viewer by the rules of axe-core: names, contrast, sizes, order."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from support.window import READY, Watched

pytestmark = pytest.mark.browser

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
EXTRA_RULES = {"label-content-name-mismatch": {"enabled": True}}
RUN = """async ([tags, rules]) => {
    // What a page of somebody else looks like is not for us to change.
    const options = { iframes: false, runOnly: { type: "tag", values: tags }, rules };
    const found = await axe.run({ exclude: [["iframe"]] }, options);
    const said = found.violations.flatMap((rule) => rule.nodes.map((node) =>
        `${rule.id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`));
    return [found.passes.length, said];
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core: from the package that brings it, or from a file."""
    named = os.environ.get("JOEIRA_AXE")
    package = find_spec("axe_playwright_python")
    folder = Path(package.origin or "").parent if package else Path()
    paths = [Path(named)] if named else sorted(folder.glob("**/axe.min.js")) if package else []
    if not paths:
        pytest.skip("no axe-core: pip install axe-playwright-python, or JOEIRA_AXE=axe.min.js")
    return paths[0].read_text("utf-8")


def findings(page: Any, axe: str) -> list[str]:
    """What axe-core has to say about what is shown."""
    page.wait_for_timeout(250)  # colours change slowly
    page.evaluate(axe)
    passes, found = page.evaluate(RUN, [TAGS, EXTRA_RULES])
    assert passes > 10  # it has looked
    return found


@pytest.fixture
def window(browser: Any, served: tuple[str, Path], request: pytest.FixtureRequest) -> Any:
    """A window with colours and a size; axe itself would not pass the policy of the viewer."""
    scheme, width = request.param
    context = browser.new_context(
        locale="en-GB",
        bypass_csp=True,
        color_scheme=scheme,
        viewport={"width": width, "height": 820},
    )
    yield Watched(context.new_page(), served[0])
    context.close()


WINDOWS = pytest.mark.parametrize(
    "window", [("light", 1300), ("dark", 1300), ("light", 390)], indirect=True, ids=str
)


@WINDOWS
def test_the_start_page(window: Watched, axe: str) -> None:
    window.open()
    window.page.wait_for_selector("#examples li")
    assert findings(window.page, axe) == []
    assert window.page.locator("h1:visible").count() == 1


@WINDOWS
def test_the_description_of_the_service(window: Watched, axe: str) -> None:
    window.page.goto(f"{window.url}/docs")
    assert findings(window.page, axe) == []


@WINDOWS
def test_every_tab(window: Watched, axe: str) -> None:
    page = window.page
    window.open("example-forum")
    if page.is_visible("#switch"):
        page.click("#switch button >> nth=0")
        assert findings(page, axe) == []
        page.click("#switch button >> nth=1")
    for tab in page.locator("#tabs .tab").all():
        tab.click()
        assert findings(page, axe) == [], tab.get_attribute("id")


@WINDOWS
def test_layers_blocks_marks_and_tables(window: Watched, axe: str) -> None:
    page = window.page
    window.open("example-listing")
    narrow = page.is_visible("#switch")
    if narrow:
        page.click("#switch button >> nth=0")
    for layer in ("Segments", "Records", "Content"):
        page.click(f"#layers label:has-text('{layer}')")
        assert findings(page, axe) == [], layer
    page.focus("#stage")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("c")  # a mark, and what it is worth
    page.click("#preview-rules")
    page.wait_for_selector("#rules li")
    assert findings(page, axe) == []
    page.select_option("#other", "bte")
    page.wait_for_selector(READY, state="attached")
    assert findings(page, axe) == []
    if narrow:
        page.click("#switch button >> nth=1")
    page.click("#tab-records")
    page.click("[data-edit='0']")
    page.click("[data-wrapper='0'] summary")
    assert findings(page, axe) == []


@WINDOWS
def test_the_help(window: Watched, axe: str) -> None:
    window.open()
    window.page.wait_for_selector("#examples li")
    window.page.click("#help")
    assert findings(window.page, axe) == []
