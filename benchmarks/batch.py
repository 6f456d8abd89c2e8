"""Pages per second and memory of `joeira batch`, from WARC to Parquet, beside other libraries.

    python benchmarks/batch.py --pages 2000
    python benchmarks/batch.py --megabytes 1000 --alone
    python benchmarks/batch.py --pages 100000 --alone --max-kilobytes 50
    python benchmarks/batch.py --tasks --pages 300
    python benchmarks/batch.py --stages --pages 300

The archive has a number of pages, or a size, which is that of the compressed file; longer pages
than ``--max-kilobytes`` are left out, for a long run on a slow machine. The others run
in the same kind of loop: FastWARC, `multiprocessing.Pool.imap`, Parquet. They get neither limits
nor a second chance, and are left out where they are not installed, or by ``--alone``. CPU time
counts all processes; on a busy machine it tells more than pages per second.

Before that it tells how long the first worker of a team, and one more, take to start and to read a
first page. Modules are compiled before, as those of an installed package are, whatever the
environment says: else every process would compile all that it imports. ``--stages`` tells instead
where the CPU time of a row goes, in one process: reading the archive, parsing, extracting,
the metadata column by column, and the way to a shard.

``--tasks`` tells instead what a job of each task costs, as a ratio to the CPU time of just what was
asked for: parsing, the task, and its result as plain data. All take turns on every page. A job
should cost at most 1.1 times that; a row, which is the job's answer handed from process to process
and written as JSON, a little more.
"""

import argparse
import gzip
import importlib.util
import itertools
import multiprocessing
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from pathlib import Path

from timing import DATA_SET, Task, Watch, race, read_pages, show  # isort: skip (before numpy)

import numpy as np

HEAD = (
    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:012d}>\r\n"
    "WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n"
    "Content-Length: {length}\r\n\r\n"
)
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"


def write_archive(path: Path, options: argparse.Namespace) -> int:
    """Write pages of a data set as WARC, over and over with new ids; return how many."""
    from joeira.evaluation import datasets

    rows = datasets.find(options.data_set, min(options.pages, 1000)).rows()
    blocks = [HTTP + row.html.encode("utf-8", "replace") for row in rows]
    blocks = [block for block in blocks if len(block) <= options.max_kilobytes * 1000]
    with path.open("wb") as file:
        for number in range(options.pages) if options.megabytes is None else itertools.count():
            if options.megabytes is not None and file.tell() >= options.megabytes * 1_000_000:
                return number
            block = blocks[number % len(blocks)]
            head = HEAD.format(number=number, url=f"http://example.org/{number}", length=len(block))
            file.write(gzip.compress(head.encode() + block + b"\r\n\r\n", 1, mtime=0))
    return int(options.pages)


def family(pid: int) -> list[int]:
    """Return a process and all that descend from it, whichever thread has started them."""
    children: list[str] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # a process or thread that has just ended
            children += path.read_text().split()
    return [pid, *(below for child in children for below in family(int(child)))]


def resident_mb(pid: int) -> float:
    """Return the memory that a process holds."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6
    except OSError:
        return 0.0


def cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process has used."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Run:
    """What was seen of a run."""

    memory: list[tuple[int, float, float]] = field(default_factory=list)
    """Pages written, megabytes of the parent and of its largest child, twice a second."""
    cpu: dict[int, float] = field(default_factory=dict)

    def watch(self, pid: int, out: Path) -> None:
        """Look at a process and all below it."""
        parent, *others = family(pid)
        if not (resident_mb(parent) and others):  # it has just ended, or begins
            return
        largest = max(map(resident_mb, others), default=0.0)
        self.memory.append((500 * len(list(out.glob("part-*"))), resident_mb(parent), largest))
        for each in (parent, *others):
            self.cpu[each] = max(self.cpu.get(each, 0.0), cpu_seconds(each))

    def slopes(self, first: int) -> tuple[float, float]:
        """Return by how many megabytes parent and child grew per 10,000 pages, from a page on."""
        later = [sample for sample in self.memory if sample[0] >= first]
        if len({pages for pages, *_ in later}) < 3:
            return float("nan"), float("nan")
        pages, *columns = np.array(later).T
        parent, child = (float(np.polyfit(pages, column, 1)[0]) * 1e4 for column in columns)
        return parent, child


def compile_modules(folder: Path) -> None:
    """Let processes find modules compiled, as those of an installed package are."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    page = folder / "page.html"
    page.write_text("<title>A page</title><p>Some text to find.")
    run_joeira(page, folder / "first", 1, "learned")


