"""Learned sites, kept in one SQLite file."""

from __future__ import annotations

import secrets
import sqlite3
import threading
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from joeira.errors import InputError, OutputError
from joeira.service.guard import Problem

FILE = "sites.sqlite"
_VERSION = 1
_TABLE = """
    CREATE TABLE IF NOT EXISTS sites (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, method TEXT NOT NULL, pages INTEGER NOT NULL,
        created TEXT NOT NULL, model TEXT NOT NULL
    )
"""
_FIELDS = "id, name, method, pages, created"


@dataclass(frozen=True)
class Site:
    """A learned site, as clients see it."""

    id: str
    name: str
    method: str
    pages: int
    created: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


class Store:
    """Sites by id; may be used from several threads."""

    def __init__(self, folder: Path | None, max_sites: int) -> None:
        """Open the file in a folder, which is made if need be; without one, keep all in memory."""
        self._max_sites = max_sites
        self._lock = threading.Lock()
        path: Path | str = folder / FILE if folder else ":memory:"
        try:
            if folder:
                folder.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                path, timeout=5, check_same_thread=False, isolation_level=None
            )
            self._prepare()
        except OSError as error:
            raise OutputError(f"{error.filename or path}: {error.strerror or error}") from error
        except sqlite3.Error as error:
            raise InputError(f"{path}: {error}") from error

    def _prepare(self) -> None:
        (found,) = self._database.execute("PRAGMA user_version").fetchone()
        if found not in (0, _VERSION):
            raise InputError(f"{FILE}: store version {found}, but {_VERSION} is required")
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute(_TABLE)
        self._database.execute(f"PRAGMA user_version = {_VERSION}")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def add(self, name: str, method: str, pages: int, model: str) -> Site:
        """Keep a site and return it as clients see it."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        site = Site(secrets.token_hex(8), name, method, pages, now)
        if len(self) >= self._max_sites:
            raise Problem(507, f"there are already {self._max_sites} sites", "delete some")
        try:
            self._run(
                "INSERT INTO sites VALUES (?, ?, ?, ?, ?, ?)", *site.to_dict().values(), model
            )
        except sqlite3.Error as error:
            raise Problem(507, "the site could not be stored", str(error)) from None
        return site

    def all(self) -> list[Site]:
        """Return every site, the oldest first."""
        return [
            Site(*row) for row in self._run(f"SELECT {_FIELDS} FROM sites ORDER BY created, rowid")
        ]

    def get(self, site_id: str) -> tuple[Site, str]:
        """Return a site and its model, or raise the problem that there is none."""
        rows = self._run(f"SELECT {_FIELDS}, model FROM sites WHERE id = ?", site_id)
        if not rows:
            raise Problem(404, "there is no such site", "GET /v1/sites lists them")
        *fields, model = rows[0]
        return Site(*fields), model

    def remove(self, site_id: str) -> None:
        """Forget a site, or raise the problem that there is none."""
        self.get(site_id)
        self._run("DELETE FROM sites WHERE id = ?", site_id)

    def __len__(self) -> int:
        """Return the number of sites."""
        ((number,),) = self._run("SELECT count(*) FROM sites")
        return int(number)

    def _run(self, statement: str, *values: object) -> list[Any]:
        with self._lock:
            return self._database.execute(statement, values).fetchall()
