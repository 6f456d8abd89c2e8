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

cimport cython
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport log1p
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy, memset

from joeira._native.buffers cimport entries
from joeira._native.inference cimport BlendedLogits, Calibration
from joeira._native.page_types cimport Chances

cdef extern from "loops.h" nogil:
    void joeira_fill(float* to, Py_ssize_t count, float value) noexcept
    void joeira_write_bits(
        const uint32_t* bits, Py_ssize_t count, Py_ssize_t columns, float* to
    ) noexcept
    bint joeira_are_rows(
        const int32_t* parent, const int32_t* end, Py_ssize_t rows
    ) noexcept
    uint32_t joeira_greatest(const int32_t* numbers, Py_ssize_t count) noexcept

cdef extern from "loops.h":
    void JOEIRA_FETCH(void* address)

cdef extern from *:
    void* PyTuple_GET_ITEM(object items, Py_ssize_t place)
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    bint Py_UNICODE_ISALNUM(uint32_t code) nogil

ctypedef fused Letter:
    uint8_t
    uint16_t
    uint32_t

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
    TITLE_MAX_WORDS = 40
    TOLD_MIN_WORDS = 4
    NAME_MIN_CHARS = 3
    NAME_MAX_CHARS = 15
    FAR = 50
    WINDOW = 5
    REPEATED_MIN = 3
    LOGARITHMS = 2048
    POWERS = 64

cdef uint64_t BASE = 0x9E3779B97F4A7C15
cdef uint64_t MIX = 0xBF58476D1CE4E5B9
cdef uint64_t CLASS_STEP = 0xBF58476D1CE4E5B9
cdef uint64_t NUMBER = 0x6E756D626572
cdef double CARDS_SHARE = 0.5
cdef double NAME_DECAY = 0.9
cdef float SIXTEENTH = 0.0625
cdef double[2] CORE_SHARES = [0.4, 0.6]
cdef int[5] LEVELS = [0, 1, 2, 3, 5]
cdef int[5] GOOD_LEVELS = [1, 2, 3, 4, 6]

cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")
"""Where keys fall in tables, so that no page can make them all fall together. No answer shows it."""

cdef double[LOGARITHMS] LOG
cdef uint64_t[POWERS] POWER  # of the base
cdef uint8_t[128] LETTER  # one more than the small letter of each letter of ASCII; 0 for others
cdef int _number
for _number in range(LOGARITHMS):
    LOG[_number] = log1p(_number)
POWER[0] = 1
for _number in range(1, POWERS):
    POWER[_number] = POWER[_number - 1] * BASE
memset(LETTER, 0, sizeof(LETTER))
for _number in range(26):
    LETTER[c"a" + _number] = LETTER[c"A" + _number] = c"a" + _number + 1


cdef class Room:
    """Memory that is given back with it."""

    cdef void* last  # each piece begins with the address of the one before

    cdef void* take(self, Py_ssize_t count, Py_ssize_t size) except NULL:
        """Return room for so many entries of some size."""
        # What comes before them is as wide as anything is aligned.
        cdef void** piece = <void**> PyMem_RawMalloc(16 + count * size)
        if piece == NULL:
            raise MemoryError
        piece[0], self.last = self.last, piece
        return <char*> piece + 16

    cdef void* zeros(self, Py_ssize_t count, Py_ssize_t size) except NULL:
        """Return room for so many entries of some size, all of them 0."""
        cdef void* room = self.take(count, size)
        memset(room, 0, count * size)
        return room

    def __dealloc__(self):
        cdef void* before
        while self.last != NULL:
            before = (<void**> self.last)[0]
            PyMem_RawFree(self.last)
            self.last = before


cdef inline double log_count(double count) noexcept nogil:
    """Return the logarithm of one more than a whole number."""
    return LOG[<int> count] if count < LOGARITHMS else log1p(count)


cdef inline double at_least_one(double count) noexcept nogil:
    return count if count > 1 else 1


cdef inline uint64_t mixed(uint64_t value) noexcept nogil:
    value = (value ^ (value >> 31)) * MIX
    return value ^ (value >> 31)


cdef inline uint64_t spread(uint64_t key) noexcept nogil:
    """Return where a key falls in tables, which nobody outside knows."""
    return mixed(mixed(key ^ SEED) + SEED)


cdef Py_ssize_t number_groups(const uint64_t* key, Py_ssize_t keys, int32_t* number) except -1:
    """Number equal keys in the order in which they come first; return how many there are."""
    cdef Py_ssize_t place, slot, mask = 7
    cdef int32_t groups = 0, first
    while mask < 2 * keys:
        mask = 2 * mask + 1
    cdef Room room = Room()
    # Per slot: one more than the group there, 0 for nothing; per group: the place that it is first at.
    cdef int32_t* table = <int32_t*> room.zeros(mask + 1, sizeof(int32_t))
    cdef int32_t* first_of = <int32_t*> room.take(keys, sizeof(int32_t))
    with nogil:
        for place in range(keys):
            slot = spread(key[place]) & mask
            while True:
                first = table[slot] - 1
                if first < 0:
                    first_of[groups] = <int32_t> place
                    number[place] = groups
                    groups += 1
                    table[slot] = groups
                    break
                if key[first_of[first]] == key[place]:
                    number[place] = first
                    break
                slot = (slot + 1) & mask
    return groups


cdef struct Parts:
    # Of names: hash of each part, the number of its name, and how many parts there are.
    uint64_t* hash
    int32_t* name
    Py_ssize_t count


def name_parts(tuple class_names, tuple id_names):
    """Return the hash of each part of some names, and the number of its name.

    ``post-bodyText`` has post, body and text; a part has 3 to 15 letters of ASCII.
    """
    cdef Room room = Room()
    cdef Parts parts = parts_of_names(class_names, id_names, room)
    cdef Py_ssize_t part
    hashes, numbers = np.empty(parts.count, np.uint64), np.empty(parts.count, np.int64)
    cdef uint64_t[::1] part_hash = hashes
    cdef int64_t[::1] part_name = numbers
    for part in range(parts.count):
        part_hash[part], part_name[part] = parts.hash[part], parts.name[part]
    return hashes, numbers


cdef Parts parts_of_names(tuple class_names, tuple id_names, Room room) except *:
    """Return the parts of names, of which the room keeps what is found."""
    cdef Py_ssize_t number = 0, size = 0, stop
    cdef const void* data
    cdef tuple names
    cdef str name
    cdef Parts parts = Parts(NULL, NULL, 0)
    # Names lie all over the memory: those after the next are fetched already.
    for names in (class_names, id_names):
        number = 0
        for name in names:
            number += 1
            if number + 7 < len(names):
                JOEIRA_FETCH(PyTuple_GET_ITEM(names, number + 7))
            size += len(name)
    size = size // NAME_MIN_CHARS + 1
    parts.hash = <uint64_t*> room.take(size, sizeof(uint64_t))
    parts.name = <int32_t*> room.take(size, sizeof(int32_t))
    number = 0
    for names in (class_names, id_names):
        for name in names:
            size, data = len(name), PyUnicode_DATA(name)
            stop = parts.count
            if PyUnicode_KIND(name) == 1:
                stop += parts_of(<const uint8_t*> data, size, parts.hash + stop)
            elif PyUnicode_KIND(name) == 2:
                stop += parts_of(<const uint16_t*> data, size, parts.hash + stop)
            else:
                stop += parts_of(<const uint32_t*> data, size, parts.hash + stop)
            while parts.count < stop:
                parts.name[parts.count] = <int32_t> number
                parts.count += 1
            number += 1
    return parts


