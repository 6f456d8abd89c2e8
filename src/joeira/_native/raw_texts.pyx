"""Kernel of `joeira.page.left_out`: a source without the long texts of its scripts and style sheets.

They are looked for where they most likely are, without a parser: whoever parses what is left sees
whether each of them was the text of a script or a style sheet. For `joeira.page.embedded`, the long
strings in such a text.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from joeira._native.codes cimport (
    Code,
    PyUnicode_DATA,
    PyUnicode_FromKindAndData,
    PyUnicode_GET_LENGTH,
    PyUnicode_KIND,
    begins,
    count,
    find,
    has_end_tag,
)

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(uint32_t code) nogil

cdef extern from "loops.h":
    pass

cdef extern from *:
    """
    enum { JOEIRA_NEAR = 64 };
    /* Does one of the next characters begin a comment, or a tag whose name begins with n or s? */
    #define JOEIRA_HAS_TAG(name, type)                                                   \\
        JOEIRA_CLONES static int name(const type* text) {                                \\
            type some = 0;                                                               \\
            for (int i = 0; i < JOEIRA_NEAR; i++) {                                      \\
                const type next = text[i + 1];                                           \\
                some |= (type)((text[i] == '<')                                          \\
                               & (((next | 32) == 's') | ((next | 32) == 'n') | (next == '!'))); \\
            }                                                                            \\
            return some != 0;                                                            \\
        }
    JOEIRA_HAS_TAG(joeira_has_tag1, uint8_t)
    JOEIRA_HAS_TAG(joeira_has_tag2, uint16_t)
    JOEIRA_HAS_TAG(joeira_has_tag4, uint32_t)
    """
    enum:
        NEAR "JOEIRA_NEAR"
    bint joeira_has_tag1(const uint8_t* text) noexcept nogil
    bint joeira_has_tag2(const uint16_t* text) noexcept nogil
    bint joeira_has_tag4(const uint32_t* text) noexcept nogil

cdef enum:
    MARK = 1  # between two of this character is the number that stands for a text
    MARK_CHARS = 24  # enough for any of them
    ENCODING_BYTES = 1024  # where parsers look for the name of an encoding, and nothing moves


def leave_out(source, Py_ssize_t least):
    """Return a source without the long texts of scripts and styles, and where these begin and end.

    At least so many characters are long. A number between marks stands for each. What may be JSON
    stays, since most pages are asked for it, and what has an end tag in it. Of bytes, which are UTF-8
    or something like it, only texts of ASCII count, and none in the first of them.
    """
    cdef str text
    cdef bytes data
    if isinstance(source, bytes):
        data = source
        return without(<const uint8_t*> PyBytes_AS_STRING(data), len(data), least, True)
    text = source
    cdef int kind = PyUnicode_KIND(text)
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text)
    if kind == 1:
        return without(<const uint8_t*> PyUnicode_DATA(text), size, least, False)
    if kind == 2:
        return without(<const uint16_t*> PyUnicode_DATA(text), size, least, False)
    return without(<const uint32_t*> PyUnicode_DATA(text), size, least, False)


cdef tuple without(const Code* text, Py_ssize_t size, Py_ssize_t least, bint is_bytes):
    cdef list places = []
    if not count(text, size, <Code> MARK):  # so that no text is taken for a number
        scan(text, size, max(least, <int> MARK_CHARS), is_bytes, places)
    if not places:
        return None, places
    cdef Code* rest = <Code*> PyMem_Malloc(size * sizeof(Code))  # marks are shorter than texts
    cdef Py_ssize_t held = 0, last = 0, start, stop, place, number = 0
    cdef bytes mark
    if not rest:
        raise MemoryError
    try:
        for start, stop in places:
            memcpy(rest + held, text + last, (start - last) * sizeof(Code))
            held += start - last
            rest[held] = MARK
            mark = b"%d" % number
            for place in range(len(mark)):
                rest[held + 1 + place] = <uint8_t> mark[place]
            rest[held + 1 + len(mark)] = MARK
            held += 2 + len(mark)
            last = stop
            number += 1
        memcpy(rest + held, text + last, (size - last) * sizeof(Code))
        held += size - last
        if is_bytes:
            return PyBytes_FromStringAndSize(<const char*> rest, held), places
        return PyUnicode_FromKindAndData(sizeof(Code), rest, held), places
    finally:
        PyMem_Free(rest)


cdef int scan(
    const Code* text, Py_ssize_t size, Py_ssize_t least, bint is_bytes, list places
) except -1:
    """Find the texts."""
    cdef Py_ssize_t place = 0, name, start, stop
    cdef bint is_script
    while True:
        place = next_tag(text, place, size)
        name = place + 1
        if name >= size:
            return 0
        if text[name] == c"!":
            place = after_comment(text, name + 1, size)
        elif is_named(text, name, size, b"svg", 3):
            # Scripts and styles are written in another way there.
            place = next_end_tag(text, name, size, b"svg", 3)
        elif is_named(text, name, size, b"noscript", 8):
            place = next_end_tag(text, name, size, b"noscript", 8)
        elif is_named(text, name, size, b"script", 6) or is_named(text, name, size, b"style", 5):
            is_script = text[name + 1] | 32 == c"c"
            start = after_tag(text, name, size)
            stop = (
                next_end_tag(text, start, size, b"script", 6)
                if is_script
                else next_end_tag(text, start, size, b"style", 5)
            )
            if (
                stop < size
                and stop - start >= least
                and not (is_script and may_be_data(text, name, start))
                and not (is_script and has_comment(text, start, stop))
                and not has_end_tag(text, start, stop)
                and not (is_bytes and (start < ENCODING_BYTES or not is_ascii(text, start, stop)))
            ):
                places.append((start, stop))
            place = stop
        else:
            place = name


cdef Py_ssize_t next_tag(const Code* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Return where a comment comes next, or a tag whose name begins with n or s."""
    cdef bint has_tag
    while place + NEAR < size:
        if Code is uint8_t:
            has_tag = joeira_has_tag1(text + place)
        elif Code is uint16_t:
            has_tag = joeira_has_tag2(text + place)
        else:
            has_tag = joeira_has_tag4(text + place)
        if has_tag:
            break
        place += NEAR
    while place + 1 < size:
        if text[place] == c"<":
            if text[place + 1] | 32 in (c"n", c"s") or text[place + 1] == c"!":
                return place
        place += 1
    return size


