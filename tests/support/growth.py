"""Runs every public function on growing pages, each case in a process with little memory.

A case is a function and a family of pages. It is run on pages of three sizes, each twice the one
before; told are the seconds of the processor and the megabytes that each took at most, on top of
what the process had before. `main` imports everything once and forks for every case.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any

import joeira
from joeira import catalog
from support.hostile import FAMILIES, PARAGRAPH, Family

MEMORY = 512 * 2**20
SECONDS = 20
MAX_EXPONENT = 1.3
CLOCK = 0.1
"""Seconds below which the time of the longest page tells nothing about growth."""

Source = str | bytes


def _table(number: int) -> str:
    return f"<table><tr><th>Name<th>Age<tr><td>a{number}<td>{number}<tr><td>b<td>7</table>"


def _comment(number: int) -> str:
    return f"<div class=comment><b>Ann {number}</b> <time>2024-01-02</time><p>Yes, {number}.</div>"


def _styled(css: Callable[[int], str]) -> Family:
    """Return pages with several headings, as only these ask what styles hide."""
    headings = (
        "<div></div><p class=y></p><h1 class=x>Some news</h1><h1>More</h1><h1>Other news</h1>"
    )
    return Family(lambda size: f"<style>{css(size)}</style>{headings}{PARAGRAPH}", 40_000, 160_000)


def _numbered(piece: Callable[[int], str]) -> Callable[[int], str]:
    return lambda size: PARAGRAPH + "".join(map(piece, range(size)))


LONGEST_PAGES = {
    "500,000 blocks": Family(lambda size: "<p>a" * 500_000),
    "20 MB of text": Family(lambda size: "lorem ipsum, dolor " * 1_052_000),
    "20 MB of NUL": Family(lambda size: "\0" * 20_000_000),
    "20 MB of entities and tags": Family(lambda size: "&amp;<b>" * 2_500_000),
}
"""Pages beyond all limits, of one size."""
PAGES: dict[str, Family] = FAMILIES | {
    "tables": Family(_numbered(_table), 400, 4_000),
    "comments under an article": Family(_numbered(_comment), 400, 4_000),
    "list of links": Family(
        _numbered(lambda i: f"<li class=item><a href=/p/{i}>Title {i}</a> <b>{i} EUR"), 400, 4_000
    ),
    "article": Family(
        _numbered(lambda i: f"<p class=c{i % 9}>Some {i} words, and then {i * 7} more of them."),
        400, 8_000,
    ),
}  # fmt: skip
SHEETS = {
    "rules": _styled(lambda n: "div~.y+h1.x{display:none}" * (n // 8)),
    "long selector": _styled(lambda n: f"{'.x' * n} p+h1{{display:none}}"),
    "selector of many steps": _styled(lambda n: f"{'div ' * n}p+h1{{display:none}}"),
    "states": _styled(lambda n: f"h1{':a' * n}{{display:none}}"),
    "open brackets": _styled(lambda n: f"h1{'[' * n}{{display:none}}"),
    "rules in rules": _styled(lambda n: "p,div,h1{" * n + "display:none"),
    "lists in lists": _styled(lambda n: f"{'p,' * n}h1{{{'x,' * n}h1{{display:none}}}}"),
    "layers in layers": _styled(lambda n: f"@layer {'a.' * n}b{{h1{{display:none}}}}"),
    "layers in a long layer": _styled(
        lambda n: f"@layer {'b' * (n // 2)}{{@layer {'a,' * (n // 4)}b;h1{{display:none}}}}"
    ),
    "numbered layers in a long layer": _styled(
        lambda n: f"@layer {'b' * n}{{@layer {','.join(map(str, range(n // 7)))};}}"
    ),
    "rules in a long list": _styled(
        lambda n: f"{'p,' * (n // 4)}h1{{{'&{display:none}' * (n // 30)}}}"
    ),
    "rules in a long scope": _styled(
        lambda n: f"@scope ({'p,' * (n // 4)}h1){{{'&.x h1{display:none}' * (n // 40)}}}"
    ),
    "spaces in a query": _styled(lambda n: f"@media (a{' ' * n}b){{h1{{display:none}}}}"),
    "digits in a query": _styled(lambda n: f"@media (width>{'0' * n}!){{h1{{display:none}}}}"),
    "signs in a query": _styled(
        lambda n: f"@media (width>calc({'-' * n}1px)){{h1{{display:none}}}}"
    ),
}
"""Pages whose style sheets are made to be read slowly."""
PAGES |= SHEETS
QUICK_PAGES = ("tables", "list of links", "article", "text", "nested div")
"""Pages of the short run: many tables, many records, many blocks, one long block, much depth."""


def _learned(task: str, method: str) -> Callable[[Source], object]:
    def run(source: Source) -> object:
        model = joeira.learn_site([source, source, PARAGRAPH], method)
        page = joeira.parse(source)
        return model.segment(page) if task == "site_segments" else model.extract(page).text()

    return run


def _records(method: str) -> Callable[[Source], object]:
    def run(source: Source) -> object:
        return [
            (t.to_dict(), t.to_csv(), t.to_markdown()) for t in joeira.find_records(source, method)
        ]

    return run


def _output(name: str) -> Callable[[Source], object]:
    return lambda source: getattr(joeira.extract(source), name)()


def functions() -> dict[str, Callable[[Source], object]]:
    """Return every public function that reads a page, and every method, by name."""
    found: dict[str, Callable[[Source], object]] = {
        f"extract, {entry.name}": lambda source, name=entry.name: joeira.extract(
            source, name
        ).text()
        for entry in catalog.entries("content")
    }
    found |= {
        f"segment, {entry.name}": lambda source, name=entry.name: [
            region.text for region in joeira.segment(source, name)
        ]
        for entry in catalog.entries("segments")
        if entry.name != "vips"  # works in a browser, whose memory is not this process's
    }
    found |= {
        f"find_records, {entry.name}": _records(entry.name) for entry in catalog.entries("records")
    }
    for task in catalog.SITE_TASKS:
        found |= {
            f"learn_site, {entry.name}": _learned(task, entry.name)
            for entry in catalog.entries(task)
        }
    found |= {name: _output(name) for name in ("text", "markdown", "html", "to_dict", "report")}
    found["metadata"] = lambda source: joeira.extract(source, "all_text").metadata.to_dict()
    found["explain"] = lambda source: [block.reason for block in joeira.extract(source).explain()]
    found["visible"] = lambda source: joeira.extract(source, "all_text", visible_only=True).text()
    return found


@dataclass(frozen=True)
class Growth:
    """What one case took at each size."""

    function: str
    pages: str
    status: str
    seconds: tuple[float, ...] = ()
    megabytes: tuple[float, ...] = ()

    @property
    def exponent(self) -> float | None:
        """The power of the size that the time grows with; None where the time is too short."""
        if len(self.seconds) < 2 or self.seconds[-1] < CLOCK:
            return None
        steps = len(self.seconds) - 1
        return log2(self.seconds[-1] / max(self.seconds[0], 1e-4)) / steps

    @property
    def is_fine(self) -> bool:
        """Was all done within the limits, in time that grows little faster than the page?"""
        return self.status == "ok" and (self.exponent or 0) <= MAX_EXPONENT


Request = tuple[str, str, list[int], int]
"""Function, family of pages, sizes, and how often to run each."""


def measure(requests: Iterable[Request]) -> list[Growth]:
    """Return what each case took. One that seems slow is run again: chance is not slow twice."""
    asked = list(requests)
    measured = _run(asked)
    slow = [number for number, growth in enumerate(measured) if not growth.is_fine]
    again = _run([(*asked[number][:3], 3) for number in slow])
    for number, growth in zip(slow, again, strict=True):
        measured[number] = growth
    return measured


def _run(requests: list[Request]) -> list[Growth]:
    done = subprocess.run(
        [sys.executable, "-c", "from support.growth import main; main()"],
        input=json.dumps(requests).encode(),
        stdout=subprocess.PIPE,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path]),
            "OPENBLAS_NUM_THREADS": "1",
        },
        check=True,
    )
    return [Growth(**json.loads(line)) for line in done.stdout.splitlines()]


def _megabytes(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def _grow(
    run: Callable[[Source], object], pages: str, sizes: list[int], times: int
) -> dict[str, Any]:
    seconds, megabytes = [], []
    for size in sizes:
        source = (PAGES | LONGEST_PAGES)[pages].make(size)
        least, peak = float("inf"), 0.0
        for _ in range(times):
            Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
            before = _megabytes("VmRSS")
            start = time.process_time()
            run(source)
            least = min(least, time.process_time() - start)
            peak = max(peak, _megabytes("VmHWM") - before)
        seconds.append(least)
        megabytes.append(peak)
    return {"seconds": seconds, "megabytes": megabytes}


def _limited(request: Request, output: int) -> None:
    name, pages, sizes, times = request
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + MEMORY, mapped + MEMORY))
    signal.setitimer(signal.ITIMER_PROF, SECONDS * times)  # of the processor: others may be busy
    told: dict[str, Any] = {"function": name, "pages": pages}
    try:
        told |= {"status": "ok", **_grow(functions()[name], pages, sizes, times)}
    except BaseException as error:  # whatever it is, it is the result
        told["status"] = f"{type(error).__name__}: {error}"[:300]
    os.write(output, json.dumps(told).encode())


def _fork(request: Request) -> dict[str, Any]:
    source, output = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        _limited(request, output)
        os._exit(0)
    os.close(output)
    with os.fdopen(source, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    if told:
        result: dict[str, Any] = json.loads(told)
        return result
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    why = "out of time" if number == signal.SIGPROF else f"killed by signal {number}"
    return {"function": request[0], "pages": request[1], "status": why}


def main() -> None:
    """Read requests from standard input; write what became of each, one line of JSON each."""
    requests = json.load(sys.stdin)
    for run in functions().values():
        run(PAGES["article"].make(30))  # loads what every later case shares
    gc.freeze()  # a collection in a child would copy the memory it shares
    for request in requests:
        sys.stdout.write(json.dumps(_fork(tuple(request))) + "\n")
        sys.stdout.flush()
