"""The functions most people need."""

from __future__ import annotations

import dataclasses
from typing import Any

from joeira import catalog
from joeira.contracts import Extractor
from joeira.errors import UsageError
from joeira.page import Page, parse
from joeira.results import Content, Records


def extract(
    page: Page | str | bytes,
    method: str | Extractor[Content] = catalog.DEFAULT_CONTENT,
    *,
    url: str | None = None,
    visible_only: bool = False,
    **parameters: Any,
) -> Content:
    """Return the main content of a page.

    Args:
        page: A parsed page, or HTML as text or bytes.
        method: Name of a method of the catalog, or a configured method.
        url: Address of the page, when `page` is HTML.
        visible_only: Leave out what readers of the page do not see, as `Content.visible` does.
        parameters: Parameters of a method given by name.
    """
    extractor = _method("content", method, parameters)
    found: Content = extractor.extract(_page(page, url))
    found = dataclasses.replace(found, configuration=catalog.fingerprint(extractor))
    return found.visible() if visible_only else found


def find_records(
    page: Page | str | bytes,
    method: str | Extractor[Records] = catalog.DEFAULT_RECORDS,
    *,
    url: str | None = None,
    **parameters: Any,
) -> Records:
    """Return the lists of data records of a page as tables, best first.

    Args:
        page: A parsed page, or HTML as text or bytes.
        method: Name of a method of the catalog, or a configured method.
        url: Address of the page, when `page` is HTML.
        parameters: Parameters of a method given by name.
    """
    found: Records = _method("records", method, parameters).extract(_page(page, url))
    return found


def _page(page: Page | str | bytes, url: str | None) -> Page:
    if not isinstance(page, Page):
        return parse(page, url)
    if url is not None:
        message = "a parsed page has its url already: give it to parse()"
        raise UsageError(message)
    return page


def _method(task: str, method: str | Extractor[Any], parameters: dict[str, Any]) -> Extractor[Any]:
    if isinstance(method, str):
        kind = catalog.find(method, task).load()
        catalog.check_names(method, kind, parameters)
        made: Extractor[Any] = kind(**parameters)
        return made
    if parameters:
        message = "parameters go into the method itself when it is not given by name"
        raise UsageError(message)
    return method
