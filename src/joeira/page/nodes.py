"""The page table from the parser's nodes: the reference of `joeira._native.tree_markup`.

It runs where no kernel was compiled, and on the few pages that the kernel leaves to it. The nodes
are visited by C loops (``map`` over attribute getters).

Positions are where elements stand in the source, from the first character of the start tag to the
end. Offsets count characters of the decoded source, without a byte order mark that bytes begin with
and with every line break as one character, which is how HTML is read. They are found by parsing
once more: a parser that keeps them is slower, and few ask.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from itertools import compress, count, islice, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import turbohtml
from numpy.typing import NDArray

from joeira.arrays import Ints, trees
from joeira.page import tags
from joeira.page.attributes import Numbered
from joeira.page.tags import MODAL, NO_SNIPPET

if TYPE_CHECKING:
    from joeira.page.model import Page

PARSER_DEPTH = 511
"""Depth below which the parser itself, as browsers do, hangs elements beside each other."""

_OTHER, _ELEMENT, _TEXT, _FRAGMENT = range(4)


class _Numbers(dict[str, int]):
    """Tag numbers of one page: a name seen for the first time gets the next foreign number."""

    def __missing__(self, name: str) -> int:
        number = tags.FIRST_FOREIGN + len(self) - len(tags.NUMBER)
        self[name] = number
        return number


_KIND: dict[type, int] = {
    turbohtml.Element: _ELEMENT,
    turbohtml.Text: _TEXT,
    turbohtml.CData: _TEXT,
    turbohtml.DocumentFragment: _FRAGMENT,
}
"""Kinds of node types; comments, doctypes and the like are all `_OTHER`."""

_get_parent = attrgetter("parent")
_get_tag = attrgetter("tag")
_get_data = attrgetter("data")


def walked(
    document: turbohtml.Document, limits: tuple[int, int], notes: list[str], scripting: bool
) -> dict[str, Any]:
    """Return the columns of the page table, from the parser's nodes."""
    max_nodes, max_depth = limits
    nodes = list(islice(document.descendants, max_nodes + 1))
    if len(nodes) > max_nodes:
        del nodes[max_nodes:]
        notes.append(f"document cut at {max_nodes} nodes")
    return _columns(document, nodes, max_depth, notes, scripting)


