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
    assert "the page has no text" in empty.stderr
    assert joeira("metadata", "examples", "--url", "https://example.org/").returncode == 2


def test_several_pages_are_json_lines() -> None:
    done = joeira("metadata", ARTICLE, "examples/forum.html", "--method", "all_text")
    assert done.returncode == 0
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["source"] for row in rows] == [ARTICLE, "examples/forum.html"]
    alone = json.loads(joeira("metadata", ARTICLE, "--method", "all_text").stdout)
    assert rows[0] == alone


def test_tables_of_several_pages_are_named() -> None:
    done = joeira("metadata", ARTICLE, ARTICLE, "--to", "table", "--method", "all_text")
    assert done.stdout.count(f"==> {ARTICLE} <==\n") == 2
    assert done.stdout.count("Marian Thwaite") >= 2


def test_a_table_in_a_pipe_is_not_cut() -> None:
    found = json.loads(joeira("metadata", ARTICLE, "--candidates").stdout)
    shown = joeira("metadata", ARTICLE, "--candidates", "--to", "table").stdout
    for candidates in found["candidates"].values():
        for candidate in candidates:
            assert (candidate["xpath"] or "") in shown
    assert found["description"] in shown


def test_products_and_what_is_declared() -> None:
    done = joeira("metadata", "examples/product.html", "--candidates")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert (found["product"]["price"], found["product"]["currency"]) == ("48.50", "GBP")
    assert found["candidates"]["product.price"][0]["value"] == "48.50"
    assert "Product" in [name for thing in found["structured"] for name in thing["type"]]
    shown = joeira("metadata", "examples/product.html", "--to", "table").stdout
    assert "product.price" in shown
    assert "structured" in shown
    article = json.loads(joeira("metadata", ARTICLE).stdout)
    assert "product" not in article
    assert article["structured"]
    extracted = json.loads(joeira("extract", "examples/product.html", "--to", "json").stdout)
    assert extracted["product"] == found["product"]
