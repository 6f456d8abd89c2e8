"""``joeira mcp``: web pages for language models, by the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from joeira.cli import options
from joeira.cli.writing import say

EXAMPLES = options.examples(
    "joeira mcp",
    "joeira mcp --http --port 8378",
    "claude mcp add joeira -- joeira mcp",
)
_LOCAL = ("127.0.0.1", "::1", "localhost")


def mcp(
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Serve streamable HTTP instead of stdin and stdout.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address to listen on, with --http.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Port, with --http; 0 chooses a free one.")
    ] = 8378,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="JOEIRA_TOKEN",
            show_envvar=True,
            help="Bearer token that HTTP clients must send.",
        ),
    ] = None,
    hidden: Annotated[
        bool, typer.Option("--hidden", help="Include text that readers do not see.")
    ] = False,
    allow_private: options.AllowPrivate = False,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Serve web pages to language models as MCP tools: content, records, outline and reasons.

    Respects robots.txt and refuses private addresses. Needs the extra "mcp".
    """
    from joeira.fetch.fetcher import Fetcher
    from joeira.integrations.mcp import PageTools, Place, make_server, serve_http

    tools = PageTools(Fetcher(timeout, max_bytes, allow_private), visible_only=not hidden)
    if not http:
        make_server(tools).run("stdio")
        return

    def announce(address: str) -> None:
        say(f"listening on {address}")
        if host not in _LOCAL and not token:
            say("warning: anyone who can reach this address can use it; set --token")

    serve_http(tools, Place(host, port, token), announce)
