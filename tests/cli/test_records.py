"""``joeira records``, run as users run it."""

import csv
import gzip
import io
import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from support.command_line import COMMAND, EXAMPLES, ROOT, environment, joeira

LISTING = EXAMPLES / "listing.html"
TABLE = (
    "<table><tr><th>Drink<th>source{}</table>".format(
        "".join(f"<tr><td>=Tea {number}<td>{number}" for number in range(5))
    )
)  # fmt: skip


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "table.html"
    file.write_text(TABLE)
    return file


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_is_what_a_pipe_gets() -> None:
    done = joeira("records", LISTING)
    assert done.returncode == 0
    assert not done.stderr
    rows = rows_of(done.stdout)
    assert len(rows) >= 10
    assert rows[0]["title"] == "Moradia T3 com quintal"
    assert rows[0]["price"] == "285.000 €"


def test_addresses_are_absolute_where_the_page_has_one() -> None:
    done = joeira("records", LISTING, "--url", "https://soalheiro.example.com/comprar")
    assert rows_of(done.stdout)[0]["url"] == ("https://soalheiro.example.com/imovel/casa-nazare-t3")


def test_json_has_every_list_with_its_columns(page: Path) -> None:
    done = joeira("records", page, "--to", "json", "-m", "tables")
    data = json.loads(done.stdout)
    assert (data["source"], data["method"]) == (str(page), "tables")
    (table,) = data["tables"]
    assert [column["name"] for column in table["columns"]] == ["Drink", "source"]
    assert table["columns"][1]["kind"] == "number"
    assert len(table["records"]) == 5
    assert table["xpath"].endswith("/table")


def test_jsonl_is_a_record_a_line(page: Path) -> None:
    done = joeira("records", page, "--to", "jsonl", "-m", "tables")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[3] == {"Drink": "=Tea 3", "source": "3"}


def test_several_pages_say_where_a_record_is_from(page: Path) -> None:
    (page.parent / "b.html").write_text(TABLE.replace("Drink", "Name"))
    done = joeira("records", page.parent, "-m", "tables")
    rows = rows_of(done.stdout)
    assert list(rows[0]) == ["source", "Name", "source_", "Drink"]
    assert rows[0]["Name"] == "=Tea 0"
    assert rows[5]["Drink"] == "=Tea 0"
    assert [row["source"] for row in rows[4:6]] == [str(page.parent / "b.html"), str(page)]


def test_top_lists_are_numbered(page: Path) -> None:
    page.write_text(TABLE + TABLE.replace("Tea", "Milk"))
    assert len(rows_of(joeira("records", page, "-m", "tables").stdout)) == 5
    rows = rows_of(joeira("records", page, "-m", "tables", "--top", "2").stdout)
    assert [row["table"] for row in rows] == ["1"] * 5 + ["2"] * 5


def test_safe_csv(page: Path) -> None:
    done = joeira("records", page, "-m", "tables", "--safe-csv")
    assert rows_of(done.stdout)[0]["Drink"] == "'=Tea 0"


def test_markdown(page: Path) -> None:
    done = joeira("records", page, "-m", "tables", "--to", "markdown")
    assert done.stdout.startswith("| Drink | source |\n| --- | --- |\n| =Tea 0 | 0 |\n")


def test_a_table_for_people(page: Path) -> None:
    done = joeira("records", page, "-m", "tables", "--to", "table")
    assert "=Tea 3" in done.stdout
    assert "5 records" in done.stdout


def test_a_table_in_a_file_or_pipe_is_not_cut(page: Path) -> None:
    long = "word " * 60
    columns = "".join(f"<th>Column {number}" for number in range(15))
    row = f"<tr><td>{long}{'<td>5' * 14}"
    page.write_text(f"<table><tr>{columns}{row * 4}</table>")
    shown = joeira("records", page, "-m", "tables", "--to", "table").stdout
    assert long.strip() in shown
    assert "Column 14" in shown
    assert "not shown" not in shown
    out = page.parent / "table.txt"
    joeira("records", page, "-m", "tables", "--to", "table", "-o", out)
    assert out.read_text("utf-8") == shown


