# The page table straight from the source of a page, where its tree is plain to see; a part of tree_markup.pyx.
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


# How the parser treats elements, by name. Those of one group are treated alike.
cdef enum Group:
    ORDINARY
    BLOCK
    PARAGRAPH
    HEADING
    VERBATIM
    FORM
    ITEM
    TERM
    BUTTON
    ANCHOR
    FORMAT
    MARKED
    TABLE
    CAPTION
    COLUMN_GROUP
    COLUMN
    TABLE_BODY
    TABLE_ROW
    CELL
    INLINE_VOID
    BREAK
    INPUT
    RULE
    TEXT_AREA
    RAW_BLOCK
    RAW_INLINE
    SELECT
    OPTION
    OPTION_GROUP
    RUBY_BASE
    RUBY_TEXT
    SVG
    ROOT
    HEAD_ELEMENT
    BODY
    HEAD_VOID
    TITLE
    RAW_HEAD
    SCRIPT_ELEMENT
    NOT_IN_BODY
    TEMPLATE_ELEMENT
    LEFT_TO_PARSER

_GROUPS = {
    BLOCK: "address article aside blockquote center details dialog dir div dl fieldset figcaption figure "
    "footer header hgroup main menu nav ol search section summary ul",
    PARAGRAPH: "p",
    HEADING: "h1 h2 h3 h4 h5 h6",
    VERBATIM: "pre listing",
    FORM: "form",
    ITEM: "li",
    TERM: "dd dt",
    BUTTON: "button",
    ANCHOR: "a",
    FORMAT: "b big code em font i s small strike strong tt u",
    MARKED: "object marquee applet",
    TABLE: "table",
    CAPTION: "caption",
    COLUMN_GROUP: "colgroup",
    COLUMN: "col",
    TABLE_BODY: "tbody tfoot thead",
    TABLE_ROW: "tr",
    CELL: "td th",
    INLINE_VOID: "area embed img keygen param source track wbr",
    BREAK: "br",
    INPUT: "input",
    RULE: "hr",
    TEXT_AREA: "textarea",
    RAW_BLOCK: "xmp",
    RAW_INLINE: "iframe noembed noscript",
    SELECT: "select",
    OPTION: "option",
    OPTION_GROUP: "optgroup",
    RUBY_BASE: "rb rtc",
    RUBY_TEXT: "rp rt",
    SVG: "svg",
    ROOT: "html",
    HEAD_ELEMENT: "head",
    BODY: "body",
    HEAD_VOID: "base basefont bgsound link meta",
    TITLE: "title",
    RAW_HEAD: "style noframes",
    SCRIPT_ELEMENT: "script",
    NOT_IN_BODY: "frame",
    TEMPLATE_ELEMENT: "template",
    LEFT_TO_PARSER: "frameset math nobr plaintext",
}

# What elements are to others, in bits beside their group.
cdef enum:
    SPECIAL = 1  # end tags of others do not reach beyond it
    SCOPE = 2  # nor beyond it, if what they end must be in scope
    IMPLIED = 4  # ends by itself where one around it ends
    LEAVES_SVG = 8
    FORMATTING = 16
    OF_SVG = 32
    HOLDS_HTML = 64  # an element of SVG with HTML in it

_TRAITS = {
    SPECIAL: "address applet area article aside base basefont bgsound blockquote body br button caption center "
    "col colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 "
    "h4 h5 h6 head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav "
    "noembed noframes noscript object ol p param plaintext pre script search section select source style "
    "summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp",
    SCOPE: "applet caption html table td th marquee object template select",
    IMPLIED: "dd dt li optgroup option p rb rp rt rtc",
    HOLDS_HTML: "desc foreignobject title",
    LEAVES_SVG: "b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i "
    "img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var",
    FORMATTING: "a b big code em font i s small strike strong tt u",
}

cdef dict SVG_NAMES = {
    name.lower(): name
    for name in (
        "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend "
        "feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap "
        "feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge "
        "feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence "
        "foreignObject glyphRef linearGradient radialGradient textPath"
    ).split()
}

# Where the parser is in a document.
cdef enum Mode:
    BEFORE_ROOT
    BEFORE_HEAD
    IN_DOCUMENT_HEAD
    AFTER_HEAD
    IN_BODY
    IN_TABLE
    IN_CAPTION
    IN_COLUMN_GROUP
    IN_TABLE_BODY
    IN_ROW
    IN_CELL
    IN_TEMPLATE  # before anything decides what it is a template of

cdef enum:
    NAME_CHARS = 48  # tags with longer names are left to the parser
    ALIKE_FORMATS = 3  # of one name that may go on together

cdef enum:
    NO_TAG = -1  # the place of the tag of an element that has none
    TWO_TAGS = -2
    FOREIGN_TAGS = -3  # from here on down are those of elements of SVG

cdef enum:
    ENDED = -2  # the number of an element that has ended, though others in it are open

cdef enum:
    DONE = 0
    AGAIN = 1  # in another mode now: treat the tag once more
    UNSURE = -1  # left to the parser

cdef struct Tag:
    # A start or end tag.
    int32_t number
    uint16_t meaning
    uint8_t group, traits
    bint is_closed  # <br/>
    bint has_names
    int32_t place  # of its attributes in the source; those of SVG are written otherwise: -3 minus that
    Name name

cdef struct Item:
    # An open element, beside what `Table.open_elements` says of it.
    int32_t number
    int32_t format  # its place among the formats that may go on; -1 if it is none
    uint8_t group, traits
    bint is_undecided  # a template of which nobody knows yet what it is one of

cdef struct Format:
    # Formatting that goes on in the next element if it is not ended; or a mark, beyond which none does.
    Tag tag
    int32_t item  # its place among the open elements; -1 if it is not open
    bint is_mark

cdef struct Piece:
    Py_ssize_t start, stop


