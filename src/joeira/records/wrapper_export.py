"""Wrappers as Python programs that need no Joeira: for parsel, Scrapy and web-poet.

What is written is for people to read, keep and change: the selectors as a table, a class that reads
them, and three small functions that read a value as Joeira does.
"""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING, Final

from joeira._version import __version__
from joeira.errors import UsageError

if TYPE_CHECKING:
    from joeira.records.wrapper import Wrapper

_MAX_NAME_CHARS = 60

_FUNCTIONS: Final = '''
INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby "
    "s samp small span strike strong sub sup time tt u var wbr nobr input".split()
)
APART = frozenset("a label span time input".split())  # two of these that touch are two words
NO_TEXT = frozenset(
    "script style template noscript iframe noframes noembed svg annotation textarea object canvas "
    "video audio".split()
)


def text_of(element):
    """Return the text of an element as one line, with spaces where a browser shows a gap."""
    pieces = []
    space = ended = False

    def add(text):
        nonlocal space, ended
        if text and text.strip():
            pieces.append((" " if space else "") + text)
            space = ended = False
        elif text:
            space = True

    def walk(node):
        nonlocal space, ended
        is_inline = node.tag in INLINE
        space |= not is_inline or (ended and node.tag in APART)
        if isinstance(node.tag, str) and node.tag not in NO_TEXT:
            add(node.text)
            for child in node:
                walk(child)
                add(child.tail)
        space |= not is_inline and isinstance(node.tag, str)
        ended |= node.tag in APART

    walk(element)
    return " ".join("".join(pieces).split())


def address_of(value, base):
    """Return where a link or an image leads; None for scripts and places on the page itself."""
    value = value.strip()
    if not value or value.startswith("#"):
        return None
    url = urljoin(base, value) if base else value
    if urlsplit(url).scheme not in ("http", "https", "mailto", ""):
        return None
    return quote(url, safe="%/:=&?~#+!$,;'@()*[]")


def read(record, column, base):
    """Return the value of a column in a record, given as a parsel selector; None for none."""
    values = []
    for match in record.xpath(column["xpath"]):
        if column["kind"] in ("link", "image"):
            value = address_of(match.get(), base)
        else:
            text = match.root if isinstance(match.root, str) else text_of(match.root)
            value = " ".join(text.split()).removeprefix(column.get("prefix", "")).strip()
        if value:
            values.append(value)
    if not values:
        return None
    separator = column.get("separator")
    return values[0] if separator is None else separator.join(values)


def find_records(page):
    """Return the records of a page: what the first selector finds that finds any."""
    for xpath in RECORDS:
        if records := page.xpath(xpath):
            elements = {record.root for record in records}
            return [r for r in records if elements.isdisjoint(r.root.iterancestors())]
    return []


def base_of(page, url):
    """Return the address that relative ones start from."""
    return urljoin(url, page.xpath("string(//base/@href)").get() or "")
'''

_PARSEL: Final = '''

class {name}:
    """The list of a page: ``{name}(html, url).rows()``."""

    def __init__(self, html, url=""):
        self.page = Selector(text=html)
        self.base = base_of(self.page, url)

    def rows(self):
        """Return the records as dictionaries."""
        return [
            {{name: read(record, column, self.base) for name, column in COLUMNS.items()}}
            for record in find_records(self.page)
        ]
'''

_SCRAPY: Final = '''

class {name}(scrapy.Spider):
    """Yields the records of lists: ``scrapy runspider FILE -a url=https://...``."""

    name = "{spider}"

    def __init__(self, url=None, **arguments):
        super().__init__(**arguments)
        self.start_urls = [url] if url else []

    def parse(self, response):
        """Yield the records of a page as dictionaries."""
        base = base_of(response, response.url)
        for record in find_records(response):
            yield {{name: read(record, column, base) for name, column in COLUMNS.items()}}
'''

_WEB_POET: Final = '''

class {name}(WebPage):
    """The list of a page: ``{name}(response).records``."""

    @field
    def records(self):
        """Return the records as dictionaries."""
        base = base_of(self, str(self.url))
        return [
            {{name: read(record, column, base) for name, column in COLUMNS.items()}}
            for record in find_records(self)
        ]
'''

_TARGETS: Final = {
    "parsel": ("from parsel import Selector\n", _PARSEL),
    "scrapy": ("import scrapy\n", _SCRAPY),
    "web-poet": ("from web_poet import WebPage, field\n", _WEB_POET),
}


def to_python(wrapper: Wrapper, target: str, name: str) -> str:
    """Return a Python module for a library that reads what a wrapper reads.

    Args:
        wrapper: The wrapper.
        target: ``parsel``, ``scrapy`` or ``web-poet``.
        name: Name of the class.
    """
    if target not in _TARGETS:
        raise UsageError(f"no export {target!r}: {', '.join(_TARGETS)}")
    is_name = name.isidentifier() and name.isascii() and not keyword.iskeyword(name)
    if not is_name or len(name) > _MAX_NAME_CHARS:
        raise UsageError(f"{name!r} is not a valid class name")
    imports, body = _TARGETS[target]
    spider = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return "".join(
        (
            f'"""Records of a list, by a wrapper that Joeira {__version__} learned."""\n\n',
            f"from urllib.parse import quote, urljoin, urlsplit\n\n{imports}\n",
            _table(wrapper),
            _FUNCTIONS,
            body.format(name=name, spider=spider),
        )
    )


def _table(wrapper: Wrapper) -> str:
    """Return the selectors as Python."""
    lines = ["RECORDS = (\n", *(f"    {xpath!r},\n" for xpath in wrapper.xpaths), ")\n"]
    lines.append("COLUMNS = {\n")
    for column in wrapper.columns:
        said = {"kind": column.kind, "xpath": column.xpath}
        if column.separator is not None:
            said["separator"] = column.separator
        if column.prefix:
            said["prefix"] = column.prefix
        inside = "".join(f"        {key!r}: {value!r},\n" for key, value in said.items())
        lines.append(f"    {column.name!r}: {{\n{inside}    }},\n")
    return "".join([*lines, "}\n\n"])
