"""Data sets: pages with gold annotations, one JSON object per line.

Files end in ``.jsonl``, ``.jsonl.gz`` or ``.jsonl.xz`` and are read as a stream, so that a set may
be larger than memory. A row has ``id`` and ``html``; ``text`` (the main content as a person marked
it), ``with`` and ``without`` (snippets that must and must not appear), ``url``, ``site``,
``page_type``, ``lang``, ``title``, ``author`` and ``date`` are there where the source has them. So
are ``records`` (the data records of the page: each a text, or a list of values) and ``mode``
(``text`` for whole records, ``attrs`` for some values of them), ``blocks`` (the parts of the page
that a person marked: each an object with ``xpath``, ``type`` and ``level``), and ``posts`` (those
of a thread: each an object with ``author``, ``date`` and ``text``). ``product`` has lists of
accepted values for facts of a product, such as ``price`` and ``sku``.

A file of labels has answers to pages of other data sets. Its rows have no ``html``, but ``set`` and
``source``, the name of the data set and the id there, and ``html_sha256``, the hash of the page.
The data sets are looked for in the folder of the file and in the folders beside it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

from joeira.errors import InputError, UsageError

# Scripts written without spaces: Thai, kana, Han and hangul, as the reference scorer splits them.
CJK = re.compile(
    r"([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
    r"\U00020000-\U0003ffff])"
)
_LETTER = re.compile(r"\w")

_TEXT_FIELDS = (
    "id", "html", "url", "site", "page_type", "lang", "text", "title", "author", "date"
)  # fmt: skip
_SNIPPET_FIELDS = ("with", "without")
_MODES = ("text", "attrs", "count")


@dataclass(frozen=True)
class Block:
    """A part of a page that a person marked."""

    xpath: str
    """Where it is in lxml's tree of the page."""
    type: str = ""
    level: int = 1
    """1 for parts of the page, 2 for parts of these."""


@dataclass(frozen=True)
class GoldPost:
    """A post of a thread, as somebody took it down."""

    author: str = ""
    """Name, or the address that the name links to."""
    date: str = ""
    """As the page shows it."""
    text: str = ""


@dataclass(frozen=True)
class Example:
    """One page and its answers."""

    id: str
    html: str = field(repr=False)
    url: str | None = None
    site: str | None = None
    """Name of the site, where the source groups its pages by site."""
    page_type: str | None = None
    lang: str | None = None
    text: str | None = field(default=None, repr=False)
    wanted: tuple[str, ...] = field(default=(), repr=False)
    """Snippets that must appear: ``with`` in the file."""
    unwanted: tuple[str, ...] = field(default=(), repr=False)
    """Snippets that must not appear: ``without`` in the file."""
    title: str | None = None
    author: str | None = None
    date: str | None = None
    records: tuple[str | tuple[str, ...], ...] = field(default=(), repr=False)
    """The data records, each as its text or as some of its values."""
    mode: str = "text"
    """Whether records are given whole (``text``) or by some of their values (``attrs``)."""
    blocks: tuple[Block, ...] = field(default=(), repr=False)
    """The parts of the page."""
    posts: tuple[GoldPost, ...] = field(default=(), repr=False)
    """The posts of a thread, in order."""
    product: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), repr=False)
    """The facts of a product: names, each with the values that are right."""
    page_of: str | None = None
    """The data set that the page is from, where only the answers are of the file read: ``set``."""

    @property
    def has_text(self) -> bool:
        """Whether a person marked the main content: an empty answer means that nobody did."""
        return self.text is not None and bool(self.text.strip())

    @property
    def has_snippets(self) -> bool:
        """Whether the page has snippets to look for."""
        return bool(self.wanted or self.unwanted)


@dataclass(frozen=True)
class Source:
    """Which rows of which file: every `step`-th, at most `limit` of them."""

    path: Path
    limit: int | None = None
    step: int = 1

    @property
    def name(self) -> str:
        """File name without its endings."""
        return self.path.name.partition(".jsonl")[0]

    def rows(self) -> Iterator[Example]:
        """Yield the rows; an error names the file and the line.

        Labels of pages in other data sets come last, in the order of these.
        """
        labels: dict[str, dict[str, _Label]] = {}
        for number, line in islice(self._lines(), 0, None, self.step):
            place = f"{self.path}, line {number}"
            data = _object(line, place)
            if "html" not in data and "set" in data:
                label = _label(data, place)
                labels.setdefault(str(label.row.page_of), {})[label.source] = label
            else:
                yield _row(data, place)
        for name, wanted in labels.items():
            yield from _joined(beside(self.path, name), wanted)

    def _lines(self) -> Iterator[tuple[int, str]]:
        count = None if self.limit is None else self.limit * self.step
        number = 0
        try:
            with _open(self.path) as file:
                filled = (pair for pair in enumerate(file, 1) if not pair[1].isspace())
                for number, line in islice(filled, count):
                    yield number, line
        except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
            message = f"{self.path}, after line {number}: cannot be read: {error}"
            raise InputError(message) from error


