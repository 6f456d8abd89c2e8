"""Small files that unpack to more than a computer holds: a row each, in little memory."""

import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support import archives
from support.command_line import environment

MEGABYTES = 400
"""More than the parent may hold, and unpacked in a second or two."""
PARENT_MEGABYTES = 300
RUN = r"""
import re, sys
from pathlib import Path
from joeira.batch import Job, run
done = run(sys.argv[1:2], sys.argv[2], Job(method="all_text"), workers=1)
# Not what getrusage says: that begins with the memory of the process which started this one.
print(int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) >> 10)
"""


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a run in a process of its own, which must stay small."""
    out = path.parent / "out"
    command = [sys.executable, "-c", RUN, str(path), str(out)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment(), timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < PARENT_MEGABYTES
    return [json.loads(line) for shard in out.glob("part-*") for line in gzip.open(shard)]


def good(number: int) -> bytes:
    row = {"id": str(number), "html": archives.page(number).decode()}
    return json.dumps(row).encode() + b"\n"


def blown_up(before: bytes, after: bytes = b"") -> Iterator[bytes]:
    """Yield a text with a long, dull middle."""
    yield before
    yield from [b"x" * (1 << 20)] * MEGABYTES
    yield after


def as_gzip(parts: Iterator[bytes]) -> bytes:
    deflate = zlib.compressobj(6, zlib.DEFLATED, 31)
    return b"".join([*map(deflate.compress, parts), deflate.flush()])


def as_zstandard(parts: Iterator[bytes]) -> bytes:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra [parquet] is not installed")
    sink = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(sink, "zstd") as packed:
        for part in parts:
            packed.write(part)
    return bytes(sink.getvalue())


@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize("name, pack", [("a.jsonl.gz", as_gzip), ("a.jsonl.zst", as_zstandard)])
def test_a_line_of_any_length_costs_itself(
    name: str, pack: Callable[[Iterator[bytes]], bytes], is_last: bool, tmp_path: Path
) -> None:
    after = b"" if is_last else b'"}\n' + good(2)
    (tmp_path / name).write_bytes(pack(blown_up(good(0) + b'{"html": "', after)))
    assert (tmp_path / name).stat().st_size < 1 << 20
    rows = rows_of(tmp_path / name)
    assert [row["status"] for row in rows] == ["ok", "skipped", "ok"][: 2 + (not is_last)]
    assert rows[1]["reason"] == "a line of more than 64 MB"
    assert rows[1]["offset"] == len(good(0))


def test_a_record_and_a_body_of_any_length_cost_nobody_else(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="the extra [warc] is not installed")
    before, after = archives.compressed([archives.pages(1)[0], archives.response(4, b"<p>Last.")])
    html = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Long: "
    record = archives.record(1, b"response", html, MEGABYTES << 20).rstrip()
    body = as_gzip(blown_up(b"<p>Long: "))
    packed = b"Content-Type: text/html\r\nContent-Encoding: gzip\r\n"
    (tmp_path / "a.warc.gz").write_bytes(
        b"".join(
            [
                before,
                as_gzip(blown_up(record)),
                *archives.compressed([archives.response(2, body, packed)]),
                as_gzip(blown_up(b"WARC/1.0\r\nWARC-Type: ")),  # a head without end
                after,
            ]
        )
    )
    rows = rows_of(tmp_path / "a.warc.gz")
    assert [(row["url"][-1], row["status"]) for row in rows] == [(n, "ok") for n in "0124"]
    assert all("input cut at 10000000 bytes" in row["reason"] for row in rows[1:3])
