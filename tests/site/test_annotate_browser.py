"""The span editor in a real browser: marked by keys and mouse, saved, finished, and fluent on forty turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.arena.annotation.calls import rows
from tests.site.annotated import annotation_project

from duologue.arena.annotation.projects import add_members, find_project
from duologue.arena.annotation.sheets import find_sheet, versions

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, Route
    from tests.site.conftest import Accessibility
    from tests.site.world import World

    from duologue.arena.annotation.sheets import Sheet

pytestmark = pytest.mark.slow

MEASURE = """() => {
  window.spent = [];
  let begun = 0;
  addEventListener("keydown", () => { begun = performance.now(); }, true);
  addEventListener("keydown", () => {
    const from = begun;
    void document.body.offsetHeight;  // what has changed is laid out
    window.spent.push(performance.now() - from);
  });
}"""
"""Measures each key from before the editor hears it until its changes are laid out."""


def sheet_of(world: World, sheet: str) -> Sheet:
    with world.database.reading() as connection:
        return find_sheet(connection, sheet).sheet


def opened(page: Page, sheet: str) -> Page:
    page.goto(f"/sheets/{sheet}")
    page.locator("#tools").wait_for(state="visible")
    return page


def saved(page: Page) -> None:
    page.locator("#status", has_text="Saved as version").wait_for()


def test_words_are_marked_by_the_keys_alone_and_undone(world: World, visitor: Callable[..., Page]) -> None:
    _, sheet = annotation_project(world)
    page = opened(visitor("annotator"), sheet)
    before = sheet_of(world, sheet).items
    for key in ("ArrowDown", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "m"):
        page.keyboard.press(key)
    saved(page)
    (made,) = [one for one in sheet_of(world, sheet).items if one.id not in {old.id for old in before}]
    assert (made.layer, made.turn, made.start, made.end, made.confirmed) == ("mention", 1, 1, 3, True)
    page.keyboard.press("Control+z")
    page.locator("#status", has_text="version 3").wait_for()
    assert [one.id for one in sheet_of(world, sheet).items] == [one.id for one in before]


def test_the_mouse_selects_characters_beyond_the_basic_plane_right(world: World, visitor: Callable[..., Page]) -> None:
    given = rows(3)
    given[0]["content"][0]["[SPEAKER 1]"] = "😀😀套餐好"
    given[0]["content"][0]["info"] = {"ents": [], "triples": []}
    _, sheet = annotation_project(world, given)
    page = opened(visitor("annotator"), sheet)
    page.evaluate(
        """() => {
          const text = document.querySelector(".words [data-from]").firstChild;
          getSelection().setBaseAndExtent(text, 4, text, 6);
        }"""
    )
    page.locator(".words").first.dispatch_event("pointerup", {"pointerType": "mouse", "bubbles": True})
    page.locator("#chosen", has_text="套餐").wait_for()
    page.get_by_role("button", name="Mention (M)").click()
    saved(page)
    assert [
        (one.start, one.end) for one in sheet_of(world, sheet).items if one.turn == 0 and one.layer == "mention"
    ] == [(2, 4)]


def test_a_sheet_is_finished_when_all_suggestions_are_decided(world: World, visitor: Callable[..., Page]) -> None:
    _, sheet = annotation_project(world)
    page = opened(visitor("annotator"), sheet)
    page.get_by_role("button", name="Finished").click()
    page.locator("#status", has_text="not finished").wait_for()
    assert page.locator("button.mark.suggested").count() > 0
    for _ in range(page.locator(".utterance").count()):
        page.keyboard.press("c")
        page.keyboard.press("ArrowDown")
    assert page.locator("button.mark.suggested").count() == 0
    page.get_by_role("button", name="Finished").click()
    page.locator("#status", has_text="Finished and saved").wait_for()
    assert sheet_of(world, sheet).status == "done"


def test_a_finish_that_waits_for_a_slow_save_is_not_lost_to_a_later_change(
    world: World, visitor: Callable[..., Page]
) -> None:
    _, sheet = annotation_project(world)
    page = opened(visitor("annotator"), sheet)
    for _ in range(page.locator(".utterance").count()):
        page.keyboard.press("c")
        page.keyboard.press("ArrowDown")
    saved(page)
    held: list[Route] = []

    def slow(route: Route) -> None:
        if route.request.method == "POST" and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/sheets/**", slow)
    for key in ("ArrowUp", "ArrowRight", "Shift+ArrowRight", "m"):
        page.keyboard.press(key)
    page.locator("#status", has_text="Saving").wait_for()
    page.get_by_role("button", name="Finished").click()
    page.keyboard.press("Control+z")
    page.wait_for_timeout(2000)  # the change is to be saved by now
    held[0].continue_()
    page.locator("#status", has_text="Finished and saved").wait_for()
    assert sheet_of(world, sheet).status == "done"


def test_an_adjudicator_decides_what_two_annotators_marked_differently(
    world: World, visitor: Callable[..., Page], accessibility: Accessibility
) -> None:
    name, _ = annotation_project(world)
    with world.database.reading() as connection:
        project = find_project(connection, name)
    add_members(world.database, project, [world.ids["organiser"]], "adjudicator")
    page = visitor("organiser")
    page.goto(f"/annotate/{name}")
    assert accessibility.violations(page) == []
    disputed = page.get_by_role("region", name="Where annotators differ")
    disputed.get_by_role("button", name="Decide").click()
    page.locator("#tools").wait_for(state="visible")
    assert accessibility.violations(page) == []
    left = page.locator("button.mark.suggested")
    assert left.count() == 2  # the intent of either annotator; what both marked is confirmed
    assert {one.rsplit(" ", 1)[-1] for one in left.all_inner_texts()} == {"A", "B"}
    for _ in range(page.locator(".utterance").count()):
        page.keyboard.press("c")
        page.keyboard.press("ArrowDown")
    assert left.count() == 0
    page.get_by_role("button", name="Finished").click()
    page.locator("#status", has_text="Finished and saved").wait_for()
    assert sheet_of(world, page.url.rsplit("/", 1)[-1]).status == "done"
    page.goto(f"/annotate/{name}")
    assert "decided" in disputed.inner_text()
    assert disputed.get_by_role("button").all_inner_texts() == ["Decide"]  # to look at it again


def test_two_windows_lose_nothing(world: World, visitor: Callable[..., Page]) -> None:
    _, sheet = annotation_project(world)
    first, second = opened(visitor("annotator"), sheet), opened(visitor("annotator"), sheet)
    first.keyboard.press("c")
    first.keyboard.press("ArrowDown")
    first.keyboard.press("c")
    saved(first)
    second.keyboard.press("]")
    second.keyboard.press("Delete")
    second.locator("#status", has_text="in another window").wait_for()
    with world.database.reading() as connection:
        assert [one.aside for one in versions(connection, sheet)] == [True, False, False]
    second.get_by_role("button", name="Put mine on top").click()
    saved(second)
    with world.database.reading() as connection:
        assert [one.aside for one in versions(connection, sheet)] == [False, True, False, False]


def test_forty_turns_answer_each_key_within_fifty_milliseconds(world: World, visitor: Callable[..., Page]) -> None:
    given = rows(40)
    turns = [turn for row in given for turn in row["content"]][:40]
    numbered: list[dict[str, Any]] = [{"id": "f" * 32, "content": turns}, *given[1:3]]
    _, sheet = annotation_project(world, numbered)
    page = opened(visitor("annotator"), sheet)
    assert page.locator(".utterance").count() == 80
    page.evaluate(MEASURE)
    for _ in range(12):
        for key in ("ArrowDown", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "v", "c", "]", "Control+z"):
            page.keyboard.press(key)
    spent = sorted(page.evaluate("window.spent"))
    assert len(spent) >= 90
    assert spent[int(0.95 * len(spent))] < 50, f"median {spent[len(spent) // 2]:.1f} ms, slowest {spent[-1]:.1f} ms"
