"""One service for all tests that leave it as it was."""

from collections.abc import Iterator

import pytest

from support.service import Service, service


@pytest.fixture(scope="session")
def running() -> Iterator[Service]:
    with service("--workers", "2") as found:
        yield found
