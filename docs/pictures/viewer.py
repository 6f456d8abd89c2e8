"""Make the pictures of the viewer: ``python docs/pictures/viewer.py [FOLDER]``.

A service is started on a free port, and Chromium takes the pictures of the example pages; it needs
the extras ``service`` and ``browser``. The README shows ``viewer.png``. With ``--all`` there are
pictures of the other panes, of the dark colours and of a phone, for people to look at.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
READY = 'body[aria-busy="false"].working #tabs .tab'
DESKTOP, PHONE = (1280, 760), (390, 780)
PICTURE = (1180, 660)
MAX_BYTES = 200_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Shot(NamedTuple):
    """One picture: what is opened, what is clicked, and how large and dark the window is."""

    name: str
    page: str
    clicks: tuple[str, ...] = ()
    size: tuple[int, int] = DESKTOP
    dark: bool = False


README = Shot("viewer", "example-article", size=PICTURE)
OTHERS = (
    Shot("start", ""),
    Shot("start-dark", "", dark=True),
    Shot("start-phone", "", size=PHONE),
    Shot("segments", "example-article", ("#layers label:nth-child(2)", "#tab-segments")),
    Shot("records", "example-listing", ("#layers label:nth-child(3)", "#tab-records")),
    Shot("posts", "example-forum", ("#tab-posts",)),
    Shot("columns", "page-3", ("#tab-records", "[data-edit='0']", "[data-wrapper='0'] summary")),
    Shot("drawn", "page-2", ("#draw",)),
    Shot("block", "example-product", ("#tab-blocks", "#panel [data-block='9']")),
    Shot("metadata-dark", "example-article", ("#tab-metadata",), dark=True),
    Shot("records-dark", "example-listing", ("#tab-records",), dark=True),
    Shot("page-phone", "example-article", ("#switch button:first-child",), PHONE),
    Shot("result-phone", "example-listing", ("#tab-records",), PHONE),
    Shot("dark-phone", "example-forum", size=PHONE, dark=True),
)


@contextmanager
def viewer() -> Iterator[str]:
    """Give the address of a viewer that runs as long as the context."""
    command = [sys.executable, "-m", "joeira", "view", str(EXAMPLES), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def take(browser: Any, address: str, shot: Shot, folder: Path) -> Path:
    """Take one picture and return its file."""
    width, height = shot.size
    context = browser.new_context(
        locale="en-GB",
        viewport={"width": width, "height": height},
        color_scheme="dark" if shot.dark else "light",
        device_scale_factor=2 if shot.size == PHONE else 1,
    )
    page = context.new_page()
    page.goto(f"{address}#{shot.page}")
    page.wait_for_selector(READY if shot.page else "#examples li", state="attached")
    for selector in shot.clicks:
        page.click(selector)
        page.wait_for_selector('body[aria-busy="false"]')
        page.wait_for_timeout(300)
    page.wait_for_timeout(400)
    path = folder / f"{shot.name}.png"
    page.screenshot(path=path)
    context.close()
    return path


def main() -> None:
    """Take the pictures that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=HERE)
    parser.add_argument("--all", action="store_true", help="also those that the README has not")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)

    from playwright.sync_api import sync_playwright

    as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    with viewer() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=as_root, ignore_default_args=["--hide-scrollbars"]
        )
        for shot in (README, *(OTHERS if given.all else ())):
            path = take(browser, address, shot, given.folder)
            sys.stdout.write(f"{path}: {path.stat().st_size:,} bytes\n")
        browser.close()
    size = (given.folder / f"{README.name}.png").stat().st_size
    if size > MAX_BYTES:
        sys.exit(f"{README.name}.png has {size:,} bytes, and may have {MAX_BYTES:,} at most")


if __name__ == "__main__":
    main()
