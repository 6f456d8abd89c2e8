"""One call to the system fails in the middle of a run: nothing is lost, and the run goes on."""

import json
import os
import subprocess
import sys
from pathlib import Path

from support import archives
from support.command_line import ROOT, environment

CASES = 9
"""So many of the calls fail here; `python benchmarks/kill.py --faults` lets each of them fail."""
CALLS = 70
"""About so many are made."""


def pages_in(folder: Path) -> Path:
    """Write three shards of records, few of which have a page: those take time."""
    path = folder / "pages.jsonl"
    with path.open("w") as file:
        for number in range(1100):
            page = {"html": archives.page(number).decode()} if number % 500 == 7 else {}
            file.write(json.dumps({"id": str(number), **page}) + "\n")
    return path


def test_a_call_that_fails_ends_with_4_and_the_same_command_goes_on(tmp_path: Path) -> None:
    step = str(CALLS // CASES)
    command = [sys.executable, "-W", "error", "-m", "support.faults", pages_in(tmp_path), tmp_path]
    places = (str(ROOT / "tests"), os.environ.get("PYTHONPATH"))
    done = subprocess.run(
        [*command, step],
        env=environment(PYTHONPATH=os.pathsep.join(filter(None, places))),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) >= CASES - 2
    for outcome in outcomes:
        assert outcome["kind"], outcome
        went_on = outcome["finished"] and outcome["code"] == outcome["calm_code"]
        assert went_on or (outcome["code"] == 4 and "resume" in outcome["said"]), outcome
        assert outcome["said"].count("\n") == 1, outcome
        assert (outcome["code_again"], outcome["same"]) == (outcome["calm_code"], True), outcome
        assert outcome["temporary"] == [], outcome
        assert outcome["open_files"] <= 2, (
            outcome
        )  # Python's own, where it fails to start a process
