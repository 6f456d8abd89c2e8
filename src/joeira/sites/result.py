"""The result of learning a site, and the rules that people add to it.

A rule is a person's decision about parts of the site's pages, as pure data: a CSS selector and a
decision. Rules apply after the method has decided; if several match, the last one wins. An invalid
selector matches nothing.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import Case
from joeira.blockmodel.reasons import Reason, Reasons, sentence, with_before
from joeira.content.result import Content
from joeira.errors import InputError, OutputError, UsageError
from joeira.page import Page
from joeira.segments.result import Segments
from joeira.sites.corpus import JudgedBlock, identify
from joeira.sites.near_duplicates import KnownPages, Sketch
from joeira.sites.profile import MAX_GROUPS, Profile, slots_of

Decision = Literal["content", "noise", "field"]

MAX_RULES: Final = 1_000
MAX_SELECTOR_CHARS: Final = 1_000


@dataclass(frozen=True)
class Rule:
    """A decision about the parts of a page that a selector matches."""

    selector: str
    """CSS selector; an element stands for everything in it."""
    decision: Decision
    """``content``, ``noise``, or ``field``: a value to extract."""
    name: str = ""
    """Name of a field."""

    def __post_init__(self) -> None:
        """Check the rule."""
        if not 0 < len(self.selector) <= MAX_SELECTOR_CHARS:
            raise InputError("a rule needs a selector of reasonable length")
        if self.decision not in get_args(Decision):
            raise InputError(f"the decision of a rule is {' or '.join(get_args(Decision))}")
        if (self.decision == "field") != bool(self.name):
            raise InputError("a rule has a name if and only if it reads a field")

    def to_dict(self) -> dict[str, str]:
        """Return the rule as plain data."""
        said = {"selector": self.selector, "decision": self.decision}
        return {**said, "name": self.name} if self.name else said


def read_rules(data: Any) -> tuple[Rule, ...]:
    """Return rules from plain data, or raise `InputError`."""
    if not isinstance(data, list) or len(data) > MAX_RULES:
        raise InputError(f"rules must be a list of at most {MAX_RULES}")
    for each in data:
        known = isinstance(each, Mapping) and set(each) <= {"selector", "decision", "name"}
        if not known or not all(isinstance(value, str) for value in each.values()):
            raise InputError("a rule needs a selector, a decision and, for a field, a name")
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
    """Return the content with the rules applied."""
    page = content.page
    rule_of_text = np.zeros(len(page.texts), np.int32)
    for number, rule in enumerate(rules, 1):
        if rule.decision != "field":
            for start, stop in text_ranges(page, rule.selector):
                rule_of_text[start:stop] = number
    if not rule_of_text.any():
        return content
    wanted = np.array([False, *(rule.decision == "content" for rule in rules)])
    keep = np.where(rule_of_text > 0, wanted[rule_of_text], content.keep)
    reasons = _ByRule(content.reasons, rule_of_text, tuple(rules))
    return replace(content, keep=keep, reasons=reasons)


def fields(page: Page, rules: Sequence[Rule]) -> dict[str, list[str]]:
    """Return the values of the fields that rules extract, by name."""
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
class _ByRule(Reasons):
    """The reasons of a result of which rules decided some texts."""

    reasons: Reasons
    rule_of_text: NDArray[np.int32]
    """Per text: number of the rule that decided it, from 1; 0 for none."""
    rules: tuple[Rule, ...]

    def case(self, index: int) -> Case:
        """Return that a rule decided about a text, or what was decided without rules."""
        return Reason.RULE if self.rule_of_text[index] else self.reasons.case(index)

    def parts(self, index: int) -> tuple[str, ...]:
        """Return the rule that decided about a text, and what was decided before."""
        before = self.reasons.parts(index)
        number = int(self.rule_of_text[index])
        if not number:
            return before
        rule = self.rules[number - 1]
        said = sentence(Reason.RULE).format(selector=rule.selector, decision=rule.decision)
        return with_before(said, before)


FORMAT = "joeira site"
VERSION = 2
DRIFT_LIKENESS = 0.15
"""A page that shares less of its slots with every template of the site has another template."""
DRIFT_SHARE = 0.5
"""The template has changed when more than this share of the new pages has another one."""


class LearnedSite(Protocol):
    """What a method learned from a site: a frozen extractor that can be updated and stored."""

    @property
    def method(self) -> Any:
        """The method, a frozen dataclass."""
        ...

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """One for each distinct page it was learned from."""
        ...

    def extract(self, page: Page, /) -> Content | Segments:
        """Return the main content of a page of the site, or its segments."""
        ...

    def update(self, pages: Iterable[Page], /) -> LearnedSite:
        """Return the model updated with more pages, equal to learning from all at once."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return plain data from which the method's ``restore`` recreates the same model."""
        ...


@dataclass(frozen=True)
class Drift:
    """How well new pages fit a learned site."""

    pages: int
    strangers: tuple[int, ...]
    """Numbers of the pages with an unknown template."""
    likeness: float
    """Median over the pages of the share of slots in common with the nearest template."""

    @property
    def changed(self) -> bool:
        """Whether the template of the site seems to have changed."""
        return len(self.strangers) > DRIFT_SHARE * self.pages

    def __str__(self) -> str:
        """Return the finding as a sentence."""
        if not self.pages:
            return "no pages to compare"
        finding = (
            "the template has changed: learn the site again"
            if self.changed
            else ("the template has not changed")
        )
        known = self.pages - len(self.strangers)
        return f"{finding} ({known} of {self.pages} pages fit, similarity {self.likeness:.2f})"


