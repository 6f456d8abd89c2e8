"""Tag names as small numbers, shared sets of tags, and symbols of tags.

Numbers of known tags never change between versions: append, never reorder. Tags that a page brings
itself (custom elements, foreign names) are numbered from `FIRST_FOREIGN` in order of appearance,
page by page.

Symbols of tags and styled tags are the alphabet of tag paths and subtree shapes. A symbol is a
64-bit number that depends only on names, so that it is the same on every page, in every process:
columns of different pages can be compared directly.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from joeira._lazy import cached_if_short
from joeira._native import native_available

if native_available:
    from joeira._native import blocks as kernels
    from joeira._native import choosing
if TYPE_CHECKING:
    from joeira.page.model import Page

MODAL: Final = "dialog"
"""The role of what takes the page over until it is answered, whatever else it says."""
NO_SNIPPET: Final = "nosnippet"
"""Said of what search engines are asked not to read or show, such as notices about cookies: by an
attribute of Google's or, mostly on Russian pages, an element of Yandex'."""

TEXT: Final = 0
"""The tag number of text nodes."""

NAMES: Final = (
    "#text html head body title meta link base script style template noscript "
    "p div span a li ul ol dl dt dd h1 h2 h3 h4 h5 h6 hgroup "
    "table caption colgroup col thead tbody tfoot tr td th "
    "section article main aside nav header footer address search "
    "form fieldset legend label button input select optgroup option datalist textarea output "
    "progress meter details summary dialog menu "
    "figure figcaption picture source img svg math canvas video audio track map area iframe embed "
    "object param frame frameset noframes "
    "blockquote pre code kbd samp var tt q cite em strong b i u s strike del ins small big sub sup "
    "mark abbr acronym dfn time data font center bdi bdo ruby rt rp rb rtc br hr wbr nobr "
    "dir listing plaintext xmp applet bgsound marquee noembed slot g path use annotation"
).split()

NUMBER: Final[dict[str, int]] = {name: number for number, name in enumerate(NAMES)}

FIRST_FOREIGN: Final = 256
"""First number given to a tag name that is not in `NAMES`."""


def number(name: str) -> int:
    """Return the number of a known tag."""
    return NUMBER[name]


def table(names: str) -> NDArray[np.bool_]:
    """Return a look-up table over tag numbers, true for the given tags; index it with `known`."""
    marked = np.zeros(FIRST_FOREIGN + 1, bool)
    marked[[NUMBER[name] for name in names.split()]] = True
    marked.flags.writeable = False
    return marked


def known(tag: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return tag numbers with every foreign tag mapped to `FIRST_FOREIGN`."""
    return np.minimum(tag, FIRST_FOREIGN)


def counts(known_tag: NDArray[np.int32]) -> list[int]:
    """Return the number of rows of each known tag; the last for all that are not known."""
    if native_available:
        return kernels.tag_counts(known_tag, FIRST_FOREIGN + 1)
    number: list[int] = np.bincount(known_tag, minlength=FIRST_FOREIGN + 1).tolist()
    return number


def rows_of(tag: NDArray[np.int32], number: int) -> NDArray[np.int32]:
    """Return the rows that have the tag of a number."""
    if native_available:
        return kernels.rows_of(tag, number)
    rows: NDArray[np.int32] = (tag == number).nonzero()[0].astype(np.int32)
    return rows


_CONDITION: Final = re.compile(r"\[([a-z-]+)(?:~='([a-z_-]+)' i)?\]")
_SIMPLE: Final = re.compile(
    rf"({'|'.join(NAMES[1:])})((?:{_CONDITION.pattern})*)(?::not\(((?:\[[a-z-]+\],?)+)\))?"
)
"""A tag, attributes that it has, words in them, and those that it lacks: ``a[rel~='author' i]``."""


@cached_if_short(entries=64, longest=100)  # the same few are asked for on every page
def simple(selector: str) -> tuple[int, list[tuple[str, str | None]]] | None:
    """Return the tag of a simple selector, with names of attributes and words; None for others.

    No word stands for an attribute that is missing.
    """
    match = _SIMPLE.fullmatch(selector)
    if match is None:
        return None
    missing = [(name, None) for name, _ in _CONDITION.findall(match[5] or "")]
    return NUMBER[match[1]], [*_CONDITION.findall(match[2]), *missing]


