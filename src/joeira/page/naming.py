"""What elements are called, numbered while the parser's nodes are at hand: class, id, role."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import count
from operator import methodcaller
from typing import Any, Final

import numpy as np
import turbohtml
from numpy.typing import NDArray

Numbered = tuple[NDArray[np.int32], tuple[str, ...]]

MODAL: Final = "dialog"
"""The role of what takes the page over until it is answered, whatever else it says."""
NO_SNIPPET: Final = "nosnippet"
"""Said of what search engines are asked not to read or show, such as notices about cookies: by an
attribute of Google's or, mostly on Russian pages, an element of Yandex'."""

_WITH_ROLE: Final = "[role],[aria-modal=true],[data-nosnippet],noindex"


def names(document: turbohtml.Document, number_of: dict[Any, int]) -> dict[str, Numbered]:
    """Return the number of each element's class, id and role, and the distinct ones of each."""
    return {
        "classes": _numbered(document, "[class]", methodcaller("attr", "class"), number_of),
        "ids": _numbered(document, "[id]", methodcaller("attr", "id"), number_of),
        "roles": _numbered(document, _WITH_ROLE, _role, number_of),
    }


def _role(element: Any) -> str:
    """Return what an element says it is; of several roles the first counts."""
    if element.tag == "noindex" or element.attr("data-nosnippet") is not None:
        return NO_SNIPPET
    if element.attr("aria-modal") == "true":
        return MODAL
    return next(iter((element.attr("role") or "").lower().split()), "")


def _numbered(
    document: turbohtml.Document,
    selector: str,
    name: Callable[[Any], str | None],
    number_of: dict[Any, int],
) -> Numbered:
    """Return the number of each element's name, and the distinct ones (0 and '': none)."""
    found = document.select(selector)
    distinct: dict[str | None, int] = defaultdict(count(1).__next__, {None: 0})
    values = np.fromiter(map(distinct.__getitem__, map(name, found)), np.int32, len(found))
    # Elements beyond the limit of nodes have no place: they share one after the last.
    numbers = np.zeros(len(number_of) + 1, np.int32)
    numbers[np.fromiter(map(number_of.__getitem__, found), np.intp, len(found))] = values
    return numbers[:-1], tuple(one or "" for one in distinct)
