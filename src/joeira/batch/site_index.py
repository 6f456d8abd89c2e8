"""Which pages sites are learned from: an index on disk, so that memory does not grow with them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

from joeira.batch.learning import MAX_PAGES, MIN_PAGES, Site, site_of
from joeira.batch.rows import Record
from joeira.batch.sources import can_seek
from joeira.errors import OutputError

_TABLE = "create table page (site text, path text, offset integer)"
_COUNT = "select count(*) from page where site = ?"
_SITES = """
    select site, path, offset from page
    where site in (select site from page group by site having count(*) >= ?) order by site, rowid
"""


class SiteIndex:
    """The first pages of every site; to be closed at the end.

    Pages of files that can only be read from the beginning are copied to one that can be read
    anywhere. Its files are hidden ones of a folder, which closing removes.
    """

    def __init__(self, folder: Path) -> None:
        """Make the files."""
        self._files = tuple(folder / f".sites.{kind}" for kind in ("sqlite", "jsonl", "warc"))
        self._remove()
        database, lines, archive = self._files
        self._index = sqlite3.connect(database, isolation_level=None)
        self._index.execute("pragma synchronous = off")
        self._index.execute("pragma journal_mode = off")
        self._index.execute(_TABLE)
        self._index.execute("create index site_of_page on page (site)")
        self._copies = {False: lines.open("wb"), True: archive.open("wb")}
        self._can_seek = cache(can_seek)

    def close(self) -> None:
        """Remove the files."""
        self._index.close()
        for file in self._copies.values():
            file.close()
        self._remove()

    def fill(self, records: Iterable[Record]) -> None:
        """Take the records that sites may be learned from, in their order."""
        try:
            for record in records:
                name = "" if record.problem else site_of(record)
                if name and self._index.execute(_COUNT, (name,)).fetchone()[0] < MAX_PAGES:
                    path, offset = self._place(record)
                    # As JSON, because names of files need not be proper text.
                    values = (name, json.dumps(path), offset)
                    self._index.execute("insert into page values (?, ?, ?)", values)
            for file in self._copies.values():
                file.flush()
        except (OSError, sqlite3.Error) as error:
            message = f"{self._files[0].parent}: {getattr(error, 'strerror', None) or error}"
            raise OutputError(message) from error

    def sites(self) -> Iterator[Site]:
        """Yield the sites that have enough pages."""
        rows = self._index.execute(_SITES, (MIN_PAGES,))
        for name, pages in groupby(rows, key=lambda row: str(row[0])):
            yield Site(name, tuple((json.loads(path), offset) for _, path, offset in pages))

    def _place(self, record: Record) -> tuple[str, int]:
        """Return file and offset at which a record can be read again."""
        if self._can_seek(record.source):
            return record.source, record.offset
        file = self._copies[record.is_http]
        offset = file.tell()
        if record.is_http:
            assert isinstance(record.html, bytes)
            file.write(record.html + b"\r\n\r\n")
        else:
            said = {"url": record.url, "html": record.html}
            file.write(json.dumps(said).encode() + b"\n")
        return file.name, offset

    def _remove(self) -> None:
        for path in self._files:
            path.unlink(missing_ok=True)
