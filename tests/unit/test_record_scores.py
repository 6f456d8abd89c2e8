"""Records found against records wanted: the matching rule, and its summary over pages."""

import json
from pathlib import Path

import numpy as np
import pytest

from joeira.evaluation import record_scores
from joeira.evaluation.compare import Evaluation, Options, evaluate
from joeira.evaluation.datasets import Example, GoldPost, find, survey
from joeira.evaluation.report import markdown
from joeira.evaluation.task_reports import PostReport, RecordReport

WORDS = "one two three four five six seven eight nine ten".split()
FIRST, SECOND = " ".join(WORDS[:5]), " ".join(WORDS[5:])


def measured(wanted: list, tables: list[list[str]], mode: str = "text") -> list[float]:
    row = Example("1", "", records=tuple(wanted), mode=mode)
    return record_scores.Gold(row).measure(tables).tolist()


def matched(wanted: list, found: list[str], mode: str = "text") -> dict[int, int]:
    return record_scores.match(
        list(map(record_scores.bag, wanted)), list(map(record_scores.bag, found)), mode
    )


def test_tokens_are_words_in_small_letters_without_underscores() -> None:
    assert record_scores.bag("One_TWO, two!") == {"one": 1, "two": 2}
    assert record_scores.bag(["One", "two"]) == {"one": 1, "two": 1}


def test_whole_records_may_differ_a_little() -> None:
    assert matched([FIRST], ["one two three four"]) == {0: 0}  # Dice 8/9
    assert matched([FIRST], ["one two three"]) == {}  # Dice 6/8
    assert matched([FIRST], [f"{FIRST} a b"]) == {0: 0}  # Dice 10/12
    assert matched([FIRST], [f"{FIRST} a b c"]) == {}  # Dice 10/13


def test_each_record_is_matched_once_best_first() -> None:
    almost = FIRST.replace("five", "5")
    assert matched([FIRST], [almost, FIRST]) == {1: 0}
    assert matched([FIRST, FIRST], [almost, FIRST]) == {1: 0, 0: 1}


def test_values_may_be_part_of_a_longer_record() -> None:
    record = f"{FIRST} and much more text around it"
    assert matched([["one two", "three four"]], [record], "attrs") == {0: 0}
    assert matched([["one two", "three four"]], [record]) == {}
    assert matched([["one"]], ["one " + "x " * 59], "attrs") == {0: 0}
    assert matched([["one"]], ["one " + "x " * 60], "attrs") == {}


def test_values_of_two_records_in_one_are_no_record() -> None:
    assert matched([FIRST, SECOND], [f"{FIRST} {SECOND}"], "attrs") == {}
    assert matched([FIRST, "x y z", SECOND], [f"{FIRST} {SECOND}"], "attrs") == {0: 0}


def test_a_page_is_counted_over_all_tables_and_the_first() -> None:
    tables = [["menu", "more"], [], [FIRST, SECOND]]
    #                                            all: wanted, matched, returned, region; first
    assert measured([FIRST, SECOND], tables) == [2, 2, 4, 1, 0, 2, 0]
    assert measured([FIRST, SECOND], []) == [2, 0, 0, 0, 0, 0, 0]
    assert measured([FIRST, ""], [[FIRST]])[:2] == [1, 1]


def test_the_region_is_one_table() -> None:
    assert measured([FIRST, SECOND], [[FIRST], [SECOND]])[:4] == [2, 2, 2, 0]


def test_summary() -> None:
    pages = np.array(
        [
            measured([FIRST, SECOND], [[FIRST, SECOND]]),
            measured([FIRST], [["x"], [FIRST, "y", "z"]]),
        ]
    )
    (score,) = record_scores.scores([pages])
    assert (score.pages, score.wanted, score.matched, score.returned) == (2, 3, 3, 6)
    assert score.precision == pytest.approx((1 + 1 / 4) / 2)
    assert score.recall == 1
    assert score.f1 == pytest.approx(2 * 0.625 / 1.625)
    assert score.page_f1 == pytest.approx((1 + 0.4) / 2)
    assert (score.micro_precision, score.micro_recall) == (0.5, 1)
    assert (score.region_rate, score.exact) == (1, 0.5)
    assert score.precision_where_found == pytest.approx(0.625)
    assert score.interval[0] <= score.f1 <= score.interval[1]
    (first,) = record_scores.scores([pages], first=True)
    assert (first.precision, first.recall, first.region_rate) == (0.5, 0.5, 0.5)


