"""Everything that the viewer shows of a page, from one parse, as JSON.

The page itself goes into the viewer's frame: safe, and marked with the numbers of its rows. Every
element says its row, every text its row and its block, so that the viewer can colour what a method
decided and find again what somebody clicks. Nothing in it runs, loads or leads anywhere; the frame
it is put in forbids the same once more (see ``docs/viewer.md``).

Series are what can be drawn along a page: how markup and paths change from its top to its
bottom.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joeira import api, catalog, formats
from joeira.arrays import sequences
from joeira.content.explanation import decisions, run_starts
from joeira.content.result import Content
from joeira.errors import InputError, UsageError
from joeira.formats import Choices, PageTables
from joeira.metadata.model import FIELDS
from joeira.page import Page, parse, tags
from joeira.page.model import xpaths_of
from joeira.page.tag_paths import tag_path_sequence
from joeira.records.result import Cell, Records, RecordTable
from joeira.render.html import Rewriter
from joeira.segments.result import Segments
from joeira.service import method_options
from joeira.sites.result import SiteModel

MAX_ROWS = 150_000
"""So much of a page is shown; more would make the browser slow, not the reader wiser."""

POLICY = (
    "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "form-action 'none'; base-uri 'none'"
)
TEXT_ELEMENT = "joeira-text"
IMAGE_ELEMENT = "joeira-image"

_VIEWPORT_UNIT = re.compile(r"(?<![\w.#-])(\d{1,5}(?:\.\d{1,4})?)[sld]?(?:vh|vmin|vmax|vb)\b", re.I)
_VIEWPORT_HEIGHT = 800
"""The frame is as high as its page, so heights told in parts of a window need one to refer to."""
_IMPORT = re.compile(r"@import\b[^;}]*;?", re.I)
_LOADED = re.compile(r"(?:url|src|image-set)\((?!\s*[\"']?data:image/)[^)]*\)?", re.I)
_RASTER = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]{1,200000}")
_PLAIN_TEXT = tags.table("option optgroup select datalist")
"""Elements whose text cannot hold other elements."""


def framed(page: Page, block_of_text: Sequence[int]) -> str:
    """Return the page as a document for the frame; `block_of_text` numbers the block of a text."""
    writer = _Marker(page, block_of_text)
    body = writer.body(MAX_ROWS)
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"{writer.styles()}<style data-viewer>{_style()}</style>\n</head>\n{body}\n</html>\n"
    )


@cache
def _style() -> str:
    return files("joeira.viewer").joinpath("static", "frame.css").read_text("utf-8")


class _Marker(Rewriter):
    """Marks everything with its row."""

    def __init__(self, page: Page, block_of_text: Sequence[int]) -> None:
        super().__init__(page)
        self.blocks = block_of_text
        self.index = page.text_index
        self.plain = _PLAIN_TEXT[page.known_tag[page.parent]]

    def mark(self, row: int) -> str:
        return f' data-r="{row}"'

    def text(self, row: int, text: str) -> str:
        if self.plain[row]:
            return text
        block = self.blocks[self.index[row]]
        return f'<{TEXT_ELEMENT} data-r="{row}" data-b="{block}">{text}</{TEXT_ELEMENT}>'

    def style(self, css: str) -> str:
        # The policy of the frame refuses to load anything; this spares the browser the attempt.
        css = _LOADED.sub("none", _IMPORT.sub("", css))
        return _VIEWPORT_UNIT.sub(
            lambda found: f"{float(found[1]) * _VIEWPORT_HEIGHT / 100:g}px", css
        )

    def in_place_of(self, row: int) -> str:
        """Return a box with an image's words, or the image where the page itself holds it."""
        page = self.page
        if page.tag[row] != tags.NUMBER["img"]:
            return ""
        source = page.attributes.get(row, "src") or ""
        alt = escape(page.attributes.get(row, "alt") or "")
        if _RASTER.fullmatch(source):
            return f'<img data-r="{row}" alt="{alt}" src="{escape(source)}">'
        return f'<{IMAGE_ELEMENT} data-r="{row}">{alt}</{IMAGE_ELEMENT}>'


MAX_POINTS = 2_000
"""More points than this would not be seen."""

Points = list[list[float]]


def document_slope(page: Page) -> Points:
    """Return the share of the page's tags before each text: flat where text is dense.

    Each point is a row and a share. This is the document slope curve, turned by a right angle.
    """
    tags = np.cumsum(page.tags_before)
    chosen = _chosen(len(page.texts))
    rows = page.text_rows[chosen]
    share = tags[rows] / max(1, int(tags[-1])) if len(page) else tags[rows]
    return _points(rows, share)


def tag_paths(page: Page) -> dict[str, Any]:
    """Return the tag path sequence, paths numbered as they appear, and where its main region is."""
    sequence = tag_path_sequence(page)
    if not len(sequence.rows):
        return {"points": [], "paths": 0, "region": None}
    start, stop = sequences.main_region(sequence.codes)
    chosen = _chosen(len(sequence.codes))
    paths = int(sequence.codes.max())
    share = (sequence.codes[chosen] - 1) / max(1, paths - 1)
    return {
        "points": _points(sequence.rows[chosen], share),
        "paths": paths,
        "region": [int(sequence.rows[start]), int(sequence.rows[stop - 1])],
    }


def _chosen(size: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, max(0, size - 1), min(size, MAX_POINTS)).astype(np.int64))


def _points(rows: NDArray[Any], values: NDArray[Any]) -> Points:
    pairs = zip(rows.tolist(), values.tolist(), strict=True)
    return [[row, round(value, 4)] for row, value in pairs]


