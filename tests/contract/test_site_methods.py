"""What every site method of the catalog promises, tried on every one of them."""

from __future__ import annotations

import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import joeira
from joeira import catalog, sites
from joeira.errors import BadParameter, InputError, OutputError, UsageError
from joeira.papers import Paper
from joeira.sites.corpus import fingerprint, kept

SYLLABLES = "ba co di fu ga he li mo na pe ri so tu va wi".split()
ENTRIES = catalog.entries("site")
NAMES = [entry.name for entry in ENTRIES]
each_method = pytest.mark.parametrize("name", NAMES)
NASTY: dict[str, str | bytes] = {
    "empty": "",
    "blank": " \n ",
    "one text": "x",
    "no word": "<p>—</p><p>…</p>",
    "title only": "<title>Only a title</title>",
    "links only": "<a href=x>link</a>" * 50,
    "lone surrogate": "<p>\ud800 text of a page",
    "binary": bytes(range(256)) * 20,
    "frameset": "<frameset><frame src=x></frameset>",
    "deep": "<div>" * 3000 + "text " * 50,
    "deep lists": "<ul><li>" * 600 + "x",
    "huge table": "<table>" + ("<tr>" + "<td>cell</td>" * 20 + "</tr>") * 200 + "</table>",
    "many similar": "<div>" + "<p>Posted by Ana, 12 May</p>" * 500 + "</div>",
    "inline around block": "<a>text<div>x</div>more of it</a>",
    "own tags": "<x-{score}>" + "text " * 20 + "</x-{score}><a>link</a>" * 5,
}


def sentence(seed: int) -> str:
    """Words of no language that no other sentence has, and one that all have."""
    own = "".join(SYLLABLES[int(digit)] for digit in str(seed))
    words = [f"{own}x{SYLLABLES[k]}" for k in range(14)]
    return f"Rain flooded {' '.join(words[:7])}, said {' '.join(words[7:])}."


def article(number: int, *, menu: str = "Home News Sport Weather Contact us here today") -> str:
    text = "".join(f"<p>{sentence(number * 10 + k)}</p>" for k in range(4))
    linked = " ".join(f"<a href=/{word}>{word}</a>" for word in menu.split())
    return (
        f"<html><body><div class=menu><p>{linked}</p></div><div class=story><h1>Rain {number}</h1>"
        f"{text}</div><div class=foot><p>All rights reserved by the paper of the town</p></div>"
    )


def pages(count: int = 6) -> list[joeira.Page]:
    return [joeira.parse(article(number)) for number in range(count)]


@each_method
def test_form(name: str) -> None:
    method = catalog.find(name, "site").load()
    assert dataclasses.is_dataclass(method)
    assert all(isinstance(paper, Paper) for paper in method.papers)
    assert method() == method()
    assert hash(method()) == hash(method())
    assert getattr(sites, method.__name__) is method
    assert method.__name__ in sites.__all__


def bad_values(field: dataclasses.Field[Any]) -> list[Any]:
    if isinstance(field.default, bool):
        return []
    if isinstance(field.default, int | float):
        return [-1, float("nan")]
    return ["nonsense("]


PARAMETERS = [
    pytest.param(entry.load(), field.name, value, id=f"{entry.name}-{field.name}-{value}")
    for entry in ENTRIES
    for field in dataclasses.fields(entry.load())
    for value in bad_values(field)
]


@pytest.mark.parametrize("method, name, value", PARAMETERS)
def test_bad_parameters_are_refused_by_name(method: type[Any], name: str, value: object) -> None:
    with pytest.raises(BadParameter, match=name):
        method(**{name: value})


@each_method
def test_content_is_told_from_template(name: str) -> None:
    found = pages()
    site = joeira.learn_site(found, name)
    assert site.pages == 6
    for page in (*found, joeira.parse(article(99))):
        content = site.extract(page)
        text = content.text()
        assert text.count("flooded") == 4
        assert "Home News" not in text
        assert "All rights" not in text
        assert content.method == name
        assert all(content.reasons.of(number) for number in range(len(page.texts)))


