"""What every record method of the catalog promises, tried on every one of them."""

from __future__ import annotations

import dataclasses
import pickle
import re

import numpy as np
import pytest

import joeira
from joeira import catalog, records
from joeira.papers import Paper
from support.hostile import FAMILIES

ENTRIES = catalog.entries("records")
SIZE = 200
HOSTILE = {name: family.make(min(family.small, SIZE)) for name, family in FAMILIES.items()}
ROW = "<tr class=a><td><a href=x>Name</a></td><td>{0} km</td><td>Some more words, {0}</td></tr>"
PAGES: dict[str, str | bytes] = HOSTILE | {
    "rows": f"<table>{''.join(ROW.format(number) for number in range(30))}</table>",
    "two rows": f"<table>{ROW.format(1)}{ROW.format(2)}</table>",
    "lists in lists": "<ul>"
    + "<li>one two<ul><li>a b c</li><li>d e f</li></ul></li>" * 20
    + "</ul>",
    "equal items": "<p>the same words again</p>" * 50,
    "no words": "<li>—</li>" * 50,
    "pictures": "<li><img src=x></li>" * 50,
}
each_method = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
each_page = pytest.mark.parametrize("name", PAGES)


def plain(found: joeira.Records) -> list[object]:
    return [
        (table.slices.tolist(), table.record_of.tolist(), table.score, table.reason,
         table.region.start, table.region.stop)
        for table in found
    ]  # fmt: skip


@each_method
def test_form(entry: catalog.Entry) -> None:
    method = entry.load()
    assert dataclasses.is_dataclass(method)
    assert method.__doc__
    assert all(isinstance(paper, Paper) for paper in method.papers)
    default = method()
    assert default == method()
    assert getattr(records, method.__name__) is method
    for field in dataclasses.fields(method):
        assert re.fullmatch(r"[a-z][a-z_]*", field.name)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(default, field.name, None)


@each_page
@each_method
def test_tables_are_made_of_rows_of_the_page(entry: catalog.Entry, name: str) -> None:
    page = joeira.parse(PAGES[name])
    found = entry.load()().extract(page)
    assert isinstance(found, joeira.Records)
    assert found.method == entry.name
    assert bool(found) == (len(found) > 0)
    assert found or found.reason
    for table in found:
        starts, stops = table.slices.T
        assert (starts < stops).all()
        assert starts.min() >= table.region.start >= 0
        assert stops.max() <= table.region.stop <= len(page)
        order = np.argsort(starts)
        assert (starts[order][1:] >= stops[order][:-1]).all(), "records of a table overlap"
        assert table.record_of[0] == 0
        assert set(np.diff(table.record_of).tolist()) <= {0, 1}
        assert table.reason
        assert np.isfinite(table.score)


@each_page
@each_method
def test_same_page_same_result(entry: catalog.Entry, name: str) -> None:
    page = joeira.parse(PAGES[name])
    first = plain(entry.load()().extract(page))
    assert first == plain(entry.load()().extract(page))
    assert first == plain(entry.load()().extract(pickle.loads(pickle.dumps(page))))
