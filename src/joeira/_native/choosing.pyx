"""Kernels of `joeira.blockmodel.choosing`: the best blocks, copies, sections, wholes, and texts.

The reference of each has its conditions: `probabilities` and `best_expected_f` in
`joeira.blockmodel.model`, and the functions of the same names in `joeira.blockmodel.choosing` and
`joeira.blockmodel.completion`.
"""

import numpy as np

from libc.math cimport exp, log, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    LEVELS = 6  # of headings
    CASES = 8  # all at once, whether or not there are as many

cdef double SURE = 1e-6
cdef double PI = 3.141592653589793
cdef uint64_t BASE = 0x9E3779B97F4A7C15


def probabilities(const double[::1] logits, const double[:, ::1] calibration):
    """Return the probabilities of logits, which become others on the way.

    Args:
        logits: Of any items.
        calibration: Some logits, in order, and what becomes of each; others become what is as far
            between these.
    """
    cdef Py_ssize_t items = logits.shape[0], known = calibration.shape[1], item, low, high, middle
    if calibration.shape[0] != 2 or not known:
        raise ValueError("a calibration that has not two rows")
    odds = np.empty(items)  # first what becomes of the logits, then the odds against each item
    cdef double[::1] value = odds
    cdef const double[::1] before = calibration[0], after = calibration[1]
    cdef double logit, slope
    with nogil:
        for item in range(items):
            logit = logits[item]
            low, high = 0, known
            while low < high:
                middle = (low + high) // 2
                if before[middle] <= logit:
                    low = middle + 1
                else:
                    high = middle
            if low == 0 or low == known:
                value[item] = -after[max(low - 1, 0)]
            else:
                slope = (after[low] - after[low - 1]) / (before[low] - before[low - 1])
                value[item] = -(slope * (logit - before[low - 1]) + after[low - 1])
    np.exp(odds, odds)
    with nogil:
        for item in range(items):
            value[item] = 1 / (1 + value[item])
    return odds


def best_blocks(chances, const double[::1] size, double weight, double shared_doubt, cases):
    """Return which items are in the set with the best expected F measure, and that measure.

    Args:
        chances: Of each item.
        size: Of each item.
        weight: Of recall against precision.
        shared_doubt: See `joeira.blockmodel.model.best_expected_f`; 0 for none.
        cases: Of the doubt that all items share: what it is, and how likely; at most eight.
    """
    cdef const double[::1] probability = chances, offset = cases[0], chance = cases[1]
    cdef Py_ssize_t items = probability.shape[0], count = offset.shape[0], item, case, best = 0
    if size.shape[0] != items or chance.shape[0] != count or not 1 <= count <= CASES:
        raise ValueError("items or cases that do not fit each other")
    keep = np.zeros(items, np.bool_)
    if not items:
        return keep, 0.0
    cdef uint8_t[::1] is_kept = keep.view(np.uint8)
    cdef const Py_ssize_t[::1] order = (-chances).argsort(kind="stable")
    cdef double[:, ::1] all_expected = np.empty((items, CASES))  # of each item alone
    cdef double* expected
    cdef double[CASES] likely, factor, total, so_far, f
    cdef double value, words, odds, taken = 0, mean, most = -1
    cdef double stretch = sqrt(1 + PI * shared_doubt * shared_doubt / 8)
    with nogil:
        for case in range(CASES):  # those beyond the last count nothing
            likely[case] = chance[case] if case < count else 0
            factor[case] = exp(-shared_doubt * offset[case]) if case < count else 0
            total[case] = so_far[case] = 0
        for item in range(items):
            expected = &all_expected[item, 0]
            value, words = probability[order[item]], size[order[item]]
            if not value > 0:
                for case in range(CASES):
                    expected[case] = 0
            elif not shared_doubt:
                for case in range(CASES):
                    expected[case] = value * words
            else:
                value = min(max(value, SURE), 1 - SURE)
                odds = exp(-log(value / (1 - value)) * stretch)
                for case in range(CASES):
                    expected[case] = 1 / (1 + odds * factor[case]) * words
            for case in range(CASES):
                total[case] += expected[case]
        for case in range(CASES):
            total[case] *= weight
        for item in range(items):
            expected = &all_expected[item, 0]
            taken += size[order[item]]
            for case in range(CASES):
                so_far[case] += expected[case]
                f[case] = likely[case] * so_far[case] / max(taken + total[case], 1e-9)
            mean = 0
            for case in range(CASES):
                mean += f[case]
            mean *= 1 + weight
            if mean > most:
                best, most = item, mean
        if most > 0:  # where nothing is expected no choice is better than none
            for item in range(best + 1):
                is_kept[order[item]] = True
    return keep, most


