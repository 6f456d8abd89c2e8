"""The default for sites: what each thing known of a site does."""

from __future__ import annotations

import numpy as np

import joeira
from joeira.content import Learned
from joeira.sites import Template
from joeira.sites.profile import MAX_GROUPS, CappedCounts, Profile, slot_selector, slot_symbols
from joeira.sites.template import Alone
from joeira.sites.template.slots import SiteBlocks, core_density

TEASER = (
    "<div class=teasers><p>Parliament has passed the long awaited law on rivers, ministers said, "
    "and the vote was close after a debate of nine hours.</p></div>"
)


def story(number: int, more: str = "") -> joeira.Page:
    text = "".join(
        f"<p>The mayor of town {number} said on day {k} that the bridge, number {k * number}, "
        "will be closed until further notice.</p>"
        for k in range(5)
    )
    return joeira.parse(f"<div class=story><h1>Bridge {number}</h1>{text}</div>{more}")


def test_the_reason_names_the_pages_with_the_same_text() -> None:
    pages = [story(number, TEASER) for number in range(12)]
    content = Template().fit(pages).extract(pages[3])
    teaser = list(content.explain())[-1]
    assert not teaser.kept
    assert "same text on 12 of 12 pages" in teaser.reason
    assert "its slot" in teaser.reason
    alone = list(Template().fit(pages[:1]).extract(pages[0]).explain())[-1]
    assert alone.score > teaser.score


def test_a_page_without_others_of_its_template_is_judged_as_alone() -> None:
    page = story(1, TEASER)
    others = [joeira.parse(f"<main><ul class=l{n * 'x'}><li>{n} words") for n in range(5)]
    for site in (Template().fit([page]), Template().fit([*others, page])):
        found, alone = site.extract(page), joeira.extract(page)
        assert found.text() == alone.text()
        assert np.allclose(found.scores, alone.scores)
    preferences = {name: getattr(Learned(), name) for name in Alone._fields}
    assert Alone()._asdict() == preferences


def test_copies_are_left_out_as_on_a_page_alone() -> None:
    copy = (
        "<div class=b><p>The mayor of town {0} said on day 1 that the bridge, number {0}, will "
        "be closed until further notice.</p></div>"
    )
    pages = [story(number, copy.format(number)) for number in range(6)]
    content = Template().fit(pages).extract(pages[3])
    assert content.text().count("on day 1 that") == 1
    assert content.text().count("on day 2 that") == 1
    assert list(content.explain())[-1].reason.startswith("the same text is kept further up")


def test_a_button_that_says_another_thing_on_each_page_is_kept() -> None:
    def page(number: int) -> joeira.Page:
        answers = "".join(
            f"<div class=q><button>May I use lamp {number}{k} in a house of {k} rooms?</button>"
            f"<p>Yes, the lamp {number}{k} may be used in the open, in any weather and season, "
            "by anyone.</p></div>"
            for k in range(3, 6)
        )
        offer = f"<p class=price>Price: ${number}9.00</p><button>Add to cart</button><p>In stock"
        facts = '{"@type": "Product", "name": "Lamp", "offers": {"price": "19"}}'
        return joeira.parse(
            f"<title>Lamp {number} | Shop</title><script type='application/ld+json'>{facts}"
            f"</script><div class=product><h1>Lamp {number}</h1>{offer}{answers}</div>"
        )

    pages = [page(number) for number in range(1, 9)]
    alone, found = joeira.extract(pages[2]), Template().fit(pages).extract(pages[2])
    assert alone.pagetype is not None
    assert alone.pagetype[0] == "product"
    assert "in a house of 4 rooms" not in alone.text()
    assert "in a house of 4 rooms" in found.text()
    assert "cart" not in found.text()


def test_text_in_data_for_scripts_is_found_as_on_a_page_alone() -> None:
    prose = " ".join(f"The harbour of town {n} was closed on Monday, they said." for n in range(20))
    data = f'<script type="application/json">{{"articleBody": "{prose}"}}</script>'
    page = joeira.parse(f"<body><div id=app></div>{data}")
    site = Template().fit([story(number) for number in range(4)])
    alone = joeira.extract(page)
    assert "harbour of town 7" in alone.text()
    assert site.extract(page).text() == alone.text()
    assert "was found in" in site.extract(page).note