def test_several_pages_in_one_file_are_what_a_pipe_gets(page: Path) -> None:
    (page.parent / "b.html").write_text(TABLE.replace("Drink", "Name"))
    for form in ("csv", "json", "jsonl", "markdown"):
        arguments = ("records", page, page.parent / "b.html", "-m", "tables", "--to", form)
        out = page.parent / "all"
        assert joeira(*arguments, "-o", out).returncode == 0
        assert out.read_text("utf-8") == joeira(*arguments).stdout


@pytest.mark.skipif(os.name != "posix", reason="a terminal is made by POSIX means")
def test_a_table_is_what_a_terminal_gets() -> None:
    main, terminal = pty.openpty()
    done = subprocess.run(
        [*COMMAND, "records", str(LISTING)],
        stdout=terminal,
        env=environment(COLUMNS="80", TERM="dumb"),
        timeout=60,
        check=False,
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not piece:
            break
        shown += piece
    os.close(main)
    assert done.returncode == 0
    assert re.search(r"\d+ records", shown.decode())
    assert "not shown" in shown.decode()


def test_stdin_and_output_file(page: Path) -> None:
    out = page.parent / "out" / "drinks.csv"
    done = joeira("records", "-", "-m", "tables", "-o", out, stdin=TABLE.encode())
    assert (done.returncode, done.stdout) == (0, "")
    assert len(rows_of(out.read_text())) == 5


def test_a_folder_gets_a_file_for_each_page(page: Path) -> None:
    out = page.parent / "out"
    done = joeira("records", page.parent, "-m", "tables", "--to", "jsonl", "-o", f"{out}/")
    assert done.returncode == 0
    assert len((out / "table.jsonl").read_text().splitlines()) == 5


def test_an_input_is_never_overwritten(page: Path) -> None:
    done = joeira("records", page, "-m", "tables", "-o", page)
    assert done.returncode == 2
    assert page.read_text() == TABLE


def test_nothing_found(page: Path) -> None:
    page.write_text("<p>Just a line.</p>")
    done = joeira("records", page)
    assert (done.returncode, done.stdout) == (3, "")
    assert "nothing found" in done.stderr


def test_min_records(page: Path) -> None:
    assert joeira("records", page, "-m", "tables", "--min-records", "5").returncode == 0
    done = joeira("records", page, "-m", "tables", "--min-records", "6")
    assert done.returncode == 3
    assert "no list has that many records" in done.stderr


def test_some_inputs_fail(page: Path) -> None:
    done = joeira("records", page, page.parent / "missing.html", "-m", "tables")
    assert done.returncode == 2
    assert len(rows_of(done.stdout)) == 5
    assert "missing.html" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--method", "nce"),
        ("--set", "no_such=1"),
        ("--top", "0"),
        ("--to", "json", "--safe-csv"),
        ("--url", "https://example.org/", str(EXAMPLES)),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...]) -> None:
    assert joeira("records", LISTING, *arguments).returncode == 2


def test_output_that_cannot_be_written(page: Path) -> None:
    done = joeira("records", page, "-m", "tables", "-o", page / "below" / "a.csv")
    assert done.returncode == 4


def test_settings(page: Path) -> None:
    done = joeira("records", page, "-m", "tables", "--set", "min_records=9")
    assert done.returncode == 3


def test_parquet(page: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra [parquet] is not installed")
    out = page.parent / "drinks.parquet"
    assert joeira("records", page, "-m", "tables", "--to", "parquet", "-o", out).returncode == 0
    table = parquet.read_table(out)
    assert table.column_names == ["Drink", "source"]
    assert table.num_rows == 5


def test_parquet_says_what_is_missing(page: Path) -> None:
    hidden = page.parent / "without"
    (hidden / "pyarrow").mkdir(parents=True)
    (hidden / "pyarrow" / "__init__.py").write_text("raise ImportError('not installed')")
    variables = {"PYTHONPATH": str(hidden)}
    done = joeira("records", page, "--to", "parquet", variables=variables)
    assert done.returncode == 2
    assert "pip install 'joeira[parquet]'" in done.stderr


def test_every_documented_example_of_csv_is_safe_for_spreadsheets() -> None:
    examples = [*(ROOT / "docs").glob("*.md"), ROOT / "src" / "joeira" / "cli" / "records.py"]
    calls = [
        line
        for path in examples
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"joeira records .*(--to csv|\.csv)", line)
    ]
    assert len(calls) >= 3
    assert all("--safe-csv" in call for call in calls), calls
    assert "--safe-csv" in joeira("records", "--help").stdout