cdef class Reader:
    """What is known while the source of a page is read."""

    cdef TreeMarkup tags
    cdef Table table
    cdef Item* items
    cdef Format* formats
    cdef Piece* pieces
    cdef Py_ssize_t most_items, format_count, piece_count, most_formats, most_pieces
    cdef int kind
    cdef void* data
    cdef Mode mode
    cdef int32_t paragraphs, selects, templates  # that are open
    cdef int32_t head_row, form_row
    cdef Py_ssize_t token  # where what is read now begins
    cdef bint is_quirky, is_quirky_unknown, after_body, are_names_in_order, has_templates
    cdef Open head
    cdef list raws  # number, beginning and end of each text that elements have nothing else in
    cdef list dictionaries  # of classes and ids, once one is written in another way than others

    def __cinit__(self):
        self.items, self.formats, self.pieces = NULL, NULL, NULL

    def __dealloc__(self):
        PyMem_Free(self.items)
        PyMem_Free(self.formats)
        PyMem_Free(self.pieces)

    cdef int make_room(self) except -1:
        self.most_items, self.most_formats, self.most_pieces = 64, 64, 64
        self.items = <Item*> PyMem_Malloc(self.most_items * sizeof(Item))
        self.formats = <Format*> PyMem_Malloc(self.most_formats * sizeof(Format))
        self.pieces = <Piece*> PyMem_Malloc(self.most_pieces * sizeof(Piece))
        if not self.items or not self.formats or not self.pieces:
            raise MemoryError
        self.mode, self.is_quirky = BEFORE_ROOT, True
        self.raws = []
        self.dictionaries, self.are_names_in_order = [None, None], True
        self.head_row = self.form_row = -1
        return 0

    cdef int make_more_room(self) except -2:
        """Make room for a row, and for an open element; UNSURE where there are too many of them."""
        cdef Table table = self.table
        cdef Item* items
        if max(table.rows, table.elements) + 4 >= table.row_room:
            if max(table.rows, table.elements) > table.max_nodes:
                return UNSURE
            table.make_room_for_rows(2 * table.row_room)
        if table.top + 2 >= table.open_room:
            table.make_room_for_open()
        if table.top + 2 >= self.most_items:
            items = <Item*> PyMem_Realloc(self.items, 2 * self.most_items * sizeof(Item))
            if not items:
                raise MemoryError
            self.items, self.most_items = items, 2 * self.most_items
        return DONE

    cdef inline Item* top(self) noexcept:
        return &self.items[self.table.top - 1]

    # --- inserting -------------------------------------------------------------------------------

    cdef int insert(self, Tag* tag, bint stays_open) except -2:
        """Insert an element at the end of the innermost open one; UNSURE where there is no room."""
        cdef Open element
        cdef Open* parent
        cdef Table table = self.table
        cdef Item* item
        if self.piece_count:
            self.write_text()
        if self.make_more_room() < 0:
            return UNSURE
        element.bits, element.row, element.depth = 0, -1, 0
        element.name = element.length = 0
        if table.top > 0:
            parent = &table.open_elements[table.top - 1]
            element.bits, element.row = parent.bits & INHERITED, parent.row
            element.depth = parent.depth + 1
        element.bits |= tag.meaning & INHERITED
        table.nodes += 1
        table.add_element(tag.number, min(tag.number, self.tags.foreign), tag.name, &element)
        if not element.bits & OUTSIDE:
            table.column[PLACE][element.row] = tag.place
        if stays_open:
            item = &self.items[table.top]
            item.number, item.group, item.traits = tag.number, tag.group, tag.traits
            item.format, item.is_undecided = -1, tag.group == TEMPLATE_ELEMENT
            self.paragraphs += tag.group == PARAGRAPH
            self.selects += tag.group == SELECT
            if tag.group == TEMPLATE_ELEMENT:
                self.templates += 1
                table.nodes += 1
                element.bits |= CODE | OUTSIDE
            table.open_elements[table.top] = element
            table.top += 1
        return DONE

    cdef int insert_named(self, const char* name, bint stays_open) except -2:
        """Insert an element that no tag stands for."""
        cdef Tag tag
        self.tags.describe(<const uint8_t*> name, strlen(name), &tag)
        tag.name.class_number = tag.name.id_number = tag.name.role_number = 0
        tag.place = NO_TAG
        return self.insert(&tag, stays_open)

    cdef int write_text(self) except -1:
        """Add the text that was read to the innermost open element."""
        if self.kind == 1:
            return write_pieces(self, <const uint8_t*> self.data)
        if self.kind == 2:
            return write_pieces(self, <const uint16_t*> self.data)
        return write_pieces(self, <const uint32_t*> self.data)

    cdef int pop(self) except -1:
        """Close the innermost open element."""
        cdef Table table = self.table
        cdef Item* item
        if self.piece_count:
            self.write_text()
        while True:
            table.top -= 1
            item = &self.items[table.top]
            self.paragraphs -= item.group == PARAGRAPH
            self.selects -= item.group == SELECT
            self.templates -= item.group == TEMPLATE_ELEMENT
            if item.format >= 0:
                self.formats[item.format].item = -1
            if not table.open_elements[table.top].bits & OUTSIDE:
                table.column[END][table.open_elements[table.top].row] = table.rows
                table.column[STOP][table.open_elements[table.top].row] = <int32_t> self.token
            if table.top == 0 or self.items[table.top - 1].number != ENDED:
                return 0

    cdef int pop_to(self, Py_ssize_t place) except -1:
        """Close the elements from a place on."""
        while self.table.top > place:
            self.pop()
        return 0

    # --- looking ---------------------------------------------------------------------------------

    cdef Py_ssize_t in_scope(self, int32_t number, int beyond) noexcept:
        """Return the place of an open element of a number; -1 where it is not in scope.

        `beyond` is the group beyond which it is not looked for, beside those that always end a scope.
        """
        cdef Py_ssize_t place = self.table.top - 1
        while place >= 0:
            if self.items[place].number == number and not self.items[place].traits & OF_SVG:
                return place
            if self.items[place].traits & (SCOPE | HOLDS_HTML) or self.items[place].group == beyond:
                return -1
            place -= 1
        return -1

    cdef Py_ssize_t group_in_scope(self, int group) noexcept:
        """Return the place of an open element of a group; -1 where it is not in scope."""
        cdef Py_ssize_t place = self.table.top - 1
        while place >= 0:
            if self.items[place].group == group and not self.items[place].traits & OF_SVG:
                return place
            if self.items[place].traits & (SCOPE | HOLDS_HTML):
                return -1
            place -= 1
        return -1

    cdef Py_ssize_t in_table_scope(self, int group, int32_t number) noexcept:
        """Return the place of an open element of a group, and a number if it is not -1, in a table."""
        cdef Py_ssize_t place = self.table.top - 1
        while place >= 0:
            if self.items[place].group == group and (number < 0 or self.items[place].number == number):
                return place
            if self.items[place].group in (TABLE, ROOT, TEMPLATE_ELEMENT):
                return -1
            place -= 1
        return -1

    cdef int end_implied(self, int32_t but) except -1:
        """Close what ends by itself, but for elements of a number."""
        while self.top().traits & IMPLIED and self.top().number != but:
            self.pop()
        return 0

    cdef int close_paragraph(self) except -1:
        cdef Py_ssize_t place
        if not self.paragraphs:
            return 0
        place = self.in_scope(self.tags.paragraph, BUTTON)
        if place >= 0:
            self.pop_to(place)  # all that is above it goes, whether implied or not
        return 0

    # --- formatting ------------------------------------------------------------------------------

    cdef inline bint has_to_go_on(self) noexcept:
        cdef Format* last
        if not self.format_count:
            return False
        last = &self.formats[self.format_count - 1]
        return not last.is_mark and last.item < 0

    cdef int go_on(self) except -2:
        """Open again the formatting that was not ended, only what was around it."""
        cdef Py_ssize_t place = self.format_count - 1
        cdef Format* entry
        if not self.has_to_go_on():
            return DONE
        while place > 0 and not self.formats[place - 1].is_mark and self.formats[place - 1].item < 0:
            place -= 1
        while place < self.format_count:
            entry = &self.formats[place]
            if self.insert(&entry.tag, True) < 0:
                return UNSURE
            entry.item = <int32_t> (self.table.top - 1)
            self.top().format = <int32_t> place
            place += 1
        return DONE

    cdef int add_format(self, Tag* tag, bint is_mark) except -2:
        """Note formatting that was just opened, or a mark beyond which none goes on."""
        cdef Py_ssize_t place = self.format_count - 1, alike = 0
        cdef Format* formats
        while place >= 0 and not self.formats[place].is_mark and not is_mark:
            alike += self.formats[place].tag.number == tag.number
            place -= 1
        if alike >= ALIKE_FORMATS:  # of equal ones the standard lets only so many go on
            return UNSURE
        if self.format_count == self.most_formats:
            formats = <Format*> PyMem_Realloc(
                self.formats, 2 * self.most_formats * sizeof(Format)
            )
            if not formats:
                raise MemoryError
            self.formats, self.most_formats = formats, 2 * self.most_formats
        self.formats[self.format_count].is_mark = is_mark
        self.formats[self.format_count].item = -1
        if not is_mark:
            self.formats[self.format_count].tag = tag[0]
            self.formats[self.format_count].item = <int32_t> (self.table.top - 1)
            self.top().format = <int32_t> self.format_count
        self.format_count += 1
        return DONE

    cdef void remove_format(self, Py_ssize_t place) noexcept:
        cdef Py_ssize_t later
        self.format_count -= 1
        for later in range(place, self.format_count):
            self.formats[later] = self.formats[later + 1]
            if self.formats[later].item >= 0:
                self.items[self.formats[later].item].format = <int32_t> later

    cdef void forget_formats(self) noexcept:
        """Forget what goes on, back to the last mark."""
        cdef bint was_mark = False
        while self.format_count and not was_mark:
            self.format_count -= 1
            was_mark = self.formats[self.format_count].is_mark
            if self.formats[self.format_count].item >= 0:
                self.items[self.formats[self.format_count].item].format = -1

    cdef Py_ssize_t find_format(self, int32_t number) noexcept:
        cdef Py_ssize_t place = self.format_count - 1
        while place >= 0 and not self.formats[place].is_mark:
            if self.formats[place].tag.number == number:
                return place
            place -= 1
        return -1

    cdef int end_format(self, int32_t number) except -2:
        """End formatting: the plain part of what the standard calls the adoption agency."""
        cdef Py_ssize_t entry, item, place
        if self.top().number == number and self.top().format < 0:
            self.pop()
            return DONE
        entry = self.find_format(number)
        if entry < 0:
            return self.end_other(number)
        item = self.formats[entry].item
        if item < 0:
            self.remove_format(entry)
            return DONE
        place = self.table.top - 1
        while place > item:
            if self.items[place].traits & (SPECIAL | SCOPE | HOLDS_HTML):
                # Not in scope, or with a block in it, which would have to be moved out.
                return UNSURE
            place -= 1
        self.pop_to(item)
        self.remove_format(entry)
        return DONE

    # --- tags in the body ------------------------------------------------------------------------

    cdef int end_other(self, int32_t number) except -2:
        """Treat an end tag like any other: it ends the nearest element of its name, if it may."""
        cdef Py_ssize_t place = self.table.top - 1
        while place >= 0:
            if self.items[place].number == number and not self.items[place].traits & OF_SVG:
                self.end_implied(number)
                self.pop_to(place)
                return DONE
            if self.items[place].traits & (SPECIAL | HOLDS_HTML):
                return DONE
            place -= 1
        return DONE

    cdef int open_item(self, Tag* tag) except -2:
        cdef Py_ssize_t place = self.table.top - 1
        cdef Item* item
        while place >= 0:
            item = &self.items[place]
            if item.group == tag.group and not item.traits & OF_SVG:
                self.pop_to(place)
                break
            if item.traits & SPECIAL and item.group != PARAGRAPH:
                if item.number != self.tags.division and item.number != self.tags.address:
                    break
            place -= 1
        self.close_paragraph()
        return self.insert(tag, True)

    cdef int start_in_body(self, Tag* tag) except -2:
        """Treat a start tag in the body; what is raw is read by the caller."""
        cdef int group = tag.group
        cdef Py_ssize_t place
        if self.selects and group not in (OPTION, OPTION_GROUP, SCRIPT_ELEMENT):
            return UNSURE
        if group == ORDINARY:
            if self.go_on() < 0:
                return UNSURE
            return self.insert(tag, True)
        if group == BLOCK or group == PARAGRAPH or group == VERBATIM:
            self.close_paragraph()
            return self.insert(tag, True)
        if group == ANCHOR:
            place = self.find_format(tag.number)
            if place >= 0:
                if self.end_format(tag.number) < 0 or self.find_format(tag.number) >= 0:
                    return UNSURE
            if self.go_on() < 0 or self.insert(tag, True) < 0:
                return UNSURE
            return self.add_format(tag, False)
        if group == FORMAT:
            if self.go_on() < 0 or self.insert(tag, True) < 0:
                return UNSURE
            return self.add_format(tag, False)
        if group == ITEM or group == TERM:
            return self.open_item(tag)
        if group == HEADING:
            self.close_paragraph()
            if self.top().group == HEADING:
                self.pop()
            return self.insert(tag, True)
        if group in (INLINE_VOID, BREAK, INPUT):
            if self.go_on() < 0:
                return UNSURE
            return self.insert(tag, False)
        if group == HEAD_VOID:
            return self.insert(tag, False)
        if group == RULE:
            self.close_paragraph()
            return self.insert(tag, False)
        if group in (SCRIPT_ELEMENT, RAW_HEAD, TITLE, TEXT_AREA):
            return self.insert(tag, True)
        if group == RAW_INLINE:
            return self.insert(tag, True)
        if group == RAW_BLOCK:
            self.close_paragraph()
            if self.go_on() < 0:
                return UNSURE
            return self.insert(tag, True)
        if group == SVG or group == SELECT:
            if self.go_on() < 0:
                return UNSURE
            if group == SVG and tag.is_closed:
                return self.insert(tag, False)
            return self.insert(tag, True)
        if group == BUTTON:
            place = self.group_in_scope(BUTTON)
            if place >= 0:
                self.pop_to(place)
            if self.go_on() < 0:
                return UNSURE
            return self.insert(tag, True)
        if group == FORM:
            if self.form_row >= 0 and not self.templates:
                return self.ignore(tag)
            self.close_paragraph()
            if self.insert(tag, True) < 0:
                return UNSURE
            if not self.templates:
                self.form_row = self.table.open_elements[self.table.top - 1].row
            return DONE
        if group == TEMPLATE_ELEMENT:
            return self.open_template(tag)
        if group == OPTION or group == OPTION_GROUP:
            if self.selects:
                self.end_implied(-1 if group == OPTION_GROUP else self.tags.option_group)
            elif self.top().group == OPTION:
                self.pop()
            if self.go_on() < 0:
                return UNSURE
            return self.insert(tag, True)
        if group == MARKED:
            if self.go_on() < 0 or self.insert(tag, True) < 0:
                return UNSURE
            return self.add_format(tag, True)
        if group == TABLE:
            if self.paragraphs and self.in_scope(self.tags.paragraph, BUTTON) >= 0:
                if self.is_quirky_unknown:
                    return UNSURE
                if not self.is_quirky:
                    self.close_paragraph()
            if self.insert(tag, True) < 0:
                return UNSURE
            self.mode = IN_TABLE
            return DONE
        if group == RUBY_BASE or group == RUBY_TEXT:
            if self.in_scope(self.tags.ruby, -1) >= 0:
                self.end_implied(-1 if group == RUBY_BASE else self.tags.ruby_container)
            return self.insert(tag, True)
        if group in (CAPTION, COLUMN, COLUMN_GROUP, TABLE_BODY, TABLE_ROW, CELL, HEAD_ELEMENT, NOT_IN_BODY):
            return UNSURE if self.templates else self.ignore(tag)
        return UNSURE

    cdef int end_in_body(self, Tag* tag) except -2:
        """Treat an end tag in the body."""
        cdef int group = tag.group
        cdef Py_ssize_t place
        if self.selects and group not in (SELECT, OPTION, OPTION_GROUP):
            return UNSURE
        if group == BLOCK or group == VERBATIM or group == BUTTON or group == SELECT:
            place = self.in_scope(tag.number, -1)
            if place >= 0:
                self.pop_to(place)
            return DONE
        if group == ORDINARY or group == OPTION or group == OPTION_GROUP:
            return self.end_other(tag.number)
        if group == ANCHOR or group == FORMAT:
            return self.end_format(tag.number)
        if group == PARAGRAPH:
            if not self.paragraphs or self.in_scope(tag.number, BUTTON) < 0:
                if self.insert_named(b"p", True) < 0:
                    return UNSURE
            self.close_paragraph()
            return DONE
        if group == ITEM:
            return self.end_list_item(tag.number)
        if group == TERM:
            place = self.in_scope(tag.number, -1)
            if place >= 0:
                self.pop_to(place)
            return DONE
        if group == HEADING:
            place = self.group_in_scope(HEADING)
            if place >= 0:
                self.pop_to(place)
            return DONE
        if group == FORM:
            return self.end_form()
        if group == MARKED:
            place = self.in_scope(tag.number, -1)
            if place >= 0:
                self.pop_to(place)
                self.forget_formats()
            return DONE
        if group == BODY or group == ROOT:
            place = self.group_in_scope(BODY)
            if place >= 0:
                self.after_body = True
            return DONE
        if group == BREAK:
            if self.go_on() < 0:
                return UNSURE
            return self.insert_named(b"br", False)
        if group == LEFT_TO_PARSER:
            return UNSURE
        if group == TEMPLATE_ELEMENT:
            return self.close_template()
        return self.end_other(tag.number)

    cdef int end_list_item(self, int32_t number) except -2:
        cdef Py_ssize_t place = self.table.top - 1
        cdef Item* item
        while place >= 0:
            item = &self.items[place]
            if item.number == number and not item.traits & OF_SVG:
                self.pop_to(place)
                return DONE
            if item.traits & (SCOPE | HOLDS_HTML):
                return DONE
            if item.number == self.tags.ordered or item.number == self.tags.unordered:
                return DONE
            place -= 1
        return DONE

    cdef int end_form(self) except -2:
        cdef int32_t row = self.form_row
        cdef Py_ssize_t place = self.table.top - 1
        if self.templates:
            place = self.group_in_scope(FORM)
            if place >= 0:
                self.pop_to(place)
            return DONE
        self.form_row = -1
        if row < 0:
            return DONE
        while place >= 0:
            if self.items[place].group == FORM and self.table.open_elements[place].row == row:
                break
            if self.items[place].traits & (SCOPE | HOLDS_HTML):
                return DONE
            place -= 1
        if place < 0:
            return DONE
        self.end_implied(-1)
        if self.table.top - 1 == place:
            self.pop()
        else:  # it ends, and what is in it does not
            self.items[place].number, self.items[place].traits = ENDED, 0
            self.items[place].group = ORDINARY
        return DONE

    # --- templates -------------------------------------------------------------------------------

    cdef int open_template(self, Tag* tag) except -2:
        if self.mode == AFTER_HEAD or self.insert(tag, True) < 0:
            return UNSURE
        self.mode, self.has_templates = IN_TEMPLATE, True
        return self.add_format(tag, True)

    cdef int close_template(self) except -2:
        """Close a template with all that is open in it, and go on where it stands."""
        cdef Py_ssize_t place = self.table.top - 1
        if not self.templates:
            return DONE
        while self.items[place].group != TEMPLATE_ELEMENT:
            place -= 1
        self.pop_to(place)
        self.forget_formats()
        self.find_mode()
        return DONE

    cdef int treat_in_template(self, Tag* tag, bint is_end) except -2:
        """Treat a tag in a template, the first of which decides how others are treated."""
        cdef int group = tag.group
        if group == TEMPLATE_ELEMENT:
            return self.close_template() if is_end else self.open_template(tag)
        if is_end:
            return DONE
        if group in (HEAD_VOID, TITLE, RAW_HEAD, SCRIPT_ELEMENT):
            return self.start_in_body(tag)
        if group in (CAPTION, COLUMN, COLUMN_GROUP, TABLE_BODY, TABLE_ROW, CELL):
            return UNSURE
        self.top().is_undecided = False
        self.mode = IN_BODY
        return AGAIN

    cdef void find_mode(self) noexcept:
        """Go on as the innermost open elements want it."""
        cdef Py_ssize_t place = self.table.top - 1
        cdef int group
        self.mode = IN_BODY
        while place >= 0:
            group = self.items[place].group
            if group == CELL:
                self.mode = IN_CELL
            elif group == TABLE_ROW:
                self.mode = IN_ROW
            elif group == TABLE_BODY:
                self.mode = IN_TABLE_BODY
            elif group == CAPTION:
                self.mode = IN_CAPTION
            elif group == COLUMN_GROUP:
                self.mode = IN_COLUMN_GROUP
            elif group == TABLE:
                self.mode = IN_TABLE
            elif group == HEAD_ELEMENT:
                self.mode = IN_DOCUMENT_HEAD
            elif group == TEMPLATE_ELEMENT and self.items[place].is_undecided:
                self.mode = IN_TEMPLATE
            if group == BODY or group == TEMPLATE_ELEMENT or self.mode != IN_BODY:
                return
            place -= 1

    # --- tables ----------------------------------------------------------------------------------

    cdef int clear_to(self, int group) except -1:
        """Close what is open in an element of a table."""
        while self.top().group != group and self.top().group not in (TABLE, ROOT, TEMPLATE_ELEMENT):
            self.pop()
        return 0

    cdef int close_cell(self, Py_ssize_t place) except -1:
        self.pop_to(place)
        self.forget_formats()
        self.mode = IN_ROW
        return 0

    cdef int close_table(self, Py_ssize_t place) except -1:
        """Close a table, and go on where it stands."""
        self.pop_to(place)
        self.find_mode()
        return 0

    cdef int start_in_table(self, Tag* tag) except -2:
        """Treat a start tag right in a table, or where that is treated alike."""
        cdef int group = tag.group
        cdef Py_ssize_t place
        if group == CAPTION:
            self.clear_to(TABLE)
            self.add_format(tag, True)
            self.mode = IN_CAPTION
            return self.insert(tag, True)
        if group == COLUMN_GROUP:
            self.clear_to(TABLE)
            self.mode = IN_COLUMN_GROUP
            return self.insert(tag, True)
        if group == COLUMN:
            self.clear_to(TABLE)
            self.mode = IN_COLUMN_GROUP
            return AGAIN if self.insert_named(b"colgroup", True) == DONE else UNSURE
        if group == TABLE_BODY:
            self.clear_to(TABLE)
            self.mode = IN_TABLE_BODY
            return self.insert(tag, True)
        if group == CELL or group == TABLE_ROW:
            self.clear_to(TABLE)
            self.mode = IN_TABLE_BODY
            return AGAIN if self.insert_named(b"tbody", True) == DONE else UNSURE
        if group == TABLE:
            place = self.in_table_scope(TABLE, -1)
            if place < 0:
                return UNSURE
            self.close_table(place)
            return AGAIN
        if group == SCRIPT_ELEMENT or tag.number == self.tags.style:
            return self.insert(tag, True)
        if group == TEMPLATE_ELEMENT:
            return self.open_template(tag)
        if group == FORM and not self.templates:
            if self.form_row >= 0:
                return self.ignore(tag)
            if self.insert(tag, False) < 0:
                return UNSURE
            self.form_row = self.table.rows - 1
            return DONE
        return UNSURE  # what stands between cells is moved before the table

    cdef int end_in_table(self, Tag* tag) except -2:
        cdef Py_ssize_t place
        if tag.group == TABLE:
            place = self.in_table_scope(TABLE, -1)
            if place >= 0:
                self.close_table(place)
            return DONE
        if tag.group == TEMPLATE_ELEMENT:
            return self.close_template()
        if tag.group == FORM and not self.templates:
            return self.end_form()
        if tag.group in (BODY, CAPTION, COLUMN, COLUMN_GROUP, ROOT, TABLE_BODY, CELL, TABLE_ROW):
            return DONE
        return UNSURE

    cdef int treat_in_table_body(self, Tag* tag, bint is_end) except -2:
        cdef int group = tag.group
        if not is_end:
            if group == TABLE_ROW:
                self.clear_to(TABLE_BODY)
                self.mode = IN_ROW
                return self.insert(tag, True)
            if group == CELL:
                self.clear_to(TABLE_BODY)
                self.mode = IN_ROW
                return AGAIN if self.insert_named(b"tr", True) == DONE else UNSURE
        elif group == TABLE_BODY:
            if self.in_table_scope(TABLE_BODY, tag.number) >= 0:
                self.clear_to(TABLE_BODY)
                self.pop()
                self.mode = IN_TABLE
            return DONE
        elif group in (BODY, CAPTION, COLUMN, COLUMN_GROUP, ROOT, CELL, TABLE_ROW):
            return DONE
        if group == TABLE and is_end or not is_end and group in (CAPTION, COLUMN, COLUMN_GROUP, TABLE_BODY):
            if self.in_table_scope(TABLE_BODY, -1) < 0:
                return DONE if is_end else UNSURE
            self.clear_to(TABLE_BODY)
            self.pop()
            self.mode = IN_TABLE
            return AGAIN
        return self.end_in_table(tag) if is_end else self.start_in_table(tag)

    cdef int treat_in_row(self, Tag* tag, bint is_end) except -2:
        cdef int group = tag.group
        cdef bint ends_row = group == TABLE and is_end
        if not is_end and group == CELL:
            self.clear_to(TABLE_ROW)
            if self.insert(tag, True) < 0:
                return UNSURE
            self.mode = IN_CELL
            return self.add_format(tag, True)
        if is_end and group in (BODY, CAPTION, COLUMN, COLUMN_GROUP, ROOT, CELL):
            return DONE
        if not is_end:
            ends_row = group in (CAPTION, COLUMN, COLUMN_GROUP, TABLE_BODY, TABLE_ROW)
        elif group == TABLE_BODY:
            if self.in_table_scope(TABLE_BODY, tag.number) < 0:
                return DONE
            ends_row = True
        if ends_row or is_end and group == TABLE_ROW:
            if self.in_table_scope(TABLE_ROW, -1) < 0:
                return DONE if is_end else UNSURE
            self.clear_to(TABLE_ROW)
            self.pop()
            self.mode = IN_TABLE_BODY
            return AGAIN if ends_row else DONE
        return self.end_in_table(tag) if is_end else self.start_in_table(tag)

    cdef int treat_in_cell(self, Tag* tag, bint is_end) except -2:
        cdef int group = tag.group
        cdef Py_ssize_t place
        if is_end and group == CELL:
            place = self.in_table_scope(CELL, tag.number)
            if place >= 0:
                self.close_cell(place)
            return DONE
        if is_end and group in (BODY, CAPTION, COLUMN, COLUMN_GROUP, ROOT):
            return DONE
        if is_end and group in (TABLE, TABLE_BODY, TABLE_ROW):
            if self.in_table_scope(group, tag.number) < 0:
                return DONE
        elif is_end or group not in (CAPTION, COLUMN, COLUMN_GROUP, TABLE_BODY, CELL, TABLE_ROW):
            return self.end_in_body(tag) if is_end else self.start_in_body(tag)
        place = self.in_table_scope(CELL, -1)
        if place < 0:
            return UNSURE
        self.close_cell(place)
        return AGAIN

    cdef int treat_in_caption(self, Tag* tag, bint is_end) except -2:
        cdef int group = tag.group
        cdef Py_ssize_t place
        if is_end and group in (BODY, COLUMN, COLUMN_GROUP, ROOT, TABLE_BODY, CELL, TABLE_ROW):
            return DONE
        if (
            is_end and group in (CAPTION, TABLE)
            or not is_end and group in (CAPTION, COLUMN, COLUMN_GROUP, TABLE_BODY, CELL, TABLE_ROW)
        ):
            place = self.in_table_scope(CAPTION, -1)
            if place < 0:
                return DONE if is_end else UNSURE
            self.pop_to(place)
            self.forget_formats()
            self.mode = IN_TABLE
            return DONE if is_end and group == CAPTION else AGAIN
        return self.end_in_body(tag) if is_end else self.start_in_body(tag)

    cdef int treat_in_column_group(self, Tag* tag, bint is_end) except -2:
        if tag.group == TEMPLATE_ELEMENT:
            return UNSURE
        if not is_end and tag.group == COLUMN:
            return self.insert(tag, False)
        if is_end and tag.group == COLUMN:
            return DONE
        if self.top().group != COLUMN_GROUP:
            return UNSURE
        self.pop()
        self.mode = IN_TABLE
        return DONE if is_end and tag.group == COLUMN_GROUP else AGAIN

    # --- the head --------------------------------------------------------------------------------

    cdef int treat_early(self, Tag* tag, bint is_end) except -2:
        """Treat a tag before the body: what is left out is opened first."""
        cdef int group = tag.group
        if group == LEFT_TO_PARSER:
            return UNSURE
        if self.mode == BEFORE_ROOT:
            if is_end:
                return UNSURE
            self.mode = BEFORE_HEAD
            if group == ROOT:
                return self.insert(tag, True)
            return AGAIN if self.insert_named(b"html", True) == DONE else UNSURE
        if self.mode == BEFORE_HEAD:
            if is_end:
                return UNSURE
            self.mode = IN_DOCUMENT_HEAD
            if group == HEAD_ELEMENT:
                return self.insert(tag, True)
            return AGAIN if self.insert_named(b"head", True) == DONE else UNSURE
        if self.mode == IN_DOCUMENT_HEAD:
            if is_end and group == HEAD_ELEMENT:
                self.close_head()
                return DONE
            if group == TEMPLATE_ELEMENT and not is_end:
                return self.open_template(tag)
            if is_end and group not in (BODY, ROOT, BREAK):
                return DONE
            if not is_end and group == HEAD_ELEMENT:
                return self.ignore(tag)
            if not is_end and self.is_of_head(tag):
                return self.insert(tag, group != HEAD_VOID)
            self.close_head()
            return AGAIN
        if group == TEMPLATE_ELEMENT:
            return UNSURE
        if is_end and group not in (BODY, ROOT, BREAK):
            return DONE
        if not is_end and group == HEAD_ELEMENT:
            return self.ignore(tag)
        if not is_end and self.is_of_head(tag):
            return self.insert_into_head(tag)
        self.mode = IN_BODY
        if not is_end and group == BODY:
            return self.insert(tag, True)
        return AGAIN if self.insert_named(b"body", True) == DONE else UNSURE

    cdef bint is_of_head(self, Tag* tag) noexcept:
        cdef int group = tag.group
        if group == RAW_INLINE:
            return tag.number == self.tags.no_script
        return group in (HEAD_VOID, TITLE, RAW_HEAD, SCRIPT_ELEMENT)

    cdef int close_head(self) except -1:
        cdef Table table = self.table
        self.head = table.open_elements[table.top - 1]
        self.head_row = self.head.row
        self.pop()
        self.mode = AFTER_HEAD
        return 0

    cdef int insert_into_head(self, Tag* tag) except -2:
        """Insert what belongs into the head after its end, where nothing else stands yet."""
        cdef Table table = self.table
        cdef int said
        if tag.group == TITLE or table.column[END][self.head_row] != table.rows:
            return UNSURE
        if self.make_more_room() < 0:
            return UNSURE
        if self.piece_count:
            self.write_text()
        # The head is open once more as long as this is inserted; what is raw is closed by the caller.
        self.items[table.top].group, self.items[table.top].traits = HEAD_ELEMENT, SPECIAL
        self.items[table.top].number, self.items[table.top].format = self.tags.head, -1
        table.open_elements[table.top] = self.head
        table.top += 1
        said = self.insert(tag, tag.group != HEAD_VOID)
        if said == DONE and tag.group == HEAD_VOID:
            self.pop()
        return said

    cdef int treat(self, Tag* tag, bint is_end) except -2:
        """Treat a tag as the mode wants it."""
        cdef int said = AGAIN, times = 0
        if not is_end and (
            tag.group == ROOT and self.mode > BEFORE_ROOT or tag.group == BODY and self.mode >= IN_BODY
        ):
            return self.add_names(tag)
        while said == AGAIN:
            times += 1
            if times > 12:
                return UNSURE
            if self.mode < IN_BODY:
                said = self.treat_early(tag, is_end)
            elif self.mode == IN_BODY:
                said = self.end_in_body(tag) if is_end else self.start_in_body(tag)
            elif self.mode == IN_CELL:
                said = self.treat_in_cell(tag, is_end)
            elif self.mode == IN_ROW:
                said = self.treat_in_row(tag, is_end)
            elif self.mode == IN_TABLE_BODY:
                said = self.treat_in_table_body(tag, is_end)
            elif self.mode == IN_TABLE:
                said = self.end_in_table(tag) if is_end else self.start_in_table(tag)
            elif self.mode == IN_CAPTION:
                said = self.treat_in_caption(tag, is_end)
            elif self.mode == IN_TEMPLATE:
                said = self.treat_in_template(tag, is_end)
            else:
                said = self.treat_in_column_group(tag, is_end)
        return said

    cdef int add_names(self, Tag* tag) except -2:
        """Give the attributes of a second <html> or <body> to the first, if it does not have them."""
        cdef Table table = self.table
        cdef int32_t row = 0
        if self.templates or self.selects:
            return UNSURE
        if tag.group == BODY:
            if table.top < 2 or self.items[1].group != BODY:
                return UNSURE
            row = table.open_elements[1].row
        table.column[PLACE][row] = TWO_TAGS
        self.are_names_in_order = False  # those of the first would stand before those of all that is in it
        if not table.column[CLASS][row]:
            table.column[CLASS][row] = tag.name.class_number
        if not table.column[ID][row]:
            table.column[ID][row] = tag.name.id_number
        if not table.column[ROLE][row]:
            table.column[ROLE][row] = tag.name.role_number
        return DONE

    cdef int ignore(self, Tag* tag) noexcept:
        """Ignore a tag, with the names that were noted of it."""
        if tag.has_names:
            self.are_names_in_order = False
        return DONE

    cdef int open_body(self) except -2:
        """Open what is left out before a text of the body."""
        if self.mode == BEFORE_ROOT:
            if self.insert_named(b"html", True) < 0:
                return UNSURE
            self.mode = BEFORE_HEAD
        if self.mode == BEFORE_HEAD:
            if self.insert_named(b"head", True) < 0:
                return UNSURE
            self.mode = IN_DOCUMENT_HEAD
        if self.mode == IN_DOCUMENT_HEAD:
            self.close_head()
        if self.mode == AFTER_HEAD:
            if self.insert_named(b"body", True) < 0:
                return UNSURE
            self.mode = IN_BODY
        return DONE

    cdef int order_names(self) except -1:
        """Number names in the order of the rows, and forget those that are in none."""
        cdef Table table = self.table
        table.class_names = self.order_column(CLASS, table.class_names)
        table.id_names = self.order_column(ID, table.id_names)
        roles = self.order_column(ROLE, ["", *table.role_numbers])
        table.role_numbers = {role: number for number, role in enumerate(roles) if number}
        return 0

    cdef list order_column(self, int column, list names):
        cdef int32_t* numbers = self.table.column[column]
        cdef dict new = {0: 0}
        cdef Py_ssize_t row
        for row in range(self.table.rows):
            numbers[row] = new.setdefault(numbers[row], len(new))
        return [names[number] for number in new]

    # --- elements of SVG -------------------------------------------------------------------------

    cdef int start_in_svg(self, Tag* tag) except -2:
        if self.top().traits & HOLDS_HTML or tag.traits & LEAVES_SVG:
            return UNSURE
        if tag.meaning & (VOID | TEMPLATE | BROKEN | RAW) and tag.number != self.tags.style:
            return UNSURE
        tag.traits = OF_SVG | tag.traits & HOLDS_HTML
        tag.place = FOREIGN_TAGS - tag.place
        tag.group = ORDINARY
        if self.insert(tag, not tag.is_closed) < 0:
            return UNSURE
        if tag.number == self.tags.style:
            self.table.raw_row, self.table.raw_size = self.table.rows - 1, 0
            self.raws.append((tag.number, -1, -1, -1))
        return DONE

    cdef int end_in_svg(self, Tag* tag) except -2:
        cdef Py_ssize_t place = self.table.top - 1
        if tag.group == PARAGRAPH or tag.group == BREAK or self.items[place].traits & HOLDS_HTML and (
            self.items[place].number != tag.number
        ):
            return UNSURE
        while self.items[place].traits & OF_SVG:
            if self.items[place].number == tag.number:
                self.pop_to(place)
                return DONE
            place -= 1
        return UNSURE


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
            return False
        code = text[place + 1]
        if is_letter(code):
            place = read_tag(self, text, place + 1, size, False)
        elif code == c"/":
            if place + 2 >= size:
                return False
            code = text[place + 2]
            if is_letter(code):
                place = read_tag(self, text, place + 2, size, True)
            elif code == c">":
                place += 3
            else:
                place = find(text, place, size, <Code> c">") + 1
                if add_comment(self) < 0 or place > size:
                    return False
        elif code == c"!" or code == c"?":
            place = read_declaration(self, text, place, size)
        else:
            stop = find(text, place + 1, size, <Code> c"<")
            if take_characters(self, text, place, stop) < 0:
                return False
            place = stop
        if place < 0:
            return False
    if self.mode < IN_BODY or self.templates:
        return False
    self.token = size
    self.pop_to(0)
    if not self.are_names_in_order:
        if self.has_templates:  # whose names are in no row
            return False
        self.order_names()
    return self.table.rows > 0


