"""The programming language that a listing declares."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from joeira.page import Page, tags
from joeira.render.listings import MAX_LABELS

_MAX_LANGUAGE_ROWS: Final = 2000
_CODE: Final = tags.table("pre code")
_LANGUAGE: Final = re.compile(
    r"(?:^|\s)(?:(?:language-|lang-|highlight-source-|brush:\s*)([\w+#.-]{1,30})"
    r"|(?:highlight|code|syntax)-([\w+#.-]{1,30}))(?=[\s;]|$)"
)
_LANGUAGE_ATTRIBUTES: Final = (
    "data-lang", "data-language", "data-code-lang", "data-code-language", "data-enlighter-language",
    "language",
)  # fmt: skip
_MARKS_CODE: Final = frozenset(
    "hl hljs highlight sourcecode code codehilite chroma shiki prettyprint codeblock".split()
)
_NO_LANGUAGES: Final = frozenset(
    "auto default ignore no-highlight nohighlight none null plain plain-text plaintext text "
    "txt undefined unknown".split()
)
_LANGUAGES: Final = frozenset(
    "abap actionscript ada agda apache apl applescript arduino asm assembly awk bash basic "
    "batch bat c# c++ clojure cmake cobol coffeescript console cpp crystal csharp css cuda "
    "cython dart delphi diff docker dockerfile elixir elm erlang fortran fsharp f# glsl go "
    "golang gradle graphql groovy haskell haxe hcl hlsl html http idris ini java javascript "
    "jinja js json json5 jsonc jsx julia kotlin latex lean lean4 less lisp llvm lua "
    "makefile markdown mathematica matlab mermaid mysql nginx nim nix objective-c "
    "objectivec ocaml octave pascal perl pgsql php plsql postgresql powershell prisma "
    "prolog proto protobuf puppet purescript python py pycon python3 racket reason rescript "
    "ruby rust rs sas sass scala scheme scss sh shell shell-session smalltalk solidity "
    "sparql sql stata svelte svg swift tcl terraform tex toml ts tsx typescript vb vba "
    "vbnet verilog vhdl vim vue wasm xml xquery yaml yml zig zsh".split()
)


def language_of(page: Page, row: int) -> str:
    """Return the programming language that a listing declares, '' when it declares none.

    It is written on the element, on the `code` in it, on one of the three elements around it, or
    above it as a label.
    """
    inner = np.arange(row + 1, min(int(page.end[row]), row + _MAX_LANGUAGE_ROWS))
    inner = inner[_CODE[page.known_tag[inner]]]
    if tags.PREFORMATTED[page.known_tag[row]]:
        inner = inner[:1]
    places = [*inner[::-1].tolist(), row]  # the last of a table is beside the numbers of lines
    own = len(places)
    for _ in range(3):
        places.append(max(int(page.parent[places[-1]]), 0))
    for number, place in enumerate(places):
        language = _declared(page, place, is_own=number < own)
        if language:
            return "" if language in _NO_LANGUAGES else language
    return _label(page, row, places[own:])


def _declared(page: Page, row: int, *, is_own: bool) -> str:
    attributes = page.attributes.of(row)
    for name in _LANGUAGE_ATTRIBUTES:
        value = attributes.get(name, "").strip().lower()
        if value and re.fullmatch(r"[\w+#.-]{1,30}", value):
            return value
    name = attributes.get("class", "")
    match = _LANGUAGE.search(name)
    if match and (match[1] or match[2].lower() in _LANGUAGES):
        return (match[1] or match[2]).lower()
    words = name.lower().split()
    if is_own or not _MARKS_CODE.isdisjoint(words):
        return next((word for word in words if word in _LANGUAGES), "")
    return ""


def _label(page: Page, row: int, around: list[int]) -> str:
    """Return a language that stands alone above a listing, in an element with nothing else."""
    last = int(page.text_index[row])
    for place in around:
        first = int(page.text_index[place])
        if (
            last - first > MAX_LABELS
            or page.text_index[page.end[place]] > page.text_index[page.end[row]] + MAX_LABELS
        ):
            break
        for text in page.texts[first:last]:
            word = text.strip().lower()
            if word in _LANGUAGES:
                return word
    return ""
