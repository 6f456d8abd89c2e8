"""The title that a page shows, above Markdown and, when asked for, above text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import joeira

HEAD = "<title>The ice house reopens - Port Ellery News</title>"
H1 = "<h1>The ice house reopens</h1>"


def extracted(source: str, *kept: str) -> joeira.Content:
    content = joeira.extract(source, "all_text")
    keep = np.array([text.strip() in kept for text in content.page.texts])
    return replace(content, keep=keep)


@pytest.mark.parametrize("kept", [("a",), ("a", "The ice house reopens")])
def test_markdown_begins_with_the_title_whether_or_not_it_was_kept(kept: tuple[str, ...]) -> None:
    content = extracted(f"{HEAD}<p>x</p>{H1}<p>a</p>", *kept)
    assert content.markdown() == "# The ice house reopens\n\na"
    assert content.markdown(title=False) == "a"
    assert content.text(title=True) == "The ice house reopens\n\na"
    assert content.text() == "\n\n".join(reversed(kept))


def test_a_title_is_not_printed_twice() -> None:
    source = f"{HEAD}{H1}<div>The ice house reopens</div><p>a</p>"
    content = joeira.extract(source, "all_text")
    assert content.markdown() == "# The ice house reopens\n\na"


@pytest.mark.parametrize(
    "headings",
    [
        "<h1><a href=/>Port Ellery News</a></h1><h2>The ice house reopens</h2>",
        "<h1>Port Ellery News</h1><h2>The ice house reopens</h2>",
        "<h1>Menu</h1><h1>The ice house reopens</h1>",
        "<h1 hidden>The ice house reopens again</h1><h1>The ice house reopens</h1>",
    ],
)
def test_the_name_of_the_site_is_no_title(headings: str) -> None:
    assert extracted(f"{HEAD}{headings}<p>a</p>", "a").markdown() == "# The ice house reopens\n\na"


@pytest.mark.parametrize("headings", ["", "<h2>Another matter altogether</h2>"])
def test_a_page_that_shows_no_title_gets_none(headings: str) -> None:
    assert extracted(f"{HEAD}{headings}<p>a</p>", "a").markdown() == "a"


def test_nothing_kept_is_nothing_written() -> None:
    assert extracted(f"{HEAD}{H1}<p>a</p>").markdown() == ""


def test_words_of_a_title_stay_words() -> None:
    content = extracted("<h1>*C#* &lt;b&gt; #</h1><p>a</p>", "a")
    assert content.markdown() == "# \\*C#\\* &lt;b> \\#\n\na"


def test_an_unknown_way_to_write_superscripts_is_refused() -> None:
    with pytest.raises(joeira.UsageError, match="caret"):
        extracted("<p>a</p>", "a").markdown(scripts="tex")


def test_superscripts_with_carets() -> None:
    content = joeira.extract("<p>10<sup>6</sup> H<sub>2</sub>O</p>", "all_text")
    assert content.markdown() == "10<sup>6</sup> H<sub>2</sub>O"
    assert content.markdown(scripts="caret") == "10^6^ H~2~O"
