"""``joeira serve``: the HTTP service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from joeira.cli import options
from joeira.cli.writing import say
from joeira.errors import UsageError

EXAMPLES = options.examples(
    "joeira serve",
    "joeira serve --port 8080 --workers 4 --data sites/",
    "curl --data-binary @page.html 'http://127.0.0.1:8377/v1/extract?format=markdown'",
    """curl --json '{"html": "<p>A page.</p>"}' http://127.0.0.1:8377/v1/extract""",
)


def serve(
    *,
    host: Annotated[str, typer.Option(metavar="HOST", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, metavar="PORT", help="Port; 0 takes a free one.")
    ] = 8377,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Processes. Default: one for each processor."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder where learned sites are kept."),
    ] = None,
    allow_fetch: Annotated[
        bool, typer.Option("--allow-fetch", help="Fetch pages by their public address.")
    ] = False,
    token: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TOKEN",
            envvar="JOEIRA_TOKEN",
            show_envvar=True,
            help="What clients have to send as bearer; may be given often, one for each client.",
        ),
    ] = None,
    rate: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Requests of a token in a minute; without one, of an address."
        ),
    ] = None,
    hostname: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another name of the service; may be given often."),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Time limit of a page.")
    ] = 10.0,
    max_bytes: Annotated[
        int, typer.Option(min=1, metavar="BYTES", help="Size limit of a request's body.")
    ] = options.MAX_BYTES,
    body_timeout: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Time for a request to arrive.")
    ] = 30.0,
    max_waiting: Annotated[
        int, typer.Option(min=0, metavar="N", help="Requests that may wait for a process.")
    ] = 64,
) -> None:
    """Answer HTTP requests: content, records and segments of pages, learned sites.

    A page that crashes or hangs gives an error, and other requests go on. Needs FastAPI
    and uvicorn, which the extra "service" brings.
    """
    from joeira.isolation.work import Limits
    from joeira.isolation.workers import require_processes

    require_processes()  # said before packages that could not be used are asked for
    try:
        from joeira.service.server import serve as run
        from joeira.service.settings import Settings
        from joeira.viewer.app import mount
    except ImportError as error:
        message = f"{error.name} is missing: pip install 'joeira[service]'"
        raise UsageError(message) from None
    settings = Settings(
        host=host,
        port=port,
        workers=workers,
        data=data,
        allow_fetch=allow_fetch,
        tokens=tuple(token or ()),
        rate=rate,
        hostnames=tuple(hostname or ()),
        limits=Limits(seconds=timeout),
        max_body_bytes=max_bytes,
        body_seconds=body_timeout,
        max_waiting=max_waiting,
    )

    def announce(address: str) -> None:
        say(f"listening on {address}")
        if not (settings.is_local or settings.all_tokens):
            say("others may reach it, and all may use it: --token keeps them out")

    run(settings, announce, [mount])
