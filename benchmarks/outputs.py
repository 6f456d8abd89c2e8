"""Every output of the library for every page of data sets, to compare two versions of Joeira.

::

    python benchmarks/outputs.py ../shared/bench/content/*.jsonl.gz -o new.jsonl.gz
    PYTHONPATH=../joeira-1.0/src python benchmarks/outputs.py DATASET.jsonl.gz... -o old.jsonl.gz
    joeira compare old.jsonl.gz new.jsonl.gz

Only public names are used, so that it runs with older versions of the package too; which one is
imported is up to PYTHONPATH. An output that fails becomes a text that says so, and is compared like
any other.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import lzma
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from typing import IO, Any

import joeira

PAGES_AT_ONCE = 256
NAMES_OF_VERSIONS = ("version", "configuration")
"""What JSON says of its making, which no two versions share."""
TASKS: dict[str, Callable[[Any], Any]] = {
    "content": joeira.extract,
    "records": lambda page: list(joeira.find_records(page)),
    "segments": lambda page: list(joeira.segment(page)),
}
WRITERS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "content": {
        "text": lambda content: content.text(),
        "markdown": lambda content: content.markdown(),
        "html": lambda content: content.html(),
        "json": lambda content: {
            name: value
            for name, value in content.to_dict().items()
            if name not in NAMES_OF_VERSIONS
        },
    },
    "records": {
        "records": lambda tables: [table.to_dicts() for table in tables],
        "csv": lambda tables: [table.to_csv() for table in tables],
    },
    "segments": {
        "segments": lambda parts: [[part.label, part.xpath, part.text] for part in parts],
    },
}


def main() -> None:
    """Write one row per page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, help="data sets: .jsonl, .jsonl.gz or .xz")
    parser.add_argument("-o", "--output", type=Path, required=True, help=".jsonl or .jsonl.gz")
    parser.add_argument("--hashes", action="store_true", help="hashes instead of the values")
    parser.add_argument("--limit", type=int, help="only the first pages of each data set")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    options = parser.parse_args()
    pages = (page for file in options.files for page in pages_of(file, options.limit))
    write_row = partial(line_of, hashes=options.hashes)
    written = 0
    with opened(options.output, "wt") as out, Pool(options.workers) as pool:
        while some := list(islice(pages, PAGES_AT_ONCE)):  # a pool would read all of them at once
            for line in pool.imap(write_row, some, chunksize=8):
                out.write(line)
                written += 1
    print(f"{written} pages by joeira {joeira.__version__} from {joeira.__file__}", file=sys.stderr)


def opened(path: Path, mode: str) -> IO[str]:
    """Open a text file, compressed as its name says."""
    opening = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    # Pages hold lone surrogates; JSON writes them as escapes.
    return opening(path, mode, encoding="utf-8", errors="surrogatepass")


def pages_of(path: Path, limit: int | None) -> Iterator[tuple[str, str, str | None]]:
    """Yield id, source and address of the pages of a data set."""
    name = path.name.partition(".jsonl")[0]
    with opened(path, "rt") as file:
        for number, line in enumerate(islice(file, limit), 1):
            row = json.loads(line)
            if not isinstance(row.get("html"), str):
                sys.exit(f"{path}, line {number}: the row has no html, so there is no page")
            yield f"{name}/{row['id']}", row["html"], row.get("url")


def line_of(page: tuple[str, str, str | None], hashes: bool) -> str:
    """Return all outputs for a page as a line of JSON."""
    page_id, html, url = page
    outputs = outputs_of(html, url)
    if hashes:
        outputs = {name: hash_of(value) for name, value in outputs.items()}
    return json.dumps({"id": page_id, **outputs}) + "\n"


def outputs_of(html: str, url: str | None) -> dict[str, Any]:
    """Return every output by its name."""
    page = joeira.parse(html, url=url)
    outputs = {}
    for task, writers in WRITERS.items():
        result = attempt(TASKS[task], page)
        for name, write in writers.items():
            outputs[name] = result if isinstance(result, str) else attempt(write, result)
    return outputs


def attempt(function: Callable[[Any], Any], argument: Any) -> Any:
    """Return what a function returns, or a text that says how it failed."""
    try:
        return function(argument)
    except Exception as error:  # a fault of a version is a result like any other
        return f"failed: {type(error).__name__}: {error}"


def hash_of(value: Any) -> str:
    """Return a short hash of plain data; `joeira compare` does not count its words."""
    data = json.dumps(value, sort_keys=True).encode()
    return f"sha256:{hashlib.sha256(data).hexdigest()[:16]}"


if __name__ == "__main__":
    main()
