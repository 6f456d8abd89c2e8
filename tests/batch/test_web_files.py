"""Archives on web servers: with ranges and without, with connections that break, and gone."""

import gzip
import json
import os
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from joeira.batch import Job, run, web_files
from joeira.batch.sources import Reader, expand, is_page_address, record_at
from joeira.batch.web_files import WebFile
from joeira.errors import InputError, UsageError
from support import archives
from support.loopback import Answer, Site, loopback_site

pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
LARGE = os.urandom(1 << 16) * 48  # three megabytes, more than is held at a time


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(web_files, "_FIRST_PAUSE_SECONDS", 0.001)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with loopback_site() as found:
        yield found


def served(data: bytes, *, has_ranges: bool, most: int | None = None, tag: str = '"1"') -> Answer:
    """Return what answers with a file: of each answer at most so many bytes arrive."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", handler.headers.get("Range", ""))
        start, end = 0, len(data)
        if has_ranges and wanted:
            start = int(wanted[1])
            end = int(wanted[2]) + 1 if wanted[2] else len(data)
            if start >= len(data):
                handler.send_response(416)
                handler.send_header("Content-Range", f"bytes */{len(data)}")
                handler.end_headers()
                return
            handler.send_response(206)
            handler.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
        else:
            handler.send_response(200)
        handler.send_header("ETag", tag)
        handler.send_header("Content-Length", str(end - start))
        handler.end_headers()
        handler.wfile.write(data[start:end][:most])

    return answer


def crawl(count: int = 12) -> bytes:
    return b"".join(archives.compressed(archives.pages(count)))


@pytest.mark.parametrize("has_ranges", [True, False])
def test_any_offset_can_be_read(site: Site, has_ranges: bool) -> None:
    address = site.answer("/large.warc", served(LARGE, has_ranges=has_ranges))
    with WebFile(address) as file:
        assert file.seek(0, os.SEEK_END) == len(LARGE)
        for offset in (0, 100, 2_900_000, 1_500_000, 1_400_000, len(LARGE) - 5, len(LARGE), 7):
            assert file.seek(offset) == offset
            assert file.read(70_000) == LARGE[offset : offset + 70_000]
        file.seek(0)
        assert file.read() == LARGE
    asked = len(site.requests)
    assert asked < 8 if has_ranges else asked == 1


def test_reading_on_takes_one_request(site: Site) -> None:
    address = site.answer("/large.warc", served(LARGE, has_ranges=True))
    with WebFile(address) as file:
        while file.read(65_536):
            file.seek(-1000, os.SEEK_CUR) if file.tell() < len(LARGE) else None
    assert len(site.requests) == 1


def test_a_broken_connection_is_taken_up_where_it_broke(site: Site) -> None:
    address = site.answer("/a.warc", served(LARGE, has_ranges=True, most=1_000_000))
    with WebFile(address) as file:
        assert file.read() == LARGE
    assert len(site.requests) == 4


def test_a_connection_that_always_breaks_ends_the_run_and_loses_nothing(site: Site) -> None:
    half = served(crawl(), has_ranges=True, most=0)
    address = site.answer("/a.warc.gz", half)
    with pytest.raises(InputError, match=r"a\.warc\.gz: the connection broke 5 times"):
        list(Reader([address]))
    address = site.answer("/b.warc.gz", served(crawl(), has_ranges=False, most=100))
    with pytest.raises(InputError, match=r"b\.warc\.gz: the connection broke"):
        list(Reader([address]))


def test_a_file_that_changes_while_it_is_read_is_no_file(site: Site) -> None:
    address = site.answer("/a.warc", served(LARGE, has_ranges=True))
    with WebFile(address) as file:
        file.read(10)
        site.answer("/a.warc", served(LARGE[::-1], has_ranges=True, tag='"2"'))
        file.seek(2_500_000)
        with pytest.raises(OSError, match="changed while it was being read"):
            file.read(10)


def test_a_busy_server_is_asked_again(site: Site) -> None:
    good, calls = served(LARGE, has_ranges=True), []
    lock = threading.Lock()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        with lock:
            calls.append(1)
        if len(calls) < 3:
            handler.send_response(503)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
        else:
            good(handler)

    with WebFile(site.answer("/a.warc", answer)) as file:
        assert file.read(5) == LARGE[:5]
    assert len(calls) == 3


def test_an_empty_file_has_nothing(site: Site) -> None:
    address = site.answer("/a.warc", served(b"", has_ranges=True))
    with WebFile(address) as file:
        assert file.read() == b""
    assert list(Reader([address])) == []


@pytest.mark.parametrize("has_ranges", [True, False])
def test_a_batch_reads_an_archive_as_it_reads_a_file(
    site: Site, has_ranges: bool, tmp_path: Path
) -> None:
    (tmp_path / "a.warc.gz").write_bytes(crawl())
    address = site.answer("/a.warc.gz?sign=1", served(crawl(), has_ranges=has_ranges))
    job = Job(method="bte", metadata=(), site_method="template")
    rows = []
    for name, source in (("near", tmp_path / "a.warc.gz"), ("far", address)):
        done = run([source], tmp_path / name, job, workers=1)
        assert (done.rows, done.failed) == (12, 0)
        (part,) = (tmp_path / name).glob("part-*")
        lines = gzip.decompress(part.read_bytes()).splitlines()
        rows.append([{**json.loads(line), "source": ""} for line in lines])
    assert rows[0] == rows[1]
    assert rows[0][0]["site_pages"] == 12
    third = record_at(address, rows[0][2]["offset"])
    assert third is not None
    assert third.id == rows[0][2]["id"]


def test_reading_goes_on_after_any_record(site: Site) -> None:
    address = site.answer("/a.warc.gz", served(crawl(), has_ranges=True))
    records = list(Reader([address]))
    assert len(records) == 12
    for number, record in enumerate(records):
        rest = [each.id for each in Reader([address], record.after)]
        assert rest == [each.id for each in records[number + 1 :]]


def test_a_list_of_common_crawl_names_archives_beside_it(site: Site) -> None:
    paths = gzip.compress(b"crawl-data/CC-MAIN-2024-10/a.warc.gz\ncrawl-data/b.warc.gz\n")
    site.answer("/crawl-data/warc.paths.gz", served(paths, has_ranges=True))
    site.answer("/crawl-data/b.warc.gz", served(crawl(), has_ranges=True))
    names = expand([f"{site.url}/crawl-data/warc.paths.gz"])
    assert names == [f"{site.url}/crawl-data/{each}" for each in ("CC-MAIN-2024-10/a.warc.gz",
                                                                  "b.warc.gz")]  # fmt: skip
    first, *others = Reader(names)
    assert first.problem == "cannot be read: HTTP 404 Not Found"
    assert len(others) == 12


def test_what_is_not_there_is_said_at_once(site: Site) -> None:
    with pytest.raises(UsageError, match=r"gone\.warc\.gz: HTTP 404 Not Found; check the address"):
        expand([f"{site.url}/gone.warc.gz"])
    with pytest.raises(UsageError, match=r"gone\.paths: HTTP 404"):
        expand([f"{site.url}/gone.paths"])
    address = site.add("/secret.warc.gz", status=403)
    with pytest.raises(InputError, match=r"secret\.warc\.gz: HTTP 403 Forbidden"):
        _ = Reader([address]).fingerprint


def test_a_changed_archive_is_another_input(site: Site) -> None:
    address = site.answer("/a.warc.gz", served(crawl(), has_ranges=True))
    before = Reader([address]).fingerprint
    assert Reader([address]).fingerprint == before
    site.answer("/a.warc.gz", served(crawl(), has_ranges=True, tag='"2"'))
    assert Reader([address]).fingerprint != before


def test_pages_and_files_are_told_apart() -> None:
    pages = ("https://e.org/", "http://e.org/robots.txt", "https://e.org/a.html?x=a.warc.gz")
    files = ("https://e.org/a.warc.gz", "http://e.org/A.WARC?b=1", "https://e.org/a.jsonl.zst")
    assert all(map(is_page_address, pages))
    assert not any(map(is_page_address, (*files, "s3://b/a.html", "a.html")))
