"""Use what an extra is for, with the real library; the last line says what was tried.

PYTHON scripts/extra_tries.py EXTRA
"""

import gzip
import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from functools import partial
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
ARTICLE, LISTING = EXAMPLES / "article.html", EXAMPLES / "listing.html"
RECIPES = "integrations/test_recipes"
WORDS = "For sixty years the ice house"
_VARIABLES = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}


def joeira(*arguments: str | Path, code: int = 0) -> str:
    """Return what a command says on both streams, after a look at its exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "joeira", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env=_VARIABLES,
        check=False,
    )
    told = done.stdout + done.stderr
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}\n{told}"
    return told


def archive() -> Path:
    """Make a WARC file with one page."""
    body = ARTICLE.read_bytes()
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
    head += b"WARC-Target-URI: http://example.org/\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n"
    head += b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n"
    path = Path("a.warc.gz")
    path.write_bytes(gzip.compress(head % len(http) + http + b"\r\n\r\n"))
    return path


def try_none() -> str:
    """Everything that needs an extra says which, and nothing calls that a bug."""
    assert WORDS in joeira("extract", ARTICLE)
    Path("a.jsonl.zst").write_bytes(b"")
    gold = Path("gold.jsonl")
    gold.write_text(json.dumps({"id": "1", "html": "<p>Rain", "text": "Rain"}))
    calls: list[tuple[str | Path, ...]] = [
        ("serve", "--port", "0"),
        ("view", ARTICLE),
        ("mcp",),
        ("batch", archive(), "-o", "rows"),
        ("batch", "a.jsonl.zst", "-o", "rows"),
        ("batch", ARTICLE, "-o", "rows", "--to", "parquet"),
        ("batch", ARTICLE, "-o", "rows2", "--engine", "spark"),
        ("records", LISTING, "--to", "parquet", "-o", "a.parquet"),
        ("segment", ARTICLE, "--method", "vips"),
        ("evaluate", gold, "--methods", "peer:trafilatura"),
        ("site", "learn", EXAMPLES, "-o", "a.json", "-m", "xcex", "--set", "content=levenshtein"),
    ]
    for call in calls:
        done = subprocess.run(
            [sys.executable, "-m", "joeira", *map(str, call)],
            capture_output=True, encoding="utf-8", env=_VARIABLES, check=False, timeout=60,
        )  # fmt: skip
        assert done.returncode in (1, 2), (call, done)
        assert "joeira[" in done.stderr, (call, done.stderr)
        assert "a bug in joeira" not in done.stderr, (call, done.stderr)
    return f"{len(calls)} commands name the extra that they need"


def try_service() -> str:
    """A page goes to the service and comes back as text."""
    command = [sys.executable, "-m", "joeira", "serve", "--port", "0", "--workers", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            address = re.search(r"http://\S+", said)
            assert address, said
            for path, words in (("/v1/extract?format=text", WORDS), ("/v1/records", "records")):
                url, data = address[0] + path, ARTICLE.read_bytes()
                asked = urllib.request.Request(url, data, {"Content-Type": "text/html"})
                with urllib.request.urlopen(asked, timeout=60) as answer:
                    assert words in answer.read().decode()
            with urllib.request.urlopen(address[0], timeout=60) as answer:
                assert answer.status == 200
        finally:
            process.terminate()
    return "joeira serve: /v1/extract, /v1/records and the viewer"


def try_warc() -> str:
    """A page comes out of a WARC file."""
    joeira("batch", archive(), "-o", "rows", "--workers", "1")
    with gzip.open("rows/part-00000.jsonl.gz") as rows:
        assert WORDS in json.loads(rows.readline())["text"]
    return "joeira batch a.warc.gz"


def try_parquet() -> str:
    """Rows and records are written as Parquet; Zstandard is read."""
    import pyarrow
    import pyarrow.parquet

    lines = json.dumps({"html": ARTICLE.read_text("utf-8")}).encode()
    Path("a.jsonl.zst").write_bytes(pyarrow.compress(lines, "zstd", asbytes=True))
    joeira("batch", "a.jsonl.zst", "-o", "rows", "--to", "parquet", "--workers", "1")
    (row,) = pyarrow.parquet.read_table("rows/part-00000.parquet").to_pylist()
    assert WORDS in row["text"]
    joeira("records", LISTING, "--to", "parquet", "-o", "a.parquet")
    assert pyarrow.parquet.read_table("a.parquet").num_rows
    return "joeira batch a.jsonl.zst --to parquet, joeira records --to parquet"


def try_sites() -> str:
    """A site is learned by each similarity of texts that needs the library."""
    kinds = ("levenshtein", "damerau_levenshtein", "jaro_winkler")
    for kind in kinds:
        settings = ("-m", "xcex", "--set", f"content={kind}")
        joeira("site", "learn", EXAMPLES, "-o", f"{kind}.json", *settings)
        assert Path(f"{kind}.json").exists()
    return f"joeira site learn -m xcex --set content={', '.join(kinds)}"


def try_lang() -> str:
    """The language of a text that is too short for a list of words."""
    import py3langid  # noqa: F401

    import joeira

    page = "<p>Hyvää huomenta kaikille ystäville, tervetuloa meille kylään tänään.</p>"
    language = joeira.extract(page, "all_text").metadata.language
    assert language == "fi", language
    return "a short Finnish page"


def try_spark() -> str:
    """The same page by Spark as without it."""
    source = archive()
    joeira("batch", source, "-o", "rows", "--to", "parquet", "--workers", "1")
    told = ("--engine", "spark", "--master", "local[1]")
    joeira("batch", source, "-o", "by_spark", "--to", "parquet", *told)
    sums = {json.loads(Path(each, "manifest.json").read_bytes())["checksum"]
            for each in ("rows", "by_spark")}  # fmt: skip
    assert len(sums) == 1, sums
    return "joeira batch --engine spark: the same checksum"


def try_excel() -> str:
    """A list is written as a workbook."""
    import openpyxl

    joeira("records", LISTING, "--to", "excel", "-o", "list.xlsx")
    lines = list(openpyxl.load_workbook("list.xlsx").active.values)
    assert "price" in lines[0]
    assert len(lines) == 11
    return "joeira records --to excel"


def _frame(kind: str) -> int:
    """Return the lines of a list as a data frame."""
    from joeira import find_records

    table = find_records(LISTING.read_bytes())[0]
    frame = table.to_pandas() if kind == "pandas" else table.to_polars()
    assert "price" in frame.columns
    return len(frame)


def try_pandas() -> str:
    """A list is a data frame of pandas."""
    assert _frame("pandas") == 10
    return f"table.to_pandas(), {adapter('frames', 'pandas')()}"


def try_polars() -> str:
    """A list is a data frame of polars."""
    assert _frame("polars") == 10
    return f"table.to_polars(), {adapter('frames', 'polars')()}"


def run_tests(tests: dict[str, str], *more: str) -> str:
    """Run tests in this environment, which gets pytest beside the extra; none may be skipped.

    Tests are files with what their names have to hold: that of the adapter, as of its recipes.
    """
    needed = ["pytest", "hypothesis", "sybil", *more]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", *needed]
    subprocess.run(pip, check=True, stdout=subprocess.DEVNULL)
    outcomes = []
    for file, words in tests.items():
        pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command = [*pytest, f"tests/{file}.py", "-k", words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
        told = done.stdout + done.stderr
        assert done.returncode == 0, told
        last = done.stdout.strip().splitlines()[-1]
        assert "skipped" not in last, told
        outcomes.append(f"{file.rpartition('/')[2]}: {last.partition(' in ')[0]}")
    return ", ".join(outcomes)


def adapter(file: str, words: str) -> Callable[[], str]:
    """Return a try of an adapter: its tests, and its recipes in the documentation."""
    return partial(run_tests, {f"integrations/test_{file}": words, RECIPES: words})


def versions(extra: str) -> str:
    """Return what an extra asks for, as it was installed."""
    wanted = [each for each in metadata.requires("joeira") or () if f"extra == '{extra}'" in each]
    names = dict.fromkeys(re.split(r"[^\w.-]", each)[0] for each in wanted)
    found = {name: version(name) for name in names}
    return ", ".join(f"{name} {number}" for name, number in found.items() if number)


def version(name: str) -> str:
    """Return the version of a package; nothing of one that this system does without."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def try_browser() -> str:
    """A page is segmented as a browser draws it."""
    assert WORDS in joeira("segment", ARTICLE, "--method", "vips")
    return "joeira segment --method vips"


