"""Load on `joeira serve`: many clients over kept connections, while pages hang and crash.

    python benchmarks/service.py --seconds 60
    python benchmarks/service.py --seconds 60 --calm
    python benchmarks/service.py --seconds 600 --calm --kilobytes 100 --rude
    python benchmarks/service.py --seconds 60 --isolation --timeout 10

Once a second one page hangs and another takes its process with it, as the test hook of the workers
has it. With ``--isolation`` clients are watched twice: alone, and beside one client that sends
pages of 20 MB and another whose pages take all the time that a page may have. With ``--rude`` other
clients follow: more at once than may wait, a thousand that leave at once, two hundred that send a
head or a body byte by byte; then the open files of the service are counted. A request counts as
dropped when its connection ends without an answer; a 503 is an answer. The CPU time of a request
hardly depends on what else the computer does, as the other figures do.
"""

import argparse
import asyncio
import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from timing import DATA_SET

ROOT = Path(__file__).resolve().parents[1]
POISON = ("loop", "segfault")
LARGE_BYTES = 20_000_000


@dataclass
class Seen:
    """What clients saw."""

    statuses: Counter[int] = field(default_factory=Counter)
    poisoned: Counter[str] = field(default_factory=Counter)
    milliseconds: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    dropped: int = 0
    drops: Counter[str] = field(default_factory=Counter)
    answering_seconds: float = 0.0
    """CPU time of the process that answers, ..."""
    working_seconds: float = 0.0
    """... and of those that work on pages."""


def head_of(path: str, body: bytes) -> bytes:
    """Return the head of a request."""
    method = "POST" if body else "GET"
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode()


class Client:
    """One kept connection."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str, body: bytes) -> int:
        """Return the status of an answer, all of which has been read."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        try:
            writer.write(head_of(path, body) + body)
            await writer.drain()
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
            await reader.readexactly(int(length[1]) if length else 0)
        except (OSError, asyncio.IncompleteReadError):
            writer.close()
            self._streams = None
            raise
        return int(answer.split(b" ", 2)[1])


async def visit(port: int, pages: list[bytes], end: float, seen: Seen) -> None:
    """Ask for page after page."""
    client = Client(port)
    number = id(client) % len(pages)
    while time.monotonic() < end:
        began = time.monotonic()
        number += 1
        try:
            status = await client.ask("/v1/extract?format=text", pages[number % len(pages)])
        except (OSError, asyncio.IncompleteReadError) as error:
            seen.dropped += 1
            seen.drops[repr(error)[:80]] += 1
            continue
        seen.statuses[status] += 1
        seen.milliseconds.append((time.monotonic() - began) * 1000)


async def poison(port: int, end: float, seen: Seen) -> None:
    """Send one page of each poison every second, each over a connection of its own."""
    tasks = set()

    async def send(kind: str) -> None:
        try:
            status = await Client(port).ask("/v1/extract", f"<p>poison:{kind};</p>".encode())
            seen.poisoned[f"{kind} {status}"] += 1
        except (OSError, asyncio.IncompleteReadError):
            seen.poisoned[f"{kind} dropped"] += 1

    while time.monotonic() < end:
        tasks |= {asyncio.create_task(send(kind)) for kind in POISON}
        await asyncio.sleep(1)
    await asyncio.gather(*tasks)


async def burden(port: int, page: bytes, end: float, seen: Seen, kind: str) -> None:
    """Send one difficult page after the other, each over a connection of its own."""
    while time.monotonic() < end:
        try:
            status = await Client(port).ask("/v1/extract?format=text", page)
            seen.poisoned[f"{kind} {status}"] += 1
        except (OSError, asyncio.IncompleteReadError):
            seen.poisoned[f"{kind} dropped"] += 1


