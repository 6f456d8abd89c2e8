"""Methods by name, and parameters given as text."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any, Literal

import pytest

from joeira import catalog
from joeira.errors import BadParameter, UnknownMethod
from joeira.sites import XCEX


@dataclass(frozen=True)
class Sample:
    """A method with a parameter of every kind."""

    count: int = 1
    share: float = 0.5
    strict: bool = False
    mode: Literal["fast", "slow"] = "fast"
    level: Literal[1, 2] = 1
    tags: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    names: frozenset[str] = frozenset()
    limit: int | None = None
    derived: int = dataclasses.field(default=0, init=False)


def read(**settings: str) -> dict[str, Any]:
    return catalog.read_settings("sample", Sample, settings)


@pytest.mark.parametrize(
    "key, text, expected",
    [
        ("count", "12", 12),
        ("share", ".25", 0.25),
        ("strict", "TRUE", True),
        ("strict", "off", False),
        ("mode", "slow", "slow"),
        ("level", "2", 2),
        ("tags", "p, li ,", ("p", "li")),
        ("tags", "", ()),
        ("sizes", "1,2", (1, 2)),
        ("names", "a,b", frozenset("ab")),
        ("limit", "5", 5),
        ("limit", "None", None),
        ("limit", "", None),
    ],
)
def test_settings_are_typed(key: str, text: str, expected: object) -> None:
    value = read(**{key: text})[key]
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    "key, text, message",
    [
        ("count", "1.5", "count must be a whole number, not '1.5'"),
        ("share", "half", "share must be a number, not 'half'"),
        ("strict", "maybe", "strict must be true or false, not 'maybe'"),
        ("mode", "quick", "mode must be one of fast, slow, not 'quick'"),
        ("level", "3", "level must be one of 1, 2, not '3'"),
        ("sizes", "1,x", "sizes must be a tuple of numbers, not (1, 'x')"),
        ("limit", "x", "limit must be a whole number, or none, not 'x'"),
        ("speed", "1", "method 'sample' has no parameter 'speed'; its parameters: count, share, "),
        ("derived", "1", "method 'sample' has no parameter 'derived'"),
    ],
)
def test_wrong_settings_say_what_is_right(key: str, text: str, message: str) -> None:
    with pytest.raises(BadParameter) as caught:
        read(**{key: text})
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("entry", catalog.METHODS, ids=lambda entry: entry.name)
def test_every_method_is_a_frozen_dataclass_that_extracts(entry: catalog.Entry) -> None:
    method = entry.load()
    assert dataclasses.is_dataclass(method)
    assert method.__dataclass_params__.frozen
    assert hasattr(method, "papers")
    assert callable(method.fit if entry.task in catalog.SITE_TASKS else method.extract)
    assert method() == method()


def test_names_are_unique_within_a_task() -> None:
    names = [(entry.task, entry.name) for entry in catalog.METHODS]
    assert len(set(names)) == len(names)
    assert ("content", catalog.DEFAULT_CONTENT) in names
    assert ("records", catalog.DEFAULT_RECORDS) in names
    assert ("segments", catalog.DEFAULT_SEGMENTS) in names


def test_build() -> None:
    assert catalog.build("all_text") == catalog.find("all_text", "content").load()()
    with pytest.raises(BadParameter, match="its parameters: none"):
        catalog.build("all_text", {"x": "1"})


@pytest.mark.parametrize(
    "name, task, message",
    [
        (
            "all_txt",
            None,
            "no method 'all_txt'; did you mean 'all_text'? Known methods: learned, all_text, ",
        ),
        ("zzz", "content", "no method 'zzz'. Known methods: learned, all_text, "),
        ("all_text", "nothing", "no method 'all_text'. Known methods: none"),
    ],
)
def test_unknown_methods_name_the_known(name: str, task: str | None, message: str) -> None:
    with pytest.raises(UnknownMethod) as caught:
        catalog.find(name, task)
    assert str(caught.value).startswith(message)


# Methods of other packages ------------------------------------------------------------------------

GROUP = "joeira.methods"


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Any:
    def plug(*points: EntryPoint) -> None:
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)

    return plug


def test_methods_of_other_packages_are_found(plug: Any) -> None:
    plug(EntryPoint("theirs", "joeira.content.all_text:AllText", GROUP))
    entry = catalog.find("theirs", "content")
    assert entry.load() is catalog.find("all_text").load()
    assert entry in catalog.entries("content")
    assert entry not in catalog.entries("records")


def test_other_packages_cannot_replace_ours(plug: Any) -> None:
    plug(EntryPoint("all_text", "nowhere:Other", GROUP))
    assert catalog.find("all_text").location == "joeira.content.all_text:AllText"


def test_a_broken_method_of_another_package_is_told_and_left_out(plug: Any) -> None:
    plug(EntryPoint("broken", "joeira.no_such_module:Method", GROUP))
    with pytest.warns(UserWarning, match="'broken' of another package: ModuleNotFoundError"):
        assert catalog.entries() == list(catalog.METHODS)


def test_a_preset_is_a_setting_that_others_may_change() -> None:
    assert catalog.build("xcex", {"preset": "recommended"}, "site") == XCEX.recommended()
    changed = catalog.build("xcex", {"preset": "recommended", "page_limit_percent": "30"}, "site")
    assert changed == dataclasses.replace(XCEX.recommended(), page_limit_percent=30)
    assert set(catalog.presets(XCEX)) == {"recommended", "advised", "original_tags"}
    with pytest.raises(BadParameter, match="has no preset 'best'; its presets: recommended"):
        catalog.build("xcex", {"preset": "best"}, "site")


def test_the_hash_of_a_method_is_that_of_its_parameters() -> None:
    @dataclass
    class Changing:
        count: int = 1

    same, other, typed = Sample(), Sample(count=2), Sample(share=1)
    known = catalog.fingerprint(same)
    assert known == catalog.fingerprint(same) == catalog.fingerprint(Sample())
    assert len({known, *map(catalog.fingerprint, (other, typed, Sample(share=1.0)))}) == 4
    changing = Changing()
    before = catalog.fingerprint(changing)
    changing.count = 2
    assert catalog.fingerprint(changing) != before
    assert catalog.fingerprint("no method") == catalog.fingerprint("another")
