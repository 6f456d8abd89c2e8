"""Kernel of `joeira.page.parse`: one walk over a parser's nodes, in the order of the source.

What the numpy code derives from the parents of all nodes, step by step, is known here when a node
is reached: its ancestors are a stack. Nothing recurses, and no depth is too deep: the stack has as
many places as there are nodes. A tree that is not as expected is left to the reference, by None.
"""

import numpy as np

from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, uint8_t

cdef extern from *:
    """
    /* The getter behind an attribute of a type, called without looking it up for every node. Only
       for nodes of just this type; anything else that a parser may have is asked as usual. */
    static PyObject* joeira_get(PyObject* node, PyObject* descriptor, PyObject* name) {
    #if !defined(Py_LIMITED_API) && !defined(PYPY_VERSION)
        if (descriptor != Py_None) {
            PyGetSetDef* getset = ((PyGetSetDescrObject*)descriptor)->d_getset;
            return getset->get(node, getset->closure);
        }
    #endif
        return PyObject_GetAttr(node, name);
    }

    static int joeira_is_getter(PyObject* descriptor, PyObject* type) {
    #if !defined(Py_LIMITED_API) && !defined(PYPY_VERSION)
        return Py_TYPE(descriptor) == &PyGetSetDescr_Type && PyType_Check(type)
            && PyType_IsSubtype((PyTypeObject*)type, ((PyDescrObject*)descriptor)->d_type)
            && ((PyGetSetDescrObject*)descriptor)->d_getset->get != NULL;
    #else
        return 0;
    #endif
    }

    #define joeira_type_of(node) ((PyObject*)Py_TYPE(node))

    static int joeira_is_blank(PyObject* text) {
        Py_ssize_t length = PyUnicode_GET_LENGTH(text), place;
        int kind = PyUnicode_KIND(text);
        const void* data = PyUnicode_DATA(text);
        for (place = 0; place < length; place++)
            if (!Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, place)))
                return 0;
        return length > 0;
    }
    """
    object joeira_get(PyObject* node, object descriptor, object name)
    bint joeira_is_getter(object descriptor, object type)
    bint joeira_is_blank(object text)
    PyObject* PyList_GET_ITEM(object items, Py_ssize_t place)
    PyObject* joeira_type_of(PyObject* node)

cdef enum:
    CODE = 1  # what is below is no text
    HEAD = 2  # what is below belongs to the document, not to the page
    LINK = 4
    OUTSIDE = 8  # below a template: in no row

cdef enum:
    TAG
    PARENT
    DEPTH
    END
    KNOWN_TAG
    CLASS
    ID
    ROLE
    COLUMNS


