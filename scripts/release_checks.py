"""Is everything prepared for a release?

python scripts/release_checks.py VERSION

Says what is missing and ends with an exit code of 1, or says nothing.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import changelog

ROOT = Path(__file__).resolve().parents[1]
VERSION_FILE = "src/joeira/_version.py"
CITATION = "CITATION.cff"


def git(*arguments: str) -> str:
    """Return what git says; '' if it refuses."""
    command = ["git", "-C", str(ROOT), *arguments]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    return done.stdout.strip()


def stated(name: str, pattern: str) -> str | None:
    """Return what a file says of the version."""
    try:
        found = re.search(pattern, (ROOT / name).read_text("utf-8"), re.MULTILINE)
    except FileNotFoundError:
        return None
    return found[1] if found else None


def problems(version: str) -> Iterator[str]:
    """Yield what has to be done first."""
    branch = git("branch", "--show-current") or "no branch"
    if branch != "main":
        yield f"releases are made from main, and this is {branch}"
    if git("status", "--porcelain"):
        yield "there are changes that are not committed (git status shows them)"
    tags = re.findall(r"^v(\d+\.\d+\.\d+)$", git("tag", "--list", "v*"), re.MULTILINE)
    newest = max(tags, key=changelog.number, default=None)
    if newest is not None and changelog.number(version) <= changelog.number(newest):
        yield f"{version} is not newer than {newest}, which is tagged already"
    for name, pattern in (
        (VERSION_FILE, r"^__version__ = \"(.+)\"$"),
        (CITATION, r"^version: \"?([^\"\n]+)\"?$"),
    ):
        if (found := stated(name, pattern)) != version:
            yield f"{name} says {found or 'nothing of the version'}, not {version}"
    yield from _changelog_problems(version)


def _changelog_problems(version: str) -> Iterator[str]:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    releases = changelog.read(text)
    if releases and releases[0].version == changelog.UNRELEASED:
        left = "an empty" if releases[0].is_empty else "text under"
        yield f"CHANGELOG.md still has {left} Unreleased; it becomes '## {version} - (today)'"
    elif version not in {release.version for release in releases}:
        yield f"CHANGELOG.md says nothing of {version}"
    yield from (f"CHANGELOG.md: {problem}" for problem in changelog.problems(text, version))


def main() -> None:
    """Say what is missing."""
    (version,) = sys.argv[1:]
    try:
        changelog.number(version)
    except ValueError as error:
        sys.exit(f"joeira: {error}")
    if found := list(problems(version)):
        sys.exit("\n".join(f"joeira: {problem}" for problem in found))


if __name__ == "__main__":
    main()
