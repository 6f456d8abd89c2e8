# What stands in the tags of a page, for those who ask after it was read; a part of tree_markup.pyx.

cdef class SourceTags:
    """The tags of a page, for those who ask later what stands in them."""

    cdef str source
    cdef int kind
    cdef void* data
    cdef Py_ssize_t size
    cdef list raws
    cdef dict raw_of_row
    cdef set going_on
    cdef object places_array
    cdef tuple describing
    cdef const int32_t[::1] described_places
    cdef int32_t* places
    cdef int32_t* stops
    cdef Py_ssize_t rows
    cdef dict of_several  # the attributes of elements with several tags, by row

    def __init__(self, str source, Table table, list raws, tuple describing):
        """Keep the source, where the attributes of each row stand in it, and raw texts.

        The last are names of attributes, and where those of tags begin that have one of them.
        """
        self.source, self.raws = source, raws
        self.kind, self.data = PyUnicode_KIND(source), PyUnicode_DATA(source)
        self.size = PyUnicode_GET_LENGTH(source)
        self.rows = table.rows
        self.describing, self.described_places = describing
        self.places_array = table.columns_array[<int> PLACE :, :table.rows].copy()
        cdef int32_t[:, ::1] places = self.places_array
        self.places, self.stops = &places[0, 0], &places[1, 0]
        self.of_several = {row: self.joined_values(tags) for row, tags in table.several.items()}

    cdef dict joined_values(self, list places):
        """Return the attributes of an element with several tags: of each name the first."""
        cdef dict values = {}
        for place in places:
            for name, value in self.all_values(place).items():
                values.setdefault(name, value)
        return values

    def knows(self, Py_ssize_t row):
        """Return whether tags of HTML are all that is said of an element."""
        return 0 <= row < self.rows and self.places[row] >= SEVERAL_TAGS

    def value(self, Py_ssize_t row, str name):
        """Return the value of an attribute of an element; None if it has none.

        Of an element that is not known it is one that SVG writes like HTML.
        """
        if not 0 <= row < self.rows:
            raise IndexError("no such row")
        return self.value_of(row, name.encode())

    def values(self, Py_ssize_t row):
        """Return the attributes of an element that is known."""
        if not self.knows(row):
            raise IndexError("no tag that is known")
        if self.places[row] == SEVERAL_TAGS:
            return {**self.of_several[row]}
        return self.all_values(self.places[row])

    cdef dict all_values(self, Py_ssize_t place):
        """Return the attributes of the tag in which they begin at a place."""
        if place < 0:
            return {}
        if self.kind == 1:
            return values_at(<const uint8_t*> self.data, place, self.size)
        if self.kind == 2:
            return values_at(<const uint16_t*> self.data, place, self.size)
        return values_at(<const uint32_t*> self.data, place, self.size)

    cdef Py_ssize_t place_of(self, Py_ssize_t row) noexcept:
        """Return where the attributes of an element stand, be it of HTML or SVG."""
        cdef Py_ssize_t place = self.places[row]
        return FOREIGN_TAGS - place if place <= FOREIGN_TAGS else place

    def values_of(self, list rows, str name):
        """Return the values of an attribute of elements, None where it is missing; None if unsure."""
        cdef bytes letters = name.encode()
        cdef Py_ssize_t row
        cdef list values = []
        for row in rows:
            if not self.knows(row):
                return None
            values.append(self.value_of(row, letters))
        return values

    cdef str value_of(self, Py_ssize_t row, bytes letters):
        """Return an attribute of an element; None if it has none."""
        cdef Py_ssize_t place = self.place_of(row)
        if place == SEVERAL_TAGS:
            return self.of_several[row].get(letters.decode())
        if place < 0:
            return None
        if self.kind == 1:
            return value_at(<const uint8_t*> self.data, place, self.size, letters, 0)
        if self.kind == 2:
            return value_at(<const uint16_t*> self.data, place, self.size, letters, 0)
        return value_at(<const uint32_t*> self.data, place, self.size, letters, 0)

    def having(self, str name, str sign=""):
        """Return the rows that have an attribute, and its values: one that SVG writes like HTML.

        Only of values that may contain a character, if one is given.
        """
        cdef bytes letters = name.encode()
        cdef uint32_t wanted = ord(sign) if sign else 0
        cdef Py_ssize_t row, place
        cdef list rows = [], values = []
        for row in range(self.rows):
            place = self.places[row]
            if place == NO_TAG:
                continue
            if place <= FOREIGN_TAGS:
                place = FOREIGN_TAGS - place
            if place == SEVERAL_TAGS:
                value = self.of_several[row].get(name)
                value = None if value is None or sign not in value else value
            elif self.kind == 1:
                value = value_at(<const uint8_t*> self.data, place, self.size, letters, wanted)
            elif self.kind == 2:
                value = value_at(<const uint16_t*> self.data, place, self.size, letters, wanted)
            else:
                value = value_at(<const uint32_t*> self.data, place, self.size, letters, wanted)
            if value is not None:
                rows.append(row)
                values.append(value)
        return rows, values

    cdef list described(self):
        """Return what has one of the attributes that describe things, as `having_any` does."""
        cdef Py_ssize_t row, low, high, middle
        cdef int32_t place
        cdef list rows = []
        for row in range(self.rows if len(self.described_places) else 0):
            place = self.places[row]
            if place == NO_TAG:
                continue
            if place == SEVERAL_TAGS:
                if not self.of_several[row].keys().isdisjoint(self.describing):
                    rows.append((row, self.values(row)))
                continue
            if place < 0:
                place = FOREIGN_TAGS - place
            low, high = 0, self.described_places.shape[0]
            while low < high:  # they are in order; an element that is opened again has the same tag
                middle = (low + high) // 2
                if self.described_places[middle] < place:
                    low = middle + 1
                else:
                    high = middle
            if low < self.described_places.shape[0] and self.described_places[low] == place:
                if self.places[row] < 0:
                    return None
                rows.append((row, self.all_values(place)))
        return rows

    def having_any(self, tuple names):
        """Return the rows that have one of some attributes, and all that they have.

        None if one of these rows is not known.
        """
        cdef Py_ssize_t row, place
        cdef list rows = []
        cdef list encoded = [name.encode() for name in names]
        cdef bytes letters = b"".join(encoded), lengths = bytes(map(len, encoded))
        cdef bint is_one
        if names == self.describing:
            return self.described()
        for row in range(self.rows):
            place = self.places[row]
            if place == NO_TAG:
                continue
            if place <= FOREIGN_TAGS:
                place = FOREIGN_TAGS - place
            if place == SEVERAL_TAGS:
                is_one = not self.of_several[row].keys().isdisjoint(names)
            elif self.kind == 1:
                is_one = has_any(<const uint8_t*> self.data, place, self.size, letters, lengths)
            elif self.kind == 2:
                is_one = has_any(<const uint16_t*> self.data, place, self.size, letters, lengths)
            else:
                is_one = has_any(<const uint32_t*> self.data, place, self.size, letters, lengths)
            if is_one:
                if not self.knows(row):
                    return None
                rows.append((row, self.values(row)))
        return rows

    def raw_texts(self, int32_t number):
        """Return the texts of all elements of a tag with nothing else in them; None if one may have."""
        cdef list texts = []
        for tag, row, start, stop in self.raws:
            if tag == number:
                text = self.inner_text(row, ELEMENTS) if start < 0 else self.slice(start, stop)
                if text is None:
                    return None
                texts.append(text)
        return texts

    cdef str slice(self, Py_ssize_t start, Py_ssize_t stop):
        cdef str text = self.source[start:stop]
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    @cython.critical_section  # of a page that several threads ask, where there is no global lock
    def inner_text(self, Py_ssize_t row, int content):
        """Return all characters below an element; None where a tree has to be asked.

        Its content is elements (0), the same but for a line break at the beginning (1), or it is a
        title (2).
        """
        if not 0 <= row < self.rows:
            return None
        cdef Py_ssize_t place = self.places[row], stop = self.stops[row]
        if place <= FOREIGN_TAGS:
            place, content = FOREIGN_TAGS - place, ELEMENTS
        if place < 0:
            return None
        if row in self.rows_of_raws():
            start, stop = self.raw_of_row[row]
            return self.slice(start, stop)
        if stop == NO_STOP:
            return ""
        if content == TITLE_TEXT:
            stop = self.size
        elif stop == ELSEWHERE:
            return None
        if self.kind == 1:
            return text_below(<const uint8_t*> self.data, place, stop, content)
        if self.kind == 2:
            return text_below(<const uint16_t*> self.data, place, stop, content)
        return text_below(<const uint32_t*> self.data, place, stop, content)

    @cython.critical_section
    def below(self, Py_ssize_t row, const int32_t[::1] tag, const uint8_t[::1] kinds):
        """Return what is below an element, in order; None where a tree has to be asked.

        An element is True where it begins and False where it ends, a text is its characters. Of
        elements whose content is no text of the page there is nothing else.

        Args:
            row: The element.
            tag: Per row.
            kinds: Per tag, not of foreign ones: 1 if the content of such elements is no text, 2 if a
                line break at its beginning is none of it.
        """
        if not 0 <= row < self.rows or self.places[row] < 0 or tag.shape[0] != self.rows:
            return None
        if row in self.rows_that_go_on():
            return None
        cdef Below found = Below(self, tag, kinds)
        if self.kind == 1:
            read_below(found, <const uint8_t*> self.data, row)
        elif self.kind == 2:
            read_below(found, <const uint16_t*> self.data, row)
        else:
            read_below(found, <const uint32_t*> self.data, row)
        return found.tokens if found.is_sure else None

    cdef set rows_that_go_on(self):
        """Return the elements that go on after another has ended: their tag is not where they begin."""
        cdef Py_ssize_t row
        cdef int32_t greatest = -1
        if self.going_on is None:
            self.going_on = set()
            for row in range(self.rows):
                if self.places[row] > greatest:
                    greatest = self.places[row]
                elif self.places[row] >= 0:
                    self.going_on.add(row)
        return self.going_on

    cdef dict rows_of_raws(self):
        """Return where the texts begin and end that elements have nothing else in, by row."""
        if self.raw_of_row is None:
            raws = [raw for raw in self.raws if raw[2] >= 0]
            self.raw_of_row = {raw_row: (start, stop) for _, raw_row, start, stop in raws}
        return self.raw_of_row