@each_method
@pytest.mark.parametrize("count", [1, 2])
def test_few_pages_are_no_error(name: str, count: int) -> None:
    found = pages(count)
    site = joeira.learn_site(found, name)
    assert "flooded" in site.extract(found[0]).text()


@each_method
def test_hostile_pages_are_learned_and_extracted(name: str) -> None:
    nasty = [joeira.parse(html) for html in NASTY.values()]
    site = joeira.learn_site([*nasty, *pages(3)], name)
    for page in nasty:
        content = site.extract(page)
        assert content.keep.shape == content.scores.shape == (len(page.texts),)
        assert np.isfinite(content.scores).all()
        assert all(content.reasons.of(number) for number in range(len(page.texts)))
        assert len(list(content.explain())) >= len(page.blocks)
    assert site.drift(nasty).pages == len(nasty)


@each_method
def test_two_sites_mixed(name: str) -> None:
    other = [
        joeira.parse(
            f"<main><ul class=bar><li>Shop and cart and help of this shop</ul><section class=item>"
            f"<p>{sentence(k * 100)}</p><p>{sentence(k * 100 + 1)}</p></section>"
        )
        for k in range(50, 56)
    ]
    site = joeira.learn_site([*pages(), *other], name)
    assert len(site.templates) == 2
    for page in (*pages(), *other):
        assert "flooded" in site.extract(page).text()


@each_method
def test_nothing_to_learn_from_is_misuse(name: str) -> None:
    with pytest.raises(UsageError, match="at least one page"):
        joeira.learn_site([], name)


@each_method
def test_adding_pages_is_learning_from_all_at_once(name: str) -> None:
    found = pages(7)
    at_once = joeira.learn_site(found, name)
    later = joeira.learn_site(found[:2], name).update(found[1:4]).update(iter(found[4:]))
    assert later.to_dict() == at_once.to_dict()
    assert at_once.update(found).to_dict() == at_once.to_dict()
    assert joeira.learn_site(found[:2], name).pages == 2


@each_method
def test_the_same_after_saving_loading_and_pickling(name: str, tmp_path: Path) -> None:
    found = pages()
    site = joeira.learn_site(found, name)
    site.save(tmp_path / "site.json")
    loaded = joeira.load_site(tmp_path / "site.json")
    assert loaded.to_dict() == json.loads((tmp_path / "site.json").read_text("utf-8")) | {
        "parameters": site.parameters
    }
    for copy in (loaded, pickle.loads(pickle.dumps(site))):
        for page in (*found, joeira.parse(article(77))):
            first, second = site.extract(page), copy.extract(page)
            assert first.keep.tolist() == second.keep.tolist()
            assert first.scores.tolist() == second.scores.tolist()
    more = [joeira.parse(article(number)) for number in range(20, 23)]
    assert loaded.update(more).learned.to_dict() == site.update(more).learned.to_dict()


@each_method
def test_damaged_files_are_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    joeira.learn_site(pages(2), name).save(path)
    whole = path.read_text("utf-8")
    data = json.loads(whole)
    for damaged in (
        whole[:200],
        "",
        "[]",
        "null",
        json.dumps({"format": "other"}),
        json.dumps(data | {"version": 99}),
        json.dumps(data | {"method": "nobody"}),
        json.dumps(data | {"parameters": {"nothing": 1}}),
        json.dumps(data | {"learned": {}}),
        json.dumps(data | {"learned": []}),
        json.dumps(data | {"profile": [{"pages": "x"}]}),
        json.dumps({key: value for key, value in data.items() if key != "profile"}),
    ):
        path.write_text(damaged, "utf-8")
        with pytest.raises(InputError, match=r"site\.json"):
            joeira.load_site(path)
    with pytest.raises(InputError, match="No such file"):
        joeira.load_site(tmp_path / "none.json")
    with pytest.raises(OutputError):
        joeira.learn_site(pages(1), name).save(tmp_path / "no" / "folder.json")


