"""REST API 1.1 as far as the collector uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.twitter.service import Service

_FAMILIES = ("/application/rate_limit_status", "/statuses/user_timeline", "/statuses/lookup", "/users/search")


def family_of(endpoint: str) -> str:
    """Return what the limit of an endpoint is called."""
    return endpoint.removesuffix(".json")


def answer(service: Service, endpoint: str, params: dict[str, str]) -> tuple[int, Any, int]:
    """Return status, body, and how many posts it holds."""
    world = service.world
    family = family_of(endpoint)
    if family == "/application/rate_limit_status":
        resources: dict[str, dict[str, Any]] = {}
        for name in _FAMILIES:
            left, reset = service.left(name)
            limit = {"limit": 1_500, "remaining": left, "reset": reset}
            resources.setdefault(name.split("/")[1], {})[name] = limit
        return 200, {"resources": resources}, 0
    if family == "/statuses/user_timeline":
        name = params["screen_name"]
        if name in world.errors or name not in world.timelines:
            return world.errors.get(name, 404), {"errors": [{"message": "sorry"}]}, 0
        top = int(params.get("max_id", 2**62))
        ids = [one for one in world.timelines[name] if int(params.get("since_id", 0)) < one <= top]
        size = world.page or int(params["count"])
        if service.short_pages:
            size = service.chance.randint(1, size)
        return 200, [world.posts[one] for one in ids[:size]], len(ids[:size])
    if family == "/statuses/lookup":
        ids = [int(one) for one in params["id"].split(",")]
        assert len(ids) <= 100
        found = [world.posts[one] for one in ids if one in world.posts]
        return 200, found, len(found)
    if family == "/users/search":
        size = int(params["count"])
        names = [name for name in sorted(world.timelines) if params["q"].lower() in name.lower()]
        start = (int(params["page"]) - 1) * size
        return 200, [world.user(name) for name in names[start : start + size]], 0
    return 404, {"errors": [{"message": "no such page"}]}, 0