cdef Py_ssize_t parts_of(const Letter* name, Py_ssize_t size, uint64_t* to) noexcept nogil:
    """Write the hashes of the parts of a name; return how many there are."""
    cdef Py_ssize_t count = 0, place = 0, begin
    cdef Letter letter
    cdef uint64_t total
    cdef uint8_t value
    cdef bint was_small
    while place < size:
        letter = name[place]
        value = LETTER[letter] if letter < 128 else 0
        if not value:
            place += 1
            continue
        begin, total = place, 0
        while True:
            total += value * POWER[min(place - begin, POWERS - 1)]
            was_small = letter >= c"a"
            place += 1
            if place == size:
                break
            letter = name[place]
            value = LETTER[letter] if letter < 128 else 0
            if not value or (was_small and letter < c"a"):
                break
        # There is room for one too many.
        to[count] = mixed(total)
        count += NAME_MIN_CHARS <= place - begin <= NAME_MAX_CHARS
    return count


def hash_text(str text not None, const uint32_t[::1] lower):
    """Return the hashes of the words of a text, each once, in order."""
    if lower.shape[0] != 0x10000:
        raise ValueError("small letters of other characters than there are")
    cdef Room room = Room()
    cdef uint64_t* word = <uint64_t*> room.take(len(text) + 1, sizeof(uint64_t))
    hashes = np.empty(words_of(text, &lower[0], word), np.uint64)
    cdef uint64_t[::1] to = hashes
    cdef Py_ssize_t place
    for place in range(to.shape[0]):
        to[place] = word[place]
    return hashes


cdef Py_ssize_t words_of(str text, const uint32_t* lower, uint64_t* word):
    """Write the hashes of the words of a text, each once, in order; return how many."""
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t size = len(text)
    if PyUnicode_KIND(text) == 1:
        return words_of_codes(<const uint8_t*> data, size, lower, word)
    if PyUnicode_KIND(text) == 2:
        return words_of_codes(<const uint16_t*> data, size, lower, word)
    return words_of_codes(<const uint32_t*> data, size, lower, word)


cdef Py_ssize_t words_of_codes(
    const Letter* codes, Py_ssize_t size, const uint32_t* lower, uint64_t* word
) noexcept nogil:
    cdef Py_ssize_t place = 0, words = 0
    cdef uint64_t total, power
    cdef uint32_t code
    cdef bint is_alone
    while place < size:
        if not is_of_word(codes[place]):
            place += 1
            continue
        total, power, is_alone = 0, 1, stands_alone(codes[place])
        while True:
            code = codes[place]
            total += (<uint64_t> (lower[code] if code < 0x10000 else code) + 1) * power
            power *= BASE
            place += 1
            if (
                is_alone
                or place == size
                or not is_of_word(codes[place])
                or stands_alone(codes[place])
            ):
                break
        word[words] = mixed(total)
        words += 1
    return in_order(word, words)


cdef inline bint is_of_word(uint32_t code) noexcept nogil:
    """Return whether a character is one of those that `strings.WORD` marks."""
    if code < 128:
        return LETTER[code] != 0 or c"0" <= code <= c"9" or code == c"_"
    return Py_UNICODE_ISALNUM(code)


cdef inline bint stands_alone(uint32_t code) noexcept nogil:
    """Return whether a character is one of `strings.UNSPACED_RANGES`."""
    return code >= 0x0E00 and (
        code <= 0x0E7F
        or 0x3040 <= code <= 0x30FF
        or 0x3400 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0xAC00 <= code <= 0xD7AF
        or 0x20000 <= code <= 0x3FFFF
    )


cdef Py_ssize_t different_words(
    const uint32_t* codes,
    const uint16_t* flags,
    Py_ssize_t count,
    const uint32_t* lower,
    uint64_t* word,
) noexcept nogil:
    """Write the hashes of the words of some characters, each once, in order; return how many."""
    cdef Py_ssize_t place = 0, words = 0
    while place < count:
        if flags[place] & WORD:
            place = read_word(codes, flags, lower, place, count, word + words)
            words += 1
        else:
            place += 1
    return in_order(word, words)


cdef Py_ssize_t in_order(uint64_t* word, Py_ssize_t words) noexcept nogil:
    """Put some hashes in order, each once; return how many there are."""
    cdef Py_ssize_t place, different = 0
    qsort(word, words, sizeof(uint64_t), by_size)
    for place in range(words):
        if not place or word[place] != word[different - 1]:
            word[different] = word[place]
            different += 1
    return different


cdef inline Py_ssize_t read_word(
    const uint32_t* codes,
    const uint16_t* flags,
    const uint32_t* lower,
    Py_ssize_t begin,
    Py_ssize_t stop,
    uint64_t* hashed,
) noexcept nogil:
    """Hash the small letters of a word that begins at a place; return where it ends."""
    cdef Py_ssize_t place = begin
    cdef uint64_t total = 0, power = 1
    cdef uint32_t code
    if flags[begin] & UNSPACED:
        stop = begin + 1
    while True:
        code = codes[place]
        power = POWER[place - begin] if place - begin < POWERS else power * BASE
        total += (<uint64_t> (lower[code] if code < 0x10000 else code) + 1) * power
        place += 1
        if place == stop or (flags[place] & (WORD | UNSPACED)) != WORD:
            break
    hashed[0] = mixed(total)
    return place


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


cdef struct Wanted:
    # Some different words: hash of each, and how many; per slot one more than the place of a word,
    # 0 for none; and per word one more than the last block that has it.
    const uint64_t* word
    Py_ssize_t count, mask
    int32_t* slot
    int32_t* last_block


cdef class Tags:
    """What is known of tags: the same for every page."""

    cdef const int32_t[::1] own_column, kind
    cdef const uint32_t[::1] landmark
    cdef const uint8_t[::1] is_heading
    cdef int32_t h1, title
    cdef Py_ssize_t own_columns, landmarks, known

    def __init__(self, own_column, landmark, is_heading, kind, numbers, sizes):
        """Take tables with an entry for each known tag.

        Args:
            own_column: The number of its column, -1 for none.
            landmark: The bit of the landmark that it is.
            is_heading: Whether it is a heading.
            kind: What it counts for in `columns.DOCUMENT_FEATURES`: 0 article, 1 item, 2 paragraph,
                3 time, 4 image, 5 code, 6 form, 7 heading; -1 for nothing.
            numbers: The tags ``h1`` and ``title``.
            sizes: How many own columns there are, and how many landmarks.
        """
        self.own_column, self.landmark, self.kind = own_column, landmark, kind
        self.is_heading = is_heading
        self.h1, self.title = numbers
        self.own_columns, self.landmarks = sizes
        self.known = self.own_column.shape[0]
        if (
            self.landmark.shape[0] != self.known
            or self.is_heading.shape[0] != self.known
            or self.kind.shape[0] != self.known
            or self.own_columns < 0
            or self.landmarks < 0
            or self.own_columns + self.landmarks > 32
            or (self.known and np.max(own_column) >= self.own_columns)
            or (self.known and np.max(kind) > 7)
        ):
            raise ValueError("tables of tags that do not fit each other")


cdef struct Table:
    # Log-odds by the first bits of a hash, in sixteenths: small, so that little of it is far away.
    const int8_t* odds
    int shift


cdef class Learned:
    """What has to be learned before all columns of a page are known."""

    cdef Tags tags
    cdef Chances chances
    cdef object given
    cdef Table words, headings, names, listed
    cdef tuple lists
    cdef Py_ssize_t columns, plain

    def __init__(self, Tags tags not None, Chances chances not None, list tables, tuple lists):
        """Take what is known of tags and page types, tables and the types of pages that are lists.

        Tables are as `BlockColumns.learned_columns` takes them.
        """
        self.tags, self.chances, self.lists, self.given = tags, chances, lists, tables
        self.words, self.headings = table_of(tables[0]), table_of(tables[1])
        self.names, self.listed = table_of(tables[2]), table_of(tables[3])
        self.plain = plain_lines(tags)
        self.columns = self.plain + 9 + chances.types
        if self.names.shift != self.listed.shift:
            raise ValueError("tables of names that do not fit each other")
        if not all(0 <= kind < chances.types for kind in lists):
            raise ValueError("a type of page that there is not")


cdef inline Py_ssize_t plain_lines(Tags tags) noexcept:
    """Return the number of columns that need nothing learned."""
    return 13 + structure_lines(tags) + 13 + 17