def test_the_parts_of_the_filter() -> None:
    settings = ("--set", "prefilter.frequent=above", "--set", "prefilter.region=complement")
    done = joeira("records", LISTING, "-m", "mdr", *settings)
    assert done.returncode == 0
    assert "Moradia T3" not in done.stdout
    assert joeira("records", LISTING, "-m", "mdr", *settings[:2]).stdout.count("\n") >= 9
    wrong = joeira("records", LISTING, "--set", "prefilter.frequent=often")
    assert wrong.returncode == 2
    assert "prefilter.frequent must be one of at_least, above, not 'often'" in wrong.stderr


def test_a_folder_of_pages_with_one_record_each(tmp_path: Path) -> None:
    for number in range(4):
        body = f"<h1>Book {number}</h1><p><b>{number}</b> <i>x</i></p>"
        (tmp_path / f"{number}.html").write_text(body)
    method = ("-m", "subtree_classes", "--to", "csv")
    assert not joeira("records", tmp_path, *method).stdout
    done = joeira("records", tmp_path, *method, "--set", "scope=collection")
    assert done.returncode == 0
    assert [row["title"] for row in rows_of(done.stdout)] == [f"Book {n}" for n in range(4)]


# Wrappers and several pages ---------------------------------------------------------------------


def test_learned_once_and_read_elsewhere(tmp_path: Path) -> None:
    wrapper = tmp_path / "wrapper.json"
    done = joeira("records", "learn", LISTING, "-o", wrapper)
    assert done.returncode == 0
    assert "10 records of 1 pages" in done.stderr
    assert not done.stdout
    read = joeira("records", LISTING, "--wrapper", wrapper)
    assert read.returncode == 0
    assert not read.stderr
    fresh = rows_of(joeira("records", LISTING).stdout)
    assert rows_of(read.stdout) == [
        {name: value for name, value in row.items() if name != "other"} for row in fresh
    ]


def test_examples_choose_the_columns(tmp_path: Path) -> None:
    wrapper = tmp_path / "wrapper.json"
    values = ("--example", "Moradia T3 com quintal", "--example", "285.000 €")
    assert joeira("records", "learn", LISTING, "-o", wrapper, *values).returncode == 0
    rows = rows_of(joeira("records", LISTING, "--wrapper", wrapper).stdout)
    assert len(rows) == 10
    assert list(rows[0].values()) == ["Moradia T3 com quintal", "285.000 €"]


def test_program_is_written_for_parsel(tmp_path: Path) -> None:
    program = tmp_path / "scraper.py"
    assert joeira("records", "learn", LISTING, "-o", program, "--to", "parsel").returncode == 0
    assert "class RecordList:" in program.read_text("utf-8")


def test_page_that_no_longer_fits_is_said(tmp_path: Path) -> None:
    wrapper, changed = tmp_path / "wrapper.json", tmp_path / "changed.html"
    joeira("records", "learn", LISTING, "-o", wrapper)
    changed.write_text(LISTING.read_text("utf-8").replace('class="preco"', 'class="valor"'))
    done = joeira("records", changed, "--wrapper", wrapper)
    assert done.returncode == 0
    assert re.search(r"the page has changed: \w+: 0% of the records have a value", done.stderr)
    other = joeira("records", EXAMPLES / "article.html", "--wrapper", wrapper)
    assert other.returncode == 3
    assert "the wrapper finds no records" in other.stderr


