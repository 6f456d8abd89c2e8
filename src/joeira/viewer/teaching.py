"""Marks of a person, as gold for evaluation and as rules for the site.

Lessons are written as labels and a site file beside the page, or in the data folder.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from joeira import api, catalog
from joeira.content.result import Content
from joeira.errors import InputError, OutputError, UsageError
from joeira.page import Page, parse
from joeira.records.result import to_csv
from joeira.sites.result import Rule, SiteModel, text_ranges
from joeira.viewer import marked_records as selectors
from joeira.viewer.marked_records import Mark, MarkedRecords, marked_records
from joeira.viewer.pages import Shown
from joeira.viewer.view import Wish, extracted, read_site

LABELS = "labels.jsonl"
SITE = "site.json"


@dataclass(frozen=True)
class Place:
    """The two files that what is taught about a page goes to."""

    labels: Path
    site: Path

    @classmethod
    def of(cls, page: Shown, data: Path | None) -> Place | None:
        """Return the place for a page; None where nothing may be written."""
        if data is not None:
            return cls(data / LABELS, data / "viewer-sites" / f"{_host(page)}.json")
        if page.path is not None:
            return cls(page.path.parent / LABELS, page.path.parent / SITE)
        return None

    def write(self, lesson: Lesson) -> None:
        """Write both files whole, or leave them as they were."""
        try:
            self.labels.parent.mkdir(parents=True, exist_ok=True)
            self.site.parent.mkdir(parents=True, exist_ok=True)
            _replace(self.labels, _with_label(self.labels, lesson.label))
            _replace(self.site, lesson.site)
        except OSError as error:
            raise OutputError(f"{error.filename}: {error.strerror or error}") from error


def _host(page: Shown) -> str:
    """Return a file name for the site of a page: its host, its folder, or one for all the rest."""
    unknown = f"example-{page.name}" if page.example else "pages"
    if page.path is not None:
        unknown = page.path.parent.name
    try:
        host = urlsplit(page.url or "").hostname or unknown
    except ValueError:
        host = unknown
    return re.sub(r"[^a-z0-9.-]+", "-", host.lower()).strip(".-")[:100] or "pages"


def _with_label(path: Path, label: str) -> str:
    """Return the lines of a label file with one added.

    A page has one label. What is said last counts, and what was said before of other things stays:
    the records of a page may be marked on another day than its content.
    """
    known = path.read_text("utf-8").splitlines() if path.exists() else []
    row = json.loads(label)
    others = []
    for line in known:
        old = _read(line)
        if old.get("id") == row["id"]:
            row = {**old, **row}
        else:
            others.append(line)
    return "".join(f"{line}\n" for line in (*others, json.dumps(row)))


def _read(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None  # not ours: kept as it is
    return row if isinstance(row, dict) else {}


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@dataclass(frozen=True)
class Lesson:
    """What marks are worth."""

    label: str
    """A row of a data set in JSON: the page, and its content and records as the person has them."""
    site: str
    """A site file with the rules."""
    rules: list[dict[str, Any]]
    """The new rules, each with the number of blocks that it decides on this page."""
    records: MarkedRecords
    """The records of the page, as the marked fields describe them."""


@dataclass(frozen=True)
class Pupil:
    """A page that is taught: its source, and what it is called."""

    html: str | bytes
    url: str | None
    name: str


def lesson(pupil: Pupil, wish: Wish, marks: Sequence[Mark]) -> Lesson:
    """Return the label and the site file that marks make."""
    content = extracted(parse(pupil.html, pupil.url), wish.method, wish.site)
    page = content.page
    marks = [mark for mark in marks if mark.stop <= len(page.texts)]
    rules = _rules(page, marks, content.keep)
    site = _known_site(wish.site).update([page]).with_rules(rules)
    told = [{**rule.to_dict(), "blocks": _blocks_of(page, rule)} for rule in rules]
    records = _records(page, wish.records, marks, rules)
    return Lesson(_label(pupil, content, marks, records), site.to_json(), told, records)


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
    owners = [_element_of(page, mark) for mark in marks]
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


def _element_of(page: Page, mark: Mark) -> int:
    """Return the row that a mark is about: the cell that was clicked, or the block's element."""
    row = mark.row
    if row is not None and row < len(page):
        row = int(page.parent[row]) if page.is_text[row] else row
        if (page.text_index[row], page.text_index[page.end[row]]) == (mark.first, mark.stop):
            return row
    return int(page.blocks.owner[page.blocks.of_text[mark.first]])


