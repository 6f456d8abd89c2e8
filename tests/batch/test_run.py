"""Whole runs: one row for each page, the same bytes again, and going on after every kind of end."""

import contextlib
import gzip
import json
import os
import random
import resource
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from joeira.batch import Job, Limits, Output, run
from joeira.batch.rows import STATUSES, Capture
from joeira.errors import UsageError
from support import archives, poison
from support.command_line import COMMAND, ROOT, environment, hear_interrupts, joeira

JOB = Job(method="bte")


def pages_in(folder: Path, count: int) -> Path:
    path = folder / "pages.jsonl"
    rows = ({"id": str(n), "html": archives.page(n).decode()} for n in range(count))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def rows_in(folder: Path) -> list[dict[str, Any]]:
    shards = sorted(folder.glob("part-*.jsonl.gz"))
    return [json.loads(line) for shard in shards for line in gzip.open(shard)]


def shards_in(folder: Path) -> dict[str, bytes]:
    kept = [*folder.glob("part-*"), *folder.glob("manifest.json")]
    return {path.name: path.read_bytes() for path in sorted(kept)}


def test_one_row_for_each_page_and_a_manifest_that_adds_up(tmp_path: Path) -> None:
    done = run([pages_in(tmp_path, 25)], Output(tmp_path / "out", shard_rows=10), JOB, workers=2)
    rows = rows_in(tmp_path / "out")
    assert [row["id"] for row in rows] == [str(number) for number in range(25)]
    assert all(row["config_hash"] == JOB.config_hash for row in rows)
    assert rows[3]["text"].startswith("Page 3 says")
    said = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
    assert said["rows"] == 25 == sum(said["counts"].values())
    assert said["checksum"] == done.checksum
    assert said["shards"] == [f"part-0000{number}.jsonl.gz" for number in range(3)]
    assert set(done.counts) == set(STATUSES)


def test_the_number_of_workers_and_the_order_of_files_change_no_row(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number:02}.html").write_bytes(archives.page(number))
    files = sorted(tmp_path.glob("*.html"))
    one = run(files, tmp_path / "one", JOB, workers=1)
    run(files, tmp_path / "three", JOB, workers=3)
    assert shards_in(tmp_path / "one") == shards_in(tmp_path / "three")
    assert run(files[::-1], tmp_path / "back", JOB, workers=2).checksum == one.checksum


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_run_goes_on_where_shards_end(form: str, tmp_path: Path) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="the extra [parquet] is not installed")
    source = pages_in(tmp_path, 35)
    whole = Output(tmp_path / "whole", form, shard_rows=10)
    first = run([source], whole, JOB, workers=2)
    expected = shards_in(whole.folder)
    for kept in range(4):
        for name in list(expected)[kept + 1 :]:  # the manifest is the first of the names
            (whole.folder / name).unlink()
        (whole.folder / "manifest.json").unlink()
        (whole.folder / f".part-0000{kept}.jsonl.gz.tmp").write_bytes(b"half a sh")
        done = run([source], whole, JOB, workers=2)
        assert done.resumed_rows == 10 * kept
        assert done.checksum == first.checksum
        assert shards_in(whole.folder) == expected
    assert not list(whole.folder.glob(".*"))


def test_a_finished_run_does_nothing_again(tmp_path: Path) -> None:
    source = pages_in(tmp_path, 5)
    first = run([source], tmp_path / "out", JOB, workers=1)
    shard = tmp_path / "out" / "part-00000.jsonl.gz"
    before = shard.stat()
    again = run([source], tmp_path / "out", JOB, workers=1)
    assert again.counts == first.counts
    assert again.resumed_rows == 5
    after = shard.stat()  # it was read, so only the time of access may be another
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_another_configuration_or_input_is_refused_unless_told_to_overwrite(tmp_path: Path) -> None:
    source, out = pages_in(tmp_path, 5), tmp_path / "out"
    run([source], out, JOB, workers=1)
    with pytest.raises(UsageError, match="another configuration"):
        run([source], out, Job(method="nce"), workers=1)
    with pytest.raises(UsageError, match="another configuration"):
        run([source, source], out, JOB, workers=1)
    (out / "notes.txt").write_text("mine")
    run([source], Output(out, overwrite=True), Job(method="nce"), workers=1)
    assert {row["config_hash"] for row in rows_in(out)} == {Job(method="nce").config_hash}
    assert (out / "notes.txt").read_text() == "mine"


