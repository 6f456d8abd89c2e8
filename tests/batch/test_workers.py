"""Workers with real processes: poison kills a child, never another page."""

import importlib
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import joeira
from joeira.batch import Job, Limits
from joeira.batch.rows import Capture
from joeira.errors import BadParameter, JoeiraError, UnknownMethod
from joeira.isolation.work import Work
from joeira.isolation.workers import Nursery, Worker, Workers
from support import poison, warmth
from support.command_line import EXAMPLES

TESTS = Path(__file__).resolve().parents[1]
PAGE = "<h1>Rain</h1><p>It rained for a whole week, and the river left its bed.</p>"
BAD = Job(method="bte", limits=Limits(seconds=2, memory_bytes=512 << 20))


@pytest.fixture
def _poisonous(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**poison.HOOK, "PYTHONPATH": str(TESTS)}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("_poisonous")
def test_poison_becomes_rows_and_takes_nobody_with_it() -> None:
    kinds = [*poison.STATUS]
    pages = [part for kind in kinds for part in (PAGE, poison.page(kind), PAGE)]
    rows = list(joeira.extract_many(pages, job=BAD, workers=2))
    assert [row.status for row in rows] == [
        status for kind in kinds for status in ("ok", poison.STATUS[kind], "ok")
    ]
    reasons = {kind: rows[3 * number + 1].reason for number, kind in enumerate(kinds)}
    assert reasons == {
        "segfault": "its process was ended by SIGSEGV",
        "exit": "its process ended with exit code 7",
        "loop": "more than 2 s",
        "bomb": "more than 512 MB of memory",
    }


@pytest.mark.usefixtures("_poisonous")
def test_cpu_time_is_limited_apart_from_the_clock() -> None:
    """A page that waits is not one that works, however busy the machine is."""
    job = Job(method="bte", limits=Limits(seconds=60, cpu_seconds=0.15))
    pages = [poison.page("slow"), poison.page("loop"), PAGE]  # the slow one sleeps for 0.2 s
    rows = list(joeira.extract_many(pages, job=job, workers=1))
    assert [(row.status, row.reason) for row in rows] == [
        ("ok", ""), ("timeout", "more than 0.15 s of CPU time"), ("ok", ""),
    ]  # fmt: skip


@pytest.mark.usefixtures("_poisonous")
def test_an_answer_tells_how_its_process_ended() -> None:
    kinds = ["", *poison.STATUS]
    records = [Capture(kind, None, poison.page(kind) if kind else PAGE) for kind in kinds]
    with Workers(BAD, 2) as team:
        codes = {answer.record.id: answer.exit_code for answer in team.answers(records)}
    assert codes == {"": None, "segfault": -signal.SIGSEGV, "exit": 7, "loop": None, "bomb": None}


