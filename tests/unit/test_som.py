"""The site object model: the worked examples of its specification."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import joeira
from joeira import parse
from joeira.errors import BadParameter, InputError, UsageError
from joeira.page import Page
from joeira.sites.som import SOM, SOMSite, load
from joeira.sites.som.pruning import (
    NAMES,
    Asked,
    Machine,
    MachineSettings,
    best_settings,
    fit,
    prune,
)
from joeira.sites.som.tree import Repetition, SiteTree, simplified, template_id


def step_one(body: str) -> list[str]:
    """Return the nodes of a page after step 1: tag and, for leaves, the text."""
    page = parse(f"<html><body>{body}</body></html>")
    simple = simplified(page, Repetition())
    told = []
    for row, stop, words in zip(simple.rows, simple.stop, simple.words, strict=True):
        text = " ".join(
            page.texts[page.text_index[own]].strip() for own in page.text_rows if row <= own < stop
        )
        told.append(f"{page.tag_name(int(row))} {text}" if words else page.tag_name(int(row)))
        assert words in (0, len(text.split()))
    return told[2:]  # html and body


def pages_of(*bodies: str) -> list[Page]:
    return [parse(f"<html><body>{body}</body></html>") for body in bodies]


def site_of(*bodies: str, **parameters: int) -> tuple[SOMSite, list[Page]]:
    pages = pages_of(*bodies)
    return SOM("thresholds", join_text=False, **parameters).fit(pages), pages


def told(tree: SiteTree) -> dict[str, tuple[int, list[int]]]:
    """Return pages with the node, and the pages with text in it, by path."""
    words = map(list, tree.words)
    return dict(zip(tree.paths(), zip(tree.frequency, words, strict=True), strict=True))


def blocks(site: SOMSite, page: Page) -> list[tuple[str | None, str]]:
    return [(part.label, part.text) for part in site.extract(page)]


def test_an_element_with_text_takes_all_below_it() -> None:
    assert step_one("<div><p>Hello <b>big</b> <b>world</b></p></div>") == [
        "div",
        "p Hello big world",
    ]


def test_equal_siblings_in_a_row_are_one_leaf() -> None:
    html = (
        "<div><ul><li><a>Home</a></li><li><a>News</a></li><li><a>Mail</a></li></ul>"
        "<h1>T</h1><p>x</p><p>y</p></div>"
    )
    assert step_one(html) == ["div", "ul Home News Mail", "h1 T", "p x y"]


def test_a_pattern_of_several_elements_repeats_too() -> None:
    assert step_one("<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>") == ["dl a b c d"]


def test_neighbours_of_other_structure_stay_apart() -> None:
    html = "<div><p>x</p><p>y</p></div><div><ul><li>a</li><li>b</li></ul></div>"
    assert step_one(html) == ["div x y", "div", "ul a b"]


FIRST = "<div>A1</div><div><h1>t1</h1><pre>x1 y1</pre></div>"
SECOND = "<div>A2</div><div><h1>t2</h1><p>z2 w2</p></div>"


def test_pages_are_laid_over_each_other() -> None:
    site, _ = site_of(FIRST, SECOND, beta=0)
    assert told(site.tree) == {
        "html": (2, []),
        "html/body": (2, []),
        "html/body/div": (2, [0, 1]),
        "html/body/div[2]": (2, []),
        "html/body/div[2]/h1": (2, [0, 1]),
        "html/body/div[2]/pre": (1, [0]),
        "html/body/div[2]/p": (1, [1]),
    }
    assert site.classes == [
        (path, len(text)) for path, (_, text) in told(site.tree).items() if text
    ]


def test_a_frequent_child_keeps_its_siblings_apart() -> None:
    tree, pages = site_of(FIRST, SECOND, beta=2)
    assert blocks(tree, pages[0]) == [
        ("html/body/div", "A1"),
        ("html/body/div[2]/h1", "t1"),
        ("html/body/div[2]/pre", "x1 y1"),
    ]


def test_fewer_pages_than_the_threshold_make_one_block() -> None:
    tree, pages = site_of(FIRST, SECOND, beta=3)
    assert blocks(tree, pages[1]) == [("html", "A2 t2 z2 w2")]


def test_text_of_some_page_takes_what_is_near_below_it() -> None:
    third = "<div><span>A3</span></div><div><h1>t3</h1></div>"
    tree, pages = site_of(FIRST, SECOND, third, beta=2)
    assert blocks(tree, pages[2])[0] == ("html/body/div", "A3")
    apart, pages = site_of(FIRST, SECOND, third, beta=0, alpha=0)
    assert blocks(apart, pages[2])[0] == ("html/body/div/span", "A3")


def test_ids_tell_siblings_apart() -> None:
    tree, pages = site_of("<div id=a>x</div><p>q</p><div id=b>y</div>", "<div id=b>z</div>", beta=2)
    assert blocks(tree, pages[1]) == [("html/body/div#b", "z")]


def test_ids_of_single_pages_tell_no_siblings_apart() -> None:
    pages = pages_of(*(f"<div id=post-{n}><p>x {n}</p></div>" for n in (17, 2304)))
    site = SOM().fit(pages)
    assert site.tree.paths()[2:] == ["html/body/div#post-0", "html/body/div#post-0/p"]
    assert template_id("http://example.org/a") == ""


def test_ids_do_not_count_as_published() -> None:
    pages = pages_of("<div id=a>x</div><p>q</p><div id=b>y</div>", "<div id=b>z</div>")
    site = SOM.published().fit(pages)
    assert site.method == SOM("svm", key=("tag",), rare_share=0.0, join_text=False)
    assert set(told(site.tree)) == {
        "html",
        "html/body",
        *("html/body/" + n for n in ("div", "p", "div[2]")),
    }
    restored = site.method.restore(site.to_dict())
    assert blocks(restored, pages[1]) == blocks(site, pages[1])


@pytest.mark.parametrize(
    "pruning, said", [("svm", "use at least 8"), ("thresholds", "fewer than beta=8")]
)
def test_so_few_pages_are_said_to_tell_little(pruning: str, said: str) -> None:
    pages = pages_of(*map(article, range(8)))
    few = joeira.learn_site(pages[:3], "som", pruning=pruning).segment(pages[0])
    assert "learned from 3 pages" in few.reason
    assert said in few.reason
    assert not joeira.learn_site(pages, "som", pruning=pruning).segment(pages[0]).reason


def test_a_machine_learns_what_can_be_told_apart() -> None:
    generator = np.random.default_rng(1)
    rows = generator.uniform(size=(120, len(NAMES)))
    yes = (rows[:, 6] > 0.5) == (rows[:, 7] > 0.5)
    samples = Asked(np.arange(120), rows, yes, yes)
    for kernel, least in (("poly", 0.95), ("rbf", 0.95), ("linear", 0.0)):
        machine = fit([samples], MachineSettings(kernel, 2, 1.0, 1.0, 1000.0))
        assert ((machine(rows) > 0) == yes).mean() >= least, kernel
        again = Machine.load(machine.to_arrays())
        assert again(rows).tolist() == machine(rows).tolist()
        assert again.settings == machine.settings


def test_a_machine_is_as_wide_as_the_street() -> None:
    """Two points decide; in between lies the border, at equal distance."""
    rows = np.zeros((2, len(NAMES)))
    rows[1, 6] = 4.0
    samples = Asked(np.arange(2), rows, np.array([False, True]), np.zeros(2, bool))
    machine = fit([samples], MachineSettings("linear", cost=100.0))
    points = np.zeros((3, len(NAMES)))
    points[:, 6] = 0, 2, 4
    assert machine(points) == pytest.approx([-1, 0, 1], abs=1e-3)


def test_settings_are_those_that_do_best_on_other_sites() -> None:
    generator = np.random.default_rng(2)
    sites = []
    for _ in range(3):
        rows = generator.uniform(size=(60, len(NAMES)))
        yes = (rows[:, 6] - 0.5) ** 2 + (rows[:, 7] - 0.5) ** 2 > 0.15
        sites.append(Asked(np.arange(60), rows, yes, yes))

    def score(number: int, machine: Machine) -> float:
        return float(((machine(sites[number].features) > 0) == sites[number].merged).mean())

    grid = (MachineSettings("linear"), MachineSettings("poly", 2, 1.0, 1.0))
    best, tried = best_settings(sites, score, grid)
    assert best.kernel == "poly"
    assert tried[grid[1]] > tried[grid[0]]


@pytest.mark.parametrize("content", [None, b"", b"PK", b"{}"])
def test_a_file_that_is_no_machine_is_named(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"model\.npz"):
        SOM(model=str(path))


def test_the_23_features_of_a_sample() -> None:
    site, _ = site_of(FIRST, SECOND, beta=0)
    asked = prune(site.tree, lambda node, features: False)
    assert [site.paths[node] for node in asked.nodes] == ["html/body/div[2]"]
    assert asked.features.tolist() == [
        [3, 3, 1, 2, 1, 0, 1, 0, 2, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1]
    ]
    assert len(NAMES) == 23


def test_merged_children_make_their_parent_part_of_a_sample() -> None:
    site, _ = site_of(FIRST, SECOND, beta=0)
    asked = prune(site.tree, lambda node, features: True)
    assert [site.paths[node] for node in asked.nodes] == ["html/body/div[2]", "html/body", "html"]
    body = dict(zip(NAMES, asked.features[1], strict=True))
    assert body["children"] == 2
    assert body["words_per_child"] == (2 + 6) / 2
    assert body["children_alike"] == 1
    assert asked.whole.tolist() == [True, True, False, True, False, False, False]


def test_no_machine_is_asked_about_what_few_pages_have() -> None:
    pages = pages_of(*(f"<div><h1>t</h1><p>x {n}</p></div>" for n in range(9)))
    odd = pages_of("<div><h1>t</h1><section><h2>a</h2><pre>b</pre></section></div>")
    tree = SOM().fit((*pages, *odd)).tree
    paths = tree.paths()
    asked = prune(tree, lambda node, features: False, rare_share=0.2)
    assert [paths[node] for node in asked.nodes] == ["html/body/div"]
    assert [paths[node] for node in np.flatnonzero(asked.whole)] == ["html/body/div/section"]
    every = prune(tree, lambda node, features: False)
    assert [paths[node] for node in every.nodes] == ["html/body/div/section"]


def test_each_key_has_a_machine_of_its_own() -> None:
    assert np.array_equal(SOM().machine.weight, load().weight)
    assert np.array_equal(SOM.published().machine.weight, load(has_ids=False).weight)
    rows = np.zeros((1, len(NAMES)))
    assert load()(rows) != load(has_ids=False)(rows)


def test_every_site_counts_the_same() -> None:
    """A site is worth no more when all its samples are there twice; only the cost scales."""
    generator = np.random.default_rng(3)
    first, second = (
        Asked(np.arange(30), rows, rows[:, 6] + rows[:, 7] > 0.8, np.zeros(30, bool))
        for rows in generator.uniform(size=(2, 30, len(NAMES)))
    )
    twice = Asked(
        np.arange(60),
        np.concatenate([second.features] * 2),
        np.concatenate([second.merged] * 2),
        second.whole,
    )
    settings = MachineSettings("linear", cost=0.02)
    once = fit([first, second], settings)(first.features)
    same = fit([first, twice], replace(settings, cost=0.02 * 60 / 90))(first.features)
    assert same == pytest.approx(once, abs=1e-2)
    outvoted = fit([first, twice], settings)(first.features)
    assert outvoted != pytest.approx(once, abs=1e-2)


def test_running_text_that_is_left_over_is_one_block() -> None:
    body = "<div><h2>Storm</h2><p>Rain {0}</p><table><tr><td>{0}</td></tr></table><p>End</p></div>"
    pages = pages_of(*(body.format(n) for n in range(8)))
    joined = SOM("thresholds").fit(pages)
    assert blocks(joined, pages[3]) == [
        ("html/body/div", "Storm Rain 3"),
        ("html/body/div/table/tbody/tr/td", "3"),
        ("html/body/div", "End"),
    ]
    apart = SOM.published("thresholds").fit(pages)
    assert len(apart.extract(pages[3])) == 4


def test_what_is_below_an_unknown_element_is_part_of_what_is_known_above_it() -> None:
    site, _ = site_of("<div>a</div><h1>b</h1>", "<div>c</div><h1>d</h1>", beta=2)
    page = parse("<body><section><div>new</div></section><h1>e</h1></body>")
    assert blocks(site, page) == [("html/body", "new"), ("html/body/h1", "e")]


def test_every_text_is_in_one_block_of_a_page_never_seen() -> None:
    tree, _ = site_of(FIRST, SECOND, beta=2)
    page = parse("<title>t</title><table><tr><td>new</td></tr></table>")
    found = tree.extract(page)
    assert len(found.labels) == len(page.texts)
    assert not tree.extract(parse(""))


@pytest.mark.parametrize(
    "wrong", [{"alpha": -1}, {"beta": -1}, {"max_period": 0}, {"min_repeats": 1}, {"pruning": "x"},
     {"rare_share": 2}, {"key": ()}, {"key": ("id",)}, {"key": ("tag", "class")},
     {"pruning": "thresholds", "model": "m.npz"}],
)  # fmt: skip
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        SOM(**wrong)


def article(number: int) -> str:
    return (
        f"<div id=menu><a href=/>Home</a> <a href=/n>News</a></div><div id=story><h1>Rain {number}"
        f"</h1><p>It rained {number} times.</p></div><div id=foot>The paper</div>"
    )


@pytest.mark.parametrize("pruning", ["thresholds", "svm"])
def test_a_site_is_learned_page_by_page_saved_and_loaded(pruning: str, tmp_path: Path) -> None:
    pages = pages_of(*map(article, range(12)))
    at_once = joeira.learn_site(pages, "som", pruning=pruning)
    later = joeira.learn_site(pages[:3], "som", pruning=pruning).update(pages[2:7])
    assert at_once.pages == 12
    assert later.update(pages[7:]).to_dict() == at_once.to_dict()
    assert later.pages == 7
    at_once.save(tmp_path / "site.json")
    loaded = joeira.load_site(tmp_path / "site.json")
    assert loaded.to_dict() == at_once.to_dict()
    for page in (*pages, *pages_of(article(99))):
        first, second = at_once.segment(page), loaded.segment(page)
        assert first.to_dict() == second.to_dict()
        assert any("The paper" in part.text for part in first)


def test_content_and_segments_of_sites_are_told_apart() -> None:
    pages = pages_of(*map(article, range(3)))
    with pytest.raises(UsageError, match=r"segment\(\)"):
        joeira.learn_site(pages, "som").extract(pages[0])
    with pytest.raises(UsageError, match=r"extract\(\)"):
        joeira.learn_site(pages).segment(pages[0])
    assert joeira.learn_site(pages, SOM("thresholds", beta=2)).method == "som"


@pytest.mark.parametrize(
    "damage",
    [
        {"nodes": [[5, "body", "", 1]]},
        {"frequency": [1]},
        {"words": []},
        {"nodes": [[0, "body"]]},
        {"pages": None},
    ],
)
def test_damaged_trees_are_refused(damage: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    joeira.learn_site(pages_of(*map(article, range(3))), "som").save(path)
    data = json.loads(path.read_text("utf-8"))
    data["learned"]["tree"] |= damage
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(InputError, match="damaged"):
        joeira.load_site(path)