def test_an_input_that_was_edited_in_place_is_refused(tmp_path: Path) -> None:
    """Neither its name nor its size tells: the time of its change does, and its ends do."""
    source, out = pages_in(tmp_path, 40), tmp_path / "out"
    run([source], out, JOB, workers=1)
    before, text = source.stat(), source.read_text()
    source.write_text(text.replace("Page 20 says", "Page 20 said"))
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert source.stat().st_size == before.st_size
    with pytest.raises(UsageError, match="another configuration, version or input"):
        run([source], out, JOB, workers=1)
    for word in ("Page 0 says", "Page 39 says"):  # near the ends, with the time set back
        source.write_text(text.replace(word, word.replace("says", "said")))
        os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
        done = joeira("batch", source, "-o", out, "--method", "bte")
        assert done.returncode == 2
        assert "another configuration, version or input" in done.stderr
    source.write_text(text)
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert run([source], out, JOB, workers=1).resumed_rows == 40


def test_a_finished_run_without_rows_is_another_run_too(tmp_path: Path) -> None:
    source = tmp_path / "pages.jsonl"
    source.write_text("\n")
    assert run([source], tmp_path / "out", JOB, workers=1).rows == 0
    assert run([source], tmp_path / "out", JOB, workers=1).rows == 0
    pages_in(tmp_path, 1)
    with pytest.raises(UsageError, match="another configuration, version or input"):
        run([source], tmp_path / "out", JOB, workers=1)


@pytest.mark.parametrize("place", ["rows", ".", "deep/rows"])
def test_an_output_inside_of_the_input_is_no_input(place: str, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.html").write_bytes(archives.page(number))
    out = tmp_path / place
    first = run([tmp_path], out, JOB, workers=1)
    again = run([tmp_path], out, JOB, workers=1)
    assert (first.rows, again.rows, again.resumed_rows) == (3, 3, 3)
    shell = sorted(tmp_path.glob("*.html")) + [out] * (place == "rows")  # as pages/* would be
    run(shell, Output(out, overwrite=True), JOB, workers=1)
    inputs = json.loads((out / "manifest.json").read_bytes())["inputs"]
    assert [Path(name).name for name in inputs] == ["0.html", "1.html", "2.html"]


def test_what_is_no_file_is_skipped_with_a_row(tmp_path: Path) -> None:
    """Nobody writes to the pipe: a run that opened it would wait for ever."""
    os.mkfifo(tmp_path / "a.html")
    with socket.socket(socket.AF_UNIX) as opened, contextlib.chdir(tmp_path):
        opened.bind("b.jsonl")
    (tmp_path / "c.html").symlink_to("/dev/zero")
    (tmp_path / "d.html").write_bytes(archives.page(3))
    done = joeira("batch", tmp_path, "-o", tmp_path / "out", "--method", "bte", "--workers", "1")
    assert done.returncode == 1, done.stderr
    rows = rows_in(tmp_path / "out")
    assert [(row["status"], row["reason"]) for row in rows[:3]] == [
        ("skipped", "a named pipe, not a file"),
        ("skipped", "a socket, not a file"),
        ("skipped", "a device, not a file"),
    ]
    assert rows[3]["status"] == "ok"
    assert joeira("batch", tmp_path, "-o", tmp_path / "out", "--method", "bte").returncode == 1


def test_names_that_differ_in_bytes_that_are_no_text_keep_different_ids(tmp_path: Path) -> None:
    for byte in (b"\xfe", b"\xff"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + byte + b".html")).write_bytes(
            archives.page(1)
        )
    run([tmp_path], tmp_path / "out", JOB, workers=1)
    rows = rows_in(tmp_path / "out")
    assert [row["id"].rpartition("/")[2] for row in rows] == [r"\xfe.html", r"\xff.html"]
    assert [row["source"] for row in rows] == [row["id"] for row in rows]


