"""Names for columns: what the page itself calls a value, else what kind of value it is."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

MAX_CHARS = 40

_LABEL = re.compile(r"([^\W\d_][^:：]{1,38}?)\s*[:：](?!//)\s*")
_LABEL_SHARE = 0.9
_SHARED_BY = 3
_SHORT_WORD = 4
"""Shorter words are often abbreviations, in which all pairs of letters occur."""
_SHORT_HASH = 7
"""Classes of so few letters, some of them capital, are often made by style sheet tools."""
_USUAL_SHARE = 2 / 3
"""Pairs of letters of a word that are usual; of random letters it is less than half."""
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_LAYOUT = re.compile(
    r"(?:col|row|grid|[mp][tblrxy]?|w|h|fs|fw|lh|gap|flex|text|font|bg|border|rounded|d|align"
    r"|justify|float|ng|css|sc|js|jss|svelte|Mui\w*|elementor|wp|is|has|hidden|visible|u|l|o|a"
    r"|tw|sm|md|lg|xl|xs|hover|focus|fa|fas|far|icon|btn|media|pull|vc|et|uk|chakra|ant|el)"
    r"(?:[-_:].*)?"
)
_LAYOUT_WORDS = frozenset(
    (
        "col row item items clearfix clear left right text txt inner outer wrapper wrap container "
        "content contents box block list cell first last odd even active hidden visible small "
        "large big bold normal center middle link links lazy lazyload lazyloaded loaded fl fr cf "
        "flex body top bottom main sub line lines field value values data info details label "
        "labels span div table ellipsis truncate notranslate black white red blue green grey gray "
        "wide narrow full half group section part holder inline default primary secondary style "
        "class external internal nowrap sr only visually screen reader offscreen hide hid mask "
        "aok module btn img component"
    ).split()
)
_VOWEL = re.compile("[aeiouyáàâãéêíóôõúäöü]", re.IGNORECASE)
_HOLDERS = frozenset("inner outer wrapper wrap container holder box".split())
"""Last words of names that tell of boxes around a value and not of the value."""
_USUAL_AFTER = dict(
    zip(
        string.ascii_lowercase,
        (
            "bcdfgiklmnprstuvwxyz aeilorsuy acehiklorstuy adegilorsuvy abcdefghiklmnopqrstuvwxy "
            "aefilortuy aeghilnorstuy aeilnortuy abcdefgklmnopqrstvxz aeou aeilns "
            "acdefiklmopstuvy abeimopsuy abcdefgiklmnostuvy abcdefgiklmnoprstuvwxy "
            "adehilmoprstuy u abcdefgiklmnoprstuvwy acefhiklmnopstuwy acefhilmnoprstuwy "
            "abcdegilmnoprst aeio aehinors aceipt aeilmnopst aei"
        ).split(),
        strict=True,
    )
)
"""Letters that follow a letter at least twice in ten thousand pairs, in the words of 500 pages."""


def label_of(text: str) -> str | None:
    """Return the label that a text is, such as "Price:"; None when it is none."""
    match = _LABEL.fullmatch(text)
    return match[1] if match else None


def common_label(values: Iterable[str | None]) -> tuple[str, int] | None:
    """Return the label before nearly all values, and the values that have it; None for none."""
    texts = [value for value in values if value]
    matches = [match for match in map(_LABEL.match, texts) if match and match.end() > 0]
    if len(matches) < 2:
        return None
    label, count = Counter(match[1] for match in matches).most_common(1)[0]
    return (label, count) if count >= _LABEL_SHARE * len(texts) else None


def without_label(value: str, label: str) -> str:
    """Return a value without its label."""
    match = _LABEL.match(value)
    return value[match.end() :] if match and match[1] == label else value


def slug(text: str) -> str:
    """Return a label or a class as a column name: lower case, words joined by underscores."""
    words = _WORD.findall(_CAMEL.sub(" ", unicodedata.normalize("NFC", text)))
    return "_".join(words).lower()[:MAX_CHARS].strip("_")


def name_in_class(token: str) -> str | None:
    """Return the name that a class says, None where it is about layout or made by a machine."""
    block, _, element = token.rpartition("__")  # block__element--modifier
    if not block and "--" in element:
        return None
    words = _name_in(element)
    if not words and block and not _is_layout(element.partition("--")[0]):
        words = _name_in(block.partition("_")[2] or block)  # File_element__b4Sx1
    while len(words) > 1 and words[-1] in _HOLDERS:
        words.pop()
    name = "_".join(words)[:MAX_CHARS].strip("_")
    return name if len(name) > 2 and not _LAYOUT_WORDS.issuperset(words) else None


def _name_in(element: str) -> list[str]:
    """Return the words of an element and of its modifier, such as ``price--old``."""
    name, _, modifier = element.partition("--")
    words = _words_of(name)
    more = _words_of(modifier) if words and modifier else []
    return words + [word for word in more if word not in _LAYOUT_WORDS]


def _is_layout(token: str) -> bool:
    return bool(_LAYOUT.fullmatch(token)) or _LAYOUT_WORDS.issuperset(slug(token).split("_"))


def _words_of(token: str) -> list[str]:
    """Return the words that an author wrote into a part of a class; none for other classes."""
    if _LAYOUT.fullmatch(token):
        return []
    bare = token.rstrip("0123456789-_")
    if re.search(r"\d", bare) or (not _VOWEL.search(bare) and bare.isascii()):
        return []
    if len(re.findall(r"[A-Z]", bare)) > len(bare) / 4 and not bare.isupper():
        return []  # bdVaJa
    words = slug(bare).split("_")
    if not bare.islower() and bare.isalpha() and len(bare) <= _SHORT_HASH:
        whole = len(words[0]) >= _SHORT_WORD - 1
        return words if whole and all(is_written(word, 1) for word in words) else []  # haBorv
    counted = bare != token and token[len(bare)].isdigit()  # eulusyj0
    return [word for word in words if is_written(word, 1 if counted else _USUAL_SHARE)]


def is_written(word: str, least_share: float = _USUAL_SHARE) -> bool:
    """Return whether a lower-case word may be one: most of its pairs of letters are usual ones."""
    if len(word) < _SHORT_WORD or not word.isascii():
        return bool(word)
    usual = sum(after in _USUAL_AFTER.get(letter, "") for letter, after in pairwise(word))
    return usual >= least_share * (len(word) - 1)


def without_shared_start(names: Sequence[str]) -> list[str]:
    """Return names without the words that three or more different ones begin with.

    Classes often repeat the name of the list: search_result_title, search_result_date ...
    """
    words = [name.split("_") for name in names]
    starts = Counter(
        tuple(own[:count]) for own in {tuple(own) for own in words} for count in range(1, len(own))
    )
    found = []
    for own in words:
        cut = max((n for n in range(len(own)) if starts[tuple(own[:n])] >= _SHARED_BY), default=0)
        found.append("_".join(own[cut:]))
    return found


def unique(names: Sequence[str]) -> list[str]:
    """Return the names, with a number where one was given before."""
    taken: set[str] = set()
    reserved = set(names)
    found = []
    for name in names:
        wanted, number = name, 2
        while wanted in taken or (number > 2 and wanted in reserved):
            wanted = f"{name}_{number}"
            number += 1
        taken.add(wanted)
        found.append(wanted)
    return found
