"""Work that tells what its process had loaded when it was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from joeira.isolation.work import Limits

LOADED: list[str] = []


@dataclass(frozen=True)
class Warmth:
    """Loads in two steps, one of which may fail."""

    fails: str = ""

    attempts: ClassVar[int] = 1
    limits: ClassVar[Limits] = Limits(seconds=1000)

    def warm_up(self) -> None:
        self._load("first")

    def load_rest(self) -> None:
        self._load("rest")

    def _load(self, what: str) -> None:
        LOADED.append(what)
        if self.fails == what:
            raise RuntimeError(what)

    def fields(self, _question: object) -> dict[str, Any]:
        return {"status": "ok", "loaded": tuple(LOADED)}
