"""Kernel of `joeira.render.listings`: the texts of a listing, with the white space between them.

Nodes come in the order of the source. Elements and texts that are not blank have rows, so that only
what is blank has to be looked at for what it says, and each node for its parent.
"""

from libc.stdint cimport int32_t, uint8_t

cdef enum:  # what a row is
    BREAK = 1  # of a line
    BLOCK = 2  # on lines of its own
    LINE = 4  # a line, by its name
    NOT_TEXT = 8  # nothing in it is text of the page
    LEFT_OUT = 16


cdef class Listing:
    """Reads one listing.

    A node is of one of the `types`, those of elements, texts and CDATA, or not looked at. `first` is
    the number of the first text.
    """

    cdef object element_type, text_type, data_type
    cdef Py_ssize_t first
    cdef list parts
    cdef str gap
    cdef bint breaks, has_newline  # a line has ended; the last text ends with one

    def __init__(self, types, Py_ssize_t first):
        self.element_type, self.text_type, self.data_type = types
        self.first = first

    def read(self, root, list nodes, rows, tuple texts, const uint8_t[::1] keep):
        """Return the kept texts: number, white space before, characters.

        Args:
            root: The element.
            nodes: What is below it, in order.
            rows: From the row of the element on, how many rows its subtree and those below have, and
                the bits above.
            texts: The texts of the element.
            keep: Whether each of them is kept.
        """
        cdef const int32_t[::1] sizes = rows[0]
        cdef const uint8_t[::1] kinds = rows[1]
        cdef Py_ssize_t count = sizes.shape[0], row = 0, index = 0, until = 0, stop, place
        if kinds.shape[0] != count or keep.shape[0] != len(texts) or not count:
            raise ValueError("columns of a listing that do not fit each other")
        for place in range(count):
            if not 0 < sizes[place] <= count - place:
                raise ValueError("columns of a listing that do not fit each other")
        self.parts, self.gap, self.breaks, self.has_newline = [], "", False, True
        cdef list open_nodes = [root], ends = [None]  # and what each does where it ends
        for node in nodes:
            parent = node.parent
            while open_nodes[len(open_nodes) - 1] is not parent:
                if len(open_nodes) == 1:
                    return self.parts  # this is below something else
                open_nodes.pop()
                self._leave(ends.pop())
            is_hidden = ends[len(ends) - 1] is False
            if type(node) is self.element_type:
                if is_hidden:
                    open_nodes.append(node)
                    ends.append(False)
                    continue
                row += 1
                if row >= count:
                    break  # the page was cut here
                stop = row + sizes[row]
                if kinds[row] & LEFT_OUT:
                    until = max(until, stop)
                open_nodes.append(node)
                end = self._enter(kinds[row])
                if kinds[row] & NOT_TEXT:
                    row = max(row, stop - 1)
                    self._leave(end)  # what it holds changes nothing
                    end = False
                ends.append(end)
            elif type(node) is self.text_type or type(node) is self.data_type:
                if is_hidden:
                    continue
                text = node.data
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
            else:  # a comment, or what holds the content of a template
                open_nodes.append(node)
                ends.append(False)
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
        if line is None or line is False:
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
