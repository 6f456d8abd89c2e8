"""The functions most people need."""

from __future__ import annotations

import pytest

import joeira
from joeira.content.all_text import AllText
from joeira.errors import BadParameter, JoeiraError, UnknownMethod, UsageError

HTML = "<title>T</title><p>Some text.</p>"


def test_extract_from_a_page_text_or_bytes() -> None:
    page = joeira.parse(HTML)
    for source in (page, HTML, HTML.encode()):
        assert joeira.extract(source, "all_text").text().strip() == "Some text."
    assert joeira.extract(page, "all_text").page is page


def test_extract_by_a_configured_method() -> None:
    content = joeira.extract(HTML, AllText(), url="https://example.org/")
    assert content.method == "all_text"
    assert content.page.url == "https://example.org/"


def test_extract_with_the_default_method() -> None:
    assert isinstance(joeira.extract(HTML), joeira.Content)


def test_unknown_method() -> None:
    with pytest.raises(UnknownMethod, match="did you mean 'all_text'"):
        joeira.extract(HTML, "all_texts")


def test_unknown_parameter() -> None:
    with pytest.raises(BadParameter, match="no parameter 'speed'"):
        joeira.extract(HTML, "all_text", speed=1)


def test_parameters_of_a_configured_method_are_its_own() -> None:
    with pytest.raises(UsageError, match="pass the parameters to its class"):
        joeira.extract(HTML, AllText(), speed=1)


def test_every_misuse_has_one_base() -> None:
    for misuse in (UnknownMethod, BadParameter):
        assert issubclass(misuse, UsageError)
    assert issubclass(UsageError, JoeiraError)
    assert issubclass(UsageError, ValueError)


def test_public_names_exist() -> None:
    for name in joeira.__all__:
        assert hasattr(joeira, name)


def test_a_parsed_page_takes_no_other_url() -> None:
    page = joeira.parse("<p>Text")
    with pytest.raises(UsageError, match="url"):
        joeira.extract(page, "all_text", url="https://example.org/")
