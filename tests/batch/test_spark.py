"""The same rows with Spark; skipped where PySpark, which is large, is not installed."""

import datetime
import json
import pickle
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from joeira.batch import Job, Limits, Output, run
from joeira.errors import UsageError
from support import archives, poison
from support.loopback import loopback_site

pytest.importorskip("pyspark", reason="the extra [spark] is not installed (half a gigabyte)")
parquet = pytest.importorskip("pyarrow.parquet", reason="the extra [parquet] is not installed")
pytest.importorskip("fastwarc", reason="the extra [warc] is not installed")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

from joeira import spark  # noqa: E402 (skipped above where it cannot work)

TESTS = Path(__file__).resolve().parents[1]
LIMITS = Limits(2, 768 << 20)
DRIVER = """
import pickle, sys
from joeira import spark
spark.run(*pickle.loads(bytes.fromhex(sys.argv[1])), master="local[2]")
"""
MENU = "<ul class=menu><li>All the news of our valley every day<li>Weather of the week ahead</ul>"

pytestmark = pytest.mark.filterwarnings("ignore")  # of what PySpark does


@pytest.fixture(autouse=True)
def _poisonous(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers know poison, also those of the Java process, which the first test starts."""
    known = {"PYTHONPATH": str(TESTS), "PYSPARK_PYTHON": sys.executable}
    for name, value in {**poison.HOOK, **known}.items():
        monkeypatch.setenv(name, value)


def page(number: int) -> bytes:
    words = " ".join(f"word{number}x{k}" for k in range(60))
    dated = "<head><meta property=article:published_time content=2024-05-06></head>"
    text = f"<html>{dated}<body>{MENU}<article><h1>Story {number}</h1><p>Of {words}.</article>"
    return text.encode()


def crawl(folder: Path) -> list[Path]:
    """Write three archives: pages of two hosts, one that crashes, one that hangs, and damage."""
    kinds = {5: "segfault", 17: "loop"}
    bodies = [poison.page(kinds[n]).encode() if n in kinds else page(n) for n in range(24)]
    records = [archives.response(number, body) for number, body in enumerate(bodies)]
    records[3] = records[3].replace(b"http://example.org/3", b"http://rare.exam.pl/3")
    members = archives.compressed(records)
    members[20] = members[20][:-7] + b"damaged"
    paths = [folder / f"{number}.warc.gz" for number in range(3)]
    for number, path in enumerate(paths):
        path.write_bytes(b"".join(members[8 * number : 8 * number + 8]))
    return paths


def rows_in(folder: Path) -> list[dict[str, Any]]:
    """Read all rows; shards in the order of their names hold them in the order of the inputs."""
    shards = sorted(folder.glob("part-*.parquet"))
    rows = [row for shard in shards for row in parquet.read_table(shard).to_pylist()]
    return rows


def frame_of(paths: list[Path], job: Job) -> list[dict[str, Any]]:
    """Return the rows of a data frame."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").getOrCreate()
    extract = spark.learn_and_extract_sites if job.site_method else spark.extract_warcs
    try:
        return [row.asDict(recursive=True) for row in extract(session, paths, job).collect()]
    finally:
        session.stop()


@pytest.mark.parametrize("site_method", [None, "template"])
def test_the_same_rows_as_on_one_machine(site_method: str | None, tmp_path: Path) -> None:
    paths = crawl(tmp_path)
    job = Job(task="all", limits=LIMITS, site_method=site_method)
    one = run(paths, Output(tmp_path / "one", "parquet"), job, workers=1)
    where = Output(tmp_path / "many", "parquet", shard_rows=3)
    many = spark.run(paths, where, job, master="local[2]")
    rows = rows_in(where.folder)
    assert rows == rows_in(tmp_path / "one")
    assert len(rows) == 24
    assert {row["date"] for row in rows} == {datetime.date(2024, 5, 6), None}
    assert any(row["segments"] for row in rows)
    assert {k: n for k, n in many.counts.items() if n} == {
        "ok": 21, "skipped": 1, "crash": 1, "timeout": 1,
    }  # fmt: skip
    assert (many.counts, many.checksum) == (one.counts, one.checksum)
    said = json.loads((where.folder / "manifest.json").read_bytes())
    assert said["checksum"] == one.checksum
    assert said["shards"] == sorted(path.name for path in where.folder.glob("part-*"))
    assert not list(where.folder.glob(".*"))
    if site_method:
        learned = [row["site_pages"] for row in rows if row["status"] == "ok"]
        assert sorted(map(str, learned)) == ["20"] * 20 + ["None"]
    assert sorted(frame_of(paths, job), key=str) == sorted(rows, key=str)
    again = spark.run(paths, where, job, master="nothing is left to do")
    assert again == replace(many, resumed_rows=24)
    for other in (where, Output(tmp_path / "one", "parquet")):
        with pytest.raises(UsageError, match=r"another configuration.*--overwrite"):
            spark.run(paths, other, replace(job, markdown=True))


