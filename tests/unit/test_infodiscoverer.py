"""InfoDiscoverer: the worked example of its description, and Porter's stems."""

from __future__ import annotations

import pytest

import joeira
from joeira.sites._words import stem
from joeira.sites.infodiscoverer import InfoDiscoverer

STORIES = ("storm hits coast", "storm election won", "goal late win")


def site_pages(tag: str = "p") -> list[joeira.Page]:
    return [
        joeira.parse(
            f"<html lang=xx><{tag}>home news mail</{tag}><{tag}>{story}</{tag}>"
            if tag == "p"
            else f"<html lang=xx><table><td>home news mail</table><table><td>{story}</table>"
        )
        for story in STORIES
    ]


def test_entropies_of_three_pages() -> None:
    pages = site_pages()
    site = InfoDiscoverer().fit(pages)
    found = [site.entropies(page)[1].round(4).tolist() for page in pages]
    assert found == [[1, 0.2103], [1, 0.2103], [1, 0]]
    assert [site.extract(page).text().strip() for page in pages] == list(STORIES)


def test_tables_as_published() -> None:
    pages = site_pages("table")
    method = InfoDiscoverer.published()
    assert [piece.text for piece in method.keywords(pages[0])[0]] == [
        "home news mail", "storm hits coast",
    ]  # fmt: skip
    assert method.fit(pages).extract(pages[2]).text().strip() == "goal late win"


def test_the_threshold_decides() -> None:
    pages = site_pages()
    text = InfoDiscoverer(entropy_threshold=1.0).fit(pages).extract(pages[0]).text()
    assert "home" in text
    assert not InfoDiscoverer(entropy_threshold=0.2).fit(pages).extract(pages[0]).text()


def test_a_page_alone_has_no_entropy() -> None:
    page = site_pages()[0]
    site = InfoDiscoverer().fit([page])
    assert site.entropies(page)[1].tolist() == [0, 0]


def test_stop_words_and_stems_by_language() -> None:
    html = "<html lang={}><p>the relational connections of the 3 stormy coasts, l’été"
    english, french = (joeira.parse(html.format(language)) for language in ("en-GB", "fr"))
    assert InfoDiscoverer().keywords(english)[1] == [
        ["relat", "connect", "stormi", "coast", "l", "été"]
    ]
    assert InfoDiscoverer().keywords(french)[1] == [
        ["the", "relational", "connections", "of", "the", "stormy", "coasts"]
    ]


@pytest.mark.parametrize(
    "word, expected",
    [
        *[("caresses", "caress"), ("ponies", "poni"), ("ties", "ti"), ("cats", "cat")],
        *[("feed", "feed"), ("agreed", "agre"), ("plastered", "plaster"), ("bled", "bled")],
        *[("motoring", "motor"), ("sing", "sing"), ("conflated", "conflat"), ("sized", "size")],
        *[("hopping", "hop"), ("falling", "fall"), ("hissing", "hiss"), ("filing", "file")],
        *[("happy", "happi"), ("sky", "sky"), ("relational", "relat"), ("rational", "ration")],
        *[("vietnamization", "vietnam"), ("hopefulness", "hope"), ("electrical", "electr")],
        *[("adoption", "adopt"), ("replacement", "replac"), ("effective", "effect")],
        *[("probate", "probat"), ("rate", "rate"), ("cease", "ceas"), ("controll", "control")],
        *[("roll", "roll"), ("is", "is"), ("generalizations", "gener"), ("oscillators", "oscil")],
    ],
)
def test_stems_of_the_paper(word: str, expected: str) -> None:
    assert stem(word) == expected