def test_work_is_found_where_the_parent_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "upper_case.py").write_text(
        "from dataclasses import dataclass\n"
        "from joeira.content import AllText\n\n"
        "@dataclass(frozen=True)\n"
        "class Shouting:\n"
        "    least: int = 1\n\n"
        "    def extract(self, page):\n"
        "        return AllText().extract(page)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    method = importlib.import_module("upper_case").Shouting(least=2)
    (row,) = joeira.extract_many([PAGE], job=Job(method=method), workers=1)
    assert row.status == "ok", row.reason
    assert "river" in str(row.text)


WINDOWS = """
import asyncio, multiprocessing.connection, os, select, signal, subprocess, sys, sysconfig
import numpy, rich.console, rich.progress, typer  # what asks for the system when it is imported

sysconfig.get_config_vars()
for module, names in {
    os: "fork memfd_create pread pwrite sched_getaffinity mkfifo getuid uname",
    select: "poll epoll",
    signal: "SIGALRM SIGHUP SIGKILL SIGPROF ITIMER_PROF alarm setitimer",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
# importing them fails
sys.modules |= dict.fromkeys(("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"))
sys.platform = "win32"
"""
WITHOUT_PROCESSES = """
import importlib, pathlib, pkgutil
import joeira

optional = ("joeira.integrations.datatrove", "joeira.__main__")
for module in pkgutil.walk_packages(joeira.__path__, "joeira."):
    if module.name not in optional:
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            assert error.name not in ("fcntl", "resource"), module.name
from joeira.batch import run
from joeira.errors import UsageError
from joeira.evaluation import compare, datasets

page = "<p>It rained for a whole week.</p>"
assert joeira.extract(page, "bte").text()
for start in (
    lambda: list(joeira.extract_many([page])),
    lambda: run(sys.argv[1:], sys.argv[1] + ".out"),
    lambda: compare.evaluate(datasets.find(pathlib.Path(sys.argv[1])), ["bte"]),
):
    try:
        start()
    except UsageError as error:
        print(error)
"""


def test_without_processes_one_sentence_says_so_when_a_team_starts(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text('{"id": "1", "html": "<p>Rain", "text": "Rain"}')
    command = [sys.executable, "-c", WINDOWS + WITHOUT_PROCESSES, path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == 3
    assert set(told) == {
        "worker processes need Linux or macOS; on Windows, use the Windows Subsystem for Linux"
    }
    assert [each.name for each in tmp_path.iterdir()] == ["pages.jsonl"]


@pytest.mark.parametrize(
    "arguments, code, told",
    [
        (("extract", "article.html"), 0, "For sixty years the ice house"),
        (("records", "listing.html", "--to", "csv"), 0, "285.000 €"),
        (("segment", "article.html"), 0, "For sixty years the ice house"),
        (("batch", "article.html", "-o", "rows"), 2, "need Linux or macOS"),
        (("serve", "--port", "0"), 2, "need Linux or macOS"),
    ],
)
def test_what_commands_do_where_nothing_can_be_forked(
    arguments: tuple[str, ...], code: int, told: str, tmp_path: Path
) -> None:
    program = f"{WINDOWS}from joeira.cli import main\nmain()"
    files = [str(EXAMPLES / each) if each.endswith(".html") else each for each in arguments]
    command = [sys.executable, "-c", program, *files]
    done = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert told in (done.stderr if code else done.stdout).decode()
    assert done.stderr.count(b"\n") == bool(code)
    assert not list(tmp_path.iterdir())


def test_a_limit_of_the_system_below_ours_is_kept() -> None:
    program = f"import joeira; print([row.status for row in joeira.extract_many([{PAGE!r}])])"
    limit = 600 << 20  # the default of a page is a gigabyte
    done = subprocess.run(
        [sys.executable, "-c", program],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # else it takes memory for each core
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "['ok']\n"


def test_order_is_kept_and_errors_are_results() -> None:
    pages = [PAGE, None, (PAGE.encode(), "http://example.org/a"), "", 5, b"\x89PNG\r\n" * 100]
    team = {"job": Job(method="bte"), "workers": 2}
    rows = list(joeira.extract_many(pages, **team))  # type: ignore[arg-type]  # wrong items, on purpose
    assert [row.id for row in rows] == ["0", "1", "2", "3", "4", "5"]
    assert [row.status for row in rows] == ["ok", "skipped", "ok", "empty", "skipped", "empty"]
    assert [bool(row) for row in rows] == [row.status == "ok" for row in rows]
    assert rows[2].url == "http://example.org/a"
    assert "river" in str(rows[2].text)
    assert rows[1].reason == "HTML is str or bytes, not NoneType"
    assert all(row.reason for row in rows if not row)


def test_pages_are_taken_as_needed() -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield PAGE

    rows = joeira.extract_many(endless(), job=Job(method="all_text"), workers=1)
    assert next(rows)
    rows.close()  # type: ignore[attr-defined]  # it is a generator
    assert taken < 5


@pytest.mark.usefixtures("_poisonous")
@pytest.mark.parametrize("limit", ["WINDOW_RECORDS", "WINDOW_CHARS"])
def test_a_slow_page_lets_only_so_much_wait_behind_it(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"joeira.isolation.workers.{limit}", 3)
    pages = [poison.page("slow"), *[PAGE] * 8, None, poison.page("slow"), PAGE]
    team = {"job": Job(method="bte"), "workers": 2}
    rows = list(joeira.extract_many(pages, **team))  # type: ignore[arg-type]  # wrong items, on purpose
    assert [row.id for row in rows] == [str(number) for number in range(len(pages))]
    assert [row.status for row in rows if not row] == ["skipped"]


def children(pid: int) -> list[int]:
    task = Path(f"/proc/{pid}/task/{pid}/children")
    if not task.exists():
        pytest.skip("needs the process tree of Linux")
    return [int(child) for child in task.read_text().split()]


@pytest.fixture
def others() -> set[int]:
    """Children that this process has from other tests, such as services."""
    return set(children(os.getpid()))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def open_files() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


def nursery_among(others: set[int]) -> int:
    """Return the one process that a team starts."""
    (nursery,) = set(children(os.getpid())) - others
    return nursery


def test_a_process_that_is_killed_from_outside_loses_no_page(others: set[int]) -> None:
    records = [Capture(str(number), None, PAGE) for number in range(60)]
    with Workers(Job(method="bte"), 1) as team:
        found = []
        for answer in team.answers(records):
            found.append(answer)
            if len(found) % 20 == 10:
                nursery = nursery_among(others)
                supervisor = children(nursery)[-1]
                victims = {10: children(supervisor), 30: [supervisor], 50: [nursery]}
                os.kill(victims[len(found)][0], signal.SIGKILL)
    assert [answer.record.id for answer in found] == [record.id for record in records]
    assert {answer.found["status"] for answer in found if answer.found} == {"ok"}


def test_a_team_that_is_killed_while_it_starts_is_started_anew(others: set[int]) -> None:
    with Workers(Job(method="bte"), 2) as team:
        os.kill(nursery_among(others), signal.SIGKILL)
        answers = list(team.answers([Capture(str(number), None, PAGE) for number in range(4)]))
    assert [answer.found["status"] for answer in answers if answer.found] == ["ok"] * 4


def test_a_team_that_cannot_start_says_so_and_leaves_nothing(others: set[int]) -> None:
    files = open_files()
    with Workers(warmth.Warmth(fails=True), 2) as team:
        answers = team.answers([Capture("0", None, PAGE)])
        with pytest.raises(JoeiraError, match="exit code 1"):
            next(answers)
    assert set(children(os.getpid())) == others
    assert open_files() == files


def test_all_processes_end_with_the_team(others: set[int]) -> None:
    team = Workers(Job(method="bte"), 2)
    with team:
        list(team.answers([Capture(str(number), None, PAGE) for number in range(9)]))
        nursery = nursery_among(others)
        supervisors = [pid for pid in children(nursery) if is_alive(pid)]
        below = [child for pid in supervisors for child in children(pid)]
    assert len(supervisors) >= 2
    assert below
    deadline = time.monotonic() + 10
    while any(map(is_alive, (*supervisors, *below))) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(is_alive, (nursery, *supervisors, *below)))


def test_all_workers_of_a_team_share_what_was_loaded_once() -> None:
    with Workers(warmth.Warmth(), 3) as team:
        records = [Capture(str(number), None, PAGE) for number in range(9)]
        found = {answer.found["loaded_by"] for answer in team.answers(records) if answer.found}
    assert len(found) == 1


def test_a_worker_that_is_given_up_ends_at_once(others: set[int]) -> None:
    """Nobody waits until a question that takes long has had its time."""
    nursery = Nursery(warmth.Warmth())
    worker = Worker(nursery)
    worker.ask("first")
    assert worker.told()
    supervisor = children(nursery_among(others))[-1]
    for child in children(supervisor):
        os.kill(child, signal.SIGSTOP)
    worker.ask("never answered")
    threading.Timer(0.2, worker.kill).start()
    told = worker.told()
    assert told is not None
    assert told[0]["status"] == "crash"
    deadline = time.monotonic() + 10
    while is_alive(supervisor) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(supervisor)
    worker.stop()
    nursery.stop()


@pytest.fixture
def asking() -> Iterator[Callable[[Work], Worker]]:
    """Starts workers, and ends them when the test does."""
    with ExitStack() as stack:

        def start(work: Work) -> Worker:
            nursery = Nursery(work)
            stack.callback(nursery.stop)
            worker = Worker(nursery)
            stack.callback(worker.stop)
            return worker

        yield start


Asking = Callable[[Work], Worker]


def test_what_few_questions_need_is_loaded_once_and_in_nobodys_time() -> None:
    pages = ["", "", "rest", "", "rest", "rest", "", "rest"]
    records = [Capture(str(number), None, page) for number, page in enumerate(pages)]
    with Workers(warmth.SlowRest(), 2) as team:
        answers = list(team.answers(records))
    assert [answer.record.id for answer in answers] == [record.id for record in records]
    assert {(answer.found or {})["status"] for answer in answers} == {"ok"}
    loaded = {
        (answer.found or {})["loaded_by"]
        for answer, page in zip(answers, pages, strict=True)
        if page
    }
    assert len(loaded) == 1
    assert len(loaded.pop()) == 1


def test_a_team_without_such_questions_loads_nothing_for_them() -> None:
    with Workers(warmth.SlowRest(), 1) as team:
        (answer,) = team.answers([Capture("0", None, "")])
    assert answer.found == {"status": "ok", "loaded_by": ()}


def test_short_texts_have_the_same_language_in_workers() -> None:
    sentences = [
        "Vapaaehtoiset avasivat eilen illalla vanhan kivisen varaston satamassa.",
        "Freiwillige öffneten gestern abend eine alte Lagerhalle am Hafen.",
        PAGE,
    ]
    job = Job(method="all_text", metadata=("language",), limits=Limits(seconds=0.4))
    rows = list(joeira.extract_many(sentences * 3, job=job, workers=2))
    assert [row.language for row in rows] == 3 * [
        job.fields(Capture("", None, sentence))["language"] for sentence in sentences
    ]


def test_a_child_that_is_killed_while_it_tells_leaves_no_half_answer(
    asking: Asking, others: set[int]
) -> None:
    worker = asking(warmth.LongAnswer())
    worker.ask("é")
    supervisor = only(lambda: children(nursery_among(others)))
    child = only(lambda: children(supervisor))
    time.sleep(1)  # longer than the limit, which does not count how long nobody listens
    os.kill(child, signal.SIGKILL)
    found, _ = worker.told()
    assert found["status"] == "ok"
    assert found["text"] == "é" * 5_000_000
    assert found["process"] != child


def test_nobody_has_to_listen_within_the_time_limit(asking: Asking, others: set[int]) -> None:
    worker = asking(warmth.LongAnswer())
    worker.ask("x")
    child = only(lambda: children(only(lambda: children(nursery_among(others)))))
    time.sleep(1.5)
    found, elapsed_ms = worker.told()
    assert found["process"] == child
    assert elapsed_ms < 500


def test_a_child_that_hears_nothing_is_replaced(asking: Asking, others: set[int]) -> None:
    worker = asking(warmth.Impatience())
    worker.ask("first")
    assert worker.told()[0]["status"] == "ok"
    child = only(lambda: children(only(lambda: children(nursery_among(others)))))
    os.kill(child, signal.SIGSTOP)
    worker.ask("second")
    found, _ = worker.told()
    assert (found["status"], found["reason"]) == ("timeout", "more than 0.3 s")
    assert not is_alive(child)
    worker.ask("third")
    assert worker.told()[0]["status"] == "ok"


def test_children_that_cannot_even_start_are_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOEIRA_TEST_WORKER_HOOK", "support.none_of_that_name")
    rows = list(joeira.extract_many([PAGE] * 3, job=Job(method="bte"), workers=2))
    assert [(row.status, row.reason) for row in rows] == [
        ("crash", "its process ended with exit code 1")
    ] * 3


@pytest.mark.usefixtures("_poisonous")
def test_processes_that_are_killed_within_a_page_lose_none(others: set[int]) -> None:
    """Each kind of process is killed once while all workers are busy."""
    records = [Capture(str(number), None, poison.page("slow")) for number in range(12)]
    with Workers(Job(method="bte"), 2) as team:
        found = []
        for answer in team.answers(records):
            found.append(answer)
            if len(found) in (2, 5, 8):
                time.sleep(0.05)  # the next pages have begun, and take longer than that
                nursery = nursery_among(others)
                supervisor = next(pid for pid in children(nursery) if is_alive(pid))
                victims = {2: children(supervisor), 5: [supervisor], 8: [nursery]}
                os.kill(victims[len(found)][0], signal.SIGKILL)
    assert [answer.record.id for answer in found] == [record.id for record in records]
    assert {answer.found["status"] for answer in found if answer.found} == {"ok"}


def test_a_page_that_is_given_up_took_the_time_of_all_attempts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {**poison.HOOK, "PYTHONPATH": str(TESTS)}.items():
        monkeypatch.setenv(name, value)
    job = Job(method="bte", limits=Limits(seconds=0.5))
    with Workers(job, 1) as team:
        (answer,) = team.answers([Capture("", None, poison.page("loop"))])
    assert answer.found == {"status": "timeout", "reason": "more than 0.5 s"}
    assert 1000 <= answer.elapsed_ms < 2500


def only(look: Callable[[], list[int]]) -> int:
    """Return the one process that there is as soon as there is one."""
    deadline = time.monotonic() + 10
    while not (found := look()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    (pid,) = found
    return pid


def test_misuse_is_told_at_once() -> None:
    with pytest.raises(UnknownMethod):
        Job(method="none")
    with pytest.raises(BadParameter, match="task"):
        Job(task="everything")
    with pytest.raises(BadParameter, match="memory"):
        Limits(memory_bytes=1)
    with pytest.raises(BadParameter, match="CPU time limit"):
        Limits(cpu_seconds=0)
    with pytest.raises(BadParameter, match="worker"):
        Workers(Job(), 0)
