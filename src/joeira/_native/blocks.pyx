"""Kernels of `joeira.page.blocks`: where blocks begin, and where a space separates two texts."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

cdef extern from "loops.h" nogil:
    uint32_t joeira_greatest(const int32_t* numbers, Py_ssize_t count) noexcept

# The flags of `joeira.arrays.strings`.
cdef enum:
    WORD = 1
    SPACE = 2
    UNSPACED = 64

cdef enum:  # what a tag is, see `joeira.page.blocks`
    LOOSE = 1  # it marks up no part of a word
    VERBATIM = 2
    PICTURE = 4
    BREAK = 8

cdef enum:  # marks, by character
    CLOSES = 1
    OPENS = 2


def bounds(
    const uint8_t[::1] inline, const int32_t[::1] parent, const int32_t[::1] text_rows
):
    """Return the owner of each block, and where the texts of each block begin.

    Args:
        inline: Per row: does it flow inside a line? The root does not.
        parent: Per row.
        text_rows: The rows of the texts, in order.
    """
    cdef Py_ssize_t rows = inline.shape[0], texts = text_rows.shape[0], row, text = 0, blocks = 0
    cdef int32_t opened = -1, last_opened = -1, last_owner = -1
    cdef bint fits = parent.shape[0] == rows and (not rows or not inline[0])
    for row in range(1, parent.shape[0]):
        fits &= 0 <= parent[row] < row
    for row in range(texts):
        fits &= (text_rows[row - 1] if row else -1) < text_rows[row] < rows
    if not fits:
        raise ValueError("columns of a page that do not fit each other")
    owners, firsts = np.empty(texts, np.int32), np.empty(texts + 1, np.int32)
    cdef int32_t[::1] owner = owners, first = firsts, above = np.empty(rows, np.int32)
    with nogil:
        for row in range(rows):
            if not inline[row]:
                above[row] = opened = <int32_t> row
            else:
                above[row] = above[parent[row]]
            if text < texts and text_rows[text] == row:
                if not text or above[row] != last_owner or opened != last_opened:
                    owner[blocks], first[blocks] = above[row], <int32_t> text
                    last_owner, last_opened = above[row], opened
                    blocks += 1
                text += 1
        first[blocks] = <int32_t> texts
    return owners[:blocks], firsts[: blocks + 1]


def tag_counts(const int32_t[::1] known_tag, Py_ssize_t known):
    """Return how many rows there are of each known tag."""
    cdef bytearray room = bytearray(2 * known * sizeof(int32_t))
    cdef int32_t* count = <int32_t*> <char*> room
    cdef int32_t* others = count + known
    cdef Py_ssize_t row, size = known_tag.shape[0]
    if known_tag.shape[0] and joeira_greatest(&known_tag[0], known_tag.shape[0]) >= known:
        raise ValueError("a tag that there is not")
    for row in range(0, size - 1, 2):  # many have the tag of the row before, whose count is not ready
        count[known_tag[row]] += 1
        others[known_tag[row + 1]] += 1
    if size % 2:
        count[known_tag[size - 1]] += 1
    return [count[row] + others[row] for row in range(known)]


def rows_of(const int32_t[::1] tag, int32_t number):
    """Return the rows that have a tag."""
    cdef Py_ssize_t row, count = 0
    for row in range(tag.shape[0]):
        count += tag[row] == number
    rows = np.empty(count, np.int32)
    cdef int32_t[::1] to = rows
    row = 0
    while count:  # none is looked at after the last
        if tag[row] == number:
            to[to.shape[0] - count] = <int32_t> row
            count -= 1
        row += 1
    return rows


def spaces(rows, const uint8_t[::1] kind_of_tag, texts, characters, const uint8_t[::1] marks):
    """Return, per text, whether a space separates it from the text before; and whom to ask.

    Between the texts that are asked about and those before them nothing says that there is a space,
    but styles may; the first answer is that there is none.

    Args:
        rows: Known tag, parent and end of each row.
        kind_of_tag: Per known tag: the bits above.
        texts: Row of each text, whether white space was between it and the one before, and the
            numbers of the first texts of blocks.
        characters: Code points and classes of all texts, and where each text begins.
        marks: Per character of the basic plane: whether it closes or opens what stands beside it.
    """
    cdef const int32_t[::1] known_tag = rows[0], parent = rows[1], end = rows[2]
    cdef const int32_t[::1] text_rows = texts[0], firsts = texts[2]
    cdef const uint8_t[::1] gap_before = texts[1]
    cdef const uint32_t[::1] codes = characters[0]
    cdef const uint16_t[::1] classes = characters[1]
    cdef const int64_t[::1] starts = characters[2]
    cdef Py_ssize_t size = known_tag.shape[0], count = text_rows.shape[0], row, text = 0, asked = 0
    cdef Py_ssize_t block = 0, blocks = firsts.shape[0]
    cdef bint fits = parent.shape[0] == size and end.shape[0] == size and marks.shape[0] == 0x10000
    fits &= gap_before.shape[0] == count and starts.shape[0] == count
    fits &= codes.shape[0] == classes.shape[0]
    if fits:
        for row in range(size):
            fits &= 0 <= known_tag[row] < kind_of_tag.shape[0]
            fits &= row < end[row] <= size
            fits &= -(row == 0) <= parent[row] < row
        for text in range(count):
            fits &= (text_rows[text - 1] if text else 0) < text_rows[text] < size
            # Between two texts stands one character.
            fits &= (starts[text - 1] + 2 if text else 0) <= starts[text] < codes.shape[0]
    if not fits:
        raise ValueError("columns of a page that do not fit each other")
    before, numbers = np.ones(count, np.bool_), np.empty(count, np.int64)
    cdef uint8_t[::1] to = before.view(np.uint8)
    cdef int64_t[::1] ask = numbers
    # What began after the last text; the row before which all that is verbatim ends, and what that
    # was at the last text.
    cdef uint8_t begun = 0
    cdef int32_t verbatim_end = 0, verbatim_before = 0
    cdef uint8_t kind
    cdef uint16_t first, last
    cdef Py_ssize_t one, other, above
    cdef bint is_tight, is_apart
    text = 0
    with nogil:
        for row in range(size):
            if text == count:
                break
            kind = kind_of_tag[known_tag[row]]
            begun |= kind
            if kind & VERBATIM:
                verbatim_end = max(verbatim_end, end[row])
            if row != text_rows[text]:
                continue
            other, kind, begun = row, begun, 0
            if text and not gap_before[text]:
                while block < blocks and firsts[block] < text:
                    block += 1
                first, last = classes[starts[text]], classes[starts[text] - 2]
                is_apart = (first | last) & SPACE != 0
                if not is_apart and first & last & UNSPACED:
                    to[text] = False
                elif not is_apart and not (block < blocks and firsts[block] == text):
                    one = text_rows[text - 1]
                    is_tight = _has(marks, codes[starts[text]], CLOSES)
                    is_tight |= _has(marks, codes[starts[text] - 2], OPENS)
                    is_apart = kind & BREAK != 0
                    if not is_apart and not is_tight:
                        is_apart = kind & LOOSE != 0
                        above = parent[one]
                        while not is_apart and above >= 0 and end[above] <= other:  # has ended
                            is_apart = kind_of_tag[known_tag[above]] & LOOSE != 0
                            above = parent[above]
                        # Else the element around one of the texts holds the other, too.
                        is_apart &= parent[other] > one and end[parent[one]] <= other
                        is_apart &= not (one < verbatim_before or other < verbatim_end)
                        is_apart |= kind & PICTURE != 0
                        if not is_apart and first & WORD:
                            ask[asked] = text
                            asked += 1
                    to[text] = is_apart
            verbatim_before = verbatim_end
            text += 1
    return before, numbers[:asked]


cdef bint _has(const uint8_t[::1] marks, uint32_t code, uint8_t mark) noexcept nogil:
    return code < 0x10000 and marks[code] & mark != 0
