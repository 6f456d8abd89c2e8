"""Check that a wheel holds what is under version control, and nothing else.

python scripts/wheel_contents.py WHEEL [TAG]

Compared are the tracked files of the package, the files that pyproject.toml adds, and the usual
metadata. Kernels are compiled for all of their sources, or for none in a wheel for any platform.
With a tag, such as v1.2.3, the wheel has to be of that version.
"""

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]
METADATA = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
REQUIRED = ("joeira/py.typed", "models/*.npz", "static/index.html", "static/*.js", "static/*.css")
"""No code, so that nothing would fail at once without them."""


def tracked(folder: str) -> list[PurePosixPath]:
    """Return the files of a folder that are under version control, relative to it."""
    command = ["git", "-C", str(ROOT / folder), "ls-files", "-z"]
    names = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    return [PurePosixPath(name) for name in names.split("\0") if name]


def expected(folder_of_metadata: str) -> set[str]:
    """Return the names that a wheel should have."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    places = {package: PurePosixPath(package).name for package in wheel["packages"]}
    files = {
        str(PurePosixPath(place) / name)
        for folder, place in places.items()
        for name in tracked(folder)
    }
    files |= set(wheel.get("force-include", {}).values())
    return files | {f"{folder_of_metadata}/{name}" for name in METADATA}


def problems(wheel: Path, tag: str | None) -> list[str]:
    """Return what is wrong with a wheel."""
    name, version, *_ = wheel.name.split("-")
    with ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if not name.endswith("/")}
    wanted = expected(f"{name}-{version}.dist-info")
    compiled = {name for name in found if name.endswith((".so", ".pyd"))}
    found -= compiled
    kernels = {name.partition(".")[0] for name in compiled}
    if not wheel.name.endswith("-none-any.whl"):
        sources = {name.removesuffix(".pyx") for name in wanted if name.endswith(".pyx")}
        sources.add("joeira/_native/_shared")  # of Cython: hatch_build.py
        wrong_kernels = [f"not compiled: {name}.pyx" for name in sorted(sources - kernels)]
        kernels -= sources
    else:
        wrong_kernels = []
    wrong = [f"missing: {name}" for name in sorted(wanted - found)]
    wrong += [f"unexpected: {name}" for name in sorted(found - wanted)]
    wrong += [*wrong_kernels, *(f"compiled from nothing: {name}" for name in sorted(kernels))]
    wrong += [
        f"nothing like {pattern}"
        for pattern in REQUIRED
        if not any(PurePosixPath(name).match(pattern) for name in found)
    ]
    if tag is not None and tag != f"v{version}":
        wrong.append(f"it is version {version}, but the tag is {tag}")
    return wrong


def main() -> None:
    """Say what is wrong, or how much there is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("tag", nargs="?")
    options = parser.parse_args()
    if wrong := problems(options.wheel, options.tag):
        sys.exit("\n".join([f"{options.wheel.name} is not as it should be", *wrong]))
    with ZipFile(options.wheel) as archive:
        count = len(archive.namelist())
    megabytes = options.wheel.stat().st_size / 1e6
    sys.stdout.write(f"{options.wheel.name}: {count} files, {megabytes:.1f} MB, as it should be\n")


if __name__ == "__main__":
    main()
