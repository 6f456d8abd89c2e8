"""`joeira extract`: inputs, outputs and what it says."""

import contextlib
import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from support.command_line import COMMAND, EXAMPLES, environment, joeira

ARTICLE = EXAMPLES / "article.html"
PAGE = "<html><head><title>T</title></head><body><p>{}</p></body></html>"


def extract(*arguments: str | Path, **more):
    return joeira("extract", "--method", "all_text", *arguments, **more)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Pages in a folder, some deeper, beside files that are no pages."""
    pages = tmp_path / "pages"
    (pages / "deep").mkdir(parents=True)
    for name in ("b.html", "a.htm", "deep/c.XHTML", "deep/a.html", "notes.txt", "deep/data.json"):
        (pages / name).write_text(PAGE.format(f"words of {name}"), "utf-8")
    return pages


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.html")))
def test_each_example_page_with_the_default_method(name: str) -> None:
    done = joeira("extract", EXAMPLES / name)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout) > 300


def test_a_file_to_standard_output() -> None:
    done = extract(ARTICLE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "For sixty years the ice house on Tanner’s Quay" in done.stdout
    assert done.stdout.endswith("\n")
    assert "==>" not in done.stdout


@pytest.mark.parametrize("arguments", [("-",), ()])
def test_standard_input(arguments: tuple[str, ...]) -> None:
    done = extract(*arguments, stdin=ARTICLE.read_bytes())
    assert done.returncode == 0
    assert done.stdout == extract(ARTICLE).stdout


def test_the_output_is_utf8_in_any_locale() -> None:
    variables = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert extract(ARTICLE, variables=variables).stdout == extract(ARTICLE).stdout


def test_a_folder_stands_for_its_pages_in_order(folder: Path) -> None:
    done = extract(folder)
    assert done.returncode == 0
    headers = [line for line in done.stdout.splitlines() if line.startswith("==>")]
    names = ("a.htm", "b.html", "deep/a.html", "deep/c.XHTML")
    assert headers == [f"==> {folder / name} <==" for name in names]
    assert done.stdout.startswith(f"==> {folder / 'a.htm'} <==\nwords of a.htm\n\n==> ")


def test_several_inputs_as_json_lines(folder: Path) -> None:
    done = extract(folder / "a.htm", "-", "--json", stdin=PAGE.format("piped").encode())
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["source"] for row in rows] == [str(folder / "a.htm"), "-"]
    assert [row["text"].strip() for row in rows] == ["words of a.htm", "piped"]


def test_one_input_as_json() -> None:
    row = json.loads(extract(ARTICLE, "--to", "json").stdout)
    assert row["source"] == str(ARTICLE)
    assert "ice house" in row["text"]


@pytest.mark.parametrize("form", ["markdown", "html", "json"])
def test_shorthands(form: str) -> None:
    assert extract(ARTICLE, f"--{form}").stdout == extract(ARTICLE, "--to", form).stdout


def test_several_inputs_as_html_have_comments_between_them(tmp_path: Path) -> None:
    page = tmp_path / "a-->b.html"
    page.write_text(PAGE.format("words"), "utf-8")
    done = extract(page, page, "--html")
    assert done.stdout.count("-->") == done.stdout.count("<!--") == 2


def test_metadata_before_the_text() -> None:
    text = extract(ARTICLE).stdout
    done = extract(ARTICLE, "--with-metadata", "--url", "https://courier.example.org/a")
    front, _, rest = done.stdout.removeprefix("---\n").partition("\n---\n\n")
    values = {k: json.loads(v) for k, v in (line.split(": ", 1) for line in front.splitlines())}
    assert rest == text
    assert values["title"] == "Harbour town turns its old ice house into a seed library"
    assert values["author"] == "Marian Thwaite"
    assert values["url"] == "https://courier.example.org/2024/04/seed-library-port-ellery"
    assert values["hostname"] == "courier.example.org"


def test_output_file(tmp_path: Path) -> None:
    target = tmp_path / "new" / "result.txt"
    done = extract(ARTICLE, "-o", target)
    assert (done.returncode, done.stdout) == (0, "")
    assert target.read_text("utf-8") == extract(ARTICLE).stdout
    assert names_in(target.parent) == ["result.txt"]


def test_an_output_file_keeps_its_permissions_and_its_link(tmp_path: Path) -> None:
    target, link = tmp_path / "result.txt", tmp_path / "link.txt"
    target.write_text("old", "utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    assert extract(ARTICLE, "-o", link).returncode == 0
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert "ice house" in target.read_text("utf-8")


def test_output_to_a_device_does_not_replace_it() -> None:
    assert extract(ARTICLE, "-o", "/dev/null").returncode == 0
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("made", [True, False])
def test_output_folder_for_one_input(tmp_path: Path, made: bool) -> None:
    target = tmp_path / "out"
    if made:
        target.mkdir()
    assert extract(ARTICLE, "--markdown", "-o", f"{target}{'' if made else '/'}").returncode == 0
    assert names_in(target) == ["article.md"]


def test_output_folder_for_several_inputs(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    other = folder / "deep" / "a.html"
    done = extract(folder, other, other, folder / "b.html", "-o", target)
    assert (done.returncode, done.stdout) == (0, "")
    texts = {
        path.relative_to(target).as_posix(): path.read_text("utf-8").strip()
        for path in target.rglob("*")
        if path.is_file()
    }
    assert texts == {
        "a.txt": "words of a.htm",
        "b.txt": "words of b.html",
        "deep/a.txt": "words of deep/a.html",
        "deep/c.txt": "words of deep/c.XHTML",
        "a-2.txt": "words of deep/a.html",
        "a-3.txt": "words of deep/a.html",
        "b-2.txt": "words of b.html",
    }


def test_an_input_is_never_overwritten(folder: Path) -> None:
    before = (folder / "b.html").read_bytes()
    done = extract(folder, "--html", "-o", folder)
    assert done.returncode == 2
    assert "would be overwritten" in done.stderr
    assert (folder / "b.html").read_bytes() == before


def test_a_page_over_the_limit_is_cut_and_says_so(tmp_path: Path) -> None:
    page = tmp_path / "long.html"
    page.write_text("<p>" + "word " * 100, "utf-8")
    done = extract(page, "--max-bytes", "50")
    assert done.returncode == 0
    assert 5 <= done.stdout.count("word") <= 10
    assert "cut at 50 bytes" in done.stderr


def test_names_cannot_steer_the_terminal(tmp_path: Path) -> None:
    done = extract(tmp_path / "no\x1b[31mred.html")
    assert "\x1b" not in done.stderr
    done = extract(tmp_path / "no\njoeira: all \u202egood\x9b2J.html")
    assert done.stderr.count("\n") == 1
    assert not {"\u202e", "\x9b"} & {*done.stderr}


def test_progress_is_shown_only_on_a_terminal(tmp_path: Path) -> None:
    pages = [ARTICLE] * 8
    assert extract(*pages, "-o", tmp_path / "quiet").stderr == ""
    screen, terminal = pty.openpty()
    with os.fdopen(screen, "rb", buffering=0) as reader:
        done = subprocess.Popen(
            [*COMMAND, "extract", *map(str, pages), "-o", str(tmp_path / "shown")],
            stdin=subprocess.DEVNULL,
            stderr=terminal,
            env=environment(TERM="xterm"),
        )
        os.close(terminal)
        shown = b""
        with contextlib.suppress(OSError):  # how a terminal ends
            while piece := reader.read(1000):
                shown += piece
        assert done.wait(30) == 0
    assert b"extracting" in shown
    assert len(names_in(tmp_path / "shown")) == 8


def test_no_half_file_is_left_when_writing_fails(tmp_path: Path) -> None:
    (tmp_path / "result.txt").mkdir()
    (tmp_path / "result.txt" / "article.txt").mkdir()
    done = extract(ARTICLE, "-o", tmp_path / "result.txt")
    assert done.returncode == 4
    assert names_in(tmp_path / "result.txt") == ["article.txt"]


RICH = (
    b"<p>a <b>bold</b> <a href=/x>link</a> and <img src=/i.png alt=pic> more</p>"
    b"<p hidden>unseen</p><table><tr><td>1<td>2<tr><td>3<td>4</table>"
)


@pytest.mark.parametrize(
    "options, gone",
    [
        ((), None),
        (("--no-links",), "](/x)"),
        (("--no-images",), "![pic](/i.png)"),
        (("--no-formatting",), "**"),
        (("--no-tables",), "| 1 | 2 |"),
        (("--visible-only",), "unseen"),
    ],
)
def test_parts_can_be_left_out(options: tuple[str, ...], gone: str | None) -> None:
    parts = ["](/x)", "![pic](/i.png)", "**", "| 1 | 2 |", "unseen"]
    done = joeira("extract", "--method", "all_text", "--markdown", *options, stdin=RICH)
    assert done.returncode == 0
    found = [part for part in parts if part in done.stdout.replace("![](/i.png)", "![pic](/i.png)")]
    assert found == [part for part in parts if part != gone]


def test_presets_for_precision_and_recall() -> None:
    sizes = [
        len(joeira("extract", EXAMPLES / "forum.html", *options).stdout)
        for options in (["--precision"], [], ["--recall"])
    ]
    assert 0 < sizes[0] <= sizes[1] <= sizes[2]
    assert joeira("extract", "--precision", "--recall", stdin=b"x").returncode == 2
    assert joeira("extract", "--precision", "--method", "nce", stdin=b"x").returncode == 2
    assert joeira("extract", "--recall", "--set", "beta=3", stdin=b"x").returncode == 2


def test_schemas_are_json() -> None:
    done = joeira("extract", ARTICLE, "--schema", "schemaorg")
    data = json.loads(done.stdout)
    assert (done.returncode, data["@context"]) == (0, "https://schema.org")
    row = json.loads(joeira("extract", ARTICLE, "--schema", "fineweb").stdout)
    assert row["token_count"] is None
    assert joeira("extract", ARTICLE, "--schema", "fineweb", "--markdown").returncode == 2


def test_comments_can_be_left_out() -> None:
    whole, without = (extract(ARTICLE, *options).stdout for options in ((), ("--no-comments",)))
    assert "purple leek" in whole
    assert "purple leek" not in without


def test_the_pruned_page_is_for_other_programs() -> None:
    listing = EXAMPLES / "listing.html"
    done = joeira("extract", listing, "-m", "tps", "--to", "html", "--prune")
    assert done.returncode == 0
    assert '<ul class="resultados"><li class="anuncio" data-id="30418">' in done.stdout
    assert len(done.stdout) < listing.stat().st_size
    for wrong, message in (
        (("-m", "nce", "--html"), "--prune works only with methods that cut the page"),
        (("-m", "tps"), "--prune works with html only"),
    ):
        refused = joeira("extract", listing, *wrong, "--prune")
        assert refused.returncode == 2
        assert message in refused.stderr
