"""Marked fields become records that can be measured against."""

import json
from pathlib import Path

import pytest

import joeira
from joeira.evaluation import datasets
from joeira.evaluation.tasks import CONTENT, RECORDS, Reading
from joeira.viewer.pages import Shown
from joeira.viewer.teaching import Place, Pupil, lesson
from joeira.viewer.view import Wish
from support.command_line import EXAMPLES
from support.marking import marked

LISTING = (EXAMPLES / "listing.html").read_text("utf-8")


def told(html: str, *fields: tuple[str, str], records: str = "auto") -> dict:
    """The label that a click on each of some words makes."""
    page = joeira.parse(html)
    marks = [marked(page, words, "field", name) for words, name in fields]
    wish = Wish(method="all_text", records=records)
    return json.loads(lesson(Pupil(html, None, "a.html"), wish, marks).label)


def test_one_click_is_about_a_column() -> None:
    label = told(LISTING, ("285.000 €", "price"))
    (table,) = joeira.find_records(LISTING)
    prices = [line[table.columns.index("price")] for line in table.rows()]
    assert label["records"] == [[price] for price in prices]
    assert (label["n_records"], label["columns"], label["mode"]) == (10, ["price"], "attrs")
    assert "text" not in label  # nobody said what the content is


def test_several_clicks_are_one_record_each() -> None:
    """Clicked in any order and in different records; what is outside of the list is none."""
    label = told(LISTING, ("88 m²", "area"), ("Moradia T3", "name"), ("312 anúncios. A", "total"))
    assert label["columns"] == ["area", "name"]
    assert label["records"][:2] == [
        ["142 m²", "Moradia T3 com quintal"],
        ["88 m²", "Apartamento T2 junto ao rio"],
    ]
    assert label["records"][-1] == ["", "Terreno com projeto aprovado"]
    assert label["fields"]["total"] == [
        "312 anúncios. A mostrar 1 a 10, dos mais recentes para os mais antigos."
    ]


def test_several_cells_in_one_block_are_marked_together() -> None:
    items = "".join(
        f"<li><a href=/p{n}>Lamp number {n}</a> <b class=price>{n},50 €</b></li>" for n in range(8)
    )
    label = told(f"<ul class=shop>{items}</ul>", ("Lamp number 3", "offer"))
    assert label["records"] == [[f"Lamp number {n} {n},50 €"] for n in range(8)]


FLAT = "".join(f"<h3 class=name>{n}</h3><p class=age>{a}</p>" for n, a in (("Ann", 12), ("Bo", 9)))
BOXED = "".join(
    f"<section><p class=age>{a}</p><div><h3 class=name>{n}</h3></div></section>"
    for n, a in (("Ann", 12), ("Bo", 9))
)


@pytest.mark.parametrize("html", [FLAT, BOXED], ids=["flat", "boxed"])
def test_without_a_table_what_is_alike_makes_the_records(html: str) -> None:
    html = f"<body><div class=people>{html}</div>"
    assert not joeira.find_records(html, "tables")
    label = told(html, ("Ann", "name"), ("9", "age"), records="tables")
    assert label["records"] == [["Ann", "12"], ["Bo", "9"]]


def test_a_page_about_one_thing_is_one_record() -> None:
    html = "<body><h1 class=name>Lamp</h1><p class=price>12 €</p><p>A lamp for the evening.</p>"
    assert told(html, ("12 €", "price"), ("Lamp", "name"))["records"] == [["12 €", "Lamp"]]


def test_records_are_cut_as_the_chosen_method_cuts_them() -> None:
    rows = "".join(f"<tr><td>Name {n}</td><td>{n} €</td></tr>" for n in range(6))
    html = f"<body><table><tr><th>Name</th><th>Price</th></tr>{rows}</table>"
    label = told(html, ("2 €", "price"), records="tables")
    assert label["records"] == [[f"{n} €"] for n in range(6)]


def test_saving_again_keeps_what_was_said_of_other_things(tmp_path: Path) -> None:
    source = tmp_path / "a.html"
    source.write_text(LISTING, "utf-8")
    page = joeira.parse(LISTING)
    place = Place.of(Shown("a.html", path=source), None)
    for said in (("Aceitar", "noise"), ("285.000 €", "field", "price")):
        marks = [marked(page, *said)]
        place.write(lesson(Pupil(LISTING, None, "a.html"), Wish(method="all_text"), marks))
    (row,) = datasets.find(place.labels).rows()
    assert "Aceitar" not in row.text
    assert len(row.records) == 10


def test_evaluation_measures_against_them(tmp_path: Path) -> None:
    """The browser's test does the same with the real program."""
    path = tmp_path / "labels.jsonl"
    label = told(LISTING, ("285.000 €", "price"), ("Moradia T3", "name"))
    path.write_text(json.dumps(label), "utf-8")
    (row,) = datasets.find(path).rows()
    assert RECORDS.has_gold(row)
    assert not CONTENT.has_gold(row)
    output = RECORDS.output_of(joeira.find_records(row.html))
    wanted, matched, returned, *_ = RECORDS.gold(row, Reading()).measure(output).tolist()
    assert (wanted, matched, returned) == (10, 10, 10)