@dataclass(frozen=True, eq=False)
class SiteModel:
    """A learned site, which extracts the content or segments of its pages."""

    method: str
    """Name of the method that learned it."""
    learned: LearnedSite = field(repr=False)
    _profile: Profile = field(default_factory=Profile, repr=False)
    """The templates of the site, for detecting changes."""
    rules: tuple[Rule, ...] = ()
    """Rules that apply after the method."""

    def __repr__(self) -> str:
        """Return a short description."""
        said = f", rules {self.rules}" if self.rules else ""
        return f"<SiteModel by {self.learned.method}: {self.pages} pages{said}>"

    @property
    def pages(self) -> int:
        """Number of distinct pages it was learned from."""
        return len(self.learned.fingerprints)

    @property
    def templates(self) -> tuple[tuple[int, int], ...]:
        """Number of pages of each template of the site, and of its usual slots."""
        return tuple((group.pages, len(group.usual())) for group in self._profile.groups)

    @property
    def has_shared_template(self) -> bool:
        """Whether most pages share their template with another page; True for a single page."""
        sizes = [pages for pages, _ in self.templates]
        if len(sizes) >= MAX_GROUPS and 4 * max(sizes) < sum(sizes):
            return False  # beyond so many templates pages join the nearest, whatever it is
        return len(sizes) < 2 or 2 * sizes.count(1) <= sum(sizes)

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the method."""
        method = self.learned.method
        return {field.name: getattr(method, field.name) for field in dataclasses.fields(method)}

    def extract(self, page: Page, /) -> Content:
        """Return the main content of a page of the site."""
        found = self.learned.extract(page)
        if not isinstance(found, Content):
            message = f"{self.method!r} finds segments, not content: use segment()"
            raise UsageError(message)
        return apply(found, self.rules) if self.rules else found

    def segment(self, page: Page, /) -> Segments:
        """Return the segments of a page of the site, if the method finds segments."""
        found = self.learned.extract(page)
        if not isinstance(found, Segments):
            message = f"{self.method!r} finds content, not segments: use extract()"
            raise UsageError(message)
        return found

    def blocks(self, page: Page, /) -> list[JudgedBlock]:
        """Return the blocks into which the method splits a page, with its decisions.

        Rules do not apply here, because they refer to other parts of the page.
        """
        judge = getattr(self.learned, "blocks", None)
        if judge is None:
            message = (
                f"{self.method!r} has no blocks of its own: use extract(page).explain() for those"
            )
            raise UsageError(f"{message} of the page")
        blocks: list[JudgedBlock] = judge(page)
        return blocks

    def fields(self, page: Page, /) -> dict[str, list[str]]:
        """Return the values that field rules find on a page, by name."""
        return fields(page, self.rules)

    def with_rules(self, more: Iterable[Rule], /) -> SiteModel:
        """Return the model with additional rules; later rules win."""
        return dataclasses.replace(self, rules=added(self.rules, tuple(more)))

    def update(self, pages: Iterable[Page], /) -> SiteModel:
        """Return a model updated with more pages, equal to learning from all at once."""
        profile = self._profile
        known = set(self.learned.fingerprints)
        sketches: Mapping[str, Sketch] | None = getattr(self.learned, "sketches", None)
        near = KnownPages(sketches or {})

        def new() -> Iterator[Page]:
            nonlocal profile
            for page in pages:
                print_, own = identify(page, near=sketches is not None)
                if print_ not in known and near.same_as(own) is None:
                    known.add(print_)
                    near.add(print_, own)
                    profile, _ = profile.with_page(slots_of(page))
                    yield page

        learned = self.learned.update(new())
        return dataclasses.replace(self, learned=learned, _profile=profile)

    def drift(self, pages: Iterable[Page], /) -> Drift:
        """Return how well new pages fit the templates of the site."""
        likeness = [self._profile.group_of(slots_of(page))[1] for page in pages]
        strangers = tuple(n for n, near in enumerate(likeness) if near < DRIFT_LIKENESS)
        middle = float(np.median(likeness)) if likeness else 0.0
        return Drift(len(likeness), strangers, middle)

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain data."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "method": self.method,
            "parameters": self.parameters,
            "profile": self._profile.to_dict(),
            "learned": self.learned.to_dict(),
            **({"rules": [rule.to_dict() for rule in self.rules]} if self.rules else {}),
        }

    def to_json(self) -> str:
        """Return the model as the text of a site file."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=0) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the model as JSON: counts and selectors, nothing executable."""
        try:
            Path(path).write_text(self.to_json(), "utf-8", errors="replace")
        except OSError as error:
            message = f"{path}: {error.strerror or error}"
            raise OutputError(message) from error


def read_site_file(path: str | Path) -> dict[str, Any]:
    """Return the contents of a site file, or raise `InputError` if it is not one."""
    try:
        data = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise InputError(message) from error
    except (ValueError, RecursionError) as error:
        message = f"{path} is not a site file, or is damaged: {error}"
        raise InputError(message) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        message = f"{path} is not a site file from `joeira site learn`"
        raise InputError(message)
    if data.get("version") != VERSION:
        message = f"{path}: format version {data.get('version')!r}, but {VERSION} is required"
        raise InputError(message)
    return data
