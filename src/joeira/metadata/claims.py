"""Claims: what the parts of a page say about it, and how to weigh them against each other.

A claim is a value with the place it was read from and a confidence: the share of pages on which
claims of that kind were right (see ``docs/metadata.md``). Readers make claims; `ranked` orders
those for one field by one rule for all fields. `short_text` reads what the page shows.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from joeira._native import native_available
from joeira.arrays.strings import collapse
from joeira.page import Page
from joeira.page.blocks import line, spaces_between
from joeira.page.left_out import without_surrogates

if native_available:
    from joeira._native import characters

MAX_TEXTS = 40
MAX_ESCAPES = 3
MAX_VISIBLE_CHARS = 1_000


_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,10}\d{0,2});", re.IGNORECASE)


def unescaped(text: str) -> str:
    """Return a text without character references; programs escape what was escaped before."""
    for _ in range(MAX_ESCAPES):
        if "&" not in text or not _ENTITY.search(text):
            break
        text = html.unescape(text)
    return text


def as_read(text: str) -> str:
    """Return a text as people read it: without references, surrogates and spaces beside spaces."""
    if native_available and characters.is_plain(text):  # as most are
        return text
    return collapse(without_surrogates(unescaped(text)))


def short_text(page: Page, row: int) -> str:
    """Return the beginning of an element's text, spaced as the page shows it.

    Elements may lie in each other, so that reading each of them whole could take for ever.
    """
    index = page.text_index
    first = int(index[row])
    last = min(int(index[page.end[row]]), first + MAX_TEXTS)
    if last - first <= 1:  # as of most that is asked for
        return collapse(page.text(first)[:MAX_VISIBLE_CHARS]) if last > first else ""
    parts, total = [], 0
    for text in page.some_texts(first, last):
        parts.append(text[:MAX_VISIBLE_CHARS])
        total += len(text)
        if total > MAX_VISIBLE_CHARS:
            break
    return line(parts, spaces_between(page, first, first + len(parts)))


Value = str | tuple[str, ...]

MAX_CLAIMS = 200
"""So many claims for one field are weighed; a page with more repeats itself."""


class Claim(NamedTuple):
    """A value that a page gives for a field, before anybody asks where exactly."""

    value: Value
    source: str
    """Kind of markup: ``json-ld``, ``opengraph``, ``meta``, ``heading``, ``text`` and so on."""
    key: str
    """Name under which the source has it, such as ``og:title`` or ``h1``."""
    row: int
    """Row of the element or text; -1 when it is not in the page."""
    confidence: float

    def saying(self, value: Value) -> Claim:
        """Return the claim with another value; much faster than a tuple's own way to do that."""
        return Claim(value, self.source, self.key, self.row, self.confidence)

    def trusted(self, confidence: float) -> Claim:
        """Return the claim with another confidence."""
        return Claim(self.value, self.source, self.key, self.row, confidence)


Shown = tuple[Mapping[str, float], list[Claim]]
"""The highest confidence in what is not read yet, by source, and what of a page's text was read."""


@dataclass(frozen=True)
class Candidate:
    """A value for a field, with where it comes from and how far it can be trusted."""

    value: Value
    source: str
    """Kind of markup: ``json-ld``, ``opengraph``, ``meta``, ``heading``, ``text`` and so on."""
    key: str
    """Name under which the source has it, such as ``og:title`` or ``h1``."""
    xpath: str | None
    """Where on the page it is; None for what the address or a method said."""
    confidence: float
    """Estimated probability that the value is right, agreement with other sources included."""
    row: int = field(default=-1, repr=False, compare=False)
    """Row of the element or text; -1 when it is not in the page."""


def candidates_of(page: Page, claims: Iterable[Claim]) -> list[Candidate]:
    """Return claims as they are shown: with where on the page each value is."""
    return [
        Candidate(
            claim.value,
            claim.source,
            claim.key,
            page.xpath(claim.row) if claim.row >= 0 else None,
            round(claim.confidence, 4),
            claim.row,
        )
        for claim in claims
    ]