def test_a_page_from_outside_is_judged_as_one_more_page() -> None:
    pages = [story(number, TEASER) for number in range(5)]
    apart = Template().fit(pages[:4]).extract(pages[4])
    together = Template().fit(pages).extract(pages[4])
    assert np.allclose(apart.scores, together.scores)
    assert apart.keep.tolist() == together.keep.tolist()


def test_slots_are_the_same_on_pages_that_differ_in_numbers() -> None:
    first, second = (
        joeira.parse(f"<body class=page-{n}><div class='post-{n} b'><p>x</p></div>")
        for n in (1, 20)
    )
    assert slot_symbols(first).tolist() == slot_symbols(second).tolist()
    row = int(first.rows_of("p")[0])
    assert slot_selector(first, row) == "div.post-1 > p"
    other = joeira.parse("<div class=c><p>x</p></div>")
    assert slot_symbols(first)[row] != slot_symbols(other)[row]


def test_core_density_of_nested_elements() -> None:
    page = joeira.parse("<div><p>one two three four</p><p>five six</p></div><p>seven eight</p>")
    blocks = SiteBlocks.of(page)
    found = core_density(blocks, np.array([1.0, 0.0, 0.0]), 0.5)
    assert np.allclose(found, [1.0, 4 / 6, 4 / 8])


def test_templates_are_grouped() -> None:
    profile = Profile()
    numbers = []
    for slots in ([1, 2, 3], [7, 8, 9], [1, 2, 4], [7, 8, 9], []):
        profile, number = profile.with_page(slots)
        numbers.append(number)
    assert numbers == [0, 1, 0, 1, 2]
    assert [group.pages for group in profile.groups] == [2, 2, 1]
    for start in range(100, 200, 2):
        profile, _ = profile.with_page([start, start + 1])
    assert len(profile.groups) == MAX_GROUPS
    restored = Profile.restore(profile.to_dict())
    assert restored.to_dict() == profile.to_dict()


def test_capped_counts_say_how_much_they_may_miss() -> None:
    table: CappedCounts[str] = CappedCounts(3)
    growing = table.growing()
    stream = [["a", "b", "a"], ["a", "c"], ["a", "d"], ["a", "e"], ["a", "b"]]
    true = {"a": 5, "b": 2, "c": 1, "d": 1, "e": 1}
    for batch in stream:
        growing.count(batch)
        assert len(growing) <= 3
    counted = growing.done()
    assert counted.missed >= 1
    assert all(0 <= count - counted[key] <= counted.missed for key, count in true.items())
    assert table["a"] == 0
    halves = table.growing()
    for batch in stream[:2]:
        halves.count(batch)
    halves = halves.done().growing()
    for batch in stream[2:]:
        halves.count(batch)
    assert halves.done().counts == counted.counts


def test_a_full_table_of_texts_still_finds_the_template() -> None:
    pages = [story(number, TEASER) for number in range(10)]
    site = Template(max_texts=20).fit(pages)
    assert len(site.texts.counts) <= 20
    assert site.texts.missed > 0
    teaser = list(site.extract(pages[0]).explain())[-1]
    assert "same text on" in teaser.reason


def test_a_title_is_a_heading_that_differs_on_every_page() -> None:
    html = "<nav><h2>{0}</h2></nav><p>Menu of the day</p><div><h2>Bridge number {0}</h2></div>"
    pages = [joeira.parse(html.format(name) + f"<i>{name}</i>") for name in "abcdef"]
    site = Template().fit(pages)
    headings = [block for block in site.extract(pages[0]).explain() if "number a" in block.text]
    assert "a title" in headings[0].reason
    twice = [joeira.parse(html.format(name) + html.format("x" + name)) for name in "abcdef"]
    for block in Template().fit(twice).extract(twice[0]).explain():
        assert "a title" not in block.reason
    two = Template().fit(pages[:2]).extract(pages[0])
    assert not any("a title" in block.reason for block in two.explain())


def test_the_same_text_in_another_slot_is_not_repeated() -> None:
    teasers = [f"<ul><li>The bridge of town {n + 1} is closed</ul>" for n in range(5)]
    pages = [
        joeira.parse(f"<h1>The bridge of town {n} is closed</h1>{teaser}")
        for n, teaser in enumerate(teasers)
    ]
    for block in Template().fit(pages).extract(pages[1]).explain():
        assert "same text" not in block.reason


