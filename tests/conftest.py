"""Options of the test run, and what it says at its end."""

import pytest
from hypothesis import settings

from support.examples import EXAMPLES

# For tests that do not say so themselves: the same pages in every run, and no deadlines, which only
# tell how busy the machine is.
settings.register_profile("same", EXAMPLES)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the golden files with what is produced now, for reading in the diff",
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [
        report
        for report in terminalreporter.getreports("skipped")
        if "tests/quality/" in report.nodeid or "quality" in getattr(report, "keywords", ())
    ]
    if not skipped:
        return
    terminalreporter.section(f"{len(skipped)} quality checks that could not run")
    for report in skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        terminalreporter.line(f"{report.nodeid.rpartition('::')[2]}: {reason}")
