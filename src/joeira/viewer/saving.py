"""Where lessons are written: labels and a site file beside the page, or in the data folder."""

from __future__ import annotations

import json
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from joeira.errors import OutputError
from joeira.viewer.pages import Shown
from joeira.viewer.teaching import Lesson

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
