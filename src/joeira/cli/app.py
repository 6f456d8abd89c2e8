"""The program ``joeira``: its commands, and what happens around all of them."""

from __future__ import annotations

import os
import sys
from inspect import cleandoc
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from joeira._version import __version__
from joeira.cli import (
    batch,
    collect,
    compare,
    doctor,
    evaluate,
    extract,
    mcp,
    metadata,
    methods,
    records,
    segment,
    serve,
    site,
    view,
    why,
    writing,
)
from joeira.cli.writing import ExitCode

_LEARN = "records learn"


class Commands(TyperGroup):
    """The commands; ``records learn`` is one of its own, beside ``records PAGES``."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that arguments name, and the arguments left."""
        if " ".join(args[:2]) == _LEARN:
            args = [_LEARN, *args[2:]]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="joeira",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def joeira(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="With --version, also show the environment.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help=f"Show tracebacks; so does {writing.DEBUG}=1.")
    ] = False,
) -> None:
    """Joeira separates the grain of a web page from its chaff."""
    if debug:
        os.environ[writing.DEBUG] = "1"  # also for the processes that a command may start
    if version:
        writing.to_stdout(f"joeira {__version__}\n")
        if verbose:
            writing.to_stdout(_installation())
        raise typer.Exit
    if context.invoked_subcommand is None:
        context.fail("Missing command.")


def _installation() -> str:
    """Return what the program runs on, for reports of errors."""
    from importlib.metadata import version as version_of
    from platform import platform, python_implementation, python_version

    from joeira._native import native_available

    libraries = (f"{name} {version_of(name)}" for name in ("numpy", "turbohtml"))
    lines = (
        f"native kernels: {'yes' if native_available else 'no'}",
        f"{python_implementation()} {python_version()}, {', '.join(libraries)}",
        platform(),
    )
    return "".join(f"{line}\n" for line in lines)


app.command(epilog=extract.EXAMPLES)(extract.extract)
app.command(epilog=records.EXAMPLES)(records.records)
app.command(_LEARN, epilog=records.LEARN_EXAMPLES)(records.learn)
app.command("pages", epilog=records.PAGES_EXAMPLES)(records.find_pages)
app.command(epilog=segment.EXAMPLES)(segment.segment)
app.command(epilog=metadata.EXAMPLES)(metadata.metadata)
app.command(epilog=why.EXAMPLES)(why.why)
app.command(epilog=methods.EXAMPLES)(methods.methods)
app.command(epilog=evaluate.EXAMPLES)(evaluate.evaluate)
app.command(epilog=compare.EXAMPLES)(compare.compare)
site.app.command(epilog=collect.COLLECT_EXAMPLES)(collect.collect)
site.app.command(epilog=collect.GOLD_EXAMPLES)(collect.gold)
app.add_typer(site.app, name="site")
app.command(epilog=site.EXTRACT_EXAMPLES)(site.extract_site)
app.command(epilog=batch.EXAMPLES)(batch.batch)
app.command(epilog=serve.EXAMPLES)(serve.serve)
app.command(epilog=view.EXAMPLES)(view.view)
app.command(epilog=mcp.EXAMPLES)(mcp.mcp)
app.command(epilog=doctor.EXAMPLES)(doctor.doctor)


def _unwrap(commands: typer.Typer) -> None:
    """Let help be as wide as the window: the lines of a docstring are as wide as our sources."""
    for command in commands.registered_commands:
        paragraphs = cleandoc(getattr(command.callback, "__doc__", None) or "").split("\n\n")
        command.help = "\n\n".join(" ".join(each.split()) for each in paragraphs)


_unwrap(app)
_unwrap(site.app)

_UsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""Click's, or that of the Click that newer versions of Typer bring along."""


def _refuse(error: Any) -> int:
    """Say what is wrong with the arguments, and return the exit code."""
    if not error.format_message():  # no argument at all: the help says it
        error.show()
        writing.flush_stdout()
    else:
        writing.say(writing.usage_line(error))
    return ExitCode.USAGE


def main() -> None:
    """Run the program and end it with an exit code."""
    writing.prepare_streams()
    writing.end_on_signals()
    try:
        try:
            code = app(prog_name="joeira", standalone_mode=False)
        except SystemExit as leaving:
            if isinstance(leaving.__context__, BrokenPipeError):  # rich, whose help nobody reads
                sys.exit(ExitCode.OK)
            writing.flush_stdout()  # what Typer wrote itself, such as help
            sys.exit(leaving.code)
        except _UsageError as error:
            sys.exit(_refuse(error))
        writing.flush_stdout()
        sys.exit(code if isinstance(code, int) else ExitCode.OK)
    except OSError as error:  # commands name their own; this is help that cannot be written
        sys.exit(writing.code_of(writing.stdout_failed(error)))
    except Exception as error:
        sys.exit(writing.code_of(error))
