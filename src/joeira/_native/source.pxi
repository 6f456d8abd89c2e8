# The page table straight from the source of a page, where its tree is plain to see; a part of tree_markup.pyx.
# What is read here is put into place by nesting.pxi.
#
# A parser of HTML spends most of its time on what hardly any page does. Here is the part of the standard
# ("13.2 Parsing HTML documents") that most pages get by with: tags that are left out or left open, tables,
# formatting that goes on in the next paragraph. Whatever would have to be moved after it was read, such as
# text between the cells of a table, and whatever is rare, such as framesets, is left to the parser, by False.

import re
from html.entities import html5 as _CHARACTERS

cdef bint has_null(int kind, const void* data, Py_ssize_t size) noexcept:
    """Return whether the first of all characters is among some."""
    if kind == 1:
        return count(<const uint8_t*> data, size, <uint8_t> 0) > 0
    if kind == 2:
        return count(<const uint16_t*> data, size, <uint16_t> 0) > 0
    return count(<const uint32_t*> data, size, <uint32_t> 0) > 0


cdef bint is_html_space(uint32_t code) noexcept nogil:
    return code == c" " or code == c"\n" or code == c"\t" or code == c"\r" or code == c"\f"


cdef inline bint is_letter(uint32_t code) noexcept nogil:
    return c"a" <= (code | 32) <= c"z"


cdef bint read_source(Reader self, const Code* text, Py_ssize_t size) except -1:
    """Read the source of a page into a table; return whether its tree is plain to see."""
    cdef Py_ssize_t place = 0, stop
    cdef Code code
    while place < size:
        self.token = place
        if text[place] != c"<":
            stop = find(text, place, size, <Code> c"<")
            if take_characters(self, text, place, stop) < 0:
                return False
            place = stop
            continue
        if place + 1 >= size:
            if take_characters(self, text, place, size) < 0:
                return False
            break
        code = text[place + 1]
        if is_letter(code):
            place = read_tag(self, text, place + 1, size, False)
        elif code == c"/":
            if place + 2 >= size:
                if take_characters(self, text, place, size) < 0:
                    return False
                break
            code = text[place + 2]
            if is_letter(code):
                place = read_tag(self, text, place + 2, size, True)
            elif code == c">":
                place += 3
            else:
                place = min(find(text, place, size, <Code> c">") + 1, size)
                add_comment(self)
        elif code == c"!" or code == c"?":
            place = read_declaration(self, text, place, size)
        else:
            stop = find(text, place + 1, size, <Code> c"<")
            if take_characters(self, text, place, stop) < 0:
                return False
            place = stop
        if place < 0:
            return False
    self.token = size
    if not end_page(self):
        return False
    self.pop_to(0)
    if not self.are_names_in_order:
        self.order_names()
    return self.table.rows > 0


cdef bint end_page(Reader self) except -1:
    """Close the templates that are open, and open what is left out where a page ends early."""
    cdef Py_ssize_t place = 0
    if self.templates:
        while self.items[place].group != TEMPLATE_ELEMENT:
            place += 1
        self.table.column[STOP][self.table.open_elements[place].row] = ELSEWHERE  # it has no end tag
    while self.templates:
        self.close_template()
    return self.mode >= IN_BODY or self.mode > BEFORE_ROOT and self.open_body() == DONE


cdef int add_comment(Reader self) except -2:
    """Count a comment: texts before and after it are two, unless it is moved to the end."""
    if not self.after_body and self.piece_count:
        self.write_text()
    self.table.nodes += 1
    return DONE


cdef Py_ssize_t read_declaration(Reader self, const Code* text, Py_ssize_t place, Py_ssize_t size) except -2:
    """Read a comment, a declaration or an instruction; return what comes next, -1 where unsure."""
    cdef Py_ssize_t stop
    if begins(text, place, size, b"<!--", 4):
        stop = end_of_comment(text, place + 4, size)
        add_comment(self)
        return stop if stop >= 0 else size
    if self.table.top and self.top().traits & OF_SVG and begins(text, place, size, b"<![CDATA[", 9):
        if not self.table.open_elements[self.table.top - 1].bits & (CODE | OUTSIDE):
            return -1
        add_comment(self)  # as far as a table knows the text of a style
        stop = end_of_characters(text, place + 9, size)
        return stop if stop >= 0 else size
    stop = find(text, place, size, <Code> c">") + 1
    if stop > size:
        add_comment(self)
        return size if self.table.top else -1
    if text[place + 1] == c"!" and is_word(text, place + 2, stop, b"doctype", 7):
        if self.table.top == 0 and self.mode == BEFORE_ROOT and not self.is_past_doctype:
            self.is_past_doctype = True
            self.table.nodes += 1
            read_doctype(self, text, place + 9, stop - 1)
        return stop
    add_comment(self)
    return stop


