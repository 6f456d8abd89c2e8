"""Kernels of `joeira.page.rules` and `joeira.page.blocks`: what of style sheets is worth reading.

Most rules are for other pages of the site. They are passed over here, where the text is read once,
letter by letter, with the same tokens as in `joeira.page.css`. Rules are left out only where it is
certain that the reference would make nothing of them; what is unusual stays, and is its to judge.
"""

import os

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memchr

cdef extern from *:
    """
    /* As in regular expressions. */
    static inline int joeira_is_space(Py_UCS4 letter) {
        return letter > 32 && letter < 127 ? 0 : Py_UNICODE_ISSPACE(letter);
    }
    static inline int joeira_is_alnum(Py_UCS4 letter) {
        return Py_UNICODE_ISALNUM(letter);
    }
    """
    bint is_space "joeira_is_space"(Py_UCS4 letter) noexcept nogil
    bint is_alnum "joeira_is_alnum"(Py_UCS4 letter) noexcept nogil
    int PyUnicode_KIND(object text)
    const void* PyUnicode_DATA(object text)

ctypedef fused Letter:
    uint8_t
    uint16_t
    uint32_t

cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")
"""Where names fall in tables, so that no page makes them all fall together. No answer shows it."""

cdef enum:
    ASCII = 128
    MOST_STATES = 21  # at the end of a selector, as `hiding._Reader` counts them
    MAX_BRACKETS = 20  # `css.MAX_NESTING`

cdef enum:  # what there is between two braces
    COMMENT = 1
    STRING = 2
    ADDRESS = 4
    ESCAPE = 8

cdef enum:  # what a prelude begins
    RULE  # or what is not sure
    CONDITION  # that says nothing but whether the rules in it apply
    LAYER
    NO_RULES  # of elements, such as the steps of an animation

cdef uint8_t[ASCII] IS_MARK, IS_WORD
for _letter in range(ASCII):
    IS_MARK[_letter] = chr(_letter) in "{}()\"'/\\"
    IS_WORD[_letter] = chr(_letter).isalnum() or chr(_letter) in "_-"


cdef inline bint is_word(uint32_t letter) noexcept nogil:
    """Return whether names may have a character."""
    return IS_WORD[letter] if letter < ASCII else is_alnum(letter)


# Names --------------------------------------------------------------------------------------------


cdef class Names:
    """A set of names that is asked about parts of a text."""

    cdef uint32_t* letters  # all names, one after another
    cdef Py_ssize_t* stop  # where each ends
    cdef uint32_t* place  # one more than the number of the name that falls there; 0: none
    cdef uint64_t mask
    cdef Py_ssize_t count

    def __cinit__(self, names):
        cdef list texts = list(names)
        cdef Py_ssize_t count = len(texts), number, letter, total = 0
        cdef str text
        for text in texts:
            if text is None:
                raise TypeError("a name that is none")
            total += len(text)
        self.count = count
        if count >= 1 << 30:
            raise ValueError("too many names")
        self.mask = 7
        while self.mask < <uint64_t> (2 * count):
            self.mask = 2 * self.mask + 1
        self.letters = <uint32_t*> PyMem_RawMalloc((total + 1) * sizeof(uint32_t))
        self.stop = <Py_ssize_t*> PyMem_RawMalloc((count + 1) * sizeof(Py_ssize_t))
        self.place = <uint32_t*> PyMem_RawCalloc(self.mask + 1, sizeof(uint32_t))
        if self.letters == NULL or self.stop == NULL or self.place == NULL:
            raise MemoryError
        total = 0
        self.stop[0] = 0
        for number in range(count):
            text = texts[number]
            for letter in range(len(text)):
                self.letters[total + letter] = text[letter]
            self._add(number, total, total + len(text))
            total += len(text)

    cdef void _add(self, Py_ssize_t number, Py_ssize_t start, Py_ssize_t stop) noexcept:
        cdef uint64_t place = hashed(self.letters, start, stop, False) & self.mask
        self.stop[number + 1] = stop
        while self.place[place]:
            place = (place + 1) & self.mask
        self.place[place] = number + 1

    def __dealloc__(self):
        PyMem_RawFree(self.letters)
        PyMem_RawFree(self.stop)
        PyMem_RawFree(self.place)


cdef inline uint32_t lower(uint32_t letter) noexcept nogil:
    return letter + 32 if 65 <= letter <= 90 else letter


cdef inline bint is_hex(uint32_t letter) noexcept nogil:
    return 48 <= letter <= 57 or 97 <= lower(letter) <= 102