def follow_sections(blocks, rows, chosen, marks, limits):
    """Mark headings over nothing that is kept; return per block the mark of those taken in, or 0.

    Args:
        blocks: Per block: the row of its element, the number of its first text, its words, and its
            linked ones.
        rows: Per row of the page: its tag, its parent, its end. Then the rows of the texts.
        chosen: Per block: whether it was chosen, the reason for which it is left out again, which is
            changed here, and how likely it is.
        marks: The tag of ``h1``, whether the first one is taken in like any heading, and the reasons
            of headings that are left out and of those that are taken in.
        limits: The least chance of a heading over kept text, that of one that stays over nothing,
            and the most linked words of one that is taken in.
    """
    cdef const int32_t[::1] owner = blocks[0], first = blocks[1]
    cdef const double[::1] words = blocks[2], linked = blocks[3]
    cdef const int32_t[::1] tag = rows[0], parent = rows[1], end = rows[2], text_row = rows[3]
    cdef const uint8_t[::1] keep = chosen[0].view(np.uint8)
    cdef int8_t[::1] left_out = chosen[1]
    cdef const double[::1] probability = chosen[2]
    cdef int32_t h1 = marks[0]
    cdef bint may_be_title = marks[1]
    cdef int8_t heads_nothing = marks[2], heads_kept = marks[3]
    cdef double kept_chance = limits[0], nothing_chance = limits[1], most_linked = limits[2]
    cdef Py_ssize_t size = owner.shape[0], block, number, count = 0, stop, outer, title = -1
    if (
        first.shape[0] != size
        or words.shape[0] != size
        or linked.shape[0] != size
        or keep.shape[0] != size
        or left_out.shape[0] != size
        or probability.shape[0] != size
    ):
        raise ValueError("blocks that do not fit each other")
    check_rows(tag, parent, end, text_row, owner, first)
    all_taken_in = np.zeros(size, np.int8)
    cdef int8_t[::1] taken_in = all_taken_in
    cdef Py_ssize_t[:, ::1] heading = np.empty((2, size), np.intp)  # its block, its section's end
    cdef double[:, ::1] before = np.empty((2, size + 1))  # words of texts, and of kept ones
    cdef uint8_t[:, ::1] is_so = np.empty((2, size), np.uint8)  # kept, and per heading: empty
    cdef uint8_t[::1] kept = is_so[0], is_empty = is_so[1]
    cdef Py_ssize_t[LEVELS] last  # the last heading of each level
    cdef int32_t level
    cdef bint after_title = False, is_part, over_kept, rides, is_between
    with nogil:
        before[0, 0] = before[1, 0] = 0
        for block in range(size):
            kept[block] = keep[block] and left_out[block] == 0
            before[0, block + 1] = before[0, block]
            before[1, block + 1] = before[1, block]
            level = tag[owner[block]] - h1
            if 0 <= level < LEVELS:
                heading[0, count] = block
                count += 1
                if level == 0 and title < 0 and may_be_title:
                    title = block
                continue
            before[0, block + 1] += words[block]
            if kept[block]:
                before[1, block + 1] += words[block]
        end_sections(count, heading, tag, owner, first, text_row, parent, end, h1)
        for level in range(LEVELS):
            last[level] = -1
        for number in range(count):
            block, stop = heading[0, number], heading[1, number]
            level = tag[owner[block]] - h1
            after_title |= level == 0
            is_part = after_title or before[1, block] > 0 or kept[min(block + 1, size - 1)]
            is_part &= level > 0
            is_empty[number] = before[0, stop] == before[0, block + 1]
            over_kept = before[1, stop] > before[1, block + 1]
            outer = -1
            for stop in range(level):
                outer = max(outer, last[stop])
            last[level] = number
            if is_part and not is_empty[number] and not over_kept and kept[block]:
                if probability[block] < nothing_chance:
                    left_out[block] = heads_nothing
            rides = is_part and over_kept
            if is_part and not over_kept and is_empty[number] and outer >= 0:
                is_between = before[1, block] > before[1, heading[0, outer]]
                is_between &= before[1, heading[1, outer]] > before[1, block]
                rides = is_between or (is_empty[outer] and kept[heading[0, outer]])
            rides |= block == title and over_kept
            if rides and not keep[block] and probability[block] >= kept_chance:
                if linked[block] / max(words[block], 1) < most_linked:
                    taken_in[block] = heads_kept
    return all_taken_in


