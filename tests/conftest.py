"""Options of the test run."""

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
