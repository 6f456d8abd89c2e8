"""From records to columns with names and kinds, and to cells.

Steps: reduce records to their values, align the values into columns, read them, take labels and
separators out, put the addresses of links into columns of their own, name the columns. What has no
column of its own is in the column ``other``.

Names are those that people would have given (``common``), and the table is tidied as they would
have done (`joeira.records.fields.tidying`); or the page's own (``raw``), with all columns.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira.page import Page, tags
from joeira.records.fields import naming
from joeira.records.fields.align import Template, template
from joeira.records.fields.column_selectors import ColumnSelectors
from joeira.records.fields.common_names import name_commonly
from joeira.records.fields.grid import grid_of, is_plain, read_grid
from joeira.records.fields.kinds import kind_of, unit_of
from joeira.records.fields.leaves import IMAGE, LINK, LIST, TEXT, RecordNodes, reduced
from joeira.records.fields.naming import name_columns
from joeira.records.fields.rows import RecordRows
from joeira.records.fields.selectors import record_selectors
from joeira.records.fields.tidying import Aside, keep_constants, set_aside, strip_separators, tidy
from joeira.records.fields.values import LEFT_OVER, Reader, Values, read_values
from joeira.records.result import LIST_SEPARATOR, Cell, Column, Fields

OTHER = "other"
_LABEL_TAGS = tags.table("dt th")
_BUTTON = tags.table("button")
_LINE = tags.NUMBER["tr"]
_MAX_LABEL_CHARS = 40


def read_fields(
    page: Page,
    slices: NDArray[np.integer[Any]],
    record_of: NDArray[np.integer[Any]],
    names: str = "common",
) -> Fields:
    """Return the columns and cells of records, given as parts, with ``common`` or ``raw`` names."""
    if not len(record_of):
        return Fields((), ())
    starts = slices[np.searchsorted(record_of, np.unique(record_of)), 0].astype(np.int64)
    css, xpath = record_selectors(page, starts.tolist())
    are_lines = len(starts) == len(record_of) and (page.tag[starts] == _LINE).all()
    grid = grid_of(page, starts) if are_lines else None
    if grid is not None and is_plain(grid, with_classes=names == "raw"):
        return replace(read_grid(grid, starts), record_css=css, record_xpath=xpath)
    nodes = reduced(RecordRows.of(page, slices, record_of))
    aligned = template(nodes)
    values = read_values(aligned)
    _take_labels(nodes, values)
    aside = Aside() if names == "raw" else set_aside(nodes, values)
    _drop_silent(nodes, values)
    _drop_repeated(values)
    values = _with_links_apart(values)
    name_columns(nodes, values)
    if names != "raw":
        strip_separators(values)
        name_commonly(nodes, values)
        keep_constants(values, aside)
    kept = _merged([column for column in values if not column.drop])
    if names != "raw":
        kept = tidy(kept, aside)
    kept.extend(_other(aligned, aside.rare))
    unique = naming.unique([column.name for column in kept])
    selectors = ColumnSelectors(nodes)
    columns = tuple(
        Column(name, _kind(column, names), column.source, *selectors.of(column), label=column.label)
        for name, column in zip(unique, kept, strict=True)
    )
    cells = tuple(_cells(nodes, column) for column in kept)
    return Fields(columns, cells, css, xpath, aside.constants)


def _kind(column: Values, names: str) -> str:
    if column.kind in (IMAGE, LINK):
        return "image" if column.kind == IMAGE else "link"
    if column.kind == LIST and any(LIST_SEPARATOR in (text or "") for text in column.texts):
        return "list"
    kind = kind_of(column.texts)
    counted = kind == "text" and names != "raw" and unit_of(column.texts) is not None
    return "number" if counted else kind


# Labels and separators ------------------------------------------------------------------------


def _take_labels(nodes: RecordNodes, values: list[Values]) -> None:
    """Turn labels into names: a text such as "Price:" before a value, or at its beginning."""
    waiting: Values | None = None
    for column in values:
        if column.kind not in (TEXT, LIST):
            continue
        if waiting is not None and _stand_together(waiting, column):
            column.label = _label(waiting) or ""
            waiting.drop = True
        waiting = column if not column.label and _is_label(nodes, column) else None
        if waiting is None and not column.label:
            label = naming.common_label(column.texts)
            if label:
                column.label = label[0]
                column.texts = [
                    text and naming.without_label(text, label[0]) for text in column.texts
                ]


def _label(column: Values) -> str | None:
    (text,) = column.distinct
    return naming.label_of(text) or text.strip(" :：")


def _is_label(nodes: RecordNodes, column: Values) -> bool:
    texts = column.distinct
    if len(texts) != 1 or column.filled < 2:
        return False
    (text,) = texts
    if len(text) > _MAX_LABEL_CHARS or not any(map(str.isalpha, text)):
        return False
    return naming.label_of(text) is not None or _LABEL_TAGS[_tags(nodes, column)].all()


def _tags(nodes: RecordNodes, column: Values) -> Any:
    """Return the tags of the elements right around the values."""
    node = column.nodes[column.nodes >= 0]
    return nodes.table.tag[nodes.table.parent[nodes.place[node]]]


def _stand_together(label: Values, column: Values) -> bool:
    both = ((label.nodes >= 0) & (column.nodes >= 0)).sum()
    return bool(both >= 0.8 * max(label.filled, column.filled))


def _drop_silent(nodes: RecordNodes, values: list[Values]) -> None:
    """Drop what says nothing about a record: separators, "by", texts of buttons, icons."""
    for column in values:
        if column.kind == IMAGE and len(set(filter(None, column.urls))) == 1:
            column.drop |= column.filled > 2
        if column.kind in (TEXT, LIST) and len(column.distinct) <= 1 and column.filled > 1:
            text = next(iter(column.distinct), "")
            above = nodes.parent[column.nodes[column.nodes >= 0]]
            between = bool(
                (nodes.leaf_counts[above] > 1).all() and (nodes.parent[above] >= 0).all()
            )
            button = bool(_BUTTON[_tags(nodes, column)].all())
            column.drop |= button or between or not any(map(str.isalnum, text))
        if column.kind in (TEXT, LIST) and column.distinct:
            column.drop |= all(map(_is_separator, "".join(column.distinct)))


def _drop_repeated(values: list[Values]) -> None:
    """Drop texts that stand in every record a second time, as in layouts for several screens."""
    known: dict[tuple[str | None, ...], list[str | None]] = {}
    for column in values:
        if column.kind in (TEXT, LIST) and not column.drop and len(column.distinct) > 1:
            urls = known.setdefault(tuple(column.texts), column.urls)
            column.drop = urls is not column.urls and (urls == column.urls or not any(column.urls))


def _is_separator(character: str) -> bool:
    return character in " |" or unicodedata.category(character).startswith("P")


# Links ------------------------------------------------------------------------------------------


def _with_links_apart(values: list[Values]) -> list[Values]:
    """Give the links of texts columns of their own, each address in one column only."""
    links = {}
    for column in values:
        if column.kind != IMAGE and any(column.urls):
            links[id(column)] = column
    accepted: list[list[str | None]] = []
    # Links of texts come first: an image often leads where the title does.
    for column in sorted(links.values(), key=lambda column: column.kind == LINK):
        if any(_lead_alike(column.urls, urls) for urls in accepted):
            del links[id(column)]
        else:
            accepted.append(column.urls)
    columns: list[Values] = []
    for column in values:
        if column.kind == LINK:
            column.drop |= id(column) not in links
            columns.append(column)
            continue
        columns.append(column)
        column.drop |= column.constant  # "Read more" is no value, but where it leads is
        if id(column) in links:
            link = Values(LINK, column.nodes, column.texts, column.urls, column.links)
            link.source = "link"
            columns.append(link)
            column.drop |= (
                len(column.distinct) == 1
                and column.filled > 2
                and len({url for url in column.urls if url}) > 1
            )
    return columns


def _lead_alike(urls: list[str | None], known: list[str | None]) -> bool:
    """Return whether links lead where others do, wherever a record has both and mostly it has."""
    pairs = [(url, other) for url, other in zip(urls, known, strict=True) if url]
    both = [(url, other) for url, other in pairs if other]
    return 2 * len(both) >= len(pairs) and all(url == other for url, other in both)


def _merged(values: list[Values]) -> list[Values]:
    """Merge columns that the page calls the same and of which no record has two.

    They are one field in two kinds of records, such as those with and without a picture.
    """
    columns: list[Values] = []
    called: dict[tuple[str, bool], list[Values]] = {}
    for column in values:
        same = called.setdefault((column.name, column.kind == LINK), [])
        for other in same if column.source != "kind" and column.kind != IMAGE else ():
            if not ((other.nodes >= 0) & (column.nodes >= 0)).any():
                other.fill_with(column)
                break
        else:
            same.append(column)
            columns.append(column)
    return columns


# Cells ------------------------------------------------------------------------------------------


def _cells(nodes: RecordNodes, column: Values) -> list[Cell | None]:
    table = nodes.table
    page = table.page
    rows = table.rows[np.where(column.links >= 0, column.links, 0)].tolist()
    if column.kind not in (IMAGE, LINK):
        rows = _text_rows(nodes, column).tolist()
        return [
            Cell(text, None, row, page) if text else None
            for text, row in zip(column.texts, rows, strict=True)
        ]
    return [
        Cell(text or "", url, row, page) if url else None
        for text, url, row in zip(column.texts, column.urls, rows, strict=True)
    ]


def _text_rows(nodes: RecordNodes, column: Values) -> NDArray[np.integer[Any]]:
    """Return the row of the element that holds nothing but a value, else of its first node."""
    table = nodes.table
    node = np.where(column.nodes >= 0, column.nodes, 0)
    parent = nodes.parent[node]
    alone = (nodes.leaf_counts[parent] == 1) & (nodes.parent[parent] >= 0)
    several = nodes.stop[node] > table.end[nodes.place[node]]
    inner = table.rows[nodes.place[node]]
    outer = table.rows[table.parent[nodes.place[node]]]
    return np.where((alone | several) & (outer >= 0), outer, inner)


def _other(found: Template, rare: list[Values]) -> list[Values]:
    """Return one column with the texts that have none, in page order."""
    nodes = found.nodes
    read = Reader(nodes)
    left_over = [(node, read.text(node)) for node in found.left_over.tolist()]
    for column in rare:
        left_over += zip(column.nodes.tolist(), (text or "" for text in column.texts), strict=True)
    parts: dict[int, list[str]] = {}
    first: dict[int, int] = {}
    for node, text in sorted(left_over):
        if any(map(str.isalnum, text)):
            record = int(nodes.record[node])
            parts.setdefault(record, []).append(text)
            first.setdefault(record, node)
    if not parts:
        return []
    records = len(found.cells)
    texts = [LIST_SEPARATOR.join(parts[r]) if r in parts else None for r in range(records)]
    places = np.array([first.get(record, -1) for record in range(records)])
    none: list[str | None] = [None] * records
    return [Values(LIST, places, list(texts), none, np.full(records, -1), OTHER, LEFT_OVER)]
