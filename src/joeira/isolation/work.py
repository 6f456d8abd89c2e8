"""What isolated processes are given: questions, the work to do on them, and limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

from joeira.errors import require

MAX_SECONDS = 1_000_000
"""The longest time that the system can wait for, nearly."""


@dataclass(frozen=True)
class Limits:
    """What one page may use."""

    seconds: float = 5.0
    memory_bytes: int = 1 << 30
    """Address space of the process that works on it."""

    def __post_init__(self) -> None:
        """Refuse limits under which no page can be read."""
        limit = f"the time limit must be more than 0 and at most {MAX_SECONDS} s"
        require(0 < self.seconds <= MAX_SECONDS, limit)
        require(self.memory_bytes >= 256 << 20, "the memory limit must be at least 256M")


class Question(Protocol):
    """What a team is asked about, such as a record."""

    @property
    def problem(self) -> str:
        """Why there is nothing to ask; '' if there is."""
        ...

    def bare(self) -> Self:
        """Return it without what only the worker needs."""
        ...


class Work(Protocol):
    """What the children of supervisors do with the questions they are asked."""

    attempts: ClassVar[int]
    """A question that took its process with it is tried so often, each time in a new process."""

    @property
    def limits(self) -> Limits:
        """What one question may use."""
        ...

    def warm_up(self) -> None:
        """Load what questions will need."""
        ...

    def fields(self, question: Any, /) -> dict[str, Any]:
        """Return status, reason and what was found."""
        ...


def failed(status: str, reason: str) -> dict[str, Any]:
    """Return the fields of a row without a result."""
    return {"status": status, "reason": reason}
