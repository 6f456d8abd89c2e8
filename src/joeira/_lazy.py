"""Lazy evaluation: names of packages that load on first use, and cached values."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache, wraps
from importlib import import_module
from threading import local
from typing import TYPE_CHECKING, Any, TypeVar, overload


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


HAS_GLOBAL_LOCK: bool = getattr(sys, "_is_gil_enabled", lambda: True)()
"""Whether Python runs one thread at a time, as it does unless it was built otherwise."""

if HAS_GLOBAL_LOCK or TYPE_CHECKING:
    PerThread = object
else:
    PerThread = local
"""A base of classes whose objects cannot be shared by threads that run at the same time: made anew
in every thread that asks one for something, with what it was made of at first."""

Value = TypeVar("Value", covariant=True)
Answer = TypeVar("Answer")


class Lazy(cached_property[Value]):
    """A `cached_property` without its lock.

    Until Python 3.12 that lock is one for all objects of a class: threads that read different pages
    would wait for each other. Without it two threads that ask for the same value at once compute it
    both, which does no harm where it depends on nothing but its object.
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Lazy[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Value: ...
    def __get__(
        self, instance: object | None, owner: type[Any] | None = None
    ) -> Lazy[Value] | Value:
        """Compute the value and leave it in the object, where it is found from then on."""
        if instance is None:
            return self
        value = instance.__dict__[self.func.__name__] = self.func(instance)
        return value


class Answers(dict[Any, Answer]):
    """The answers of a function, each found once: a cache for as long as its owner lives."""

    def __init__(self, function: Callable[[Any], Answer]) -> None:
        """Keep the function; nothing is asked yet."""
        super().__init__()
        self._function = function

    def __missing__(self, question: Any) -> Answer:
        """Find an answer and keep it."""
        answer = self[question] = self._function(question)
        return answer


def cached_if_short(
    entries: int, longest: int
) -> Callable[[Callable[[str], Answer]], Callable[[str], Answer]]:
    """Cache a function of texts, for texts of at most `longest` characters.

    The number of its entries does not bound a cache by itself: a name or a word of a page may be
    megabytes long.
    """

    def decorate(function: Callable[[str], Answer]) -> Callable[[str], Answer]:
        cached = lru_cache(entries)(function)

        @wraps(function)
        def answer(text: str) -> Answer:
            return cached(text) if len(text) <= longest else function(text)

        return answer

    return decorate