cdef check_rows(
    const int32_t[::1] tag,
    const int32_t[::1] parent,
    const int32_t[::1] end,
    const int32_t[::1] text_row,
    const int32_t[::1] owner,
    const int32_t[::1] first,
):
    """Raise an error where a block has no row, or a row no place in the tree."""
    cdef Py_ssize_t rows = tag.shape[0], texts = text_row.shape[0], place
    cdef int bad = parent.shape[0] != rows or end.shape[0] != rows
    with nogil:  # without branches, so that the compiler looks at many at once
        for place in range(rows if not bad else 0):
            bad |= (parent[place] < -1) | (parent[place] >= <int32_t> place)
        for place in range(texts):
            bad |= (text_row[place] < 0) | (text_row[place] >= <int32_t> rows)
        for place in range(owner.shape[0]):
            bad |= (owner[place] < 0) | (owner[place] >= <int32_t> rows)
            bad |= (first[place] < 0) | (first[place] >= <int32_t> texts)
    if bad:
        raise ValueError("blocks that are not of the page")


cdef void end_sections(
    Py_ssize_t count,
    Py_ssize_t[:, ::1] heading,
    const int32_t[::1] tag,
    const int32_t[::1] owner,
    const int32_t[::1] first,
    const int32_t[::1] text_row,
    const int32_t[::1] parent,
    const int32_t[::1] end,
    int32_t h1,
) noexcept nogil:
    """Write, per heading, one past the last block of its section below the number of its block."""
    cdef Py_ssize_t size = owner.shape[0], number, block, above, after, low, high, middle, stop
    cdef Py_ssize_t[LEVELS] following  # the next heading of each level
    cdef int32_t level
    for level in range(LEVELS):
        following[level] = size
    for number in range(count - 1, -1, -1):
        block = heading[0, number]
        after = text_row[first[min(block + 1, size - 1)]]
        above = parent[text_row[first[block]]]
        while above >= 0 and end[above] <= after:
            above = parent[above]
        after = end[max(above, 0)]
        low, high = 0, size
        while low < high:
            middle = (low + high) // 2
            if text_row[first[middle]] < after:
                low = middle + 1
            else:
                high = middle
        stop = low
        for level in range(tag[owner[block]] - h1 + 1):
            stop = min(stop, following[level])
        following[tag[owner[block]] - h1] = block
        heading[1, number] = max(stop, block + 1)


def complete_rows(blocks, rows, keep, double share):
    """Keep the whole of each of some rows of which so large a share of the words is kept.

    Args:
        blocks: Per block: the row of its first text, and its words.
        rows: The rows, in order, and the end of every row of the page.
        keep: Per block: whether it is kept; changed here.
        share: Of the words.
    """
    cdef const double[::1] words = blocks[1]
    cdef uint8_t[::1] is_kept = keep.view(np.uint8)
    cdef Py_ssize_t count = rows[0].shape[0], block
    cdef int32_t[::1] of_block = parts_of(blocks[0], rows[0], rows[1])
    if of_block.shape[0] != is_kept.shape[0] or words.shape[0] != is_kept.shape[0]:
        raise ValueError("blocks that do not fit each other")
    cdef double[:, ::1] sums = np.zeros((2, count))  # words, and kept ones
    with nogil:
        for block in range(of_block.shape[0]):
            if of_block[block] >= 0:
                sums[0, of_block[block]] += words[block]
                if is_kept[block]:
                    sums[1, of_block[block]] += words[block]
        for block in range(of_block.shape[0]):
            if of_block[block] >= 0:
                if sums[1, of_block[block]] >= share * max(sums[0, of_block[block]], 1):
                    is_kept[block] = True


