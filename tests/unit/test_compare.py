"""Contenders side by side: names, processes that survive, and the report."""

import json
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from joeira.errors import InputError, UnknownMethod, UsageError
from joeira.evaluation import compare, contenders
from joeira.evaluation.compare import LIMITS, Evaluation, Options, evaluate
from joeira.evaluation.datasets import Example, Source, find
from joeira.evaluation.report import Report, markdown

PAGES = [
    {"id": "first", "html": "<p>one two", "text": "one two", "page_type": "article", "lang": "en"},
    {
        "id": "endless",
        "html": "<p>endless",
        "text": "endless",
        "page_type": "listing",
        "lang": "en",
    },
    {"id": "blank", "html": "<p>six", "text": " "},
    {"id": "third", "html": "<p>a", "text": "a b", "with": ["a"], "without": ["z"], "lang": "pt"},
    {"id": "broken", "html": "<p>broken", "text": "y", "page_type": "article"},
    {"id": "deadly", "html": "<p>deadly", "text": "deadly", "page_type": "article"},
]
BRITTLE = """
import os
import time

def asleep(html):
    if html == "<p>a":
        time.sleep(600)
    return html[3:]

def run(html):
    while "endless" in html:
        pass
    if "deadly" in html:
        os._exit(3)
    if "broken" in html:
        raise ValueError("too bad")
    return html[3:]

def deadly(html):
    if html.startswith("<p>"):  # as all pages but the one to warm up on do
        os.kill(os.getpid(), 9)

def hungry(html):
    return "x" * (3 << 30)

def odd(html):
    return [html]
"""
NAMES = ["all_text", "brittle:run"]
QUICK = replace(LIMITS, cpu_seconds=0.3)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    folder = tmp_path_factory.mktemp("sets")
    path = folder / "small.jsonl"
    path.write_text("\n".join(json.dumps(page) for page in PAGES), "utf-8")
    (folder / "brittle.py").write_text(BRITTLE, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield find(path)


@pytest.fixture(scope="module")
def evaluation(source: Source) -> Evaluation:
    return evaluate(source, NAMES, Options(workers=1, limits=QUICK))


def test_every_page_with_gold_is_measured(evaluation: Evaluation) -> None:
    ids = [row.id for row in evaluation.rows]
    assert ids == ["first", "endless", "third", "broken", "deadly"]
    assert (evaluation.survey.pages, evaluation.survey.without_gold) == (6, 1)
    words = evaluation.score("all_text")
    assert words is not None
    assert words.f1 == pytest.approx((1 + 1 + 2 / 3 + 0 + 1) / 5)
    assert (evaluation.cpu_ms["all_text"] > 0).all()


def test_whatever_a_contender_does_fails_on_its_page_only(evaluation: Evaluation) -> None:
    assert not evaluation.failures["all_text"]
    assert {failure.page_id: failure.reason for failure in evaluation.failures["brittle:run"]} == {
        "endless": "more than 0.3 s of CPU time",
        "broken": "ValueError: too bad",
        "deadly": "the process died (exit code 3)",
    }
    f1 = evaluation.measured["brittle:run"][:, 2]
    assert f1.tolist() == pytest.approx([1, 0, 2 / 3, 0, 0])  # a failure is an empty output


def test_turns_on_a_page_follow_each_other_and_each_comes_first_equally_often() -> None:
    rows = [Example(str(number), "<p>") for number in range(4)]
    turns = [(turn.row.id, turn.contender) for turn in compare.turns(rows, 3)]
    assert turns == [
        ("0", 0), ("0", 1), ("0", 2), ("1", 1), ("1", 2), ("1", 0),
        ("2", 2), ("2", 0), ("2", 1), ("3", 0), ("3", 1), ("3", 2),
    ]  # fmt: skip


def test_every_contender_that_dies_of_a_page_fails_alone(source: Source) -> None:
    names = ["brittle:deadly", "all_text", "brittle:run"]
    found = evaluate(source, names, Options(workers=2, limits=QUICK))
    assert {failure.reason for failure in found.failures["brittle:deadly"]} == {
        f"the process died (exit code {-signal.SIGKILL})"
    }
    assert len(found.failures["brittle:deadly"]) == len(found.rows)
    assert not found.failures["all_text"]
    assert len(found.failures["brittle:run"]) == 3
    died = found.cpu_ms["brittle:deadly"]
    assert died.tolist() == [300] * len(found.rows)


def test_an_answer_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    pytest.importorskip("lxml", reason="segments are measured in its trees")
    path = tmp_path / "set.jsonl"
    blocks = [{"xpath": "//[", "type": "main", "level": 1}]
    path.write_text(json.dumps({"id": "odd", "html": "<p>x", "blocks": blocks}), "utf-8")
    with pytest.raises(UsageError, match=r"page 'odd' cannot be measured: XPathEvalError"):
        evaluate(find(path), ["headings"], Options(workers=1, task="segments"))


def test_results_do_not_depend_on_the_number_of_workers(
    source: Source, evaluation: Evaluation
) -> None:
    other = evaluate(source, NAMES, Options(workers=3, limits=QUICK))
    for name in NAMES:
        np.testing.assert_array_equal(other.measured[name], evaluation.measured[name])
    assert other.failures == evaluation.failures


def test_the_wall_clock_ends_what_uses_no_processor(source: Source) -> None:
    limits = replace(LIMITS, seconds=0.5)
    found = evaluate(source, ["brittle:asleep", "all_text"], Options(workers=1, limits=limits))
    assert [(each.page_id, each.reason) for each in found.failures["brittle:asleep"]] == [
        ("third", "more than 0.5 s")
    ]
    assert not found.failures["all_text"]


def test_progress_counts_turns(source: Source) -> None:
    seen: list[tuple[int, int]] = []
    evaluate(source, ["all_text"], Options(workers=2), lambda *counts: seen.append(counts))
    assert seen == [(done, 5) for done in range(1, 6)]


def test_groups_and_their_unknown(evaluation: Evaluation) -> None:
    groups = evaluation.groups("page_type")
    assert {name: int(inside.sum()) for name, inside in groups.items()} == {
        "article": 3,
        "listing": 1,
        "unknown": 1,
    }


def test_report_says_it_all(evaluation: Evaluation) -> None:
    report = Report(evaluation, compare=True)
    written = markdown(report)
    for expected in (
        "6 pages, fingerprint",
        "Left out of words and shingles: 1 without gold text.",
        "### small: all pages",
        "### small: snippets",
        "### small: words F1 by page type (pages)",
        "### small: words F1 by language (pages)",
        "| all_text - brittle:run | words | ",
        "| brittle:run | broken | ValueError: too bad |",
    ):
        assert expected in written
    data = json.loads(json.dumps(report.to_dict()))
    method = data["methods"]["all_text"]
    assert method["words"]["f1"] == pytest.approx(11 / 15)
    assert method["by"]["lang"]["en"]["words"]["f1"] == 1
    assert method["snippets"]["found_wanted"] == 1
    assert data["methods"]["brittle:run"]["failures"][0]["page_id"] == "endless"
    assert data["comparisons"][0]["words"]["difference"] > 0
    assert next(report.grids()).rich().row_count == 2


def test_scripts_without_spaces_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"id": "1", "html": "<p>東京", "text": "東京都"}), "utf-8")
    found = evaluate(find(path), ["all_text"], Options(workers=1))
    words = found.score("all_text")
    assert found.split_cjk
    assert words is not None
    assert words.recall == pytest.approx(2 / 3)
    assert "individually" in markdown(Report(found))
    assert not evaluate(find(path), ["all_text"], Options(False, 1)).split_cjk


