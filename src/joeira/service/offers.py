"""The methods that the service has: all but those that start programs of their own.

A worker process may use so much memory and time, and is killed when it uses more. A browser needs
more than that, and would be left behind.
"""

from __future__ import annotations

from functools import cache

from joeira import catalog
from joeira.catalog import Entry
from joeira.descriptions import Description
from joeira.errors import UnknownMethod


def offered(task: str | None = None) -> list[Entry]:
    """Return the methods for a task."""
    return [entry for entry in catalog.entries(task) if not entry.needs]


@cache
def described(entry: Entry) -> Description:
    """Return what there is to know about a method; reading it takes a while."""
    return Description.of(entry)


def find(name: str, task: str) -> Entry:
    """Return the entry of a method, or raise `UnknownMethod`."""
    entry = catalog.find(name, task)
    if entry.needs:
        known = ", ".join(other.name for other in offered(task))
        message = f"method {name!r} needs a {entry.needs}, which a service does not start; "
        raise UnknownMethod(f"{message}it has: {known}")
    return entry