cdef class Walk:
    """A walk over the nodes of a parser whose types are given.

    `flags` has, per known tag, the bits `CODE`, `HEAD` and `LINK`; its last entry is for all tags
    that `numbers` does not know.
    """

    cdef PyObject* element
    cdef PyObject* text
    cdef PyObject* data
    cdef PyObject* fragment
    cdef object types, get_attribute, get_role, get_parent, get_tag, get_text, get_data
    cdef dict numbers
    cdef const uint8_t[::1] flags

    def __init__(self, types, getters, dict numbers, flags):
        """Take the types of elements, texts, CDATA and fragments, and what reads attributes.

        `getters` are a function of an element and the name of an attribute, and one that returns the
        role of an element.
        """
        element, text, data, fragment = self.types = tuple(types)
        self.element, self.text = <PyObject*>element, <PyObject*>text
        self.data, self.fragment = <PyObject*>data, <PyObject*>fragment
        self.get_attribute, self.get_role = getters
        self.get_parent = _getter("parent", (element, text, data, fragment))
        self.get_tag = _getter("tag", (element,))
        self.get_text, self.get_data = _getter("data", (text,)), _getter("data", (data,))
        self.numbers, self.flags = numbers, flags
        for number in numbers.values():
            if not 0 <= number < self.flags.shape[0] - 1:
                raise ValueError("a tag number without flags")

    def __call__(self, list nodes, list with_class, list with_id, list with_role):
        """Return the columns of the table; None if these are not the nodes of one tree, in order.

        The elements that have a class, an id or a role are given in order, too.
        """
        cdef Py_ssize_t count = len(nodes), place, top = 0, elements = 0
        cdef int32_t rows = 0, texts = 0, number, known, deepest = 0, depth, parent_row
        cdef int32_t foreign_number = self.flags.shape[0] - 1
        cdef bint gap = False
        cdef uint8_t bits
        cdef PyObject* node
        cdef PyObject* kind
        cdef PyObject* listed
        cdef dict foreign = {}
        cdef _Names classes = _Names(with_class, self.get_attribute, "class")
        cdef _Names ids = _Names(with_id, self.get_attribute, "id")
        cdef _Names roles = _Names(with_role, self.get_role, None)
        cdef list strings = []

        all_columns = np.empty((<int>COLUMNS, count), np.int32)
        per_text = np.empty((2, count), np.bool_)  # after a gap, in a link
        per_row = np.empty(count, np.bool_)
        per_element = np.empty(count, np.bool_)
        all_text_rows = np.empty(count, np.int32)
        all_text_index = np.empty(count + 1, np.int32)
        stack = np.empty((3, count + 1), np.intp)  # object, row, bits and depth
        cdef int32_t[:, ::1] column = all_columns
        cdef uint8_t[:, ::1] of_text = per_text.view(np.uint8)
        cdef uint8_t[::1] in_head = per_row.view(np.uint8)
        cdef uint8_t[::1] in_tree = per_element.view(np.uint8)
        cdef int32_t[::1] text_row = all_text_rows
        cdef int32_t[::1] text_index = all_text_index
        cdef Py_ssize_t[:, ::1] open_node = stack

        for place in range(count):
            node = PyList_GET_ITEM(nodes, place)
            kind = joeira_type_of(node)
            if kind != self.text and kind != self.element:
                if kind != self.data and kind != self.fragment:
                    continue
            parent = joeira_get(node, self.get_parent, "parent")
            while top > 0 and open_node[0, top - 1] != <Py_ssize_t><PyObject*>parent:
                top -= 1
                if not open_node[2, top] & OUTSIDE:
                    column[END, open_node[1, top]] = rows
            if top == 0 and (kind != self.element or elements > 0):
                if kind == self.text or kind == self.data:
                    continue  # what hangs in no element is no text
                return None
            bits, depth, parent_row = 0, 0, -1
            if top > 0:
                bits = open_node[2, top - 1] & 15
                depth = open_node[2, top - 1] >> 4
                parent_row = open_node[1, top - 1]

            if kind == self.element:
                tag = joeira_get(node, self.get_tag, "tag")
                listed = PyDict_GetItem(self.numbers, tag)
                if listed is NULL:
                    listed = PyDict_GetItem(foreign, tag)
                if listed is not NULL:
                    number = <object>listed
                else:
                    number = foreign_number + len(foreign)
                    foreign[tag] = number
                known = min(number, foreign_number)
                deepest = max(deepest, depth)
                in_tree[elements] = not bits & OUTSIDE
                elements += 1
                bits |= self.flags[known]
                if bits & OUTSIDE:  # names there count, too: those of templates are of the page
                    classes.number(node)
                    ids.number(node)
                    roles.number(node)
                else:
                    column[TAG, rows] = number
                    column[PARENT, rows] = parent_row
                    column[DEPTH, rows] = depth
                    column[KNOWN_TAG, rows] = known
                    column[CLASS, rows] = classes.number(node)
                    column[ID, rows] = ids.number(node)
                    column[ROLE, rows] = roles.number(node)
                    in_head[rows] = bits & HEAD != 0
                    text_index[rows] = texts
                    parent_row = rows
                    rows += 1
                open_node[0, top] = <Py_ssize_t>node
                open_node[1, top] = parent_row
                open_node[2, top] = bits | (depth + 1) << 4
                top += 1
            elif kind == self.fragment:
                open_node[0, top] = <Py_ssize_t>node
                open_node[1, top] = parent_row
                open_node[2, top] = bits | CODE | OUTSIDE
                top += 1
            elif not bits & (CODE | OUTSIDE):
                get = self.get_text if kind == self.text else self.get_data
                string = joeira_get(node, get, "data")
                if type(string) is not str:
                    return None
                if joeira_is_blank(string):
                    gap = True
                    continue
                strings.append(string)
                text_row[texts] = rows
                of_text[0, texts] = gap
                of_text[1, texts] = bits & LINK != 0
                gap = False
                column[TAG, rows] = column[KNOWN_TAG, rows] = 0
                column[CLASS, rows] = column[ID, rows] = column[ROLE, rows] = 0
                column[PARENT, rows] = parent_row
                column[DEPTH, rows] = depth
                in_head[rows] = bits & HEAD != 0
                text_index[rows] = texts
                texts += 1
                rows += 1
                column[END, rows - 1] = rows
        while top > 0:
            top -= 1
            if not open_node[2, top] & OUTSIDE:
                column[END, open_node[1, top]] = rows
        text_index[rows] = texts
        if not (classes.are_over() and ids.are_over() and roles.are_over()):
            return None
        return {
            "columns": all_columns[:, :rows],
            "texts": tuple(strings),
            "gap_before": per_text[0, :texts],
            "text_linked": per_text[1, :texts],
            "text_rows": all_text_rows[:texts],
            "text_index": all_text_index[: rows + 1],
            "in_head": per_row[:rows],
            "in_tree": per_element[:elements],
            "classes": ("", *classes.distinct),
            "ids": ("", *ids.distinct),
            "roles": ("", *roles.distinct),
            "foreign_names": tuple(foreign),
            "deepest": deepest,
        }


cdef class _Names:
    """The elements that have an attribute, as the walk meets them, and numbers for its values."""

    cdef list elements
    cdef Py_ssize_t place
    cdef object get_attribute, name
    cdef dict distinct

    def __init__(self, list elements, get_attribute, name):
        self.elements, self.get_attribute, self.name = elements, get_attribute, name
        self.place, self.distinct = 0, {}

    cdef bint is_next(self, PyObject* node):
        """Return whether an element is the next that has the attribute."""
        if self.place == len(self.elements) or PyList_GET_ITEM(self.elements, self.place) != node:
            return False
        self.place += 1
        return True

    cdef int32_t number(self, PyObject* node) except -1:
        """Return the number of an element's value, a new one if it is new; 0 if it has none."""
        if not self.is_next(node):
            return 0
        if self.name is None:
            value = self.get_attribute(<object>node)
        else:
            value = self.get_attribute(<object>node, self.name)
        cdef PyObject* listed = PyDict_GetItem(self.distinct, value)
        if listed is not NULL:
            return <object>listed
        cdef int32_t new = len(self.distinct) + 1
        self.distinct[value] = new
        return new

    cdef bint are_over(self):
        return self.place == len(self.elements)


def _getter(name, types):
    """Return the descriptor that all of some types have for an attribute; None if there is none."""
    descriptors = {_described(type, name) for type in types}
    descriptor = descriptors.pop()
    is_one = not descriptors and all(joeira_is_getter(descriptor, type) for type in types)
    return descriptor if is_one else None


def _described(type, name):
    for each in type.__mro__:
        if name in vars(each):
            return vars(each)[name]
    return None
