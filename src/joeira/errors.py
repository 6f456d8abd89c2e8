"""The errors that Joeira raises.

::

    JoeiraError
    ├── UsageError            the caller asked for something that does not exist or is not possible
    │   ├── UnknownMethod     no method of that name in the catalog
    │   ├── BadParameter      a parameter has no such name, or a value outside its range
    │   └── MissingLibrary    a library of an extra is not installed; also an ImportError
    ├── InputError            an input could not be read
    │   └── FetchError        a page could not be fetched
    └── OutputError           an output could not be written

Page content never raises: a broken, empty or hostile page gives an empty result with a reason.
"""

from __future__ import annotations


class JoeiraError(Exception):
    """Base of every error of this package."""


class UsageError(JoeiraError, ValueError):
    """The caller asked for something that does not exist or is not possible."""


class UnknownMethod(UsageError):
    """No method of that name is in the catalog."""


class BadParameter(UsageError):
    """A parameter has no such name, or a value outside its range."""


class MissingLibrary(UsageError, ImportError):
    """A library that belongs to an extra is not installed."""


class InputError(JoeiraError):
    """An input could not be read."""


class FetchError(InputError):
    """A page could not be fetched."""


class OutputError(JoeiraError):
    """An output could not be written."""


def require(condition: bool, message: str) -> None:
    """Raise `BadParameter` with a message unless the condition holds."""
    if not condition:
        raise BadParameter(message)
