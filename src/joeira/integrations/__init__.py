"""Adapters for other libraries; each module needs the library it is named after."""

from joeira.errors import MissingLibrary


def missing(error: ImportError, extra: str) -> MissingLibrary:
    """Return the error for a library that is not there, with the extra that brings it."""
    library = (error.name or "a library").partition(".")[0]
    problem = MissingLibrary(f"{library} is missing: pip install 'joeira[{extra}]'")
    problem.name = error.name
    return problem
