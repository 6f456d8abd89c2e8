"""XML of the kept texts: with the element names of trafilatura's XML, or a TEI P5 document.

Both are written from the stream of events. Departures from trafilatura's XML: cells that cover
others say so (``cols``, ``rows``), captions are the ``head`` of their table, notes are ``note``.
Departures from its TEI: addresses of images are there (``url``), as are formulas and rules; the
page's address stands in ``bibl``, since not every version of TEI allows it in ``publicationStmt``;
there is no day of download, so that equal pages give equal documents. Documents are valid by the
schema of TEI P5; against the customisation that trafilatura ships, only those without tables and
code can be, since it has neither.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from joeira._version import __version__
from joeira.page import Page
from joeira.render import events, stream
from joeira.render.events import RUN, WITHIN, Element, Event, Listing
from joeira.render.selection import ALL, Show

Fields = Mapping[str, Any]

_ATTRIBUTES: Final = (
    "sitename", "title", "author", "date", "url", "hostname", "description", "categories", "tags",
    "license", "id", "fingerprint", "language",
)  # fmt: skip
"""Of the root, in trafilatura's order."""
_HIGHLIGHTS: Final = {
    **dict.fromkeys(("b", "strong"), "#b"),
    **dict.fromkeys(("i", "em", "cite", "var"), "#i"),
    **{tag: f"#{tag}" for tag in ("u", "ins", "sub", "sup", "mark", "small")},
}
_INLINE: Final = {
    **{tag: ("hi", f' rend="{rend}"') for tag, rend in _HIGHLIGHTS.items()},
    **dict.fromkeys(("s", "del"), ("del", ' rend="overstrike"')),
    **dict.fromkeys(("code", "kbd", "samp"), ("code", "")),
    "q": ("quote", ""),
}
_LISTS: Final = ("ul", "ol", "dl")
_CONTAINERS: Final = {
    **{tag: ("list", f' rend="{tag}"') for tag in _LISTS},
    "li": ("item", ""), "dt": ("item", ' rend="dt"'), "dd": ("item", ' rend="dd"'),
    "table": ("table", ""), "caption": ("head", ""), "tr": ("row", ""),
    "td": ("cell", ""), "th": ("cell", ' role="head"'), "blockquote": ("quote", ""),
}  # fmt: skip
_NEEDS_CHILDREN: Final = {"list": "item", "table": "row", "row": "cell"}
_HOLDS_ELEMENTS: Final = frozenset({"", "list", "table", "row", "quote", "figure"})
"""In these, what is inside stands on lines of its own."""
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")
_IN_ADDRESSES: Final = "/:?#@!$&'()*+,;=%~-._"
_TEI: Final = "http://www.tei-c.org/ns/1.0"


def render(
    page: Page,
    keep: NDArray[np.bool_],
    comments: NDArray[np.bool_],
    fields: Fields,
    show: Show = ALL,
) -> str:
    """Return kept texts and comments as XML; `fields` are the metadata of the page."""
    parts = [
        _Writer(tei=False).write(stream.events(page, texts, show, flat=True))
        for texts in (keep, comments)
    ]
    said = "".join(f' {name}="{escape(_joined(fields[name]))}"' for name in _known(fields))
    main, others = (f"\n{part}" if part else "" for part in parts)
    return _clean(f"<doc{said}>\n<main>{main}</main>\n<comments>{others}</comments>\n</doc>\n")


def render_tei(
    page: Page,
    keep: NDArray[np.bool_],
    comments: NDArray[np.bool_],
    fields: Fields,
    show: Show = ALL,
) -> str:
    """Return kept texts and comments as a TEI document with a header of the page's metadata."""
    writer = _Writer(tei=True)
    main, others = (
        writer.write(stream.events(page, texts, show, flat=True)) for texts in (keep, comments)
    )
    divisions = f'<div type="entry">\n{main}</div>\n'
    if others:
        divisions += f'<div type="comments">\n{others}</div>\n'
    return _clean(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<TEI xmlns="{_TEI}">\n{_header(fields)}'
        f"<text>\n<body>\n{divisions}</body>\n</text>\n</TEI>\n"
    )


class _Open:
    """An element that is open: where it begins in the output, and what it holds so far."""

    __slots__ = ("children", "runs", "start", "tag")

    def __init__(self, tag: str, start: int) -> None:
        self.tag = tag
        self.start = start
        self.children = 0
        """Children without which it could not be: items, rows, cells."""
        self.runs = 0