MAX_BLOCKS = 8_000
MAX_RECORDS = 2_000
"""So many blocks, and records of one table, are listed; CSV has every record."""
MAX_SOURCE_CHARS = 20_000
MAX_POSTS = 1_000
_EXCERPT_CHARS = 240
"""Of a segment: enough to know it by."""

CONTENT_FORMATS = ("text", "markdown", "json")
RECORD_FORMATS = ("csv",)
"""What a result is shown as, and can be saved as."""

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
    for entry in method_options.offered():
        if entry.task in found:
            method = catalog.describe(entry)
            about = "; ".join(filter(None, (method.summary, method.citation)))
            found[entry.task].append({"name": entry.name, "about": about})
    return found


def file_types() -> dict[str, dict[str, str]]:
    """Return suffix and media type of the files that results can be saved as."""
    saved = (formats.find(name) for name in (*CONTENT_FORMATS, *RECORD_FORMATS))
    return {form.name: {"suffix": form.suffix, "media_type": form.media_type} for form in saved}


def view(html: str | bytes, url: str | None, wish: Wish) -> bytes:
    """Return everything about a page as JSON."""
    page = parse(html, url)
    names = [name for name in (wish.method, wish.other) if name]
    contents = [extracted(page, name, wish.site) for name in names]
    for content in contents:
        if content.page is not page:  # its text is not in the tree: all is shown of where it is
            page = content.page
            contents = [extracted(page, name, wish.site) for name in names]
            break
    starts = run_starts(page, *(content.keep for content in contents)).tolist()
    bounds = [*starts, len(page.texts)]
    block_of_text = np.repeat(np.arange(len(starts)), np.diff(bounds))
    # The head is no part of what readers see, but some methods keep its title.
    countable = np.logical_or.reduce(
        [~page.in_head[page.text_rows], *(content.keep for content in contents)]
    )
    data = {
        "url": page.url,
        "encoding": page.encoding,
        "fingerprint": fingerprint(html),
        "rows": len(page),
        "linked_styles": _linked_styles(page),
        "results": [_result(content, countable) for content in contents],
        "blocks": list(_blocks(page, contents, bounds[: MAX_BLOCKS + 1])),
        "blocks_left_out": max(0, len(starts) - MAX_BLOCKS),
        "segments": _segments(api.segment(page, wish.segments)),
        "records": _records(api.find_records(page, wish.records)),
        "posts": _posts(contents[0]),
        "metadata": _metadata(contents[0]),
        "slope": document_slope(page),
        "paths": tag_paths(page),
        "frame": framed(page, block_of_text.tolist()),
        "frame_cut": len(page) - page.body > MAX_ROWS,
    }
    return json.dumps(data, allow_nan=False).encode()


def fingerprint(html: str | bytes) -> str:
    """Return a name by which a browser knows a page again, however it was opened."""
    source = html.encode("utf-8", "replace") if isinstance(html, str) else html
    return hashlib.sha256(source).hexdigest()[:16]


def _linked_styles(page: Page) -> int:
    """Return how many style sheets the page links to, which nobody loads."""
    links = (page.attributes.get(int(row), "rel") or "" for row in page.rows_of("link"))
    return sum("stylesheet" in rel.lower().split() for rel in links)


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


def _result(content: Content, countable: NDArray[np.bool_]) -> dict[str, Any]:
    page = content.page
    return {
        **content.explain().to_dict(),
        "confidence": _number(content.page_confidence),
        "pagetype": content.metadata.pagetype,
        "title": content.metadata.title,
        "words": int(page.text_words[content.keep].sum()),
        "page_words": int(page.text_words[countable].sum()),
        **{name: formats.write("content", name, content) for name in CONTENT_FORMATS},
    }


def _blocks(page: Page, contents: list[Content], bounds: list[int]) -> Iterator[dict[str, Any]]:
    """Yield the parts of blocks with the decision of each method."""
    owners = page.blocks.owner[page.blocks.of_text[bounds[:-1]]].tolist()
    by_block = zip(*(decisions(content, bounds) for content in contents), strict=True)
    for (start, stop), row, by_method in zip(pairwise(bounds), owners, by_block, strict=True):
        block = by_method[0]
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
                {
                    "kept": each.kept,
                    "score": _number(each.score),
                    "code": each.code,
                    "reasons": each.parts,
                }
                for each in by_method
            ],
        }


def _segments(found: Segments) -> dict[str, Any]:
    page = found.page
    return {
        "method": found.method,
        "reason": found.reason,
        "parts": [
            {
                "label": part.label,
                "score": _number(part.score),
                "xpath": part.xpath,
                "rows": list(part.roots()),
                "words": int(page.words[part.start : part.stop].sum()),
                "text": page.joined(
                    int(page.text_index[part.start]), int(page.text_index[part.stop])
                )[:_EXCERPT_CHARS],
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
        **{
            name: formats.write("records", name, [PageTables([table])], Choices(safe=True))
            for name in RECORD_FORMATS
        },
    }


def _cell(cell: Cell | None, xpaths: dict[int, str]) -> dict[str, Any] | None:
    if cell is None:
        return None
    page, row = cell.page, cell.row
    return {
        "text": cell.text,
        "url": cell.url,
        "row": row,
        "xpath": xpaths[row],
        "first": int(page.text_index[row]),
        "stop": int(page.text_index[page.end[row]]),
    }


def _posts(content: Content) -> list[dict[str, Any]]:
    """Return the posts of a thread, else what readers wrote under an article."""
    is_thread = content.pagetype is None or content.pagetype[0] == "forum"
    posts = content.posts if is_thread else content.comments.posts
    return [{**post.to_dict(), "row": post.rows[0]} for post in posts[:MAX_POSTS]]


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
