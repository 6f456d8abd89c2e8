"""A document as source: the sequence of its tags and texts, split into lines.

Trees are preorder arrays as in `joeira.arrays.trees`. Every row opens and closes, which are two
events; in the order of the source, row *i* opens at event ``2 * i - depth[i]``, because of the *i*
rows before it all but its ancestors have closed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from joeira.arrays import AnyInts, Bools


class Lines(NamedTuple):
    """Lines of a source."""

    chars: NDArray[np.int64]
    """Characters of text on each line."""
    tags: NDArray[np.int64]
    """Tags on each line."""
    of_piece: NDArray[np.int64]
    """Line of each piece of text."""


class Breaks(NamedTuple):
    """Where a source is broken into lines, per row."""

    before: Bools
    """Is there a break before the row's start tag?"""
    after: Bools
    """Is there a break after the row's end tag (after the only tag of a void element)?"""


def without(tags_before: AnyInts, rows: AnyInts, end: AnyInts) -> AnyInts:
    """Return counts of tags per row, `Page.tags_before`, less the tags of some elements.

    The elements must not be void.
    """
    counts = np.append(tags_before, 0)
    counts[rows] -= 1
    np.subtract.at(counts, end[rows], 1)
    return counts[:-1]


def between(tags_before: AnyInts, rows: AnyInts) -> AnyInts:
    """Return the number of tags between each of the rows and the one before it."""
    return np.diff(np.cumsum(tags_before)[rows], prepend=0)


def lines(
    depth: AnyInts,
    end: AnyInts,
    tags: tuple[Bools, Bools],
    breaks: Breaks,
    pieces: tuple[AnyInts, AnyInts, AnyInts],
) -> Lines:
    """Break a document into lines and count the characters and tags of each; empty lines vanish.

    Args:
        depth: Depth of each row.
        end: One past the last row of each subtree.
        tags: Which rows have a start tag, and which an end tag.
        breaks: Where rows break lines.
        pieces: Lines within texts: the row that each piece belongs to, its number within the row
            and its characters.
    """
    rows = np.arange(len(depth))
    opened = 2 * rows - depth
    closed = opened + 2 * (end - rows) - 1
    piece_row, piece_number, piece_chars = pieces

    steps = np.zeros(2 * len(rows) + 1, np.int64)
    steps[opened] += breaks.before
    steps[closed + 1] += breaks.after
    steps[closed[piece_row]] = piece_number  # of several pieces the last one stays
    line = np.cumsum(steps)

    piece_line = line[opened[piece_row]] + piece_number
    count = int(line[-1]) + 1
    chars = np.bincount(piece_line, piece_chars, count).astype(np.int64)
    has_start_tag, has_end_tag = tags
    tag_count = np.bincount(line[opened[has_start_tag]], minlength=count)
    tag_count += np.bincount(line[closed[has_end_tag]], minlength=count)
    used = (chars > 0) | (tag_count > 0)
    return Lines(chars[used], tag_count[used], (np.cumsum(used) - 1)[piece_line])


def tag_ratios(chars: AnyInts, tags: AnyInts) -> NDArray[np.float64]:
    """Return the characters per tag of each line; the characters of a line without tags."""
    return chars / np.maximum(tags, 1)


def smooth(values: NDArray[np.float64], radius: int) -> NDArray[np.float64]:
    """Return the values smoothed by a Gaussian; the end values extend beyond the ends."""
    if radius == 0 or not len(values):
        return values
    weights = np.exp(-(np.arange(-radius, radius + 1) ** 2) / (2 * radius**2))
    return np.convolve(np.pad(values, radius, "edge"), weights / weights.sum(), "valid")


def wrapped(
    lengths: AnyInts, gaps: AnyInts, firsts: AnyInts, width: int
) -> tuple[AnyInts, AnyInts]:
    """Wrap runs of words into lines; return the lines of each run and the words of its last line.

    Args:
        lengths: Characters of each word.
        gaps: Characters between each word and the next on the same line.
        firsts: Number of the first word of each run (no run is empty).
        width: Characters that a line holds; a longer word has a line of its own.
    """
    steps = lengths + gaps
    word_start = np.cumsum(steps) - steps
    word_end = word_start + lengths
    stops = np.append(firsts, len(lengths))[1:]
    line_count = np.ones(len(firsts), np.int64)
    line_start = firsts.astype(np.int64)
    # Nearly all runs fit one line; those that do not go on together, a line at a time.
    active = np.flatnonzero(word_end[stops - 1] - word_start[firsts] > width)
    while len(active):
        here = line_start[active]
        reach = np.searchsorted(word_end, word_start[here] + width, side="right")
        follows = np.maximum(reach, here + 1)
        more = follows < stops[active]
        active, follows = active[more], follows[more]
        line_start[active] = follows
        line_count[active] += 1
    return line_count, stops - line_start
