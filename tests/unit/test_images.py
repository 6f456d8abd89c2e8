"""Addresses of images: the largest version, also of images that a script would load."""

import pytest

import joeira
from joeira.page.addresses import IMAGE_SCHEMES, clean, image_address, largest

BASE = "https://e.org/"


@pytest.mark.parametrize(
    "candidates, address",
    [
        ("a.png 1x, b.png 2x", "b.png"),
        ("a.png 300w,b.png 900w,c.png 600w", "b.png"),
        ("a,w_1.png 300w, b,w_2.png 900w", "b,w_2.png"),
        ("a.png, b.png 2x", "b.png"),
        ("a.png", "a.png"),
        ("", ""),
        (" , ,", ""),
    ],
)
def test_largest(candidates: str, address: str) -> None:
    assert largest(candidates) == address


@pytest.mark.parametrize(
    "attributes, address",
    [
        ({"src": "a.png"}, "a.png"),
        ({"src": "a.png", "srcset": "b.png 300w, c.png 600w"}, "c.png"),
        ({"src": "a.png", "data-src": "b.png"}, "a.png"),
        ({"src": "data:image/gif;base64,x", "data-src": "b.png"}, "b.png"),
        ({"src": "/i/placeholder.svg", "data-lazy-src": "b.png"}, "b.png"),
        ({"src": "/i/placeholder.svg"}, "i/placeholder.svg"),
        ({"src": "/i/spacer.gif"}, None),
        ({"src": "/i/pixel-phone.jpg"}, "i/pixel-phone.jpg"),
        ({"src": "/i/loading-dock.jpg"}, "i/loading-dock.jpg"),
        ({"src": "data:x", "data-any-name": "/b.jpg?w=1", "data-id": "3"}, "b.jpg?w=1"),
        ({"src": "data:x"}, None),
        ({"src": "javascript:x"}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_image_address(attributes: dict[str, str], address: str | None) -> None:
    expected = None if address is None else BASE + address
    assert image_address(attributes, BASE) == expected


def images(source: str) -> list[str]:
    content = joeira.extract(source, "all_text").markdown()
    return [part.partition(")")[0] for part in content.split("](")[1:]]


def test_a_picture_is_shown_from_its_first_source() -> None:
    source = '<source media="x" srcset=m.webp><source srcset="s.webp 1x, l.webp 2x">'
    assert images(f"<p>a<picture>{source}<img src=i.jpg></picture>b</p>") == ["l.webp"]


def test_an_image_without_address_is_taken_from_what_follows_for_readers_without_scripts() -> None:
    fallback = "<noscript><img class=x src='b.png?a=1&amp;b=2'></noscript>"
    assert images(f"<p>a</p><div><img>{fallback}</div><p>b</p>") == ["b.png?a=1&b=2"]
    shown = f"<figure><img src=a.png><img>{fallback}</figure>"
    assert images(f"<p>a</p>{shown}<p>b</p>") == ["a.png"]


def test_galleries_between_texts_are_shown() -> None:
    figures = "".join(f"<figure><img src={n}.png></figure>" for n in range(3))
    assert images(f"<p>a</p><div>{figures}</div><p>b</p>") == ["0.png", "1.png", "2.png"]


@pytest.mark.parametrize(
    "address, cleaned",
    [
        ("https://a.org/b?c=d&e#f", "https://a.org/b?c=d&e#f"),
        (" https://a.org/b\n", "https://a.org/b"),
        ("https://a.org\\b", "https://a.org/b"),
        ("https://a.org/b'c", "https://a.org/b%27c"),
        ("https://[::1]/a", "https://[::1]/a"),
        ("https://a.org/\u200b", "https://a.org/%E2%80%8B"),
        ("javascript:https://a.org", None),
    ],
)
def test_harmless_addresses(address: str, cleaned: str | None) -> None:
    assert clean(address, "https://b.org/", IMAGE_SCHEMES) == cleaned
