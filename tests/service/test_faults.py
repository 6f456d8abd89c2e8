"""Pages that take their process with them: they get an error, and everybody else an answer."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from support import poison
from support.service import RAIN, Service

STATUS = {"segfault": 500, "exit": 500, "loop": 504, "bomb": 413}


def ask(service: Service, html: str) -> httpx.Response:
    """Ask over a connection of its own, from any thread."""
    return httpx.post(f"{service.url}/v1/extract?method=all_text", content=html, timeout=60)


def wait_for(service: Service, **wanted: int) -> None:
    """Wait until so many calls run and wait."""
    while not service.get("/health").json().items() >= wanted.items():
        time.sleep(0.01)


@pytest.mark.parametrize("kind", STATUS)
def test_poison_is_told_and_takes_nobody_with_it(strict: Service, kind: str) -> None:
    with ThreadPoolExecutor(1) as clients:
        poisoned = clients.submit(ask, strict, poison.page(kind))
        if STATUS[kind] == 504:  # it is still at work when others have their answers
            wait_for(strict, running=1)
        assert ask(strict, RAIN).status_code == 200
        assert STATUS[kind] != 504 or not poisoned.done()
        answer = poisoned.result()
    assert answer.status_code == STATUS[kind]
    assert answer.json()["error"]
    assert "Traceback" not in answer.text
    assert ask(strict, RAIN).status_code == 200


def test_overload_is_told_at_once(strict: Service) -> None:
    """Two workers hang and one request waits: the next is told when to come back.

    When the one that waits leaves, there is room again, and its page is not begun.
    """
    body = RAIN.encode()
    left = strict.metric("joeira_calls_total", end="left")
    with ThreadPoolExecutor(2) as clients:
        hanging = [clients.submit(ask, strict, poison.page("sleep")) for _ in range(2)]
        wait_for(strict, running=2)
        with socket.create_connection(("127.0.0.1", strict.port), 10) as waiting:
            waiting.sendall(strict.head(f"Content-Length: {len(body)}") + body)
            wait_for(strict, running=2, waiting=1)
            answer = ask(strict, RAIN)
            assert answer.status_code == 503
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.json()["cure"].startswith("try again in")
        wait_for(strict, running=2, waiting=0)
        assert strict.metric("joeira_calls_total", end="left") == left + 1
        assert {one.result().status_code for one in hanging} == {504}
    assert ask(strict, RAIN).status_code == 200
    assert strict.get("/health").json()["waiting"] == 0


def test_clients_that_leave_take_nothing_with_them(strict: Service) -> None:
    body = RAIN.encode()
    request = strict.head(f"Content-Length: {len(body)}") + body
    gate = threading.Barrier(8)

    def leave() -> None:
        gate.wait()
        for cut in (10, len(request) - 10, len(request)):
            with socket.create_connection(("127.0.0.1", strict.port), 10) as connection:
                connection.sendall(request[:cut])

    with ThreadPoolExecutor(8) as clients:
        for client in [clients.submit(leave) for _ in range(8)]:
            client.result()
    deadline = time.monotonic() + 20
    while True:
        now = strict.get("/health").json()
        if now["running"] == now["waiting"] == 0 == strict.metric("joeira_held_body_bytes"):
            break
        assert time.monotonic() < deadline, now
        time.sleep(0.05)
    assert ask(strict, RAIN).status_code == 200


def test_a_large_body_is_read_in_a_worker(strict: Service) -> None:
    """To say what is wrong with millions of fields takes seconds, in which others have answers."""
    body = "{" + ",".join(f'"field{number}": 1' for number in range(2000)) + "}"
    refused = strict.metric("joeira_calls_total", end="refused")
    answer = strict.post("/v1/extract", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"] == "field0: unknown field"
    assert strict.metric("joeira_calls_total", end="refused") == refused + 1
    long = RAIN + "<p>It went on and on, and nobody knew why.</p>" * 1000
    same = [
        strict.post("/v1/extract", json={"html": long}).json(),
        strict.post("/v1/extract", content=long.encode()).json(),
    ]
    assert same[0] == same[1]
    assert "nobody knew why" in same[0]["text"]
