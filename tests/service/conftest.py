"""Services that are shared by tests which leave them as they were."""

from collections.abc import Iterator

import pytest

from support import poison
from support.service import Service, service


@pytest.fixture(scope="session")
def running() -> Iterator[Service]:
    """A service as it comes."""
    with service("--workers", "1") as found:
        yield found


@pytest.fixture(scope="session")
def strict() -> Iterator[Service]:
    """A service with tight limits, whose workers can be poisoned."""
    limits = ("--timeout", "2", "--body-timeout", "1", "--max-bytes", "300000")
    with service("--workers", "2", "--max-waiting", "1", *limits, **poison.HOOK) as found:
        found.post("/v1/extract?method=all_text", content="<p>ready</p>")
        yield found
