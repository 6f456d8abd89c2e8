"""Look for pages on which a public function fails.

Mutants of the example pages, and of the benchmark's where it is at hand, go through every public
function and method in processes with little memory and little time. A finding is an error, a crash,
a page that takes too long or too much, two answers to one question, or an answer that is not what
it has to be: a script in HTML, a word that is neither kept nor dropped, half a surrogate in a text.
Each kind is told once, made as short as can be in a minute, and saved with what failed.

Examples:
  scripts/fuzz                      a minute, with a seed that it prints
  scripts/fuzz 30 --jobs 2          half an hour in two processes
  scripts/fuzz --seed 7 --first 41 --mutants 1      mutant 41 of seed 7 once more
  scripts/fuzz --replay out/fuzz/3f2a1c.html        a page that was saved
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import random
import resource
import selectors
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests")]

import joeira  # noqa: E402 - after the path of the tests
from support.mutants import Pages, Source, load_pages, mutant  # noqa: E402
from support.probes import URL, probes  # noqa: E402

BATCH = 500
"""Mutants of a process, after which a new one takes over."""
MINIMISING_SECONDS = 60
TWICE = 5
"""Of so many mutants one is asked everything twice."""


@dataclass(frozen=True)
class Limits:
    """What a public function may take for one page."""

    seconds: int
    """Of the processor."""
    megabytes: int


@dataclass(frozen=True)
class Failure:
    """How a public function failed."""

    function: str
    kind: str
    """``error``, ``crash``, ``time``, ``memory``, ``broken`` or ``unequal``."""
    message: str
    place: str = ""
    """Module and function of ours that the error comes from."""

    @property
    def signature(self) -> tuple[str, ...]:
        """What failures have in common that are most likely the same."""
        if self.kind in ("error", "memory") and self.place:
            return (self.kind, self.message.partition(":")[0], self.place)
        return (self.kind, self.function, self.message[:20] if self.kind == "broken" else "")


def failures(source: Source, names: list[str], twice: bool, tell: Callable[..., None]) -> None:
    """Tell of each function before it is called, and of those that fail.

    Functions that take too long end the process, as crashes do; who reads what is told sees which
    function was the last.
    """
    known = probes()
    page = _call("parse", tell, lambda: joeira.parse(source, URL))
    again = joeira.parse(source, URL) if twice and page is not None else None
    for name in names if page is not None else []:
        answer = _call(name, tell, known[name], page)
        if again is not None and answer is not None and known[name](again) != answer:
            tell(failure=asdict(Failure(name, "unequal", "another answer the second time")))


def _call(name: str, tell: Callable[..., None], function: Callable[..., Any], *given: Any) -> Any:
    tell(function=name)
    try:
        return function(*given)
    except MemoryError as error:
        tell(failure=asdict(Failure(name, "memory", "MemoryError", _place(error))))
    except AssertionError as error:
        tell(failure=asdict(Failure(name, "broken", f"{type(error).__name__}: {error}"[:300])))
    except Exception as error:
        message = f"{type(error).__name__}: {error}"[:300]
        tell(failure=asdict(Failure(name, "error", message, _place(error))))
    return None


def _place(error: BaseException) -> str:
    """Return the innermost function of ours."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "joeira" in Path(frame.filename).parts]
    return f"{Path(ours[-1].filename).stem}.{ours[-1].name}" if ours else ""


class Child:
    """A process with limits that tells of its work by lines of JSON."""

    def __init__(self, limits: Limits, work: Callable[[Callable[..., None]], None]) -> None:
        self.output, entry = os.pipe()
        self._told = b""
        self.process = os.fork()
        if self.process == 0:
            os.close(self.output)
            status = 1
            try:
                _limit(limits)
                work(lambda **message: _tell(entry, limits, message))
                status = 0
            except KeyboardInterrupt:
                status = 0
            finally:
                os._exit(status)
        os.close(entry)

    def messages(self) -> list[dict[str, Any]] | None:
        """Return what the process has said since it was last asked; None when it has ended."""
        read = os.read(self.output, 2**20)
        if not read:
            return None
        *lines, self._told = (self._told + read).split(b"\n")
        return [json.loads(line) for line in lines]

    def end(self) -> str:
        """Return what ended the process: '' if it had done its work."""
        os.close(self.output)
        _, status = os.waitpid(self.process, 0)
        if not os.WIFSIGNALED(status):
            return "" if os.WEXITSTATUS(status) == 0 else "crash"
        return "time" if os.WTERMSIG(status) == signal.SIGPROF else "crash"

    def stop(self) -> None:
        """End the process, whatever it does."""
        os.kill(self.process, signal.SIGKILL)
        self.end()


