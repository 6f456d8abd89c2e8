"""Tag names as small numbers, and the sets of tags that every layer agrees on.

Numbers of known tags never change between versions: append, never reorder. Tags that a page brings
itself (custom elements, foreign names) are numbered from `FIRST_FOREIGN` in order of appearance,
page by page.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

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


INLINE: Final = table(
    "#text a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp "
    "rt ruby rb rtc s samp small span strike strong sub sup time tt u var wbr nobr br img picture "
    "source path svg math g use slot input script style template noscript link meta"
)
"""Elements that flow inside a line or show nothing; every other element begins a new block."""

TIGHT: Final = table(
    "#text abbr acronym b bdi bdo big code data del dfn em font i ins kbd mark q rp rt ruby rb rtc "
    "s samp small strike strong sub sup tt u var wbr nobr cite"
)
"""Inline elements that mark up part of a word or phrase: no space is implied at their borders."""

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
