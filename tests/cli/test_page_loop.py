"""What all commands that read pages have in common, and their exit codes."""

import json
import os
import pty
import signal
import subprocess
import time
from pathlib import Path

import pytest

from joeira.cli.writing import LineAMinute
from support.command_line import COMMAND, environment, hear_interrupts, joeira

ROWS = "".join(f"<tr><td>Tea {number}<td>{number}" for number in range(5))
PAGE = f"<title>Tea</title><p>All kinds of tea.<table><tr><th>Drink<th>Price{ROWS}</table>"
WAYS = {
    "extract": ("extract", "-m", "all_text"),
    "records": ("records", "-m", "tables", "--to", "jsonl"),
    "segment": ("segment", "-m", "headings"),
    "metadata": ("metadata", "-m", "all_text"),
    "why": ("why", "-m", "all_text"),
}
SUFFIXES = {
    "extract": ".txt",
    "records": ".jsonl",
    "segment": ".txt",
    "metadata": ".json",
    "why": ".txt",
}
each_command = pytest.mark.parametrize("command", WAYS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = tmp_path / "pages"
    (pages / "deep").mkdir(parents=True)
    for name in ("a.html", "b.htm", "deep/c.xhtml"):
        (pages / name).write_text(PAGE, "utf-8")
    return pages


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@each_command
def test_a_folder_in_and_a_folder_out(command: str, folder: Path, tmp_path: Path) -> None:
    out, suffix = tmp_path / "out", SUFFIXES[command]
    done = joeira(*WAYS[command], folder, "-o", f"{out}/")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert files_in(out) == [f"a{suffix}", f"b{suffix}", f"deep/c{suffix}"]
    alone = joeira(*WAYS[command], folder / "a.html")
    assert (out / f"a{suffix}").read_text("utf-8") == alone.stdout
    one = tmp_path / "one.out"
    assert joeira(*WAYS[command], folder / "a.html", "-o", one).returncode == 0
    assert one.read_text("utf-8") == alone.stdout


@each_command
def test_standard_input_is_a_page(command: str, folder: Path) -> None:
    piped = joeira(*WAYS[command], "-", stdin=PAGE.encode())
    silent = joeira(*WAYS[command], stdin=PAGE.encode())
    named = joeira(*WAYS[command], folder / "a.html")
    assert piped.returncode == 0
    assert piped.stdout == silent.stdout
    assert piped.stdout == named.stdout.replace(str(folder / "a.html"), "-")


@each_command
def test_several_results_say_whose_they_are(command: str, folder: Path) -> None:
    done = joeira(*WAYS[command], folder)
    assert done.returncode == 0
    for name in ("a.html", "b.htm", "deep/c.xhtml"):
        assert str(folder / name) in done.stdout


@each_command
def test_one_bad_input_does_not_stop_the_others(command: str, folder: Path) -> None:
    done = joeira(*WAYS[command], folder / "none.html", folder / "a.html", folder / "b.htm")
    assert done.returncode == 2
    assert str(folder / "b.htm") in done.stdout
    first, last = done.stderr.splitlines()
    assert first.startswith(f"joeira: {folder / 'none.html'}: no such file")
    assert last == "joeira: 3 inputs: 2 ok, 0 empty, 1 failed"


@each_command
def test_nothing_found_anywhere(command: str, tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_bytes(b"")
    assert joeira(*WAYS[command], tmp_path).returncode == 3


@each_command
def test_wrong_usage(command: str, folder: Path) -> None:
    for arguments in (
        (folder, "--url", "https://example.org/"),
        ("-", "-"),
        (folder / "a.html", "-o", folder / "a.html"),
        (folder / "a.html", "--to", "pdf"),
        (folder / "a.html", "--method", "no_such"),
    ):
        assert joeira(*WAYS[command], *arguments).returncode == 2
    assert (folder / "a.html").read_text("utf-8") == PAGE


@each_command
def test_output_that_cannot_be_written(command: str, folder: Path) -> None:
    done = joeira(*WAYS[command], folder / "a.html", "-o", folder / "b.htm" / "below")
    assert done.returncode == 4
    assert "a file has this name" in done.stderr
    with Path("/dev/full").open("wb") as full:
        assert joeira(*WAYS[command], folder, stdout=full).returncode == 4


@each_command
def test_a_closed_pipe_ends_quietly(command: str, tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number}.html").write_text(PAGE + ROWS * 100, "utf-8")
    process = subprocess.Popen(
        [*COMMAND, *WAYS[command], str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 0


@each_command
def test_what_is_done_stays_when_it_is_stopped(command: str, folder: Path, tmp_path: Path) -> None:
    """The second page never comes: standard input stays open."""
    out = tmp_path / "out"
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [*COMMAND, *WAYS[command], str(folder / "a.html"), "-", "-o", f"{out}/"],
        stdin=reader,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=hear_interrupts,  # noqa: PLW1509 (no threads here)
    )
    first = out / f"a{SUFFIXES[command]}"
    until = time.monotonic() + 30
    while not first.exists() and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=10)
    os.close(reader)
    os.close(writer)
    assert (process.returncode, errors) == (130, b"")
    assert files_in(out) == [first.name]
    assert first.read_text("utf-8") == joeira(*WAYS[command], folder / "a.html").stdout


def test_a_page_over_the_limit_is_reported_by_every_command(tmp_path: Path) -> None:
    page = tmp_path / "long.html"
    page.write_text(PAGE + ROWS * 50, "utf-8")
    for way in WAYS.values():
        assert "cut at 300 bytes" in joeira(*way, page, "--max-bytes", "300").stderr


def shown_on_a_terminal(*arguments: str | Path) -> str:
    screen, terminal = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        env=environment(TERM="xterm-256color", NO_COLOR=""),
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            piece = os.read(screen, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not piece:
            break
        shown += piece
    os.close(screen)
    assert process.wait(30) == 0
    return shown.decode()


@pytest.mark.skipif(os.name != "posix", reason="a terminal is made by POSIX means")
@pytest.mark.parametrize("command", ["records", "metadata", "why"])
def test_colours_are_for_terminals_only(command: str, folder: Path, tmp_path: Path) -> None:
    way = [part for part in WAYS[command] if part not in ("--to", "jsonl")]
    form = ("--to", "text" if command == "why" else "table")
    shown = shown_on_a_terminal(*way, folder, *form)
    assert "\x1b[" in shown
    assert "[" not in shown.replace("\x1b[", "")  # no sequence without its beginning
    out = tmp_path / "out"
    shown_on_a_terminal(*way, folder / "a.html", *form, "-o", out)
    assert out.read_text("utf-8") == joeira(*way, folder / "a.html", *form).stdout


def test_json_of_several_pages_is_one_object_per_line(folder: Path) -> None:
    for way in WAYS.values():
        arguments = [part for part in way if part not in ("--to", "jsonl")]
        done = joeira(*arguments, folder, "--to", "json")
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        names = ("a.html", "b.htm", "deep/c.xhtml")
        assert [row["source"] for row in rows] == [str(folder / name) for name in names]


def test_a_pipe_in_a_folder_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.html")
    (tmp_path / "b.html").write_text("<p>It rained for a whole week, and the river left its bed.")
    done = joeira("extract", tmp_path, "--method", "all_text")
    assert done.returncode == 1
    assert "river" in done.stdout
    assert "a.html: neither a file nor a folder" in done.stderr


def test_a_long_command_says_a_line_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    seconds = iter([0.0, 30, 61, 100, 180, 300])
    tell = LineAMinute("reading", clock=lambda: next(seconds))
    for done, total in ((10, 100), (61, 1061), (99, 100), (90, 0), (300, 300)):
        tell(done, total)
    assert capsys.readouterr().err.splitlines() == [
        "joeira: reading: 61 of 1061 pages, 1.0 pages/s, 0:16:40 left",
        "joeira: reading: 90 pages, 0.5 pages/s",
        "joeira: reading: 300 pages, 1.0 pages/s",
    ]
