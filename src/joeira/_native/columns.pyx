"""Kernels of `joeira.blockmodel`: the columns of a page's blocks, and what they are made of.

`BlockColumns` reads the texts and the tree of a page once and keeps what several columns need; its
methods write the columns in the order of the features. Their reference, feature by feature, are the
modules of `joeira.blockmodel`, whose names are used here. Counts and flags are the same; logarithms
and shares agree to 1e-6.

Index spaces are those of the reference: rows of the page, texts, blocks (the chosen ones, outside
the head), and holders (elements with blocks below them). Rows and holders are in preorder, so that a
walk over all ancestors is one step from the parent, which comes before its children.
"""

import os

import numpy as np

from libc.math cimport log1p
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memset

cdef extern from *:
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, void* data, Py_ssize_t place) nogil

# The flags of `joeira.arrays.strings`.
cdef enum:
    WORD = 1
    SPACE = 2
    DIGIT = 4
    SENTENCE_END = 16
    COMMA = 32
    UNSPACED = 64
    CURRENCY = 128
    SEPARATOR = 256

cdef enum:
    WORDS_PER_BLOCK = 40
    NAME_MIN_CHARS = 3
    NAME_MAX_CHARS = 15
    FAR = 50
    WINDOW = 5
    REPEATED_MIN = 3
    LOGARITHMS = 2048

cdef uint64_t BASE = 0x9E3779B97F4A7C15
cdef uint64_t MIX = 0xBF58476D1CE4E5B9
cdef uint64_t CLASS_STEP = 0xBF58476D1CE4E5B9
cdef uint64_t NUMBER = 0x6E756D626572
cdef double CARDS_SHARE = 0.5
cdef double NAME_DECAY = 0.9
cdef double[2] CORE_SHARES = [0.4, 0.6]
cdef int[5] LEVELS = [0, 1, 2, 3, 5]
cdef int[5] GOOD_LEVELS = [1, 2, 3, 4, 6]

cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")
"""Where keys fall in tables, so that no page can make them all fall together. No answer shows it."""

cdef double[LOGARITHMS] LOG
cdef int _number
for _number in range(LOGARITHMS):
    LOG[_number] = log1p(_number)


cdef inline double log_count(double count) noexcept nogil:
    """Return the logarithm of one more than a whole number."""
    return LOG[<int> count] if count < LOGARITHMS else log1p(count)


cdef inline double at_least_one(double count) noexcept nogil:
    return count if count > 1 else 1


cdef inline uint64_t mixed(uint64_t value) noexcept nogil:
    value = (value ^ (value >> 31)) * MIX
    return value ^ (value >> 31)


cdef Py_ssize_t number_groups(const uint64_t[::1] key, int32_t[::1] number, int32_t[::1] table):
    """Number equal keys in the order in which they come first; return how many there are.

    `table` has a power of two of entries, at least twice as many as there are keys.
    """
    cdef Py_ssize_t place, slot, mask = table.shape[0] - 1
    cdef int32_t groups = 0, first
    cdef int32_t[::1] first_of = np.empty(max(key.shape[0], 1), np.int32)
    with nogil:
        memset(&table[0], 0xFF, table.shape[0] * sizeof(int32_t))  # -1: nothing there
        for place in range(key.shape[0]):
            slot = mixed(mixed(key[place] ^ SEED) + SEED) & mask
            while True:
                first = table[slot]
                if first < 0:
                    table[slot] = groups
                    first_of[groups] = <int32_t> place
                    number[place] = groups
                    groups += 1
                    break
                if key[first_of[first]] == key[place]:
                    number[place] = first
                    break
                slot = (slot + 1) & mask
    return groups


cdef int32_t[::1] table_for(Py_ssize_t keys):
    cdef Py_ssize_t size = 8
    while size < 2 * keys:
        size *= 2
    return np.empty(size, np.int32)


