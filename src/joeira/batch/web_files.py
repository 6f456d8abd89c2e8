"""Files on a web server, such as the archives of Common Crawl, read from any offset.

One request streams a file from an offset on; going back further than a megabyte, or a connection
that breaks, takes another one. A server that does not know ranges sends the whole file, which then
goes to a temporary file first.
"""

from __future__ import annotations

import errno
import http.client
import io
import re
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, BinaryIO

from joeira._version import __version__
from joeira.errors import OutputError

TIMEOUT_SECONDS = 60.0
_ATTEMPTS = 5
_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 60.0
_BLOCK = 1 << 18
_KEPT = 1 << 20
"""So much of what was read last is held, because readers of archives step back a little."""
_NUMBERS = {404: errno.ENOENT, 410: errno.ENOENT, 401: errno.EACCES, 403: errno.EACCES}
_TRANSIENT = (408, 425, 429, 500, 502, 503, 504)
_TOTAL = re.compile(r"bytes (?:\d+-\d+|\*)/(\d+)")


@dataclass(frozen=True)
class About:
    """What a server says about a file."""

    size: int | None
    mark: str
    """Changes when the file does: its entity tag and the time of its last change."""
    has_ranges: bool


def about(address: str) -> About:
    """Ask a server about a file; raise `OSError` if it has none."""
    with _asked(address, 0, 0) as answer:
        return _about(answer)


class WebFile(io.RawIOBase):
    """A file on a web server, open for reading."""

    def __init__(self, address: str) -> None:
        """Ask for the file from its beginning; raise `OSError` if the server does not give it."""
        self._address = address
        self._position = 0
        self._kept, self._kept_from = b"", 0
        self._copy: BinaryIO | None = None
        self._answer: Any = _asked(address, 0)
        self._about = _about(self._answer)
        if not self._about.has_ranges or self._about.size is None:
            self._copy = self._copied()

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def seekable(self) -> bool:
        """Return that it can be read from any offset."""
        return True

    def tell(self) -> int:
        """Return the offset of what is read next."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to an offset; nothing is asked of the server before the next read."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, unless the file ends before."""
        view = memoryview(buffer).cast("B")
        filled = 0
        while filled < len(view) and (data := self._piece(len(view) - filled)):
            view[filled : filled + len(data)] = data
            filled += len(data)
            self._position += len(data)
        return filled

    def close(self) -> None:
        """Hang up."""
        if not self.closed:
            self._answer.close()
            if self._copy is not None:
                self._copy.close()
        super().close()

    @property
    def _size(self) -> int:
        if self._copy is not None:
            return self._copy.seek(0, io.SEEK_END)
        return self._about.size or 0

    def _piece(self, most: int) -> bytes:
        """Return some of what lies at the position; nothing at the end of the file."""
        if self._copy is not None:
            self._copy.seek(self._position)
            return self._copy.read(most)
        if self._position >= self._size:
            return b""
        end = self._kept_from + len(self._kept)
        if not self._kept_from <= self._position <= end + _KEPT:
            self._answer.close()
            self._kept, self._kept_from = b"", self._position
            self._answer = self._asked_again(self._position)
        while self._position >= self._kept_from + len(self._kept):
            self._read_on()
        at = self._position - self._kept_from
        return self._kept[at : at + most]

    def _read_on(self) -> None:
        """Add the next block to what is held, over as many connections as that takes."""
        end = self._kept_from + len(self._kept)
        data = b""
        for attempt in range(_ATTEMPTS):
            try:
                data = self._answer.read(min(_BLOCK, self._size - end))
            except (OSError, http.client.HTTPException):
                data = b""
            if data:
                break
            self._answer.close()
            time.sleep(_FIRST_PAUSE_SECONDS * 2**attempt)
            self._answer = self._asked_again(end)
        if not data:
            raise OSError(errno.EIO, f"the connection broke {_ATTEMPTS} times at byte {end}")
        kept = self._kept[-_KEPT:] + data
        self._kept_from = end + len(data) - len(kept)
        self._kept = kept

    def _asked_again(self, offset: int) -> Any:
        answer = _asked(self._address, offset)
        now = _about(answer)
        if (now.size, now.mark) != (self._about.size, self._about.mark) or answer.status != 206:
            answer.close()
            raise OSError(errno.ESTALE, "the file changed while it was being read")
        return answer

    def _copied(self) -> BinaryIO:
        """Return all that the server sends as a temporary file."""
        try:
            copy: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 (closed with this file)
        except OSError as error:
            raise _no_room(error) from error
        received = 0
        while True:
            try:
                data = self._answer.read(_BLOCK)
            except (OSError, http.client.HTTPException) as error:
                copy.close()
                raise OSError(errno.EIO, f"the connection broke: {error}") from error
            if not data:
                break
            received += len(data)
            try:
                copy.write(data)
            except OSError as error:
                copy.close()
                raise _no_room(error) from error
        if self._about.size not in (None, received):
            copy.close()
            message = f"the connection broke after {received} of {self._about.size} bytes"
            raise OSError(errno.EIO, message)
        return copy


def _no_room(error: OSError) -> OutputError:
    hint = "a server without ranges has its file copied to a temporary one; TMPDIR says where"
    return OutputError(f"{error.strerror or error}: {hint}")


def _about(answer: Any) -> About:
    """Read what the head of an answer says."""
    said = answer.headers
    total = _TOTAL.match(said.get("Content-Range", ""))
    size = said.get("Content-Length", "") if answer.status == 200 else total[1] if total else ""
    mark = f"{said.get('ETag', '')} {said.get('Last-Modified', '')}".strip()
    has_ranges = answer.status != 200 or said.get("Accept-Ranges", "").lower() == "bytes"
    return About(int(size) if size.isdigit() else None, mark, has_ranges)


def _asked(address: str, start: int, end: int | None = None) -> Any:
    """Ask for a range of a file, to its end unless told otherwise; return the answer.

    A server that is busy or cannot be reached is asked again, later.
    """
    wanted = {
        "Range": f"bytes={start}-{'' if end is None else end}",
        "User-Agent": f"joeira/{__version__}",
        "Accept-Encoding": "identity",
    }
    problem = OSError()
    for attempt in range(_ATTEMPTS):
        pause = _FIRST_PAUSE_SECONDS * 2**attempt
        try:
            request = urllib.request.Request(address, headers=wanted)
            return urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
        except urllib.error.HTTPError as error:
            if error.code == 416:  # nothing there: the file is empty, or has become shorter
                return error
            error.close()
            problem = OSError(_NUMBERS.get(error.code, errno.EIO), f"HTTP {error.code} {error.msg}")
            if error.code not in _TRANSIENT:
                break
            said = error.headers.get("Retry-After", "")
            pause = max(pause, int(said) if said.isdigit() else 0)
        except urllib.error.URLError as error:
            problem = OSError(errno.EIO, f"cannot be reached: {error.reason}")
        except (OSError, http.client.HTTPException) as error:
            problem = OSError(errno.EIO, f"cannot be reached: {str(error) or type(error).__name__}")
        if attempt < _ATTEMPTS - 1:
            time.sleep(min(pause, _LONGEST_PAUSE_SECONDS))
    raise problem
