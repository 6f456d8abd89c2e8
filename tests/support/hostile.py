"""Pages made to break a parser, by family: each a function of a size.

Wherever the standard keeps it, the sentence `NEEDLE` is text of the page.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from dataclasses import dataclass

NEEDLE = "NEEDLE in the hay."
PARAGRAPH = f"<p>{NEEDLE}</p>"


@dataclass(frozen=True)
class Family:
    """One way to be hostile."""

    make: Callable[[int], str | bytes]
    small: int = 1_000
    """Size that is tried every time."""
    big: int = 100_000
    """Size of the slow tests."""
    found: bool = True
    """Is the needle text of the page?"""


def _page(body: str, head: str = "") -> str:
    return (
        f"<!doctype html><html><head><meta charset=utf-8><title>T</title>{head}</head>"
        f"<body>{body}</body></html>"
    )


def _nest(opening: str, closing: str, inside: str = PARAGRAPH) -> Callable[[int], str]:
    return lambda n: _page(opening * n + inside + closing * n)


def _repeat(piece: str, before: str = PARAGRAPH, after: str = "") -> Callable[[int], str]:
    return lambda n: _page(before + piece * n + after)


def _numbered(piece: str, before: str = PARAGRAPH) -> Callable[[int], str]:
    return lambda n: _page(before + "".join(piece.replace("#", str(i)) for i in range(n)))


def _fixed(source: str | bytes) -> Callable[[int], str | bytes]:
    return lambda n: source


def _attributes(n: int) -> str:
    return _page(f"<div {' '.join(f'a{i}=1' for i in range(n))}>{PARAGRAPH}</div>")


def _classes(n: int) -> str:
    return _page(f"<div class='{' '.join(f'c{i}' for i in range(n))}'>{PARAGRAPH}</div>")


def _json_ld(n: int) -> str:
    nested = '{"a":' * n + "1" + "}" * n
    return _page(PARAGRAPH, f"<script type=application/ld+json>{nested}</script>")


def _laughs(n: int) -> str:
    entities = "".join(f"<!ENTITY lol{i} '{f'&lol{i - 1};' * 10}'>" for i in range(1, min(n, 10)))
    return f"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY lol0 'x'>{entities}]>{PARAGRAPH}&lol9;"


def _random_bytes(n: int) -> bytes:
    return random.Random(7).randbytes(n)


def _mixed_encodings(n: int) -> bytes:
    tail = "<p>日本語".encode("shift-jis") + "<p>café".encode("latin-1") + "<p>café".encode()
    return _page(PARAGRAPH).encode() + tail * n


def _footnotes(n: int) -> str:
    marks = "".join(f"<p>a<a href=#n{i}>{i}</a>b<sup>{i}</sup></p>" for i in range(n))
    apart = "".join(f"<p id=n{i}>{i} note</p>" for i in range(0, n, 2))
    together = "".join(f"<a name=n{i}>{i}</a> note " for i in range(1, n, 2))
    numbered = "".join(f"<p><sup>{i % 9}</sup> note</p>" for i in range(n))
    return _page(f"{PARAGRAPH}{marks}<h2>Notes</h2>{apart}<p>{together}</p>{numbered}")


_COLSPANS = "".join(
    f"<td colspan={value} rowspan={value}>x" for value in (2**53 - 1, -1, "abc", 65_535, 0, "")
)
_CONTROLS = "".join(map(chr, (*range(1, 32), *range(127, 160))))
_INVISIBLE = "\u202e\u2066\u200b\u200d\ufeff\U000e0041\U000e007f\u2028\u2029\u00ad"

FAMILIES = {
    # Depth. The big ones stay below the limit of nodes, or the needle would be cut.
    "nested div": Family(_nest("<div>", "</div>"), 10_000, 400_000),
    "nested div, open": Family(_nest("<div>", ""), 10_000, 400_000),
    "nested span": Family(_nest("<span>", "</span>"), 10_000, 400_000),
    "nested b": Family(_nest("<b>", "</b>"), 10_000),
    "nested font": Family(_nest("<font size=1>", "</font>"), 10_000),
    "nested table": Family(_nest("<table><tr><td>", "</table>"), 3_000),
    "nested lists": Family(_nest("<ul><li>", "</ul>"), 5_000),
    "nested quote": Family(_nest("<blockquote><p>", "</blockquote>"), 5_000),
    "nested form": Family(_nest("<form><fieldset>", "</fieldset></form>"), 5_000),
    "nested button": Family(_nest("<button>", "</button>"), 5_000),
    "nested hidden": Family(_nest("<div hidden style=display:none>", "</div>"), 5_000),
    "nested dialog": Family(_nest("<dialog>", "</dialog>"), 5_000),
    "nested details": Family(_nest("<details>", "</details>"), 5_000),
    "nested own tags": Family(_nest("<x-a class=b>", "</x-a>"), 10_000),
    "nested svg g": Family(_nest("<svg><g>", "</g></svg>"), 5_000),
    "nested svg and html": Family(_repeat("<svg><foreignObject><p>x</p></foreignObject>"), 1_000),
    "nested math": Family(_nest("<math><mrow>", "</mrow></math>"), 5_000),
    "nested template": Family(
        lambda n: _page("<template>" * n + "x" + "</template>" * n + PARAGRAPH), 1_000, 20_000
    ),
    "nested select": Family(_nest("<select><option>", "</select>"), 1_000, 50_000),
    "deep and wide": Family(
        lambda n: _page("<div>" * 400 + "<p>x</p>" * n + PARAGRAPH), 200, 20_000
    ),
    # Repair
    "adoption agency": Family(_repeat("<a><div>"), 300, 3_000),
    "unclosed b": Family(_repeat("<p><b>x"), 500, 20_000),
    "misnested": Family(_repeat("<b><i><p></b>x</i>"), 300, 20_000),
    "unopened": Family(_repeat("</p></div></b></body></html>x"), 2_000),
    "foster parents": Family(_repeat("<table><b>x<tr>y"), 500, 20_000),
    # Tables
    "spans": Family(
        lambda n: _page(f"{PARAGRAPH}<table>{f'<tr>{_COLSPANS}' * n}</table>"), 300, 10_000
    ),
    "cells": Family(_repeat("<td>x</td>", f"{PARAGRAPH}<table><tr>", "</table>"), 2_000),
    # Attributes
    "long attribute": Family(
        lambda n: _page(f"<div data-x='{'A' * n}'>{PARAGRAPH}</div>"), 100_000, 5_000_000
    ),
    "attributes": Family(_attributes, 5_000, 50_000),
    "classes": Family(_classes, 10_000, 900_000),
    "distinct classes": Family(_numbered("<p class=c# style=top:#px>x"), 2_000),
    "distinct tags": Family(_numbered("<x-#>y</x-#>"), 2_000),
    "odd tags": Family(_repeat("<a'\"b:c>x</a'\"b:c>"), 2_000),
    "shadow roots": Family(_repeat("<template shadowrootmode=open></template>x"), 2_000),
    "long styles": Family(
        lambda n: _page(PARAGRAPH + f"<p style='opacity:{'0' * 1_990}x'>y" * n), 100, 5_000
    ),
    "long tag name": Family(lambda n: _page(f"<{'a' * n}>{PARAGRAPH}"), 100_000, 5_000_000),
    # Characters
    "nul": Family(_repeat("\0<p>x\0y</p>\0"), 1_000),
    "controls": Family(_repeat(_CONTROLS), 100, 10_000, found=False),  # binary data, not a page
    "invisible": Family(_repeat(f"<p>{_INVISIBLE}</p>"), 500, 20_000),
    "surrogates": Family(_repeat("<p>\ud800 \udfff\ud83d\ude00"), 1_000, 80_000),
    "surrogates in names": Family(_repeat("<p \ud800=1 class=\udfff><x\ud800>y"), 1_000, 50_000),
    "bad entities": Family(_repeat("&#xD800;&#x110000;&#0;&#xFFFFFFFFFF;&notanentity;&"), 1_000),
    "entities": Family(_repeat("&amp;&lt;&nbsp;"), 3_000),
    "combining": Family(_repeat("\u0301"), 10_000, 900_000),
    "astral": Family(_repeat("😀𠀀"), 3_000, 500_000),
    # Encodings
    "utf-16": Family(lambda n: _page(PARAGRAPH * n).encode("utf-16")),
    "utf-16 without mark": Family(lambda n: _page(PARAGRAPH * n).encode("utf-16-le")),
    "utf-32": Family(lambda n: _page(PARAGRAPH * n).encode("utf-32")),
    "utf-7 label": Family(lambda n: _page(PARAGRAPH * n).replace("utf-8", "utf-7").encode(), 1_000),
    "false label": Family(
        lambda n: _page(PARAGRAPH + "中文" * n).replace("utf-8", "latin1").encode("gbk"), 1_000
    ),
    "mixed encodings": Family(_mixed_encodings, 1_000, 20_000),
    "ebcdic": Family(lambda n: _page(PARAGRAPH * n).encode("cp500"), found=False),
    # Sheer size
    # Below the most nodes that a page may have: beyond it the parser takes over, at its own speed.
    "br": Family(_repeat("<br>"), 5_000, 480_000),
    "p": Family(_repeat("<p>short, yes.</p>"), 2_000),
    "links": Family(_repeat("<a href=/x>l</a> "), 2_000),
    "options": Family(_repeat("<option>o", f"{PARAGRAPH}<select>", "</select>"), 2_000),
    "less than": Family(_repeat("<"), 10_000, 900_000),
    "text": Family(_repeat("lorem ipsum, dolor "), 10_000, 500_000),
    "spaces": Family(_repeat(" ", f"{PARAGRAPH}<p>", "x"), 100_000, 2_000_000),
    "no-break spaces": Family(_repeat("&nbsp;<br>"), 2_000),
    "footnotes": Family(_footnotes, 500, 10_000),
    "emphasis": Family(_repeat("<b>x</b><i>y</i>", f"{PARAGRAPH}<p>"), 1_000, 20_000),
    "comments": Family(_repeat("<!-- x -->y"), 2_000),
    "titles": Family(_repeat("<title>x</title>y"), 1_000, 50_000),
    # Never ended
    "open comment": Family(_repeat("-", f"{PARAGRAPH}<!--"), 100_000, 2_000_000),
    "open script": Family(_repeat("<!--<script>", f"{PARAGRAPH}<script>"), 5_000),
    "open style": Family(_repeat("<p>", f"{PARAGRAPH}<style>"), 5_000),
    "open textarea": Family(_repeat("<p>", f"{PARAGRAPH}<textarea>"), 5_000),
    "open cdata": Family(_repeat("]]", f"{PARAGRAPH}<svg><![CDATA["), 5_000),
    "open plaintext": Family(_repeat("<p>", f"{PARAGRAPH}<plaintext>"), 5_000),
    "open title": Family(lambda n: "<title>" + PARAGRAPH * n, found=False),
    "open attribute": Family(_repeat("<p>", f"{PARAGRAPH}<a href='"), 5_000),
    # Other languages
    "json-ld": Family(_json_ld, 5_000, 50_000),
    "laughs": Family(_laughs, 10, 10),
    "xml": Family(
        lambda n: f"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>{PARAGRAPH * n}"
    ),
    "instructions": Family(_repeat("<?php x ?><![if IE]>"), 2_000),
    "frameset": Family(
        lambda n: f"<frameset><frame src=x><noframes>{PARAGRAPH * n}</noframes>", found=False
    ),
    "bases": Family(
        _repeat("<base href='javascript:x'><meta http-equiv=refresh content=0>"), 1_000
    ),
    "noscript": Family(lambda n: _page(f"<noscript>{PARAGRAPH * n}</noscript>")),
    # No page at all
    "empty": Family(_fixed(b""), 0, 0, found=False),
    "one byte": Family(_fixed(b"<"), 0, 0, found=False),
    "random": Family(_random_bytes, 50_000, 500_000, found=False),
    "png": Family(lambda n: b"\x89PNG\r\n\x1a\n" + _random_bytes(n), 10_000, found=False),
    "pdf": Family(lambda n: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + _random_bytes(n), found=False),
    "gzip": Family(lambda n: gzip.compress(_random_bytes(n)), 10_000, found=False),
    "all bytes": Family(lambda n: bytes(range(256)) * n, 100, 10_000, found=False),
}
