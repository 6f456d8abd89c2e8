"""Kernel of `joeira.render.text`: the rows of a page whose content is prose and lists, as blocks.

The grammar is that of `joeira.render.events`, without what is seldom: where there are terms, or cells
outside of lines, the kernel answers False, and the reference writes the page from its beginning.
Runs of text are put into the innermost frame, or into the open cell of a table. A writer hears of
the parts of tables that open and close, of listings, and of what is set higher or lower than its
line.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t

cdef extern from *:
    """
    /* Whether a text has white space only as single spaces between other characters. */
    static int joeira_is_collapsed(PyObject* text) {
        Py_ssize_t length = PyUnicode_GET_LENGTH(text), place;
        int kind = PyUnicode_KIND(text), was_space = 1;
        const void* data = PyUnicode_DATA(text);
        for (place = 0; place < length; place++) {
            Py_UCS4 character = PyUnicode_READ(kind, data, place);
            int is_space = character > 32 && character < 127 ? 0 : Py_UNICODE_ISSPACE(character);
            if (is_space && (was_space || character != ' '))
                return 0;
            was_space = is_space;
        }
        return !was_space || length == 0;
    }
    """
    bint joeira_is_collapsed(object text)

cdef enum:  # what a tag is, in the order of `Role` in `joeira.render.text`
    OTHER
    TEXT
    LIST
    COUNTED_LIST
    ITEM
    QUOTATION
    FIGURE
    CAPTION
    HEADING
    BREAK
    RULE
    SELDOM
    SCRIPT
    LINE
    CELL
    TABLE_CAPTION
    TABLE  # not by its tag

cdef enum:  # rows that are more than their tags say
    LISTING = 1
    DATA_TABLE = 2

cdef enum:  # bits beside that
    KIND = 15
    NO_HEADING = 16  # a heading around one of these is none
    PROSE = 32  # it stands apart in items, too
    OPTION = 64  # it stands close to another


cdef str LINE_GAP = "\n"
cdef str PARAGRAPH_GAP = "\n\n"


cdef class Frame:
    """The blocks of a list, an item or the whole output: see `joeira.render.events.Frame`."""

    cdef str first, rest
    cdef list parts, gaps
    cdef bint is_list, is_loose, has_paragraphs, ends_with_list
    cdef long number  # of the next item of a numbered list; 0 in others

    def __init__(self, str first, str rest, bint is_list):
        self.first, self.rest, self.is_list = first, rest, is_list
        self.parts, self.gaps = [], []
        self.is_loose = self.has_paragraphs = self.ends_with_list = False
        self.number = 0

    cdef add(self, str text, str gap):
        if self.parts and gap is PARAGRAPH_GAP:
            self.has_paragraphs = True
        self.parts.append(text)
        self.gaps.append(gap)
        self.ends_with_list = False

    cdef str text(self):
        """Return all blocks."""
        cdef Py_ssize_t place
        if len(self.parts) == 1:
            return self.parts[0]
        if self.is_list and self.is_loose:
            return PARAGRAPH_GAP.join(self.parts)
        pieces = []
        for place in range(len(self.parts)):
            if place:
                pieces.append(self.gaps[place])
            pieces.append(self.parts[place])
        return "".join(pieces)


cdef str indented(str text, str first, str rest):
    """Return a text with something before its first and its other lines."""
    if not rest or "\n" not in text:
        return first + text
    blank = rest.rstrip()
    lines = text.split("\n")
    for place in range(1, len(lines)):
        line = lines[place]
        lines[place] = rest + line if line else blank
    return first + "\n".join(lines)


cdef class Blocks:
    """Writes the kept texts of a page.

    `roles` has what each known tag is. See `Writer` in ``text.pyi`` for what a writer is told and
    asked; it has a `cell` while a table is open.
    """

    cdef const uint8_t[::1] roles
    cdef object writer, is_anchor
    cdef Py_ssize_t max_frames
    cdef tuple texts
    cdef const int32_t[::1] known_tag, end, text_index, block_owner, block_first
    cdef const uint8_t[::1] keep, space, linked, special
    # The open containers: what each is, the row that it ends before, whether the page has it.
    cdef uint8_t[::1] container
    cdef int32_t[::1] container_end
    cdef uint8_t[::1] is_implied
    cdef Py_ssize_t top
    # The open frames: runs are put into the last one.
    cdef list frames
    cdef Frame frame
    cdef bint was_option
    # The open run.
    cdef list pieces
    cdef dict boxes  # before items of lists of tasks
    cdef bint is_open, in_heading
    cdef int32_t run_block, run_row, breaks
    # The open table, and whether something was met that is not written here.
    cdef bint in_table, has_failed
    # What is set higher or lower: where it ends, its row; the one that is open in the run, and where
    # that begins in it; where digits would continue a power.
    cdef int32_t script_end, script_row, open_script
    cdef Py_ssize_t script_start, after_power
    cdef bint is_script_linked
    cdef int32_t skipped_end

    def __init__(self, roles, is_anchor, Py_ssize_t max_frames):
        """Take what tags are, a test for what headings link to themselves with, and a limit.

        Frames within more than so many others do not indent.
        """
        self.roles = roles
        self.is_anchor = is_anchor
        self.max_frames = max_frames

    def write(self, writer, tuple texts, rows, per_text, blocks, special):
        """Return the text, or None if there is something that is not written here.

        Args:
            writer: What is told about runs and lists.
            texts: All texts of the page.
            rows: Known tag, end and number of texts before each row, one more of the last.
            per_text: Whether each text is kept, has a space before it, is linked.
            blocks: Owner of each block, and number of its first text, one more of the last.
            special: Per row: 1 if a listing of which a text is kept begins with it, 2 for a table of
                data.
        """
        self.writer, self.texts = writer, texts
        self.known_tag, self.end, self.text_index = rows
        self.keep, self.space, self.linked = per_text
        self.block_owner, self.block_first = blocks
        self.special = special
        self.boxes = writer.boxes
        self._check()
        cdef Py_ssize_t count = self.known_tag.shape[0], row
        cdef Py_ssize_t first = -1, last = -1
        cdef const int32_t[::1] index = self.text_index
        kept_before = np.zeros(len(texts) + 1, np.int32)
        alone = np.zeros(count, np.uint8)
        cdef int32_t[::1] kept = kept_before
        cdef uint8_t[::1] is_heading = alone
        cdef Py_ssize_t number, blocker = count
        cdef uint8_t role
        for number in range(self.keep.shape[0]):
            kept[number + 1] = kept[number] + (self.keep[number] != 0)
        for row in range(count - 1, -1, -1):
            role = self.roles[self.known_tag[row]]
            if role <= TEXT or kept[index[self.end[row]]] == kept[index[row]]:
                if role == TEXT and self.keep[index[row]]:
                    first = row
                    last = max(last, row)
                continue
            if role & KIND == SELDOM:
                return None
            if role & KIND == HEADING and blocker >= self.end[row]:
                is_heading[row] = True
            if role & NO_HEADING:
                blocker = row
        self._begin(count)
        if first >= 0:
            for row in range(count):
                if row >= self.skipped_end:
                    self._pass(row, first, last, kept, is_heading)
                    if self.has_failed:
                        return None
        while self.top > 0:
            self._close_container()
        self._close_run()
        return self.frame.text()

    cdef _check(self):
        """Refuse columns that do not fit each other."""
        cdef Py_ssize_t count = self.known_tag.shape[0], texts = len(self.texts)
        cdef Py_ssize_t row, number
        cdef Py_ssize_t blocks = self.block_owner.shape[0]
        if (
            self.end.shape[0] != count
            or self.special.shape[0] != count
            or self.text_index.shape[0] != count + 1
            or min(self.keep.shape[0], self.space.shape[0], self.linked.shape[0]) != texts
            or max(self.keep.shape[0], self.space.shape[0], self.linked.shape[0]) != texts
            or self.block_first.shape[0] != blocks + 1
            or self.block_first[blocks] != texts
            or (texts and not blocks)
        ):
            raise ValueError("columns that do not fit each other")
        for row in range(count):
            if not (
                0 <= self.known_tag[row] < self.roles.shape[0]
                and row < self.end[row] <= count
                and 0 <= self.text_index[row] <= texts
                and (self.known_tag[row] != 0 or self.text_index[row] < texts)
            ):
                raise ValueError("a row beyond its bounds")
        if not 0 <= self.text_index[count] <= texts:
            raise ValueError("more texts than there are")
        for number in range(blocks):
            if not (
                0 <= self.block_owner[number] < count
                and 0 <= self.block_first[number] <= self.block_first[number + 1]
            ):
                raise ValueError("a block beyond its bounds")

    cdef _begin(self, Py_ssize_t count):
        # An element opens at most two: itself and what it lacks around it, or in it.
        size = 3 * count + 3
        self.container = np.zeros(size, np.uint8)
        self.container_end = np.zeros(size, np.int32)
        self.is_implied = np.zeros(size, np.uint8)
        self.container_end[0] = count + 1
        self.top = 0
        self.frame = Frame("", "", False)
        self.frames = [self.frame]
        self.pieces, self.is_open, self.in_heading = [], False, False
        self.run_block, self.run_row, self.breaks, self.was_option = -1, -1, 0, False
        self._heading_end, self._heading_row, self._block = -1, -1, 0
        self.in_table, self.has_failed, self.skipped_end = False, False, -1
        self.script_end, self.script_row, self.open_script = -1, -1, -1
        self.script_start, self.after_power, self.is_script_linked = 0, -1, False

    cdef int32_t _heading_end, _heading_row, _block

    cdef _pass(
        self,
        Py_ssize_t row,
        Py_ssize_t first,
        Py_ssize_t last,
        const int32_t[::1] kept,
        const uint8_t[::1] is_heading,
    ):
        """Come to a row."""
        cdef uint8_t role = self.roles[self.known_tag[row]] & KIND
        cdef int32_t number = self.text_index[row]
        if self.special[row] == LISTING or (
            self.special[row] and kept[self.text_index[self.end[row]]] > kept[number]
        ):
            self._leave(row)
            self._special(row)
            return
        if role == OTHER:
            return
        if role == TEXT:
            if self.keep[number]:
                self._leave(row)
                self._text(row, number)
            return
        if role == BREAK:
            if first < row < last:
                self._leave(row)
                self.breaks += 1
            return
        if role == RULE:
            if 0 < number < len(self.texts) and self.keep[number - 1] and self.keep[number]:
                self._leave(row)
                if not LIST <= self.container[self.top] <= COUNTED_LIST:
                    self._close_run()
            return
        if role >= SCRIPT:
            self._seldom(row, role, kept[self.text_index[self.end[row]]] > kept[number])
            return
        if kept[self.text_index[self.end[row]]] == kept[number]:
            return
        if self.in_table:
            self._leave(row)
        if self.in_table:
            return  # in cells, only the blocks of a list matter
        if role == HEADING:
            if is_heading[row]:
                self._leave(row)
                self._close_run()
                self._heading_end, self._heading_row = self.end[row], row
            return
        self._leave(row)
        if role == COUNTED_LIST and not self.writer.is_counted(row):
            role = LIST
        if self._place(role):
            self._open_container(role, self.end[row], row)

    cdef _special(self, Py_ssize_t row):
        """Write a listing, or open a table of data."""
        self._place(TEXT)
        if self.special[row] == LISTING:
            code, self.skipped_end = self.writer.listing(row)
            if self.in_table:
                self.writer.cell.append(" ".join(code.split()))
            elif code:
                self.frame.add(code, PARAGRAPH_GAP)
        else:
            self._open_container(TABLE, self.end[row], row)

    cdef _seldom(self, Py_ssize_t row, uint8_t role, bint holds_kept):
        """Come to a part of a table, or to what is set higher or lower than its line."""
        if role == SCRIPT:
            if not holds_kept:
                return
            if row < self.script_end:
                self.has_failed = True  # one in another
            elif self.writer.is_script(row):
                self.script_row, self.script_end = row, self.end[row]
            return
        self._leave(row)
        if not self.in_table:
            return  # it lays out the page
        if role == CELL:  # also an empty one, in a line that is written
            if self.container[self.top] == LINE:
                self._open_container(CELL, self.end[row], row)
            elif holds_kept:
                self.has_failed = True
        elif holds_kept and self.container[self.top] == TABLE:
            self._open_container(role, self.end[row], row)
        elif holds_kept:
            self.has_failed = True

    cdef _leave(self, Py_ssize_t row):
        """Close what ends before a row."""
        while self.container_end[self.top] <= row:
            self._close_container()

    cdef _open_container(self, uint8_t role, int32_t end, Py_ssize_t row):
        if self.top + 1 >= self.container.shape[0]:
            raise ValueError("more containers than rows")
        self.top += 1
        self.container[self.top] = role
        self.container_end[self.top] = end
        self.is_implied[self.top] = row < 0
        if role == ITEM:
            self._open_item(row)
        elif LIST <= role <= COUNTED_LIST:
            self._open_frame(Frame("", "", True))
            if role == COUNTED_LIST:
                self.frame.number = self.writer.first_number(row)
                self.frame.first = str(self.frame.number)
        elif role >= LINE:
            self.in_table = True
            self.writer.open(role, row)

    cdef _open_frame(self, Frame frame):
        self.frame = frame
        self.frames.append(frame)

    cdef _open_item(self, Py_ssize_t row):
        cdef Frame around = self.frame
        cdef str marker = "- "
        if around.first:
            marker = f"{around.first}. "
            around.number += 1
            around.first = str(around.number)
        if len(self.frames) > self.max_frames:
            self._open_frame(Frame("", "", False))
        else:
            box = self.boxes.get(row, "") if self.boxes else ""
            self._open_frame(Frame(marker + box, " " * len(marker), False))

    cdef _close_container(self):
        self._close_run()
        cdef uint8_t role = self.container[self.top]
        self.top -= 1
        if LIST <= role <= ITEM:
            self._close_frame(role)
        elif role >= LINE:
            self.in_table = role != TABLE
            table = self.writer.close(role)
            if table:
                self.frame.add(table, PARAGRAPH_GAP)

    cdef _close_frame(self, uint8_t role):
        """Close a list or an item, which becomes a block of the frame around it."""
        cdef Frame frame = self.frames.pop(), outer = self.frames[len(self.frames) - 1]
        self.frame = outer
        if not frame.parts:
            return
        if role != ITEM:  # one after the first words of an item stands close to them
            is_close = len(outer.parts) == 1 and not frame.is_loose and outer.first
            outer.add(frame.text(), LINE_GAP if is_close else PARAGRAPH_GAP)
            outer.ends_with_list = True
            return
        if frame.has_paragraphs:
            outer.is_loose = True
            frame.rest = ""  # posts and the like read as paragraphs
        text = frame.text()
        if not (frame.ends_with_list and len(frame.parts) == 1 and outer.is_list):
            text = indented(text, frame.first, frame.rest)
        outer.add(text, LINE_GAP)

    cdef _imply(self, uint8_t role):
        """Open what the page leaves out."""
        self._open_container(role, self.container_end[self.top], -1)

    cdef bint _holds(self, uint8_t role):
        """Return whether the innermost container holds such a one; a run, if it is `TEXT`."""
        cdef uint8_t outer = self.container[self.top]
        if role == ITEM:
            return outer == LIST or outer == COUNTED_LIST
        if role == CAPTION:
            return outer == FIGURE
        return outer != LIST and outer != COUNTED_LIST

    cdef bint _place(self, uint8_t role) except -1:
        """Make the innermost container one that holds such a one; False if none can."""
        self._close_run()
        while not self._holds(role):
            if not self.is_implied[self.top]:
                break
            self._close_container()
        else:
            return True
        while LIST <= self.container[self.top] <= COUNTED_LIST:
            self._imply(ITEM)
        if role == ITEM:
            self._imply(LIST)
            return True
        return self._holds(role)

    cdef _text(self, Py_ssize_t row, int32_t number):
        """Add a text to the open run, or begin one with it."""
        while self.block_first[self._block + 1] <= number:
            self._block += 1
        cdef int32_t block = self._block
        cdef bint is_same = self.is_open and self.run_block == block
        cdef bint space = self.space[number] or not (
            number > 0 and self.keep[number - 1] and is_same
        )
        text = self.texts[number]
        if not joeira_is_collapsed(text):
            text = " ".join(text.split())
        if not text:
            return
        if row < self._heading_end and self.linked[number] and self.is_anchor(text):
            return
        cdef uint8_t outer = self.container[self.top]
        if outer == TABLE or outer == LINE:
            self.has_failed = True
            return
        if self.breaks >= 2 and self.is_open and not self.in_heading:
            if not (outer == ITEM or outer == FIGURE or outer == CAPTION or outer >= CELL):
                self._close_run()
        cdef int32_t breaks = self.breaks
        if not (self.is_open and (row < self._heading_end or self.run_block == block)):
            self._place(TEXT)
            self.is_open = True
            self.in_heading = row < self._heading_end
            self.run_row = self._heading_row if self.in_heading else self.block_owner[block]
            self.run_block = block
            self.after_power = -1
            space = breaks = False
        cdef int32_t script = self.script_row if row < self.script_end else -1
        if self.open_script >= 0 and script != self.open_script:
            self._close_script()
        if breaks and not self.in_heading:
            self.pieces.append("\n")
        elif space:
            self.pieces.append(" ")
        self.breaks = 0
        if script >= 0 and self.open_script < 0:
            self.open_script, self.script_start = script, len(self.pieces)
            self.is_script_linked = False
        if self.after_power == len(self.pieces) and text[:1].isalnum():
            self.pieces[self.after_power - 1] = self.writer.bracketed(
                self.pieces[self.after_power - 1]
            )
        self.pieces.append(text)
        self.is_script_linked |= self.linked[number] != 0

    cdef _close_script(self):
        """Close what is set higher or lower, which may change what the run says of it."""
        row, self.open_script = self.open_script, -1
        self.writer.after_power = self.after_power
        self.after_power = self.writer.close_script(
            row, self.pieces, self.script_start, self.is_script_linked
        )

    cdef _close_run(self):
        self.breaks = 0
        if not self.is_open:
            return
        self.is_open = False
        if self.open_script >= 0:
            self._close_script()
        if self.in_table:
            self.writer.cell.append("".join(self.pieces).replace("\n", " "))
            self.pieces = []
            return
        cdef uint8_t role = self.roles[self.known_tag[self.run_row]]
        cdef bint follows = self.was_option
        self.was_option = role & OPTION != 0
        is_close = self.frame.first and not role & PROSE or follows and self.was_option
        written = self.pieces[0] if len(self.pieces) == 1 else "".join(self.pieces)
        self.pieces = []
        if written:  # of a mark of a note nothing may be left
            self.frame.add(written, LINE_GAP if is_close else PARAGRAPH_GAP)