def try_bench() -> str:
    """Every peer extracts a page, in an evaluation as users run it."""
    from joeira.evaluation.contenders import PEERS

    gold = Path("gold.jsonl")
    gold.write_text(json.dumps({"id": "1", "html": ARTICLE.read_text("utf-8"), "text": WORDS}))
    methods = ",".join(PEERS["content"])
    joeira("evaluate", gold, "--methods", methods)
    tests = {"unit/test_peers": "", "unit/test_compat_trafilatura": "not real_pages"}
    return f"joeira evaluate --methods {methods}, {run_tests(tests)}"


def try_train() -> str:
    """The libraries learn something, and the program that uses them says what it can do."""
    import catboost
    import scipy.sparse  # noqa: F401
    import sklearn  # noqa: F401
    import torch

    model = catboost.CatBoostClassifier(iterations=2, verbose=False, train_dir="catboost")
    assert len(model.fit([[0], [1]], [0, 1]).predict([[0]])) == 1
    assert torch.nn.Linear(1, 1)(torch.zeros(1, 1)).shape == (1, 1)
    subprocess.run([sys.executable, "-m", "training", "--help"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    return "catboost and torch learn; python -m training --help"


def try_test() -> str:
    """The tests can be collected."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "tests/unit"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return "pytest --collect-only tests/unit"


def try_release() -> str:
    """The tools of a release start."""
    for name in ("build", "twine"):
        command = [sys.executable, "-m", name, "--version"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return "python -m build, python -m twine"


def try_docs() -> str:
    """The documentation is built."""
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(ROOT / "docs"), "built"]
    subprocess.run(command, check=True)
    assert Path("built", "index.html").exists()
    return "sphinx -b html docs"


TRIES: dict[str, Callable[[], str]] = {
    "none": try_none, "service": try_service, "warc": try_warc, "parquet": try_parquet,
    "sites": try_sites, "lang": try_lang, "spark": try_spark, "browser": try_browser,
    "bench": try_bench, "train": try_train, "test": try_test, "release": try_release,
    "docs": try_docs, "excel": try_excel, "pandas": try_pandas, "polars": try_polars,
    "cloud": partial(
        run_tests,
        {
            "batch/test_storage": "reads or changes",
            "batch/test_targets": "not parquet and not sites",
        },
        *("moto[s3]", "flask", "flask-cors"),
    ),
    "mcp": partial(run_tests, {"integrations/test_mcp": ""}),
    "langchain": adapter("documents", "langchain"),
    "llama-index": adapter("documents", "llama"),
    "haystack": adapter("documents", "haystack"),
    "nemo-curator": adapter("documents", "nemo"),
    "scrapy": adapter("scrapy", "scrapy and not page_object"),
    "web-poet": adapter("scrapy", "page_object or web_poet"),
    "duckdb": adapter("frames", "duckdb"),
    "ray": adapter("frames", "ray"),
    "daft": adapter("frames", "daft"),
    "datatrove": adapter("datatrove", "datatrove"),
}  # fmt: skip

if __name__ == "__main__":
    tried = TRIES[sys.argv[1]]()
    print(tried, versions(sys.argv[1]), sep=" · ")