cdef inline Py_ssize_t structure_lines(Tags tags) noexcept:
    return 49 + tags.own_columns + tags.landmarks


cdef class BlockColumns:
    """The blocks of a page outside its head, their counts and their columns."""

    cdef readonly Py_ssize_t blocks, holders, path_groups
    cdef readonly Py_ssize_t found  # outside the head, also those beyond the limit
    cdef object given, counts, places
    cdef Room room
    # What the page is given as: per row, per text and per character.
    cdef Py_ssize_t rows, texts, characters, limit
    cdef const int32_t* tag
    cdef const int32_t* known_tag
    cdef const int32_t* parent
    cdef const int32_t* end
    cdef const int32_t* depth
    cdef const int32_t* class_number
    cdef const int32_t* id_number
    cdef const uint8_t* is_linked
    cdef const uint32_t* codes
    cdef const uint16_t* flags
    cdef const int64_t* starts
    cdef const uint32_t* lower
    # Per block.
    cdef int32_t* block_owner
    cdef int32_t* first_text
    cdef int32_t* stop_text
    cdef double* n
    cdef double* of_links
    cdef double* prose
    cdef double* stops
    cdef double* pauses
    cdef double* money
    cdef double* bars
    cdef double* solids
    cdef double* same
    cdef uint8_t* ends_sentence
    cdef int32_t* of_block
    cdef int32_t* of_path
    # The first words of each block: `first_word` to the next block's.
    cdef uint64_t* word_hash
    cdef int64_t* first_word
    # Per holder.
    cdef int32_t* row
    cdef int32_t* above
    cdef int32_t* sibling_group
    cdef int32_t* alike_count
    cdef int32_t* scratch
    cdef double* below_words
    cdef double* below_linked
    cdef double* below_good
    cdef double total_words, total_good

    def __init__(self, rows, block_bounds, texts, lower, limits):
        """Read the texts and the tree.

        Args:
            rows: Per row: its tag, its known tag, its parent, the end of its subtree, its depth, the
                numbers of its class and its id, and whether it is in the head.
            block_bounds: The owner of each block, and the number of its first text, then of all.
            texts: The code points of all texts, their flags, where each text begins, and whether it
                is linked.
            lower: The small letter of each character of the basic plane.
            limits: How many characters are read as words, and how many blocks.
        """
        cdef Py_ssize_t all_blocks, most_blocks, other
        cdef Py_ssize_t wide = sizeof(int32_t)
        cdef bint fits = True
        # The arrays that the pointers lead into.
        self.given = rows, block_bounds, texts, lower
        self.tag = <int32_t*> entries(rows[0], wide, &self.rows)
        self.known_tag = <int32_t*> entries(rows[1], wide, &other)
        fits &= other == self.rows
        self.parent = <int32_t*> entries(rows[2], wide, &other)
        fits &= other == self.rows
        self.end = <int32_t*> entries(rows[3], wide, &other)
        fits &= other == self.rows
        self.depth = <int32_t*> entries(rows[4], wide, &other)
        fits &= other == self.rows
        self.class_number = <int32_t*> entries(rows[5], wide, &other)
        fits &= other == self.rows
        self.id_number = <int32_t*> entries(rows[6], wide, &other)
        fits &= other == self.rows
        cdef const uint8_t* in_head = <uint8_t*> entries(rows[7], 1, &other)
        fits &= other == self.rows
        cdef const int32_t* owner = <int32_t*> entries(block_bounds[0], wide, &all_blocks)
        cdef const int32_t* first_text = <int32_t*> entries(block_bounds[1], wide, &other)
        fits &= other == all_blocks + 1
        self.codes = <uint32_t*> entries(texts[0], sizeof(uint32_t), &self.characters)
        self.flags = <uint16_t*> entries(texts[1], sizeof(uint16_t), &other)
        fits &= other == self.characters
        self.starts = <int64_t*> entries(texts[2], sizeof(int64_t), &self.texts)
        self.is_linked = <uint8_t*> entries(texts[3], 1, &other)
        fits &= other == self.texts
        self.lower = <uint32_t*> entries(lower, sizeof(uint32_t), &other)
        fits &= other == 0x10000
        self.limit, most_blocks = limits
        if not fits or not self.fit(owner, first_text, all_blocks):
            raise ValueError("columns of a page that do not fit each other")
        self.room = Room()
        self.find_blocks(owner, first_text, in_head, all_blocks, most_blocks)
        self.read_texts()
        if self.blocks:
            self.find_holders()
            self.group_paths()

    cdef bint fit(
        self, const int32_t* owner, const int32_t* first_text, Py_ssize_t all_blocks
    ) noexcept nogil:
        """Return whether no index would fall outside of its array."""
        cdef Py_ssize_t place
        cdef const int64_t* starts = self.starts
        cdef bint fits = joeira_are_rows(self.parent, self.end, self.rows)
        for place in range(all_blocks):
            fits &= 0 <= owner[place] < self.rows
            fits &= 0 <= first_text[place] < first_text[place + 1]
        fits &= first_text[all_blocks] == self.texts
        for place in range(self.texts - 1):
            fits &= 0 <= starts[place] < starts[place + 1]
        if self.texts:
            fits &= 0 <= starts[self.texts - 1] < self.characters
        return fits

    cdef find_blocks(
        self,
        const int32_t* owner,
        const int32_t* first_text,
        const uint8_t* in_head,
        Py_ssize_t all_blocks,
        Py_ssize_t most_blocks,
    ):
        """Find the blocks outside the head, as many as are read."""
        cdef Py_ssize_t block, count = 0
        for block in range(all_blocks):
            self.found += not in_head[owner[block]]
        self.blocks = min(self.found, most_blocks)
        self.places = np.empty((4, self.blocks), np.int32)
        cdef int32_t* place = <int32_t*> entries(self.places, sizeof(int32_t), &block)
        self.block_owner, self.first_text = place + self.blocks, place + 2 * self.blocks
        self.stop_text = place + 3 * self.blocks
        for block in range(all_blocks):
            if count < self.blocks and not in_head[owner[block]]:
                place[count] = <int32_t> block
                self.block_owner[count] = owner[block]
                self.first_text[count] = first_text[block]
                self.stop_text[count] = first_text[block + 1]
                count += 1

    @property
    def chosen(self):
        """Per block: its number among all blocks of the page."""
        return self.places[0].astype(np.intp)

    @property
    def owner(self):
        """Per block: row of its element."""
        return self.places[1]

    @property
    def text_bounds(self):
        """Per block: number of its first text, and one past that of its last."""
        return self.places[2], self.places[3]

    @property
    def words(self):
        """Per block: its words."""
        return self.counts[0]

    @property
    def log_words(self):
        """Per block: logarithm of one more than its words, with single precision."""
        logarithms = np.empty(self.blocks, np.float32)
        cdef float[::1] to = logarithms
        cdef Py_ssize_t block
        for block in range(self.blocks):
            to[block] = log_count(self.n[block])
        return logarithms

    @property
    def linked(self):
        """Per block: its linked words."""
        return self.counts[1]

    @property
    def copies(self):
        """Per block: how many have the same words, itself included."""
        return self.counts[8]

    @property
    def kinds(self):
        """Per kind of character of `view.COUNTED`, a line: how many each block has."""
        return self.counts[3:8]

    # Texts --------------------------------------------------------------------------------------

    cdef read_texts(self):
        """Count characters and words of each block, and hash its words."""
        cdef Py_ssize_t block, text, words
        cdef double linked, all_words = 0, all_good = 0
        cdef BlockText so_far
        cdef Room room = Room()
        cdef uint64_t* block_hash = <uint64_t*> room.take(self.blocks, sizeof(uint64_t))
        self.counts = np.zeros((9, self.blocks))
        self.n = <double*> entries(self.counts, sizeof(double), &block)
        self.of_links, self.prose = self.n + self.blocks, self.n + 2 * self.blocks
        self.stops, self.pauses = self.n + 3 * self.blocks, self.n + 4 * self.blocks
        self.money, self.bars = self.n + 5 * self.blocks, self.n + 6 * self.blocks
        self.solids, self.same = self.n + 7 * self.blocks, self.n + 8 * self.blocks
        self.ends_sentence = <uint8_t*> self.room.take(self.blocks, 1)
        self.first_word = <int64_t*> self.room.zeros(self.blocks + 1, sizeof(int64_t))
        self.word_hash = <uint64_t*> self.room.take(self.most_words(), sizeof(uint64_t))
        with nogil:
            for block in range(self.blocks):
                memset(&so_far, 0, sizeof(so_far))
                so_far.word_hash = self.word_hash + self.first_word[block]
                linked = 0
                for text in range(self.first_text[block], self.stop_text[block]):
                    words = so_far.words
                    self.read_text(self.starts[text], self.stop_of(text), &so_far)
                    if self.is_linked[text]:
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

    cdef inline Py_ssize_t stop_of(self, Py_ssize_t text) noexcept nogil:
        """Return one past the last character of a text."""
        return self.starts[text + 1] if text + 1 < self.texts else self.characters

    cdef Py_ssize_t most_words(self) noexcept nogil:
        """Return how many words of the blocks are kept at most."""
        cdef Py_ssize_t block, characters, most = 0
        for block in range(self.blocks):
            characters = (
                self.stop_of(self.stop_text[block] - 1) - self.starts[self.first_text[block]]
            )
            most += min(characters, WORDS_PER_BLOCK)
        return most

    cdef void read_text(self, Py_ssize_t start, Py_ssize_t stop, BlockText* block) noexcept nogil:
        """Take one text into what is known of its block."""
        cdef const uint32_t* codes = self.codes
        cdef const uint16_t* flags = self.flags
        cdef const uint32_t* lower = self.lower
        cdef Py_ssize_t place = start, begin
        cdef uint16_t kind
        cdef uint64_t hashed
        while place < stop:
            kind = flags[place]
            if kind & WORD:
                begin = place
                place = read_word(codes, flags, lower, begin, stop, &hashed)
                block.words += 1
                block.solid += place - begin
                block.last_solid = flags[place - 1]
                if place >= self.limit:
                    continue  # too long a page for words so late to be known
                if kind & block.last_solid & DIGIT:
                    hashed = NUMBER  # one stands for any other: prices and dates would never repeat
                block.hash += mixed(hashed * (2 * <uint64_t> block.hashed + 1))
                if block.hashed < WORDS_PER_BLOCK:
                    block.word_hash[block.hashed] = hashed
                block.hashed += 1
                continue
            place += 1
            if not kind & SPACE:
                block.solid += 1
                block.last_solid = kind
                block.sentence_ends += kind & SENTENCE_END != 0
                block.commas += kind & COMMA != 0
                block.currency += kind & CURRENCY != 0
                block.separators += kind & SEPARATOR != 0

    cdef count_copies(self, const uint64_t* block_hash):
        """Count the blocks with the same words as each block, itself included."""
        cdef Py_ssize_t block
        cdef Room room = Room()
        cdef int32_t* number = <int32_t*> room.take(self.blocks, sizeof(int32_t))
        cdef int32_t* sizes = <int32_t*> room.zeros(self.blocks, sizeof(int32_t))
        number_groups(block_hash, self.blocks, number)
        for block in range(self.blocks):
            sizes[number[block]] += 1
        for block in range(self.blocks):
            self.same[block] = sizes[number[block]]

    # The tree -----------------------------------------------------------------------------------

    cdef find_holders(self):
        """Find the elements above blocks, and sum what is below each of them."""
        cdef Py_ssize_t row, block, holder, above
        cdef Room room = Room()
        # Per row: one more than the number of the holder that it is; 0 for none.
        cdef int32_t* number = <int32_t*> room.zeros(self.rows, sizeof(int32_t))
        for block in range(self.blocks):
            row = self.block_owner[block]
            while row >= 0 and not number[row]:  # no row twice
                number[row] = 1
                row = self.parent[row]
                self.holders += 1
        self.row = <int32_t*> self.room.take(self.holders, sizeof(int32_t))
        self.above = <int32_t*> self.room.take(self.holders, sizeof(int32_t))
        self.scratch = <int32_t*> self.room.take(self.holders, sizeof(int32_t))
        self.of_block = <int32_t*> self.room.take(self.blocks, sizeof(int32_t))
        self.below_words = <double*> self.room.zeros(3 * self.holders, sizeof(double))
        self.below_linked = self.below_words + self.holders
        self.below_good = self.below_linked + self.holders
        with nogil:
            holder = 0
            for row in range(self.rows):
                if number[row]:
                    self.row[holder] = <int32_t> row
                    self.above[holder] = number[self.parent[row]] - 1 if row else -1
                    holder += 1
                    number[row] = <int32_t> holder
            for block in range(self.blocks):
                holder = number[self.block_owner[block]] - 1
                self.of_block[block] = <int32_t> holder
                self.below_words[holder] += self.n[block]
                self.below_linked[holder] += self.of_links[block]
                self.below_good[holder] += self.prose[block]
            for holder in range(self.holders - 1, 0, -1):
                above = self.above[holder]
                self.below_words[above] += self.below_words[holder]
                self.below_linked[above] += self.below_linked[holder]
                self.below_good[above] += self.below_good[holder]
        self.group_siblings(number)

    cdef group_siblings(self, const int32_t* holder_of):
        """Group elements with one parent, tag and class: of which each holder's like are counted."""
        cdef Py_ssize_t row, holder = 0, keys = 0
        cdef Room room = Room()
        cdef uint64_t* key = <uint64_t*> room.take(self.rows, sizeof(uint64_t))
        cdef int32_t* number = <int32_t*> room.take(self.rows, sizeof(int32_t))
        cdef int32_t* size = <int32_t*> room.zeros(self.rows, sizeof(int32_t))
        self.sibling_group = <int32_t*> self.room.take(self.holders, sizeof(int32_t))
        self.alike_count = <int32_t*> self.room.take(self.holders, sizeof(int32_t))
        with nogil:
            # Holders are below holders only, and no text is like one of them.
            for row in range(self.rows):
                if not row or (
                    holder_of[self.parent[row]] and (self.tag[row] or holder_of[row])
                ):
                    key[keys] = (
                        (<uint64_t> self.parent[row] << 32)
                        + (<uint64_t> self.tag[row] << 20)
                        + <uint64_t> self.class_number[row]
                    )
                    if holder_of[row]:
                        self.sibling_group[holder] = <int32_t> keys
                        holder += 1
                    keys += 1
        number_groups(key, keys, number)
        with nogil:
            for row in range(keys):
                size[number[row]] += 1
            for holder in range(self.holders):
                self.sibling_group[holder] = number[self.sibling_group[holder]]
                self.alike_count[holder] = size[self.sibling_group[holder]]

    cdef group_paths(self):
        """Number the blocks with equal paths of tags and classes."""
        cdef Py_ssize_t holder, block, row
        cdef Room room = Room()
        cdef uint64_t* path = <uint64_t*> room.take(self.holders, sizeof(uint64_t))
        cdef uint64_t* key = <uint64_t*> room.take(self.blocks, sizeof(uint64_t))
        self.of_path = <int32_t*> self.room.take(self.blocks, sizeof(int32_t))
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
        self.path_groups = number_groups(key, self.blocks, self.of_path)

    def groups(self, levels):
        """Return, per block, the number of its class path, then of its ancestors of some levels.

        One line for each; numbers are given in the order in which groups come first.
        """
        cdef Py_ssize_t entry
        numbers = np.empty((1 + len(levels), self.blocks), np.int32)
        self.write_groups(levels, <int32_t*> entries(numbers, sizeof(int32_t), &entry))
        return numbers

    cdef write_groups(self, levels, int32_t* number):
        """Write what `groups` returns."""
        cdef Py_ssize_t block
        cdef int level, step
        cdef int32_t holder, count
        if not self.blocks:
            return
        memcpy(number, self.of_path, self.blocks * sizeof(int32_t))
        for level in levels:
            number += self.blocks
            with nogil:
                memset(self.scratch, 0xFF, self.holders * sizeof(int32_t))
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

    def probabilities(self, BlendedLogits logits not None, Calibration calibrated not None, values, levels):
        """Return the probability of each block by all columns, one line each.

        Args:
            logits: What makes logits of the columns.
            calibrated: What makes probabilities of these.
            values: All columns.
            levels: Levels of ancestors whose blocks are groups (see `groups`).
        """
        cdef Py_ssize_t count, block, blocks = self.blocks
        cdef Py_ssize_t groupings = 1 + len(levels)
        cdef const float* value = <float*> entries(values, sizeof(float), &count)
        if values.ndim != 2 or values.shape[1] != blocks:
            raise ValueError("columns of other blocks")
        chances = np.empty(blocks)
        if not blocks:
            return chances
        cdef double* to = <double*> entries(chances, sizeof(double), &block)
        cdef Room room = Room()
        cdef float* mass = <float*> room.take(blocks, sizeof(float))
        cdef int32_t* groups = <int32_t*> room.take(groupings * blocks, sizeof(int32_t))
        self.write_groups(levels, groups)
        for block in range(blocks):
            mass[block] = log_count(self.n[block])
        logits.write(value, count // blocks, blocks, mass, groups, groupings, to)
        calibrated.write(to, blocks, chances, to)
        return chances

    # Columns ------------------------------------------------------------------------------------

    @cython.boundscheck(False)  # where there is nothing, a pointer to the first of it is never followed
    def plain_columns(
        self,
        Tags tags not None,
        const uint64_t[::1] told,
        const int32_t[::1] roles,
        list role_bits,
        float[:, ::1] to,
    ):
        """Write the columns of `columns.GROUPS` that need nothing learned, one line each.

        Args:
            tags: What is known of tags.
            told: Hashes of the words of the description of the page, in order.
            roles: Per row: the number of its role.
            role_bits: Per role of the page: the bit of the landmark that it makes.
            to: Takes the columns; it may have more lines.
        """
        self.check_room(to, plain_lines(tags))
        self.check_tags(tags)
        if roles.shape[0] != self.rows:
            raise ValueError("roles that do not fit the page")
        self.write_plain(tags, &told[0], told.shape[0], &roles[0], role_bits, &to[0, 0])

    cdef write_plain(
        self,
        Tags tags,
        const uint64_t* told,
        Py_ssize_t told_words,
        const int32_t* roles,
        list role_bits,
        float* line,
    ):
        """Write the columns that need nothing learned (see `plain_columns`)."""
        self.text_columns(tags.title, told, told_words, line)
        line += 13 * self.blocks
        self.structure_columns(tags, roles, role_bits, line)
        line += structure_lines(tags) * self.blocks
        self.region_columns(line)
        self.document_columns(tags, line + 13 * self.blocks)

    def all_columns(self, Learned learned not None, told, roles, list declared, names):
        """Return all columns, one line each, and the chance of each type of page.

        Args:
            learned: What is needed beside the page.
            told: The description of the page.
            roles: Per row the number of its role, and per role the bit of the landmark that it makes.
            declared: What the page says that it is.
            names: The distinct names of classes, and of ids.
        """
        cdef Tags tags = learned.tags
        cdef Chances chances = learned.chances
        cdef Py_ssize_t blocks = self.blocks, words, count, kind
        cdef const int32_t* role = <int32_t*> entries(roles[0], sizeof(int32_t), &count)
        cdef tuple class_names = names[0], id_names = names[1]
        cdef str description = told
        if count != self.rows:
            raise ValueError("roles that do not fit the page")
        if not blocks:
            raise ValueError("no blocks")
        self.check_tags(tags)
        self.check_names(len(class_names), len(id_names))
        values = np.empty((learned.columns, blocks), np.float32)
        types = np.empty(chances.types, np.float32)
        cdef float* line = <float*> entries(values, sizeof(float), &count)
        cdef float* chance = <float*> entries(types, sizeof(float), &count)
        cdef float listed = 0
        cdef Room room = Room()
        cdef uint64_t* word = <uint64_t*> room.take(len(description) + 1, sizeof(uint64_t))
        words = words_of(description, self.lower, word)
        self.write_plain(
            tags, word, words if words >= TOLD_MIN_WORDS else 0, role, roles[1], line
        )
        cdef Parts parts = parts_of_names(class_names, id_names, room)
        chances.write(
            line, learned.plain, blocks, self.n, declared, parts.hash, parts.count, chance
        )
        for kind in learned.lists:
            listed += chance[kind]
        line += learned.plain * blocks
        self.word_columns(tags, learned.words, learned.headings, line)
        count = len(class_names) + len(id_names)
        self.name_columns(
            learned.names, learned.listed, listed, &parts, len(class_names), count, line + 3 * blocks
        )
        for kind in range(chances.types):
            joeira_fill(line + (9 + kind) * blocks, blocks, chance[kind])
        return values, types

    cdef int check_room(self, float[:, ::1] to, Py_ssize_t columns) except -1:
        if to.shape[0] < columns or to.shape[1] != self.blocks or not self.blocks:
            raise ValueError(f"{columns} columns have no room in {to.shape[0]} lines")
        return 0

    cdef int check_tags(self, Tags tags) except -1:
        if joeira_greatest(self.known_tag, self.rows) >= tags.known:
            raise ValueError("a tag that there is not")
        return 0

    cdef int check_names(self, Py_ssize_t classes, Py_ssize_t ids) except -1:
        cdef bint fits = joeira_greatest(self.class_number, self.rows) < classes
        fits &= joeira_greatest(self.id_number, self.rows) < ids
        if not fits:
            raise ValueError("names that there are not")
        return 0

    cdef inline double link_density(self, Py_ssize_t block) noexcept nogil:
        return self.of_links[block] / at_least_one(self.n[block])

    cdef text_columns(
        self, int32_t title_tag, const uint64_t* told, Py_ssize_t told_words, float* to
    ):
        """Write the columns of `columns.TEXT_FEATURES`."""
        cdef Py_ssize_t blocks = self.blocks, block, begin, stop, words = 0, best = 0
        cdef double so_far = 0, largest = 0, most = -1
        cdef Room room = Room()
        cdef double* cover = <double*> room.take(blocks, sizeof(double))
        cdef uint64_t* title = NULL
        begin, stop = self.title_characters(title_tag)
        if begin < stop:
            title = <uint64_t*> room.take(stop - begin, sizeof(uint64_t))
            words = different_words(
                self.codes + begin, self.flags + begin, stop - begin, self.lower, title
            )
        cdef Wanted of_title = wanted_words(title, words, room)
        cdef Wanted of_told = wanted_words(told, told_words, room)
        with nogil:
            self.overlap(&of_title, &of_told, cover, to + 11 * blocks)
            for block in range(blocks):
                so_far += self.n[block]
                to[block] = log_count(self.n[block])
                to[blocks + block] = self.link_density(block)
                to[2 * blocks + block] = log_count(self.stops[block])
                to[3 * blocks + block] = log_count(self.pauses[block])
                to[4 * blocks + block] = self.bars[block] / at_least_one(self.solids[block])
                to[5 * blocks + block] = self.ends_sentence[block]
                to[6 * blocks + block] = (so_far - self.n[block] / 2) / self.total_words
                to[7 * blocks + block] = log_count(blocks - block)
                to[8 * blocks + block] = log_count(self.same[block])
                to[9 * blocks + block] = cover[block]
                largest = max(largest, cover[block])
            if largest > 0.4:
                for block in range(blocks):
                    if cover[block] - 0.001 * block / blocks > most:
                        best, most = block, cover[block] - 0.001 * block / blocks
            self.distances(best if largest > 0.4 else -1, to + 10 * blocks)

    cdef (Py_ssize_t, Py_ssize_t) title_characters(self, int32_t title_tag) noexcept nogil:
        """Return where the characters of the title begin and end, if they are read as words."""
        cdef Py_ssize_t row = 0, stop, text = 0, first
        while row < self.rows and self.tag[row] != title_tag:
            text += self.tag[row] == 0
            row += 1
        if row == self.rows:
            return 0, 0
        first, stop = text, self.end[row]
        for row in range(row, stop):
            text += self.tag[row] == 0
        if first == text or text > self.texts:
            return 0, 0
        return self.starts[first], min(self.stop_of(text - 1), self.limit)

    cdef void overlap(
        self, const Wanted* title, const Wanted* told, double* cover, float* to
    ) noexcept nogil:
        """Write how the words of each block are those of the title, and those of the description.

        Of the title only which share of it a block has, if that is not too long;
        of the description the share of the block's words that are in it, and of it in the block.
        """
        cdef Py_ssize_t block, word, at, hits, different, different_told
        cdef uint64_t hashed, key
        for block in range(self.blocks):
            hits, different, different_told = 0, 0, 0
            for word in range(self.first_word[block], self.first_word[block + 1]):
                hashed = self.word_hash[word]
                # A word that a block repeats counts once, but where its own words are counted.
                key = spread(hashed)
                at = place_of(hashed, key, title)
                if at >= 0 and title.last_block[at] <= block:
                    title.last_block[at] = <int32_t> block + 1
                    different += 1
                at = place_of(hashed, key, told)
                if at >= 0:
                    hits += 1
                    if told.last_block[at] <= block:
                        told.last_block[at] = <int32_t> block + 1
                        different_told += 1
            if self.n[block] > TITLE_MAX_WORDS:
                different = 0
            cover[block] = different / <double> max(title.count, 1)
            to[block] = hits / at_least_one(self.n[block])
            to[self.blocks + block] = different_told / <double> max(told.count, 1)

    cdef void distances(self, Py_ssize_t mark, float* to) noexcept nogil:
        """Write the signed logarithmic distance of every block from one block; 0 without any."""
        cdef Py_ssize_t block
        if mark < 0:
            joeira_fill(to, self.blocks, 0)
            return
        for block in range(mark):
            to[block] = -log_count(mark - block)
        for block in range(mark, self.blocks):
            to[block] = log_count(block - mark)

    cdef structure_columns(self, Tags tags, const int32_t* roles, list role_bits, float* to):
        """Write the columns of `structure.FEATURES`."""
        cdef Py_ssize_t blocks = self.blocks, title
        cdef float* after = to + (31 + tags.own_columns + tags.landmarks) * blocks
        self.level_columns(to)
        self.repeated_columns(to + 20 * blocks)
        self.path_columns(to + 24 * blocks)
        self.tag_columns(tags, roles, role_bits, to + 31 * blocks)
        title = self.heading_columns(tags, after)
        self.mark_columns(title, after + 7 * blocks)
        self.card_columns(after + 15 * blocks)

    cdef level_columns(self, float* to):
        """Write what the nearest ancestors of each block are, level after level."""
        cdef Py_ssize_t blocks = self.blocks, row, holder, block
        cdef Room room = Room()
        cdef int32_t* children = <int32_t*> room.zeros(self.rows, sizeof(int32_t))
        cdef float* values = <float*> room.take(4 * self.holders, sizeof(float))
        cdef float* value
        cdef float* here
        cdef int level, step
        with nogil:
            for row in range(1, self.rows):
                children[self.parent[row]] += 1
            for holder in range(self.holders):
                row, value = self.row[holder], values + 4 * holder
                value[0] = self.below_linked[holder] / at_least_one(self.below_words[holder])
                value[1] = log1p(self.below_words[holder] / (self.end[row] - row))
                value[2] = log_count(self.alike_count[holder])
                value[3] = log_count(children[row])
            for block in range(blocks):
                holder, step, here = self.of_block[block], 0, to + block
                for level in range(5):
                    while step < LEVELS[level]:
                        holder, step = max(self.above[holder], 0), step + 1
                    value = values + 4 * holder
                    here[0], here[blocks] = value[0], value[1]
                    here[2 * blocks], here[3 * blocks] = value[2], value[3]
                    here += 4 * blocks

    cdef repeated_columns(self, float* to):
        """Write the depth of each block, and what the nearest repeated element above it is."""
        cdef Py_ssize_t blocks = self.blocks, block, holder, at
        cdef Room room = Room()
        cdef int32_t* most = <int32_t*> room.take(self.holders, sizeof(int32_t))
        cdef int32_t* nearest = self.scratch
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
            for block in range(blocks):
                holder = self.of_block[block]
                to[block] = self.depth[self.block_owner[block]] / 10.0
                to[3 * blocks + block] = log_count(most[holder])
                at = nearest[holder]
                if at < 0:
                    to[blocks + block] = to[2 * blocks + block] = 0
                    continue
                to[blocks + block] = self.below_linked[at] / at_least_one(self.below_words[at])
                to[2 * blocks + block] = (
                    self.below_words[max(self.above[at], 0)] / self.total_words
                )

    cdef path_columns(self, float* to):
        """Write what the blocks with one path of tags and classes are together."""
        cdef Py_ssize_t blocks = self.blocks, block, group
        cdef Room room = Room()
        # Of each group: count, words, linked words, first and last block.
        cdef double* sums = <double*> room.zeros(5 * self.path_groups, sizeof(double))
        cdef float* values = <float*> room.take(7 * self.path_groups, sizeof(float))
        cdef double* its
        cdef float* value
        cdef double count, words, span
        cdef int feature
        with nogil:
            for block in range(blocks):
                its = sums + 5 * self.of_path[block]
                if not its[0]:
                    its[3] = block
                its[0] += 1
                its[1] += self.n[block]
                its[2] += self.of_links[block]
                its[4] = block
            for group in range(self.path_groups):
                its, value = sums + 5 * group, values + 7 * group
                count, words, span = its[0], its[1], its[4] - its[3]
                value[0] = log_count(count)
                value[1] = log_count(words)
                value[2] = words / self.total_words
                value[3] = its[2] / at_least_one(words)
                value[4] = log1p(words / count)
                value[5] = span / blocks
                value[6] = log1p(count / (1 + span))
            for block in range(blocks):
                value = values + 7 * self.of_path[block]
                for feature in range(7):
                    to[feature * blocks + block] = value[feature]

    cdef tag_columns(self, Tags tags, const int32_t* roles, list role_bits, float* to):
        """Write which element each block is in itself, and in which landmarks it lies."""
        cdef Py_ssize_t block, holder, row, number, role_count = len(role_bits)
        cdef int own
        cdef Room room = Room()
        cdef uint32_t* of_role = <uint32_t*> room.take(role_count, sizeof(uint32_t))
        cdef uint32_t* above = <uint32_t*> room.take(self.holders, sizeof(uint32_t))
        cdef uint32_t* bits = <uint32_t*> room.take(self.blocks, sizeof(uint32_t))
        if joeira_greatest(roles, self.rows) >= role_count:
            raise ValueError("roles that there are not")
        for number in range(role_count):
            of_role[number] = role_bits[number]
        with nogil:
            for holder in range(self.holders):
                row = self.row[holder]
                above[holder] = tags.landmark[self.known_tag[row]] | of_role[roles[row]]
                if holder:
                    above[holder] |= above[self.above[holder]]
            for block in range(self.blocks):
                own = tags.own_column[self.known_tag[self.block_owner[block]]]
                bits[block] = above[self.of_block[block]] << tags.own_columns
                if own >= 0:
                    bits[block] |= <uint32_t> 1 << own
            joeira_write_bits(bits, self.blocks, tags.own_columns + tags.landmarks, to)

    cdef Py_ssize_t heading_columns(self, Tags tags, float* to) noexcept nogil:
        """Write where each block stands between headings; return the first ``h1``, -1 for none."""
        cdef Py_ssize_t blocks = self.blocks, block, title = -1, last = -1, begin = 0
        cdef Py_ssize_t following, stop
        cdef double words, linked, sections = 0
        cdef float log_words, log_sections, density
        for block in range(blocks):
            if self.tag[self.block_owner[block]] == tags.h1:
                title = block
                break
        self.distances(title, to)
        joeira_fill(to + blocks, blocks, title >= 0)
        while begin < blocks:  # section after section
            if tags.is_heading[self.known_tag[self.block_owner[begin]]]:
                last, sections = begin, sections + 1
            stop, words, linked = begin, 0, 0
            while True:
                words += self.n[stop]
                linked += self.of_links[stop]
                stop += 1
                if stop == blocks or tags.is_heading[self.known_tag[self.block_owner[stop]]]:
                    break
            following = stop if stop < blocks else blocks + FAR
            log_words, density = log_count(words), linked / at_least_one(words)
            log_sections = log_count(sections)
            for block in range(begin, stop):
                to[2 * blocks + block] = log_count(block - last)
                to[3 * blocks + block] = log_count(following - block) if block != last else 0
                to[4 * blocks + block] = log_words
                to[5 * blocks + block] = density
                to[6 * blocks + block] = log_sections
            begin = stop
        return title

    cdef void mark_columns(self, Py_ssize_t title, float* to) noexcept nogil:
        """Write what each block has in common with the title of the page and with a price."""
        cdef Py_ssize_t block, blocks = self.blocks, price = -1
        for block in range(blocks):
            if self.money[block] > 0:
                if price < 0:
                    price = block
                if block >= max(title, 0):
                    price = block
                    break
        # Of a price all but the first of four columns; what comes after them is written later.
        self.joint(price, to + 3 * blocks)
        self.joint(title, to)
        self.distances(price, to + 7 * blocks)

    cdef void joint(self, Py_ssize_t mark, float* to) noexcept nogil:
        """Write the columns of the smallest element that holds a block and one marked block."""
        cdef Py_ssize_t block, blocks = self.blocks, holder, level
        cdef int32_t* nearest = self.scratch  # -1 - level for those above the mark
        if mark < 0:
            joeira_fill(to, 4 * blocks, 0)
            return
        memset(nearest, 0, self.holders * sizeof(int32_t))
        holder, level = self.of_block[mark], 0
        while holder >= 0:
            nearest[holder] = <int32_t> (-1 - level)
            holder, level = self.above[holder], level + 1
        for holder in range(self.holders):
            if nearest[holder] >= 0:  # below one that holds the mark, or itself below such
                level = self.above[holder]
                nearest[holder] = <int32_t> (level if nearest[level] < 0 else nearest[level])
        for block in range(blocks):
            holder = self.of_block[block]
            if nearest[holder] >= 0:
                holder = nearest[holder]
            to[block] = log_count(self.below_words[holder])
            to[blocks + block] = self.below_words[holder] / self.total_words
            to[2 * blocks + block] = -1 - nearest[holder]
            to[3 * blocks + block] = (
                self.depth[self.block_owner[block]] - self.depth[self.row[holder]]
            )

    cdef card_columns(self, float* to):
        """Write in how many cards like its own a block is: like elements with prices and links."""
        cdef Py_ssize_t block, blocks = self.blocks, holder, group
        cdef bint has_price = False
        for block in range(blocks):
            has_price |= self.money[block] > 0
        if not has_price:
            joeira_fill(to, 3 * blocks, 0)
            return
        group = joeira_greatest(self.sibling_group, self.holders)
        cdef Room room = Room()
        # Of each group: count, words, how many have a price, and how many a link.
        cdef double* sums = <double*> room.zeros(4 * (group + 1), sizeof(double))
        cdef double* its
        cdef int32_t* priced = <int32_t*> room.zeros(self.holders, sizeof(int32_t))
        cdef int32_t* nearest = self.scratch
        cdef double least, of_page = 0
        with nogil:
            for block in range(blocks):
                if self.money[block] > 0:
                    priced[self.of_block[block]] = 1
            for holder in range(self.holders - 1, -1, -1):
                if holder:
                    priced[self.above[holder]] |= priced[holder]
                its = sums + 4 * self.sibling_group[holder]
                its[0] += 1
                its[1] += self.below_words[holder]
                its[2] += priced[holder]
                its[3] += self.below_linked[holder] > 0
            for holder in range(self.holders):
                its = sums + 4 * self.sibling_group[holder]
                least = CARDS_SHARE * its[0]
                nearest[holder] = nearest[self.above[holder]] if holder else -1
                if its[0] >= REPEATED_MIN and its[2] >= least <= its[3]:
                    nearest[holder] = self.sibling_group[holder]
            for block in range(blocks):
                group = nearest[self.of_block[block]]
                if group < 0:
                    to[block] = to[blocks + block] = 0
                    continue
                to[block] = log_count(sums[4 * group])
                to[blocks + block] = sums[4 * group + 1] / self.total_words
                of_page += self.n[block]
            joeira_fill(to + 2 * blocks, blocks, <float> (of_page / self.total_words))

    cdef region_columns(self, float* to):
        """Write the columns of `columns.REGION_FEATURES`."""
        cdef Py_ssize_t blocks = self.blocks, block, holder, core, row, number, first, stop
        cdef int32_t deepest
        cdef int level, step
        cdef double weight
        cdef Room room = Room()
        # Up to each block: linked words, logarithms of words, and weights of the blocks.
        cdef double* total = <double*> room.zeros(3 * (blocks + 1), sizeof(double))
        cdef double* before
        cdef float* line
        with nogil:
            for number in range(2):
                core, deepest = 0, 0
                for holder in range(self.holders):
                    if self.below_good[holder] >= CORE_SHARES[number] * self.total_good:
                        if self.depth[self.row[holder]] > deepest:
                            core, deepest = holder, self.depth[self.row[holder]]
                row, line = self.row[core], to + 3 * number * blocks
                for block in range(blocks):
                    line[block] = row <= self.block_owner[block] < self.end[row]
                joeira_fill(
                    line + blocks, blocks, <float> (self.below_words[core] / self.total_words)
                )
                joeira_fill(
                    line + 2 * blocks,
                    blocks,
                    <float> (self.below_linked[core] / at_least_one(self.below_words[core])),
                )
            for block in range(blocks):
                holder, step, line = self.of_block[block], 0, to + 6 * blocks + block
                for level in range(5):
                    while step < GOOD_LEVELS[level]:
                        holder, step = max(self.above[holder], 0), step + 1
                    line[0] = self.below_good[holder] / self.total_good
                    line += blocks
            for block in range(blocks):  # in a density long blocks count more
                weight, before = self.n[block] + 0.1, total + 3 * block
                before[3] = before[0] + self.link_density(block) * weight
                before[4] = before[1] + log_count(self.n[block])
                before[5] = before[2] + weight
            for block in range(blocks):
                first, stop = 3 * max(block - WINDOW, 0), 3 * min(block + WINDOW + 1, blocks)
                to[11 * blocks + block] = (
                    (total[stop] - total[first]) / (total[stop + 2] - total[first + 2])
                )
                to[12 * blocks + block] = (
                    (total[stop + 1] - total[first + 1]) / ((stop - first) // 3)
                )

    cdef void document_columns(self, Tags tags, float* to) noexcept nogil:
        """Write the columns of `columns.DOCUMENT_FEATURES`: each the same for all blocks."""
        cdef Py_ssize_t row, block, column, rows = self.rows, blocks = self.blocks
        cdef double[9] count  # the last for what counts for nothing
        cdef double linked = 0, marks = 0, money = 0, words = self.total_words
        cdef double[17] value
        cdef int32_t kind
        memset(count, 0, sizeof(count))
        for row in range(rows):
            kind = tags.kind[self.known_tag[row]]
            count[kind if kind >= 0 else 8] += 1
        for block in range(blocks):
            linked += self.of_links[block]
            marks += self.stops[block] + self.pauses[block]
            money += self.money[block]
        value[0] = log_count(blocks)
        value[1] = log_count(words)
        value[2] = linked / words
        value[3] = marks / words
        value[4] = log_count(self.total_good)
        value[5] = self.total_good / words
        value[6] = log_count(rows)
        value[7] = log1p(words / blocks)
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
            joeira_fill(to + column * blocks, blocks, <float> value[column])

    def learned_columns(
        self, Tags tags not None, list tables, float listed, names, const float[::1] types, to
    ):
        """Write the columns of `lexicon.FEATURES`, then those of the types of the page.

        Args:
            tags: What is known of tags.
            tables: Log-odds in sixteenths by the first bits of a hash: of words, of words of headings, of names,
                and of names where a page is a list.
            listed: The chance that it is one.
            names: Hashes of the parts of names, the number of the name of each, how many names of
                classes there are, and how many of ids.
            types: The chance of each type.
            to: Takes the columns.
        """
        cdef float[:, ::1] lines = to
        cdef const uint64_t[::1] part_hash = names[0]
        cdef const int64_t[::1] part_name = names[1]
        cdef Py_ssize_t kind, part, classes = names[2], all_names = classes + <Py_ssize_t> names[3]
        cdef Table plain = table_of(tables[2]), of_lists = table_of(tables[3])
        cdef bint fits = plain.shift == of_lists.shift and part_hash.shape[0] == part_name.shape[0]
        for part in range(part_name.shape[0]):
            fits &= 0 <= part_name[part] < all_names
        if not fits:
            raise ValueError("names that there are not")
        self.check_room(lines, 9 + types.shape[0])
        self.check_tags(tags)
        self.check_names(classes, all_names - classes)
        self.word_columns(tags, table_of(tables[0]), table_of(tables[1]), &lines[0, 0])
        cdef Room room = Room()
        cdef Parts parts = Parts(
            <uint64_t*> room.take(part_hash.shape[0], sizeof(uint64_t)),
            <int32_t*> room.take(part_hash.shape[0], sizeof(int32_t)),
            part_hash.shape[0],
        )
        for part in range(parts.count):
            parts.hash[part], parts.name[part] = part_hash[part], <int32_t> part_name[part]
        self.name_columns(plain, of_lists, listed, &parts, classes, all_names, &lines[3, 0])
        for kind in range(types.shape[0]):
            joeira_fill(&lines[9 + kind, 0], self.blocks, types[kind])

    cdef word_columns(self, Tags tags, Table word_table, Table heading_table, float* to):
        """Write what the words of each block say, and those of the heading above it."""
        cdef int word_shift = word_table.shift, heading_shift = heading_table.shift
        cdef Py_ssize_t blocks = self.blocks, block, word, known, known_in_heading
        cdef double total, least, of_heading, said = 0
        cdef const int8_t* of_words = word_table.odds
        cdef const uint64_t* hashed = self.word_hash
        cdef float odds
        with nogil:
            for block in range(blocks):
                total, least, known = 0, 0, 0
                # Most words are known or not without any order: what is not adds nothing.
                for word in range(self.first_word[block], self.first_word[block + 1]):
                    odds = SIXTEENTH * of_words[hashed[word] >> word_shift]
                    total += odds
                    known += odds != 0
                    least = min(least, <double> odds)
                to[block] = total / max(known, 1)
                to[blocks + block] = least
                if tags.is_heading[self.known_tag[self.block_owner[block]]]:
                    of_heading, known_in_heading = 0, 0
                    for word in range(self.first_word[block], self.first_word[block + 1]):
                        odds = SIXTEENTH * heading_table.odds[hashed[word] >> heading_shift]
                        of_heading += odds
                        known_in_heading += odds != 0
                    said = of_heading / max(known_in_heading, 1)
                to[2 * blocks + block] = said

    cdef name_columns(
        self,
        Table table,
        Table listed_table,
        float listed,
        const Parts* parts,
        Py_ssize_t classes,
        Py_ssize_t all_names,
        float* to,
    ):
        """Write what the names of each block's element and its ancestors say."""
        cdef Py_ssize_t part, row, holder, block, blocks = self.blocks
        cdef int shift = table.shift
        cdef Room room = Room()
        # Of each name: sum, least, greatest, and whether anything is known of it.
        cdef double* of_name = <double*> room.zeros(4 * all_names, sizeof(double))
        # Of each holder: its own, then decayed, least and greatest of all above it.
        cdef double* of_holder = <double*> room.take(4 * self.holders, sizeof(double))
        cdef double* its
        cdef double* other
        cdef float odds, plain, of_list, rest = <float> 1 - listed
        cdef Py_ssize_t bucket
        with nogil:
            for part in range(parts.count):
                bucket = <Py_ssize_t> (parts.hash[part] >> shift)
                # Rounded step by step, as the reference does.
                plain = rest * (SIXTEENTH * table.odds[bucket])
                of_list = listed * (SIXTEENTH * listed_table.odds[bucket])
                odds = plain + of_list
                if odds != 0:
                    its = of_name + 4 * parts.name[part]
                    its[0] += odds
                    its[1] = min(its[1], <double> odds)
                    its[2] = max(its[2], <double> odds) if its[3] else odds
                    its[3] = 1
            for holder in range(self.holders):
                row = self.row[holder]
                other = of_name + 4 * (classes + self.id_number[row])
                its = of_name + 4 * self.class_number[row]
                write_names(its, other, of_holder + 4 * holder)
                if holder:
                    its = of_holder + 4 * holder
                    other = of_holder + 4 * self.above[holder]
                    its[1] += NAME_DECAY * other[1]
                    its[2] = min(its[2], other[2])
                    its[3] = max(its[3], other[3])
            for block in range(blocks):
                holder = self.of_block[block]
                its = of_holder + 4 * holder
                to[block], to[blocks + block], to[2 * blocks + block] = its[1], its[2], its[3]
                to[3 * blocks + block] = its[0]
                holder = max(self.above[holder], 0)
                to[4 * blocks + block] = of_holder[4 * holder]
                holder = max(self.above[holder], 0)
                to[5 * blocks + block] = of_holder[4 * holder]


cdef inline void write_names(
    const double* of_class, const double* of_id, double* to
) noexcept nogil:
    """Write what the names of an element say: sum, the same again, least and greatest."""
    to[0] = to[1] = of_class[0] + of_id[0]
    to[2] = min(of_class[1], of_id[1])
    to[3] = max(of_class[2], of_id[2])


cdef Wanted wanted_words(const uint64_t* word, Py_ssize_t words, Room room) except *:
    """Return a table of some different words, of which the room keeps what is found."""
    cdef Wanted wanted = Wanted(word, words, 15, NULL, NULL)
    cdef Py_ssize_t at, slot
    while wanted.mask < 8 * words:
        wanted.mask = 2 * wanted.mask + 1
    wanted.slot = <int32_t*> room.zeros(wanted.mask + 1, sizeof(int32_t))
    wanted.last_block = <int32_t*> room.zeros(words, sizeof(int32_t))
    for at in range(words):
        slot = spread(word[at]) & wanted.mask
        while wanted.slot[slot]:
            slot = (slot + 1) & wanted.mask
        wanted.slot[slot] = <int32_t> at + 1
    return wanted


cdef inline Py_ssize_t place_of(
    uint64_t hashed, uint64_t key, const Wanted* wanted
) noexcept nogil:
    """Return where a word stands among those wanted; -1 if it does not."""
    cdef Py_ssize_t slot = key & wanted.mask
    while wanted.slot[slot]:
        if wanted.word[wanted.slot[slot] - 1] == hashed:
            return wanted.slot[slot] - 1
        slot = (slot + 1) & wanted.mask
    return -1


cdef Table table_of(const int8_t[::1] table) except *:
    """Return a table of 2^k entries, with by how many bits a hash is shifted to be an index."""
    cdef int bits = 0
    while (<Py_ssize_t> 1 << bits) < table.shape[0]:
        bits += 1
    if bits < 1 or <Py_ssize_t> 1 << bits != table.shape[0]:
        raise ValueError("a table whose length is no power of two")
    return Table(&table[0], 64 - bits)