def name_parts(tuple class_names, tuple id_names):
    """Return the hash of each part of some names, and the number of its name.

    ``post-bodyText`` has post, body and text; a part has 3 to 15 letters of ASCII.
    """
    cdef Py_ssize_t count = 0, number, place, begin, length, size
    cdef str name
    cdef int kind
    cdef void* data
    cdef Py_UCS4 letter
    cdef bint small, capital, was_small = False
    size = sum([len(name) for name in class_names]) + sum([len(name) for name in id_names])
    hashes = np.empty(size // NAME_MIN_CHARS + 1, np.uint64)
    numbers = np.empty(len(hashes), np.int64)
    cdef uint64_t[::1] part_hash = hashes
    cdef int64_t[::1] part_name = numbers
    cdef uint64_t total = 0, power = 1
    number = 0
    for names in (class_names, id_names):
        for name in names:
            length = 0
            was_small = False
            kind, data, size = PyUnicode_KIND(name), PyUnicode_DATA(name), len(name)
            for place in range(size + 1):
                letter = PyUnicode_READ(kind, data, place) if place < size else 0
                small, capital = c"a" <= letter <= c"z", c"A" <= letter <= c"Z"
                if length and (not (small or capital) or (capital and was_small)):
                    if NAME_MIN_CHARS <= length <= NAME_MAX_CHARS:
                        part_hash[count], part_name[count] = mixed(total), number
                        count += 1
                    length = 0
                if small or capital:
                    if not length:
                        total, power = 0, 1
                    total += (<uint64_t> letter + (33 if capital else 1)) * power
                    power *= BASE
                    length += 1
                was_small = small
            number += 1
    return hashes[:count], numbers[:count]


def hash_words(
    const uint32_t[::1] codes, const uint16_t[::1] flags, const uint32_t[::1] lower
):
    """Return the hashes of the words of some characters, each once, in order."""
    if codes.shape[0] != flags.shape[0] or lower.shape[0] != 0x10000:
        raise ValueError("characters and flags that do not fit each other")
    cdef Py_ssize_t place, stop = codes.shape[0], count = 0, different = 0
    cdef bint inside = False
    cdef uint16_t before = 0
    cdef uint32_t code
    cdef uint64_t total = 0, power = 1
    hashes = np.empty(stop + 1, np.uint64)
    cdef uint64_t[::1] word = hashes
    with nogil:
        for place in range(stop):
            if inside and (not flags[place] & WORD or (flags[place] | before) & UNSPACED):
                word[count] = mixed(total)
                inside, count = False, count + 1
            if flags[place] & WORD:
                if not inside:
                    inside, total, power = True, 0, 1
                code = codes[place]
                total += (<uint64_t> (lower[code] if code < 0x10000 else code) + 1) * power
                power *= BASE
            before = flags[place]
        if inside:
            word[count] = mixed(total)
            count += 1
        qsort(&word[0], count, sizeof(uint64_t), by_size)
        for place in range(count):
            if not place or word[place] != word[different - 1]:
                word[different] = word[place]
                different += 1
    return hashes[:different]


cdef int by_size(const void* first, const void* second) noexcept nogil:
    cdef uint64_t one = (<const uint64_t*> first)[0], other = (<const uint64_t*> second)[0]
    return (one > other) - (one < other)


cdef struct BlockText:
    # What is known of the texts of a block so far.
    Py_ssize_t words, sentence_ends, commas, currency, separators, solid
    Py_ssize_t hashed  # words that were hashed
    uint64_t hash  # of all of them
    uint64_t* word_hash  # room for the first WORDS_PER_BLOCK of them
    uint16_t last_solid  # flags of the last character that is no white space


cdef class BlockColumns:
    """The blocks of a page, their counts and their columns."""

    cdef readonly Py_ssize_t blocks, holders, path_groups
    cdef readonly object words, linked, good, sentences, commas, currency, separators, solid
    cdef readonly object copies, path_number
    cdef const int32_t[::1] tag, known_tag, parent, end, depth, class_number, id_number
    cdef const int32_t[::1] owner, first_text
    cdef const Py_ssize_t[::1] chosen
    cdef const uint32_t[::1] codes, lower
    cdef const uint16_t[::1] flags
    cdef const int64_t[::1] starts
    cdef Py_ssize_t limit, tags_end
    # Per block.
    cdef double[::1] n, of_links, prose, stops, pauses, money, bars, solids, same
    cdef uint8_t[::1] ends_sentence
    cdef int32_t[::1] block_owner
    # The first words of each block: `first_word` to the next block's.
    cdef uint64_t[::1] word_hash
    cdef int64_t[::1] first_word
    # Per holder.
    cdef int32_t[::1] row, above, of_block, sibling_group, alike_count, scratch
    cdef double[::1] below_words, below_linked, below_good
    cdef double total_words, total_good
    cdef int32_t[::1] of_path

    def __init__(self, rows, block_bounds, chosen, linked_text, characters, lower, limit):
        """Read the texts and the tree.

        `rows` has, per row, its tag, its known tag, its parent, the end of its subtree, its depth,
        and the numbers of its class and its id; `characters` the code points of all texts, their
        flags, and where each text begins.
        """
        self.tag, self.known_tag, self.parent, self.end, self.depth = rows[:5]
        self.class_number, self.id_number = rows[5:]
        self.owner, self.first_text = block_bounds
        self.chosen = chosen
        self.codes, self.flags, self.starts = characters
        self.lower, self.limit = lower, limit
        self.blocks = self.chosen.shape[0]
        cdef const uint8_t[::1] is_linked = linked_text
        self.check(is_linked)
        counts = np.zeros((9, self.blocks))
        self.words, self.linked, self.good, self.sentences, self.commas = counts[:5]
        self.currency, self.separators, self.solid, self.copies = counts[5:]
        self.n, self.of_links, self.prose = self.words, self.linked, self.good
        self.stops, self.pauses, self.money = self.sentences, self.commas, self.currency
        self.bars, self.solids, self.same = self.separators, self.solid, self.copies
        self.ends_sentence = np.zeros(self.blocks, np.uint8)
        self.read_texts(is_linked)
        if self.blocks:
            self.find_holders()
            self.group_siblings()
            self.group_paths()

    cdef check(self, const uint8_t[::1] is_linked):
        """Refuse whatever would make an index fall outside of its array."""
        cdef Py_ssize_t rows = self.tag.shape[0], texts = self.starts.shape[0], place
        cdef Py_ssize_t all_blocks = self.owner.shape[0]
        cdef bint fits = all_blocks + 1 == self.first_text.shape[0]
        fits &= self.known_tag.shape[0] == rows and self.parent.shape[0] == rows
        fits &= self.end.shape[0] == rows and self.depth.shape[0] == rows
        fits &= self.class_number.shape[0] == rows and self.id_number.shape[0] == rows
        fits &= is_linked.shape[0] == texts and self.codes.shape[0] == self.flags.shape[0]
        fits &= self.lower.shape[0] == 0x10000
        if fits:
            with nogil:
                if rows:
                    fits &= self.parent[0] == -1
                for place in range(1, rows):
                    fits &= 0 <= self.parent[place] < place
                for place in range(rows):
                    fits &= place < self.end[place] <= rows and self.known_tag[place] >= 0
                    self.tags_end = max(self.tags_end, self.known_tag[place] + 1)
                for place in range(all_blocks):
                    fits &= 0 <= self.owner[place] < rows
                    fits &= 0 <= self.first_text[place] < self.first_text[place + 1]
                fits &= self.first_text[all_blocks] == texts
                for place in range(texts):
                    fits &= 0 <= self.starts[place] < (
                        self.starts[place + 1] if place + 1 < texts else self.codes.shape[0]
                    )
                for place in range(self.chosen.shape[0]):
                    fits &= 0 <= self.chosen[place] < all_blocks
                    if place:
                        fits &= self.chosen[place - 1] < self.chosen[place]
        if not fits:
            raise ValueError("columns of a page that do not fit each other")

    # Texts --------------------------------------------------------------------------------------

    cdef read_texts(self, const uint8_t[::1] is_linked):
        """Count characters and words of each block, and hash its words."""
        cdef Py_ssize_t block, text, at, start, stop, words, texts = self.starts.shape[0]
        cdef double linked, all_words = 0, all_good = 0
        cdef BlockText so_far
        self.first_word = np.zeros(self.blocks + 1, np.int64)
        self.word_hash = np.empty(self.blocks * WORDS_PER_BLOCK, np.uint64)
        self.block_owner = np.empty(self.blocks, np.int32)
        cdef uint64_t[::1] block_hash = np.empty(self.blocks, np.uint64)
        with nogil:
            for block in range(self.blocks):
                at = self.chosen[block]
                self.block_owner[block] = self.owner[at]
                memset(&so_far, 0, sizeof(so_far))
                so_far.word_hash = &self.word_hash[self.first_word[block]]
                linked = 0
                for text in range(self.first_text[at], self.first_text[at + 1]):
                    start = self.starts[text]
                    stop = self.starts[text + 1] if text + 1 < texts else self.codes.shape[0]
                    words = so_far.words
                    self.read_text(start, stop, &so_far)
                    if is_linked[text]:
                        linked += so_far.words - words
                self.n[block] = so_far.words
                self.of_links[block] = linked
                self.stops[block] = so_far.sentence_ends
                self.pauses[block] = so_far.commas
                self.money[block] = so_far.currency
                self.bars[block] = so_far.separators
                self.solids[block] = so_far.solid
                self.ends_sentence[block] = (so_far.last_solid & SENTENCE_END) != 0
                self.first_word[block + 1] = self.first_word[block] + min(
                    so_far.hashed, WORDS_PER_BLOCK
                )
                block_hash[block] = mixed(so_far.hash)
                all_words += so_far.words
                if so_far.words >= 10 and linked / so_far.words < 0.5:
                    self.prose[block] = so_far.words - linked
                    all_good += self.prose[block]
        self.total_words, self.total_good = at_least_one(all_words), at_least_one(all_good)
        self.count_copies(block_hash)

    cdef void read_text(self, Py_ssize_t start, Py_ssize_t stop, BlockText* block) noexcept nogil:
        """Take one text into what is known of its block."""
        cdef const uint32_t* codes = &self.codes[0]
        cdef const uint16_t* flags = &self.flags[0]
        cdef const uint32_t* lower = &self.lower[0]
        cdef Py_ssize_t place, begin = -1, solid = 0
        cdef uint16_t kind, before = 0, last_solid = block.last_solid
        cdef uint32_t code
        cdef uint64_t total = 0, power = 1
        for place in range(start, stop):
            kind = flags[place]
            if kind & WORD:
                if begin >= 0 and (kind | before) & UNSPACED:
                    self.end_word(begin, place, total, block)
                    begin = -1
                if begin < 0:
                    begin, total, power = place, 0, 1
                    block.words += 1
                code = codes[place]
                total += (<uint64_t> (lower[code] if code < 0x10000 else code) + 1) * power
                power *= BASE
                solid += 1
                last_solid = kind
            else:
                if begin >= 0:
                    self.end_word(begin, place, total, block)
                    begin = -1
                if not kind & SPACE:
                    solid += 1
                    last_solid = kind
                    if kind & SENTENCE_END:
                        block.sentence_ends += 1
                    if kind & COMMA:
                        block.commas += 1
                    if kind & CURRENCY:
                        block.currency += 1
                    if kind & SEPARATOR:
                        block.separators += 1
            before = kind
        if begin >= 0:
            self.end_word(begin, stop, total, block)
        block.solid += solid
        block.last_solid = last_solid

    cdef inline void end_word(
        self, Py_ssize_t begin, Py_ssize_t stop, uint64_t total, BlockText* block
    ) noexcept nogil:
        """Hash a word that has ended, unless the page is too long for it."""
        if stop >= self.limit:
            return
        cdef uint64_t hashed = mixed(total)
        if self.flags[begin] & self.flags[stop - 1] & DIGIT:
            hashed = NUMBER  # one stands for any other: prices and dates would never repeat
        block.hash += mixed(hashed * (2 * <uint64_t> block.hashed + 1))
        if block.hashed < WORDS_PER_BLOCK:
            block.word_hash[block.hashed] = hashed
        block.hashed += 1

    cdef count_copies(self, const uint64_t[::1] block_hash):
        """Count the blocks with the same words as each block, itself included."""
        cdef Py_ssize_t block
        cdef int32_t[::1] number = np.empty(self.blocks, np.int32)
        cdef Py_ssize_t groups = number_groups(block_hash, number, table_for(self.blocks))
        cdef int32_t[::1] sizes = np.zeros(groups, np.int32)
        with nogil:
            for block in range(self.blocks):
                sizes[number[block]] += 1
            for block in range(self.blocks):
                self.same[block] = sizes[number[block]]

    # The tree -----------------------------------------------------------------------------------

    cdef find_holders(self):
        """Find the elements above blocks, and sum what is below each of them."""
        cdef Py_ssize_t rows = self.tag.shape[0], row, block, holder
        cdef int32_t[::1] number = np.zeros(rows, np.int32)
        with nogil:
            for block in range(self.blocks):
                number[self.block_owner[block]] = 1
            for row in range(rows - 1, 0, -1):
                number[self.parent[row]] |= number[row]
            holder = 0
            for row in range(rows):
                holder += number[row]
        self.holders = holder
        self.row = np.empty(holder, np.int32)
        self.above = np.empty(holder, np.int32)
        self.of_block = np.empty(self.blocks, np.int32)
        self.below_words, self.below_linked, self.below_good = np.zeros((3, holder))
        self.scratch = np.empty(holder, np.int32)
        with nogil:
            holder = 0
            for row in range(rows):
                if number[row]:
                    number[row] = <int32_t> holder
                    self.row[holder] = <int32_t> row
                    self.above[holder] = number[self.parent[row]] if row else -1
                    holder += 1
            for block in range(self.blocks):
                holder = number[self.block_owner[block]]
                self.of_block[block] = <int32_t> holder
                self.below_words[holder] += self.n[block]
                self.below_linked[holder] += self.of_links[block]
                self.below_good[holder] += self.prose[block]
            for holder in range(self.holders - 1, 0, -1):
                self.below_words[self.above[holder]] += self.below_words[holder]
                self.below_linked[self.above[holder]] += self.below_linked[holder]
                self.below_good[self.above[holder]] += self.below_good[holder]

    cdef group_siblings(self):
        """Group rows with one parent, tag and class: of which each holder's like are counted."""
        cdef Py_ssize_t rows = self.tag.shape[0], row, holder, groups
        cdef uint64_t[::1] key = np.empty(rows, np.uint64)
        with nogil:
            for row in range(rows):
                key[row] = (
                    (<uint64_t> self.parent[row] << 32)
                    + (<uint64_t> self.tag[row] << 20)
                    + <uint64_t> self.class_number[row]
                )
        cdef int32_t[::1] number = np.empty(rows, np.int32)
        groups = number_groups(key, number, table_for(rows))
        cdef int32_t[::1] size = np.zeros(groups, np.int32)
        self.sibling_group = np.empty(self.holders, np.int32)
        self.alike_count = np.empty(self.holders, np.int32)
        with nogil:
            for row in range(rows):
                size[number[row]] += 1
            for holder in range(self.holders):
                self.sibling_group[holder] = number[self.row[holder]]
                self.alike_count[holder] = size[number[self.row[holder]]]

    cdef group_paths(self):
        """Number the blocks with equal paths of tags and classes."""
        cdef Py_ssize_t holder, block, row
        cdef uint64_t[::1] path = np.empty(self.holders, np.uint64)
        cdef uint64_t[::1] key = np.empty(self.blocks, np.uint64)
        self.of_path = np.empty(self.blocks, np.int32)
        with nogil:
            for holder in range(self.holders):
                row = self.row[holder]
                path[holder] = mixed(
                    (<uint64_t> self.tag[row] + 1) * BASE
                    + <uint64_t> self.class_number[row] * CLASS_STEP
                )
                if holder:
                    path[holder] += BASE * path[self.above[holder]]
            for block in range(self.blocks):
                key[block] = path[self.of_block[block]]
        self.path_groups = number_groups(key, self.of_path, table_for(self.blocks))

    def groups(self, levels):
        """Return, per block, the number of its class path, then of its ancestors of some levels."""
        cdef Py_ssize_t[::1] number
        cdef Py_ssize_t block
        cdef int level, step
        cdef int32_t holder, count
        found = []
        number_of_paths = np.asarray(self.of_path).astype(np.intp)
        found.append(number_of_paths)
        for level in levels:
            numbers = np.empty(self.blocks, np.intp)
            number = numbers
            with nogil:
                memset(&self.scratch[0], 0xFF, self.holders * sizeof(int32_t))
                count = 0
                for block in range(self.blocks):
                    holder = self.of_block[block]
                    for step in range(level):
                        if holder > 0:
                            holder = self.above[holder]
                    if self.scratch[holder] < 0:
                        self.scratch[holder] = count
                        count += 1
                    number[block] = self.scratch[holder]
            found.append(numbers)
        return found

    # Columns ------------------------------------------------------------------------------------

    cdef inline double link_density(self, Py_ssize_t block) noexcept nogil:
        return self.of_links[block] / at_least_one(self.n[block])

    def overlap(self, const uint64_t[::1] wanted, double max_words):
        """Return the share of each block's words that are wanted, and of the wanted ones in it.

        `wanted` is in order; of blocks with more than so many words nothing is said.
        """
        shares, covers = np.zeros((2, self.blocks))
        cdef double[::1] share = shares, cover = covers
        cdef Py_ssize_t count = wanted.shape[0], block, word, low, high, middle, different
        cdef uint64_t hashed
        cdef double hits
        cdef uint8_t[256] ends  # of wanted words: the last bits keep most others away
        cdef int64_t[::1] last_block = np.full(max(count, 1), -1, np.int64)
        if not count:
            return shares, covers
        with nogil:
            memset(ends, 0, sizeof(ends))
            for word in range(count):
                ends[wanted[word] & 0xFF] = 1
            for block in range(self.blocks):
                if self.n[block] > max_words:
                    continue
                hits, different = 0, 0
                for word in range(self.first_word[block], self.first_word[block + 1]):
                    hashed = self.word_hash[word]
                    if not ends[hashed & 0xFF]:
                        continue
                    low, high = 0, count
                    while low < high:
                        middle = (low + high) // 2
                        if wanted[middle] < hashed:
                            low = middle + 1
                        else:
                            high = middle
                    if low < count and wanted[low] == hashed:
                        hits += 1
                        if last_block[low] != block:  # one that a block repeats counts once
                            last_block[low] = block
                            different += 1
                share[block] = hits / at_least_one(self.n[block])
                cover[block] = different / <double> count
        return shares, covers

    def text_columns(self, const uint64_t[::1] title, const uint64_t[::1] told, float[:, ::1] to):
        """Write the columns of `columns.TEXT_FEATURES`; `title` and `told` are hashes of words."""
        self.check_room(to, 13)
        cdef Py_ssize_t block, best = 0
        cdef double so_far = 0, largest = 0, most
        cdef double[::1] cover = self.overlap(title, 40)[1]
        told_share, told_cover = self.overlap(told, np.inf)
        cdef double[::1] share = told_share, told_part = told_cover
        with nogil:
            for block in range(self.blocks):
                so_far += self.n[block]
                to[0, block] = log_count(self.n[block])
                to[1, block] = self.link_density(block)
                to[2, block] = log_count(self.stops[block])
                to[3, block] = log_count(self.pauses[block])
                to[4, block] = self.bars[block] / at_least_one(self.solids[block])
                to[5, block] = self.ends_sentence[block]
                to[6, block] = (so_far - self.n[block] / 2) / self.total_words
                to[7, block] = log_count(self.blocks - block)
                to[8, block] = log_count(self.same[block])
                to[9, block] = cover[block]
                to[11, block] = share[block]
                to[12, block] = told_part[block]
                largest = max(largest, cover[block])
            most = -1
            for block in range(self.blocks):
                if cover[block] - 0.001 * block / self.blocks > most:
                    best, most = block, cover[block] - 0.001 * block / self.blocks
            self.distances(best if largest > 0.4 else -1, to[10])

    cdef void distances(self, Py_ssize_t mark, float[::1] to) noexcept nogil:
        """Write the signed logarithmic distance of every block from one block; 0 without any."""
        cdef Py_ssize_t block
        for block in range(self.blocks):
            if mark < 0:
                to[block] = 0
            elif block < mark:
                to[block] = -log_count(mark - block)
            else:
                to[block] = log_count(block - mark)

    cdef check_room(self, float[:, ::1] to, Py_ssize_t columns):
        if to.shape[0] != columns or to.shape[1] != self.blocks or not self.blocks:
            raise ValueError(f"{columns} columns have no room in {to.shape[0]} lines")

    def structure_columns(self, own_column, ancestor_bit, role_bits, roles, marks, float[:, ::1] to):
        """Write the columns of `structure.FEATURES`.

        Args:
            own_column: Per known tag: the number of its column, -1 for none.
            ancestor_bit: Per known tag: the bit of the landmark that it is.
            role_bits: Per role of the page: the bit of the landmark that it makes.
            roles: Per row: the number of its role.
            marks: Numbers of own columns and of landmarks, and of the tag ``h1``; per known tag,
                whether it is a heading.
            to: Takes the columns.
        """
        cdef Py_ssize_t own_columns = marks[0], landmarks = marks[1]
        cdef int32_t h1 = marks[2]
        cdef const uint8_t[::1] is_heading = marks[3]
        self.check_room(to, 49 + own_columns + landmarks)
        if is_heading.shape[0] < self.tags_end or own_columns < 0 or landmarks < 0:
            raise ValueError("a tag that there is not")
        self.level_columns(to[:20])
        self.repeated_columns(to[20:24])
        self.path_columns(to[24:31])
        cdef Py_ssize_t place = 31 + own_columns + landmarks
        self.tag_columns(own_column, ancestor_bit, role_bits, roles, own_columns, to[31:place])
        cdef Py_ssize_t title = self.heading_columns(is_heading, h1, to[place:place + 7])
        self.mark_columns(title, to[place + 7:place + 15])
        self.card_columns(to[place + 15:place + 18])

    cdef level_columns(self, float[:, ::1] to):
        """Write what the nearest ancestors of each block are, level after level."""
        cdef Py_ssize_t rows = self.tag.shape[0], row, holder, block
        cdef int32_t[::1] children = np.zeros(rows, np.int32)
        cdef float[:, ::1] values = np.empty((self.holders, 4), np.float32)
        cdef int level, step, feature
        with nogil:
            for row in range(1, rows):
                children[self.parent[row]] += 1
            for holder in range(self.holders):
                row = self.row[holder]
                values[holder, 0] = self.below_linked[holder] / at_least_one(self.below_words[holder])
                values[holder, 1] = log1p(self.below_words[holder] / (self.end[row] - row))
                values[holder, 2] = log_count(self.alike_count[holder])
                values[holder, 3] = log_count(children[row])
            for block in range(self.blocks):
                holder, step = self.of_block[block], 0
                for level in range(5):
                    while step < LEVELS[level]:
                        holder, step = max(self.above[holder], 0), step + 1
                    for feature in range(4):
                        to[4 * level + feature, block] = values[holder, feature]

    cdef repeated_columns(self, float[:, ::1] to):
        """Write the depth of each block, and what the nearest repeated element above it is."""
        cdef Py_ssize_t block, holder, at
        cdef int32_t[::1] nearest = self.scratch
        cdef int32_t[::1] most = np.empty(self.holders, np.int32)
        cdef bint repeated
        with nogil:
            for holder in range(self.holders):
                at = self.above[holder]
                repeated = self.alike_count[holder] >= REPEATED_MIN
                repeated &= self.below_words[holder] >= REPEATED_MIN
                most[holder] = most[at] if holder else 0
                nearest[holder] = nearest[at] if holder else -1
                if repeated:
                    nearest[holder] = <int32_t> holder
                    most[holder] = max(most[holder], self.alike_count[holder])
            for block in range(self.blocks):
                holder = self.of_block[block]
                to[0, block] = self.depth[self.block_owner[block]] / 10.0
                to[3, block] = log_count(most[holder])
                at = nearest[holder]
                if at < 0:
                    to[1, block] = to[2, block] = 0
                    continue
                to[1, block] = self.below_linked[at] / at_least_one(self.below_words[at])
                to[2, block] = self.below_words[max(self.above[at], 0)] / self.total_words

    cdef path_columns(self, float[:, ::1] to):
        """Write what the blocks with one path of tags and classes are together."""
        cdef Py_ssize_t block, group
        cdef double[:, ::1] sums = np.zeros((5, self.path_groups))
        cdef float[:, ::1] values = np.empty((self.path_groups, 7), np.float32)
        cdef double count, words, span
        cdef int feature
        with nogil:
            for block in range(self.blocks):
                group = self.of_path[block]
                if not sums[0, group]:
                    sums[3, group] = block
                sums[0, group] += 1
                sums[1, group] += self.n[block]
                sums[2, group] += self.of_links[block]
                sums[4, group] = block
            for group in range(self.path_groups):
                count, words = sums[0, group], sums[1, group]
                span = sums[4, group] - sums[3, group]
                values[group, 0] = log_count(count)
                values[group, 1] = log_count(words)
                values[group, 2] = words / self.total_words
                values[group, 3] = sums[2, group] / at_least_one(words)
                values[group, 4] = log1p(words / count)
                values[group, 5] = span / self.blocks
                values[group, 6] = log1p(count / (1 + span))
            for block in range(self.blocks):
                for feature in range(7):
                    to[feature, block] = values[self.of_path[block], feature]

    cdef tag_columns(
        self,
        const int32_t[::1] own_column,
        const uint32_t[::1] ancestor_bit,
        const uint32_t[::1] role_bits,
        const int32_t[::1] roles,
        Py_ssize_t own_columns,
        float[:, ::1] to,
    ):
        """Write which element each block is in itself, and in which landmarks it lies."""
        cdef Py_ssize_t block, holder, row, column, landmark
        cdef Py_ssize_t known = own_column.shape[0], columns = to.shape[0]
        cdef Py_ssize_t landmarks = columns - own_columns
        cdef uint32_t[::1] bits = np.empty(self.holders, np.uint32)
        cdef bint fits = ancestor_bit.shape[0] == known >= self.tags_end and landmarks <= 32
        fits &= roles.shape[0] == self.tag.shape[0]
        if fits:
            for row in range(roles.shape[0]):
                fits &= 0 <= roles[row] < role_bits.shape[0]
        if not fits:
            raise ValueError("tags or roles that there are not")
        with nogil:
            for holder in range(self.holders):
                row = self.row[holder]
                bits[holder] = ancestor_bit[self.known_tag[row]] | role_bits[roles[row]]
                if holder:
                    bits[holder] |= bits[self.above[holder]]
            for block in range(self.blocks):
                for column in range(own_columns):
                    to[column, block] = own_column[self.known_tag[self.block_owner[block]]] == column
                for landmark in range(landmarks):
                    to[own_columns + landmark, block] = (
                        bits[self.of_block[block]] >> landmark
                    ) & 1

    cdef Py_ssize_t heading_columns(
        self, const uint8_t[::1] is_heading, int32_t h1, float[:, ::1] to
    ) except -2:
        """Write where each block stands between headings; return the first ``h1``, -1 for none."""
        cdef Py_ssize_t block, title = -1, last = -1, begin = 0, following, stop
        cdef double words, linked, sections = 0
        cdef float log_words, density
        with nogil:
            for block in range(self.blocks):
                if self.tag[self.block_owner[block]] == h1:
                    title = block
                    break
            self.distances(title, to[0])
            while begin < self.blocks:  # section after section
                if is_heading[self.known_tag[self.block_owner[begin]]]:
                    last, sections = begin, sections + 1
                stop, words, linked = begin, 0, 0
                while True:
                    words += self.n[stop]
                    linked += self.of_links[stop]
                    stop += 1
                    if stop == self.blocks or is_heading[self.known_tag[self.block_owner[stop]]]:
                        break
                following = stop if stop < self.blocks else self.blocks + FAR
                log_words, density = log_count(words), linked / at_least_one(words)
                for block in range(begin, stop):
                    to[1, block] = title >= 0
                    to[2, block] = log_count(block - last)
                    to[3, block] = log_count(following - block) if block != last else 0
                    to[4, block] = log_words
                    to[5, block] = density
                    to[6, block] = log_count(sections)
                begin = stop
        return title

    cdef mark_columns(self, Py_ssize_t title, float[:, ::1] to):
        """Write what each block has in common with the title of the page and with a price."""
        cdef Py_ssize_t block, price = -1
        cdef float[:, ::1] of_price = np.empty((4, self.blocks), np.float32)
        with nogil:
            for block in range(self.blocks):
                if self.money[block] > 0:
                    if price < 0:
                        price = block
                    if block >= max(title, 0):
                        price = block
                        break
            self.joint(title, to[:4])
            self.joint(price, of_price)
            for block in range(self.blocks):
                to[4, block], to[5, block] = of_price[1, block], of_price[2, block]
                to[6, block] = of_price[3, block]
            self.distances(price, to[7])

    cdef void joint(self, Py_ssize_t mark, float[:, ::1] to) noexcept nogil:
        """Write the columns of the smallest element that holds a block and one marked block."""
        cdef Py_ssize_t block, holder, level
        cdef int32_t[::1] nearest = self.scratch  # -1 - level for those above the mark
        if mark < 0:
            memset(&to[0, 0], 0, 4 * self.blocks * sizeof(float))
            return
        memset(&nearest[0], 0, self.holders * sizeof(int32_t))
        holder, level = self.of_block[mark], 0
        while holder >= 0:
            nearest[holder] = <int32_t> (-1 - level)
            holder, level = self.above[holder], level + 1
        for holder in range(self.holders):
            if nearest[holder] >= 0:  # below one that holds the mark, or itself below such
                level = self.above[holder]
                nearest[holder] = <int32_t> (level if nearest[level] < 0 else nearest[level])
        for block in range(self.blocks):
            holder = self.of_block[block]
            if nearest[holder] >= 0:
                holder = nearest[holder]
            to[0, block] = log_count(self.below_words[holder])
            to[1, block] = self.below_words[holder] / self.total_words
            to[2, block] = -1 - nearest[holder]
            to[3, block] = self.depth[self.block_owner[block]] - self.depth[self.row[holder]]

    cdef card_columns(self, float[:, ::1] to):
        """Write in how many cards like its own a block is: like elements with prices and links."""
        cdef Py_ssize_t block, holder, group, groups = 0
        cdef bint has_price = False
        for block in range(self.blocks):
            has_price |= self.money[block] > 0
        if not has_price:
            to[:, :] = 0
            return
        for holder in range(self.holders):
            groups = max(groups, self.sibling_group[holder] + 1)
        cdef double[:, ::1] sums = np.zeros((4, groups))
        cdef int32_t[::1] priced = np.zeros(self.holders, np.int32)
        cdef int32_t[::1] nearest = self.scratch
        cdef double least, of_page = 0
        with nogil:
            for block in range(self.blocks):
                if self.money[block] > 0:
                    priced[self.of_block[block]] = 1
            for holder in range(self.holders - 1, -1, -1):
                if holder:
                    priced[self.above[holder]] |= priced[holder]
                group = self.sibling_group[holder]
                sums[0, group] += 1
                sums[1, group] += self.below_words[holder]
                sums[2, group] += priced[holder]
                sums[3, group] += self.below_linked[holder] > 0
            for holder in range(self.holders):
                group = self.sibling_group[holder]
                least = CARDS_SHARE * sums[0, group]
                nearest[holder] = nearest[self.above[holder]] if holder else -1
                if sums[0, group] >= REPEATED_MIN and sums[2, group] >= least <= sums[3, group]:
                    nearest[holder] = <int32_t> group
            for block in range(self.blocks):
                group = nearest[self.of_block[block]]
                to[0, block] = log_count(sums[0, group]) if group >= 0 else 0
                to[1, block] = sums[1, group] / self.total_words if group >= 0 else 0
                if group >= 0:
                    of_page += self.n[block]
            for block in range(self.blocks):
                to[2, block] = of_page / self.total_words

    def region_columns(self, float[:, ::1] to):
        """Write the columns of `columns.REGION_FEATURES`."""
        self.check_room(to, 13)
        cdef Py_ssize_t block, holder, core, deepest, row, number, column, first, stop
        cdef int level, step
        cdef double weight
        cdef double[:, ::1] total = np.zeros((4, self.blocks + 1))
        with nogil:
            for number in range(2):
                core, deepest = 0, 0
                for holder in range(self.holders):
                    if self.below_good[holder] >= CORE_SHARES[number] * self.total_good:
                        if self.depth[self.row[holder]] > deepest:
                            core, deepest = holder, self.depth[self.row[holder]]
                row, column = self.row[core], 3 * number
                for block in range(self.blocks):
                    to[column, block] = row <= self.block_owner[block] < self.end[row]
                    to[column + 1, block] = self.below_words[core] / self.total_words
                    to[column + 2, block] = (
                        self.below_linked[core] / at_least_one(self.below_words[core])
                    )
            for block in range(self.blocks):
                holder, step = self.of_block[block], 0
                for level in range(5):
                    while step < GOOD_LEVELS[level]:
                        holder, step = max(self.above[holder], 0), step + 1
                    to[6 + level, block] = self.below_good[holder] / self.total_good
            for block in range(self.blocks):  # in a density long blocks count more
                weight = self.n[block] + 0.1
                total[0, block + 1] = total[0, block] + self.link_density(block) * weight
                total[1, block + 1] = total[1, block] + log_count(self.n[block])
                total[2, block + 1] = total[2, block] + weight
            for block in range(self.blocks):
                first, stop = max(block - WINDOW, 0), min(block + WINDOW + 1, self.blocks)
                to[11, block] = (
                    (total[0, stop] - total[0, first]) / (total[2, stop] - total[2, first])
                )
                to[12, block] = (total[1, stop] - total[1, first]) / (stop - first)

    def document_columns(self, const int32_t[::1] kind_of_tag, float[:, ::1] to):
        """Write the columns of `columns.DOCUMENT_FEATURES`: each the same for all blocks.

        `kind_of_tag` has, per known tag, what it counts for: 0 article, 1 item, 2 paragraph, 3 time,
        4 image, 5 code, 6 form, 7 heading; -1 for nothing.
        """
        self.check_room(to, 17)
        cdef Py_ssize_t row, block, column, rows = self.tag.shape[0]
        cdef double[8] count
        cdef double linked = 0, marks = 0, money = 0, words = self.total_words
        cdef double[17] value
        if kind_of_tag.shape[0] < self.tags_end:
            raise ValueError("a tag that there is not")
        with nogil:
            memset(count, 0, sizeof(count))
            for row in range(rows):
                if 0 <= kind_of_tag[self.known_tag[row]] < 8:
                    count[kind_of_tag[self.known_tag[row]]] += 1
            for block in range(self.blocks):
                linked += self.of_links[block]
                marks += self.stops[block] + self.pauses[block]
                money += self.money[block]
            value[0] = log_count(self.blocks)
            value[1] = log_count(words)
            value[2] = linked / words
            value[3] = marks / words
            value[4] = log_count(self.total_good)
            value[5] = self.total_good / words
            value[6] = log_count(rows)
            value[7] = log1p(words / self.blocks)
            value[8] = log_count(money)
            value[9] = log_count(count[0])
            value[10] = count[1] / rows
            value[11] = count[2] / rows
            value[12] = log_count(count[3])
            value[13] = count[4] / rows
            value[14] = count[5] / rows
            value[15] = min(count[6], 10)
            value[16] = log_count(count[7])
            for column in range(17):
                for block in range(self.blocks):
                    to[column, block] = value[column]

    def lexicon_columns(self, tables, float listed, parts, counts, is_heading, float[:, ::1] to):
        """Write the columns of `lexicon.FEATURES`.

        Args:
            tables: Log-odds by the first bits of a hash: of words, of words of headings, of names,
                and of names where a page is a list.
            listed: The chance that it is one.
            parts: Hashes of the parts of names, and the number of the name of each.
            counts: How many names of classes there are, and how many names together.
            is_heading: Per known tag: is it a heading?
            to: Takes the columns.
        """
        self.check_room(to, 9)
        self.word_columns(tables[0], tables[1], is_heading, to[:3])
        self.name_columns(tables[2], tables[3], listed, parts, counts, to[3:])

    cdef word_columns(
        self,
        const float[::1] word_table,
        const float[::1] heading_table,
        const uint8_t[::1] is_heading,
        float[:, ::1] to,
    ):
        """Write what the words of each block say, and those of the heading above it."""
        cdef int word_shift = shift_for(word_table), heading_shift = shift_for(heading_table)
        cdef Py_ssize_t block, word, known, known_in_heading
        cdef double total, least, of_heading, said = 0
        cdef float odds
        cdef uint64_t hashed
        cdef bint heading
        if is_heading.shape[0] < self.tags_end:
            raise ValueError("a tag that there is not")
        with nogil:
            for block in range(self.blocks):
                total, least, of_heading, known, known_in_heading = 0, 0, 0, 0, 0
                heading = is_heading[self.known_tag[self.block_owner[block]]]
                for word in range(self.first_word[block], self.first_word[block + 1]):
                    hashed = self.word_hash[word]
                    odds = word_table[<Py_ssize_t> (hashed >> word_shift)]
                    if odds != 0:
                        total, known, least = total + odds, known + 1, min(least, <double> odds)
                    if heading:
                        odds = heading_table[<Py_ssize_t> (hashed >> heading_shift)]
                        if odds != 0:
                            of_heading, known_in_heading = of_heading + odds, known_in_heading + 1
                if heading:
                    said = of_heading / max(known_in_heading, 1)
                to[0, block] = total / max(known, 1)
                to[1, block] = least
                to[2, block] = said

    cdef name_columns(
        self,
        const float[::1] table,
        const float[::1] listed_table,
        float listed,
        parts,
        counts,
        float[:, ::1] to,
    ):
        """Write what the names of each block's element and its ancestors say."""
        cdef const uint64_t[::1] part_hash = parts[0]
        cdef const int64_t[::1] part_name = parts[1]
        cdef Py_ssize_t classes = counts[0], names = counts[1], part, name, row, holder, block
        cdef int shift = shift_for(table), level
        cdef bint fits = table.shape[0] == listed_table.shape[0]
        fits &= part_hash.shape[0] == part_name.shape[0]
        if fits:
            for part in range(part_name.shape[0]):
                fits &= 0 <= part_name[part] < names
            for row in range(self.tag.shape[0]):
                fits &= 0 <= self.class_number[row] < classes
                fits &= 0 <= self.id_number[row] < names - classes
        if not fits:
            raise ValueError("names that there are not")
        cdef double[:, ::1] of_name = np.zeros((names, 3))  # sum, least, greatest
        cdef uint8_t[::1] is_known = np.zeros(names, np.uint8)
        cdef double[:, ::1] of_holder = np.empty((self.holders, 4))  # own; decayed, least, greatest
        cdef float odds, plain, of_list, rest = <float> 1 - listed
        cdef Py_ssize_t bucket
        with nogil:
            for part in range(part_hash.shape[0]):
                bucket = <Py_ssize_t> (part_hash[part] >> shift)
                # Rounded step by step, as the reference does.
                plain, of_list = rest * table[bucket], listed * listed_table[bucket]
                odds = plain + of_list
                if odds != 0:
                    name = part_name[part]
                    of_name[name, 0] += odds
                    of_name[name, 1] = min(of_name[name, 1], <double> odds)
                    if not is_known[name] or odds > of_name[name, 2]:
                        of_name[name, 2] = odds
                    is_known[name] = 1
            for holder in range(self.holders):
                row = self.row[holder]
                name = classes + self.id_number[row]
                row = self.class_number[row]
                of_holder[holder, 0] = of_holder[holder, 1] = of_name[row, 0] + of_name[name, 0]
                of_holder[holder, 2] = min(of_name[row, 1], of_name[name, 1])
                of_holder[holder, 3] = max(of_name[row, 2], of_name[name, 2])
                if holder:
                    row = self.above[holder]
                    of_holder[holder, 1] += NAME_DECAY * of_holder[row, 1]
                    of_holder[holder, 2] = min(of_holder[holder, 2], of_holder[row, 2])
                    of_holder[holder, 3] = max(of_holder[holder, 3], of_holder[row, 3])
            for block in range(self.blocks):
                holder = self.of_block[block]
                for level in range(3):
                    to[level, block] = of_holder[holder, 1 + level]
                for level in range(3):
                    to[3 + level, block] = of_holder[holder, 0]
                    holder = max(self.above[holder], 0)


cdef int shift_for(const float[::1] table) except -1:
    """Return by how many bits a hash is shifted to be an index into a table of 2^k entries."""
    cdef int bits = 0
    while (<Py_ssize_t> 1 << bits) < table.shape[0]:
        bits += 1
    if bits < 1 or <Py_ssize_t> 1 << bits != table.shape[0]:
        raise ValueError("a table whose length is no power of two")
    return 64 - bits