def test_names_with_settings() -> None:
    assert contenders.split_names("a, b[k=1,2;l=3],peer:c,a,") == ["a", "b[k=1,2;l=3]", "peer:c"]
    assert contenders.find("all_text[]")()(Example("1", "<p>x")).strip() == "x"


@pytest.mark.parametrize(
    "name, problem",
    [
        ("all_tex", "did you mean 'all_text'"),
        ("all_text[x=1]", "no parameter 'x'"),
        ("all_text[x]", "key=value"),
        ("all_text[x=1", "write a method as"),
        ("peer:nobody", "Known peers: peer:trafilatura"),
        ("peer:turbohtml[x=1]", "only methods of the catalog accept settings"),
        ("json:no_such_name", "neither a peer nor a function"),
        ("no_such_module:x", "neither a peer nor a function"),
    ],
)
def test_wrong_names_are_told_before_anything_runs(source: Source, name: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        evaluate(source, [name])


def test_a_missing_peer_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contenders, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'joeira\[bench\]'"):
        contenders.find_peer("peer:trafilatura")
    with pytest.raises(UnknownMethod):
        contenders.find_peer("peer:x")


def test_pages_without_answers_are_told(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"id": "1", "html": "<p>x"}), "utf-8")
    with pytest.raises(InputError, match="no page has gold"):
        evaluate(find(path), ["all_text"])


def test_memory_is_limited_and_output_is_text(source: Source) -> None:
    limits = replace(LIMITS, memory_bytes=2 << 30)
    found = evaluate(source, ["brittle:hungry", "brittle:odd"], Options(workers=1, limits=limits))
    reasons = {name: {f.reason for f in failed} for name, failed in found.failures.items()}
    assert reasons == {
        "brittle:hungry": {"MemoryError: "},
        "brittle:odd": {"TypeError: returned list, not text"},
    }


def test_nothing_to_run_is_misuse(source: Source) -> None:
    with pytest.raises(UsageError, match="at least one"):
        evaluate(source, [])
