"""``joeira site collect`` and ``joeira site gold``: make a data set from the pages of a site."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Annotated, Any
from urllib.parse import urldefrag, urljoin, urlsplit

import typer

from joeira.cli import inputs, options
from joeira.cli.inputs import Document, Reader, Source
from joeira.cli.page_loop import count_failure, exit_code, with_progress
from joeira.cli.site import Pages, count_of_pages
from joeira.cli.writing import say
from joeira.errors import InputError

COLLECT_EXAMPLES = options.examples(
    "joeira site collect https://example.org/news -o pages/ --exclude video --exclude gallery",
    "joeira site collect saved-list.html --url https://example.org/news -o pages/",
)
GOLD_EXAMPLES = options.examples(
    'joeira site gold pages/ -o gold --content "article p" --without ".related"',
)
MANIFEST = "manifest.jsonl"


def collect(
    lists: Annotated[
        list[str],
        typer.Argument(
            metavar="LIST", help="Addresses of list pages, or saved list pages with --url."
        ),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Output folder for the pages.")
    ],
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD", help="Skip links whose address or text contains this word; repeatable."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, metavar="PAGES", help="Maximum number of pages.")
    ] = 160,
    delay: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Seconds to wait between two pages.")
    ] = 1.0,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
) -> None:
    """Download the pages that list pages link to, and keep those of one template.

    Respects robots.txt. Writes the pages of the most frequent template as 0001.html and so on;
    manifest.jsonl lists for every link where it came from, and where it was saved or why it was
    left out.
    """
    reader = Reader(options.MAX_BYTES, options.TIMEOUT_SECONDS, allow_private, url)
    links: dict[str, dict[str, Any]] = {}
    for source in inputs.expand(lists):
        try:
            document = reader.read(source)
        except InputError as error:
            raise InputError(f"{source.name}: {error}") from error.__cause__
        for link in _links(document, exclude or []):
            links.setdefault(link["url"], {**link, "list": source.name})
    wanted = [link for link in links.values() if "left_out" not in link]
    for link in wanted[limit:]:
        link["left_out"] = "beyond the limit"
    del wanted[limit:]
    ends = _fetch(wanted, Reader(options.MAX_BYTES, options.TIMEOUT_SECONDS, allow_private), delay)
    written = _write_template(wanted, output)
    rows = [{key: link[key] for key in link if key != "html"} for link in links.values()]
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    (output / MANIFEST).write_text(lines, "utf-8", errors="replace")
    say(
        f"{count_of_pages(written)} of one template, {len(rows) - written} links left out: {output}"
    )
    raise typer.Exit(exit_code(ends))


def _links(document: Document, exclude: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the addresses of the same host that a list page links to, each once, with its text."""
    from joeira.page import parse
    from joeira.page.addresses import base_of

    page = parse(document.html, document.url)
    base = base_of(page) or document.url or ""
    host = urlsplit(base).netloc
    for row, (address,) in page.attributes.read("a[href]", ["href"]):
        try:
            url, _ = urldefrag(urljoin(base, (address or "").strip()))
            same_host = urlsplit(url).netloc == host and url.startswith(("http:", "https:"))
        except ValueError:  # no address
            continue
        if not same_host or url == urldefrag(document.url or "")[0]:
            continue
        link: dict[str, Any] = {"url": url, "text": page.text_of(row)}
        said = f"{url} {link['text']}".casefold()
        word = next((word for word in exclude if word.casefold() in said), None)
        yield link if word is None else {**link, "left_out": f"excluded: {word}"}


def _fetch(links: list[dict[str, Any]], reader: Reader, delay: float) -> Counter[str]:
    """Add to each link the page that it leads to, or why there is none."""
    ends: Counter[str] = Counter()
    for number, link in enumerate(with_progress(links, "collecting", on_screen=False)):
        if number:
            time.sleep(delay)
        try:
            link["html"] = reader.read(Source(link["url"], PurePath("page"))).html
            ends["ok"] += 1
        except InputError as error:
            say(f"{link['url']}: {error}")
            link["left_out"] = str(error)
            ends["failed"] += 1
    return ends


def _write_template(links: Sequence[dict[str, Any]], folder: Path) -> int:
    """Write the pages of the most frequent template; return how many they are."""
    from joeira.page import parse
    from joeira.sites.profile import Profile, slots_of

    profile = Profile()
    for link in links:
        if "html" in link:
            slots = slots_of(parse(link["html"], link["url"]))
            profile, link["template"] = profile.with_page(slots)
    sizes = [group.pages for group in profile.groups]
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for link in links:
        if "html" not in link:
            continue
        if link["template"] != sizes.index(max(sizes)):
            link["left_out"] = "another template"
            continue
        written += 1
        link["file"] = f"{written:04}.html"
        html = link["html"]
        data = html.encode("utf-8", "replace") if isinstance(html, str) else html
        (folder / link["file"]).write_bytes(data)
    return written


def gold(
    pages: Pages,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="NAME", help="Writes NAME-learn.jsonl and NAME-test.jsonl."
        ),
    ],
    content: Annotated[
        list[str], typer.Option(metavar="CSS", help="Selector of the content; repeatable.")
    ],
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="CSS", help="Selector of parts to exclude; repeatable."),
    ] = None,
    test_share: Annotated[
        float, typer.Option(min=0, max=1, metavar="SHARE", help="Share of pages for testing.")
    ] = 0.25,
) -> None:
    """Create gold annotations from CSS selectors, split into training and test pages.

    The split depends only on the fingerprint of a page. Pages without content are left out.
    """
    from joeira.content.all_text import AllText
    from joeira.page import parse
    from joeira.sites.corpus import fingerprint
    from joeira.sites.result import Rule, apply

    rules = [Rule(css, "content") for css in content]
    rules += [Rule(css, "noise") for css in without or []]
    parts: dict[str, list[str]] = {"learn": [], "test": []}
    reader = Reader(options.MAX_BYTES, options.TIMEOUT_SECONDS, allow_private=False)
    ends: Counter[str] = Counter()
    for source in with_progress(inputs.expand(pages), "reading", on_screen=False):
        try:
            document = reader.read(source)
        except InputError as error:
            count_failure(ends, source.name, error)
            continue
        page = parse(document.html, document.url)
        everything = AllText().extract(page)
        text = apply(replace(everything, keep=everything.keep & False), rules).text()
        print_ = fingerprint(page)
        part = "test" if int(print_, 16) < test_share * 16 ** len(print_) else "learn"
        ends["ok" if text else "empty"] += 1
        if text:
            html = document.html
            if isinstance(html, bytes):
                html = html.decode(page.encoding or "utf-8", "replace")
            row = {"id": print_, "url": page.url or "", "html": html, "text": text}
            parts[part].append(f"{json.dumps(row, ensure_ascii=False)}\n")
    for part, lines in parts.items():
        Path(f"{output}-{part}.jsonl").write_text("".join(lines), "utf-8", errors="replace")
    say(f"{count_of_pages(len(parts['learn']))} to learn from, {len(parts['test'])} to test")
    raise typer.Exit(exit_code(ends))