cdef int add_comment(Reader self) except -2:
    """Count a comment: texts before and after it are two, unless it is moved to the end."""
    if not self.after_body and self.piece_count:
        self.write_text()
    self.table.nodes += 1
    return DONE


cdef Py_ssize_t read_declaration(Reader self, const Code* text, Py_ssize_t place, Py_ssize_t size) except -2:
    """Read a comment, a declaration or an instruction; return what comes next, -1 where unsure."""
    cdef Py_ssize_t first = place + 4, stop
    if begins(text, place, size, b"<!--", 4):
        if first < size and text[first] == c">":
            stop = first + 1
        elif begins(text, first, size, b"->", 2):
            stop = first + 2
        else:
            stop = first
            while True:
                stop = find(text, stop, size, <Code> c">") + 1
                if stop > size:
                    return -1
                if stop - 3 >= first and text[stop - 2] == c"-" and text[stop - 3] == c"-":
                    break
                if stop - 4 >= first and text[stop - 2] == c"!" and text[stop - 3] == c"-":
                    if text[stop - 4] == c"-":
                        break
        add_comment(self)
        return stop
    if self.table.top and self.top().traits & OF_SVG:
        return -1
    stop = find(text, place, size, <Code> c">") + 1
    if stop > size:
        return -1
    if text[place + 1] == c"!" and is_word(text, place + 2, stop, b"doctype", 7):
        if self.table.top == 0 and self.mode == BEFORE_ROOT:
            read_doctype(self, text, place + 9, stop - 1)
        return stop
    add_comment(self)
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
        public, system = (said[1] or "").strip("\"'"), said[2]
        self.is_quirky = (
            public in _QUIRKY_WHOLE
            or public.startswith(_QUIRKY)
            or system is None and public.startswith(_QUIRKY_ALONE)
            or (system or "").strip("\"'") == _QUIRKY_SYSTEM
        )
    return 0


