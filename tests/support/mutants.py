"""Pages that no author would write, made from those that authors wrote.

A mutant is a page after one to six mutations, each of which knows a little of what HTML is: it
moves whole elements, breaks tags, or adds what some reader of pages reads (styles, structured data,
dates, spans, addresses). Equal seeds and equal pages give equal mutants.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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
PART = 10_000
LONGEST_MUTANT = 400_000

Source = str | bytes
Mutation = Callable[[str, random.Random, "Pages"], str]

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)[^>]*>")
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


def _pieces() -> dict[str, list[str]]:
    """Return what mutations put in, by kind; ``["x", 90]`` stands for a text of 90 times x."""
    written = json.loads((Path(__file__).parent / "mutations.json").read_text("utf-8"))
    return {
        kind: [piece if isinstance(piece, str) else piece[0] * piece[1] for piece in pieces]
        for kind, pieces in written.items()
    }


PIECES = _pieces()


def _pick(chance: random.Random, *kinds: str) -> str:
    return chance.choice(PIECES[chance.choice(kinds)])


@dataclass(frozen=True)
class Pages:
    """What mutants are made from."""

    whole: Sequence[str]
    pieces: Sequence[str]
    """Short documents that others broke parsers and cleaners with."""


def load_pages() -> Pages:
    """Return the examples, and pages of the benchmark where it is at hand."""
    pages = [path.read_text("utf-8") for path in sorted((ROOT / "examples").glob("*.html"))]
    for name in DATA_SETS:
        if (BENCH / name).exists():
            pages += [html for html in _data_set(BENCH / name) if len(html) <= LONGEST_PAGE][:150]
    return Pages(pages, [*vectors(), *html5lib_inputs()])


def _data_set(path: Path) -> Iterator[str]:
    data = path.read_bytes()
    for line in (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines():
        yield json.loads(line)["html"]


def html5lib_inputs() -> list[str]:
    """Return the documents by which html5lib tests the building of trees."""
    path = ROOT / "tests" / "fuzz" / "corpus" / "html5lib-tree.json.gz"
    inputs: list[str] = json.loads(gzip.decompress(path.read_bytes()))
    return inputs


def mutant(seed: int, number: int, pages: Pages) -> Source:
    """Return a mutant: text, or bytes in some encoding."""
    chance = random.Random(f"{seed} {number}")
    html = chance.choice(pages.whole)
    if chance.random() < 0.4:
        html = "".join(chance.choices(pages.pieces, k=chance.randint(1, 9)))
    if len(html) > PART and chance.random() < 0.8:  # a part is quicker, and often as odd
        html = _some_element(html, chance, PART)
    for _ in range(chance.choice((1, 1, 2, 2, 3, 4, 6))):
        html = chance.choice(MUTATIONS)(html, chance, pages)[:LONGEST_MUTANT]
    return _encode(html, chance)


def _encode(html: str, chance: random.Random) -> Source:
    draw = chance.random()
    if draw < 0.3:
        return html
    if draw < 0.75:
        return html.encode("utf-8", "surrogatepass" if draw < 0.4 else "replace")
    encoding = _pick(chance, "encodings")
    if chance.random() < 0.5:
        html = f"<meta charset={_pick(chance, 'encodings')}>{html}"
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
    pieces = [
        _some_element(chance.choice(pages.whole), chance) for _ in range(chance.randint(1, 4))
    ]
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
    name = _pick(chance, "tags")
    share = chance.choice((0.05, 0.5, 1))
    only = chance.random() < 0.5
    return re.sub(
        r"</([a-zA-Z][^\s>]*)>?",
        lambda match: (
            "" if (match[1] == name or not only) and chance.random() < share else match[0]
        ),
        html,
    )


def _misnest(html: str, chance: random.Random, _: Pages) -> str:
    ends = (">", ">", "/>", " ", "")
    tags = [
        f"<{chance.choice(('', '', '/'))}{_pick(chance, 'tags')}{chance.choice(ends)}"
        for _ in range(chance.choice((1, 5, 40)))
    ]
    return _insert(html, chance, *tags)


def _rename(html: str, chance: random.Random, _: Pages) -> str:
    old, new = _pick(chance, "tags"), _pick(chance, "tags")
    return re.sub(rf"(?i)(</?){re.escape(old)}\b", rf"\g<1>{new}", html)


def _truncate(html: str, chance: random.Random, _: Pages) -> str:
    place = chance.randint(0, len(html))
    return html[:place] if chance.random() < 0.7 else html[place:]


def _flip(html: str, chance: random.Random, _: Pages) -> str:
    characters = list(html)
    for _ in range(chance.choice((1, 10, 100)) if characters else 0):
        marks = "<>&\"'=/!-?[]{}\0 \n;#x"
        odd = chance.choice(marks) if chance.random() < 0.8 else chr(chance.randrange(0x110000))
        characters[chance.randrange(len(characters))] = odd
    return "".join(characters)


def _nest(html: str, chance: random.Random, _: Pages) -> str:
    wraps = chance.choices(PIECES["wraps"], k=chance.randint(1, 3))
    depth = chance.choice((3, 20, 150, 700))
    text = "x" if chance.random() < 0.5 else ""
    return _insert(html, chance, (text + "".join(wraps)) * depth + _some_element(html, chance))


def _add_texts(html: str, chance: random.Random, _: Pages) -> str:
    texts = [_pick(chance, "texts", "entities") for _ in range(chance.choice((1, 5, 50)))]
    return _insert(html, chance, *texts)


def _replace_words(html: str, chance: random.Random, _: Pages) -> str:
    share = chance.choice((0.01, 0.1))
    kinds = ("texts", "entities", "numbers", "dates")
    few = [_pick(chance, *kinds)[:100] for _ in range(4)]
    kind = chance.choice((r"\b\w+\b", r"\d+", r"(?<=>)\s*[^<\s]+", r"\s+"))
    return re.sub(kind, lambda m: chance.choice(few) if chance.random() < share else m[0], html)


def _value(chance: random.Random) -> str:
    kinds = ("numbers", "addresses", "dates", "texts", "styles", "tags", "metas")
    return _pick(chance, *kinds).replace('"', "'")


def _add_attributes(html: str, chance: random.Random, _: Pages) -> str:
    share = chance.choice((0.02, 0.3))
    many = chance.choice((1, 3, 30))

    def explode(match: re.Match[str]) -> str:
        if chance.random() > share or match[1]:
            return match[0]
        added = " ".join(
            f'{_pick(chance, "attributes")}="{_value(chance)[:300]}"' for _ in range(many)
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
        own = (f".{chance.choice(classes)}", "{display:none}")
        parts = chance.choices((*PIECES["styles"], *own), k=chance.randint(1, 6))
        rules.append(chance.choice(("", " ")).join(parts))
    return _insert(html, chance, f"<style>{''.join(rules)}</style>")


def _json(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.3:
        return _pick(chance, "json values")
    parts = [_json(chance, depth - 1) for _ in range(chance.randint(0, 4))]
    if chance.random() < 0.25:
        return f"[{', '.join(parts)}]"
    return "{" + ", ".join(f'"{_pick(chance, "json keys")}": {part}' for part in parts) + "}"


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
        lambda m: m[1] + _pick(chance, "json values") if chance.random() < 0.2 else m[0],
        html,
    )


def _add_metadata(html: str, chance: random.Random, _: Pages) -> str:
    def element() -> str:
        value = _value(chance)
        name = chance.choice(("name", "property", "itemprop"))
        relation = chance.choice(("canonical", "alternate", "shortlink", "amphtml", "icon"))
        kind = chance.choice(("Product", "Article", "x"))
        role = chance.choice(("price", "author", "date", "byline", "rating", "comment"))
        elements = (
            f'<meta {name}="{_pick(chance, "metas")}" content="{value}">',
            f'<time datetime="{_pick(chance, "dates")}">{_pick(chance, "dates")}</time>',
            f'<link rel="{relation}" href="{value}">',
            f'<base href="{_pick(chance, "addresses")}">',
            f'<html lang="{value}">',
            f"<title>{value}</title><h1>{value}</h1>",
            f'<div itemscope itemtype="http://schema.org/{kind}">'
            f'<span itemprop="{_pick(chance, "json keys")}" content="{value}">{value}</span>',
            f'<span class="{role}">{value}</span>',
        )
        return chance.choice(elements)

    return _insert(html, chance, *(element() for _ in range(chance.choice((1, 5, 30)))))


def _add_table(html: str, chance: random.Random, _: Pages) -> str:
    def cell() -> str:
        spans = "".join(
            f" {name}={_pick(chance, 'numbers')}"
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
    element = _some_element(chance.choice(pages.whole), chance, 1_500)
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