@pytest.mark.parametrize(
    "name, key, value",
    [
        ("xcex", "blocks", [[["p"], [], ["rain"], "", 1, "00", [[7, 1]]]]),
        ("content_extractor", "blocks", [[[["p", 1]], ["rain"], [[-1, 1]]]]),
        ("xcex", "pages", ["no digits", "neither"]),
        ("infodiscoverer", "keywords", {"0": {"rain": [1]}}),
        ("style_tree", "levels", {"0": {"styles": {"key": ["f" * 20]}}}),
        ("style_tree", "levels", {"first": {}}),
        ("template", "slots", [{"00": ["p", 1, 1]}]),
        ("template", "slots", []),
        ("template", "sketches", {"00": "00"}),
        ("pagelets", "pagelets", [["00", [[9, 1]]]]),
    ],
)
def test_files_that_contradict_themselves_are_refused(
    name: str, key: str, value: object, tmp_path: Path
) -> None:
    path = tmp_path / "site.json"
    joeira.learn_site(pages(2), name).save(path)
    data = json.loads(path.read_text("utf-8"))
    data["learned"][key] = value
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(InputError, match="damaged"):
        joeira.load_site(path)


SAMPLING = ("xcex", "content_extractor", "infodiscoverer", "style_tree", "pagelets")


@pytest.mark.parametrize("name", SAMPLING)
def test_of_many_pages_a_sample_is_kept(name: str) -> None:
    site = joeira.learn_site(pages(10), name, max_pages=40)
    sizes = []
    for start in range(10, 210, 50):
        more = [joeira.parse(article(number)) for number in range(start, start + 50)]
        site = site.update(more)
        sizes.append(len(json.dumps(site.to_dict()["learned"])) - 20 * site.pages)
    assert site.pages == 210
    assert max(sizes) < 2.2 * min(sizes)  # between half of the pages and all of them are kept
    at_once = joeira.learn_site(pages(210), name, max_pages=40)
    assert at_once.to_dict() == site.to_dict()


@pytest.mark.parametrize("name", SAMPLING)
def test_a_sample_decides_as_all_pages_do(name: str) -> None:
    everything, sample = (
        joeira.learn_site(pages(120), name, max_pages=most) for most in (1000, 30)
    )
    for number in (3, 40, 77, 500):
        page = joeira.parse(article(number))
        assert sample.extract(page).text() == everything.extract(page).text()


def test_the_sample_of_pages_is_half_of_them_or_all() -> None:
    prints = [fingerprint(page) for page in pages(300)]
    for most in (1, 20, 50, 299, 300):
        known = kept(prints, most)
        assert known == kept(prints[::-1], most)
        assert len(known) <= most
    assert len(kept(prints, 299)) in range(120, 180)
    assert len(kept(prints, 300)) == 300


def test_drift_is_told() -> None:
    site = joeira.learn_site(pages())
    same = site.drift([joeira.parse(article(number)) for number in range(30, 34)])
    assert not same.changed
    assert "has not changed" in str(same)
    new = site.drift([joeira.parse(f"<main><section><p>{sentence(1)}</p></section>")] * 3)
    assert new.changed
    assert new.strangers == (0, 1, 2)
    assert "learn the site again" in str(new)
    assert "no pages" in str(site.drift([]))


def test_a_configured_method_and_its_name() -> None:
    site = joeira.learn_site([article(1), article(2).encode()], sites.XCEX(blocks="lossless"))
    assert site.method == "xcex"
    assert site.parameters["blocks"] == "lossless"
    assert "2 pages" in repr(site)
    with pytest.raises(BadParameter, match="colour"):
        joeira.learn_site(pages(1), "xcex", colour=1)
