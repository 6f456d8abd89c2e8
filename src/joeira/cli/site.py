"""``joeira site``: learn the template of a site, look at it, and see whether it still holds.

``joeira extract-site``: learn a site and extract the content of its pages in one go.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urldefrag, urljoin, urlsplit

import typer

from joeira import catalog, formats
from joeira.cli import inputs, options, writing
from joeira.cli.extract import Extraction
from joeira.cli.inputs import Document, Reader, Source
from joeira.cli.page_loop import PageLoop, Target, exit_code, with_progress
from joeira.cli.writing import ExitCode, say
from joeira.errors import InputError, UsageError

if TYPE_CHECKING:
    from joeira.page import Page
    from joeira.sites.corpus import Corpus
    from joeira.sites.result import SiteModel
    from joeira.sites.template import TemplateSite

LINES = (".jsonl", ".jsonl.gz", ".jsonl.xz")


class SitePages:
    """Reads pages one after the other, tells what could not be read, and counts how it went."""

    def __init__(self, arguments: Sequence[str], doing: str) -> None:
        """Take the arguments apart; nothing is read yet."""
        if not arguments:
            message = "name the pages of the site: a folder, files, addresses or a .jsonl file"
            raise UsageError(message)
        self._sets = [Path(name) for name in arguments if name.endswith(LINES)]
        self.files = [name for name in arguments if not name.endswith(LINES)]
        """Arguments that stand for pages, not for data sets."""
        self.sources = inputs.expand(self.files) if self.files else []
        self._doing = doing
        self._reader = Reader(options.MAX_BYTES, options.TIMEOUT_SECONDS, allow_private=False)
        self.ends: Counter[str] = Counter()

    def __iter__(self) -> Iterator[Page]:
        """Yield every page that can be read."""
        for source in with_progress(self.sources, self._doing, on_screen=False):
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

        rows = list(datasets.find(path).rows())
        for row in with_progress(rows, self._doing, on_screen=False):
            self.ends["ok"] += 1
            yield parse(row.html, row.url)


_SHOWN = 25
_SHOWN_CHARS = 80

LEARN_EXAMPLES = options.examples(
    "joeira site learn pages/ -o site.json",
    "joeira site learn pages.jsonl.gz -o site.json --method xcex --set blocks=lossless",
    "joeira site learn pages/ -o blocks.json --method som",
)
SHOW_EXAMPLES = options.examples("joeira site show site.json", "joeira site show site.json --all")
CHECK_EXAMPLES = options.examples(
    "joeira site check site.json new-pages/", "joeira site check site.json page.html"
)

COLLECT_EXAMPLES = options.examples(
    "joeira site collect https://example.org/news -o pages/ --exclude video --exclude gallery",
    "joeira site collect saved-list.html --url https://example.org/news -o pages/",
)
GOLD_EXAMPLES = options.examples(
    'joeira site gold pages/ -o gold --content "article p" --without ".related"',
)
MANIFEST = "manifest.jsonl"

EXTRACT_EXAMPLES = options.examples(
    "joeira extract-site pages/ -o texts/",
    "joeira extract-site pages/ -o out/ --to markdown --method xcex --set blocks=lossless",
)

app = typer.Typer(no_args_is_help=True, help="Learn the template of a site from its pages.")

Pages = Annotated[
    list[str],
    typer.Argument(metavar="PAGES", help="Folders, files, addresses, or .jsonl with html."),
]
SiteFile = Annotated[str, typer.Argument(metavar="SITE", help="What `joeira site learn` wrote.")]


@app.command(epilog=LEARN_EXAMPLES)
def learn(
    pages: Pages,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where the site is written.")
    ],
    method: options.Method = catalog.DEFAULT_SITE,
    settings: options.Settings = None,
) -> None:
    """Learn from the pages of one site what is template and what is content, or its segments."""
    from joeira import api

    learner = catalog.build(method, options.read_settings(settings), catalog.find_site(method).task)
    read = SitePages(pages, "learning")
    site = api.learn_site(read, learner)
    site.save(output)
    say(f"learned from {_pages(site.pages)}: {output}")
    if site.pages < 3:
        say("so few pages tell little of a template: three are the least that help")
    elif not site.has_shared_template:
        say(
            f"warning: no shared template: {_pages(site.pages)} of {len(site.templates)} "
            "templates. Each page will be judged nearly as by itself; learn from pages of one site"
        )
    elif len(site.templates) > 1:
        sizes = ", ".join(str(pages) for pages, _ in site.templates)
        say(f"{len(site.templates)} templates, told apart by their slots: {sizes} pages")
    raise typer.Exit(exit_code(read.ends))


@app.command(epilog=SHOW_EXAMPLES)
def show(
    site: SiteFile,
    every: Annotated[
        bool, typer.Option("--all", help="Everything, not only the most used.")
    ] = False,
) -> None:
    """Show what was learned: templates, their slots, and the texts that come back."""
    from joeira import api

    model = api.load_site(site)
    parameters = " ".join(f"{name}={value}" for name, value in model.parameters.items())
    lines = [f"{model.method}, learned from {_pages(model.pages)}", parameters, ""]
    lines += _described(model, None if every else _SHOWN)
    writing.to_stdout("\n".join(lines) + "\n")


@app.command(epilog=CHECK_EXAMPLES)
def check(site: SiteFile, pages: Pages) -> None:
    """Say whether new pages still have the template of the site; exit code 1 when it changed."""
    from joeira import api

    model = api.load_site(site)
    read = SitePages(pages, "checking")
    found = model.drift(read)
    writing.to_stdout(f"{found}\n")
    code = exit_code(read.ends)
    raise typer.Exit(ExitCode.SOME_FAILED if found.changed else code)


@app.command(epilog=COLLECT_EXAMPLES)
def collect(
    lists: Annotated[
        list[str],
        typer.Argument(metavar="LIST", help="Addresses of list pages, or saved ones with --url."),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the pages are written.")
    ],
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="Leave out links with it in address or text; repeat."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="PAGES", help="Pages at most.")] = 160,
    delay: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Wait between two pages.")
    ] = 1.0,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
) -> None:
    """Gather pages of one template from list pages of a site, as far as its robots.txt allows.

    Pages of the most frequent template are written as 0001.html and so on; manifest.jsonl says of
    every link where it came from, and where it went or why it was left out.
    """
    reader = Reader(options.MAX_BYTES, options.TIMEOUT_SECONDS, allow_private, url)
    links: dict[str, dict[str, Any]] = {}
    for source in inputs.expand(lists):
        document = reader.read(source)
        for link in _links(document, exclude or []):
            links.setdefault(link["url"], {**link, "list": source.name})
    wanted = [link for link in links.values() if "left_out" not in link][:limit]
    ends = _fetch(wanted, Reader(options.MAX_BYTES, options.TIMEOUT_SECONDS, allow_private), delay)
    written = _write_template(wanted, output)
    rows = [{key: link[key] for key in link if key != "html"} for link in links.values()]
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    (output / MANIFEST).write_text(lines, "utf-8", errors="replace")
    say(f"{_pages(written)} of one template, {len(rows) - written} links left out: {output}")
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


@app.command(epilog=GOLD_EXAMPLES)
def gold(
    pages: Pages,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="NAME", help="NAME-learn and NAME-test.jsonl.")
    ],
    content: Annotated[
        list[str], typer.Option(metavar="CSS", help="What is content; repeat for several.")
    ],
    without: Annotated[
        list[str] | None, typer.Option(metavar="CSS", help="What of it is not; repeat.")
    ] = None,
    test_share: Annotated[
        float, typer.Option(min=0, max=1, metavar="SHARE", help="Share of pages for the test.")
    ] = 0.25,
) -> None:
    """Write the answers of pages by CSS selectors, split into pages to learn from and to test.

    A page is in the same part in every run, by its fingerprint. One without content is left out.
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
    for source in inputs.expand(pages):
        try:
            document = reader.read(source)
        except InputError as error:
            say(f"{source.name}: {error}")
            ends["failed"] += 1
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
    say(f"{_pages(len(parts['learn']))} to learn from, {len(parts['test'])} to test")
    raise typer.Exit(exit_code(ends))


