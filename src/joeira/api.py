"""The functions most people need."""

from __future__ import annotations

from typing import Any

from joeira import catalog
from joeira.contracts import Extractor
from joeira.errors import UsageError
from joeira.page import Page, parse
from joeira.results import Content


def extract(
    page: Page | str | bytes,
    method: str | Extractor[Content] = catalog.DEFAULT_CONTENT,
    *,
    url: str | None = None,
    **parameters: Any,
) -> Content:
    """Return the main content of a page.

    Args:
        page: A parsed page, or HTML as text or bytes.
        method: Name of a method of the catalog, or a configured method.
        url: Address of the page, when `page` is HTML.
        parameters: Parameters of a method given by name.
    """
    if not isinstance(page, Page):
        page = parse(page, url)
    elif url is not None:
        message = "a parsed page has its url already: give it to parse()"
        raise UsageError(message)
    if isinstance(method, str):
        method = _configured(method, parameters)
    elif parameters:
        message = "parameters go into the method itself when it is not given by name"
        raise UsageError(message)
    return method.extract(page)


def _configured(name: str, parameters: dict[str, Any]) -> Extractor[Content]:
    kind = catalog.find(name, "content").load()
    catalog.check_names(name, kind, parameters)
    built: Extractor[Content] = kind(**parameters)
    return built
