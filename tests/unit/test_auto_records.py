"""The default record finder on pages made for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import joeira
from joeira.errors import BadParameter
from joeira.models import read_card
from joeira.records import Auto
from joeira.records import learned as list_model
from joeira.records.learned.candidates import candidates
from joeira.records.learned.features import NAMES
from joeira.records.learned.presence import PAGE_FEATURES, PRESENCE_FEATURES, page_features
from joeira.records.learned.templates import without_strangers

MENU = (
    "<nav><ul>" + "".join(f"<li><a href=/{n}>Topic {n}</a></li>" for n in range(12)) + "</ul></nav>"
)
TITLES = (
    "Clay pot for herbs", "Oak chair with arms", "Blue wool blanket", "Small iron pan",
    "Round paper lamp", "Garden hose of 20 m", "Set of six glasses", "Bamboo cutting board",
)  # fmt: skip
ARTICLE = (Path(__file__).parents[2] / "examples" / "article.html").read_text("utf-8")


def item(number: int, title: str) -> str:
    return (
        f"<div class='product p{number}'><img src=/{number}.jpg>"
        f"<h3><a href=/p/{number}>{title}</a></h3>"
        f"<p class=text>Made by hand, sold since {1990 + number}, in {number + 2} colours.</p>"
        f"<span class=price>€ {10 + 3 * number}.50</span></div>"
    )


ITEMS = [item(number, title) for number, title in enumerate(TITLES)]
SHOP = (
    f"<body>{MENU}<main><h1>Household</h1><div class=results>{''.join(ITEMS)}</div></main></body>"
)


def texts(found: joeira.Records) -> list[str]:
    return [record.text for record in found[0].records]


def test_finds_the_products_and_not_the_menu() -> None:
    found = joeira.find_records(SHOP)
    assert len(found) == 1
    table = found[0]
    assert len(table) == len(TITLES)
    assert [title in text for title, text in zip(TITLES, texts(found), strict=True)]
    assert "Topic" not in " ".join(texts(found))
    assert table.region.xpath == "/html/body/main/div"
    assert Auto().min_score <= table.score <= 1


def test_tells_why() -> None:
    reason = joeira.find_records(SHOP)[0].reason
    assert reason.startswith("8 similar items under div.results: 4 fields that 100% of them have; ")
    assert reason.endswith("of the page's words")


@pytest.mark.parametrize("html", ["", "<p>Only this.</p>", ARTICLE])
def test_a_page_without_a_list_gives_nothing_and_says_so(html: str) -> None:
    found = joeira.find_records(html)
    assert not found
    assert found.reason


def test_why_nothing() -> None:
    assert joeira.find_records("").reason == "the page has no text"
    assert joeira.find_records("<p>Only this.</p>").reason == "nothing on the page repeats"
    assert "likeliest of" in joeira.find_records(ARTICLE).reason


def test_odd_and_even_rows_are_one_list() -> None:
    rows = "".join(
        f"<tr class={'odd' if number % 2 else 'even'}><td>{title}</td><td>{number * 7} km</td>"
        f"<td><a href=/{number}>Map of {title}</a></td></tr>"
        for number, title in enumerate(TITLES)
    )
    found = joeira.find_records(f"<body>{MENU}<table><tbody>{rows}</tbody></table></body>")
    assert len(found[0]) == len(TITLES)


def test_records_of_several_siblings() -> None:
    pairs = "".join(
        f"<dt><a href=/{number}>{title}</a></dt><dd>Shown in room {number}, with a note of some "
        f"{number + 3} words about its maker.</dd><dd class=date>{number + 1} May 2020</dd>"
        for number, title in enumerate(TITLES)
    )
    found = joeira.find_records(f"<body>{MENU}<dl>{pairs}</dl></body>")
    assert len(found[0]) == len(TITLES)
    first = found[0].records[0].text
    assert first.startswith(TITLES[0])
    assert first.endswith("1 May 2020")
    assert "runs of siblings" in found[0].reason


def test_two_lists_at_different_places_share_one_table_when_they_are_alike() -> None:
    halves = "".join(ITEMS[:4]), "".join(ITEMS[4:])
    page = f"<body>{MENU}<section>{halves[0]}</section><h2>More</h2><section>{halves[1]}</section>"
    assert len(joeira.find_records(page)[0]) == len(TITLES)


def test_strangers_among_the_records_are_left_out() -> None:
    advert = "<div class=product><table><tr><td>Buy now, pay later</td></tr></table></div>"
    page = SHOP.replace(ITEMS[3], ITEMS[3] + advert)
    assert "pay later" in page
    assert texts(joeira.find_records(page)) == texts(joeira.find_records(SHOP))


def test_a_list_that_would_be_too_short_keeps_its_strangers() -> None:
    lists = candidates(joeira.parse(f"<ul><li><b>a</b><i>b</i><u>c</u>{'<li><p>d e' * 2}</ul>"))
    assert without_strangers(lists, min_records=3).size.tolist() == lists.size.tolist()


def test_pages_that_say_they_are_articles() -> None:
    def declared(kind: str) -> float:
        head = f"<head><meta property=og:type content={kind}></head>"
        page = joeira.parse(head + SHOP)
        names = [feature.name for feature in PAGE_FEATURES]
        return float(page_features(page)[names.index("declared_article")])

    assert declared("article") == 1
    assert declared("website") == 0
    assert declared("Article") == 1


def test_tables_are_ordered_by_score_and_limited() -> None:
    every = joeira.find_records(SHOP, min_score=0.0)
    scores = [table.score for table in every]
    assert len(every) > 1
    assert scores == sorted(scores, reverse=True)
    assert len(joeira.find_records(SHOP, min_score=0.0, max_tables=1)) == 1
    assert len(joeira.find_records(SHOP, min_score=1.0)) == 1, "the best one is always there"
    assert not joeira.find_records(SHOP, min_presence=1.0)


def test_min_records() -> None:
    assert not joeira.find_records(SHOP, min_records=50)
    found = joeira.find_records(SHOP, min_records=9, min_score=0.0)
    assert all(len(table) >= 9 for table in found)


@pytest.mark.parametrize(
    "parameters",
    [{"min_records": 1}, {"max_tables": 0}, {"min_score": -0.1}, {"min_presence": 1.1}],
)
def test_parameters_are_checked(parameters: dict[str, float]) -> None:
    with pytest.raises(BadParameter):
        Auto(**parameters)  # type: ignore[arg-type]  # the mistake is tested


def test_the_card_tells_what_the_weights_were_learned_from() -> None:
    card = read_card("records")
    assert tuple(card["features"]) == NAMES
    assert set(card["data"]) == {"fadwa-dev", "nexteval-dev", "wcxb-dev"}
    assert all(len(source["fingerprint"]) == 16 for source in card["data"].values())
    model = list_model.load()
    assert card["presence_features"] == [feature.name for feature in PRESENCE_FEATURES]
    assert card["whether"]["min_presence"] == Auto().min_presence
    for name, trees, seen in (
        ("which", model.which, NAMES),
        ("whether", model.whether, PRESENCE_FEATURES),
    ):
        assert len(trees.column) == card["trees"][name]
        assert int(trees.column.max()) < len(seen)


def test_what_is_not_taken_is_a_candidate() -> None:
    nothing = joeira.find_records(SHOP, min_presence=1.0)
    assert not nothing
    best = joeira.find_records(SHOP, min_presence=0)[0]
    assert nothing.candidates[0].slices.tolist() == best.slices.tolist()
    assert nothing.candidates[0].presence == best.presence
    assert best.reason in nothing.reason
    taken = joeira.find_records(SHOP)
    rows = {row for table in taken for start, stop in table.slices for row in range(start, stop)}
    for table in taken.candidates:
        assert rows.isdisjoint(row for start, stop in table.slices for row in range(start, stop))


def test_features_of_a_list_count_what_is_there() -> None:
    ranked = list_model.load().rank(joeira.parse(SHOP))
    assert np.expm1(ranked.of("columns")[0]) == pytest.approx(4)
    assert np.exp(ranked.of("records")[0]) == pytest.approx(8)
    assert ranked.quantity("columns", 0) == pytest.approx(4)
    assert ranked.quantity("records", 0) == pytest.approx(8)
    for name, value in {
        "images": 1,
        "headings": 1,
        "currency": 1,
        "chrome": 0,
        "missing": 0,
    }.items():
        assert ranked.of(name)[0] == value, name


def test_headings_of_a_table_are_no_records() -> None:
    lines = [
        f"<tr><td><a href=/{n}>{title}</a></td><td>{n * 7} km</td></tr>"
        for n, title in enumerate(TITLES)
    ]
    apart = "<tr><td colspan=2>More of them</td></tr>"
    head = "<tr><th>Name</th><th>Length</th></tr>"
    table = f"<table>{head}{''.join(lines[:4])}{apart}{''.join(lines[4:])}</table>"
    found = joeira.find_records(f"<body>{MENU}{table}</body>")
    assert found[0].columns == ("Name", "Name_url", "Length")
    assert tuple(row[0] for row in found[0].rows()) == TITLES


def test_what_stands_between_two_records_is_not_part_of_the_first() -> None:
    items = [*ITEMS[:3], "<div class=ad><a href=/buy>Buy the best thing now</a></div>", *ITEMS[3:]]
    found = joeira.find_records(f"<body>{MENU}<main><div class=results>{''.join(items)}")
    assert not any(TITLES[2] in text and "Buy" in text for text in texts(found))


def test_a_list_whose_items_share_nothing_says_so() -> None:
    tags = "b i em strong u code kbd var samp small big s".split()
    items = "".join(
        f"<li><{tags[i % 12]}><{tags[(i // 12 + i) % 12]}><a href=/{i}>Item {i} of this list</a>"
        for i in range(24)
    )
    (table,) = joeira.find_records(f"<ul>{items}</ul>", min_presence=0, min_score=0)
    assert "no field in common" in table.reason
