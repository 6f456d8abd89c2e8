"""Dates as people and programs write them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joeira.metadata import dates
from support.examples import EXAMPLES


@pytest.mark.parametrize(
    "text",
    [
        "2020-03-12T10:00:00Z",
        "2020/3/12",
        "20200312",
        "20200312T101500",
        "12.03.2020",
        "12.3.20",
        "13/3/2020 and then 12/3/2020"[17:],
        "12. März 2020",
        "March 12th, 2020",
        "Thu, 12 Mar 2020 10:00:00 +0100",
        "Thu Mar 12 2020",
        "Updated 12:30 PM ET, Thu March 12, 2020",
        "12 de marzo de 2020",
        "12 de março de 2020",
        "le 12 mars 2020",
        "12 marca 2020 r.",
        "2020. március 12.",
        "12 марта 2020",
        "12 Μαρτίου 2020",
        "12 Mart 2020",
        "2020年3月12日",
        "2020년 3월 12일",
        "1584014400",
        "1584014400000",
    ],
)
def test_the_twelfth_of_march(text: str) -> None:
    assert dates.first_day(text) == "2020-03-12"


def test_months_first_only_where_that_is_usual() -> None:
    assert dates.first_day("3/4/2020") == "2020-04-03"
    assert dates.first_day("3/4/2020", month_first=True) == "2020-03-04"
    assert dates.first_day("13/4/2020", month_first=True) == "2020-04-13"
    assert dates.first_day("3.4.2020", month_first=True) == "2020-04-03"


@pytest.mark.parametrize(
    "text", ["", "2020", "31.02.2020", "1/2/3", "1851-01-01", "call 555-1234-2020", "12 Foo 2020"]
)
def test_no_date(text: str) -> None:
    assert dates.first_day(text) is None


@pytest.mark.parametrize(
    "address, day",
    [
        ("https://e.org/2020/03/12/ice", "2020-03-12"),
        ("https://e.org/ice-20200312.html", "2020-03-12"),
        ("https://e.org/2020-3-12/", "2020-03-12"),
        ("https://e.org/12345678901", None),
        ("https://e.org/2020/03/ice", None),
    ],
)
def test_addresses(address: str, day: str | None) -> None:
    assert dates.in_address(address) == day


@EXAMPLES
@given(st.dates(min_value=date(1990, 1, 1)))
def test_iso_days_are_read_as_they_are(day: object) -> None:
    expected = str(day) if str(day) <= "2099-12-31" else None
    assert dates.first_day(str(day)) == expected


@EXAMPLES
@given(st.text(max_size=500))
def test_any_text_is_read(text: str) -> None:
    if day := dates.first_day(text):
        assert len(day) == 10
