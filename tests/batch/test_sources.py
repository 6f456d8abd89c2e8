"""Sources: every record once, damage told with its place, and reading on from any record."""

import gzip
import json
import resource
import signal
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from joeira.batch import warc
from joeira.batch.rows import Capture
from joeira.batch.sources import Reader, can_seek, expand, record_at
from joeira.errors import FetchError, OutputError, UsageError
from support import archives

pytest.importorskip("fastwarc", reason="the extra [warc] is not installed")


def read(path: Path) -> list[Capture]:
    return list(Reader(expand([path])))


def numbers(records: Sequence[Capture]) -> list[int]:
    return [int(record.id[10:14]) for record in records if not record.problem]


def write(path: Path, *parts: bytes) -> Path:
    path.write_bytes(b"".join(parts))
    return path


def lines(count: int) -> list[bytes]:
    rows = ({"id": f"row {n}", "url": f"http://e.org/{n}", "html": f"<p>{n}"} for n in range(count))
    return [json.dumps(row).encode() + b"\n" for row in rows]


FORMS = "a.warc a.warc.gz packed.warc.gz a.jsonl a.jsonl.gz a.jsonl.zst folder".split()


def zstandard(data: bytes) -> bytes:
    pyarrow = pytest.importorskip("pyarrow", reason="the extra [parquet] is not installed")
    return bytes(pyarrow.compress(data, "zstd", asbytes=True))