@pytest.mark.parametrize("text", ["{}", "", '{"format": "joeira-records-wrapper", "version": 7}'])
def test_what_is_no_wrapper_is_refused(tmp_path: Path, text: str) -> None:
    wrapper = tmp_path / "wrapper.json"
    wrapper.write_text(text)
    done = joeira("records", LISTING, "--wrapper", wrapper)
    assert done.returncode == 1
    assert str(wrapper) in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


def test_nothing_to_learn_from(tmp_path: Path) -> None:
    wrapper = tmp_path / "wrapper.json"
    done = joeira("records", "learn", LISTING, "-o", wrapper, "--example", "no such thing")
    assert done.returncode == 2
    assert "'no such thing'" in done.stderr
    missing = joeira("records", "learn", tmp_path / "missing.html", "-o", wrapper)
    assert missing.returncode != 0
    assert not wrapper.exists()


@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "markdown", "table"])
def test_lists_of_several_pages_are_one_table(tmp_path: Path, form: str) -> None:
    second = tmp_path / "second.html"
    second.write_text(LISTING.read_text("utf-8").replace("casa-nazare-t3", "casa-nova-t3"))
    output = tmp_path / "records.out"
    done = joeira("records", LISTING, second, "--merge", "--to", form, "-o", output)
    assert done.returncode == 0
    text = output.read_text("utf-8")
    assert text.count("Apartamento T2 junto ao rio") == 1
    assert text.count("Moradia T3 com quintal") == 2


def test_key_tells_records_apart(tmp_path: Path) -> None:
    second = tmp_path / "second.html"
    second.write_text(LISTING.read_text("utf-8").replace("casa-nazare-t3", "casa-nova-t3"))
    done = joeira("records", LISTING, second, "--merge", "--key", "title")
    assert len(rows_of(done.stdout)) == 10
    assert joeira("records", LISTING, "--key", "title").returncode == 2
    unknown = joeira("records", LISTING, second, "--merge", "--key", "weight")
    assert unknown.returncode == 2
    assert "no column 'weight'" in unknown.stderr


def test_wrapper_is_no_method(tmp_path: Path) -> None:
    done = joeira("records", LISTING, "--wrapper", tmp_path / "w.json", "-m", "mdr")
    assert done.returncode == 2
    assert "--method" in done.stderr


def test_batch_reads_records_by_a_wrapper(tmp_path: Path) -> None:
    wrapper, output = tmp_path / "wrapper.json", tmp_path / "out"
    joeira("records", "learn", LISTING, "-o", wrapper)
    done = joeira(
        "batch", LISTING, "-o", output, "--task", "records", "--wrapper", wrapper, "--workers", "1"
    )
    assert done.returncode == 0
    (file,) = (path for path in output.iterdir() if path.name.startswith("part"))
    (row,) = map(json.loads, gzip.decompress(file.read_bytes()).splitlines())
    assert row["status"] == "ok"
    assert len(row["records"][0]["records"]) == 10
    content = joeira("batch", LISTING, "-o", tmp_path / "other", "--wrapper", wrapper)
    assert content.returncode == 2
    assert "--wrapper is for records" in content.stderr


PAGER = '<p>1 <a href="?page=2">2</a> <a href="?page=3">3</a> <a href="?page=2">Next »</a></p>'


def test_pages_of_a_list_are_a_line_each(tmp_path: Path) -> None:
    page = tmp_path / "list.html"
    page.write_text(PAGER, "utf-8")
    address = ("--url", "https://example.org/list")
    lines = joeira("pages", str(page), *address).stdout.splitlines()
    assert lines[0] == "next\thttps://example.org/list?page=2"
    assert lines[-1] == "numbered\thttps://example.org/list?page=3"
    links = json.loads(joeira("pages", str(page), *address, "--to", "json").stdout)
    assert links["next"]["text"] == "Next »"
    assert links["previous"] is None
    assert [link["url"][-1] for link in links["numbered"]] == ["2", "3"]


def test_a_page_without_others_gives_nothing_and_says_so(tmp_path: Path) -> None:
    page = tmp_path / "alone.html"
    page.write_text("<p>Alone</p>", "utf-8")
    ended = joeira("pages", str(page))
    assert ended.stdout == ""
    assert "no links to other pages" in ended.stderr
