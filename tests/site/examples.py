"""Pages to visit, for every GET route of the site. An area adds a function here, which makes what its pages show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site.campaign_examples import campaigns
from tests.site.world import Example

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site.world import World


def entrance(world: World) -> list[Example]:
    link = world.link(world.ids["volunteer"])
    return [
        Example("/", "/", "volunteer"),
        Example("/", "/", "admin"),
        Example("/sign-in", "/sign-in"),
        Example("/enter/{secret}", f"/enter/{link}"),
    ]


def people(world: World) -> list[Example]:
    return [
        Example("/people", "/people", "admin"),
        Example("/people/{id}", f"/people/{world.ids['judge']}", "admin"),
        Example("/audit", "/audit", "admin"),
        Example("/account", "/account", "volunteer"),
    ]


AREAS: tuple[Callable[[World], list[Example]], ...] = (entrance, people, campaigns)

WITHOUT_PAGE = {
    "/account/data",  # a file
    "/language/{language}",  # leads back
    "/static/{mark}/{name}",
    "/healthz",
    "/campaigns/{id}/ratings.csv",  # a file
}
"""Routes that answer with no page of their own."""