cdef inline uint64_t mixed(uint64_t value, uint32_t letter) noexcept nogil:
    value = (value ^ letter) * <uint64_t> 0x9E3779B97F4A7C15
    return value ^ value >> 29


cdef uint64_t hashed(
    const Letter* text, Py_ssize_t start, Py_ssize_t stop, bint lowered
) noexcept nogil:
    cdef uint64_t value = SEED
    cdef Py_ssize_t place
    for place in range(start, stop):
        value = mixed(value, lower(text[place]) if lowered else text[place])
    return value


cdef bint is_among(
    Names names, const Letter* text, Py_ssize_t start, Py_ssize_t stop, bint lowered
) noexcept nogil:
    """Return whether a part of a text is one of the names."""
    return number_of(names, text, start, stop, lowered) >= 0


cdef Py_ssize_t number_of(
    Names names, const Letter* text, Py_ssize_t start, Py_ssize_t stop, bint lowered
) noexcept nogil:
    """Return which of the names a part of a text is; -1 for none."""
    cdef uint64_t place = hashed(text, start, stop, lowered) & names.mask
    cdef Py_ssize_t first, letter
    cdef uint32_t number
    while names.place[place]:
        number = names.place[place]
        first = names.stop[number - 1]
        if names.stop[number] - first == stop - start:
            for letter in range(stop - start):
                if names.letters[first + letter] != (
                    lower(text[start + letter]) if lowered else text[start + letter]
                ):
                    break
            else:
                return number - 1
        place = (place + 1) & names.mask
    return -1


cdef bint has_any(
    Names names, const Letter* text, Py_ssize_t start, Py_ssize_t stop, bint may_escape
) noexcept nogil:
    """Return whether selectors have one of the names (`css.NAMES`)."""
    cdef Py_ssize_t place = start, first
    while place < stop:
        first = place
        if may_escape and text[place] == c"\\":
            # A mark becomes a number that is no name; what else there may be is not tried.
            if place + 1 == stop or text[place + 1] >= ASCII or is_hex(text[place + 1]):
                return True
            if is_word(text[place + 1]) or is_space(text[place + 1]):
                return True
            place += 2
            continue
        if text[place] in (c".", c"#", c":", c"["):
            place += 1
        if place == stop or not is_word(text[place]):
            place = first + 1
            continue
        while place < stop and is_word(text[place]):
            place += 1
        if is_among(names, text, first, place, False):
            return True
    return False


# Words --------------------------------------------------------------------------------------------


cdef class Word:
    """A word that is looked for in texts."""

    cdef uint8_t[ASCII] letters
    cdef Py_ssize_t length

    def __cinit__(self, str word):
        cdef Py_ssize_t place
        if not word.isascii() or len(word) > ASCII:
            raise ValueError("not a word that can be looked for")
        self.length = len(word)
        for place in range(self.length):
            self.letters[place] = ord(word[place])


