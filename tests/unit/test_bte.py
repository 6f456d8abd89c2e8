import pytest

import joeira
from joeira.content import BTE, MultiBTE

BODY = "<p>" + "word " * 30 + "</p><p>" + "text " * 20 + "</p>"
MENU = "<ul>" + "<li><a>item</a></li>" * 10 + "</ul>"
PAGE = f"<title>Title</title>{MENU}{BODY}{MENU}<p>{'late ' * 25}</p>"


def test_the_range_with_most_words_and_fewest_tags() -> None:
    content = BTE().extract(joeira.parse(PAGE))
    assert content.text().split() == ["word"] * 30 + ["text"] * 20
    reasons = {block.text[:4]: block.reason for block in content.explain()}
    # 50 words around the two tags between the paragraphs.
    assert reasons["word"] == "inside the range with 48 more words than tags"
    # Between the two: a closing tag, those of the menu, and an opening tag.
    between = 1 + (2 + 4 * 10) + 1
    with_late = 48 - between + 10 + 25
    assert reasons["late"] == (
        "outside the best range, which has 48 more words than tags; "
        f"a range with this text has {with_late}"
    )


def test_scores_are_sums_of_the_best_range_that_holds_the_text() -> None:
    content = BTE().extract(joeira.parse("<p>one two three</p><p>four</p>"))
    assert content.keep.tolist() == [True, False]
    assert content.scores.tolist() == [3, 2]


def test_the_shortest_of_equal_ranges_is_taken() -> None:
    # Joining the second paragraph would cost two tags and win two words.
    content = BTE().extract(joeira.parse("<p>one two three</p><p>four five</p>"))
    assert content.keep.tolist() == [True, False]


def test_costly_tags_keep_the_range_short() -> None:
    page = joeira.parse("<p>one two three four</p><p>five six seven</p>")
    assert BTE().extract(page).keep.all()
    assert BTE(tag_cost=2).extract(page).keep.tolist() == [True, False]


def test_tags_of_scripts_do_not_count() -> None:
    page = joeira.parse("<div>one two three<script>x</script><style>y</style>four</div>")
    assert BTE().extract(page).keep.all()


def test_texts_without_words_stay_inside_but_not_at_the_ends() -> None:
    page = joeira.parse("<p>— <b>one two three four</b> — <b>five six seven eight</b> —</p>")
    assert BTE().extract(page).keep.tolist() == [False, True, True, True, False]


def test_a_page_without_words_has_no_body() -> None:
    assert not BTE().extract(joeira.parse("<p>—</p>"))
    assert not MultiBTE().extract(joeira.parse("<p>—</p>"))


def test_several_ranges() -> None:
    content = MultiBTE().extract(joeira.parse(PAGE))
    assert content.text().split() == ["word"] * 30 + ["text"] * 20 + ["late"] * 25
    reasons = {block.text[:4]: block.reason for block in content.explain()}
    assert reasons["late"] == "in a run with 25 more words than tags, at least 20"
    assert reasons["item"] == "in a run with 1 more words than tags, less than 20"


@pytest.mark.parametrize(
    "method", [MultiBTE(min_score=26), MultiBTE(min_score=0, min_share=0.6)], ids=repr
)
def test_runs_that_score_too_little(method: MultiBTE) -> None:
    assert "late" not in method.extract(joeira.parse(PAGE)).text()
