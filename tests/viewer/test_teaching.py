"""Marks become labels that can be measured against, and rules that a site follows."""

import json
from pathlib import Path

import pytest

import joeira
from joeira.errors import InputError, UsageError
from joeira.evaluation import datasets
from joeira.sites.result import Rule, added, read_rules
from joeira.viewer import marked_records
from joeira.viewer.marked_records import Mark
from joeira.viewer.pages import Shown
from joeira.viewer.teaching import Place, Pupil, lesson
from joeira.viewer.view import Wish
from support.marking import marked

PAGE = """<html><body><nav class=top>Home</nav><div class="story">
<p>The harbour was opened on Monday, after nine years of work, by the mayor of the town.</p>
<p>It has room for two hundred boats, and a ferry goes to the islands twice a day.</p>
<p>Read also: the ferry that never came.</p></div>
<div class="box"><b class="price">12 €</b></div></body></html>"""
WISH = Wish(method="all_text")


def taught(*marks: tuple[str, ...]) -> tuple[dict, dict]:
    page = joeira.parse(PAGE)
    found = lesson(Pupil(PAGE, None, "a.html"), WISH, [marked(page, *mark) for mark in marks])
    return json.loads(found.label), json.loads(found.site)


def test_the_label_is_what_was_shown_with_corrections() -> None:
    label, _ = taught(("Home", "noise"), ("Read also", "noise"), ("12 €", "field", "price"))
    assert "Home" not in label["text"]
    assert "Read also" not in label["text"]
    assert "two hundred boats" in label["text"]
    assert label["fields"] == {"price": ["12 €"]}


def test_a_rule_is_about_all_that_is_alike() -> None:
    _, site = taught(("Home", "noise"), ("The harbour", "content"))
    assert site["rules"] == [
        {"selector": "nav.top", "decision": "noise"},
        {"selector": "div.story > p", "decision": "content"},
    ]


def test_where_the_like_are_told_apart_a_rule_is_about_one() -> None:
    _, site = taught(("The harbour", "content"), ("Read also", "noise"))
    said = {rule["selector"]: rule["decision"] for rule in site["rules"]}
    page = joeira.parse(PAGE)
    for selector, decision in said.items():
        (row,) = page.attributes.select(selector)
        assert page.text_of(row).startswith("Read also" if decision == "noise" else "The harbour")


def test_one_mark_leaves_what_is_alike_as_it_is_shown() -> None:
    _, site = taught(("Read also", "noise"))
    page = joeira.parse(PAGE)
    (rule,) = site["rules"]
    (row,) = page.attributes.select(rule["selector"])
    assert page.text_of(row).startswith("Read also")


def test_two_marks_are_about_all_that_is_alike() -> None:
    _, site = taught(("Read also", "noise"), ("It has room", "noise"))
    assert site["rules"] == [{"selector": "div.story > p", "decision": "noise"}]


def test_evaluate_reads_labels_and_a_page_has_one(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text(PAGE, "utf-8")
    place = Place.of(Shown("a.html", path=page), None)
    parsed = joeira.parse(PAGE)
    for decision in ("content", "noise"):
        marks = [marked(parsed, "Read also", decision)]
        place.write(lesson(Pupil(PAGE, None, "a.html"), WISH, marks))
    (row,) = datasets.find(tmp_path / "labels.jsonl").rows()
    assert row.html == PAGE
    assert "Read also" not in row.text
    assert "two hundred boats" in row.text


def test_a_file_that_is_no_site_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    path.write_text('{"name": "something else"}', "utf-8")
    mark = marked(joeira.parse(PAGE), "Home", "noise")
    with pytest.raises(UsageError, match="not a site file"):
        lesson(Pupil(PAGE, None, "a.html"), Wish(site=str(path)), [mark])


def test_a_site_follows_its_rules(tmp_path: Path) -> None:
    noise = (("The harbour", "noise"), ("It has room", "noise"))
    _, site = taught(("Home", "content"), *noise, ("12 €", "field", "price"))
    path = tmp_path / "site.json"
    path.write_text(json.dumps(site), "utf-8")
    model = joeira.load_site(path)
    content = model.extract(joeira.parse(PAGE.replace("The harbour", "Another harbour")))
    assert "Home" in content.text()
    assert "boats" not in content.text()
    assert model.fields(joeira.parse(PAGE)) == {"price": ["12 €"]}
    reasons = [block.reason for block in content.explain()]
    assert any(reason.startswith("the site's rule for nav.top says content") for reason in reasons)
    model.save(path)
    assert joeira.load_site(path).rules == model.rules
    assert model.update([joeira.parse("<p>Another page")]).rules == model.rules


@pytest.mark.parametrize(
    "rules",
    [
        {},
        [1],
        [{"selector": "p"}],
        [{"selector": "", "decision": "noise"}],
        [{"selector": "p", "decision": "run"}],
        [{"selector": "p", "decision": "field"}],
        [{"selector": "p", "decision": "noise", "name": "x"}],
        [{"selector": ["p"], "decision": "noise"}],
        [{"selector": "p", "decision": "noise", "code": "x"}],
    ],
)
def test_damaged_rules_are_refused(rules: object) -> None:
    with pytest.raises(InputError):
        read_rules(rules)


def test_what_is_said_last_counts() -> None:
    noise, content = Rule("p", "noise"), Rule("p", "content")
    assert added([noise, Rule("b", "noise")], [content]) == (Rule("b", "noise"), content)


def test_a_selector_that_cannot_be_read_matches_nothing() -> None:
    page = joeira.parse(PAGE)
    site = joeira.learn_site([page]).with_rules([Rule("p[[", "noise")])
    assert site.extract(page).text() == joeira.learn_site([page]).extract(page).text()


def test_generated_names_are_not_used() -> None:
    page = joeira.parse('<div id=main><p class="css-1a2b3c" id="p-99381">one</p></div>')
    row = page.rows_of("p").tolist()[0]
    assert marked_records.general(page, row) == "div#main > p"
    assert marked_records.exact(page, row) == "div#main > p"


@pytest.mark.parametrize(
    "mark",
    [
        None,
        {},
        {"first": 1, "stop": 1, "as": "noise"},
        {"first": 0, "stop": 1, "as": "evil"},
        {"first": 0, "stop": 1, "as": "field"},
        {"first": 0, "stop": 1, "as": "noise", "name": "x"},
        {"first": "0", "stop": 1, "as": "noise"},
        {"first": 0, "stop": 1, "as": "field", "name": "x" * 61},
    ],
)
def test_damaged_marks_are_refused(mark: object) -> None:
    with pytest.raises(UsageError):
        Mark.read(mark)


@pytest.mark.parametrize("url", [None, "http://[", "https://../..%2f", "https://a.b.example/x"])
def test_files_stay_in_the_data_folder(url: str | None, tmp_path: Path) -> None:
    place = Place.of(Shown("../../x", url), tmp_path)
    for path in (place.labels, place.site):
        assert path.resolve().is_relative_to(tmp_path.resolve())
