"""The viewer's routes: what they give, and what they refuse."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

httpx = pytest.importorskip("httpx", reason="the tests of the service need httpx")
DATA = "/v1/viewer"


@pytest.fixture(scope="module")
def client(served: tuple[str, Path]) -> Iterator["httpx.Client"]:
    with httpx.Client(base_url=served[0], timeout=120) as found:
        yield found


def test_the_files_of_the_viewer(client: "httpx.Client") -> None:
    for path, kind in (
        ("/", "html"),
        ("/viewer/app.js", "javascript"),
        ("/viewer/tokens.css", "css"),
    ):
        answer = client.get(path)
        assert answer.status_code == 200
        assert kind in answer.headers["content-type"]
        assert "script-src 'self';" in answer.headers["content-security-policy"]
        assert "'unsafe-eval'" not in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    "name", ["..%2f__init__.py", "../routes.py", "%2e%2e%2froutes.py", "no.js", "static", "."]
)
def test_no_other_file(client: "httpx.Client", name: str) -> None:
    assert client.get(f"/viewer/{name}").status_code == 404


def test_a_page_is_sent_and_looked_at(client: "httpx.Client") -> None:
    body = '<meta charset="latin1"><title>É</title><p>Ação'.encode("latin-1")
    number = client.post(f"{DATA}/pages?name=../x/a.html", content=body).json()["id"]
    told = client.get(f"{DATA}/pages/{number}?method=all_text").json()
    assert told["name"] == "a.html"
    assert told["results"][0]["text"].strip() == "Ação"
    source = client.get(f"{DATA}/pages/{number}/source", params={"row": told["blocks"][-1]["row"]})
    assert source.json()["html"] == "<p>Ação</p>"


@pytest.mark.parametrize(
    "path, status",
    [
        ("/pages/sent-unknown", 404),
        ("/pages/example-article?method=none_such", 400),
        ("/pages/example-article?other=none_such", 400),
        ("/pages/example-article?segments=nce", 400),
        ("/pages/example-article?method=site", 400),
        ("/pages/example-article/source", 400),
        ("/pages/example-article/source?row=99999999", 200),
    ],
)
def test_what_cannot_be_shown(client: "httpx.Client", path: str, status: int) -> None:
    assert client.get(f"{DATA}{path}").status_code == status


@pytest.mark.parametrize(
    "body, status",
    [
        (b"no json", 400),
        (b"[]", 400),
        (b"{}", 400),
        (b'{"marks": []}', 400),
        (b'{"marks": [{"first": 0, "stop": 1, "as": "evil"}]}', 400),
        (b'{"marks": [{"first": 0, "stop": 1, "as": "noise"}], "method": "none_such"}', 400),
        (b'{"marks": ' + b"[" * 100_000, 400),
    ],
)
def test_marks_that_are_none(client: "httpx.Client", body: bytes, status: int) -> None:
    headers = {"Content-Type": "application/json"}
    answer = client.post(f"{DATA}/pages/example-article/marks", content=body, headers=headers)
    assert answer.status_code == status
    assert answer.json()["error"]


def test_other_web_sites_cannot_teach(client: "httpx.Client") -> None:
    marks = json.dumps({"marks": [{"first": 0, "stop": 1, "as": "noise"}], "save": True})
    path = f"{DATA}/pages/example-article/marks"
    plain = client.post(path, content=marks, headers={"Content-Type": "text/plain"})
    assert plain.status_code == 415
    foreign = {"Content-Type": "application/json", "Origin": "https://other.example"}
    assert client.post(path, content=marks, headers=foreign).status_code == 403


def test_addresses_are_not_fetched_unless_allowed(client: "httpx.Client") -> None:
    answer = client.post(f"{DATA}/pages?fetch=1&url=http://127.0.0.1/")
    assert answer.status_code == 403
