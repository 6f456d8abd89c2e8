"""``benchmarks/track.py`` keeps a line for each run and compares it with the last one."""

import json
import math
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRACK = ROOT / "benchmarks" / "track.jsonl"


def track(*arguments: str | Path) -> str:
    command = [sys.executable, ROOT / "benchmarks" / "track.py", "--rounds", "2", *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_run_is_kept_and_compared(tmp_path: Path) -> None:
    kept, pages = tmp_path / "track.jsonl", tmp_path / "pages.jsonl"
    rows = ({"html": f"<p>A page about rain, number {number}.</p>"} for number in range(3))
    pages.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    assert "the first line for these pages" in track(pages, "--pages", "2", "--file", kept)
    (text,) = kept.read_text("utf-8").splitlines()
    line = json.loads(text)
    assert line["pages"] == "pages.jsonl (2)"
    assert line["rounds"] == 2
    assert {"import extract", "parse", "extract to text", "find_records"} <= line["ratios"].keys()
    # How large they are is the machine's affair: importing is a difference of two short processes.
    assert all(math.isfinite(ratio) for ratio in line["ratios"].values())
    shown = track(pages, "--pages", "2", "--file", kept, "--dry-run")
    assert f"last time: {line['date']}, commit {line['commit']}" in shown
    assert kept.read_text("utf-8") == f"{text}\n"


def test_lines_that_are_kept_have_one_form() -> None:
    lines = [json.loads(line) for line in TRACK.read_text("utf-8").splitlines()]
    assert lines
    assert len({tuple(line) for line in lines}) == 1
    assert [line["date"] for line in lines] == sorted(line["date"] for line in lines)
    assert not any(line["commit"].endswith("-dirty") for line in lines)