_DOCTYPE = re.compile(
    r"""html\s*(?:(?:public\s*("[^"]*"|'[^']*')|system)\s*("[^"]*"|'[^']*')?\s*)?""", re.ASCII
)
_QUIRKY_WHOLE = ("-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html")
_QUIRKY_SYSTEM = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"
_QUIRKY_ALONE = ("-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//")
_QUIRKY = (
    "+//silmaril//dtd html pro v0r11 19970101//", "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//", "-//ietf//dtd html", "-//metrius//dtd metrius",
    "-//microsoft//dtd internet explorer", "-//netscape comm. corp.//dtd", "-//o'reilly and associates//dtd html",
    "-//sq//dtd html 2.0 hotmetal", "-//softquad software//dtd hotmetal", "-//softquad//dtd hotmetal",
    "-//spyglass//dtd html 2.0", "-//sun microsystems corp.//dtd hotjava", "-//w3c//dtd html 3",
    "-//w3c//dtd html 4.0 frameset//", "-//w3c//dtd html 4.0 transitional//", "-//w3c//dtd html experimental",
    "-//w3c//dtd w3 html", "-//w3o//dtd w3 html 3.0//", "-//webtechs//dtd mozilla html",
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
    if self.table.top and self.top().traits & OF_SVG:
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
    if self.open_body() < 0:
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
    cdef bint in_svg = table.top > 0 and self.top().traits & OF_SVG != 0
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
        if tag.number < 0:
            own = named(letters, length, in_svg)
            if own not in table.foreign:  # no element of that name
                if in_svg:
                    return -1
                place = after_end_tag(text, place, size)
                self.after_body = False
                return place if tag.group != LEFT_TO_PARSER and not self.selects else -1
            tag.number = table.foreign[own]
        place = after_end_tag(text, place, size)
        if place < 0:
            return -1
        if in_svg:
            return place if self.end_in_svg(&tag) == DONE else -1
        if self.after_body and tag.group != ROOT:
            self.after_body = False
        return place if self.treat(&tag, True) == DONE else -1
    if tag.number < 0:
        own = named(letters, length, in_svg)
        if own in table.foreign:
            tag.number = table.foreign[own]
        else:
            tag.number = tags.foreign + <int32_t> len(table.foreign)
            table.foreign[own] = tag.number
    if tag.meaning & UNREADABLE or tag.group == LEFT_TO_PARSER:
        return -1
    self.after_body = False
    stop = place
    tag.place = <int32_t> place
    place = read_source_attributes(self, text, place, size, &tag)
    if place < 0:
        return -1
    if in_svg:
        return place if self.start_in_svg(&tag) == DONE else -1
    group = tag.group
    if group == SVG:
        tag.place = FOREIGN_TAGS - tag.place
    said = self.treat(&tag, False)
    if said != DONE:
        return -1
    if tag.meaning & META:
        table.metas.append((
            source_value(text, stop, place, b"name", 4),
            source_value(text, stop, place, b"property", 8),
            source_value(text, stop, place, b"content", 7),
        ))
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
    cdef Py_ssize_t stop = find(text, place, size, <Code> c">")
    if stop >= size:
        return -1
    while place < stop:
        if text[place] == c'"' or text[place] == c"'":  # in which there may be another one
            return -1
        place += 1
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
            return -1
        if text[stop + 1] == c"/" and is_same_name(text, name, stop + 2, length):
            break
        if is_script and begins(text, stop, size, b"<!--", 4):
            stop = after_escape(text, stop + 2, size)
            if stop < 0:
                return -1
        else:
            stop += 1
    if stop > place:
        table.nodes += 1
        if not element.bits & CODE:
            whole.start, whole.stop = place, stop
            add_source_text(table, text, &whole, 1, is_decoded)
    if is_script and source_value(text, attributes, place, b"type", 4).lower() == "application/ld+json":
        table.facts.append(with_line_breaks(text, place, stop))
    if not is_decoded:
        self.raws.append((item.number, -1 if element.bits & OUTSIDE else row, place, stop))
    if not is_decoded and not element.bits & OUTSIDE:
        table.raw_row = <int32_t> row
        table.raw_size = len(with_line_breaks(text, place, stop)) if has_end_tag(text, place, stop) else 0
    self.pop()
    if self.mode == AFTER_HEAD:
        self.pop()
    return after_end_tag(text, stop + 2 + length, size)


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


# --- asked later ---------------------------------------------------------------------------------

cdef class SourceTags:
    """The tags of a page, for those who ask later what stands in them."""

    cdef str source
    cdef int kind
    cdef void* data
    cdef Py_ssize_t size
    cdef list raws
    cdef object places_array
    cdef int32_t* places
    cdef int32_t* stops
    cdef Py_ssize_t rows
    cdef readonly bint have_two

    def __init__(self, str source, Table table, list raws):
        """Keep the source, where the attributes of each row stand in it, and raw texts."""
        self.source, self.raws = source, raws
        self.kind, self.data = PyUnicode_KIND(source), PyUnicode_DATA(source)
        self.size = PyUnicode_GET_LENGTH(source)
        self.rows = table.rows
        self.places_array = table.columns_array[<int> PLACE :, :table.rows].copy()
        cdef int32_t[:, ::1] places = self.places_array
        self.places, self.stops = &places[0, 0], &places[1, 0]
        cdef Py_ssize_t row
        for row in range(self.rows):
            self.have_two |= self.places[row] == TWO_TAGS

    def knows(self, Py_ssize_t row):
        """Return whether the tag of an element of HTML is all that is said of it."""
        return 0 <= row < self.rows and self.places[row] >= NO_TAG

    def value(self, Py_ssize_t row, str name):
        """Return the value of an attribute of an element that is known; None if it has none."""
        if not self.knows(row):
            raise IndexError("no tag that is known")
        if self.places[row] == NO_TAG:
            return None
        cdef bytes letters = name.encode()
        if self.kind == 1:
            return value_at(<const uint8_t*> self.data, self.places[row], self.size, letters)
        if self.kind == 2:
            return value_at(<const uint16_t*> self.data, self.places[row], self.size, letters)
        return value_at(<const uint32_t*> self.data, self.places[row], self.size, letters)

    def values(self, Py_ssize_t row):
        """Return the attributes of an element that is known."""
        if not self.knows(row):
            raise IndexError("no tag that is known")
        if self.places[row] == NO_TAG:
            return {}
        if self.kind == 1:
            return values_at(<const uint8_t*> self.data, self.places[row], self.size)
        if self.kind == 2:
            return values_at(<const uint16_t*> self.data, self.places[row], self.size)
        return values_at(<const uint32_t*> self.data, self.places[row], self.size)

    def having(self, str name):
        """Return the rows that have an attribute, and its values: one that SVG writes like HTML."""
        cdef bytes letters = name.encode()
        cdef Py_ssize_t row, place
        cdef list rows = [], values = []
        for row in range(self.rows):
            place = self.places[row]
            if place == NO_TAG or place == TWO_TAGS:
                continue
            if place < 0:
                place = FOREIGN_TAGS - place
            if self.kind == 1:
                value = value_at(<const uint8_t*> self.data, place, self.size, letters)
            elif self.kind == 2:
                value = value_at(<const uint16_t*> self.data, place, self.size, letters)
            else:
                value = value_at(<const uint32_t*> self.data, place, self.size, letters)
            if value is not None:
                rows.append(row)
                values.append(value)
        return rows, values

    def raw_texts(self, int32_t number):
        """Return the texts of all elements of a tag with nothing else in them; None if one may have."""
        cdef list texts = []
        for tag, _, start, stop in self.raws:
            if tag == number:
                if start < 0:
                    return None
                texts.append(self.slice(start, stop))
        return texts

    cdef str slice(self, Py_ssize_t start, Py_ssize_t stop):
        cdef str text = self.source[start:stop]
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    def inner_text(self, Py_ssize_t row, bint is_verbatim):
        """Return all characters below an element; None where a tree has to be asked.

        In one that is verbatim a line break at the beginning is none of its text.
        """
        if not self.knows(row) or self.places[row] == NO_TAG:
            return None
        for _, raw_row, start, stop in self.raws:
            if raw_row == row:
                return self.slice(start, stop)
        if self.kind == 1:
            return text_below(<const uint8_t*> self.data, self.places[row], self.stops[row], is_verbatim)
        if self.kind == 2:
            return text_below(<const uint16_t*> self.data, self.places[row], self.stops[row], is_verbatim)
        return text_below(<const uint32_t*> self.data, self.places[row], self.stops[row], is_verbatim)


cdef Py_ssize_t after_attributes(const Code* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Return what comes after the attributes of a tag; -1 where it never ends."""
    cdef Attribute found
    while True:
        place = next_attribute(text, place, size, &found)
        if place < 0 or found.name_stop == found.name:
            return place


cdef str text_below(const Code* text, Py_ssize_t place, Py_ssize_t size, bint is_verbatim):
    """Return the characters between tags; None where there is more than tags of plain elements."""
    cdef Py_ssize_t stop
    cdef list pieces = []
    place = after_attributes(text, place, size)
    if place < 0:
        return None
    if is_verbatim:
        if place < size and text[place] == c"\r":
            place += 1
        if place < size and text[place] == c"\n":
            place += 1
    while place < size:
        stop = find(text, place, size, <Code> c"<")
        if stop > place:
            pieces.append(decoded(text, place, stop, False))
        if stop == size:
            break
        place = stop + 1
        if place < size and text[place] == c"/":
            place += 1
        if place >= size or not is_letter(text[place]) or not is_plain_tag(text, place, size):
            return None
        while place < size and not (text[place] == c">" or text[place] == c"/" or is_html_space(text[place])):
            place += 1
        place = after_attributes(text, place, size)
        if place < 0:
            return None
    return "".join(pieces)


cdef bint is_plain_tag(const Code* text, Py_ssize_t place, Py_ssize_t size) noexcept nogil:
    """Return whether a tag is one of those that are usual in listings."""
    if is_named(text, place, size, b"span", 4) or is_named(text, place, size, b"code", 4):
        return True
    if is_named(text, place, size, b"div", 3) or is_named(text, place, size, b"em", 2):
        return True
    return is_named(text, place, size, b"a", 1) or is_named(text, place, size, b"b", 1)


cdef bint is_named(
    const Code* text, Py_ssize_t place, Py_ssize_t size, const char* name, Py_ssize_t length
) noexcept nogil:
    """Return whether the name of a tag is this one, in letters of either case."""
    if place + length >= size or not is_word(text, place, size, name, length):
        return False
    place += length
    return text[place] == c">" or text[place] == c"/" or is_html_space(text[place])


cdef str value_at(const Code* text, Py_ssize_t place, Py_ssize_t size, bytes name):
    cdef Attribute found
    cdef const char* letters = name
    cdef Py_ssize_t length = len(name)
    while place < size:
        place = next_attribute(text, place, size, &found)
        if place < 0 or found.name_stop == found.name:
            break
        if found.name_stop - found.name == length and is_word(text, found.name, found.name_stop, letters, length):
            return decoded(text, found.value, found.value_stop, True)
    return None


cdef dict values_at(const Code* text, Py_ssize_t place, Py_ssize_t size):
    cdef Attribute found
    cdef dict values = {}
    while place < size:
        place = next_attribute(text, place, size, &found)
        if place < 0 or found.name_stop == found.name:
            break
        name = PyUnicode_FromKindAndData(sizeof(Code), text + found.name, found.name_stop - found.name)
        name = name.translate(_LOWER)
        if name not in values:
            values[name] = decoded(text, found.value, found.value_stop, True)
    return values


_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