def run_joeira(source: Path, out: Path, workers: int, method: str) -> Run:
    """Run the command and watch it."""
    command = [sys.executable, "-m", "joeira", "batch", source, "-o", out, "--to", "parquet"]
    process = subprocess.Popen([*command, "--workers", str(workers), "--method", method])
    run = Run()
    while process.poll() is None:
        time.sleep(0.5)
        run.watch(process.pid, out)
    return run


def with_trafilatura(html: bytes) -> str | None:
    """Extract as trafilatura does by default."""
    import trafilatura

    return trafilatura.extract(html)


def with_resiliparse(html: bytes) -> str | None:
    """Extract as Resiliparse does when asked for main content."""
    from resiliparse.extract.html2text import extract_plain_text

    return extract_plain_text(html.decode("utf-8", "replace"), main_content=True)


def bodies(source: Path) -> Iterator[bytes]:
    """Yield the pages of an archive."""
    from fastwarc.warc import ArchiveIterator

    with source.open("rb") as file:
        for record in ArchiveIterator(file, parse_http=True):
            yield record.reader.read()


def run_peer(extract: Callable[[bytes], str | None], source: Path, workers: int) -> None:
    """Run the same loop with another library."""
    import pyarrow
    from pyarrow import parquet

    with multiprocessing.Pool(workers) as pool, tempfile.TemporaryFile() as out:
        texts = list(pool.imap(extract, bodies(source), chunksize=8))
        parquet.write_table(pyarrow.table({"text": texts}), out)


def task_races() -> dict[str, tuple[Task, Task, Task]]:
    """Return for each task, and its metadata, what was asked for, the job, and the whole row."""
    from joeira import find_records, parse, segment
    from joeira.batch import Job
    from joeira.batch.rows import Capture, line
    from joeira.metadata import Metadata

    def records(html: bytes) -> object:
        return [table.to_dict() for table in find_records(parse(html))]

    def segments(html: bytes) -> object:
        return segment(parse(html)).to_dict()

    def records_and_title(html: bytes) -> object:
        page = parse(html)
        return [table.to_dict() for table in find_records(page)], Metadata(page).title

    def jobs(job: Job) -> tuple[Task, Task]:
        def answer(html: bytes) -> object:
            return job.fields(Capture("", None, html))

        def row(html: bytes) -> object:
            fields = pickle.loads(pickle.dumps(answer(html)))
            return line(job.row(Capture("", None, b""), fields).to_dict())

        return answer, row

    return {
        "records": (records, *jobs(Job("records"))),
        "records, title": (records_and_title, *jobs(Job("records", metadata=("title",)))),
        "segments": (segments, *jobs(Job("segments"))),
    }


def compare_tasks(options: argparse.Namespace) -> None:
    """Print what jobs cost, as ratios to just what was asked for."""
    pages = [html.encode("utf-8", "replace") for html in read_pages(options)]
    races = task_races()
    runners = {f"{name} {place}": races[name][place] for name in races for place in range(3)}
    for runner in runners.values():  # imports and models are loaded before the watch starts
        runner(pages[0])
    spent_ms = race(runners, pages, options.rounds)
    table = []
    for name in races:
        asked, job, row = (spent_ms[f"{name} {place}"] for place in range(3))
        table.append([name, f"{asked:.2f}", f"{job / asked:.3f}", f"{row / asked:.3f}"])
    title = f"{len(pages)} pages, CPU, best of {options.rounds} rounds"
    show(title, ["task", "ms per page as asked", "job", "row"], table)


def show_start() -> None:
    """Print how long a worker takes to start, as the best of three."""
    from joeira.batch import Job
    from joeira.batch.rows import Capture
    from joeira.isolation.workers import Nursery, Worker

    def spent(nursery: Nursery) -> tuple[float, float]:
        began, used = time.monotonic(), sum(map(cpu_seconds, family(os.getpid())[1:]))
        worker = Worker(nursery)
        worker.ask(Capture("", None, b"<p>A page."))
        worker.told()
        cpu = sum(map(cpu_seconds, family(os.getpid())[1:])) - used
        return time.monotonic() - began, cpu

    first, second = [], []
    for _ in range(3):
        nursery = Nursery(Job())
        first.append(spent(nursery))
        second.append(spent(nursery))
        nursery.stop()
    for name, found in (("first", first), ("second", second)):
        wall, cpu = map(min, zip(*found, strict=True))
        print(f"a {name} worker starts and reads a page in {wall:.2f} s ({cpu:.2f} s of CPU time)")