def _columns(
    document: turbohtml.Document,
    nodes: list[Any],
    max_depth: int,
    notes: list[str],
    scripting: bool,
) -> dict[str, Any]:
    """Return the columns of the page table."""
    kind_of_each = bytes(map(_KIND.get, map(type, nodes), repeat(_OTHER)))
    kinds = np.frombuffer(kind_of_each, np.uint8)
    is_element = kinds == _ELEMENT
    elements = list(compress(nodes, is_element.tobytes()))
    number_of = dict(zip(elements, range(len(elements)), strict=True))
    # Numbers that serve as indices have the type of one: else each use would cast them.
    parents = map(number_of.get, map(_get_parent, nodes), repeat(-1))
    above = np.fromiter(parents, np.intp, len(nodes))
    _hang_under_root(above, kinds, nodes)

    # Elements first: a tree of their own, without what hangs in a <template>.
    element_place = is_element.nonzero()[0]
    parent = above.take(element_place)
    foreign = _Numbers(tags.NUMBER)
    tag = np.fromiter(map(foreign.__getitem__, map(_get_tag, elements)), np.int32, len(elements))
    in_tree = ~_in_fragments(parent) if _FRAGMENT in kind_of_each else np.ones(len(elements), bool)
    ladder = trees.ladder(parent)
    depth = trees.depths(parent, ladder)
    deepest = depth.max(initial=0)
    if deepest >= PARSER_DEPTH:
        notes.append(f"elements nested deeper than {PARSER_DEPTH} flattened by the parser")
    if deepest > max_depth:
        notes.append(f"elements nested deeper than {max_depth} flattened")
        parent, depth = _flatten(parent, depth, max_depth)
        ladder = trees.ladder(parent)

    # Then the texts that count, each between the elements around it.
    code = tags.NOT_TEXT.take(tags.known(tag))
    if not scripting:
        code &= tag != tags.NUMBER["noscript"]
    code |= ~in_tree
    # One more entry, which -1 finds: what hangs in no element is no text.
    in_code = np.concatenate((trees.union_over_ancestors(code, parent, ladder), [True]))
    is_text = (kinds == _TEXT) & ~in_code.take(above)
    strings = list(map(_get_data, compress(nodes, is_text.tobytes())))
    solid = ~np.frombuffer(bytes(map(str.isspace, strings)), bool)
    solid_place = solid.nonzero()[0]
    place = is_text.nonzero()[0].take(solid_place)
    place_before = np.concatenate(([-1], solid_place[:-1]))

    # Rows are both, in document order.
    keep = np.zeros(len(nodes), bool)
    keep[element_place] = in_tree
    keep[place] = True
    row_of = keep.cumsum() - 1
    shown = in_tree.nonzero()[0]
    element_row = row_of.take(element_place)
    own_row, text_row, text_parent = element_row.take(shown), row_of.take(place), above.take(place)
    columns = np.zeros((3, int(keep.sum())), np.int32)
    columns[0][own_row] = tag.take(shown)
    columns[1][own_row] = element_row.take(parent.take(shown))
    columns[1][text_row] = element_row.take(text_parent)
    columns[2][own_row] = depth.take(shown)
    columns[2][text_row] = depth.take(text_parent) + 1
    columns[1, :1] = -1

    # Nearly every method asks for names, and now the nodes are at hand.
    nowhere = len(columns[0])
    rows = np.concatenate((np.where(in_tree, element_row, nowhere), [nowhere]))
    return {
        **_names(document, number_of, rows),
        "tag": columns[0],
        "parent": columns[1],
        "depth": columns[2],
        "texts": tuple(compress(strings, solid.tobytes())),
        "gap_before": solid_place > place_before + 1,
        "foreign_names": tuple(foreign)[len(tags.NUMBER) :],
        "in_tree": in_tree,
    }


def _hang_under_root(above: NDArray[np.intp], kinds: NDArray[np.uint8], nodes: list[Any]) -> None:
    """Hang under the root what the parser puts beside it.

    At its greatest depth, that is what belongs before a table.
    """
    for place in ((above < 0) & (kinds != _OTHER)).nonzero()[0][1:].tolist():
        if type(nodes[place].parent) is turbohtml.Document:
            above[place] = 0


