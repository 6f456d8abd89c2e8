"""All that the viewer shows of a page, from one parse, as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from joeira import api, catalog
from joeira.content.explanation import decided, parts
from joeira.content.result import Content
from joeira.errors import InputError, UsageError
from joeira.metadata.model import FIELDS
from joeira.page import Page, parse
from joeira.page.region import xpaths_of
from joeira.records.fields.model import Cell
from joeira.records.result import Records, RecordTable
from joeira.segments.result import Segments
from joeira.service import offers
from joeira.sites.result import SiteModel
from joeira.viewer import frame, series

MAX_BLOCKS = 8_000
MAX_RECORDS = 2_000
"""So many blocks, and records of one table, are listed; CSV has every record."""
MAX_SOURCE_CHARS = 20_000

SITE = "site"
"""Name under which the rules and the template of a site can be chosen as a method."""


@dataclass(frozen=True)
class Wish:
    """What somebody wants to see: which methods, and which site file to look in."""

    method: str = catalog.DEFAULT_CONTENT
    other: str | None = None
    """A second content method to compare with."""
    segments: str = catalog.DEFAULT_SEGMENTS
    records: str = catalog.DEFAULT_RECORDS
    site: str | None = None
    """Path of the site file behind the method `SITE`."""


@cache
def methods() -> dict[str, list[dict[str, str]]]:
    """Return the methods to choose from, by task, each with the line that describes it."""
    found: dict[str, list[dict[str, str]]] = {"content": [], "segments": [], "records": []}
    for entry in offers.offered():
        if entry.task in found:
            about = offers.described(entry)
            told = "; ".join(filter(None, (about.summary, about.paper)))
            found[entry.task].append({"name": entry.name, "about": told})
    return found


def view(html: str | bytes, url: str | None, wish: Wish) -> bytes:
    """Return everything about a page as JSON."""
    page = parse(html, url)
    contents = [extracted(page, name, wish.site) for name in (wish.method, wish.other) if name]
    starts = parts(page, *(content.keep for content in contents)).tolist()
    bounds = [*starts, len(page.texts)]
    block_of_text = np.repeat(np.arange(len(starts)), np.diff(bounds))
    data = {
        "url": page.url,
        "encoding": page.encoding,
        "rows": len(page),
        "results": [_result(content) for content in contents],
        "blocks": list(_blocks(page, contents, bounds[: MAX_BLOCKS + 1])),
        "blocks_left_out": max(0, len(starts) - MAX_BLOCKS),
        "segments": _segments(api.segment(page, wish.segments)),
        "records": _records(api.find_records(page, wish.records)),
        "metadata": _metadata(contents[0]),
        "slope": series.document_slope(page),
        "paths": series.tag_paths(page),
        "frame": frame.framed(page, block_of_text.tolist()),
        "frame_cut": len(page) - page.body > frame.MAX_ROWS,
    }
    return json.dumps(data, allow_nan=False).encode()


def source(html: str | bytes, row: int) -> bytes:
    """Return the raw HTML of a row, cut where it is very long."""
    page = parse(html)
    found = page.region(row).html if 0 <= row < len(page) else ""
    cut = len(found) > MAX_SOURCE_CHARS
    return json.dumps({"html": found[:MAX_SOURCE_CHARS], "cut": cut}).encode()


def extracted(page: Page, method: str, site: str | None) -> Content:
    """Return the content of a page by a method's name, or by the file of its site."""
    if method == SITE and site is not None:
        return api.extract(page, read_site(site))
    return api.extract(page, method)


def read_site(path: str) -> SiteModel:
    """Return the site of a file; a damaged one is nobody's bug, but something to be told."""
    try:
        return api.load_site(path)
    except InputError as error:
        raise UsageError(str(error)) from error


def _result(content: Content) -> dict[str, Any]:
    page = content.page
    body = ~page.in_head[page.text_rows]
    return {
        **content.explain().to_dict(),
        "confidence": _number(content.page_confidence),
        "pagetype": content.metadata.pagetype,
        "title": content.metadata.title,
        "words": int(page.text_words[content.keep].sum()),
        "page_words": int(page.text_words[body].sum()),
        "text": content.text(),
        "markdown": content.markdown(),
        "json": content.to_dict(),
    }


def _blocks(page: Page, contents: list[Content], bounds: list[int]) -> Iterator[dict[str, Any]]:
    """Yield the parts of blocks with the decision of each method."""
    owners = page.blocks.owner[page.blocks.of_text[bounds[:-1]]].tolist()
    told = zip(*(decided(content, bounds) for content in contents), strict=True)
    for (start, stop), row, decisions in zip(pairwise(bounds), owners, told, strict=True):
        block = decisions[0]
        yield {
            "row": row,
            "first": start,
            "stop": stop,
            "text": block.text,
            "xpath": block.xpath,
            "line": block.position[0] if block.position else None,
            "words": int(page.text_words[start:stop].sum()),
            "head": bool(page.in_head[row]),
            "hidden": block.hidden,
            "invisible": block.invisible,
            "decisions": [
                {"kept": each.kept, "score": _number(each.score), "reason": each.reason}
                for each in decisions
            ],
        }


def _segments(found: Segments) -> dict[str, Any]:
    return {
        "method": found.method,
        "reason": found.reason,
        "parts": [
            {
                "label": part.label,
                "score": _number(part.score),
                "xpath": part.xpath,
                "rows": list(part.roots()),
                "words": int(found.page.words[part.start : part.stop].sum()),
            }
            for part in found
        ],
    }


def _records(found: Records) -> dict[str, Any]:
    return {
        "method": found.method,
        "reason": found.reason,
        "tables": [_table(table) for table in found],
    }


def _table(table: RecordTable) -> dict[str, Any]:
    cells = table.cells
    rows = sorted({cell.row for line in cells[:MAX_RECORDS] for cell in line if cell})
    xpaths = dict(zip(rows, xpaths_of(table.page, rows), strict=True))
    return {
        "xpath": table.region.xpath,
        "score": _number(table.score),
        "reason": table.reason,
        "css": table.record_css,
        "columns": [column.to_dict() for column in table.columns],
        "records": [
            {
                "rows": [row for part in record.regions for row in part.roots()],
                "cells": [_cell(cell, xpaths) for cell in line],
            }
            for record, line in zip(table.records[:MAX_RECORDS], cells, strict=False)
        ],
        "left_out": max(0, len(cells) - MAX_RECORDS),
        "csv": table.to_csv(safe=True),
    }


def _cell(cell: Cell | None, xpaths: dict[int, str]) -> dict[str, Any] | None:
    if cell is None:
        return None
    return {"text": cell.text, "url": cell.url, "row": cell.row, "xpath": xpaths[cell.row]}


def _metadata(content: Content) -> list[dict[str, Any]]:
    found = content.metadata
    values = found.to_dict()
    return [
        {"name": name, "value": values[name], "candidates": list(_candidates(content, name))}
        for name in FIELDS
    ]


def _candidates(content: Content, name: str) -> Iterable[dict[str, Any]]:
    found = content.metadata
    if name not in found.sourced_fields:
        return
    for candidate in found.candidates(name):
        yield {
            "value": candidate.value,
            "source": candidate.source,
            "key": candidate.key,
            "xpath": candidate.xpath,
            "row": candidate.row,
            "confidence": _number(candidate.confidence),
        }


def _number(value: float | None) -> float | None:
    """Return a number that JSON can hold."""
    return round(float(value), 6) if value is not None and math.isfinite(value) else None
