# Formatting that ends inside of a block that began in it, as in <b><p></b></p>; a part of tree_markup.pyx.
#
# The standard calls this the adoption agency: the block is moved out of the formatting, which goes on in it as
# a copy. All that was read since the block began is below it, so that no text changes its place among texts: rows
# of copies are put before and after that of the block, and what follows moves down by as many.

cdef enum:
    MOST_TURNS = 8  # of the agency for one tag
    MOST_COPIES = 3  # of formatting between the one that ends and the block
    MOST_MOVED = 1 << 20  # rows of a page: no page takes long


cdef int end_around_blocks(Reader self, int32_t number) except -2:
    """End formatting that is open, with all that is in it, or around blocks that go on."""
    cdef Py_ssize_t turn, entry, item, place, block
    cdef bint was_text_open = self.piece_count > 0
    for turn in range(MOST_TURNS):
        entry = self.find_format(number)
        item, block = self.formats[entry].item, -1
        for place in range(self.table.top - 1, item, -1):
            if self.items[place].traits & (SCOPE | HOLDS_HTML):
                return DONE  # not in scope: the tag means nothing
            if self.items[place].traits & SPECIAL:
                block = place
        if block < 0:
            self.pop_to(item)
            self.remove_format(entry)
            return DONE
        if adopt(self, item, block) < 0:
            return UNSURE
    self.are_turns_used_up = True
    return UNSURE if was_text_open else DONE  # it may go on in formatting that does not end


cdef int adopt(Reader self, Py_ssize_t item, Py_ssize_t block) except -2:
    """Move an open block out of open formatting, which goes on in the block."""
    cdef Table table = self.table
    cdef Py_ssize_t place, copies = 0, row = table.open_elements[block].row
    cdef int32_t format
    if item < 1 or self.items[item - 1].group in (TABLE, TABLE_BODY, TABLE_ROW):
        return UNSURE
    for place in range(item - 1, table.top):
        if self.items[place].number == ENDED or self.items[place].traits & OF_SVG:
            return UNSURE
        if table.open_elements[place].bits & ~LINK:
            return UNSURE
    if self.piece_count:
        self.write_text()
    for place in range(block - 1, item, -1):
        format = self.items[place].format
        if format >= 0 and block - place > MOST_COPIES:
            self.items[place].format = -1
            self.remove_format(format)
        if self.items[place].format >= 0:
            copies += 1
        elif table.open_elements[place].bits != table.open_elements[place - 1].bits:
            return UNSURE  # a link that does not go on
    if table.elements - (table.rows - row - (table.texts - table.column[TEXT_INDEX][row])) < self.template_stop:
        return UNSURE  # elements in a template, which are in no row, would be moved as well
    self.moved_rows += table.rows - row
    if self.moved_rows > MOST_MOVED or max(table.rows, table.elements) > table.max_nodes:
        return UNSURE
    while max(table.rows, table.elements) + copies + 5 >= table.row_room:
        table.make_room_for_rows(2 * table.row_room)
    move_rows(self, table.open_elements[block].row, copies, copies - (block - item - 1))
    move_open(self, item, block)
    return DONE


