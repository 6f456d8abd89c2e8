"""Candidate lists and their features, equal to a literal reading on random pages."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import joeira
from joeira.records import Auto
from joeira.records.learned import MAX_LISTS, describe
from joeira.records.learned.candidates import MIN_WORDS, Lists, candidates
from joeira.records.learned.features import NAMES
from joeira.records.learned.templates import CORE
from strategies import pages

_NEVER = {"html", "head", "body", "title", "option", "br", "hr", "input"}
_classes = st.sampled_from(("", "a", "b", "row1", "row2", "row1 odd", "x y"))


@st.composite
def lists_of_items(draw: st.DrawFn) -> str:
    """Pages with repeated structure: items with some fields, sometimes a stranger between them."""
    kinds = draw(
        st.lists(st.sampled_from(("li", "p", "dt", "dd", "div", "tr")), min_size=1, max_size=3)
    )
    items = []
    for _ in range(draw(st.integers(0, 6))):
        for kind in kinds:
            inner = draw(
                st.sampled_from(("one two", "<b>one</b> <i>two</i> three", "<img src=x>", ""))
            )
            cell = f"<td>{inner}</td>" if kind == "tr" else inner
            items.append(f"<{kind} class='{draw(_classes)}'>{cell}</{kind}>")
    body = "".join(items)
    return f"<section>{body}</section><table><tbody>{body}</tbody></table>{draw(pages())}"


def slow(page: joeira.Page, min_records: int) -> set[tuple[tuple[int, int], ...]]:
    """Every list, by dictionaries."""
    names = [page.tag_name(row) for row in range(len(page))]
    own = [page.attributes.get(row, "class") for row in range(len(page))]
    family = [re.sub(r"\d+", "", ((name or "").split() or [""])[0]) for name in own]
    words = [int(page.words[row : page.end[row]].sum()) for row in range(len(page))]
    path: list[tuple[object, ...]] = []
    class_path: list[tuple[object, ...]] = []
    for row in range(len(page)):
        up = int(page.parent[row])
        path.append((*path[up], names[row]) if up >= 0 else (names[row],))
        step = (names[row], own[row])
        class_path.append((*class_path[up], step) if up >= 0 else (step,))
    groups: dict[object, list[int]] = defaultdict(list)
    for row in range(len(page)):
        if names[row] in _NEVER or page.is_text[row] or page.in_head[row] or not words[row]:
            continue
        if names[row] in ("td", "th") and page.is_text[row : page.end[row]].sum() < 2:
            continue
        up = int(page.parent[row])
        for key in (
            ("path", path[row]),
            ("family", path[row], family[row]),
            ("class", path[row], own[row]),
            ("classes", class_path[row]),
            ("sibling", up, names[row]),
            ("sibling", up, names[row], family[row]),
        ):
            groups[key].append(row)
        if family[row]:
            group = groups["anywhere", names[row], own[row]]
            if not any(other <= row < page.end[other] for other in group):
                group.append(row)
    plain = {tuple(rows) for rows in groups.values() if len(rows) >= min_records}
    plain = {
        rows for rows in plain if 2 * sum(has_twin(page, row, rows) for row in rows) < len(rows)
    }
    found = {tuple((row, int(page.end[row])) for row in rows) for rows in plain}
    found |= {run for rows in plain if (run := slow_run(page, rows))}
    return {
        records
        for records in found
        if sum(int(page.words[start:stop].sum()) for start, stop in records) >= MIN_WORDS
    }


def has_twin(page: joeira.Page, row: int, rows: tuple[int, ...]) -> bool:
    """Whether the next sibling has the shape of a row with several texts and is not in its list."""
    after = int(page.end[row])
    return (
        after < len(page)
        and bool(page.parent[after] == page.parent[row] and page.shape[after] == page.shape[row])
        and int(page.is_text[row:after].sum()) >= 2
        and after not in rows
    )


def slow_run(page: joeira.Page, heads: tuple[int, ...]) -> tuple[tuple[int, int], ...] | None:
    kids: dict[int, list[int]] = defaultdict(list)
    for row in range(1, len(page)):
        kids[int(page.parent[row])].append(row)
    gaps: list[int | None] = []
    for row, following in zip(heads, (*heads[1:], None), strict=True):
        up = int(page.parent[row])
        if following is not None and page.parent[following] == up:
            gaps.append(kids[up].index(following) - kids[up].index(row))
        else:
            gaps.append(None)
    known = sorted(gap for gap in gaps if gap is not None)
    usual = known[len(known) // 2] if known else 0
    if usual < 2:
        return None
    records = []
    for row, gap in zip(heads, gaps, strict=True):
        up = int(page.parent[row])
        last = kids[up].index(row) + (gap or usual)
        stop = kids[up][last] if last < len(kids[up]) else int(page.end[up])
        records.append((row, stop))
    return tuple(records)


def as_set(lists: Lists) -> list[tuple[tuple[int, int], ...]]:
    pairs = list(zip(lists.start.tolist(), lists.stop.tolist(), strict=True))
    bounds = lists.first.tolist()
    return [tuple(pairs[a:b]) for a, b in itertools.pairwise(bounds)]


@settings(max_examples=60, deadline=None)
@given(lists_of_items(), st.integers(2, 4))
def test_every_list_is_found_once(html: str, min_records: int) -> None:
    page = joeira.parse(html)
    found = as_set(candidates(page, min_records))
    assert Counter(found) == Counter(slow(page, min_records))


def slow_columns(page: joeira.Page, lists: Lists, number: int) -> dict[str, float]:
    """The template of one list, by dictionaries."""
    records = as_set(lists)[number]
    family = [
        re.sub(r"\d+", "", ((page.attributes.get(row, "class") or "").split() or [""])[0])
        for row in range(len(page))
    ]
    counts = []
    for start, stop in records:
        top = int(page.parent[start]) if lists.headed[number] else start
        cells: Counter[object] = Counter()
        for row in range(start, stop):
            if page.is_text[row] or page.tag_name(row) == "img":
                path, above = [], row
                while above != top:
                    path.append((page.tag_name(above), family[above]))
                    above = int(page.parent[above])
                cells[tuple(path)] += 1
        counts.append(cells)
    filled = Counter(path for cells in counts for path in cells)
    columns = {path for path, times in filled.items() if 2 * times >= len(records)}
    total = max(sum(cells.total() for cells in counts), 1)
    present = sum(len(columns & set(cells)) for cells in counts)
    outside = sum(times for cells in counts for path, times in cells.items() if path not in columns)
    missing = len(columns) * len(records) - present
    core = sum(times / len(records) >= CORE for times in filled.values())
    return {
        "columns": np.log1p(len(columns)),
        "core": np.log1p(core),
        "fit": present / total,
        "missing": missing / max(present, 1),
        "outside": outside / total,
    }


@settings(max_examples=40, deadline=None)
@given(lists_of_items())
def test_the_template_is_what_half_of_the_records_have(html: str) -> None:
    lists, values = describe(joeira.parse(html))
    for number in range(len(lists)):
        for name, value in slow_columns(lists.page, lists, number).items():
            assert np.isclose(values[NAMES.index(name), number], value, atol=1e-5), name


@settings(max_examples=40, deadline=None)
@given(lists_of_items(), st.sampled_from((0.0, 0.15, 0.5)))
def test_tables_hold_records_apart_from_each_other(html: str, min_score: float) -> None:
    page = joeira.parse(html)
    found = Auto(min_score=min_score, max_tables=MAX_LISTS).extract(page)
    taken = np.zeros(len(page), int)
    for number, table in enumerate(found):
        assert len(table) >= 2
        assert number == 0 or table.score >= min_score, "only the best may be below"
        for start, stop in table.slices.tolist():
            assert table.region.start < start < stop <= table.region.stop
            taken[start:stop] += 1
    assert taken.max(initial=0) <= 1
