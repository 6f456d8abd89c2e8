# How elements nest in each other by their tags, as the HTML standard wants it; a part of tree_markup.pyx.
#
# This is its stage of tree construction, without what moves nodes out of tables: a tag that would do that is
# UNSURE, and then a parser reads the page. What moves them out of formatting is in adoption.pxi.

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
    UNBROKEN
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
    UNBROKEN: "nobr",
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
    LEFT_TO_PARSER: "frameset math plaintext selectedcontent",
}

# What elements are to others, in bits beside their group.
cdef enum:
    SPECIAL = 1  # end tags of others do not reach beyond it
    SCOPE = 2  # nor beyond it, if what they end must be in scope
    IMPLIED = 4  # ends by itself where one around it ends
    LEAVES_SVG = 8
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
    NAME_CHARS = 128  # tags with longer names are left to the parser
    MOST_OPEN = 511  # so are pages nested deeper than parsers let them be: no look upwards takes long
    ALIKE_FORMATS = 3  # with the same attributes that may go on together
    MOST_COMPARED = 12  # of one name
    MOST_COMPARED_CHARS = 500  # of their attributes

cdef enum:
    NO_TAG = -1  # the place of the tag of an element that has none
    SEVERAL_TAGS = -2
    FOREIGN_TAGS = -3  # from here on down are those of elements of SVG
    NO_STOP = -1  # where an element ends that is never open
    ELSEWHERE = -2  # where one ends of which not all stands between its tags

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
    cdef Py_ssize_t size
    cdef Mode mode
    cdef int32_t paragraphs, selects, templates  # that are open
    cdef int32_t head_row, form_row
    cdef Py_ssize_t moved_rows  # because formatting ended around them
    cdef bint are_turns_used_up  # for the last formatting that ended
    cdef Py_ssize_t template_stop  # the number of elements up to the last one in a template
    cdef Py_ssize_t token  # where what is read now begins
    cdef bint is_past_doctype, is_quirky, is_quirky_unknown, after_body, are_names_in_order
    cdef Open head
    cdef list described  # where the attributes of tags begin that have some by which things are described
    # Number, row, beginning and end of each text that elements have nothing else in; of a style of
    # SVG, which may have tags in it, only the row.
    cdef list raws
    cdef list dictionaries  # of classes and ids, once one is written in another way than others
    # Of each element of a template that has names, the row that comes next, and its class, id and role.
    cdef list names_in_templates

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
        self.raws, self.described, self.names_in_templates = [], [], []
        self.dictionaries, self.are_names_in_order = [None, None], True
        self.head_row = self.form_row = -1
        return 0

    cdef int make_more_room(self) except -2:
        """Make room for a row, and for an open element; UNSURE where there are too many of them."""
        cdef Table table = self.table
        cdef Item* items
        if table.top >= MOST_OPEN:
            return UNSURE
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
            table.column[STOP][element.row] = NO_STOP
        else:
            self.note_hidden(tag)
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

    cdef int note_hidden(self, Tag* tag) except -1:
        """Note an element of a template, which has no row."""
        cdef Table table = self.table
        self.template_stop = table.elements
        if tag.name.class_number or tag.name.id_number or tag.name.role_number:
            self.names_in_templates.append(
                (table.rows, tag.name.class_number, tag.name.id_number, tag.name.role_number)
            )
        return 0

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
        cdef int32_t row
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
            row = table.open_elements[table.top].row
            if not table.open_elements[table.top].bits & OUTSIDE:
                table.column[END][row] = table.rows
                if table.column[STOP][row] != ELSEWHERE:
                    table.column[STOP][row] = <int32_t> self.token
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
            if not self.templates:
                self.table.column[STOP][self.table.rows - 1] = ELSEWHERE
            place += 1
        return DONE

    cdef int add_format(self, Tag* tag, bint is_mark) except -2:
        """Note formatting that was just opened, or a mark beyond which none goes on."""
        cdef Format* formats
        if not is_mark and self.forget_alike(tag) < 0:
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

    cdef int forget_alike(self, Tag* tag) except -2:
        """Forget the first formatting of several that are like one more: so many may not go on."""
        cdef Py_ssize_t place = self.format_count - 1, first = -1, alike = 0, named = 0
        while place >= 0 and not self.formats[place].is_mark:
            named += self.formats[place].tag.number == tag.number
            place -= 1
        if named < ALIKE_FORMATS:
            return DONE
        if named > MOST_COMPARED:
            return UNSURE
        for place in range(place + 1, self.format_count):
            if self.formats[place].tag.number == tag.number:
                said = self.have_same_attributes(tag.place, self.formats[place].tag.place)
                if said is None:
                    return UNSURE
                if said:
                    first = place if first < 0 else first
                    alike += 1
        if alike >= ALIKE_FORMATS:
            if self.formats[first].item >= 0:
                self.items[self.formats[first].item].format = -1
            self.remove_format(first)
        return DONE

    cdef object have_same_attributes(self, Py_ssize_t one, Py_ssize_t other):
        """Return whether two tags have the same attributes; None if they are long."""
        if self.kind == 1:
            return are_same(<const uint8_t*> self.data, one, other, self.size)
        if self.kind == 2:
            return are_same(<const uint16_t*> self.data, one, other, self.size)
        return are_same(<const uint32_t*> self.data, one, other, self.size)

    cdef void remove_format(self, Py_ssize_t place) noexcept:
        cdef Py_ssize_t later
        self.format_count -= 1
        for later in range(place, self.format_count):
            self.formats[later] = self.formats[later + 1]
            if self.formats[later].item >= 0:
                self.items[self.formats[later].item].format = <int32_t> later

    cdef void move_format(self, Py_ssize_t place, Py_ssize_t after) noexcept:
        """Put formatting that may go on right after another one."""
        cdef Format moved = self.formats[place]
        cdef int step = 1 if place < after else -1
        cdef Py_ssize_t to = after if place < after else after + 1
        while place != to:
            self.formats[place] = self.formats[place + step]
            if self.formats[place].item >= 0:
                self.items[self.formats[place].item].format = <int32_t> place
            place += step
        self.formats[to] = moved
        self.items[moved.item].format = <int32_t> to

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
        """End formatting."""
        cdef Py_ssize_t entry
        if self.top().number == number and self.top().format < 0:
            self.pop()
            return DONE
        entry = self.find_format(number)
        if entry < 0:
            return self.end_other(number)
        if self.formats[entry].item < 0:
            self.remove_format(entry)
            return DONE
        return end_around_blocks(self, number)

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

    cdef inline bint is_in_select(self) noexcept:
        return self.selects > 0 and self.group_in_scope(SELECT) >= 0

    cdef bint close_select(self) except -1:
        """Close the select that is in scope; return whether there is one."""
        cdef bint is_one = self.is_in_select()
        if is_one:
            self.pop_to(self.group_in_scope(SELECT))
        return is_one

    cdef int open_item(self, Tag* tag) except -2:
        cdef Py_ssize_t place = self.table.top - 1
        cdef Item* item
        while place >= 0:
            item = &self.items[place]
            if item.group == tag.group and not item.traits & OF_SVG:
                self.pop_to(place)
                break
            if item.traits & HOLDS_HTML:
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
                self.are_turns_used_up = False
                if self.piece_count:
                    self.write_text()
                if self.end_format(tag.number) < 0:
                    return UNSURE
                if self.find_format(tag.number) >= 0 and not self.are_turns_used_up:
                    return UNSURE
            if self.go_on() < 0 or self.insert(tag, True) < 0:
                return UNSURE
            return self.add_format(tag, False)
        if group == FORMAT or group == UNBROKEN:
            if self.go_on() < 0:
                return UNSURE
            if group == UNBROKEN and self.in_scope(tag.number, -1) >= 0:
                if self.end_format(tag.number) < 0 or self.go_on() < 0:
                    return UNSURE
            if self.insert(tag, True) < 0:
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
            if group == INPUT:
                self.close_select()
            if self.go_on() < 0:
                return UNSURE
            return self.insert(tag, False)
        if group == HEAD_VOID:
            return self.insert(tag, False)
        if group == RULE:
            self.close_paragraph()
            if self.is_in_select():
                self.end_implied(-1)
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
            if group == SELECT and self.close_select():
                return self.ignore(tag)  # it ends the one that it stands in
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
            if self.is_in_select():
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
            if self.mode != IN_BODY and self.is_in_select():
                return UNSURE  # turbohtml 1.15 ends the select of a cell, as the standard no longer does
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
        if group == BLOCK or group == VERBATIM or group == BUTTON or group == SELECT:
            place = self.in_scope(tag.number, -1)
            if place >= 0:
                self.pop_to(place)
            return DONE
        if group == ORDINARY or group == OPTION or group == OPTION_GROUP:
            return self.end_other(tag.number)
        if group == ANCHOR or group == FORMAT or group == UNBROKEN:
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
        self.mode = IN_TEMPLATE
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
        if group == INPUT and self.is_hidden(tag.place):
            return self.insert(tag, False)
        return UNSURE  # what stands between cells is moved before the table

    cdef bint is_hidden(self, Py_ssize_t place) except -1:
        """Return whether the attributes of a field say that it is not shown.

        Of pages with characters beyond Latin-1, turbohtml 1.15 says so of no field.
        """
        if self.kind != 1:
            return False
        kind = value_at(<const uint8_t*> self.data, place, self.size, b"type", 0)
        return kind is not None and kind.lower() == "hidden"

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
        if tag.group in (PARAGRAPH, BREAK):
            return UNSURE  # what they open is moved before the table
        return self.end_in_body(tag)

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
            return UNSURE  # turbohtml 1.15 does not ignore it, as the standard does
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
        if self.mode <= BEFORE_HEAD and is_end and group not in (HEAD_ELEMENT, BODY, ROOT, BREAK):
            return DONE
        if self.mode == BEFORE_ROOT:
            self.mode = BEFORE_HEAD
            if group == ROOT and not is_end:
                return self.insert(tag, True)
            return AGAIN if self.insert_named(b"html", True) == DONE else UNSURE
        if self.mode == BEFORE_HEAD:
            self.mode = IN_DOCUMENT_HEAD
            if group == HEAD_ELEMENT and not is_end:
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
            return UNSURE  # turbohtml 1.15 does not ignore it, as the standard does
        if not is_end and group != RAW_INLINE and self.is_of_head(tag):
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
            if self.mode == AFTER_HEAD:
                return UNSURE  # turbohtml 1.15 opens the body, which the standard does not
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
        if self.templates:
            return UNSURE
        if tag.group == BODY:
            if table.top < 2 or self.items[1].group != BODY:
                return UNSURE
            row = table.open_elements[1].row
        table.several.setdefault(row, [table.column[PLACE][row]]).append(tag.place)
        table.column[PLACE][row] = SEVERAL_TAGS
        self.are_names_in_order = False  # those of the first would stand before those of all that is in it
        if not table.column[CLASS][row]:
            table.column[CLASS][row] = tag.name.class_number
        if not table.column[ID][row]:
            table.column[ID][row] = tag.name.id_number
        role = tag.name.role_number
        if role and role == table.role_numbers.get(self.tags.modal):
            return UNSURE  # the first tag may say that it takes over nothing
        if role and (not table.column[ROLE][row] or role == table.role_numbers.get(self.tags.unread)):
            table.column[ROLE][row] = role  # what is not to be read is not, whatever else it is
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
        """Number names in the order of the elements, and forget those of ignored tags."""
        cdef Table table = self.table
        table.class_names = self.order_column(CLASS, table.class_names, 1)
        table.id_names = self.order_column(ID, table.id_names, 2)
        roles = self.order_column(ROLE, ["", *table.role_numbers], 3)
        table.role_numbers = {role: number for number, role in enumerate(roles) if number}
        return 0

    cdef list order_column(self, int column, list names, Py_ssize_t which):
        cdef int32_t* numbers = self.table.column[column]
        cdef dict new = {0: 0}
        cdef Py_ssize_t row = 0, stop
        for hidden in [*self.names_in_templates, (self.table.rows, 0, 0, 0)]:
            stop = hidden[0]
            for row in range(row, stop):
                numbers[row] = new.setdefault(numbers[row], len(new))
            row = stop
            new.setdefault(hidden[which], len(new))
        return [names[number] for number in new]

    # --- elements of SVG -------------------------------------------------------------------------

    cdef int start_in_svg(self, Tag* tag) except -2:
        cdef Py_ssize_t row = self.table.rows
        if tag.meaning & (TEMPLATE | RELATED):
            return UNSURE
        tag.traits = OF_SVG | tag.traits & HOLDS_HTML
        tag.place = FOREIGN_TAGS - tag.place
        tag.group = ORDINARY
        if self.insert(tag, not tag.is_closed) < 0:
            return UNSURE
        if tag.meaning & RAW:  # but here it may have elements in it
            if self.table.rows > row:
                self.table.raw_row, self.table.raw_size = <int32_t> row, 0
            self.raws.append((tag.number, row if self.table.rows > row else -1, -1, -1))
        return DONE

    cdef int leave_svg(self, bint for_end_tag) except -1:
        """Close the elements of SVG, up to one with HTML in it.

        An end tag that leaves it stands for more than their end: for a new element right after them.
        """
        while self.top().traits & (OF_SVG | HOLDS_HTML) == OF_SVG:
            if for_end_tag and not self.table.open_elements[self.table.top - 1].bits & OUTSIDE:
                self.table.column[STOP][self.table.open_elements[self.table.top - 1].row] = ELSEWHERE
            self.pop()
        return 0

    cdef bint end_in_svg(self, int group, int32_t number) except -1:
        """Treat an end tag in SVG; return whether that is all, so that it is no tag of HTML."""
        cdef Py_ssize_t place = self.table.top - 1
        if group == PARAGRAPH or group == BREAK:
            self.leave_svg(True)
            return False
        while self.items[place].traits & OF_SVG:
            if self.items[place].number == number:
                self.pop_to(place)
                return True
            place -= 1
        return False
