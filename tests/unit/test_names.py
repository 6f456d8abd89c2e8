"""Stems in the names of classes and ids."""

import re

import pytest

import joeira
from joeira.segments.learned.names import Names

NAMES = ["nav", "topnav", "Nav-Bar nav", "ad", "load", "my_ad", "ads", "shadow ad", "x", ""]
STEMS = {"menu": "nav menu", "ad": ".ad. .ads.", "starts": ".ad", "none": "zzz"}
MEANT = {
    "menu": "nav|menu",
    "ad": "(?<![a-z])ads?(?![a-z])",
    "starts": "(?<![a-z])ad",
    "none": "zz",
}


@pytest.mark.parametrize("attribute", ["class", "id"])
def test_stems_are_found_wherever_a_name_has_them(attribute: str) -> None:
    page = joeira.parse("".join(f'<p {attribute}="{name}">a' for name in NAMES))
    rows = page.rows_of("p")
    found = Names(page).with_stems(STEMS)
    assert {label: found[label][rows].tolist() for label in STEMS} == {
        label: [bool(re.search(pattern, name.lower())) for name in NAMES]
        for label, pattern in MEANT.items()
    }


def test_a_stem_in_a_class_or_an_id_counts() -> None:
    page = joeira.parse("<p class=nav>a<p id=nav>b<p class=n id=av>c")
    found = Names(page).with_stems({"menu": "nav"})["menu"]
    assert found[page.rows_of("p")].tolist() == [True, True, False]
