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
        int, typer.Option(min=0, max=65_535, metavar="PORT", help="Port; 0 chooses a free one.")
    ] = 8377,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Worker processes. Default: one per processor."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for learned sites."),
    ] = None,
    allow_fetch: Annotated[
        bool, typer.Option("--allow-fetch", help="Allow fetching pages from public addresses.")
    ] = False,
    token: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TOKEN",
            envvar="JOEIRA_TOKEN",
            show_envvar=True,
            help="Bearer token that clients must send; repeatable, one per client.",
        ),
    ] = None,
    rate: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Maximum requests per minute for each token or, without tokens, each address.",
        ),
    ] = None,
    hostname: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another host name of the service; repeatable."),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Time limit per page.")
    ] = 10.0,
    max_bytes: Annotated[
        int, typer.Option(min=1, metavar="BYTES", help="Size limit of a request body.")
    ] = options.MAX_BYTES,
    body_timeout: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Time limit for a request to arrive.")
    ] = 30.0,
    max_waiting: Annotated[
        int, typer.Option(min=0, metavar="N", help="Maximum number of waiting requests.")
    ] = 64,
) -> None:
    """Serve content, records, segments and learned sites over HTTP.

    A page that crashes or hangs causes an error and does not affect other requests. Needs the
    extra "service".
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
            say("warning: anyone who can reach this address can use it; set --token")

    run(settings, announce, [mount])
