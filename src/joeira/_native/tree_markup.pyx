"""Kernel of `joeira.page.parse`: the page table, from the markup that the parser writes of its tree.

A parser written for Python shows its tree as thousands of objects, and asking each of them costs more
than parsing did. Asked for its markup, it writes the whole tree at once, and that is read back here in
one pass. It is no HTML as pages have it, which only a parser understands: every element has its tags,
every attribute its quotes, and nothing is left to be guessed.

What could be read in two ways is left to the reference, by None: elements of SVG or MathML that have
the name of an HTML element which is written in another way, and ``<plaintext>``. So is a tree whose
tags do not fit each other, which should not be.
"""

import os

import numpy as np

cimport cython
from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.dict cimport PyDict_GetItem
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memmove, strlen

from joeira._native.codes cimport (
    Code,
    PyUnicode_DATA,
    PyUnicode_FromKindAndData,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    begins,
    classify,
    count,
    find,
    has_end_tag,
    is_name,
)

cdef extern from *:
    bint Py_UNICODE_ISSPACE(Py_UCS4 code)

# What a tag means, for the text below it and for how it is written.
cdef enum:
    DESCRIBING = 4  # so many of the attributes that are watched describe things


cdef enum:
    CODE = 1  # what is below is no text
    HEAD = 2  # what is below belongs to the document, not to the page
    LINK = 4
    OUTSIDE = 8  # below a template: in no row
    FOREIGN = 16  # below are elements of SVG or MathML
    INHERITED = 31
    VOID = 32  # without an end tag
    RAW = 64  # whatever is below is text, up to the end tag
    TEMPLATE = 128
    BROKEN = 256  # a line break right after the start tag is none of the text
    UNREAD = 512  # what search engines are asked not to read
    UNREADABLE = 1024
    META = 2048
    RELATED = 4096  # a <link>
    SCRIPT = 8192

cdef enum:  # what seldom has to grow: of so many characters of markup one is text, or there is one row
    SELDOM_TEXT = 4
    SELDOM_ROW = 64

cdef enum:
    SLOTS = 4096  # of the table of names: a power of two, far more than there are names

cdef enum:
    TAG
    PARENT
    DEPTH
    END
    KNOWN_TAG
    CLASS
    ID
    ROLE
    NAMED_COLUMNS  # those that pages have by these names
    TEXT_ROW = NAMED_COLUMNS  # per text
    TEXT_INDEX
    PLACE  # of the tag of an element in the source, only where that is read
    STOP  # and of what ends the element, if all of it stands between the two
    COLUMNS

cdef enum:
    AFTER_GAP  # per text
    IS_LINKED  # per text
    IN_HEAD
    IN_TREE  # per element
    FLAGS

cdef struct Open:
    Py_ssize_t name, length  # of its tag, in the markup
    int32_t row
    int32_t depth
    uint16_t bits

cdef struct Name:
    # What the attributes of an element say.
    int32_t class_number, id_number, role_number

cdef struct Slice:
    # Some characters of the markup, and the number that they were given; 0 where there are none.
    int32_t start, length, number
    uint32_t hash


cdef class Slices:
    """Numbers for distinct pieces of one text: a table of hashes, twice as large as it need be."""

    cdef Slice* slots
    cdef Py_ssize_t mask, count

    def __cinit__(self, Py_ssize_t size):
        self.resize(size)

    def __dealloc__(self):
        PyMem_Free(self.slots)

    cdef int resize(self, Py_ssize_t size) except -1:
        cdef Slice* old = self.slots
        cdef Py_ssize_t slot, place, old_size = self.mask + 1 if old else 0
        self.slots = <Slice*> PyMem_Calloc(size, sizeof(Slice))
        if not self.slots:
            self.slots = old
            raise MemoryError
        self.mask = size - 1
        for slot in range(old_size):
            if old[slot].number:
                place = old[slot].hash & self.mask
                while self.slots[place].number:
                    place = (place + 1) & self.mask
                self.slots[place] = old[slot]
        PyMem_Free(old)
        return 0


cdef Slice* find_slice(Slices table, const Code* text, Py_ssize_t start, Py_ssize_t length) except NULL:
    """Return where characters stand in a table: their slot, or one for them with the number -1."""
    cdef uint32_t hashed = <uint32_t> hash_of_bytes(<const uint8_t*> (text + start), length * sizeof(Code))
    cdef Py_ssize_t slot
    cdef Slice* at
    if 2 * table.count > table.mask:
        table.resize(2 * (table.mask + 1))
    slot = hashed & table.mask
    while True:
        at = &table.slots[slot]
        if not at.number:
            at.start, at.length = <int32_t> start, <int32_t> length
            at.hash, at.number = hashed, -1
            return at
        if at.hash == hashed and at.length == length:
            if not memcmp(text + at.start, text + start, length * sizeof(Code)):
                return at
        slot = (slot + 1) & table.mask


cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")
"""Where characters fall in tables, so that no page can make them all fall together."""


cdef uint64_t MASKS[8]
"""For the first bytes of eight, so many of them."""


cdef void make_masks() noexcept:
    cdef uint8_t[8] some
    cdef int number, byte
    for number in range(8):
        for byte in range(8):
            some[byte] = 255 if byte < number else 0
        memcpy(&MASKS[number], some, 8)


