"""Who may ask: tokens, Host and Origin."""

from collections.abc import Iterator

import pytest

from joeira.service import guard
from joeira.service.guard import Problem, Rates
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


def test_each_token_has_a_rate_of_its_own() -> None:
    tokens = ("--token", "one", "--token", "two")
    with service("--workers", "1", "--rate", "3", *tokens) as found:

        def ask(token: str) -> int:
            headers = {"Authorization": f"Bearer {token}"}
            return found.get("/v1/sites", headers=headers).status_code

        assert [ask("one") for _ in range(4)] == [200, 200, 200, 429]
        assert ask("two") == 200
        assert ask("three") == 401
        late = found.get("/v1/sites", headers={"Authorization": "Bearer one"})
        assert 0 < int(late.headers["retry-after"]) <= 20
        assert late.json()["error"] == "more than 3 requests per minute"
        assert found.get("/health").status_code == 200  # who watches is not counted


def test_rates_refill_and_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = Rates(60)
    for _ in range(60):
        rates.count("a", now=0.0)
    with pytest.raises(Problem):
        rates.count("a", now=0.5)
    rates.count("a", now=1.6)
    with pytest.raises(Problem):
        rates.count("a", now=1.7)
    monkeypatch.setattr(guard, "MAX_CLIENTS", 3)
    for name in "bcde":
        rates.count(name, now=2.0)
    assert len(rates._left) == 3