cdef enum:  # what the content of an element is
    NOT_TEXT = 1
    VERBATIM_TEXT = 2  # without a line break that it begins with


cdef class Below:
    """Reads what is below an element."""

    cdef SourceTags tags
    cdef const int32_t[::1] tag
    cdef const uint8_t[::1] kinds
    cdef list tokens, opened  # the rows of open elements
    cdef Py_ssize_t row  # the last that was come to
    cdef bint is_sure

    def __init__(self, SourceTags tags, const int32_t[::1] tag, const uint8_t[::1] kinds):
        self.tags, self.tag, self.kinds = tags, tag, kinds
        self.tokens, self.opened, self.is_sure = [], [], False

    cdef bint is_beyond(self, Py_ssize_t size) noexcept:
        """Return whether the next row is not below, as far as can be told: its tag is further on."""
        cdef Py_ssize_t row = self.row + 1
        if row == self.tags.rows or self.tags.places[row] == NO_TAG:  # as texts have none
            return True
        return self.place_of(row) >= size

    cdef uint8_t kind_of(self, Py_ssize_t row) noexcept:
        cdef int32_t tag = self.tag[row]
        return self.kinds[tag] if 0 <= tag < self.kinds.shape[0] else 0

    cdef Py_ssize_t place_of(self, Py_ssize_t row) noexcept:
        """Return where the attributes of an element stand."""
        return self.tags.place_of(row)

    cdef Py_ssize_t close(self, Py_ssize_t place) except -1:
        """Close the elements that end where a tag begins; return how many."""
        cdef Py_ssize_t count = 0
        while self.opened and self.tags.stops[<Py_ssize_t> self.opened[len(self.opened) - 1]] == place:
            self.opened.pop()
            self.tokens.append(False)
            count += 1
        return count