def rows_with(*columns: tuple[NDArray[np.int32], int, list[int]]) -> NDArray[np.int64]:
    """Return the rows that have one of some numbers in one of some columns, in order.

    Args:
        columns: Of each the numbers of the rows, how many numbers there are, and those wanted.
    """
    if native_available:
        return choosing.rows_numbered(*columns)
    has_number = np.logical_or.reduce([np.isin(numbers, wanted) for numbers, _, wanted in columns])
    rows: NDArray[np.int64] = has_number.nonzero()[0]
    return rows


INLINE: Final = table(
    "#text a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp "
    "rt ruby rb rtc s samp small span strike strong sub sup time tt u var wbr nobr br img picture "
    "source path svg math g use slot input script style template noscript link meta "
    "annotation"
)
"""Elements that flow inside a line or show nothing; every other one that is known is a block."""

TIGHT: Final = table(
    "#text abbr acronym b bdi bdo big code data del dfn em font i ins kbd mark q rp rt ruby rb rtc "
    "s samp small strike strong sub sup tt u var wbr nobr cite"
)
"""Inline elements that mark up part of a word or phrase: two that touch have no space between."""

VERBATIM: Final = table("code kbd samp var tt pre listing xmp plaintext sub sup")
"""Elements whose content and borders have no space but what is written."""

PREFORMATTED: Final = table("pre listing xmp plaintext")
_PREFORMATTED_NUMBERS: Final = tuple(PREFORMATTED.nonzero()[0].tolist())

NOT_TEXT: Final = table(
    "script style template noscript iframe noframes noembed svg annotation textarea object canvas "
    "video audio"
)
"""Elements whose content is never text of the page: code, fallbacks, icon labels, form input."""

HEAD: Final = table("head title meta link base")
"""Elements whose text belongs to the document, not to the visible page."""

HEADINGS: Final = table("h1 h2 h3 h4 h5 h6")
VOID: Final = table("area base br col embed hr img input link meta param source track wbr")

RUNNING: Final = INLINE | HEADINGS | table("p pre blockquote ul ol dl")
"""Elements of running text: what follows each other in an article."""


@cached_if_short(entries=1 << 14, longest=100)  # pages of a site share their names
def symbol(name: str) -> int:
    """Return the 64-bit symbol of a name."""
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest())


CLASS_STEP = np.uint64(0xBF58476D1CE4E5B9)
"""Odd factor that spreads the numbers of a page's classes over all symbols."""

LEAF_SYMBOL = np.uint64(symbol("a leaf of any kind"))

_KNOWN_SYMBOLS = np.array([symbol(name) for name in NAMES], np.uint64)


_NO_ROWS: Final = np.zeros(0, np.intp)
_NO_ROWS.setflags(write=False)


def preformatted(page: Page) -> NDArray[np.intp]:
    """Return the rows of preformatted texts, of which most pages have none."""
    counts = page.tag_counts
    pre, *others = _PREFORMATTED_NUMBERS
    if not (counts[pre] or any(counts[number] for number in others)):
        return _NO_ROWS
    return PREFORMATTED.take(page.known_tag).nonzero()[0]


def tag_symbols(page: Page) -> NDArray[np.uint64]:
    """Return the symbol of every row's tag name."""
    if not page.foreign_names:
        return _KNOWN_SYMBOLS.take(page.tag)
    table = np.zeros(FIRST_FOREIGN + len(page.foreign_names), np.uint64)
    table[: len(_KNOWN_SYMBOLS)] = _KNOWN_SYMBOLS
    table[FIRST_FOREIGN:] = [symbol(name) for name in page.foreign_names]
    return table[page.tag]


def class_symbols(names: tuple[str, ...]) -> NDArray[np.uint64]:
    """Return the symbol of each class attribute; 0 for none."""
    return np.array([_style_symbol("class", name) for name in names], np.uint64)


def styled_symbols(page: Page) -> NDArray[np.uint64]:
    """Return the symbol of every row's tag name together with its class and style."""
    numbers, names = page.classes
    symbols = tag_symbols(page) + class_symbols(names)[numbers]
    rows, values = page.attributes.column("style")
    symbols[rows] += np.array([_style_symbol("style", value) for value in values], np.uint64)
    return symbols


def _style_symbol(attribute: str, value: str) -> int:
    """Return the symbol of a value; 0 when it is blank.

    The attribute is part of it: else a ``<p class="div">`` would equal a ``<div class="p">``.
    """
    words = value.split()
    return symbol(f"{attribute}={' '.join(words)}") if words else 0
