"""Live campaigns: a volunteer talks with a system first; the finished dialogue is then what is rated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec
from sqlalchemy import select, update

from duologue.arena.campaigns.campaign import add_answer
from duologue.arena.campaigns.shown_content import ShownAnswer, ShownContext
from duologue.arena.campaigns.tables import campaign_assignments, campaign_items, campaign_units
from duologue.core.typed import convert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from duologue.arena.campaigns.assignment import Lease
    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.campaigns.shown_content import Triple, Utterance


class FinishedTalk(msgspec.Struct, frozen=True, kw_only=True):
    """What was said in a talk that is over, and what it was about."""

    turns: tuple[Utterance, ...]
    knowledge: tuple[Triple, ...] = ()
    goal: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        """Whether both have said something."""
        return {"user", "system"} <= {speaker for speaker, _ in self.turns}


class TalkRoom(Protocol):
    """Where people talk with systems."""

    def start(
        self, connection: Connection, *, task: str, system: str, scene: str, person: str, shows: Sequence[str]
    ) -> str:
        """Begin a talk of a person with a system, who is not told its name, and return the talk's id."""
        ...

    def finished(self, connection: Connection, talk: str) -> FinishedTalk | None:
        """Return a talk that is over; `None` while it goes on."""
        ...


class DueTalk(NamedTuple):
    """A talk that has to be held before a unit is rated."""

    talk: str
    number: int
    """1, or of a pair of systems 2: which of the talks it is."""
    of: int
    """How many there are."""


def next_talk(connection: Connection, campaign: Campaign, lease: Lease, person: str, room: TalkRoom) -> DueTalk | None:
    """Return the talk that has to be held before a unit is rated; `None` when all its dialogues are there.

    Talks are begun as they are needed, and finished ones become the unit's dialogues. Those of a pair are held one
    after the other, first with the system that stands on the left: in a dialogue of several turns each reply asks for
    another answer, so that one message to both would leave one of them with words that do not fit.
    """
    units, given, items = campaign_units.c, campaign_assignments.c, campaign_items.c
    row: Any = (
        connection.execute(
            select(
                units.system_a, units.system_b, units.answer_a, units.answer_b, units.item_id,
                given.talk_a, given.talk_b, items.item_key, items.context,
            )
            .join(campaign_assignments, given.unit_id == units.id)
            .join(campaign_items, items.id == units.item_id)
            .where(given.id == lease.assignment)
        )
        .mappings()
        .one()
    )  # fmt: skip
    sides = [side for side in (("b", "a") if lease.swapped else ("a", "b")) if row[f"system_{side}"] is not None]
    for number, side in enumerate(sides, start=1):
        system, talk = row[f"system_{side}"], row[f"talk_{side}"]
        if row[f"answer_{side}"] is not None:
            continue
        found = room.finished(connection, talk) if talk is not None else None
        if talk is None or (found is not None and not found.held):  # one that was given up is held anew
            source = campaign.settings.sources.get(system, system)
            talk = room.start(
                connection,
                task=campaign.task,
                system=source,
                scene=row["item_key"],
                person=person,
                shows=campaign.protocol.talker_sees,
            )
            changed = update(campaign_assignments).where(given.id == lease.assignment)
            connection.execute(changed.values({f"talk_{side}": talk}))
            return DueTalk(str(talk), number, len(sides))
        if found is None:
            return DueTalk(str(talk), number, len(sides))
        content = msgspec.to_builtins(ShownAnswer(turns=found.turns))
        answer = add_answer(connection, row["item_id"], system, content, talk)
        connection.execute(update(campaign_units).where(units.id == lease.unit).values({f"answer_{side}": answer}))
        known = convert(row["context"], ShownContext)
        if not known.knowledge and not known.goal:
            context = {"turns": [], "knowledge": list(found.knowledge), "goal": list(found.goal)}
            connection.execute(update(campaign_items).where(items.id == row["item_id"]).values(context=context))
    return None