class _Writer:
    """Writes streams of events; notes have identifiers that differ from stream to stream."""

    def __init__(self, *, tei: bool) -> None:
        self.tei = tei
        self.out: list[str] = []
        self.opened = [_Open("", 0)]
        self.in_run = False
        self.note_prefix = ""
        self.streams = 0

    def write(self, happenings: Sequence[Event]) -> str:
        self.streams += 1
        self.note_prefix = f"note-{self.streams}-"
        self.out, self.opened = [], [_Open("", 0)]
        labels = {what.value for kind, what in happenings
                  if kind == events.OPEN and what.tag == "note"}  # fmt: skip
        for kind, what in happenings:
            if kind == events.TEXT:
                self.out.append(escape(what[0], quote=False))
            elif kind == events.BLOCK:
                self._open_run(what[0])
                self.out.append(escape(what[1], quote=False))
                self._close_run(what[0])
            elif kind == events.OPEN:
                self._open(what)
            elif kind == events.CLOSE:
                self._close(what)
            elif kind == events.BREAK:
                self.out.append("<lb/>")
            elif kind == events.IMAGE:
                self._put(self._image(*what))
            elif kind == events.FORMULA:
                self._put(self._formula(what))
            elif kind == events.LISTING:
                self._add_listing(what)
            elif kind == events.RULE and self.tei:
                self.out.append('<milestone unit="section"/>' + self._line_end())
            elif kind == events.REFERENCE:
                self._put(self._reference(what, what in labels))
        return "".join(self.out)

    # Elements ---------------------------------------------------------------------------------

    def _open(self, element: Element) -> None:
        if element.level == RUN:
            self._open_run(element)
        elif element.level == WITHIN:
            self.out.append(f"<{''.join(self._inline(element))}>")
        elif (name := self._container(element)) is not None:
            tag, attributes = name
            parent = self.opened[-1]
            parent.children += _NEEDS_CHILDREN.get(parent.tag) == tag
            self.opened.append(_Open(tag, len(self.out)))
            line = "\n" if tag in _HOLDS_ELEMENTS else ""
            self.out.append(f"<{tag}{attributes}>{line}")

    def _close(self, element: Element) -> None:
        if element.level == RUN:
            self._close_run(element)
        elif element.level == WITHIN:
            self.out.append(f"</{self._inline(element)[0]}>")
        elif self._container(element) is not None:
            self._close_container()

    def _close_container(self) -> None:
        closed = self.opened.pop()
        parent = self.opened[-1]
        if closed.tag in _NEEDS_CHILDREN and not closed.children:
            self._unwrap(closed, parent)
            return
        self.out.append(f"</{closed.tag}>{self._line_end()}")
        if closed.tag == "head" and parent.children:  # a caption that stands below its table
            caption = self.out[closed.start :]
            del self.out[closed.start :]
            self.out[parent.start + 1 : parent.start + 1] = caption

    def _unwrap(self, closed: _Open, parent: _Open) -> None:
        """Leave out an element that lacks the children it needs; a caption stays as a paragraph."""
        inside = "".join(self.out[closed.start + 1 :]).strip()
        del self.out[closed.start :]
        parent.children -= _NEEDS_CHILDREN.get(parent.tag) == closed.tag
        if inside.startswith("<head>") and closed.tag == "table":
            caption = inside.removeprefix("<head>").removesuffix("</head>")
            self.out.append(f"<p>{caption}</p>{self._line_end()}")

    def _container(self, element: Element) -> tuple[str, str] | None:
        tag = element.tag
        if tag in _CONTAINERS:
            name, attributes = _CONTAINERS[tag]
            if name == "cell":
                columns, rows = element.value
                attributes += f' cols="{columns}"' if columns > 1 else ""
                attributes += f' rows="{rows}"' if rows > 1 else ""
            return name, attributes
        if tag == "figure" and self.tei:
            return "figure", ""
        if tag == "note":
            place = f' xml:id="{self._note_id(element.value)}" place="foot"' if self.tei else ""
            return "note", f'{place} n="{escape(str(element.value))}"'
        return None  # bodies of tables, and captions of figures, whose runs are paragraphs

    def _inline(self, element: Element) -> tuple[str, str]:
        if element.tag == "a":
            return "ref", f' target="{_address(element.value)}"'
        return _INLINE.get(element.tag, ("hi", f' rend="#{element.tag}"'))

    # Runs -------------------------------------------------------------------------------------

    def _run_tag(self, element: Element) -> tuple[str, str]:
        """Return the element of a run and its attributes; '' for one that is bare."""
        around = self.opened[-1].tag
        if around == "head" or (element.is_bare and around in ("item", "cell")):
            return "", ""
        if element.tag == "p":
            return "p", ""
        return ("ab", f' type="header" rend="{element.tag}"') if self.tei else (
            "head", f' rend="{element.tag}"')  # fmt: skip

    def _open_run(self, element: Element) -> None:
        tag, attributes = self._run_tag(element)
        container = self.opened[-1]
        if tag:
            self.out.append(f"<{tag}{attributes}>")
        elif container.runs:
            self.out.append("<lb/>")
        container.runs += 1
        self.in_run = True

    def _close_run(self, element: Element) -> None:
        tag, _ = self._run_tag(element)
        if tag:
            self.out.append(f"</{tag}>{self._line_end()}")
        self.in_run = False

    def _line_end(self) -> str:
        return "\n" if self.opened[-1].tag in _HOLDS_ELEMENTS else ""

    def _put(self, inline: str) -> None:
        """Add what may only stand within a run."""
        is_loose = not self.in_run and self.opened[-1].tag not in ("item", "cell", "head")
        self.out.append(f"<p>{inline}</p>{self._line_end()}" if is_loose else inline)

    # What stands in runs ----------------------------------------------------------------------

    def _image(self, address: str, alternative: str) -> str:
        if not self.tei:
            described = f' alt="{escape(alternative)}"' if alternative else ""
            return f'<graphic src="{escape(address)}"{described}/>'
        described = f"<desc>{escape(alternative, quote=False)}</desc>" if alternative else ""
        return f'<graphic url="{_address(address)}">{described}</graphic>'

    def _formula(self, formula: Any) -> str:
        tex = escape(formula.tex, quote=False)
        if self.tei:
            place = ' rend="display"' if formula.displayed else ""
            return f'<formula notation="TeX"{place}>{tex}</formula>'
        return f"\\[{tex}\\]" if formula.displayed else f"\\({tex}\\)"

    def _reference(self, label: str, has_note: bool) -> str:
        text = escape(str(label), quote=False)
        if self.tei and has_note:
            return f'<ref type="note" target="#{self._note_id(label)}">{text}</ref>'
        return f'<hi rend="#sup">{text}</hi>'

    def _note_id(self, label: object) -> str:
        return self.note_prefix + "".join(
            each if each.isascii() and each.isalnum() else f"_{ord(each):x}" for each in str(label)
        )

    def _add_listing(self, listing: Listing) -> None:
        name = "".join(listing.language.split())
        language = f' lang="{escape(name)}"' if name and self.tei else ""
        code = f"<code{language}>{escape(listing.code, quote=False)}</code>"
        if self.tei:
            self._put(code)
        else:
            self.out.append(code + self._line_end())