cdef Py_ssize_t end_of_comment(const Code* text, Py_ssize_t first, Py_ssize_t size) noexcept nogil:
    """Return what comes after a comment whose first character is given; -1 where it never ends."""
    cdef Py_ssize_t stop = first
    if first < size and text[first] == c">":
        return first + 1
    if begins(text, first, size, b"->", 2):
        return first + 2
    while True:
        stop = find(text, stop, size, <Code> c">") + 1
        if stop > size:
            return -1
        if stop - 3 >= first and text[stop - 2] == c"-" and text[stop - 3] == c"-":
            return stop
        if stop - 4 >= first and text[stop - 2] == c"!" and text[stop - 3] == c"-":
            if text[stop - 4] == c"-":
                return stop


cdef Py_ssize_t end_of_characters(const Code* text, Py_ssize_t first, Py_ssize_t size) noexcept nogil:
    """Return what comes after characters of SVG in which no tag is one; -1 where they never end."""
    cdef Py_ssize_t stop = first
    while True:
        stop = find(text, stop, size, <Code> c">") + 1
        if stop > size:
            return -1
        if stop - 3 >= first and text[stop - 2] == c"]" and text[stop - 3] == c"]":
            return stop


cdef int read_doctype(Reader self, const Code* text, Py_ssize_t place, Py_ssize_t stop) except -1:
    """Note whether a page is read as those of the nineties were."""
    while place < stop and is_html_space(text[place]):
        place += 1
    if stop - place == 4 and is_word(text, place, stop, b"html", 4):
        self.is_quirky = False
        return 0
    said = _DOCTYPE.fullmatch(PyUnicode_FromKindAndData(sizeof(Code), text + place, stop - place).lower())
    self.is_quirky_unknown = said is None
    if said is not None:
        public, system = unquoted(said[1]), unquoted(said[2] or said[3])
        self.is_quirky = (
            public in _QUIRKY_WHOLE
            or public.startswith(_QUIRKY)
            or not system and public.startswith(_QUIRKY_ALONE)  # turbohtml 1.15 takes '' as none
            or system == _QUIRKY_SYSTEM
        )
    return 0


cdef str unquoted(str said):
    return said[1:len(said) - 1] if said else ""


_DOCTYPE = re.compile(
    r"""html\s*(?:public\s*("[^"]*"|'[^']*')\s*("[^"]*"|'[^']*')?\s*|system\s*("[^"]*"|'[^']*')\s*)?""",
    re.ASCII,
)
_QUIRKY_WHOLE = ("-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html")
_QUIRKY_SYSTEM = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"
_QUIRKY_ALONE = ("-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//")
_QUIRKY = (
    "+//silmaril//dtd html pro v0r11 19970101//", "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//", "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//", "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//", "-//ietf//dtd html 2.0 strict//", "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//", "-//ietf//dtd html 3.0//", "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//", "-//ietf//dtd html 3//", "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//", "-//ietf//dtd html level 2//", "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//", "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//", "-//ietf//dtd html strict level 3//", "-//ietf//dtd html strict//",
    "-//ietf//dtd html//", "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//", "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//", "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//", "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//", "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//", "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//", "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//", "-//spyglass//dtd html 2.0 extended//",
    "-//sun microsystems corp.//dtd hotjava html//", "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//", "-//w3c//dtd html 3.2 draft//", "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//", "-//w3c//dtd html 3.2s draft//", "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//", "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//", "-//w3c//dtd w3 html//", "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//", "-//webtechs//dtd mozilla html//",
)


cdef bint is_word(
    const Code* text, Py_ssize_t place, Py_ssize_t stop, const char* word, Py_ssize_t length
) noexcept nogil:
    """Return whether characters begin with a word of ASCII, in letters of either case."""
    cdef Py_ssize_t i
    if place + length > stop:
        return False
    for i in range(length):
        if text[place + i] | 32 != <Code> word[i]:
            return False
    return True


