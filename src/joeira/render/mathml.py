"""TeX for formulas that a page contains only as MathML or as MathJax output.

Rows are read from the last to the first: what is below a row is known when its turn comes, so that
no nesting is too deep. MathJax writes the elements of MathML with the prefix ``mjx-`` and puts
boxes between them; a box hands on the parts that it holds by their names (base, over, num ...).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from joeira.page import Page

MAX_ROWS: Final = 20_000
MAX_CHARS: Final = 5000


class _Piece(NamedTuple):
    """What is known of one row."""

    tex: str = ""
    name: str = ""
    """Of its element; '' for texts."""
    size: int = 1
    """Pieces that it stands for: more than one need braces."""
    parts: dict[str, str] | None = None
    """What the boxes of MathJax hold, by name."""


def tex_of(page: Page, row: int) -> str:
    """Return the TeX of a ``math`` or ``mjx-math`` element, '' when it is too long or empty."""
    stop = int(page.end[row])
    if stop - row > MAX_ROWS:
        return ""
    return _Reader(page, row, stop).read()


class _Reader:
    """Reads one formula."""

    def __init__(self, page: Page, row: int, stop: int) -> None:
        self.page = page
        self.first = row
        self.stop = stop
        self.ends = page.end[row:stop].tolist()
        self.pieces: list[_Piece] = [_Piece()] * (stop - row)

    def read(self) -> str:
        """Return the TeX of the whole formula."""
        page, first = self.page, self.first
        is_text = page.is_text[first : self.stop].tolist()
        total, has_tokens = 0, False
        for place in range(self.stop - first - 1, -1, -1):
            row = first + place
            if is_text[place]:
                piece = _Piece(" ".join(re.split(r"\s+", page.texts[page.text_index[row]])))
            else:
                name = page.tag_name(row).lower().rpartition(":")[2].removeprefix("mjx-")
                piece = self._element(row, name)._replace(name=name)
                has_tokens |= name in _TOKENS
            total += len(piece.tex)
            if len(piece.tex) > MAX_CHARS or total > MAX_ROWS * 100:
                return ""
            self.pieces[place] = piece
        if not has_tokens:
            return ""
        return re.sub(r" +", " ", self.pieces[0].tex.replace(_NOT_STRETCHED, "")).strip()

    def _children(self, row: int) -> list[_Piece]:
        first, stop = self.first, self.ends[row - self.first]
        children, place = [], row + 1
        while place < stop:
            children.append(self.pieces[place - first])
            place = self.ends[place - first]
        return children

    def _attribute(self, row: int, name: str) -> str:
        return (self.page.attributes.get(row, name) or "").strip().lower()

    def _element(self, row: int, name: str) -> _Piece:
        if name in _LEFT_OUT:
            return _Piece(size=0)
        children = self._children(row)
        if name == "c":
            return _Piece("".join(child.tex for child in children) or self._drawn(row))
        if name in _TOKENS:
            text = "".join(child.tex for child in children)
            return _Piece(self._token(row, name, text))
        if name in _PARTS:
            return _Piece(parts={name: _row(children).tex})
        if name == "script":
            named = [child.tex for child in children if child.name not in _LEFT_OUT]
            keys = ("first", "second")
            return _Piece(parts=dict(zip(keys, filter(None, named), strict=False)))
        if name in _BOXES and any(child.parts for child in children):
            return _Piece(parts=_joined_parts(children))
        if name != "mmultiscripts":
            children = [child for child in children if child.name not in _LEFT_OUT]
        if any(child.parts for child in children):
            children = _in_order(name, children)
        return self._structure(row, name, children)

    def _structure(self, row: int, name: str, children: list[_Piece]) -> _Piece:
        one, two, three = ([child.tex for child in children] + ["", "", ""])[:3]
        braced = _braced(children[0]) if children else "{}"
        if name in ("msup", "msub"):
            return _Piece(f"{braced}{'^' if name == 'msup' else '_'}{{{two}}}")
        if name in ("msubsup", "munderover"):
            return _Piece(f"{braced}{_script('_', two)}{_script('^', three)}")
        if name in ("munder", "mover"):
            return _Piece(_accent(name, one, braced, two))
        if name == "mfrac":
            return _Piece(self._fraction(row, one, two))
        if name in ("mroot", "msqrt"):
            root = f"[{two}]{{{one}" if name == "mroot" else f"{{{_row(children).tex}"
            return _Piece(f"\\sqrt{root}}}")
        if name in ("mtr", "mlabeledtr", "mtable"):
            return self._table(row, name, children)
        return self._group(row, name, children)

    def _group(self, row: int, name: str, children: list[_Piece]) -> _Piece:
        content = _row(children)
        if name in ("semantics", "maction"):
            return children[0] if children else content
        if name == "mfenced":
            return self._fenced(row, children)
        if name == "menclose":
            notation = self._attribute(row, "notation").split()
            command = next((_ENCLOSED[word] for word in notation if word in _ENCLOSED), "")
            return _Piece(f"{command}{{{content.tex}}}") if command else content
        if name == "mmultiscripts":
            return _Piece(_multiscripts(children))
        if name == "mspace":
            width = re.match(r"([\d.]{1,9})em", self._attribute(row, "width"))
            wide = float(width[1]) if width and width[1].count(".") < 2 and width[1] != "." else 0
            return _Piece("\\qquad" if wide >= 2 else "\\quad" if wide >= 1 else "", size=0)
        return content

    def _drawn(self, row: int) -> str:
        """Return the character that a style sheet draws, known from the name of its class."""
        match = re.search(r"\bmjx-c([0-9A-Fa-f]{1,6})\b", self._attribute(row, "class"))
        code = int(match[1], 16) if match else 0
        return chr(code) if 0x20 < code < 0x110000 and not 0xD800 <= code < 0xE000 else ""

    def _token(self, row: int, name: str, text: str) -> str:
        if name in ("mtext", "ms"):
            return _words(text)
        text = "".join(_PARTS_OF_BRACKETS.get(char, char) for char in text).strip()
        if name == "mo":
            if text in _BRACKETS and self._attribute(row, "stretchy") == "false":
                return f"{_NOT_STRETCHED}{_symbols(text)}"
            return _symbols(text)
        variant = self._attribute(row, "mathvariant")
        plain = _symbols(text)
        if text.lower() in _FUNCTIONS:
            return f"\\{text}"
        command = _VARIANTS.get(variant, "")
        if command and plain and not (variant == "normal" and plain.startswith("\\")):
            return f"{command}{{{plain}}}"
        return plain

    def _fraction(self, row: int, above: str, below: str) -> str:
        if re.fullmatch(r"0+(?:\.0+)?[a-z%]*", self._attribute(row, "linethickness")):
            return f"\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}"
        return f"\\frac{{{above}}}{{{below}}}"

    def _fenced(self, row: int, children: list[_Piece]) -> _Piece:
        read = self.page.attributes.get
        opens, closes = read(row, "open"), read(row, "close")
        separators = (read(row, "separators") if read(row, "separators") is not None else ",") or ""
        marks = [_symbols(mark) for mark in separators.split() for mark in mark][: len(children)]
        inner = ""
        for number, child in enumerate(children):
            mark = marks[min(number, len(marks)) - 1] if number and marks else ""
            inner += f" {mark} {child.tex}" if number else child.tex
        start = _symbols("(" if opens is None else opens) or "."
        stop = _symbols(")" if closes is None else closes) or "."
        only = children[0] if len(children) == 1 else None
        if only is not None and only.tex.startswith(_MATRIX):
            return _Piece(_matrix_in(start, stop, only.tex))
        return _Piece(f"\\left{start}{inner}\\right{stop}")

    def _table(self, row: int, part: str, lines: list[_Piece]) -> _Piece:
        if part != "mtable":
            cells = [line.tex for line in lines]
            if part == "mlabeledtr":  # the label comes first, and is shown last
                cells = cells[1:] + cells[:1]
            return _Piece(" & ".join(cells), size=len(cells))
        if len(lines) == 1 and lines[0].name == "mlabeledtr":
            return _Piece(lines[0].tex.replace(" & ", " "), size=2)
        align = self._attribute(row, "columnalign").split()
        is_aligned = "right" in align or self._attribute(row, "displaystyle") == "true"
        name = "aligned" if is_aligned else "matrix"
        rows = " \\\\ ".join(line.tex for line in lines)
        return _Piece(f"\\begin{{{name}}}{rows}\\end{{{name}}}")


def _row(children: list[_Piece]) -> _Piece:
    """Return pieces in one line; brackets that belong together grow with what they hold."""
    tokens = [child.tex for child in children if child.tex]
    open_at: list[int] = []
    is_bracketed = False
    for number, token in enumerate(tokens):
        if token in _CLOSING_OF:
            open_at.append(number)
        elif open_at and token == _CLOSING_OF[tokens[open_at[-1]]]:
            start = open_at.pop()
            tokens[start] = f"\\left{tokens[start]}"
            tokens[number] = f"\\right{token}"
            is_bracketed = start == 0 and number == len(tokens) - 1
    tokens = [token.replace(_NOT_STRETCHED, "") for token in tokens]
    if len(tokens) == 3 and tokens[1].startswith(_MATRIX):
        left, right = tokens[0].removeprefix("\\left"), tokens[2].removeprefix("\\right")
        return _Piece(_matrix_in(left, right, tokens[1]))
    if len(tokens) > 1 and tokens[-2] == "\\{" and tokens[-1].startswith(_MATRIX):
        tokens[-2:] = [_matrix_in("\\{", ".", tokens[-1])]
    if len(tokens) == 1:
        alone = next(child for child in children if child.tex)
        return _Piece(tokens[0], size=alone.size)
    return _Piece(" ".join(tokens), size=1 if is_bracketed else len(tokens))


def _matrix_in(start: str, stop: str, matrix: str) -> str:
    """Return a matrix with what encloses it."""
    name = _MATRICES.get((start, stop))
    if name is None:
        return f"\\left{start}{matrix}\\right{stop}"
    inner = re.sub(r"^\\begin\{\w+\}", "", matrix, count=1)
    inner = re.sub(r"\\end\{\w+\}$", "", inner, count=1)
    return f"\\begin{{{name}}}{inner}\\end{{{name}}}"


def _braced(piece: _Piece) -> str:
    return f"{{{piece.tex}}}" if piece.size > 1 or not piece.tex else piece.tex


def _script(mark: str, tex: str) -> str:
    return f"{mark}{{{tex}}}" if tex else ""


def _accent(name: str, one: str, braced: str, two: str) -> str:
    """Return something with a mark above or below it."""
    command = (_ABOVE if name == "mover" else _BELOW).get(two)
    if command:
        return f"{command}{{{one}}}"
    if one in _WITH_LIMITS or one.startswith(("\\underbrace", "\\overbrace")):
        return f"{braced}{_script('^' if name == 'mover' else '_', two)}"
    return f"\\{'over' if name == 'mover' else 'under'}set{{{two}}}{{{one}}}"


def _multiscripts(children: list[_Piece]) -> str:
    if not children:
        return ""
    names = [child.name for child in children]
    cut = names.index("mprescripts") if "mprescripts" in names else len(children)
    after, before = children[1:cut], children[cut + 1 :]

    def scripts(pieces: list[_Piece]) -> str:
        marks = ("_", "^")
        return "".join(_script(marks[n % 2], piece.tex) for n, piece in enumerate(pieces))

    prefix = f"{{}}{scripts(before)}" if before else ""
    return f"{prefix}{_braced(children[0])}{scripts(after)}"


def _joined_parts(children: list[_Piece]) -> dict[str, str]:
    parts: dict[str, str] = {}
    for child in children:
        for name, tex in (child.parts or {}).items():
            parts.setdefault(name, tex)
    return parts


def _in_order(name: str, children: list[_Piece]) -> list[_Piece]:
    """Return what an element of MathJax holds in the order of MathML."""
    parts = _joined_parts(children)
    whole = [child for child in children if child.parts is None]
    if "first" in parts:  # MathJax has what stands above first
        above, below = parts["first"], parts.get("second", "")
        order = [below, above] if name == "msubsup" and below else [above, below]
        return [*whole[:1], *map(_Piece, filter(None, order))]
    if name == "mroot":
        return [_row(whole), _Piece(parts.get("root", ""))]
    order = [parts[key] for key in ("base", "num", "den", "under", "over") if key in parts]
    if name == "munderover" and whole:  # what is below stands with its base in a box
        return [whole[0], _Piece(), _Piece(parts.get("over", ""))]
    return whole + list(map(_Piece, order))


def _words(text: str) -> str:
    """Return text within a formula."""
    escaped = re.sub(r"([#$%&_{}])", r"\\\1", text.replace("\\", "").replace("\xa0", " "))
    if re.search(r"[^\W_]", escaped):
        return f"\\text{{{escaped}}}"
    return f"{_NOT_STRETCHED}{escaped.strip()}" if escaped.strip() else ""


def _symbols(text: str) -> str:
    """Return characters as TeX has them."""
    if text.isascii() and text.isalnum():
        return text
    return " ".join(filter(None, (_SYMBOL.get(char) or _letter(char) for char in text))) or ""


def _letter(char: str) -> str:
    """Return a letter, also one of the alphabets that Unicode keeps for formulas."""
    if char in _INVISIBLE or char.isspace() or unicodedata.category(char) == "Cf":
        return ""
    if char.isascii():
        return f"\\{char}" if char in "{}#%&$" else char if char != "\\" else "\\backslash"
    plain = unicodedata.normalize("NFKC", char)
    if plain == char or len(plain) != 1:
        return char
    name = unicodedata.name(char, "")
    letter = _SYMBOL.get(plain, plain)
    command = next((command for word, command in _ALPHABETS if word in name), "")
    return f"{command}{{{letter}}}" if command else letter


_TOKENS: Final = frozenset("mi mn mo mtext ms".split())
_PARTS: Final = frozenset("num den base over under root".split())
_BOXES: Final = frozenset("frac dbox dtable row box sqrt table itable".split())
_LEFT_OUT: Final = frozenset(
    "annotation annotation-xml mphantom none nstrut dstrut tstrut strut line spacer surd mstrut "
    "assistive-mml labels lazy tooltip".split()
)
_INVISIBLE: Final = frozenset("\u2061\u2062\u2063\u2064\u200b\ufeff")
_NOT_STRETCHED: Final = "\ue000"
_PARTS_OF_BRACKETS: Final = {
    **dict.fromkeys("⎛", "("), **dict.fromkeys("⎞", ")"), **dict.fromkeys("⎜⎝⎟⎠", ""),
    **dict.fromkeys("⎡", "["), **dict.fromkeys("⎤", "]"), **dict.fromkeys("⎢⎣⎥⎦", ""),
    **dict.fromkeys("⎧", "{"), **dict.fromkeys("⎫", "}"), **dict.fromkeys("⎨⎩⎪⎬⎭", ""),
}  # fmt: skip
_BRACKETS: Final = frozenset("()[]{}")
_CLOSING_OF: Final = {
    "(": ")", "[": "]", "\\{": "\\}", "\\langle": "\\rangle", "\\lfloor": "\\rfloor",
    "\\lceil": "\\rceil",
}  # fmt: skip
_MATRIX: Final = ("\\begin{matrix}", "\\begin{aligned}")
_MATRICES: Final = {
    ("(", ")"): "pmatrix", ("[", "]"): "bmatrix", ("\\{", "\\}"): "Bmatrix", ("|", "|"): "vmatrix",
    ("\\|", "\\|"): "Vmatrix", ("\\{", "."): "cases",
}  # fmt: skip
_ABOVE: Final = {
    "^": "\\hat", "ˆ": "\\hat", "~": "\\tilde", "˜": "\\tilde", "\\sim": "\\tilde",
    "¯": "\\overline", "ˉ": "\\bar", "‾": "\\overline", "\\_": "\\overline", "_": "\\overline",
    "―": "\\overline", "\\rightarrow": "\\vec", "\\vec": "\\vec", "˙": "\\dot", "\\cdot": "\\dot",
    "¨": "\\ddot", "..": "\\ddot", "⏞": "\\overbrace", "˘": "\\breve", "ˇ": "\\check",
    "´": "\\acute", "`": "\\grave", "-": "\\bar", "⃗": "\\vec", "˚": "\\mathring",
}  # fmt: skip
_BELOW: Final = {
    "_": "\\underline", "\\_": "\\underline", "̲": "\\underline", "‾": "\\underline",
    "¯": "\\underline", "―": "\\underline", "⏟": "\\underbrace",
}  # fmt: skip
_ENCLOSED: Final = {
    "top": "\\overline", "bottom": "\\underline", "box": "\\boxed", "roundedbox": "\\boxed",
    "updiagonalstrike": "\\cancel", "downdiagonalstrike": "\\bcancel",
    "horizontalstrike": "\\sout", "radical": "\\sqrt",
}  # fmt: skip
_VARIANTS: Final = {
    "normal": "\\mathrm", "bold": "\\mathbf", "bold-italic": "\\boldsymbol",
    "double-struck": "\\mathbb", "script": "\\mathcal", "bold-script": "\\mathcal",
    "fraktur": "\\mathfrak", "sans-serif": "\\mathsf", "monospace": "\\mathtt",
    "-tex-calligraphic": "\\mathcal",
}  # fmt: skip
_ALPHABETS: Final = (
    ("DOUBLE-STRUCK", "\\mathbb"), ("SCRIPT", "\\mathcal"), ("FRAKTUR", "\\mathfrak"),
    ("BLACK-LETTER", "\\mathfrak"), ("BOLD ITALIC", "\\boldsymbol"), ("MONOSPACE", "\\mathtt"),
    ("SANS-SERIF", "\\mathsf"), ("MATHEMATICAL BOLD", "\\mathbf"),
)  # fmt: skip
_FUNCTIONS: Final = frozenset(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf "
    "limsup ln log max min sec sin sinh sup tan tanh".split()
)
_SYMBOL: Final = dict(
    pair.split("=", 1)
    for pair in (
        "α=\\alpha β=\\beta γ=\\gamma δ=\\delta ϵ=\\epsilon ε=\\varepsilon ζ=\\zeta η=\\eta "
        "θ=\\theta ϑ=\\vartheta ι=\\iota κ=\\kappa λ=\\lambda μ=\\mu ν=\\nu ξ=\\xi π=\\pi "
        "ϖ=\\varpi ρ=\\rho ϱ=\\varrho σ=\\sigma ς=\\varsigma τ=\\tau υ=\\upsilon ϕ=\\phi "
        "φ=\\varphi χ=\\chi ψ=\\psi ω=\\omega Γ=\\Gamma Δ=\\Delta Θ=\\Theta Λ=\\Lambda Ξ=\\Xi "
        "Π=\\Pi Σ=\\Sigma Υ=\\Upsilon Φ=\\Phi Ψ=\\Psi Ω=\\Omega ∑=\\sum ∏=\\prod ∐=\\coprod "
        "∫=\\int ∬=\\iint ∭=\\iiint ∮=\\oint ⋃=\\bigcup ⋂=\\bigcap ⨁=\\bigoplus ⨂=\\bigotimes "
        "⋁=\\bigvee ⋀=\\bigwedge ∂=\\partial ∇=\\nabla √=\\surd ∞=\\infty ∀=\\forall ∃=\\exists "
        "∄=\\nexists ∅=\\emptyset ∈=\\in ∉=\\notin ∋=\\ni ⊂=\\subset ⊃=\\supset ⊆=\\subseteq "
        "⊇=\\supseteq ⊊=\\subsetneq ∪=\\cup ∩=\\cap ∖=\\setminus ∧=\\land ∨=\\lor ¬=\\neg "
        "⊕=\\oplus ⊖=\\ominus ⊗=\\otimes ⊘=\\oslash ⊙=\\odot ±=\\pm ∓=\\mp ×=\\times ÷=\\div "
        "⋅=\\cdot ·=\\cdot ∗=\\ast ⋆=\\star ∘=\\circ ∙=\\bullet •=\\bullet −=- ≤=\\leq ≥=\\geq "
        "⩽=\\leqslant ⩾=\\geqslant ≠=\\neq ≪=\\ll ≫=\\gg ≈=\\approx ≃=\\simeq ≅=\\cong ≡=\\equiv "
        "∼=\\sim ∝=\\propto ≺=\\prec ≻=\\succ ⪯=\\preceq ⪰=\\succeq ≜=\\triangleq ≐=\\doteq "
        "∣=\\mid ∤=\\nmid ∥=\\parallel ⊥=\\perp ⊤=\\top ⊢=\\vdash ⊨=\\models ∠=\\angle "
        "→=\\rightarrow ←=\\leftarrow ↔=\\leftrightarrow ⇒=\\Rightarrow ⇐=\\Leftarrow "
        "⇔=\\Leftrightarrow ⟶=\\longrightarrow ⟵=\\longleftarrow ⟹=\\Longrightarrow "
        "⟸=\\Longleftarrow ⟺=\\Longleftrightarrow ↦=\\mapsto ⟼=\\longmapsto ↑=\\uparrow "
        "↓=\\downarrow ↪=\\hookrightarrow ↩=\\hookleftarrow ⇌=\\rightleftharpoons ↗=\\nearrow "
        "↘=\\searrow ⟨=\\langle ⟩=\\rangle 〈=\\langle 〉=\\rangle ⌊=\\lfloor ⌋=\\rfloor ⌈=\\lceil "
        "⌉=\\rceil ‖=\\| …=\\ldots ⋯=\\cdots ⋮=\\vdots ⋱=\\ddots ′=' ″='' ‴=''' ℏ=\\hbar ℓ=\\ell "
        "ℜ=\\Re ℑ=\\Im ℘=\\wp ℵ=\\aleph °=^{\\circ} □=\\square ◻=\\square △=\\triangle "
        "∴=\\therefore ∵=\\because †=\\dagger ‡=\\ddagger ≔=\\coloneqq"
    ).split()
)
_WITH_LIMITS: Final = frozenset(
    [f"\\{name}" for name in "lim liminf limsup max min sup inf det gcd sum prod coprod".split()]
    + [f"\\{name}" for name in "bigcup bigcap bigoplus bigotimes bigvee bigwedge int oint".split()]
)
