"""Articles with made-up teasers around them: what leads to other pages is not their content.

On pages of listings and collections the items are the content; around an article the same items
are noise. Few training pages show a short article between long lists of news, as portals of other
times and languages have them, and all of those say in their metadata that they are articles. So
articles are shown once more with such lists before and behind their text, and without metadata.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape

import numpy as np

from joeira.evaluation.datasets import Example
from training.insertion import before_content, behind_content, is_article
from training.pages import LabelledPage, example

SHARE = 0.7
"""Share of the articles that are shown once more."""
TRUST = 1.0
"""What such a page counts: at more the model loses as much on pages that are lists."""
MIN_ITEMS, MAX_ITEMS = 4, 60
MIN_WORDS, MAX_WORDS = 3, 60

_TITLES = (
    "Latest news|Most read|Related articles|More from this section|Popular|See also|Archive|"
    "Notícias|Últimas noticias|Aktuell|À lire aussi|Новости|Главные темы|最新消息|相关阅读|"
    "Najnowsze|Τελευταία νέα|"
).split("|")
_DATES = "09:15|2012-01-06|6 January 2012|12.05.2011|3 hours ago||".split("|")
_METADATA = re.compile(r"<meta\b[^>]*>|<script\b[^>]*ld\+json[^>]*>.*?</script>", re.I | re.S)
_SECTIONS = re.compile(r"<(/?)(?:main|article|section|aside|nav|header|footer|figure)\b", re.I)
_FRAMES = (
    '<div class="{outer}"><h3>{title}</h3><ul>{items}</ul></div>',
    '<table width="100%"><tr><td><b>{title}</b></td></tr>{items}</table>',
    '<div class="{outer}"><div>{title}</div>{items}</div>',
    "<div><h2>{title}</h2><dl>{items}</dl></div>",
    '<div id="{outer}"><p><b>{title}</b></p>{items}</div>',
    "<section><h2>{title}</h2>{items}</section>",
)
_ITEMS = (
    '<li><span>{date}</span> <a href="/{id}">{head}</a></li>',
    '<tr><td>{date}</td><td><a href="/{id}">{head}</a><br>{text}</td></tr>',
    '<div class="{inner}"><a href="/{id}"><img src="/{id}.jpg" alt=""></a>'
    '<h4><a href="/{id}">{head}</a></h4><p>{text}</p></div>',
    '<dt><a href="/{id}">{head}</a></dt><dd>{text}</dd>',
    '<p>{date} {text} <a href="/{id}">&raquo;</a></p>',
    '<article><h3><a href="/{id}">{head}</a></h3><p>{text}</p><time>{date}</time></article>',
)


def lines_of(rows: Sequence[Example]) -> list[str]:
    """Return the lines of pages of items that could be a headline or a summary."""
    lines = [line.strip() for row in rows for line in (row.text or "").splitlines()]
    return [line for line in lines if MIN_WORDS <= len(line.split()) <= MAX_WORDS]


def surrounded(pairs: Sequence[tuple[Example, LabelledPage]]) -> list[LabelledPage]:
    """Return some of the articles once more, with teasers around their content.

    The answers stay the same, so that every word of a teaser counts as wrong.
    """
    random = np.random.default_rng(1)
    lines = lines_of([row for row, one in pairs if one.kind in ("listing", "collection")])
    found = []
    for row, one in pairs:
        if not (is_article(one) and lines and random.random() < SHARE):
            continue
        html = _with_lists(row.html, one, lines, random)
        made = example(replace(row, html=html), one.dataset) if html else None
        found += [replace(made, made_up=True, trust=TRUST)] if made else []
    return found


def _with_lists(
    html: str, one: LabelledPage, lines: Sequence[str], random: np.random.Generator
) -> str | None:
    """Return the source with lists before, behind or on both sides of the content."""
    sides = int(random.integers(1, 4))
    places = [
        behind_content(html, one) if sides & 1 else None,
        before_content(html, one) if sides & 2 else None,
    ]
    known = [place for place in places if place is not None]
    for place in known:  # the later place first: it must not move
        html = f"{html[:place]}{_list(lines, random)}{html[place:]}"
    return _aged(html) if known else None


def _aged(html: str) -> str:
    """Return a page as it would have been written before sections had tags of their own."""
    return _SECTIONS.sub(r"<\1div", _METADATA.sub("", html))


def _list(lines: Sequence[str], random: np.random.Generator) -> str:
    count = int(np.exp(random.uniform(np.log(MIN_ITEMS), np.log(MAX_ITEMS + 1))))
    kind = int(random.integers(len(_FRAMES)))
    outer, inner = (f"c{random.integers(16**6):06x}" for _ in range(2))
    items = "".join(_item(kind, lines, inner, random) for _ in range(count))
    title = _TITLES[random.integers(len(_TITLES))]
    return _FRAMES[kind].format(title=escape(title), items=items, outer=outer)


def _item(kind: int, lines: Sequence[str], name: str, random: np.random.Generator) -> str:
    head, text = sorted((lines[number] for number in random.integers(len(lines), size=2)), key=len)
    return _ITEMS[kind].format(
        id=random.integers(10**6),
        head=escape(head),
        text=escape(text),
        date=_DATES[random.integers(len(_DATES))],
        inner=name,
    )
