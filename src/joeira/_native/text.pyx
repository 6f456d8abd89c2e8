"""Kernel of `joeira.render.text`: the rows of a page whose content is prose and lists, as blocks.

The grammar is that of `joeira.render.events`, without what is seldom: where there are cells outside of
lines, the kernel answers None, and the reference writes the page from its beginning.
Runs of text are put into the innermost frame, or into the open cell of a table. A writer is asked
for tables when all of their cells are known, for listings, and for what is set higher or lower than
its line.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from joeira._native.codes cimport joeira_string

cdef extern from *:
    """
    /* Whether there may be white space beside single spaces; told without branches, and each kind
       apart from the others, so that the compiler looks at many characters at once. */
    JOEIRA_CLONES static int joeira_has_gaps(const uint32_t* text, Py_ssize_t length) {
        uint32_t control = 0, two = 0;
        for (Py_ssize_t place = 0; place + 1 < length; place++) {
            control |= text[place] < ' ';
            two |= (text[place] | text[place + 1]) == ' ';
        }
        return (control | two) != 0;
    }

    JOEIRA_CLONES static int joeira_has_wide_gaps(const uint32_t* text, Py_ssize_t length) {
        uint32_t next_line = 0, unbroken = 0, ogham = 0, wide = 0, line = 0, narrow = 0;
        uint32_t mathematical = 0, ideographic = 0;
        for (Py_ssize_t place = 0; place < length; place++) {
            uint32_t character = text[place];
            next_line |= character == 0x85;
            unbroken |= character == 0xA0;
            ogham |= character == 0x1680;
            wide |= character - 0x2000 < 11;
            line |= character - 0x2028 < 2;
            narrow |= character == 0x202F;
            mathematical |= character == 0x205F;
            ideographic |= character == 0x3000;
        }
        return (next_line | unbroken | ogham | wide | line | narrow | mathematical | ideographic)
               != 0;
    }

    static int joeira_may_have_gaps(const uint32_t* text, Py_ssize_t length) {
        return joeira_has_gaps(text, length)
               || (joeira_bits(text, length) >= 0x80 && joeira_has_wide_gaps(text, length));
    }

    #define JOEIRA_IS_SPACE(character) \\
        ((character) > ' ' && (character) < 127 ? 0 : Py_UNICODE_ISSPACE(character))

    /* Return a text, where white space is neither first nor last, with each run of it made one space. */
    static PyObject* joeira_without_gaps(const uint32_t* text, Py_ssize_t length) {
        uint32_t* to = (uint32_t*)PyMem_Malloc(length * sizeof(uint32_t));
        Py_ssize_t place, written = 0;
        int was_space = 0;
        PyObject* collapsed;
        if (to == NULL)
            return PyErr_NoMemory();
        for (place = 0; place < length; place++) {
            uint32_t character = text[place];
            int is_space = JOEIRA_IS_SPACE(character);
            to[written] = is_space ? ' ' : character;
            written += !(is_space & was_space);
            was_space = is_space;
        }
        collapsed = joeira_string(to, written);
        PyMem_Free(to);
        return collapsed;
    }

    /* Return a text with white space only as single spaces between other characters. */
    static PyObject* joeira_collapsed(const uint32_t* text, Py_ssize_t length) {
        while (length > 0 && JOEIRA_IS_SPACE(text[0]))
            text++, length--;
        while (length > 0 && JOEIRA_IS_SPACE(text[length - 1]))
            length--;
        if (joeira_may_have_gaps(text, length))
            return joeira_without_gaps(text, length);
        return joeira_string(text, length);
    }
    """
    str joeira_collapsed(const uint32_t* text, Py_ssize_t length)

cdef enum:  # what a tag is, in the order of `Role` in `joeira.render.text`
    OTHER
    TEXT
    LIST
    COUNTED_LIST
    ITEM
    QUOTATION
    FIGURE
    CAPTION
    TERMS
    TERM
    DEFINITION
    HEADING
    BREAK
    RULE
    SCRIPT
    LINE
    CELL
    TABLE_CAPTION
    TABLE  # a row that is one of data, which its tag does not tell
    LISTING  # a row that one begins with
    NOTE  # rows that are one, which no tag tells

cdef enum:  # what is known of a container
    ROLE
    END
    ROW  # -1 if the page leaves it out

cdef enum:
    NEVER = 0x7FFFFFFF  # a row that no page has

cdef enum:  # bits beside what a tag is
    KIND = 31
    NO_HEADING = 32  # a heading around one of these is none
    PROSE = 64  # it stands apart in items, too
    OPTION = 128  # it stands close to another


cdef str LINE_GAP = "\n"
cdef str PARAGRAPH_GAP = "\n\n"
cdef str NOTE_REST = "    "  # what stands before the lines of a note but the first


cdef class Frame:
    """The blocks of a list, an item or the whole output: see `joeira.render.events.Frame`."""

    cdef str first, rest
    cdef list parts  # blocks, and between them what stands there
    cdef bint is_list, is_loose, has_paragraphs, ends_with_list
    cdef long number  # of the next item of a numbered list; 0 in others

    def __cinit__(self, str first, str rest, bint is_list):
        self.first, self.rest, self.is_list = first, rest, is_list
        self.parts = []
        self.is_loose = self.has_paragraphs = self.ends_with_list = False
        self.number = 0

    cdef int add(self, str text, str gap) except -1:
        if self.parts:
            self.has_paragraphs |= gap is PARAGRAPH_GAP
            self.parts.append(gap)
        self.parts.append(text)
        self.ends_with_list = False
        return 0

    cdef str text(self):
        """Return all blocks."""
        if len(self.parts) == 1:
            return self.parts[0]
        if self.is_list and self.is_loose:
            return PARAGRAPH_GAP.join(self.parts[::2])
        return "".join(self.parts)


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

    `roles` has what each known tag is. See `Writer` in ``text.pyi`` for what a writer is asked.
    """

    cdef const uint8_t[::1] roles
    cdef object writer, is_anchor
    cdef Py_ssize_t max_frames
    cdef const uint32_t[::1] codes
    cdef const int64_t[::1] starts
    cdef const int32_t[::1] known_tag, end, text_index, block_owner, block_first
    cdef const uint8_t[::1] keep, space, linked
    # Per row: what it is, if that matters: it holds kept texts, or separates them. And the number of
    # kept texts before each text.
    cdef uint8_t[::1] matter
    cdef int32_t[::1] kept
    # The open containers: what each is, the row that it ends before, its own row.
    cdef int32_t[:, ::1] container
    cdef Py_ssize_t top
    # The open frames: runs are put into the last one.
    cdef list frames
    cdef Frame frame
    cdef bint was_option
    # What was said in a term that is not written yet, and whether runs are terms.
    cdef str term
    cdef bint is_term
    # The open run.
    cdef list pieces
    cdef dict boxes  # before items of lists of tasks; None until asked for
    cdef bint is_open, in_heading
    cdef int32_t run_block, run_row, breaks
    # The open table: its caption, its lines of cells and their rows, what the open cell holds; and
    # whether something was met that is not written here.
    cdef bint in_table, has_failed
    cdef str caption
    cdef list lines, cell_rows, cell
    # What is set higher or lower: where it ends, its row; the one that is open in the run, and where
    # that begins in it; where digits would continue a power.
    cdef int32_t script_end, script_row, open_script
    cdef Py_ssize_t script_start, after_power
    cdef bint is_script_linked
    cdef int32_t skipped_end
    # The notes that are still to come, the last first, and where the next one begins; texts that say
    # something else, and those that refer to a note.
    cdef list notes
    cdef Py_ssize_t next_note
    cdef dict instead, references

    def __init__(self, roles, is_anchor, Py_ssize_t max_frames):
        """Take what tags are, a test for what headings link to themselves with, and a limit.

        Frames within more than so many others do not indent.
        """
        self.roles = roles
        self.is_anchor = is_anchor
        self.max_frames = max_frames

    def write(self, writer, texts, rows, per_text, blocks, special):
        """Return the text, or None if there is something that is not written here.

        Args:
            writer: What is asked for what is seldom.
            texts: Code points of all texts of the page, a line break after each, and where each begins.
            rows: Known tag, end and number of texts before each row, one more of the last.
            per_text: Whether each text is kept, has a space before it, is linked.
            blocks: Owner of each block, and number of its first text, one more of the last.
            special: The rows of tables of data, those that begin listings of which a text is kept,
                and the notes that marks refer to, if there are any: see `Notes` in ``text.pyi``.
        """
        self.writer = writer
        self.codes, self.starts = texts
        self.known_tag, self.end, self.text_index = rows
        self.keep, self.space, self.linked = per_text
        self.block_owner, self.block_first = blocks
        tables, listings, notes = special
        cdef Py_ssize_t count = self.known_tag.shape[0], row, first, last
        self._check()
        self._begin(count)
        for row in tables:
            self._mark(row, TABLE)
        for row in listings:
            self._mark(row, LISTING)
        self._find_matter(&first, &last)
        if notes:
            self._take_notes(notes)
        for row in range(count):
            if self.matter[row] and row >= self.skipped_end:
                if self.matter[row] != BREAK:
                    self._pass(row, self.matter[row])
                elif first < row < last:
                    self._leave(row)
                    self.breaks += 1
                if self.has_failed:
                    return None
        while self.top > 0:
            self._close_container()
        self._close_run()
        return self.frame.text()

    cdef int _mark(self, Py_ssize_t row, uint8_t role) except -1:
        if not 0 <= row < self.matter.shape[0]:
            raise ValueError("a special row beyond its bounds")
        self.matter[row] = role
        return 0

    cdef int _take_notes(self, tuple told) except -1:
        """Take the notes that are kept, and the rows that are written as if they were not there."""
        notes, dissolved, self.instead, self.references = told
        cdef Py_ssize_t before = self.matter.shape[0], row
        for start, stop, _ in notes:
            if not 0 <= start < before or not start < stop <= self.matter.shape[0]:
                raise ValueError("a note beyond its bounds")
            before = start
        for row in dissolved:
            if not 0 <= row < self.matter.shape[0]:
                raise ValueError("a special row beyond its bounds")
            if LIST <= self.matter[row] <= ITEM:
                self.matter[row] = OTHER
        self.notes, self.next_note = notes, before if notes else NEVER
        return 0

    cdef int _find_matter(self, Py_ssize_t* first, Py_ssize_t* last) except -1:
        """Find the rows that matter, and the first and the last kept text."""
        cdef const uint8_t[::1] roles = self.roles, keep = self.keep
        cdef const int32_t[::1] known_tag = self.known_tag, end = self.end, index = self.text_index
        cdef uint8_t[::1] matter = self.matter
        cdef Py_ssize_t count = known_tag.shape[0], texts = keep.shape[0], row, number
        cdef Py_ssize_t blocker = count
        cdef uint8_t role, kind
        cdef bint holds_kept
        self.kept = np.empty(texts + 1, np.int32)
        cdef int32_t[::1] kept = self.kept
        first[0] = last[0] = -1
        with nogil:
            kept[0] = 0
            for number in range(texts):
                kept[number + 1] = kept[number] + (keep[number] != 0)
            for row in range(count - 1, -1, -1):
                role, number = roles[known_tag[row]], index[row]
                kind = role & KIND
                if kind == TEXT:
                    if keep[number]:
                        matter[row] = TEXT
                        first[0] = row
                        last[0] = max(last[0], row)
                    continue
                if role == OTHER and not matter[row]:
                    continue
                holds_kept = kept[index[end[row]]] > kept[number]
                if matter[row]:  # a table without kept texts is nothing
                    if matter[row] == TABLE and not holds_kept:
                        matter[row] = 0
                elif kind == RULE:
                    if 0 < number < texts and keep[number - 1] and keep[number]:
                        matter[row] = RULE
                elif kind == HEADING:
                    if holds_kept and blocker >= end[row]:
                        matter[row] = HEADING
                elif holds_kept or kind == BREAK or kind > SCRIPT:
                    matter[row] = kind
                if holds_kept and role & NO_HEADING:
                    blocker = row
        return 0

    cdef int _check(self) except -1:
        """Refuse columns that do not fit each other."""
        cdef const int32_t[::1] known_tag = self.known_tag, end = self.end, index = self.text_index
        cdef const int32_t[::1] owner = self.block_owner, starts = self.block_first
        cdef Py_ssize_t count = known_tag.shape[0], texts = self.starts.shape[0], row, number
        cdef Py_ssize_t blocks = owner.shape[0], kinds = self.roles.shape[0]
        cdef const int64_t[::1] begin = self.starts
        cdef int bad = texts > 0 and (begin[0] < 0 or begin[texts - 1] >= self.codes.shape[0])
        if (
            end.shape[0] != count
            or index.shape[0] != count + 1
            or min(self.keep.shape[0], self.space.shape[0], self.linked.shape[0]) != texts
            or max(self.keep.shape[0], self.space.shape[0], self.linked.shape[0]) != texts
            or starts.shape[0] != blocks + 1
            or starts[blocks] != texts
            or (texts and not blocks)
        ):
            raise ValueError("columns that do not fit each other")
        with nogil:  # without branches, so that the compiler looks at many at once
            for row in range(count):
                bad |= (known_tag[row] < 0) | (known_tag[row] >= <int32_t> kinds)
                bad |= (end[row] <= <int32_t> row) | (end[row] > <int32_t> count)
                bad |= (index[row] < 0) | (index[row] > <int32_t> texts)
                bad |= (known_tag[row] == 0) & (index[row] >= <int32_t> texts)
            bad |= (index[count] < 0) | (index[count] > <int32_t> texts)
            for number in range(blocks):
                bad |= (owner[number] < 0) | (owner[number] >= <int32_t> count)
                bad |= (starts[number] < 0) | (starts[number] > starts[number + 1])
            for number in range(1, texts):
                bad |= begin[number - 1] >= begin[number]
        if bad:
            raise ValueError("a row or a block beyond its bounds")
        return 0

    cdef int _begin(self, Py_ssize_t count) except -1:
        self.container = np.empty((3, 96), np.int32)
        self.container[ROLE, 0], self.container[END, 0] = OTHER, count + 1
        self.container[ROW, 0] = 0
        self.matter = np.zeros(count, np.uint8)
        self.top = 0
        self.frame = Frame("", "", False)
        self.frames = [self.frame]
        self.boxes = None
        self.pieces, self.is_open, self.in_heading = [], False, False
        self.run_block, self.run_row, self.breaks, self.was_option = -1, -1, 0, False
        self.term, self.is_term = "", False
        self._heading_end, self._heading_row, self._block = -1, -1, 0
        self.in_table, self.has_failed, self.skipped_end = False, False, -1
        self.caption, self.lines, self.cell_rows, self.cell = "", [], [], []
        self.script_end, self.script_row, self.open_script = -1, -1, -1
        self.script_start, self.after_power, self.is_script_linked = 0, -1, False
        self.notes, self.next_note, self.instead, self.references = [], NEVER, None, None
        return 0

    cdef int32_t _heading_end, _heading_row, _block

    cdef int _pass(self, Py_ssize_t row, uint8_t role) except -1:
        """Come to a row that matters."""
        if role == SCRIPT:
            if row < self.script_end:
                self.has_failed = True  # one in another
            elif self.writer.is_script(row):
                self.script_row, self.script_end = row, self.end[row]
            return 0
        self._leave(row)
        if role == TEXT:
            self._text(row, self.text_index[row])
        elif role == RULE:
            if self._holds(TEXT):
                self._close_run()
        elif role >= TABLE:
            self._special(row, role)
        elif role >= LINE:
            if self.in_table:  # else it lays out the page
                self._part(row, role)
        elif self.in_table:
            return 0  # in cells, only the blocks of a list matter
        elif role == HEADING:
            self._close_run()
            self._heading_end, self._heading_row = self.end[row], row
        else:
            if role == COUNTED_LIST and not self.writer.is_counted(row):
                role = LIST
            if self._place(role):
                self._open_container(role, self.end[row], row)
        return 0

    cdef int _special(self, Py_ssize_t row, uint8_t role) except -1:
        """Write a listing, or open a table of data."""
        self._place(TEXT)
        if role == TABLE:
            self._open_container(TABLE, self.end[row], row)
            return 0
        code, self.skipped_end = self.writer.listing(row)
        if self.in_table:
            if code is not None:
                self.cell.append(" ".join(code.split()))
        elif code is not None:
            self._settle_term()
            if code:
                self.frame.add(code, PARAGRAPH_GAP)
        return 0

    cdef int _part(self, Py_ssize_t row, uint8_t role) except -1:
        """Come to a part of a table."""
        cdef int32_t outer = self.container[ROLE, self.top]
        if role == CELL and outer == LINE:  # also an empty one, in a line that is written
            self._open_container(CELL, self.end[row], row)
        elif self.kept[self.text_index[self.end[row]]] > self.kept[self.text_index[row]]:
            if role != CELL and outer == TABLE:
                self._open_container(role, self.end[row], row)
            else:
                self.has_failed = True
        return 0

    cdef int _leave(self, Py_ssize_t row) except -1:
        """Close what ends before a row, and open what begins before or with it."""
        while self.container[END, self.top] <= row:
            self._close_container()
        while self.next_note <= row:
            self._open_note()
        return 0

    cdef int _open_note(self) except -1:
        start, stop, mark = self.notes.pop()
        self.next_note = self.notes[len(self.notes) - 1][0] if self.notes else NEVER
        self._place(TEXT)
        self._open_container(NOTE, stop, start)
        if len(self.frames) > self.max_frames:
            return self._open_frame(Frame("", "", False))
        return self._open_frame(Frame(mark + ": ", NOTE_REST, False))

    cdef int _open_container(self, uint8_t role, int32_t end, Py_ssize_t row) except -1:
        self.top += 1
        if self.top == self.container.shape[1]:
            self.container = np.pad(self.container, ((0, 0), (0, self.top)))
        self.container[ROLE, self.top] = role
        self.container[END, self.top] = end
        self.container[ROW, self.top] = <int32_t> row
        if role == ITEM:
            self._open_item(row)
        elif LIST <= role <= COUNTED_LIST:
            self._open_frame(Frame("", "", True))
            if role == COUNTED_LIST:
                self.frame.number = self.writer.first_number(row)
                self.frame.first = str(self.frame.number)
        elif role == TERM:
            self._settle_term()
            self.is_term = True
        elif role == TABLE:
            self.in_table = True
            self.caption, self.lines, self.cell_rows = "", [], []
        elif role == LINE:
            self.lines.append([])
            self.cell_rows.append([])
        elif CELL <= role <= TABLE_CAPTION:
            self.cell = []
        return 0

    cdef int _open_frame(self, Frame frame) except -1:
        self.frame = frame
        self.frames.append(frame)
        return 0

    cdef int _open_item(self, Py_ssize_t row) except -1:
        cdef Frame around = self.frame
        cdef str marker = "- "
        if around.first:
            marker = f"{around.first}. "
            around.number += 1
            around.first = str(around.number)
        if len(self.frames) > self.max_frames:
            self._open_frame(Frame("", "", False))
            return 0
        if self.boxes is None:
            self.boxes = self.writer.boxes()
        box = self.boxes.get(row, "") if self.boxes else ""
        self._open_frame(Frame(marker + box, " " * len(marker), False))
        return 0

    cdef int _close_container(self) except -1:
        self._close_run()
        cdef uint8_t role = self.container[ROLE, self.top]
        cdef int32_t row = self.container[ROW, self.top]
        self.top -= 1
        if LIST <= role <= ITEM or role == NOTE:
            self._close_frame(role)
        elif role == TERM:
            self.is_term = False
        elif role == TERMS:
            self._settle_term()
        elif role == CELL:
            self.lines[len(self.lines) - 1].append(" ".join(self.cell))
            self.cell_rows[len(self.lines) - 1].append(row)
        elif role == TABLE_CAPTION:
            self.caption += " ".join(self.cell)
        elif role == TABLE:
            self.in_table = False
            self._settle_term()
            table = self.writer.table(self.caption, self.lines, self.cell_rows)
            if table:
                self.frame.add(table, PARAGRAPH_GAP)
        return 0

    cdef int _close_frame(self, uint8_t role) except -1:
        """Close a list, an item or a note, which becomes a block of the frame around it."""
        cdef Frame frame = self.frames.pop(), outer = self.frames[len(self.frames) - 1]
        self.frame = outer
        if not frame.parts:
            return 0
        if role <= COUNTED_LIST:  # one after the first words of an item stands close to them
            is_close = len(outer.parts) == 1 and not frame.is_loose and outer.first
            outer.add(frame.text(), LINE_GAP if is_close else PARAGRAPH_GAP)
            outer.ends_with_list = True
            return 0
        if frame.has_paragraphs:
            outer.is_loose = True
            if role == ITEM:
                frame.rest = ""  # posts and the like read as paragraphs
        text = frame.text()
        if not (frame.ends_with_list and len(frame.parts) == 1 and outer.is_list):
            text = indented(text, frame.first, frame.rest)
        outer.add(text, LINE_GAP if role == ITEM else PARAGRAPH_GAP)
        return 0

    cdef int _settle_term(self) except -1:
        """Write a term that nothing defines."""
        if self.term:
            self.frame.add(self.term, LINE_GAP)
            self.term = ""
        return 0

    cdef int _imply(self, uint8_t role) except -1:
        """Open what the page leaves out."""
        return self._open_container(role, self.container[END, self.top], -1)

    cdef bint _holds(self, uint8_t role):
        """Return whether the innermost container holds such a one; a run, if it is `TEXT`."""
        cdef int32_t outer = self.container[ROLE, self.top]
        if role == ITEM:
            return outer == LIST or outer == COUNTED_LIST
        if role == CAPTION:
            return outer == FIGURE
        if role == TERM or role == DEFINITION:
            return outer == TERMS
        return outer != LIST and outer != COUNTED_LIST and outer != TERMS

    cdef bint _place(self, uint8_t role) except -1:
        """Make the innermost container one that holds such a one; False if none can."""
        self._close_run()
        while not self._holds(role):
            if self.container[ROW, self.top] >= 0:
                break  # the page has it
            self._close_container()
        else:
            return True
        while LIST <= self.container[ROLE, self.top] <= COUNTED_LIST:
            self._imply(ITEM)
        if self.container[ROLE, self.top] == TERMS:
            self._imply(DEFINITION)
        if role == ITEM or role == TERM or role == DEFINITION:
            self._imply(LIST if role == ITEM else TERMS)
            return True
        return self._holds(role)

    cdef int _text(self, Py_ssize_t row, int32_t number) except -1:
        """Add a text to the open run, or begin one with it."""
        while self.block_first[self._block + 1] <= number:
            self._block += 1
        cdef int32_t block = self._block
        cdef bint is_same = self.is_open and self.run_block == block
        cdef bint space = self.space[number] or not (
            number > 0 and self.keep[number - 1] and is_same
        )
        cdef Py_ssize_t start = self.starts[number], stop = self.codes.shape[0]
        if number + 1 < self.starts.shape[0]:
            stop = self.starts[number + 1]
        cdef str text = None
        cdef bint is_reference = False
        if self.references is not None:
            text = self.references.get(number)
            is_reference = text is not None
            if text is None:
                text = self.instead.get(number)
        if text is None:
            text = joeira_collapsed(&self.codes[0] + start, stop - start - 1)
        if not text:
            return 0
        if row < self._heading_end and self.linked[number] and not is_reference and self.is_anchor(text):
            return 0
        cdef int32_t outer = self.container[ROLE, self.top]
        if outer == TABLE or outer == LINE:
            self.has_failed = True
            return 0
        if self.breaks >= 2 and self.is_open and not self.in_heading:
            if not (outer == ITEM or FIGURE <= outer <= DEFINITION or CELL <= outer < NOTE):
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
        if is_reference and script >= 0 and self.writer.is_raised(script):
            script = -1  # what refers to a note needs no sign of its own
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
        if is_reference:
            self.pieces.append(text)
            return 0
        if self.after_power == len(self.pieces) and text[:1].isalnum():
            self.pieces[self.after_power - 1] = self.writer.bracketed(
                self.pieces[self.after_power - 1]
            )
        self.pieces.append(text)
        self.is_script_linked |= self.linked[number] != 0
        return 0

    cdef int _close_script(self) except -1:
        """Close what is set higher or lower, which may change what the run says of it."""
        row, self.open_script = self.open_script, -1
        self.after_power = self.writer.close_script(
            row, self.pieces, self.script_start, self.is_script_linked, self.after_power
        )
        return 0

    cdef int _close_run(self) except -1:
        self.breaks = 0
        if not self.is_open:
            return 0
        self.is_open = False
        if self.open_script >= 0:
            self._close_script()
        if self.in_table:
            self.cell.append("".join(self.pieces).replace("\n", " "))
            self.pieces = []
            return 0
        cdef str written = self.pieces[0] if len(self.pieces) == 1 else "".join(self.pieces)
        self.pieces = []
        if self.is_term:
            self._settle_term()
            self.term = written
            return 0
        if self.term:
            self.frame.add(f"{self.term}: {written}", LINE_GAP)
            self.term = ""
            return 0
        cdef uint8_t role = self.roles[self.known_tag[self.run_row]]
        cdef bint follows = self.was_option
        self.was_option = role & OPTION != 0
        cdef bint is_close = follows and self.was_option
        if not role & PROSE and self.frame.first:
            is_close = True
        if written:  # of a mark of a note nothing may be left
            self.frame.add(written, LINE_GAP if is_close else PARAGRAPH_GAP)
        return 0