@dataclass(frozen=True)
class Survey:
    """What has to be known of a data set before it is measured."""

    pages: int
    without_text: int
    """Pages whose gold text is missing or empty."""
    without_gold: int
    """Pages without an answer for the task: nothing can be measured on them."""
    fingerprint: str
    """Hash over ids and gold: equal numbers may be compared only where it is equal."""
    cjk_share: float
    """Share of the gold's letters that belong to scripts written without spaces."""
    pages_of: dict[str, int] = field(default_factory=dict)
    """Of a file of labels: how many pages are from which data set."""


def survey(
    source: Source,
    has_gold: Callable[[Example], bool] = lambda row: row.has_text or row.has_snippets,
    *,
    facts: bool = False,
    posts: bool = False,
) -> Survey:
    """Read a data set once and return what it holds.

    Args:
        source: The pages.
        has_gold: Whether a page has an answer to measure against.
        facts: Whether title, author and date are part of the fingerprint.
        posts: Whether posts are part of the fingerprint.
    """
    digest = hashlib.sha256()
    seen: set[str] = set()
    pages_of: dict[str, int] = {}
    without_text = without_gold = letters = cjk_letters = 0
    for row in source.rows():
        if row.page_of:
            pages_of[row.page_of] = pages_of.get(row.page_of, 0) + 1
        if row.id in seen:
            message = f"{source.path}: two pages have the id {row.id!r}"
            raise InputError(message)
        seen.add(row.id)
        gold: list[object] = [row.id, row.text or "", row.wanted, row.unwanted]
        if row.records:
            gold += [row.records, row.mode]
        if row.blocks:
            gold += [[block.xpath, block.type, block.level] for block in row.blocks]
        if row.product:
            gold.append(row.product)
        if facts:
            gold += [row.title, row.author, row.date]
        if posts:
            gold += [[post.author, post.date, post.text] for post in row.posts]
        digest.update(json.dumps(gold).encode() + b"\n")
        without_text += not row.has_text
        without_gold += not has_gold(row)
        for text in (row.text or "", *row.wanted):
            letters += len(_LETTER.findall(text))
            cjk_letters += len(CJK.findall(text))
    if not seen:
        message = f"{source.path}: no pages"
        raise InputError(message)
    share = cjk_letters / max(1, letters)
    fingerprint = digest.hexdigest()[:16]
    return Survey(len(seen), without_text, without_gold, fingerprint, share, pages_of)


def find(path: Path, limit: int | None = None, step: int = 1) -> Source:
    """Return a source, or raise `UsageError` if there is no such data set."""
    if not path.exists():
        message = f"{path}: no such file; check the path"
        raise UsageError(message)
    if not path.name.endswith((".jsonl", ".jsonl.gz", ".jsonl.xz")) or not path.is_file():
        message = f"{path}: a data set is a .jsonl, .jsonl.gz or .jsonl.xz file"
        raise UsageError(message)
    if step < 1 or (limit is not None and limit < 1):
        message = "limit and step must be at least 1"
        raise UsageError(message)
    return Source(path, limit, step)


def _open(path: Path) -> IO[str]:
    # Pages hold lone surrogates; they are data like any other.
    if path.suffix == ".gz":
        return cast("IO[str]", gzip.open(path, "rt", encoding="utf-8", errors="surrogatepass"))
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8", errors="surrogatepass")
    return path.open(encoding="utf-8", errors="surrogatepass")


def beside(path: Path, name: str) -> Path:
    """Return the data set with a name in the folder of a file, or in a folder beside that one."""
    folder = path.absolute().parent
    for parent in (folder, *sorted(filter(Path.is_dir, folder.parent.iterdir()))):
        for ending in (".jsonl.gz", ".jsonl", ".jsonl.xz"):
            candidate = parent / f"{name}{ending}"
            if candidate.is_file():
                return candidate
    message = f"{path}: no data set {name!r} in its folder or the sibling folders"
    raise InputError(message)


@dataclass(frozen=True)
class _Label:
    """A row without a page, and where the page is."""

    row: Example
    source: str
    html_sha256: str
    place: str


def _label(data: dict[str, Any], place: str) -> _Label:
    source, digest = (_text(data, name, place) for name in ("source", "html_sha256"))
    if source is None or digest is None:
        message = f"{place}: a row without 'html' needs 'set', 'source' and 'html_sha256'"
        raise InputError(message)
    without_blocks = {name: value for name, value in data.items() if name != "blocks"}
    row = replace(_row(without_blocks | {"html": ""}, place), page_of=_text(data, "set", place))
    return _Label(row, source, digest, place)