make_masks()


cdef inline uint64_t hash_of_bytes(const uint8_t* data, Py_ssize_t size) noexcept nogil:
    """Return a hash of bytes, eight of them at a time, some at the end twice."""
    cdef uint64_t total = SEED ^ <uint64_t> size, other = SEED, eight = 0
    cdef uint32_t first, last
    if size >= 8:
        while size > 16:  # in two rows, of which none has to wait for the other
            memcpy(&eight, data, 8)
            total = (total ^ eight) * <uint64_t> 0x9E3779B97F4A7C15
            total ^= total >> 29
            memcpy(&eight, data + 8, 8)
            other = (other ^ eight) * <uint64_t> 0xBF58476D1CE4E5B9
            other ^= other >> 31
            data += 16
            size -= 16
        total += other
        while size > 8:
            memcpy(&eight, data, 8)
            total = (total ^ eight) * <uint64_t> 0x9E3779B97F4A7C15
            total ^= total >> 29
            data += 8
            size -= 8
        memcpy(&eight, data + size - 8, 8)
    elif size >= 4:
        memcpy(&first, data, 4)
        memcpy(&last, data + size - 4, 4)
        eight = <uint64_t> first << 32 | last
    elif size > 0:
        eight = <uint64_t> data[0] << 16 | <uint64_t> data[size >> 1] << 8 | data[size - 1]
    total = (total ^ eight) * <uint64_t> 0x9E3779B97F4A7C15
    total ^= total >> 29
    return total ^ (total >> 32)


cdef inline Py_ssize_t slot_of(const Code* name, Py_ssize_t length) noexcept nogil:
    """Return where a name is looked for in the table of names."""
    cdef uint64_t total = SEED
    cdef Py_ssize_t place
    for place in range(length):
        total = (total << 7 | total >> 57) ^ name[place]
    return (total * <uint64_t> 0x9E3779B97F4A7C15) >> 32 & (SLOTS - 1)


cdef object empty = np.empty
cdef object INT32 = np.dtype(np.int32), INT64 = np.dtype(np.int64), BOOL = np.dtype(np.bool_)
cdef object UINT16 = np.dtype(np.uint16), UINT32 = np.dtype(np.uint32)


