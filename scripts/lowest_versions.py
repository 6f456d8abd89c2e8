"""The lowest versions that pyproject.toml allows of what the core depends on, for pip.

python scripts/lowest_versions.py
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_LOWER_BOUND = re.compile(r"([\w.-]+)(?:\[.*\])?\s*(?:[^;]*,\s*)?>=\s*([\w.]+)")


def lowest(requirements: Iterable[str]) -> Iterator[str]:
    """Yield each requirement with its lower bound as the only version."""
    for requirement in requirements:
        found = _LOWER_BOUND.match(requirement)
        if not found:
            raise ValueError(f"{requirement!r} has no lower bound, so nobody knows what works")
        yield f"{found[1]}=={found[2]}"


def main() -> None:
    """Print them, one in a line."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    sys.stdout.writelines(f"{each}\n" for each in lowest(settings["project"]["dependencies"]))


if __name__ == "__main__":
    main()
