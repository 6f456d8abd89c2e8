"""Rows as Parquet: one schema for all shards, with types that other programs need not guess."""

import datetime
import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from joeira.batch import Job, Output, run
from joeira.batch.job import TASKS, columns_of
from joeira.batch.output import Parquet
from joeira.batch.rows import as_kind, column, line
from support import archives
from support.command_line import EXAMPLES

pyarrow = pytest.importorskip("pyarrow", reason="the extra [parquet] is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="the extra [parquet] is not installed")

JOB = Job("all", "bte")
RECORDS = (
    "list<element: struct<xpath: string, record_css: string, record_xpath: string, score: double, "
    "presence: double, reason: string, columns: list<element: struct<name: string, kind: string, "
    "source: string, label: string, css: string, xpath: string>>, constants: list<element: "
    "struct<name: string, text: string>>, rows: list<element: list<element: string>>>>"
)
SEGMENTS = "list<element: struct<label: string, score: double, xpath: string, text: string>>"


def inputs_in(folder: Path) -> list[Path]:
    """Return pages with records and without, with dates and without, and a damaged record."""
    lines = folder / "pages.jsonl"
    dated = "<html><head><meta property='article:published_time' content='2024-05-06'></head>"
    rows = [{"html": dated + archives.page(n).decode(), "date": "06/05/24"} for n in range(4)]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows) + "damaged\n")
    return [lines, *sorted(EXAMPLES.glob("*.html"))]