async def watch(port: int, end: float, seen: Seen) -> None:
    """See how quickly the service says that it is well."""
    client = Client(port)
    while time.monotonic() < end:
        began = time.monotonic()
        await client.ask("/health", b"")
        seen.health.append((time.monotonic() - began) * 1000)
        await asyncio.sleep(0.2)


async def send_and_read(port: int, data: bytes) -> bytes:
    """Return all that a connection of its own says to some bytes, until it is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        return await reader.read()
    except OSError:
        return b""
    finally:
        writer.close()


async def leave(port: int, page: bytes) -> None:
    """Send a page and do not wait for the answer."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head_of("/v1/extract", page) + page)
        await asyncio.sleep(0.01)
        writer.transport.abort()
    except OSError:
        pass


async def dribble(port: int, start: bytes) -> float:
    """Send a byte each second after a start; return after how many seconds that was ended."""
    began = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(start)
        ended = asyncio.ensure_future(reader.read())
        while not ended.done():
            await asyncio.wait([ended], timeout=1)
            writer.write(b"x")
        await ended  # with what had not been read, the service resets the connection
    except OSError:
        pass
    finally:
        writer.close()
    return time.monotonic() - began


def open_files(pid: int) -> int:
    """Return how many files and connections a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208  (a list of names)


async def be_rude(pid: int, port: int, page: bytes) -> None:
    """Overload the service, leave it, keep it waiting, and print what was seen."""
    before = open_files(pid)
    last = head_of("/v1/extract", page).replace(b"Host", b"Connection: close\r\nHost") + page
    answers = await asyncio.gather(*(send_and_read(port, last) for _ in range(200)))
    counts = Counter(answer[9:12].decode() for answer in answers)
    refused = [answer for answer in answers if answer[9:12] == b"503"]
    told = sum(b"retry-after:" in answer.lower() for answer in refused)
    print(f"200 at once: {dict(counts)}, Retry-After in {told} of {len(refused)}")
    for _ in range(20):
        await asyncio.gather(*(leave(port, page) for _ in range(50)))
    starts = [b"GET /health HTTP/1.1\r\nHost: loc", head_of("/v1/extract", page) + page[:10]]
    seconds = await asyncio.gather(*(dribble(port, start) for start in starts * 100))
    print(f"200 slow clients: ended after {min(seconds):.1f} to {max(seconds):.1f} s")
    began = time.monotonic()
    while open_files(pid) > before and time.monotonic() - began < 30:
        await asyncio.sleep(0.1)
    print(f"open files: {before} before, {open_files(pid)} {time.monotonic() - began:.1f} s after")
    began = time.monotonic()
    status = await Client(port).ask("/v1/extract?format=text", page)
    print(f"the next page: {status} in {1000 * (time.monotonic() - began):.0f} ms")


def spent(pid: int) -> tuple[float, float]:
    """Return the CPU seconds of a process, and those of its children, also of dead ones."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0, 0.0
    user, system, *waited_for = (int(ticks) / os.sysconf("SC_CLK_TCK") for ticks in fields[11:15])
    return user + system, sum(waited_for) + sum(sum(spent(int(child))) for child in children)


