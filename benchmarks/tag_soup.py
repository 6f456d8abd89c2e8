"""HTML read the way the TPS thesis' program of 2013 read it, as a page with that tree.

That program had a parser of its own, older than HTML5, and some printed sizes follow from it. As
far as its published source tells:

- scripts, ``noscript``, the head and comments are left out; every other tag is an element;
- only ``img``, ``br``, ``meta``, ``param``, ``area`` and ``link`` are empty: what follows an
  ``<input>`` is inside it, up to the end tag of what holds it, unless it ends in ``/>``;
- items (``li``, ``td``, ``p`` and the like) leave what is open up to their list, or up to an open
  item of their kind, which they end; a form holds them, and a form within a form is none;
- entities are not decoded, so that a text of no-break spaces is a text.

The tree is written as elements that HTML5 does not know, and so never moves.
"""

import re
from html import escape

import joeira

_LEFT_OUT = re.compile(r"(?is)<!--.*?-->|<script\b.*?</script>|<(noscript|head)\b.*?</\1\s*>")
_TOKEN = re.compile(r"<(/?)\s*([a-zA-Z][^\s<>/]*)([^<>]*)>|([^<]+)")
_EMPTY = {"img", "br", "meta", "param", "area", "link"}
_LISTS = {
    "li": {"ul", "ol", "dl", "dir", "menu"},
    "dt": {"dl"}, "dd": {"dl"}, "option": {"select"},
    "tr": {"table", "tbody", "tfoot", "thead"}, "td": {"tr"}, "th": {"tr"},
    "tbody": {"table"}, "tfoot": {"table"}, "thead": {"table"},
    "col": {"colgroup"}, "colgroup": {"table"}, "p": set(),
}  # fmt: skip
"""Items, and the elements that hold them."""
_NO_WORD = "\u2060"


def read(html: str) -> joeira.Page:
    """Return a page with the tree that the thesis' program made of HTML."""
    out: list[str] = []
    opened: list[str] = []
    for match in _TOKEN.finditer(_LEFT_OUT.sub("", html)):
        closing, name, attributes, text = match.groups()
        name = (name or "").lower()
        if text is not None:
            if text.strip() and opened:
                out.append(f"{text.strip()}{_NO_WORD} ")
        elif closing:
            if name in opened:
                _close(opened, out, len(opened) - 1 - opened[::-1].index(name))
        elif opened or name == "body":
            _open(name, attributes, opened, out)
    _close(opened, out, 0)
    return joeira.parse("".join(out))


def _open(name: str, attributes: str, opened: list[str], out: list[str]) -> None:
    if name == "form" and "form" in opened:
        return
    if name in _LISTS:
        for place in range(len(opened) - 1, -1, -1):
            if opened[place] == "form" or opened[place] in _LISTS[name]:
                _close(opened, out, place + 1)
                break
            if opened[place] == name:
                _close(opened, out, place)
                break
    styles = ((key, _attribute(attributes, key)) for key in ("class", "style"))
    written = "".join(f' {key}="{escape(value)}"' for key, value in styles if value)
    tag = name if name == "body" else f"x-{re.sub('[^a-z0-9]', '-', name)}"
    out.append(f"<{tag}{written}>")
    if name in _EMPTY or attributes.endswith("/"):
        out.append(f"</{tag}>")
    else:
        opened.append(name)


def _close(opened: list[str], out: list[str], first: int) -> None:
    for name in reversed(opened[first:]):
        out.append("</body>" if name == "body" else f"</x-{re.sub('[^a-z0-9]', '-', name)}>")
    del opened[first:]


def _attribute(attributes: str, name: str) -> str:
    value = re.search(rf"(?i)(?:^|\s){name}\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s>]+)", attributes)
    return value[1].strip("\"'") if value else ""
