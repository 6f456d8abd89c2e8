"""Input files wherever they are: on this machine, or at an address that fsspec knows.

``s3://``, ``gs://``, ``az://`` and others are opened by fsspec, with the credentials that it finds.
Web addresses are not among them: what they name are pages, which only the guarded fetcher gets.
"""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from joeira.errors import UsageError

_ADDRESS = re.compile(r"(?!https?://)[a-z][a-z0-9]+(::[a-z0-9+.:/-]+)?://", re.IGNORECASE)
_END_BYTES = 4096


def is_remote(name: str) -> bool:
    """Return whether a name is an address that fsspec has to open."""
    return _ADDRESS.match(name) is not None


def require_remote(name: str) -> None:
    """Raise `UsageError` with the cure unless an address can be opened."""
    try:
        import fsspec

        fsspec.get_filesystem_class(name.partition("://")[0].rpartition("::")[2])
    except ImportError as error:
        message = f"{name}: {error.name or error} is missing: pip install 'joeira[cloud]'"
        raise UsageError(message) from None
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None


def _located(name: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    from fsspec.core import url_to_fs

    filesystem, path = url_to_fs(name)
    return filesystem, path


@contextmanager
def _as_os_errors() -> Iterator[None]:
    """Turn whatever the library of a storage raises, such as for credentials, into `OSError`."""
    try:
        yield
    except (OSError, MemoryError):
        raise
    except Exception as error:
        raise OSError(f"{type(error).__name__}: {error}") from error


def open_file(name: str) -> BinaryIO:
    """Open a file for reading at any place; raise `OSError` if that cannot be."""
    if not is_remote(name):
        return Path(name).open("rb")
    with _as_os_errors():
        filesystem, path = _located(name)
        file: BinaryIO = filesystem.open(path, "rb")
    return file


def size_of(name: str) -> int:
    """Return the size of a file; 0 if nobody knows."""
    try:
        if not is_remote(name):
            return Path(name).stat().st_size
        with _as_os_errors():
            filesystem, path = _located(name)
            return int(filesystem.size(path) or 0)
    except (OSError, ValueError):
        return 0


def files_in(name: str, suffixes: tuple[str, ...]) -> list[str]:
    """Return the files below a remote folder that end as they should; the file, if it is one."""
    try:
        with _as_os_errors():
            filesystem, path = _located(name)
            if filesystem.isfile(path):
                return [name]
            if not filesystem.exists(path):
                raise FileNotFoundError("no such file or folder")
            return sorted(
                filesystem.unstrip_protocol(each)
                for each in filesystem.find(path)
                if each.lower().endswith(suffixes)
            )
    except OSError as error:
        raise UsageError(f"{name}: {error}") from error


def state_of(name: str) -> bytes:
    """Return what changes when somebody writes to a file; its whole content would take hours.

    Raises `OSError` or `ValueError` for what is no file.
    """
    if is_remote(name):
        with _as_os_errors():
            filesystem, path = _located(name)
            return str(filesystem.checksum(path)).encode()
    file_path = Path(name)
    about = file_path.stat()
    if not stat.S_ISREG(about.st_mode):
        return b"%d" % stat.S_IFMT(about.st_mode)
    with file_path.open("rb") as file:
        ends = hashlib.sha256(file.read(_END_BYTES))
        file.seek(max(about.st_size - _END_BYTES, 0))
        ends.update(file.read(_END_BYTES))
    return b"%d %d %b" % (about.st_size, about.st_mtime_ns, ends.digest())