# Metadata ---------------------------------------------------------------------------------------


def _header(fields: Fields) -> str:
    """Return the header: the page as its source, its words for itself, and this program."""
    said = {name: escape(_joined(fields[name]), quote=False) for name in _known(fields)}
    title, site, date = (said.get(name, "") for name in ("title", "sitename", "date"))
    authors = "".join(
        f"<author>{name.strip()}</author>" for name in said.get("author", "").split(";") if name
    )
    titles = f'<titleStmt>\n<title type="main">{title}</title>{authors}\n</titleStmt>\n'
    host = said.get("hostname", "")
    publisher = f"{site} ({host})" if site and host else site or host or "N/A"
    pointer = f'<ptr type="URL" target="{_address(fields["url"])}"/>' if "url" in said else ""
    number = f'<idno type="URL">{said["url"]}</idno>' if "url" in said else ""
    day = f"<date>{date}</date>" if date else ""
    licence = said.get("license", "")
    rights = f"<availability><p>{licence}</p></availability>" if licence else ""
    notes = "".join(
        f'<note type="{name}">{said[name]}</note>' for name in ("id", "fingerprint") if name in said
    )
    sigle = ", ".join(filter(None, (site, date)))
    return (
        f"<teiHeader>\n<fileDesc>\n{titles}<publicationStmt><p/></publicationStmt>\n"
        + (f"<notesStmt>{notes}</notesStmt>\n" if notes else "")
        + f"<sourceDesc>\n<bibl>{', '.join(filter(None, (title, site, date)))}{pointer}</bibl>\n"
        + f'<bibl type="sigle">{sigle}</bibl>\n<biblFull>\n{titles}<publicationStmt>'
        + f"<publisher>{publisher}</publisher>{number}{day}{rights}</publicationStmt>\n"
        + f"</biblFull>\n</sourceDesc>\n</fileDesc>\n{_encoding()}{_profile(said, fields)}"
        + "</teiHeader>\n"
    )


def _encoding() -> str:
    number = re.match(r"\d+(\.\d+){0,2}", __version__)
    version = number[0] if number else "0"
    application = f'<application version="{version}" ident="joeira"><label>Joeira</label>'
    return f"<encodingDesc><appInfo>{application}</application></appInfo></encodingDesc>\n"


def _profile(said: Mapping[str, str], fields: Fields) -> str:
    parts = []
    if "description" in said:
        parts.append(f"<abstract><p>{said['description']}</p></abstract>\n")
    terms = "".join(
        f'<term type="{name}">{escape(_joined(fields[name]), quote=False)}</term>'
        for name in ("categories", "tags")
        if name in said
    )
    if terms:
        parts.append(f"<textClass><keywords>{terms}</keywords></textClass>\n")
    if re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", said.get("language", "")):
        ident = said["language"]
        parts.append(f'<langUsage><language ident="{ident}"/></langUsage>\n')
    return f"<profileDesc>\n{''.join(parts)}</profileDesc>\n" if parts else ""


def _known(fields: Fields) -> list[str]:
    return [name for name in _ATTRIBUTES if fields.get(name)]


def _joined(value: Any) -> str:
    return value if isinstance(value, str) else ";".join(map(str, value))


def _address(url: str) -> str:
    """Return an address as an attribute: what no URI holds is percent-encoded."""
    encoded = quote(url, safe=_IN_ADDRESSES, errors="replace")
    encoded = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", encoded)
    before, number_sign, fragment = encoded.partition("#")
    return escape(before + number_sign + fragment.replace("#", "%23"))


def _clean(xml: str) -> str:
    """Return XML without characters that it cannot hold."""
    return _NOT_XML.sub("", xml)
