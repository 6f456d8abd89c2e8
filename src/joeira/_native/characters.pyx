"""Kernels of `joeira.arrays.strings`: the characters of many strings, classified and counted."""

import numpy as np

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from joeira._native.codes cimport PyUnicode_DATA, PyUnicode_GET_LENGTH, PyUnicode_KIND, joeira_string

cdef extern from *:
    """
    /* Answers as wide as the characters, so that a vector has as many of both. */
    JOEIRA_CLONES static int joeira_surrogates2(const Py_UCS2* two, Py_ssize_t length) {
        Py_UCS2 some = 0;
        for (Py_ssize_t place = 0; place < length; place++)
            some |= (Py_UCS2)((two[place] & 0xF800) == 0xD800);
        return some;
    }

    JOEIRA_CLONES static int joeira_surrogates4(const Py_UCS4* four, Py_ssize_t length) {
        Py_UCS4 some = 0;
        for (Py_ssize_t place = 0; place < length; place++)
            some |= (Py_UCS4)((four[place] & 0xFFFFF800) == 0xD800);
        return some != 0;
    }

    /* The classes of all characters together. */
    JOEIRA_CLONES static uint16_t joeira_classes(const uint16_t* classes, Py_ssize_t length) {
        uint16_t some = 0;
        for (Py_ssize_t place = 0; place < length; place++)
            some |= classes[place];
        return some;
    }

    static int joeira_has_surrogates(PyObject* text) {
        Py_ssize_t length = PyUnicode_GET_LENGTH(text);
        const void* data = PyUnicode_DATA(text);
        /* Strings of one byte a character cannot have any. The others are read to their end, so
           that the compiler may look at many characters at once. */
        switch (PyUnicode_KIND(text)) {
        case PyUnicode_2BYTE_KIND:
            return joeira_surrogates2((const Py_UCS2*)data, length);
        case PyUnicode_4BYTE_KIND:
            return joeira_surrogates4((const Py_UCS4*)data, length);
        default:
            return 0;
        }
    }

    /* Write where each of some texts begins if one character comes after each; return where all end, or -1
       if one of them is no text. Texts lie all over the memory: those after the next are fetched already. */
    static Py_ssize_t joeira_starts(PyObject* texts, int64_t* start) {
        Py_ssize_t count = PyTuple_GET_SIZE(texts), total = 0;
        for (Py_ssize_t number = 0; number < count; number++) {
            PyObject* text = PyTuple_GET_ITEM(texts, number);
            if (number + 8 < count)
                JOEIRA_FETCH(PyTuple_GET_ITEM(texts, number + 8));
            if (!PyUnicode_Check(text))
                return -1;
            start[number] = total;
            total += PyUnicode_GET_LENGTH(text) + 1;
        }
        return total;
    }

    /* Write the code points and classes of a text, and a line break after it. Code points beyond the
       table get the class 0; return whether there are any. */
    static int joeira_classify(PyObject* text, const uint16_t* table, uint32_t* codes,
                               uint16_t* classes) {
        Py_ssize_t length = PyUnicode_GET_LENGTH(text);
        const void* data = PyUnicode_DATA(text);
        codes[length] = '\\n';
        classes[length] = table['\\n'];
        switch (PyUnicode_KIND(text)) {
        case PyUnicode_1BYTE_KIND:
            return joeira_classify1((const Py_UCS1*)data, length, table, codes, classes);
        case PyUnicode_2BYTE_KIND:
            return joeira_classify2((const Py_UCS2*)data, length, table, codes, classes);
        default:
            return joeira_classify4((const Py_UCS4*)data, length, table, codes, classes);
        }
    }

    static int joeira_classify_all(PyObject* texts, const int64_t* start, const uint16_t* table,
                                   uint32_t* codes, uint16_t* classes) {
        Py_ssize_t count = PyTuple_GET_SIZE(texts);
        int beyond = 0;
        for (Py_ssize_t number = 0; number < count; number++) {
            if (number + 8 < count)
                JOEIRA_FETCH(PyTuple_GET_ITEM(texts, number + 8));
            beyond |= joeira_classify(PyTuple_GET_ITEM(texts, number), table,
                                      codes + start[number], classes + start[number]);
        }
        return beyond;
    }

    /* Three characters of a word: where they are in it, where it begins and ends among the letters of
       all words, and the next place with the same three. */
    typedef struct {
        int32_t offset, start, stop;
        uint32_t next;
    } joeira_place;

    /* Whether one of some words stands in a text. Three characters in a row are looked at, then as
       many are passed over as leave no room for a word between: any word shows three of its first
       characters. `first` has, by three characters, the number of a place with them; 0 is none. */
    #define JOEIRA_TRIPLES 4096
    #define JOEIRA_TRIPLE(one, two, three) \\
        ((((one) << 8) ^ ((two) << 4) ^ (three)) & (JOEIRA_TRIPLES - 1))
    #define JOEIRA_SAME(letter) ((uint32_t)(letter))
    #define JOEIRA_SMALL(letter) \\
        ((uint32_t)(letter) | ((uint32_t)((uint32_t)(letter) - 'A' < 26u) << 5))
    #define JOEIRA_HAS_WORD(name, type, LETTER) \\
    static int name(const type* text, Py_ssize_t length, const uint32_t* letters, \\
                    const uint16_t* first, const joeira_place* places, Py_ssize_t step) { \\
        Py_ssize_t at, same; \\
        for (at = 0; at + 2 < length; at += step) { \\
            uint32_t known = first[JOEIRA_TRIPLE( \\
                LETTER(text[at]), LETTER(text[at + 1]), LETTER(text[at + 2]))]; \\
            for (; known; known = places[known].next) { \\
                const joeira_place* place = places + known; \\
                Py_ssize_t begin = at - place->offset, size = place->stop - place->start; \\
                if (begin < 0 || size > length - begin) \\
                    continue; \\
                for (same = 0; same < size; same++) \\
                    if (LETTER(text[begin + same]) != letters[place->start + same]) \\
                        break; \\
                if (same == size) \\
                    return 1; \\
            } \\
        } \\
        return 0; \\
    }
    JOEIRA_HAS_WORD(joeira_has_word_1, Py_UCS1, JOEIRA_SAME)
    JOEIRA_HAS_WORD(joeira_has_word_2, Py_UCS2, JOEIRA_SAME)
    JOEIRA_HAS_WORD(joeira_has_word_4, Py_UCS4, JOEIRA_SAME)
    /* The same for what is ASCII, capitals taken for small letters. */
    JOEIRA_HAS_WORD(joeira_has_small_word_1, Py_UCS1, JOEIRA_SMALL)

    /* Whether one of some words stands in a text, capitals or not; -1 where its characters are not
       all ASCII, so that this function does not know what their small letters are. */
    static int joeira_has_small_word(PyObject* text, const uint32_t* letters, const uint16_t* first,
                                     const joeira_place* places, Py_ssize_t step) {
        if (!PyUnicode_IS_ASCII(text))
            return -1;
        return joeira_has_small_word_1(PyUnicode_1BYTE_DATA(text), PyUnicode_GET_LENGTH(text),
                                       letters, first, places, step);
    }

    static int joeira_has_word(PyObject* text, const uint32_t* letters, const uint16_t* first,
                               const joeira_place* places, Py_ssize_t step) {
        Py_ssize_t length = PyUnicode_GET_LENGTH(text);
        const void* data = PyUnicode_DATA(text);
        switch (PyUnicode_KIND(text)) {
        case PyUnicode_1BYTE_KIND:
            return joeira_has_word_1(data, length, letters, first, places, step);
        case PyUnicode_2BYTE_KIND:
            return joeira_has_word_2(data, length, letters, first, places, step);
        default:
            return joeira_has_word_4(data, length, letters, first, places, step);
        }
    }
    """
    enum:
        JOEIRA_TRIPLES
    uint32_t JOEIRA_TRIPLE(uint32_t one, uint32_t two, uint32_t three)
    ctypedef struct joeira_place:
        int32_t offset
        int32_t start
        int32_t stop
        uint32_t next

    bint joeira_has_word(
        object text,
        const uint32_t* letters,
        const uint16_t* first,
        const joeira_place* places,
        Py_ssize_t step,
    )
    int joeira_has_small_word(
        object text,
        const uint32_t* letters,
        const uint16_t* first,
        const joeira_place* places,
        Py_ssize_t step,
    )
    bint Py_UNICODE_ISSPACE(uint32_t code) nogil
    bint joeira_has_surrogates(object text)
    uint16_t joeira_classes(const uint16_t* classes, Py_ssize_t length)
    Py_ssize_t joeira_starts(tuple texts, int64_t* start)
    bint joeira_classify_all(
        tuple texts, const int64_t* start, const uint16_t* table, uint32_t* codes, uint16_t* classes
    )

