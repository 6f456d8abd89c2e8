"""Kernel of `joeira.page.tables`: which tables lay out the page."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t

cdef enum:  # what a tag is
    TABLE = 1
    CELL = 2
    FOREIGN = 4  # never in a table of data


def layouts(rows, const uint8_t[::1] kinds, const int64_t[::1] lines, texts, int64_t most_chars):
    """Return the rows of the tables, which of them lay out the page, and how many cells have texts.

    The last value says whether a cell of more than one block with more than `most_chars` characters
    has decided.

    Args:
        rows: Known tag, end and number of texts before each row, one more of the last.
        kinds: Per known tag: the bits above.
        lines: Rows, in order, that may be in tables of data whatever their tag is.
        texts: Number of characters before each text, that of all, and the first texts of blocks.
        most_chars: Characters of a cell of several blocks.
    """
    cdef const int32_t[::1] known_tag = rows[0], end = rows[1], text_index = rows[2]
    cdef const int64_t[::1] chars_before = texts[0]
    cdef int64_t all_chars = texts[1]
    cdef const int32_t[::1] starts = texts[2]
    cdef Py_ssize_t size = known_tag.shape[0], count = chars_before.shape[0], row, tables = 0
    cdef int32_t tags = <int32_t> kinds.shape[0], last = <int32_t> size, most = <int32_t> count
    cdef int bad = end.shape[0] != size or text_index.shape[0] != size + 1
    if not bad:  # without branches, so that the compiler looks at many at once
        for row in range(size):
            bad |= (known_tag[row] < 0) | (known_tag[row] >= tags)
            bad |= (end[row] <= <int32_t> row) | (end[row] > last)
            bad |= (text_index[row] < 0) | (text_index[row] > text_index[row + 1])
        bad |= text_index[size] > most
    if bad:
        raise ValueError("columns of a page that do not fit each other")
    for row in range(size):
        tables += kinds[known_tag[row]] & TABLE
    all_rows, is_layout = np.empty(tables, np.int64), np.zeros(tables, np.bool_)
    all_values = np.zeros(tables, np.int64)
    cdef int64_t[::1] table_row = all_rows, values = all_values
    cdef uint8_t[::1] layout = is_layout.view(np.uint8)
    # Per table: its cells, what was foreign before its content, the table around it.
    cdef int64_t[:, ::1] known = np.zeros((3, tables), np.int64)
    cdef int64_t open_table = -1, table = 0, foreign = 0, chars
    cdef Py_ssize_t line = 0, first, stop
    cdef bint has_long = False
    cdef uint8_t kind
    with nogil:
        for row in range(size + 1):
            while open_table >= 0 and end[table_row[open_table]] <= row:
                layout[open_table] |= known[0, open_table] < 2 or foreign > known[1, open_table]
                open_table = known[2, open_table]
            if row == size:
                break
            kind = kinds[known_tag[row]]
            if not kind:
                continue
            if kind & FOREIGN:
                while line < lines.shape[0] and lines[line] < row:
                    line += 1
                foreign += line == lines.shape[0] or lines[line] != row
            if kind & TABLE:
                table_row[table], known[1, table], known[2, table] = row, foreign, open_table
                open_table = table
                table += 1
            elif kind & CELL and open_table >= 0:
                known[0, open_table] += 1
                first, stop = text_index[row], text_index[end[row]]
                if first == stop:
                    continue
                values[open_table] += 1
                chars = (chars_before[stop] if stop < count else all_chars) - chars_before[first]
                if chars > most_chars and _count(starts, first, stop) > 1:
                    layout[open_table] = has_long = True
    return all_rows, is_layout, all_values, has_long


cdef Py_ssize_t _count(const int32_t[::1] numbers, Py_ssize_t first, Py_ssize_t stop) noexcept nogil:
    """Return how many of some numbers, in order, are from one on and below another."""
    return _place(numbers, stop) - _place(numbers, first)


cdef Py_ssize_t _place(const int32_t[::1] numbers, Py_ssize_t number) noexcept nogil:
    cdef Py_ssize_t low = 0, high = numbers.shape[0], middle
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low