cdef void* data_of(object array) except NULL:
    """Return where the data of an array begin, which has some and is not resized while it is used."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_WRITABLE)
    cdef void* data = view.buf
    PyBuffer_Release(&view)
    return data


cdef class TreeMarkup:
    """Reads the markup of trees; made once for the tags that there are."""

    cdef int32_t foreign
    cdef str unread, modal
    cdef tuple watched_names
    cdef bytes watched_letters
    cdef int32_t[::1] watched
    # The names of tags: all letters, and by slots of a table where those of each name begin.
    cdef bytes letters
    cdef int32_t[::1] name_in_slot, first_letter, number_of_name
    cdef uint16_t[::1] bits_of_name
    # How the parser treats elements of each name, and the numbers of some that are treated in ways of their own.
    cdef uint8_t[::1] group_of_name, traits_of_name
    cdef int32_t paragraph, division, address, option_group, ruby, ruby_container, ordered, unordered
    cdef int32_t style, font, no_script, head
    cdef const uint16_t[::1] classes

    def __init__(self, dict numbers, int foreign, dict meanings, roles, watched, classes):
        """Take the number of each known tag, and the one above them that stands for all others.

        Args:
            numbers: The number of each known tag.
            foreign: A number above them, which stands for all other tags.
            meanings: The names of the tags that mean something, by what they mean.
            roles: Those of what search engines are asked not to read, and of what takes the page over.
            watched: Up to 32 names of attributes: which of them a page has is noted. The first four
                describe things: all that elements say that have one of these is kept.
            classes: The class of each character of the basic plane.
        """
        self.foreign = foreign
        self.classes = classes
        if self.classes.shape[0] != 0x10000:
            raise ValueError("a table for another number of characters")
        self.watched_names = tuple(watched)
        self.watched_letters = "".join(watched).encode("ascii")
        self.watched = np.cumsum([0, *map(len, watched)]).astype(np.int32)
        self.unread, self.modal = roles
        bits = {
            "code": CODE, "head": HEAD, "link": LINK, "foreign": FOREIGN, "void": VOID, "raw": RAW,
            "template": TEMPLATE, "broken": BROKEN, "unread": UNREAD, "unreadable": UNREADABLE,
            "meta": META, "related": RELATED, "script": SCRIPT,
        }
        treated = [name for told in (_GROUPS, _TRAITS) for said in told.values() for name in said.split()]
        names = sorted({*numbers, *treated, *(name for said in meanings.values() for name in said)})
        self.letters = "".join(names).encode("ascii")
        self.first_letter = np.cumsum([0, *map(len, names)]).astype(np.int32)
        self.number_of_name = np.array([numbers.get(name, -1) for name in names], np.int32)
        self.bits_of_name = np.array(
            [sum(bits[key] for key, said in meanings.items() if name in said) for name in names],
            np.uint16,
        )
        groups = {name: group for group, said in _GROUPS.items() for name in said.split()}
        self.group_of_name = np.array([groups.get(name, <int> ORDINARY) for name in names], np.uint8)
        self.traits_of_name = np.array(
            [sum(bit for bit, said in _TRAITS.items() if name in said.split()) for name in names], np.uint8
        )
        self.paragraph, self.division, self.address = numbers["p"], numbers["div"], numbers["address"]
        self.option_group, self.ruby, self.ruby_container = numbers["optgroup"], numbers["ruby"], numbers["rtc"]
        self.ordered, self.unordered, self.head = numbers["ol"], numbers["ul"], numbers["head"]
        self.style, self.font, self.no_script = numbers["style"], numbers["font"], numbers["noscript"]
        if max(numbers.values()) >= foreign or 4 * len(names) > SLOTS or len(watched) > 32:
            raise ValueError("more tags than there is room for")
        self.name_in_slot = np.full(<int> SLOTS, -1, np.int32)
        cdef const uint8_t* letters = self.letters
        cdef Py_ssize_t place, first, slot
        for place in range(len(names)):
            first = self.first_letter[place]
            slot = slot_of(letters + first, self.first_letter[place + 1] - first)
            while self.name_in_slot[slot] >= 0:
                slot = (slot + 1) & (SLOTS - 1)
            self.name_in_slot[slot] = <int32_t> place

    cdef void describe(self, const uint8_t* letters, Py_ssize_t length, Tag* tag) noexcept:
        """Say what is known of tags of a name; the number is -1 where only a page has it."""
        cdef Py_ssize_t place = find_name(self, letters, length)
        tag.number, tag.meaning, tag.group, tag.traits = -1, 0, ORDINARY, 0
        if place >= 0:
            tag.number, tag.meaning = self.number_of_name[place], self.bits_of_name[place]
            tag.group, tag.traits = self.group_of_name[place], self.traits_of_name[place]

    def from_source(self, str source, Py_ssize_t max_nodes):
        """Return the columns of the table of a page; None where its tree is not plain to see."""
        cdef int kind = PyUnicode_KIND(source)
        cdef Py_ssize_t size = PyUnicode_GET_LENGTH(source)
        cdef void* data = PyUnicode_DATA(source)
        cdef Reader reader = Reader()
        cdef bint is_read
        if size > 0x7FFFFFFF or has_null(kind, data, size):  # a character that a parser replaces
            return None
        reader.tags, reader.table = self, Table(size, max_nodes, self.classes)
        reader.kind, reader.data, reader.size = kind, data, size
        reader.make_room()
        if kind == 1:
            is_read = read_source(reader, <const uint8_t*> data, size)
        elif kind == 2:
            is_read = read_source(reader, <const uint16_t*> data, size)
        else:
            is_read = read_source(reader, <const uint32_t*> data, size)
        if not is_read or reader.table.nodes > max_nodes:
            return None
        table = self.told(reader.table)
        described = self.watched_names[:DESCRIBING], np.array(reader.described, np.int32)
        table["tags"] = SourceTags(source, reader.table, reader.raws, described)
        return table

    cdef object told(self, Table table):
        table.seen_names = frozenset(
            [name for number, name in enumerate(self.watched_names) if table.seen >> number & 1]
        )
        return table.result()

    def __call__(self, str markup, Py_ssize_t max_nodes):
        """Return the columns of the table; None where the markup is to be left to the reference."""
        cdef int kind = PyUnicode_KIND(markup)
        cdef Py_ssize_t size = PyUnicode_GET_LENGTH(markup)
        cdef void* data = PyUnicode_DATA(markup)
        if size > 0x7FFFFFFF:
            return None
        cdef Table table = Table(size, max_nodes, self.classes)
        if kind == 1:
            is_read = read(self, <const uint8_t*> data, size, table)
        elif kind == 2:
            is_read = read(self, <const uint16_t*> data, size, table)
        else:
            is_read = read(self, <const uint32_t*> data, size, table)
        if not is_read or table.nodes > max_nodes:
            return None
        return self.told(table)


cdef class Table:
    """The table of a page, row by row as they are read."""

    cdef object columns_array, flags_array, starts_array, codes_array, classes_array
    # Where these arrays begin; before each tag and text there is room for two rows more.
    cdef int32_t* column[COLUMNS]
    cdef uint8_t* flag[FLAGS]
    cdef Py_ssize_t row_room, max_nodes
    cdef Open* open_elements
    cdef Py_ssize_t open_room
    # The characters of all texts, a line break after each, and their classes; there is room for some.
    cdef int64_t* start
    cdef uint32_t* codes
    cdef uint16_t* classes_of_codes
    cdef Py_ssize_t characters, room
    cdef bint is_beyond  # there is a character whose class is not in the table
    cdef const uint16_t* class_of
    cdef Py_ssize_t top, elements, nodes, marks
    cdef int32_t rows, texts, deepest
    cdef bint gap
    cdef uint32_t seen
    cdef frozenset seen_names
    cdef bint styles_display
    # The last element that can have nothing but text in it; how long that is, 0 where no tag ends in it.
    cdef int32_t raw_row
    cdef Py_ssize_t raw_size
    cdef Slices classes, ids, roles
    cdef list class_names, id_names
    # What the page says of itself: by <meta>, by <link>, and in scripts of linked data.
    cdef list metas, links, facts, otherwise, fact_rows, described
    cdef bint is_described
    cdef dict role_numbers, foreign
    cdef dict several  # where the tags begin of elements that have several

    def __init__(self, Py_ssize_t size, Py_ssize_t max_nodes, const uint16_t[::1] classes):
        """Make room for what markup of some size is likely to have.

        What the classes of the characters are has been checked; it outlives the table.
        """
        self.max_nodes, self.class_of = max_nodes, &classes[0]
        self.make_room_for_rows(size // SELDOM_ROW + 64)
        self.make_room(size // SELDOM_TEXT + 1)
        self.classes, self.ids, self.roles = Slices(512), Slices(256), Slices(16)
        self.class_names, self.id_names = [""], [""]
        self.metas, self.links, self.facts = [], [], []
        self.otherwise, self.fact_rows, self.described = [], [], []
        self.role_numbers, self.foreign, self.several = {}, {}, {}
        self.raw_row = -1

    def __dealloc__(self):
        PyMem_Free(self.open_elements)

    cdef int add_meta(self, str name, str other, str content, str prop, str header) except -1:
        """Keep what a meta element says; few have a name that is neither of the usual ones."""
        if prop or header:
            self.otherwise.append((len(self.metas), prop, header))
        self.metas.append((name, other, content))
        return 0

    cdef int make_room_for_rows(self, Py_ssize_t room) except -1:
        """Make room for so many rows, as many elements and as many texts."""
        columns, flags = empty((<int> COLUMNS, room), INT32), empty((<int> FLAGS, room), BOOL)
        starts = empty(room, INT64)
        cdef int32_t* column = <int32_t*> data_of(columns)
        cdef uint8_t* flag = <uint8_t*> data_of(flags)
        cdef int64_t* start = <int64_t*> data_of(starts)
        cdef Py_ssize_t used = max(self.rows, self.elements)
        cdef int number
        for number in range(COLUMNS):
            if used:
                memcpy(column, self.column[number], self.rows * sizeof(int32_t))
            self.column[number] = column
            column += room
        for number in range(FLAGS):
            if used:
                memcpy(flag, self.flag[number], used)
            self.flag[number] = flag
            flag += room
        if used:
            memcpy(start, self.start, self.texts * sizeof(int64_t))
        self.start = start
        self.columns_array, self.flags_array, self.starts_array = columns, flags, starts
        self.row_room = room
        return 0

    cdef int make_room_for_open(self) except -1:
        """Make room for more open elements."""
        cdef Py_ssize_t room = 2 * self.open_room + 64
        cdef Open* more = <Open*> PyMem_Realloc(self.open_elements, room * sizeof(Open))
        if not more:
            raise MemoryError
        self.open_elements, self.open_room = more, room
        return 0

    cdef int make_room(self, Py_ssize_t more) except -1:
        """Make room for so many more characters, and for as many as there are by now."""
        cdef Py_ssize_t room = 2 * self.characters + more
        codes, classes = empty(room, UINT32), empty(room, UINT16)
        cdef uint32_t* all_codes = <uint32_t*> data_of(codes)
        cdef uint16_t* all_classes = <uint16_t*> data_of(classes)
        if self.characters:
            memcpy(all_codes, self.codes, self.characters * sizeof(uint32_t))
            memcpy(all_classes, self.classes_of_codes, self.characters * sizeof(uint16_t))
        self.codes_array, self.classes_array, self.room = codes, classes, room
        self.codes, self.classes_of_codes = all_codes, all_classes
        return 0

    cdef void add_text(self):
        """Add a row for a text right below the innermost open element; its characters come next."""
        cdef Open* parent = &self.open_elements[self.top - 1]
        cdef int32_t row = self.rows, text = self.texts
        self.start[text] = self.characters
        self.column[TEXT_ROW][text] = row
        self.flag[AFTER_GAP][text] = self.gap
        self.flag[IS_LINKED][text] = parent.bits & LINK != 0
        self.gap = False
        self.column[TAG][row] = self.column[KNOWN_TAG][row] = 0
        self.column[CLASS][row] = self.column[ID][row] = self.column[ROLE][row] = 0
        self.column[PLACE][row] = -1
        self.column[PARENT][row] = parent.row
        self.column[DEPTH][row] = parent.depth + 1
        self.column[END][row] = row + 1
        self.flag[IN_HEAD][row] = parent.bits & HEAD != 0
        self.column[TEXT_INDEX][row] = text
        self.texts, self.rows = text + 1, row + 1

    cdef void add_element(self, int32_t number, int32_t known, Name name, Open* element):
        """Add a row for an element, or none for one in a template; it is not open yet."""
        cdef int32_t row = self.rows
        self.flag[IN_TREE][self.elements] = not element.bits & OUTSIDE
        self.elements += 1
        self.deepest = max(self.deepest, element.depth)
        if element.bits & OUTSIDE:
            return
        self.column[TAG][row] = number
        self.column[KNOWN_TAG][row] = known
        self.column[PARENT][row] = element.row
        self.column[DEPTH][row] = element.depth
        self.column[CLASS][row] = name.class_number
        self.column[ID][row] = name.id_number
        self.column[ROLE][row] = name.role_number
        self.column[END][row] = row + 1
        self.flag[IN_HEAD][row] = element.bits & HEAD != 0
        self.column[TEXT_INDEX][row] = self.texts
        element.row = row
        self.rows = row + 1

    cdef int32_t number_role(self, str role) except -1:
        """Return the number of a role, a new one if it is new."""
        cdef PyObject* listed = PyDict_GetItem(self.role_numbers, role)
        if listed is not NULL:
            return <object> listed
        cdef int32_t number = len(self.role_numbers) + 1
        self.role_numbers[role] = number
        return number

    cdef tuple texts_as_read(self):
        """Return characters and classes of all texts, where each begins, and if a class is missing."""
        if 4 * (self.room - self.characters) > self.room:  # a page may be held for long
            self.codes_array.resize(self.characters, refcheck=False)
            self.classes_array.resize(self.characters, refcheck=False)
        return (
            self.codes_array[:self.characters],
            self.classes_array[:self.characters],
            self.starts_array[:self.texts],
            self.is_beyond,
        )

    cdef object result(self):
        self.column[TEXT_INDEX][self.rows] = self.texts
        return {
            "columns": self.columns_array[:<int> NAMED_COLUMNS, :self.rows],
            "texts": self.texts_as_read(),
            "gap_before": self.flags_array[<int> AFTER_GAP, :self.texts],
            "text_linked": self.flags_array[<int> IS_LINKED, :self.texts],
            "text_rows": self.columns_array[<int> TEXT_ROW, :self.texts],
            "text_index": self.columns_array[<int> TEXT_INDEX, :self.rows + 1],
            "in_head": self.flags_array[<int> IN_HEAD, :self.rows],
            "in_tree": self.flags_array[<int> IN_TREE, :self.elements],
            "classes": tuple(self.class_names),
            "ids": tuple(self.id_names),
            "roles": ("", *self.role_numbers),
            "foreign_names": tuple(self.foreign),
            "deepest": self.deepest,
            "seen": (self.seen_names, self.styles_display, self.raw_row, self.raw_size),
            "marks": self.marks,
            "declarations": (
                self.metas, self.links, self.facts, self.otherwise, self.fact_rows, self.described
            ),
        }


cdef bint read(TreeMarkup self, const Code* text, Py_ssize_t size, Table table) except -1:
    """Read markup into a table; return whether there was but one way to do it."""
    cdef Py_ssize_t place = 0, stop
    cdef Open* element
    while place < size:
        if max(table.rows, table.elements) + 2 >= table.row_room:  # one more than there are rows
            if table.nodes > table.max_nodes:
                return False
            table.make_room_for_rows(2 * table.row_room)
        if text[place] != c"<":
            if table.top == 0:
                return False
            stop = place
            while stop < size and (text[stop] == c" " or Py_UNICODE_ISSPACE(text[stop])):
                stop += 1
            if stop < size and text[stop] == c"<":  # as nearly all that is blank
                table.nodes += 1
                if not table.open_elements[table.top - 1].bits & (CODE | OUTSIDE):
                    table.gap = True
                place = stop
                continue
            stop = find(text, stop, size, <Code> c"<")
            read_text(text, place, stop, False, table)
            place = stop
        elif place + 2 >= size:
            return False
        elif text[place + 1] == c"/":  # the end of the innermost open element
            if table.top == 0:
                return False
            table.top -= 1
            element = &table.open_elements[table.top]
            place += 2
            stop = place + element.length
            if stop >= size or text[stop] != c">":
                return False
            if not is_same(text, place, element.name, element.length, size):
                return False
            if not element.bits & OUTSIDE:
                table.column[END][element.row] = table.rows
            place = stop + 1
        else:
            if text[place + 1] == c"!" or text[place + 1] == c"?":
                table.nodes += 1
                place = after_comment(text, place, size)
            else:
                place = read_start_tag(self, text, place + 1, size, table)
            if place < 0:
                return False
    return table.top == 0 and table.rows > 0


cdef inline bint is_same(
    const Code* text, Py_ssize_t one, Py_ssize_t other, Py_ssize_t length, Py_ssize_t size
) noexcept nogil:
    """Return whether the same characters stand at two places; the one comes after the other."""
    cdef uint64_t eight, other_eight
    if length < <Py_ssize_t> (8 // sizeof(Code)) and one + <Py_ssize_t> (8 // sizeof(Code)) <= size:
        memcpy(&eight, text + one, 8)
        memcpy(&other_eight, text + other, 8)
        return ((eight ^ other_eight) & MASKS[length * sizeof(Code)]) == 0
    return memcmp(text + one, text + other, length * sizeof(Code)) == 0


cdef int read_text(
    const Code* text, Py_ssize_t start, Py_ssize_t stop, bint is_raw, Table table
) except -1:
    """Read a text right below the innermost open element."""
    table.nodes += 1
    if table.open_elements[table.top - 1].bits & (CODE | OUTSIDE):
        return 0
    if is_blank(text, start, stop, is_raw):
        table.gap = True
        return 0
    table.add_text()
    if table.room - table.characters <= stop - start:  # a line break comes after it
        table.make_room(stop - start + 1)
    cdef Py_ssize_t plain_stop
    cdef Code character
    while start < stop:
        plain_stop = stop if is_raw else find(text, start, stop, <Code> c"&")
        add_characters(text + start, plain_stop - start, table)
        start = plain_stop
        if start < stop:
            start = after_escaped(text, start, stop, &character)
            add_characters(&character, 1, table)
    character = c"\n"
    add_characters(&character, 1, table)
    return 0


cdef inline void add_characters(const Code* text, Py_ssize_t size, Table table) noexcept:
    """Add characters to those of the open text; there is room for them."""
    cdef Py_ssize_t place = table.characters
    table.is_beyond |= classify(
        text, size, table.class_of, table.codes + place, table.classes_of_codes + place
    )
    table.characters = place + size


cdef bint is_blank(
    const Code* text, Py_ssize_t start, Py_ssize_t stop, bint is_raw
) noexcept:
    """Return whether a text is nothing but white space."""
    while start < stop:
        if Py_UNICODE_ISSPACE(text[start]):
            start += 1
        elif not is_raw and begins(text, start, stop, b"&nbsp;", 6):
            start += 6
        else:
            return False
    return True


cdef object as_it_was(const Code* text, Py_ssize_t start, Py_ssize_t stop, bint is_raw):
    """Return characters as they were before they were written as markup."""
    if is_raw or find(text, start, stop, <Code> c"&") == stop:
        return PyUnicode_FromKindAndData(sizeof(Code), text + start, stop - start)
    cdef Code* plain = <Code*> PyMem_Malloc((stop - start) * sizeof(Code))
    cdef Py_ssize_t size = 0
    if not plain:
        raise MemoryError
    while start < stop:
        if text[start] == c"&":
            start = after_escaped(text, start, stop, plain + size)
        else:
            plain[size] = text[start]
            start += 1
        size += 1
    try:
        return PyUnicode_FromKindAndData(sizeof(Code), plain, size)
    finally:
        PyMem_Free(plain)


cdef Py_ssize_t after_escaped(
    const Code* text, Py_ssize_t start, Py_ssize_t stop, Code* plain
) noexcept nogil:
    """Tell which character a reference stands for, and return what comes after it."""
    plain[0] = text[start]
    if begins(text, start, stop, b"&amp;", 5):
        return start + 5
    if begins(text, start, stop, b"&lt;", 4):
        plain[0] = c"<"
        return start + 4
    if begins(text, start, stop, b"&gt;", 4):
        plain[0] = c">"
        return start + 4
    if begins(text, start, stop, b"&quot;", 6):
        plain[0] = c'"'
        return start + 6
    if begins(text, start, stop, b"&nbsp;", 6):
        plain[0] = 0xA0
        return start + 6
    return start + 1  # the parser writes no such thing


cdef Py_ssize_t after_comment(const Code* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Return what comes after a comment or a declaration; -1 where it is none that we know."""
    if begins(text, place, size, b"<!--", 4):
        place += 4
        while True:
            place = find(text, place, size, <Code> c">") + 1
            if place > size:
                return -1
            if text[place - 2] == c"-" and text[place - 3] == c"-":
                return place
    if text[place + 1] == c"?" or begins(text, place, size, b"<!DOCTYPE", 9):
        return find(text, place, size, <Code> c">") + 1
    return -1