def extract_site(
    pages: Annotated[
        list[str], typer.Argument(metavar="PAGES", help="Folders, files or addresses of one site.")
    ],
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="Folder for one file per page.")
    ],
    to: Annotated[options.ContentFormat, typer.Option("--to", help="Output.")] = "text",
    method: options.Method = catalog.DEFAULT_SITE,
    settings: options.Settings = None,
    strict: options.Strict = False,
) -> None:
    """Write the main content of all pages of a site, which are compared with each other."""
    from joeira import api

    learner = catalog.build(method, options.read_settings(settings), "site")
    read = SitePages(pages, "learning")
    if not read.files:
        message = "extract-site writes a file for each page: name folders, files or addresses"
        raise UsageError(message)
    reader = Reader(options.MAX_BYTES, options.TIMEOUT_SECONDS, allow_private=False)
    folder = Target(f"{output}/", formats.find(to).suffix)
    loop = PageLoop(read.files, folder, reader, "extracting")
    site = api.learn_site(read, learner)
    raise typer.Exit(Extraction(site, to).run(loop, strict=strict))


def _described(model: SiteModel, most: int | None) -> list[str]:
    lines = []
    if not model.has_shared_template:
        lines.append("no shared template: each page is judged nearly as by itself")
    for number, (pages, slots) in enumerate(model.templates, 1):
        lines.append(f"template {number}: {_pages(pages)}, {slots} slots")
    if model.method == catalog.DEFAULT_SITE:
        learned: TemplateSite = model.learned  # type: ignore[assignment]  # by its method
        return lines + _of_template(learned, most)
    classes: list[tuple[str, int]] | None = getattr(model.learned, "classes", None)
    if classes is not None:
        lines += ["", "block classes: pages, path"]
        common = sorted(classes, key=lambda found: -found[1])[:most]
        lines += [f"{pages:6}  {path}" for path, pages in common]
    corpus: Corpus[Any] | None = getattr(model.learned, "corpus", None)
    if corpus is not None:
        lines += ["", "blocks on several pages: pages, words in alphabetical order"]
        kept = sorted(corpus.copies.items(), key=lambda item: -len(item[1]))[:most]
        lines += [
            f"{len(pages):6}  {' '.join(sorted(block.words))[:_SHOWN_CHARS] or '-'}"
            for block, pages in kept
            if len(pages) > 1
        ]
    return lines


def _of_template(learned: TemplateSite, most: int | None) -> list[str]:
    lines = []
    for number, slots in enumerate(learned.slots):
        head = "pages, blocks, different texts, words, share of content"
        lines += ["", f"slots of template {number + 1}: {head}"]
        for slot in sorted(slots.values(), key=lambda slot: -slot.words)[:most]:
            share = slot.content_words / slot.words
            counts = f"{slot.pages:6} {slot.blocks:7} {slot.texts:7} {slot.words:8.0f}"
            lines.append(f"{counts}  {share:.2f}  {slot.selector}")
    lines += ["", "texts on several pages"]
    texts = sorted(learned.repeated, key=lambda digest: -learned.texts[digest])[:most]
    lines += [f"{learned.texts[digest]:6}  {learned.repeated[digest]}" for digest in texts]
    return lines


def _pages(number: int) -> str:
    return f"{number} page" if number == 1 else f"{number} pages"
