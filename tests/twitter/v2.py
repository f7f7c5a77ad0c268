"""The X API v2 as far as the collector uses it, in either spelling."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.twitter.service import Service
    from tests.twitter.world import World

    Row = dict[str, Any]

_TIMELINE = re.compile(r"/2/users/(\d+)/tweets")
_FORBIDDEN = "https://api.twitter.com/2/problems/not-authorized-for-resource"


def family_of(endpoint: str) -> str:
    """Return what the limit of an endpoint is called."""
    return re.sub(r"(?<=users)/\d+/", "/:id/", endpoint)


def answer(service: Service, endpoint: str, params: dict[str, str]) -> tuple[int, Any, int]:
    """Return status, body, and how many posts it holds."""
    world = service.world
    if endpoint == "/2/users/by":
        return 200, _users_by(world, params["usernames"].split(",")), 0
    if timeline := _TIMELINE.fullmatch(endpoint):
        names = {str(world.user(name)["id"]): name for name in world.timelines}
        name = names.get(timeline[1])
        if name is None:
            return 404, {"title": "Not Found Error"}, 0
        return _timeline(service, name, params)
    if endpoint == "/2/tweets":
        ids = params["ids"].split(",")
        assert len(ids) <= 100
        there = [world.posts[int(one)] for one in ids if int(one) in world.posts]
        errors = [
            {"resource_id": one, "title": "Not Found Error", "detail": f"no post {one}"}
            for one in ids
            if int(one) not in world.posts
        ]
        body, posts = _page(service, there, params)
        return 200, {**body, **({"errors": errors} if errors else {})}, posts
    if endpoint == "/2/users/search":
        found = [name for name in sorted(world.timelines) if params["query"].lower() in name.lower()]
        start, size = int(params.get("next_token", 0)), int(params["max_results"])
        meta = {"next_token": str(start + size)} if start + size < len(found) else {}
        return 200, {"data": [_user(world.user(name)) for name in found[start : start + size]], "meta": meta}, 0
    return 404, {"title": "Not Found"}, 0


def _users_by(world: World, names: list[str]) -> Row:
    assert len(names) <= 100
    found = [_user(world.user(name)) for name in names if name in world.timelines and world.errors.get(name) != 404]
    known = {user["username"] for user in found}
    errors = [
        {"value": name, "title": "Not Found Error", "resource_type": "user"} for name in names if name not in known
    ]
    return {**({"data": found} if found else {}), **({"errors": errors} if errors else {})}


def _timeline(service: Service, name: str, params: dict[str, str]) -> tuple[int, Any, int]:
    world = service.world
    if world.errors.get(name) == 401:
        return 200, {"errors": [{"type": _FORBIDDEN, "title": "Authorization Error", "resource_type": "user"}]}, 0
    assert 5 <= int(params["max_results"]) <= 100
    assert params["exclude"] == "retweets"
    top = int(params.get("pagination_token", params.get("until_id", 2**62)))
    ids = [one for one in world.timelines[name] if int(params.get("since_id", 0)) < one < top]
    size = world.page or int(params["max_results"])
    if service.short_pages:
        size = service.chance.randint(1, size)
    body, posts = _page(service, [world.posts[one] for one in ids[:size]], params)
    meta: Row = {"result_count": len(ids[:size])}
    if len(ids) > size:
        meta["next_token"] = str(ids[size - 1])
    return 200, {**body, "meta": meta}, posts


def _page(service: Service, rows: list[Row], params: dict[str, str]) -> tuple[Row, int]:
    """Return data and what the expansions ask for, and how many posts that is."""
    world, spelling = service.world, service.spelling
    expansions = params.get("expansions", "").split(",")
    asked = params.get("tweet.fields", params.get("post.fields", "")).split(",")
    assert {"created_at", "author_id", "lang"} <= set(asked)
    users = {row["user"]["id"]: _user(row["user"]) for row in rows if "author_id" in expansions}
    beside = []
    if "referenced_tweets.id" in expansions or "referenced_posts.id" in expansions:
        parents = {row["in_reply_to_status_id"] for row in rows}
        beside = [world.posts[one] for one in sorted(one for one in parents if one in world.posts)]
    if "in_reply_to_user_id" in expansions:
        users |= {row["user"]["id"]: _user(row["user"]) for row in beside}
    body: Row = {}
    if rows:
        body["data"] = [_post(row, spelling) for row in rows]
        body["includes"] = {"users": list(users.values())}
        if beside:
            body["includes"][f"{spelling}s"] = [_post(row, spelling) for row in beside]
    return body, len(rows) + len(beside)


def _user(user: Row) -> Row:
    return {"id": str(user["id"]), "name": user["name"], "username": user["screen_name"]}


def _post(row: Row, spelling: str) -> Row:
    moment = datetime.strptime(row["created_at"], "%a %b %d %H:%M:%S %z %Y").astimezone(UTC)
    made = {
        "id": row["id_str"],
        "author_id": str(row["user"]["id"]),
        "conversation_id": row["id_str"],
        "created_at": moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "lang": row["lang"],
        "text": row["text"],
    }
    if row["in_reply_to_status_id"] is not None:
        made[f"referenced_{spelling}s"] = [{"type": "replied_to", "id": str(row["in_reply_to_status_id"])}]
    return made