def _limit(limits: Limits) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (limits.megabytes * 2**20,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    warnings.simplefilter("error")  # of numpy: a mean of nothing, a number too large


def _tell(entry: int, limits: Limits, message: dict[str, Any]) -> None:
    os.write(entry, json.dumps(message).encode() + b"\n")
    if "function" in message:  # its time begins now; of the processor, for others may be busy
        signal.setitimer(signal.ITIMER_PROF, limits.seconds)


def failures_of(source: Source, names: list[str], limits: Limits) -> list[Failure]:
    """Return how functions fail on a page, in a process of their own."""
    child = Child(limits, lambda tell: failures(source, names, True, tell))
    told, last = [], "parse"
    while (messages := child.messages()) is not None:
        for message in messages:
            last = message.get("function", last)
            if "failure" in message:
                told.append(Failure(**message["failure"]))
    if end := child.end():
        told.append(Failure(last, end, f"ended by {end}"))
    return told


def minimise(source: Source, failure: Failure, limits: Limits) -> Source:
    """Return a shorter page that fails in the same way: lines first, then ever smaller pieces."""
    until = time.monotonic() + MINIMISING_SECONDS
    names = [] if failure.function == "parse" else [failure.function]

    def fails(shorter: Source) -> bool:
        same = (each.signature == failure.signature for each in failures_of(shorter, names, limits))
        return any(same)

    size = max(1, len(source) // 2)
    while source and time.monotonic() < until:
        shortened = False
        start = 0
        while start < len(source) and time.monotonic() < until:
            shorter = source[:start] + source[start + size :]
            if fails(shorter):
                source, shortened = shorter, True
            else:
                start += size
        if size == 1 and not shortened:
            break
        size = max(1, size // 2)
    return source


class Findings:
    """What was found, each kind of failure once, in a folder."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.folder = folder
        self.limits = limits
        self.counts: Counter[tuple[str, ...]] = Counter()

    def add(self, failure: Failure, source: Source, origin: str) -> None:
        """Count a failure; save the page of one that is new."""
        self.counts[failure.signature] += 1
        if self.counts[failure.signature] > 1:
            return
        print(f"\n{failure.kind} in {failure.function}: {failure.message} ({origin})", flush=True)
        short = minimise(source, failure, self.limits)
        print(f"  {len(source)} -> {len(short)}: {short[:100]!r}", flush=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(repr(failure.signature).encode()).hexdigest()[:6]
        write_page(self.folder / name, short)
        write_page(self.folder / f"{name}-whole", source)
        told = {**asdict(failure), "origin": origin}
        (self.folder / f"{name}.json").write_text(json.dumps(told, indent=1) + "\n")


def write_page(path: Path, source: Source) -> None:
    """Write a page: bytes as .html, text as .txt, which may have lone surrogates."""
    if isinstance(source, bytes):
        path.with_suffix(".html").write_bytes(source)
    else:
        path.with_suffix(".txt").write_bytes(source.encode("utf-8", "surrogatepass"))


def read_page(path: Path) -> Source:
    """Return a page that `write_page` wrote."""
    source = path.read_bytes()
    return source.decode("utf-8", "surrogatepass") if path.suffix == ".txt" else source


class Run:
    """Workers that try one mutant after the other until the time is up."""

    def __init__(self, options: argparse.Namespace, pages: Pages, findings: Findings) -> None:
        self.options = options
        self.pages = pages
        self.findings = findings
        self.names = list(probes())
        self.tried = 0
        self.began = time.monotonic()
        self._next = options.first

    def __call__(self) -> None:
        """Work until the time is up, or all mutants that were asked for are tried."""
        selector = selectors.DefaultSelector()
        for _ in range(self.options.jobs):
            self._start(selector)
        try:
            while selector.get_map():
                for key, _ in selector.select(1):
                    self._hear(selector, key.data)
                if self._is_over():
                    break
        finally:
            for key in list(selector.get_map().values()):
                key.data["child"].stop()

    def _is_over(self) -> bool:
        return time.monotonic() - self.began > self.options.minutes * 60

    def _start(self, selector: selectors.BaseSelector) -> None:
        limit = self.options.first + (self.options.mutants or 10**12)
        first, self._next = self._next, min(self._next + BATCH, limit)
        if first >= limit:
            return
        self._continue(selector, first, self._next)

    def _continue(self, selector: selectors.BaseSelector, first: int, stop: int) -> None:
        def work(tell: Callable[..., None]) -> None:
            for number in range(first, stop):
                tell(mutant=number)
                source = mutant(self.options.seed, number, self.pages)
                failures(source, self.names, number % TWICE == 0, tell)

        child = Child(self.findings.limits, work)
        state = {"child": child, "mutant": first, "stop": stop, "function": "mutant"}
        selector.register(child.output, selectors.EVENT_READ, state)

    def _hear(self, selector: selectors.BaseSelector, state: dict[str, Any]) -> None:
        messages = state["child"].messages()
        for message in messages or []:
            if "failure" in message:
                self._found(Failure(**message["failure"]), state["mutant"])
            if "mutant" in message:
                self.tried += 1
                self._show()
            state |= message
        if messages is not None:
            return
        selector.unregister(state["child"].output)
        if end := state["child"].end():
            self._found(Failure(state["function"], end, f"ended by {end}"), state["mutant"])
            if state["mutant"] + 1 < state["stop"]:
                self._continue(selector, state["mutant"] + 1, state["stop"])
                return
        self._start(selector)

    def _found(self, failure: Failure, number: int) -> None:
        source = mutant(self.options.seed, number, self.pages)
        self.findings.add(failure, source, f"seed {self.options.seed}, mutant {number}")

    def _show(self) -> None:
        if self.tried % 10 == 0:
            seconds = time.monotonic() - self.began
            line = f"{self.tried} mutants, {len(self.findings.counts)} findings, {seconds:.0f} s"
            end = "\r" if sys.stdout.isatty() else "\n" if self.tried % 100 == 0 else ""
            if end:
                print(line, end=end, flush=True)


def replay(paths: list[Path], limits: Limits) -> int:
    """Print how functions fail on saved pages; return how many failures there are."""
    count = 0
    for path in paths:
        told = failures_of(read_page(path), list(probes()), limits)
        count += len(told)
        for failure in told or [None]:
            print(f"{path}: {failure or 'all is well'}")
    return count


def options_of(arguments: list[str]) -> argparse.Namespace:
    """Return what was asked for."""
    about, _, examples = (__doc__ or "").partition("Examples:")
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz",
        description=about,
        epilog=f"examples:{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("minutes", nargs="?", type=float, default=1, help="how long (1)")
    parser.add_argument("--jobs", type=int, default=1, help="processes that try mutants (1)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the mutants")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant (0)")
    parser.add_argument("--mutants", type=int, help="how many at most")
    parser.add_argument("--seconds", type=int, default=10, help="for a function and a page (10)")
    parser.add_argument("--megabytes", type=int, default=1500, help="of memory (1500)")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "out" / "fuzz", help="for what is found (out/fuzz)"
    )
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE", help="try saved pages")
    return parser.parse_args(arguments)


def main() -> None:
    """Run, and print a summary; fail if anything was found."""
    options = options_of(sys.argv[1:])
    limits = Limits(options.seconds, options.megabytes)
    for probe in probes().values():
        probe(joeira.parse("<title>A page</title><p>Some words, to load all that is needed.", URL))
    gc.freeze()  # a collection in a child would copy the memory that it shares
    if options.replay:
        sys.exit(replay(options.replay, limits) > 0)
    pages = load_pages()
    gc.freeze()
    findings = Findings(options.folder, limits)
    run = Run(options, pages, findings)
    print(f"seed {options.seed}, {len(pages.whole)} pages, {len(run.names)} functions", flush=True)
    try:
        run()
    except KeyboardInterrupt:
        print("\nstopped")
    seconds = time.monotonic() - run.began
    print(f"\nseed {options.seed}: {run.tried} mutants in {seconds:.0f} s")
    for signature, count in findings.counts.most_common():
        print(f"  {count} times {', '.join(filter(None, signature))}")
    print(f"pages are in {findings.folder}" if findings.counts else "nothing was found")
    sys.exit(bool(findings.counts))


if __name__ == "__main__":
    main()
