"""Values that are computed when first asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache, wraps
from typing import Any, TypeVar, overload

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