def show_stages(source: Path, rounds: int) -> None:
    """Print where the CPU time of a row goes, as the best of several rounds."""
    from joeira import api
    from joeira.batch import Job
    from joeira.batch.job import columns_of, page_of, shaped
    from joeira.batch.output import Cursor, Parquet
    from joeira.batch.rows import Row, line
    from joeira.batch.sources import Reader

    job, watch = Job(), Watch()
    job.warm_up()
    job.load_rest()
    columns = columns_of("joeira", job)
    form = Parquet(columns)

    def kept_of(row: Row) -> object:
        values = shaped("joeira", columns, row)
        return form.kept(values, line(values))

    for _ in range(rounds):
        kept = []
        captures = watch.time("read", lambda file: list(Reader([str(file)])), source)
        for capture in captures:
            question = watch.time(
                "hand over", lambda each: pickle.loads(pickle.dumps(each)), capture
            )
            page, _ = watch.time("parse", page_of, question)
            content = watch.time(
                "extract", partial(api.extract, method=job.methods["content"]), page
            )
            fields = {"text": watch.time("text", type(content).text, content)}
            for name in job.metadata_columns:
                fields[name] = watch.time(name, attrgetter(name), content.metadata)
            row = partial(job.row, capture.bare(), {**fields, "status": "ok", "reason": ""})
            kept.append(watch.time("row", lambda make: kept_of(make()), row))
        for start in range(0, len(kept), 500):
            shard = partial(form.encode, kept[start : start + 500])
            watch.time("shard", shard, Cursor())
        watch.end_round(len(captures))
    stages = watch.best_ms
    metadata = sum(stages[name] for name in job.metadata_columns)
    table = [[name, f"{spent:.3f}"] for name, spent in stages.items()]
    table += [["all metadata", f"{metadata:.3f}"], ["all", f"{sum(stages.values()):.3f}"]]
    show(f"{len(captures)} pages, CPU, best of {rounds} rounds", ["stage", "ms per page"], table)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_set", nargs="?", type=Path, default=DATA_SET)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--megabytes", type=int, help="size of the .warc.gz, instead of pages")
    parser.add_argument("--max-kilobytes", type=float, default=float("inf"), help="of a page")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--method", default="learned")
    parser.add_argument("--alone", action="store_true", help="leave the other libraries out")
    parser.add_argument("--tasks", action="store_true", help="what each task costs, as ratios")
    parser.add_argument("--stages", action="store_true", help="where the time of a row goes")
    parser.add_argument("--rounds", type=int, default=2, help="with --tasks and --stages")
    options = parser.parse_args()
    if options.tasks:
        compare_tasks(options)
        return
    table = []
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "pages.warc.gz"), Path(folder, "out")
        pages = write_archive(source, options)
        if options.stages:
            show_stages(source, options.rounds)
            return
        compile_modules(Path(folder))
        show_start()
        size = source.stat().st_size
        began = time.monotonic()
        run = run_joeira(source, out, options.workers, options.method)
        table.append(told("joeira batch", pages, began, sum(run.cpu.values())))
        peers = {"trafilatura": with_trafilatura, "resiliparse": with_resiliparse}
        for name, extract in {} if options.alone else peers.items():
            if importlib.util.find_spec(name) is None:
                table.append([name, "not installed", ""])
                continue
            began, used = time.monotonic(), own_cpu_seconds()
            run_peer(extract, source, options.workers)
            table.append(told(name, pages, began, own_cpu_seconds() - used))
    title = f"{pages} pages, {size / 1e6:.0f} MB, {options.workers} workers, WARC to Parquet"
    show(title, ["", "pages/s", "CPU ms/page"], table)
    show_memory(run, pages)


def show_memory(run: Run, pages: int) -> None:
    """Print what the processes held as the run went on: every 10,000 pages if it is long."""
    last = {done: [str(done), f"{own:.0f}", f"{child:.0f}"] for done, own, child in run.memory}
    every = 10_000 if pages >= 50_000 else max(500, pages // 10)
    marks = [line for done, line in last.items() if done % every == 0]
    title = "memory as the run goes on, MB"
    show(title, ["pages", "parent", "largest process of a worker"], marks)
    _, *columns = zip(*run.memory, strict=True)
    parent, child = map(max, columns)
    print(f"most memory: parent {parent:.0f} MB, largest process of a worker {child:.0f} MB")
    settled = min(10_000, pages // 4)
    parent, child = run.slopes(settled)
    print(f"growth per 10,000 pages, after {settled}: {parent:+.2f} and {child:+.2f} MB")


def own_cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def told(name: str, pages: int, began: float, cpu: float) -> list[str]:
    """Return a line of the table."""
    return [name, f"{pages / (time.monotonic() - began):.1f}", f"{1000 * cpu / pages:.1f}"]


if __name__ == "__main__":
    main()
