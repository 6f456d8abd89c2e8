"""The folder that a run writes to, on this machine or in a store that fsspec knows.

Either way a file appears whole or not at all. On this machine it is written under another name,
forced to disk, then renamed. An object store shows an object once all of it has arrived, so it is
put there under its own name; one that is there already is never replaced by another.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from joeira.batch import storage
from joeira.errors import OutputError, UsageError

_OBJECT_STORES = frozenset(
    ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "oci", "r2", "memory")
)
"""Where an object appears once all of it has arrived; elsewhere files are renamed."""


class Target(Protocol):
    """A folder that a run writes to."""

    def at(self, name: str) -> str:
        """Return the whole name, or the address, of a file in it."""
        ...

    def below(self, name: str) -> Target:
        """Return a folder in it."""
        ...

    def names(self) -> list[str]:
        """Return the names of what is in it, in their order."""
        ...

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading; raise `OSError` if that cannot be."""
        ...

    def write(self, name: str, data: bytes, *, is_forced: bool = True) -> None:
        """Write a file: all of it, or nothing; what is not forced may get lost or be replaced."""
        ...

    def remove(self, names: Sequence[str]) -> None:
        """Remove files of an earlier run."""
        ...

    def remove_folders(self, pattern: re.Pattern[str]) -> None:
        """Remove folders of an earlier run with all that is in them."""
        ...

    def locked(self) -> AbstractContextManager[None]:
        """Make the folder, and keep a second run out of it."""
        ...


def target_of(folder: str | Path) -> Target:
    """Return the folder of a name or an address."""
    name = str(folder)
    if name.startswith(storage.WEB):
        raise UsageError(f"{name}: a web server takes no files; write to a folder or a store")
    if not storage.is_remote(name):
        return Folder(Path(folder))
    storage.require_remote(name)
    return Store(name.rstrip("/"))


@dataclass(frozen=True)
class Folder:
    """A folder of this machine."""

    path: Path

    def at(self, name: str) -> str:
        """Return the whole name of a file in it."""
        return str(self.path / name)

    def below(self, name: str) -> Folder:
        """Return a folder in it."""
        return Folder(self.path / name)

    def names(self) -> list[str]:
        """Return the names of what is in it, in their order."""
        try:
            return sorted(path.name for path in self.path.iterdir())
        except OSError as error:
            raise OutputError(f"{self.path}: {error.strerror or error}") from error

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading."""
        return (self.path / name).open("rb")

    def write(self, name: str, data: bytes, *, is_forced: bool = True) -> None:
        """Write a file: all of it, on disk, or nothing."""
        path = self.path / name
        temporary = path.with_name(f".{path.name}.tmp")
        try:
            with temporary.open("wb") as file:
                file.write(data)
                if is_forced:
                    file.flush()
                    os.fsync(file.fileno())
            temporary.replace(path)
            if is_forced:
                _force_folder(path.parent)
        except OSError as error:
            with suppress(OSError):  # the first error is the one to tell
                temporary.unlink(missing_ok=True)
            raise OutputError(f"{path}: {error.strerror or error}") from error

    def remove(self, names: Sequence[str]) -> None:
        """Remove files of an earlier run."""
        try:
            for name in names:
                (self.path / name).unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"{error.filename}: {error.strerror or error}") from error

    def remove_folders(self, pattern: re.Pattern[str]) -> None:
        """Remove folders of an earlier run with all that is in them."""
        try:
            for path in [each for each in self.path.iterdir() if pattern.fullmatch(each.name)]:
                shutil.rmtree(path)
        except OSError as error:
            raise OutputError(f"{error.filename}: {error.strerror or error}") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folder, and keep a second run out of it."""
        import fcntl  # which Windows has not; `require_processes` has said so by then

        try:
            self.path.mkdir(parents=True, exist_ok=True)
            number = os.open(self.path, os.O_RDONLY)
        except OSError as error:
            raise OutputError(f"{self.path}: {error.strerror or error}") from error
        try:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UsageError(f"{self.path}: another run is writing to this folder") from None
            yield
        finally:
            os.close(number)


