"""Porter's stemmer for English words (1980): what is left of a word without its endings.

The rules are tables of (ending, replacement); of the endings that fit, the longest decides. The
measure of a stem is the number of its vowel runs that a consonant follows.
"""

from __future__ import annotations

import re
from functools import lru_cache

_CONSONANT = "(?:[bcdfghjklmnpqrstvwxz]|(?<![bcdfghjklmnpqrstvwxz])y)"
_VOWEL = "(?:[aeiou]|(?<=[bcdfghjklmnpqrstvwxz])y)"
_RUN = re.compile(f"{_VOWEL}+{_CONSONANT}")
_HAS_VOWEL = re.compile(_VOWEL)
_CLOSED = re.compile(f"{_CONSONANT}{_VOWEL}[bcdfghjklmnpqrstvz]$")
"""Consonant, vowel, consonant other than w, x and y."""

_PLURALS = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))
_LONG = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("abli", "able"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_MIDDLE = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
_LAST = tuple(
    (ending, "")
    for ending in "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive "
    "ize".split()
)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of an English word in lower case."""
    if len(word) <= 2:
        return word
    word = _replaced(word, _PLURALS, -1)
    word = _without_participle(word)
    if word.endswith("y") and _HAS_VOWEL.search(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _LONG, 0)
    word = _replaced(word, _MIDDLE, 0)
    word = _replaced(word, _LAST, 1)
    return _tidied(word)


def _measure(word: str) -> int:
    return len(_RUN.findall(word))


def _replaced(word: str, rules: tuple[tuple[str, str], ...], least: int) -> str:
    """Return a word by the longest ending that fits, if enough of the word is before it."""
    fitting = [rule for rule in rules if word.endswith(rule[0])]
    if not fitting:
        return word
    ending, new = max(fitting, key=lambda rule: len(rule[0]))
    before = word[: -len(ending)]
    if ending == "ion" and not before.endswith(("s", "t")):
        return word
    return before + new if _measure(before) > least else word


def _without_participle(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    before = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if before == word or not _HAS_VOWEL.search(before):
        return word
    if before.endswith(("at", "bl", "iz")):
        return before + "e"
    if _doubled(before) and before[-1] not in "lsz":
        return before[:-1]
    return before + "e" if _measure(before) == 1 and _CLOSED.search(before) else before


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and word[-1] in "bcdfghjklmnpqrstvwxz"


def _tidied(word: str) -> str:
    """Return a word without a silent e and a doubled l at its end."""
    if word.endswith("e"):
        before = word[:-1]
        measure = _measure(before)
        if measure > 1 or (measure == 1 and not _CLOSED.search(before)):
            word = before
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
