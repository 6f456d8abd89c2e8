"""What a job computes: what its columns need, by the methods it was given, and nothing else."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import joeira
from joeira.batch import Job, Limits, Output, run
from joeira.batch.job import METADATA
from joeira.batch.rows import Capture
from joeira.errors import BadParameter, UnknownMethod, UsageError
from support.command_line import EXAMPLES
from support.command_line import joeira as command

HTML = (EXAMPLES / "listing.html").read_bytes()
URL = "https://shop.example/list"
CHEAP = {
    "id", "url", "status", "reason", "crawled", "joeira_version", "config_hash", "source", "offset",
}  # fmt: skip
DEPENDENT = {"content", "metadata", "records", "segments"}


def fields_of(job: Job) -> dict[str, Any]:
    return job.fields(Capture("0", URL, HTML))


def files_run(work: Callable[[], object]) -> set[str]:
    """Return which files of the package something runs functions of, such as ``metadata/dates``."""
    seen: set[str] = set()

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(before)
    root = Path(joeira.__file__).parent
    ours = [Path(name) for name in seen if Path(name).is_relative_to(root)]
    return {path.relative_to(root).with_suffix("").as_posix() for path in ours}


@pytest.mark.parametrize(
    "job, own, rooms",
    [
        (Job("records"), {"records"}, {"records"}),
        (Job("segments"), {"segments"}, {"segments"}),
        (Job("content", metadata=()), {"text", "confidence"}, {"content"}),
        (Job(), {"text", "confidence", *METADATA}, {"content", "metadata"}),
        (
            Job("all"),
            {"text", "records", "segments", "confidence", *METADATA},
            {"content", "metadata", "records", "segments"},
        ),
    ],
    ids=["records", "segments", "content alone", "content", "all"],
)
def test_a_task_has_its_columns_and_runs_nothing_else(
    job: Job, own: set[str], rooms: set[str]
) -> None:
    fields_of(job)  # what is run once only has been run
    files = files_run(lambda: fields_of(job))
    assert {*job.columns} == CHEAP | own
    assert {name.partition("/")[0] for name in files} & DEPENDENT == rooms
    assert fields_of(job).keys() >= own


def test_metadata_is_read_column_by_column() -> None:
    job = Job("records", metadata=("title",))
    files = files_run(lambda: fields_of(job))
    assert {*job.columns} == CHEAP | {"records", "title"}
    assert "metadata/title" in files
    assert not {"metadata/dates", "metadata/language", "metadata/authors"} & files
    assert fields_of(job)["title"] == joeira.extract(HTML, url=URL).metadata.title
    assert "date" not in fields_of(job)
    both = Job("segments", metadata=["language", "date"])
    assert both.columns[4:8] == ("segments", "date", "language", "crawled")
    assert both == Job("segments", metadata=("date", "language"))


def test_each_task_has_its_method_and_parameters() -> None:
    strict = joeira.records.MDR(min_similarity=0.9)
    page = joeira.parse(HTML, URL)
    tables = [table.to_dict() for table in joeira.find_records(page, strict)]
    assert fields_of(Job("records", strict))["records"] == tables
    assert tables != [table.to_dict() for table in joeira.find_records(page, "mdr")]
    job = Job("all", "bte", records_method="tables", segments_method=joeira.segments.Headings())
    found = fields_of(job)
    assert found["text"] == joeira.extract(page, "bte").text()
    assert found["records"] == [each.to_dict() for each in joeira.find_records(page, "tables")]
    assert found["segments"] == joeira.segment(page, "headings").to_dict()["segments"]


def test_workers_get_the_methods_of_a_job() -> None:
    job = Job("records", joeira.records.MDR(min_similarity=0.9), metadata=("title",))
    fields_of(job)
    assert pickle.loads(pickle.dumps(job)) == job
    assert "methods" not in vars(pickle.loads(pickle.dumps(job)))
    (row,) = joeira.extract_many([(HTML, URL)], job=job, workers=1)
    found = fields_of(job)
    assert (row.records, row.title, row.text) == (found["records"], found["title"], None)


def test_the_hash_covers_methods_parameters_and_columns() -> None:
    jobs = [
        Job(),
        Job(method="bte"),
        Job(method=joeira.content.BTE(tag_cost=2)),
        Job(metadata=("title",)),
        Job(limits=Limits(cpu_seconds=1)),
        Job("records"),
        Job("records", "mdr"),
        Job("records", joeira.records.MDR(min_similarity=0.9)),
        Job("all"),
        Job("all", records_method="mdr"),
        Job("all", segments_method="headings"),
    ]
    assert len({job.config_hash for job in jobs}) == len(jobs)
    assert len({*jobs}) == len(jobs)
    assert Job(method=joeira.content.BTE()).config_hash == Job(method="bte").config_hash
    assert Job("records", "auto").config_hash == Job("records").config_hash


class Shouting:
    def extract(self, page: joeira.Page, /) -> joeira.Content:
        raise NotImplementedError


def test_what_a_job_cannot_do_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownMethod, match="no method 'bte'"):
        Job("records", "bte")
    with pytest.raises(BadParameter, match="BTE is a method for content, not for records"):
        Job("records", joeira.content.BTE())
    with pytest.raises(BadParameter, match="not a method for segments"):
        Job("segments", 5)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(BadParameter, match="with records, use method"):
        Job("records", records_method="mdr")
    with pytest.raises(BadParameter, match="records_method works only with the task all"):
        Job("content", records_method="mdr")
    with pytest.raises(BadParameter, match=r"no metadata 'titel': .*title, author"):
        Job(metadata=("titel",))
    with pytest.raises(BadParameter, match="'template' learns the content of sites, not their rec"):
        Job("records", site_method="template")
    assert Job(method=Shouting()).methods["content"]
    monkeypatch.setattr(Shouting, "__module__", "__main__")
    with pytest.raises(BadParameter, match="define it in a module"):
        Job(method=Shouting())


def test_fineweb_computes_its_language_and_nothing_else(tmp_path: Path) -> None:
    fitted = Job(method="bte", markdown=True).for_schema("fineweb")
    assert fitted.metadata == ("language",)
    assert not fitted.markdown
    with pytest.raises(UsageError, match="use the task content"):
        run([EXAMPLES], Output(tmp_path, schema="fineweb"), Job("all"))
    with pytest.raises(UsageError, match="omit the metadata"):
        Job(metadata=("title",)).for_schema("fineweb")


@pytest.mark.parametrize(
    "options, same",
    [
        ("--task records -m mdr", Job("records", "mdr")),
        (
            "--task records --method mdr --set min_similarity=0.9 --metadata title,date",
            Job(
                "records",
                joeira.records.MDR(min_similarity=0.9),
                metadata=("title", "date"),
            ),
        ),
        (
            "--task all -m bte -m records=mdr --set records.min_depth=4 --set tag_cost=2 "
            "--metadata none",
            Job(
                "all",
                joeira.content.BTE(tag_cost=2.0),
                records_method=joeira.records.MDR(min_depth=4),
                metadata=(),
            ),
        ),
        ("--task segments --metadata all", Job("segments", metadata=METADATA)),
    ],
)
def test_the_command_says_the_same(options: str, same: Job, tmp_path: Path) -> None:
    arguments = ["batch", EXAMPLES / "listing.html", "-o", tmp_path, "--workers", "1"]
    done = command(*arguments, *options.split())
    assert done.returncode == 0, done.stderr
    assert f'"config_hash": "{same.config_hash}"' in (tmp_path / "manifest.json").read_text()


@pytest.mark.parametrize(
    "options, problem",
    [
        ("--task records -m segments=tps", "--task records has methods for records, not for"),
        ("--task records -m bte", "no method 'bte'"),
        ("--set content.x=1 --task segments", "not for 'content'"),
        ("--task all --set segments.size=1", "method 'learned' has no parameter 'size'"),
        ("--set tag_cost", "--set must be name=value"),
        ("-m bte --set tag_cost=cheap", "tag_cost must be"),
        ("--metadata titel", "no metadata 'titel'"),
        ("--task records --site", "learns the content of sites"),
        ("--task all --schema fineweb", "use the task content"),
    ],
)
def test_misuse_of_the_command_ends_with_2(options: str, problem: str, tmp_path: Path) -> None:
    done = command("batch", EXAMPLES, "-o", tmp_path, *options.split())
    assert done.returncode == 2
    assert problem in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_warm_up_leaves_what_few_pages_need() -> None:
    program = (
        "import sys; from joeira.batch import Job; from joeira.batch.rows import Capture;"
        "from joeira.batch.job import _WARM_UP; job = Job(); job.warm_up();"
        "print(all(job.fields_so_far(Capture('', None, page)) for page in _WARM_UP),"
        "'py3langid' in sys.modules)"
    )
    arguments = [sys.executable, "-c", program]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"


@pytest.mark.parametrize("method", ["learned", "bte"])
def test_pages_load_nothing_more_than_the_warm_up(method: str) -> None:
    """What a page loads, every process that reads such pages would load again."""
    program = (
        "import sys; from joeira.batch import Job; from joeira.batch.rows import Capture;"
        "job = Job(method=sys.argv[1]); job.warm_up(); job.load_rest(); loaded = set(sys.modules);"
        "page = '<style>.a{display:none}</style><h1>Anfahrt</h1><h1 class=a>Kontakt</h1>'"
        " '<p><span class=a>Ver</span><span>schiedenes</span> Anfahrt, Kontakt, Impressum</p>';"
        "assert job.fields(Capture('', None, page))['status'] == 'ok';"
        "print(*set(sys.modules) - loaded)"
    )
    arguments = [sys.executable, "-c", program, method]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
