"""Pages that no author would write, made from those that authors wrote.

A mutant is a page after one to six mutations, each of which knows a little of what HTML is: it moves
whole elements, breaks tags, or adds what some reader of pages reads (styles, structured data, dates,
spans, addresses). Equal seeds and equal pages give equal mutants.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from support.injection import vectors

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT.parent / "shared" / "bench"
DATA_SETS = (
    "content/wcxb-dev.jsonl.gz",
    "content/harvest-dev.jsonl.gz",
    "hostile/hidden.jsonl",
    "metadata/products-dev.jsonl.gz",
    "records/nexteval-dev.jsonl.gz",
    "records/tpsf.jsonl.gz",
)
LONGEST_PAGE = 150_000
"""Characters of a page that is mutated: longer ones only take longer."""
LONGEST_MUTANT = 400_000

Source = str | bytes
Mutation = Callable[[str, random.Random, "Pages"], str]

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)[^>]*>")
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_TAGS = (
    "a b p div span ul ol li dl dt dd table tbody tr td th caption colgroup thead h1 h2 h6 pre code "
    "blockquote section article main nav header footer aside figure figcaption details summary "
    "dialog template noscript script style title textarea select option button form iframe svg math "
    "mi foreignObject annotation-xml desc time sup sub q img br hr wbr ruby rt rp address body head "
    "html frameset plaintext xmp listing nobr font center marquee o:p my-element"
).split()
_WRAPS = (
    "<div>", "<table><tr><td>", "<ul><li>", "<ol><li>", "<blockquote>", "<dl><dd>", "<b>", "<a href=x>",
    "<details><summary>s</summary>", "<section><h2>t</h2>", "<span>", "<svg><g>", "<math><mrow>",
    "<font>", "<pre>", "<figure>", "<q>", "<sup>", "<select><option>", "<template>", "<noscript>",
    "<div class=comment>", "<article>", "<p>", "<table><caption>", "<my-element>", "<button>",
)  # fmt: skip
_ODD_TEXTS = (
    "\ud800", "\udfff", "\0", "\ufeff", "\ufffe", "\u200b" * 9, "\u202e", "\U000e0041" * 5, "\x1b[31m",
    "\x0c", "\x85", "\u2028", "²", "①", "٣٤", "१२", "〇", "½", "Ⅷ", "İ", "ß", "ŉ", "ﬀ", "e" + "\u0301" * 40,
    "👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "\U0010ffff", "\ufdd0", "9" * 5000, "-" * 300, "|" * 50, "`" * 50, "*" * 50, "$$" * 20, "[" * 90,
    "\\" * 40, "\t" * 40, "&" * 40, "=cmd()", "1,2,3", "a" * 3000, "日本語" * 300, "๏" * 40, " " * 2000,
    "{{x}}", "%s%n", "../" * 20, "\r", "\r\n" * 30, "[^1]", "1 EUR", "$1e999", "-0.00 €", "1.234.567,89",
)  # fmt: skip
_ENTITIES = (
    "&#0;", "&#x110000;", "&#xd800;", "&#xfdd0;", "&#128;", "&nbsp", "&notit;", "&;", "&#;", "&#x;",
    "&lt;script&gt;", "&NotEqualTilde;", "&#99999999999999999999;", "&amp;amp;", "&lang", "&zwnj;",
    "&CounterClockwiseContourIntegral;", "&#x1F600;", "&Tab;", "&NewLine;", "&colon;",
)  # fmt: skip
_DATES = (
    "2024-02-31", "0000-00-00", "99999-01-01", "2024-13-45T99:99:99Z", "1e9", "-1", "1700000000000000000",
    "2024-01-02T03:04:05+99:99", "31/31/31", "yesterday", "²024-01-02", "٢٠٢٤-٠١-٠٢", "Feb 30, 2023",
    "0001-01-01", "9999-12-31T23:59:59-12:00", "2024-W53-7", "P1Y", "12 ago 2020 12 ago", "24:60",
)  # fmt: skip
_NUMBERS = ("0", "-1", "1e999", "65535", "4294967296", "NaN", "inf", "²", "٣", "", "1.5", "9" * 400, "0x10")
_ADDRESSES = (
    "http://[", "http://[::1%25e]:99999/", "//", "https://", "http://a:b@c:d/", "javascript:alert(1)",
    "\ud800", "http://\ud800/", "data:,x", "?" * 90, "#", "http://exämple.org\\@x/", "../" * 60, "\0", "http:///",
    "mailto:", "http://a b/", "http://%zz/%", "x" * 3000, "https://①.example/", "http://xn--a/", "ht\ntp://x",
    "https://[v1.x]/", "http://1.2.3.4.5:0/", "//[", "https://example.org:port/",
)  # fmt: skip
_CSS = (
    "*", "div", ".a", "#b", "::before", ":not(", ":not(.a)", ":is(p, div)", ":nth-child(2n+", "[class", "[a=b]",
    "{", "}", "}", ";", "display:none", "visibility: hidden", "opacity:0", "font-size:0", "left:-9999px", "!important",
    "color:#fff", "background:white", "clip:rect(0,0,0,0)", "transform:scale(0)", "@media screen {", "@import 'x';",
    "@supports (", "@layer a, b;", "@charset", "/*", "*/", "'", '"', "\\", "\\00", "\\110000", "url(", "var(--x)", "--x:",
    "calc(1px *", "1e999px", "-0", "rgb(0 0 0 / 0)", "hsl(1e9deg, 1%, 1%)", ">", "+", "~", ",", "&", "<!--", "\ud800",
    "{{{{", "@keyframes x {", "from{", "a{b:c}", ":" * 30, "(" * 60, "[" * 60, "text-indent:-1e9em", "width:0;overflow:hidden",
    "p" * 3000, ">" * 200, "* " * 200, ":not(" * 40, ".a" * 300, "color:inherit", "color:currentColor", "content:'x'",
)  # fmt: skip
_ATTRIBUTES = (
    "class", "id", "style", "hidden", "href", "src", "srcset", "colspan", "rowspan", "start", "value", "datetime",
    "itemprop", "itemscope", "itemtype", "property", "content", "name", "rel", "lang", "dir", "aria-hidden", "role",
    "alt", "title", "data-x", "onclick", "headers", "width", "height", "type", "http-equiv", "charset", "open", "xlink:href",
    "\ud800", "é", "a" * 500, "=", "'", "<", "xml:lang", "typeof", "vocab", "is", "for", "data-src", "data-time", "span",
)  # fmt: skip
_JSON_KEYS = (
    "@type", "@graph", "@context", "@id", "name", "headline", "author", "datePublished", "dateModified", "image", "url",
    "offers", "price", "priceCurrency", "lowPrice", "availability", "brand", "sku", "gtin", "aggregateRating", "ratingValue",
    "reviewCount", "review", "publisher", "mainEntity", "mainEntityOfPage", "articleBody", "text", "description",
    "keywords", "inLanguage", "itemListElement", "position", "item", "acceptedAnswer", "suggestedAnswer", "comment",
    "hasVariant", "additionalProperty", "propertyID", "articleSection", "logo", "sameAs", "isPartOf", "thumbnailUrl", "",
)  # fmt: skip
_JSON_VALUES = (
    '"Product"', '"NewsArticle"', '"QAPage"', '"DiscussionForumPosting"', '"BreadcrumbList"', '"Person"', '["Article", 3]',
    "null", "true", "1e999", "-1e-999", "NaN", "Infinity", "9" * 5000, '"\\ud800"', '"\\u0000"', '""', "[]", "{}", "0", "1.50",
    '"https://schema.org/InStock"', '"<b>x</b>"', '"&lt;p&gt;"', '"12,50 €"', '"²"', '"2024-02-31"', '"0000-00-00"', "[[[[]]]]",
    '"' + "long words " * 300 + '"', '["a", null, {"name": ["b", {"name": 4}]}]', '"\t"', "'x'", '"unclosed', "[" * 2000,
    '{"@value": "x", "@language": "en"}', '{"@id": "#x"}', "1" * 400 + ".5", '"9999999999999"', '"\\ud83d"', "-0",
)  # fmt: skip
_METAS = (
    "og:title", "og:type", "og:url", "og:image", "og:locale", "og:site_name", "article:published_time", "article:author",
    "author", "description", "keywords", "date", "dc.date", "citation_author", "citation_publication_date", "generator",
    "robots", "viewport", "twitter:creator", "product:price:amount", "product:price:currency", "language", "title",
)  # fmt: skip
_ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "shift_jis", "euc-jp",
    "iso2022_jp", "gb18030", "big5", "euc-kr", "koi8-r", "cp1251", "utf-7", "ascii",
)  # fmt: skip


class Pages(Sequence[str]):
    """The pages that mutants are made from, and short pieces that other people broke parsers with."""

    def __init__(self, pages: Sequence[str], pieces: Sequence[str]) -> None:
        self._pages = pages
        self.pieces = pieces

    def __getitem__(self, index):  # type: ignore[no-untyped-def] # pages, or slices of them
        return self._pages[index]

    def __len__(self) -> int:
        return len(self._pages)


def load_pages() -> Pages:
    """Return the examples, and pages of the benchmark where it is at hand."""
    pages = [path.read_text("utf-8") for path in sorted((ROOT / "examples").glob("*.html"))]
    for name in DATA_SETS:
        if (BENCH / name).exists():
            pages += [html for html in _data_set(BENCH / name) if len(html) <= LONGEST_PAGE][:150]
    return Pages(pages, [*vectors(), *html5lib_inputs()])


def _data_set(path: Path) -> Iterator[str]:
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open()
    with opened as lines:
        for line in lines:
            yield json.loads(line)["html"]


def html5lib_inputs() -> list[str]:
    """Return the documents by which html5lib tests the building of trees."""
    path = ROOT / "tests" / "fuzz" / "corpus" / "html5lib-tree.json.gz"
    inputs: list[str] = json.loads(gzip.decompress(path.read_bytes()))
    return inputs


def mutant(seed: int, number: int, pages: Pages) -> Source:
    """Return a mutant: text, or bytes in some encoding."""
    chance = random.Random(f"{seed} {number}")  # noqa: S311
    html = chance.choice(pages)
    if len(html) > 20_000 and chance.random() < 0.7:  # a part is quicker, and often as odd
        html = _some_element(html, chance, 20_000) or html[:20_000]
    for _ in range(chance.choice((1, 1, 2, 2, 3, 4, 6))):
        html = chance.choice(MUTATIONS)(html, chance, pages)[:LONGEST_MUTANT]
    return _encode(html, chance)


def _encode(html: str, chance: random.Random) -> Source:
    draw = chance.random()
    if draw < 0.3:
        return html
    if draw < 0.75:
        return html.encode("utf-8", "surrogatepass" if draw < 0.4 else "replace")
    encoding = chance.choice(_ENCODINGS)
    if chance.random() < 0.5:
        html = f"<meta charset={chance.choice(_ENCODINGS)}>{html}"
    encoded = bytearray(html.encode(encoding, "replace"))
    for _ in range(chance.choice((0, 0, 1, 20)) if encoded else 0):
        encoded[chance.randrange(len(encoded))] = chance.randrange(256)
    return bytes(encoded)


def _elements(html: str) -> list[tuple[int, int]]:
    """Return where the elements of a page begin and end, as far as tags match."""
    spans, unclosed = [], []
    for match in _TAG.finditer(html):
        is_end, name = match[1], match[2].lower()
        if not is_end and name not in _VOID:
            unclosed.append((name, match.start()))
        elif is_end and any(name == each for each, _ in unclosed[-5:]):
            while unclosed:
                opened, start = unclosed.pop()
                if opened == name:
                    spans.append((start, match.end()))
                    break
    return spans


def _some_element(html: str, chance: random.Random, longest: int = 5_000) -> str:
    spans = [(start, end) for start, end in _elements(html) if end - start <= longest]
    if not spans:
        return html[:longest]
    # Of a few the longest: most elements are a word in a span.
    start, end = max(chance.choices(spans, k=3), key=lambda span: span[1] - span[0])
    return html[start:end]


def _some_place(html: str, chance: random.Random) -> int:
    """Return a place before a tag, now and then any place."""
    if chance.random() < 0.1:
        return chance.randint(0, len(html))
    place = html.find("<", chance.randint(0, len(html)))
    return place if place >= 0 else len(html)


def _insert(html: str, chance: random.Random, *pieces: str) -> str:
    for piece in pieces:
        place = _some_place(html, chance)
        html = html[:place] + piece + html[place:]
    return html


def _splice(html: str, chance: random.Random, pages: Pages) -> str:
    pieces = [_some_element(chance.choice(pages), chance) for _ in range(chance.randint(1, 4))]
    return _insert(html, chance, *pieces)


def _repeat(html: str, chance: random.Random, _: Pages) -> str:
    element = _some_element(html, chance)
    times = min(chance.choice((2, 10, 100, 1000)), 100_000 // (len(element) + 1))
    return _insert(html, chance, element * times)


def _delete(html: str, chance: random.Random, _: Pages) -> str:
    for _ in range(chance.randint(1, 5)):
        html = html.replace(_some_element(html, chance), "", 1)
    return html


def _unclose(html: str, chance: random.Random, _: Pages) -> str:
    name = chance.choice(_TAGS)
    share = chance.choice((0.05, 0.5, 1))
    only = chance.random() < 0.5
    return re.sub(
        r"</([a-zA-Z][^\s>]*)>?",
        lambda match: ""
        if (match[1] == name or not only) and chance.random() < share
        else match[0],
        html,
    )


def _misnest(html: str, chance: random.Random, _: Pages) -> str:
    tags = [
        f"<{chance.choice(('', '', '/'))}{chance.choice(_TAGS)}{chance.choice(('>', '>', '/>', ' ', ''))}"
        for _ in range(chance.choice((1, 5, 40)))
    ]
    return _insert(html, chance, *tags)


def _rename(html: str, chance: random.Random, _: Pages) -> str:
    old, new = chance.choice(_TAGS), chance.choice(_TAGS)
    return re.sub(rf"(?i)(</?){re.escape(old)}\b", rf"\g<1>{new}", html)


def _truncate(html: str, chance: random.Random, _: Pages) -> str:
    place = chance.randint(0, len(html))
    return html[:place] if chance.random() < 0.7 else html[place:]


def _flip(html: str, chance: random.Random, _: Pages) -> str:
    characters = list(html)
    for _ in range(chance.choice((1, 10, 100)) if characters else 0):
        odd = chance.choice("<>&\"'=/!-?[]{}\0 \n;#x") if chance.random() < 0.8 else chr(chance.randrange(0x110000))
        characters[chance.randrange(len(characters))] = odd
    return "".join(characters)


def _nest(html: str, chance: random.Random, _: Pages) -> str:
    wraps = chance.choices(_WRAPS, k=chance.randint(1, 3))
    depth = chance.choice((3, 20, 150, 700))
    text = "x" if chance.random() < 0.5 else ""
    return _insert(html, chance, (text + "".join(wraps)) * depth + _some_element(html, chance))


def _add_texts(html: str, chance: random.Random, _: Pages) -> str:
    return _insert(html, chance, *chance.choices(_ODD_TEXTS + _ENTITIES, k=chance.choice((1, 5, 50))))


def _replace_words(html: str, chance: random.Random, _: Pages) -> str:
    share = chance.choice((0.01, 0.1))
    odd = (*_ODD_TEXTS, *_ENTITIES, *_NUMBERS, *_DATES)
    few = chance.choices([text for text in odd if len(text) < 100], k=4)
    kind = chance.choice((r"\b\w+\b", r"\d+", r"(?<=>)\s*[^<\s]+", r"\s+"))
    return re.sub(kind, lambda m: chance.choice(few) if chance.random() < share else m[0], html)


def _value(chance: random.Random) -> str:
    kind = chance.choice((_NUMBERS, _ADDRESSES, _DATES, _ODD_TEXTS, _CSS, _TAGS, _METAS))
    return chance.choice(kind).replace('"', "'")


def _add_attributes(html: str, chance: random.Random, _: Pages) -> str:
    share = chance.choice((0.02, 0.3))
    many = chance.choice((1, 3, 30))

    def explode(match: re.Match[str]) -> str:
        if chance.random() > share or match[1]:
            return match[0]
        added = " ".join(
            f'{chance.choice(_ATTRIBUTES)}="{_value(chance)[:300]}"' for _ in range(many)
        )
        return f"<{match[2]} {added} {match[0][len(match[2]) + 1 :]}"

    return _TAG.sub(explode, html)


def _change_attributes(html: str, chance: random.Random, _: Pages) -> str:
    share = chance.choice((0.02, 0.3))
    return re.sub(
        r'(\w+)=("[^"]*"|\'[^\']*\')',
        lambda m: f'{m[1]}="{_value(chance)[:300]}"' if chance.random() < share else m[0],
        html,
    )


def _add_styles(html: str, chance: random.Random, _: Pages) -> str:
    classes = re.findall(r'class="([\w-]+)', html)[:200] or ["a"]
    rules = []
    for _ in range(chance.choice((3, 30, 300))):
        parts = chance.choices((*_CSS, f".{chance.choice(classes)}", "{display:none}"), k=chance.randint(1, 6))
        rules.append(chance.choice(("", " ")).join(parts))
    return _insert(html, chance, f"<style>{''.join(rules)}</style>")


def _json(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.3:
        return chance.choice(_JSON_VALUES)
    parts = [_json(chance, depth - 1) for _ in range(chance.randint(0, 4))]
    if chance.random() < 0.25:
        return f"[{', '.join(parts)}]"
    return "{" + ", ".join(f'"{chance.choice(_JSON_KEYS)}": {part}' for part in parts) + "}"


def _add_data(html: str, chance: random.Random, _: Pages) -> str:
    kinds = ("application/ld+json", "application/ld+json", "application/json", "")
    scripts = [
        f'<script type="{chance.choice(kinds)}" id="__NEXT_DATA__">{_json(chance, 5)}</script>'
        for _ in range(chance.randint(1, 4))
    ]
    return _insert(html, chance, *scripts)


def _change_data(html: str, chance: random.Random, _: Pages) -> str:
    """Change values in the page's own structured data."""
    return re.sub(
        r'("\w+"\s*:\s*)("[^"]*"|\d+)',
        lambda m: m[1] + chance.choice(_JSON_VALUES) if chance.random() < 0.2 else m[0],
        html,
    )


