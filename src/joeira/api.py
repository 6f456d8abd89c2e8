"""The main functions: extract, find_records, segment, learn_site and others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joeira import catalog
from joeira.catalog import Extractor, SiteLearner
from joeira.content.result import Content, configured
from joeira.errors import InputError, JoeiraError, UsageError
from joeira.page import Page, parse

if TYPE_CHECKING:
    from joeira.records.pagination import PageLinks
    from joeira.records.result import Records
    from joeira.records.wrapper import Wrapper
    from joeira.segments.result import Segments
    from joeira.sites.result import SiteModel


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
        url: Address of the page, if `page` is HTML.
        visible_only: Leave out text that readers of the page do not see, like `Content.visible`.
        parameters: Parameters of a method given by name.
    """
    extractor = _method("content", method, parameters)
    content: Content = extractor.extract(_page(page, url))
    found = configured(content, catalog.fingerprint(extractor))
    return found.visible() if visible_only else found


def find_records(
    page: Page | str | bytes,
    method: str | Extractor[Records] = catalog.DEFAULT_RECORDS,
    *,
    url: str | None = None,
    **parameters: Any,
) -> Records:
    """Return the lists of data records on a page as tables, best first.

    Args:
        page: A parsed page, or HTML as text or bytes.
        method: Name of a method of the catalog, or a configured method.
        url: Address of the page, if `page` is HTML.
        parameters: Parameters of a method given by name.
    """
    found: Records = _method("records", method, parameters).extract(_page(page, url))
    return found


def learn_records(
    pages: Page | str | bytes | Iterable[Page | str | bytes],
    examples: Iterable[str] | Mapping[str, str] = (),
    *,
    method: str | Extractor[Records] | None = None,
) -> Wrapper:
    """Learn the list on pages of a site and return a wrapper that reads it on other pages.

    Args:
        pages: A page, or several, parsed or as HTML.
        examples: Values of records, as shown on the page; or a mapping from column names to
            values. Without examples, the best list of each page is learned with all columns.
        method: Record method that finds the lists: a name or a configured method. The default
            uses the best list of a page even if the page may have none.
    """
    from joeira.records.wrapper_learning import learn

    several = [pages] if isinstance(pages, Page | str | bytes) else pages
    parsed = [_page(page, None) for page in several]
    every = {"min_presence": 0.0} | ({"min_score": 0.0, "max_tables": 40} if examples else {})
    finder = _method("records", method or catalog.DEFAULT_RECORDS, {} if method else every)
    return learn(parsed, finder.extract, examples)


def load_records(path: str | Path) -> Wrapper:
    """Load a wrapper from a file that `Wrapper.save` wrote, or raise `InputError`."""
    from joeira.records.wrapper import Wrapper

    return Wrapper.load(path)


def find_pages(page: Page | str | bytes, *, url: str | None = None) -> PageLinks:
    """Return the links to the other pages of a list: next, previous, numbered and so on.

    Args:
        page: A parsed page, or HTML as text or bytes.
        url: Address of the page, if `page` is HTML.
    """
    from joeira.records.pagination import find_page_links

    return find_page_links(_page(page, url))


def learn_site(
    pages: Iterable[Page | str | bytes],
    method: str | SiteLearner[Content | Segments] = catalog.DEFAULT_SITE,
    **parameters: Any,
) -> SiteModel:
    """Learn from many pages of one site what is template and what is content, or its segments.

    Args:
        pages: Pages of the site, parsed or as HTML; an iterator works, too.
        method: Name of a site method of the catalog, or a configured one.
        parameters: Parameters of a method given by name.
    """
    named = catalog.find_site(method).task if isinstance(method, str) else ""
    learner = _method(named, method, parameters)
    name = method if isinstance(method, str) else catalog.name_of(type(method), *catalog.SITE_TASKS)
    from joeira.sites.result import SiteModel

    empty = SiteModel(name, learner.fit(()))
    found = empty.update(_page(page, None) for page in pages)
    if not found.pages:
        message = "learning a site needs at least one page"
        raise UsageError(message)
    return found


_DAMAGE = (JoeiraError, LookupError, TypeError, ValueError, AttributeError, OverflowError)
"""Exceptions that damaged plain data can cause."""


def load_site(path: str | Path) -> SiteModel:
    """Load a site from a file that `SiteModel.save` wrote, or raise `InputError`."""
    from joeira.sites.result import read_site_file

    return restore_site(read_site_file(path), str(path))


def restore_site(data: dict[str, Any], name: str) -> SiteModel:
    """Return the site that `SiteModel.to_dict` describes; an `InputError` mentions `name`."""
    from joeira.sites.profile import Profile
    from joeira.sites.result import SiteModel, read_rules

    try:
        kind = catalog.find_site(data["method"]).load()
        parameters = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in data["parameters"].items()
        }
        learned = kind(**parameters).restore(data["learned"])
        rules = read_rules(data.get("rules", []))
        return SiteModel(data["method"], learned, Profile.restore(data["profile"]), rules)
    except _DAMAGE as error:
        message = f"{name}: damaged site file ({type(error).__name__}: {error})"
        raise InputError(message) from error


def segment(
    page: Page | str | bytes,
    method: str | Extractor[Segments] = catalog.DEFAULT_SEGMENTS,
    *,
    url: str | None = None,
    **parameters: Any,
) -> Segments:
    """Return the segments of a page: a partition of its texts, in page order.

    Args:
        page: A parsed page, or HTML as text or bytes.
        method: Name of a method of the catalog, or a configured method.
        url: Address of the page, if `page` is HTML.
        parameters: Parameters of a method given by name.
    """
    found: Segments = _method("segments", method, parameters).extract(_page(page, url))
    return found


def _page(page: Page | str | bytes, url: str | None) -> Page:
    if not isinstance(page, Page):
        return parse(page, url)
    if url is not None:
        message = "a parsed page already has its url; pass it to parse()"
        raise UsageError(message)
    return page


def _method(task: str, method: Any, parameters: dict[str, Any]) -> Any:
    if isinstance(method, str):
        return catalog.make(method, task, parameters)
    if parameters:
        message = "if the method is not given by name, pass the parameters to its class"
        raise UsageError(message)
    return method