cdef int move_rows(Reader self, int32_t block, Py_ssize_t copies, Py_ssize_t deeper) except -1:
    """Make room for rows: some before that of a block, and one after it for what holds all below it."""
    cdef Table table = self.table
    cdef int32_t more = <int32_t> copies + 1, holder = block + more, row, text
    cdef Py_ssize_t below = table.rows - block - 1, place
    cdef int number
    cdef int32_t* column
    for number in range(COLUMNS):
        if number != TEXT_ROW:
            column = table.column[number]
            memmove(column + holder + 1, column + block + 1, below * sizeof(int32_t))
            column[block + copies] = column[block]
    memmove(table.flag[IN_HEAD] + holder + 1, table.flag[IN_HEAD] + block + 1, below)
    table.flag[IN_HEAD][block + copies] = table.flag[IN_HEAD][block]
    for row in range(block, holder + 1):  # there is no text in between
        table.column[TEXT_INDEX][row] = table.column[TEXT_INDEX][block + copies]
    for text in range(table.column[TEXT_INDEX][holder], table.texts):
        table.column[TEXT_ROW][text] += more
    for place in range(table.elements, table.elements + more):
        table.flag[IN_TREE][place] = True
    table.rows += more
    table.elements += more
    table.nodes += more
    for row in range(holder + 1, table.rows):
        column = &table.column[PARENT][row]
        column[0] = holder if column[0] == block else column[0] + more
        table.column[DEPTH][row] += <int32_t> deeper
        table.column[END][row] += more
    if self.form_row >= block:
        self.form_row += more - (self.form_row == block)
    if table.raw_row > block:
        table.raw_row += more
    place = len(self.raws) - 1
    while place >= 0:
        tag, raw_row, start, stop = self.raws[place]
        if 0 <= raw_row < block:
            break
        if raw_row > block:
            self.raws[place] = (tag, raw_row + more, start, stop)
        place -= 1
    place = len(table.fact_rows) - 1
    while place >= 0 and table.fact_rows[place][0] > block:
        table.fact_rows[place] = (table.fact_rows[place][0] + more, table.fact_rows[place][1])
        place -= 1
    return 0


cdef int move_open(Reader self, Py_ssize_t item, Py_ssize_t block) except -1:
    """Put copies of formatting around an open block, and one into it; what was around it ends."""
    cdef Table table = self.table
    cdef Open formatting = table.open_elements[item], moved = table.open_elements[block]
    cdef Item formatting_item = self.items[item], moved_item = self.items[block]
    cdef int32_t ends = moved.row, more = 1
    cdef Py_ssize_t place, to = item, format = formatting_item.format, after = -1, deeper
    end_before(table, formatting.row, ends)
    for place in range(item + 1, block):
        end_before(table, table.open_elements[place].row, ends)
        if self.items[place].format >= 0:
            after = self.items[place].format
            self.items[to] = self.items[place]
            copy_row(self, to, &self.formats[after], table.open_elements[place].row, ends + <int32_t> (to - item))
            to += 1
            more += 1
    self.items[to], table.open_elements[to] = moved_item, moved
    deeper = table.open_elements[to - 1].depth + 1 - moved.depth
    table.open_elements[to].row = ends + more - 1
    table.open_elements[to].depth = table.open_elements[to - 1].depth + 1
    table.open_elements[to].bits = table.open_elements[to - 1].bits & INHERITED
    table.column[PARENT][ends + more - 1] = table.open_elements[to - 1].row
    table.column[DEPTH][ends + more - 1] = table.open_elements[to].depth
    to += 1
    self.items[to] = formatting_item
    copy_row(self, to, &self.formats[format], formatting.row, ends + more)
    to += 1
    for place in range(block + 1, table.top):
        self.items[to], table.open_elements[to] = self.items[place], table.open_elements[place]
        table.open_elements[to].row += more
        table.open_elements[to].depth += <int32_t> (deeper + 1)
        to += 1
    table.top = to
    for place in range(item, table.top):
        if self.items[place].format >= 0:
            self.formats[self.items[place].format].item = <int32_t> place
    if after >= 0:
        self.move_format(format, after)
    return 0


cdef void end_before(Table table, int32_t row, int32_t ends) noexcept:
    """End an element before a block that began in it."""
    table.column[END][row], table.column[STOP][row] = ends, ELSEWHERE


cdef int copy_row(Reader self, Py_ssize_t to, Format* format, int32_t source, int32_t row) except -1:
    """Write the row of a copy of formatting, which is open in the element before it."""
    cdef Table table = self.table
    cdef Open* parent = &table.open_elements[to - 1]
    cdef Open* element = &table.open_elements[to]
    cdef int number
    for number in (TAG, KNOWN_TAG, CLASS, ID, ROLE, PLACE):
        table.column[number][row] = table.column[number][source]
    element.name = element.length = 0
    element.row, element.depth = row, parent.depth + 1
    element.bits = (parent.bits | format.tag.meaning) & INHERITED
    table.column[PARENT][row], table.column[DEPTH][row] = parent.row, element.depth
    table.column[END][row], table.column[STOP][row] = row + 1, ELSEWHERE
    table.flag[IN_HEAD][row] = False
    return 0