def ranked(
    claims: Iterable[Claim],
    same: Callable[[Value], object],
    witnesses: Mapping[str, str] | None = None,
) -> list[Claim]:
    """Return claims, best first: a value's confidence grows with the kinds of source that agree.

    Args:
        claims: In any order; among equals the earlier is the better.
        same: What two values have in common when they say the same.
        witnesses: Sources that count as one, because they copy from each other.
    """
    considered = _considered(claims)
    keys = [same(claim.value) for claim in considered]
    joint = _joint_by_key(_doubts(keys, considered, witnesses))
    trust = [joint[key] for key in keys]
    order = sorted(range(len(keys)), key=lambda at: (-trust[at], -considered[at].confidence))
    return [considered[at].trusted(trust[at]) for at in order]


def best(
    claims: Iterable[Claim],
    same: Callable[[Value], object],
    witnesses: Mapping[str, str] | None = None,
) -> Value | None:
    """Return the value of the claim that `ranked` would have first; None where there is none."""
    considered = _considered(claims)
    if len({claim.value for claim in considered}) < 2:  # nobody says anything else
        return considered[0].value if considered else None
    keys = [same(claim.value) for claim in considered]
    if keys.count(keys[0]) == len(keys):  # all agree but for the spelling
        return max(considered, key=_confidence).value
    joint = _joint_by_key(_doubts(keys, considered, witnesses))
    most = max(joint.values())
    agreeing = (claim for key, claim in zip(keys, considered, strict=True) if joint[key] == most)
    return max(agreeing, key=_confidence).value


_confidence = attrgetter("confidence")


def _considered(claims: Iterable[Claim]) -> list[Claim]:
    return [claim for claim in claims if claim.value][:MAX_CLAIMS]


def settled(
    claims: Sequence[Claim], same: Callable[[Value], object], later: Mapping[str, float]
) -> Value | None:
    """Return the best value if it stays the best whatever is not yet read.

    Args:
        claims: All claims that were read.
        same: What two values have in common when they say the same.
        later: The highest confidence in a claim that was not, of each source that has more.
    """
    considered = [claim for claim in claims if claim.value]
    if not considered or len(considered) > MAX_CLAIMS:
        return None
    # Among equal values the spelling of the most confident source counts, where there are several.
    highest = 0.0 if same is str else max(later.values())
    if max(map(_confidence, considered)) < highest:
        return None
    keys = [same(claim.value) for claim in considered]
    doubts = _doubts(keys, considered)
    joint = _joint_by_key(doubts)
    likeliest = max(joint, key=joint.__getitem__)
    unread = [1 - confidence for confidence in later.values()]
    others = [_joint([*doubts[key].values(), *unread]) for key in doubts if key != likeliest]
    if joint[likeliest] <= max([_joint(unread), *others]):
        return None
    agreeing = (claim for key, claim in zip(keys, considered, strict=True) if key == likeliest)
    claim = max(agreeing, key=_confidence)
    return claim.value if claim.confidence >= highest else None


def best_yet(
    claims: Sequence[Claim], same: Callable[[Value], object], later: Mapping[str, float]
) -> Value | None:
    """Return the best value, if it stays so whatever is not yet read; see `settled`."""
    return settled(claims, same, later) if later else best(claims, same)


_Doubts = dict[object, dict[str, float]]
"""For each key the least doubt of each kind of source that has it."""


def _doubts(
    keys: Iterable[object], claims: Iterable[Claim], witnesses: Mapping[str, str] | None = None
) -> _Doubts:
    witness_of = witnesses or {}
    doubt: _Doubts = {}
    for key, (_, source, _, _, confidence) in zip(keys, claims, strict=True):
        by_source = doubt.setdefault(key, {})
        witness = witness_of.get(source, source)
        by_source[witness] = min(1 - confidence, by_source.get(witness, 1.0))
    return doubt


def _joint_by_key(doubts: _Doubts) -> dict[object, float]:
    return {key: _joint(each.values()) for key, each in doubts.items()}


def _joint(doubts: Collection[float]) -> float:
    """Return the confidence in what several sources say.

    They copy from each other, so each further one counts for half of what it would on its own.
    """
    remaining, *further = sorted(doubts)
    for doubt in further:
        remaining *= (1 + doubt) / 2
    return 1 - remaining
