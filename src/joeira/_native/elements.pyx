"""Kernels of `joeira.segments.learned`: what is known of every element, stems of names, the cut.

Their reference are the functions of the modules there, whose names are used here: the same counts,
and the same bits of shares, which are sums in the same order.
"""

import os

import numpy as np

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")
"""Where keys fall in tables, so that no page can make them all fall together. No answer shows it."""

cdef uint64_t STEP = 0xD1342543DE82EF95
cdef uint64_t LEAF = 0x6C656166

cdef enum:
    TEXT = 0  # the number of the tag of texts
    NO_LEVEL = 7
    LIST_ITEMS = 3
    ASCII = 128
    OWN = 42  # features of an element itself
    OF_PARENT = 8

cdef enum:  # how siblings are alike
    BY_TAG
    BY_CLASS  # and by tag
    BY_SHAPE


cdef inline double at_least_one(double count) noexcept nogil:
    return count if count > 1 else 1


cdef inline uint64_t spread(uint64_t value) noexcept nogil:
    value = (value ^ SEED ^ (value >> 31)) * <uint64_t> 0xBF58476D1CE4E5B9
    value = (value ^ (value >> 29)) * <uint64_t> 0x9E3779B97F4A7C15
    return value ^ (value >> 32)


cdef class Elements:
    """Counts over the subtree of every row of a page, the page's head left out."""

    cdef readonly object words, blocks, has_text, alike_children
    cdef const int32_t[::1] tag, known_tag, parent, end, depth, class_number, id_number
    cdef uint64_t[::1] shape
    cdef Py_ssize_t count, tags_end
    # Per row, with its head left out: words of its own and before it, then of its whole subtree.
    cdef double[::1] own, before, linked, inside_blocks, all_words
    cdef uint8_t[::1] shown
    # Siblings alike, and the most such of the children.
    cdef double[::1] by_tag, by_class, by_shape, most_by_tag, most_by_class, most_by_shape
    # What is counted only for `columns`; all sums are of whole numbers, but for two.
    cdef uint8_t[::1] is_heading, opens
    cdef double[::1] headings, children, deepest, largest, concentration, contrast, own_below
    cdef double[::1] child_ids, ids, branches_above, branches_below, repeated, images, illustrated
    cdef double[::1] top_level, top_headings, child_headings, parts, opened, share, density

    def __init__(self, rows, counts, begins, in_head):
        """Read the tree and its words.

        `rows` has, per row, its tag, its known tag, its parent, the end of its subtree, its depth,
        and the numbers of its class and its id; `counts` its words and those in links. `begins`
        tells where a block begins, `in_head` what nobody sees.
        """
        self.tag, self.known_tag, self.parent, self.end, self.depth = rows[:5]
        self.class_number, self.id_number = rows[5:]
        cdef const int32_t[::1] words, linked
        words, linked = counts
        cdef const uint8_t[::1] begins_block = begins, is_head = in_head
        cdef Py_ssize_t count = self.tag.shape[0], row
        self.count = count
        cdef bint fits = count > 0 and self.known_tag.shape[0] == count
        fits &= self.parent.shape[0] == count and self.end.shape[0] == count
        fits &= self.depth.shape[0] == count and self.class_number.shape[0] == count
        fits &= self.id_number.shape[0] == count and words.shape[0] == count
        fits &= linked.shape[0] == count and begins_block.shape[0] == count
        fits &= is_head.shape[0] == count
        if fits:
            with nogil:
                fits &= self.parent[0] == -1
                for row in range(count):
                    fits &= (row == 0 or self.parent[row] >= 0) and self.parent[row] < row
                    fits &= row < self.end[row] <= count and self.known_tag[row] >= 0
                    self.tags_end = max(self.tags_end, self.known_tag[row] + 1)
        if not fits:
            raise ValueError("columns of a page that do not fit each other")
        self.words, self.blocks, own, before, in_links = np.zeros((5, count))
        self.has_text = np.empty(count, bool)
        self.shown = self.has_text.view(np.uint8)
        self.all_words, self.inside_blocks = self.words, self.blocks
        self.own, self.before, self.linked = own, before, in_links
        cdef double total = 0
        with nogil:
            for row in range(count):
                self.before[row] = total
                if not is_head[row]:
                    self.own[row] = self.all_words[row] = words[row]
                    self.linked[row] = linked[row]
                    self.inside_blocks[row] = begins_block[row]
                    total += words[row]
            for row in range(count - 1, 0, -1):
                self.all_words[self.parent[row]] += self.all_words[row]
                self.linked[self.parent[row]] += self.linked[row]
                self.inside_blocks[self.parent[row]] += self.inside_blocks[row]
            for row in range(count):
                self.shown[row] = self.all_words[row] > 0 and self.tag[row] != TEXT
        sizes = np.zeros((2, count))
        self.by_class, self.most_by_class = sizes
        self.alike_children = sizes[1]
        self.group(BY_CLASS, self.by_class, self.most_by_class)

    def holds_landmark(self, const uint8_t[::1] kind_of):
        """Return which rows have a part below them that its author named.

        `kind_of` has, per known tag, bits: what always is such a part (1), what is one outside of
        items (2) and of sections (4), and what is an item (8) and a section (16).
        """
        if kind_of.shape[0] < self.tags_end:
            raise ValueError("tags that there are not")
        found = np.zeros(self.count, bool)
        cdef uint8_t[::1] holds = found.view(np.uint8)
        cdef uint8_t[::1] around = np.zeros(self.count, np.uint8)
        cdef Py_ssize_t row
        cdef uint8_t kind
        cdef bint own
        with nogil:
            for row in range(self.count):
                kind = kind_of[self.known_tag[row]]
                around[row] = kind | (around[self.parent[row]] if row else 0)
            for row in range(self.count - 1, 0, -1):
                kind, own = kind_of[self.known_tag[row]], False
                if kind & 1 or (kind & 2 and not around[row] & 8):
                    own = True
                elif kind & 4 and not around[row] & 16:
                    own = True
                if (own and self.shown[row]) or holds[row]:
                    holds[self.parent[row]] = True
        return found

    cdef group(self, int kind, double[::1] size, double[::1] most):
        """Count siblings with text of one kind."""
        cdef Py_ssize_t row, slot, mask = 7, shown = 0
        for row in range(self.count):
            shown += self.shown[row]
        while mask + 1 < 2 * shown:
            mask = 2 * mask + 1
        cdef int32_t[::1] table = np.empty(mask + 1, np.int32)
        cdef int32_t[::1] first = np.empty(self.count, np.int32)
        cdef int32_t other
        cdef uint64_t key
        with nogil:
            memset(&table[0], 0xFF, (mask + 1) * sizeof(int32_t))  # -1: nothing there
            for row in range(self.count):
                if not self.shown[row]:
                    continue
                key = spread(<uint64_t> self.above(row))
                if kind == BY_SHAPE:
                    key += self.shape[row]
                else:
                    key += <uint64_t> self.tag[row]
                    if kind == BY_CLASS:
                        key = spread(key) + <uint64_t> self.class_number[row]
                slot = spread(key) & mask
                while True:
                    other = table[slot]
                    if other < 0:
                        table[slot] = <int32_t> row
                        other = <int32_t> row
                        break
                    if self.are_alike(row, other, kind):
                        break
                    slot = (slot + 1) & mask
                first[row] = other
                size[other] += 1
            for row in range(self.count):
                if self.shown[row]:
                    size[row] = size[first[row]]
                    if row and size[row] > most[self.parent[row]]:
                        most[self.parent[row]] = size[row]

    cdef inline bint are_alike(self, Py_ssize_t row, Py_ssize_t other, int kind) noexcept nogil:
        if self.above(row) != self.above(other):
            return False
        if kind == BY_SHAPE:
            return self.shape[row] == self.shape[other]
        if self.tag[row] != self.tag[other]:
            return False
        return kind == BY_TAG or self.class_number[row] == self.class_number[other]

    cdef inline Py_ssize_t above(self, Py_ssize_t row) noexcept nogil:
        return self.parent[row] if row else 0

    def columns(self, rows, tables, image, to):
        """Write the features of some rows, before any logarithm, in the order of the model.

        `tables` has, per known tag, the level of a heading
        or 0, and the place among the tags that are counted, that elements have, and that parents
        have, or -1; `image` is the place of images among those counted.
        """
        cdef const int64_t[::1] asked = rows
        cdef float[:, ::1] out = to
        cdef const int32_t[::1] level_of, counted, own_place, parent_place
        level_of, counted, own_place, parent_place = tables
        cdef Py_ssize_t count = self.count, row, up, place, number, line, images = image
        cdef Py_ssize_t counted_tags = np.max(counted, initial=-1) + 1
        cdef Py_ssize_t own_tags = np.max(own_place, initial=-1) + 1
        cdef Py_ssize_t parent_tags = np.max(parent_place, initial=-1) + 1
        cdef bint fits = 0 <= images < counted_tags
        fits &= level_of.shape[0] >= self.tags_end and counted.shape[0] >= self.tags_end
        fits &= own_place.shape[0] >= self.tags_end and parent_place.shape[0] >= self.tags_end
        fits &= out.shape[0] >= OWN + counted_tags + OF_PARENT + own_tags + parent_tags
        fits &= out.shape[1] == asked.shape[0]
        if fits:
            with nogil:
                for place in range(asked.shape[0]):
                    fits &= 0 <= asked[place] < count
        if not fits:
            raise ValueError("columns of a page that do not fit each other")
        self.find_alike()
        self.look_down(level_of)
        self.look_up()
        # Of each counted tag, how many rows come before a row.
        cdef int32_t[:, ::1] before = np.zeros((count + 1, counted_tags), np.int32)
        with nogil:
            for row in range(count):
                for number in range(counted_tags):
                    before[row + 1, number] = before[row, number]
                number = counted[self.known_tag[row]]
                if number >= 0:
                    before[row + 1, number] += 1
            for row in range(count):
                self.images[row] = before[self.end[row], images] - before[row, images]
            self.look_at_children()
            for place in range(asked.shape[0]):
                row = asked[place]
                up = self.above(row)
                self.write_own(row, &out[0, place], out.shape[1])
                line = OWN
                for number in range(counted_tags):
                    out[line + number, place] = before[self.end[row], number] - before[row, number]
                line += counted_tags
                self.write_parent(up, &out[line, place], out.shape[1])
                line += OF_PARENT
                for number in range(own_tags + parent_tags):
                    out[line + number, place] = 0
                number = own_place[self.known_tag[row]]
                if number >= 0:
                    out[line + number, place] = 1
                line += own_tags
                number = parent_place[self.known_tag[up]]
                if number >= 0:
                    out[line + number, place] = 1

    cdef find_alike(self):
        """Group siblings by tag and by shape: the tags of a subtree, any leaf like another."""
        cdef Py_ssize_t row
        self.shape = np.zeros(self.count, np.uint64)
        with nogil:
            for row in range(self.count - 1, -1, -1):
                if self.end[row] == row + 1:
                    self.shape[row] = LEAF
                else:  # so far it is what the children are, in order
                    self.shape[row] = spread(self.shape[row] + <uint64_t> self.tag[row] * STEP)
                if row:
                    self.shape[self.parent[row]] = spread(
                        self.shape[self.parent[row]] * STEP + self.shape[row]
                    )
        sizes = np.zeros((4, self.count))
        self.by_tag, self.by_shape, self.most_by_tag, self.most_by_shape = sizes
        self.group(BY_TAG, self.by_tag, self.most_by_tag)
        self.group(BY_SHAPE, self.by_shape, self.most_by_shape)

    cdef look_down(self, const int32_t[::1] level_of):
        """Set what is known of each row and of the elements around it, from the root down."""
        flags = np.zeros((4, self.count + 1), np.uint8)
        self.is_heading, self.opens, in_headings, in_lists = flags
        cdef uint8_t[::1] in_heading = in_headings, in_list = in_lists
        (
            self.headings, self.children, self.deepest, self.largest, self.concentration,
            self.contrast, self.own_below, self.child_ids, self.ids, self.branches_above,
            self.branches_below, self.repeated, self.images, self.illustrated, self.top_level,
            self.top_headings, self.child_headings, self.parts, self.opened, self.share,
            self.density,
        ) = np.zeros((21, self.count))
        cdef Py_ssize_t row, up
        cdef int32_t level
        cdef double difference
        with nogil:
            for row in range(self.count):
                up = self.above(row)
                self.density[row] = self.linked[row] / at_least_one(self.all_words[row])
                self.share[row] = self.all_words[row] / at_least_one(self.all_words[up])
                level = level_of[self.known_tag[row]]
                self.is_heading[row] = level > 0 and self.shown[row]
                in_heading[row] = self.is_heading[row] or in_heading[up]
                in_list[row] = self.by_class[row] >= LIST_ITEMS or in_list[up]
                self.headings[row] = self.top_headings[row] = self.is_heading[row]
                self.top_level[row] = level if self.is_heading[row] else NO_LEVEL
                self.deepest[row] = self.depth[row]
                self.ids[row] = self.id_number[row] > 0 and self.shown[row]
                self.repeated[row] = self.own[row] if in_list[row] else 0
                if row:
                    self.children[up] += self.shown[row]
                    self.concentration[up] += self.share[row] * self.share[row]
                    difference = self.density[row] - self.density[up]
                    self.contrast[up] += self.share[row] * (difference * difference)
                    self.own_below[up] += self.own[row]
                    self.child_ids[up] += self.ids[row]
                    self.child_headings[up] += self.is_heading[row]
                    self.largest[up] = max(self.largest[up], <double> self.all_words[row])
            for row in range(self.count):
                self.branches_below[row] = self.shown[row] and self.children[row] > 1
                if row:
                    up = self.parent[row]
                    self.branches_above[row] = self.branches_above[up] + self.branches_below[up]
            for row in range(self.count - 1, -1, -1):  # by the first text from the row on
                self.opens[row] = in_heading[row] if self.tag[row] == TEXT else self.opens[row + 1]
            for row in range(self.count):
                self.opens[row] &= self.shown[row]

    cdef look_up(self):
        """Set what is below each row, from the leaves up."""
        cdef Py_ssize_t row, up
        with nogil:
            for row in range(self.count - 1, 0, -1):
                up = self.parent[row]
                self.headings[up] += self.headings[row]
                self.ids[up] += self.ids[row]
                self.branches_below[up] += self.branches_below[row]
                self.repeated[up] += self.repeated[row]
                self.deepest[up] = max(self.deepest[up], self.deepest[row])
                if self.top_level[row] < self.top_level[up]:
                    self.top_level[up] = self.top_level[row]
                    self.top_headings[up] = self.top_headings[row]
                elif self.top_level[row] == self.top_level[up]:
                    self.top_headings[up] += self.top_headings[row]

    cdef void look_at_children(self) noexcept nogil:
        """Count the children that have an image or a heading, when it is known which have."""
        cdef Py_ssize_t row, up
        for row in range(1, self.count):
            up = self.parent[row]
            self.illustrated[up] += self.images[row] > 0 and self.shown[row]
            if not self.is_heading[row]:
                self.parts[up] += self.headings[row] > 0
                self.opened[up] += self.opens[row]

    cdef void write_own(self, Py_ssize_t row, float* to, Py_ssize_t step) noexcept nogil:
        """Write what is known of a row itself."""
        cdef Py_ssize_t up = self.above(row)
        cdef double words = self.all_words[row], some = at_least_one(words)
        cdef double blocks = self.inside_blocks[row], some_blocks = at_least_one(blocks)
        cdef double children = self.children[row], some_children = at_least_one(children)
        cdef double total = at_least_one(self.all_words[0])
        cdef double[OWN] value = [
            words,
            blocks,
            children,
            self.density[row],
            words / total,
            self.before[row] / total,
            self.depth[row] / 10.0,
            (self.deepest[row] - self.depth[row]) / 10.0,
            self.headings[row],
            self.largest[row] / some,
            self.concentration[row],
            sqrt(self.contrast[row]),
            self.most_by_tag[row] / some_children,
            self.most_by_class[row] / some_children,
            self.most_by_shape[row] / some_children,
            self.by_tag[row],
            self.by_class[row],
            self.by_shape[row],
            self.own_below[row] / some,
            words / some_blocks,
            self.share[row],
            self.headings[row] / some_blocks,
            self.id_number[row] > 0,
            self.class_number[row] > 0,
            self.child_ids[row],
            self.ids[row],
            blocks / at_least_one(self.inside_blocks[0]),
            self.all_words[0],
            self.inside_blocks[0],
            self.branches_above[row],
            self.branches_below[row],
            self.share[row] * at_least_one(self.children[up]),
            self.repeated[row] / some,
            self.images[row] / some_blocks,
            self.illustrated[row] / some_children,
            self.opens[row],
            self.top_level[row],
            self.top_headings[row],
            self.child_headings[row],
            self.parts[row],
            self.parts[row] / some_children,
            self.opened[row] / some_children,
        ]
        cdef Py_ssize_t line
        for line in range(OWN):
            to[line * step] = <float> value[line]

    cdef void write_parent(self, Py_ssize_t row, float* to, Py_ssize_t step) noexcept nogil:
        """Write what is also known of the parent of a row."""
        cdef double some_children = at_least_one(self.children[row])
        cdef double[OF_PARENT] value = [
            self.all_words[row],
            self.inside_blocks[row],
            self.children[row],
            self.headings[row],
            self.density[row],
            self.most_by_class[row] / some_children,
            self.most_by_shape[row] / some_children,
            self.id_number[row] > 0,
        ]
        cdef Py_ssize_t line
        for line in range(OF_PARENT):
            to[line * step] = <float> value[line]