def test_comments_lose() -> None:
    said = "I think the mayor is right, and the bridge was never safe for anybody at all."
    pages = [
        story(n, f"<div class={name}><p>{said} {n}</p></div>")
        for name in ("comments", "chapter")
        for n in range(5)
    ]
    site = Template().fit(pages)
    told, untold = (list(site.extract(pages[n]).explain())[-1] for n in (0, 5))
    assert "a comment" in told.reason
    assert "a comment" not in untold.reason
    assert told.score < untold.score


def test_a_field_that_is_no_heading() -> None:
    html = "<p class=author>by {0}</p><p class=next><a href=x>{0}</a></p><h4>Tools</h4>"
    pages = [story(n, html.format(name)) for n, name in enumerate("Ana Bea Cid Dov Eli".split())]
    reasons = {b.text: b.reason for b in Template().fit(pages).extract(pages[0]).explain()}
    assert "a field" in reasons["by Ana"]
    assert "a field" not in reasons["Tools"]
    scores = {b.text: b.score for b in Template().fit(pages).extract(pages[0]).explain()}
    alone = {b.text: b.score for b in joeira.extract(pages[0], "learned").explain()}
    assert scores["by Ana"] > alone["by Ana"]


def test_what_the_page_alone_keeps_is_held_unless_the_site_speaks_against_it() -> None:
    pages = [story(number) for number in range(6)]
    site = Template().fit(pages)
    for page in pages:
        alone = joeira.extract(page, "learned")
        together = site.extract(page)
        assert not (alone.keep & ~together.keep).any()


def listed(number: int, kind: str, texts: list[str]) -> joeira.Page:
    items = "".join(f"<li class={kind}>{text}</li>" for text in texts)
    return story(number, f"<ul>{items}</ul>")


def test_a_new_text_in_a_list_of_old_ones_loses() -> None:
    text = "Report {} tells of rivers, bridges and of the law on both".format
    teasers = [listed(n, "teaser", [text(1), text(2), text(3 + n)]) for n in range(3)]
    points = [listed(n, "point", [text(10 * n + k) for k in range(3)]) for n in range(3, 6)]
    site = Template().fit([*teasers, *points])
    stale, fresh = (list(site.extract(pages[1]).explain())[-1] for pages in (teasers, points))
    assert "44% of the texts next to it recur" in stale.reason
    assert "come back" not in fresh.reason
    assert stale.score < fresh.score


def test_a_table_between_kept_texts_is_kept_whole() -> None:
    table = "<table><tr><th>Bridge<th>Built<tr><td>North<td>19{0}1<tr><td>South<td>19{0}2</table>"
    text = "<p>The mayor of town {0} said that the bridge will be closed until further notice.</p>"
    body = f"<article><h1>Bridges of town {{0}}</h1>{text}{table}{text}</article>"
    pages = [joeira.parse(body.format(n)) for n in range(1, 5)]
    content = Template().fit(pages).extract(pages[0])
    for cell in ("Built", "North", "1911"):
        assert cell in content.text()


def film(number: int) -> joeira.Page:
    cast = "".join(
        f"<tr><td>Actor {chr(97 + number)}{chr(97 + k)}</td><td>Role {number} {k}</td></tr>"
        for k in range(6)
    )
    plot = "".join(f"<p>In part {k} the hero of film {number} goes to sea.</p>" for k in range(6))
    table = f"<table class=cast><tr><th>Cast</th><th>Credit</th></tr>{cast}</table>"
    links = "".join(f"<tr><td><a href=/{k}>Film {k}</a></td></tr>" for k in range(9))
    menu = f"<table class=menu>{links}</table>"
    return joeira.parse(
        f"<div class=plot><h1>Film {number}</h1>{plot}</div><div>{table}</div>{menu}"
    )


def test_a_table_of_values_that_vary_is_kept_with_its_labels() -> None:
    pages = [film(number) for number in range(8)]
    content = Template().fit(pages).extract(pages[2])
    told = {block.text: block for block in content.explain()}
    assert "Actor ca" in content.text()
    assert "Credit" in content.text()
    assert "values vary from page to page" in told["Actor ca"].reason
    assert "values vary" not in told["Film 3"].reason
    assert not told["Film 3"].kept