def test_noise_removed() -> None:
    # Wanted, matched, returned, region found: two pages of the thesis, a lost region, no noise.
    before = np.array([[20, 20, 82, 1], [10, 10, 164, 1], [5, 5, 50, 1], [3, 3, 3, 1]], float)
    after = np.array([[20, 20, 20, 1], [10, 10, 93, 1], [5, 0, 9, 0], [3, 3, 3, 1]], float)
    assert record_scores.noise_removed(before, after) == pytest.approx([1, 0.4610], abs=1e-4)


@pytest.fixture
def evaluation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluation:
    (tmp_path / "finders.py").write_text(
        "import re\n"
        "def items(html): return [re.findall('<li>([^<]*)', html), ['noise', 'noise']]\n"
        "def first(html): return items(html)[:1]\n"
        "def text(html): return 'no tables'\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    rows = [
        {"id": "1", "html": "<li>a b<li>c d", "records": ["a b", "c d"]},
        {"id": "2", "html": "<li>a b<li>c d", "records": [["a"], ["c", "d"]], "mode": "attrs"},
        {"id": "3", "html": "<li>a b", "records": None, "mode": "count"},
    ]
    path = tmp_path / "lists.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    names = ["finders:items", "finders:first", "finders:text"]
    return evaluate(find(path), names, Options(workers=1, task="records"))


def test_an_evaluation_of_records(evaluation: Evaluation) -> None:
    report = RecordReport(evaluation, compare=True)
    data = json.loads(json.dumps(report.to_dict()))
    assert (data["pages"], data["without_gold"], data["task"]) == (3, 1, "records")
    every = data["methods"]["finders:items"]
    assert (every["all_tables"]["precision"], every["all_tables"]["recall"]) == (0.5, 1)
    assert every["first_tables"]["exact"] == 1
    assert data["noise_removed"] == {"finders:first": {"share": 1, "pages": 2}}
    failed = data["methods"]["finders:text"]["failures"]
    assert [failure["reason"] for failure in failed] == ["TypeError: returned str, not list"] * 2
    written = markdown(report)
    for part in ("all tables", "first table only", "noise of finders:items removed", "failures"):
        assert f"### lists: {part}" in written
    assert "Left out: 1 without records" in written


def test_the_fingerprint_knows_the_records(tmp_path: Path) -> None:
    def fingerprint(record: str) -> str:
        path = tmp_path / "set.jsonl"
        path.write_text(json.dumps({"id": "1", "html": "", "records": [record]}), "utf-8")
        return survey(find(path)).fingerprint

    assert fingerprint("a") != fingerprint("b")


def post(text: str, author: str = "", url: str = "", date: str = "", shown: str = "") -> dict:
    return {
        "text": text, "author": author or None, "author_url": url or None, "date": date or None,
        "date_text": shown or None,
    }  # fmt: skip


def posts_measured(wanted: list[tuple[str, str, str]], found: list[dict]) -> list[float]:
    row = Example("1", "", posts=tuple(GoldPost(*fields) for fields in wanted))
    return record_scores.PostGold(row).measure(found).tolist()


def test_posts_are_found_by_their_text() -> None:
    wanted = [("", "", FIRST), ("", "", SECOND), ("", "", "")]
    assert posts_measured(wanted, [])[:3] == [3, 0, 0]
    assert posts_measured(wanted, [post(SECOND), post("x"), post(FIRST)])[:3] == [3, 3, 2]
    assert posts_measured(wanted, [post(""), post("")])[:3] == [3, 2, 1]


