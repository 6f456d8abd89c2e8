"""Kernel of `joeira.page.parse`: UTF-8 as characters, the same as Python's own.

Most bytes of pages are ASCII, even where most of their text is not: these are copied as they are,
many at a time, into a string that has the right size from the beginning. Python finds out on its
way how wide characters are, and copies the string each time they are wider than it believed.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint8_t, uint16_t, uint32_t

cdef extern from "Python.h":
    str PyUnicode_New(Py_ssize_t size, uint32_t widest)
    void* PyUnicode_DATA(object text)

cdef extern from "loops.h":
    pass

cdef extern from *:
    """
    /* The number of bytes of ASCII at the beginning. */
    static ptrdiff_t joeira_ascii(const uint8_t* bytes, ptrdiff_t size)
    {
        ptrdiff_t done = 0;
        for (; size - done >= 32; done += 32) {
            uint64_t part[4];
            memcpy(part, bytes + done, 32);
            if ((part[0] | part[1] | part[2] | part[3]) & 0x8080808080808080u)
                break;
        }
        for (; size - done >= 8; done += 8) {
            uint64_t part;
            memcpy(&part, bytes + done, 8);
            if (part & 0x8080808080808080u)
                break;
        }
        while (done < size && bytes[done] < 0x80)
            done++;
        return done;
    }

    /* The number of bytes of the character beyond ASCII that begins here; 0 if there is none. */
    static int joeira_character(const uint8_t* bytes, ptrdiff_t size, uint32_t* code)
    {
        const int length = bytes[0] < 0xC2 ? 0 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4;
        uint32_t value = bytes[0] & (0x7F >> length);
        if (length == 0 || bytes[0] > 0xF4 || size < length)
            return 0;
        for (int i = 1; i < length; i++) {
            if ((bytes[i] & 0xC0) != 0x80)
                return 0;
            value = value << 6 | (bytes[i] & 0x3F);
        }
        if (value < (length == 2 ? 0x80u : length == 3 ? 0x800u : 0x10000u) || value > 0x10FFFF
            || (value >= 0xD800 && value < 0xE000))
            return 0;
        *code = value;
        return length;
    }

    /* How many characters there are, and every bit of those beyond ASCII; -1 if it is no UTF-8. */
    static ptrdiff_t joeira_measure(const uint8_t* bytes, ptrdiff_t size, uint32_t* bits)
    {
        ptrdiff_t done = 0, characters = 0;
        *bits = 0;
        while (done < size) {
            const ptrdiff_t plain = joeira_ascii(bytes + done, size - done);
            done += plain, characters += plain;
            for (; done < size && bytes[done] >= 0x80; characters++) {
                uint32_t code = 0;
                const int length = joeira_character(bytes + done, size - done, &code);
                if (length == 0)
                    return -1;
                *bits |= code, done += length;
            }
        }
        return characters;
    }

    /* Write so many characters; tell whether there are as many. */
    #define JOEIRA_DECODE(name, type)                                                        \\
        JOEIRA_CLONES static void name##_plain(const uint8_t* bytes, ptrdiff_t size, type* to) \\
        {                                                                                    \\
            for (ptrdiff_t i = 0; i < size; i++)                                             \\
                to[i] = bytes[i];                                                            \\
        }                                                                                    \\
        static int name(const uint8_t* bytes, ptrdiff_t size, type* to, ptrdiff_t left)      \\
        {                                                                                    \\
            ptrdiff_t done = 0;                                                              \\
            while (done < size) {                                                            \\
                const ptrdiff_t plain = joeira_ascii(bytes + done, size - done);             \\
                if (plain > left)                                                            \\
                    return 0;                                                                \\
                name##_plain(bytes + done, plain, to);                                       \\
                done += plain, to += plain, left -= plain;                                   \\
                for (; done < size && bytes[done] >= 0x80; left--) {                         \\
                    uint32_t code = 0;                                                       \\
                    const int length = joeira_character(bytes + done, size - done, &code);   \\
                    if (length == 0 || left == 0)                                            \\
                        return 0;                                                            \\
                    *to++ = (type)code, done += length;                                      \\
                }                                                                            \\
            }                                                                                \\
            return left == 0;                                                                \\
        }
    JOEIRA_DECODE(joeira_decode1, uint8_t)
    JOEIRA_DECODE(joeira_decode2, uint16_t)
    JOEIRA_DECODE(joeira_decode4, uint32_t)
    """
    Py_ssize_t joeira_measure(const uint8_t* data, Py_ssize_t size, uint32_t* bits) noexcept nogil
    bint joeira_decode1(
        const uint8_t* data, Py_ssize_t size, uint8_t* to, Py_ssize_t left
    ) noexcept nogil
    bint joeira_decode2(
        const uint8_t* data, Py_ssize_t size, uint16_t* to, Py_ssize_t left
    ) noexcept nogil
    bint joeira_decode4(
        const uint8_t* data, Py_ssize_t size, uint32_t* to, Py_ssize_t left
    ) noexcept nogil


def utf8(data):
    """Return bytes as characters; None if they are no UTF-8.

    They are read twice. If somebody writes to them meanwhile, that is seen: no more is written than
    there is room for.
    """
    cdef Py_buffer given
    PyObject_GetBuffer(data, &given, PyBUF_SIMPLE)
    try:
        return decoded(<const uint8_t*>given.buf, given.len)
    finally:
        PyBuffer_Release(&given)


cdef str decoded(const uint8_t* data, Py_ssize_t size):
    cdef uint32_t bits = 0
    cdef Py_ssize_t characters
    cdef bint is_whole
    with nogil:
        characters = joeira_measure(data, size, &bits)
    if characters < 0:
        return None
    if characters < 2:  # there is one object for each of these
        return bytes(data[:size]).decode("utf-8", "replace")
    cdef str text = PyUnicode_New(
        characters, 0x7F if bits == 0 else 0xFF if bits < 0x100 else 0xFFFF if bits < 0x10000 else 0x10FFFF
    )
    cdef void* to = PyUnicode_DATA(text)
    with nogil:
        if bits < 0x100:
            is_whole = joeira_decode1(data, size, <uint8_t*>to, characters)
        elif bits < 0x10000:
            is_whole = joeira_decode2(data, size, <uint16_t*>to, characters)
        else:
            is_whole = joeira_decode4(data, size, <uint32_t*>to, characters)
    return text if is_whole else None
