"""Kernels of those who ask what a page declares: in its head, and as linked data anywhere."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memchr, memcmp

cdef extern from *:
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    bint PyUnicode_IS_ASCII(object text)
    bint Py_UNICODE_ISSPACE(uint32_t code) nogil

cdef enum:
    MOST_SPACES = 8
    LONGEST_NAME = 40
    TYPE_SIZE = 7

cdef const char* TYPE = b'"@type"'

ctypedef fused Letter:
    uint8_t
    uint16_t
    uint32_t


def said(metas, facts, Py_ssize_t limit):
    """Return the longest description of a page, what ``og:type`` says, and the types of its things.

    Args:
        metas: Name, property and content of each ``<meta>``.
        facts: The scripts of linked data.
        limit: How much of each script is read.
    """
    cdef str name, other, content, description = "", kind = None
    cdef set types = set()
    for name, other, content in metas:
        if kind is None and (name == "og:type" or other == "og:type"):
            kind = content
        if len(content) > len(description) and (
            name == "description" or other == "og:description"
        ):
            description = content
    for content in facts:
        if PyUnicode_KIND(content) == 1:
            add_types(content, <const uint8_t*> PyUnicode_DATA(content), limit, types)
        elif PyUnicode_KIND(content) == 2:
            add_types(content, <const uint16_t*> PyUnicode_DATA(content), limit, types)
        else:
            add_types(content, <const uint32_t*> PyUnicode_DATA(content), limit, types)
    return description, "" if kind is None else kind, types


cdef int add_types(str text, const Letter* codes, Py_ssize_t limit, set types) except -1:
    """Add the names that follow ``"@type":``, or that begin a list there."""
    cdef Py_ssize_t size = min(PyUnicode_GET_LENGTH(text), limit), place = 0, begin, i
    cdef const void* found
    while True:
        # The sign is rare, and the letters around it are looked at where it is.
        if Letter is uint8_t:
            found = memchr(codes + place, c"@", size - place)
            place = <const uint8_t*> found - codes if found != NULL else size
        else:
            while place < size and codes[place] != c"@":
                place += 1
        if place + TYPE_SIZE - 1 > size:
            return 0
        begin = place - 1
        place += 1
        if begin < 0:
            continue
        for i in range(TYPE_SIZE):
            if codes[begin + i] != <uint8_t> TYPE[i]:
                break
        else:
            i = begin + TYPE_SIZE
            i = after_spaces(codes, i, size)
            if i == size or codes[i] != c":":
                continue
            i = after_spaces(codes, i + 1, size)
            if i < size and codes[i] == c"[":
                i += 1
            i = after_spaces(codes, i, size)
            if i == size or codes[i] != c'"':
                continue
            begin = i = i + 1
            while i < size and i - begin <= LONGEST_NAME and is_letter(codes[i]):
                i += 1
            if begin < i < size and i - begin <= LONGEST_NAME and codes[i] == c'"':
                types.add(text[begin:i])
                # Its last mark is no part of what comes next.
                place = i + 2
                if place > size:
                    return 0


cdef inline Py_ssize_t after_spaces(
    const Letter* codes, Py_ssize_t place, Py_ssize_t size
) noexcept nogil:
    cdef Py_ssize_t stop = min(size, place + MOST_SPACES)
    while place < stop and Py_UNICODE_ISSPACE(codes[place]):
        place += 1
    return place


cdef inline bint is_letter(uint32_t code) noexcept nogil:
    return c"a" <= (code | 32) <= c"z"


def addresses(links, metas, Py_ssize_t most):
    """Return the addresses that a page says are its own: of links, then of metas.

    Args:
        links: Relation and address of each ``<link>``.
        metas: Name, property and content of each ``<meta>``.
        most: So many of each are read.
    """
    cdef list found = []
    cdef str relation, other, address
    cdef Py_ssize_t count = 0
    for relation, address in links:
        if count < most and is_among("canonical", relation):
            found.append(address)
            count += 1
    count = 0
    for other, relation, address in metas:
        if count < most and is_among("og:url", relation):
            found.append(address)
            count += 1
    return found


cdef bint is_among(str word, str words) except -1:
    """Return whether a word, in small letters of ASCII, is one of some words, capitals or not."""
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(words), length = PyUnicode_GET_LENGTH(word)
    cdef Py_ssize_t place = 0, i
    cdef const uint8_t* codes
    cdef const uint8_t* wanted
    if size < length:
        return False
    if not PyUnicode_IS_ASCII(words):
        return word in words.lower().split()
    codes = <const uint8_t*> PyUnicode_DATA(words)
    wanted = <const uint8_t*> PyUnicode_DATA(word)
    if size == length and not memcmp(codes, wanted, size):
        return True
    while place + length <= size:
        for i in range(length):
            if lowered(codes[place + i]) != wanted[i]:
                break
        else:
            if place + length == size or Py_UNICODE_ISSPACE(codes[place + length]):
                return True
        while place < size and not Py_UNICODE_ISSPACE(codes[place]):
            place += 1
        while place < size and Py_UNICODE_ISSPACE(codes[place]):
            place += 1
    return False


cdef inline uint8_t lowered(uint8_t code) noexcept nogil:
    return code + 32 if c"A" <= code <= c"Z" else code


def named(metas, rows, dict otherwise):
    """Return the contents of metas by their names, each with its row and whether only microdata names it.

    Args:
        metas: Name, property and content of each ``<meta>``.
        rows: Of each.
        otherwise: Number, itemprop and http-equiv of those that have one of these.
    """
    cdef dict by_name = {}
    cdef str name, other, content, prop, header, key
    cdef Py_ssize_t number = 0
    if len(rows) != len(metas):
        raise ValueError("a row for each meta")
    for name, other, content in metas:
        if content and (number in otherwise or (name and other)):
            prop, header = otherwise.get(number, ("", ""))
            for key in {key_of(name), key_of(other), key_of(prop), key_of(header)}:
                add_content(by_name, key, content, rows[number], prop and not (name or other))
        elif content:  # as most are
            add_content(by_name, key_of(name or other), content, rows[number], False)
        number += 1
    return by_name


cdef int add_content(dict by_name, str key, str content, row, bint is_property) except -1:
    if not key:
        return 0
    if key not in by_name:
        by_name[key] = []
    (<list> by_name[key]).append((content, row, is_property))
    return 0


cdef str key_of(str name):
    """Return a name in small letters, without white space at its ends."""
    cdef Py_ssize_t place
    cdef const uint8_t* codes
    if PyUnicode_IS_ASCII(name):
        codes = <const uint8_t*> PyUnicode_DATA(name)
        for place in range(PyUnicode_GET_LENGTH(name)):
            if codes[place] <= c" " or c"A" <= codes[place] <= c"Z":
                break
        else:
            return name
    return name.strip().lower()


def related(str word, links):
    """Return the numbers of the links that have a word, in small letters of ASCII, in their relation.

    Args:
        word: The word.
        links: Relation and address of each ``<link>``.
    """
    cdef str relation
    cdef Py_ssize_t number = 0
    cdef list found = []
    for relation, _ in links:
        if is_among(word, relation):
            found.append(number)
        number += 1
    return found


def things(data, dict steps, Py_ssize_t most, Py_ssize_t most_seen):
    """Return path, depth and properties of the objects in plain data, as they are read.

    Args:
        data: What was read of JSON.
        steps: How much deeper than an object that is which it has by a name in small letters; 1 for others.
        most: So many values of a list are looked at.
        most_seen: So many objects and lists are looked at.
    """
    cdef list found = [], waiting = [("$", 0, data)], below
    cdef Py_ssize_t seen = 0, number, depth, step
    cdef str path, key
    while waiting and seen < most_seen:
        seen += 1
        path, depth, value = waiting.pop()
        below = []
        if isinstance(value, list):
            for number in range(min(len(<list> value), most)):
                each = (<list> value)[number]
                if isinstance(each, dict) or isinstance(each, list):
                    below.append((f"{path}[{number}]", depth, each))
        elif isinstance(value, dict):
            found.append((path, depth, value))
            for key, each in (<dict> value).items():
                if isinstance(each, dict) or isinstance(each, list):
                    step = steps.get(key.lower(), 1)
                    below.append((f"{path}.{key}", depth + step, each))
        below.reverse()
        waiting += below
    return found


def are_plain(dict names):
    """Return whether all keys are text of letters and digits of ASCII, and @."""
    cdef Py_ssize_t place
    cdef const uint8_t* codes
    cdef str name
    for name in names:
        if not PyUnicode_IS_ASCII(name):
            return False
        codes = <const uint8_t*> PyUnicode_DATA(name)
        for place in range(PyUnicode_GET_LENGTH(name)):
            if not (is_letter(codes[place]) or c"0" <= codes[place] <= c"9" or codes[place] == c"@"):
                return False
    return True