@pytest.mark.parametrize(
    "author, found, is_right",
    [
        ("Ann Lee", post(FIRST, "ann lee"), 1),
        ("+Ann", post(FIRST, "Ann"), 1),
        ("Ann", post(FIRST, "Anna"), 0),
        ("Ann", post(FIRST), 0),
        ("/members/ann.1/", post(FIRST, "Ann", "https://e.org/members/ann.1/"), 1),
        ("./member.php?u=1", post(FIRST, "Ann", "https://e.org/forum/member.php?u=1"), 1),
        ("https://e.org/u/ann", post(FIRST, "Ann", "https://e.org/u/ann"), 1),
        ("/members/ann.1/", post(FIRST, "Ann", "https://e.org/members/joann.1/"), 0),
        ("members/ann.1/", post(FIRST, "Ann"), 0),
    ],
)
def test_authors_of_posts(author: str, found: dict, is_right: int) -> None:
    assert posts_measured([(author, "", FIRST)], [found])[3:5] == [1, is_right]


def test_what_is_no_author_is_not_measured() -> None:
    unknown = [("", "", FIRST), ("javascript:none();", "", SECOND)]
    assert posts_measured(unknown, [post(FIRST, "Ann"), post(SECOND)])[2:5] == [2, 0, 0]


@pytest.mark.parametrize(
    "dates, found, right",
    [
        (["6 May 2024, 10:20"], [post(FIRST, date="2024-05-06")], 1),
        (["6 May 2024"], [post(FIRST, date="2024-05-07")], 0),
        (["Jun 18 '05"], [post(FIRST, date="2005-06-18")], 1),
        (["04-07-2019"], [post(FIRST, date="2019-04-07")], 1),
        (["04-07-2019"], [post(FIRST, date="2019-07-04")], 1),
        (["04-07-2019", "04-25-2019"], [post(FIRST, date="2019-07-04")], 0),
        (["2 days ago"], [post(FIRST, date="2019-07-04", shown="2 days ago")], 1),
        (["2 days ago"], [post(FIRST, date="2019-07-04")], 0),
    ],
)
def test_dates_of_posts(dates: list[str], found: list[dict], right: int) -> None:
    texts = [FIRST, SECOND]
    wanted = [("", date, text) for date, text in zip(dates, texts, strict=False)]
    assert posts_measured(wanted, found)[5:] == [1, right]


def test_summary_of_posts() -> None:
    pages = np.array([[4, 4, 4, 4, 2, 4, 4], [6, 0, 0, 0, 0, 0, 0], [2, 2, 1, 1, 1, 0, 0]], float)
    score = record_scores.post_score(pages, ["a", "a", "b"])
    assert (score.precision, score.recall) == (5 / 6, 5 / 12)
    assert score.f1 == pytest.approx(10 / 18)
    assert score.page_f1 == pytest.approx(0.5)
    assert score.site_f1 == pytest.approx(0.5)
    assert (score.author, score.date) == (0.6, 1)
    assert score.interval[0] <= score.page_f1 <= score.interval[1]


def test_the_task_of_posts(tmp_path: Path) -> None:
    said = ["It rains today and will rain tomorrow", "Then let us stay at home and read books"]
    items = "".join(
        "<div itemscope itemtype='https://schema.org/Comment'><b itemprop=author>"
        f"<a href=/u/{number}>Reader {number}</a></b> <time>2024-05-0{number}</time>"
        f"<p itemprop=text>{text}</p></div>"
        for number, text in enumerate(said, 1)
    )
    posts = [
        {"author": f"/u/{number}", "date": f"{number} May 2024", "text": text}
        for number, text in enumerate(said, 1)
    ]
    rows = [
        {"id": "1", "url": "https://e.org/", "html": items, "posts": posts},
        {"id": "2", "html": items},
    ]
    path = tmp_path / "threads.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    found = evaluate(find(path), ["all_text"], Options(workers=1, task="posts"))
    assert found.measured["all_text"].tolist() == [[2, 2, 2, 2, 2, 2, 2]]
    report = PostReport(found)
    assert "| all_text | 1.0000 | 1.0000 | 1.0000 |" in markdown(report)
    assert report.to_dict()["methods"]["all_text"]["author"] == 1
    other = find(path)
    path.write_text(json.dumps(rows[0] | {"posts": posts[:1]}) + "\n", "utf-8")
    assert (
        survey(other, lambda row: bool(row.posts), posts=True).fingerprint
        != found.survey.fingerprint
    )