cdef inline bint ends_name(Code code) noexcept nogil:
    return code in (c">", c"/", c" ", c"\t", c"\n", c"\f", c"\r")


cdef bint is_named(
    const Code* text, Py_ssize_t place, Py_ssize_t size, const char* name, Py_ssize_t length
) noexcept nogil:
    """Return whether the name of a tag is this one, in letters of either case."""
    cdef Py_ssize_t i
    if place + length >= size:
        return False
    for i in range(length):
        if text[place + i] | 32 != <Code> name[i]:
            return False
    return ends_name(text[place + length])


cdef Py_ssize_t next_end_tag(
    const Code* text, Py_ssize_t place, Py_ssize_t size, const char* name, Py_ssize_t length
) noexcept nogil:
    """Return where an end tag of some name comes next."""
    while True:
        place = find(text, place, size, <Code> c"<")
        if place >= size or (
            begins(text, place, size, b"</", 2) and is_named(text, place + 2, size, name, length)
        ):
            return place
        place += 1


cdef Py_ssize_t after_comment(const Code* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Return what comes after a comment, from after its ``<!`` on, or after that of anything else."""
    if not begins(text, place, size, b"--", 2):
        return place
    while place < size:
        place = find(text, place, size, <Code> c">") + 1
        if text[place - 2] == c"-" and text[place - 3] == c"-":
            return place
    return place


cdef Py_ssize_t after_tag(const Code* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Return what comes after a tag; a sign in quotes does not end it."""
    while place < size and text[place] != c">":
        if text[place] == c'"' or text[place] == c"'":
            place = find(text, place + 1, size, text[place])
        place += 1
    return min(place + 1, size)


cdef bint may_be_data(const Code* text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return whether a start tag may say that its text is JSON."""
    cdef Py_ssize_t place
    for place in range(start, stop - 3):
        if text[place] == c"&":  # whatever it stands for
            return True
        if text[place] | 32 == c"j" and text[place + 1] | 32 == c"s":
            if text[place + 2] | 32 == c"o" and text[place + 3] | 32 == c"n":
                return True
    return False


cdef bint has_comment(const Code* text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return whether a comment begins in a script: scripts in it would have end tags of their own."""
    while True:
        start = find(text, start, stop, <Code> c"<")
        if start >= stop or begins(text, start, stop, b"<!--", 4):
            return start < stop
        start += 1


cdef bint is_ascii(const Code* text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    cdef Py_ssize_t place
    cdef Code all_bits = 0
    for place in range(start, stop):
        all_bits |= text[place]
    return all_bits < 128


def literals(str text, Py_ssize_t least, Py_ssize_t most):
    """Return the strings in double quotes of at least so many characters, but no more than so many.

    Each as written, after the characters before that string among those since the last long one that
    is the last not to follow a comma alone, and the beginning of the string before it; '' and None if
    there is no such string.
    """
    cdef int kind = PyUnicode_KIND(text)
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text)
    cdef list found = []
    if kind == 1:
        add_literals(<const uint8_t*> PyUnicode_DATA(text), size, text, least, most, found)
    elif kind == 2:
        add_literals(<const uint16_t*> PyUnicode_DATA(text), size, text, least, most, found)
    else:
        add_literals(<const uint32_t*> PyUnicode_DATA(text), size, text, least, most, found)
    return found


cdef enum:
    LAST_CHARS = 60  # of the string before another: names are no longer


cdef int add_literals(
    const Code* text, Py_ssize_t size, str whole, Py_ssize_t least, Py_ssize_t most, list found
) except -1:
    cdef Py_ssize_t place = 0, start, stop, piece, last = 0, last_stop = 0
    # Of the string that decides: what stands before it, and the string before that.
    cdef Py_ssize_t before = -1, before_stop = 0, named = 0, named_stop = 0
    while len(found) < most:
        start = find(text, place, size, <Code> c'"') + 1
        if start > size:
            return 0
        piece = start
        stop = find(text, piece, size, <Code> c'"')
        while is_escaped(text, piece, stop):
            if stop == size:
                return 0
            piece = stop + 1
            stop = find(text, piece, size, <Code> c'"')
        if not is_comma(text, place, start - 1):
            before, before_stop, named, named_stop = place, start - 1, last, last_stop
        if stop - start >= least:
            raw = whole[start:stop]
            if before < 0:
                found.append((None, "", raw))
            else:
                found.append((whole[before:before_stop], whole[named:named_stop], raw))
            before = -1
        last, last_stop = start, min(stop, start + <int> LAST_CHARS)
        if stop == size:
            return 0
        place = stop + 1
    return 0


cdef bint is_escaped(const Code* text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return whether characters end with an odd number of backslashes."""
    cdef Py_ssize_t place = stop
    while place > start and text[place - 1] == c"\\":
        place -= 1
    return (stop - place) & 1


cdef bint is_comma(const Code* text, Py_ssize_t start, Py_ssize_t stop) noexcept:
    """Return whether characters are a comma and nothing else than white space."""
    while start < stop and Py_UNICODE_ISSPACE(text[start]):
        start += 1
    if start == stop or text[start] != c",":
        return False
    start += 1
    while start < stop and Py_UNICODE_ISSPACE(text[start]):
        start += 1
    return start == stop