def _joined(path: Path, labels: dict[str, _Label]) -> Iterator[Example]:
    """Yield the labels of the pages of a data set, with these pages."""
    missing = dict(labels)
    for page in Source(path).rows():
        label = missing.pop(page.id, None)
        if label is None:
            continue
        digest = hashlib.sha256(page.html.encode("utf-8", "surrogatepass")).hexdigest()
        if digest != label.html_sha256:
            message = f"{label.place}: page {page.id!r} of {path} is not the one that was read"
            raise InputError(message)
        yield replace(label.row, html=page.html, url=page.url, site=page.site)
    for label in missing.values():
        message = f"{label.place}: {path} has no page {label.source!r}"
        raise InputError(message)


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except ValueError as error:
        message = f"{place}: not JSON: {error}"
        raise InputError(message) from error
    if not isinstance(data, dict):
        message = f"{place}: a row is a JSON object, not {type(data).__name__}"
        raise InputError(message)
    return data


def _row(data: dict[str, Any], place: str) -> Example:
    texts = {name: _text(data, name, place) for name in _TEXT_FIELDS}
    wanted, unwanted = (_snippets(data, name, place) for name in _SNIPPET_FIELDS)
    for name in ("id", "html"):
        if texts[name] is None:
            message = f"{place}: the row has no {name!r}"
            raise InputError(message)
    mode = data.get("mode", "text")
    if mode not in _MODES:
        message = f"{place}: 'mode' must be one of {', '.join(_MODES)}, not {mode!r}"
        raise InputError(message)
    return Example(
        **cast("dict[str, Any]", texts),
        wanted=wanted,
        unwanted=unwanted,
        records=_records(data, place),
        mode=mode,
        blocks=_blocks(data, place),
        posts=_posts(data, place),
        product=_product(data, place),
    )


def _text(data: dict[str, Any], name: str, place: str) -> str | None:
    value = data.get(name)
    if name == "id" and isinstance(value, int):
        return str(value)
    if name == "author" and isinstance(value, list):
        return ", ".join(map(str, value))
    if value is None or isinstance(value, str):
        return value
    message = f"{place}: {name!r} must be text, not {type(value).__name__}"
    raise InputError(message)


def _snippets(data: dict[str, Any], name: str, place: str) -> tuple[str, ...]:
    value = data.get(name) or ()
    if isinstance(value, list | tuple) and all(isinstance(snippet, str) for snippet in value):
        return tuple(value)
    message = f"{place}: {name!r} must be a list of texts"
    raise InputError(message)


def _records(data: dict[str, Any], place: str) -> tuple[str | tuple[str, ...], ...]:
    records = data.get("records") or ()
    if not isinstance(records, list | tuple):
        message = f"{place}: 'records' must be a list"
        raise InputError(message)
    gold: list[str | tuple[str, ...]] = []
    for record in records:
        if isinstance(record, list):
            gold.append(tuple(str(value) for value in record if value))
        elif isinstance(record, str | None):
            gold.append(record or "")
        else:
            message = f"{place}: a record is a text or a list of values, not {record!r:.40}"
            raise InputError(message)
    return tuple(gold)


def _blocks(data: dict[str, Any], place: str) -> tuple[Block, ...]:
    blocks = data.get("blocks") or ()
    if isinstance(blocks, list) and all(
        isinstance(block, dict) and isinstance(block.get("xpath"), str) for block in blocks
    ):
        return tuple(
            Block(block["xpath"], str(block.get("type", "")), int(block.get("level", 1)))
            for block in blocks
        )
    if not blocks:
        return ()
    message = f"{place}: 'blocks' must be a list of objects with an 'xpath'"
    raise InputError(message)


def _posts(data: dict[str, Any], place: str) -> tuple[GoldPost, ...]:
    posts = data.get("posts") or []
    if not isinstance(posts, list) or not all(isinstance(post, dict) for post in posts):
        message = f"{place}: 'posts' must be a list of objects"
        raise InputError(message)
    names = ("author", "date", "text")
    return tuple(GoldPost(*(str(post.get(name) or "") for name in names)) for post in posts)


def _product(data: dict[str, Any], place: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    facts = data.get("product") or {}
    if isinstance(facts, dict) and all(isinstance(values, list) for values in facts.values()):
        return tuple((name, tuple(map(str, values))) for name, values in sorted(facts.items()))
    message = f"{place}: 'product' must be an object whose values are lists"
    raise InputError(message)