@pytest.mark.parametrize("name", FORMS)
def test_reading_goes_on_after_any_record(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
        for number in range(5):
            (path / f"{number}.html").write_text(f"<p>{number}")
    elif "warc" in name:
        records = archives.pages(5)
        if name.startswith("packed"):
            records = [b"".join(records)]
        write(path, *(archives.compressed(records) if name.endswith("gz") else records))
    else:
        pack = {"l": bytes, "z": gzip.compress, "t": zstandard}[name[-1]]
        write(path, pack(b"".join(lines(5))))
    whole = read(path)
    assert len(whole) == 5
    for number, record in enumerate(whole):
        assert list(Reader(expand([path]), record.after)) == whole[number + 1 :]
        if can_seek(record.source):
            again = record_at(record.source, record.offset)
            assert again is not None
            assert (again.id, again.html) == (record.id, record.html)
    assert can_seek(whole[0].source) == (name in ("a.warc", "a.warc.gz", "a.jsonl", "folder"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard])
def test_a_last_line_without_an_end_is_a_line(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    suffix = {gzip.compress: ".gz", zstandard: ".zst"}.get(pack, "")
    found = read(write(tmp_path / f"a.jsonl{suffix}", pack(b"".join(lines(3)).rstrip())))
    assert [(record.id, record.problem) for record in found] == [
        (f"row {number}", "") for number in range(3)
    ]


def test_only_successful_html_responses_of_a_warc_are_pages(tmp_path: Path) -> None:
    picture = b"Content-Type: image/png\r\n"
    missing = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>gone"
    records = [
        archives.record(0, b"warcinfo", b"software: none"),
        archives.response(1, archives.page(1), b"content-type: TEXT/HTML; charset=utf-8\r\n"),
        archives.record(2, b"request", b"GET / HTTP/1.1\r\n\r\n"),
        archives.response(3, b"\x89PNG", picture),
        archives.record(4, b"response", missing),
        archives.response(5, archives.page(5), b""),
    ]
    reader = Reader(expand([write(tmp_path / "a.warc.gz", *archives.compressed(records))]))
    found = list(reader)
    assert numbers(found) == [1, 5]
    assert found[0].url == "http://example.org/1"
    assert found[0].date == "2024-05-06T07:08:09Z"
    assert reader.position.ignored == 4


def test_a_truncated_archive_gives_all_that_came_before(tmp_path: Path) -> None:
    members = archives.compressed(archives.pages(20))
    data = b"".join(members)
    *good, bad = read(write(tmp_path / "a.warc.gz", data[: -len(members[-1]) // 2]))
    assert numbers(good) == list(range(19))
    assert bad.problem == "the file ends within a record"
    assert bad.offset == len(data) - len(members[-1])


@pytest.mark.parametrize("place", ["checksum", "middle", "header"])
def test_one_damaged_member_costs_one_record(place: str, tmp_path: Path) -> None:
    members = archives.compressed(archives.pages(20))
    damaged = bytearray(members[7])
    at = {"checksum": len(damaged) - 6, "middle": len(damaged) // 2, "header": 0}[place]
    damaged[at] ^= 0xFF
    members[7] = bytes(damaged)
    found = read(write(tmp_path / "a.warc.gz", *members))
    assert numbers(found) == [n for n in range(20) if n != 7]
    (bad,) = (record for record in found if record.problem)
    assert bad.offset == sum(map(len, members[:7]))
    assert "gzip" in bad.problem


@pytest.mark.parametrize("is_packed", [False, True])
def test_both_libraries_tell_of_damage_in_the_same_words(
    is_packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = pytest.importorskip("zlib_ng.zlib_ng", reason="zlib-ng is not installed")
    records = archives.pages(6)
    whole = b"".join(archives.compressed([b"".join(records)] if is_packed else records))
    for at in range(0, len(whole), 37):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << at % 8
        for kept in (bytes(damaged), whole[:at]):
            path = write(tmp_path / "a.warc.gz", kept)
            told = []
            for library in (zlib, fast):
                monkeypatch.setattr(warc, "_zlib", library)
                told.append(read(path))
            assert told[0] == told[1]


def test_records_packed_together_are_read_as_far_as_they_are_whole(tmp_path: Path) -> None:
    records = archives.pages(400)
    path = tmp_path / "a.warc.gz"
    packed = gzip.compress(b"".join(records))
    found = read(write(path, packed))
    assert numbers(found) == list(range(400))
    assert [record.offset for record in found[:3]] == [0, len(records[0]), 2 * len(records[0])]
    assert numbers(read(write(path, packed, gzip.compress(records[7])))) == [*range(400), 7]
    *good, bad = read(write(path, packed[: len(packed) // 2]))
    assert numbers(good) == list(range(len(good)))
    assert len(good) > 50
    assert "the rest of the file is lost" in bad.problem


def test_no_room_to_unpack_is_no_damage_of_the_archive(tmp_path: Path) -> None:
    path = write(tmp_path / "a.warc.gz", gzip.compress(b"".join(archives.pages(400))))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing fails as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    try:
        with pytest.raises(OutputError, match="TMPDIR"):
            read(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


def test_damaged_zstandard_gives_its_lines_and_says_so(tmp_path: Path) -> None:
    data = zstandard(b"".join(lines(20_000)))
    *good, bad = read(write(tmp_path / "a.jsonl.zst", data[: len(data) // 2]))
    assert [record.id for record in good] == [f"row {n}" for n in range(len(good))]
    assert len(good) > 1000
    assert "the rest of the file is lost" in bad.problem


def test_addresses_are_fetched_only_when_told_how() -> None:
    def fetch(address: str) -> tuple[str, str]:
        if address.endswith("gone"):
            raise FetchError("the server answered 404 Not Found")
        return f"{address}/", "<p>A page"

    names = ["http://example.org/a", "https://example.org/gone"]
    first, second = Reader(expand(names), fetch=fetch)
    assert (first.id, first.url, first.html) == (names[0], f"{names[0]}/", "<p>A page")
    assert second.problem == "not fetched: the server answered 404 Not Found"
    assert [record.problem for record in Reader(names)] == ["not fetched: use --fetch"] * 2


@pytest.mark.parametrize("is_gzip", [False, True])
def test_junk_between_records_is_reported_and_passed(is_gzip: bool, tmp_path: Path) -> None:
    records = archives.pages(10)
    parts = archives.compressed(records) if is_gzip else records
    junk = b"\x00junk\x1f\x8b\x08 that is no record\r\n" * 50
    path = tmp_path / ("a.warc.gz" if is_gzip else "a.warc")
    found = read(write(path, *parts[:4], junk, *parts[4:]))
    assert numbers(found) == list(range(10))
    (bad,) = (record for record in found if record.problem)
    assert bad.offset == sum(map(len, parts[:4]))


@pytest.mark.parametrize("length", [-1, 10, 10_000, 10_000_000])
@pytest.mark.parametrize("is_gzip", [False, True])
def test_a_wrong_length_costs_nothing(length: int, is_gzip: bool, tmp_path: Path) -> None:
    records = archives.pages(40)
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + archives.page(5)
    records[5] = archives.record(5, b"response", http, length)
    parts = archives.compressed(records) if is_gzip else records
    path = tmp_path / ("a.warc.gz" if is_gzip else "a.warc")
    found = read(write(path, *parts))
    assert numbers(found) == list(range(40))


@pytest.mark.parametrize("number", [5, 39])
@pytest.mark.parametrize("lost", [2, 4, 50])
def test_a_record_that_is_cut_costs_no_other(number: int, lost: int, tmp_path: Path) -> None:
    records = archives.pages(40)
    records[number] = records[number][:-lost]
    found = read(write(tmp_path / "a.warc", *records))
    is_end_of_file = number == 39 and lost == 50
    assert numbers(found) == list(range(39 if is_end_of_file else 40))
    assert [record.problem for record in found if record.problem] == (
        ["the file ends within a record"] if is_end_of_file else []
    )


def test_a_response_that_is_no_http_is_a_record_all_the_same(tmp_path: Path) -> None:
    broken = archives.pages(1)[0].replace(b"\r\n\r\n", b"\r\n", 1)
    dns = archives.record(1, b"response", b"A 192.0.2.1").replace(b"application/http", b"text/dns")
    (found,) = read(write(tmp_path / "a.warc", broken, dns))
    assert found.offset == 0


def test_a_truncated_jsonl_gives_its_lines_and_says_so(tmp_path: Path) -> None:
    data = gzip.compress(b"".join(lines(5000)))
    *good, bad = read(write(tmp_path / "a.jsonl.gz", data[: len(data) // 2]))
    assert [record.id for record in good] == [f"row {n}" for n in range(len(good))]
    assert len(good) > 1000
    assert "the rest of the file is lost" in bad.problem


def test_a_line_without_a_page_is_a_record_with_a_problem(tmp_path: Path) -> None:
    odd = [b"{not json\n", b'{"url": "x"}\n', b"[1]\n", b"\n", b'{"html": 5}\n', b"\xff\xfe\n"]
    found = read(write(tmp_path / "a.jsonl", lines(1)[0], *odd, lines(2)[1].rstrip(b"\n")))
    assert [bool(record.problem) for record in found] == [False, *[True] * 5, False]
    assert found[1].offset == len(lines(1)[0])
    assert found[1].id == f"{tmp_path / 'a.jsonl'}:{found[1].offset}"


def test_lists_name_files_and_missing_ones_are_records(tmp_path: Path) -> None:
    page = write(tmp_path / "a.html", b"<p>a")
    missing = tmp_path / "b.html"
    names = f"# pages\n{page}\n{missing}\nhttp://example.org/\n{page}\n"
    found = read(write(tmp_path / "all.txt", names.encode()))
    assert [record.id for record in found] == [
        str(page), f"{missing}:0", "http://example.org/", str(page),
    ]  # fmt: skip
    assert "No such file" in found[1].problem
    assert "not fetched" in found[2].problem


def test_what_does_not_exist_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        expand([tmp_path / "nothing"])
    with pytest.raises(UsageError, match="no pages"):
        expand([tmp_path])
