"""Pages to visit, for every GET route of the site. An area adds a function here, which makes what its pages show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site.annotated import annotation_project
from tests.site.campaign_examples import campaigns
from tests.site.talk_examples import talk_examples
from tests.site.track_examples import tracks
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


def talks(world: World) -> list[Example]:
    room, talk, pairing, dialogue = talk_examples(world)
    return [
        Example("/talks", "/talks", "volunteer"),
        Example("/talks/rooms/{id}", f"/talks/rooms/{room}", "volunteer"),
        Example("/talks/{id}", f"/talks/{talk}", "volunteer"),
        Example("/talks/{id}", f"/talks/{talk}", "organiser"),
        Example("/talks/{id}", f"/talks/{dialogue}", "judge"),
        Example("/talks/{id}", f"/talks/{dialogue}", "participant"),
        Example("/pairs/{id}", f"/pairs/{pairing}", "volunteer"),
        Example("/talk-lists", "/talk-lists", "organiser"),
        Example("/talk-lists/{kind}/{id}", f"/talk-lists/rooms/{room}", "organiser"),
        Example("/talk-lists/{kind}/{id}", f"/talk-lists/pairs/{pairing}", "organiser"),
    ]


def annotation(world: World) -> list[Example]:
    project, sheet = annotation_project(world)
    return [
        Example("/annotate", "/annotate", "annotator"),
        Example("/annotate/{project}", f"/annotate/{project}", "annotator"),
        Example("/annotate/{project}", f"/annotate/{project}", "organiser"),
        Example("/annotate/{project}/results", f"/annotate/{project}/results", "organiser"),
        Example("/sheets/{id}", f"/sheets/{sheet}", "annotator"),
        Example("/sheets/{id}", f"/sheets/{sheet}", "organiser"),
        Example("/sheets/{id}/versions", f"/sheets/{sheet}/versions", "annotator"),
    ]


AREAS: tuple[Callable[[World], list[Example]], ...] = (entrance, people, annotation, campaigns, talks, tracks)

WITHOUT_PAGE = {
    "/account/data",  # a file
    "/language/{language}",  # leads back
    "/static/{mark}/{name}",
    "/healthz",
    "/tracks/{track}/data/{phase}/{name:path}",  # a file
    "/entries/{id}/report",  # a file
    "/entries/{id}/state",  # a part of a page
    "/campaigns/{id}/ratings.csv",  # a file
    "/talks/{id}/events",
    "/pairs/{id}/events",
    "/talk-lists/{kind}/{id}/export",
}
"""Routes that answer with no page of their own."""
