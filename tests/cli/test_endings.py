"""Exit codes, messages, signals and closed pipes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.command_line import COMMAND, EXAMPLES, ROOT, environment, hear_interrupts, joeira

ARTICLE = EXAMPLES / "article.html"


def extract(*arguments: str | Path, **more):
    return joeira("extract", "--method", "all_text", *arguments, **more)


def one_line(text: str) -> str:
    (line,) = text.splitlines()
    return line


def test_a_missing_file_fails_and_the_others_are_done(tmp_path: Path) -> None:
    done = extract(tmp_path / "nosuch.html", ARTICLE)
    assert done.returncode == 2
    assert "ice house" in done.stdout
    first, last = done.stderr.splitlines()
    assert "nosuch.html: no such file" in first
    assert "https://" in first
    assert last == "joeira: 2 inputs: 1 ok, 0 empty, 1 failed"


def test_a_folder_without_pages_fails(tmp_path: Path) -> None:
    done = extract(tmp_path)
    assert done.returncode == 1
    assert "no .html, .htm, .xhtml file" in one_line(done.stderr)


@pytest.mark.parametrize(
    "name", ["file:///etc/hostname", "ftp://example.org/", "javascript:alert(1)"]
)
def test_other_schemes_are_refused(name: str) -> None:
    done = extract(name)
    assert (done.returncode, done.stdout) == (1, "")
    assert "only http and https" in one_line(done.stderr)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--method", "al_text"), ("'al_text'", "did you mean 'all_text'")),
        (("--set", "nothing"), ("name=value", "'nothing'")),
        (("--set", "width=3"), ("no parameter 'width'", "its parameters: none")),
        (("--html", "--json"), ("html and json",)),
        (("--html", "--with-metadata"), ("text and markdown",)),
        (("-o", "README.md", "examples"), ("README.md is a file",)),
        (("-", "-"), ("only one standard input",)),
        (("--url", "https://example.org/", "examples"), ("several inputs",)),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    done = extract(ARTICLE, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    line = one_line(done.stderr)
    assert all(word in line for word in words)


def test_settings_are_typed_and_their_names_are_listed() -> None:
    unknown = joeira("extract", ARTICLE, "--method", "nce", "--set", "leaf_min_char=1")
    wrong = joeira("extract", ARTICLE, "--method", "nce", "--set", "leaf_min_chars=many")
    assert unknown.returncode == wrong.returncode == 2
    assert "leaf_min_chars" in one_line(unknown.stderr)
    assert "must be a whole number of at least 0, not 'many'" in one_line(wrong.stderr)
    assert (
        joeira("extract", ARTICLE, "--method", "nce", "--set", "leaf_min_chars=120").returncode == 0
    )


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("extract", "a.html", "--to", "pdf"), "--to: 'pdf' is not one of 'text', 'markdown'"),
        (("extract", "--markdwn"), "no such option: --markdwn"),
        (("extract", "a.html", "--timeout", "soon"), "--timeout: "),
        (("serve", "--port", "70000"), "--port: "),
        (("batch",), "missing argument"),
        (("site", "lern"), "no such command 'lern'"),
        (("extrct",), "no such command 'extrct' (did you mean 'extract'"),
        (("bogus",), "no such command 'bogus'"),
    ],
    ids=str,
)
def test_wrong_arguments_are_one_line_with_a_cure(arguments: tuple[str, ...], words: str) -> None:
    done = joeira(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    line = one_line(done.stderr)
    assert line.startswith(f"joeira: {words}")
    assert line.endswith("--help")
    assert not any(word in line for word in ("Input should", "Value error", "Usage:"))


MISSING = {
    "extract": ("extract", "none.html"),
    "records": ("records", "none.html"),
    "segment": ("segment", "none.html"),
    "metadata": ("metadata", "none.html"),
    "why": ("why", "none.html", "words"),
    "records learn": ("records", "learn", "none.html", "-o", "out.json"),
    "records --wrapper": ("records", ARTICLE, "--wrapper", "none.json"),
    "extract --site": ("extract", ARTICLE, "--site", "none.json"),
    "site learn": ("site", "learn", "none.html", "-o", "out.json"),
    "site show": ("site", "show", "none.json"),
    "site check": ("site", "check", "none.json", ARTICLE),
    "site gold": ("site", "gold", "none.html", "-o", "out", "--content", "p"),
    "site collect": ("site", "collect", "none.html", "-o", "out/"),
    "site train-segments": ("site", "train-segments", "none.jsonl", "-o", "out.npz"),
    "extract-site": ("extract-site", "none.html", "-o", "out/"),
    "evaluate": ("evaluate", "none.jsonl"),
    "compare": ("compare", "none.jsonl", "none.jsonl"),
    "batch": ("batch", "none.warc", "-o", "out/"),
    "view": ("view", "none.html", "--no-browser"),
}


@pytest.mark.parametrize("command", MISSING)
def test_a_missing_file_has_one_code_in_every_command(command: str, tmp_path: Path) -> None:
    if command == "view":
        pytest.importorskip("fastapi", reason="the extra 'service' is not installed")
    done = joeira(*MISSING[command], folder=tmp_path)
    assert done.returncode == 2
    first = done.stderr.splitlines()[0]
    assert first.startswith("joeira: none.")
    assert "no such file" in first
    assert "check the path" in first


READERS = {
    "site show": ("site", "show", "damaged.json"),
    "site check": ("site", "check", "damaged.json", ARTICLE),
    "extract --site": ("extract", ARTICLE, "--site", "damaged.json"),
    "records --wrapper": ("records", ARTICLE, "--wrapper", "damaged.json"),
    "evaluate": ("evaluate", "damaged.jsonl"),
    "compare": ("compare", "damaged.jsonl", "damaged.jsonl"),
}


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    "damage, words",
    [(b"\xff\xfe\x89binary", "not text in UTF-8"), (b'{"a": 1,\n', "not JSON (line ")],
    ids=["binary", "cut"],
)
def test_damaged_files_are_told_of_in_our_words(
    command: str, damage: bytes, words: str, tmp_path: Path
) -> None:
    for name in ("damaged.json", "damaged.jsonl"):
        (tmp_path / name).write_bytes(damage)
    done = joeira(*READERS[command], folder=tmp_path)
    assert done.returncode in (1, 2)
    line = one_line(done.stderr)
    assert line.startswith("joeira: damaged.json")
    assert words in line
    assert not any(word in line for word in ("codec", "Expecting", "char "))


@pytest.mark.parametrize("command", ["site show", "extract --site", "records --wrapper"])
def test_a_folder_where_a_file_is_wanted(command: str, tmp_path: Path) -> None:
    (tmp_path / "damaged.json").mkdir()
    done = joeira(*READERS[command], folder=tmp_path)
    assert done.returncode == 1
    assert one_line(done.stderr) == "joeira: damaged.json: this is a folder; name a file"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no folder in which nobody can make another")
@pytest.mark.parametrize(
    "arguments",
    [
        ("extract", ARTICLE),
        ("metadata", ARTICLE),
        ("segment", ARTICLE),
        ("why", ARTICLE),
        ("site", "learn", ARTICLE),
        ("serve", "--data"),
    ],
    ids=str,
)
def test_a_folder_that_cannot_be_made(arguments: tuple[str | Path, ...]) -> None:
    if "serve" in arguments:
        pytest.importorskip("fastapi", reason="the extra 'service' is not installed")
        done = joeira(*arguments, "/proc/none/below")
    else:
        done = joeira(*arguments, "-o", "/proc/none/result")
    assert done.returncode == 4
    line = one_line(done.stderr)
    assert line.startswith("joeira: /proc/none")
    assert "cannot be written: there is no such folder" in line


def test_nothing_extracted() -> None:
    done = extract(stdin=b"<html><body> </body></html>")
    assert (done.returncode, done.stdout) == (3, "")
    assert "nothing extracted" in one_line(done.stderr)


def test_one_empty_page_among_others_is_fine_unless_strict(tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_bytes(b"")
    assert extract(ARTICLE, tmp_path / "empty.html").returncode == 0
    assert extract(ARTICLE, tmp_path / "empty.html", "--strict").returncode == 1
    assert extract(tmp_path / "empty.html", "--strict").returncode == 1


@pytest.mark.parametrize("target", ["{page}/below", "{page}/below/", "/dev/full"])
def test_output_that_cannot_be_written(tmp_path: Path, target: str) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(b"<p>words")
    done = extract(page, "-o", target.format(page=page))
    assert done.returncode == 4
    line = one_line(done.stderr)
    assert "a file has this name" in line or "No space left" in line


@pytest.mark.parametrize(
    "arguments",
    [
        ("extract", "-m", "all_text", "examples/article.html"),
        ("why", "-m", "all_text", "examples/article.html"),
        ("methods", "all_text"),
        ("--version",),
        ("extract", "--help"),
    ],
)
def test_a_full_disk_under_standard_output(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = joeira(*arguments, stdout=full)
    assert done.returncode == 4
    assert "No space left" in one_line(done.stderr)


def test_a_closed_standard_output() -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, "extract", "-m", "all_text", str(ARTICLE)],
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 4
    assert done.stderr.decode() == "joeira: standard output is closed\n"


def test_a_closed_standard_input() -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, "extract", "-m", "all_text", "-"],
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.decode() == "joeira: -: standard input is closed\n"


@pytest.mark.parametrize("command", ["extract", "why"])
def test_a_closed_pipe_ends_quietly(tmp_path: Path, command: str) -> None:
    page = tmp_path / "long.html"
    page.write_text("<p>a line of words</p>\n" * 20_000, "utf-8")
    writer = subprocess.Popen(
        [*COMMAND, command, "-m", "all_text", str(page)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    writer.stdout.readline()
    writer.stdout.close()
    assert writer.stderr.read() == b""
    writer.stderr.close()
    assert writer.wait(30) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("extract", "--help"),
        ("methods",),
        ("doctor",),
        ("records", EXAMPLES / "listing.html"),
    ],
    ids=str,
)
def test_a_pipe_that_nobody_reads_is_no_error(arguments: tuple[str | Path, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = joeira(*arguments, stdout=pipe)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_it_quickly(number: signal.Signals, code: int) -> None:
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [*COMMAND, "extract", "-m", "all_text", str(ARTICLE), "-"],
        stdin=reader,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=hear_interrupts,  # noqa: PLW1509 (no threads here)
    )
    assert process.stdout is not None
    process.stdout.readline()  # the first page is out, so it waits for the second
    time.sleep(0.3)
    process.send_signal(number)
    started = time.monotonic()
    output, errors = process.communicate(timeout=10)
    os.close(reader)
    os.close(writer)
    assert process.returncode == code
    assert time.monotonic() - started < 2
    assert errors == b""
    assert b"All rights reserved." in output  # complete results stay


@pytest.mark.parametrize("way", [("--debug", "extract"), ("extract",)])
def test_tracebacks_only_when_asked_for(way: tuple[str, ...]) -> None:
    variables = {} if "--debug" in way else {"JOEIRA_DEBUG": "1"}
    done = subprocess.run(
        [*COMMAND, *way, str(ARTICLE), "--method", "nosuch"],
        capture_output=True,
        env=environment(**variables),
        check=False,
    )
    assert done.returncode != 0
    assert b"Traceback" in done.stderr


def test_the_installed_script_is_the_same_program() -> None:
    script = Path(sys.executable).with_name("joeira")
    if not script.exists():
        pytest.skip("joeira is not installed beside this Python")
    done = subprocess.run(
        [script, "--version"], capture_output=True, check=True, cwd=ROOT, env=environment()
    )
    assert done.stdout.decode() == joeira("--version").stdout
