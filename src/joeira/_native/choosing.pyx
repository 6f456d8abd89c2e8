"""Kernels of `joeira.blockmodel.choosing`: the best prefix of blocks, and sections of headings."""

import numpy as np

from libc.math cimport exp, log, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t

cdef enum:
    LEVELS = 6  # of headings
    MOST_CASES = 16

cdef double SURE = 1e-6
cdef double PI = 3.141592653589793


def best_prefix(
    const double[::1] probability,
    const double[::1] size,
    double weight,
    double shared_doubt,
    cases,
):
    """Return how many items the prefix with the best expected F measure has, and that measure.

    Args:
        probability: Of each item, in falling order.
        size: Of each item.
        weight: Of recall against precision.
        shared_doubt: See `joeira.blockmodel.model.best_expected_f`; 0 for none.
        cases: Of the doubt that all items share: what it is, and how likely.
    """
    cdef const double[::1] offset = cases[0], chance = cases[1]
    cdef Py_ssize_t items = probability.shape[0], count = offset.shape[0], item, case, best = 0
    if size.shape[0] != items or chance.shape[0] != count or not 1 <= count <= MOST_CASES:
        raise ValueError("items or cases that do not fit each other")
    if not items:
        return 0, 0.0
    cdef double[:, ::1] expected = np.empty((items, count))  # of each item alone
    cdef double[MOST_CASES] factor, total, so_far
    cdef double value, odds, taken = 0, mean, most = -1
    cdef double stretch = sqrt(1 + PI * shared_doubt * shared_doubt / 8)
    with nogil:
        for case in range(count):
            factor[case] = exp(-shared_doubt * offset[case])
            total[case] = so_far[case] = 0
        for item in range(items):
            value = min(max(probability[item], SURE), 1 - SURE)
            odds = exp(-log(value / (1 - value)) * stretch) if shared_doubt else 0
            for case in range(count):
                value = 1 / (1 + odds * factor[case]) if shared_doubt else probability[item]
                expected[item, case] = value * size[item] if probability[item] > 0 else 0
                total[case] += expected[item, case]
        for item in range(items):
            taken += size[item]
            mean = 0
            for case in range(count):
                so_far[case] += expected[item, case]
                mean += chance[case] * so_far[case] / max(taken + weight * total[case], 1e-9)
            mean *= 1 + weight
            if mean > most:
                best, most = item, mean
    return best + 1, most


def section_ends(
    const int32_t[::1] begins,
    const Py_ssize_t[::1] headings,
    const int64_t[::1] level,
    const int32_t[::1] parent,
    const int32_t[::1] end,
):
    """Return, per heading, one past the last block of its section.

    Args:
        begins: Per block: the row of its first text.
        headings: Numbers of the blocks that are headings, in order.
        level: Of each heading: 0 for ``h1``.
        parent: Per row of the page.
        end: Per row of the page.
    """
    cdef Py_ssize_t size = begins.shape[0], rows = parent.shape[0], count = headings.shape[0]
    cdef Py_ssize_t heading, block, around, above, after, low, high, middle, stop, place
    cdef bint fits = level.shape[0] == count and end.shape[0] == rows
    if fits:
        for place in range(count):
            fits &= 0 <= headings[place] < size and 0 <= level[place] < LEVELS
        for place in range(size):
            fits &= 0 <= begins[place] < rows
        for place in range(rows):
            fits &= -1 <= parent[place] < place
    if not fits:
        raise ValueError("headings that are no blocks of the page")
    stops = np.empty(count, np.int64)
    cdef int64_t[::1] to = stops
    cdef Py_ssize_t[LEVELS] following  # the next heading of each level
    with nogil:
        for place in range(LEVELS):
            following[place] = size
        for heading in range(count - 1, -1, -1):
            block = headings[heading]
            after = begins[min(block + 1, size - 1)]
            around, above = begins[block], parent[begins[block]]
            while above >= 0 and end[above] <= after:
                around, above = above, parent[above]
            after = end[max(above, 0)]
            low, high = 0, size
            while low < high:
                middle = (low + high) // 2
                if begins[middle] < after:
                    low = middle + 1
                else:
                    high = middle
            stop = low
            for place in range(level[heading] + 1):
                stop = min(stop, following[place])
            following[level[heading]] = block
            to[heading] = max(stop, block + 1)
    return stops


