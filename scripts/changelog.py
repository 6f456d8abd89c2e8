"""The changelog as data, and the rules that it is written by.

A release is a heading ``## 1.2.3 - 2026-01-31``, newest first; what is not released yet stands
above all under ``## Unreleased``. In a release there are sections, each at most once and in this
order: Breaking, Added, Changed, Fixed. A section is a list of whole sentences.
"""

import re
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise

UNRELEASED = "Unreleased"
SECTIONS = ("Breaking", "Added", "Changed", "Fixed")
_RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d{2}-\d{2})")


@dataclass
class Release:
    """What is said of a release, and of lines that are no part of a list."""

    heading: str
    sections: list[tuple[str, list[str]]] = field(default_factory=list)
    stray: list[str] = field(default_factory=list)

    @property
    def version(self) -> str:
        """The version, or Unreleased."""
        return self.heading.partition(" - ")[0]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is told."""
        return not any(items for _, items in self.sections)


def number(version: str) -> tuple[int, ...]:
    """Return a version as numbers, to be compared."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ValueError(f"{version} is not a version such as 1.2.3")
    return tuple(map(int, version.split(".")))


def read(text: str) -> list[Release]:
    """Return the releases in the order of the file."""
    releases: list[Release] = []
    for line in text.splitlines():
        if line.startswith("## "):
            releases.append(Release(line.removeprefix("## ")))
        elif releases and line.strip():
            _add(releases[-1], line)
    return releases


def _add(release: Release, line: str) -> None:
    if line.startswith("### "):
        release.sections.append((line.removeprefix("### "), []))
        return
    items = release.sections[-1][1] if release.sections else []
    if line.startswith("- ") and release.sections:
        items.append(line.removeprefix("- "))
    elif line.startswith("  ") and items:
        items[-1] += f" {line.strip()}"
    elif release.sections:  # before the first section a release may be introduced
        release.stray.append(line)


def problems(text: str, version: str) -> list[str]:
    """Return which rules are broken, if the present version is the one given."""
    releases = read(text)
    if not text.startswith("# Changelog\n") or not releases:
        return ["it begins with '# Changelog', and has a release"]
    wrong = []
    if releases[0].version not in (UNRELEASED, version):
        wrong.append(f"it begins with {releases[0].version}, not with {UNRELEASED} or {version}")
    dated = releases[releases[0].version == UNRELEASED :]
    wrong += [problem for release in dated for problem in _heading_problems(release)]
    if not wrong:
        wrong += _order_problems(dated)
    return wrong + [problem for release in releases for problem in _section_problems(release)]


def _heading_problems(release: Release) -> list[str]:
    found = _RELEASE.fullmatch(release.heading)
    if not found:
        return [f"'## {release.heading}' is not like '## 1.2.3 - 2026-01-31'"]
    try:
        date.fromisoformat(found[4])
    except ValueError:
        return [f"'## {release.heading}' has no day of the calendar"]
    return [] if release.sections else [f"{release.version} says nothing"]


def _order_problems(releases: list[Release]) -> list[str]:
    wrong = []
    for newer, older in pairwise(releases):
        if number(newer.version) <= number(older.version):
            wrong.append(f"{newer.version} stands above {older.version}")
        if newer.heading.split()[-1] < older.heading.split()[-1]:
            wrong.append(f"{newer.version} is dated before {older.version}")
    return wrong


def _section_problems(release: Release) -> list[str]:
    names = [name for name, _ in release.sections]
    wrong = []
    if names != [name for name in SECTIONS if name in names]:
        wrong.append(f"{release.version} has the sections {names}, not some of {list(SECTIONS)}")
    wrong += [f"{release.version} has a line outside its lists: {line}" for line in release.stray]
    for name, items in release.sections:
        if not items:
            wrong.append(f"{release.version} has nothing under {name}")
        wrong += [
            f"{release.version} has no whole sentence in: {item}"
            for item in items
            if not item.endswith(".") or not re.match(r"[A-Z`*]", item)
        ]
    return wrong