def best_cut(const double[::1] value, const int32_t[::1] parent, const int32_t[::1] depth):
    """Return for every row the root of the part it is in, in the cut of greatest total value."""
    cdef Py_ssize_t count = value.shape[0], row, place
    cdef bint fits = count > 0 and parent.shape[0] == count and depth.shape[0] == count
    if fits:
        with nogil:
            fits &= parent[0] == -1 and depth[0] == 0
            for row in range(1, count):
                fits &= 0 <= parent[row] < row
                if fits:
                    fits &= depth[row] == depth[parent[row]] + 1
    if not fits:
        raise ValueError("columns of a page that do not fit each other")
    roots = np.empty(count, np.int32)
    cdef int32_t[::1] root = roots
    cdef int64_t[::1] next_of = np.zeros(count + 1, np.int64)
    cdef int32_t[::1] by_level = np.empty(count, np.int32)
    cdef double[::1] below = np.zeros(count)
    with nogil:
        for row in range(count):
            next_of[depth[row] + 1] += 1
        for place in range(count):
            next_of[place + 1] += next_of[place]
        # The deepest level first, and the rows of a level in order, as sums depend on it.
        for row in range(count):
            by_level[count - 1 - next_of[depth[row]]] = <int32_t> row
            next_of[depth[row]] += 1
        add_by_level(value, parent, depth, by_level, below)
        for row in range(count):
            root[row] = <int32_t> (row if value[row] >= below[row] else count)
            if row and root[parent[row]] < root[row]:
                root[row] = root[parent[row]]
    return roots


