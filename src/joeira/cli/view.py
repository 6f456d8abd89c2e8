"""``joeira view``: look at pages in the browser."""

from __future__ import annotations

import socket
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from joeira.cli import inputs, options, writing
from joeira.cli.inputs import Reader
from joeira.errors import InputError, UsageError

if TYPE_CHECKING:
    from joeira.viewer.pages import Shown

EXAMPLES = options.examples(
    "joeira view page.html",
    "joeira view pages/ --data taught/ --no-browser --port 8400",
)
_OPEN_SECONDS = 60.0
_PAGE_SECONDS = 60.0
"""Somebody who looks at one page would rather wait than be told that it takes long."""


def view(
    pages: Annotated[
        list[str] | None,
        typer.Argument(metavar="PAGE", help="Files, folders, http(s) addresses, or - for stdin."),
    ] = None,
    *,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 chooses a free one.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the browser.")
    ] = True,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for your marks. Default: next to the page."),
    ] = None,
    allow_fetch: Annotated[
        bool,
        typer.Option(
            "--allow-fetch",
            help="Allow fetching pages, and styles for page images, from public addresses.",
        ),
    ] = False,
    url: options.Url = None,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
) -> None:
    """Show in the browser what is kept and dropped on pages, and why.

    Marks that you save become labels for `joeira evaluate` and rules for `joeira extract --site`.
    Only this computer can reach the viewer. Needs the extra "service".
    """
    from joeira.isolation.work import Limits
    from joeira.isolation.workers import require_processes

    require_processes()  # said before packages that could not be used are asked for
    try:
        from joeira.service.server import serve
        from joeira.service.settings import Settings
        from joeira.viewer.app import mount
    except ImportError as error:
        message = f"{error.name} is missing: pip install 'joeira[service]'"
        raise UsageError(message) from None
    reader = Reader(options.MAX_BYTES, timeout, allow_private, url)
    shown = (
        tuple(_shown(source, reader) for source in inputs.expand(pages, reader)) if pages else ()
    )

    def announce(address: str) -> None:
        writing.to_stdout(f"{address}/\n")
        writing.flush_stdout()
        if browser:
            threading.Thread(target=_open, args=(address,), daemon=True).start()

    limits = Limits(seconds=_PAGE_SECONDS)
    settings = Settings(port=port, workers=1, data=data, allow_fetch=allow_fetch, limits=limits)
    serve(settings, announce, [partial(mount, pages=shown)])


def _shown(source: inputs.Source, reader: Reader) -> Shown:
    from joeira.viewer.pages import Shown, clean_name

    if source.problem:
        raise InputError(f"{source.name}: {source.problem}")
    if source.is_address or source.name == inputs.STDIN:
        document = reader.read(source)
        return Shown(clean_name(source.name), document.url, document.html)
    path = Path(source.name).resolve()
    if not path.exists():
        gone = FileNotFoundError(source.name)
        raise InputError(f"{source.name}: {inputs.missing(source.name)}") from gone
    if not path.is_file():
        raise InputError(f"{source.name}: neither a file nor a folder")
    return Shown(clean_name(source.name), reader.url, path=path)


def _open(address: str) -> None:
    """Open the browser as soon as somebody answers."""
    import webbrowser

    place = urlsplit(address)
    until = time.monotonic() + _OPEN_SECONDS
    while time.monotonic() < until:
        try:
            with socket.create_connection((place.hostname or "", place.port or 80), 1):
                webbrowser.open(address)
                return
        except OSError:
            time.sleep(0.1)
