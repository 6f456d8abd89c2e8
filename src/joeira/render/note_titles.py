"""What pages call notes and references: by headings above them, and by names around them."""

from __future__ import annotations

import re
from typing import Final

from joeira.page import Page, tags

_MAX_LEVELS: Final = 6  # elements around a note whose names are read
_NAMED: Final = re.compile(
    r"foot-?note|end-?note|side-?note|margin-?note|(?:^|[\s_-])(?:fns?|notes?|ref(?:erence)?s?"
    r"|bib(?:liography|list|item)?|citations?|citedrefs|reflist)(?=$|[\s_-])",
    re.IGNORECASE,
)
_TITLES: Final = re.compile(
    r"\W*(?:(?:foot|end)?notes?(?: and references)?|references?(?: and notes)?|bibliography|"
    r"citations|sources|fußnoten|anmerkungen|einzelnachweise|quellen|notas(?: de rodapé)?|"
    r"refer[eê]ncias|notes et références|références|note|riferimenti|примечания|"
    r"参考文献|脚注|注释|přípisy|przypisy)\W*",
    re.IGNORECASE,
)


class Titles:
    """The headings of a page that call what is below them notes or references."""

    def __init__(self, page: Page) -> None:
        """Find the headings, and read none of them yet."""
        self.page = page
        self.headings = tags.HEADINGS[page.known_tag].nonzero()[0]
        self._is_title: dict[int, bool] = {}

    def above(self, row: int) -> int:
        """Return the last heading before a row, if it is such a title; else -1."""
        place = int(self.headings.searchsorted(row)) - 1
        heading = int(self.headings[place]) if place >= 0 else -1
        if heading not in self._is_title:
            text = self.page.text_of(heading)[:80] if heading >= 0 else ""
            self._is_title[heading] = _TITLES.fullmatch(text) is not None
        return heading if self._is_title[heading] else -1

    def name_notes(self, row: int) -> bool:
        """Return whether the page calls something notes or references, or a title above it does."""
        page = self.page
        numbers, names = page.classes
        id_numbers, ids = page.ids
        place = row
        for _ in range(_MAX_LEVELS):
            if place <= page.body:
                break
            said = f"{names[numbers[place]]}\n{ids[id_numbers[place]]}"
            if page.tag[place] == tags.NUMBER["aside"] or _NAMED.search(said):
                return True
            place = int(page.parent[place])
        return self.above(row) >= 0
