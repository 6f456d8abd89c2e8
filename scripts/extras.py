"""Install each extra into an environment of its own, and use what it is for.

PYTHON scripts/extras.py [--slow] [EXTRA ...]

The environment has nothing but joeira and the extra, so a requirement that is not declared is
found. Where there is uv, it installs, since it is quicker than pip. Each try runs in another folder
than the clone; `scripts/extra_tries.py` has them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NONE = "none"
"""Stands for joeira without any extra, which has to say what is missing."""
SLOW = (
    "bench", "browser", "daft", "datatrove", "docs", "nemo-curator", "ray", "spark", "test",
    "train",
)  # fmt: skip
"""Some of them are large; `bench`, `docs` and `test` bring many packages."""
_PROGRAMS = "Scripts" if os.name == "nt" else "bin"


@dataclass(frozen=True)
class Outcome:
    """How an extra fared."""

    extra: str
    problem: str
    seconds: float
    told: str
    """What was tried; of a problem, all that was said."""


def extras() -> list[str]:
    """Return the names of all extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [NONE, *project["optional-dependencies"]]


def outcome_of(extra: str) -> Outcome:
    """Install an extra and try it."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        environment, elsewhere = Path(folder, "venv"), Path(folder, "elsewhere")
        elsewhere.mkdir()
        python = str(environment / _PROGRAMS / "python")
        wanted = str(ROOT) if extra == NONE else f"{ROOT}[{extra}]"
        if uv := shutil.which("uv"):
            venv.create(environment, with_pip=True)
            install = [uv, "pip", "install", "--quiet", "--python", python, wanted]
        else:
            # The pip of Python 3.11 does not know that html_clean and html-clean are one extra.
            venv.create(environment, with_pip=True, upgrade_deps=True)
            install = [python, "-m", "pip", "install", "--quiet", wanted]
        steps = {
            "not installed": install,
            "does not work": [python, str(ROOT / "scripts" / "extra_tries.py"), extra],
        }
        problem = told = ""
        for problem_of_step, command in steps.items():
            done = subprocess.run(
                command,
                cwd=elsewhere,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                check=False,
            )
            told = done.stdout.strip()
            if done.returncode:
                problem, told = problem_of_step, f"{done.stdout}{done.stderr}".strip()
                break
    return Outcome(extra, problem, time.monotonic() - began, told)


def main() -> None:
    """Try what is asked for, and print a table."""
    known = extras()
    parser = argparse.ArgumentParser(prog="scripts/extras", description=__doc__.partition("\n")[0])
    parser.add_argument("--slow", action="store_true", help=f"also {', '.join(SLOW)}")
    parser.add_argument("extra", nargs="*", help=f"one of {', '.join(known)}")
    options = parser.parse_args()
    if unknown := set(options.extra) - set(known):
        parser.error(f"no extra {', '.join(sorted(unknown))}")
    wanted = options.extra or [name for name in known if options.slow or name not in SLOW]
    outcomes = []
    print(f"{'extra':<13}{'outcome':<15}{'seconds':>8}  what was tried · with what")
    for extra in wanted:
        print(f"joeira: trying {extra}", file=sys.stderr)
        each = outcome_of(extra)
        last = each.told.splitlines()[-1] if each.told else ""
        line = f"{each.extra:<13}{each.problem or 'works':<15}{each.seconds:>8.1f}  {last}"
        print(line, flush=True)  # as it comes: all of them take an hour
        outcomes.append(each)
    failures = [each for each in outcomes if each.problem]
    for each in failures:
        print(f"\n{each.extra}:\n{each.told}", file=sys.stderr)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