cdef int take_characters(Reader self, const Code* text, Py_ssize_t start, Py_ssize_t stop) except -2:
    """Add characters to the text that is being read; UNSURE where they would be moved."""
    cdef Py_ssize_t solid = start
    if self.table.top and self.top().traits & (OF_SVG | HOLDS_HTML) == OF_SVG:
        return add_piece(self, start, stop)
    if self.mode in (IN_BODY, IN_CELL, IN_CAPTION, IN_TEMPLATE):
        if self.after_body:
            while solid < stop and is_html_space(text[solid]):
                solid += 1
            if solid < stop:
                self.after_body = False
        if self.go_on() < 0:
            return UNSURE
        return add_piece(self, start, stop)
    while solid < stop and is_html_space(text[solid]):
        solid += 1
    if self.mode > IN_BODY:
        return add_piece(self, start, stop) if solid == stop else UNSURE
    if solid > start and self.mode >= IN_DOCUMENT_HEAD:
        add_piece(self, start, solid)
    if solid == stop:
        return DONE
    if begins(text, solid, stop, b"&#", 2):  # perhaps white space, too
        return UNSURE
    if self.open_body() < 0 or self.go_on() < 0:  # formatting of a template in the head may go on
        return UNSURE
    return add_piece(self, solid, stop)


cdef int add_piece(Reader self, Py_ssize_t start, Py_ssize_t stop) except -2:
    cdef Piece* pieces
    if start == stop:
        return DONE
    if self.piece_count and self.pieces[self.piece_count - 1].stop == start:
        self.pieces[self.piece_count - 1].stop = stop
        return DONE
    if self.piece_count == self.most_pieces:
        pieces = <Piece*> PyMem_Realloc(self.pieces, 2 * self.most_pieces * sizeof(Piece))
        if not pieces:
            raise MemoryError
        self.pieces, self.most_pieces = pieces, 2 * self.most_pieces
    self.pieces[self.piece_count].start, self.pieces[self.piece_count].stop = start, stop
    self.piece_count += 1
    return DONE


cdef int write_pieces(Reader self, const Code* text) except -1:
    """Add the text that was read to the innermost open element."""
    cdef Table table = self.table
    cdef Py_ssize_t count = self.piece_count, place = self.pieces[0].start
    self.piece_count = 0
    table.nodes += 1
    if table.open_elements[table.top - 1].bits & (CODE | OUTSIDE):
        return 0
    if count == 1:
        while place < self.pieces[0].stop and Py_UNICODE_ISSPACE(text[place]):
            place += 1
        if place == self.pieces[0].stop:
            table.gap = True
            return 0
    return add_source_text(table, text, self.pieces, count, True)


cdef int add_source_text(
    Table table, const Code* text, const Piece* pieces, Py_ssize_t count, bint is_decoded
) except -1:
    """Add a text that stands in some pieces of the source, unless it is nothing but white space."""
    cdef Py_ssize_t first = table.characters, size = 1, number, place, stop
    cdef Code line_break = c"\n"
    for number in range(count):
        size += pieces[number].stop - pieces[number].start
    if table.room - table.characters <= size:
        table.make_room(size + 1)
    for number in range(count):
        write_source(table, text, pieces[number].start, pieces[number].stop, is_decoded)
    if table.rows + 4 >= table.row_room:
        table.make_room_for_rows(2 * table.row_room)
    stop, place = table.characters, first
    while place < stop and Py_UNICODE_ISSPACE(table.codes[place]):
        place += 1
    table.characters = first
    if place == stop:
        table.gap = True
        return 0
    table.add_text()
    table.characters = stop
    add_characters(&line_break, 1, table)
    return 0


