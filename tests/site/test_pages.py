"""Every page of the site: there, in both languages, without violations of accessibility, reached by keyboard."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.site.examples import AREAS, WITHOUT_PAGE

from duologue.site.application import all_routes

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from tests.site.conftest import Accessibility
    from tests.site.world import Example, World

SHOTS = os.environ.get("DUOLOGUE_SHOTS")
"""A folder for pictures of all pages, to be looked at."""


def examples(world: World) -> list[Example]:
    return [one for area in AREAS for one in area(world)]


def test_every_get_route_has_an_example(world: World) -> None:
    pages = {route.path for route in all_routes() if "GET" in (route.methods or ())}
    pages = {path for path in pages if not path.startswith("/api/")}
    assert pages - WITHOUT_PAGE == {one.route for one in examples(world)}


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_is_there_for_its_reader_alone(world: World, language: str) -> None:
    nobody = world.client(language=language)
    for one in examples(world):
        shown = world.client(one.role, language=language).get(one.path)
        assert shown.status_code == 200, one
        assert f'lang="{"zh-Hans" if language == "zh" else "en"}"' in shown.text
        if one.role:
            assert nobody.get(one.path).headers["location"] == "/sign-in", one


@pytest.mark.slow
@pytest.mark.parametrize(("language", "width"), [("en", 375), ("zh", 375), ("en", 1280)])
@pytest.mark.parametrize("area", AREAS)
def test_every_page_is_accessible(
    world: World,
    visitor: Callable[..., Page],
    accessibility: Accessibility,
    area: Callable[[World], list[Example]],
    language: str,
    width: int,
) -> None:
    windows: dict[str, Page] = {}
    wrong = []
    for number, one in enumerate(area(world)):
        if one.role not in windows:
            windows[one.role] = visitor(one.role, language=language, width=width)
        page = windows[one.role]
        answer = page.goto(one.path)
        assert answer is not None
        assert answer.status == 200, one
        wrong += [f"{one.path}: {found}" for found in accessibility.violations(page)]
        beyond = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        wrong += [f"{one.path}: {beyond} pixels wider than the window"] if beyond > 0 else []
        wrong += [f"{one.path}: the keyboard does not reach {what}" for what in unreachable(page)]
        wrong += [f"{one.path}: the head '{head}' is not aligned as its cells" for head in misaligned(page)]
        if SHOTS:
            name = one.path.strip("/").replace("/", "_")[:40] or "home"
            place = Path(SHOTS) / f"{area.__name__}{number:02d}_{name}_{one.role}_{language}_{width}.png"
            page.screenshot(path=place, full_page=True)
    assert not wrong, "\n".join(wrong)


def unreachable(page: Page) -> list[str]:
    """Return what can be clicked and is never reached by the tab key."""
    page.evaluate(
        """() => {
          const hidden = (one) => one.closest("details:not([open])") && !one.matches("summary");
          document.activeElement?.blur();
          window.toReach = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea")]
            .filter((one) => !one.disabled && one.getClientRects().length && !hidden(one));
        }"""
    )
    count = page.evaluate("window.toReach.length")
    assert isinstance(count, int)
    for _ in range(count + 20):
        page.keyboard.press("Tab")
        page.evaluate(
            """() => {
              const at = document.activeElement;
              const group = at?.type === "radio" ? at.name : null;
              window.toReach = window.toReach.filter((one) => one !== at && !(group && one.name === group));
            }"""
        )
    found: list[str] = page.evaluate("window.toReach.map((one) => one.outerHTML)")
    return found


def misaligned(page: Page) -> list[str]:
    """Return the heads of columns that stand on another side than a cell below them."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("table")].flatMap((table) =>
          [...table.tHead.rows[0].cells].filter((head) =>
            [...table.tBodies[0].rows].some(
              (row) => getComputedStyle(row.cells[head.cellIndex]).textAlign !== getComputedStyle(head).textAlign,
            ),
          ).map((head) => head.textContent),
        )"""
    )
    return found