def complete_parts(blocks, rows, keep, chosen, terms):
    """Keep all below each of some rows that stands beside kept text and may be content.

    Args:
        blocks: Per block: the row of its first text, and its words.
        rows: The rows, in order, and the end of every row of the page.
        keep: Per block: whether it is kept; changed here.
        chosen: Per block: how likely it is, and whether it is never part of anything.
        terms: The share of the words that must be expected, whether kept text must come after a part
            as well, and how many blocks away it may be.
    """
    cdef const double[::1] words = blocks[1], probability = chosen[0]
    cdef const uint8_t[::1] is_apart = chosen[1].view(np.uint8)
    cdef uint8_t[::1] is_kept = keep.view(np.uint8)
    cdef double min_share = terms[0]
    cdef bint is_between = terms[1], belongs
    cdef Py_ssize_t near = terms[2], count = rows[0].shape[0], size = is_kept.shape[0], block, part
    cdef int32_t[::1] of_block = parts_of(blocks[0], rows[0], rows[1])
    if (
        of_block.shape[0] != size
        or words.shape[0] != size
        or probability.shape[0] != size
        or is_apart.shape[0] != size
        or near < 0
    ):
        raise ValueError("blocks that do not fit each other")
    cdef double[:, ::1] sums = np.zeros((2, count))  # words, and expected ones
    cdef Py_ssize_t[:, ::1] bounds = np.full((2, count), -1, np.intp)  # first and last block
    cdef Py_ssize_t[::1] before = np.zeros(size + 1, np.intp)  # kept blocks
    with nogil:
        for block in range(size):
            before[block + 1] = before[block] + is_kept[block]
            part = of_block[block]
            if part < 0 or is_apart[block]:
                continue
            sums[0, part] += words[block]
            sums[1, part] += words[block] * probability[block]
            if bounds[0, part] < 0:
                bounds[0, part] = block
            bounds[1, part] = block
        for block in range(size):
            part = of_block[block]
            if part < 0 or is_apart[block]:
                continue
            belongs = before[bounds[0, part]] > before[max(bounds[0, part] - near, 0)]
            if is_between:
                belongs &= (
                    before[min(bounds[1, part] + 1 + near, size)] > before[bounds[1, part] + 1]
                )
            belongs &= sums[1, part] >= min_share * max(sums[0, part], 1)
            if belongs:
                is_kept[block] = True


cdef int32_t[::1] parts_of(
    const int32_t[::1] begins, const int64_t[::1] rows, const int32_t[::1] end
):
    """Return, per block, the number of the nearest of some rows around its first text, or -1."""
    cdef Py_ssize_t size = begins.shape[0], count = rows.shape[0], place, next_row = 0
    cdef bint fits = True
    for place in range(count):
        fits &= 0 <= rows[place] < end.shape[0] and (place == 0 or rows[place - 1] < rows[place])
    for place in range(1, size):
        fits &= begins[place - 1] <= begins[place]
    if not fits:
        raise ValueError("rows that do not fit the page")
    cdef int32_t[::1] of_block = np.empty(size, np.int32), around = np.empty(count, np.int32)
    cdef int32_t nearest = -1
    with nogil:
        for place in range(size):
            while next_row < count and rows[next_row] <= begins[place]:
                while nearest >= 0 and end[rows[nearest]] <= rows[next_row]:
                    nearest = around[nearest]
                around[next_row] = nearest
                nearest = <int32_t> next_row
                next_row += 1
            while nearest >= 0 and end[rows[nearest]] <= begins[place]:
                nearest = around[nearest]
            of_block[place] = nearest
    return of_block


def repeated_blocks(keep, const double[::1] copies, bounds, characters, uint16_t space):
    """Return the kept blocks with the same characters, but for spaces: groups of two or more.

    Two texts may have the same hash by chance. Whoever acts on that compares them.

    Args:
        keep: Per block: whether it is kept.
        copies: Per block: how many may be the same; those without others are not read.
        bounds: Per block: the number of its first text, and one past that of its last.
        characters: Code and class of each character of all texts, and where texts begin.
        space: The bit of a class that spaces have, and ends of texts.
    """
    cdef const uint8_t[::1] is_kept = keep.view(np.uint8)
    cdef Py_ssize_t size = is_kept.shape[0], found = 0, block
    cdef bint fits = copies.shape[0] == size
    for block in range(size if fits else 0):
        found += is_kept[block] and copies[block] > 1
    if fits and found < 2:  # as on most pages
        return []
    cdef const int32_t[::1] first = bounds[0], stop = bounds[1]
    cdef const uint32_t[::1] codes = characters[0]
    cdef const uint16_t[::1] classes = characters[1]
    cdef const int64_t[::1] starts = characters[2]
    cdef Py_ssize_t texts = starts.shape[0], count = codes.shape[0], place, end
    cdef uint64_t total
    fits &= classes.shape[0] == count and first.shape[0] == size and stop.shape[0] == size
    if fits:
        for block in range(size):
            fits &= 0 <= first[block] <= stop[block] <= texts
        for place in range(texts):
            fits &= 0 <= starts[place] <= count
    if not fits:
        raise ValueError("blocks that do not fit the texts")
    cdef Py_ssize_t[::1] alike = np.empty(found, np.intp)
    cdef uint64_t[::1] hashes = np.empty(found, np.uint64)
    found = 0
    with nogil:
        for block in range(size):
            if not is_kept[block] or copies[block] <= 1:
                continue
            total = 0
            place = starts[first[block]] if first[block] < texts else count
            end = starts[stop[block]] if stop[block] < texts else count
            for place in range(place, end):
                if not classes[place] & space:
                    total = (total ^ codes[place]) * BASE
                    total ^= total >> 32
            alike[found] = block
            hashes[found] = total
            found += 1
    cdef dict groups = {}
    for place in range(found):
        groups.setdefault(hashes[place], []).append(alike[place])
    return [group for group in groups.values() if len(group) > 1]


