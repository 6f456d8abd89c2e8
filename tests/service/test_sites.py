"""Sites are learned, kept over a restart, used and forgotten."""

import sqlite3
from pathlib import Path

import pytest

import joeira
from joeira.errors import InputError
from joeira.service.guard import Problem
from joeira.service.store import FILE, Store
from support.command_line import joeira as run
from support.service import Service, service

WORDS = "rain river sand sun wind cloud storm field".split()
MENU = "<nav>Home About us Contact Subscribe to our letter</nav><footer>All rights kept</footer>"


def page(number: int) -> str:
    words = WORDS[number:] + WORDS[:number]
    text = "".join(
        f"<p>The {word} of day {number} was more than anybody had seen.</p>" for word in words
    )
    return f"<title>Day {number}</title>{MENU}<article><h1>Day {number}</h1>{text}</article>"


PAGES = [{"html": page(number)} for number in range(5)]


def test_a_site_lives_as_long_as_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    with service("--workers", "1", "--data", str(folder)) as first:
        answer = first.post("/v1/sites", json={"pages": PAGES, "name": "days"})
        assert answer.status_code == 201, answer.text
        site = answer.json()
        assert answer.headers["location"] == f"/v1/sites/{site['id']}"
        assert (site["name"], site["pages"], site["method"]) == ("days", 5, "template")
    with service("--workers", "1", "--data", str(folder)) as second:
        assert second.get("/v1/sites").json() == {"sites": [site]}
        path = f"/v1/sites/{site['id']}"
        shown = second.get(path).json()
        assert shown.items() >= site.items()
        assert shown["parameters"]
        html = page(7)
        found = second.post(f"{path}/extract?format=text", content=html).text
        model = joeira.learn_site(one["html"] for one in PAGES)
        assert found == model.extract(joeira.parse(html)).text()
        assert "The rain of day 7" in found
        assert "Subscribe" not in found
        by_json = second.post(f"{path}/extract", json={"html": html, "visible_only": True})
        assert by_json.json()["text"] == found
        assert second.metric("joeira_sites") == 1
        assert second.client.delete(path).status_code == 204
        for answer in (
            second.get(path),
            second.client.delete(path),
            second.post(f"{path}/extract", content=html),
        ):
            assert answer.status_code == 404
        assert second.get("/v1/sites").json() == {"sites": []}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"pages": []},
        {"pages": ["<p>text"]},
        {"pages": [{"url": "http://example.org"}]},
        {"pages": PAGES, "method": "bte"},
        {"pages": PAGES, "options": {"magic": 1}},
        {"pages": PAGES, "method": "content_extractor", "options": {"word_pattern": "(a+)+b"}},
        {"pages": PAGES, "name": "x" * 201},
    ],
)
def test_what_cannot_be_learned(running: Service, body: object) -> None:
    answer = running.post("/v1/sites", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_a_damaged_store_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 100)
    done = run("serve", "--port", "0", "--data", tmp_path)
    assert done.returncode == 1
    assert FILE in done.stderr
    assert "Traceback" not in done.stderr


def test_a_store_of_another_version_is_left_alone(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / FILE)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(InputError, match="version 99"):
        Store(tmp_path, 10)


def test_a_store_has_room_for_so_many(tmp_path: Path) -> None:
    store = Store(tmp_path, 2)
    for number in range(2):
        store.add(str(number), "template", 1, "{}")
    with pytest.raises(Problem, match="already"):
        store.add("2", "template", 1, "{}")
    assert [site.name for site in store.all()] == ["0", "1"]
    store.close()


def test_segments_of_a_site(running: Service) -> None:
    answer = running.post("/v1/sites", json={"pages": PAGES, "method": "som"})
    assert answer.status_code == 201, answer.text
    path = answer.headers["location"]
    html = page(7)
    found = running.post(f"{path}/segments", content=html).json()
    model = joeira.learn_site((one["html"] for one in PAGES), "som")
    wanted = [part.label for part in model.segment(joeira.parse(html))]
    assert [part["label"] for part in found["segments"]] == wanted
    assert running.post(f"{path}/segments?format=text", content=html).text
    wrong = running.post(f"{path}/extract", content=html)
    assert wrong.status_code == 409
    assert wrong.json()["cure"] == f"POST {path}/segments"
    assert running.client.delete(path).status_code == 204
