"""``joeira evaluate`` as a program: output, files and exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = [
    {"id": "1", "html": "<p>one two", "text": "one two", "lang": "en"},
    {"id": "2", "html": "<p>um dois", "text": "um dois", "lang": "pt"},
]


@pytest.fixture
def data_set(tmp_path: Path) -> Path:
    path = tmp_path / "small.jsonl"
    path.write_text("\n".join(json.dumps(page) for page in PAGES), "utf-8")
    return path


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "joeira", "evaluate", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_table_and_json(data_set: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    ended = run(data_set, "--methods", "all_text", "--json", report, "--workers", 1)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "all_text" in ended.stdout
    assert "fingerprint" in ended.stdout
    (found,) = json.loads(report.read_text("utf-8"))["data_sets"]
    assert found["methods"]["all_text"]["words"]["f1"] == 1


def test_markdown_of_several_sets(data_set: Path) -> None:
    options = ["--methods", "all_text,bte", "--compare", "--to", "markdown", "--by", "lang"]
    ended = run(data_set, data_set, *options, "--limit", 1)
    assert ended.returncode == 0
    assert ended.stdout.count("### small: all pages") == 2
    assert "all_text - bte" in ended.stdout
    assert "1 pages" in ended.stdout


def test_a_failure_is_told_and_ends_with_1(data_set: Path) -> None:
    # Any function may be measured; this one fails on every page.
    ended = run(data_set, "--methods", "all_text,json:loads", "--to", "markdown")
    assert ended.returncode == 1
    assert "| json:loads | 1 | JSONDecodeError" in ended.stdout
    assert "2 failures" in ended.stderr


@pytest.mark.parametrize(
    "options, problem",
    [
        (["--methods", "nobody"], "no method 'nobody'"),
        (["--methods", "all_text", "--compare"], "two methods"),
        (["--by", "colour"], "colour"),
        (["--workers", "0"], "workers"),
    ],
)
def test_misuse_ends_with_2(data_set: Path, options: list[str], problem: str) -> None:
    ended = run(data_set, *options)
    assert ended.returncode == 2
    assert problem in ended.stderr
    assert not ended.stdout


def test_missing_and_damaged_sets(tmp_path: Path) -> None:
    missing = run(tmp_path / "none.jsonl")
    assert missing.returncode == 2
    assert "no such file" in missing.stderr
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text("{\n", "utf-8")
    ended = run(damaged)
    assert ended.returncode == 1
    assert "damaged.jsonl, line 1" in ended.stderr


def test_help_shows_two_examples() -> None:
    ended = run("--help")
    assert ended.returncode == 0
    assert ended.stdout.count("$ joeira evaluate") == 2


def test_sites(tmp_path: Path) -> None:
    site = tmp_path / "site.jsonl"
    stories = ["alfa beta gama delta zeta", "um dois tres quatro cinco", "rain sun wind snow fog"]
    menu = "<div><p>home news sport weather mail</p></div>"
    rows = [
        {"id": text, "html": f"{menu}<main><p>{text}</p></main>", "text": text} for text in stories
    ]
    site.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    report = tmp_path / "report.json"
    names = "xcex[blocks=lossless],exact_repeat,all_text"
    ended = run(site, "--task", "site", "--methods", names, "--json", report)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "word F1 by site" in ended.stdout
    found = json.loads(report.read_text("utf-8"))["sites"]["site"]
    assert found["pages"] == 3
    scores = found["methods"]
    assert scores["xcex[blocks=lossless]"]["f1"] == scores["exact_repeat"]["f1"] == 1
    assert scores["all_text"]["blocks"] == {
        "precision": 0.5, "recall": 1, "f1": pytest.approx(2 / 3), "accuracy": 0.5,
        "share_not_wrongly_kept": 0.5,
    }  # fmt: skip
    assert run(site, "--task", "site", "--methods", "nobody").returncode == 2
    markdown = run(site, "--task", "site", "--methods", "exact_repeat", "--to", "markdown")
    assert "| site | 3 | 1.000 |" in markdown.stdout


def test_a_table_in_a_pipe_is_not_cut(tmp_path: Path) -> None:
    page_types = "article documentation collection forum listing product service".split()
    rows = [
        {"id": str(n), "html": "<p>one two", "text": "one two", "page_type": name, "lang": "en"}
        for n, name in enumerate(page_types)
    ]
    path = tmp_path / "wide.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    names = ["all_text", *(f"bte[tag_cost={cost}.125]" for cost in range(1, 12))]
    shown = run(path, "--methods", ",".join(names), "--workers", 1).stdout
    assert "…" not in shown
    assert all(name in shown for name in (*names, *page_types))
