"""A real browser and a real server, both on this machine."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright
from tests.service.serving import served

from askance.service.running import Service, opened_service

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]

PASSWORD = "correct horse"


@dataclass
class Site:
    """A service at an address, and faults that its pages had."""

    service: Service
    address: str
    browser: Browser
    contexts: list[BrowserContext]
    faults: list[str]

    def open(self, name: str = "ann", role: str = "admin", **options: object) -> "Desk":
        """Open a browser of its own for somebody, who makes an account by a link."""
        context = self.browser.new_context(base_url=self.address, **options)
        self.contexts.append(context)
        # Kernels may be compiled meanwhile.
        context.set_default_timeout(120_000)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._listen)
        page.goto(f"/enter/{self.service.people.make_link(role)}")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Begin").click()
        page.get_by_role("heading", name="Streams").wait_for()
        return Desk(page)

    def _listen(self, message: object) -> None:
        # What a lost connection says is no fault of the page.
        if message.type == "error" and "ERR_INTERNET_DISCONNECTED" not in message.text:
            self.faults.append(message.text)


class Desk:
    """What a person does in a browser."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @property
    def current(self) -> str:
        """The number of the question on the screen."""
        return self.page.locator("#desk").get_attribute("data-current") or ""

    def question(self) -> str:
        """The text of the question on the screen, once there is one."""
        self.page.wait_for_function("() => document.getElementById('desk')?.dataset.current")
        return self.page.locator(".question:not([hidden])").inner_text()

    def press(self, key: str) -> None:
        """Press a key, and wait until another question, or none, is on the screen."""
        before = self.current
        self.page.keyboard.press(key)
        self.page.wait_for_function(
            "before => (document.getElementById('desk')?.dataset.current ?? before) !== before",
            arg=before,
        )

    def answer(self, keys: Callable[[str], str], count: int) -> None:
        """Answer questions by their text."""
        for _ in range(count):
            self.press(keys(self.question()))
        self.settle()

    def settle(self) -> None:
        """Wait until everything that was said is on the server."""
        said = "() => document.getElementById('wire')?.dataset.waiting === '0'"
        self.page.wait_for_function(said)


# Not for the whole session: while Playwright is there, its event loop runs, and other tests that
# share the process could not run theirs.
@pytest.fixture(scope="module")
def _playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="module")
def _browser(_playwright: Playwright) -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed, so nothing is tried in a browser")
    browser = _playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
    yield browser
    browser.close()


@pytest.fixture
def site(_browser: Browser, tmp_path: Path) -> Iterator[Site]:
    url = f"sqlite:///{tmp_path}/askance.db"
    with opened_service(url) as service, served(service) as address:
        site = Site(service, address, _browser, [], [])
        yield site
        for context in site.contexts:
            context.close()
    assert site.faults == []
