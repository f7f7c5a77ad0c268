"""A site with people of each role, a real server for it, and a browser that visits its pages."""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING, Any

import pytest
from tests.arena.prepared import lay_tables
from tests.site.world import World

from duologue.arena.storage import open_database
from duologue.web.server import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page


class Accessibility:
    """Asks axe-core what is wrong with a page."""

    def __init__(self) -> None:
        from axe_playwright_python.sync_playwright import Axe

        self._axe = Axe()

    def violations(self, page: Page) -> list[str]:
        """Return what axe found, a line for each element."""
        found: list[dict[str, Any]] = self._axe.run(page).response["violations"]
        return [f"{one['id']}: {one['help']}: {node['html']}" for one in found for node in one["nodes"]]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Return a site's database with people of each role."""
    lay_tables(tmp_path)
    with open_database(tmp_path, durable=False) as database:
        yield World(database, tmp_path)


@pytest.fixture
def address(world: World) -> Iterator[str]:
    """Return the address of a real server for the site."""
    server = Server(world.application(per_minute=0))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.address
    finally:
        server.shutdown()
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return Debian's Chromium; as long as it is there no other module's test can begin an event loop of its own."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    assert chromium, "the browser tests drive Debian's Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def visitor(browser: Browser, world: World, address: str) -> Iterator[Callable[..., Page]]:
    """Return what opens a browser window as a person of a role (or of an id), in a language, so many pixels wide.

    What the window's console complains of makes the test fail: the policy of the pages forbids anything inline.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(role: str = "", *, language: str = "en", width: int = 1280, person_id: str = "") -> Page:
        context = browser.new_context(
            base_url=address, locale=language, viewport={"width": width, "height": 900}, timezone_id="Asia/Shanghai"
        )
        contexts.append(context)
        if role or person_id:
            session = world.session(person_id) if person_id else world.cookie(role)
            context.add_cookies([{"name": "duologue-session", "value": session, "url": address}])
        page = context.new_page()
        page.on("console", lambda told: complaints.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not [one for one in complaints if "Failed to load resource" not in one], complaints


@pytest.fixture(scope="session")
def accessibility() -> Accessibility:
    """Return axe-core."""
    return Accessibility()
