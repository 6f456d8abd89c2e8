"""``scripts/release`` in a repository of its own: what it does, and everything that it refuses.

The repository has the scripts as they are, and checks and a build that only say that they were run
(or fail, if the file `fail` says so).
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("release", "release_checks.py", "changelog.py", "venv.sh")
STEP = """\
#!/usr/bin/env bash
cd "$(dirname "$0")/.."
echo "$(basename "$0") $*" >>steps.log
! grep -qx "$(basename "$0")" fail 2>/dev/null
"""
CHANGELOG = """\
# Changelog

## 0.2.0 - 2026-03-04

### Added

- A thing.

## 0.1.0 - 2026-03-01

### Added

- Everything else.
"""
SILENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Somebody"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "somebody@example.org"),
}


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # A hook of git, under which tests may run, names the repository that it belongs to.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self.environment = {**kept, **SILENT}

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    def git(self, *arguments: str) -> str:
        done = self.run("git", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def commit(self, name: str, text: str) -> None:
        self.write(name, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", f"Change {name}")

    def release(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("bash", "scripts/release", *arguments)

    @property
    def tags(self) -> list[str]:
        return self.git("tag", "--list").split()

    @property
    def steps(self) -> list[str]:
        log = self.folder / "steps.log"
        return log.read_text("utf-8").splitlines() if log.exists() else []


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    made = Repository(tmp_path)
    made.git("init", "--quiet", "--initial-branch", "main")
    (tmp_path / "scripts").mkdir()
    for name in COPIED:
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts" / name)
    for name in ("test", "build"):
        made.write(f"scripts/{name}", STEP)
        (tmp_path / "scripts" / name).chmod(0o755)
    made.write(".gitignore", "steps.log\nfail\n__pycache__/\n")
    made.write("CHANGELOG.md", CHANGELOG)
    made.write("CITATION.cff", "cff-version: 1.2.0\nversion: 0.2.0\n")
    made.commit("src/joeira/_version.py", '"""The version."""\n\n__version__ = "0.2.0"\n')
    made.git("tag", "v0.1.0")
    return made


def refused(repository: Repository, reason: str, version: str = "0.2.0") -> None:
    before = repository.tags
    done = repository.release(version)
    assert done.returncode == 1
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert repository.tags == before


def test_a_prepared_release_is_checked_built_and_tagged(repository: Repository) -> None:
    done = repository.release("0.2.0")
    assert (done.returncode, done.stdout) == (0, "")
    assert repository.steps == ["test ", "build v0.2.0"]
    assert repository.tags == ["v0.1.0", "v0.2.0"]
    assert repository.git("cat-file", "-t", "v0.2.0") == "tag\n"
    assert "git push origin main v0.2.0" in done.stderr
    refused(repository, "0.2.0 is not newer than 0.2.0, which is tagged already")


def test_the_name_of_the_tag_will_do(repository: Repository) -> None:
    assert repository.release("v0.2.0").returncode == 0
    assert repository.tags == ["v0.1.0", "v0.2.0"]


def test_changes_that_are_not_committed(repository: Repository) -> None:
    repository.write("CITATION.cff", "version: 0.2.0\n")
    refused(repository, "changes that are not committed")
    assert repository.steps == []


def test_files_that_are_not_tracked(repository: Repository) -> None:
    repository.write("notes.txt", "to do\n")
    refused(repository, "changes that are not committed")


def test_another_branch(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "work")
    refused(repository, "releases are made from main, and this is work")


def test_no_branch(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--detach")
    refused(repository, "releases are made from main, and this is no branch")


def test_a_version_that_is_not_newer(repository: Repository) -> None:
    for tag in ("v0.10.0", "v0.9.0", "vague"):
        repository.git("tag", tag)
    refused(repository, "0.2.0 is not newer than 0.10.0, which is tagged already")


@pytest.mark.parametrize("version", ["2", "0.2", "0.2.0rc1", "0.3.0; ls"])
def test_what_is_no_version(repository: Repository, version: str) -> None:
    refused(repository, f"{version} is not a version such as 1.2.3", version)


def test_no_version(repository: Repository) -> None:
    assert repository.release().returncode == 1
    assert "say which version" in repository.release().stderr


def test_another_version_in_the_package(repository: Repository) -> None:
    repository.commit("src/joeira/_version.py", '__version__ = "0.1.0"\n')
    refused(repository, "src/joeira/_version.py says 0.1.0, not 0.2.0")


def test_no_version_in_the_package(repository: Repository) -> None:
    repository.commit("src/joeira/_version.py", "")
    refused(repository, "src/joeira/_version.py says nothing of the version, not 0.2.0")
    repository.git("rm", "--quiet", "src/joeira/_version.py")
    repository.git("commit", "--quiet", "--message", "Remove it")
    refused(repository, "src/joeira/_version.py says nothing of the version, not 0.2.0")


def test_another_version_in_the_citation(repository: Repository) -> None:
    repository.commit("CITATION.cff", "version: 0.1.0\n")
    refused(repository, "CITATION.cff says 0.1.0, not 0.2.0")


def test_a_changelog_that_does_not_know_the_version(repository: Repository) -> None:
    _, _, end = CHANGELOG.partition("## 0.1.0")
    repository.commit("CHANGELOG.md", f"# Changelog\n\n## 0.1.0{end}")
    refused(repository, "CHANGELOG.md says nothing of 0.2.0")


def test_a_changelog_without_a_date(repository: Repository) -> None:
    repository.commit("CHANGELOG.md", CHANGELOG.replace("## 0.2.0 - 2026-03-04", "## 0.2.0"))
    refused(repository, "CHANGELOG.md: '## 0.2.0' is not like")


def test_a_changelog_with_text_that_is_not_released(repository: Repository) -> None:
    text = CHANGELOG.replace("## 0.2.0 - 2026-03-04", "## Unreleased")
    repository.commit("CHANGELOG.md", text)
    refused(repository, "CHANGELOG.md still has text under Unreleased")


def test_a_changelog_with_an_empty_heading_left(repository: Repository) -> None:
    text = CHANGELOG.replace("## 0.2.0", "## Unreleased\n\n## 0.2.0")
    repository.commit("CHANGELOG.md", text)
    refused(repository, "CHANGELOG.md still has an empty Unreleased")


def test_a_changelog_that_breaks_its_rules(repository: Repository) -> None:
    repository.commit("CHANGELOG.md", CHANGELOG.replace("A thing.", "a thing"))
    refused(repository, "CHANGELOG.md: 0.2.0 has no whole sentence in: a thing")


def test_every_reason_is_given_at_once(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "work")
    repository.write("CHANGELOG.md", "")
    done = repository.release("0.1.0")
    for reason in ("this is work", "not committed", "not newer", "_version.py", "CHANGELOG.md"):
        assert reason in done.stderr
    assert repository.steps == []


@pytest.mark.parametrize(
    "step, reason", [("test", "the checks have failed"), ("build", "it cannot be built")]
)
def test_a_step_that_fails(repository: Repository, step: str, reason: str) -> None:
    repository.write("fail", f"{step}\n")
    refused(repository, f"not released: {reason}")


def test_checks_that_leave_changes(repository: Repository) -> None:
    repository.commit("scripts/test", f"{STEP}touch left-over\n")
    refused(repository, "not released: the checks have left changes")
