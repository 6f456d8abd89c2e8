"""The method and the format, by the names that Joeira knows them by."""

import joeira
from joeira import formats

PAGE = """<h1>Rain</h1><p>Menu</p>
<p>It rained for a whole week, and the river left its bed in many places of the old town.</p>"""


def test_the_method() -> None:
    content = joeira.extract(PAGE, "longest")
    assert content.text().startswith("It rained")
    assert "Menu" not in content.text()
    menu = next(block for block in content.explain() if block.text == "Menu")
    assert menu.code == "short"
    assert "Menu" in joeira.extract(PAGE, "longest", min_share=0.0).text()
    assert not joeira.extract("", "longest")


def test_the_format() -> None:
    content = joeira.extract(PAGE, "all_text")
    assert str(formats.write("content", "org", content)).startswith("* Rain\n")
    assert formats.find("org").suffix == ".org"
