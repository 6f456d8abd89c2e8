"""Numbers that attributes give: the spans of table cells, the first number of a list."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from joeira.output.grammar import MAX_COLUMN_SPAN, MAX_LIST_START
from joeira.page import Page


def attributes_of(page: Page, tag: str, row: int, spans: dict[int, int]) -> str:
    """Return the attributes of a container as they are written: list starts and cell spans."""
    if tag == "ol":
        start = whole(page.attributes.get(row, "start"), MAX_LIST_START)
        return f' start="{start}"' if start != 1 else ""
    if tag not in {"td", "th"}:
        return ""
    columns = whole(page.attributes.get(row, "colspan"), MAX_COLUMN_SPAN)
    rows = spans.get(row, 1)
    return (f' colspan="{columns}"' if columns > 1 else "") + (
        f' rowspan="{rows}"' if rows > 1 else ""
    )


def row_spans(page: Page, needed: NDArray[np.bool_]) -> dict[int, int]:
    """Return the rows that each cell with a ``rowspan`` covers, counting only rows written."""
    cells = [row for row in page.attributes.select("td[rowspan],th[rowspan]") if needed[row]]
    if not cells:
        return {}
    lines = page.rows_of("tr")
    order = np.lexsort((lines, page.parent[lines]))
    lines = lines[order]
    place = {row: number for number, row in enumerate(lines.tolist())}
    group_end = np.searchsorted(page.parent[lines], page.parent[lines], "right")
    count = np.concatenate(([0], np.cumsum(needed[lines])))
    spans = {}
    for cell in cells:
        number = place.get(int(page.parent[cell]))
        if number is not None:
            stop = int(group_end[number])
            span = whole(page.attributes.get(cell, "rowspan"), stop - number)
            stop = min(number + span, stop) if span else stop
            spans[cell] = max(int(count[stop] - count[number]), 1)
    return spans


def whole(value: str | None, most: int) -> int:
    """Return a number written in an attribute, at most `most`; 1 when it is none."""
    match = re.match(r"\s*\+?([0-9]+)", value or "")
    if not match:
        return 1
    digits = match[1].lstrip("0")
    return most if len(digits) > 9 else min(int(digits or "0"), most)
