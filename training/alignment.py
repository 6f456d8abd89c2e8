"""Which words of a page are in the gold text: labels for blocks.

Page and gold are aligned by a longest common subsequence over *supported* matches: a word matches
an equal gold word only when a neighbour agrees too, or when both stand at the same end of a line.
Gold that is out of page order is found by a second pass over runs of three words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays.strings import words

_RUN = 3
_RUN_MIN_COVER = 0.6
_MAX_POSITIONS = 1000
"""Gold positions tried per word: beyond this a word is too common to tell anything."""


class _Link(NamedTuple):
    """The last match of a chain of matches."""

    place: int
    block: int
    before: _Link | None

    def is_stronger_than(self, other: _Link) -> bool:
        """Return whether this match of a gold word goes on within its block and the other not."""
        return self.place == other.place and self._goes_on() and not other._goes_on()

    def _goes_on(self) -> bool:
        return self.before is not None and self.before.block == self.block


def matched_words(blocks: Sequence[Sequence[str]], gold: str) -> NDArray[np.float64]:
    """Return how many words of each block belong to the gold text."""
    lines = [line for line in (words(part.lower()) for part in gold.split("\n")) if line]
    target = [word for line in lines for word in line]
    matched = np.zeros(len(blocks))
    if not target:
        return matched
    used = _align(blocks, target, _borders(lines), matched)
    _add_runs(blocks, _unused_runs(target, used, _borders(lines)), matched)
    return matched


def _borders(lines: Sequence[Sequence[str]]) -> tuple[set[int], set[int]]:
    """Return the positions of the first and the last words of lines."""
    first, last, position = set(), set(), 0
    for line in lines:
        first.add(position)
        position += len(line)
        last.add(position - 1)
    return first, last


def _align(
    blocks: Sequence[Sequence[str]],
    target: list[str],
    borders: tuple[set[int], set[int]],
    matched: NDArray[np.float64],
) -> set[int]:
    """Count the words of the best supported common subsequence; return the gold positions used.

    Hunt and Szymanski: the matches of each word, taken from the right, extend the shortest chains.
    """
    positions = defaultdict(list)
    for place, word in enumerate(target):
        positions[word].append(place)
    size = len(target)
    chain_ends: list[int] = []
    chains: list[_Link] = []
    stream = [word for block in blocks for word in block]
    owner = [number for number, block in enumerate(blocks) for _ in block]
    begins = set(np.cumsum([0, *map(len, blocks)]).tolist())
    first, last = borders
    for index, word in enumerate(stream):
        places = positions.get(word)
        if places is None or len(places) > _MAX_POSITIONS:
            continue
        before = stream[index - 1] if index else None
        after = stream[index + 1] if index + 1 < len(stream) else None
        at_start, at_end = index in begins, index + 1 in begins
        for place in reversed(places):
            supported = (
                (place + 1 < size and target[place + 1] == after)
                or (place > 0 and target[place - 1] == before)
                or (at_start and place in first)
                or (at_end and place in last)
            )
            if not supported:
                continue
            slot = bisect_left(chain_ends, place)
            longer = _Link(place, owner[index], chains[slot - 1] if slot else None)
            # A lone later block must not take the last word of a line from the block that has it.
            if slot < len(chains) and chains[slot].is_stronger_than(longer):
                continue
            chain_ends[slot : slot + 1] = [place]
            chains[slot : slot + 1] = [longer]
    used = set()
    link = chains[-1] if chains else None
    while link is not None:
        matched[link.block] += 1
        used.add(link.place)
        link = link.before
    return used


def _unused_runs(
    target: list[str], used: set[int], borders: tuple[set[int], set[int]]
) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for place, word in enumerate(target):
        if place in used or place in borders[0]:
            runs.append([])
        if place not in used:
            runs[-1].append(word)
    return [run for run in runs if run]


def _add_runs(
    blocks: Sequence[Sequence[str]], runs: list[list[str]], matched: NDArray[np.float64]
) -> None:
    """Give blocks that the alignment missed the unused gold that they contain."""
    grams = Counter(tuple(run[i : i + _RUN]) for run in runs for i in range(len(run) - _RUN + 1))
    whole = Counter(tuple(run) for run in runs if len(run) < _RUN)
    for number, block in enumerate(blocks):
        if not block or matched[number] >= len(block) / 2:
            continue
        if len(block) < _RUN:
            if whole[tuple(block)] > 0:
                whole[tuple(block)] -= 1
                matched[number] = len(block)
            continue
        starts = [i for i in range(len(block) - _RUN + 1) if grams[tuple(block[i : i + _RUN])] > 0]
        covered = {place for i in starts for place in range(i, i + _RUN)}
        if len(covered) >= _RUN_MIN_COVER * len(block):
            for i in starts:
                grams[tuple(block[i : i + _RUN])] -= 1
            matched[number] = max(matched[number], len(covered))