# The flags of `joeira.arrays.strings`.
cdef enum:
    WORD = 1
    SPACE = 2
    DIGIT = 4
    NEAR = 60  # more than all that may stand between the year and the day of a date, but for white space
    MOST_WORDS = 2  # that stand between them: of four letters or more
    UNSPACED = 64

# The flags of `joeira.metadata.language`, above the byte of a small letter.
cdef enum:
    WESTERN = 256
    LATIN = 512
    LETTER = 1024


def has_surrogates(str text):
    """Return whether a text has surrogates, which cannot be written as UTF-8."""
    return joeira_has_surrogates(text)


ctypedef fused Character:
    uint8_t
    uint16_t
    uint32_t


def is_plain(str text):
    """Return whether a text is collapsed and has neither surrogates nor what begins a reference."""
    return "&" not in text and not joeira_has_surrogates(text) and is_collapsed(text)


cpdef bint is_collapsed(str text):
    """Return whether white space in a text is but single spaces, and none at the ends."""
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text)
    if PyUnicode_KIND(text) == 1:
        return has_lone_spaces(<const uint8_t*> PyUnicode_DATA(text), length)
    if PyUnicode_KIND(text) == 2:
        return has_lone_spaces(<const uint16_t*> PyUnicode_DATA(text), length)
    return has_lone_spaces(<const uint32_t*> PyUnicode_DATA(text), length)


