"""Many pages of one site: one published method per file, and the learned default.

The classes are imported on first use: ``joeira.sites.XCEX(blocks="lossless")``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from joeira._lazy import lazy_names

if TYPE_CHECKING:
    from joeira.sites.content_extractor import ContentExtractor
    from joeira.sites.corpus import JudgedBlock
    from joeira.sites.infodiscoverer import InfoDiscoverer
    from joeira.sites.pagelets import Pagelets
    from joeira.sites.result import Rule
    from joeira.sites.som import SOM
    from joeira.sites.style_tree import StyleTree
    from joeira.sites.template import Template
    from joeira.sites.xcex import XCEX

_MODULE_OF = {
    "ContentExtractor": "joeira.sites.content_extractor",
    "InfoDiscoverer": "joeira.sites.infodiscoverer",
    "JudgedBlock": "joeira.sites.corpus",
    "Pagelets": "joeira.sites.pagelets",
    "Rule": "joeira.sites.result",
    "SOM": "joeira.sites.som",
    "StyleTree": "joeira.sites.style_tree",
    "Template": "joeira.sites.template",
    "XCEX": "joeira.sites.xcex",
}

__all__ = [
    "SOM",
    "XCEX",
    "ContentExtractor",
    "InfoDiscoverer",
    "JudgedBlock",
    "Pagelets",
    "Rule",
    "StyleTree",
    "Template",
]

if not TYPE_CHECKING:  # a checker would believe that every name exists
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
