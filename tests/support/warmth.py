"""Work that tells which process has loaded what it needs."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from typing import Any, ClassVar

from joeira.isolation.work import Limits

LOADED: list[int] = []


@dataclass(frozen=True)
class Warmth:
    """Loads nothing but the number of the process, or fails to."""

    fails: bool = False

    attempts: ClassVar[int] = 1
    limits: ClassVar[Limits] = Limits(seconds=1000)

    def warm_up(self) -> None:
        if self.fails:
            raise RuntimeError
        LOADED.append(os.getpid())

    def fields(self, _question: object) -> dict[str, Any]:
        return {"status": "ok", "loaded_by": tuple(LOADED)}


@dataclass(frozen=True)
class SlowRest:
    """Takes longer to load what few questions need than any of them may take."""

    attempts: ClassVar[int] = 1
    limits: ClassVar[Limits] = Limits(seconds=0.3)

    def warm_up(self) -> None:
        pass

    def load_rest(self) -> None:
        time.sleep(1)
        LOADED.append(os.getpid())

    def fields_so_far(self, question: Any) -> dict[str, Any] | None:
        return None if "rest" in question.html else {"status": "ok", "loaded_by": ()}

    def fields(self, _question: object) -> dict[str, Any]:
        return {"status": "ok", "loaded_by": tuple(LOADED)}


@dataclass(frozen=True)
class LongAnswer:
    """Tells more than fits into a socket, so that it is told only when somebody listens."""

    chars: int = 5_000_000

    attempts: ClassVar[int] = 2
    limits: ClassVar[Limits] = Limits(seconds=0.5)

    def warm_up(self) -> None:
        pass

    def fields(self, question: str) -> dict[str, Any]:
        return {"status": "ok", "text": question * self.chars, "process": os.getpid()}


@dataclass(frozen=True)
class Impatience:
    """Has supervisors wait for a moment only until a child hears a question."""

    attempts: ClassVar[int] = 1
    limits: ClassVar[Limits] = Limits(seconds=0.1)

    def warm_up(self) -> None:
        sys.modules["__main__"]._HAND_OVER_SECONDS = 0.3  # type: ignore[attr-defined]  # of a script

    def fields(self, _question: str) -> dict[str, Any]:
        return {"status": "ok", "process": os.getpid()}