cdef Py_ssize_t read_start_tag(
    TreeMarkup self, const Code* text, Py_ssize_t place, Py_ssize_t size, Table table
) except -2:
    """Read a start tag, and all of an element without others in it; return what comes next.

    -1 where there is more than one way to read it.
    """
    if table.top == table.open_room:
        table.make_room_for_open()
    cdef Open* element = &table.open_elements[table.top]
    cdef Open* parent
    cdef Name name
    cdef Py_ssize_t known_name, stop = place
    cdef uint16_t meaning = 0
    cdef int32_t number = -1
    while stop < size and text[stop] != c">" and text[stop] != c" ":
        stop += 1
    element.name, element.length = place, stop - place
    known_name = find_name(self, text + place, element.length)
    if known_name >= 0:
        meaning, number = self.bits_of_name[known_name], self.number_of_name[known_name]
    if number < 0:
        number = foreign_number(self, text, place, stop, table.foreign)
    element.bits, element.row, element.depth = 0, -1, 0
    if table.top > 0:
        parent = &table.open_elements[table.top - 1]
        element.bits, element.row = parent.bits & INHERITED, parent.row
        element.depth = parent.depth + 1
        if element.bits & FOREIGN and meaning & (VOID | TEMPLATE | BROKEN):
            return -1
    elif table.elements > 0:
        return -1
    if meaning & UNREADABLE:
        return -1
    table.is_described = False
    place = read_attributes(self, text, stop, size, meaning & UNREAD != 0, &name, table)
    if place < 0:
        return -1
    if meaning & META:
        table.add_meta(
            value_of(text, stop, place, b"name", 4),
            value_of(text, stop, place, b"property", 8),
            value_of(text, stop, place, b"content", 7),
            value_of(text, stop, place, b"itemprop", 8),
            value_of(text, stop, place, b"http-equiv", 10),
        )
    elif meaning & RELATED:
        table.links.append((
            value_of(text, stop, place, b"rel", 3), value_of(text, stop, place, b"href", 4)
        ))
    cdef str kind = value_of(text, stop, place, b"type", 4).lower() if meaning & SCRIPT else ""
    cdef bint has_facts = kind == "application/ld+json"
    if has_facts and element.bits & FOREIGN:
        return -1
    element.bits |= meaning & INHERITED
    table.nodes += 1
    table.add_element(number, min(number, self.foreign), name, element)
    if table.is_described and not element.bits & OUTSIDE:
        table.described.append((element.row, values_in(text, stop, place)))
    if "ld+json" in kind and not element.bits & OUTSIDE:
        table.fact_rows.append((element.row, len(table.facts) if has_facts else -1))
    if meaning & VOID:
        return place
    if meaning & TEMPLATE:
        table.nodes += 1
        element.bits |= CODE | OUTSIDE
    if meaning & BROKEN and place < size and text[place] == c"\n":
        place += 1
    table.top += 1
    if meaning & RAW:
        if element.bits & FOREIGN and not element.bits & CODE:
            return -1
        stop = end_of_raw(text, place, size, element[0])
        if stop > place:
            read_text(text, place, stop, True, table)
        if stop >= 0 and not element.bits & FOREIGN and is_mark(text, place, stop):
            table.marks += 1
        if stop >= 0 and has_facts:
            table.facts.append(as_it_was(text, place, stop, True))
        if stop >= 0 and not element.bits & OUTSIDE:
            table.raw_row = element.row
            table.raw_size = stop - place if has_end_tag(text, place, stop) else 0
        return stop
    return place


