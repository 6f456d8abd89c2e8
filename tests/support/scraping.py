"""Takes the selectors of a table into parsel, as a user of Scrapy would."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

from parsel import Selector, SelectorList

from joeira.records.result import RecordTable


@dataclass(frozen=True)
class Agreement:
    """How what a selector finds in the records compares with the cells of a column."""

    column: str
    language: str
    selector: str
    same: int
    records: int
    first_difference: str

    @property
    def exact(self) -> bool:
        return self.same == self.records


def squeezed(text: str) -> str:
    return "".join(text.replace(" | ", "").split())


def agreements(table: RecordTable, html: str) -> Iterator[Agreement]:
    """Yield, for every column and language that has a selector, how well it does."""
    page = Selector(text=html)
    base = table.page.url or ""
    for language, of_records in (("css", table.record_css), ("xpath", table.record_xpath)):
        if of_records is None:
            continue
        records = select(page, language, of_records)
        for number, column in enumerate(table.columns):
            selector = getattr(column, language)
            if selector is None:
                continue
            cells = [row[number] for row in table.cells]
            same, difference = 0, ""
            for place, cell in enumerate(cells):
                got = found(records[place], language, selector) if place < len(records) else "-"
                if column.kind in ("link", "image"):
                    want = cell.value if cell else ""
                    is_same = same_address(got, want, base)
                else:
                    want = squeezed(cell.text) if cell else ""
                    got = squeezed(got)
                    # A label is no part of the cell.
                    is_same = got == want or (column.source == "label" and got.endswith(want) > 0)
                same += is_same
                difference = difference or ("" if is_same else f"{got[:60]!r} for {want[:60]!r}")
            if len(records) != len(cells):
                difference = f"{len(records)} records for {len(cells)}"
                same = min(same, len(cells) - 1)
            yield Agreement(str(column), language, selector, same, len(cells), difference)


def select(node: Selector, language: str, selector: str) -> SelectorList[Selector]:
    return node.css(selector) if language == "css" else node.xpath(selector)


def found(record: Selector, language: str, selector: str) -> str:
    nodes = select(record, language, selector)
    return "".join(
        node.get() if isinstance(node.root, str) else node.xpath("string()").get(default="")
        for node in nodes
    )


def same_address(got: str, want: str, base: str) -> bool:
    if not want:
        return not got or got.startswith(("#", "javascript:", "data:"))
    plain = urljoin(base, got.strip()).replace(" ", "%20")
    return plain == want or got.strip() == want or want.endswith(got.strip().lstrip("./"))
