"""``joeira doctor``: report what is installed or missing, and whether everything works."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from joeira._version import __version__
from joeira.cli import options, writing
from joeira.cli.writing import ExitCode

EXAMPLES = options.examples("joeira doctor", "joeira doctor --json > doctor.json")

_CORE: Final = ("numpy", "turbohtml", "typer", "rich", "protego")
_DEVELOPERS: Final = frozenset({"bench", "docs", "release", "test", "train"})
"""Extras for those who work on Joeira itself."""
_REQUIREMENT: Final = re.compile(r"([\w.-]+).*;.*extra\s*==\s*[\"']([\w-]+)[\"']")
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PLAYWRIGHT: Final = (
    ".cache/ms-playwright", "Library/Caches/ms-playwright", "AppData/Local/ms-playwright",
)  # fmt: skip
_MARKS: Final = {True: "ok     ", False: "failed ", None: "missing"}

_PAGE: Final = (
    "<html lang=en><title>Rain | Weather</title><nav><a href=/>Home</a> <a href=/a>About</a></nav>"
    "<article><h1>Rain</h1><p>It rained for a whole week, and the river left its bed at night.</p>"
    "<p>People carried sand to the doors, and waited for the sun to come back.</p></article>"
    "<footer>Terms of use</footer></html>"
)
_LIST: Final = "<ul>{}</ul>".format(
    "".join(
        f"<li><a href=/p{number}>Lamp number {number}</a> <b>{number},50 €</b></li>"
        for number in range(1, 9)
    )
)


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    part: str
    """What it is about: the program, an extra, or a test."""
    name: str
    is_well: bool | None
    """None for what is not there, and need not be."""
    about: str
    """A version, how long it took, or what to do."""


def doctor(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Write the report as JSON.")] = False,
) -> None:
    """Report versions, extras and browsers, and try every task on a small page.

    The exit code is 1 if something that is installed does not work.
    """
    findings = [*_program(), *_extras(), *_others(), *_self_test()]
    if as_json:
        report = {"joeira": __version__, "findings": [asdict(each) for each in findings]}
        writing.to_stdout(json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    else:
        writing.to_stdout("".join(_lines(findings)))
    failed = [each.name for each in findings if each.is_well is False]
    if failed:
        writing.say(f"failed: {', '.join(failed)}; reinstall joeira, or report this output")
        raise typer.Exit(ExitCode.SOME_FAILED)


def _lines(findings: list[Finding]) -> Iterator[str]:
    part = ""
    for each in findings:
        if each.part != part:
            yield f"{chr(10) if part else ''}{each.part}\n"
            part = each.part
        yield f"  {_MARKS[each.is_well]} {each.name:<18} {each.about}\n"


def _program() -> Iterator[Finding]:
    part = "program"
    system = f"{platform.system()} {platform.release()} ({platform.machine()})"
    yield Finding(part, "joeira", True, __version__)
    yield Finding(part, "python", True, f"{platform.python_version()}, {sys.executable}")
    yield Finding(part, "system", True, system)
    for name in _CORE:
        version = _version_of(name)
        yield Finding(part, name, version is not None, version or "pip install joeira")


def _extras() -> Iterator[Finding]:
    """Yield each extra for users, with the versions of its packages or how to get them."""
    packages: dict[str, list[str]] = {}
    for line in _requirements():
        requirement = _REQUIREMENT.match(line)
        if requirement and requirement[2] not in _DEVELOPERS:
            packages.setdefault(requirement[2], []).append(requirement[1])
    for extra, names in packages.items():
        versions = {name: _version_of(name) for name in names}
        if all(versions.values()):
            about = ", ".join(f"{name} {version}" for name, version in versions.items())
            yield Finding("extras", extra, True, about)
        else:
            yield Finding("extras", extra, None, f"pip install 'joeira[{extra}]'")


def _requirements() -> list[str]:
    from importlib import metadata

    try:
        return metadata.requires("joeira") or []
    except metadata.PackageNotFoundError:  # run from a folder: nothing was installed
        return []


def _version_of(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _others() -> Iterator[Finding]:
    import joeira

    part = "helpers"
    program = next(filter(None, map(shutil.which, _BROWSERS)), None) or _own_browser()
    cure = (
        "needed for the method vips and for page images in the viewer: playwright install chromium"
    )
    yield Finding(part, "browser", True if program else None, program or cure)
    has_native = joeira.native_available
    about = "in use" if has_native else "not available; using Python and numpy"
    yield Finding(part, "native", True if has_native else None, about)


def _own_browser() -> str | None:
    """Return the folder of a browser that Playwright installed for itself."""
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    places = [named] if named else [Path.home() / place for place in _PLAYWRIGHT]
    folders = [str(path) for place in places for path in Path(place).glob("chromium*")]
    return max(folders, default=None)


def _self_test() -> Iterator[Finding]:
    """Yield how each task went on a page whose answer is known."""
    for name, test in _TESTS.items():
        began = time.perf_counter()
        try:
            problem = test()
        except Exception as error:  # whatever it is, it is what somebody wants to know
            problem = f"{type(error).__name__}: {error}"
        milliseconds = 1000 * (time.perf_counter() - began)
        yield Finding("self-test", name, not problem, problem or f"{milliseconds:.0f} ms")


def _expect(found: Any, wanted: Any) -> str:
    return "" if found == wanted else f"expected {wanted!r}, found {found!r}"


def _extract() -> str:
    from joeira import api

    content = api.extract(_PAGE)
    kept = content.text()
    return _expect(["left its bed" in kept, "Terms" in kept], [True, False]) or _expect(
        content.markdown().partition("\n")[0], "# Rain"
    )


def _records() -> str:
    from joeira import api

    return _expect([len(table) for table in api.find_records(_LIST).tables[:1]], [8])


def _segments() -> str:
    from joeira import api

    return _expect(len(api.segment(_PAGE)) > 0, True)


def _metadata() -> str:
    from joeira import api

    return _expect(api.extract(_PAGE).metadata.title, "Rain")


def _site() -> str:
    from joeira import api
    from joeira.page import parse

    pages = [_PAGE.replace("week", word) for word in ("week", "month", "year")]
    site = api.learn_site(map(parse, pages))
    return _expect("left its bed" in site.extract(parse(pages[0])).text(), True)


def _processes() -> str:
    """Try the processes that batches and the service put pages in."""
    from joeira.isolation.workers import require_processes

    require_processes()
    return ""


_TESTS: Final[dict[str, Callable[[], str]]] = {
    "extract": _extract,
    "records": _records,
    "segment": _segments,
    "metadata": _metadata,
    "site": _site,
    "processes": _processes,
}
