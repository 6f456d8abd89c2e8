"""What somebody said about parts of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joeira.errors import UsageError

MAX_MARKS = 2_000
_DECISIONS = ("content", "noise", "field")
_MAX_NAME_CHARS = 60


@dataclass(frozen=True)
class Mark:
    """What a person said about a run of texts within a block."""

    first: int
    stop: int
    decision: str
    name: str = ""
    """Of a field."""

    @property
    def said(self) -> str:
        """What the mark says, as one word: equal for marks that agree."""
        return f"{self.decision} {self.name}"

    @classmethod
    def read(cls, data: Any) -> Mark:
        """Return a mark from plain data, or raise `UsageError`."""
        if not isinstance(data, Mapping):
            raise UsageError("a mark is an object")
        first, stop = data.get("first"), data.get("stop")
        decision, name = data.get("as"), data.get("name") or ""
        if not (isinstance(first, int) and isinstance(stop, int) and 0 <= first < stop):
            raise UsageError("a mark says its first text and one past its last")
        if decision not in _DECISIONS:
            raise UsageError(f"a block is marked as {', '.join(_DECISIONS)}")
        is_name = isinstance(name, str) and name.isprintable() and len(name) <= _MAX_NAME_CHARS
        if not is_name or (decision == "field") != bool(name.strip()):
            raise UsageError(f"a field, and only that, has a name of up to {_MAX_NAME_CHARS} signs")
        return cls(first, stop, decision, name.strip())