cdef Py_ssize_t find_name(TreeMarkup self, const Code* name, Py_ssize_t length) noexcept:
    """Return the place of a name among those of the tags; -1 where it is none of them."""
    cdef const uint8_t* letters = self.letters
    cdef Py_ssize_t slot = slot_of(name, length), number, place, first
    while True:
        number = self.name_in_slot[slot]
        if number < 0:
            return -1
        first = self.first_letter[number]
        if self.first_letter[number + 1] - first == length:
            place = 0
            while place < length and letters[first + place] == name[place]:
                place += 1
            if place == length:
                return number
        slot = (slot + 1) & (SLOTS - 1)


cdef int32_t foreign_number(
    TreeMarkup self, const Code* text, Py_ssize_t start, Py_ssize_t stop, dict foreign
) except -1:
    """Return the number of a tag that only this page has, a new one if it is new."""
    name = PyUnicode_FromKindAndData(sizeof(Code), text + start, stop - start)
    cdef PyObject* listed = PyDict_GetItem(foreign, name)
    if listed is not NULL:
        return <object> listed
    cdef int32_t number = self.foreign + len(foreign)
    foreign[name] = number
    return number


cdef Py_ssize_t read_attributes(
    TreeMarkup self,
    const Code* text,
    Py_ssize_t place,
    Py_ssize_t size,
    bint is_unread,
    Name* name,
    Table table,
) except -2:
    """Read the attributes of a start tag; return what comes after it, -1 where that is unclear."""
    cdef Py_ssize_t start, equals, value, stop, role = -1, role_stop = 0
    cdef bint is_modal = False
    cdef Slice* slot
    name.class_number = name.id_number = name.role_number = 0
    while place < size and text[place] == c" ":
        start = place + 1
        equals = start + 1  # a name may begin with one
        while equals < size and text[equals] != c"=":
            equals += 1
        value = equals + 2
        if value >= size or text[equals + 1] != c'"':
            return -1
        stop = find(text, value, size, <Code> c'"')
        if is_name(text, start, equals, b"class", 5):
            name.class_number = numbered(table.classes, text, value, stop, table.class_names)
        elif is_name(text, start, equals, b"id", 2):
            name.id_number = numbered(table.ids, text, value, stop, table.id_names)
        elif is_name(text, start, equals, b"style", 5):
            table.styles_display = table.styles_display or says_display(text, value, stop)
        elif is_name(text, start, equals, b"role", 4):
            role, role_stop = value, stop
        elif is_name(text, start, equals, b"data-nosnippet", 14):
            is_unread = True
        elif is_name(text, start, equals, b"aria-modal", 10):
            is_modal = is_name(text, value, stop, b"true", 4)
        else:
            watch(self, text, start, equals, stop, table)
        place = stop + 1
    if place >= size or text[place] != c">":
        return -1
    if is_unread:
        name.role_number = table.number_role(self.unread)
    elif is_modal:
        name.role_number = table.number_role(self.modal)
    elif role >= 0:
        slot = find_slice(table.roles, text, role, role_stop - role)
        if slot.number < 0:
            words = as_it_was(text, role, role_stop, False).lower().split()
            slot.number = table.number_role(words[0] if words else "")
            table.roles.count += 1
        name.role_number = slot.number
    return place + 1


