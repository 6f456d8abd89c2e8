"""A window of a browser that remembers what must not happen in it."""

from __future__ import annotations

from typing import Any

READY = 'body[aria-busy="false"].working #tabs .tab'


class Watched:
    """A browser page that remembers what must not happen."""

    def __init__(self, page: Any, url: str) -> None:
        self.page = page
        self.url = url
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.dialogs: list[str] = []
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._hear)
        page.on("request", self._see)
        page.on("dialog", self._close)
        # Not even a dialog is needed to be told: whatever runs says so here.
        page.add_init_script(
            "window.ran = []; window.alert = (n) => (window.top.ran ?? []).push(n);"
        )

    def _hear(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _see(self, request: Any) -> None:
        if not request.url.startswith((self.url, "data:", "blob:", "about:")):
            self.foreign.append(request.url)

    def _close(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def open(self, number: str = "") -> None:
        self.page.goto(f"{self.url}/#{number}")
        if number:
            self.page.wait_for_selector(READY, state="attached")

    def paste(self, html: str) -> None:
        """Paste a page on the start screen, and wait until it is shown."""
        self.page.goto(f"{self.url}/")
        self.page.wait_for_selector("#examples li")
        self.page.fill("#paste", html)
        self.page.click("#paste-form button")
        self.page.wait_for_selector(READY, state="attached")

    def pick(self, selector: str, value: str) -> None:
        """Choose from a list of methods, and wait for what it has to say."""
        self.page.select_option(selector, value)
        self.page.wait_for_selector(READY, state="attached")

    def text_of(self, words: str) -> Any:
        """A text of the page in the frame."""
        return self.page.frame_locator("#frame").locator("joeira-text", has_text=words).first

    def click(self, words: str) -> None:
        """Click words of the page, as a person does."""
        self.text_of(words).scroll_into_view_if_needed()
        box = self.text_of(words).bounding_box()
        self.page.mouse.click(box["x"] + 5, box["y"] + box["height"] / 2)

    def ran(self) -> list[Any]:
        """What ran that should not have."""
        return [*self.page.evaluate("window.ran"), *self.dialogs]
