"""The command line: one module per command, and everything that touches files."""

from joeira.cli.app import main

__all__ = ["main"]
