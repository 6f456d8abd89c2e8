"""What a new process costs to its first result, and the size of a base installation.

Times are wall-clock times; the ratio compares processor times, which other programs disturb less.

python benchmarks/startup.py [--rounds N]
"""

import argparse
import subprocess
import sys
import time
from importlib.metadata import distribution
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "examples" / "article.html"
FIRST = "import joeira; joeira.extract(open({page!r}, 'rb').read()).text()"
BASE = ("numpy", "turbohtml", "typer", "rich", "protego")
IMPORT = """
import sys, time
start = time.process_time()
import numpy, turbohtml
middle = time.process_time()
{code}
end = time.process_time()
own = sum(name.partition(".")[0] == "joeira" for name in sys.modules)
print(middle - start, end - middle, own)
"""


def seconds(code: str, rounds: int) -> float:
    """Return the least time that a new interpreter takes for some code."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        best = min(best, time.perf_counter() - start)
    return best


def import_cost(code: str, rounds: int) -> tuple[float, int]:
    """Return how many times as much as numpy and turbohtml some code costs with them.

    Also the number of our modules that it loads.
    """
    base = own = float("inf")
    modules = 0
    for _ in range(rounds):
        done = subprocess.run(
            [sys.executable, "-c", IMPORT.format(code=code)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        first, second, count = done.stdout.split()
        base, own, modules = min(base, float(first)), min(own, float(second)), int(count)
    return (base + own) / base, modules


def megabytes(name: str) -> float:
    """Return the size of an installed distribution."""
    files = distribution(name).files or ()
    return sum(p.stat().st_size for p in (file.locate() for file in files) if p.is_file()) / 1e6


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    for title, code in (
        ("interpreter alone", "pass"),
        ("import joeira", "import joeira"),
        ("import and first extraction", FIRST.format(page=str(PAGE))),
    ):
        sys.stdout.write(f"{title:30}{seconds(code, rounds):6.2f} s\n")
    for code in ("import joeira", "from joeira import extract"):
        ratio, modules = import_cost(code, rounds)
        cost = f"{ratio:6.2f} x numpy and turbohtml, {modules} modules"
        sys.stdout.write(f"{code:30}{cost}\n")
    package = Path(__file__).resolve().parents[1] / "src" / "joeira"
    own = sum(p.stat().st_size for p in package.rglob("*") if p.suffix in (".py", ".npz", ".json"))
    sys.stdout.write(f"{'joeira itself':30}{own / 1e6:6.1f} MB\n")
    for name in BASE:
        sys.stdout.write(f"{name:30}{megabytes(name):6.1f} MB\n")


if __name__ == "__main__":
    main()
