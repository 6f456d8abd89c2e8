"""What comes out of damaged inputs: a thousand records, one kind of damage at a time.

    python benchmarks/damage.py

Records are read as `joeira batch` reads them, up to the page; extraction is left out.
"""

import gzip
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from timing import show

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from joeira.batch import warc
from joeira.batch.sources import Reader
from support import archives

COUNT = 1000
HTML = b"Content-Type: text/html\r\n"
BAD = COUNT // 2


def flipped(data: bytes, at: int) -> bytes:
    """Return data with one byte changed."""
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def one_member(change: Callable[[bytes], bytes]) -> bytes:
    """Return an archive with one gzip member changed."""
    members = archives.compressed(archives.pages(COUNT))
    members[BAD] = change(members[BAD])
    return b"".join(members)


def one_record(record: bytes, *, is_packed: bool = True) -> bytes:
    """Return an archive with another record in the place of one."""
    records = archives.pages(COUNT)
    records[BAD] = record
    return b"".join(archives.compressed(records) if is_packed else records)


def with_length(length: int) -> bytes:
    """Return a record that lies about its length."""
    http = b"HTTP/1.1 200 OK\r\n" + HTML + b"\r\n" + archives.page(BAD)
    return archives.record(BAD, b"response", http, length)


def cases() -> dict[str, tuple[str, bytes]]:
    """Return name and content of a file for each kind of damage."""
    page, whole = archives.page(BAD), archives.pages(COUNT)
    packed = gzip.compress(b"".join(whole))
    chunked = HTML + b"Transfer-Encoding: chunked\r\n"
    chunks = b"%x\r\n%s\r\nzz\r\nno number" % (len(page), page)
    gzipped = HTML + b"Content-Encoding: gzip\r\n"
    junk = b"\x00junk\x1f\x8b\x08, no record\r\n" * 50
    return {
        "none": ("a.warc.gz", one_member(bytes)),
        "bad CRC": ("a.warc.gz", one_member(lambda data: flipped(data, len(data) - 6))),
        "flipped byte in a member": ("a.warc.gz", one_member(lambda d: flipped(d, len(d) // 2))),
        "broken gzip header": ("a.warc.gz", one_member(lambda data: flipped(data, 0))),
        "member cut in the middle": ("a.warc.gz", one_member(lambda d: d[: len(d) // 2])),
        "file cut within its last record": ("a.warc.gz", one_member(bytes)[:-40]),
        "junk between records": ("a.warc.gz", one_member(lambda data: junk + data)),
        "junk, not compressed": ("a.warc", one_record(junk + whole[BAD], is_packed=False)),
        "length too small": ("a.warc.gz", one_record(with_length(10))),
        "length too large": ("a.warc.gz", one_record(with_length(10_000_000))),
        "length too small, not compressed": (
            "a.warc", one_record(with_length(10), is_packed=False),
        ),
        "length too large, not compressed": (
            "a.warc", one_record(with_length(10_000_000), is_packed=False),
        ),
        "no length": ("a.warc.gz", one_record(with_length(-1))),
        "no length, not compressed": ("a.warc", one_record(with_length(-1), is_packed=False)),
        "record cut, not compressed": ("a.warc", one_record(whole[BAD][:-50], is_packed=False)),
        "no blank line after the header": (
            "a.warc.gz", one_record(whole[BAD].replace(b"\r\n\r\n", b"\r\n", 1)),
        ),
        "broken chunks in the body": (
            "a.warc.gz", one_record(archives.response(BAD, chunks, chunked)),
        ),
        "chunks of the body cut": (
            "a.warc.gz", one_record(archives.response(BAD, chunks[:-50], chunked)),
        ),
        "damaged gzip in the body": (
            "a.warc.gz",
            one_record(archives.response(BAD, flipped(gzip.compress(page), 60), gzipped)),
        ),
        "body not compressed as stated": (
            "a.warc.gz", one_record(archives.response(BAD, page, gzipped)),
        ),
        "compressed as a whole": ("a.warc.gz", packed),
        "compressed as a whole, and cut": ("a.warc.gz", packed[: len(packed) // 2]),
    }  # fmt: skip


def main() -> None:
    """Read all damaged files and print what came of them."""
    table = []
    with tempfile.TemporaryDirectory() as folder:
        for damage, (name, data) in cases().items():
            path = Path(folder, name)
            path.write_bytes(data)
            good, told = set(), []
            for record in Reader([str(path)]):
                html, problem = (b"", record.problem)
                if not problem and isinstance(record.html, bytes):
                    html, problem = warc.body(record.html)
                if problem:
                    told.append(f"at {record.offset}: {problem}")
                if b"says" in (html.encode() if isinstance(html, str) else html):
                    good.add(record.id)
            table.append([damage, str(len(good)), "; ".join(told)[:150] or "-"])
    show(f"{COUNT} records", ["damage", "pages out", "reported"], table)


if __name__ == "__main__":
    main()
