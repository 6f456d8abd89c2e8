"""Kernels of `joeira.arrays.strings`: the characters of many strings, classified and counted."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

cdef extern from *:
    """
    static int joeira_has_surrogates(PyObject* text) {
        Py_ssize_t length = PyUnicode_GET_LENGTH(text), place;
        int kind = PyUnicode_KIND(text);
        const void* data = PyUnicode_DATA(text);
        int some = 0;
        /* Strings of one byte a character cannot have any. The others are read to their end, so
           that the compiler may look at many characters at once. */
        if (kind == PyUnicode_2BYTE_KIND) {
            const Py_UCS2* two = (const Py_UCS2*)data;
            for (place = 0; place < length; place++)
                some |= (two[place] & 0xF800) == 0xD800;
        } else if (kind == PyUnicode_4BYTE_KIND) {
            const Py_UCS4* four = (const Py_UCS4*)data;
            for (place = 0; place < length; place++)
                some |= (four[place] & 0xFFFFF800) == 0xD800;
        }
        return some;
    }

    /* Write the code points and classes of a text, and a line break after it. Code points beyond the
       table get the class 0; return whether there are any. */
    static int joeira_classify(PyObject* text, const uint16_t* table, uint32_t* codes,
                               uint16_t* classes) {
        Py_ssize_t length = PyUnicode_GET_LENGTH(text), place;
        int kind = PyUnicode_KIND(text), beyond = 0;
        const void* data = PyUnicode_DATA(text);
        if (kind == PyUnicode_1BYTE_KIND) {
            const Py_UCS1* one = (const Py_UCS1*)data;
            for (place = 0; place < length; place++) {
                codes[place] = one[place];
                classes[place] = table[one[place]];
            }
        } else if (kind == PyUnicode_2BYTE_KIND) {
            const Py_UCS2* two = (const Py_UCS2*)data;
            for (place = 0; place < length; place++) {
                codes[place] = two[place];
                classes[place] = table[two[place]];
            }
        } else {
            const Py_UCS4* four = (const Py_UCS4*)data;
            for (place = 0; place < length; place++) {
                codes[place] = four[place];
                classes[place] = four[place] < 0x10000 ? table[four[place]] : 0;
                beyond |= four[place] >= 0x10000;
            }
        }
        codes[length] = '\\n';
        classes[length] = table['\\n'];
        return beyond;
    }
    """
    bint joeira_has_surrogates(object text)
    bint joeira_classify(
        object text, const uint16_t* table, uint32_t* codes, uint16_t* classes
    )

# The flags of `joeira.arrays.strings`.
cdef enum:
    WORD = 1
    SPACE = 2
    UNSPACED = 64


def has_surrogates(str text):
    """Return whether a text has surrogates, which cannot be written as UTF-8."""
    return joeira_has_surrogates(text)


def classify(strings, const uint16_t[::1] table):
    """Return the code points and classes of all characters, and where each string begins.

    After each string comes a line break. `table` has the classes of the basic plane; the last value
    says whether there are characters beyond it, whose class is 0.
    """
    if table.shape[0] != 0x10000:
        raise ValueError("a table for another number of characters")
    cdef tuple texts = tuple(strings)
    cdef Py_ssize_t count = len(texts), number, total = 0
    cdef str text
    cdef bint beyond = False
    starts = np.empty(count, np.int64)
    cdef int64_t[::1] start = starts
    for number in range(count):
        text = texts[number]
        if text is None:
            raise TypeError("a text that is none")
        start[number] = total
        total += len(text) + 1
    codes, classes = np.empty(total, np.uint32), np.empty(total, np.uint16)
    cdef uint32_t[::1] code = codes
    cdef uint16_t[::1] kind = classes
    for number in range(count):
        beyond |= joeira_classify(
            texts[number], &table[0], &code[start[number]], &kind[start[number]]
        )
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
