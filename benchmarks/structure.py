"""What of the structure of pages survives in Markdown, against Markdown that is expected of them.

    python benchmarks/structure.py ../shared/bench/markdown/markdown-dev.jsonl.gz
    python benchmarks/structure.py DATASET.jsonl.gz --worst 20 --peer trafilatura

A data set has rows with `html`, `url`, `title` and `markdown`. Both sides are read by markdown-it
(see `structure.py` beside the data set, which has the rules): precision, recall and F1 for
headings, items, rows of tables, code, formulas, footnotes, links and images, and the mean over
pages and kinds. Two conventions are ours: Markdown begins with the title of the page, and names the
author and the date above each post of a thread. The expected Markdown leaves titles to the metadata
where both say the same, so a first heading that says the title of the row is not counted; and it
writes posts its own way, so ours come without their headings.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import joeira


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Structure of Markdown")
    parser.add_argument("data_set", type=Path, help="JSON lines with html and markdown, gzip")
    parser.add_argument("--worst", type=int, default=0, help="show so many of the worst pages")
    parser.add_argument("--peer", choices=["trafilatura"], help="measure it in our place")
    parser.add_argument("-o", "--output", type=Path, help="write the Markdown as JSON lines")
    return parser.parse_args()


def scorer(folder: Path) -> ModuleType:
    """Return the rules that stand beside the data set."""
    spec = importlib.util.spec_from_file_location("structure_rules", folder / "structure.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"no structure.py in {folder}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ours(row: dict[str, Any]) -> str:
    """Return our Markdown, without a first heading that says the title of the row."""
    markdown = joeira.extract(row["html"], url=row["url"]).markdown(posts=False)
    first, _, rest = markdown.partition("\n")
    is_title = first.startswith("# ") and words(first) == words(row["title"] or "")
    return rest.lstrip("\n") if is_title else markdown


def words(text: str) -> list[str]:
    """Return the words of a title."""
    return re.findall(r"\w+", text.lower())


def peer(row: dict[str, Any]) -> str:
    """Return trafilatura's Markdown."""
    import trafilatura

    options = {"include_links": True, "include_images": True, "include_formatting": True}
    return (
        trafilatura.extract(row["html"], url=row["url"], output_format="markdown", **options) or ""
    )


def main() -> None:
    """Measure all pages."""
    options = arguments()
    rules = scorer(options.data_set.parent)
    with gzip.open(options.data_set, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    write = peer if options.peer else ours
    answers = [write(row) for row in rows]
    pairs = [(row["markdown"], answer) for row, answer in zip(rows, answers, strict=True)]
    table, mean = rules.summary(pairs)
    for kind, row in table.items():
        figures = " ".join(f"{name} {row[name]:.3f}" for name in ("P", "R", "F1"))
        print(f"{kind:10} {figures} ({row['gold']})")
    print(f"mean over {len(rows)} pages and kinds {mean:.4f}")
    reader = rules.reader()
    judged = []
    for row, (expected, answer) in zip(rows, pairs, strict=True):
        kinds = rules.compare(expected, answer, reader)
        share = sum(2 * hit / max(1, own + gold) for hit, own, gold in kinds.values())
        wrong = {kind: each for kind, each in kinds.items() if 2 * each[0] != each[1] + each[2]}
        judged.append((share / max(1, len(kinds)), row["id"], wrong))
    for share, name, wrong in sorted(judged, key=lambda each: each[:2])[: options.worst]:
        print(f"{share:.3f} {name} {wrong}")
    if options.output:
        lines = (
            json.dumps({"id": row["id"], "markdown": answer}) + "\n"
            for row, answer in zip(rows, answers, strict=True)
        )
        options.output.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
