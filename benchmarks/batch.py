"""Pages per second and memory of `joeira batch`, from WARC to Parquet, beside other libraries.

    python benchmarks/batch.py --pages 2000

The others run in the same kind of loop: FastWARC, `multiprocessing.Pool.imap`, Parquet. They get
neither limits nor a second chance, and are left out where they are not installed.
"""

import argparse
import gzip
import importlib.util
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from timing import DATA_SET, show

HEAD = (
    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:012d}>\r\n"
    "WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n"
    "Content-Length: {length}\r\n\r\n"
)
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"


def write_archive(data_set: Path, path: Path, count: int) -> None:
    """Write pages of a data set as WARC, over and over with new ids."""
    from joeira.evaluation import datasets

    rows = list(datasets.find(data_set, min(count, 1000)).rows())
    with path.open("wb") as file:
        for number in range(count):
            row = rows[number % len(rows)]
            block = HTTP + row.html.encode("utf-8", "replace")
            head = HEAD.format(number=number, url=f"http://example.org/{number}", length=len(block))
            file.write(gzip.compress(head.encode() + block + b"\r\n\r\n", 5, mtime=0))


def family(pid: int) -> list[int]:
    """Return a process and all that descend from it."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(below for child in children for below in family(int(child)))]


def resident_mb(pid: int) -> float:
    """Return the memory that a process holds."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6
    except OSError:
        return 0.0


def run_joeira(
    source: Path, out: Path, workers: int, method: str
) -> list[tuple[int, float, float]]:
    """Run the command; return shards written, and memory of the parent and its largest child."""
    command = [sys.executable, "-m", "joeira", "batch", source, "-o", out, "--to", "parquet"]
    process = subprocess.Popen([*command, "--workers", str(workers), "--method", method])
    samples = []
    while process.poll() is None:
        time.sleep(0.5)
        parent, *others = family(process.pid) or [process.pid]
        largest = max(map(resident_mb, others), default=0.0)
        samples.append((len(list(out.glob("part-*"))), resident_mb(parent), largest))
    return samples


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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_set", nargs="?", type=Path, default=DATA_SET)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--method", default="learned")
    options = parser.parse_args()
    table = []
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "pages.warc.gz"), Path(folder, "out")
        write_archive(options.data_set, source, options.pages)
        began = time.monotonic()
        samples = run_joeira(source, out, options.workers, options.method)
        table.append(["joeira batch", f"{options.pages / (time.monotonic() - began):.1f}"])
        for name, extract in (("trafilatura", with_trafilatura), ("resiliparse", with_resiliparse)):
            if importlib.util.find_spec(name) is None:
                table.append([name, "not installed"])
                continue
            began = time.monotonic()
            run_peer(extract, source, options.workers)
            table.append([name, f"{options.pages / (time.monotonic() - began):.1f}"])
    title = f"{options.pages} pages, {options.workers} workers, WARC to Parquet"
    show(title, ["", "pages/s"], table)
    last: dict[int, list[str]] = {}
    for shards, parent, child in samples:
        last[shards] = [str(shards * 500), f"{parent:.0f}", f"{child:.0f}"]
    every = max(1, len(last) // 10)
    title = "memory as the run goes on, MB"
    show(title, ["pages", "parent", "largest process of a worker"], list(last.values())[::every])


if __name__ == "__main__":
    main()
