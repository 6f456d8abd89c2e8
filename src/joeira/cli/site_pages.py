"""The pages of a site: files, folders, addresses, and data sets with a page per line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from joeira.cli import inputs, options, rounds
from joeira.cli.ending import say
from joeira.cli.inputs import Reader, Source
from joeira.errors import InputError, UsageError

if TYPE_CHECKING:
    from joeira.page import Page

LINES = (".jsonl", ".jsonl.gz", ".jsonl.xz")


class SitePages:
    """Reads pages one after the other, tells what could not be read, and counts how it went."""

    def __init__(self, arguments: Sequence[str], doing: str) -> None:
        """Take the arguments apart; nothing is read yet."""
        if not arguments:
            message = "name the pages of the site: a folder, files, addresses or a .jsonl file"
            raise UsageError(message)
        self._sets = [Path(name) for name in arguments if name.endswith(LINES)]
        others = [name for name in arguments if not name.endswith(LINES)]
        self.sources = inputs.expand(others) if others else []
        self._doing = doing
        self._reader = Reader(options.MAX_BYTES, options.TIMEOUT_SECONDS, allow_private=False)
        self.ends: Counter[str] = Counter()

    def __iter__(self) -> Iterator[Page]:
        """Yield every page that can be read."""
        for source in rounds.with_progress(self.sources, self._doing, on_screen=False):
            page = self.read(source)
            if page is not None:
                yield page
        for path in self._sets:
            yield from self._rows(path)

    def read(self, source: Source) -> Page | None:
        """Return a page, or None when it could not be read."""
        from joeira.page import parse

        try:
            found = self._reader.read(source)
        except InputError as error:
            say(f"{source.name}: {error}")
            self.ends["failed"] += 1
            return None
        self.ends["ok"] += 1
        return parse(found.html, found.url)

    def _rows(self, path: Path) -> Iterator[Page]:
        from joeira.evaluation import datasets
        from joeira.page import parse

        for row in rounds.with_progress(
            list(datasets.find(path).rows()), self._doing, on_screen=False
        ):
            self.ends["ok"] += 1
            yield parse(row.html, row.url)
