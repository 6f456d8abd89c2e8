"""Names that a package shows, and imports only when somebody asks for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, module_of: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and the ``__dir__`` of a package.

    Args:
        package: Name of the package.
        module_of: From each name to the module that has it, or that it is.
    """

    def get(name: str) -> Any:
        if name not in module_of:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=sys.modules[package])
        module = import_module(module_of[name])
        value = module if module_of[name] == f"{package}.{name}" else getattr(module, name)
        setattr(sys.modules[package], name, value)  # found without asking from now on
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *module_of})

    return get, names
