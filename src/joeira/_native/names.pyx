"""Kernel of `joeira.page.comments`: which of many names have one of some stems in them.

All stems are looked for at once: one bit of a number stands for each of their characters, and says
whether the name, as far as it was read, ends with the stem up to that character.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    const void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, const void* data, Py_ssize_t place)

cdef enum:
    BYTE = 256
    ASCII = 128
    MOST = 64  # characters of all stems


def numbers_with(tuple names, stems):
    """Return the numbers of the names that have one of the stems in them, whatever their case.

    Args:
        names: Names, of any characters.
        stems: In small letters of ASCII, together at most 64 characters.
    """
    cdef uint64_t[BYTE] places  # per character: where in the stems it stands
    cdef uint64_t begins = 0, ends = 0
    cdef Py_ssize_t bit = 0, number
    cdef int character
    cdef str name
    cdef list found = []
    memset(places, 0, sizeof(places))
    for name in stems:
        if not name or not name.isascii() or bit + len(name) > MOST:
            raise ValueError("stems are some letters of ASCII, at most 64 together")
        begins |= <uint64_t> 1 << bit
        for character in name.encode():
            places[character] |= <uint64_t> 1 << bit
            if c"a" <= character <= c"z":
                places[character - 32] |= <uint64_t> 1 << bit
            bit += 1
        ends |= <uint64_t> 1 << (bit - 1)
    for number in range(len(names)):
        name = names[number]
        if PyUnicode_KIND(name) != 1:
            name = name.lower()  # a letter beyond may become one of ASCII
        if has_stem(name, places, begins, ends):
            found.append(number)
    return found


cdef bint has_stem(str name, const uint64_t* places, uint64_t begins, uint64_t ends):
    cdef Py_ssize_t place, length = len(name)
    cdef int kind = PyUnicode_KIND(name)
    cdef const void* data = PyUnicode_DATA(name)
    cdef const uint8_t* small = <const uint8_t*> data
    cdef uint64_t state = 0
    cdef Py_UCS4 code
    if kind == 1:
        for place in range(length):
            state = (state << 1 | begins) & places[small[place]]
            if state & ends:
                return True
        return False
    for place in range(length):
        code = PyUnicode_READ(kind, data, place)
        state = (state << 1 | begins) & places[code] if code < ASCII else 0
        if state & ends:
            return True
    return False
