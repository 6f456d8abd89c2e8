"""``joeira site``: learn the template of a site, show it, and check whether it has changed.

``joeira extract-site``: learn a site and extract the content of its pages in one go.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from joeira import catalog, formats
from joeira.cli import inputs, options, writing
from joeira.cli.extract import Extraction
from joeira.cli.inputs import Reader, Source
from joeira.cli.page_loop import PageLoop, Target, count_failure, exit_code, with_progress
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
            message = "give the pages of the site: a folder, files, addresses or a .jsonl file"
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
            count_failure(self.ends, source.name, error)
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

TRAIN_EXAMPLES = options.examples(
    "joeira site train-segments marked/ -o model.npz",
    "joeira site learn pages/ -o blocks.json --method som --set model=model.npz",
)

EXTRACT_EXAMPLES = options.examples(
    "joeira extract-site pages/ -o texts/",
    "joeira extract-site pages/ -o out/ --to markdown --method xcex --set blocks=lossless",
)

app = typer.Typer(no_args_is_help=True, help="Learn the template of a site from its pages.")

Pages = Annotated[
    list[str],
    typer.Argument(metavar="PAGES", help="Folders, files, addresses, or .jsonl files with html."),
]
SiteFile = Annotated[
    str, typer.Argument(metavar="SITE", help="Site file from `joeira site learn`.")
]


@app.command(epilog=LEARN_EXAMPLES)
def learn(
    pages: Pages,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Output file for the site.")
    ],
    method: options.Method = catalog.DEFAULT_SITE,
    settings: options.Settings = None,
) -> None:
    """Learn from pages of one site what is template and what is content, or its segments."""
    from joeira import api

    learner = catalog.build(method, options.read_settings(settings), catalog.find_site(method).task)
    read = SitePages(pages, "learning")
    site = api.learn_site(read, learner)
    writing.to_file(Path(output), site.to_json())
    say(f"learned from {count_of_pages(site.pages)}: {output}")
    if site.pages < 3:
        say("so few pages reveal little of a template; use at least three")
    elif not site.has_shared_template:
        say(
            f"warning: no shared template: {count_of_pages(site.pages)} of {len(site.templates)} "
            "templates. Each page will be judged nearly as by itself; learn from pages of one site"
        )
    elif len(site.templates) > 1:
        sizes = ", ".join(str(pages) for pages, _ in site.templates)
        say(f"{len(site.templates)} templates, distinguished by their slots: {sizes} pages")
    raise typer.Exit(exit_code(read.ends))


@app.command(epilog=SHOW_EXAMPLES)
def show(
    site: SiteFile,
    every: Annotated[
        bool, typer.Option("--all", help="Show everything, not only the most frequent.")
    ] = False,
) -> None:
    """Show what was learned: templates, their slots, and repeated texts."""
    from joeira import api

    model = api.load_site(site)
    parameters = " ".join(f"{name}={value}" for name, value in model.parameters.items())
    lines = [f"{model.method}, learned from {count_of_pages(model.pages)}", parameters, ""]
    lines += _described(model, None if every else _SHOWN)
    writing.to_stdout("\n".join(lines) + "\n")


@app.command(epilog=CHECK_EXAMPLES)
def check(site: SiteFile, pages: Pages) -> None:
    """Check whether new pages still have the template of the site; exit code 1 if not."""
    from joeira import api

    model = api.load_site(site)
    read = SitePages(pages, "checking")
    found = model.drift(read)
    writing.to_stdout(f"{found}\n")
    code = exit_code(read.ends)
    raise typer.Exit(ExitCode.SOME_FAILED if found.changed else code)


@app.command("train-segments", epilog=TRAIN_EXAMPLES)
def train_segments(
    data_sets: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA",
            help="Sites with annotated blocks: .jsonl files, one per site, or folders.",
        ),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Output file for the weights.")
    ],
    key: Annotated[
        str, typer.Option(metavar="NAMES", help="What distinguishes siblings: tag, or tag,id.")
    ] = "tag,id",
    limit: Annotated[
        int, typer.Option(min=2, metavar="PAGES", help="Maximum number of pages per site.")
    ] = 40,
) -> None:
    """Train the support vector machine of the method som on annotated sites.

    A row of a data set has html and blocks, each with an xpath. The settings (kernel, degree,
    gamma, coef0 and C) are chosen on held-out sites.
    """
    import numpy as np

    from joeira.evaluation import datasets, marked_sites

    method = catalog.build("som", {"key": key}, "site_segments")
    paths = [
        path
        for place in data_sets
        for path in (sorted(place.glob("*.jsonl*")) if place.is_dir() else [place])
    ]
    sites, samples = [], []
    for path in with_progress(paths, "reading sites", on_screen=False):
        rows = [row for row in datasets.find(path, limit).rows() if row.blocks]
        if rows:
            sites.append(marked_sites.MarkedSite.of(rows, method))
            samples.append(marked_sites.samples_of_parts(rows, method))
        else:
            say(f"{path}: skipped, because no page has blocks")
    with writing.progress_bar("choosing settings", "settings") as progress:
        training = marked_sites.train(sites, samples, progress=progress)
    weights = io.BytesIO()
    np.savez_compressed(weights, allow_pickle=False, **training.machine.to_arrays())
    writing.to_file(output, weights.getvalue())
    best_first = sorted(training.tried.items(), key=lambda item: -item[1])
    writing.to_stdout("".join(f"{index:.3f}  {each.label}\n" for each, index in best_first))
    say(f"learned from {len(sites)} sites: {output}")


def extract_site(
    pages: Annotated[
        list[str], typer.Argument(metavar="PAGES", help="Folders, files or addresses of one site.")
    ],
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Output folder, with one file per page."
        ),
    ],
    to: Annotated[
        options.ContentFormat, typer.Option("--to", help=options.output("content"))
    ] = "text",
    method: options.Method = catalog.DEFAULT_SITE,
    settings: options.Settings = None,
    strict: options.Strict = False,
) -> None:
    """Learn a site and write the main content of all its pages."""
    from joeira import api

    learner = catalog.build(method, options.read_settings(settings), "site")
    read = SitePages(pages, "learning")
    if not read.files:
        message = "extract-site writes one file per page; give folders, files or addresses"
        raise UsageError(message)
    reader = Reader(options.MAX_BYTES, options.TIMEOUT_SECONDS, allow_private=False)
    folder = Target(f"{output}/", formats.find(to).suffix)
    loop = PageLoop(read.files, folder, reader, "extracting")
    site = api.learn_site(read, learner)
    raise typer.Exit(Extraction(site, to).run(loop, strict=strict))


def _described(model: SiteModel, most: int | None) -> list[str]:
    lines = []
    if not model.has_shared_template:
        lines.append("no shared template: each page is judged almost by itself")
    for number, (pages, slots) in enumerate(model.templates, 1):
        lines.append(f"template {number}: {count_of_pages(pages)}, {slots} slots")
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


def count_of_pages(number: int) -> str:
    """Return a number of pages in words."""
    return f"{number} page" if number == 1 else f"{number} pages"