cdef int read_below(Below self, const Code* text, Py_ssize_t row) except -1:
    """Read from the tag of an element to its end; it is sure if all is as the table has it."""
    cdef Py_ssize_t size = self.tags.stops[row], place = self.tags.places[row], start
    if not place < size <= self.tags.size:
        return 0
    self.row = row
    place = after_attributes(text, place, size)
    if self.kind_of(row) & VERBATIM_TEXT:
        place = after_break(text, place, size)
    while 0 <= place < size:
        start = place
        if text[place] != c"<" or place + 1 == size or not is_of_tag(text[place + 1]):
            place = read_text_below(self, text, place, size)
        elif begins(text, place, size, b"<!--", 4):
            place = end_of_comment(text, place + 4, size)
        elif is_letter(text[place + 1]):
            self.close(start)
            place = read_start_below(self, text, place + 1, size)
        elif text[place + 1] == c"/" and self.close(start):
            place = after_end_tag(text, place, size)
        else:
            return 0  # what closes nothing parts no text
    self.close(size)
    self.is_sure = place == size and not self.opened and self.is_beyond(size)
    return 0


cdef Py_ssize_t read_text_below(Below self, const Code* text, Py_ssize_t place, Py_ssize_t size) except -2:
    """Read a text; return what comes next, -1 where the table has none."""
    cdef Py_ssize_t start = place
    while place < size and (
        text[place] != c"<" or place + 1 == size or not is_of_tag(text[place + 1])
    ):
        place = find(text, place + 1, size, <Code> c"<")
    cdef str characters = decoded(text, start, place, False)
    if not characters.isspace():
        self.row += 1
        if self.row >= self.tags.rows or self.tag[self.row] != 0:
            return -1
    self.tokens.append(characters)
    return place


