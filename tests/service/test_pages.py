"""The routes for single pages, and those about the service."""

import json
from pathlib import Path
from typing import Any

import pytest

import joeira
from joeira import catalog
from support.hostile import FAMILIES
from support.service import RAIN, SHOP, Service

JSON = {"Content-Type": "application/json"}


def test_raw_page_and_json_give_the_same(running: Service) -> None:
    raw = running.post("/v1/extract", content=RAIN, params={"url": "https://example.org/rain"})
    said = running.post("/v1/extract", json={"html": RAIN, "url": "https://example.org/rain"})
    assert raw.status_code == said.status_code == 200
    assert raw.headers["content-type"] == "application/json"
    assert raw.json() == said.json()
    found = raw.json()
    assert "the river left its bed" in found["text"]
    assert found["url"] == "https://example.org/rain"
    assert found == json.loads(
        json.dumps(joeira.extract(RAIN, url="https://example.org/rain").to_dict())
    )


@pytest.mark.parametrize(
    "path, form, media_type, words",
    [
        ("extract", "text", "text/plain", "left its bed"),
        ("extract", "markdown", "text/markdown", "bed.\n\nPeople"),
        ("extract", "html", "text/html", "<p>It rained"),
        ("segments", "json", "application/json", '"segments"'),
        ("segments", "text", "text/plain", "left its bed"),
        ("segments", "html", "text/html", "left its bed"),
        ("explain", "json", "application/json", '"blocks"'),
        ("explain", "html", "text/html", "left its bed"),
        ("metadata", "json", "application/json", '"structured"'),
    ],
)
def test_formats(running: Service, path: str, form: str, media_type: str, words: str) -> None:
    method = {"method": "bte"} if path != "segments" else {}
    answer = running.post(f"/v1/{path}", content=RAIN, params={"format": form, **method})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].partition(";")[0] == media_type
    assert words in answer.text
    if form == "html":
        assert "sandbox" in answer.headers["content-security-policy"]


def test_records_by_a_wrapper(running: Service) -> None:
    wrapper = joeira.learn_records(SHOP)
    asked = {"html": SHOP, "wrapper": wrapper.to_dict()}
    answer = running.post("/v1/records", json=asked).json()
    assert answer.get("method") == "wrapper", answer
    assert answer["tables"][0]["records"] == wrapper.extract(SHOP)[0].to_dicts()
    damaged = running.post("/v1/records", json={**asked, "wrapper": {"version": 1}})
    assert damaged.status_code == 400
    assert "not a wrapper" in damaged.text


def test_wrappers_are_learned(running: Service) -> None:
    asked: dict[str, Any] = {"pages": [{"html": SHOP}]}
    learned = running.post("/v1/records/learn", json=asked)
    assert learned.status_code == 200, learned.text
    assert learned.json() == {"wrapper": joeira.learn_records(SHOP).to_dict(), "reason": ""}
    asked["examples"] = ["no such value"]
    unknown = running.post("/v1/records/learn", json=asked).json()
    assert unknown["wrapper"] is None
    assert "no such value" in unknown["reason"]


def test_pages_of_a_list(running: Service) -> None:
    html = '<p>1 <a href="?page=2">2</a> <a href="?page=3">3</a> <a href="?page=2">Next »</a></p>'
    asked = {"html": html, "url": "https://example.org/list"}
    links = running.post("/v1/pages", json=asked).json()
    assert links["next"]["url"] == "https://example.org/list?page=2"
    assert len(links["numbered"]) == 2
    refused = running.post("/v1/pages", json={**asked, "method": "mdr"})
    assert refused.status_code == 400


@pytest.mark.parametrize("entry", catalog.entries("records"), ids=lambda entry: entry.name)
def test_every_record_method_has_the_filter_before_it(
    running: Service, entry: catalog.Entry
) -> None:
    asked = {"html": SHOP, "method": entry.name, "options": {"prefilter": "tps"}}
    filtered = running.post("/v1/records", json=asked)
    assert filtered.status_code == 200, filtered.text
    wanted = joeira.find_records(SHOP, entry.name, prefilter="tps")
    assert len(filtered.json()["tables"]) == len(wanted)
    query = {"method": entry.name, "set": "prefilter.frequent=above"}
    assert running.post("/v1/records", content=SHOP, params=query).status_code == 200
    wrong = {**asked, "options": {"prefilter": "none such"}}
    assert running.post("/v1/records", json=wrong).status_code == 400