def _add_metadata(html: str, chance: random.Random, _: Pages) -> str:
    def element() -> str:
        value = _value(chance)
        return chance.choice((
            f'<meta {chance.choice(("name", "property", "itemprop"))}="{chance.choice(_METAS)}" content="{value}">',
            f'<time datetime="{chance.choice(_DATES)}">{chance.choice(_DATES)}</time>',
            f'<link rel="{chance.choice(("canonical", "alternate", "shortlink", "amphtml", "icon"))}" href="{value}">',
            f'<base href="{chance.choice(_ADDRESSES)}">',
            f'<html lang="{value}">',
            f"<title>{value}</title><h1>{value}</h1>",
            f'<div itemscope itemtype="http://schema.org/{chance.choice(("Product", "Article", "x"))}">'
            f'<span itemprop="{chance.choice(_JSON_KEYS)}" content="{value}">{value}</span>',
            f'<span class="{chance.choice(("price", "author", "date", "byline", "rating", "comment"))}">{value}</span>',
        ))  # fmt: skip

    return _insert(html, chance, *(element() for _ in range(chance.choice((1, 5, 30)))))


def _add_table(html: str, chance: random.Random, _: Pages) -> str:
    def cell() -> str:
        spans = "".join(
            f" {name}={chance.choice(_NUMBERS)}"
            for name in ("colspan", "rowspan")
            if chance.random() < 0.2
        )
        return f"<{chance.choice(('td', 'td', 'th', 'p'))}{spans}>{_value(chance)[:40]}"

    rows = [
        "<tr>" + "".join(cell() for _ in range(chance.randint(0, 8)))
        for _ in range(chance.choice((2, 5, 60)))
    ]
    return _insert(html, chance, f"<table>{''.join(rows)}</table>")