cdef dict values_in(const Code* text, Py_ssize_t place, Py_ssize_t size):
    """Return the attributes of a start tag that was read before."""
    cdef Py_ssize_t start, equals, stop
    cdef dict values = {}
    while place < size and text[place] == c" ":
        start = place + 1
        equals = find(text, start + 1, size, <Code> c"=")
        stop = find(text, equals + 2, size, <Code> c'"')
        name = PyUnicode_FromKindAndData(sizeof(Code), text + start, equals - start)
        values[name] = as_it_was(text, equals + 2, stop, False)
        place = stop + 1
    return values


cdef str value_of(
    const Code* text, Py_ssize_t place, Py_ssize_t size, const char* wanted, Py_ssize_t length
):
    """Return the value of an attribute of a start tag that was read before; '' where it has none."""
    cdef Py_ssize_t start, equals, stop
    while place < size and text[place] == c" ":
        start = place + 1
        equals = find(text, start + 1, size, <Code> c"=")
        stop = find(text, equals + 2, size, <Code> c'"')
        if is_name(text, start, equals, wanted, length):
            return as_it_was(text, equals + 2, stop, False)
        place = stop + 1
    return ""


cdef bint says_display(const Code* text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return whether the style of an element says how it is displayed, in letters of either case."""
    cdef const char* name = b"display"
    cdef Py_ssize_t i
    for start in range(start, stop - 6):
        i = 0
        while i < 7 and text[start + i] | 32 == <Code> name[i]:
            i += 1
        if i == 7:
            return True
    return False


cdef void watch(
    TreeMarkup self,
    const Code* text,
    Py_ssize_t start,
    Py_ssize_t equals,
    Py_ssize_t stop,
    Table table,
) noexcept:
    """Note that there is an attribute of a name, if that is one of those that somebody may ask for.

    After some names come an equals sign and small letters, which the value has to have as well.
    """
    cdef Py_ssize_t watched, place, first, length = equals - start, more
    cdef const uint8_t* letters = self.watched_letters
    for watched in range(self.watched.shape[0] - 1):
        first = self.watched[watched]
        more = self.watched[watched + 1] - first - length  # an equals sign and letters of a value
        if more < 0 or letters[first] != text[start] or (more and letters[first + length] != c"="):
            continue
        place = 1
        while place < length and letters[first + place] == text[start + place]:
            place += 1
        if place < length:
            continue
        if not more or may_have(text, equals + 2, stop, letters + first + length + 1, more - 1):
            table.seen |= <uint32_t> 1 << watched
            table.is_described |= watched < DESCRIBING


cdef bint may_have(
    const Code* text, Py_ssize_t start, Py_ssize_t stop, const uint8_t* letters, Py_ssize_t count
) noexcept nogil:
    """Return whether a value has some small letters, capitals or not, or may stand for another one.

    A number between two signs may: values are left out that way before a page is parsed.
    """
    cdef Py_ssize_t place, i
    for place in range(start, stop - count + 1):
        i = 0
        while i < count and text[place + i] | 32 == <Code> letters[i]:
            i += 1
        if i == count:
            return True
    if stop - start < 3 or text[start] != text[stop - 1]:
        return False
    for place in range(start + 1, stop - 1):
        if not c"0" <= text[place] <= c"9":
            return False
    return True


cdef int32_t numbered(
    Slices table, const Code* text, Py_ssize_t start, Py_ssize_t stop, list names
) except -1:
    """Return the number of a value, a new one if it is new."""
    cdef Slice* slot = find_slice(table, text, start, stop - start)
    if slot.number < 0:
        names.append(as_it_was(text, start, stop, False))
        slot.number = len(names) - 1
        table.count += 1
    return slot.number


cdef Py_ssize_t end_of_raw(
    const Code* text, Py_ssize_t start, Py_ssize_t size, Open element
) noexcept nogil:
    """Return where the end tag of an element begins that has nothing but text in it; -1 if unclear.

    In SVG the same name may be an element that has others in it.
    """
    cdef Py_ssize_t place = start, length = element.length
    cdef bint is_script = is_name(text, element.name, element.name + length, b"script", 6)
    while True:
        place = find(text, place, size, <Code> c"<")
        if place + length + 3 > size:
            return -1
        if text[place + 1] == c"/" and text[place + 2 + length] == c">":
            if not memcmp(text + place + 2, text + element.name, length * sizeof(Code)):
                return place
        if element.bits & FOREIGN:
            return -1
        if is_script and begins(text, place, size, b"<!--", 4):
            place = after_escape(text, place + 2, size)
            if place < 0:
                return -1
        else:
            place += 1


cdef Py_ssize_t after_escape(const Code* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Return where a comment in a script ends, or the script in it; -1 where neither ever does.

    In such a comment another script may begin and end, and then it is not the end of the first one:
    the states "script data escaped" and "double escaped" of the HTML standard.
    """
    cdef bint is_double = False
    while place < size:
        if text[place] == c">":
            if text[place - 1] == c"-" and text[place - 2] == c"-":
                return place + 1
        elif text[place] == c"<" and not is_double and is_script_tag(text, place + 1, size):
            is_double = True
        elif text[place] == c"<" and begins(text, place, size, b"</", 2):
            if is_script_tag(text, place + 2, size):
                if not is_double:
                    return place
                is_double = False
        place += 1
    return -1


cdef bint is_script_tag(const Code* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Return whether the name of a tag is that of scripts, in letters of either case."""
    cdef const char* name = b"script"
    cdef const char* after = b" \t\n\f/>"
    cdef Py_ssize_t i
    if place + 6 >= size:
        return False
    for i in range(6):
        if (text[place + i] | 32) != <Code> name[i]:
            return False
    for i in range(6):
        if text[place + 6] == <Code> after[i]:
            return True
    return False


cdef bint is_mark(const Code* text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return whether a text is nothing but a number that `joeira._native.raw_texts` has written."""
    if stop - start < 3 or text[start] != 1 or text[stop - 1] != 1:
        return False
    for start in range(start + 1, stop - 1):
        if not c"0" <= text[start] <= c"9":
            return False
    return True


include "nesting.pxi"
include "adoption.pxi"
include "source.pxi"
include "source_tags.pxi"
