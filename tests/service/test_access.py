"""Who may ask: tokens, Host and Origin."""

from collections.abc import Iterator

import pytest

from support.service import RAIN, Service, service

TOKEN = "grain-and-chaff"


@pytest.fixture(scope="module")
def locked() -> Iterator[Service]:
    with service("--workers", "1", "--hostname", "joeira.example", JOEIRA_TOKEN=TOKEN) as found:
        yield found


@pytest.mark.parametrize(
    "shown",
    ["", TOKEN, f"Basic {TOKEN}", "Bearer", "Bearer grain", f"Bearer {TOKEN}x", "Bearer ção"],
)
def test_without_the_token_nothing_is_done(locked: Service, shown: str) -> None:
    headers = [(b"Authorization", shown.encode())] if shown else []
    for method, path in (
        ("POST", "/v1/extract"),
        ("GET", "/v1/methods"),
        ("GET", "/metrics"),
        ("DELETE", "/v1/sites/x"),
    ):
        answer = locked.client.request(method, path, headers=headers)
        assert answer.status_code == 401, path
        assert answer.headers["www-authenticate"] == "Bearer"
        assert TOKEN not in answer.text


def test_with_the_token(locked: Service) -> None:
    headers = {"Authorization": f"bearer {TOKEN}"}
    assert locked.post("/v1/extract", content=RAIN, headers=headers).status_code == 200
    assert locked.get("/metrics", headers=headers).status_code == 200
    assert locked.get("/health").status_code == 200  # tells nothing, and monitors have no token


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8377",
        "127.0.0.1.evil.example",
        "localhost@evil.example",
        "10.0.0.1",
        "",
        "[::1",
        "localhost:x",
    ],
)
def test_a_foreign_host_is_refused(running: Service, host: str) -> None:
    for path in ("/health", "/v1/methods", "/"):
        answer = running.get(path, headers={"Host": host})
        assert answer.status_code == 403, path
        assert "joeira" not in answer.text


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8377", "joeira.example"]
)
def test_our_own_hosts(locked: Service, host: str) -> None:
    assert locked.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1", ""]
)
def test_a_foreign_origin_is_refused(running: Service, origin: str) -> None:
    answer = running.post("/v1/extract", content=RAIN, headers={"Origin": origin})
    assert answer.status_code == 403


def test_our_own_origin(running: Service) -> None:
    answer = running.post("/v1/extract", content=RAIN, headers={"Origin": running.url})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers
