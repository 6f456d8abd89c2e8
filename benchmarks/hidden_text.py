"""How much of the answers of a data set a browser would not show: what leaving it out costs.

python benchmarks/hidden_text.py [DATASET] [--pages N]
"""

from collections import Counter
from collections.abc import Iterable

import timing

import joeira
from joeira.arrays.strings import words
from joeira.evaluation import datasets
from joeira.page.visibility import Hidden

BY_DEFAULT, VISIBLE_ONLY = "dropped by default", "dropped by visible_only"


def counted(texts: Iterable[str]) -> Counter[str]:
    """Return the words of texts as a bag."""
    return Counter(map(str.lower, words("\n".join(texts))))


def losses(page: joeira.Page, answer: Counter[str]) -> dict[str, int]:
    """Return how many words of the answer are lost without the texts hidden in some way."""
    reasons = page.hidden[page.text_rows].tolist()
    whole = (answer & counted(page.texts)).total()

    def lost(kept: Iterable[str]) -> int:
        return whole - (answer & counted(kept)).total()

    texts = list(zip(page.texts, reasons, strict=True))
    found = {
        Hidden(number).sentence: lost(text for text, reason in texts if reason != number)
        for number in sorted(set(reasons) - {0})
    }
    found[BY_DEFAULT] = lost(joeira.extract(page, "all_text").blocks())
    found[VISIBLE_ONLY] = lost(joeira.extract(page, "all_text", visible_only=True).blocks())
    return found


def main() -> None:
    """Print the words of the answers that each way of hiding holds."""
    options = timing.arguments("hidden words of the answers", rounds=1)
    source = datasets.find(options.data_set, options.pages)
    total = pages = 0
    lost: Counter[str] = Counter()
    hurt: Counter[str] = Counter()
    for row in source.rows():
        answer = counted([row.text])
        for name, count in losses(joeira.parse(row.html), answer).items():
            lost[name] += count
            hurt[name] += count > answer.total() / 10
        total += answer.total()
        pages += 1
    rows = [
        [name, str(count), f"{count / max(total, 1):.2%}", str(hurt[name])]
        for name, count in sorted(lost.items(), key=lambda item: -item[1])
    ]
    columns = ["hidden by", "words of answers", "share", "pages with over a tenth"]
    timing.show(f"{pages} pages, {total} words in their answers", columns, rows)


if __name__ == "__main__":
    main()
