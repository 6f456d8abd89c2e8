"""The viewer's routes: its own files at ``/``, and its data under ``/v1/viewer``.

What a page says never becomes part of a document of this origin: it leaves as JSON, and as text for
the sandboxed frame. ``docs/viewer.md`` has the whole model of threats.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Mapping
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from joeira import catalog
from joeira._version import __version__
from joeira.errors import OutputError, UnknownMethod, UsageError
from joeira.render.browser import picture_of
from joeira.service import method_options
from joeira.service.guard import Problem
from joeira.viewer import pages, teaching, view
from joeira.viewer.marked_records import MAX_MARKS, Mark
from joeira.viewer.pages import Pages, Shown, Styles
from joeira.viewer.teaching import Lesson, Place, Pupil, TableWish
from joeira.viewer.view import SITE, Wish

if TYPE_CHECKING:
    from joeira.service.requests import Asking
    from joeira.service.settings import Settings

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types joeira-frame"
)
"""Frames inherit it, and pages have styles of their own; scripts come from files of ours only."""

_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".html": "text/html; charset=utf-8",
}
_DATA = "/v1/viewer"
_MAX_TABLES = 1_000


def mount(app: FastAPI, settings: Settings, pages: tuple[Shown, ...] = ()) -> None:
    """Add the viewer to a service; it offers `pages` first."""
    viewer = _Viewer(app.state.asking, settings, Pages(pages))
    for path, method, handler in (
        ("/", "GET", _index),
        ("/viewer/{name}", "GET", _file),
        (f"{_DATA}/start", "GET", viewer.start),
        (f"{_DATA}/pages", "POST", viewer.send),
        (f"{_DATA}/pages/{{number}}", "GET", viewer.look),
        (f"{_DATA}/pages/{{number}}/source", "GET", viewer.source),
        (f"{_DATA}/pages/{{number}}/marks", "POST", viewer.teach),
        (f"{_DATA}/pages/{{number}}/table", "POST", viewer.export),
        (f"{_DATA}/pages/{{number}}/picture", "GET", viewer.picture),
    ):
        app.add_api_route(path, handler, methods=[method], include_in_schema=False)


def _listed(held: Mapping[str, Shown]) -> list[dict[str, str]]:
    return [
        {"id": key, "name": page.name, "title": pages.title_of(page)} for key, page in held.items()
    ]


async def _index() -> Response:
    return _static("index.html")


async def _file(name: str) -> Response:
    return _static(name)


def _static(name: str) -> Response:
    """Return a file of the viewer; a name is looked up in one folder, never joined to a path."""
    known = {file.name: file for file in files("joeira.viewer").joinpath("static").iterdir()}
    suffix = name[name.rfind(".") :]
    if name not in known or suffix not in _TYPES:
        raise Problem(404, "there is no such file")
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    return Response(known[name].read_bytes(), media_type=_TYPES[suffix], headers=headers)


class _Viewer:
    """The handlers of requests for data."""

    def __init__(self, asking: Asking, settings: Settings, held: Pages) -> None:
        self._asking = asking
        self._settings = settings
        self._held = held
        self._writing = asyncio.Lock()
        self._drawing = asyncio.Lock()  # a browser is large: one at a time

    async def start(self) -> dict[str, Any]:
        """Return what can be chosen before there is a page."""
        return {
            "version": __version__,
            "methods": await asyncio.to_thread(view.methods),
            "defaults": {
                "content": catalog.DEFAULT_CONTENT,
                "segments": catalog.DEFAULT_SEGMENTS,
                "records": catalog.DEFAULT_RECORDS,
            },
            "formats": view.file_types(),
            "pages": await asyncio.to_thread(_listed, self._held.given),
            "examples": await asyncio.to_thread(_listed, self._held.examples),
            "exports": teaching.TABLE_FORMATS,
            "allow_fetch": self._settings.allow_fetch,
            "has_browser": find_spec("playwright") is not None,
        }

    async def send(self, request: Request) -> dict[str, str]:
        """Hold a page that was dropped or pasted, or fetch one."""
        url = request.query_params.get("url") or None
        name = pages.clean_name(request.query_params.get("name", ""))
        if request.query_params.get("fetch") and url:
            url, html = await self._asking.fetched(url)
            return {"id": self._held.add(Shown(name, url, html))}
        is_text = "charset=utf-8" in request.headers.get("content-type", "").lower()
        async with self._asking.bodies.read(request) as body:
            html = body.decode("utf-8", "replace") if is_text else body
            return {"id": self._held.add(Shown(name, url, html))}

    async def look(self, number: str, request: Request) -> Response:
        """Return everything about a page."""
        page = self._page(number)
        place = Place.of(page, self._settings.data)
        has_site = place is not None and place.site.exists()
        wish = self._wish(request.query_params, page)
        html = await asyncio.to_thread(self._read, page)
        body = await self._asking.run(request, view.view, html, page.url, wish)
        about = {"id": number, "name": page.name, "has_site": has_site, "can_save": bool(place)}
        told = json.dumps(about).encode()
        return Response(told[:-1] + b", " + body[1:], media_type="application/json")

    async def source(self, number: str, row: int) -> Response:
        """Return the source of one element."""
        html = await asyncio.to_thread(self._read, self._page(number))
        source = await self._asking.jobs.run(view.source, html, row)
        return Response(source, media_type="application/json")

    async def teach(self, number: str, request: Request) -> dict[str, Any]:
        """Return the rules that marks make; with ``save``, write them and the label."""
        page = self._page(number)
        async with self._asking.bodies.read(request) as body:
            said = _json_of(request, body)
        marks = said.get("marks")
        if not isinstance(marks, list) or not 0 < len(marks) <= MAX_MARKS:
            raise Problem(400, f"marks must be a list of 1 to {MAX_MARKS}")
        wish = self._wish({name: said.get(name) for name in ("method", "records")}, page)
        html = await asyncio.to_thread(self._read, page)
        pupil = Pupil(html, page.url, page.name)
        try:
            read = [Mark.read(mark) for mark in marks]
        except UsageError as error:
            raise Problem(400, str(error)) from None
        async with self._writing:
            lesson = await self._asking.jobs.run(teaching.lesson, pupil, wish, read)
            return await self._answer(page, lesson, bool(said.get("save")))

    async def export(self, number: str, request: Request) -> Response:
        """Return a table, or its selectors, with the columns that somebody named."""
        page = self._page(number)
        async with self._asking.bodies.read(request) as body:
            said = _json_of(request, body)
        wish = _table_wish(said)
        method = self._wish({"records": said.get("records")}, page).records
        html = await asyncio.to_thread(self._read, page)
        text = await self._asking.run(request, teaching.export_table, html, page.url, method, wish)
        return Response(text, media_type="application/json")

    async def picture(self, number: str) -> dict[str, Any]:
        """Return the page as a browser draws it with its linked styles."""
        page = self._page(number)
        html = await asyncio.to_thread(self._read, page)
        styles = Styles(page.path, self._settings.allow_fetch, self._settings.limits.seconds)
        async with self._drawing:
            try:
                drawn = await asyncio.to_thread(picture_of, html, page.url, styles.load)
            except UsageError as error:
                raise Problem(501, str(error)) from None
        if drawn is None:
            raise Problem(504, "the browser could not render this page")
        picture = f"data:image/jpeg;base64,{b64encode(drawn).decode()}"
        return {"picture": picture, "styles": styles.read}

    async def _answer(self, page: Shown, found: Lesson, save: bool) -> dict[str, Any]:
        answer: dict[str, Any] = {"rules": found.rules, "records": found.records.to_dict()}
        place = Place.of(page, self._settings.data)
        if save and place is not None:
            try:
                await asyncio.to_thread(place.write, found)
            except OutputError as error:
                raise Problem(507, f"it could not be saved: {error}") from None
            answer["saved"] = [str(place.labels), str(place.site)]
        elif save:  # nothing may be written here: the browser keeps the files
            answer |= {"label": found.label, "site": found.site}
        return answer

    def _page(self, number: str) -> Shown:
        page = self._held.get(number)
        if page is None:
            raise Problem(404, "this page is no longer in memory", "open it again")
        return page

    def _read(self, page: Shown) -> bytes | str:
        try:
            return page.read(self._settings.max_body_bytes)
        except OSError as error:
            raise Problem(404, f"the page cannot be read: {error.strerror or error}") from None

    def _wish(self, query: Any, page: Shown) -> Wish:
        """Return what a request wants; the catalog refuses methods that do not exist."""
        place = Place.of(page, self._settings.data)
        site = str(place.site) if place is not None and place.site.exists() else None
        wanted = {
            name: str(query.get(name))[:100]
            for name in ("method", "other", "segments", "records")
            if query.get(name)
        }
        for task, name in wanted.items():
            if not (name == SITE and site and task in ("method", "other")):
                kind = task if task in ("segments", "records") else "content"
                _check_method(name, kind)
        return Wish(**wanted, site=site)


def _check_method(name: str, task: str) -> None:
    try:
        method_options.find(name, task)
    except UnknownMethod as error:
        raise Problem(400, str(error)) from None


def _table_wish(said: dict[str, Any]) -> TableWish:
    """Return what is wanted of a table, or raise the problem with it."""
    number, names, form = said.get("table", 0), said.get("columns", []), said.get("to", "csv")
    if not isinstance(number, int) or not 0 <= number < _MAX_TABLES:
        raise Problem(400, "table must be the number of a table, from 0")
    if form not in teaching.TABLE_FORMATS:
        raise Problem(400, f"to must be one of {', '.join(teaching.TABLE_FORMATS)}")
    if not isinstance(names, list) or not all(name is None or _is_name(name) for name in names):
        raise Problem(400, "columns must be a list of names, or null for a column to leave out")
    return TableWish(number, tuple(name and name.strip() for name in names), form)


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and bool(name.strip()) and name.isprintable() and len(name) <= 100


def _json_of(request: Request, body: bytes) -> dict[str, Any]:
    # Another web site can send a form without asking first, but not this type.
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise Problem(415, "marks must be sent as JSON")
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        raise Problem(400, "the body is not JSON") from None
    if not isinstance(said, dict):
        raise Problem(400, "the body must be a JSON object")
    return said
