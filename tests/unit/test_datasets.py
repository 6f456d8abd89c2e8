"""Data sets are read as a stream, and damage is told with file and line."""

import gzip
import hashlib
import json
import lzma
from pathlib import Path

import pytest

from joeira.errors import InputError, UsageError
from joeira.evaluation.datasets import find, survey

ROWS = [
    {"id": "a", "html": "<p>x", "text": "x y", "lang": "pt", "page_type": "article", "url": None},
    {"id": "b", "html": "<p>y", "text": "", "with": ["w"], "without": ["v"], "author": ["A", "B"]},
    {"id": 3, "html": "<p>\ud800", "text": None},
    {"id": "d", "html": "", "text": "東京"},
]


def write(path: Path, lines: list[str]) -> Path:
    data = "\n\n".join(lines).encode("utf-8")
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".xz":
        data = lzma.compress(data)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "jsonl.xz"])
def test_rows_of_every_kind_of_file(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path / f"set.{ending}", [json.dumps(row) for row in ROWS])
    source = find(path)
    first, second, third, _ = source.rows()
    assert source.name == "set"
    assert (first.id, first.text, first.lang, first.url) == ("a", "x y", "pt", None)
    assert (second.wanted, second.unwanted, second.author) == (("w",), ("v",), "A, B")
    assert (second.has_text, second.has_snippets) == (False, True)
    assert (third.id, third.html, third.has_text) == ("3", "<p>\ud800", False)


def test_some_of_the_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "set.jsonl", [json.dumps(row) for row in ROWS])
    assert [row.id for row in find(path, limit=2).rows()] == ["a", "b"]
    assert [row.id for row in find(path, step=2).rows()] == ["a", "3"]
    assert [row.id for row in find(path, limit=1, step=3).rows()] == ["a"]


def test_survey_counts_what_cannot_be_measured(tmp_path: Path) -> None:
    path = write(tmp_path / "set.jsonl", [json.dumps(row) for row in ROWS])
    found = survey(find(path))
    assert (found.pages, found.without_text, found.without_gold) == (4, 2, 1)
    assert found.cjk_share == pytest.approx(2 / 5)


def test_fingerprint_is_of_ids_and_gold(tmp_path: Path) -> None:
    def fingerprint(**changes: object) -> str:
        rows = [{**ROWS[0], **changes}, *ROWS[1:]]
        return survey(
            find(write(tmp_path / "set.jsonl", [json.dumps(row) for row in rows]))
        ).fingerprint

    same = fingerprint()
    assert fingerprint(html="<p>other") == same
    assert len({same, fingerprint(id="z"), fingerprint(text="x"), fingerprint(without=["x"])}) == 4


@pytest.mark.parametrize(
    "line, problem",
    [
        ('{"id": "b", "html"', "not JSON"),
        ("[1]", "JSON object, not list"),
        ('{"html": ""}', "no 'id'"),
        ('{"id": "b"}', "no 'html'"),
        ('{"id": "b", "html": 1}', "'html' must be text, not int"),
        ('{"id": "b", "html": "", "with": "x"}', "'with' must be a list of texts"),
        ('{"id": "b", "html": "", "posts": "x"}', "'posts' must be a list of objects"),
    ],
)
def test_damage_names_file_and_line(tmp_path: Path, line: str, problem: str) -> None:
    path = write(tmp_path / "set.jsonl", [json.dumps(ROWS[0]), line])
    with pytest.raises(InputError, match=rf"set\.jsonl, line 3: .*{problem}"):
        list(find(path).rows())


def test_broken_compression_is_told(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(ROWS[0]).encode() + b"\n" * 5000)[:-20])
    with pytest.raises(InputError, match=r"set\.jsonl\.gz, after line \d+: cannot be read"):
        list(find(path).rows())


def test_two_pages_of_one_id(tmp_path: Path) -> None:
    path = write(tmp_path / "set.jsonl", [json.dumps(ROWS[0])] * 2)
    with pytest.raises(InputError, match="two pages have the id 'a'"):
        survey(find(path))


def test_no_such_data_set(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        find(tmp_path / "set.jsonl")
    (tmp_path / "set.csv").write_text("id,text")
    with pytest.raises(UsageError, match=r"\.jsonl\.gz"):
        find(tmp_path / "set.csv")
    with pytest.raises(UsageError, match="at least 1"):
        find(write(tmp_path / "set.jsonl", ["{}"]), step=0)


def labelled(folder: Path, **changes: object) -> Path:
    """Write pages into one folder and a label of one of them into another beside it."""
    pages = [{"id": "p1", "html": "<p>one"}, {"id": "p2", "html": "<p>two", "url": "http://x.y/"}]
    digest = hashlib.sha256(b"<p>two").hexdigest()
    label = {"id": "l", "set": "pages", "source": "p2", "html_sha256": digest, "text": "two"}
    for name in ("of_pages", "of_labels"):
        (folder / name).mkdir()
    write(folder / "of_pages" / "pages.jsonl", [json.dumps(page) for page in pages])
    return write(folder / "of_labels" / "gold.jsonl", [json.dumps(label | changes)])


def test_labels_are_joined_with_the_pages_of_another_set(tmp_path: Path) -> None:
    source = find(labelled(tmp_path, page_type="product", blocks=17))
    (row,) = source.rows()
    assert (row.id, row.html, row.url, row.text) == ("l", "<p>two", "http://x.y/", "two")
    assert (row.page_type, row.page_of) == ("product", "pages")
    assert survey(source).pages_of == {"pages": 1}


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"set": "nowhere"}, "no data set 'nowhere'"),
        ({"source": "p3"}, "has no page 'p3'"),
        ({"source": "p1"}, "is not the one that was read"),
        ({"html_sha256": None}, "needs 'set', 'source' and 'html_sha256'"),
    ],
)
def test_a_label_without_its_page(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(find(labelled(tmp_path, **changes)).rows())
