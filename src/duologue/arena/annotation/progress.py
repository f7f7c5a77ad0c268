"""How far a project is: dialogues, people, and how much time they took."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.arena.annotation.sheets import DialogueWork


class PersonProgress(NamedTuple):
    """What one person has done."""

    person: str
    role: str
    done: int
    open: int
    seconds: float
    """Of work on finished dialogues."""


class ProjectProgress(NamedTuple):
    """What is done of a project."""

    dialogues: int
    finished: int
    """Dialogues that as many people finished as they want."""
    begun: int
    """Those that somebody has begun or finished, but not as many."""
    several: int
    """Dialogues that several people annotate."""
    control: int
    """Dialogues in which somebody sees no suggestions."""
    suggested: int
    """Dialogues with suggestions."""
    adjudicated: int
    people: tuple[PersonProgress, ...]


def progress_of(work: Sequence[DialogueWork], members: Mapping[str, str]) -> ProjectProgress:
    """Return the progress of a project; people who have a part in it come first by id, those of old after them."""
    finished = sum(len(one.done()) >= one.wanted for one in work)
    sheets = [sheet for one in work for sheet in one.sheets]
    others = sorted({sheet.person_id for sheet in sheets} - set(members))
    people = []
    for person in (*members, *others):
        own = [sheet for sheet in sheets if sheet.person_id == person]
        done = [sheet for sheet in own if sheet.status == "done"]
        role = members.get(person, own[0].role if own else "")
        seconds = sum(sheet.active_ms for sheet in done) / 1000
        people.append(PersonProgress(person, role, len(done), len(own) - len(done), seconds))
    return ProjectProgress(
        dialogues=len(work),
        finished=finished,
        begun=sum(bool(one.sheets) and len(one.done()) < one.wanted for one in work),
        several=sum(one.wanted > 1 for one in work),
        control=sum(one.control for one in work),
        suggested=sum(one.suggested is not None for one in work),
        adjudicated=sum(bool(one.done("adjudicator")) for one in work),
        people=tuple(people),
    )
