"""Reads hostile pages, each in a process of its own with little memory and little time.

`main` imports everything once and forks for every page, so that a page costs what it costs and no
more; results are lines of JSON.
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
from pathlib import Path
from typing import Any

MEMORY = 512 * 2**20
SECONDS = 5.0

Request = tuple[str, list[int], int]
"""Name of a family, sizes of its pages, and how often to read each."""


def survey(requests: list[Request]) -> list[dict[str, Any]]:
    """Return what became of each family, told of its last page but for the seconds."""
    done = subprocess.run(
        [sys.executable, "-c", "from support.survey import main; main()"],
        input=json.dumps(requests).encode(),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _read(name: str, sizes: list[int], times: int) -> dict[str, Any]:
    import joeira
    from support.columns import fingerprint
    from support.hostile import FAMILIES, NEEDLE

    page: joeira.Page | None
    least, same = [], True
    for size in sizes:
        source = FAMILIES[name].make(size)
        seconds, prints = [], set()
        for _ in range(times):
            page = None  # one page at a time: the last must not count against this one
            # Time of the processor, not of the clock: the machine may be busy with other things.
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            start = time.process_time()
            page = joeira.parse(source)
            prints.add(fingerprint(page))
            seconds.append(time.process_time() - start)
            signal.setitimer(signal.ITIMER_PROF, 0)
        least.append(min(seconds))
        same = same and len(prints) == 1
    assert page is not None
    return {
        "seconds": least,
        "same": same,
        "found": NEEDLE in joeira.extract(page, "all_text").text(),
        "depth": int(page.depth.max(initial=0)),
        "notes": page.notes,
    }


def _limited(request: Request, output: int) -> None:
    # What the libraries map before the first page is read is theirs, not the page's.
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + MEMORY, mapped + MEMORY))
    try:
        result: dict[str, Any] = {"status": "ok", **_read(*request)}
    except MemoryError:
        result = {"status": "out of memory"}
    except BaseException as error:  # whatever it is, it is the result
        result = {"status": f"{type(error).__name__}: {error}"[:500]}
    os.write(output, json.dumps(result).encode())


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
    if number == signal.SIGPROF:
        return {"status": "out of time"}
    return {"status": f"killed by signal {number}"}


def main() -> None:
    requests = json.load(sys.stdin)
    _read("astral", [10], 1)  # fills the tables that every later page shares
    gc.disable()
    gc.freeze()  # a collection in a child would copy the memory it shares
    for request in requests:
        sys.stdout.write(json.dumps(_fork(tuple(request))) + "\n")
        sys.stdout.flush()
