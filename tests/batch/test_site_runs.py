"""Runs that learn the sites of their pages first."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import joeira
from joeira.batch import Job, Limits, Output, run
from joeira.batch.job import site_method_for
from joeira.errors import UsageError
from support import archives, poison

TESTS = Path(__file__).resolve().parents[1]
JOB = Job(site_method="template", limits=Limits(3, 768 << 20))
MENU = "<ul class=menu><li>All the news of our valley every day<li>Weather of the week ahead</ul>"


def page(number: int) -> str:
    words = " ".join(f"word{number}x{k}" for k in range(60))
    return f"<html><body>{MENU}<article><h1>Story {number}</h1><p>Of {words}.</article>"


def lines(numbers: Sequence[int]) -> bytes:
    hosts = ("www.valley.example", "valley.example", "rare.example")
    rows = (
        {"id": str(n), "url": f"https://{hosts[2 if n % 5 == 4 else n % 2]}/{n}", "html": page(n)}
        for n in numbers
    )
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def rows_in(folder: Path) -> list[dict[str, Any]]:
    shards = sorted(folder.glob("part-*.jsonl.gz"))
    return [json.loads(line) for shard in shards for line in gzip.open(shard)]


def shards_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("[mp]a[nr]*")}


def test_sites_with_enough_pages_are_learned_and_the_run_can_be_resumed(tmp_path: Path) -> None:
    source = tmp_path / "pages.jsonl"
    odd = json.dumps({"id": "12", "url": "https://\ud800.example/", "html": page(12)})
    source.write_bytes(lines(range(12)) + odd.encode())
    output = Output(tmp_path / "out", shard_rows=4)
    run([source], output, JOB, workers=1)
    rows = rows_in(output.folder)
    assert [row["id"] for row in rows] == [str(number) for number in range(13)]
    assert [row["site_pages"] for row in rows[:12]] == [
        None if n % 5 == 4 else 10 for n in range(12)
    ]
    (learned,) = output.folder.glob("sites-*/valley.example.json")
    site = joeira.load_site(learned)
    assert rows[3]["text"] == site.extract(joeira.parse(page(3), rows[3]["url"])).text()
    assert not list(learned.parent.glob(".*"))
    before = shards_in(output.folder)
    for name in (
        "manifest.json",
        "part-00001.jsonl.gz",
        "part-00002.jsonl.gz",
        "part-00003.jsonl.gz",
    ):
        (output.folder / name).unlink()
    assert run([source], output, JOB, workers=2).resumed_rows == 4
    assert shards_in(output.folder) == before


def test_files_that_cannot_be_read_from_the_middle_are_learned_from_too(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="the extra [warc] is not installed")
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.html").write_text(page(number))
    (tmp_path / "pages.jsonl.gz").write_bytes(gzip.compress(lines([0, 1, 2, 3, 5, 6])))
    records = [archives.response(n, page(n).encode()) for n in range(6)]
    (tmp_path / "packed.warc.gz").write_bytes(gzip.compress(b"".join(records)))
    run([tmp_path], tmp_path / "out", JOB, workers=1)
    rows = rows_in(tmp_path / "out")
    assert [row["site_pages"] for row in rows] == [6] * 18
    assert all("x59" in row["text"] and "Weather" not in row["text"] for row in rows)
    names = {path.name for path in tmp_path.glob("out/sites-*/*example*")}
    assert names == {"valley.example.json", "example.org.json"}


def test_sites_are_learned_for_their_segments_too(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl").write_bytes(lines([0, 1, 2, 3, 5, 6, 4]))
    job = Job("segments", site_method=site_method_for("segments"), limits=JOB.limits)
    run([tmp_path / "pages.jsonl"], tmp_path / "out", job, workers=1)
    rows = rows_in(tmp_path / "out")
    (learned,) = (tmp_path / "out").glob("sites-*/valley.example.json")
    site = joeira.load_site(learned)
    assert [row["site_pages"] for row in rows] == [6] * 6 + [None]
    segments = [site.segment(joeira.parse(page(number))) for number in (0, 1, 2, 3, 5, 6)]
    assert [row["segments"] for row in rows[:6]] == [
        found.to_dict()["segments"] for found in segments
    ]
    assert all("learned from 6 pages" in row["reason"] for row in rows[:6])
    assert rows[6]["segments"] == joeira.segment(page(4)).to_dict()["segments"]
    with pytest.raises(UsageError, match="only segments of sites"):
        Job(site_method="som")


def test_a_site_is_learned_without_its_poison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**poison.HOOK, "PYTHONPATH": str(TESTS)}.items():
        monkeypatch.setenv(name, value)
    source = tmp_path / "pages.jsonl"
    bad = {"url": "https://valley.example/bad", "html": poison.page("segfault")}
    source.write_bytes(lines([0, 1, 2, 3]) + json.dumps(bad).encode() + b"\n" + lines([5, 6, 7]))
    run([source], tmp_path / "out", JOB, workers=1)
    rows = rows_in(tmp_path / "out")
    assert [row["status"] for row in rows] == [*["ok"] * 4, "crash", *["ok"] * 3]
    assert {row["site_pages"] for row in rows if row["status"] == "ok"} == {7}


def test_addresses_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="fetch them first"):
        run(["https://example.org/"], tmp_path / "out", JOB)