def run_both(folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of the same run as JSON and as Parquet."""
    inputs = inputs_in(folder)
    run(inputs, folder / "jsonl", JOB, workers=1)
    run(inputs, Output(folder / "parquet", "parquet", shard_rows=4), JOB, workers=1)
    written = gzip.decompress((folder / "jsonl" / "part-00000.jsonl.gz").read_bytes())
    plain = [json.loads(each) for each in written.splitlines()]
    shards = sorted((folder / "parquet").glob("part-*.parquet"))
    assert len(shards) == 3
    return plain, [row for shard in shards for row in parquet.read_table(shard).to_pylist()]


def test_types_hold_the_values_of_json(tmp_path: Path) -> None:
    plain, rows = run_both(tmp_path)
    assert len(plain) == len(rows) == 11
    assert {type(row["date"]) for row in rows} == {datetime.date, type(None)}
    for one, other in zip(plain, rows, strict=True):
        assert one["config_hash"] == other["config_hash"]
        assert one["date"] == (other["date"] and other["date"].isoformat())
        assert one["segments"] == other["segments"]
        for table, typed_table in zip(one["records"] or (), other["records"] or (), strict=True):
            names = [column["name"] for column in typed_table["columns"]]
            records = [dict(zip(names, row, strict=True)) for row in typed_table["rows"]]
            assert table == {
                **{name: value for name, value in typed_table.items() if name != "rows"},
                "records": records,
            }
        same = {"records", "segments", "date"}
        assert {k: v for k, v in one.items() if k not in same} == {
            k: v for k, v in other.items() if k not in same
        }
    assert any(len(table["rows"]) > 3 for row in rows for table in row["records"] or ())
    assert rows[0]["date"] == datetime.date(2024, 5, 6)
    assert rows[0]["crawled"] == "06/05/24"


def test_all_shards_have_one_schema(tmp_path: Path) -> None:
    run_both(tmp_path)
    schemas = [parquet.read_schema(path) for path in (tmp_path / "parquet").glob("part-*")]
    assert all(schema.equals(schemas[0]) for schema in schemas)
    types = {field.name: str(field.type) for field in schemas[0]}
    assert {name: kind for name, kind in types.items() if kind != "string"} == {
        "records": RECORDS,
        "segments": SEGMENTS,
        "date": "date32[day]",
        "confidence": "double",
        "offset": "int64",
    }
    assert all(b"joeira" in schema.metadata for schema in schemas)  # the way to go on


def test_a_run_of_typed_rows_goes_on_byte_for_byte(tmp_path: Path) -> None:
    inputs, output = inputs_in(tmp_path), Output(tmp_path / "out", "parquet", shard_rows=4)
    run(inputs, output, JOB, workers=1)
    before = {path.name: path.read_bytes() for path in output.folder.glob("[mp]a[nr]*")}
    for name in ("manifest.json", "part-00001.parquet", "part-00002.parquet"):
        (output.folder / name).unlink()
    assert run(inputs, output, JOB, workers=2).resumed_rows == 4
    assert {path.name: path.read_bytes() for path in output.folder.glob("[mp]a[nr]*")} == before


@pytest.mark.parametrize("said", ["soon", "", "2024-02-30", "0000-00-00", "12024-01-01", 2024])
def test_a_date_that_is_none_is_null(said: object) -> None:
    form = Parquet(columns_of("joeira", Job("segments", metadata=("date",))))
    rows = [form.kept({"id": "1", "date": said}), form.kept({"id": "2", "date": "2024-02-29"})]
    dates = form.table(rows).column("date").to_pylist()
    assert dates == [None, datetime.date(2024, 2, 29)]


def test_values_of_other_kinds_end_no_run() -> None:
    # Methods of other packages may tell anything: JSON has it as it is.
    assert as_kind("0.5", "float64") == 0.5
    assert as_kind("much", "float64") is None
    assert as_kind(
        [{"label": 5, "text": "x", "more": 1}], [{"label": "string", "text": "string"}]
    ) == [{"label": "5", "text": "x"}]


@pytest.mark.parametrize("task", TASKS)
def test_a_shard_without_any_result_has_the_types_too(task: str, tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_bytes(b"")
    job = Job(task)
    run([tmp_path / "empty.html"], Output(tmp_path / "out", "parquet"), job, workers=1)
    schema = parquet.read_schema(tmp_path / "out" / "part-00000.parquet")
    assert tuple(schema.names) == job.columns
    if "records" in job.parts:
        assert str(schema.field("records").type) == RECORDS


def test_dates_of_fineweb_are_text(tmp_path: Path) -> None:
    inputs = inputs_in(tmp_path)[:1]
    run(inputs, Output(tmp_path / "out", "parquet", "fineweb"), Job(method="bte"), workers=1)
    table = parquet.read_table(tmp_path / "out" / "part-00000.parquet")
    assert table.column("date").to_pylist() == ["06/05/24"] * 4 + [None]
    assert str(table.schema.field("token_count").type) == "int64"


def test_columns_are_those_that_arrow_makes() -> None:
    said: dict[str, list[Any]] = {
        "string": ["a", None, "", "água 𝕏", 7],
        "float64": [0.5, None, 1, -0.0, "wrong"],
        "int64": [1, None, -(2**62), 0, "wrong"],
        "date32": ["2024-02-29", None, "1969-12-31", "wrong", "9999-12-31"],
    }
    for kind, values in said.items():
        type_ = getattr(pyarrow, kind)()
        made = column(pyarrow, kind, type_, values)
        made.validate(full=True)
        assert made.equals(pyarrow.array([as_kind(value, kind) for value in values], type_))
        assert column(pyarrow, kind, type_, []).to_pylist() == []


class Name(str):
    """A string that is not quite one."""


@pytest.mark.parametrize(
    "values",
    [
        {"id": "a\ud800b", "title": "\udcff", "text": "x\ud800" * 300},
        {"id": Name("n"), "title": 5, "author": True, "text": 0.5, "confidence": True},
        {"id": "", "confidence": float("inf"), "offset": 2**62, "site_pages": "7", "date": 2024},
        {"id": ["a", {"b": None}], "title": datetime.date(2024, 2, 29), "offset": 1.5},
        {"segments": [{"label": Name("\ud800"), "text": ("a", "b"), "score": 1}, {}]},
        {"records": [{"columns": [{"name": "a"}], "records": [{"a": "\udfff"}], "xpath": 3}]},
        {},
    ],
)
def test_a_row_is_what_its_line_of_json_says(values: dict[str, Any]) -> None:
    columns = columns_of("joeira", Job("all", site_method="template"))
    form = Parquet(columns)
    said = json.loads(line(values))
    made = form.table([form.kept(values)])
    made.validate(full=True)
    for name, kind in columns.items():
        assert made.column(name).to_pylist() == [as_kind(said.get(name), kind)], name


@pytest.mark.parametrize(
    "text",
    [
        *map(chr, range(0x20)), "\x7f", "\x85", "\u2028", '"', "\\", '\\"', "\\n", "/", "é", "𝕏",
        "\ud800", "\udfff\n", "plain",
    ],
)  # fmt: skip
def test_long_texts_are_written_as_json_writes_them(text: str) -> None:
    row = {"id": "1", "text": text * 300, "title": text, "markdown": f"{'x' * 500}{text}", "n": 1}
    expected = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    assert line(row) == expected.encode("utf-8", "replace") + b"\n"


def test_a_shard_of_content_needs_no_pandas() -> None:
    code = (
        "import sys; from joeira.batch import Job; from joeira.batch.job import columns_of;"
        "from joeira.batch.output import Cursor, Parquet;"
        "form = Parquet(columns_of('joeira', Job('content', 'bte')));"
        "form.encode([form.kept({})] * 3, Cursor());"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
