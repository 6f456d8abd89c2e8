"""What elements are called, numbered while the parser's nodes are at hand: class, id, role."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count, repeat
from typing import Any, Final, cast

import numpy as np
import turbohtml
from numpy.typing import NDArray

Numbered = tuple[NDArray[np.int32], tuple[str, ...]]

MODAL: Final = "dialog"
"""The role of what takes the page over until it is answered, whatever else it says."""
NO_SNIPPET: Final = "nosnippet"
"""Said of what search engines are asked not to read or show, such as notices about cookies: by an
attribute of Google's or, mostly on Russian pages, an element of Yandex'."""

# Called from C without being looked up for each element; those that are asked have the attribute.
_attribute = cast("Callable[[Any, str], str]", turbohtml.Element.attr)
_WITH_ROLE: Final = "[role],[aria-modal=true],[data-nosnippet],noindex"


def names(
    document: turbohtml.Document, number_of: dict[Any, int], rows: NDArray[np.intp]
) -> dict[str, Numbered]:
    """Return the number of each row's class, id and role, and the distinct ones of each.

    `rows` has the row of every element by its number, and one more entry: the number of rows, which
    also stands for the row of elements that have none.
    """
    with_class, with_id, with_role = map(document.select, ("[class]", "[id]", _WITH_ROLE))
    numbered = partial(_numbered, number_of=number_of, rows=rows)
    return {
        "classes": numbered(with_class, map(_attribute, with_class, repeat("class"))),
        "ids": numbered(with_id, map(_attribute, with_id, repeat("id"))),
        "roles": numbered(with_role, map(_role, with_role)),
    }


def _role(element: Any) -> str:
    """Return what an element says it is; of several roles the first counts."""
    if element.tag == "noindex" or element.attr("data-nosnippet") is not None:
        return NO_SNIPPET
    if element.attr("aria-modal") == "true":
        return MODAL
    return next(iter((element.attr("role") or "").lower().split()), "")


def _numbered(
    found: list[Any],
    names: Iterable[str],
    number_of: dict[Any, int],
    rows: NDArray[np.intp],
) -> Numbered:
    """Return the number of each row's name, and the distinct ones (0 and '': none)."""
    distinct: dict[str, int] = defaultdict(count(1).__next__)
    values = np.fromiter(map(distinct.__getitem__, names), np.int32, len(found))
    elements = np.fromiter(map(number_of.__getitem__, found), np.intp, len(found))
    # Elements without a row, as those beyond the limit of nodes, share a place after the last.
    numbers = np.zeros(int(rows[-1]) + 1, np.int32)
    numbers[rows.take(elements)] = values
    return numbers[:-1], ("", *distinct)
