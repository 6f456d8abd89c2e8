"""The viewer's own files: safe by construction, complete in both languages, all in the package."""

import re
from importlib.resources import files

import pytest

import joeira
from joeira.viewer.pages import Pages, Shown, clean_name
from joeira.viewer.view import POLICY as FRAME_POLICY

STATIC = {
    file.name: file.read_text("utf-8")
    for file in files("joeira.viewer").joinpath("static").iterdir()
}
SCRIPTS = {name: text for name, text in STATIC.items() if name.endswith(".js")}


def test_frames_never_allow_scripts() -> None:
    sandboxes = re.findall(r'sandbox(?:=|: )"([^"]*)"', "\n".join(STATIC.values()))
    assert sandboxes == ["allow-same-origin"]
    assert STATIC["index.html"].count("<iframe") == 1
    assert "allow-scripts" not in "".join(STATIC.values())
    assert "script-src 'none'" in FRAME_POLICY


def test_text_becomes_markup_in_one_place() -> None:
    sinks = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|Function\(|srcdoc"
    found = [name for name, text in SCRIPTS.items() for _ in re.findall(sinks, text)]
    assert found == ["dom.js"]


def test_nothing_is_loaded_from_elsewhere() -> None:
    addresses = re.findall(r"(?:https?:)?//[a-z][\w.-]+\.\w+", "\n".join(STATIC.values()))
    assert set(addresses) == {"http://www.w3.org"}  # the name of a name space
    for name in re.findall(r'(?:src|href)="/viewer/([^"]+)"', STATIC["index.html"]):
        assert name in STATIC
    for text in SCRIPTS.values():
        assert set(re.findall(r'from "\./([^"]+)"', text)) <= set(STATIC)


def test_every_message_is_there_in_both_languages() -> None:
    english, portuguese = re.split(r"^  pt: \{$", STATIC["messages.js"], flags=re.MULTILINE)
    key = re.compile(r"(?:^    |, )(\w+): \"", re.MULTILINE)
    known = set(key.findall(english))
    assert known == set(key.findall(portuguese))
    used = set(re.findall(r'\bt\("(\w+)"', "\n".join(SCRIPTS.values())))
    used |= set(re.findall(r'data-t(?:-\w+)?="(\w+)"', STATIC["index.html"]))
    assert used <= known


def test_examples_come_along() -> None:
    pages = Pages()
    assert len(pages.examples) == 6
    assert all(joeira.parse(page.html).texts for page in pages.examples.values())


def test_what_is_sent_is_held_within_limits() -> None:
    pages = Pages([Shown("given", html="x")])
    numbers = [pages.add(Shown(str(n), html=b"x" * 4_000_000)) for n in range(40)]
    assert pages.get("page-0").name == "given"
    assert pages.get(numbers[0]) is None
    assert pages.get(numbers[-1]).name == "39"
    assert sum(pages.get(number) is not None for number in numbers) <= 25


def test_names_are_no_paths() -> None:
    assert clean_name("../../etc/passwd") == "passwd"
    assert clean_name("a\x00\n\u202eb.html") == "ab.html"
    assert clean_name("/") == "page"


def test_the_service_and_the_viewer_have_one_icon() -> None:
    pytest.importorskip("fastapi", reason="the extra 'service' is not installed")
    from joeira.service.openapi import ICON

    assert f'rel="icon" href="{ICON}"' in STATIC["index.html"]