cdef enum:  # of what `follow_sections` finds
    HEADS_NOTHING = 1
    HEADS_KEPT = 2


def follow_sections(blocks, tree, headings, chosen, limits):
    """Return, per heading, whether it heads nothing that is kept (1) or is to be taken in (2).

    The reference has the conditions: `joeira.blockmodel.choosing.follow_sections`.

    Args:
        blocks: Per block: row of its first text, words, share of linked words, whether it is a
            heading.
        tree: Parent and end of each row of the page.
        headings: Numbers of the blocks that are headings, their levels, and which of them, by block,
            may be the title of a page that is no article; -1 for none.
        chosen: Per block: whether it was chosen, whether it is still kept, and how likely it is.
        limits: The least chance of a heading over kept text, that of one that stays over nothing,
            and the most linked words of one that is taken in.
    """
    cdef const int32_t[::1] begins = blocks[0]
    cdef const double[::1] words = blocks[1], density = blocks[2]
    cdef const uint8_t[::1] is_heading = blocks[3]
    cdef const Py_ssize_t[::1] number = headings[0]
    cdef const int64_t[::1] level = headings[1]
    cdef Py_ssize_t title = headings[2]
    cdef const uint8_t[::1] keep = chosen[0], kept = chosen[1]
    cdef const double[::1] probability = chosen[2]
    cdef double heads_kept_chance = limits[0], heads_nothing_chance = limits[1], linked = limits[2]
    cdef Py_ssize_t size = begins.shape[0], count = number.shape[0], place, block, stop, outer
    cdef const int64_t[::1] stops = section_ends(begins, headings[0], headings[1], *tree)
    if (
        words.shape[0] != size
        or density.shape[0] != size
        or is_heading.shape[0] != size
        or keep.shape[0] != size
        or kept.shape[0] != size
        or probability.shape[0] != size
    ):
        raise ValueError("blocks that do not fit each other")
    cdef double[:, ::1] before = np.zeros((2, size + 1))  # words of texts, and of kept ones
    decisions = np.zeros(count, np.uint8)
    cdef uint8_t[::1] to = decisions, is_empty = np.zeros(count, np.uint8)
    cdef Py_ssize_t[LEVELS] last  # the last heading of each level
    cdef bint after_title = False, is_part, heads_kept, rides, is_between
    with nogil:
        for block in range(size):
            before[0, block + 1] = before[0, block]
            before[1, block + 1] = before[1, block]
            if not is_heading[block]:
                before[0, block + 1] += words[block]
                if kept[block]:
                    before[1, block + 1] += words[block]
        for place in range(LEVELS):
            last[place] = -1
        for place in range(count):
            block, stop = number[place], stops[place]
            after_title |= level[place] == 0
            is_part = after_title or before[1, block] > 0 or kept[min(block + 1, size - 1)]
            is_part &= level[place] > 0
            is_empty[place] = before[0, stop] == before[0, block + 1]
            heads_kept = before[1, stop] > before[1, block + 1]
            if is_part and not is_empty[place] and not heads_kept and kept[block]:
                if probability[block] < heads_nothing_chance:
                    to[place] = HEADS_NOTHING
            outer = -1
            for stop in range(level[place]):
                outer = max(outer, last[stop])
            last[level[place]] = place
            rides = is_part and heads_kept
            if is_part and not heads_kept and is_empty[place] and outer >= 0:
                is_between = before[1, block] > before[1, number[outer]]
                is_between &= before[1, stops[outer]] > before[1, block]
                rides = is_between or (is_empty[outer] and kept[number[outer]])
            rides |= block == title and heads_kept
            if rides and not keep[block] and density[block] < linked:
                if probability[block] >= heads_kept_chance:
                    to[place] = HEADS_KEPT
    return decisions
