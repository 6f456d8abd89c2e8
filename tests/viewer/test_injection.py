"""Nothing that a page, a name or an error says is ever run by the viewer's browser."""

import json
from html import escape

import pytest

from support import injection
from support.window import READY, Watched

pytestmark = pytest.mark.browser

VECTORS = injection.vectors()
BATCH = 266
PROSE = "The harbour was opened on Monday, after nine years of work, by the mayor of the town. "


def page_with(vectors: list[str]) -> str:
    """A page that brings vectors as markup, as words, as metadata, in records and in names."""
    words = "".join(f"<p>{PROSE}{escape(v)}</p>" for v in vectors)
    items = "".join(
        f'<li><a href="{escape(v)}" class="{escape(v)}">{escape(v)}</a><b>{n} €</b>{PROSE}</li>'
        for n, v in enumerate(vectors)
    )
    metas = "".join(
        f'<meta name="{name}" content="{escape(v)}">'
        for v in vectors
        for name in ("author", "description", "og:title")
    )
    linked = {"@type": "Article", "headline": vectors[0], "author": {"name": vectors[-1]}}
    data = json.dumps(linked).replace("<", "\\u003c")
    return (
        f"<html><head><title>{escape(vectors[0])}</title>{metas}"
        f'<script type="application/ld+json">{data}</script></head><body>'
        f"<h1>{escape(vectors[-1])}</h1>{words}<ul>{items}</ul>"
        f"{''.join(f'<div>{PROSE}{v}</div>' for v in vectors)}</body></html>"
    )


def test_there_are_enough_of_them() -> None:
    assert len(VECTORS) >= 300


def test_what_runs_is_heard(seen: Watched) -> None:
    seen.open("example-article")
    seen.page.evaluate("alert('heard')")
    assert seen.ran() == ["heard"]


def test_should_cleaning_fail_the_frame_still_runs_nothing(seen: Watched) -> None:
    """A frame with the raw page: the sandbox and the policy have to hold alone."""
    page = seen.page

    def raw(route) -> None:
        answer = route.fetch()
        data = answer.json()
        data["frame"] = page_with(VECTORS[:BATCH])
        route.fulfill(response=answer, json=data)

    page.route("**/v1/viewer/pages/*", raw)
    seen.open("example-article")
    page.wait_for_timeout(500)  # images fail, frames load: not at once
    assert page.frame_locator("#frame").locator("img, svg, script").count() > 10
    assert seen.ran() == []
    seen.errors.clear()  # the browser tells of everything it refuses
    seen.foreign.clear()


@pytest.mark.parametrize("start", range(0, len(VECTORS), BATCH))
def test_nothing_in_a_page_is_run(seen: Watched, start: int) -> None:
    seen.paste(page_with(VECTORS[start : start + BATCH]))
    page = seen.page
    for tab in ("markdown", "json", "records", "metadata", "blocks"):
        page.click(f"#tab-{tab}")
    for layer in ("segments", "records", "plain", "content"):
        page.check(f"#layers input[value={layer}]", force=True)
    page.click("#panel [data-block] >> nth=4")
    page.click("#inspector summary")
    if start == 0:
        page.select_option("#other", "bte")
        page.wait_for_selector(".versus")
    assert seen.ran() == []
    assert page.frame_locator("#frame").locator("script, iframe, object, embed, link").count() == 0


def test_nothing_in_names_and_errors_is_run(seen: Watched) -> None:
    page = seen.page

    def told(route) -> None:  # what the service says, with a vector wherever it can say something
        answer = route.fetch()
        data = answer.json()
        data["pages"] = [{"id": v, "name": v} for v in VECTORS]
        data["examples"] = [{"id": v, "name": v, "title": v} for v in VECTORS]
        route.fulfill(response=answer, json=data)

    page.route("**/v1/viewer/start", told)
    page.goto(seen.url)
    page.wait_for_selector(f"#examples li >> nth={len(VECTORS) - 1}")
    assert page.inner_text("#given li >> nth=0").startswith(VECTORS[0][:10])
    everything = "\n".join(VECTORS)
    refused = {"error": everything, "cure": everything}
    page.route("**/v1/viewer/pages?*", lambda route: route.fulfill(status=400, json=refused))
    page.fill("#paste", "x")
    page.click("#paste-form button")
    page.wait_for_selector("#notice")
    assert VECTORS[0] in page.inner_text("#notice")
    assert seen.ran() == []
    seen.errors.clear()  # the browser notes every answer of 400


@pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>.html", "'\"><svg onload=alert(1)>"])
def test_nothing_in_a_file_name_is_run(seen: Watched, name: str) -> None:
    page = seen.page
    page.goto(seen.url)
    page.wait_for_selector("#examples li")
    file = {"name": name, "mimeType": "text/html", "buffer": b"<p>A page"}
    page.set_input_files("#file", files=[file])
    page.wait_for_selector(READY, state="attached")
    assert name.rpartition("/")[2][:20] in page.inner_text("#page-facts")
    assert seen.ran() == []


def test_no_answer_of_the_service_is_run(seen: Watched) -> None:
    for path in (
        "v1/viewer/pages/example-article?method=<script>alert(1)</script>",
        "v1/viewer/pages/<script>alert(1)</script>",
        "viewer/<script>alert(1)</script>",
        "v1/viewer/pages/example-article/source?row=<script>alert(1)</script>",
        "v1/viewer/pages/example-article/source?row=40",
    ):
        answer = seen.page.goto(f"{seen.url}/{path}")
        assert answer.headers["content-type"].startswith("application/json")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert seen.ran() == []
    seen.errors.clear()