def test_a_missing_shard_is_refused(tmp_path: Path) -> None:
    source = pages_in(tmp_path, 25)
    out = Output(tmp_path / "out", shard_rows=10)
    run([source], out, JOB, workers=1)
    (out.folder / "part-00001.jsonl.gz").unlink()
    with pytest.raises(UsageError, match="missing"):
        run([source], out, JOB, workers=1)


@pytest.mark.parametrize("task", ["content", "records", "segments"])
def test_a_task_fills_its_columns_and_no_others(task: str) -> None:
    job = Job(task)
    html = (ROOT / "examples" / "listing.html").read_bytes()
    row = job.row(record := Capture("0", None, html), job.fields(record))
    mine = {"content": "text"}.get(task, task)
    assert {"text", "markdown", "records", "segments", "site_pages"} & {*job.columns} == {mine}
    assert row
    assert getattr(row, mine)
    assert not any(getattr(row, name) for name in {"text", "records", "segments"} - {mine})
    nothing = Capture("1", None, b"")
    empty = job.row(nothing, job.fields(nothing))
    assert (empty.status, bool(empty.reason)) == ("empty", True)


def test_fineweb_names_on_a_warc(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="the extra [warc] is not installed")
    path = tmp_path / "CC-MAIN-2024-18.warc.gz"
    path.write_bytes(b"".join(archives.compressed(archives.pages(3))))
    run([path], Output(tmp_path / "out", schema="fineweb"), JOB, workers=1)
    first = rows_in(tmp_path / "out")[0]
    assert first.pop("text").startswith("Page 0")
    first.pop("language")
    assert first == {
        "id": "<urn:uuid:0000>", "dump": "CC-MAIN-2024-18", "url": "http://example.org/0",
        "date": "2024-05-06T07:08:09Z", "file_path": str(path),
        "language_score": None, "token_count": None, "status": "ok", "reason": "", "offset": 0,
    }  # fmt: skip


# The program ---------------------------------------------------------------------------------


def test_exit_codes(tmp_path: Path) -> None:
    source = pages_in(tmp_path, 3)
    good = joeira("batch", source, "-o", tmp_path / "out", "-m", "bte", "--workers", "1")
    assert good.returncode == 0
    assert good.stdout == ""
    assert good.stderr.startswith("joeira: 3 pages: 3 ok; ")
    assert good.stderr.count("\n") == 1
    changed = joeira("batch", source, "-o", tmp_path / "out", "-m", "nce")
    assert changed.returncode == 2
    assert "--overwrite" in changed.stderr
    with source.open("a") as file:
        file.write("no json\n")
    bad = joeira("batch", source, "-o", tmp_path / "bad", "-m", "bte", "--workers", "1")
    assert bad.returncode == 1
    assert "3 ok, 1 skipped" in bad.stderr
    assert joeira("batch", tmp_path / "none", "-o", tmp_path / "x").returncode == 2
    assert joeira("batch", source, "-o", tmp_path / "x", "--memory", "much").returncode == 2
    assert joeira("batch", source, "-o", tmp_path / "x", "--timeout", "1e7").returncode == 2
    assert joeira("batch", source, "-o", source).returncode == 4


def run_within(kind: int, limit: int, command: list[str]) -> subprocess.CompletedProcess[bytes]:
    """Run a command that may have only so much of something."""
    return subprocess.run(
        command,
        capture_output=True,
        check=False,
        env=environment(),
        preexec_fn=lambda: resource.setrlimit(kind, (limit, limit)),
    )