async def load(
    pid: int, port: int, pages: list[bytes], wanted: argparse.Namespace, *, burdened: bool = False
) -> Seen:
    """Return what all clients saw together."""
    for _ in range(3 * wanted.workers):  # until all processes are warm
        await Client(port).ask("/v1/extract", pages[0])
    seen = Seen()
    before = spent(pid)
    end = time.monotonic() + wanted.seconds
    work = [visit(port, pages, end, seen) for _ in range(wanted.clients)]
    work += [watch(port, end, seen)]
    work += [] if wanted.calm or wanted.isolation else [poison(port, end, seen)]
    if burdened:
        large = b"".join(pages) * (LARGE_BYTES // sum(map(len, pages)) + 1)
        for kind, page in (("large", large[:LARGE_BYTES]), ("long", b"<p>poison:loop;</p>")):
            work.append(burden(port, page, end, seen, kind))
    await asyncio.gather(*work)
    after = spent(pid)
    seen.answering_seconds, seen.working_seconds = after[0] - before[0], after[1] - before[1]
    return seen


def read_pages(count: int, kilobytes: float | None) -> list[bytes]:
    """Return pages of the data set where there is one, else the examples; all or of one size."""
    from joeira.evaluation import datasets

    if DATA_SET.exists():
        rows = datasets.find(DATA_SET, None if kilobytes else count).rows()
        pages = [row.html.encode("utf-8", "replace") for row in rows]
        if kilobytes:
            pages = [page for page in pages if 0.8 < len(page) / 1000 / kilobytes < 1.2]
        return pages[:count]
    return [path.read_bytes() for path in sorted((ROOT / "examples").glob("*.html"))]


def main() -> None:
    """Run a service, load it, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--timeout", type=float, default=1, help="seconds of a page")
    parser.add_argument("--calm", action="store_true", help="no hanging and crashing pages")
    parser.add_argument("--isolation", action="store_true", help="beside large and long pages")
    parser.add_argument("--kilobytes", type=float, help="size of pages, about")
    parser.add_argument("--rude", action="store_true", help="then clients that leave or dawdle")
    wanted = parser.parse_args()
    pages = read_pages(200, wanted.kilobytes)
    options = ("--port", "0", "--workers", str(wanted.workers), "--timeout", str(wanted.timeout))
    places = (str(ROOT / "tests"), os.environ.get("PYTHONPATH"))
    service = subprocess.Popen(
        [sys.executable, "-m", "joeira", "serve", *options],
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, places)),
            "JOEIRA_TEST_WORKER_HOOK": "support.poison",
        },
    )
    assert service.stderr is not None
    try:
        said = service.stderr.readline()
        address = re.search(r":(\d+)\s*$", said)
        assert address, said
        time.sleep(1)
        rounds = (False, True) if wanted.isolation else (False,)
        found = [
            asyncio.run(load(service.pid, int(address[1]), pages, wanted, burdened=burdened))
            for burdened in rounds
        ]
        for seen in found:
            show(seen, pages, wanted)
        if wanted.rude:
            asyncio.run(be_rude(service.pid, int(address[1]), pages[0]))
    finally:
        service.terminate()
        service.wait()
    if wanted.isolation:
        alone, beside = (statistics.quantiles(seen.milliseconds, n=100)[94] for seen in found)
        print(f"p95 beside difficult pages: {beside / alone:.2f} times that without them")


def show(seen: Seen, pages: list[bytes], wanted: argparse.Namespace) -> None:
    """Print the figures."""
    steps = statistics.quantiles(seen.milliseconds, n=100)
    size = statistics.mean(map(len, pages)) / 1000
    print(f"{wanted.clients} clients, {wanted.seconds:g} s, {len(pages)} pages of {size:.0f} kB")
    print(f"{wanted.workers} workers, {os.cpu_count()} processors, limit {wanted.timeout:g} s")
    print(f"requests/s {len(seen.milliseconds) / wanted.seconds:.1f}")
    print(f"ms  p50 {steps[49]:.0f}  p95 {steps[94]:.0f}  max {max(seen.milliseconds):.0f}")
    each = 1000 / sum(seen.statuses.values())
    answering, working = seen.answering_seconds * each, seen.working_seconds * each
    print(f"CPU ms per request: {answering:.1f} to answer, {working:.1f} to work on the page")
    health = statistics.quantiles(seen.health, n=100)
    print(f"health ms  p50 {health[49]:.1f}  p99 {health[98]:.1f}  max {max(seen.health):.1f}")
    print(f"dropped {seen.dropped} {dict(seen.drops) or ''} answers {dict(seen.statuses)}")
    print(f"poison {dict(sorted(seen.poisoned.items()))}")


if __name__ == "__main__":
    main()
