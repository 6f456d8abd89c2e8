"""The worked example of the specification: a page with navigation, an article and comments."""

import re

import joeira
from joeira.content import NCE

PAGE = (
    "<html><head><title>Rain floods old town</title></head><body>"
    "<div><a>Home</a><a>Sport</a></div><div><h1>Rain floods town</h1>\n"
    "<div><p>Heavy rain flooded the old town on Monday night.</p>"
    "<p>Rescue teams moved forty people to safety.</p>\n"
    "<div><div><span>Posted by Ana, 12 May</span>"
    "<p>Terrible, I hope that everyone there is safe.</p></div>\n"
    "<div><span>Posted by Rui, 12 May</span>"
    "<p>The council ignored the warnings for many years.</p></div>\n"
    "<div><span>Posted by Eva, 13 May</span>"
    "<p>Thanks to all rescue teams for the quick help.</p></div></div></div>\n"
    "<div><a>More on rain</a><a>More on towns</a></div></div></body></html>"
)
SMALL = {
    "leaf_min_chars": 20,
    "subtree_min_chars": 40,
    "comment_min_chars": 10,
    "comment_max_chars": 30,
}


def test_rows_of_the_example() -> None:
    page = joeira.parse(PAGE)
    assert len(page) == 39
    names = {0: "html", 2: "title", 5: "div", 10: "div", 11: "h1", 13: "div", 14: "p", 18: "div"}
    assert {row: page.tag_name(row) for row in names} == names


def test_worked_example() -> None:
    content = NCE(**SMALL).extract(joeira.parse(PAGE))
    # Separator 13, roots 14, 16 and 18, cut at 19: the texts of the two paragraphs are left.
    assert content.page.text_rows[content.keep].tolist() == [15, 17]
    assert content.blocks() == [
        "Heavy rain flooded the old town on Monday night.",
        "Rescue teams moved forty people to safety.",
    ]
    assert content.title == "Rain floods old town"
    assert content.note == (
        "comments cut from /html/body/div[2]/div[1]/div/div[1]: "
        "3 similar headers such as 'Posted by Ana, 12 May'"
    )


def test_reasons_of_the_worked_example() -> None:
    content = NCE(**SMALL).extract(joeira.parse(PAGE))
    reasons = {block.text: (block.score, block.reason) for block in content.explain()}
    assert reasons["Rain floods town"] == (0, "outside the separator <div>")
    assert reasons["Rescue teams moved forty people to safety."] == (
        1,
        "in a child of the separator <div> with link density 0.00 <= 0.40",
    )
    assert reasons["Posted by Rui, 12 May"] == (0, "at or after the first reader comment")


def test_defaults_find_no_separator_on_a_small_page() -> None:
    content = NCE().extract(joeira.parse(PAGE))
    assert content.keep.all()
    assert content.title is None
    assert content.note == "no separator node: the whole document is the body"
    texts = [re.sub(r"\s+", " ", text).strip() for text in content.page.texts]
    assert len(" ".join(texts)) == 375
    (reason,) = {block.reason for block in content.explain()}
    assert reason == "no separator node was found, so the whole document is the body"


def test_more_words_let_the_heading_compete_for_the_title() -> None:
    page = joeira.parse(PAGE.replace("<title>Rain floods old town</title>", ""))
    assert NCE(**SMALL).extract(page).title is None
    # "Rain floods town": two of three words occur in the body.
    assert NCE(**SMALL, title_overlap=0.6).extract(page).title == "Rain floods town"


def test_children_of_the_separator_full_of_links_are_dropped() -> None:
    links = "<ul><li><a>Read more about the rain in town</a></li></ul>"
    page = joeira.parse(PAGE.replace("<p>Rescue", links + "<p>Rescue"))
    content = NCE(**SMALL).extract(page)
    assert "Read more" not in " ".join(content.blocks())
    dropped = next(block for block in content.explain() if block.text.startswith("Read more"))
    assert dropped.reason == "in a child of the separator <div> with link density 1.00 > 0.40"


def test_names_of_elements_are_not_taken_for_placeholders() -> None:
    html = PAGE.replace("<div><p>Heavy", "<x-{}><p>Heavy").replace("</div></div></div>\n<div><a>M",
        "</div></div></x-{}>\n<div><a>M")  # fmt: skip
    reasons = {block.reason for block in NCE(**SMALL).extract(joeira.parse(html)).explain()}
    assert "outside the separator <x-{}>" in reasons


def test_comments_can_stay_and_the_title_be_left_alone() -> None:
    content = NCE(**SMALL, comments="keep", title=False).extract(joeira.parse(PAGE))
    assert "Thanks to all rescue teams for the quick help." in content.blocks()
    assert content.note == ""
    assert content.title is None