cdef Py_ssize_t find(
    Word word, const Letter* text, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """Return where a word is in a text; -1 where it is not."""
    cdef Py_ssize_t last = word.length - 1, place
    cdef const Letter* found
    start += last
    while start < stop:  # by its last letter, as few others have a "y"
        if Letter is uint8_t:
            found = <const uint8_t*> memchr(text + start, word.letters[last], stop - start)
            if found == NULL:
                return -1
            start = found - text
        elif text[start] != word.letters[last]:
            start += 1
            continue
        for place in range(last):
            if text[start - last + place] != word.letters[place]:
                break
        else:
            return start - last
        start += 1
    return -1


cdef bint begins(
    const Letter* text, Py_ssize_t start, Py_ssize_t stop, const char* word
) noexcept nogil:
    """Return whether a part of a text begins with a word, in lower case."""
    cdef Py_ssize_t place = 0
    while word[place]:
        if start + place >= stop or text[start + place] != <uint8_t> word[place]:
            return False
        place += 1
    return True


cdef bint is_word_in_any_case(
    const Letter* text, Py_ssize_t start, Py_ssize_t stop, const char* word
) noexcept nogil:
    cdef Py_ssize_t place = 0
    while word[place]:
        if start + place >= stop or lower(text[start + place]) != <uint8_t> word[place]:
            return False
        place += 1
    return start + place == stop


# Endings ------------------------------------------------------------------------------------------


cdef class Endings:
    """Names of which a selector ends with one, by their last letters."""

    cdef uint8_t* letters
    cdef Py_ssize_t* stop
    cdef Py_ssize_t[ASCII + 1] first  # number of the first with a last letter, and of those after
    cdef readonly Py_ssize_t count

    def __cinit__(self, endings):
        # The text has ASCII only where they are looked for.
        cdef list texts = [text[::-1] for text in endings if text and text.isascii()]
        texts.sort()
        texts = [text[::-1] for text in texts]
        cdef bytes joined = "".join(texts).encode()
        cdef Py_ssize_t number, letter = 0, total = 0
        self.count = len(texts)
        self.letters = <uint8_t*> PyMem_RawMalloc(len(joined) + 1)
        self.stop = <Py_ssize_t*> PyMem_RawMalloc((self.count + 1) * sizeof(Py_ssize_t))
        if self.letters == NULL or self.stop == NULL:
            raise MemoryError
        for number in range(len(joined)):
            self.letters[number] = joined[number]
        self.stop[0] = 0
        for number in range(self.count):
            total += len(texts[number])
            self.stop[number + 1] = total
            while letter <= self.letters[total - 1]:
                self.first[letter] = number
                letter += 1
        while letter <= ASCII:
            self.first[letter] = self.count
            letter += 1

    def __dealloc__(self):
        PyMem_RawFree(self.letters)
        PyMem_RawFree(self.stop)


cdef bint ends_with_any(
    Endings endings, const Letter* text, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    cdef Py_ssize_t number, letter, length, end
    cdef uint32_t last
    if start == stop:
        return False
    last = lower(text[stop - 1])
    for number in range(endings.first[last], endings.first[last + 1]):
        end = endings.stop[number + 1]
        length = end - endings.stop[number]
        if length > stop - start:
            continue
        for letter in range(2, length + 1):
            if endings.letters[end - letter] != lower(text[stop - letter]):
                break
        else:
            return True
    return False


cdef bint may_end(
    Endings endings, const Letter* text, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """Return whether a selector ends with a name, or states follow on one (`hiding._Reader`)."""
    cdef Py_ssize_t colon, place, states
    cdef bint has_letter
    for states in range(MOST_STATES):
        while start < stop and is_space(text[start]):
            start += 1
        while start < stop and is_space(text[stop - 1]):
            stop -= 1
        place = stop
        while place > start and text[place - 1] not in (c" ", c">", c"+", c"~"):
            if text[place - 1] >= ASCII:
                return True
            place -= 1
        if ends_with_any(endings, text, start, stop):
            return True
        colon = stop - 1
        while colon >= start and text[colon] != c":":
            colon -= 1
        if colon < start:
            return False
        has_letter = False
        for place in range(colon + 1, stop):
            if text[place] != c"-":
                has_letter = True
                if text[place] == c"_" or not is_word(text[place]):
                    return False
        if not has_letter:
            return False
        if colon == start or text[colon - 1] in (c" ", c">", c"+", c"~"):
            return True
        stop = colon
    return True


cdef bint any_may_end(
    Endings endings, const Letter* text, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """Return whether one of some selectors may end with one of the names."""
    cdef Py_ssize_t place, first = start
    if has(text, start, stop, c"&"):
        return True
    for place in range(start, stop):
        if text[place] == c",":
            if may_end(endings, text, first, place):
                return True
            first = place + 1
    return may_end(endings, text, first, stop)


# Selectors ----------------------------------------------------------------------------------------


cdef bint is_of_part_or_state(
    const Letter* text, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """Return whether what follows on a colon is a part of an element, or a state it is not in."""
    return start < stop and (
        text[start] == c":"
        or begins(text, start, stop, b"before")
        or begins(text, start, stop, b"after")
        or begins(text, start, stop, b"first-l")
        or begins(text, start, stop, b"hover")
        or begins(text, start, stop, b"focus")
        or begins(text, start, stop, b"active")
        or begins(text, start, stop, b"target")
        or begins(text, start, stop, b"visited")
    )


cdef inline Py_ssize_t read_letter(
    const Letter* text, Py_ssize_t start, Py_ssize_t stop, uint32_t* letter
) noexcept nogil:
    """Read a letter of a name, which a backslash may stand before; return what follows.

    That is -1 where it is not sure which letter it is.
    """
    cdef Py_ssize_t first
    cdef uint32_t digit
    letter[0] = lower(text[start])
    if text[start] != c"\\":
        return start + 1
    start += 1
    if start == stop or text[start] <= 32 or text[start] >= ASCII:
        return -1
    if not is_hex(text[start]):
        letter[0] = text[start]
        return -1 if is_word(text[start]) else start + 1
    first = start
    letter[0] = 0
    while start < min(first + 6, stop) and is_hex(text[start]):
        digit = lower(text[start])
        letter[0] = 16 * letter[0] + digit - (87 if digit >= 97 else 48)
        start += 1
    if not 0 < letter[0] < ASCII:
        return -1
    letter[0] = lower(letter[0])
    return start + 1 if start < stop and is_space(text[start]) else start


cdef Py_ssize_t after_name(const Letter* text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return what follows on a name; -1 where unsure."""
    cdef uint32_t letter
    while 0 <= start < stop:
        if text[start] >= ASCII:
            return -1
        if text[start] != c"\\" and not is_word(text[start]):
            break
        start = read_letter(text, start, stop, &letter)
    return start


cdef bint is_named(
    Names names, const Letter* text, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """Return whether a name of which each letter is sure is one of some."""
    cdef Py_ssize_t place = start, length = 0, first, number
    cdef uint64_t value = SEED, slot
    cdef uint32_t letter
    while place < stop:
        place = read_letter(text, place, stop, &letter)
        value = mixed(value, letter)
        length += 1
    slot = value & names.mask
    while names.place[slot]:
        first = names.stop[names.place[slot] - 1]
        if names.stop[names.place[slot]] - first == length:
            place = start
            for number in range(length):
                place = read_letter(text, place, stop, &letter)
                if names.letters[first + number] != letter:
                    break
            else:
                return True
        slot = (slot + 1) & names.mask
    return False


cdef Py_ssize_t after_brackets(
    const Letter* text, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """Return what follows on a pair of brackets; -1 where that is not easily said."""
    cdef Py_ssize_t place = start, depth = 0
    cdef uint32_t letter, quote
    cdef bint is_square = False  # within square brackets, which have no others in them
    while place < stop:
        letter = text[place]
        if letter >= ASCII or letter in (c"\\", c"/", c"&"):
            return -1
        if letter in (c"(", c")", c"[", c"]"):
            if is_square != (letter == c"]"):
                return -1
            is_square = letter == c"["
            depth += (letter == c"(") - (letter == c")")
            if depth > MAX_BRACKETS:
                return -1
            if depth <= 0 and not is_square:
                place += 1
                return -1 if depth < 0 or place < stop and is_word(text[place]) else place
        elif letter == c'"' or letter == c"'":
            quote = letter
            place += 1
            while place < stop and text[place] < ASCII and (
                text[place] == c" " or is_word(text[place])
            ):
                place += 1
            if place == stop or text[place] != quote:
                return -1
        place += 1
    return -1


cdef inline bint is_between(uint32_t letter) noexcept nogil:
    """Return whether a character is none of a simple selector."""
    return letter in (c"{", c"}", c",", c">", c"+", c"~") or is_space(letter)


cdef bint any_may_match(
    Sieve sieve, const Letter* text, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """Return whether one of some selectors may name only what there is.

    Of a few elements and their ancestors all tags are known, too. What one of them stands beside
    may have any name, but is in the same ancestors.
    """
    cdef Py_ssize_t place = start, after
    cdef uint32_t letter
    cdef bint was_known = True, is_known = True  # what is named before a combinator, and behind it
    cdef bint is_beside
    while place < stop:
        letter = text[place]
        if letter in (c"\\", c"/", c"&", c'"', c"'", c")", c"]", c"|") or letter >= ASCII and is_word(letter):
            return True
        after = place + 1
        if letter == c",":
            if was_known and is_known:
                return True
            was_known = is_known = True
        elif is_between(letter):
            is_beside = False
            after = place
            while after < stop and text[after] != c"," and is_between(text[after]):
                is_beside = is_beside or text[after] == c"+" or text[after] == c"~"
                after += 1
            was_known = was_known and (is_known or is_beside and sieve.is_of_few)
            is_known = True
        elif letter == c"(" or letter == c"[":
            if place > start and text[place - 1] in (c".", c"#", c":"):
                return True
            after = after_brackets(text, place, stop)
            if after < 0:
                return True
        elif letter == c"." or letter == c"#":
            after = after_name(text, after, stop)
            if after < 0:
                return True
            if after > place + 1 and is_known:
                is_known = is_named(sieve.names, text, place, after)
        elif letter == c":":
            if is_of_part_or_state(text, after, stop):
                is_known = False
            while after < stop and text[after] < ASCII and is_word(text[after]):
                after += 1
        elif is_word(letter):
            after = after_name(text, place, stop)
            if after < 0:
                return True
            if sieve.is_of_few and is_known:
                is_known = is_named(sieve.names, text, place, after)
        place = after
    return was_known and is_known


# Tokens -------------------------------------------------------------------------------------------


cdef Py_ssize_t after_comment(const Letter* text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    start += 2
    while start + 1 < stop:
        if text[start] == c"*" and text[start + 1] == c"/":
            return start + 2
        start += 1
    return stop


cdef Py_ssize_t after_string(
    const Letter* text, Py_ssize_t start, Py_ssize_t stop, uint32_t* seen
) noexcept nogil:
    cdef uint32_t quote = text[start]
    start += 1
    while start < stop and text[start] != quote and text[start] != c"\n":
        if text[start] == c"\\":
            seen[0] |= ESCAPE
            if start + 1 == stop:
                return start
            start += 1
        start += 1
    return start + 1 if start < stop and text[start] == quote else start


cdef Py_ssize_t after_address(const Letter* text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return what follows on an address without quotes; the start if there is none."""
    cdef Py_ssize_t place = start + 1
    if start < 3 or not is_word_in_any_case(text, start - 3, start, b"url"):
        return start
    while place < stop and is_space(text[place]):
        place += 1
    if place < stop and text[place] in (c'"', c"'"):
        return start
    while place < stop and text[place] != c")":
        if text[place] == c"\\":
            if place + 1 == stop:
                return place
            place += 1
        place += 1
    return min(place + 1, stop)


cdef Py_ssize_t after_blank(const Letter* text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return where white space and comments end."""
    while start < stop:
        if is_space(text[start]):
            start += 1
        elif text[start] == c"/" and start + 1 < stop and text[start + 1] == c"*":
            start = after_comment(text, start, stop)
        else:
            break
    return start


cdef bint has(
    const Letter* text, Py_ssize_t start, Py_ssize_t stop, uint32_t letter
) noexcept nogil:
    cdef Py_ssize_t place
    for place in range(start, stop):
        if text[place] == letter:
            return True
    return False


cdef int kind_of(const Letter* text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return what a prelude begins, `RULE` where that is not sure."""
    cdef Py_ssize_t name = after_blank(text, start, stop), end
    if name == stop or text[name] != c"@" or has(text, name, stop, c";"):
        return RULE
    name += 1
    end = name
    while end < stop and text[end] < ASCII and is_word(text[end]):
        end += 1
    if end == name or (end < stop and (text[end] >= ASCII or text[end] in (c"/", c"\\"))):
        return RULE
    if (
        is_word_in_any_case(text, name, end, b"media")
        or is_word_in_any_case(text, name, end, b"supports")
        or is_word_in_any_case(text, name, end, b"container")
    ):
        return CONDITION
    if is_word_in_any_case(text, name, end, b"layer"):
        return LAYER
    # A scope adds its names to those of the rules in it, as rules do.
    return RULE if is_word_in_any_case(text, name, end, b"scope") else NO_RULES


# Sheets -------------------------------------------------------------------------------------------

cdef struct Part:
    Py_ssize_t start, stop
    int opens  # what begins with it, without what is in it; `RULE`: it is whole


cdef struct Parts:
    Part* items
    Py_ssize_t count, room


cdef bint keep(
    Parts* parts, Py_ssize_t start, Py_ssize_t stop, int opens = RULE
) noexcept nogil:
    """Keep a part of a text; return whether there was memory for it."""
    cdef Part* items
    if parts.count == parts.room:
        items = <Part*> PyMem_RawRealloc(parts.items, (2 * parts.room + 64) * sizeof(Part))
        if items == NULL:
            return False
        parts.items = items
        parts.room = 2 * parts.room + 64
    parts.items[parts.count].start = start
    parts.items[parts.count].stop = stop
    parts.items[parts.count].opens = opens
    parts.count += 1
    return True


cdef class Sieve:
    """Finds the rules of style sheets that a reader would make something of.

    They name only what a page has (`names`, its classes and ids in lower case), and set one of some
    properties or variables, perhaps to a value of some kind (`hiding_values.Values`), or any
    variable if `has_variables`. `wanted` has a word that is in what they declare, what selectors end
    with, and names of which they have one, if there are any; and whether `names` are those of a few
    elements and their ancestors, so that selectors which ask for siblings have others, too.
    """

    cdef Names names, properties, asked
    cdef bytes kinds_of_properties
    cdef const uint8_t* kinds
    cdef bint is_of_few, has_variables
    cdef Word about
    cdef Endings endings

    def __cinit__(self, names not None, kinds not None, wanted not None, bint has_variables=True):
        about, endings, asked, self.is_of_few = wanted
        self.names = Names(names)
        self.properties = Names(kinds.keys())
        self.kinds_of_properties = bytes(kinds.values())
        self.kinds = self.kinds_of_properties
        self.has_variables = has_variables
        self.about = Word(about)
        self.endings = Endings(endings)
        self.asked = Names(asked)

    def __call__(self, str text not None):
        """Return a style sheet without the rules that do not matter."""
        cdef Parts parts = Parts(NULL, 0, 0)
        cdef Py_ssize_t length = len(text), number, start, stop
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        cdef bint is_done
        cdef list kept = []
        with nogil:
            if kind == 1:
                is_done = sift(self, <const uint8_t*> data, length, &parts)
            elif kind == 2:
                is_done = sift(self, <const uint16_t*> data, length, &parts)
            else:
                is_done = sift(self, <const uint32_t*> data, length, &parts)
        try:
            if not is_done:
                raise MemoryError
            number = 0
            while number < parts.count:
                start, stop = parts.items[number].start, parts.items[number].stop
                number += 1
                while number < parts.count and parts.items[number].start == stop:
                    stop = parts.items[number].stop
                    number += 1
                kept.append(text[start:stop])
        finally:
            PyMem_RawFree(parts.items)
        return "".join(kept)


cdef bint matters(
    Sieve sieve, const Letter* text, Py_ssize_t[3] ends, uint32_t[2] seen
) noexcept nogil:
    """Return whether a reader may make something of a rule: its start, its brace and its end."""
    cdef Py_ssize_t start
    cdef bint is_plain
    if seen[0] & ADDRESS:
        return True
    start = after_blank(text, ends[0], ends[1])
    if has(text, start, ends[1], c"@") or has(text, start, ends[1], c";"):
        return True
    if sieve.about.length and not seen[1] & ESCAPE:
        if find(sieve.about, text, ends[1] + 1, ends[2]) < 0:
            return False
    is_plain = not seen[0] & STRING and not has(text, start, ends[1], c"/")
    if is_plain and sieve.asked.count and not has_any(sieve.asked, text, start, ends[1], True):
        return False
    if is_plain and not seen[0] & ESCAPE and sieve.endings.count:
        if not any_may_end(sieve.endings, text, start, ends[1]):
            return False
    if not any_may_match(sieve, text, start, ends[1]):
        return False
    return seen[1] & (COMMENT | ESCAPE) != 0 or sets_any(sieve, text, ends[1] + 1, ends[2])


cdef bint sets_any(
    Sieve sieve, const Letter* text, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """Return whether declarations may set one of some properties, or a variable."""
    cdef Py_ssize_t place, end, first, number
    for place in range(start, stop):
        if text[place] != c":":
            continue
        end = place
        while end > start and is_space(text[end - 1]):
            end -= 1
        first = end
        while first > start and text[first - 1] < ASCII and is_word(text[first - 1]):
            first -= 1
        if first > start and text[first - 1] >= ASCII:
            return True
        if sieve.has_variables and begins(text, first, end, b"--"):
            return True
        number = number_of(sieve.properties, text, first, end, True)
        if number >= 0 and not (
            sieve.kinds[number] and is_usual(text, place + 1, stop, sieve.kinds[number])
        ):
            return True
    return False


cdef enum:  # `hiding_values.Values`
    ANY_VALUE
    WORD
    PLACE
    SIZE
    FONT_SIZE
    LINE_HEIGHT
    FUNCTION
    UNKNOWN

cdef enum:
    MANY = 10_000  # more than any number that matters


cdef bint is_usual(
    const Letter* text, Py_ssize_t place, Py_ssize_t stop, uint8_t kind
) noexcept nogil:
    """Return whether it is plain to see that a value is none of a kind (`hiding_values.Values`)."""
    cdef Py_ssize_t first
    cdef int amount
    cdef bint is_negative
    while place < stop and text[place] != c";":
        if is_space(text[place]) or text[place] == c"!":
            place += 1
            continue
        first = place
        is_negative = text[place] == c"-"
        place += is_negative
        if place < stop and c"0" <= text[place] <= c"9":
            amount = 0
            while place < stop and c"0" <= text[place] <= c"9":
                amount = min(10 * amount + <int> (text[place] - c"0"), MANY)
                place += 1
            if place < stop and text[place] == c".":
                place += 1
                while place < stop and c"0" <= text[place] <= c"9":
                    place += 1
            first = place
            while place < stop and text[place] < ASCII and (IS_WORD[text[place]] or text[place] == c"%"):
                place += 1
            if not is_usual_amount(text, first, place, -amount if is_negative else amount, kind):
                return False
            if is_negative and not amount:  # -0.5
                return False
        else:
            while place < stop and text[place] < ASCII and IS_WORD[text[place]]:
                place += 1
            if place == first or not is_usual_word(text, first, place, kind):
                return False
        if place < stop and not (is_space(text[place]) or text[place] == c"!" or text[place] == c";"):
            return False
    return True


cdef bint is_usual_word(
    const Letter* text, Py_ssize_t start, Py_ssize_t stop, uint8_t kind
) noexcept nogil:
    if kind == UNKNOWN:
        return True
    if kind == WORD:
        return not (
            is_word_in_any_case(text, start, stop, b"none")
            or is_word_in_any_case(text, start, stop, b"hidden")
            or is_word_in_any_case(text, start, stop, b"collapse")
        )
    return (
        is_word_in_any_case(text, start, stop, b"auto")
        or is_word_in_any_case(text, start, stop, b"none")
        or is_word_in_any_case(text, start, stop, b"inherit")
        or is_word_in_any_case(text, start, stop, b"initial")
        or is_word_in_any_case(text, start, stop, b"unset")
        or is_word_in_any_case(text, start, stop, b"normal")
        or is_word_in_any_case(text, start, stop, b"important")
    )


cdef bint is_usual_amount(
    const Letter* text, Py_ssize_t start, Py_ssize_t stop, int amount, uint8_t kind
) noexcept nogil:
    """Return whether a number before a unit, without its fraction, is an amount that hides nothing."""
    cdef bint is_px = is_word_in_any_case(text, start, stop, b"px")
    cdef bint is_share = is_word_in_any_case(text, start, stop, b"%")
    cdef bint is_em = (
        is_word_in_any_case(text, start, stop, b"em") or is_word_in_any_case(text, start, stop, b"rem")
    )
    if kind == PLACE:
        if is_px:
            return -100 < amount < 700
        if is_em:
            return -6 < amount < 40
        return 0 <= amount < 50 if is_share else amount == 0 and start == stop
    if kind == SIZE:
        return amount >= 2 and (
            is_px
            or is_em
            or is_share
            or is_word_in_any_case(text, start, stop, b"vh")
            or is_word_in_any_case(text, start, stop, b"vw")
        )
    if kind == FONT_SIZE:
        return is_px and amount >= 4 or is_em and amount >= 1 or is_share and amount >= 25
    if kind == LINE_HEIGHT:
        return amount >= 1
    return False


cdef bint sift(Sieve sieve, const Letter* text, Py_ssize_t length, Parts* parts) noexcept nogil:
    """Keep the parts of a style sheet that matter; return whether there was memory for them."""
    cdef Py_ssize_t place = 0, start = 0, brace = -1, after, level = 0
    cdef Py_ssize_t opened = 0, opened_before = 0  # round brackets: now, and before the brace
    cdef Py_ssize_t passed_from = -1, passed_level = 0  # what is passed over as a whole
    # A rule with rules in it is kept as a whole: what is left in it would say how it is read.
    cdef Py_ssize_t nested_from = -1, nested_level = 0
    cdef Py_ssize_t[3] ends
    cdef uint32_t[2] seen  # before and after the brace
    cdef uint32_t letter
    cdef int kind
    seen[0] = seen[1] = 0
    while place < length:
        while place < length and (text[place] >= ASCII or not IS_MARK[text[place]]):
            place += 1
        if place == length:
            break
        letter = text[place]
        after = place + 1
        if letter == c"{":
            if brace >= 0:  # of what is around this
                if opened_before > 0:
                    break
                kind = kind_of(text, start, brace)
                if passed_from < 0 and nested_from < 0:
                    if kind == NO_RULES:
                        passed_from, passed_level = start, level
                    elif kind == RULE:
                        nested_from, nested_level = start, level
                    elif not keep(parts, start, brace + 1, kind):
                        return False
                level += 1
                start = brace + 1
            brace, opened_before = place, opened
            seen[0], seen[1] = seen[1], 0
        elif letter == c"}":
            if opened > 0:
                break
            opened = 0
            if brace >= 0:
                ends[0], ends[1], ends[2] = start, brace, place
                if passed_from < 0 and nested_from < 0:
                    kind = kind_of(text, start, brace)
                    if kind != NO_RULES and (kind != RULE or matters(sieve, text, ends, seen)):
                        if not keep(parts, start, after):
                            return False
            else:
                level = max(level - 1, 0)
                if passed_from >= 0:
                    if level == passed_level:
                        passed_from = -1
                elif nested_from >= 0:
                    if level == nested_level:
                        if not keep(parts, nested_from, after):
                            return False
                        nested_from = -1
                elif (
                    parts.count
                    and parts.items[parts.count - 1].opens == CONDITION
                    and after_blank(text, start, place) == place
                ):
                    parts.count -= 1
                elif not keep(parts, start, after):
                    return False
            start, brace = after, -1
            seen[0] = seen[1] = 0
        elif letter == c")":
            opened -= 1
        elif letter == c"(":
            after = after_address(text, place, length)
            if after == place:
                opened += 1
                after += 1
            else:
                seen[1] |= ADDRESS
        elif letter == c"\\":
            seen[1] |= ESCAPE
            if after < length and not is_hex(text[after]) and text[after] != c"\n":
                after += 1
        elif letter == c"/":
            if after < length and text[after] == c"*":
                seen[1] |= COMMENT
                after = after_comment(text, place, length)
        else:
            seen[1] |= STRING
            after = after_string(text, place, length, &seen[1])
        place = after
    # The end, or braces in round brackets, where they mean nothing, which is for the reader to sort
    # out: with all that stands before the next brace.
    if parts.count and parts.items[parts.count - 1].opens != RULE:
        start = parts.items[parts.count - 1].stop
    elif passed_from >= 0:
        start = passed_from
    elif nested_from >= 0:
        start = nested_from
    return keep(parts, start, length)


# Blocks -------------------------------------------------------------------------------------------

cdef Word DISPLAY = Word("display")


def shows_as_block(str text not None, asked not None):
    """Return whether a rule shows something that is asked about as a block.

    The same as whether something of `asked` is in `joeira.page.blocks._names_of_blocks`.
    """
    cdef Names names = Names(asked)
    cdef Py_ssize_t length = len(text)
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef bint found
    with nogil:
        if kind == 1:
            found = finds_block(names, <const uint8_t*> data, length)
        elif kind == 2:
            found = finds_block(names, <const uint16_t*> data, length)
        else:
            found = finds_block(names, <const uint32_t*> data, length)
    return found


cdef bint finds_block(Names names, const Letter* text, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t place = 0, read = 0, stop, start, brace
    while True:
        place = find(DISPLAY, text, place, length)
        if place < 0:
            return False
        stop = after_block_value(text, place + DISPLAY.length, length)
        if stop < 0:
            place += 1
            continue
        brace = place - 1
        while brace >= read and text[brace] != c"{":
            brace -= 1
        if brace >= read:
            start = brace - 1
            while start > read and text[start] != c"}":
                start -= 1
            if names_subject(names, text, max(start, read), brace):
                return True
        place = read = stop


cdef Py_ssize_t after_block_value(
    const Letter* text, Py_ssize_t place, Py_ssize_t length
) noexcept nogil:
    """Return where a value ends that shows a block; -1 if there is none."""
    while place < length and is_space(text[place]):
        place += 1
    if place == length or text[place] != c":":
        return -1
    place += 1
    while place < length and is_space(text[place]):
        place += 1
    if begins(text, place, length, b"block") or begins(text, place, length, b"table"):
        return place + 5
    if begins(text, place, length, b"flex") or begins(text, place, length, b"grid"):
        return place + 4
    if begins(text, place, length, b"list-item") or begins(text, place, length, b"flow-root"):
        return place + 9
    return -1


cdef bint names_subject(
    Names names, const Letter* text, Py_ssize_t start, Py_ssize_t brace
) noexcept nogil:
    """Return whether one of the names is in what selectors end with."""
    cdef Py_ssize_t place = start, stop, after
    while place < brace:
        if is_between(text[place]):
            place += 1
            continue
        stop = place
        while stop < brace and not is_between(text[stop]):
            stop += 1
        after = stop
        while after < brace and is_space(text[after]):
            after += 1
        if after == brace or text[after] in (c",", c"{"):
            if has_any(names, text, place, stop, False):
                return True
        place = stop
    return False
