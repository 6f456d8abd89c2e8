"""Pages with gold records as pages of lists: their content is the list that the records are in.

Few training pages are listings or collections, and there are other data sets of such pages. They
know no main content, but the records that a person found on a page; the candidate list with these
records, whole, is taken for its content. What stands before and behind that list counts as wrong,
which is not always right: such pages are fitted and never measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from joeira.evaluation.datasets import Row
from joeira.training.lists import best_list
from joeira.training.pages import Example, example

MIN_F1 = 0.8
"""How well a candidate list must match the gold records."""


def listed(rows: Iterable[Row], dataset: str) -> list[Example]:
    """Return the pages on which a list of the gold records was found."""
    found = []
    for row in rows:
        texts, f1 = best_list(row)
        one = example(replace(row, text="\n".join(texts)), dataset) if f1 >= MIN_F1 else None
        if one is not None:
            found.append(replace(one, domain=_domain(row) or one.domain, made_up=True))
    return found


def _domain(row: Row) -> str | None:
    """Return the domain of a page by the name of its site, where that is one."""
    return row.site.lower() if row.site and "." in row.site else None