def slow_crawl(folder: Path) -> list[Path]:
    """Write two archives of pages that take their time, so that a run can be killed."""
    records = [archives.response(n, page(n) + b"<p>poison:slow;") for n in range(24)]
    ignored = archives.record(99, b"metadata", b"no page")
    paths = [folder / "0.warc.gz", folder / "1.warc.gz"]
    for path, part in zip(paths, (records[:12], records[12:]), strict=True):
        path.write_bytes(b"".join(archives.compressed([*part, ignored])))
    return paths


@pytest.mark.parametrize("site_method", [None, "template"])
def test_a_killed_run_goes_on(site_method: str | None, tmp_path: Path) -> None:
    paths = slow_crawl(tmp_path)
    patient = replace(LIMITS, seconds=30)  # no page hangs here, but the machine may be busy
    job = Job(limits=patient, site_method=site_method)
    one = run(paths, Output(tmp_path / "one", "parquet"), job, workers=1)
    where = Output(tmp_path / "many", "parquet", shard_rows=2)
    wanted = pickle.dumps((paths, where, job)).hex()
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, wanted])
    while len(list(where.folder.glob("part-*"))) < 2:
        assert driver.poll() is None
        time.sleep(0.02)
    driver.kill()
    driver.wait()
    assert not (where.folder / "manifest.json").exists()
    many = spark.run(paths, where, job, master="local[2]")
    assert 4 <= many.resumed_rows < 24
    assert rows_in(where.folder) == rows_in(tmp_path / "one")
    assert (many.counts, many.checksum) == (one.counts, one.checksum)
    assert many.ignored == one.ignored == 2


@pytest.mark.slow
def test_a_store_has_the_same_rows_whoever_is_killed(store: Any, tmp_path: Path) -> None:
    paths = slow_crawl(tmp_path)
    job = Job(method="bte", limits=replace(LIMITS, seconds=30), site_method="template")
    one = run(paths, Output(tmp_path / "one", "parquet"), job, workers=1)
    for path in paths:
        store.put_file(str(path), f"bucket/in/{path.name}")
    where = Output("s3://bucket/many", "parquet", shard_rows=2)
    wanted = pickle.dumps((["s3://bucket/in"], where, job)).hex()
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, wanted])
    while sum(name.startswith("part-") for name in where.target.names()) < 2:
        assert driver.poll() is None
        time.sleep(0.05)
    driver.kill()
    driver.wait()
    assert "manifest.json" not in where.target.names()
    subprocess.run([sys.executable, "-c", DRIVER, wanted], check=True)
    store.invalidate_cache()
    store.get("bucket/many/", str(tmp_path / "many"), recursive=True)
    said = json.loads((tmp_path / "many" / "manifest.json").read_bytes())
    assert (said["rows"], said["counts"]) == (one.rows, one.counts)
    near, far = (
        [{**row, "source": Path(row["source"]).name} for row in rows_in(tmp_path / name)]
        for name in ("one", "many")
    )
    assert len(far) == 24
    assert far == near


def test_what_cannot_be_done_is_told_at_once(tmp_path: Path) -> None:
    lines = tmp_path / "pages.jsonl.gz"
    lines.write_bytes(b"")
    job = Job(site_method="template")
    with pytest.raises(UsageError, match="unpack it"):
        spark.run([lines], tmp_path / "out", job, master="local[1]")
    with loopback_site() as web:
        address = web.add("/a.warc.gz", b"no ranges here")
        with pytest.raises(UsageError, match="download it first"):
            spark.run([address], tmp_path / "out", job, master="local[1]")
    with pytest.raises(UsageError, match="learn_and_extract_sites"):
        spark.extract_warcs(None, [lines], job)


def test_the_command(tmp_path: Path) -> None:
    (path, *_) = crawl(tmp_path)
    command = [sys.executable, "-m", "joeira", "batch", path, "-o", tmp_path / "out"]
    command += ["--to", "parquet", "--engine", "spark", "--master", "local[1]", "-m", "bte"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "joeira: 8 pages: 7 ok, 1 crash" in done.stderr
    assert len(rows_in(tmp_path / "out")) == 8
