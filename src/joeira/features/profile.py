"""Which templates the pages of a site have: groups of pages with the same slots.

Pages come one after the other. A page joins the group whose usual slots it shares most, if it
shares enough of them; otherwise it begins a group. So a site of articles, lists and forms falls
into three groups, and the same pages in the same order give the same groups, at once or in parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from joeira.kernels.counting import CappedCounts
from joeira.page import Page
from joeira.page.slots import slot_symbols

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
    found: list[int] = np.unique(slot_symbols(page)[owners]).tolist()
    return tuple(found)


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
