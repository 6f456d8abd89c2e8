"""Characters and words of many strings at once, and the longest common subsequence of two.

A list of strings becomes one array of character classes (a few flags per character), and a count
per string becomes one ``np.add.reduceat``.

Invisible characters are those that no reader sees, by which a text can say one thing to people and
another to machines. What a script needs does not count: joiners between letters that join and
within emoji, the selector after a symbol, the tags that make a flag. Soft hyphens do not count
either; they show when a line breaks there.

Words are hashed all at once. The hash of a word is a polynomial in an odd base modulo 2^64 over its
characters. A prefix sum over the whole buffer, divided by the power of the base at the word's first
character, gives the hash of every word without looking at words one by one. One table of powers
serves texts of any length: a power beyond its end is one of the table times one of the base to a
multiple of the table's length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import Lazy
from joeira._native import native_available

if native_available:
    from joeira._native import characters as kernels

WORD = np.uint16(1)
SPACE = np.uint16(2)
DIGIT = np.uint16(4)
UPPER = np.uint16(8)
SENTENCE_END = np.uint16(16)
COMMA = np.uint16(32)
CURRENCY = np.uint16(128)
SEPARATOR = np.uint16(256)
"""Marks that stand between the items of menus and trails."""
UNSPACED = np.uint16(64)
"""Scripts written without spaces between words (and Hangul): each character counts as a word."""

UNSPACED_RANGES = (
    "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
    "\U00020000-\U0003ffff"
)

_PATTERNS = (
    (WORD, r"\w+"),
    (SPACE, r"\s+"),
    (DIGIT, r"\d+"),
    (SENTENCE_END, "[.!?\u2026\u3002\uff01\uff1f\u061f\u06d4\u0964\uff0e\u037e]+"),
    (COMMA, "[,;\uff0c\u3001\uff1b\u060c\u061b]+"),
    (CURRENCY, "[$\u20a0-\u20bf\u00a2-\u00a5]+"),
    (SEPARATOR, r"[|/>\u203a\u00bb\u2022\u00b7\u2192\u00a9]+"),
    (UNSPACED, f"[{UNSPACED_RANGES}]+"),
)
_FLAGS_END = 512
"""One more than all flags together."""
_BASIC_PLANE = 0x10000
_FEW_BEYOND = 100
"""Distinct characters beyond it that are looked up one by one: nearly all pages have fewer."""


@dataclass(frozen=True, eq=False)
class Characters:
    """The characters of many strings, end to end, a line break after each."""

    codes: NDArray[np.uint32]
    """Code point of every character."""
    classes: NDArray[np.uint16]
    """Flags of every character."""
    starts: NDArray[np.int64]
    """Where each string begins in ``classes``."""

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for array in (self.codes, self.classes, self.starts):
            array.flags.writeable = False

    @classmethod
    def of(cls, strings: Sequence[str]) -> Characters:
        """Classify every character of the strings."""
        if native_available:
            return cls.classified(*kernels.classify(strings, class_table()))
        joined = "\n".join(strings) + "\n" if strings else ""
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
        lengths = np.fromiter(map(len, strings), np.int64, len(strings)) + 1
        return cls(codes, _classes(codes), lengths.cumsum() - lengths)

    @classmethod
    def classified(
        cls,
        codes: NDArray[np.uint32],
        classes: NDArray[np.uint16],
        starts: NDArray[np.int64],
        is_beyond: bool,
    ) -> Characters:
        """Return characters that a kernel has classified, but those beyond the basic plane."""
        if is_beyond:
            _add_beyond(codes, classes)
        return cls(codes, classes, starts)

    @Lazy
    def _strings(self) -> kernels.Strings:
        """The strings for the compiled kernels, checked once."""
        return kernels.Strings(self.codes, self.starts)

    def unwritten(self, strings: int, most: int) -> tuple[int, int]:
        """Count the control characters nobody writes among the first ones, and all of these."""
        return self._strings.unwritten(strings, most)

    def count(self, flags: NDArray[Any]) -> NDArray[np.int32]:
        """Return how many characters of each string are marked in ``flags``."""
        if not len(self.starts):
            return np.zeros(0, np.int32)
        return np.add.reduceat(flags, self.starts, dtype=np.int32)

    def count_class(self, kind: np.uint16) -> NDArray[np.int32]:
        """Return how many characters of each string belong to a class."""
        return self.count((self.classes & kind) != 0)

    def count_kinds(self, kinds: tuple[np.uint16, ...], starts: NDArray[Any]) -> NDArray[np.uint64]:
        """Return how many characters of each kind stand from each start to the next one.

        One number holds the counters of several kinds side by side: they are summed at once.
        """
        classes = self.classes.astype(np.intp)  # what `take` would make of them each time
        together = 64 // max(len(classes).bit_length(), 1)
        bits = 64 // together  # as wide as so many can be: few widths for pages of any length
        shifts = (np.arange(together, dtype=np.uint64) * np.uint64(bits))[:, None]
        counts = []
        for first in range(0, len(kinds), together):
            ones = _ones_side_by_side(kinds[first : first + together], bits)
            sums = np.add.reduceat(ones.take(classes), starts)
            counts.append((sums >> shifts) & np.uint64((1 << bits) - 1))
        return np.concatenate(counts)[: len(kinds)]

    def lengths(self) -> NDArray[np.int32]:
        """Return the length of each string with white space collapsed and stripped."""
        if native_available:
            return self._sizes[0]
        solid = (self.classes & SPACE) == 0
        run_starts = solid.copy()
        run_starts[1:] &= ~solid[:-1]
        return self.count(solid) + np.maximum(self.count(run_starts) - 1, 0)

    def words(self) -> NDArray[np.int32]:
        """Return the number of words of each string."""
        if native_available:
            return self._sizes[1]
        return self.count(self.word_starts)

    @Lazy
    def _sizes(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Lengths and words of each string, counted together."""
        return kernels.sizes(self.classes, self.starts)

    def word_slices(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return where each word begins and where it stops."""
        starts = self.word_starts
        word = (self.classes & WORD) != 0
        last = word.copy()
        last[:-1] &= ~word[1:] | starts[1:]
        return starts.nonzero()[0], last.nonzero()[0] + 1

    def lowered(self, limit: int) -> NDArray[np.uint32]:
        """Return the first code points, capitals made small where that is one character."""
        codes = self.codes[:limit]
        lowered = lower_table().take(codes, mode="clip")  # much faster than an index
        if codes.max(initial=0) < _BASIC_PLANE:
            return lowered
        return np.where(codes < _BASIC_PLANE, lowered, codes)

    @Lazy
    def word_starts(self) -> NDArray[np.bool_]:
        """Which characters begin a word."""
        word = (self.classes & WORD) != 0
        alone = (self.classes & UNSPACED) != 0
        starts: NDArray[np.bool_] = word.copy()
        starts[1:] &= ~word[:-1] | alone[1:] | alone[:-1]
        starts.flags.writeable = False
        return starts


class Texts:
    """The texts of an object that has `texts`, or only `characters`: few ask for all strings."""

    @Lazy
    def texts(self) -> tuple[str, ...]:
        """All texts."""
        return self.some_texts(0, self.text_count)

    @property
    def text_count(self) -> int:
        """Number of texts."""
        texts: tuple[str, ...] | None = self.__dict__.get("texts")
        return len(self.__dict__["characters"].starts) if texts is None else len(texts)

    def text(self, number: int) -> str:
        """Return one of the texts."""
        texts: tuple[str, ...] | None = self.__dict__.get("texts")
        if texts is not None:
            return texts[number]
        characters: Characters = self.__dict__["characters"]
        return characters._strings.one(number)

    def some_texts(self, first: int, stop: int) -> tuple[str, ...]:
        """Return texts ``first:stop``."""
        texts: tuple[str, ...] | None = self.__dict__.get("texts")
        if texts is not None:
            return texts[first:stop]
        characters: Characters = self.__dict__["characters"]
        return characters._strings.some(first, stop)


def words(text: str) -> list[str]:
    """Return the words of a text: runs of letters, digits and ``_``, lone unspaced characters."""
    return _word_pattern().findall(text)


@cache  # not when the module is imported: compiling takes milliseconds, and most never need it
def _word_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?=\w)[{UNSPACED_RANGES}]|[^\W{UNSPACED_RANGES}]+")


def collapse(text: str) -> str:
    """Return the text with every run of white space made one space, none at the ends."""
    if native_available and kernels.is_collapsed(text):  # as most are
        return text
    return " ".join(text.split())


class Words:
    """Tells whether a text has one of some words, each of three characters or more, anywhere.

    For many words and a long text: the time depends on the text, not on how many words there are.
    """

    def __init__(self, words: Sequence[str]) -> None:
        """Prepare to look for words."""
        self.words = tuple(words)
        self._kernel = kernels.Words(self.words) if native_available else None

    def are_in(self, text: str) -> bool:
        """Return whether one of the words stands in a text."""
        if self._kernel is not None:
            return self._kernel.are_in(text)
        return any(word in text for word in self.words)

    def are_in_names(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of the names that have one of the words, capitals or not."""
        if self._kernel is not None:
            return self._kernel.are_in_names(names)
        return [number for number, name in enumerate(names) if self.are_in(name.lower())]


def common_subsequence_length(first: str, second: str) -> int:
    """Return the length of the longest common subsequence of two short strings."""
    return subsequence_length(letter_places(first), len(first), second)


def letter_places(text: str) -> dict[str, int]:
    """Return the places of each character of a text as the bits of a number."""
    places: dict[str, int] = {}
    bit = 1
    for character in text:
        places[character] = places.get(character, 0) | bit
        bit += bit
    return places


def subsequence_length(places: dict[str, int], length: int, other: str) -> int:
    """Return the length of the longest common subsequence of a text and another one.

    The text is given by the places of its characters and its length, which pays when it is compared
    with many. Bit-parallel (Hyyrö 2004): one integer holds a whole row of the dynamic program; bits
    carried beyond the text's length never come back and are dropped at the end.
    """
    mask = (1 << length) - 1
    row = mask
    for place in [places[character] for character in other if character in places]:
        match = row & place
        row = (row + match) | (row - match)
    return length - (row & mask).bit_count()


def _classes(codes: NDArray[np.uint32]) -> NDArray[np.uint16]:
    """Return the flags of code points: a table for the basic plane, the few others one by one."""
    classes = class_table().take(codes, mode="clip")  # much faster than an index
    _add_beyond(codes, classes)
    return classes


def _add_beyond(codes: NDArray[np.uint32], classes: NDArray[np.uint16]) -> None:
    """Set the flags of the code points beyond the basic plane."""
    beyond = (codes >= _BASIC_PLANE).nonzero()[0]
    found: list[int] = codes.take(beyond).tolist()
    distinct = [*{*found}]
    if len(distinct) <= _FEW_BEYOND:
        flags = list(map(_flags_beyond, distinct))
    else:
        flags = _flags("".join(map(chr, distinct))).tolist()
    flags_of = dict(zip(distinct, flags, strict=True))
    classes[beyond] = [flags_of[code] for code in found]


@lru_cache(maxsize=4096)
def _flags_beyond(code: int) -> int:
    return int(_flags(chr(code))[0])


@cache
def class_table() -> NDArray[np.uint16]:
    """Return the flags of each character of the basic plane."""
    return _flags(_basic_plane())


def _basic_plane() -> str:
    return np.arange(_BASIC_PLANE, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


@lru_cache(maxsize=64)  # a few widths, each for a few kinds
def _ones_side_by_side(kinds: tuple[np.uint16, ...], bits: int) -> NDArray[np.uint64]:
    """Return, for any flags of a character, a one in the counter of each kind that it is of."""
    flags = np.arange(_FLAGS_END, dtype=np.uint64)
    ones = np.zeros_like(flags)
    for place, kind in enumerate(kinds):
        ones[flags & np.uint64(kind) != 0] |= np.uint64(1 << bits * place)
    return ones


def _flags(characters: str) -> NDArray[np.uint16]:
    flags = np.zeros(len(characters), np.uint16)
    for flag, pattern in _PATTERNS:
        for match in re.finditer(pattern, characters):
            flags[match.start() : match.end()] |= flag
    flags[np.fromiter(map(str.isupper, characters), bool, len(characters))] |= UPPER
    return flags


@cache
def lower_table() -> NDArray[np.uint32]:
    """Return, per code point of the basic plane, that of its small letter, if it is one."""
    # Two letters are lowered apart: one becomes two characters, the other depends on its place.
    plane = _basic_plane().translate({ord("\u0130"): " ", ord("\u03a3"): " "})
    table = np.frombuffer(plane.lower().encode("utf-32-le", "surrogatepass"), np.uint32).copy()
    table[[ord("\u0130"), ord("\u03a3")]] = ord("\u0130"), ord("\u03c3")
    table.flags.writeable = False
    return table


_KINDS: Final = {
    "tag characters": "\U000e0000-\U000e007f",
    "zero-width characters": "\u200b-\u200d\u2060\ufeff\u180e\u034f",
    "direction controls": "\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069",
    "invisible operators": "\u2061-\u2065\u206a-\u206f\ufff9-\ufffb",
    "blank letters": "\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800",
    "variation selectors": "\ufe00-\ufe0f\U000e0100-\U000e01ef",
}
_ANY: Final = re.compile(f"[{''.join(_KINDS.values())}]")
_ALLOWED: Final = (
    "(?:(?<=\U0001f3f4)[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"  # a flag
    "|(?<=[^\x00-\u02ff\u2000-\u206f])[\u200c\u200d]+(?=[^\x00-\u02ff\u2000-\u206f])"  # joiners
    "|(?<=[^\\s\u2000-\u206f\ufe00-\ufe0f\U000e0000-\U000e01ef])"  # one selector after a symbol
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef](?![\ufe00-\ufe0f\U000e0100-\U000e01ef]))"
)
_UNSEEN: Final = re.compile(
    f"{_ALLOWED}|" + "|".join(f"([{characters}])" for characters in _KINDS.values())
)


