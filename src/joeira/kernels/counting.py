"""Counts of things in a stream, in a table of bounded size."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, eq=False)
class CappedCounts(Generic[Key]):
    """Counts that are exact, or too low by at most `missed` (lossy counting, Manku and Motwani).

    When the table is full, what was counted least is forgotten. The same stream gives the same
    table, in one go or in parts.
    """

    limit: int
    counts: Mapping[Key, int] = field(default_factory=dict)
    missed: int = 0
    """How much a count may be too low; 0 as long as nothing was forgotten."""

    def growing(self) -> Growing[Key]:
        """Return a table to count more with; this one stays as it is."""
        return Growing(self.limit, dict(self.counts), self.missed)

    def __getitem__(self, key: Key) -> int:
        """Return the count of a key, 0 for one that is unknown."""
        return self.counts.get(key, 0)


@dataclass(eq=False)
class Growing(Generic[Key]):
    """A table in the making."""

    limit: int
    counts: dict[Key, int]
    missed: int

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self.counts)

    def __getitem__(self, key: Key) -> int:
        """Return the count of a key so far."""
        return self.counts.get(key, 0)

    def count(self, batch: Iterable[Key]) -> None:
        """Count every key of a batch once; a full table forgets what was counted least."""
        counts = self.counts
        for key in dict.fromkeys(batch):
            counts[key] = counts.get(key, 0) + 1
        while len(counts) > self.limit:
            least = min(counts.values())
            self.missed += least
            self.counts = counts = {key: count for key, count in counts.items() if count > least}

    def done(self) -> CappedCounts[Key]:
        """Return the table."""
        return CappedCounts(self.limit, self.counts, self.missed)
