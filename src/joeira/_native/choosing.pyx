"""Kernels of `joeira.blockmodel.choosing`: the best blocks, copies, sections, wholes, and texts.

The reference of each has its conditions: `best_expected_f` in `joeira.blockmodel.model`, and the
functions of the same names in `joeira.blockmodel.choosing`, `joeira.blockmodel.completion` and
`joeira.page.comments`.
"""

import numpy as np

from cpython.buffer cimport (
    PyBUF_FORMAT,
    PyBUF_ND,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport exp, log, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset, strchr

cdef enum:
    LEVELS = 6  # of headings
    CASES = 8  # all at once, whether or not there are as many

    # The flags of `joeira.arrays.strings`.
    WORD = 1
    UNSPACED = 64
    BUCKETS = 640  # of chances; those of less than a millionth are all in the last
    HALF = 0x3FE0  # of a half: its exponent
    MOVES = 20  # of each item, of which so many are soon made

cdef double SURE = 1e-6
cdef double PI = 3.141592653589793
cdef uint64_t BASE = 0x9E3779B97F4A7C15


cdef void* values_of(
    array, Py_ssize_t size, const char* kinds, Py_ssize_t width, int flags
) except? NULL:
    """Return where the values of an array begin that whoever asks keeps alive.

    Faster than a memoryview, of which a page would need dozens. It raises an error unless there are
    so many of one of some kinds, in a row.
    """
    cdef Py_buffer buffer
    PyObject_GetBuffer(array, &buffer, PyBUF_FORMAT | PyBUF_ND | flags)
    cdef void* start = buffer.buf
    cdef bint fits = buffer.ndim == 1 and buffer.itemsize == width and buffer.format != NULL
    if fits:
        fits = buffer.shape[0] == size and buffer.format[0] != 0 and buffer.format[1] == 0
        fits = fits and strchr(kinds, buffer.format[0]) != NULL
    PyBuffer_Release(&buffer)
    if not fits:
        raise ValueError("blocks that do not fit each other, or the page")
    return start


cdef inline const double* doubles(array, Py_ssize_t size) except? NULL:
    return <const double*> values_of(array, size, "d", 8, 0)


cdef inline const int32_t* numbers(array, Py_ssize_t size) except? NULL:
    return <const int32_t*> values_of(array, size, "il", 4, 0)


cdef inline const int64_t* long_numbers(array, Py_ssize_t size) except? NULL:
    return <const int64_t*> values_of(array, size, "lq", 8, 0)


cdef inline const uint8_t* flags_of(array, Py_ssize_t size) except? NULL:
    return <const uint8_t*> values_of(array, size, "?B", 1, 0)


cdef inline uint8_t* flags_to_change(array, Py_ssize_t size) except? NULL:
    return <uint8_t*> values_of(array, size, "?B", 1, PyBUF_WRITABLE)


cdef inline const int8_t* reasons_of(array, Py_ssize_t size) except? NULL:
    return <const int8_t*> values_of(array, size, "b", 1, 0)


cdef inline int8_t* reasons_to_change(array, Py_ssize_t size) except? NULL:
    return <int8_t*> values_of(array, size, "b", 1, PyBUF_WRITABLE)


cdef void* room_for(Py_ssize_t size) except NULL:
    """Return some room, which whoever asks frees."""
    cdef void* room = PyMem_RawMalloc(max(size, 1))
    if room == NULL:
        raise MemoryError
    return room


# The best blocks ----------------------------------------------------------------------------------

cdef struct Item:
    double chance
    Py_ssize_t place


cdef struct Doubt:  # see `joeira.blockmodel.model.best_expected_f`
    double stretch
    double[CASES] factor
    double[CASES] likely
    bint is_shared


cdef Doubt doubt_of(double shared_doubt, cases) except *:
    """Return the doubt that all items share, of which there are at most eight cases."""
    cdef Py_ssize_t count = len(cases[0]), case
    if not 1 <= count <= CASES or len(cases[1]) != count:
        raise ValueError("cases that do not fit each other, or too many")
    cdef const double* offset = doubles(cases[0], count)
    cdef const double* chance = doubles(cases[1], count)
    cdef Doubt doubt
    doubt.is_shared = shared_doubt != 0
    doubt.stretch = sqrt(1 + PI * shared_doubt * shared_doubt / 8)
    for case in range(CASES):  # those beyond the last count nothing
        doubt.likely[case] = chance[case] if case < count else 0
        doubt.factor[case] = exp(-shared_doubt * offset[case]) if case < count else 0
    return doubt


cdef inline Py_ssize_t bucket_of(double chance) noexcept nogil:
    """Return a number that is no smaller for a larger chance: sixteen for each time it doubles.

    The same holds for what is missing to 1: chances are near 0 or near 1.
    """
    cdef int64_t bits
    cdef double part = chance if chance < 0.5 else 1 - chance
    memcpy(&bits, &part, sizeof(bits))
    bits = (bits >> 48) - (HALF - BUCKETS // 2)
    if not chance < 0.5:
        bits = BUCKETS - bits
    return min(max(bits, 0), BUCKETS - 1)


cdef Item* sorted_items(Item* items, Item* room, Py_ssize_t count) noexcept nogil:
    """Sort items, the likeliest first, equal ones as they were; return which of the two has them.

    They are put into buckets, the largest first, and then each is moved to its place; where many are
    far from it, runs of them are merged instead.
    """
    cdef Py_ssize_t start, middle, stop, left, right, place, width = 1, moves = 0
    cdef Py_ssize_t[BUCKETS] begin
    cdef Item item
    cdef bint is_right
    memset(begin, 0, sizeof(begin))
    for place in range(count):
        begin[bucket_of(items[place].chance)] += 1
    stop = count
    for place in range(BUCKETS):
        stop -= begin[place]
        begin[place] = stop
    for place in range(count):
        left = bucket_of(items[place].chance)
        room[begin[left]] = items[place]
        begin[left] += 1
    items, room = room, items
    for right in range(1, count):
        item = items[right]
        place = right
        while place > 0 and items[place - 1].chance < item.chance:
            items[place] = items[place - 1]
            place -= 1
        items[place] = item
        moves += right - place
        if moves > MOVES * count:
            break
    else:
        return items
    while width < count:
        start = 0
        while start < count:
            middle, stop = min(start + width, count), min(start + 2 * width, count)
            left, right = start, middle
            for place in range(start, stop):
                is_right = right < stop
                if left < middle and is_right:
                    is_right = items[left].chance < items[right].chance
                room[place] = items[right if is_right else left]
                right += is_right
                left += not is_right
            start = stop
        items, room = room, items
        width *= 2
    return items


cdef double keep_best(
    const double* chance,
    const double* size,
    Py_ssize_t items,
    double weight,
    const Doubt* doubt,
    uint8_t* keep,
) except? -2:
    """Mark the items in the set with the best expected F measure; return that measure."""
    if not items:
        return 0
    cdef Item* order = <Item*> room_for(items * (2 * sizeof(Item) + CASES * sizeof(double)))
    cdef Item* room = order
    cdef double* all_expected = <double*> (order + 2 * items)  # of each item alone
    cdef double* expected
    cdef double[CASES] each, total, so_far, f
    cdef double value, words, odds, taken = 0, mean, most = -1, before = -1
    cdef Py_ssize_t item, case, best = 0
    with nogil:
        for item in range(items):
            order[item].chance, order[item].place = chance[item], item
        order = sorted_items(order, order + items, items)
        for case in range(CASES):
            total[case] = so_far[case] = each[case] = 0
        for item in range(items):
            expected = all_expected + item * CASES
            value, words = order[item].chance, size[order[item].place]
            if not value > 0:
                for case in range(CASES):
                    each[case] = 0
            elif not doubt.is_shared:
                for case in range(CASES):
                    each[case] = value
            elif value != before:  # many are equally likely
                value = min(max(value, SURE), 1 - SURE)
                odds = exp(-log(value / (1 - value)) * doubt.stretch)
                for case in range(CASES):
                    each[case] = 1 / (1 + odds * doubt.factor[case])
            before = order[item].chance
            for case in range(CASES):
                expected[case] = each[case] * words
                total[case] += expected[case]
        for case in range(CASES):
            total[case] *= weight
        for item in range(items):
            expected = all_expected + item * CASES
            taken += size[order[item].place]
            for case in range(CASES):
                so_far[case] += expected[case]
                f[case] = doubt.likely[case] * so_far[case] / max(taken + total[case], 1e-9)
            mean = 0
            for case in range(CASES):
                mean += f[case]
            mean *= 1 + weight
            if mean > most:
                best, most = item, mean
        if most > 0:  # where nothing is expected no choice is better than none
            for item in range(best + 1):
                keep[order[item].place] = True
    PyMem_RawFree(room)
    return most


def best_blocks(chances, size, double weight, double shared_doubt, cases):
    """Return which items are in the set with the best expected F measure, and that measure.

    Args:
        chances: Of each item.
        size: Of each item.
        weight: Of recall against precision.
        shared_doubt: See `joeira.blockmodel.model.best_expected_f`; 0 for none.
        cases: Of the doubt that all items share: what it is, and how likely; at most eight.
    """
    cdef Doubt doubt = doubt_of(shared_doubt, cases)
    cdef Py_ssize_t items = len(chances)
    keep = np.zeros(items, np.bool_)
    cdef double most = keep_best(
        doubles(chances, items),
        doubles(size, items),
        items,
        weight,
        &doubt,
        flags_to_change(keep, items),
    )
    return keep, most


# The blocks of a page -----------------------------------------------------------------------------

cdef class Choosing:
    """Steps of a choice among the blocks of one page."""

    cdef object given
    cdef Py_ssize_t size, rows, texts
    cdef const int32_t* owner
    cdef const int32_t* first
    cdef const int32_t* stop
    cdef const double* words
    cdef const double* linked
    cdef const int32_t* tag
    cdef const int32_t* parent
    cdef const int32_t* end
    cdef const int32_t* text_row

    def __init__(self, blocks, rows):
        """Look at the blocks.

        Args:
            blocks: Per block: the row of its element, the number of its first text and one past that
                of its last, its words, and its linked ones.
            rows: Per row of the page: its tag, its parent, its end. Then the rows of the texts.
        """
        owner, first, stop, words, linked = blocks
        tag, parent, end, text_row = rows
        self.given = blocks, rows  # the arrays that the pointers lead into
        self.size, self.rows, self.texts = len(owner), len(tag), len(text_row)
        self.owner, self.first = numbers(owner, self.size), numbers(first, self.size)
        self.stop, self.words = numbers(stop, self.size), doubles(words, self.size)
        self.linked = doubles(linked, self.size)
        self.tag, self.parent = numbers(tag, self.rows), numbers(parent, self.rows)
        self.end, self.text_row = numbers(end, self.rows), numbers(text_row, self.texts)
        if not self.fits():
            self.size = self.rows = self.texts = 0
            raise ValueError("blocks that are not of the page")

    cdef bint fits(self) noexcept nogil:
        """Return whether every block has its row and its texts, and every row a place in the tree."""
        cdef Py_ssize_t place
        cdef int32_t rows = <int32_t> self.rows, texts = <int32_t> self.texts
        cdef int bad = 0  # without branches, so that the compiler looks at many at once
        for place in range(self.rows):
            bad |= (self.parent[place] < -1) | (self.parent[place] >= <int32_t> place)
            bad |= (self.end[place] <= <int32_t> place) | (self.end[place] > rows)
        for place in range(self.texts):
            bad |= (self.text_row[place] < 0) | (self.text_row[place] >= rows)
        for place in range(1, self.texts):
            bad |= self.text_row[place - 1] >= self.text_row[place]
        for place in range(self.size):
            bad |= (self.owner[place] < 0) | (self.owner[place] >= rows)
            bad |= (self.first[place] < 0) | (self.first[place] >= self.stop[place])
            bad |= self.stop[place] > texts
        for place in range(1, self.size):
            bad |= self.first[place - 1] >= self.first[place]
        return not bad

    cdef inline int32_t begin(self, Py_ssize_t block) noexcept nogil:
        """Return the row of the first text of a block."""
        return self.text_row[self.first[block]]

    def best(self, probability, double weight, double shared_doubt, cases):
        """Return what `best_blocks` does for the words of the blocks, and how many are expected.

        Args:
            probability: Of each block.
            weight: Of recall against precision.
            shared_doubt: See `joeira.blockmodel.model.best_expected_f`; 0 for none.
            cases: Of the doubt that all blocks share: what it is, and how likely; at most eight.
        """
        cdef Doubt doubt = doubt_of(shared_doubt, cases)
        cdef const double* chance = doubles(probability, self.size)
        keep = np.zeros(self.size, np.bool_)
        cdef uint8_t* is_kept = flags_to_change(keep, self.size)
        cdef double most = keep_best(chance, self.words, self.size, weight, &doubt, is_kept)
        cdef double expected = 0
        cdef Py_ssize_t block
        for block in range(self.size):
            expected += chance[block] * self.words[block]
        return keep, most, expected

    # Sections -----------------------------------------------------------------------------------

    def follow_sections(self, keep, left_out, probability, marks, limits):
        """Mark headings over nothing that is kept; return per block the mark of those taken in, or 0.

        Args:
            keep: Per block: whether it was chosen.
            left_out: Per block: the reason for which it is left out again; changed here.
            probability: Per block.
            marks: The tag of ``h1``, whether the first one is taken in like any heading, and the
                reasons of headings that are left out and of those that are taken in.
            limits: The least chance of a heading over kept text, that of one that stays over
                nothing, and the most linked words of one that is taken in.
        """
        cdef const uint8_t* is_kept = flags_of(keep, self.size)
        cdef int8_t* reason = reasons_to_change(left_out, self.size)
        cdef const double* chance = doubles(probability, self.size)
        cdef int32_t h1 = marks[0], level
        cdef bint may_be_title = marks[1]
        cdef int8_t heads_nothing = marks[2], heads_kept = marks[3]
        cdef double kept_chance = limits[0], nothing_chance = limits[1], most_linked = limits[2]
        all_taken_in = np.zeros(self.size, np.int8)
        cdef Py_ssize_t size = self.size, block, number, count = 0, stop, outer, title = -1
        for block in range(size):
            level = self.tag[self.owner[block]] - h1
            count += 0 <= level < LEVELS
        if not count:
            return all_taken_in
        cdef int8_t* taken_in = reasons_to_change(all_taken_in, size)
        # Words of texts and of kept ones before each block; blocks of headings, ends of sections.
        cdef double* before = <double*> room_for(
            2 * (size + 1) * sizeof(double) + count * (2 * sizeof(Py_ssize_t) + 1) + size
        )
        cdef double* kept_before = before + size + 1
        cdef Py_ssize_t* heading = <Py_ssize_t*> (kept_before + size + 1)
        cdef Py_ssize_t* section = heading + count
        cdef uint8_t* kept = <uint8_t*> (section + count)
        cdef uint8_t* is_empty = kept + size
        cdef Py_ssize_t[LEVELS] last  # the last heading of each level
        cdef bint after_title = False, is_part, over_kept, rides, is_between
        with nogil:
            count = 0
            before[0] = kept_before[0] = 0
            for block in range(size):
                kept[block] = is_kept[block] and reason[block] == 0
                before[block + 1] = before[block]
                kept_before[block + 1] = kept_before[block]
                level = self.tag[self.owner[block]] - h1
                if 0 <= level < LEVELS:
                    heading[count] = block
                    count += 1
                    if level == 0 and title < 0 and may_be_title:
                        title = block
                    continue
                before[block + 1] += self.words[block]
                if kept[block]:
                    kept_before[block + 1] += self.words[block]
            self.end_sections(count, heading, section, h1)
            for level in range(LEVELS):
                last[level] = -1
            for number in range(count):
                block, stop = heading[number], section[number]
                level = self.tag[self.owner[block]] - h1
                after_title |= level == 0
                is_part = after_title or kept_before[block] > 0 or kept[min(block + 1, size - 1)]
                is_part &= level > 0
                is_empty[number] = before[stop] == before[block + 1]
                over_kept = kept_before[stop] > kept_before[block + 1]
                outer = -1
                for stop in range(level):
                    outer = max(outer, last[stop])
                last[level] = number
                if is_part and not is_empty[number] and not over_kept and kept[block]:
                    if chance[block] < nothing_chance:
                        reason[block] = heads_nothing
                rides = is_part and over_kept
                if is_part and not over_kept and is_empty[number] and outer >= 0:
                    is_between = kept_before[block] > kept_before[heading[outer]]
                    is_between &= kept_before[section[outer]] > kept_before[block]
                    rides = is_between or (is_empty[outer] and kept[heading[outer]])
                rides |= block == title and over_kept
                if rides and not is_kept[block] and chance[block] >= kept_chance:
                    if self.linked[block] / max(self.words[block], 1) < most_linked:
                        taken_in[block] = heads_kept
        PyMem_RawFree(before)
        return all_taken_in

    cdef void end_sections(
        self, Py_ssize_t count, const Py_ssize_t* heading, Py_ssize_t* section, int32_t h1
    ) noexcept nogil:
        """Write, per heading, one past the last block of its section."""
        cdef Py_ssize_t size = self.size, number, block, above, after, low, high, middle, stop
        cdef Py_ssize_t[LEVELS] following  # the next heading of each level
        cdef int32_t level
        for level in range(LEVELS):
            following[level] = size
        for number in range(count - 1, -1, -1):
            block = heading[number]
            after = self.begin(min(block + 1, size - 1))
            above = self.parent[self.begin(block)]
            while above >= 0 and self.end[above] <= after:
                above = self.parent[above]
            after = self.end[max(above, 0)]
            low, high = 0, size
            while low < high:
                middle = (low + high) // 2
                if self.begin(middle) < after:
                    low = middle + 1
                else:
                    high = middle
            stop = low
            for level in range(self.tag[self.owner[block]] - h1 + 1):
                stop = min(stop, following[level])
            following[self.tag[self.owner[block]] - h1] = block
            section[number] = max(stop, block + 1)

    # Wholes -------------------------------------------------------------------------------------

    def complete_rows(self, tables, int32_t tag, keep, double share):
        """Keep the whole of each row of some tables of which so large a share of the words is kept.

        Args:
            tables: Their rows, in order.
            tag: Of rows of tables.
            keep: Per block: whether it is kept; changed here.
            share: Of the words.
        """
        cdef Py_ssize_t count = len(tables), lines = 0, row, table = 0, stop = 0, block, line
        cdef const int64_t* first_row = self.rows_in_order(tables, count)
        cdef uint8_t* is_kept = flags_to_change(keep, self.size)
        if not count:
            return
        for row in range(self.rows):
            lines += self.tag[row] == tag
        # Rows of lines, words of each, kept ones, lines around lines, and lines of blocks.
        cdef int64_t* line_row = <int64_t*> room_for(
            lines * (8 + 2 * sizeof(double) + 4) + self.size * 4
        )
        cdef double* words = <double*> (line_row + lines)
        cdef double* kept = words + lines
        cdef int32_t* around = <int32_t*> (kept + lines)
        cdef int32_t* of_block = around + lines
        with nogil:
            lines = 0
            for row in range(first_row[0], self.rows):
                if table < count and first_row[table] == row:
                    stop = max(stop, self.end[row])
                    table += 1
                if row < stop and self.tag[row] == tag:
                    line_row[lines] = row
                    words[lines] = kept[lines] = 0
                    lines += 1
            self.find_parts(line_row, lines, around, of_block)
            for block in range(self.size):
                line = of_block[block]
                if line >= 0:
                    words[line] += self.words[block]
                    if is_kept[block]:
                        kept[line] += self.words[block]
            for block in range(self.size):
                line = of_block[block]
                if line >= 0 and kept[line] >= share * max(words[line], 1):
                    is_kept[block] = True
        PyMem_RawFree(line_row)

    def complete_parts(self, rows, keep, probability, int32_t apart, terms):
        """Keep all below each of some rows that stands beside kept text and may be content.

        Args:
            rows: In order.
            keep: Per block: whether it is kept; changed here.
            probability: Per block.
            apart: The tag of elements that are never part of anything.
            terms: The share of the words that must be expected, whether kept text must come after a
                part as well, and how many blocks away it may be.
        """
        cdef Py_ssize_t count = len(rows), size = self.size, block, part
        cdef const int64_t* first_row = self.rows_in_order(rows, count)
        cdef uint8_t* is_kept = flags_to_change(keep, size)
        cdef const double* chance = doubles(probability, size)
        cdef double min_share = terms[0]
        cdef bint is_between = terms[1], belongs
        cdef Py_ssize_t near = terms[2]
        if near < 0:
            raise ValueError("blocks that do not fit each other, or the page")
        # Words of each part, expected ones; its first and last block; kept blocks before each block.
        cdef double* words = <double*> room_for(
            count * (2 * sizeof(double) + 2 * sizeof(Py_ssize_t) + 4)
            + (size + 1) * sizeof(Py_ssize_t)
            + size * 4
        )
        cdef double* expected = words + count
        cdef Py_ssize_t* first = <Py_ssize_t*> (expected + count)
        cdef Py_ssize_t* last = first + count
        cdef Py_ssize_t* before = last + count
        cdef int32_t* around = <int32_t*> (before + size + 1)
        cdef int32_t* of_block = around + count
        with nogil:
            self.find_parts(first_row, count, around, of_block)
            for part in range(count):
                words[part] = expected[part] = 0
                first[part] = -1
            before[0] = 0
            for block in range(size):
                before[block + 1] = before[block] + (is_kept[block] != 0)
                part = of_block[block]
                if part < 0 or self.tag[self.owner[block]] == apart:
                    of_block[block] = -1
                    continue
                words[part] += self.words[block]
                expected[part] += self.words[block] * chance[block]
                if first[part] < 0:
                    first[part] = block
                last[part] = block
            for block in range(size):
                part = of_block[block]
                if part < 0:
                    continue
                belongs = before[first[part]] > before[max(first[part] - near, 0)]
                if is_between:
                    belongs &= before[min(last[part] + 1 + near, size)] > before[last[part] + 1]
                belongs &= expected[part] >= min_share * max(words[part], 1)
                if belongs:
                    is_kept[block] = True
        PyMem_RawFree(words)

    cdef const int64_t* rows_in_order(self, rows, Py_ssize_t count) except? NULL:
        """Return some rows of the page, or raise an error if they are none, or not in order."""
        cdef const int64_t* row = long_numbers(rows, count)
        cdef Py_ssize_t place
        cdef bint fits = True
        for place in range(count):
            fits &= 0 <= row[place] < self.rows and (place == 0 or row[place - 1] < row[place])
        if not fits:
            raise ValueError("rows that do not fit the page")
        return row

    cdef void find_parts(
        self, const int64_t* rows, Py_ssize_t count, int32_t* around, int32_t* of_block
    ) noexcept nogil:
        """Write, per block, the number of the nearest of some rows around its first text, or -1."""
        cdef Py_ssize_t place, next_row = 0
        cdef int32_t nearest = -1, begin
        for place in range(self.size):
            begin = self.begin(place)
            while next_row < count and rows[next_row] <= begin:
                while nearest >= 0 and self.end[rows[nearest]] <= rows[next_row]:
                    nearest = around[nearest]
                around[next_row] = nearest
                nearest = <int32_t> next_row
                next_row += 1
            while nearest >= 0 and self.end[rows[nearest]] <= begin:
                nearest = around[nearest]
            of_block[place] = nearest

    # What is left out ---------------------------------------------------------------------------

    def repeated_blocks(self, keep, copies, characters, uint16_t space):
        """Return the kept blocks with the same characters, but for spaces: groups of two or more.

        Two texts may have the same hash by chance. Whoever acts on that compares them.

        Args:
            keep: Per block: whether it is kept.
            copies: Per block: how many may be the same; those without others are not read.
            characters: Code and class of each character of all texts, and where texts begin.
            space: The bit of a class that spaces have, and ends of texts.
        """
        cdef const uint8_t* is_kept = flags_of(keep, self.size)
        cdef const double* same = doubles(copies, self.size)
        cdef Py_ssize_t found = 0, block, place, end, count
        for block in range(self.size):
            found += is_kept[block] and same[block] > 1
        if found < 2:  # as on most pages
            return []
        count = len(characters[0])
        cdef const uint32_t* codes = <const uint32_t*> values_of(characters[0], count, "IL", 4, 0)
        cdef const uint16_t* classes = <const uint16_t*> values_of(characters[1], count, "H", 2, 0)
        cdef const int64_t* starts = long_numbers(characters[2], self.texts)
        cdef bint fits = True
        for place in range(self.texts):
            fits &= 0 <= starts[place] <= count
        if not fits:
            raise ValueError("characters that do not fit the texts")
        cdef uint64_t total
        cdef dict groups = {}
        for block in range(self.size):
            if not is_kept[block] or same[block] <= 1:
                continue
            total = 0
            end = starts[self.stop[block]] if self.stop[block] < self.texts else count
            for place in range(starts[self.first[block]], end):
                if not classes[place] & space:
                    total = (total ^ codes[place]) * BASE
                    total ^= total >> 32
            group = groups.get(total)
            if group is None:
                groups[total] = [block]
            else:
                group.append(block)
        return [group for group in groups.values() if len(group) > 1]

    def elsewhere(self, list groups, double min_words):
        """Return, of each group of blocks, those of so many words, each with the row above it.

        Without groups of which all such blocks are below one row: there, none is elsewhere.
        """
        cdef list found = [], blocks
        cdef Py_ssize_t block, row
        for group in groups:
            blocks = []
            rows = set()
            for block in group:
                if not 0 <= block < self.size:
                    raise ValueError("blocks that are not of the page")
                if self.words[block] >= min_words:
                    row = self.parent[self.owner[block]]
                    blocks.append((block, row))
                    rows.add(row)
            if len(rows) > 1:
                found.append(blocks)
        return found

    def hidden(self, blocks, class_numbers, tuple names, hides):
        """Return the blocks, of some, that lie in an element whose class says that it hides them.

        Args:
            blocks: Their numbers.
            class_numbers: Per row of the page: number of its class; 0 for none.
            names: The classes.
            hides: What tells of a class whether it does; asked once about each.
        """
        cdef const int32_t* number = numbers(class_numbers, self.rows)
        cdef bytearray has_been = bytearray(self.rows), is_known = bytearray(len(names))
        cdef unsigned char* state = has_been  # 1: not hidden, 2: hidden
        cdef unsigned char* known = is_known
        cdef set found = set()
        cdef Py_ssize_t block, row, start
        cdef unsigned char answer
        for block in blocks:
            if not 0 <= block < self.size:
                raise ValueError("blocks that are not of the page")
            start = row = self.parent[self.begin(block)]
            answer = 1
            while row >= 0:
                if state[row]:
                    answer = state[row]
                    break
                if number[row]:
                    if not 0 <= number[row] < len(names):
                        raise ValueError("classes that there are not")
                    if not known[number[row]]:
                        known[number[row]] = 2 if hides(names[number[row]]) else 1
                    answer = known[number[row]]
                    if answer == 2:
                        break
                row = self.parent[row]
            while start >= 0 and start != row:
                state[start] = answer
                start = self.parent[start]
            if row >= 0:
                state[row] = answer
            if answer == 2:
                found.add(block)
        return found

    def leave_out_tag(self, keep, left_out, int32_t tag, int8_t reason):
        """Give the kept blocks of elements with a tag a reason to be left out."""
        cdef const uint8_t* is_kept = flags_of(keep, self.size)
        cdef int8_t* reasons = reasons_to_change(left_out, self.size)
        cdef Py_ssize_t block
        for block in range(self.size):
            if is_kept[block] and self.tag[self.owner[block]] == tag:
                reasons[block] = reason

    def leave_out_asides(self, keep, left_out, is_aside, double min_words, int8_t reason):
        """Give blocks that begin with such texts a reason, if enough is kept before the first."""
        cdef const uint8_t* is_kept = flags_of(keep, self.size)
        cdef int8_t* reasons = reasons_to_change(left_out, self.size)
        cdef const uint8_t* aside = flags_of(is_aside, self.texts)
        cdef Py_ssize_t block
        cdef double before = 0
        for block in range(self.size):
            if is_kept[block] and reasons[block] == 0:
                if aside[self.first[block]]:
                    break
                before += self.words[block]
        else:
            before = 0  # nothing is before the first where none is kept
        if before >= min_words:
            for block in range(self.size):
                if aside[self.first[block]]:
                    reasons[block] = reason

    # Texts --------------------------------------------------------------------------------------

    def per_text(self, keep, left_out, taken_in, probability):
        """Return what was chosen for each text of the page, 0 for texts in no block, and kept words.

        That is whether it is kept in the end, for which reason it is so against what was chosen
        first (None where no block has such a reason), and how likely it is.

        Args:
            keep: Per block: whether it was chosen.
            left_out: Per block: the reason for which it is left out again.
            taken_in: Per block: the reason for which it is taken in.
            probability: Per block.
        """
        cdef Py_ssize_t size = self.size, block, text
        cdef const uint8_t* is_chosen = flags_of(keep, size)
        cdef const int8_t* out = reasons_of(left_out, size)
        cdef const int8_t* added = reasons_of(taken_in, size)
        cdef const double* chance = doubles(probability, size)
        cdef int any_reason = 0
        for block in range(size):
            any_reason |= out[block] | added[block]
        is_kept, scores = np.zeros(self.texts, np.bool_), np.zeros(self.texts)
        reasons = np.zeros(self.texts, np.int8) if any_reason else None
        cdef uint8_t* to_keep = flags_to_change(is_kept, self.texts)
        cdef double* to_score = <double*> doubles(scores, self.texts)
        cdef int8_t* to_reason = reasons_to_change(reasons, self.texts) if any_reason else NULL
        cdef double kept_words = 0
        cdef uint8_t kept
        with nogil:
            for block in range(size):
                kept = (is_chosen[block] and out[block] == 0) or added[block] > 0
                if kept:
                    kept_words += self.words[block]
                for text in range(self.first[block], self.stop[block]):
                    to_keep[text] = kept
                    to_score[text] = chance[block]
                if to_reason != NULL:
                    for text in range(self.first[block], self.stop[block]):
                        to_reason[text] = max(out[block], added[block])
        return is_kept, reasons, scores, kept_words


# What pages name ----------------------------------------------------------------------------------

def rows_numbered(*columns):
    """Return the rows that have one of some numbers in one of some columns, in order.

    Args:
        columns: Of each the numbers of the rows, how many numbers there are, and those wanted.
    """
    cdef Py_ssize_t rows = len(columns[0][0]), row, count = 0, known, wanted, place
    cdef bytearray has_number = bytearray(rows), wants
    cdef unsigned char* has = has_number
    cdef const unsigned char* is_wanted
    cdef const int32_t* number
    cdef int bad
    for all_numbers, known, all_wanted in columns:
        number = numbers(all_numbers, rows)
        bad = 0  # without branches, so that the compiler looks at many at once
        for row in range(rows):
            bad |= (number[row] < 0) | (number[row] >= <int32_t> known)
        wants = bytearray(max(known, 0))
        for wanted in all_wanted:
            if not 0 <= wanted < known:
                bad = 1
                break
            wants[wanted] = True
        if bad:
            raise ValueError("numbers that there are not")
        is_wanted = wants
        for row in range(rows):
            has[row] |= is_wanted[number[row]]
    for row in range(rows):
        count += has[row]
    found = np.empty(count, np.int64)
    cdef int64_t* to = <int64_t*> long_numbers(found, count)
    row = 0
    for place in range(count):  # none is looked at after the last
        while not has[row]:
            row += 1
        to[place] = row
        row += 1
    return found


cdef class Below:
    """The texts below rows of one page."""

    cdef object given
    cdef Py_ssize_t rows, texts
    cdef const int32_t* known_tag
    cdef const int32_t* end
    cdef const int32_t* text_row

    def __init__(self, known_tag, end, text_row):
        """Look at the known tags and the ends of all rows, and at the rows of the texts."""
        cdef Py_ssize_t place
        cdef bint fits = True
        self.given = known_tag, end, text_row
        self.rows, self.texts = len(known_tag), len(text_row)
        self.known_tag, self.end = numbers(known_tag, self.rows), numbers(end, self.rows)
        self.text_row = numbers(text_row, self.texts)
        for place in range(self.rows):
            fits &= place < self.end[place] <= self.rows
        for place in range(self.texts):
            fits &= 0 <= self.text_row[place] < self.rows
            fits &= place == 0 or self.text_row[place - 1] < self.text_row[place]
        if not fits:
            self.rows = self.texts = 0
            raise ValueError("rows that do not fit the page")

    cdef const int64_t* rows_in_order(self, rows, Py_ssize_t count) except? NULL:
        """Return some rows of the page, or raise an error if they are none, or not in order."""
        cdef const int64_t* row = long_numbers(rows, count)
        cdef Py_ssize_t place
        for place in range(count):
            if not 0 <= row[place] < self.rows or (place and row[place - 1] >= row[place]):
                raise ValueError("rows that do not fit the page")
        return row

    cdef Py_ssize_t texts_before(self, Py_ssize_t row) noexcept nogil:
        """Return how many texts are before a row."""
        cdef Py_ssize_t low = 0, high = self.texts, middle
        while low < high:
            middle = (low + high) // 2
            if self.text_row[middle] < row:
                low = middle + 1
            else:
                high = middle
        return low

    def with_words(self, rows, kinds, characters, Py_ssize_t least):
        """Return which of some rows, those of some kind apart, have so many words below them.

        Args:
            rows: In order.
            kinds: Per known tag: whether rows of it are left out.
            characters: The class of each character of all texts, and where texts begin.
            least: That many.
        """
        cdef Py_ssize_t count = len(rows), place, size = len(characters[0]), known = len(kinds)
        cdef Py_ssize_t at, stop, words
        cdef const int64_t* row = self.rows_in_order(rows, count)
        cdef const uint8_t* is_apart = flags_of(kinds, known)
        cdef const uint16_t* classes = <const uint16_t*> values_of(characters[0], size, "H", 2, 0)
        cdef const int64_t* starts = long_numbers(characters[1], self.texts)
        cdef uint16_t before, kind
        for place in range(self.texts):
            if not 0 <= starts[place] <= size:
                raise ValueError("characters that do not fit the texts")
        found = np.zeros(count, np.bool_)
        cdef uint8_t* is_found = flags_to_change(found, count)
        for place in range(count):
            if not 0 <= self.known_tag[row[place]] < known:
                raise ValueError("tags that there are not")
            if is_apart[self.known_tag[row[place]]]:
                continue
            at, stop = self.texts_before(row[place]), self.texts_before(self.end[row[place]])
            at = starts[at] if at < self.texts else size
            stop = starts[stop] if stop < self.texts else size
            words, before = 0, 0
            while at < stop and words < least:
                kind = classes[at]
                if kind & WORD and (not before & WORD or (kind | before) & UNSPACED):
                    words += 1
                before = kind
                at += 1
            is_found[place] = words >= least
        return found

    def texts_below(self, rows, kinds=None):
        """Return per text whether it is below one of some rows, and below none of some kind.

        Args:
            rows: In order.
            kinds: Per known tag: whether what is below rows of it does not count.
        """
        cdef Py_ssize_t count = len(rows), known = len(kinds) if kinds is not None else 0
        cdef Py_ssize_t place = 0, text = 0, row, reach = 0, apart = 0
        cdef const int64_t* top = self.rows_in_order(rows, count)
        cdef const uint8_t* is_apart = flags_of(kinds, known) if kinds is not None else NULL
        found = np.zeros(self.texts, np.bool_)
        cdef uint8_t* is_below = flags_to_change(found, self.texts)
        for row in range(self.rows):
            if place < count and top[place] == row:
                reach = max(reach, self.end[row])
                place += 1
            if is_apart != NULL and 0 <= self.known_tag[row] < known:
                if is_apart[self.known_tag[row]]:
                    apart = max(apart, self.end[row])
            if text < self.texts and self.text_row[text] == row:
                is_below[text] = apart <= row < reach
                text += 1
        return found
