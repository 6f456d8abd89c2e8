"""The page table from the parser's nodes: the reference of `joeira._native.tree_markup`.

It runs where no kernel was compiled, and on the few pages that the kernel leaves to it. The nodes
are visited by C loops (``map`` over attribute getters).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from itertools import compress, count, islice, repeat
from operator import attrgetter
from typing import Any, Final, cast

import numpy as np
import turbohtml
from numpy.typing import NDArray

from joeira.arrays import trees
from joeira.page import tags
from joeira.page.attributes import MODAL, NO_SNIPPET, Numbered

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
    code = tags.NOT_TEXT.take(tags.known(tag)) | ~in_tree
    if not scripting:
        code &= tag != tags.NUMBER["noscript"]
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
