"""Where results go: standard output, one file, or a folder with one file per input."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from joeira.cli import writing
from joeira.cli.inputs import STDIN, Source
from joeira.errors import UsageError

_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))


def plan(
    sources: Sequence[Source], output: str | None, suffix: str, *, several: bool
) -> list[Path | None]:
    """Return a place for the result of each source, before anything is read or written.

    No two places are the same, and none is a page that is read. None is standard output.
    """
    if output is None or output == STDIN:
        return [None] * len(sources)
    places = [Path(output)]
    if several or is_folder(output):
        if Path(output).is_file():
            message = f"-o {output} is a file, but results need a folder here"
            raise UsageError(message)
        places = _in_folder(sources, Path(output), suffix)
    _spare_inputs(sources, places)
    return [*places]


def write(place: Path | None, content: str | bytes) -> None:
    """Write a result to its place."""
    if place is not None:
        writing.to_file(place, content)
    elif isinstance(content, bytes):
        writing.bytes_to_stdout(content)
    else:
        writing.to_stdout(content)


def is_folder(output: str) -> bool:
    """Return whether an output is meant as a folder, however many inputs there are."""
    return output.endswith(_SEPARATORS) or Path(output).is_dir()


def _in_folder(sources: Sequence[Source], folder: Path, suffix: str) -> list[Path]:
    names = []
    seen: Counter[str] = Counter()
    for source in sources:
        name = f"{source.label}{suffix}"
        label = str(source.label).casefold()  # some file systems do not tell A from a
        while seen[name.casefold()]:
            seen[label] += 1
            name = f"{source.label}-{seen[label] + 1}{suffix}"
        seen[name.casefold()] += 1
        names.append(name)
    return [folder / name for name in names]


def _spare_inputs(sources: Sequence[Source], places: Sequence[Path]) -> None:
    read = {os.path.realpath(source.name) for source in sources if not source.is_address}
    for place in places:
        if place.is_file() and os.path.realpath(place) in read:
            message = f"{place} is an input and would be overwritten; choose another -o"
            raise UsageError(message)
