"""What somebody marked, as a gold label for evaluation and as rules for the rest of the site."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira import catalog
from joeira.errors import InputError, UsageError
from joeira.page import Page, parse
from joeira.results import Content
from joeira.results.rules import Rule, text_ranges
from joeira.results.site import SiteModel
from joeira.viewer import selectors
from joeira.viewer.view import Wish, extracted, read_site

MAX_MARKS = 2_000
_DECISIONS = ("content", "noise", "field")
_MAX_NAME_CHARS = 60


@dataclass(frozen=True)
class Mark:
    """What a person said about a run of texts within a block."""

    first: int
    stop: int
    decision: str
    name: str = ""
    """Of a field."""

    @property
    def said(self) -> str:
        """What the mark says, as one word: equal for marks that agree."""
        return f"{self.decision} {self.name}"

    @classmethod
    def read(cls, data: Any) -> Mark:
        """Return a mark from plain data, or raise `UsageError`."""
        if not isinstance(data, Mapping):
            raise UsageError("a mark is an object")
        first, stop = data.get("first"), data.get("stop")
        decision, name = data.get("as"), data.get("name") or ""
        if not (isinstance(first, int) and isinstance(stop, int) and 0 <= first < stop):
            raise UsageError("a mark says its first text and one past its last")
        if decision not in _DECISIONS:
            raise UsageError(f"a block is marked as {', '.join(_DECISIONS)}")
        is_name = isinstance(name, str) and name.isprintable() and len(name) <= _MAX_NAME_CHARS
        if not is_name or (decision == "field") != bool(name.strip()):
            raise UsageError(f"a field, and only that, has a name of up to {_MAX_NAME_CHARS} signs")
        return cls(first, stop, decision, name.strip())


@dataclass(frozen=True)
class Lesson:
    """What marks are worth."""

    label: str
    """A row of a data set in JSON: the page, and its content as the person has it."""
    site: str
    """A site file with the rules."""
    rules: list[dict[str, Any]]
    """The new rules, each with the number of blocks that it decides on this page."""


@dataclass(frozen=True)
class Pupil:
    """A page that is taught: its source, and what it is called."""

    html: str | bytes
    url: str | None
    name: str


def lesson(pupil: Pupil, wish: Wish, marks: Sequence[Mark]) -> Lesson:
    """Return the label and the site file that marks make."""
    page = parse(pupil.html, pupil.url)
    marks = [mark for mark in marks if mark.stop <= len(page.texts)]
    content = extracted(page, wish.method, wish.site)
    rules = _rules(page, marks, content.keep)
    site = _known_site(wish.site).update([page]).with_rules(rules)
    told = [{**rule.to_dict(), "blocks": _blocks_of(page, rule)} for rule in rules]
    return Lesson(_label(pupil, content, marks), site.to_json(), told)


def _known_site(path: str | None) -> SiteModel:
    """Return the site that is known already, or one of which nothing is known."""
    if path and Path(path).exists():
        return read_site(path)
    learner = catalog.find(catalog.DEFAULT_SITE, "site").load()()
    return SiteModel(catalog.DEFAULT_SITE, learner.fit(()))


def _rules(page: Page, marks: Sequence[Mark], keep: NDArray[np.bool_]) -> list[Rule]:
    """Return a rule for each mark: about all that is alike, or about itself alone.

    One mark says nothing about what is alike but was left as it is shown; two marks do. So a rule
    is about all that is alike if none of it is marked otherwise and, unless it was said twice, none
    of it is shown otherwise.
    """
    said = np.full(len(page.texts), "", object)
    for mark in marks:
        said[mark.first : mark.stop] = mark.said
    owners = [int(page.blocks.owner[page.blocks.of_text[mark.first]]) for mark in marks]
    general = [selectors.general(page, row) for row in owners]
    times = Counter(zip(general, (mark.said for mark in marks), strict=True))
    rules = []
    for mark, row, alike_selector in zip(marks, owners, general, strict=True):
        selector = alike_selector
        if selector:
            spans = [slice(*pair) for pair in text_ranges(page, selector)]
            alike = np.concatenate([said[span] for span in spans])
            shown = np.concatenate([keep[span] for span in spans])
            contrary = (alike != "") & (alike != mark.said)
            if mark.decision != "field" and times[selector, mark.said] < 2:
                contrary |= (alike == "") & (shown != (mark.decision == "content"))
            if contrary.any():
                selector = selectors.exact(page, row)
        if selector:
            rules.append(_rule(selector, mark))
    # Rules about single elements come last: what is said last counts.
    return sorted(dict.fromkeys(rules), key=lambda rule: ":nth-of-type" in rule.selector)


def _rule(selector: str, mark: Mark) -> Rule:
    try:
        return Rule(selector, mark.decision, mark.name)  # type: ignore[arg-type]  # was checked
    except InputError as error:
        raise UsageError(str(error)) from error


def _blocks_of(page: Page, rule: Rule) -> int:
    ranges = text_ranges(page, rule.selector)
    texts = np.concatenate([np.arange(*pair) for pair in ranges]) if ranges else np.zeros(0, int)
    return len(np.unique(page.blocks.of_text[texts]))


def _label(pupil: Pupil, content: Content, marks: Sequence[Mark]) -> str:
    """Return a row that `joeira evaluate` reads: what is shown as content, corrected by marks."""
    page = content.page
    keep = content.keep.copy()
    fields: dict[str, list[str]] = {}
    for mark in marks:
        if mark.decision == "field":
            fields.setdefault(mark.name, []).append(page.joined(mark.first, mark.stop))
        else:
            keep[mark.first : mark.stop] = mark.decision == "content"
    html = pupil.html
    if isinstance(html, bytes):
        html = html.decode(page.encoding or "utf-8", "replace")
    row = {
        "id": f"{pupil.name}#{hashlib.sha256(html.encode('utf-8', 'replace')).hexdigest()[:12]}",
        "url": page.url,
        "html": html,
        "text": dataclasses.replace(content, keep=keep).text(),
        "fields": fields,
        "marks": [dataclasses.asdict(mark) for mark in marks],
    }
    return json.dumps(row)