def numbers_above(
    const int32_t[::1] rows, const int32_t[::1] parent, const int32_t[::1] numbers
):
    """Return the numbers that the rows above some rows have, each once; 0 is none.

    Args:
        rows: Some rows of the page.
        parent: Per row of the page: the row above it, -1 for none.
        numbers: Per row of the page.
    """
    cdef Py_ssize_t count = parent.shape[0], place, row
    cdef bytearray has_been = bytearray(count)
    cdef unsigned char* seen = has_been
    cdef set found = set()
    if numbers.shape[0] != count:
        raise ValueError("rows that do not fit each other")
    for place in range(rows.shape[0]):
        row = rows[place]
        if not 0 <= row < count:
            raise ValueError("rows that are not of the page")
        while True:
            if parent[row] >= row:
                raise ValueError("rows that are not of the page")
            row = parent[row]
            if row < 0 or seen[row]:
                break
            seen[row] = True
            if numbers[row]:
                found.add(numbers[row])
    return found


def per_text(bounds, Py_ssize_t texts, const double[::1] words, chosen, const double[::1] chance):
    """Return what was chosen for each text of the page, 0 for texts in no block, and kept words.

    That is whether it is kept in the end, for which reason it is so against what was chosen first
    (None where no block has such a reason), and how likely it is.

    Args:
        bounds: Per block: the number of its first text, and one past that of its last.
        texts: How many there are.
        words: Per block.
        chosen: Per block: whether it was chosen, the reason for which it is left out again, and the
            one for which it is taken in.
        chance: Per block: how likely it is.
    """
    cdef const int32_t[::1] first = bounds[0], stop = bounds[1]
    cdef const uint8_t[::1] keep = chosen[0].view(np.uint8)
    cdef const int8_t[::1] left_out = chosen[1], taken_in = chosen[2]
    cdef Py_ssize_t size = keep.shape[0], block, text
    cdef bint fits = (
        first.shape[0] == size
        and stop.shape[0] == size
        and words.shape[0] == size
        and left_out.shape[0] == size
        and taken_in.shape[0] == size
        and chance.shape[0] == size
    )
    if fits:
        for block in range(size):
            fits &= 0 <= first[block] <= stop[block] <= texts
    if not fits:
        raise ValueError("blocks that do not fit the texts")
    cdef bint is_revised = False
    for block in range(size):
        is_revised |= (left_out[block] > 0) | (taken_in[block] > 0)
    is_kept, scores = np.zeros(texts, np.bool_), np.zeros(texts)
    reasons = np.zeros(texts, np.int8) if is_revised else None
    cdef uint8_t[::1] to_keep = is_kept.view(np.uint8)
    cdef int8_t[::1] to_reason = reasons
    cdef double[::1] to_score = scores
    cdef double kept_words = 0
    cdef uint8_t kept
    with nogil:
        for block in range(size):
            kept = (keep[block] and left_out[block] == 0) or taken_in[block] > 0
            if kept:
                kept_words += words[block]
            for text in range(first[block], stop[block]):
                to_keep[text] = kept
                to_score[text] = chance[block]
            if is_revised:
                for text in range(first[block], stop[block]):
                    to_reason[text] = max(left_out[block], taken_in[block])
    return is_kept, reasons, scores, kept_words
