"""Learning the sites of a run before its pages are read, each in the light of the others."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from joeira.batch import sinks
from joeira.batch.job import Job
from joeira.batch.learning import MIN_PAGES, Learning, Site, readable, site_of
from joeira.batch.rows import Record
from joeira.batch.site_index import SiteIndex
from joeira.batch.workers import Answer, Workers
from joeira.errors import OutputError

DONE = "sites.json"
"""Says which sites were learned; when it is there, all were."""
_PLAIN = re.compile(r"[a-z0-9][a-z0-9.-]{0,99}")


@dataclass(frozen=True)
class Sites:
    """What was learned of the sites of a run, in a folder of site files."""

    folder: Path
    pages: dict[str, int] = field(default_factory=dict)
    """Number of pages that each site was learned from."""
    problems: dict[str, str] = field(default_factory=dict)
    """Why a site with enough pages could not be learned."""

    def assigned(self, record: Record) -> Record:
        """Return a record with the file of its site, where there is one."""
        name = site_of(record)
        if name not in self.pages:
            return record
        return replace(record, model=str(self.folder / file_name(name)))

    def add(self, answer: Answer[Site]) -> bool:
        """Write the file of a site that was learned; return whether it was."""
        name = answer.record.name
        said = answer.found or {}
        if said["status"] != "ok":
            self.problems[name] = f"{said['status']}: {said['reason']}"
            return False
        sinks.write(self.folder / file_name(name), said["model"])
        self.problems.pop(name, None)
        self.pages[name] = said["pages"]
        return True

    def to_dict(self) -> dict[str, Any]:
        """Return what is known of each site."""
        return {"pages": self.pages, "problems": self.problems}

    def save(self) -> None:
        """Say that all sites of the run were learned."""
        data = json.dumps(self.to_dict(), indent=1).encode() + b"\n"
        sinks.write(self.folder / DONE, data)


def read(folder: Path) -> Sites | None:
    """Return what an earlier run learned; None if it did not get that far."""
    try:
        return Sites(folder, **json.loads((folder / DONE).read_bytes()))
    except FileNotFoundError:
        return None


def file_name(site: str) -> str:
    """Return the name of the file of a site."""
    if _PLAIN.fullmatch(site):
        return f"{site}.json"
    return f"{hashlib.sha256(site.encode('utf-8', 'replace')).hexdigest()[:16]}.json"


def learn(records: Iterable[Record], folder: Path, job: Job, workers: int | None = None) -> Sites:
    """Learn the sites of records, and go on where an earlier run stopped.

    Args:
        records: All of the run, from the first.
        folder: Where the site files go; it belongs to this run alone.
        job: What is extracted.
        workers: Number of processes.
    """
    try:
        folder.mkdir(exist_ok=True)
        if known := read(folder):
            return known
        index = SiteIndex(folder)
    except OSError as error:
        raise OutputError(f"{folder}: {error.strerror or error}") from error
    found = Sites(folder)
    failures: list[Site] = []
    with closing(index):
        index.fill(records)
        with Workers(Learning(job), workers) as team:
            for answer in team.answers(index.sites()):
                if not found.add(answer):
                    failures.append(answer.record)
            if failures:
                with Workers(job, workers) as readers:
                    again = [without_poison(site, readers) for site in failures]
                for answer in team.answers(again):
                    found.add(answer)
    found.save()
    return found


def without_poison(site: Site, readers: Workers) -> Site:
    """Return a site without the pages that take their process with them, tried one by one."""
    places = []

    def records() -> Iterator[Record]:
        for place, record in readable(site):
            places.append(place)
            yield record

    ends = [(answer.found or {})["status"] for answer in readers.answers(records())]
    good = [place for place, end in zip(places, ends, strict=True) if end in ("ok", "empty")]
    problem = "" if len(good) >= MIN_PAGES else "too few pages can be read"
    return Site(site.name, tuple(good), problem)
