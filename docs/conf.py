from typing import Any

from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring

from joeira import __version__, catalog, papers
from joeira.cli.methods import reference

project = "Joeira"
author = "The Joeira developers"
copyright = "The Joeira developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 3
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
# the adapters import libraries that building the docs does not need
autodoc_mock_imports = [
    "datatrove",
    "duckdb",
    "langchain_core",
    "llama_index",
    "nemo_curator",
    "scrapy",
    "scrapy_poet",
    "web_poet",
]
default_role = "code"  # `name` in a docstring is code, as in Markdown

html_theme = "furo"
html_title = f"Joeira {release}"
html_show_copyright = False
html_copy_source = False


def add_parameters(_app: Any, name: str, source: list[str]) -> None:
    """Insert the declared parameters and papers into their pages."""
    if name == "methods":
        methods = [catalog.describe(entry) for entry in catalog.METHODS]
        text = "\n".join(f"### {each.name}: {each.task}\n\n{reference(each)}" for each in methods)
        source[0] = source[0].replace("<!-- parameters -->", text)
    if name == "bibliography":
        known = {value for value in vars(papers).values() if isinstance(value, papers.Paper)}
        others = sorted(known.difference(papers.ORIGINS), key=str)
        parts = {"Origin works": papers.ORIGINS, "Papers": others}
        text = "\n".join(
            f"## {title}\n\n" + "".join(f"- {paper}\n" for paper in part)
            for title, part in parts.items()
        )
        source[0] = source[0].replace("<!-- papers -->", text)


def read_sections(
    app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Turn the sections of docstrings into fields.

    Those of attributes and properties have none. Napoleon, left alone, would take what stands there
    before a colon for a type.
    """
    if what not in ("attribute", "property"):
        docstring = GoogleDocstring(lines, Config(), app, what, name, value, options)
        lines[:] = docstring.lines()


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", read_sections)
    app.connect("source-read", add_parameters)
