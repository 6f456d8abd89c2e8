"""Kernel of `joeira.page.hiding`: a style sheet without the rules that are for other elements.

Sheets are read as they are written: comments, strings and addresses are passed over where they
stand, and what is anything but one plain rule stays.
"""

from cpython.unicode cimport PyUnicode_Substring
from libc.stdint cimport uint32_t

cdef extern from *:
    """
    static inline uint32_t joeira_at(int kind, const void* data, Py_ssize_t place) {
        return PyUnicode_READ(kind, data, place);
    }
    """
    uint32_t joeira_at(int kind, const void* data, Py_ssize_t place) nogil
    bint Py_UNICODE_ISSPACE(uint32_t character) nogil
    int PyUnicode_KIND(object text)
    const void* PyUnicode_DATA(object text)


cdef struct Sheet:
    int kind
    const void* data
    Py_ssize_t size


cdef inline uint32_t at(Sheet* sheet, Py_ssize_t place) noexcept nogil:
    return joeira_at(sheet.kind, sheet.data, place)


cdef inline bint is_space(uint32_t character) noexcept nogil:
    return Py_UNICODE_ISSPACE(character)


cdef Py_ssize_t after_comment(Sheet* sheet, Py_ssize_t place) noexcept nogil:
    """Return where a comment that begins at a place has ended."""
    place += 2
    while place + 1 < sheet.size:
        if at(sheet, place) == c"*" and at(sheet, place + 1) == c"/":
            return place + 2
        place += 1
    return sheet.size


cdef Py_ssize_t after_string(Sheet* sheet, Py_ssize_t place) noexcept nogil:
    """Return where a string that begins at a place has ended: at its quote, or with its line."""
    cdef uint32_t quote = at(sheet, place), character
    place += 1
    while place < sheet.size:
        character = at(sheet, place)
        if character == quote:
            return place + 1
        if character == c"\n":
            return place
        place += 2 if character == c"\\" else 1
    return sheet.size


cdef bint begins_address(Sheet* sheet, Py_ssize_t place) noexcept nogil:
    """Return whether a bracket is that of ``url(``, with no quote after it."""
    if place < 3:
        return False
    if (
        at(sheet, place - 3) | 32 != c"u"
        or at(sheet, place - 2) | 32 != c"r"
        or at(sheet, place - 1) | 32 != c"l"
    ):
        return False
    place += 1
    while place < sheet.size and is_space(at(sheet, place)):
        place += 1
    return place == sheet.size or at(sheet, place) not in (c'"', c"'")


cdef Py_ssize_t after_address(Sheet* sheet, Py_ssize_t place) noexcept nogil:
    """Return where the address that begins at a bracket has ended."""
    cdef uint32_t character
    while place < sheet.size:
        character = at(sheet, place)
        if character == c")":
            return place + 1
        place += 2 if character == c"\\" else 1
    return sheet.size


cdef inline bint is_escaped(Sheet* sheet, Py_ssize_t start, Py_ssize_t place) noexcept nogil:
    return place > start and at(sheet, place - 1) == c"\\"


cdef inline bint is_letter(uint32_t character) noexcept nogil:
    """Return whether a character may be part of a name as it is."""
    return (
        c"a" <= character | 32 <= c"z"
        or c"0" <= character <= c"9"
        or character == c"-"
        or character == c"_"
    )


cdef inline bint is_mark(uint32_t character) noexcept nogil:
    """Return whether a character stands for itself after a backslash, unlike digits."""
    return 32 < character < 127 and character != c"\\" and not is_letter(character)


cdef bint is_about(str text, Sheet* sheet, Py_ssize_t start, Py_ssize_t stop, frozenset names):
    """Return whether what a selector ends with may have one of some names."""
    cdef Py_ssize_t first, place, open_brackets = 0
    cdef uint32_t character
    cdef bint has_escapes = False
    cdef str name
    while stop > start and is_space(at(sheet, stop - 1)):
        stop -= 1
    if stop > start and at(sheet, stop - 1) == c"%":  # a moment of an animation
        return is_escaped(sheet, start, stop - 1)
    first = stop
    while first > start:
        character = at(sheet, first - 1)
        if is_space(character) or character == c">" or character == c"+" or character == c"~":
            break
        if not is_escaped(sheet, start, first - 1):
            open_brackets += (character == c"(") - (character == c")")
        first -= 1
    if open_brackets or is_escaped(sheet, start, first):  # it ends within brackets, or nobody knows
        return True
    for place in range(first, stop):  # what comes after a colon is about its state
        if at(sheet, place) == c":" and not is_escaped(sheet, first, place):
            stop = place
            break
    if first >= stop:
        return True
    place = stop
    while place > first:
        place -= 1
        character = at(sheet, place)
        if is_escaped(sheet, first, place):
            if not is_mark(character):
                return True
            has_escapes = True
            place -= 1
        elif character == c"." or character == c"#":
            if place + 1 == stop:  # no name
                return True
            break
        elif not is_letter(character):
            return True
    name = PyUnicode_Substring(text, place, stop)
    return (name.replace("\\", "") if has_escapes else name).lower() in names