cdef Py_ssize_t read_start_below(Below self, const Code* text, Py_ssize_t name, Py_ssize_t size) except -2:
    """Read the tag that an element begins with; return what comes next, -1 where unsure."""
    cdef Py_ssize_t place = name, stop, start
    cdef uint8_t kind
    while place < size and not (text[place] == c">" or text[place] == c"/" or is_html_space(text[place])):
        place += 1
    while True:
        self.row += 1
        if self.row >= self.tags.rows or self.tag[self.row] == 0:
            return -1
        self.tokens.append(True)
        if self.tags.places[self.row] != NO_TAG:
            break
        self.opened.append(self.row)  # the page leaves its tag out
    if self.place_of(self.row) != place:
        return -1
    start, kind, stop = self.row, self.kind_of(self.row), self.tags.stops[self.row]
    place = after_attributes(text, place, size)
    if stop == NO_STOP:
        self.tokens.append(False)
        return place
    if start in self.tags.rows_of_raws():
        if not kind & NOT_TEXT:
            return -1
        self.tokens.append(False)
        stop = self.tags.raw_of_row[start][1]
        return after_end_tag(text, stop, size)
    if stop < place:
        return -1
    self.opened.append(start)
    if kind & NOT_TEXT:
        while self.row + 1 < self.tags.rows and self.tag[self.row + 1] != 0:
            if not 0 <= self.place_of(self.row + 1) < stop or self.row + 1 in self.tags.going_on:
                break
            self.row += 1
        return stop
    return after_break(text, place, size) if kind & VERBATIM_TEXT else place


cdef bint is_of_tag(uint32_t code) noexcept nogil:
    """Return whether a sign that opens a tag is none of the text before such a character."""
    return is_letter(code) or code == c"/" or code == c"!" or code == c"?"


