"""Tidying of tables: constants, buttons, badges and rare values.

Constants are columns that say one thing in nine of ten values, as "Add to cart" does. Those that
only some records have tell something of these records: they become one column, ``label``. A word
that all records have right before a value ("by") is its label, one behind a number its unit.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from joeira.page import tags
from joeira.records.fields.common_names import NAMES, UNNAMED, constant_name, has_own_name
from joeira.records.fields.kinds import kind_of, unit_of
from joeira.records.fields.leaves import IMAGE, LIST, TEXT, RecordNodes
from joeira.records.fields.naming import label_of, slug
from joeira.records.fields.values import Values
from joeira.records.result import LIST_SEPARATOR

_CONSTANT_SHARE = 0.9
"""Share of the values that are the same."""
_COMMON_SHARE = 0.5
"""Share of the records that have a constant; a text of fewer records says something of them."""
_RARE_SHARE = 0.25
"""Share of the records that must have a column, or it is put into ``other``."""
_MIN_SHARE = 0.5
"""The same for a column that people have no word for."""
_SHORT_LIST = 5
"""In a list of so few records nothing is rare."""
_SINGLE = frozenset(
    "title price old_price date rating reviews comments replies answers views votes likes downloads"
    " duration".split()
)
"""Names of which a record has one, so that a second is something else."""
_WIDGET = frozenset(
    "btn button cart wishlist compare checkbox tooltip dropdown command tabs tabnav".split()
)
"""Words in the names of what is for clicking."""
_TOGETHER_SHARE = 0.8
_BADGE_WORDS = 4
_GLUE_WORDS = 3
_BUTTON = tags.table("button")
_STEM_CHARS = 4
_SIGN = re.compile(r"[$€£¥₹]")
_SEPARATOR_BEFORE = re.compile(r"^[-–—|·•,;:/›»]\s+")
_SEPARATOR_BEHIND = re.compile(r"\s*[-–—|·•,;›»]$")
_LABEL = "label"


@dataclass
class Aside:
    """What was put aside."""

    constants: dict[str, str] = field(default_factory=dict)
    """By name: what all records say."""
    badges: list[Values] = field(default_factory=list)
    """One column of all badges, if there are any."""
    rare: list[Values] = field(default_factory=list)
    """Values that have no column of their own."""


def set_aside(nodes: RecordNodes, values: list[Values]) -> Aside:
    """Take constants and buttons out of the columns, and make one column of all badges."""
    aside = Aside()
    _take_neighbours(nodes, values, aside)
    badges: list[Values] = []
    for column in values:
        if (
            column.drop
            or column.kind not in (TEXT, LIST)
            or not column.distinct
            or column.filled < 2
        ):
            continue
        text, count = Counter(filter(None, column.texts)).most_common(1)[0]
        button = bool(_BUTTON[_tags_above(nodes, column)].any(axis=0).all())
        button |= _is_widget(nodes, column)
        if count < _CONSTANT_SHARE * column.filled and not (button and len(column.distinct) <= 3):
            continue
        leads = len({url for url in column.urls if url}) > 1
        often = column.filled >= _COMMON_SHARE * len(column.texts)
        if often or button or leads or not any(map(str.isalnum, text)):
            _put_away(aside, column, text)
        elif len(text.split()) <= _BADGE_WORDS and not has_own_name(nodes, column):
            badges.append(column)
            column.drop = column.joined = True
    aside.badges = [_badges(badges)] if badges else []
    return aside


def keep_constants(values: list[Values], aside: Aside) -> None:
    """Keep what was dropped of the texts that records have in common.

    They are called as the column would be where a page says more than one thing there; texts of
    buttons by their words.
    """
    for column in values:
        if not column.drop or column.joined or column.kind not in (TEXT, LIST):
            continue
        if not column.constant and len(column.distinct) != 1:
            continue
        text = _most_common(column)
        if any(map(str.isalnum, text)):
            name = constant_name(column)
            name = name if name and name not in aside.constants else slug(text)
            aside.constants.setdefault(name or "constant", text)


def _most_common(column: Values) -> str:
    return Counter(filter(None, column.texts)).most_common(1)[0][0]


def _put_away(aside: Aside, column: Values, text: str) -> None:
    """Make a column a constant; its other values are kept, but not as a column."""
    column.constant = True
    column.drop = not any(column.urls)  # else it goes when its link has a column
    aside.rare.extend(_all_but(column, text))


def _all_but(column: Values, text: str) -> list[Values]:
    """Return the values of a column that are another text, if there are any."""
    others = [None if value == text else value for value in column.texts]
    if not any(others):
        return []
    nodes = np.where([value is not None for value in others], column.nodes, -1)
    return [Values(column.kind, nodes, others, column.urls, column.links)]


def _badges(columns: list[Values]) -> Values:
    """Return one column of the badges of each record."""
    joined = _join(columns)
    joined.name = joined.said = _LABEL
    joined.source = "class"
    return joined


def _join(columns: list[Values]) -> Values:
    """Return one column with the values of several, in page order."""
    texts: list[str | None] = []
    for own in zip(*(column.texts for column in columns), strict=True):
        texts.append(LIST_SEPARATOR.join(filter(None, own)) or None)
    every = np.stack([column.nodes for column in columns])
    first = np.where(every >= 0, every, np.iinfo(np.int64).max).min(axis=0)
    nodes = np.where((every >= 0).any(axis=0), first, -1)
    none: list[str | None] = [None] * len(texts)
    links = np.full(len(texts), -1)
    one = columns[0]
    return Values(LIST, nodes, texts, none, links, one.name, one.source, said=one.said, joined=True)


def _take_neighbours(nodes: RecordNodes, values: list[Values], aside: Aside) -> None:
    """Make words beside a value, the same in all records, its label or its unit."""
    texts = [c for c in values if c.kind in (TEXT, LIST) and not c.drop]
    for column, value in pairwise(texts):
        if _are_labels(column) and not value.label and _beside(nodes, column, value):
            together = zip(column.texts, value.texts, strict=True)
            value.texts = [
                f"{label} {text}" if label and text else text for label, text in together
            ]
            column.drop = value.joined = True
    for place, column in enumerate(texts):
        glue = _glue(column) if column.filled > 1 else frozenset()
        if not glue:
            continue
        before = texts[place - 1] if place else None
        after = texts[place + 1] if place + 1 < len(texts) else None
        word = min(glue, key=len)
        if before is not None and _beside(nodes, before, column) and unit_of(before.texts) == "":
            before.unit = max(glue, key=len)
        elif (
            len(glue) == 1
            and after is not None
            and not after.label
            and _beside(nodes, column, after)
            and not _glue(after)
        ):
            column.drop = not any(column.urls)
            aside.rare.extend(_all_but(column, word))
            if _SIGN.search(word):  # a price in two elements
                after.texts = [text and f"{word}{text}" for text in after.texts]
            else:
                after.label = label_of(word) or word.strip(" :：")


def _is_widget(nodes: RecordNodes, column: Values) -> bool:
    """Return whether the class of the element around the first value tells of a widget."""
    place = int(nodes.place[column.nodes[column.nodes >= 0][0]])
    above = int(nodes.table.parent[place])
    called, names = nodes.table.called
    return not _WIDGET.isdisjoint(slug(names[called[above]]).split("_"))


def _are_labels(column: Values) -> bool:
    """Return whether nearly all values are labels, which differ from record to record."""
    labels = sum(label_of(text or "") is not None for text in column.texts)
    return len(column.distinct) > 1 and labels >= _CONSTANT_SHARE * column.filled


def _glue(column: Values) -> frozenset[str]:
    """Return the short word that a column is in nearly all records, as singular and plural."""
    count = Counter(filter(None, column.texts))
    if not count:
        return frozenset()
    stem = count.most_common(1)[0][0].casefold()[:_STEM_CHARS]
    forms = frozenset(text for text in count if text.casefold()[:_STEM_CHARS] == stem)
    short = all(len(text.split()) == 1 for text in forms)  # "by", and in few records a sentence
    least = _CONSTANT_SHARE if short else 1.0
    is_word = (
        len(forms) <= 2
        and sum(count[text] for text in forms) >= least * column.filled
        and all(len(text.split()) <= _GLUE_WORDS for text in forms)
        and any(char.isalpha() or char in "$€£¥₹" for char in stem)
        and not any(map(str.isdigit, stem))
    )
    return forms if is_word else frozenset()


def _beside(nodes: RecordNodes, left: Values, right: Values) -> bool:
    """Return whether two values stand together in one element, in nearly all records with one."""
    both = (left.nodes >= 0) & (right.nodes >= 0)
    if both.sum() < _TOGETHER_SHARE * max(left.filled, right.filled):
        return False
    first, second = left.nodes[both], right.nodes[both]
    a, b = nodes.parent[first], nodes.parent[second]
    near = (a == b) | (nodes.parent[a] == b) | (a == nodes.parent[b])
    near |= nodes.parent[a] == nodes.parent[b]
    near &= np.searchsorted(nodes.leaves, second) == np.searchsorted(nodes.leaves, first) + 1
    return bool(near.mean() >= _TOGETHER_SHARE)


def _tags_above(nodes: RecordNodes, column: Values) -> Any:
    """Return the tags of the two elements right around the values."""
    table = nodes.table
    above = table.parent[nodes.place[column.nodes[column.nodes >= 0]]]
    return table.tag[[above, table.parent[above]]]


def strip_separators(values: list[Values]) -> None:
    """Take away the separator that nearly all values of a column begin or end with."""
    for column in values:
        if column.kind not in (TEXT, LIST) or column.drop:
            continue
        for pattern in (_SEPARATOR_BEFORE, _SEPARATOR_BEHIND):
            shorter = [text and (pattern.sub("", text, count=1) or text) for text in column.texts]
            changed = sum(a != b for a, b in zip(shorter, column.texts, strict=True))
            if column.filled > 1 and changed >= _CONSTANT_SHARE * column.filled:
                column.texts = shorter


def tidy(columns: list[Values], aside: Aside) -> list[Values]:
    """Join what the page calls the same, put rare columns aside, and images last."""
    named = {column.name: column for column in columns}
    paid = any(kind_of([text, text]) == "price" for text in aside.constants.values())
    if "old_price" in named and "price" not in named and not paid:
        named["old_price"].name = "price"  # the only price is the one to pay
    kept: list[Values] = []
    for column in _with_alike_joined(columns + aside.badges):
        share = column.filled / max(len(column.texts), 1)
        is_text = column.kind in (TEXT, LIST)
        stem = column.name if is_text else column.name.removesuffix("_url")
        least = _RARE_SHARE if stem in NAMES and column not in aside.badges else _MIN_SHARE
        if column.name == "url" or (column.kind == IMAGE and share >= _RARE_SHARE):
            kept.append(column)
        elif column.kind == IMAGE:
            continue
        elif not is_text and stem not in NAMES:
            continue  # where a button or a detail leads
        elif share >= least or len(column.texts) <= _SHORT_LIST:
            kept.append(column)
        elif is_text:
            aside.rare.append(column)
    return sorted(kept, key=lambda column: column.kind == IMAGE)


def _with_alike_joined(columns: list[Values]) -> list[Values]:
    """Return columns, of those with one name that records have several of one each, as lists."""
    titled = any(column.name == "title" for column in columns)
    alike: dict[str, list[Values]] = {}
    for column in columns:
        if column.kind in (TEXT, LIST):
            alike.setdefault(column.name, []).append(column)
    joined = []
    for column in columns:
        same = alike.get(column.name, [])
        if column.name in _SINGLE and same and same[0] is not column and _repeats(column, same[0]):
            continue
        can = titled if column.name == UNNAMED else len({one.said for one in same}) == 1
        if column.kind not in (TEXT, LIST) or len(same) == 1 or not can or column.name in _SINGLE:
            joined.append(column)
        elif same[0] is column:
            joined.append(_join(same))
    return joined


def _repeats(column: Values, first: Values) -> bool:
    """Return whether most values stand in another column too, as for several sizes of screens."""
    both = [(a, b) for a, b in zip(column.texts, first.texts, strict=True) if a and b]
    return 2 * sum(a == b for a, b in both) > column.filled