cdef bint is_blank(Sheet* sheet, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    while start < stop and is_space(at(sheet, start)):
        start += 1
    return start >= stop


cdef bint[128] MARKS  # characters that may mean something between names and values
for _mark in "{}/\"'\\(),@;&":
    MARKS[ord(_mark)] = True


cdef enum:
    STAYS
    MAY_GO_EMPTY
    MAY_GO


cdef int at_rule(Sheet* sheet, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return whether an at-rule may go if nothing is in it: a layer would tell its place."""
    cdef uint32_t second
    while start < stop and is_space(at(sheet, start)):
        start += 1
    while start < stop and is_space(at(sheet, stop - 1)):
        stop -= 1
    if start + 1 >= stop or at(sheet, start) != c"@":
        return STAYS
    second = at(sheet, start + 1) | 32
    if second == c"f" and start + 10 == stop:  # font-face
        return MAY_GO
    if second != c"m" and second != c"k" and second != c"-":  # media, keyframes, -webkit-keyframes
        return STAYS
    while start < stop and at(sheet, start) != c";":
        start += 1
    return MAY_GO_EMPTY if start == stop else STAYS


cdef enum:  # what values of a property may hide, in the order of `Kind` in `joeira.page.hiding`
    OTHER
    ANY
    DISPLAY
    LINE
    FONT
    SIZE
    PLACE


cdef enum:  # units: the codes of their letters, one after the other
    PX = 0x7078
    PT = 0x7074
    EM = 0x656D
    REM = 0x72656D
    PERCENT = 0x25


cdef bint is_harmless(int kind, double amount, uint32_t unit) noexcept nogil:
    """Return whether an amount hides nothing as the value of a kind of property."""
    cdef bint is_px = unit == 0 or unit == PX
    cdef bint is_em = unit == EM or unit == REM
    if kind == FONT:
        return amount >= 4 and (is_px or is_em or unit == PT) or amount >= 25 and unit == PERCENT
    if kind == SIZE:
        return amount > 1 and (is_px or is_em or unit == PT or unit == PERCENT)
    if is_px:
        return -100 < amount < 700
    return -6 < amount < 40 and (is_em or unit == PERCENT)


cdef bint has_harm(Sheet* sheet, Py_ssize_t place, Py_ssize_t stop, int kind) noexcept nogil:
    """Return whether a value may hide something."""
    cdef uint32_t character, unit
    cdef double amount, step
    cdef bint is_negative = False
    while place < stop and is_space(at(sheet, place)):
        place += 1
    if kind == ANY:
        return True
    if stop - place > 4 and at(sheet, place) | 32 == c"v" and at(sheet, place + 3) == c"(":
        return True  # var(
    if kind == LINE:
        return place < stop and not c"1" <= at(sheet, place) <= c"9" and at(sheet, place) != c"n"
    if kind == DISPLAY:
        return place < stop and at(sheet, place) | 32 == c"n"
    while place < stop:
        character = at(sheet, place)
        if character == c"(":
            return True
        if c"0" <= character <= c"9" or character == c".":
            amount, step, unit = 0, 0, 0
            while place < stop:
                character = at(sheet, place)
                if character == c"." and step == 0:
                    step = 1
                elif c"0" <= character <= c"9":
                    amount = 10 * amount + (character - c"0")
                    step *= 10
                else:
                    break
                place += 1
            if step:
                amount /= step
            while place < stop:
                character = at(sheet, place)
                if c"a" <= character | 32 <= c"z":
                    unit = (unit << 8) | character | 32
                elif character == c"%":
                    unit = (unit << 8) | character
                else:
                    break
                place += 1
            if place < stop and (is_letter(at(sheet, place)) or at(sheet, place) == c"+"):
                return True  # an exponent, or no number at all
            if not is_harmless(kind, -amount if is_negative else amount, unit):
                return True
            is_negative = False
        elif is_letter(character) and character != c"-":  # a word
            while place < stop and is_letter(at(sheet, place)):
                place += 1
        else:
            is_negative = character == c"-"
            place += 1
    return False


cdef bint may_hide(str text, Sheet* sheet, Py_ssize_t start, Py_ssize_t stop, dict kinds):
    """Return whether declarations may hide something."""
    cdef Py_ssize_t place = start, colon = -1, name_end
    cdef uint32_t character
    cdef int kind
    while place <= stop:
        character = at(sheet, place) if place < stop else c";"
        if character == c";":
            if colon >= 0:
                while start < colon and is_space(at(sheet, start)):
                    start += 1
                name_end = colon
                while name_end > start and is_space(at(sheet, name_end - 1)):
                    name_end -= 1
                kind = kinds.get(PyUnicode_Substring(text, start, name_end).lower(), OTHER)
                if kind != OTHER and has_harm(sheet, colon + 1, place, kind):
                    return True
            start, colon = place + 1, -1
        elif character == c":" and colon < 0:
            colon = place
        elif character == c"\\" or character == c"*":  # escapes and comments
            return True
        place += 1
    return False


def concerning(str text, frozenset names, dict kinds=None):
    """Return a style sheet without the plain rules whose selectors all end with other names.

    `names` has tags, classes and ids as selectors have them, in lower case. With `kinds`, from
    properties to what of them may hide, rules that hide nothing are left out, too.
    """
    cdef Sheet sheet
    sheet.kind, sheet.data, sheet.size = PyUnicode_KIND(text), PyUnicode_DATA(text), len(text)
    cdef list kept = []
    # A piece is what lies between two ends of rules; all before `copied` was kept or left out.
    cdef Py_ssize_t place = 0, start = 0, copied = 0, selector = 0, braces = 0, open_brackets = 0
    # Where an at-rule begins that has nothing in it so far, and what was kept by then.
    cdef Py_ssize_t empty = -1, kept_before = 0, copied_before = 0
    cdef Py_ssize_t body = 0
    cdef uint32_t character
    cdef int kind = STAYS
    cdef bint stays = False, has_at = False, is_first = False, is_ours = False
    while place < sheet.size:
        character = at(&sheet, place)
        if character > c"}" or not MARKS[character]:
            place += 1
        elif character == c"{" and has_at and braces == 0 and open_brackets <= 0:
            kind = at_rule(&sheet, selector, place) if is_first else STAYS
            empty = -1 if kind == STAYS else start
            kept_before, copied_before = len(kept), copied
            place += 1
            start, selector, open_brackets = place, place, 0
            stays = has_at = is_ours = False
        elif character == c"{":
            braces += 1
            stays = stays or braces > 1
            is_ours = is_ours or stays or is_about(text, &sheet, selector, place, names)
            place += 1
            body = place
        elif character == c"}":
            if open_brackets > 0:  # in brackets braces mean nothing: the rest is left to others
                break
            place += 1
            if is_ours and not stays and kinds is not None:
                is_ours = may_hide(text, &sheet, body, place - 1, kinds)
            if braces == 1 and not stays and not is_ours:
                kept.append(PyUnicode_Substring(text, copied, start))
                copied = place
            elif (
                braces == 0
                and empty >= 0
                and (kind == MAY_GO or is_blank(&sheet, start, place - 1))
            ):
                del kept[kept_before:]
                kept.append(PyUnicode_Substring(text, copied_before, empty))
                copied, empty = place, -1
            else:
                empty = -1
            start, selector, braces, open_brackets = place, place, 0, 0
            stays = has_at = is_ours = False
        elif character == c"/" and place + 1 < sheet.size and at(&sheet, place + 1) == c"*":
            if braces == 0:
                stays = stays or not is_blank(&sheet, selector, place)
                selector = after_comment(&sheet, place)
            place = after_comment(&sheet, place)
        elif character == c'"' or character == c"'":
            place = after_string(&sheet, place)
        elif character == c"\\":
            place += 2
        elif character == c"(":
            if begins_address(&sheet, place):
                place = after_address(&sheet, place)
            else:
                open_brackets += 1
                place += 1
        elif character == c")":
            open_brackets -= 1
            place += 1
        elif braces == 0:
            if character == c",":
                is_ours = is_ours or is_about(text, &sheet, selector, place, names)
                selector = place + 1
            elif character == c"@":
                is_first = not stays
                stays = has_at = True
            else:
                stays = True
            place += 1
        else:
            place += 1
    if not kept:
        return text
    kept.append(PyUnicode_Substring(text, copied, sheet.size))
    return "".join(kept)
