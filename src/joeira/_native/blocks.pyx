"""Kernels of `joeira.page.blocks`: where blocks begin, and where a space separates two texts."""

import numpy as np

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint16_t, uint32_t

from joeira._native.buffers cimport entries

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


def inline_rows(rows, const uint8_t[::1] inline_tags, int32_t first_foreign):
    """Return which rows flow inside a line, and the rows of tags not known whose styles may say else.

    Args:
        rows: Tag, known tag and end of each row, and how many texts come before each row and the end.
        inline_tags: Per known tag: does it flow inside a line?
        first_foreign: Tags that are not known have at least this number.
    """
    cdef const int32_t[::1] tag = rows[0], known_tag = rows[1], end = rows[2], texts = rows[3]
    cdef Py_ssize_t size = tag.shape[0], row, block = size, count = 0
    cdef bint fits = known_tag.shape[0] == size == end.shape[0] and texts.shape[0] == size + 1
    if not fits or (size and joeira_greatest(&known_tag[0], size) >= inline_tags.shape[0]):
        raise ValueError("columns of a page that do not fit each other")
    for row in range(size):
        fits &= row < end[row] <= size
    if not fits:
        raise ValueError("columns of a page that do not fit each other")
    inline, asked = np.empty(size, np.bool_), np.empty(size, np.int32)
    cdef uint8_t[::1] to = inline.view(np.uint8)
    cdef int32_t[::1] ask = asked
    with nogil:
        for row in range(size - 1, -1, -1):  # `block` is the next that begins a block
            if tag[row] >= first_foreign:
                to[row] = block >= end[row]  # it holds none
                if to[row] and texts[end[row]] > texts[row]:
                    count += 1
                    ask[size - count] = <int32_t> row
            else:
                to[row] = inline_tags[known_tag[row]]
                if not to[row]:
                    block = row
    return inline, asked[size - count :]


def bounds(inline, parent, text_rows, known_tag=None):
    """Return the owner of each block, and where the texts of each block begin.

    Args:
        inline: Per row, or per known tag if these are given: does it flow inside a line? The root
            does not.
        parent: Per row.
        text_rows: The rows of the texts, in order.
        known_tag: Per row.
    """
    cdef Py_ssize_t rows, texts, flags, tags = 0, blocks
    cdef const int32_t* above = <int32_t*> entries(parent, sizeof(int32_t), &rows)
    cdef const int32_t* text_row = <int32_t*> entries(text_rows, sizeof(int32_t), &texts)
    cdef const uint8_t* flows = <uint8_t*> entries(inline, 1, &flags)
    cdef const int32_t* tag = NULL
    if known_tag is not None:
        tag = <int32_t*> entries(known_tag, sizeof(int32_t), &tags)
        if tags and joeira_greatest(tag, tags) >= flags:
            raise ValueError("a tag that there is not")
        flags = tags
    owners, firsts = np.empty(texts, np.int32), np.empty(texts + 1, np.int32)
    cdef int32_t* owner = <int32_t*> entries(owners, sizeof(int32_t), &tags)
    cdef int32_t* first = <int32_t*> entries(firsts, sizeof(int32_t), &tags)
    cdef int32_t* held_by = <int32_t*> PyMem_RawMalloc((rows + 1) * (sizeof(int32_t) + 1))
    if held_by == NULL:
        raise MemoryError
    with nogil:
        blocks = -1
        if flags == rows and are_texts(above, rows, text_row, texts):
            blocks = write_bounds(flows, tag, above, rows, text_row, texts, held_by, owner, first)
    PyMem_RawFree(held_by)
    if blocks < 0:
        raise ValueError("columns of a page that do not fit each other")
    return owners[:blocks], firsts[: blocks + 1]


cdef bint are_texts(
    const int32_t* parent, Py_ssize_t rows, const int32_t* text_row, Py_ssize_t texts
) noexcept nogil:
    """Return whether each row has its parent before it, and whether texts are rows in order."""
    cdef int32_t wrong = rows > INT32_MAX or (texts and not 0 <= text_row[0] <= text_row[texts - 1] < rows)
    cdef int32_t row
    for row in range(1, <int32_t> rows):
        wrong |= (parent[row] < 0) | (parent[row] >= row)
    for row in range(1, <int32_t> texts):
        wrong |= text_row[row] <= text_row[row - 1]
    return not wrong


cdef Py_ssize_t write_bounds(
    const uint8_t* flows,
    const int32_t* tag,
    const int32_t* parent,
    Py_ssize_t rows,
    const int32_t* text_row,
    Py_ssize_t texts,
    int32_t* held_by,
    int32_t* owner,
    int32_t* first,
) noexcept nogil:
    """Write the bounds of blocks; return how many there are, -1 where the root flows in a line."""
    cdef Py_ssize_t text, blocks = 0
    cdef int32_t row = 0, at, opened = -1, last_opened = -1, last_owner = -1
    cdef uint8_t* inline = <uint8_t*> (held_by + rows)
    if tag != NULL:
        for row in range(<int32_t> rows):
            inline[row] = flows[tag[row]]
        flows = inline
    if rows and flows[0]:
        return -1
    row = 0
    for text in range(texts):
        for row in range(row, text_row[text] + 1):
            # Without branches: what flows in a line and what does not come in no order.
            opened = opened if flows[row] else row
            held_by[row] = row
            held_by[row] = held_by[parent[row] if flows[row] else row]
        at, row = held_by[row], row + 1
        if not text or at != last_owner or opened != last_opened:
            owner[blocks], first[blocks] = at, <int32_t> text
            last_owner, last_opened = at, opened
            blocks += 1
    first[blocks] = <int32_t> texts
    return blocks


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
