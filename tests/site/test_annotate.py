"""Annotation on the site without a browser: who may do what, what is saved, and what a page makes of hostile texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.arena.annotation.calls import rows
from tests.site.annotated import annotation_project
from tests.site.world import hidden, send

from duologue.arena.annotation.items import pack
from duologue.arena.annotation.projects import add_members, find_project
from duologue.arena.annotation.sheets import find_sheet, versions
from duologue.arena.people.secret import new_secret
from duologue.arena.people.tokens import make_token

if TYPE_CHECKING:
    from starlette.testclient import TestClient
    from tests.site.world import World


def items_of_sheet(world: World, sheet: str) -> list[dict[str, Any]]:
    with world.database.reading() as connection:
        return pack(find_sheet(connection, sheet).sheet.items)


def test_the_next_dialogue_is_the_one_that_somebody_has(world: World) -> None:
    project, sheet = annotation_project(world)
    client = world.client("annotator")
    answer = send(client, f"/annotate/{project}", f"/annotate/{project}/next")
    assert answer.headers["location"] == f"/sheets/{sheet}"


def test_a_save_needs_the_token_and_tells_version_and_problems(world: World) -> None:
    _, sheet = annotation_project(world)
    client = world.client("annotator")
    items = json.dumps(items_of_sheet(world, sheet)[:3])
    fields = {"version": "1", "active": "0", "items": items}
    assert client.post(f"/sheets/{sheet}", data=fields).status_code == 403
    page = client.get("/account").text
    told = client.post(f"/sheets/{sheet}", data={**hidden(page), **fields}).json()
    assert (told["version"], told["aside"], told["done"]) == (2, False, False)
    assert any(one["rule"] == "intent-none" for one in told["problems"])
    again = client.post(f"/sheets/{sheet}", data={**hidden(page), **fields}).json()
    assert again == told, "the same form is one version"
    late = client.post(f"/sheets/{sheet}", data={**hidden(client.get("/account").text), **fields}).json()
    assert (late["version"], late["aside"]) == (2, True)
    with world.database.reading() as connection:
        assert len(versions(connection, sheet)) == 3


def test_an_earlier_version_comes_back_as_one_more(world: World) -> None:
    _, sheet = annotation_project(world)
    client = world.client("annotator")
    before = items_of_sheet(world, sheet)
    fields = {"version": "1", "active": "0", "items": "[]"}
    client.post(f"/sheets/{sheet}", data={**hidden(client.get("/account").text), **fields})
    assert items_of_sheet(world, sheet) == []
    with world.database.reading() as connection:
        first = versions(connection, sheet)[-1]
    answer = send(client, f"/sheets/{sheet}/versions", f"/sheets/{sheet}/restore", version=first.id)
    assert answer.status_code == 303
    assert items_of_sheet(world, sheet) == before


@pytest.mark.parametrize("items", ["", "{", "[1]", '[{"id": "x"}]'])
def test_what_is_no_annotation_is_refused(world: World, items: str) -> None:
    _, sheet = annotation_project(world)
    client = world.client("annotator")
    fields = {**hidden(client.get("/account").text), "version": "1", "active": "0", "items": items}
    assert client.post(f"/sheets/{sheet}", data=fields).status_code == 400


def test_others_may_not_open_it_and_organisers_only_read(world: World) -> None:
    project, sheet = annotation_project(world)
    stranger = world.client()
    stranger.cookies.set("duologue-session", world.session(world.add("Eve", "annotator")))
    assert stranger.get(f"/sheets/{sheet}").status_code == 403
    assert stranger.get(f"/annotate/{project}").headers["location"].startswith("/annotate?said=")
    assert world.client("participant").get("/annotate").status_code == 403
    assert world.client("annotator").get(f"/annotate/{project}/results").status_code == 403
    organiser = world.client("organiser")
    page = organiser.get(f"/sheets/{sheet}").text
    assert "annotate.js" not in page
    assert "annotate.js" in world.client("annotator").get(f"/sheets/{sheet}").text
    fields = {**hidden(organiser.get("/account").text), "version": "1", "active": "0", "items": "[]"}
    assert organiser.post(f"/sheets/{sheet}", data=fields).status_code == 400


def test_hostile_texts_stay_texts(world: World) -> None:
    evil = "\"><script>alert(1)</script>'&"
    given = rows(3)
    given[0]["content"][0] = {"[SPEAKER 1]": evil, "[SPEAKER 2]": evil}
    _, sheet = annotation_project(world, given)
    for role in ("annotator", "organiser"):
        page = world.client(role).get(f"/sheets/{sheet}").text
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)" in page


def test_without_a_script_everything_is_there_to_read(world: World) -> None:
    _, sheet = annotation_project(world)
    page = world.client("annotator", language="zh").get(f"/sheets/{sheet}").text
    assert page.count('class="utterance') == 2 * len(rows(1)[0]["content"])
    assert "<noscript>" in page
    assert 'class="mark intent suggested"' in page
    assert 'class="mark intent confirmed"' in page
    assert "标注指南" in page


def program(world: World, role: str) -> TestClient:
    secret, now = new_secret(), world.database.now()
    world.write(lambda c: make_token(c, secret, world.ids[role], "test", now=now, by=None))
    client = world.client()
    client.headers["Authorization"] = f"Bearer {secret.text}"
    return client


def test_programs_read_and_save_over_the_api(world: World) -> None:
    project, sheet = annotation_project(world)
    annotator, organiser = program(world, "annotator"), program(world, "organiser")
    assert [one["name"] for one in annotator.get("/api/v1/annotation/projects").json()] == [project]
    assert annotator.post(f"/api/v1/annotation/projects/{project}/next").json() == {"id": sheet}
    path = f"/api/v1/annotation/sheets/{sheet}"
    found = annotator.get(path).json()
    items = [{**one, "confirmed": True} for one in found["sheet"]["items"]]
    body = {"version": found["sheet"]["version"], "items": items, "done": True}
    told = annotator.post(path, json=body, headers={"Idempotency-Key": "one"}).json()
    assert (told["done"], told["undecided"], told["aside"]) == (True, 0, False)
    assert annotator.post(path, json=body, headers={"Idempotency-Key": "one"}).json() == told
    assert annotator.post(path, json={**body, "items": [{"id": 1}]}).status_code == 400
    assert annotator.get(f"/api/v1/annotation/projects/{project}").status_code == 403
    figures = organiser.get(f"/api/v1/annotation/projects/{project}").json()
    assert figures["suggestions"]["states"]["confirmed"] == len(items)
    agreement = organiser.get(f"/api/v1/annotation/projects/{project}/agreement").json()
    assert (agreement["dialogues"], agreement["layers"][0]["value"]) == (1, 1.0)
    assert program(world, "volunteer").get(path).status_code == 403


def test_programs_adjudicate_and_bring_versions_back_over_the_api(world: World) -> None:
    project, sheet = annotation_project(world)
    annotator, organiser, judge = (program(world, role) for role in ("annotator", "organiser", "judge"))
    one, path = f"/api/v1/annotation/projects/{project}", f"/api/v1/annotation/sheets/{sheet}"
    (first,) = annotator.get(f"{path}/versions").json()
    assert annotator.post(path, json={"version": 1, "items": []}).json()["version"] == 2
    assert annotator.post(f"{path}/restore", json={"id": first["id"]}).json()["version"] == 3
    assert annotator.get(path).json()["sheet"]["items"] == first["items"]
    assert annotator.post(f"{path}/restore", json={"id": "none"}).status_code == 404
    assert judge.get(f"{path}/versions").status_code == 403
    (differing,) = organiser.get(f"{one}/disputed").json()
    assert (differing["annotators"], differing["status"]) == (2, "waiting")
    assert annotator.get(f"{one}/disputed").status_code == 403, "who annotates does not see what others did"
    with world.database.reading() as connection:
        made = find_project(connection, project)
    add_members(world.database, made, [world.ids["annotator"]], "adjudicator")
    begun = annotator.post(f"{one}/adjudicate", json={"dialogue": differing["dialogue"]}).json()["id"]
    assert annotator.get(f"/api/v1/annotation/sheets/{begun}").json()["sheet"]["role"] == "adjudicator"
    assert annotator.get(f"{one}/disputed").json()[0]["status"] == "open"
