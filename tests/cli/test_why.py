"""`joeira why`: kept or dropped, and for what reason."""

import json
import subprocess
from pathlib import Path

import pytest
from lxml import html as lxml_html

from support.command_line import COMMAND, EXAMPLES, environment, joeira

ARTICLE = EXAMPLES / "article.html"
PAGE = b"""<!DOCTYPE html>
<html><head><title>A title that nobody keeps</title></head><body>
<!-- said in a comment -->
<h1>Seed&shy;lings</h1>
<p>One <b>bold</b> word, <span>Price</span><span>5</span> and M&uuml;ller&rsquo;s caf&eacute;</p>
<p>Another    paragraph
ends here</p>
</body></html>"""


def why(*arguments: str | Path, **more):
    return joeira("why", *arguments, "--method", "all_text", **more)


def asked(words: str, page: bytes = PAGE) -> dict:
    return json.loads(why("-", words, "--json", stdin=page).stdout)


def test_words_that_were_kept() -> None:
    done = why(ARTICLE, "the ice house on Tanner's Quay")
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    assert first.split() == ["kept", "score", "1.000", "line", "75"]
    assert "  reason text of the page" in rest
    assert "  xpath  /html/body/div[2]/main/article/p[3]" in rest
    assert "For sixty years the ice house on Tanner’s Quay kept" in done.stdout


def test_words_that_were_dropped() -> None:
    done = why("-", "nobody KEEPS", stdin=PAGE)
    assert done.returncode == 0
    assert done.stdout.startswith("dropped  score 0.000  line 2")
    assert "reason belongs to the document head" in done.stdout


def test_the_default_method_answers_for_kept_and_dropped_words() -> None:
    kept = joeira("why", ARTICLE, "the fleet left, the door was padlocked")
    dropped = joeira("why", ARTICLE, "Registered in Port Ellery, number 001234")
    assert kept.returncode == dropped.returncode == 0
    assert kept.stdout.startswith("kept")
    assert dropped.stdout.startswith("dropped")


@pytest.mark.parametrize(
    "words, texts",
    [
        ("one bold word", ["One bold word, Price 5 and Müller’s café"]),
        ("price5 AND müller's", ["One bold word, Price 5 and Müller’s café"]),
        ("another paragraph\n ends", ["Another paragraph ends here"]),
        ("seedlings", None),
        (
            "café Another",
            ["One bold word, Price 5 and Müller’s café", "Another paragraph ends here"],
        ),
    ],
)
def test_words_are_found_as_a_reader_sees_them(words: str, texts: list[str] | None) -> None:
    answer = asked(words)
    assert answer["match"] == "exact"
    if texts:
        assert [block["text"] for block in answer["blocks"]] == texts


def test_the_xpath_and_line_find_the_block() -> None:
    source = ARTICLE.read_bytes()
    (block,) = asked("Winnowing, she says", source)["blocks"]
    (node,) = lxml_html.fromstring(source).xpath(block["xpath"])
    assert "Winnowing, she says" in node.text_content()
    assert "Winnowing, she says" in source.decode().splitlines()[block["line"] - 1]


def test_the_nearest_block_when_there_is_no_exact_one() -> None:
    done = why("-", "another ending paragraph", stdin=PAGE)
    assert done.returncode == 3
    assert "Another paragraph ends here" in done.stdout
    assert "not in the text of the page; the block above shares the most words" in done.stderr


@pytest.mark.parametrize("words, hint", [("zzz", False), ("said in a comment", True)])
def test_words_that_are_not_in_the_text(words: str, hint: bool) -> None:
    done = why("-", words, stdin=PAGE)
    assert done.returncode == 3
    assert "not in the text of the page" in done.stderr
    assert ("in its source" in done.stderr) == hint