def _rule(selector: str, mark: Mark) -> Rule:
    try:
        return Rule(selector, mark.decision, mark.name)  # type: ignore[arg-type]  # was checked
    except InputError as error:
        raise UsageError(str(error)) from error


def _blocks_of(page: Page, rule: Rule) -> int:
    ranges = text_ranges(page, rule.selector)
    texts = np.concatenate([np.arange(*pair) for pair in ranges]) if ranges else np.zeros(0, int)
    return len(np.unique(page.blocks.of_text[texts]))


def _records(
    page: Page, method: str, marks: Sequence[Mark], rules: Sequence[Rule]
) -> MarkedRecords:
    """Return the records whose fields were marked, as a method of records cuts them."""
    fields = [mark for mark in marks if mark.decision == "field"]
    if not fields:
        return MarkedRecords()
    alike: dict[str, set[int]] = {mark.name: set() for mark in fields}
    for rule in rules:
        if rule.decision == "field":
            alike[rule.name].update(page.attributes.matching(rule.selector))
    return marked_records(page, api.find_records(page, method).tables, fields, alike)


def _plain(mark: Mark) -> dict[str, Any]:
    return {key: value for key, value in dataclasses.asdict(mark).items() if value is not None}


def _label(pupil: Pupil, content: Content, marks: Sequence[Mark], records: MarkedRecords) -> str:
    """Return a row that `joeira evaluate` reads: what is shown as content, corrected by marks.

    It has an answer only for what was marked: who marks fields has not said what the content is.
    """
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
    row: dict[str, Any] = {
        "id": f"{pupil.name}#{hashlib.sha256(html.encode('utf-8', 'replace')).hexdigest()[:12]}",
        "url": page.url,
        "html": html,
        "marks": [_plain(mark) for mark in marks],
    }
    if len(fields) < len({mark.said for mark in marks}):
        row["text"] = dataclasses.replace(content, keep=keep).text()
    if fields:
        row |= {"fields": fields, **records.to_dict()}
    return json.dumps(row)


@dataclass(frozen=True)
class TableWish:
    """Which table of a page somebody wants to keep, and as what."""

    number: int = 0
    names: tuple[str | None, ...] = ()
    """New names of its columns, in order; None leaves a column out."""
    form: str = "csv"
    """One of `TABLE_FORMATS`."""


TABLE_FORMATS = ("csv", "wrapper", "parsel", "scrapy", "web-poet")


def export_table(html: str | bytes, url: str | None, method: str, wish: TableWish) -> bytes:
    """Return a table with renamed columns as CSV, or the selectors that read it, as JSON."""
    tables = api.find_records(parse(html, url), method).tables
    if wish.number >= len(tables):
        raise UsageError(f"there is no table {wish.number + 1}: the page has {len(tables)}")
    table = tables[wish.number]
    names = [*wish.names, *table.columns[len(wish.names) :]][: len(table.columns)]
    places = [place for place, name in enumerate(names) if name is not None]
    kept = [str(names[place]) for place in places]
    if not kept or len(set(kept)) < len(kept):
        raise UsageError("a table needs at least one column, and unique names")
    if wish.form == "csv":
        rows = ([line[place] for place in places] for line in table.rows())
        return json.dumps({"text": to_csv(kept, rows, safe=True)}).encode()
    wrapper = table.wrapper()
    known = {column.name for column in wrapper.columns}
    new_names = {str(table.columns[place]): str(names[place]) for place in places}
    columns = [
        dataclasses.replace(column, name=new_names[column.name])
        for column in wrapper.columns
        if column.name in new_names
    ]
    wrapper = dataclasses.replace(wrapper, columns=tuple(columns))
    lost = [name for old, name in new_names.items() if old not in known]
    text = wrapper.to_json() if wish.form == "wrapper" else wrapper.to_python(wish.form)
    return json.dumps({"text": text, "lost": lost}).encode()
