"""``joeira metadata`` as a program."""

import json

from support.command_line import joeira

ARTICLE = "examples/article.html"


def test_json_with_candidates() -> None:
    done = joeira("metadata", ARTICLE, "--candidates", "--method", "all_text")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["title"] == "Harbour town turns its old ice house into a seed library"
    assert found["candidates"]["title"][0]["value"] == found["title"]
    assert {"json-ld", "heading"} <= {each["source"] for each in found["candidates"]["title"]}


def test_table() -> None:
    done = joeira("metadata", ARTICLE, "--to", "table", "--method", "all_text")
    assert done.returncode == 0
    assert "Marian Thwaite" in done.stdout


def test_nothing_to_read_and_misuse() -> None:
    empty = joeira("metadata", "-", "--method", "all_text")
    assert empty.returncode == 3
    assert joeira("metadata", "examples").returncode == 2