def invisible_characters(text: str) -> dict[str, int]:
    """Return how many characters of each kind a text hides; empty for nearly every text."""
    if text.isascii() or not _ANY.search(text):
        return {}
    kind_numbers = [match.lastindex for match in _UNSEEN.finditer(text) if match.lastindex]
    kinds = {kind: kind_numbers.count(number) for number, kind in enumerate(_KINDS, 1)}
    return {kind: times for kind, times in kinds.items() if times}


def without_invisible(text: str) -> str:
    """Return a text without the characters that nobody sees."""
    if text.isascii() or not _ANY.search(text):
        return text
    return _UNSEEN.sub(lambda match: "" if match.lastindex else match[0], text)


_BASE = 0x9E3779B97F4A7C15
_WORD = 1 << 64
_INVERSE = pow(_BASE, -1, _WORD)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)
_BITS = 16
_PART = 1 << _BITS
"""Length of the table of powers: it stays in a processor's cache."""


def slice_hashes(
    values: NDArray[np.unsignedinteger[Any]], starts: NDArray[Any], stops: NDArray[Any]
) -> NDArray[np.uint64]:
    """Return a 64-bit hash of the values in each slice ``starts:stops``."""
    if not len(starts):
        return np.zeros(0, np.uint64)
    n = len(values)
    total = np.zeros(n + 1, np.uint64)
    terms = total[1:]
    np.add(values, np.uint64(1), out=terms)
    power, inverse = _powers()
    for first in range(0, n, _PART):
        part = terms[first : first + _PART]
        part *= power[: len(part)]
        if first:
            part *= np.uint64(pow(_BASE, first, _WORD))
    terms.cumsum(out=terms)
    divisor = inverse.take(starts & (_PART - 1))
    if n >= _PART:
        firsts = range(0, n + 1, _PART)
        by_part = np.array([pow(_INVERSE, first, _WORD) for first in firsts], np.uint64)
        divisor *= by_part.take(starts >> _BITS)
    return mixed((total.take(stops) - total.take(starts)) * divisor)


def mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits, so that the high ones can index a table."""
    hashes = hashes ^ (hashes >> _SHIFT)
    hashes *= _MIX
    hashes ^= hashes >> _SHIFT
    return hashes


def hash_of(text: str) -> int:
    """Return the hash that `slice_hashes` gives the characters of a text."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return int(slice_hashes(codes, np.zeros(1, np.int64), np.array([len(codes)]))[0])


@cache
def _powers() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the first powers of the base, and their inverses."""
    factors = np.full((2, _PART), _BASE, np.uint64)
    factors[1] = _INVERSE
    factors[:, 0] = 1
    powers = np.cumprod(factors, axis=1, dtype=np.uint64)
    powers.flags.writeable = False
    return powers[0], powers[1]
