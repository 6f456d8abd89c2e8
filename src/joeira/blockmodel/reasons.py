"""Why texts of a page are kept or left out: codes for programs, sentences for people.

What is decided about a text is a `Case`: a number in an array. Words are made at the edge, when
somebody asks for an explanation, a report or JSON; nothing reads a decision out of words. What
methods have in common are the cases of `Reason`; a method that tells more apart declares an enum of
cases of its own, beside the code that decides them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Final

from joeira.arrays import Case


class Reason(Case):
    """Why a text is kept or left out, whatever the method; an array has 0 where there is none."""

    KEPT = 1, "probability {score:.2f}"
    DROPPED = 2, "probability {score:.2f}"
    HEAD = 3, "belongs to the document head"
    COPY = 4, "the same text is kept further up"
    COMMENT = 5, "a comment"
    REVIEW = 6, "a review"
    SIGNATURE = 7, "a signature"
    BUTTON = 8, "a button"
    TABLE = 9, "in a table"
    HIDDEN = 10, "hidden: {way}"
    INVISIBLE = 11, "hidden: invisible characters"
    RULE = 12, "the site's rule for {selector} says {decision}"
    HEADS_KEPT = 13, "the heading of a kept section"
    HEADS_NOTHING = 14, "the heading of a dropped section"
    PLAIN_TEXT = 15, "plain text, all of which is content"
    BEYOND = 16, "after the last block that is read"
    UNEXPLAINED = 17, "{blocks} more blocks, too many to explain individually"


TRANSLATIONS: Final[Mapping[str, Mapping[str, str]]] = {}
"""By language: the sentence for each code. What is missing is said in English."""


def sentence(case: Case, language: str = "en") -> str:
    """Return the sentence of a case, with names in braces for the values to fill in."""
    return TRANSLATIONS.get(language, {}).get(case.code, case.sentence)


class Reasons(ABC):
    """The reasons for all decisions about a page; words are made only when somebody asks."""

    @abstractmethod
    def case(self, index: int) -> Case:
        """Return the case that decided about a text."""

    @abstractmethod
    def parts(self, index: int) -> tuple[str, ...]:
        """Return the reason for what was decided about a text: one phrase for each thing said."""

    def of(self, index: int) -> str:
        """Return the reason for what was decided about a text, in one line."""
        return "; ".join(self.parts(index))


def with_before(part: str, before: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parts of a reason that replaced another one, which is given as well."""
    return (part, f"before: {before[0]}", *before[1:])
