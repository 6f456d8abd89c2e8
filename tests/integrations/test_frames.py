"""Columns of pages, and the engines that map functions over them; skipped where one is missing."""

from __future__ import annotations

import json
import os

import pytest

from joeira.batch import Job
from joeira.errors import BadParameter
from joeira.integrations.frames import Columns, with_daft, with_polars, with_ray
from support.command_line import EXAMPLES

pytestmark = pytest.mark.filterwarnings("ignore")  # of what the libraries do

ARTICLE = (EXAMPLES / "article.html").read_text("utf-8")
LISTING = (EXAMPLES / "listing.html").read_text("utf-8")
WORDS = "For sixty years the ice house"
PAGES = [ARTICLE, "<p>", None]
URLS = ["https://example.org/a", None, None]
COLUMNS = Columns(url="url", columns=("text", "title", "date", "confidence", "status"))


def check(rows: list[dict[str, object]]) -> None:
    """See that rows of an engine are those of the pages."""
    assert [row["status"] for row in rows] == ["ok", "empty", "skipped"]
    assert WORDS in str(rows[0]["text"])
    assert rows[0]["title"]
    assert isinstance(rows[0]["confidence"], float)
    assert rows[0]["url"] == URLS[0]


@pytest.mark.parametrize("workers", [0, 1])
def test_a_batch_of_lists(workers: int) -> None:
    columns = Columns(url="url", columns=COLUMNS.columns, workers=workers)
    batch = columns({"html": PAGES, "url": URLS})
    check([dict(zip(batch, values, strict=True)) for values in zip(*batch.values(), strict=True)])


def test_columns_that_a_job_does_not_make() -> None:
    with pytest.raises(BadParameter, match="no column 'markdown'; known: id, url"):
        Columns(columns=("markdown",))
    assert Columns(columns=("markdown",), job=Job(markdown=True)).extract(PAGES)["markdown"][0]


def test_polars() -> None:
    polars = pytest.importorskip("polars", reason="the extra 'polars' is not installed")
    frame = with_polars(polars.DataFrame({"html": PAGES, "url": URLS}), COLUMNS)
    check(frame.to_dicts())
    assert frame.schema["date"] == polars.String
    nothing = with_polars(polars.DataFrame({"html": [None], "url": [None]}), COLUMNS)
    assert nothing.schema["text"] == polars.String


@pytest.mark.slow
def test_daft() -> None:
    daft = pytest.importorskip("daft", reason="the extra 'daft' is not installed")
    frame = with_daft(daft.from_pydict({"html": PAGES, "url": URLS}), COLUMNS)
    check(frame.to_pylist())
    plain = with_daft(daft.from_pydict({"html": PAGES}))
    assert set(plain.column_names) == {"html", *Columns().columns}
    assert [row["status"] for row in plain.to_pylist()] == ["ok", "empty", "skipped"]


@pytest.mark.slow
def test_ray() -> None:
    ray = pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    pytest.importorskip("ray.data", reason="the extra 'ray' is not installed")
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        rows = [{"html": html, "url": url} for html, url in zip(PAGES, URLS, strict=True)]
        check(with_ray(ray.data.from_items(rows), COLUMNS, batch_size=2).take_all())
    finally:
        ray.shutdown()


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas", reason="the extra 'pandas' is not installed")
    import joeira.integrations.pandas  # noqa: F401 - which gives columns the accessor

    frame = pandas.DataFrame({"html": PAGES, "url": URLS}, index=["a", "b", "c"], dtype=object)
    pages = frame["html"].joeira
    made = pages.extract(frame["url"], COLUMNS.columns)
    assert list(made.index) == ["a", "b", "c"]
    rows = made.assign(url=frame["url"]).to_dict("records")
    check(rows)
    assert WORDS in pages.text()["a"]
    assert pages.markdown()["a"].startswith("# ")
    records = pandas.Series({"x": LISTING, "y": None, "z": LISTING}).joeira.records()
    assert records.loc["x"].equals(records.loc["z"])
    assert len(records) == 20
    assert "price" in records.columns
    assert pandas.Series(["<p>"]).joeira.records().empty


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra 'duckdb' is not installed")
    from joeira.integrations.duckdb import register

    with duckdb.connect() as connection:
        register(connection)
        connection.execute("CREATE TABLE pages (html VARCHAR)")
        connection.executemany("INSERT INTO pages VALUES (?)", [[page] for page in PAGES])
        text, markdown, status, title = connection.sql(
            "SELECT joeira_text(html), joeira_markdown(html), joeira_extract(html).status, "
            "joeira_extract(html).title FROM pages"
        ).fetchall()[0]
        assert WORDS in text
        assert markdown.startswith("# ")
        assert status == "ok"
        assert title
        empty = connection.sql("SELECT joeira_text(html) FROM pages").fetchall()[1:]
        assert empty == [(None,), (None,)]
        (tables,) = connection.execute("SELECT joeira_records(?)", [LISTING]).fetchone()
        assert len(json.loads(tables)[0]["records"]) == 10
