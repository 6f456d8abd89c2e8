"""Inputs at addresses of fsspec: in memory, and in a store like Amazon's; skipped without them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from joeira.batch import Job, run
from joeira.batch.sources import Reader, expand, record_at
from joeira.errors import UsageError

PAGE = "<h1>Rain</h1><p>It rained for a whole week, and the river left its bed.</p>"
LINES = b"".join(json.dumps({"html": PAGE, "id": str(n)}).encode() + b"\n" for n in range(5))


@pytest.mark.parametrize("name", ["s3://bucket/a.jsonl", "gs://bucket/a", "nosuch://a"])
def test_what_is_missing_is_said(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(UsageError, match=r"pip install 'joeira\[cloud\]'"):
        expand([name])


def test_lists_of_paths_are_those_of_common_crawl(tmp_path: Path) -> None:
    pytest.importorskip("s3fs", reason="the extra 'cloud' is not installed")
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
    path = tmp_path / "warc.paths.gz"
    path.write_bytes(gzip.compress(b"crawl-data/CC-MAIN-2024-10/x.warc.gz\n# no\n"))
    assert expand([path]) == ["s3://commoncrawl/crawl-data/CC-MAIN-2024-10/x.warc.gz"]
    path.write_bytes(b"no gzip")
    with pytest.raises(UsageError, match=r"warc\.paths\.gz"):
        expand([path])


@pytest.fixture
def folder() -> Iterator[str]:
    """A folder in memory with a file of lines, a page, and something else."""
    fsspec = pytest.importorskip("fsspec", reason="the extra 'cloud' is not installed")
    memory = fsspec.filesystem("memory")
    memory.pipe({"/pages/a.jsonl": LINES, "/pages/b/page.html": PAGE.encode(), "/pages/x.png": b""})
    yield "memory://pages"
    memory.rm("/pages", recursive=True)


def check(folder: str, output: Path) -> None:
    """Run a batch over a folder, and see that it is the same as over files."""
    names = expand([folder])
    assert [name.partition("/pages")[2] for name in names] == ["/a.jsonl", "/b/page.html"]
    done = run([folder], output, Job(method="bte", metadata=()), workers=1)
    assert (done.rows, done.counts["ok"]) == (6, 6)
    rows = [
        json.loads(line)
        for part in sorted(output.glob("part-*.gz"))
        for line in gzip.decompress(part.read_bytes()).splitlines()
    ]
    assert [row["source"] for row in rows] == [names[0]] * 5 + [names[1]]
    assert all("river" in row["text"] for row in rows)
    third = record_at(names[0], rows[2]["offset"])
    assert third is not None
    assert third.id == "2"


def test_a_batch_reads_a_folder_in_memory(folder: str, tmp_path: Path) -> None:
    check(folder, tmp_path / "out")


def test_a_file_that_changes_is_another_input(folder: str) -> None:
    import fsspec

    before = Reader(expand([folder])).fingerprint
    assert Reader(expand([folder])).fingerprint == before
    fsspec.filesystem("memory").pipe("/pages/a.jsonl", LINES + LINES)
    assert Reader(expand([folder])).fingerprint != before


def test_what_cannot_be_read_is_a_row(folder: str) -> None:
    (record,) = Reader([f"{folder}/gone.jsonl"])
    assert record.problem.startswith("cannot be read")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of what the libraries do
def test_a_batch_reads_a_store(store: Any, tmp_path: Path) -> None:
    store.pipe({"bucket/pages/a.jsonl": LINES, "bucket/pages/b/page.html": PAGE.encode()})
    check("s3://bucket/pages", tmp_path / "out")
    with pytest.raises(UsageError, match="no such bucket, file or folder"):
        expand(["s3://bucket/nothing/"])
    listed = b"s3://bucket/pages/a.jsonl\ncrawl-data/a.jsonl\n"
    store.pipe("bucket/crawl-data/warc.paths.gz", gzip.compress(listed))
    names = ["s3://bucket/pages/a.jsonl", "s3://bucket/crawl-data/a.jsonl"]
    assert expand(["s3://bucket/crawl-data/warc.paths.gz"]) == names