def _add_records(html: str, chance: random.Random, pages: Pages) -> str:
    """Add a list of alike elements that are not quite alike."""
    element = _some_element(chance.choice(pages), chance, 1_500)
    items = []
    for _ in range(chance.choice((3, 12, 60))):
        change = chance.choice((_replace_words, _delete, _change_attributes, _misnest))
        items.append(change(element, chance, pages) if chance.random() < 0.4 else element)
    return _insert(html, chance, f"<div>{''.join(items)}</div>")


def _add_pieces(html: str, chance: random.Random, pages: Pages) -> str:
    return _insert(html, chance, *chance.choices(pages.pieces, k=chance.choice((1, 5, 20))))


def _shuffle_tags(html: str, chance: random.Random, _: Pages) -> str:
    tokens = re.split(r"(<[^>]*>)", html)
    start = chance.randrange(len(tokens))
    part = tokens[start : start + chance.choice((10, 100))]
    chance.shuffle(part)
    return "".join([*tokens[:start], *part, *tokens[start + len(part) :]])


MUTATIONS: tuple[Mutation, ...] = (
    _splice, _repeat, _delete, _unclose, _misnest, _rename, _truncate, _flip, _nest, _add_texts,
    _replace_words, _add_attributes, _change_attributes, _add_styles, _add_data, _change_data,
    _add_metadata, _add_table, _add_records, _add_pieces, _shuffle_tags,
)  # fmt: skip
