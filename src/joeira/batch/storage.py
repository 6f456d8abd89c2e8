"""Files wherever they are: on this machine, on a web server, or in a store that fsspec knows.

``s3://``, ``gs://``, ``az://`` and others are opened by fsspec, with the credentials that it finds.
"""

from __future__ import annotations

import errno
import hashlib
import io
import logging
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

from joeira.errors import UsageError

WEB = ("http://", "https://")
READ_AHEAD = 4 << 20
"""A store is asked for so much at a time; for a single record a fraction of it is enough."""
_ADDRESS = re.compile(r"(?!https?://)[a-z][a-z0-9]+(::[a-z0-9+.:/-]+)?://", re.IGNORECASE)
_END_BYTES = 4096
_NO_CREDENTIALS = (
    "NoCredentialsError", "PartialCredentialsError", "ProfileNotFound", "TokenRetrievalError",
    "SSOTokenLoadError", "UnauthorizedSSOTokenError", "DefaultCredentialsError", "RefreshError",
    "ClientAuthenticationError", "CredentialUnavailableError",
)  # fmt: skip
"""What libraries of stores raise where nobody has told them who we are."""
_LOUD = ("adlfs", "asyncio", "azure", "fsspec", "gcsfs", "google", "s3fs")
_CURES = {
    "s3": "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS",
    "az": "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}
_NUMBERS = ((FileNotFoundError, errno.ENOENT), (FileExistsError, errno.EEXIST))
_SAME = {"s3a": "s3", "gcs": "gs", "abfs": "az", "abfss": "az"}


def is_remote(name: str) -> bool:
    """Return whether a name is an address that fsspec has to open."""
    return _ADDRESS.match(name) is not None


def is_elsewhere(name: str) -> bool:
    """Return whether a file comes over the network."""
    return name.startswith(WEB) or is_remote(name)


def path_of(name: str) -> str:
    """Return what tells the kind of a file: its name in lower case, of an address its path."""
    return (urlsplit(name).path if name.startswith(WEB) else name).lower()


def require_remote(name: str) -> None:
    """Raise `UsageError` with the cure unless an address can be opened."""
    for logger in map(logging.getLogger, _LOUD):  # what they would write, the error says shortly
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
    try:
        import fsspec

        fsspec.get_filesystem_class(name.partition("://")[0].rpartition("::")[2])
    except ImportError as error:
        message = f"{name}: {error.name or error} is missing: pip install 'joeira[cloud]'"
        raise UsageError(message) from None
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None


def located(name: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    from fsspec.core import url_to_fs

    filesystem, path = url_to_fs(name)
    return filesystem, path


class NoAccess(OSError):
    """A store that does not let us in: no fault of any one file, and there is a cure."""


@contextmanager
def as_os_errors(name: str) -> Iterator[None]:
    """Turn whatever the library of a store raises, such as for credentials, into `OSError`."""
    try:
        yield
    except (NoAccess, MemoryError, UsageError):
        raise
    except PermissionError as error:
        said = f"access denied ({_first_line(error)}); {_cure(name)}"
        raise NoAccess(errno.EACCES, said) from error
    except OSError as error:
        known = next((number for kind, number in _NUMBERS if isinstance(error, kind)), errno.EIO)
        raise OSError(error.errno or known, _first_line(error)) from error
    except Exception as error:
        kind = type(error).__name__
        if kind in _NO_CREDENTIALS or "account_name" in str(error):
            raise NoAccess(errno.EACCES, f"no credentials; {_cure(name)}") from error
        raise OSError(errno.EIO, f"{kind}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """Return what an error says in one line."""
    is_system = type(error).__module__ == "builtins"  # others say more than the system's words
    said = getattr(error, "strerror", None) if is_system else ""
    said = said or str(error) or type(error).__name__
    return " ".join(said.split())[:300]


def _cure(name: str) -> str:
    scheme = name.partition("://")[0].rpartition("::")[2].lower()
    return _CURES.get(_SAME.get(scheme, scheme), "see what fsspec says about this kind of store")


class _StoreFile(io.RawIOBase):
    """A file of fsspec that fails as files of this machine do."""

    def __init__(self, name: str, file: Any) -> None:
        self._name, self._file = name, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return int(self._file.tell())

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with as_os_errors(self._name):
            return int(self._file.seek(offset, whence))

    def readinto(self, buffer: Any) -> int:
        with as_os_errors(self._name):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            with suppress(Exception):  # nothing was written
                self._file.close()
        super().close()


def open_file(name: str, read_ahead: int = READ_AHEAD) -> BinaryIO:
    """Open a file for reading at any place; raise `OSError` if that cannot be."""
    if name.startswith(WEB):
        from joeira.batch.web_files import WebFile  # here and below: few runs read from the web

        return cast("BinaryIO", WebFile(name))
    if not is_remote(name):
        return Path(name).open("rb")
    with as_os_errors(name):
        filesystem, path = located(name)
        file = filesystem.open(path, "rb", block_size=read_ahead)
    return cast("BinaryIO", _StoreFile(name, file))


def size_of(name: str) -> int:
    """Return the size of a file; 0 if nobody knows."""
    try:
        if name.startswith(WEB):
            from joeira.batch.web_files import about

            return about(name).size or 0
        if not is_remote(name):
            return Path(name).stat().st_size
        with as_os_errors(name):
            filesystem, path = located(name)
            return int(filesystem.size(path) or 0)
    except (OSError, ValueError):
        return 0


def files_in(name: str, suffixes: tuple[str, ...]) -> list[str]:
    """Return the files below a remote folder that end as they should; the file, if it is one."""
    try:
        with as_os_errors(name):
            filesystem, path = located(name)
            try:
                kind = filesystem.info(path)["type"]
            except FileNotFoundError:
                said = "no such bucket, file or folder"
                raise FileNotFoundError(errno.ENOENT, said) from None
            if kind == "file":
                return [name]
            return sorted(
                filesystem.unstrip_protocol(each)
                for each in filesystem.find(path)
                if each.lower().endswith(suffixes)
            )
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror or error}") from error


def state_of(name: str) -> bytes:
    """Return what changes when somebody writes to a file; its whole content would take hours.

    Raises `OSError` or `ValueError` for what is no file.
    """
    if name.startswith(WEB):
        from joeira.batch.web_files import about

        told = about(name)
        return f"{told.size} {told.mark}".encode()
    if is_remote(name):
        with as_os_errors(name):
            filesystem, path = located(name)
            return str(filesystem.checksum(path)).encode()
    file_path = Path(name)
    stated = file_path.stat()
    if not stat.S_ISREG(stated.st_mode):
        return b"%d" % stat.S_IFMT(stated.st_mode)
    with file_path.open("rb") as file:
        ends = hashlib.sha256(file.read(_END_BYTES))
        file.seek(max(stated.st_size - _END_BYTES, 0))
        ends.update(file.read(_END_BYTES))
    return b"%d %d %b" % (stated.st_size, stated.st_mtime_ns, ends.digest())