def test_records(running: Service) -> None:
    table = running.post("/v1/records", json={"html": SHOP}).json()["tables"][0]
    assert len(table["records"]) == 8
    rows = running.post("/v1/records?format=jsonl", content=SHOP).text.splitlines()
    assert [json.loads(row) for row in rows] == table["records"]
    written = running.post("/v1/records?format=csv", content=SHOP)
    assert written.text == joeira.find_records(SHOP)[0].to_csv(safe=True)
    assert running.post("/v1/records?format=markdown", content=SHOP).text.startswith("| ")
    assert running.post("/v1/records?format=csv", content="<p>None").text == ""


def test_options_are_read_as_their_types(running: Service) -> None:
    page = {"html": RAIN, "method": "nce"}
    kept = running.post("/v1/extract", json={**page, "options": {"leaf_min_chars": 5.0}}).json()
    by_query = running.post("/v1/extract?method=nce&set=leaf_min_chars=5", content=RAIN).json()
    default = running.post("/v1/extract", json=page).json()
    assert kept["configuration"] == by_query["configuration"] != default["configuration"]


def test_lists_and_nothing_are_options_too(running: Service) -> None:
    listed = {"method": "gupta", "options": {"drop_tags": ["p"], "ad_hosts": []}}
    found = running.post("/v1/extract", json={"html": RAIN, **listed}).json()
    assert "left its bed" not in found["text"]
    by_query = running.post("/v1/extract?method=gupta&set=drop_tags=p&set=ad_hosts=", content=RAIN)
    assert by_query.json()["configuration"] == found["configuration"]
    none = {"html": RAIN, "method": "density", "options": {"min_density": None}}
    assert running.post("/v1/extract", json=none).status_code == 200


def test_json_wins_over_the_query(running: Service) -> None:
    answer = running.post(
        "/v1/extract?method=nce&format=text", json={"html": RAIN, "method": "bte", "format": "json"}
    )
    assert answer.json()["method"] == "bte"
    # A method and its parameters are said in one place: these are not for the one of the query.
    said = {"html": RAIN, "options": {"beta": 1}}
    answer = running.post("/v1/extract?method=nce&set=leaf_min_chars=5", json=said)
    assert answer.json()["method"] == "learned"


def test_hidden_text_can_be_left_out(running: Service) -> None:
    html = RAIN.replace(
        "</article>", "<p style=display:none>Nobody sees these words.</p></article>"
    )
    both = [
        running.post("/v1/extract", json={"html": html, "method": "all_text", "visible_only": only})
        for only in (False, True)
    ]
    assert ["Nobody" in answer.json()["text"] for answer in both] == [True, False]


def test_the_encoding_that_is_named_is_used(running: Service) -> None:
    html = "<p>Ação e reação são palavras com acentos.</p>".encode("cp1252")
    kind = {"Content-Type": "text/html; charset=iso-8859-1"}
    found = running.post("/v1/extract?method=all_text", content=html, headers=kind).json()
    assert found["text"].startswith("Ação e reação")


