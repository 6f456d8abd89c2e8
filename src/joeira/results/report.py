"""One web page that shows every decision about a page: kept, dropped, and why.

On the left the page's own words in its own structure, without its styles; on the right what was
extracted. No scripts, and a content security policy under which nothing is ever loaded. Reasons are
shown for the block under the mouse or the one that the keyboard has reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from joeira.render import whole_page

if TYPE_CHECKING:
    from joeira.results.content import Content
    from joeira.results.explanation import BlockDecision

MAX_LISTED = 5000
"""Blocks in the list at the end; the page itself is always whole."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_CHOICES = {
    "all": "everything",
    "kept-only": '<span class="swatch k">kept</span>',
    "dropped-only": '<span class="swatch d">dropped</span>',
    "hidden-only": '<span class="swatch h">hidden in a browser</span>',
}


def render(content: Content) -> str:
    """Return the report as HTML."""
    page = content.page
    explanation = content.explain()
    bounds = explanation.bounds()
    decisions = list(explanation)
    body = ~page.in_head[page.text_rows]
    name = content.metadata.title or page.url or "a page"
    choices = "".join(
        f'<input class="choice" type="radio" name="show" id="{choice}"'
        f"{' checked' if choice == 'all' else ''}>"
        for choice in _CHOICES
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>Why: {escape(name)}</title>\n<style>\n{_style()}</style>\n</head>\n<body>\n"
        f"{choices}\n{_header(content, name, decisions)}\n<main>\n"
        '<section class="page" aria-label="The page" dir="auto"><p class="name">The page</p>\n'
        f"{whole_page.render(page, body, _marks(decisions, bounds))}\n</section>\n"
        '<section class="result" aria-label="Extracted" tabindex="0" dir="auto">'
        '<p class="name">Extracted</p>\n'
        f"{content.html(links=False, images=False)}\n</section>\n</main>\n"
        f"{_list(decisions)}\n</body>\n</html>\n"
    )


def _style() -> str:
    return files("joeira.results").joinpath("report.css").read_text("utf-8")


def _marks(decisions: Sequence[BlockDecision], bounds: Sequence[int]) -> list[str]:
    """Return the start tag of each text; the first of a block can be reached by keyboard."""
    marks = []
    anchor = ' id="first"'
    for decision, size in zip(decisions, np.diff(bounds).tolist(), strict=True):
        kind = ("k" if decision.kept else "d") + (" h" if _unseen(decision) else "")
        mark = f'<span class="{kind}" data-why="{escape(_why(decision))}"'
        first = anchor if decision.kept else ""
        anchor = "" if first else anchor
        marks += [f'{mark}{first} tabindex="0">'] + [f"{mark}>"] * (size - 1)
    return marks


def _unseen(decision: BlockDecision) -> str:
    return "; ".join(filter(None, (decision.hidden, decision.invisible)))


def _why(decision: BlockDecision) -> str:
    verdict = "Kept" if decision.kept else "Dropped"
    hidden = f"\nhidden in a browser: {_unseen(decision)}" if _unseen(decision) else ""
    return f"{verdict}, score {decision.score:.2f}\n{decision.reason}{hidden}"


def _header(content: Content, name: str, decisions: Sequence[BlockDecision]) -> str:
    page = content.page
    body = ~page.in_head[page.text_rows]
    words = int(page.text_words[body].sum())
    kept = int(page.text_words[content.keep].sum())
    share = kept / words if words else 0.0
    said = content.explain().to_dict()
    reason = said.pop("reason")
    facts = {
        **said,
        "kept": f"{kept} of {words} words, {sum(d.kept for d in decisions)} blocks",
        "confidence": f"{content.page_confidence:.2f}" if content.page_confidence else "",
        "hidden but kept": ", ".join(f"{n} ({why})" for why, n in content.hidden_words.items()),
        "invisible": ", ".join(f"{n} {why}" for why, n in content.invisible_characters.items()),
    }
    told = "".join(
        f"<div><dt>{escape(key)}</dt><dd>{escape(str(value))}</dd></div>"
        for key, value in facts.items()
        if value
    )
    labels = "".join(f'<label for="{name}">{label}</label>' for name, label in _CHOICES.items())
    return (
        f"<header><h1>{escape(name)}</h1>"
        + (f"<p>{escape(page.url)}</p>" if page.url else "")
        + (f"<p>{escape(reason)}</p>" if reason else "")
        + f'<dl class="facts">{told}</dl><div class="bar"><i style="width:{share:.1%}"></i></div>'
        f"<fieldset><legend>Show</legend>{labels}"
        + ('<a href="#first">first kept block</a>' if content else "")
        + "</fieldset></header>"
    )


def _list(decisions: Sequence[BlockDecision]) -> str:
    rows = "".join(map(_row, decisions[:MAX_LISTED]))
    left = len(decisions) - MAX_LISTED
    more = f"<p>{left} more blocks are not listed.</p>" if left > 0 else ""
    titles = "".join(
        f"<th scope=col>{title}</th>" for title in ("", "score", "reason", "where", "line", "text")
    )
    return (
        f"<details><summary>All {len(decisions)} blocks as a list</summary>"
        f"<table><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table>{more}</details>"
    )


def _row(decision: BlockDecision) -> str:
    text = decision.text if len(decision.text) <= 160 else f"{decision.text[:159]}…"
    reason = "; ".join(filter(None, (decision.reason, _unseen(decision))))
    line = str(decision.position[0]) if decision.position else ""
    cells = (f"{decision.score:.2f}", reason, decision.xpath, line, text)
    told = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    kind = ("k", "kept") if decision.kept else ("d", "dropped")
    return f'<tr><td><span class="{kind[0]}">{kind[1]}</span></td>{told}</tr>'
