"""CPU time from the source of a page to its text: the default method beside two peers, by stage.

python benchmarks/extract.py [DATASET] [--pages N] [--rounds N]
"""

import timing  # isort: skip (before numpy)

import time

import trafilatura
from resiliparse.extract.html2text import extract_plain_text

import joeira
from joeira import catalog


def ours(html: str) -> object:
    """Extract with the default method."""
    return joeira.extract(html).text()


def resiliparse(html: str) -> object:
    """Extract with resiliparse."""
    return extract_plain_text(html, main_content=True)


def stages(pages: list[str], rounds: int) -> dict[str, float]:
    """Return the cost of each stage, every one on what the stage before made."""
    method = catalog.build(catalog.DEFAULT_CONTENT, task="content")
    watch = timing.Watch()
    for _ in range(rounds):
        for html in pages:
            page = watch.time("parse", joeira.parse, html)
            content = watch.time("extract", method.extract, page)
            watch.time("text", lambda content: content.text(), content)
        watch.end_round(len(pages))
    return watch.best_ms


def spread(pages: list[str]) -> list[float]:
    """Return the CPU milliseconds of each page, in order of size."""
    found = []
    for html in pages:
        began = time.process_time()
        ours(html)
        found.append((time.process_time() - began) * 1000)
    return sorted(found)


def main() -> None:
    """Print the tables."""
    options = timing.arguments("CPU time from source to text", rounds=3)
    pages = timing.read_pages(options)
    default = f"joeira ({catalog.DEFAULT_CONTENT})"
    tasks: dict[str, timing.Task] = {default: ours, "resiliparse main content": resiliparse}
    slow: dict[str, timing.Task] = {"trafilatura": trafilatura.extract}
    found = timing.race(tasks | slow, pages, options.rounds)
    del found[timing.PREPARE]
    rows = [[name, f"{ms:.2f}", f"{ms / found[default]:.2f}"] for name, ms in found.items()]
    timing.show(f"{len(pages)} pages", ["", "ms/page", "of ours"], rows)
    by_stage = stages(pages, options.rounds)
    total = sum(by_stage.values())
    rows = [[name, f"{ms:.2f}", f"{ms / total:.0%}"] for name, ms in by_stage.items()]
    timing.show(f"stages of {default}", ["stage", "ms/page", "share"], rows)
    by_page = spread(pages)
    middle, most = by_page[len(by_page) // 2], by_page[len(by_page) * 99 // 100]
    print(f"of {len(pages)} pages: median {middle:.1f} ms, 99 % within {most:.1f} ms")
    timing.show_growth(tasks | slow, pages, options.rounds)


if __name__ == "__main__":
    main()
