"""Finding the blocks of a page that hold some words, as a reader sees words.

``joeira why``: which block holds these words, was it kept, and for what reason?
"""

from __future__ import annotations

import json
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joeira import catalog
from joeira.cli import inputs, options, writing
from joeira.cli.ending import ExitCode, printable, say
from joeira.cli.inputs import Document, Reader
from joeira.errors import InputError, UsageError

if TYPE_CHECKING:
    from joeira.content.explanation import BlockDecision
    from joeira.content.result import Content

# What people type for what pages hold; soft hyphens and the like are not seen at all.
_PLAIN = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-"}
    | {"\N{SOFT HYPHEN}": "", "\N{ZERO WIDTH SPACE}": "", "\N{ZERO WIDTH NON-JOINER}": ""}
)


def folded(text: str) -> str:
    """Return text in which case, kinds of quotes and white space make no difference."""
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    return " ".join(plain.casefold().split())


def holding(texts: Sequence[str], words: str) -> list[int]:
    """Return the numbers of the texts that hold the words, also across several texts.

    Where that finds nothing, spaces are left out: where one word ends may be a matter of markup.
    """
    wanted = folded(words)
    if not wanted:
        return []
    plain = [folded(text) for text in texts]
    found = _overlapping(plain, wanted, " ")
    if not found:
        found = _overlapping([_tight(text) for text in plain], _tight(wanted), "")
    return found


def nearest(texts: Sequence[str], words: str) -> list[int]:
    """Return the number of the text that shares most words; of several, the shortest."""
    wanted = Counter(folded(words).split())
    best, best_rank = -1, (0, 0)
    for number, text in enumerate(texts):
        held = Counter(folded(text).split())
        rank = ((wanted & held).total(), -held.total())
        if rank[0] and rank > best_rank:
            best, best_rank = number, rank
    return [best] if best >= 0 else []


def _tight(text: str) -> str:
    return text.replace(" ", "")


def _overlapping(texts: Sequence[str], wanted: str, separator: str) -> list[int]:
    starts, place = [], 0
    for text in texts:
        starts.append(place)
        place += len(text) + len(separator)
    found: dict[int, None] = {}
    for start in _occurrences(separator.join(texts), wanted):
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, start + len(wanted) - 1) - 1
        found |= dict.fromkeys(range(first, last + 1))
    return list(found)


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    place = text.find(wanted)
    while place >= 0:
        yield place
        place = text.find(wanted, place + len(wanted))


EXAMPLES = options.examples(
    'joeira why page.html "a few words of the page"',
    "joeira why page.html --html report.html",
)


def why(
    *,
    page: Annotated[
        str, typer.Argument(metavar="PAGE", help="File, http(s) address, or - for stdin.")
    ],
    words: Annotated[
        str | None,
        typer.Argument(metavar="WORDS", help="Words of the page; without, every block is shown."),
    ] = None,
    method: options.Method = catalog.DEFAULT_CONTENT,
    settings: options.Settings = None,
    visible_only: options.VisibleOnly = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a web page that shows every decision."),
    ] = None,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Say of some words of a page whether they were kept, with what score, and why."""
    from joeira import api
    from joeira.page import parse

    if words is not None and not words.strip():
        message = "the words are empty; leave them out to see every block"
        raise UsageError(message)
    extractor = catalog.build(method, options.read_settings(settings), "content")
    document = _read(page, Reader(max_bytes, timeout, allow_private, url))
    table = parse(document.html, document.url, max_bytes=max_bytes)
    content = api.extract(table, extractor, visible_only=visible_only)
    if html is not None:
        inputs.write(None if html == inputs.STDIN else Path(html), content.report())
        if words is None:
            raise typer.Exit(ExitCode.OK if content else ExitCode.NOTHING_FOUND)
    answer = _answer(content, words)
    if as_json:
        text = json.dumps(answer.to_dict(content), ensure_ascii=False, indent=2)
        writing.to_stdout(f"{text}\n")
    else:
        drawn = (_drawn(block, brief=words is None) for block in answer.blocks)
        writing.to_stdout_as_drawn("".join(drawn))
    if content.reason and not as_json:
        say(f"{page}: {content.reason}")
    if answer.match in ("none", "nearest"):
        say(_not_found(answer, document))
        raise typer.Exit(ExitCode.NOTHING_FOUND)
    if not answer.blocks:
        raise typer.Exit(ExitCode.NOTHING_FOUND)


@dataclass(frozen=True)
class Answer:
    """The blocks that a question is about."""

    words: str | None
    match: str
    """``all`` (no words given), ``exact``, ``nearest`` or ``none``."""
    blocks: Sequence[BlockDecision]

    def to_dict(self, content: Content) -> dict[str, Any]:
        """Return the answer as plain data."""
        return {
            "words": self.words,
            "match": self.match,
            **content.explain().to_dict(),
            "blocks": [block.to_dict() for block in self.blocks],
        }


def _read(page: str, reader: Reader) -> Document:
    sources = inputs.expand([page])
    if len(sources) != 1:
        message = f"{page} is a folder; name one page of it"
        raise UsageError(message)
    try:
        return reader.read(sources[0])
    except InputError as error:
        raise InputError(f"{page}: {error}") from error


def _answer(content: Content, words: str | None) -> Answer:
    blocks = list(content.explain())
    if words is None:
        return Answer(words, "all", blocks)
    texts = [block.text for block in blocks]
    for match, find in (("exact", holding), ("nearest", nearest)):
        if found := find(texts, words):
            return Answer(words, match, [blocks[number] for number in found])
    return Answer(words, "none", [])


def _not_found(answer: Answer, document: Document) -> str:
    source = document.html
    if isinstance(source, bytes):
        source = source.decode("utf-8", "replace")
    message = "these words are not in the text of the page"
    if folded(answer.words or "") in folded(unescape(source)):
        message += ", but in its source: in an attribute, a script, a comment or the like"
    if answer.blocks:
        message += "; the block above shares most words with them"
    return message


def _drawn(block: BlockDecision, *, brief: bool) -> str:
    """Return a block in words: two lines when it is one of all, else everything about it."""
    mark, colour = ("kept   ", "green") if block.kept else ("dropped", "red")
    line = f"line {block.position[0]}" if block.position else "no line"
    head = f"{writing.coloured(mark, colour)}  score {block.score:.3f}  {line}"
    if brief:
        shown = block.text if len(block.text) <= 100 else f"{block.text[:99]}…"
        return f"{head}  {printable(block.reason)}\n  {printable(shown)}\n"
    rows = {
        "reason": block.reason,
        "hidden": block.hidden,
        "unseen": block.invisible,
        "xpath": block.xpath,
        "text": block.text,
    }
    told = (f"  {name:<6} {printable(value)}\n" for name, value in rows.items() if value)
    return f"{head}\n{''.join(told)}\n"
