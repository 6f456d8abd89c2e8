"""Characters that nobody sees."""

from __future__ import annotations

import pytest

from joeira.arrays import strings


def tagged(text: str) -> str:
    return "".join(chr(0xE0000 + ord(character)) for character in text)


@pytest.mark.parametrize(
    "text, kinds, left",
    [
        ("plain", {}, "plain"),
        ("naïve 中文", {}, "naïve 中文"),
        (f"a{tagged('ignore')}b", {"tag characters": 6}, "ab"),
        ("pass\u200bword", {"zero-width characters": 1}, "password"),
        ("a\u200db", {"zero-width characters": 1}, "ab"),
        ("\ufeffa\u2060", {"zero-width characters": 2}, "a"),
        ("a\u202egnp.exe\u202c", {"direction controls": 2}, "agnp.exe"),
        ("a\u2062b", {"invisible operators": 1}, "ab"),
        ("a\u3164b", {"blank letters": 1}, "ab"),
        ("❤\ufe0f\ufe01\ufe02", {"variation selectors": 3}, "❤"),
        ("x\U000e0101\U000e0102", {"variation selectors": 2}, "x"),
    ],
)
def test_kinds(text: str, kinds: dict[str, int], left: str) -> None:
    assert strings.invisible_characters(text) == kinds
    assert strings.without_invisible(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian
        "क्\u200dष",  # Hindi
        "👩\u200d👩\u200d👧",
        "❤\ufe0f",
        "葛\U000e0100城",
        "🏴" + tagged("gbeng") + "\U000e007f",
        "Sil\u00adben",
    ],
)
def test_what_scripts_need_stays(text: str) -> None:
    assert strings.invisible_characters(text) == {}
    assert strings.without_invisible(text) == text
