"""Kernels of `joeira.page.blocks`: where blocks begin, and where a space separates two texts."""

import numpy as np

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint16_t, uint32_t

from joeira._native.buffers cimport entries

cdef extern from "loops.h" nogil:
    uint32_t joeira_greatest(const int32_t* numbers, Py_ssize_t count) noexcept
    bint joeira_are_rows(
        const int32_t* parent, const int32_t* end, Py_ssize_t rows
    ) noexcept

# The flags of `joeira.arrays.strings`.
cdef enum:
    WORD = 1
    SPACE = 2
    DIGIT = 4
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


def boxes(rows, const uint8_t[::1] kinds, const uint8_t[::1] keep):
    """Return the rows of boxes that items of lists begin with, each with the row of its item.

    Only of items that hold a kept text, if it is said which texts are kept.

    Args:
        rows: Known tag, parent and end of each row, and the number of texts before it, one more of
            the last.
        kinds: Per known tag: 1 for boxes, 2 for items, 4 for what may stand around a box in an item.
        keep: Per text, or None.
    """
    cdef const int32_t[::1] known_tag = rows[0], parent = rows[1], end = rows[2], index = rows[3]
    cdef Py_ssize_t size = known_tag.shape[0], row, item, text = 0
    cdef bint fits = parent.shape[0] == size and end.shape[0] == size and index.shape[0] == size + 1
    if not size or not fits or not joeira_are_rows(&parent[0], &end[0], size):
        raise ValueError("columns of a page that do not fit each other")
    if joeira_greatest(&known_tag[0], size) >= <uint32_t> kinds.shape[0]:
        raise ValueError("columns of a page that do not fit each other")
    cdef list found = []
    for row in range(1, size):
        if not kinds[known_tag[row]] & 1:
            continue
        item = parent[row]
        if kinds[known_tag[item]] & 4 and item:
            item = parent[item]
        if not kinds[known_tag[item]] & 2 or index[item] != index[row]:
            continue
        if keep is not None:
            text = max(text, index[item])  # the first kept one from there on; none is passed twice
            while text < keep.shape[0] and not keep[text]:
                text += 1
            if text >= index[end[item]]:
                continue
        found.append((row, item))
    return found


cdef enum:
    WITHOUT_STYLES = 2


