"""Kernels of `joeira.records.learned`: rows that are alike, and what the records of a list share.

`PageTemplates` is made once for a page and asked about lists of records. Their reference are the
functions in `joeira.records.learned` with `by_numpy` in their names: the same sets in the same order, and the
same counts, unless two 64-bit hashes are equal by chance.
"""

import os

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

cdef uint64_t MIX = 0xBF58476D1CE4E5B9
cdef uint64_t PATH_BASE = 0x9E3779B97F4A7C15
cdef uint64_t STEP = 0x94D049BB133111EB

cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")
"""Where keys fall in tables, so that no page can make them all fall together. No answer shows it."""

cdef Py_ssize_t MOST_LEAVES = 0x7FFFFFFF  # columns have numbers of 32 bits

cdef enum:  # what rows share that are alike
    PATH
    FAMILY_PATH  # and the family of the last element
    NAMED_PATH  # and its class
    CLASS_PATH
    SIBLINGS
    FAMILY_SIBLINGS
    ANYWHERE  # the class alone
    GRAINS

cdef enum:  # lines of what `PageTemplates.counts` returns
    LEAVES  # texts and pictures of the records
    COLUMNS  # of the template
    CORE  # columns that nearly all records have
    CELLS  # different columns of each record, all records together
    PRESENT  # cells of the template
    OUTSIDE  # leaves of no column of the template
    PATHS  # different tag paths of each record, all records together
    DIFFERENT  # records with a content of their own, each content once
    TEXTS
    UNIQUE_TEXTS  # that no other text of the list equals
    COUNTS


cdef inline uint64_t mixed(uint64_t value) noexcept nogil:
    value = (value ^ (value >> 31)) * MIX
    return value ^ (value >> 31)


cdef inline uint64_t within(uint64_t value, Py_ssize_t owner) noexcept nogil:
    """Return a hash that is equal only for equal hashes of the same owner, as the reference has it.

    Whoever has the least of some hashes comes first there, so that its bits matter.
    """
    return mixed(value + <uint64_t> (owner + 1) * STEP)


cdef inline uint64_t spread(uint64_t value) noexcept nogil:
    value = (value ^ SEED ^ (value >> 31)) * MIX
    value = (value ^ (value >> 29)) * PATH_BASE
    return value ^ (value >> 32)


cdef Py_ssize_t table_size(Py_ssize_t keys) noexcept nogil:
    cdef Py_ssize_t size = 8
    while size < 2 * keys:
        size *= 2
    return size


cdef Py_ssize_t number_keys(
    const uint64_t[::1] key, int32_t[::1] number, int32_t[::1] first_of
):
    """Number equal keys in the order in which they come first; return how many there are."""
    cdef Py_ssize_t place, slot, mask = table_size(key.shape[0]) - 1
    cdef int32_t groups = 0, group
    cdef int32_t[::1] table = np.empty(mask + 1, np.int32)
    with nogil:
        memset(&table[0], 0xFF, (mask + 1) * sizeof(int32_t))  # -1: nothing there
        for place in range(key.shape[0]):
            slot = spread(key[place]) & mask
            while True:
                group = table[slot]
                if group < 0:
                    table[slot] = group = groups
                    first_of[groups] = <int32_t> place
                    groups += 1
                    break
                if key[first_of[group]] == key[place]:
                    break
                slot = (slot + 1) & mask
            number[place] = group
    return groups


