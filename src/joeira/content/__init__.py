"""Methods for the main content of one page: one published method per file, and the learned default.

The classes are imported on first use: ``joeira.content.BTE(tag_cost=2)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from joeira._lazy import lazy_names

if TYPE_CHECKING:
    from joeira.content.all_text import AllText
    from joeira.content.bte import BTE, MultiBTE
    from joeira.content.cetr import CETR
    from joeira.content.density import BlockFusion
    from joeira.content.feature_extractor import FeatureExtractor, KFeatureExtractor
    from joeira.content.gupta import Gupta
    from joeira.content.learned import Learned
    from joeira.content.nce import NCE
    from joeira.content.tps import TPS

_MODULE_OF = {
    "AllText": "joeira.content.all_text",
    "BTE": "joeira.content.bte",
    "BlockFusion": "joeira.content.density",
    "CETR": "joeira.content.cetr",
    "FeatureExtractor": "joeira.content.feature_extractor",
    "Gupta": "joeira.content.gupta",
    "KFeatureExtractor": "joeira.content.feature_extractor",
    "Learned": "joeira.content.learned",
    "MultiBTE": "joeira.content.bte",
    "NCE": "joeira.content.nce",
    "TPS": "joeira.content.tps",
}

__all__ = [
    "BTE",
    "CETR",
    "NCE",
    "TPS",
    "AllText",
    "BlockFusion",
    "FeatureExtractor",
    "Gupta",
    "KFeatureExtractor",
    "Learned",
    "MultiBTE",
]

if not TYPE_CHECKING:  # a checker would believe that every name exists
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
