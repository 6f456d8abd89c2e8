"""Rules of a site: what a person said about parts of its pages, as pure data.

A rule is a CSS selector and a decision. Rules are applied after the method has decided; where
several match, the last one counts. A selector that cannot be read matches nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from joeira.errors import InputError
from joeira.page import Page
from joeira.results.content import Content, Reasons

Decision = Literal["content", "noise", "field"]

MAX_RULES: Final = 1_000
MAX_SELECTOR_CHARS: Final = 1_000


@dataclass(frozen=True)
class Rule:
    """What to do with the parts of a page that a selector finds."""

    selector: str
    """CSS; an element stands for all that is in it."""
    decision: Decision
    """``content``, ``noise``, or ``field``: a value to read out."""
    name: str = ""
    """Name of a field."""

    def __post_init__(self) -> None:
        """Refuse what cannot be a rule."""
        if not 0 < len(self.selector) <= MAX_SELECTOR_CHARS:
            raise InputError("a rule has a selector of reasonable length")
        if self.decision not in get_args(Decision):
            raise InputError(f"a rule decides {' or '.join(get_args(Decision))}")
        if (self.decision == "field") != bool(self.name):
            raise InputError("a rule has a name if it reads a field, and no other has")

    def to_dict(self) -> dict[str, str]:
        """Return the rule as plain data."""
        said = {"selector": self.selector, "decision": self.decision}
        return {**said, "name": self.name} if self.name else said


def read_rules(data: Any) -> tuple[Rule, ...]:
    """Return rules from plain data, or raise `InputError`."""
    if not isinstance(data, list) or len(data) > MAX_RULES:
        raise InputError(f"rules are a list of at most {MAX_RULES}")
    for each in data:
        known = isinstance(each, Mapping) and set(each) <= {"selector", "decision", "name"}
        if not known or not all(isinstance(value, str) for value in each.values()):
            raise InputError("a rule has a selector, a decision and, if it is a field, a name")
    return tuple(
        Rule(each.get("selector", ""), each.get("decision", ""), each.get("name", ""))
        for each in data
    )


def added(rules: Sequence[Rule], more: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return rules with others after them; of two about the same, the later one is kept."""
    known: dict[tuple[str, str], Rule] = {}
    for rule in (*rules, *more):
        known.pop((rule.selector, rule.name), None)  # said again, it counts as said last
        known[rule.selector, rule.name] = rule
    return tuple(known.values())[-MAX_RULES:]


def apply(content: Content, rules: Sequence[Rule]) -> Content:
    """Return content as the rules have it."""
    page = content.page
    case = np.zeros(len(page.texts), np.int32)
    for number, rule in enumerate(rules, 1):
        if rule.decision != "field":
            for start, stop in text_ranges(page, rule.selector):
                case[start:stop] = number
    if not case.any():
        return content
    wanted = np.array([False, *(rule.decision == "content" for rule in rules)])
    keep = np.where(case > 0, wanted[case], content.keep)
    return replace(content, keep=keep, reasons=_Ruled(content.reasons, case, tuple(rules)))


def fields(page: Page, rules: Sequence[Rule]) -> dict[str, list[str]]:
    """Return the values that rules read out, by name."""
    found: dict[str, list[str]] = {}
    for rule in rules:
        if rule.decision == "field":
            texts = (page.text_of(row) for row in page.attributes.matching(rule.selector))
            found.setdefault(rule.name, []).extend(filter(None, texts))
    return found


def text_ranges(page: Page, selector: str) -> list[tuple[int, int]]:
    """Return the first and one past the last text of everything that a selector finds."""
    rows = page.attributes.matching(selector)
    return [(int(page.text_index[row]), int(page.text_index[page.end[row]])) for row in rows]


@dataclass(frozen=True, eq=False)
class _Ruled:
    """The reasons of a result of which rules decided some texts."""

    reasons: Reasons
    cases: NDArray[np.int32]
    """Number of the rule that decided a text, from 1; 0 for none."""
    rules: tuple[Rule, ...]

    def of(self, index: int) -> str:
        """Return the reason for what was decided about a text."""
        before = self.reasons.of(index)
        case = int(self.cases[index])
        if not case:
            return before
        rule = self.rules[case - 1]
        return f"the site's rule for {rule.selector} says {rule.decision}; before: {before}"