def _in_fragments(parent: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which elements lie in a <template>: its content hangs under a fragment."""
    orphan = parent < 0
    orphan[0] = False
    return trees.nearest(orphan, parent) >= 0


def _flatten(
    parent: NDArray[np.intp], depth: NDArray[np.int32], max_depth: int
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Hang every row deeper than the limit under its ancestor just above the limit."""
    anchor = trees.nearest(depth == max_depth - 1, parent)
    parent = np.where(depth > max_depth, anchor, parent)
    return parent, np.minimum(depth, max_depth)


# Called from C without being looked up for each element; those that are asked have the attribute.
_attribute = cast("Callable[[Any, str], str]", turbohtml.Element.attr)
_WITH_NAMES: Final = ("[class]", "[id]", "[role],[aria-modal=true],[data-nosnippet],noindex")
"""Selectors of the elements that have a class, an id, and a role."""


def _names(
    document: turbohtml.Document, number_of: dict[Any, int], rows: NDArray[np.intp]
) -> dict[str, Numbered]:
    """Return the number of each row's class, id and role, and the distinct ones of each.

    `rows` has the row of every element by its number, and one more entry: the number of rows, which
    also stands for the row of elements that have none.
    """
    with_class, with_id, with_role = map(document.select, _WITH_NAMES)
    numbered = partial(_numbered, number_of=number_of, rows=rows)
    return {
        "classes": numbered(with_class, map(_attribute, with_class, repeat("class"))),
        "ids": numbered(with_id, map(_attribute, with_id, repeat("id"))),
        "roles": numbered(with_role, map(_role, with_role)),
    }


def _role(element: Any) -> str:
    """Return what an element says it is; of several roles the first counts."""
    attribute = element.attr
    if element.tag == "noindex" or attribute("data-nosnippet") is not None:
        return NO_SNIPPET
    if attribute("aria-modal") == "true":
        return MODAL
    words = (attribute("role") or "").lower().split()
    return words[0] if words else ""


def _numbered(
    found: list[Any],
    names: Iterable[str],
    number_of: dict[Any, int],
    rows: NDArray[np.intp],
) -> Numbered:
    """Return the number of each row's name, and the distinct ones (0 and '': none)."""
    distinct: dict[str, int] = defaultdict(count(1).__next__)
    values = np.fromiter(map(distinct.__getitem__, names), np.int32, len(found))
    elements = np.fromiter(map(number_of.get, found, repeat(-1)), np.intp, len(found))
    # Elements without a row, as those beyond the limit of nodes, share a place after the last.
    numbers = np.zeros(int(rows[-1]) + 1, np.int32)
    numbers[rows.take(elements)] = values
    return numbers[:-1], ("", *distinct)


# Places in the source --------------------------------------------------------------------------

NONE = -1
MAX_ROWS, MAX_SOURCE = 50_000, 5_000_000
"""A longer page is not parsed again: the memory for it is better kept for what is asked of it."""


class SourcePlaces:
    """Where the elements of a page stand in its source, found by parsing it once more.

    Nowhere on a page of more than `MAX_ROWS` rows or `MAX_SOURCE` characters.
    """

    def __init__(self, page: Page) -> None:
        """Parse the source of the page again, unless it is too long."""
        is_long = len(page) > MAX_ROWS or len(page.again.args[0]) > MAX_SOURCE
        located = None if is_long else _located(page)
        self._page = page
        self._elements = dict(page.attributes.of_same_source(located)) if located else {}

    def position(self, row: int) -> tuple[int, int] | None:
        """Return the line (from 1) and column (from 0) of an element's start tag."""
        element = self._elements.get(row)
        return None if element is None else cast("tuple[int, int] | None", element.position)

    def spans(self) -> tuple[Ints, Ints]:
        """Return where the element of every row begins and ends.

        -1 for texts and for elements that no tag makes, such as a missing ``<body>``. An element
        that is not closed ends where the next one that is not in it begins, or with its parent.
        """
        page = self._page
        start, start_tag_end, end_tag, stop = np.full((4, len(page)), NONE, np.int64)
        if not self._elements:
            return start, stop
        for row, element in self._elements.items():
            location = element.source_location
            if location is not None:
                start[row], start_tag_end[row] = _ends(location.start_tag)
                if location.end_tag is not None:
                    end_tag[row], stop[row] = _ends(location.end_tag)
        inner = end_tag.copy()  # where the content of an element ends
        for row in np.flatnonzero((end_tag < 0) & ~page.is_text).tolist():
            parent, after = int(page.parent[row]), int(page.end[row])
            ends = [int(inner[parent])] if parent >= 0 else []
            if after < len(page) and page.parent[after] == parent:
                ends.append(int(start[after]))
            known = [end for end in ends if end >= start_tag_end[row]]
            inner[row] = min(known, default=NONE)
            stop[row] = max(int(inner[row]), int(start_tag_end[row])) if start[row] >= 0 else NONE
        return start, stop


def _located(page: Page) -> turbohtml.Document | None:
    source = page.again.args[0]
    try:
        return turbohtml.parse(
            source,
            detect_encoding=isinstance(source, bytes),
            scripting=page.scripting,
            allow_declarative_shadow_roots=False,
            source_locations=True,
        )
    except Exception:  # as when the page was read: the parser's failure is not the caller's
        return None


def _ends(span: turbohtml.SourceSpan) -> tuple[int, int]:
    return span.start_offset, span.end_offset