def _force_folder(folder: Path) -> None:
    """Force the new name itself to disk."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@dataclass(frozen=True)
class Store:
    """A folder at an address that fsspec knows."""

    address: str
    """Without a slash at its end."""

    def at(self, name: str) -> str:
        """Return the address of a file in it."""
        return f"{self.address}/{name}"

    def below(self, name: str) -> Store:
        """Return a folder in it."""
        return Store(self.at(name))

    def names(self) -> list[str]:
        """Return the names of what is in it, in their order."""
        with self._told(), storage.as_os_errors(self.address):
            filesystem, path = storage.located(self.address)
            filesystem.invalidate_cache()  # it remembers what was there before
            try:
                found = filesystem.ls(path, detail=False)
            except FileNotFoundError:  # nothing has been written there so far
                return []
            return sorted({str(each).rstrip("/").rpartition("/")[2] for each in found})

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading."""
        return storage.open_file(self.at(name))

    def write(self, name: str, data: bytes, *, is_forced: bool = True) -> None:
        """Write a file: all of it, or nothing."""
        with self._told(name), storage.as_os_errors(self.address):
            filesystem, path = storage.located(self.at(name))
            if not self._holds_objects:
                filesystem.makedirs(storage.located(self.address)[1], exist_ok=True)
                temporary = storage.located(self.at(f".{name}.tmp"))[1]
                filesystem.pipe_file(temporary, data)
                filesystem.mv(temporary, path)
            elif not is_forced:
                filesystem.pipe_file(path, data)
            else:
                try:
                    filesystem.pipe_file(path, data, mode="create")
                except OSError:
                    # A request whose answer got lost is made again, and finds what it has written.
                    if not filesystem.exists(path):
                        raise
                    if filesystem.cat_file(path) != data:
                        raise UsageError(
                            f"{self.at(name)}: another run is writing to this folder"
                        ) from None

    def remove(self, names: Sequence[str]) -> None:
        """Remove files of an earlier run."""
        with self._told(), storage.as_os_errors(self.address):
            filesystem, path = storage.located(self.address)
            if names:
                filesystem.rm([f"{path}/{name}" for name in names])

    def remove_folders(self, pattern: re.Pattern[str]) -> None:
        """Remove folders of an earlier run with all that is in them."""
        for name in filter(pattern.fullmatch, self.names()):
            with self._told(name), storage.as_os_errors(self.address):
                filesystem, path = storage.located(self.at(name))
                filesystem.rm(path, recursive=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """See that the folder can be written to.

        Stores know no locks: a second run is refused when it comes to a file that is there by then.
        """
        try:
            with storage.as_os_errors(self.address):
                filesystem, path = storage.located(self.address)
                if self._holds_objects:
                    _require_bucket(filesystem, path)
        except OSError as error:
            raise UsageError(f"{self.address}: {error.strerror or error}") from error
        yield

    @property
    def _holds_objects(self) -> bool:
        return self.address.partition("://")[0].rpartition("::")[2].lower() in _OBJECT_STORES

    @contextmanager
    def _told(self, name: str = "") -> Iterator[None]:
        """Turn what a store refuses into an error that names the address."""
        try:
            yield
        except OSError as error:
            where = self.at(name) if name else self.address
            raise OutputError(f"{where}: {error.strerror or error}") from error


def _require_bucket(filesystem: Any, path: str) -> None:
    """Raise `FileNotFoundError` unless there is a bucket for a path, or whatever forbids a look."""
    try:
        filesystem.ls(path, detail=False)
    except FileNotFoundError:
        bucket = path.strip("/").partition("/")[0]
        if "memory" not in filesystem.protocol and not filesystem.exists(bucket):
            said = f"no such bucket {bucket}; make it first"
            raise FileNotFoundError(errno.ENOENT, said) from None
