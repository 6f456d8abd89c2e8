"""Pages that have broken something once, and those by which parsers are tested, break nothing.

`scripts/fuzz` finds pages for the corpus: the shortest form of each finding is a file in it, bytes
as ``.html``, text as ``.txt`` (which may have lone surrogates).
"""

from __future__ import annotations

from pathlib import Path

import pytest

import joeira
from support.mutants import Pages, Source, html5lib_inputs, mutant
from support.probes import URL, Broken, check_safe, plain, probes

CORPUS = Path(__file__).parent / "corpus"
PAGES = sorted(path for path in CORPUS.iterdir() if path.suffix in (".html", ".txt"))
GENERATED: dict[str, Source] = {
    "deep elements": "<div>" * 600 + "x",
    "deep tables": "<table><tr><td>x" * 30,
    "deep lists": "<ul><li>x" * 50,
    "formatting that is never closed": "<b><i><p>x" * 20,
    "many attributes": f"<p {' '.join(f'a{number}=b' for number in range(500))}>x",
    "one long class": f"<p class='{'a ' * 1000}'>x",
    "deep selectors": f"<style>{':not(' * 500}{{display:none}}</style><p>x",
    "deep data": f"<script type='application/ld+json'>{'[' * 5000}</script><p>x",
    "a number of many digits": f"<p class=price>{'9' * 5000} €</p><ol start={'9' * 5000}><li>x",
    "every byte": bytes(range(256)),
    "every control character": "".join(f"<p>{chr(code)}x" for code in range(32)),
    "UTF-16 without its mark": "<p>one two".encode("utf-16-le"),
    "surrogates in bytes": "<p \ud800=\udfff>\ud800".encode("utf-8", "surrogatepass"),
}


def read(path: Path) -> Source:
    source = path.read_bytes()
    return source.decode("utf-8", "surrogatepass") if path.suffix == ".txt" else source


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_what_broke_once_breaks_no_more(path: Path) -> None:
    page, again = (joeira.parse(read(path), URL) for _ in range(2))
    for name, probe in probes().items():
        assert probe(page) == probe(again), name


@pytest.mark.parametrize("name", GENERATED)
def test_small_hostile_pages(name: str) -> None:
    page = joeira.parse(GENERATED[name], URL)
    for probe in probes().values():
        probe(page)


def test_probes_see_what_is_wrong() -> None:
    for html in ("<p onclick=x>", "<script></script>", "<a href='javascript:x'>", "\ud800", "\0"):
        with pytest.raises(Broken):
            check_safe(html)


def test_mutants_can_be_made_again() -> None:
    pages = Pages(["<div class='a'><p>One <b>two</b></p></div>" * 9], html5lib_inputs())
    mutants = [mutant(1, number, pages) for number in range(60)]
    assert mutants == [mutant(1, number, pages) for number in range(60)]
    assert len(set(mutants)) > 50
    assert {type(each) for each in mutants} == {str, bytes}


def test_documents_by_which_parsers_are_tested() -> None:
    inputs = html5lib_inputs()
    assert len(inputs) > 1600
    for source in inputs:
        page = joeira.parse(source, URL)
        content = joeira.extract(page)
        plain(content.text())
        plain(content.markdown())
        check_safe(joeira.extract(page, "all_text").html())
        plain(str(content.metadata.to_dict()))
        for table in joeira.find_records(page):
            plain(table.to_csv())
        for region in joeira.segment(page):
            plain(region.text)