cdef void add_by_level(
    const double[::1] value,
    const int32_t[::1] parent,
    const int32_t[::1] depth,
    const int32_t[::1] by_level,
    double[::1] below,
) noexcept nogil:
    """Add to each row what its children are worth; `by_level` has the rows, the last one first."""
    cdef Py_ssize_t stop = 0, start, place, row, count = by_level.shape[0]
    while stop < count:
        start = stop
        while stop < count and depth[by_level[stop]] == depth[by_level[start]]:
            stop += 1
        for place in range(stop - 1, start - 1, -1):
            row = by_level[place]
            if row:
                below[parent[row]] += max(value[row], below[row])


def union_over_ancestors(const uint32_t[::1] bits, const int32_t[::1] parent):
    """Return, for every row, the bits set at the row itself or at any ancestor."""
    cdef Py_ssize_t count = bits.shape[0], row
    if parent.shape[0] != count:
        raise ValueError("columns of a page that do not fit each other")
    union = np.array(bits, np.uint32)
    cdef uint32_t[::1] to = union
    cdef bint fits = True
    with nogil:
        for row in range(1, count):
            if not 0 <= parent[row] < row:
                fits = False
                break
            to[row] |= to[parent[row]]
    if not fits:
        raise ValueError("columns of a page that do not fit each other")
    return union