cdef bint has_lone_spaces(const Character* codes, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t place
    cdef bint after_space = True
    for place in range(length):
        if c" " < codes[place] < 0x7F:
            after_space = False
        elif codes[place] == c" ":
            if after_space:
                return False
            after_space = True
        elif Py_UNICODE_ISSPACE(codes[place]):
            return False
        else:
            after_space = False
    return not (after_space and length)


@cython.boundscheck(False)  # where there is nothing, a pointer to the first of it is never followed
def classify(strings, const uint16_t[::1] table):
    """Return the code points and classes of all characters, and where each string begins.

    After each string comes a line break. `table` has the classes of the basic plane; the last value
    says whether there are characters beyond it, whose class is 0.
    """
    if table.shape[0] != 0x10000:
        raise ValueError("a table for another number of characters")
    cdef tuple texts = tuple(strings)
    starts = np.empty(len(texts), np.int64)
    cdef int64_t[::1] start = starts
    cdef Py_ssize_t total = joeira_starts(texts, &start[0])
    if total < 0:
        raise TypeError("a text that is none")
    codes, classes = np.empty(total, np.uint32), np.empty(total, np.uint16)
    cdef uint32_t[::1] code = codes
    cdef uint16_t[::1] kind = classes
    beyond = joeira_classify_all(texts, &start[0], &table[0], &code[0], &kind[0])
    return codes, classes, starts, beyond


def sizes(const uint16_t[::1] classes, const int64_t[::1] starts):
    """Return the length of each string, white space collapsed and stripped, and its words."""
    cdef Py_ssize_t count = starts.shape[0], number, place, stop, end = classes.shape[0]
    lengths, words = np.empty((2, count), np.int32)
    cdef int32_t[::1] length = lengths, word = words
    cdef int32_t solid, runs, begun
    cdef uint16_t kind, before
    for number in range(count):
        if not 0 <= starts[number] < (starts[number + 1] if number + 1 < count else end):
            raise ValueError("strings that do not begin in order")
    with nogil:
        for number in range(count):
            stop = starts[number + 1] if number + 1 < count else end
            solid, runs, begun, before = 0, 0, 0, SPACE
            for place in range(starts[number], stop):
                kind = classes[place]
                if not kind & SPACE:
                    solid += 1
                    if before & SPACE:
                        runs += 1
                if kind & WORD:
                    if not before & WORD or (kind | before) & UNSPACED:
                        begun += 1
                before = kind
            length[number] = solid + max(runs - 1, 0)
            word[number] = begun
    return lengths, words


cdef class Strings:
    """Makes strings of code points, each when it is asked for.

    After each string comes a character that is none of it, also after the last.
    """

    cdef const uint32_t[::1] codes
    cdef const int64_t[::1] starts

    def __init__(self, codes, starts):
        """Take the code points of all strings, and where each begins."""
        self.codes, self.starts = codes, starts
        cdef const int64_t[::1] start = self.starts
        cdef Py_ssize_t number, count = start.shape[0]
        cdef bint fits = not count or 0 <= start[0] and start[count - 1] < self.codes.shape[0]
        for number in range(1, count):
            fits &= start[number - 1] < start[number]
        if not fits:
            raise ValueError("strings that do not begin in order")

    def __len__(self):
        """Return how many strings there are."""
        return self.starts.shape[0]

    cdef str make(self, Py_ssize_t number):
        cdef Py_ssize_t start = self.starts[number], stop
        cdef bint is_last = number + 1 == self.starts.shape[0]
        stop = self.codes.shape[0] if is_last else self.starts[number + 1]
        return joeira_string(&self.codes[0] + start, stop - start - 1)

    def one(self, Py_ssize_t number):
        """Return a string; the last ones have the numbers below zero, as in lists."""
        if number < 0:
            number += self.starts.shape[0]
        if not 0 <= number < self.starts.shape[0]:
            raise IndexError("a string that there is not")
        return self.make(number)

    def some(self, Py_ssize_t first, Py_ssize_t stop):
        """Return the strings from a number to another; fewer where there are no more."""
        stop = min(stop, self.starts.shape[0])
        return tuple([self.make(number) for number in range(max(first, 0), stop)])

    def joined(self, const Py_ssize_t[::1] numbers, Py_ssize_t most):
        """Return the first code points of some strings, with a line break between each two."""
        cdef Py_ssize_t count = self.starts.shape[0], size = 0, number, start, length, each
        codes = np.empty(max(most, 1), np.uint32)
        cdef uint32_t[::1] code = codes
        for each in range(numbers.shape[0]):
            number = numbers[each]
            if not 0 <= number < count:
                raise IndexError("a string that there is not")
            if each > 0 and size < most:
                code[size] = c"\n"
                size += 1
            start = self.starts[number]
            length = (self.codes.shape[0] if number + 1 == count else self.starts[number + 1]) - 1 - start
            length = min(length, most - size)
            if length > 0:
                memcpy(&code[size], &self.codes[start], length * sizeof(uint32_t))
                size += length
            if size >= most:
                break
        return codes[:size]

    def unwritten(self, Py_ssize_t strings, Py_ssize_t characters):
        """Return how many control characters that nobody writes there are among the first ones.

        Args:
            strings: So many strings are looked at.
            characters: So many of their characters, and no more.

        Returns:
            How many, and how many characters were looked at.
        """
        cdef Py_ssize_t number, place, stop, seen = 0, found = 0
        cdef uint32_t code
        for number in range(min(strings, self.starts.shape[0])):
            place = self.starts[number]
            stop = (
                self.starts[number + 1]
                if number + 1 < self.starts.shape[0]
                else self.codes.shape[0]
            ) - 1
            stop = min(stop, place + characters - seen)
            seen += stop - place
            for place in range(place, stop):
                code = self.codes[place]
                found += code < 32 and code != 0 and not 9 <= code <= 13 or code == 127
        return found, seen

    def dated(self, const uint16_t[::1] classes, const int32_t[::1] first, Py_ssize_t begin, Py_ssize_t stop):
        """Return which runs of strings may have a date in them: what all forms of dates have, they have.

        Args:
            classes: The classes of all characters.
            first: The first string of each run, and one more entry: the number of strings.
            begin: Number of the first run that is looked at.
            stop: The number after the last one.
        """
        cdef Py_ssize_t run, place, end
        cdef list found = []
        begin, stop = max(begin, 0), min(stop, first.shape[0] - 1)
        self.check(classes, first, begin, stop)
        for run in range(begin, stop):
            place, end = self.place_of(first[run]), self.place_of(first[run + 1])
            if place < end and _may_be_dated(&self.codes[place], &classes[place], end - place):
                found.append(run)
        return found

    def begun(self, const uint16_t[::1] classes, const int32_t[::1] first, Py_ssize_t stop, str words not None):
        """Return which runs of strings begin with one of some words, not with a longer one.

        White space does not count, not even within a word, which may be in several strings.

        Args:
            classes: The classes of all characters.
            first: The first string of each run, and one more entry: the number of strings.
            stop: The number after the last run that is looked at.
            words: The words, with a space between two; a capital of the Latin alphabet is like a small letter.
        """
        cdef Py_ssize_t run, place, end
        cdef list found = []
        cdef const uint32_t[::1] letters = np.array([*map(ord, words + " ")], np.uint32)
        stop = min(stop, first.shape[0] - 1)
        self.check(classes, first, 0, stop)
        for run in range(stop):
            place, end = self.place_of(first[run]), self.place_of(first[run + 1])
            while place < end and classes[place] & SPACE:
                place += 1
            if place < end and _begins(&self.codes[place], &classes[place], end - place, letters):
                found.append(run)
        return found

    cdef int check(
        self, const uint16_t[::1] classes, const int32_t[::1] first, Py_ssize_t begin, Py_ssize_t stop
    ) except -1:
        """Check that there is a class of each character, and that runs of strings are in order."""
        cdef Py_ssize_t run
        if classes.shape[0] != self.codes.shape[0]:
            raise ValueError("characters and classes of different pages")
        for run in range(begin, stop):
            if not 0 <= first[run] <= first[run + 1] <= self.starts.shape[0]:
                raise ValueError("runs that do not begin in order")
        return 0

    cdef Py_ssize_t place_of(self, Py_ssize_t number) noexcept:
        """Return where a string begins, the one after the last where all characters end."""
        return self.codes.shape[0] if number == self.starts.shape[0] else self.starts[number]


cdef bint _begins(
    const uint32_t* codes, const uint16_t* classes, Py_ssize_t size, const uint32_t[::1] words
) noexcept:
    """Return whether characters begin with one of some words, each with a space after it."""
    cdef Py_ssize_t place = 0, letter
    cdef uint32_t code
    cdef bint fits = True
    for letter in range(words.shape[0]):
        if words[letter] == c" ":
            if fits and place and (place == size or not classes[place] & WORD):
                return True
            place, fits = 0, True
        elif fits:
            while place < size and classes[place] & SPACE:
                place += 1
            fits = place < size
            if fits:
                code = codes[place]
                fits = words[letter] == (code + 32 if c"A" <= code <= c"Z" else code)
                place += 1
    return False


cdef bint _may_be_dated(const uint32_t* codes, const uint16_t* classes, Py_ssize_t size) noexcept:
    """Return whether there is a year near a day, a long number, or three numbers with marks between them.

    What separates strings counts as white space, which counts for nothing but that a number may end there.
    """
    cdef Py_ssize_t place, solid = 0, year = -NEAR, day = -NEAR
    cdef uint32_t code, one = 0, two = 0, three = 0  # the characters before, the nearest first
    cdef int digits = 0, numbers = 0, together = 0, letters = 0
    cdef Py_ssize_t words = 0, words_to_year = 0, words_to_day = 0
    cdef bint is_counted = False
    if not joeira_classes(classes, size) & DIGIT:
        return False
    for place in range(size):
        code = codes[place]
        if not classes[place] & WORD or classes[place] & DIGIT:
            letters = 0
            is_counted = is_counted and code == c"\n"  # which may part two words, or be within one
        else:
            letters += 1
            if letters == 4 and not is_counted:
                is_counted = True
                words += 1
        if not classes[place] & DIGIT:
            if 0 < together <= 2:
                day, words_to_day = solid, words
                if solid - year < NEAR and words - words_to_year <= MOST_WORDS:
                    return True
            together = 0
            if classes[place] & SPACE:
                continue
        solid += 1
        if classes[place] & DIGIT:
            together += 1
            digits = min(digits + 1, 8)
            if digits == 8 or (digits >= 2 and numbers == 2):
                return True
            if digits >= 4 and (three == c"1" and two == c"9" or three == c"2" and two == c"0"):
                year, words_to_year = solid, words
                if solid - day < NEAR and words - words_to_day <= MOST_WORDS:
                    return True
        else:
            if digits and (code == c"." or code == c"/" or code == c"-"):
                numbers = 2 if numbers and digits <= 2 else 1
            else:
                numbers = 0
            digits = 0
        three, two, one = two, one, code
    return False


cdef class Words:
    """Tells whether a text has one of some words, each of three characters or more, anywhere."""

    cdef const uint32_t[::1] letters
    cdef const uint16_t[::1] first
    cdef uint32_t[:, ::1] places
    cdef Py_ssize_t step

    def __init__(self, words):
        """Prepare to look for words."""
        cdef tuple all_words = tuple(words)
        cdef Py_ssize_t start = 0, stop, offset
        cdef uint32_t triple, number = 0
        self.step = min(map(len, all_words), default=0) - 2
        if self.step <= 0 or len(all_words) * self.step >= 0xFFFF:
            raise ValueError("no words, one that is too short, or too many")
        cdef const uint32_t[::1] letters = np.array([ord(c) for c in "".join(all_words)], np.uint32)
        firsts = np.zeros(<int>JOEIRA_TRIPLES, np.uint16)
        places = np.zeros((len(all_words) * self.step + 1, 4), np.uint32)
        cdef uint16_t[::1] first = firsts
        cdef uint32_t[:, ::1] place = places
        for word in all_words:
            stop = start + len(word)
            for offset in range(self.step):
                triple = JOEIRA_TRIPLE(
                    letters[start + offset], letters[start + offset + 1], letters[start + offset + 2]
                )
                number += 1
                place[number, 0], place[number, 1] = <uint32_t> offset, <uint32_t> start
                place[number, 2], place[number, 3] = <uint32_t> stop, first[triple]
                first[triple] = <uint16_t> number
            start = stop
        self.letters, self.first, self.places = letters, firsts, places

    cpdef bint are_in(self, str text) except -1:
        """Return whether one of the words stands in a text."""
        if text is None:
            raise TypeError("a text that is none")
        return joeira_has_word(
            text,
            &self.letters[0],
            &self.first[0],
            <const joeira_place*> &self.places[0, 0],
            self.step,
        )

    def are_in_names(self, names):
        """Return the numbers of the names that have one of the words, capitals or not."""
        cdef list found = []
        cdef str name
        cdef Py_ssize_t number = -1
        cdef int has_word
        for name in names:
            number += 1
            if name is None:
                raise TypeError("a name that is none")
            has_word = joeira_has_small_word(
                name,
                &self.letters[0],
                &self.first[0],
                <const joeira_place*> &self.places[0, 0],
                self.step,
            )
            if has_word > 0 or (has_word < 0 and self.are_in(name.lower())):
                found.append(number)
        return found


cdef class Votes:
    """Tells for which languages the frequent words of a text in western letters vote.

    A word is looked up as a number that has its letters as digits, of which eight fit.
    """

    cdef tuple names
    cdef const uint16_t[::1] kinds
    cdef const uint64_t[::1] slots
    cdef const int32_t[::1] numbers, first, languages
    cdef const double[::1] roots
    cdef Py_ssize_t symbols

    def __init__(self, dict table not None, const uint16_t[::1] kinds, Py_ssize_t symbols):
        """Prepare to look words up.

        Args:
            table: Words of western Europe's encoding, each of one to eight letters, with its
                languages and the number by which its vote is divided.
            kinds: What each character of the basic plane is: the flags above, and the byte of its
                small letter, or a space for what is no letter.
            symbols: So many different characters that are not western may be in a western text.
        """
        cdef dict known = {}
        cdef Py_ssize_t number, size = 4, slot
        cdef bytes word
        cdef list first = [0, 0], languages = [], roots = [1.0]  # words that are not known vote for none
        if kinds.shape[0] != 0x10000:
            raise ValueError("a table for another number of characters")
        while size < 2 * len(table):
            size *= 2
        keys, numbers = np.zeros(size, np.uint64), np.zeros(size, np.int32)
        cdef uint64_t[::1] filled = keys
        for number, (word, (spoken, root)) in enumerate(table.items(), 1):
            if not 0 < len(word) <= LONGEST or 0 in word:
                raise ValueError("a word of too many letters, or of none")
            languages += [known.setdefault(language, len(known)) for language in spoken]
            first.append(len(languages))
            roots.append(root)
            slot = _slot_of(filled, int.from_bytes(word, "big"))
            filled[slot], numbers[slot] = int.from_bytes(word, "big"), number
        self.names, self.slots, self.numbers = tuple(known), keys, numbers
        self.first, self.languages = np.array(first, np.int32), np.array(languages, np.int32)
        self.roots, self.kinds, self.symbols = np.array(roots, np.float64), kinds, symbols

    def cast(self, const uint32_t[::1] codes):
        """Return how many letters are Latin, the favourite language, and the number of all words.

        None for a text that is not western.
        """
        cdef uint64_t[::1] words = np.empty(codes.shape[0] // 2 + 2, np.uint64)
        cdef Py_ssize_t latin, count
        latin, count = self._words(codes, &words[0])
        return None if latin < 0 else (latin, self._favourite(&words[0], count), count)

    @cython.boundscheck(False)
    @cython.wraparound(False)
    cdef (Py_ssize_t, Py_ssize_t) _words(self, const uint32_t[::1] codes, uint64_t* words):
        """Write each word as a number, 0 for a long one; return how many letters are Latin, and words.

        If the text is not western, both are -1.

        Nobody can foresee which character ends a word, a processor neither: all are treated alike.
        """
        cdef const uint16_t* kinds = &self.kinds[0]
        cdef Py_ssize_t place, latin = 0, count = 0, letters = 0
        cdef uint32_t code, kind, letter
        cdef uint64_t word = 0, goes_on
        cdef set others = set()
        for place in range(codes.shape[0]):
            code = codes[place]
            kind = kinds[code] if code < 0x10000 else c" "
            if not kind & WESTERN:
                others.add(code)
                if len(others) > self.symbols or kind & LETTER or _is_letter_beyond(code):
                    return -1, -1
            latin += (kind & LATIN) != 0
            letter = kind & 0xFF
            words[count] = word if letters <= LONGEST else 0
            count += (letter == c" ") & (letters > 0)
            goes_on = <uint64_t> (letter == c" ") - 1  # all bits, or none
            word = (word << 8 | letter) & goes_on
            letters = (letters + 1) & <Py_ssize_t> goes_on
        words[count] = word if letters <= LONGEST else 0
        return latin, count + (letters > 0)

    @cython.boundscheck(False)
    @cython.wraparound(False)
    cdef tuple _favourite(self, const uint64_t* words, Py_ssize_t count):
        """Return the language with the most votes of words, these votes, and those of the next one.

        Of languages with as many votes it is the one that had the first of them; '' is none.
        """
        cdef Py_ssize_t size = self.first.shape[0]
        cdef int32_t[::1] room = np.zeros(2 * size + len(self.names) + 1, np.int32)
        cdef int32_t* times = &room[0]
        cdef int32_t* found = times + size
        cdef int32_t* voting = found + size
        cdef double[::1] votes = np.zeros(len(self.names) + 1)
        cdef Py_ssize_t each, place, known = 0, candidates = 0
        cdef int32_t number, language
        cdef double vote, most = 0.0, second = 0.0
        cdef str best = ""
        for each in range(count):
            number = self.numbers[_slot_of(self.slots, words[each])]
            if times[number] == 0:
                found[known] = number
                known += 1
            times[number] += 1
        for each in range(known):
            number = found[each]
            for place in range(self.first[number], self.first[number + 1]):
                language = self.languages[place]
                if votes[language] == 0.0:  # no vote is as little as that
                    voting[candidates] = language
                    candidates += 1
                votes[language] += <double> times[number] / self.roots[number]
        for each in range(candidates):
            vote = votes[voting[each]]
            if vote > most:
                most, second, best = vote, most, self.names[voting[each]]
            elif vote > second:
                second = vote
        return best, most, second


cdef enum:
    LONGEST = 8


@cython.boundscheck(False)
@cython.wraparound(False)
cdef inline Py_ssize_t _slot_of(const uint64_t[::1] slots, uint64_t word) noexcept:
    """Return where a word stands in a table, which has more slots than words, or else a free slot."""
    cdef Py_ssize_t mask = slots.shape[0] - 1
    cdef Py_ssize_t slot = <Py_ssize_t> (word * 0x9E3779B97F4A7C15u >> 40) & mask
    while slots[slot] and slots[slot] != word:
        slot = (slot + 1) & mask
    return slot


cdef bint _is_letter_beyond(uint32_t code) noexcept:
    """Return whether a character is a letter beyond the basic plane."""
    return 0x10000 <= code <= 0x10FFFF and (<Py_UCS4> code).isalnum()
