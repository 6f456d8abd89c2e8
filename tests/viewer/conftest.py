"""A service with a viewer, and a browser to look at it; without one, the tests are skipped."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.window import Watched

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address of a service, and its data folder."""
    pytest.importorskip("fastapi", reason="the extra 'service' is not installed")
    from support.service import service

    folder = tmp_path_factory.mktemp("data")
    with service("--workers", "1", "--timeout", "60", "--data", str(folder)) as running:
        yield running.url, folder


@pytest.fixture(scope="module")  # Playwright runs once at a time, and tests of ours use it, too
def browser() -> Iterator[Any]:
    """A real browser."""
    reason = "no browser: pip install playwright and install chromium"
    api = pytest.importorskip("playwright.sync_api", reason=reason)
    program = next(filter(None, map(shutil.which, NAMES)), None)
    as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with api.sync_playwright() as playwright:
        try:
            found = playwright.chromium.launch(executable_path=program, args=as_root)
        except api.Error as error:
            pytest.skip(f"{reason} ({str(error).splitlines()[0]})")
        yield found
        found.close()


@pytest.fixture
def seen(browser: Any, served: tuple[str, Path]) -> Iterator[Watched]:
    """A window of the browser, in which nothing may go wrong or leave this computer."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1300, "height": 820})
    watched = Watched(context.new_page(), served[0])
    yield watched
    found = (watched.errors, watched.foreign)
    context.close()
    assert found == ([], [])
