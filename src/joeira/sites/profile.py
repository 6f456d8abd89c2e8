"""The templates of a site: groups of pages with the same slots.

A slot is a place in a template, by the tags and classes from the body down to it. The same slot of
two pages has the same symbol. Numbers in class names count as equal, and classes of the body do not
count, because both often name the page rather than the template.

Pages come one after the other. A page joins the group whose usual slots it shares most, if it
shares enough of them; otherwise it begins a group. So a site of articles, lists and forms falls
into three groups, and the same pages in the same order give the same groups, at once or in parts.
Counts of slots are kept in tables of bounded size.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import cached_if_short
from joeira.arrays import trees
from joeira.page import Page
from joeira.page.tags import symbol

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


_NUMBER = re.compile(r"\d+")
_MAX_STEPS = 6
_PLAIN_CLASS = re.compile(r"[A-Za-z_-][\w-]*")


def slot_symbols(page: Page) -> NDArray[np.uint64]:
    """Return the symbol of every row's slot."""
    numbers, names = page.classes
    table = np.array([_class_symbol(name) for name in names], np.uint64)
    by_class = table[numbers]
    by_class[: page.body + 1] = 0
    return trees.path_hashes(page.tag_symbol + by_class, page.parent)


def slot_selector(page: Page, row: int) -> str:
    """Return a readable CSS selector of a row's slot: its last steps, with a class each."""
    steps: list[str] = []
    while row > page.body and len(steps) < _MAX_STEPS:
        classes = (page.attributes.get(row, "class") or "").split()
        plain = [name for name in classes if _PLAIN_CLASS.fullmatch(name)]
        steps.append(page.tag_name(row) + (f".{plain[0]}" if plain else ""))
        row = int(page.parent[row])
    return " > ".join(reversed(steps)) or page.tag_name(row)


@cached_if_short(entries=1 << 12, longest=100)  # the pages of a site share their classes
def _class_symbol(name: str) -> int:
    words = sorted(set(_NUMBER.sub("0", name).split()))
    return symbol("class=" + " ".join(words)) if words else 0


MAX_GROUPS = 12
MAX_SLOTS = 4096
"""Slots remembered per group; more are counted with an error that `CappedCounts` states."""
USUAL_SHARE = 0.3
"""A slot is usual for a group when this share of its pages has it."""
SAME_SHARE = 0.3
"""Pages are of one template when they share this much of their slots (Jaccard)."""


def slots_of(page: Page) -> tuple[int, ...]:
    """Return the slots in which a page has text."""
    owners = page.blocks.owner
    owners = owners[~page.in_head[owners]]
    slots: list[int] = np.unique(slot_symbols(page)[owners]).tolist()
    return tuple(slots)


@dataclass(frozen=True, eq=False)
class Group:
    """Pages of one template."""

    pages: int = 0
    slots: CappedCounts[int] = field(default_factory=lambda: CappedCounts[int](MAX_SLOTS))

    def usual(self) -> frozenset[int]:
        """Return the slots that most pages of the group have."""
        least = USUAL_SHARE * self.pages
        return frozenset(slot for slot, count in self.slots.counts.items() if count >= least)

    def likeness(self, slots: frozenset[int]) -> float:
        """Return how much of the group's usual slots and those of a page are common."""
        usual = self.usual()
        either = len(usual | slots)
        return len(usual & slots) / either if either else 1.0

    def with_page(self, slots: Iterable[int]) -> Group:
        """Return the group with one more page."""
        counts = self.slots.growing()
        counts.count(slots)
        return Group(self.pages + 1, counts.done())


@dataclass(frozen=True, eq=False)
class Profile:
    """The templates of a site."""

    groups: tuple[Group, ...] = ()

    def group_of(self, slots: Iterable[int]) -> tuple[int, float]:
        """Return the number of the nearest group and how near it is; -1 without groups."""
        asked = frozenset(slots)
        near = [group.likeness(asked) for group in self.groups]
        best = int(np.argmax(near)) if near else -1
        return best, near[best] if near else 0.0

    def with_page(self, slots: Iterable[int]) -> tuple[Profile, int]:
        """Return the profile with one more page, and the number of its group."""
        number, likeness = self.group_of(slots)
        groups = list(self.groups)
        if number < 0 or (likeness < SAME_SHARE and len(groups) < MAX_GROUPS):
            number = len(groups)
            groups.append(Group())
        groups[number] = groups[number].with_page(slots)
        return replace(self, groups=tuple(groups)), number

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the groups as plain data."""
        return [
            {
                "pages": group.pages,
                "missed": group.slots.missed,
                "slots": {f"{slot:016x}": count for slot, count in group.slots.counts.items()},
            }
            for group in self.groups
        ]

    @classmethod
    def restore(cls, data: list[dict[str, Any]]) -> Profile:
        """Return what `to_dict` described."""
        return cls(
            tuple(
                Group(
                    int(group["pages"]),
                    CappedCounts(
                        MAX_SLOTS,
                        {int(slot, 16): int(count) for slot, count in group["slots"].items()},
                        int(group["missed"]),
                    ),
                )
                for group in data
            )
        )