cdef class StemFinder:
    """Finds stems in many names at once."""

    cdef int32_t[::1] first, label
    cdef uint32_t[:, ::1] code
    cdef int64_t[::1] length
    cdef uint8_t[::1] edge_before, edge_after
    cdef uint8_t[:, ::1] begins

    def __init__(self, list stems):
        """Read the stems: each with whether no letter may be before and after it, and its bit."""
        stems = sorted(stems)
        cdef Py_ssize_t count = len(stems), number, place
        longest = max([len(stem[0]) for stem in stems], default=0)
        self.first = np.zeros(ASCII + 1, np.int32)
        self.begins = np.zeros((ASCII, ASCII), np.uint8)
        self.code = np.zeros((count, max(longest, 1)), np.uint32)
        self.length = np.array([len(stem[0]) for stem in stems], np.int64)
        self.edge_before = np.array([stem[1] for stem in stems], np.uint8)
        self.edge_after = np.array([stem[2] for stem in stems], np.uint8)
        self.label = np.array([stem[3] for stem in stems], np.int32)
        for number in range(count):
            text = stems[number][0]
            if len(text) < 2 or not text.isascii() or not 0 <= self.label[number] < 32:
                raise ValueError("stems are two characters of ASCII or more, of at most 32 kinds")
            self.begins[ord(text[0]), ord(text[1])] = True
            for place in range(len(text)):
                self.code[number, place] = ord(text[place])
            self.first[ord(text[0]) + 1] = number + 1
        for place in range(ASCII):  # stems with a first letter follow each other
            self.first[place + 1] = max(self.first[place + 1], self.first[place])

    def __call__(self, const uint32_t[::1] codes, Py_ssize_t names):
        """Return, for each of so many names with a zero between them, the bits of its stems."""
        cdef Py_ssize_t name = 0, place, number, start = 0, stop, count = codes.shape[0]
        found = np.zeros(names, np.uint32)
        cdef uint32_t[::1] bits = found
        cdef uint32_t code, following
        with nogil:
            while name < names and start < count:
                stop = start
                while stop < count and codes[stop]:
                    stop += 1
                for place in range(start, stop - 1):
                    code, following = codes[place], codes[place + 1]
                    if code >= ASCII or following >= ASCII or not self.begins[code, following]:
                        continue
                    for number in range(self.first[code], self.first[code + 1]):
                        if self.is_at(number, codes, place, stop) and self.is_free(
                            number, codes, place, start, stop
                        ):
                            bits[name] |= <uint32_t> 1 << self.label[number]
                start = stop + 1
                name += 1
        return found

    cdef inline bint is_at(
        self, Py_ssize_t number, const uint32_t[::1] codes, Py_ssize_t place, Py_ssize_t stop
    ) noexcept nogil:
        """Return whether a stem is at a place of a name that ends at `stop`."""
        cdef Py_ssize_t length = self.length[number], at
        if place + length > stop:
            return False
        for at in range(length):
            if codes[place + at] != self.code[number, at]:
                return False
        return True

    cdef inline bint is_free(
        self,
        Py_ssize_t number,
        const uint32_t[::1] codes,
        Py_ssize_t place,
        Py_ssize_t start,
        Py_ssize_t stop,
    ) noexcept nogil:
        """Return whether no letter is where none may be, save those of the same stem once more."""
        cdef Py_ssize_t before = place - self.length[number], after = place + self.length[number]
        if self.edge_before[number] and place > start and is_letter(codes[place - 1]):
            if before < start or not self.is_at(number, codes, before, stop):
                return False
        if self.edge_after[number] and after < stop and is_letter(codes[after]):
            return self.is_at(number, codes, after, stop)
        return True


cdef inline bint is_letter(uint32_t code) noexcept nogil:
    return c"a" <= code <= c"z"
