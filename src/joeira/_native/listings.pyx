"""Kernel of `joeira.render.listings`: the texts of a listing, with the white space between them.

What is below an element comes as a list: True where an element begins and False where it ends, and the
characters of texts. Elements and texts that are not blank have rows.
"""

from libc.stdint cimport int32_t, uint8_t

cdef extern from *:
    bint Py_UNICODE_ISSPACE(Py_UCS4 code)

cdef enum:  # what a row is
    BREAK = 1  # of a line
    BLOCK = 2  # on lines of its own
    LINE = 4  # a line, by its name
    NOT_TEXT = 8  # nothing in it is text of the page
    LEFT_OUT = 16


def below(root, list nodes, types):
    """Return what is below an element, given by its nodes in the order of the source.

    A node is of one of the `types`, those of elements, texts and CDATA, or not looked at: a comment, or
    what holds the content of a template.
    """
    element_type, text_type, data_type = types
    cdef list tokens = [], open_nodes = [root]
    cdef Py_ssize_t hidden = 0  # of the open nodes, the first that is not looked at; 0 for none
    for node in nodes:
        parent = node.parent
        while open_nodes[len(open_nodes) - 1] is not parent:
            if len(open_nodes) == 1:
                return tokens  # this is below something else
            open_nodes.pop()
            if not hidden:
                tokens.append(False)
            elif hidden == len(open_nodes):
                hidden = 0
        if type(node) is element_type:
            open_nodes.append(node)
            if not hidden:
                tokens.append(True)
        elif type(node) is text_type or type(node) is data_type:
            if not hidden:
                tokens.append(node.data)
        else:
            open_nodes.append(node)
            if not hidden:
                hidden = len(open_nodes) - 1
    return tokens


def same_characters(str code, tuple texts):
    """Return whether texts have the characters of a code, white space aside."""
    cdef Py_ssize_t place = 0, size = len(code)
    cdef str text
    cdef Py_UCS4 character
    for text in texts:
        for character in text:
            if Py_UNICODE_ISSPACE(character):
                continue
            while place < size and Py_UNICODE_ISSPACE(code[place]):
                place += 1
            if place == size or code[place] != character:
                return False
            place += 1
    while place < size and Py_UNICODE_ISSPACE(code[place]):
        place += 1
    return place == size


cdef class Listing:
    """Reads one listing, of which `first` is the number of the first text."""

    cdef Py_ssize_t first
    cdef list parts
    cdef str gap
    cdef bint breaks, has_newline  # a line has ended; the last text ends with one

    def __init__(self, Py_ssize_t first):
        self.first = first

    def read(self, list tokens, rows, tuple texts, const uint8_t[::1] keep):
        """Return the kept texts: number, white space before, characters.

        Args:
            tokens: What is below the element, as `below` returns it.
            rows: From the row of the element on, how many rows its subtree and those below have, and
                the bits above.
            texts: The texts of the element.
            keep: Whether each of them is kept.
        """
        cdef const int32_t[::1] sizes = rows[0]
        cdef const uint8_t[::1] kinds = rows[1]
        cdef Py_ssize_t count = sizes.shape[0], row = 0, index = 0, until = 0, stop, place
        cdef Py_ssize_t hidden = 0  # open elements whose content is not looked at
        if kinds.shape[0] != count or keep.shape[0] != len(texts) or not count:
            raise ValueError("columns of a listing that do not fit each other")
        for place in range(count):
            if not 0 < sizes[place] <= count - place:
                raise ValueError("columns of a listing that do not fit each other")
        self.parts, self.gap, self.breaks, self.has_newline = [], "", False, True
        cdef list ends = []  # what each open element does where it ends
        cdef str text
        for token in tokens:
            if hidden:
                hidden += 1 if token is True else -1 if token is False else 0
            elif token is True:
                row += 1
                if row >= count:
                    break  # the page was cut here
                stop = row + sizes[row]
                if kinds[row] & LEFT_OUT:
                    until = max(until, stop)
                end = self._enter(kinds[row])
                if kinds[row] & NOT_TEXT:
                    row = max(row, stop - 1)
                    self._leave(end)  # what it holds changes nothing
                    hidden = 1
                else:
                    ends.append(end)
            elif token is False:
                self._leave(ends.pop())
            else:
                text = token
                if not text or text.isspace():
                    if row + 1 >= until:
                        self.gap += text
                    continue
                row += 1
                if index == len(texts):
                    break
                if keep[index] and row >= until:
                    self._add(self.first + index, texts[index])
                elif "\n" in text and not self._has_ended():
                    self.breaks = True
                index += 1
        return self.parts

    cdef _enter(self, uint8_t kind):
        """Begin an element, and return what is known of the line that it stands on."""
        if kind & BREAK:
            self.gap += "\n"
            return None
        if not kind & (BLOCK | LINE):
            return None
        if not self._has_ended():
            self.gap += "\n"
        return (kind & BLOCK != 0, len(self.parts), len(self.gap))

    cdef _leave(self, line):
        if line is None:
            return
        is_block, parts, gap = line
        if is_block and parts == len(self.parts) > 0 and "\n" not in self.gap[gap:]:
            self.gap += "\n"
        self.breaks = True

    cdef bint _has_ended(self):
        return self.has_newline or "\n" in self.gap

    cdef _add(self, Py_ssize_t index, str text):
        if self.breaks and not self._has_ended():
            self.gap = "\n" + self.gap
        self.parts.append((index, self.gap, text))
        self.gap, self.breaks = "", False
        self.has_newline = text.endswith("\n")
