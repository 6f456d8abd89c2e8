"""Everything that can be wrong with a request: one exception that knows its answer."""

from __future__ import annotations

import json

from pydantic import ValidationError


class Problem(Exception):
    """Why a request has no result; the client gets it as ``{"error": ..., "cure": ...}``."""

    def __init__(
        self, status: int, error: str, cure: str = "", headers: dict[str, str] | None = None
    ) -> None:
        """Say what is wrong and, where one is known, what to do about it."""
        super().__init__(error)
        self.status = status
        self.error = error
        self.cure = cure
        self.headers = headers or {}

    @property
    def body(self) -> bytes:
        """The answer as JSON."""
        said = {"error": self.error, **({"cure": self.cure} if self.cure else {})}
        return json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")


def overloaded(retry_seconds: int, error: str = "the service is busy") -> Problem:
    """Return the problem of a request that would have to wait too long."""
    cure = f"try again in {retry_seconds} s"
    return Problem(503, error, cure, {"Retry-After": str(retry_seconds)})


def in_words(error: ValidationError) -> str:
    """Return the first thing that is wrong with what a client sent."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:100]
    return f"{where}: {first['msg']}" if where else str(first["msg"])


def unexpected() -> Problem:
    """Return the problem of a request that met a bug; the log has more."""
    return Problem(500, "something went wrong in the service", "the log of the service says more")
