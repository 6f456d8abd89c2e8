"""Finding the blocks of a page that hold some words, as a reader sees words."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

# What people type for what pages hold; soft hyphens and the like are not seen at all.
_PLAIN = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-"}
    | {"\N{SOFT HYPHEN}": "", "\N{ZERO WIDTH SPACE}": "", "\N{ZERO WIDTH NON-JOINER}": ""}
)


def folded(text: str) -> str:
    """Return text in which case, kinds of quotes and white space make no difference."""
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    return " ".join(plain.casefold().split())


def holding(texts: Sequence[str], words: str) -> list[int]:
    """Return the numbers of the texts that hold the words, also across several texts.

    Where that finds nothing, spaces are left out: where one word ends may be a matter of markup.
    """
    wanted = folded(words)
    if not wanted:
        return []
    plain = [folded(text) for text in texts]
    found = _overlapping(plain, wanted, " ")
    if not found:
        found = _overlapping([_tight(text) for text in plain], _tight(wanted), "")
    return found


def nearest(texts: Sequence[str], words: str) -> list[int]:
    """Return the number of the text that shares most words; of several, the shortest."""
    wanted = Counter(folded(words).split())
    best, best_rank = -1, (0, 0)
    for number, text in enumerate(texts):
        held = Counter(folded(text).split())
        rank = ((wanted & held).total(), -held.total())
        if rank[0] and rank > best_rank:
            best, best_rank = number, rank
    return [best] if best >= 0 else []


def _tight(text: str) -> str:
    return text.replace(" ", "")


def _overlapping(texts: Sequence[str], wanted: str, separator: str) -> list[int]:
    starts, place = [], 0
    for text in texts:
        starts.append(place)
        place += len(text) + len(separator)
    found: dict[int, None] = {}
    for start in _occurrences(separator.join(texts), wanted):
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, start + len(wanted) - 1) - 1
        found |= dict.fromkeys(range(first, last + 1))
    return list(found)


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    place = text.find(wanted)
    while place >= 0:
        yield place
        place = text.find(wanted, place + len(wanted))