def spaces(
    rows, const uint8_t[::1] kind_of_tag, texts, characters, const uint8_t[::1] marks, chosen=None
):
    """Return, per text, whether a space separates it from the text before; whom to ask; short links.

    Between the texts that are asked about and those before them nothing says that there is a space,
    but styles may; the first answer is that there is none. If texts are chosen, nothing is known of
    the space between two of which one is not. The links are the chosen linked texts that may be marks
    of notes: so short, and with such a character at their end.

    Args:
        rows: Known tag, parent and end of each row.
        kind_of_tag: Per known tag: the bits above.
        texts: Row of each text, whether white space was between it and the one before, and the
            numbers of the first texts of blocks.
        characters: Code points and classes of all texts, and where each text begins.
        marks: Per character of the basic plane: whether it closes or opens what stands beside it.
        chosen: Per text: whether it is chosen, 2 if nobody is to be asked about it, and whether it is
            linked; and the characters of the longest mark.
    """
    cdef const int32_t[::1] known_tag = rows[0], parent = rows[1], end = rows[2]
    cdef const int32_t[::1] text_rows = texts[0], firsts = texts[2]
    cdef const uint8_t[::1] gap_before = texts[1], is_chosen = None, is_linked = None
    cdef const uint32_t[::1] codes = characters[0]
    cdef const uint16_t[::1] classes = characters[1]
    cdef const int64_t[::1] starts = characters[2]
    cdef Py_ssize_t size = known_tag.shape[0], count = text_rows.shape[0], row, text, longest = 0
    cdef Py_ssize_t block = 0, blocks = firsts.shape[0], total = codes.shape[0]
    cdef int bad = parent.shape[0] != size or end.shape[0] != size or marks.shape[0] != 0x10000
    bad |= gap_before.shape[0] != count or starts.shape[0] != count or total != classes.shape[0]
    if chosen is not None:
        is_chosen, is_linked, longest = chosen
        bad |= is_chosen.shape[0] != count or is_linked.shape[0] != count
    if not bad and size:
        bad |= not joeira_are_rows(&parent[0], &end[0], size)
        bad |= joeira_greatest(&known_tag[0], size) >= <uint32_t> kind_of_tag.shape[0]
    if not bad and count:  # without branches, so that the compiler looks at many at once
        bad |= text_rows[0] <= 0 or starts[0] < 0
        for text in range(1, count):  # after each text stands one character
            bad |= (text_rows[text] <= text_rows[text - 1]) | (starts[text] <= starts[text - 1])
        bad |= text_rows[count - 1] >= size or starts[count - 1] >= total
    if bad:
        raise ValueError("columns of a page that do not fit each other")
    before = bytearray(count)
    cdef uint8_t* to = before
    cdef list asked = [], links = []
    # The rows looked at for what is verbatim, and the row before which all of that ends.
    cdef Py_ssize_t seen = 0
    cdef int32_t verbatim_end = 0
    cdef uint8_t kind
    cdef uint16_t first, last
    cdef Py_ssize_t one, other, above, start
    cdef bint is_tight, is_apart, is_all = chosen is None, was_chosen = is_all
    with nogil:
        for text in range(count):
            to[text] = True
            if not is_all:
                if not is_chosen[text]:
                    was_chosen = False
                    continue
                start = starts[text]
                if is_linked[text]:
                    above = (starts[text + 1] if text + 1 < count else total) - 1
                    if _may_be_mark(&codes[0], &classes[0], start, above, longest):
                        with gil:
                            links.append(text)
                if not was_chosen:
                    was_chosen = True
                    continue
            if not text or gap_before[text]:
                continue
            start = starts[text]
            # Where there is nothing between two separators, these are the characters beside each other.
            first, last = classes[start], classes[start - 2] if start > 1 else <uint16_t> SPACE
            if (first | last) & SPACE:
                continue
            if first & last & UNSPACED:
                to[text] = False
                continue
            while block < blocks and firsts[block] < text:
                block += 1
            if block < blocks and firsts[block] == text:
                continue
            one, other, kind = text_rows[text - 1], text_rows[text], 0
            for row in range(one + 1, other + 1):  # what begins between them
                kind |= kind_of_tag[known_tag[row]]
            is_tight = _has(marks, codes[start], CLOSES) or _has(marks, codes[start - 2], OPENS)
            is_apart = kind & BREAK != 0
            if not is_apart and not is_tight:
                is_apart = kind & LOOSE != 0
                above = parent[one]
                while not is_apart and above >= 0 and end[above] <= other:  # has ended
                    is_apart = kind_of_tag[known_tag[above]] & LOOSE != 0
                    above = parent[above]
                # Else the element around one of the texts holds the other, too.
                is_apart = is_apart and parent[other] > one and end[parent[one]] <= other
                if is_apart:
                    while seen <= one:
                        if kind_of_tag[known_tag[seen]] & VERBATIM:
                            verbatim_end = max(verbatim_end, end[seen])
                        seen += 1
                    is_apart = one >= verbatim_end
                    while seen <= other:
                        if kind_of_tag[known_tag[seen]] & VERBATIM:
                            verbatim_end = max(verbatim_end, end[seen])
                        seen += 1
                    is_apart = is_apart and other >= verbatim_end
                is_apart = is_apart or kind & PICTURE != 0
                if not is_apart and first & WORD and (is_all or is_chosen[text] != WITHOUT_STYLES):
                    with gil:
                        asked.append(text)
            to[text] = is_apart
    return before, asked, links


cdef bint _may_be_mark(
    const uint32_t* codes, const uint16_t* classes, int64_t start, int64_t stop, Py_ssize_t longest
) noexcept nogil:
    """Return whether a text may be a mark: every text that `joeira.render.footnotes` takes for one."""
    cdef uint32_t last
    while start < stop and classes[start] & SPACE:
        start += 1
    while start < stop and classes[stop - 1] & SPACE:
        stop -= 1
    if stop - start > longest:
        return False
    while start < stop and (codes[start] == c"[" or codes[start] == c"("):
        start += 1
    while start < stop and (codes[stop - 1] == c"]" or codes[stop - 1] == c")"):
        stop -= 1
    if stop - start < 2:
        return stop > start
    last = codes[stop - 1]
    if classes[stop - 1] & DIGIT or last == c"*" or 0x2020 <= last <= 0x2021:
        return True
    return last == 0xA7 or last == 0xB6 or (stop - start == 4 and (last == c"e" or last == c"E"))


cdef bint _has(const uint8_t[::1] marks, uint32_t code, uint8_t mark) noexcept nogil:
    return code < 0x10000 and marks[code] & mark != 0
