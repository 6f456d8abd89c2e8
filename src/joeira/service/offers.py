"""The methods that the service has: all but those that start programs of their own.

A worker process may use so much memory and time, and is killed when it uses more. A browser needs
more than that, and would be left behind.
"""

from __future__ import annotations

from typing import Any

from joeira import catalog
from joeira.catalog import Entry
from joeira.errors import UnknownMethod


def offered(task: str | None = None) -> list[Entry]:
    """Return the methods for a task."""
    return [entry for entry in catalog.entries(task) if not entry.needs]


def find(name: str, task: str) -> Entry:
    """Return the entry of a method, or raise `UnknownMethod`."""
    entry = catalog.find(name, task)
    if entry.needs:
        known = ", ".join(other.name for other in offered(task))
        message = f"method {name!r} needs a {entry.needs}, which a service does not start; "
        raise UnknownMethod(f"{message}it has: {known}")
    return entry


def build(name: str, settings: dict[str, str], task: str) -> Any:
    """Return a method by name, with parameters given as text."""
    return catalog.build(find(name, task).name, settings, task)