cdef int write_source(
    Table table, const Code* text, Py_ssize_t start, Py_ssize_t stop, bint is_decoded
) except -1:
    """Write characters, with what stands for others replaced, and every line break as one."""
    cdef Py_ssize_t plain_stop, size
    cdef Py_ssize_t ampersand = find(text, start, stop, <Code> c"&") if is_decoded else stop
    cdef Py_ssize_t carriage = find(text, start, stop, <Code> c"\r")
    cdef uint32_t[2] plain
    while True:
        plain_stop = min(ampersand, carriage)
        add_characters(text + start, plain_stop - start, table)
        start = plain_stop
        if start == stop:
            return 0
        if start == carriage:
            plain[0], size = c"\n", 1
            start += 2 if start + 1 < stop and text[start + 1] == c"\n" else 1
            carriage = find(text, start, stop, <Code> c"\r")
        else:
            size = 0
            start = read_reference(text, start, stop, False, plain, &size)
            ampersand = find(text, start, stop, <Code> c"&")
        add_characters(&plain[0], size, table)


cdef Py_ssize_t read_tag(
    Reader self, const Code* text, Py_ssize_t place, Py_ssize_t size, bint is_end
) except -2:
    """Read a tag, and all of an element with nothing but text in it; return what comes next."""
    cdef uint8_t letters[NAME_CHARS]
    cdef Py_ssize_t length = 0, stop, name = place
    cdef Code code
    cdef Tag tag
    cdef TreeMarkup tags = self.tags
    cdef Table table = self.table
    cdef int group, said
    cdef int32_t number
    cdef bint is_new = False
    cdef uint8_t around = self.top().traits if table.top > 0 else 0
    cdef bint in_svg = around & OF_SVG and (is_end or not around & HOLDS_HTML)
    while place < size:
        code = text[place]
        if code == c">" or code == c"/" or is_html_space(code):
            break
        if length == NAME_CHARS or code >= 128 or code == 0:
            return -1
        letters[length] = code | 32 if c"A" <= code <= c"Z" else code
        length += 1
        place += 1
    tags.describe(letters, length, &tag)
    if not in_svg:
        tag.traits &= ~HOLDS_HTML
        if length == 5 and not is_end and tag.number < 0 and not memcmp(letters, b"image", 5):
            tags.describe(<const uint8_t*> b"img", 3, &tag)
    if is_end:
        place = after_end_tag(text, place, size)
        if place < 0:  # the page ends in it, and then it is none
            return size
        self.is_past_doctype = True
        if in_svg:
            if tag.number >= 0:
                number = tag.number
            else:
                number = table.foreign.get(named(letters, length, True), -1)
            if self.end_in_svg(tag.group, number):
                return place
            tag.traits &= ~HOLDS_HTML
        if tag.number < 0:
            tag.number = table.foreign.get(named(letters, length, False), -1)
            if tag.number < 0:  # no element of that name
                self.after_body = False
                return place if tag.group != LEFT_TO_PARSER else -1
        if self.after_body and tag.group != ROOT and tag.group != TEMPLATE_ELEMENT:
            self.after_body = False  # turbohtml 1.15 ignores the end tag of a template, and no more
        return place if self.treat(&tag, True) == DONE else -1
    if tag.number < 0:
        own = named(letters, length, in_svg)
        if own in table.foreign:
            tag.number = table.foreign[own]
        else:
            tag.number = tags.foreign + <int32_t> len(table.foreign)
            table.foreign[own] = tag.number
            is_new = True
    if tag.meaning & UNREADABLE or tag.group == LEFT_TO_PARSER:
        return -1
    self.after_body = False
    stop = place
    tag.place = <int32_t> place
    table.is_described = False
    place = read_source_attributes(self, text, place, size, &tag)
    if place < 0:
        if after_attributes(text, stop, size) >= 0:
            return -1
        if is_new:  # the page ends in this tag, and then it is none
            del table.foreign[own]
        self.are_names_in_order = False
        return size
    if table.is_described:
        self.described.append(stop)
    if in_svg and tag.traits & LEAVES_SVG and (
        tag.number != self.tags.font or has_any(text, stop, size, b"colorfacesize", b"\5\4\4")
    ):
        self.leave_svg(False)
        in_svg = False
    if in_svg:
        if tag.meaning & SCRIPT and "ld+json" in source_value(text, stop, place, b"type", 4).lower():
            return -1
        return place if self.start_in_svg(&tag) == DONE else -1
    group = tag.group
    if group == SVG:
        tag.place = FOREIGN_TAGS - tag.place
    said = self.treat(&tag, False)
    if said != DONE:
        return -1
    if tag.meaning & META:
        table.add_meta(
            source_value(text, stop, place, b"name", 4),
            source_value(text, stop, place, b"property", 8),
            source_value(text, stop, place, b"content", 7),
            source_value(text, stop, place, b"itemprop", 8),
            source_value(text, stop, place, b"http-equiv", 10),
        )
    elif tag.meaning & RELATED:
        table.links.append((
            source_value(text, stop, place, b"rel", 3), source_value(text, stop, place, b"href", 4)
        ))
    elif group in (SCRIPT_ELEMENT, RAW_HEAD, RAW_INLINE, RAW_BLOCK, TITLE, TEXT_AREA):
        return read_raw(self, text, name, stop, place, size)
    elif group == VERBATIM:
        stop = place
        if place < size and text[place] == c"\r":
            place += 1
        if place < size and text[place] == c"\n":
            place += 1
        if place > stop and self.has_to_go_on():
            return -1
        if begins(text, place, size, b"&#", 2) or begins(text, place, size, b"</>", 3):
            return -1
    elif group == SVG and not tag.is_closed:
        self.top().traits = OF_SVG
    return place


