"""Work that tells which process has loaded what it needs."""

from __future__ import annotations

import os
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
