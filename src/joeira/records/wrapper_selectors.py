"""Stable selectors of records on a page and of elements within a record.

Selectors are tried, not derived. Candidates for the records are made of what all of them share: a
tag, classes, names of attributes, something that each of them holds, and what is around them. Each
candidate is judged by what it finds on every page that is learned from, and by how likely it is to
mean the same on other pages: names that people made up count as lasting, those with numbers in them
and counted places as fleeting.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from joeira.page import Page
from joeira.records.fields.selectors import is_word, tag_of
from joeira.records.wrapper import outermost

_FLEETING = re.compile(r"\d{3}|\d+[a-z]+\d|__|^css-|^sc-|[a-z]\d[a-z]\d|[0-9a-f]{8}")
"""Names that a program made, which another page may not have."""
_STATE = re.compile(
    r"(?:^|[-_])(?:first|last|odd|even|active|selected|current|hover|open|closed|visible|hidden|"
    r"loaded|lazy\w*|new|alt|clearfix)(?:$|[-_])",
    re.IGNORECASE,
)
"""Classes that say how one element is at the moment."""
_MAX_CLASSES = 4
_MAX_HELD = 4
_MAX_UP = 8
COST = 0.012
"""Share of F measure that one unit of fleetingness is worth."""
_GOOD = 0.9
"""F measure of a selector that is worth being the second choice."""
_PASSABLE = 0.4
"""F measure of one that is worth being the last."""


@dataclass(frozen=True)
class Choice:
    """A selector and how fleeting it is."""

    xpath: str
    css: str | None
    cost: float


# Choice ----------------------------------------------------------------------------------------


def judge(
    choices: Iterable[Choice], wanted: Sequence[tuple[Page, list[int]]]
) -> list[tuple[float, Choice]]:
    """Return the selectors that find records, best first, each with its agreement."""
    judged: list[tuple[float, float, Choice]] = []
    best = 0.0
    for number, choice in enumerate(sorted(choices, key=lambda c: (c.cost, len(c.xpath)))):
        worth = COST * choice.cost
        # None of those that follow can be better: each costs more.
        if number >= _MIN_TRIED and 1 - worth < best:
            break
        agreement = _agreement(choice, wanted)
        if agreement:
            best = max(best, agreement - worth)
            judged.append((agreement - worth, agreement, choice))
    judged.sort(key=lambda one: (-one[0], len(one[2].xpath), one[2].xpath))
    return [(agreement, choice) for _, agreement, choice in judged]


_MIN_TRIED = 40
"""Selectors that are tried even when a perfect one is known: for second choices."""


def _agreement(choice: Choice, wanted: Sequence[tuple[Page, list[int]]]) -> float:
    """Return the mean F measure of what a selector finds on pages."""
    total = 0.0
    for page, starts in wanted:
        rows = outermost(page, page.attributes.find(choice.xpath))
        right = len(set(starts).intersection(rows))
        total += 2 * right / (len(starts) + len(rows))
    return total / len(wanted)


def with_second_choices(judged: Sequence[tuple[float, Choice]]) -> tuple[str, ...]:
    """Return the best selector, and those to try where it finds nothing, the loosest last."""
    xpaths = [judged[0][1].xpath]
    for agreement, choice in judged[1:]:
        around, _, own = choice.xpath.rpartition("/")
        before, _, last = xpaths[0].rpartition("/")
        if agreement >= _GOOD and around != before and own != last:
            xpaths.append(choice.xpath)
            break
    for agreement, choice in judged:
        if agreement >= _PASSABLE and choice.xpath.rfind("/") == 1 and "[" in choice.xpath:
            xpaths.append(choice.xpath)
            break
    return tuple(dict.fromkeys(xpaths))


# Selectors of records ---------------------------------------------------------------------------


def record_choices(page: Page, starts: list[int]) -> Iterator[Choice]:
    """Yield selectors that could find the records of a page."""
    own = _own_tests(page, starts)
    around = _contexts(page, starts)
    held = ["", *_held(page, starts)]
    for before in around:
        for test in own:
            for inside in held:
                css = before.css is not None and test.css is not None and not inside
                cost = before.cost + test.cost + (0.7 if inside else 0.0)
                if len(before.xpath) <= len("//") and "[" not in test.xpath:
                    cost += 1.0  # a tag alone, anywhere, is something else on the next page
                yield Choice(
                    f"{before.xpath}{test.xpath}{inside}",
                    f"{before.css}{test.css}" if css else None,
                    cost,
                )


def _own_tests(page: Page, rows: list[int]) -> list[Choice]:
    """Return ways to say what all elements are: by tag and class, attribute, or tag alone."""
    names = {tag_of(page, row) for row in rows}
    tag = names.pop() if len(names) == 1 else None
    tag = tag or "*"
    classes = _common_classes(page, rows)
    tests = [_named(tag, word) for word in classes[:_MAX_CLASSES]]
    if len(classes) > 1:
        pair = classes[:2]
        tests.append(
            Choice(
                tag + "".join(map(_has_class, pair)),
                f"{tag if tag != '*' else ''}.{'.'.join(pair)}",
                0.2 + max(map(_fleeting, pair)),
            )
        )
    tests += [
        Choice(f"{tag}[@{name}]", f"{tag}[{name}]", 0.6) for name in _common_attributes(page, rows)
    ]
    if tag != "*" or not tests:
        tests.append(Choice(tag, tag, 1.0 if tag != "*" else 3.0))
    return tests


def _named(tag: str, word: str) -> Choice:
    return Choice(
        f"{tag}{_has_class(word)}", f"{tag if tag != '*' else ''}.{word}", _fleeting(word)
    )


def _has_class(word: str) -> str:
    return f'[contains(concat(" ", normalize-space(@class), " "), " {word} ")]'


def _fleeting(word: str) -> float:
    """Return how likely another page has another name."""
    return 2.0 if _FLEETING.search(word) else 1.0 if _STATE.search(word) else 0.0


def _common_classes(page: Page, rows: Sequence[int]) -> list[str]:
    """Return the classes that all elements have, lasting ones first, then rare ones."""
    numbers, values = page.classes
    distinct = np.unique(numbers[list(rows)]).tolist()
    common = set.intersection(*(set(values[number].split()) for number in distinct))
    words = list(filter(is_word, common))
    counts = np.bincount(numbers, minlength=len(values)).tolist()
    uses: Counter[str] = Counter()
    for value, count in zip(values, counts, strict=True):
        for word in common.intersection(value.split()):
            uses[word] += count
    order = values[numbers[rows[0]]].split()
    return sorted(words, key=lambda word: (_fleeting(word), uses[word], order.index(word)))


def _common_attributes(page: Page, rows: Sequence[int]) -> list[str]:
    """Return the names of attributes, such as ``data-sku``, that all elements have."""
    sample = [*rows[:10], *rows[-10:]]
    names = set.intersection(*(set(page.attributes.of(row)) for row in sample))
    return sorted(n for n in names if is_word(n) and n.startswith(("data-", "item")))[:2]


def _held(page: Page, starts: list[int]) -> list[str]:
    """Return tests of what each record holds, and little else on the page does."""
    tests = []
    if all(page.tag_name(row) == "tr" for row in starts):
        tests.append("[td]")
    numbers, values = page.classes
    sample = [*starts[:15], *starts[-15:]]
    common: set[tuple[int, int]] | None = None
    for row in sample:
        inside = slice(row + 1, int(page.end[row]))
        pairs = set(zip(page.tag[inside].tolist(), numbers[inside].tolist(), strict=True))
        common = pairs if common is None else common & pairs
    named = [(tag, number) for tag, number in common or () if number]
    key = page.tag.astype(np.int64) << 32 | numbers
    uses = {pair: int((key == (pair[0] << 32 | pair[1])).sum()) for pair in named[:40]}
    for tag, number in sorted(uses, key=lambda pair: (uses[pair], pair)):
        row = int(np.flatnonzero(key == (tag << 32 | number))[0])
        words = [word for word in values[number].split() if is_word(word) and not _fleeting(word)]
        name = tag_of(page, row)
        if words and name:
            tests.append(f"[.//{name}{_has_class(words[0])}]")
        if len(tests) >= _MAX_HELD:
            break
    tests.append("[normalize-space()]")
    return tests


def _contexts(page: Page, starts: list[int]) -> list[Choice]:
    """Return ways to say what is around the records, each up to the slash before them."""
    contexts = [Choice("//", "", 0.0)]
    parents = sorted({int(page.parent[row]) for row in starts})
    if len(parents) == 1 or len({page.tag[row] for row in parents}) == 1:
        for step in _own_tests(page, parents) if parents[0] > 0 else ():
            if step.xpath.startswith("tbody"):
                continue  # parsers disagree whether there is one
            cost = step.cost + (0.8 if step.xpath.isalnum() else 0.0)
            contexts.append(Choice(f"//{step.xpath}/", f"{step.css} > ", cost))
    above = common_ancestor(page, starts)
    between: list[str] = _tags_between(page, above, starts)
    for level in range(_MAX_UP):
        if above <= 0:
            break
        for name, css, cost in _names_of(page, above):
            contexts.append(Choice(f"//{name}//", f"{css} ", cost + 0.3 + 0.05 * level))
            if len(between) < _MAX_UP and "tbody" not in between:
                way = "".join(f"/{tag}" for tag in between)
                down = "".join(f" > {tag}" for tag in between)
                if way or level:
                    cost_of_way = cost + 0.4 + 0.3 * len(between)
                    contexts.append(Choice(f"//{name}{way}/", f"{css}{down} > ", cost_of_way))
        counted = _counted(page, above)
        if counted and level < 2:
            contexts.append(Choice(f"{counted}//", None, 4.0))
        if page.tag_name(above) in ("body", "html"):
            break
        between = [page.tag_name(above), *between]
        above = int(page.parent[above])
    return contexts


def common_ancestor(page: Page, rows: Sequence[int]) -> int:
    """Return the lowest row that holds all rows."""
    first, last = min(rows), max(rows)
    above = int(page.parent[first])
    while above > 0 and not above <= last < page.end[above]:
        above = int(page.parent[above])
    return above


def _tags_between(page: Page, above: int, rows: Sequence[int]) -> list[str]:
    """Return the tags on the way from an ancestor down to the parent of the first row."""
    names: list[str] = []
    row = int(page.parent[rows[0]])
    while row > above:
        names.insert(0, page.tag_name(row))
        row = int(page.parent[row])
    return names


def _names_of(page: Page, row: int) -> Iterator[tuple[str, str, float]]:
    """Yield ways to say one element by its id or a class, in XPath and CSS, with their cost."""
    tag = tag_of(page, row)
    if tag is None:
        return
    attributes = page.attributes.of(row)
    name = attributes.get("id", "")
    if is_word(name):
        cost = 2.5 if re.search(r"\d", name) else 0.0
        yield f'{tag}[@id="{name}"]', f"{tag}#{name}", cost
    words = [word for word in attributes.get("class", "").split() if is_word(word)]
    for word in sorted(words, key=_fleeting)[:2]:
        yield f"{tag}{_has_class(word)}", f"{tag}.{word}", _fleeting(word)
    if tag in ("main", "article", "table", "ol", "ul", "dl"):
        yield tag, tag, 1.0


def _counted(page: Page, row: int) -> str | None:
    """Return the XPath of one element by places from the nearest id or the top."""
    steps: list[str] = []
    while row > 0:
        tag = tag_of(page, row)
        if tag is None:
            return None
        name = page.ids[1][page.ids[0][row]].strip()
        if is_word(name) and not re.search(r"\d", name):
            return "/".join([f'//{tag}[@id="{name}"]', *steps])
        nth, count = (int(column[row]) for column in page.tag_places)
        steps.insert(0, f"{tag}[{nth}]" if count > 1 else tag)
        row = int(page.parent[row])
    return "//" + "/".join(steps) if steps else None


# Selectors within a record --------------------------------------------------------------------


def ways_to(page: Page, targets: Sequence[tuple[int, int]]) -> Iterator[Choice]:
    """Yield XPaths from the first element of each record to an element of it, likely ones first."""
    chains = [chain for start, row in targets if (chain := _chain(page, start, row)) is not None]
    if not chains:
        return
    (sibling, _), _ = Counter((skip, len(rows)) for skip, rows in chains).most_common(1)[0]
    ways = [rows for skip, rows in chains if skip == sibling]
    start = f"./following-sibling::*[{sibling}]" if sibling else "."
    if not all(ways):
        yield Choice(start, None, 0.0)
        ways = [way for way in ways if way]
        if not ways:
            return
    lasts = [way[-1] for way in ways]
    last = _own_tests(page, lasts)
    for test in last:
        yield Choice(f"{start}//{test.xpath}", None, test.cost)
    shortest = min(map(len, ways))
    for up in range(2, min(shortest, _MAX_UP) + 1):
        above = _own_tests(page, [way[-up] for way in ways])
        tags = [page.tag_name(row) for row in ways[0][-up + 1 : -1]]
        between = "".join(f"/{tag}" for tag in tags)
        for outer in above[:3]:
            for test in (*last[:2], last[-1]):
                cost = outer.cost + test.cost + 0.1 * up
                yield Choice(f"{start}//{outer.xpath}{between}/{test.xpath}", None, cost)
    for way in (ways[0], ways[-1]):
        nth, count = page.tag_places
        steps = [(page.tag_name(row), int(nth[row]), int(count[row])) for row in way]
        yield Choice(start + "".join(f"/{tag}" for tag, _, _ in steps), None, 2.0)
        counted = [f"/{tag}[{at}]" if several > 1 else f"/{tag}" for tag, at, several in steps]
        yield Choice(start + "".join(counted), None, 3.0)


def _chain(page: Page, start: int, row: int) -> tuple[int, list[int]] | None:
    """Return how many siblings after the start a row is, and the rows from there down to it."""
    rows: list[int] = []
    parent = int(page.parent[start])
    while row > 0 and int(page.parent[row]) != parent:
        rows.insert(0, row)
        row = int(page.parent[row])
    if row <= 0 or row < start or page.is_text[row]:
        return None
    places = page.element_places
    return int(places[row]) - int(places[start]), rows
