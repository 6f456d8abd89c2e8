"""The command line: every command in a module of its name, with everything that touches files."""

from joeira.cli.app import main

__all__ = ["main"]
