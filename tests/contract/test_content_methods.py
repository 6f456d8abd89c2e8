"""What every content method of the catalog promises, tried on every one of them."""

from __future__ import annotations

import dataclasses
import pickle
import re
from typing import Any

import numpy as np
import pytest

import joeira
from joeira import catalog, content
from joeira.content.result import Content
from joeira.errors import BadParameter
from joeira.papers import Paper

SENTENCE = "This is a sentence, with enough words to count as text for every method there is. "
NASTY: dict[str, str | bytes] = {
    "empty": "",
    "blank": " \n ",
    "one text": "x",
    "one long text": SENTENCE * 40,
    "no word": "<p>—</p><p>…</p>",
    "title only": "<title>Only a title</title>",
    "script only": "<script>var a = '<p>text</p>'</script>",
    "links only": "<a href=x>link</a>" * 50,
    "nul": f"<p>\x00{SENTENCE}\x00</p>",
    "lone surrogate": "<p>\ud800 " + SENTENCE,
    "binary": bytes(range(256)) * 20,
    "frameset": "<frameset><frame src=x></frameset>",
    "deep": "<div>" * 3000 + SENTENCE * 10 + "</div>" * 3000,
    "deep lists": "<ul><li>" * 600 + "x",
    "deep tables": "<table><tr><td>" * 60 + "x" + "</td></tr></table>" * 60,
    "huge table": "<table>" + ("<tr>" + "<td>cell</td>" * 50 + "</tr>") * 400 + "</table>",
    "many similar": "<div>" + f"<p>Posted by Ana, 12 May: {SENTENCE[:40]}</p>" * 500 + "</div>",
    "many lines": "<pre>" + "line\n" * 5000 + "</pre>",
    "own tags": "<x-{score}>" + SENTENCE * 20 + "</x-{score}><a>link</a>" * 5,
    "broken addresses": "<a href='http://[x'>a</a><img src='//'>" + SENTENCE,
    "unspaced": "<p>" + "漢字" * 500 + "</p>",
    "svg title": f"<svg><title>icon</title></svg><p>{SENTENCE * 20}</p>",
}
ENTRIES = catalog.entries("content")
each_method = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
each_page = pytest.mark.parametrize("name", NASTY)


def same(first: Content, second: Content) -> bool:
    count = len(first.keep)
    return (
        np.array_equal(first.keep, second.keep)
        and np.array_equal(first.scores, second.scores)
        and [first.reasons.of(k) for k in range(count)]
        == [second.reasons.of(k) for k in range(count)]
        and (first.title, first.note, first.method) == (second.title, second.note, second.method)
    )


@each_method
def test_form(entry: catalog.Entry) -> None:
    method = entry.load()
    assert dataclasses.is_dataclass(method)
    assert method.__doc__
    assert all(isinstance(paper, Paper) for paper in method.papers)
    default = method()
    assert default == method()
    assert hash(default) == hash(method())
    for field in dataclasses.fields(method):
        assert re.fullmatch(r"[a-z][a-z_]*", field.name)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(default, field.name, None)


@each_method
def test_is_reached_by_its_class(entry: catalog.Entry) -> None:
    name = entry.load().__name__
    assert getattr(content, name) is entry.load()
    assert name in content.__all__
    assert joeira.content is content


def test_other_names_do_not_exist() -> None:
    name = "Nonsense"
    with pytest.raises(AttributeError, match=name):
        getattr(content, name)


def bad_values(field: dataclasses.Field[Any]) -> list[Any]:
    if isinstance(field.default, bool):
        return []
    if isinstance(field.default, int | float):
        return [-1, float("nan")]
    return ["nonsense"] if isinstance(field.default, str | tuple) else [-1]


PARAMETERS = [
    pytest.param(entry, field, value, id=f"{entry.name}-{field.name}-{value}")
    for entry in ENTRIES
    for field in dataclasses.fields(entry.load())
    for value in bad_values(field)
]


@pytest.mark.parametrize("entry, field, value", PARAMETERS)
def test_bad_parameters_are_refused_by_name(
    entry: catalog.Entry, field: dataclasses.Field[Any], value: object
) -> None:
    with pytest.raises(BadParameter, match=field.name):
        entry.load()(**{field.name: value})


@each_method
@each_page
def test_never_raises(entry: catalog.Entry, name: str) -> None:
    page = joeira.parse(NASTY[name])
    found = entry.load()().extract(page)
    assert found.method == entry.name
    assert found.page is page
    assert found.keep.dtype == bool
    assert found.keep.shape == found.scores.shape == (len(page.texts),)
    assert np.isfinite(found.scores).all()
    assert all(found.reasons.of(number) for number in range(len(page.texts)))
    assert isinstance(found.title, str | None)
    assert len(list(found.explain())) >= len(page.blocks)


@each_method
def test_a_document_cut_to_nothing(entry: catalog.Entry) -> None:
    page = joeira.parse("<!doctype html><p>text", max_nodes=1)
    assert not entry.load()().extract(page)


@each_method
@each_page
def test_same_input_same_result_also_after_pickling(entry: catalog.Entry, name: str) -> None:
    method = entry.load()()
    first = method.extract(joeira.parse(NASTY[name]))
    assert same(first, method.extract(joeira.parse(NASTY[name])))
    assert same(first, pickle.loads(pickle.dumps(first)))
    assert pickle.loads(pickle.dumps(method)) == method


@each_method
def test_results_do_not_touch_the_page(entry: catalog.Entry) -> None:
    page = joeira.parse(NASTY["own tags"])
    other = joeira.parse(NASTY["own tags"])
    entry.load()().extract(page)
    assert page.texts == other.texts
    assert np.array_equal(page.tag, other.tag)
    for array in (page.tag, page.parent, page.end, page.text_chars, page.tags_before):
        assert not array.flags.writeable
