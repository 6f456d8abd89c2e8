"""The changelog is written by its rules, and breaking one of them is noticed."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import joeira

ROOT = Path(__file__).resolve().parents[2]


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("changelog", ROOT / "scripts" / "changelog.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


changelog = load()
GOOD = """\
# Changelog

Some words.

## Unreleased

### Breaking

- `extract` is gone. Use another
  one instead.

### Fixed

- It works again.

## 1.10.0 - 2026-03-04

Introduced by a sentence.

### Added

- A thing.

## 1.9.0 - 2026-03-04

### Changed

- Another thing.
"""


def test_the_changelog_is_written_by_its_rules() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert changelog.problems(text, joeira.__version__) == []


def test_reading() -> None:
    first, second, _ = changelog.read(GOOD)
    assert first.version == "Unreleased"
    assert first.sections == [
        ("Breaking", ["`extract` is gone. Use another one instead."]),
        ("Fixed", ["It works again."]),
    ]
    assert (second.version, second.is_empty, second.stray) == ("1.10.0", False, [])
    assert changelog.problems(GOOD, "1.10.0") == []


@pytest.mark.parametrize(
    "before, after, problem",
    [
        ("# Changelog", "# Changes", "it begins with '# Changelog', and has a release"),
        ("## Unreleased", "## 2.0 - 2026-03-05", "it begins with 2.0, not with Unreleased or 1.10"),
        ("## Unreleased", "## 2.0.0 - 2026-03-05", "it begins with 2.0.0, not with Unreleased"),
        ("1.10.0 - 2026-03-04", "1.10.0", "'## 1.10.0' is not like"),
        ("1.10.0 - 2026-03-04", "1.10.0 - 04.03.2026", "'## 1.10.0 - 04.03.2026' is not like"),
        ("1.10.0 - 2026-03-04", "1.10.0 - 2026-02-30", "has no day of the calendar"),
        ("1.10.0 - 2026-03-04", "1.10.0 - 2026-03-03", "1.10.0 is dated before 1.9.0"),
        ("1.10.0 - 2026-03-04", "1.8.0 - 2026-03-04", "1.8.0 stands above 1.9.0"),
        ("1.10.0 - 2026-03-04", "1.9.0 - 2026-03-04", "1.9.0 stands above 1.9.0"),
        ("## 1.9.0 - 2026-03-04", "## Unreleased", "'## Unreleased' is not like"),
        ("### Added\n\n- A thing.\n", "", "1.10.0 says nothing"),
        ("- A thing.\n", "", "1.10.0 has nothing under Added"),
        ("### Added", "### Removed", "1.10.0 has the sections ['Removed']"),
        ("### Fixed", "### Breaking", "Unreleased has the sections ['Breaking', 'Breaking']"),
        ("### Breaking", "### Security", "Unreleased has the sections ['Security', 'Fixed']"),
        ("- It works", "It works", "Unreleased has a line outside its lists: It works again."),
        ("one instead.", "one instead", "no whole sentence in: `extract` is gone. Use another"),
        ("- Another", "- another", "1.9.0 has no whole sentence in: another thing."),
    ],
)
def test_a_broken_rule_is_noticed(before: str, after: str, problem: str) -> None:
    assert before in GOOD
    found = changelog.problems(GOOD.replace(before, after, 1), "1.10.0")
    assert any(problem in each for each in found), found


@pytest.mark.parametrize("version", ["1.2", "v1.2.3", "1.2.3rc1", ""])
def test_a_version_has_three_numbers(version: str) -> None:
    with pytest.raises(ValueError, match="is not a version such as"):
        changelog.number(version)