cdef str named(const uint8_t* letters, Py_ssize_t length, bint in_svg):
    """Return the name of a tag that is not known, as the standard writes it."""
    cdef str name = PyUnicode_FromKindAndData(1, letters, length)
    return SVG_NAMES.get(name, name) if in_svg else name


cdef Py_ssize_t after_end_tag(const Code* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Return what comes after an end tag, whose attributes nobody reads; -1 where it never ends."""
    cdef Py_ssize_t stop = find(text, place, size, <Code> c">"), at
    if stop >= size:
        return -1
    for at in range(place, stop):
        if text[at] == c'"' or text[at] == c"'":  # in which there may be another one
            return after_attributes(text, place, size)
    return stop + 1


cdef Py_ssize_t read_raw(
    Reader self, const Code* text, Py_ssize_t name, Py_ssize_t attributes, Py_ssize_t place, Py_ssize_t size
) except -2:
    """Read the text of an element that has nothing else in it, and its end tag."""
    cdef Table table = self.table
    cdef Item* item = self.top()
    cdef Open* element = &table.open_elements[table.top - 1]
    cdef int group = item.group
    cdef bint is_script = group == SCRIPT_ELEMENT, is_decoded = group == TITLE or group == TEXT_AREA
    cdef Py_ssize_t length = 0, stop = place, row = element.row
    cdef Piece whole
    while not (text[name + length] == c">" or text[name + length] == c"/" or is_html_space(text[name + length])):
        length += 1
    if group == TEXT_AREA:
        if begins(text, place, size, b"&#", 2):
            return -1
    while True:
        stop = find(text, stop, size, <Code> c"<")
        if stop + 2 + length >= size:
            stop = size  # it is open where the page ends
            break
        if text[stop + 1] == c"/" and is_same_name(text, name, stop + 2, length):
            break
        if is_script and begins(text, stop, size, b"<!--", 4):
            stop = after_escape(text, stop + 2, size)
            if stop < 0:
                stop = size
                break
        else:
            stop += 1
    if stop > place:
        table.nodes += 1
        if not element.bits & CODE:
            whole.start, whole.stop = place, stop
            add_source_text(table, text, &whole, 1, is_decoded)
    cdef str kind = source_value(text, attributes, place, b"type", 4).lower() if is_script else ""
    cdef bint has_facts = kind == "application/ld+json"
    if "ld+json" in kind and not element.bits & OUTSIDE:
        table.fact_rows.append((row, len(table.facts) if has_facts else -1))
    if has_facts:
        table.facts.append(with_line_breaks(text, place, stop))
    if not is_decoded:
        self.raws.append((item.number, -1 if element.bits & OUTSIDE else row, place, stop))
    if not is_decoded and not element.bits & OUTSIDE:
        table.raw_row = <int32_t> row
        table.raw_size = len(with_line_breaks(text, place, stop)) if has_end_tag(text, place, stop) else 0
    self.pop()
    if self.mode == AFTER_HEAD:
        self.pop()
    if stop == size:
        return size
    stop = after_end_tag(text, stop + 2 + length, size)
    return stop if stop >= 0 else size


cdef bint is_same_name(
    const Code* text, Py_ssize_t name, Py_ssize_t place, Py_ssize_t length
) noexcept nogil:
    """Return whether the name of an end tag is that of a start tag, in letters of either case."""
    cdef Py_ssize_t i
    for i in range(length):
        if text[name + i] | 32 != text[place + i] | 32:
            return False
    return text[place + length] == c">" or text[place + length] == c"/" or is_html_space(text[place + length])


cdef str with_line_breaks(const Code* text, Py_ssize_t start, Py_ssize_t stop):
    """Return characters with every line break as one character."""
    cdef str string = PyUnicode_FromKindAndData(sizeof(Code), text + start, stop - start)
    if find(text, start, stop, <Code> c"\r") < stop:
        string = string.replace("\r\n", "\n").replace("\r", "\n")
    return string


# --- attributes ----------------------------------------------------------------------------------

cdef enum:
    HAS_CLASS = 1
    HAS_ID = 2
    HAS_ROLE = 4
    HAS_STYLE = 8
    HAS_MODAL = 16


cdef struct Attribute:
    Py_ssize_t name, name_stop, value, value_stop


cdef Py_ssize_t next_attribute(
    const Code* text, Py_ssize_t place, Py_ssize_t size, Attribute* found
) noexcept nogil:
    """Read an attribute of a start tag; return what comes next, -1 where the tag never ends.

    The name is empty at the end of the tag, which what comes next is then after.
    """
    cdef Code quote
    while place < size and (is_html_space(text[place]) or text[place] == c"/"):
        place += 1
    found.name = found.name_stop = found.value = found.value_stop = place
    if place >= size:
        return -1
    if text[place] == c">":
        return place + 1
    place += 1  # a name may begin with an equals sign
    while place < size and not (
        text[place] == c"=" or text[place] == c">" or text[place] == c"/" or is_html_space(text[place])
    ):
        place += 1
    found.name_stop = found.value = found.value_stop = place
    while place < size and is_html_space(text[place]):
        place += 1
    if place >= size:
        return -1
    if text[place] != c"=":
        return place
    place += 1
    while place < size and is_html_space(text[place]):
        place += 1
    if place >= size:
        return -1
    quote = text[place]
    if quote == c'"' or quote == c"'":
        found.value = place + 1
        found.value_stop = find(text, place + 1, size, quote)
        return found.value_stop + 1 if found.value_stop + 1 < size else -1
    found.value = place
    while place < size and not (text[place] == c">" or is_html_space(text[place])):
        place += 1
    found.value_stop = place
    return place if place < size else -1


cdef bint is_attribute(const Code* text, Attribute* found, const char* name, Py_ssize_t length) noexcept nogil:
    return found.name_stop - found.name == length and is_word(text, found.name, found.name_stop, name, length)


cdef Py_ssize_t read_source_attributes(
    Reader self, const Code* text, Py_ssize_t place, Py_ssize_t size, Tag* tag
) except -2:
    """Read the attributes of a start tag; return what comes after it, -1 where that is unclear."""
    cdef Attribute found
    cdef Table table = self.table
    cdef Slice* slot
    cdef bint is_unread = tag.meaning & UNREAD != 0, is_modal = False
    cdef Py_ssize_t role = -1, role_stop = 0
    cdef int has = 0
    cdef Py_ssize_t length, bare_stop = -1
    tag.name.class_number = tag.name.id_number = tag.name.role_number = 0
    tag.has_names = is_unread
    tag.is_closed = False
    while True:
        if place < size and text[place] == c">":  # as most of them end
            place += 1
            break
        place = next_attribute(text, place, size, &found)
        if place < 0:
            return -1
        length = found.name_stop - found.name
        if not length:
            break
        if length == 5 and is_attribute(text, &found, b"class", 5):
            if not has & HAS_CLASS:
                has |= HAS_CLASS
                tag.name.class_number = number_value(
                    table.classes, text, found.value, found.value_stop, table.class_names, self, 0
                )
                tag.has_names = True
        elif length == 2 and is_attribute(text, &found, b"id", 2):
            if not has & HAS_ID:
                has |= HAS_ID
                tag.name.id_number = number_value(
                    table.ids, text, found.value, found.value_stop, table.id_names, self, 1
                )
                tag.has_names = True
        elif length == 5 and is_attribute(text, &found, b"style", 5):
            if not has & HAS_STYLE:
                has |= HAS_STYLE
                if not table.styles_display and (
                    says_display(text, found.value, found.value_stop)
                    or find(text, found.value, found.value_stop, <Code> c"&") < found.value_stop
                ):
                    table.styles_display = tag.has_names = True
        elif length == 4 and is_attribute(text, &found, b"role", 4):
            if not has & HAS_ROLE:
                has |= HAS_ROLE
                role, role_stop = found.value, found.value_stop
                tag.has_names = True
        elif length == 14 and is_attribute(text, &found, b"data-nosnippet", 14):
            is_unread = tag.has_names = True
        elif length == 10 and is_attribute(text, &found, b"aria-modal", 10):
            if not has & HAS_MODAL:
                has |= HAS_MODAL
                is_modal = is_name(text, found.value, found.value_stop, b"true", 4)
                tag.has_names = True
                if find(text, found.value, found.value_stop, <Code> c"&") < found.value_stop:
                    return -1
        elif watch_source(self.tags, text, &found, table):
            tag.has_names = True
        bare_stop = found.value_stop if found.value < found.value_stop else -1
    # A slash at the end may be the last character of a value without quotes.
    tag.is_closed = text[place - 2] == c"/" and bare_stop != place - 1
    if is_unread:
        tag.name.role_number = table.number_role(self.tags.unread)
    elif is_modal:
        tag.name.role_number = table.number_role(self.tags.modal)
    elif role >= 0:
        slot = find_slice(table.roles, text, role, role_stop - role)
        if slot.number < 0:
            words = decoded(text, role, role_stop, True).lower().split()
            slot.number = table.number_role(words[0] if words else "")
            table.roles.count += 1
        tag.name.role_number = slot.number
    return place


cdef bint watch_source(TreeMarkup self, const Code* text, Attribute* found, Table table) noexcept:
    """Note that there is an attribute that somebody may ask for; return whether it is one."""
    cdef Py_ssize_t watched, length = found.name_stop - found.name, first, place, more
    cdef const uint8_t* letters = self.watched_letters
    cdef bint is_one = False
    for watched in range(self.watched.shape[0] - 1):
        first = self.watched[watched]
        more = self.watched[watched + 1] - first - length  # an equals sign and letters of a value
        if more < 0 or letters[first] != text[found.name] | 32 or (more and letters[first + length] != c"="):
            continue
        place = 1
        while place < length and letters[first + place] == text[found.name + place] | 32:
            place += 1
        if place < length:
            continue
        is_one = True
        if (
            not more
            or may_have(text, found.value, found.value_stop, letters + first + length + 1, more - 1)
            or find(text, found.value, found.value_stop, <Code> c"&") < found.value_stop
        ):
            table.seen |= <uint32_t> 1 << watched
            table.is_described |= watched < DESCRIBING
    return is_one


cdef int32_t number_value(
    Slices table, const Code* text, Py_ssize_t start, Py_ssize_t stop, list names, Reader reader, int which
) except -1:
    """Return the number of a value, a new one if it is new however it is written."""
    cdef Slice* slot = find_slice(table, text, start, stop - start)
    cdef dict numbers
    if slot.number >= 0:
        return slot.number
    cdef str string = decoded(text, start, stop, True)
    numbers = reader.dictionaries[which]
    if numbers is None and (
        find(text, start, stop, <Code> c"&") < stop or find(text, start, stop, <Code> c"\r") < stop
    ):
        numbers = {name: number for number, name in enumerate(names) if number}
        reader.dictionaries[which] = numbers
    if numbers is not None and string in numbers:
        slot.number = numbers[string]
    else:
        names.append(string)
        slot.number = <int32_t> (len(names) - 1)
        if numbers is not None:
            numbers[string] = slot.number
    table.count += 1
    return slot.number


cdef str source_value(
    const Code* text, Py_ssize_t place, Py_ssize_t size, const char* wanted, Py_ssize_t length
):
    """Return the value of an attribute of a start tag that was read before; '' where it has none."""
    cdef Attribute found
    while place < size:
        place = next_attribute(text, place, size, &found)
        if place < 0 or found.name_stop == found.name:
            break
        if is_attribute(text, &found, wanted, length):
            return decoded(text, found.value, found.value_stop, True)
    return ""


# --- characters ----------------------------------------------------------------------------------

cdef uint32_t[32] OLD_CHARACTERS = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
    0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, 0x9D, 0x017E, 0x0178,
]


cdef str decoded(const Code* text, Py_ssize_t start, Py_ssize_t stop, bint in_attribute):
    """Return characters with what stands for others replaced, and every line break as one character."""
    if find(text, start, stop, <Code> c"&") == stop and find(text, start, stop, <Code> c"\r") == stop:
        return PyUnicode_FromKindAndData(sizeof(Code), text + start, stop - start)
    cdef uint32_t* plain = <uint32_t*> PyMem_Malloc((stop - start) * sizeof(uint32_t))
    cdef Py_ssize_t size = 0, after
    cdef uint32_t code
    if not plain:
        raise MemoryError
    try:
        while start < stop:
            code = text[start]
            if code == c"\r":
                if start + 1 < stop and text[start + 1] == c"\n":
                    start += 1
                plain[size] = c"\n"
                size += 1
                start += 1
            elif code != c"&":
                plain[size] = code
                size += 1
                start += 1
            else:
                after = read_reference(text, start, stop, in_attribute, plain, &size)
                start = after
        return PyUnicode_FromKindAndData(4, plain, size)
    finally:
        PyMem_Free(plain)


cdef Py_ssize_t read_reference(
    const Code* text, Py_ssize_t start, Py_ssize_t stop, bint in_attribute, uint32_t* plain, Py_ssize_t* size
) except -1:
    """Write the characters that an ampersand begins the name or number of; return what comes next."""
    cdef Py_ssize_t place = start + 1, first
    cdef uint32_t code = 0
    cdef bint is_hex
    if begins(text, place, stop, b"amp;", 4):
        plain[size[0]] = c"&"
    elif begins(text, place, stop, b"nbsp;", 5):
        plain[size[0]] = 0xA0
    elif begins(text, place, stop, b"quot;", 5):
        plain[size[0]] = c'"'
    elif begins(text, place, stop, b"lt;", 3):
        plain[size[0]] = c"<"
    elif begins(text, place, stop, b"gt;", 3):
        plain[size[0]] = c">"
    elif place < stop and text[place] == c"#":
        place += 1
        is_hex = place < stop and text[place] | 32 == c"x"
        place += is_hex
        first = place
        while place < stop and (c"0" <= text[place] <= c"9" or is_hex and c"a" <= text[place] | 32 <= c"f"):
            if code <= 0x10FFFF:
                code = code * (16 if is_hex else 10)
                code += text[place] - c"0" if text[place] <= c"9" else (text[place] | 32) - c"a" + 10
            place += 1
        if place == first:
            plain[size[0]] = c"&"
            size[0] += 1
            return start + 1
        if place < stop and text[place] == c";":
            place += 1
        if code == 0 or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            code = 0xFFFD
        elif 0x80 <= code < 0xA0:
            code = OLD_CHARACTERS[code - 0x80]
        plain[size[0]] = code
        size[0] += 1
        return place
    else:
        return read_named_reference(text, start, stop, in_attribute, plain, size)
    size[0] += 1
    return find(text, place, stop, <Code> c";") + 1


cdef Py_ssize_t read_named_reference(
    const Code* text, Py_ssize_t start, Py_ssize_t stop, bint in_attribute, uint32_t* plain, Py_ssize_t* size
) except -1:
    """Write the characters of the longest name after an ampersand, or the ampersand itself."""
    cdef Py_ssize_t place = start + 1, after
    cdef str name
    while place < stop and place - start <= 32 and (is_letter(text[place]) or c"0" <= text[place] <= c"9"):
        place += 1
    if place < stop and text[place] == c";":
        place += 1
    while place > start + 2:
        name = PyUnicode_FromKindAndData(sizeof(Code), text + start + 1, place - start - 1)
        characters = _CHARACTERS.get(name)
        if characters is not None:
            if in_attribute and text[place - 1] != c";" and place < stop and (
                text[place] == c"=" or is_letter(text[place]) or c"0" <= text[place] <= c"9"
            ):
                break
            for character in characters:
                plain[size[0]] = <Py_UCS4> ord(character)
                size[0] += 1
            return place
        place -= 1
    plain[size[0]] = c"&"
    size[0] += 1
    return start + 1
