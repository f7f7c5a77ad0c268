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
        told = document["paths"][f"/api/v1{one.path}"][one.method.lower()]
        assert told["summary"] == one.summary
        assert ("requestBody" in told) == (one.takes is not None)
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