def test_content_never_is_an_error(running: Service) -> None:
    """Hostile pages are answered; the binary ones are as empty as anywhere."""
    pages = [b"\xff\xfe\x00", b"\x89PNG\r\n\x1a\n" * 99, "\ud800".encode("utf-8", "surrogatepass")]
    for family in FAMILIES.values():
        page = family.make(family.small // 10)
        pages.append(page if isinstance(page, bytes) else page.encode("utf-8", "replace"))
    for number, page in enumerate(filter(None, pages)):
        path = ("extract", "records", "segments", "explain", "metadata")[number % 5]
        answer = running.post(f"/v1/{path}", content=page)
        assert answer.status_code == 200, (path, page[:50], answer.text)
        answer.json()


def test_lone_surrogates_do_not_break_an_answer(running: Service) -> None:
    page = "<p>A broken &#xD800; character and enough words around it to be kept.</p>"
    assert running.post("/v1/extract?method=all_text&format=text", content=page).status_code == 200


def test_methods_are_described(running: Service) -> None:
    methods = running.get("/v1/methods").json()["methods"]
    assert [method["name"] for method in methods] == [
        entry.name for entry in catalog.entries() if not entry.needs
    ]
    nce = next(method for method in methods if method["name"] == "nce")
    assert nce["paper"]
    assert nce["parameters"][0]["default"] is not None


def test_health_and_metrics(running: Service) -> None:
    assert running.get("/health").json()["status"] == "ok"
    before = running.metric("joeira_calls_total")
    running.post("/v1/extract", content=RAIN)
    assert running.metric("joeira_calls_total") == before + 1
    text = running.get("/metrics").text
    assert 'joeira_requests_total{route="/v1/extract",status="200"}' in text
    assert 'joeira_request_seconds_bucket{route="/v1/extract",le="+Inf"}' in text
    running.get("/a/path/of/somebody")
    assert "somebody" not in running.get("/metrics").text


def test_the_description_knows_the_parameters_of_methods(running: Service) -> None:
    schemas = running.get("/openapi.json").json()["components"]["schemas"]
    choices = {choice["title"]: choice for choice in schemas["ExtractQuestion"]["oneOf"]}
    assert set(choices) == {entry.name for entry in catalog.entries("content")}
    assert "required" not in choices[catalog.DEFAULT_CONTENT]  # it need not be named
    name = choices["cetr"]["properties"]["options"]["$ref"].rpartition("/")[2]
    radius = schemas[name]["properties"]["radius"]
    assert (radius["minimum"], radius["maximum"], radius["default"]) == (0, 1000, 1)
    assert schemas[name]["properties"]["variant"]["enum"] == ["threshold", "clustering"]
    assert radius["description"]


def test_the_description_has_examples_that_work(running: Service) -> None:
    paths = running.get("/openapi.json").json()["paths"]
    for name in ("extract", "records", "segments", "explain", "metadata", "posts"):
        content = paths[f"/v1/{name}"]["post"]["requestBody"]["content"]
        assert running.post(f"/v1/{name}", json=content["application/json"]["example"]).json()
        assert running.post(f"/v1/{name}", content=content["text/html"]["example"]).json()


def test_metadata(running: Service) -> None:
    page = Path("examples/product.html").read_bytes()
    found = running.post("/v1/metadata", content=page).json()
    assert found["product"]["price"] == "48.50"
    assert "candidates" not in found
    rivals = running.post("/v1/metadata?candidates=true", content=page).json()["candidates"]
    assert rivals["product.price"][0]["source"] in ("json-ld", "microdata")
    assert rivals["title"][0]["value"] == found["title"]
    assert running.post("/v1/metadata?format=table", content=page).status_code == 400


def test_examples_of_the_project(running: Service) -> None:
    page = Path("examples/article.html").read_bytes()
    answer = running.post("/v1/extract?format=markdown", content=page)
    assert answer.text == joeira.extract(page).markdown()


def test_posts(running: Service) -> None:
    page = Path("examples/forum.html").read_bytes()
    found = running.post("/v1/posts", content=page).json()
    assert found["posts"] == [post.to_dict() for post in joeira.extract(page).posts]
    assert len(found["posts"]) == 5
    article = running.post("/v1/posts", content=Path("examples/article.html").read_bytes()).json()
    assert [post["author"] for post in article["comments"]]
    assert article["posts"] == []


def test_the_page_for_people(running: Service) -> None:
    answer = running.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert "script" not in policy
    assert "default-src 'none'" in policy
    assert "<script" not in answer.text
    own = answer.text.replace("http://127.0.0.1:8377/", "").replace(
        "http://www.w3.org/2000/svg", ""
    )
    assert "//" not in own  # nothing from elsewhere: the second is the name of a namespace
    for path in running.get("/openapi.json").json()["paths"]:
        assert f"</b> {path}</h3>" in answer.text
    for field in ("visible_only", "candidates", "format"):
        assert f"<code>{field}</code>" in answer.text
