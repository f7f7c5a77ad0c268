"""Those who annotate, by name: found among the people of the site, or added with a link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from duologue.arena.people.links import VOLUNTEER_DAYS, make_link, path_of
from duologue.arena.people.people import add_person, list_people, set_roles
from duologue.arena.people.secret import new_secret
from duologue.core.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from duologue.arena.annotation.projects import AnnotationProject
    from duologue.arena.database.database import Database

Links = Literal["new", "all", "none"]


class InvitedAnnotator(NamedTuple):
    """Somebody with a way in."""

    id: str
    name: str
    path: str | None
    """The link on the site, told this once; `None` for somebody who was known and has one."""


def find_annotator(connection: Connection, word: str) -> str:
    """Return the id of a person by name or id. Raises `UsageError` for nobody, and for a name that several have."""
    people = list_people(connection)
    for one in people:
        if one.id == word:
            return one.id
    found = [one for one in people if one.name == word]
    if not found:
        raise UsageError(f"there is nobody called '{word}'{did_you_mean(word, [one.name for one in people])}")
    if len(found) > 1:
        raise UsageError(f"{len(found)} people are called '{word}'; give one of their ids: {_ids(found)}")
    return found[0].id


def _ids(found: Sequence[object]) -> str:
    return ", ".join(str(getattr(one, "id", "")) for one in found)


def invite(
    database: Database, project: AnnotationProject, words: Sequence[str], *, links: Links = "new"
) -> list[InvitedAnnotator]:
    """Return people by name or id; those who are not there are added as annotators.

    `links` says who gets a link to the project: those who are new, all, or none. Raises `UsageError` for a name that
    several people have.
    """
    secrets = [new_secret() for _ in words]

    def action(connection: Connection) -> list[tuple[str, bool]]:
        now, made = database.now(), []
        for word, secret in zip(words, secrets, strict=True):
            people = [one for one in list_people(connection) if word in (one.id, one.name)]
            if people:
                person = find_annotator(connection, word)
                roles = next(one.roles for one in people if one.id == person)
                if not {"annotator", "admin"} & set(roles):
                    set_roles(connection, person, [*roles, "annotator"], now=now, by=None)
            else:
                person = add_person(connection, word, ["annotator"], now=now, by=None)
            fresh = links == "all" or (links == "new" and not people)
            if fresh:
                target = f"/annotate/{project.name}"
                make_link(connection, secret, person, now=now, by=None, days=VOLUNTEER_DAYS, once=False, target=target)
            made.append((person, fresh))
        return made

    return [
        InvitedAnnotator(person, word, path_of(secret) if fresh else None)
        for word, secret, (person, fresh) in zip(words, secrets, database.write(action), strict=True)
    ]
