"""Many pages of one site: one published method per file, and the default that uses both worlds.

The classes are imported when they are first asked for: ``joeira.sites.XCEX(blocks="lossless")``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from joeira.sites.content_extractor import ContentExtractor
    from joeira.sites.infodiscoverer import InfoDiscoverer
    from joeira.sites.som import SOM
    from joeira.sites.style_tree import StyleTree
    from joeira.sites.template import Template
    from joeira.sites.xcex import XCEX

_MODULE_OF = {
    "ContentExtractor": "content_extractor",
    "InfoDiscoverer": "infodiscoverer",
    "SOM": "som",
    "StyleTree": "style_tree",
    "Template": "template",
    "XCEX": "xcex",
}

__all__ = ["SOM", "XCEX", "ContentExtractor", "InfoDiscoverer", "StyleTree", "Template"]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
