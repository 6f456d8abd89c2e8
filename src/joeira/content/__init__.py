"""Main content of one page: one published method per file, and the learned default.

The classes are imported when they are first asked for: ``joeira.content.BTE(tag_cost=2)``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from joeira.content.all_text import AllText
    from joeira.content.bte import BTE, MultiBTE
    from joeira.content.cetr import CETR
    from joeira.content.density import BlockFusion
    from joeira.content.gupta import Gupta
    from joeira.content.learned import Learned
    from joeira.content.nce import NCE
    from joeira.content.tps import TPS

_MODULE_OF = {
    "AllText": "all_text",
    "BTE": "bte",
    "BlockFusion": "density",
    "CETR": "cetr",
    "Gupta": "gupta",
    "Learned": "learned",
    "MultiBTE": "bte",
    "NCE": "nce",
    "TPS": "tps",
}

__all__ = ["BTE", "CETR", "NCE", "TPS", "AllText", "BlockFusion", "Gupta", "Learned", "MultiBTE"]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
