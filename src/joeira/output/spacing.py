"""Spaces between the texts of a block, as a reader expects them.

`Page.space_before` implies a space at the border of a link or a span, so that neighbouring labels
stay two words. Running text needs finer rules: no space before a comma that follows a link, none
after an opening bracket, none within Chinese or Japanese.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joeira.kernels.strings import SPACE, UNSPACED
from joeira.page import Page

_CLOSING = frozenset(",.;:!?)]}%…”’»、。，．：；！？）］」』】")
_OPENING = frozenset("([{“‘«¿¡$€£¥#@（［「『【")


def spaces(page: Page) -> NDArray[np.bool_]:
    """Return, per text, whether a space stands between it and the text before in its block."""
    space = page.space_before.copy()
    if len(space) < 2:
        return space
    starts, classes = page.characters.starts, page.characters.classes
    first, last = classes[starts[1:]], classes[starts[1:] - 2]
    written = page.gap_before[1:] | (((first | last) & SPACE) != 0)
    implied = space[1:] & ~written
    implied[page.block_bounds[1][1:-1] - 1] = False
    space[1:][implied & ((first & last & UNSPACED) != 0)] = False
    texts = page.texts
    for index in (np.flatnonzero(implied) + 1).tolist():
        if texts[index][0] in _CLOSING or texts[index - 1][-1] in _OPENING:
            space[index] = False
    return space