cdef class AlikeRows:
    """Finds the sets of rows of a page that are alike, at several grains."""

    cdef const int64_t[::1] rows
    cdef const uint64_t[::1] path, class_path, family
    cdef const int32_t[::1] tag, parent, class_number, end
    cdef Py_ssize_t least, members
    cdef uint64_t[::1] key
    cdef int64_t[::1] row, found
    cdef Py_ssize_t total
    cdef Contents known

    def __init__(self, rows, symbols, numbers, Py_ssize_t least):
        """Read the rows, in order, that may be records.

        `symbols` has, per row of the page, the symbols of its path and of its path with classes,
        and the number of its family; `numbers` its tag, its parent, the number of its class and the
        end of its subtree. A set has at least so many rows.
        """
        self.rows = rows
        self.path, self.class_path, self.family = symbols
        self.tag, self.parent, self.class_number, self.end = numbers
        cdef Py_ssize_t count = self.path.shape[0], place
        cdef bint fits = self.class_path.shape[0] == count and self.family.shape[0] == count
        fits &= self.tag.shape[0] == count and self.parent.shape[0] == count
        fits &= self.class_number.shape[0] == count and self.end.shape[0] == count
        if fits:
            with nogil:
                for place in range(self.rows.shape[0]):
                    fits &= 0 <= self.rows[place] < count
        if not fits:
            raise ValueError("columns of a page that do not fit each other")
        self.least = max(least, 1)
        self.key = np.empty(self.rows.shape[0], np.uint64)
        self.row = np.empty(self.rows.shape[0], np.int64)

    def sets(self):
        """Return the rows of each set, each set once, and their sizes: the grains one by one.

        Sets of a grain come in the order of their keys.
        """
        cdef Py_ssize_t count = self.rows.shape[0]
        found = np.empty(GRAINS * count, np.int64)
        self.found, self.total = found, 0
        self.known = Contents(GRAINS * (count // self.least))
        sizes = []
        for grain in range(GRAINS):
            self.members = 0
            self.set_keys(grain)
            sizes.append(self.group(grain == ANYWHERE))
        return found[: self.total], np.concatenate(sizes)

    cdef void set_keys(self, int grain) noexcept nogil:
        """Set what rows must share to be alike."""
        cdef Py_ssize_t place, row
        cdef uint64_t key, below
        for place in range(self.rows.shape[0]):
            row = self.rows[place]
            below = mixed(<uint64_t> self.tag[row] * STEP + <uint64_t> self.parent[row])
            if grain == PATH:
                key = self.path[row]
            elif grain == FAMILY_PATH:
                key = mixed(self.path[row] + (self.family[row] + 1) * STEP)
            elif grain == NAMED_PATH:
                key = mixed(self.path[row] + (<uint64_t> self.class_number[row] + 1) * STEP)
            elif grain == CLASS_PATH:
                key = self.class_path[row]
            elif grain == SIBLINGS:
                key = below
            elif grain == FAMILY_SIBLINGS:
                key = mixed(below + self.family[row] * STEP)
            else:
                if not self.family[row]:
                    continue
                key = mixed(<uint64_t> self.tag[row] * STEP + <uint64_t> self.class_number[row])
            self.key[self.members], self.row[self.members] = key, row
            self.members += 1

    cdef group(self, bint without_nested):
        """Append the new sets of rows with equal keys, and return their sizes."""
        cdef Py_ssize_t place, groups, group, row, kept = 0
        numbers = np.empty((2, self.members), np.int32)
        cdef int32_t[::1] number = numbers[0], first_of = numbers[1]
        groups = number_keys(self.key[: self.members], number, first_of)
        columns = np.zeros((3, groups), np.int64)
        cdef int64_t[::1] size = columns[0], reach = columns[1], next_of = columns[2]
        cdef uint64_t[::1] mark = np.zeros(groups, np.uint64)
        with nogil:
            for place in range(self.members):
                group = number[place]
                row = self.row[place]
                if without_nested:
                    if row < reach[group]:
                        number[place] = -1
                        continue
                    reach[group] = self.end[row]
                size[group] += 1
                mark[group] += mixed(<uint64_t> row * STEP + <uint64_t> self.end[row])
        large = np.flatnonzero(columns[0] >= self.least)
        if not len(large):
            return np.zeros(0, np.int64)
        keys = np.asarray(self.key)[numbers[1][large]]
        cdef const int64_t[::1] in_order = large[keys.argsort()].astype(np.int64)
        sizes = np.empty(len(large), np.int64)
        cdef int64_t[::1] to = sizes
        with nogil:
            for group in range(groups):
                next_of[group] = -1
            for place in range(in_order.shape[0]):
                group = in_order[place]
                if self.known.add(mark[group], 0):
                    next_of[group] = self.total
                    self.total += size[group]
                    to[kept] = size[group]
                    kept += 1
            for place in range(self.members):
                group = number[place]
                if group >= 0 and next_of[group] >= 0:
                    self.found[next_of[group]] = self.row[place]
                    next_of[group] += 1
        return sizes[:kept]


def are_whole(start, first, numbers, shape):
    """Return which lists are more than every other item of a longer one.

    `numbers` has, per row of the page, its parent, the end of its subtree, and the number of texts
    before it, with one more entry.
    """
    cdef const int64_t[::1] row_of = start, first_of = first
    cdef const int32_t[::1] parent, end, texts
    cdef const uint64_t[::1] shape_of = shape
    parent, end, texts = numbers
    cdef Py_ssize_t lists = first_of.shape[0] - 1, count = parent.shape[0], list_, place, row, after
    cdef bint fits = lists >= 0 and end.shape[0] == count and texts.shape[0] == count + 1
    fits &= shape_of.shape[0] == count
    if fits:
        with nogil:
            fits &= first_of[0] == 0 and first_of[lists] == row_of.shape[0]
            for list_ in range(lists):
                fits &= first_of[list_] <= first_of[list_ + 1]
            for place in range(row_of.shape[0]):
                fits &= 0 <= row_of[place] < count
            for row in range(count):
                fits &= row < end[row] <= count
    if not fits:
        raise ValueError("lists that are not of this page")
    whole = np.empty(lists, bool)
    cdef uint8_t[::1] to = whole.view(np.uint8)
    cdef int64_t twins
    with nogil:
        for list_ in range(lists):
            twins = 0
            for place in range(first_of[list_], first_of[list_ + 1]):
                row = row_of[place]
                after = min(end[row], count - 1)
                if place + 1 < first_of[list_ + 1] and row_of[place + 1] == after:
                    continue
                twins += (
                    parent[after] == parent[row]
                    and shape_of[after] == shape_of[row]
                    and texts[end[row]] - texts[row] >= 2
                )
            to[list_] = 2 * twins < first_of[list_ + 1] - first_of[list_]
    return whole


cdef class PageTemplates:
    """The texts and pictures of a page, by their paths and contents."""

    cdef const uint64_t[::1] path
    cdef const int32_t[::1] parent, depth
    cdef const int64_t[::1] leaf, leaves_before
    cdef const uint8_t[::1] is_text
    cdef uint64_t[::1] power, content_before
    cdef int32_t[::1] tag_path, text
    cdef Py_ssize_t tag_paths, texts

    def __init__(self, rows, leaves, contents):
        """Read the page.

        `rows` has, per row, the hash of its path, its parent, its depth, and the number of leaves
        before it, with one more entry; `leaves` the row of each leaf and whether it is a text;
        `contents`, per leaf, the hash of its tag path and that of its text.
        """
        self.path, self.parent, self.depth, self.leaves_before = rows
        self.leaf, self.is_text = leaves
        cdef const uint64_t[::1] tag_path, text
        tag_path, text = contents
        cdef Py_ssize_t count = self.path.shape[0], leaf_count = self.leaf.shape[0], place
        cdef bint fits = self.parent.shape[0] == count and self.depth.shape[0] == count
        fits &= self.leaves_before.shape[0] == count + 1 and self.is_text.shape[0] == leaf_count
        fits &= tag_path.shape[0] == leaf_count and text.shape[0] == leaf_count
        cdef int32_t deepest = 0
        if fits:
            with nogil:
                for place in range(count):
                    fits &= -1 <= self.parent[place] < place and 0 <= self.depth[place] <= place
                    fits &= self.leaves_before[place] <= self.leaves_before[place + 1]
                    deepest = max(deepest, self.depth[place])
                fits &= self.leaves_before[0] == 0 and self.leaves_before[count] == leaf_count
                for place in range(leaf_count):
                    fits &= 0 <= self.leaf[place] < count
        if not fits:
            raise ValueError("columns of a page that do not fit each other")
        self.power = np.empty(deepest + 1, np.uint64)
        self.content_before = np.empty(leaf_count + 1, np.uint64)
        with nogil:
            self.power[0] = 1
            for place in range(deepest):
                self.power[place + 1] = self.power[place] * PATH_BASE
            self.content_before[0] = 0
            for place in range(leaf_count):
                self.content_before[place + 1] = self.content_before[place] + text[place]
        first_of = np.empty(leaf_count, np.int32)
        self.tag_path = np.empty(leaf_count, np.int32)
        self.text = np.empty(leaf_count, np.int32)
        self.tag_paths = number_keys(tag_path, self.tag_path, first_of)
        self.texts = number_keys(text, self.text, first_of)

    cdef Py_ssize_t check(
        self,
        const int64_t[::1] start,
        const int64_t[::1] stop,
        const int64_t[::1] first,
        const uint8_t[::1] headed,
    ) except -1:
        """Refuse lists that are not of this page; return how many leaves their records have."""
        cdef Py_ssize_t records = start.shape[0], lists = headed.shape[0], place, leaves = 0
        cdef Py_ssize_t list_
        cdef bint fits = stop.shape[0] == records and first.shape[0] == lists + 1
        if fits:
            with nogil:
                fits &= first[0] == 0 and first[lists] == records
                for list_ in range(lists):
                    fits &= first[list_] <= first[list_ + 1] <= records
                for place in range(records):
                    fits &= 0 <= start[place] < stop[place] <= self.path.shape[0]
                if fits:
                    for list_ in range(lists):
                        for place in range(first[list_], first[list_ + 1]):
                            fits &= not headed[list_] or self.parent[start[place]] >= 0
                            leaves += (
                                self.leaves_before[stop[place]] - self.leaves_before[start[place]]
                            )
        if not fits:
            raise ValueError("lists that are not of this page")
        if leaves > MOST_LEAVES:
            raise ValueError("lists with too many texts")
        return leaves

    def counts(
        self,
        const int64_t[::1] start,
        const int64_t[::1] stop,
        const int64_t[::1] first,
        const uint8_t[::1] headed,
        double core,
    ):
        """Return one line for each kind of count, one column per list."""
        cdef Columns columns = Columns(self.check(start, stop, first, headed))
        cdef Contents contents = Contents(start.shape[0])
        found = np.zeros((COUNTS, headed.shape[0]), np.int64)
        cdef int64_t[:, ::1] to = found
        cdef int64_t[::1] path_seen = np.full(self.tag_paths, -1, np.int64)
        cdef int64_t[::1] text_seen = np.full(self.texts, -1, np.int64)
        cdef int32_t[::1] times = np.zeros(self.texts, np.int32)
        cdef Py_ssize_t list_, record, place, left, right, number
        cdef uint64_t above
        cdef int32_t level
        with nogil:
            for list_ in range(headed.shape[0]):
                columns.begin(list_)
                for record in range(first[list_], first[list_ + 1]):
                    above = self.above(start[record], headed[list_], &level)
                    left, right = self.leaves_before[start[record]], self.leaves_before[stop[record]]
                    to[LEAVES, list_] += right - left
                    for place in range(left, right):
                        columns.add(self.relative(place, above, level), record)
                        number = self.tag_path[place]
                        if path_seen[number] != record:
                            path_seen[number] = record
                            to[PATHS, list_] += 1
                        if self.is_text[place]:
                            number = self.text[place]
                            to[TEXTS, list_] += 1
                            if text_seen[number] != list_:
                                text_seen[number], times[number] = list_, 0
                            times[number] += 1
                            if times[number] == 1:
                                to[UNIQUE_TEXTS, list_] += 1
                            elif times[number] == 2:
                                to[UNIQUE_TEXTS, list_] -= 1
                    number = contents.add(
                        self.content_before[right] - self.content_before[left], list_
                    )
                    to[DIFFERENT, list_] += number
            for number in range(columns.used):
                list_ = columns.owner[number]
                left = first[list_ + 1] - first[list_]
                columns.common[number] = 2 * columns.filled[number] >= left
                to[COLUMNS, list_] += columns.common[number]
                to[CORE, list_] += <double> columns.filled[number] / <double> left >= core
            for place in range(columns.entries):
                list_, number = columns.entry_list[place], columns.entry_column[place]
                to[CELLS, list_] += columns.cells[place]
                if columns.common[number]:
                    to[PRESENT, list_] += columns.cells[place]
                else:
                    to[OUTSIDE, list_] += columns.times[place]
        return found

    def presence(
        self,
        const int64_t[::1] start,
        const int64_t[::1] stop,
        const int64_t[::1] first,
        const uint8_t[::1] headed,
    ):
        """Return the columns of each list's template, and how many of them each record has."""
        cdef Columns columns = Columns(self.check(start, stop, first, headed))
        sizes = np.zeros(headed.shape[0], np.int64)
        present = np.zeros(start.shape[0], np.int64)
        cdef int64_t[::1] size = sizes, own = present
        cdef Py_ssize_t list_, record, place, records, number
        cdef uint64_t above
        cdef int32_t level
        with nogil:
            for list_ in range(headed.shape[0]):
                columns.begin(list_)
                for record in range(first[list_], first[list_ + 1]):
                    above = self.above(start[record], headed[list_], &level)
                    for place in range(
                        self.leaves_before[start[record]], self.leaves_before[stop[record]]
                    ):
                        columns.add(self.relative(place, above, level), record)
            for number in range(columns.used):
                list_ = columns.owner[number]
                columns.common[number] = 2 * columns.filled[number] >= first[list_ + 1] - first[list_]
                size[list_] += columns.common[number]
                columns.last[number] = -1
            for list_ in range(headed.shape[0]):
                columns.begin(list_)
                for record in range(first[list_], first[list_ + 1]):
                    above = self.above(start[record], headed[list_], &level)
                    for place in range(
                        self.leaves_before[start[record]], self.leaves_before[stop[record]]
                    ):
                        number = columns.find(self.relative(place, above, level))
                        if columns.last[number] != record:
                            columns.last[number] = record
                            own[record] += columns.common[number]
        return sizes, present

    cdef inline uint64_t above(
        self, Py_ssize_t start, bint headed, int32_t* level
    ) noexcept nogil:
        """Return the path of where a record is entered; a run of siblings is from their parent."""
        cdef Py_ssize_t top = self.parent[start] if headed else start
        level[0] = self.depth[top]
        return self.path[top]

    cdef inline uint64_t relative(
        self, Py_ssize_t place, uint64_t above, int32_t level
    ) noexcept nogil:
        """Return the path from where a record is entered down to a leaf."""
        cdef Py_ssize_t row = self.leaf[place]
        cdef int32_t below = max(self.depth[row] - level, 0)
        return self.path[row] - self.power[below] * above


cdef class Columns:
    """The columns of lists, and in how many records each is; lists come one after the other.

    The hash of a column tells lists apart. Should those of two lists be equal, they are one column,
    which belongs to the list that has the cell with the least hash. An entry is a column in a list.
    """

    cdef Py_ssize_t mask, used, entries, list
    cdef int32_t[::1] table
    # Per column.
    cdef uint64_t[::1] key, least
    cdef int64_t[::1] last, owner, filled, entry
    cdef uint8_t[::1] common
    # Per entry.
    cdef int64_t[::1] entry_list, entry_column, cells, times

    def __cinit__(self, Py_ssize_t most):
        """Make room for so many columns."""
        self.mask = table_size(most) - 1
        self.table = np.full(self.mask + 1, -1, np.int32)
        self.key, self.least = np.empty((2, most), np.uint64)
        self.last, self.owner, self.filled, self.entry = np.empty((4, most), np.int64)
        self.common = np.empty(most, np.uint8)
        self.entry_list, self.entry_column, self.cells, self.times = np.empty((4, most), np.int64)
        self.used = self.entries = self.list = 0

    cdef void begin(self, Py_ssize_t list_) noexcept nogil:
        """Go on with the next list."""
        self.list = list_

    cdef inline Py_ssize_t find(self, uint64_t path) noexcept nogil:
        """Return the number of a column, which is made if there is none."""
        cdef uint64_t key = within(path, self.list)
        cdef Py_ssize_t slot = spread(key) & self.mask
        cdef Py_ssize_t number
        while True:
            number = self.table[slot]
            if number < 0:
                break
            if self.key[number] == key:
                return number
            slot = (slot + 1) & self.mask
        number = self.used
        self.used += 1
        self.table[slot] = <int32_t> number
        self.key[number], self.last[number], self.filled[number] = key, -1, 0
        self.entry[number] = -1
        return number

    cdef inline void add(self, uint64_t path, int64_t record) noexcept nogil:
        """Count a leaf of a record; records come one after the other."""
        cdef Py_ssize_t number = self.find(path)
        cdef Py_ssize_t entry = self.entry[number]
        cdef uint64_t cell
        if entry < 0 or self.entry_list[entry] != self.list:
            entry = self.entry[number] = self.entries
            self.entries += 1
            self.entry_list[entry], self.entry_column[entry] = self.list, number
            self.cells[entry] = self.times[entry] = 0
        self.times[entry] += 1
        if self.last[number] != record:
            self.last[number] = record
            self.cells[entry] += 1
            cell = within(self.key[number], record)
            if not self.filled[number] or cell < self.least[number]:
                self.least[number], self.owner[number] = cell, self.list
            self.filled[number] += 1


cdef class Contents:
    """The different contents of the records of lists."""

    cdef Py_ssize_t mask
    cdef uint64_t[::1] key
    cdef uint8_t[::1] taken

    def __cinit__(self, Py_ssize_t most):
        """Make room for so many records."""
        self.mask = table_size(most) - 1
        self.key = np.empty(self.mask + 1, np.uint64)
        self.taken = np.zeros(self.mask + 1, np.uint8)

    cdef bint add(self, uint64_t content, Py_ssize_t list_) noexcept nogil:
        """Return whether a content is new in a list, and remember it."""
        cdef uint64_t key = within(content, list_)
        cdef Py_ssize_t slot = spread(key) & self.mask
        while self.taken[slot]:
            if self.key[slot] == key:
                return False
            slot = (slot + 1) & self.mask
        self.key[slot], self.taken[slot] = key, True
        return True