def test_a_full_disk_ends_with_4_and_the_run_goes_on_later(tmp_path: Path) -> None:
    source, out = pages_in(tmp_path, 30), tmp_path / "out"
    command = [*COMMAND, "batch", str(source), "-o", str(out), "-m", "bte", "--workers", "1"]
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing fails as on a full disk
    full = run_within(resource.RLIMIT_FSIZE, 200, command)
    assert full.returncode == 4
    assert b"run the same command to resume" in full.stderr
    assert b"Traceback" not in full.stderr
    assert not list(out.glob("part-*"))
    assert subprocess.run(command, check=False, env=environment()).returncode == 0
    assert len(rows_in(out)) == 30


def test_too_few_open_files_are_told_in_one_line(tmp_path: Path) -> None:
    command = [*COMMAND, "batch", str(pages_in(tmp_path, 1)), "-o", str(tmp_path), "--workers", "9"]
    done = run_within(resource.RLIMIT_NOFILE, 20, command)
    said = b"joeira: a worker could not start: Too many open files; run the same command to resume"
    assert done.stderr.startswith(said)
    assert done.stderr.count(b"\n") == 1
    assert done.returncode == 4


def poisoned(folder: Path, count: int) -> Path:
    path = folder / "pages.jsonl"
    kinds = [*poison.STATUS]
    with path.open("w") as file:
        for number in range(count):
            html = archives.page(number).decode()
            if number % 60 == 30:
                html = poison.page(kinds[number // 60 % len(kinds)])
            file.write(json.dumps({"id": str(number), "html": html}) + "\n")
    return path


def command_for(source: Path, out: Path) -> list[str]:
    code = (
        "import sys; from pathlib import Path; from joeira.batch import *;"
        "run(sys.argv[1:2], Output(Path(sys.argv[2]), shard_rows=20),"
        " Job(method='bte', limits=Limits(2, 512 << 20)), workers=2)"
    )
    return [COMMAND[0], "-c", code, str(source), str(out)]


def test_killed_three_times_the_shards_are_those_of_an_undisturbed_run(tmp_path: Path) -> None:
    source = poisoned(tmp_path, 300)
    variables = {**environment(**poison.HOOK), "PYTHONPATH": str(ROOT / "tests")}
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    subprocess.run(command_for(source, calm), check=True, env=variables)
    expected = shards_in(calm)
    chance = random.Random(7)
    for kill in range(3):
        process = subprocess.Popen(command_for(source, rough), env=variables)
        wanted = chance.randrange(1, 4) + 4 * kill  # somewhere after this shard has appeared
        while not (rough / f"part-{wanted:05d}.jsonl.gz").exists() and process.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.random() * 0.1)
        process.kill()
        process.wait()
        # The last one may come just after the end, on a fast machine.
        assert kill == 2 or not (rough / "manifest.json").exists()
    subprocess.run(command_for(source, rough), check=True, env=variables)
    assert shards_in(rough) == expected
    rows = rows_in(rough)
    assert [row["id"] for row in rows] == [str(number) for number in range(300)]
    bad = [row["status"] for row in rows if row["status"] != "ok"]
    assert bad == ["crash", "crash", "timeout", "oom", "crash"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_cleanly_and_says_how_to_go_on(number: int, tmp_path: Path) -> None:
    source, out = pages_in(tmp_path, 1100), tmp_path / "out"
    arguments = ["batch", str(source), "-o", str(out), "-m", "bte", "--workers", "1"]
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=hear_interrupts,  # noqa: PLW1509 (no threads here)
    )
    while not list(out.glob("part-*")) and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert b"run the same command to resume" in said
    assert b"Traceback" not in said
    assert joeira(*arguments).returncode == 0
    assert len(rows_in(out)) == 1100


def test_limits_are_part_of_the_configuration() -> None:
    assert Job(limits=Limits(6)).config_hash != Job().config_hash
