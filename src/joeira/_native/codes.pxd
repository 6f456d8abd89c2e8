"""What kernels share that read characters of one, two or four bytes."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memchr

cdef extern from *:
    """
    #include <wchar.h>

    #include "loops.h"

    static Py_ssize_t joeira_find4(const uint32_t* text, Py_ssize_t place, Py_ssize_t stop, uint32_t wanted)
    {
    #if WCHAR_MAX > 0xFFFF /* not on Windows: then the system has a loop of its own for it */
        const wchar_t* at = wmemchr((const wchar_t*)text + place, (wchar_t)wanted, stop - place);
        return at ? at - (const wchar_t*)text : stop;
    #else
        while (place < stop && text[place] != wanted)
            place++;
        return place;
    #endif
    }

    /* A string of code points. */
    JOEIRA_UNUSED static PyObject* joeira_string(const uint32_t* codes, Py_ssize_t size)
    {
        uint32_t widest = joeira_bits(codes, size); /* as wide as the widest of them */
        PyObject* string;
        if (widest > 0x10FFFF) { /* by one of them, or by several together */
            for (Py_ssize_t place = 0; place < size; place++)
                if (codes[place] > 0x10FFFF) {
                    PyErr_SetString(PyExc_ValueError, "a code point of no character");
                    return NULL;
                }
            widest = 0x10FFFF;
        }
        if (size < 2) /* there is one object for each of these */
            return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, codes, size);
        string = PyUnicode_New(size, widest);
        if (string == NULL)
            return NULL;
        if (widest < 0x100)
            joeira_narrow1(codes, size, PyUnicode_1BYTE_DATA(string));
        else if (widest < 0x10000)
            joeira_narrow2(codes, size, PyUnicode_2BYTE_DATA(string));
        else
            memcpy(PyUnicode_4BYTE_DATA(string), codes, size * sizeof(uint32_t));
        return string;
    }
    """
    str joeira_string(const uint32_t* codes, Py_ssize_t size)
    Py_ssize_t joeira_find4(
        const uint32_t* text, Py_ssize_t place, Py_ssize_t stop, uint32_t wanted
    ) noexcept nogil
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    object PyUnicode_FromKindAndData(int kind, const void* data, Py_ssize_t size)

cdef extern from "loops.h" nogil:
    Py_ssize_t joeira_count1(const uint8_t* text, Py_ssize_t size, uint8_t wanted) noexcept
    Py_ssize_t joeira_count2(const uint16_t* text, Py_ssize_t size, uint16_t wanted) noexcept
    Py_ssize_t joeira_count4(const uint32_t* text, Py_ssize_t size, uint32_t wanted) noexcept
    bint joeira_classify1(
        const uint8_t* text, Py_ssize_t size, const uint16_t* table, uint32_t* codes, uint16_t* classes
    ) noexcept
    bint joeira_classify2(
        const uint16_t* text, Py_ssize_t size, const uint16_t* table, uint32_t* codes, uint16_t* classes
    ) noexcept
    bint joeira_classify4(
        const uint32_t* text, Py_ssize_t size, const uint16_t* table, uint32_t* codes, uint16_t* classes
    ) noexcept

ctypedef fused Code:
    uint8_t
    uint16_t
    uint32_t


cdef inline Py_ssize_t find(
    const Code* text, Py_ssize_t place, Py_ssize_t stop, Code wanted
) noexcept nogil:
    """Return where a character comes next; `stop` where it does not come."""
    cdef const void* at
    if place >= stop:
        return stop
    if Code is uint8_t:
        at = memchr(text + place, wanted, stop - place)
        return <const uint8_t*> at - text if at else stop
    elif Code is uint16_t:  # by its lower byte, wherever that may be
        while place < stop:
            at = memchr(text + place, wanted, (stop - place) * sizeof(Code))
            if not at:
                return stop
            place = (<const char*> at - <const char*> text) // <Py_ssize_t> sizeof(Code)
            if text[place] == wanted:
                return place
            place += 1
        return stop
    else:
        return joeira_find4(text, place, stop, wanted)


cdef inline Py_ssize_t count(const Code* text, Py_ssize_t size, Code wanted) noexcept nogil:
    """Return how often a character comes."""
    if Code is uint8_t:
        return joeira_count1(text, size, wanted)
    elif Code is uint16_t:
        return joeira_count2(text, size, wanted)
    else:
        return joeira_count4(text, size, wanted)


cdef inline bint begins(
    const Code* text, Py_ssize_t place, Py_ssize_t stop, const char* wanted, Py_ssize_t length
) noexcept nogil:
    """Return whether some characters of ASCII stand at a place."""
    cdef Py_ssize_t i
    if stop - place < length:
        return False
    for i in range(length):
        if text[place + i] != <Code> wanted[i]:
            return False
    return True


cdef inline bint is_name(
    const Code* text, Py_ssize_t start, Py_ssize_t stop, const char* wanted, Py_ssize_t length
) noexcept nogil:
    """Return whether some characters are just these of ASCII."""
    return stop - start == length and begins(text, start, stop, wanted, length)


cdef inline bint has_end_tag(const Code* text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return whether an end tag may begin somewhere."""
    while True:
        start = find(text, start, stop, <Code> c"<") + 1
        if start >= stop:
            return False
        if text[start] == c"/":
            return True


cdef inline bint classify(
    const Code* text, Py_ssize_t size, const uint16_t* table, uint32_t* codes, uint16_t* classes
) noexcept nogil:
    """Write code points and classes of characters; return whether some are not in the table."""
    if Code is uint8_t:
        return joeira_classify1(text, size, table, codes, classes)
    elif Code is uint16_t:
        return joeira_classify2(text, size, table, codes, classes)
    else:
        return joeira_classify4(text, size, table, codes, classes)
