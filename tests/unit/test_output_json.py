"""Results as plain data."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

import joeira

NAMES = (
    "title author date modified language sitename hostname url description image categories tags "
    "license pagetype feeds word_count direction text comments posts method version configuration "
    "status reason confidence hidden_words invisible_characters"
).split()

PAGE = """<html lang=pt><head><title>T</title><meta name=author content="A B">
<meta property="og:site_name" content=S></head><body><p>a</p><p>b</p></body></html>"""


def test_names_are_always_the_same_and_in_order() -> None:
    assert list(joeira.extract(PAGE, "all_text").to_dict()) == NAMES
    assert list(joeira.extract("", "all_text").to_dict()) == NAMES


def test_values() -> None:
    fields = joeira.extract(PAGE, "all_text", url="https://e.org/x").to_dict()
    assert fields["title"] == "T"
    assert fields["author"] == "A B"
    assert fields["language"] == "pt"
    assert fields["sitename"] == "S"
    assert fields["hostname"] == "e.org"
    assert fields["url"] == "https://e.org/x"
    assert fields["text"] == "a\n\nb"
    assert fields["method"] == "all_text"
    assert fields["status"] == "ok"
    assert fields["confidence"] is None


def test_nothing_found_has_a_reason() -> None:
    fields = joeira.extract("", "all_text").to_dict()
    assert fields["text"] == ""
    assert fields["status"] == "empty"
    assert fields["reason"]


def test_only_plain_types() -> None:
    content = replace(joeira.extract(PAGE, "all_text"), page_confidence=np.float32(0.5))
    fields = content.to_dict()
    plain = {str, float, int, list, dict, type(None)}
    assert {type(value) for value in fields.values()} <= plain
    assert json.loads(json.dumps(fields)) == fields
    assert fields["confidence"] == 0.5
