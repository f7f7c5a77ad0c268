from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from tests.site.world import send

from duologue.arena.people.people import list_people
from duologue.arena.people.secret import new_secret
from duologue.arena.people.tokens import make_token
from duologue.site.api.areas import all_operations

if TYPE_CHECKING:
    from tests.site.world import World


def bearer(world: World, role: str) -> dict[str, str]:
    secret, now = new_secret(), world.database.now()
    who = world.ids[role]
    world.write(lambda connection: make_token(connection, secret, who, "test", now=now, by=None))
    return {"Authorization": f"Bearer {secret.text}"}


def test_an_admins_program_adds_people_who_come_in_by_the_link(world: World) -> None:
    client, fields = world.client(), bearer(world, "admin")
    made = client.post("/api/v1/people", json={"name": "Wei", "roles": ["volunteer"], "once": False}, headers=fields)
    assert made.status_code == 200, made.text
    link = made.json()["link"].removeprefix("http://127.0.0.1")
    assert send(world.client(), link, link).status_code == 303
    assert "Wei" in [one["name"] for one in client.get("/api/v1/people", headers=fields).json()]


def test_the_same_request_again_adds_nobody_and_shows_the_same_link(world: World) -> None:
    client = world.api("admin")
    asked = {"json": {"name": "Wei", "roles": ["volunteer"], "once": False}, "headers": {"Idempotency-Key": "wei"}}
    made = [client.post("/api/v1/people", **asked).json() for _ in range(2)]
    assert made[0] == made[1]
    link = made[1]["link"].removeprefix("http://127.0.0.1")
    assert send(world.client(), link, link).status_code == 303
    with world.database.reading() as connection:
        assert [one.name for one in list_people(connection)].count("Wei") == 1
    other = client.post("/api/v1/people", **{**asked, "headers": {"Idempotency-Key": "another"}}).json()
    assert other["link"] != made[0]["link"]


def test_an_admins_program_changes_roles_links_and_access(world: World) -> None:
    client, judge = world.api("admin"), f"/api/v1/people/{world.ids['judge']}"
    roles = client.post(f"{judge}/roles", json={"roles": ["judge", "annotator"]}).json()["person"]["roles"]
    assert set(roles) == {"judge", "annotator"}
    link = client.post(f"{judge}/links", json={"days": 2}).json()["link"].removeprefix("http://127.0.0.1")
    browser = world.client()
    assert send(browser, link, link).status_code == 303
    assert browser.get("/account").status_code == 200
    name = link.rpartition("/")[2].partition(".")[0]
    assert name in {one["id"] for one in client.get(judge).json()["links"] if one["used_at"]}
    revoked = client.post(f"{judge}/links/{name}/revoke").json()["links"]
    assert [one["revoked_at"] is not None for one in revoked if one["id"] == name] == [True]
    assert browser.get("/account").headers["location"] == "/sign-in"
    assert client.post(f"{judge}/close").json()["person"]["closed_at"]
    assert client.post(f"{judge}/reopen").json()["person"]["closed_at"] is None
    assert client.get("/api/v1/people/nobody").status_code == 404
    found = client.get("/api/v1/audit", params={"action": "person."}).json()
    assert [one["action"] for one in found[:3]] == ["person.reopen", "person.close", "person.roles"]
    assert client.get("/api/v1/audit", params={"before": "1"}).json() == []
    assert world.api("organiser").get("/api/v1/audit").status_code == 403


@pytest.mark.parametrize("role", ["organiser", "judge", "volunteer"])
def test_others_may_ask_for_themselves_alone(world: World, role: str) -> None:
    client, fields = world.client(), bearer(world, role)
    assert client.get("/api/v1/me", headers=fields).json()["roles"] == [role]
    refused = client.get("/api/v1/people", headers=fields)
    assert refused.status_code == 403
    assert set(refused.json()["error"]) == {"message", "type", "param", "code"}


@pytest.mark.parametrize("given", ["", "Basic YTpi", "Bearer", "Bearer x", "Bearer x.y", "Bearer " + "z" * 500])
def test_without_a_token_nothing_is_told(world: World, given: str) -> None:
    answer = world.client().get("/api/v1/me", headers={"Authorization": given} if given else {})
    assert answer.status_code == 401
    assert "name" not in answer.json()


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("{", "truncated"),
        ("[]", "Expected `object`"),
        ('{"name": "", "roles": []}', "length"),
        ('{"name": "a", "roles": [], "king": 1}', "king"),
        ('{"name": "a", "roles": ["king"]}', "no role"),
        ('{"name": "a", "roles": [], "days": 1e9}', "days"),
        ("\udcff", ""),
    ],
)
def test_a_body_that_is_not_as_described_is_refused_with_the_reason(world: World, body: str, problem: str) -> None:
    data = body.encode("utf-8", "surrogateescape")
    answer = world.client().post("/api/v1/people", content=data, headers=bearer(world, "admin"))
    assert answer.status_code == 400
    assert problem in answer.json()["error"]["message"]
    with world.database.reading() as connection:
        assert len(list_people(connection)) == len(world.ids)


def test_the_document_describes_every_operation(world: World) -> None:
    client = world.client()
    document: dict[str, Any] = client.get("/api/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for one in all_operations():
        told = document["paths"][f"/api/v1{one.path}".replace(":path", "")][one.method.lower()]
        assert told["summary"] == one.summary
        assert ("requestBody" in told) == (one.takes is not None)
        said = {(parameter["in"], parameter["name"]) for parameter in told.get("parameters", [])}
        assert said >= {("query", parameter.name) for parameter in one.asks}
        assert (("header", "Idempotency-Key") in said) == (one.method == "POST")
        assert all(f"{{{name}}}" in one.path.replace(":path", "") for where, name in said if where == "path")
    for name, schema in document["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert name
    found = client.get("/api/v1/people", headers=bearer(world, "admin")).json()
    person = document["components"]["schemas"]["Person"]
    for one in found:
        jsonschema.validate(one, person)


def test_what_is_not_there_is_json_too(world: World) -> None:
    answer = world.client().get("/api/v1/nothing", headers=bearer(world, "admin"))
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"
