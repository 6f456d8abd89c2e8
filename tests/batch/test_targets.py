"""Outputs at addresses of fsspec: the same bytes as in a folder, whoever is killed, and when."""

import gzip
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from joeira.batch import Job, Output, run
from joeira.batch.sources import expand
from joeira.batch.targets import Store, target_of
from joeira.errors import OutputError, UsageError
from support import archives
from support.command_line import COMMAND, joeira

fsspec = pytest.importorskip("fsspec", reason="the extra 'cloud' is not installed")
JOB = Job(method="bte", metadata=())
HIDDEN = ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


def pages_in(folder: Path, count: int = 50) -> Path:
    path = folder / "pages.jsonl"
    lines = ({"id": str(n), "html": archives.page(n).decode()} for n in range(count))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def in_folder(folder: Path) -> dict[str, bytes]:
    kept = [*folder.glob("part-*"), *folder.glob("manifest.json")]
    return {path.name: path.read_bytes() for path in kept}


def in_store(address: str) -> dict[str, bytes]:
    """Return what must not differ, read past whatever the library remembers."""
    filesystem, path = fsspec.core.url_to_fs(address)
    filesystem.invalidate_cache()
    names = [name for name in target_of(address).names() if re.match("part-|manifest", name)]
    return {name: filesystem.cat_file(f"{path}/{name}") for name in names}


