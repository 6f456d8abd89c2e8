"""``joeira compare`` as a program, on what ``joeira batch`` and the benchmark of outputs write."""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.command_line import COMMAND, EXAMPLES, ROOT, environment, joeira

PAGES = {"a": "one two three four", "b": "five six seven", "c": "eight nine"}


def rows_to(path: Path, *rows: dict[str, Any]) -> Path:
    data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    rows = ({"id": k, "text": v, "joeira_version": "1"} for k, v in PAGES.items())
    return rows_to(tmp_path / "old.jsonl", *rows)


@pytest.fixture
def new(tmp_path: Path) -> Path:
    texts = {**PAGES, "b": "five six eleven", "d": "ten"}
    del texts["c"]
    rows = ({"id": k, "text": v, "joeira_version": "2"} for k, v in texts.items())
    return rows_to(tmp_path / "new.jsonl.gz", *rows)


def test_equal(old: Path) -> None:
    done = joeira("compare", old, old)
    assert (done.returncode, done.stderr) == (0, "")
    first, second, *_ = done.stdout.splitlines()
    assert first == "3 pages in both: 3 equal, 0 changed; only in OLD: 0, only in NEW: 0"
    assert second == "Not compared: joeira_version"


def test_different(old: Path, new: Path) -> None:
    done = joeira("compare", old, new)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(
        "2 pages in both: 1 equal, 1 changed (1 by more than 5% of the words); "
        "only in OLD: 1, only in NEW: 1\nNot compared: joeira_version\n"
        "Only in OLD: c\nOnly in NEW: d\n"
    )
    assert "seven" in done.stdout
    assert "eleven" in done.stdout
    assert joeira("compare", old, new, "--over", "0.5").stdout.count("(0 by more than 50%") == 1


def test_markdown_and_json(old: Path, new: Path) -> None:
    done = joeira("compare", old, new, "--to", "markdown", "--fields", "text")
    assert done.returncode == 1
    assert "| text | 1 | 1 | 0 | 0 | 16.67% | 1 |" in done.stdout
    assert "| b | text | seven | eleven |  | 33.3% |" in done.stdout
    data = json.loads(joeira("compare", old, new, "--to", "json").stdout)
    assert data["pages"] == 2
    assert data["fields"]["text"]["changed"] == 1
    assert data["fields"]["text"]["words_changed"] == pytest.approx(1 / 6)
    assert data["not_compared"] == ["joeira_version"]
    assert data["only_new"] == {"pages": 1, "first": ["d"]}
    (change,) = data["most_changed"]
    assert (change["id"], change["lost"], change["gained"]) == ("b", "seven", "eleven")
    assert (
        json.loads(joeira("compare", old, new, "--to", "json", "--most", "0").stdout)[
            "most_changed"
        ]
        == []
    )


def test_what_cannot_be_compared_ends_with_2(old: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"id": 1}\n{"id": 2,\n', "utf-8")
    for arguments, problem in (
        ((old, broken), "broken.jsonl, line 2: not JSON"),
        ((broken, old), "broken.jsonl, line 2: not JSON"),
        ((old, tmp_path / "none.jsonl"), "none.jsonl: no such file or folder"),
        ((old, EXAMPLES), "no shards of a batch"),
        ((old, old, "--fields", "txt"), "no page in both outputs has the field 'txt'"),
        ((old, old, "--fields", ","), "--fields is empty"),
        ((old, old, "--over", "2"), "--over"),
    ):
        done = joeira("compare", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert problem in done.stderr


def test_folders_of_batches(tmp_path: Path) -> None:
    for name, method in (("a", "bte"), ("b", "bte"), ("c", "nce")):
        arguments = ("-o", tmp_path / name, "-m", method, "--workers", "1")
        assert joeira("batch", EXAMPLES, *arguments).returncode == 0
    same = joeira("compare", tmp_path / "a", tmp_path / "b")
    assert same.returncode == 0
    assert "Not compared: joeira_version, config_hash" in same.stdout
    other = joeira("compare", tmp_path / "a", tmp_path / "c", "--to", "json")
    assert other.returncode == 1
    found = json.loads(other.stdout)
    assert found["pages"] == 6
    assert found["fields"]["text"]["changed"] > 0
    assert found["fields"]["url"]["changed"] == 0


def test_memory_does_not_grow_with_the_texts(tmp_path: Path) -> None:
    """Sixty megabytes of text on each side, within little more than the program itself needs."""
    text = " ".join(f"word{number}" for number in range(3000))
    rows = [{"id": str(number), "text": f"{text} {number}"} for number in range(2400)]
    paths = [
        rows_to(tmp_path / "old.jsonl", *rows),
        rows_to(tmp_path / "new.jsonl.gz", *rows[::-1]),
    ]
    sizes = []
    for pair in ((rows_to(tmp_path / "tiny.jsonl", rows[0]),) * 2, paths, paths[::-1]):
        script = (
            "import resource, sys; from joeira.cli import main\n"
            "try: main()\n"
            "finally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, "compare", *map(str, pair)],
            capture_output=True,
            env=environment(),
            check=True,
        )
        sizes.append(int(done.stderr))
    assert max(sizes) - sizes[0] < 25_000  # kilobytes


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    rows = [{"id": str(number), "text": str(number)} for number in range(5000)]
    old = rows_to(tmp_path / "old.jsonl", *rows)
    new = rows_to(tmp_path / "new.jsonl", *({**row, "text": "x"} for row in rows))
    process = subprocess.Popen(
        [*COMMAND, "compare", str(old), str(new), "--most", "5000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 0


def outputs(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "outputs.py", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=120,
    )


def test_every_output_of_the_library(tmp_path: Path) -> None:
    pages = [
        {"id": path.stem, "html": path.read_text("utf-8")}
        for path in (EXAMPLES / "article.html", EXAMPLES / "listing.html")
    ]
    data = rows_to(tmp_path / "pages.jsonl.gz", *pages)
    done = outputs(data, "-o", tmp_path / "old.jsonl")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("2 pages by joeira ")
    rows = [json.loads(line) for line in (tmp_path / "old.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["pages/article", "pages/listing"]
    names = ["id", "text", "markdown", "html", "json", "records", "csv", "segments"]
    assert list(rows[0]) == names
    assert "ice house" in rows[0]["text"]
    assert rows[0]["json"]["text"] == rows[0]["text"]
    assert rows[1]["records"][0][0]["title"] == "Moradia T3 com quintal"
    assert rows[1]["csv"][0].startswith("title,url,location,")
    assert all(len(part) == 3 for part in rows[0]["segments"])
    assert outputs(data, "-o", tmp_path / "new.jsonl.gz", "--workers", "2").returncode == 0
    assert joeira("compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl.gz").returncode == 0
    assert outputs(data, "-o", tmp_path / "short.jsonl", "--hashes").returncode == 0
    short = json.loads((tmp_path / "short.jsonl").read_text().splitlines()[0])
    assert short["text"].startswith("sha256:")
    assert len(short["text"]) == len("sha256:") + 16
    found = joeira("compare", tmp_path / "short.jsonl", tmp_path / "new.jsonl.gz", "--to", "json")
    assert json.loads(found.stdout)["fields"]["text"]["words_changed"] is None


def test_data_sets_without_pages_are_refused(tmp_path: Path) -> None:
    data = rows_to(tmp_path / "answers.jsonl", {"id": "1", "text": "no page"})
    done = outputs(data, "-o", tmp_path / "out.jsonl")
    assert done.returncode != 0
    assert "answers.jsonl, line 1: the row has no html" in done.stderr