cdef Py_ssize_t after_break(const Code* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Return what comes after a line break at the beginning of an element, which is none of its text."""
    if 0 <= place < size and text[place] == c"\r":
        place += 1
    if 0 <= place < size and text[place] == c"\n":
        place += 1
    return place


cdef Py_ssize_t after_attributes(const Code* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Return what comes after the attributes of a tag; -1 where it never ends."""
    cdef Attribute found
    while True:
        place = next_attribute(text, place, size, &found)
        if place < 0 or found.name_stop == found.name:
            return place


cdef enum:  # what the text of an element is made of
    ELEMENTS
    AFTER_BREAK
    TITLE_TEXT


cdef str text_below(const Code* text, Py_ssize_t place, Py_ssize_t size, int content):
    """Return the characters between tags; None where there is more than tags of plain elements."""
    cdef Py_ssize_t stop
    cdef list pieces = []
    place = after_attributes(text, place, size)
    if place < 0:
        return None
    if content == TITLE_TEXT:
        stop = find(text, place, size, <Code> c"<")
        if stop + 1 >= size or text[stop + 1] != c"/" or not is_named(text, stop + 2, size, b"title", 5):
            return None
        size = stop
    elif content == AFTER_BREAK:
        place = after_break(text, place, size)
    while place < size:
        stop = find(text, place, size, <Code> c"<")
        if stop > place:
            pieces.append(decoded(text, place, stop, False))
        if stop == size:
            break
        place = stop + 1
        if place < size and text[place] == c"/":
            place += 1
        if place >= size or not is_letter(text[place]) or not is_plain_tag(text, place, size):
            return None
        while place < size and not (text[place] == c">" or text[place] == c"/" or is_html_space(text[place])):
            place += 1
        place = after_attributes(text, place, size)
        if place < 0:
            return None
    return "".join(pieces)


cdef bint is_plain_tag(const Code* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Return whether a tag is one of those that are usual in listings."""
    if is_named(text, place, size, b"span", 4) or is_named(text, place, size, b"code", 4):
        return True
    if is_named(text, place, size, b"div", 3) or is_named(text, place, size, b"em", 2):
        return True
    if is_named(text, place, size, b"a", 1) or is_named(text, place, size, b"b", 1):
        return True
    if is_named(text, place, size, b"i", 1) or is_named(text, place, size, b"strong", 6):
        return True
    return is_named(text, place, size, b"ins", 3) or is_named(text, place, size, b"var", 3)


cdef bint is_named(
    const Code* text, Py_ssize_t place, Py_ssize_t size, const char* name, Py_ssize_t length
) noexcept nogil:
    """Return whether the name of a tag is this one, in letters of either case."""
    if place + length >= size or not is_word(text, place, size, name, length):
        return False
    place += length
    return text[place] == c">" or text[place] == c"/" or is_html_space(text[place])


cdef str value_at(const Code* text, Py_ssize_t place, Py_ssize_t size, bytes name, uint32_t sign):
    """Return the value of an attribute; None where there is none, or the sign is not in it.

    The sign is 0 if none is wanted. A name may stand for it, so that it may be in any value with one.
    """
    cdef Attribute found
    cdef const char* letters = name
    cdef Py_ssize_t length = len(name)
    while place < size:
        place = next_attribute(text, place, size, &found)
        if place < 0 or found.name_stop == found.name:
            break
        if found.name_stop - found.name == length and is_word(text, found.name, found.name_stop, letters, length):
            if sign and not has_sign(text, found.value, found.value_stop, sign):
                return None
            return decoded(text, found.value, found.value_stop, True)
    return None


cdef bint has_any(
    const Code* text, Py_ssize_t place, Py_ssize_t size, bytes names, bytes lengths
) noexcept:
    """Return whether a tag has one of some attributes, whose names stand one after the other."""
    cdef Attribute found
    cdef const char* letters = names
    cdef const uint8_t* length_of = lengths
    cdef Py_ssize_t first, length, number, count = len(lengths)
    while place < size:
        place = next_attribute(text, place, size, &found)
        if place < 0 or found.name_stop == found.name:
            break
        first = 0
        for number in range(count):
            length = length_of[number]
            if found.name_stop - found.name == length and is_word(
                text, found.name, found.name_stop, letters + first, length
            ):
                return True
            first += length
    return False


cdef bint has_sign(const Code* text, Py_ssize_t place, Py_ssize_t stop, uint32_t sign) noexcept nogil:
    """Return whether a character, or a reference to one, is among some."""
    while place < stop and text[place] != sign and text[place] != c"&":
        place += 1
    return place < stop


cdef dict values_at(const Code* text, Py_ssize_t place, Py_ssize_t size):
    cdef Attribute found
    cdef dict values = {}
    while place < size:
        place = next_attribute(text, place, size, &found)
        if place < 0 or found.name_stop == found.name:
            break
        name = PyUnicode_FromKindAndData(sizeof(Code), text + found.name, found.name_stop - found.name)
        if has_capital(text, found.name, found.name_stop):
            name = name.translate(_LOWER)
        if name not in values:
            values[name] = decoded(text, found.value, found.value_stop, True)
    return values


cdef bint has_capital(const Code* text, Py_ssize_t place, Py_ssize_t stop) noexcept nogil:
    while place < stop and not c"A" <= text[place] <= c"Z":
        place += 1
    return place < stop


cdef object are_same(const Code* text, Py_ssize_t one, Py_ssize_t other, Py_ssize_t size):
    """Return whether two tags have the same attributes; None if those of one are long."""
    cdef Py_ssize_t length = after_attributes(text, one, min(size, one + MOST_COMPARED_CHARS)) - one
    cdef Py_ssize_t other_length = after_attributes(text, other, min(size, other + MOST_COMPARED_CHARS)) - other
    if length < 0 or other_length < 0:
        return None
    if length == other_length and not memcmp(text + one, text + other, length * sizeof(Code)):
        return True
    return values_at(text, one, size) == values_at(text, other, size)


_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
