"""The language of a page and the direction in which it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from joeira.metadata import detection
from joeira.metadata.claims import Claim
from joeira.metadata.items import texts
from joeira.metadata.statements import Statements

_CODE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{2,8})*", re.IGNORECASE)
_METAS = {
    "content-language": 0.7, "language": 0.7, "og:locale": 0.7, "dc.language": 0.75,
    "dcterms.language": 0.75, "citation_language": 0.8,
}  # fmt: skip
_OLD_CODES = {"iw": "he", "in": "id", "ji": "yi", "nb": "no", "nn": "no", "zho": "zh", "eng": "en"}


def languages(said: Statements, text: str) -> Iterator[Claim]:
    """Yield languages that the page states, then the one that its text is written in.

    Args:
        said: The statements of the page.
        text: Its main text.
    """
    found = detection.detect(text)
    page = said.page
    for row in (0, page.body):
        for name in ("lang", "xml:lang"):
            code = _code(page.attributes.get(row, name) if len(page) else None)
            if code:
                yield Claim(code, "attribute", f"{page.tag_name(row)} {name}", row, 0.8)
    for item in said.items[:10]:
        if item.is_work or item.is_page:
            for number, value in enumerate(item.properties.get("inLanguage", ())[:1]):
                for each in texts(value)[:1]:
                    code = _code(each)
                    if code:
                        row = item.row_of("inLanguage", number)
                        yield Claim(code, item.source, item.key("inLanguage"), row, 0.75)
    for name, confidence in _METAS.items():
        for meta in said.named(name)[:1]:
            code = _code(meta.content)
            if code:
                yield Claim(code, meta.source, name, meta.row, confidence)
    if found:
        # Templates state a language for every page of a site; a long text does not lie.
        yield Claim(found[0], "detection", "text", -1, 0.6 + 0.38 * found[1])


def direction(said: Statements, text: str) -> Iterator[Claim]:
    """Yield reading directions: ``ltr`` or ``rtl``."""
    page = said.page
    for row in (0, page.body):
        stated = (page.attributes.get(row, "dir") or "").strip().lower() if len(page) else ""
        if stated in ("ltr", "rtl"):
            yield Claim(stated, "attribute", f"{page.tag_name(row)} dir", row, 0.8)
    found = detection.scripts(text)
    if found.total():
        backwards = sum(found[name] for name in detection.RIGHT_TO_LEFT) / found.total()
        value = "rtl" if backwards > 0.5 else "ltr"
        yield Claim(value, "detection", "text", -1, 0.6 + 0.38 * abs(2 * backwards - 1))


def _code(value: str | None) -> str | None:
    """Return the language of a code such as ``pt-BR`` or ``en_US``."""
    match = _CODE.match((value or "").strip())
    if match is None or match[1].lower() in ("und", "xx", "zxx", "mul"):
        return None
    code = match[1].lower()
    return _OLD_CODES.get(code, code)