def test_every_block_without_words() -> None:
    done = why("-", stdin=PAGE)
    assert done.returncode == 0
    marks = [line.split()[0] for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert marks == ["dropped", "kept", "kept", "kept"]
    answer = json.loads(why("-", "--json", stdin=PAGE).stdout)
    assert [block["kept"] for block in answer["blocks"]] == [False, True, True, True]


def test_wrong_usage(tmp_path: Path) -> None:
    assert why(ARTICLE, " ").returncode == 2
    assert why(ARTICLE, "words", "--json", "--to", "html").returncode == 2
    assert why(EXAMPLES, "words", "--to", "html").returncode == 2  # many pages in one place
    assert why(EXAMPLES, "words", "--html", "-").returncode == 2
    missing = why(tmp_path / "nosuch.html", "words")
    assert missing.returncode == 2
    assert "nosuch.html: no such file" in missing.stderr


def test_a_report_as_a_web_page(tmp_path: Path) -> None:
    report = tmp_path / "new" / "report.html"
    done = why("-", "--html", str(report), stdin=PAGE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "Content-Security-Policy" in report.read_text("utf-8")
    with_words = why("-", "bold word", "--html", str(report), stdin=PAGE)
    assert with_words.stdout.startswith("kept")
    assert why("-", "--html", "-", stdin=PAGE).stdout.startswith("<!DOCTYPE html>")
    assert why("-", "--html", "-", stdin=b"").returncode == 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Pages, of which two have the words."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for name, words in (("a", "red pears"), ("b", "green apples"), ("c", "ripe red pears")):
        (pages / f"{name}.html").write_text(f"<title>{name}</title><p>Some {words}.", "utf-8")
    return pages


def test_of_several_pages_those_with_the_words_are_named(folder: Path) -> None:
    done = why(folder, "red PEARS")
    assert done.returncode == 0
    heads = [line for line in done.stdout.splitlines() if line.startswith("==>")]
    assert heads == [f"==> {folder / name} <==" for name in ("a.html", "c.html")]
    assert "apples" not in done.stdout
    assert done.stderr == "joeira: 3 inputs: 2 with these words, 1 without them, 0 failed\n"


def test_several_pages_as_json_lines(folder: Path) -> None:
    done = why(folder, "red pears", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["source"] for row in rows] == [str(folder / "a.html"), str(folder / "c.html")]
    assert all(row["match"] == "exact" and row["blocks"] for row in rows)


def test_words_that_no_page_has(folder: Path) -> None:
    done = why(folder, "blue plums")
    assert (done.returncode, done.stdout) == (3, "")
    assert "0 with these words, 3 without them" in done.stderr
    missing = why(folder, folder / "none.html", folder / "a.html", "red pears")
    assert missing.returncode == 2
    assert missing.stdout.count("==>") == 3


def test_which_argument_the_words_are(folder: Path) -> None:
    a, b = folder / "a.html", folder / "b.html"
    blocks = why(a, b)  # both can be read, so there are no words
    assert blocks.returncode == 0
    assert blocks.stdout.count("==>") == 2
    assert why(a, "--words", "red pears").stdout == why(a, "red pears").stdout
    assert why(a, "--words", str(b)).returncode == 3
    assert why(a, "x" * 5000).returncode == 3  # longer than any name of a file


def test_answers_and_reports_of_several_pages_in_folders(folder: Path, tmp_path: Path) -> None:
    out, reports = tmp_path / "out", tmp_path / "reports"
    done = why(folder, "red pears", "-o", out, "--html", reports)
    assert (done.returncode, done.stdout) == (0, "")
    assert sorted(path.name for path in out.iterdir()) == ["a.txt", "c.txt"]
    assert (out / "a.txt").read_text("utf-8").startswith("kept")
    assert sorted(path.name for path in reports.iterdir()) == ["a.html", "b.html", "c.html"]
    assert why(folder, "--to", "html", "-o", tmp_path / "more").returncode == 0
    report = (tmp_path / "more" / "a.html").read_text("utf-8")
    assert report == (reports / "a.html").read_text("utf-8")


def test_a_report_that_cannot_be_written(folder: Path) -> None:
    done = why(folder / "a.html", "red pears", "--html", folder / "b.html" / "below")
    assert done.returncode == 4
    assert "a file has this name" in done.stderr
    with Path("/dev/full").open("wb") as full:
        assert why(folder / "a.html", "--html", "-", stdout=full).returncode == 4


def test_a_closed_pipe_under_a_report_ends_quietly(tmp_path: Path) -> None:
    page = tmp_path / "long.html"
    page.write_text("<p>a line of words</p>\n" * 5_000, "utf-8")
    process = subprocess.Popen(
        [*COMMAND, "why", "-m", "all_text", str(page), "--html", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 0
