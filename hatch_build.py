"""Compile the kernels of `joeira._native`, or leave them out where there is no compiler.

Hatchling runs this while it builds a wheel or installs the clone. Without a C compiler, or with
``JOEIRA_NATIVE=0``, the package is pure Python: the same answers, more slowly. ``JOEIRA_NATIVE=1``
makes a failure to compile an error, which is what a release wants.

    python hatch_build.py [--checked] [KERNEL ...]

compiles in place, all kernels or those named, for those who work on them; with ``--checked`` every
index is checked, and one out of bounds is an error.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from subprocess import SubprocessError
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
PACKAGE = "joeira._native"
FOLDER = Path("src", *PACKAGE.split("."))
WISH = "JOEIRA_NATIVE"
SHARED = "_shared"
"""What all kernels need of Cython: compiled once instead of with each, half of the work."""

FLAGS = {
    "msvc": ["/O2", "/fp:precise"],
    # The same bits on every machine: no fused multiply-add, nothing that reorders sums.
    "other": ["-O2", "-ftree-vectorize", "-ffp-contract=off", "-fno-math-errno"],
}
DIRECTIVES = {
    "language_level": "3",
    "boundscheck": False,  # what a kernel is given is checked where it begins
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "freethreading_compatible": True,
    "show_performance_hints": False,  # those that ask for checks want them
}


class NotCompiled(Exception):
    """The kernels could not be compiled."""


def kernels() -> list[str]:
    """Return the names of all kernels."""
    return sorted(source.stem for source in (ROOT / FOLDER).glob("*.pyx"))


def compile_kernels(build: Path, checked: bool = False, names: Sequence[str] = ()) -> list[Path]:
    """Compile kernels, all unless some are named, below a folder; return the libraries."""
    try:
        from Cython.Build import cythonize
        from Cython.Compiler.Errors import CompileError as CythonError
        from setuptools import Distribution, Extension
        from setuptools.command.build_ext import build_ext
        from setuptools.errors import BaseError, CCompilerError
    except ImportError as error:
        raise NotCompiled(f"{error.name} is not installed") from error

    class BuildExtensions(build_ext):  # type: ignore[misc]  # setuptools has no types
        def build_extensions(self) -> None:
            kind = self.compiler.compiler_type
            flags = FLAGS.get(kind, FLAGS["other"])
            if kind not in FLAGS and not checked:
                # Nothing for debuggers, which would take as long to write as the code itself.
                flags = [*flags, "-g0"]
            for extension in self.extensions:
                extension.extra_compile_args = flags
            super().build_extensions()

    extensions = [
        Extension(f"{PACKAGE}.{name}", [str(FOLDER / f"{name}.pyx")], include_dirs=[str(FOLDER)])
        for name in names or kernels()
    ]
    shared = build / f"{SHARED}.c"
    directives = DIRECTIVES | {"boundscheck": checked, "initializedcheck": checked}
    here = Path.cwd()
    os.chdir(ROOT)  # names in error messages are then those of the clone
    try:
        subprocess.run(
            [sys.executable, "-m", "cython", f"--generate-shared={shared}"],
            check=True,
            capture_output=True,
        )
        extensions = cythonize(
            extensions,
            build_dir=str(build),
            compiler_directives=directives,
            quiet=True,
            shared_utility_qualified_name=f"{PACKAGE}.{SHARED}",
        )
        extensions.append(Extension(f"{PACKAGE}.{SHARED}", [str(shared)]))
        command = BuildExtensions(Distribution({"name": "joeira", "ext_modules": extensions}))
        command.build_lib, command.build_temp = str(build / "lib"), str(build / "objects")
        command.force, command.parallel = True, os.cpu_count()
        command.ensure_finalized()
        command.run()
    except (BaseError, CCompilerError, CythonError, OSError, SubprocessError) as error:
        raise NotCompiled(_reason(error)) from error
    finally:
        os.chdir(here)
    return [Path(name) for name in command.get_outputs()]


def _reason(error: Exception) -> str:
    """Return why something was not compiled, in a few words: commands are long."""
    said = str(error).strip().splitlines() or [type(error).__name__]
    name = os.environ.get("CC", "cc")
    return f"the C compiler ({name}) failed" if said[-1].startswith("Command ") else said[-1][:200]


def put_in_place(libraries: list[Path]) -> list[Path]:
    """Move libraries into the source tree, in the place of older ones; return where they are."""
    places = [ROOT / FOLDER / library.name for library in libraries]
    for library, place in zip(libraries, places, strict=True):
        place.unlink(missing_ok=True)  # a process that has the old one open keeps it
        shutil.move(library, place)
    return places


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the compiled kernels to a wheel, or to the clone for an editable installation."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files of the wheel are collected."""
        wish = os.environ.get(WISH, "")
        if self.target_name != "wheel" or wish == "0":
            return
        self.build = Path(tempfile.mkdtemp(prefix="joeira-native-"))
        try:
            libraries = compile_kernels(self.build)
        except NotCompiled as error:
            if wish == "1":
                raise
            self.app.display_warning(
                f"joeira: built without native kernels, slower but with the same answers: {error}"
            )
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        if version == "editable":
            put_in_place(libraries)
        else:
            build_data["force_include"].update(
                {str(library): f"joeira/_native/{library.name}" for library in libraries}
            )

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the compiler has left."""
        if hasattr(self, "build"):
            shutil.rmtree(self.build, ignore_errors=True)


def main() -> None:
    """Compile in place."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checked", action="store_true", help="check every index")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=", ".join(kernels()))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as build:
        try:
            libraries = put_in_place(compile_kernels(Path(build), options.checked, options.kernels))
        except NotCompiled as error:
            sys.exit(f"could not compile: {error}")
    for library in libraries:
        sys.stdout.write(f"{library.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