@pytest.fixture(params=["memory", "file"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A store that appears at once, and one whose files have to be renamed."""
    if request.param == "file":
        yield f"file://{tmp_path}/store/rows/"
        return
    yield "memory://bucket/rows/"
    memory = fsspec.filesystem("memory")
    if memory.exists("/bucket"):
        memory.rm("/bucket", recursive=True)


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_the_same_bytes_as_in_a_folder(address: str, form: str, tmp_path: Path) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
    source = pages_in(tmp_path)
    near = run([source], Output(tmp_path / "near", form, shard_rows=20), JOB, workers=1)
    far = run([source], Output(address, form, shard_rows=20), JOB, workers=1)
    assert in_store(address) == in_folder(tmp_path / "near")
    assert (far.checksum, far.resumed_rows) == (near.checksum, 0)
    again = run([source], Output(address, form, shard_rows=20), JOB, workers=1)
    assert (again.resumed_rows, again.checksum) == (50, near.checksum)


def test_a_run_goes_on_after_the_last_shard(address: str, tmp_path: Path) -> None:
    source = pages_in(tmp_path)
    output = Output(address, shard_rows=20)
    run([source], output, JOB, workers=1)
    whole = in_store(address)
    filesystem, path = fsspec.core.url_to_fs(address)
    for name in ("part-00002.jsonl.gz", "part-00001.jsonl.gz", "manifest.json"):
        filesystem.rm(f"{path}/{name}")
    filesystem.pipe_file(f"{path}/.part-00001.jsonl.gz.tmp", b"half a shard")
    assert run([source], output, JOB, workers=1).resumed_rows == 20
    assert in_store(address) == whole
    assert not any(name.endswith(".tmp") for name in output.target.names())


def test_another_run_is_refused_and_may_be_replaced(address: str, tmp_path: Path) -> None:
    source = pages_in(tmp_path, 5)
    run([source], address, JOB, workers=1)
    other = Job(method="all_text", metadata=())
    with pytest.raises(UsageError, match="--overwrite"):
        run([source], address, other, workers=1)
    run([source], Output(address, overwrite=True), other, workers=1)
    near = tmp_path / "near"
    run([source], near, other, workers=1)
    assert in_store(address) == in_folder(near)


def test_what_a_run_writes_is_no_input_of_it(tmp_path: Path) -> None:
    source = pages_in(tmp_path, 3)
    folder = f"file://{tmp_path}"
    for output in (f"{folder}/rows", folder):
        assert run([folder], output, JOB, workers=1).rows == 3
        assert expand([folder], output) == [f"file://{source}"]
        assert run([folder], Output(output, overwrite=True), JOB, workers=1).rows == 3
        for path in (tmp_path / "rows").glob("*"):
            path.unlink()


def test_sites_are_kept_where_the_rows_are(address: str, tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
    source = tmp_path / "a.warc"
    source.write_bytes(b"".join(archives.pages(30)))
    job = Job(method="bte", metadata=(), site_method="template")
    output = Output(address, shard_rows=20)
    run([source], tmp_path / "near", job, workers=1)
    run([source], output, job, workers=1)
    whole = in_store(address)
    rows = [json.loads(line) for name in sorted(whole) if name.startswith("part")
            for line in gzip.decompress(whole[name]).splitlines()]  # fmt: skip
    (near,) = (tmp_path / "near").glob("part-*")
    assert rows == [json.loads(line) for line in gzip.decompress(near.read_bytes()).splitlines()]
    assert {row["site_pages"] for row in rows} == {30}
    (kept,) = (name for name in output.target.names() if name.startswith("sites-"))
    assert output.target.below(kept).names() == ["example.org.json", "sites.json"]
    filesystem, path = fsspec.core.url_to_fs(address)
    for name in ("part-00001.jsonl.gz", "manifest.json"):
        filesystem.rm(f"{path}/{name}")
    assert run([source], output, job, workers=1).resumed_rows == 20
    assert in_store(address) == whole
    run([source], Output(address, overwrite=True), JOB, workers=1)
    assert not any(name.startswith("sites-") for name in output.target.names())


def test_a_shard_of_somebody_else_is_never_replaced() -> None:
    store = Store("memory://bucket/rows")
    store.write("part-00000.jsonl.gz", b"ours")
    store.write("part-00000.jsonl.gz", b"ours")  # sent twice, because an answer got lost
    with pytest.raises(UsageError, match=r"part-00000.*another run is writing to this folder"):
        store.write("part-00000.jsonl.gz", b"theirs")
    fsspec.filesystem("memory").rm("/bucket", recursive=True)


def test_a_web_server_takes_no_rows(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a web server takes no files"):
        run([pages_in(tmp_path, 1)], "https://example.org/rows", JOB)


# A store like Amazon's ---------------------------------------------------------------------------


def command_for(source: str | Path, out: str) -> list[str]:
    code = (
        "import sys; from joeira.batch import *;"
        "run(sys.argv[1:2], Output(sys.argv[2], shard_rows=10), Job(method='bte'), workers=1)"
    )
    return [COMMAND[0], "-c", code, str(source), out]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of what the libraries do
def test_killed_three_times_a_store_has_the_bytes_of_an_undisturbed_run(
    store: Any, tmp_path: Path
) -> None:
    source = pages_in(tmp_path, 150)
    store.put_file(str(source), "bucket/in/pages.jsonl")
    address, there = "s3://bucket/rows", "s3://bucket/in/pages.jsonl"
    subprocess.run(command_for(there, str(tmp_path / "calm")), check=True)
    expected = in_folder(tmp_path / "calm")
    assert len(expected) == 16
    for wanted in (2, 5, 9):
        process = subprocess.Popen(command_for(there, address))
        while len(in_store(address)) < wanted and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        process.wait()
        assert "manifest.json" not in in_store(address)
    assert set(in_store(address).items()) < set(expected.items())
    subprocess.run(command_for(there, address), check=True)
    assert in_store(address) == expected
    rows = [json.loads(line) for name in sorted(expected) if name.startswith("part")
            for line in gzip.decompress(expected[name]).splitlines()]  # fmt: skip
    assert [row["id"] for row in rows] == [str(number) for number in range(150)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_store_refuses_a_shard_of_somebody_else(store: Any) -> None:
    there = target_of("s3://bucket/rows")
    there.write("part-00000.jsonl.gz", b"ours")
    there.write("part-00000.jsonl.gz", b"ours")
    with pytest.raises(UsageError, match="another run is writing to this folder"):
        there.write("part-00000.jsonl.gz", b"theirs")
    assert store.cat_file("bucket/rows/part-00000.jsonl.gz") == b"ours"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_what_is_wrong_is_said_in_one_line_with_its_cure(store: Any, tmp_path: Path) -> None:
    source = pages_in(tmp_path, 3)
    batch = ("batch", "-m", "bte", "--workers", "1")
    done = joeira(*batch, source, "-o", "s3://nobody/rows")
    assert done.returncode == 2
    assert done.stderr == "joeira: s3://nobody/rows: no such bucket nobody; make it first\n"
    done = joeira(*batch, "s3://bucket/nothing.jsonl", "-o", tmp_path / "rows")
    assert done.returncode == 2
    assert done.stderr == "joeira: s3://bucket/nothing.jsonl: no such bucket, file or folder\n"
    nobody = dict.fromkeys(HIDDEN, "") | {
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }
    listed = tmp_path / "list.txt"
    listed.write_text("s3://bucket/a.jsonl\n")
    for names in ((source, "-o", "s3://bucket/rows"), (listed, "-o", tmp_path / "rows")):
        done = joeira(*batch, *names, variables=nobody)
        assert done.returncode == 2, done.stderr
        assert re.fullmatch(
            r"joeira: s3://bucket/\S+: no credentials; set AWS_PROFILE, or AWS_ACCESS_KEY_ID .*\n",
            done.stderr,
        ), done.stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_store_that_goes_away_ends_the_run_and_the_same_command_resumes(
    store: Any, tmp_path: Path
) -> None:
    source = pages_in(tmp_path, 30)
    output = Output("s3://bucket/rows", shard_rows=10)

    def leave(now: Any) -> None:
        if now.rows == 15 and store.exists("bucket"):
            store.rm("bucket", recursive=True)

    with pytest.raises(OutputError, match=r"s3://bucket/rows/\S+: .*bucket does not exist"):
        run([source], output, JOB, workers=1, progress=leave)
    store.mkdir("bucket")
    assert run([source], output, JOB, workers=1).rows == 30
