"""A room with a talk, and a campaign of pairs with a dialogue, for the pages that show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.arena.talks.test_pairs import SETTINGS, good, scenes

from duologue.arena.talks import pairs, rooms, sessions
from duologue.arena.talks.engine import TalkEngine

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from tests.site.world import World


def talk_examples(world: World) -> tuple[str, str, str, str]:
    """Return the ids of a room, a talk of the volunteer in it, a pairing, and the participant's dialogue in it."""
    me, partner, other = world.ids["volunteer"], world.ids["participant"], world.ids["annotator"]
    now = world.database.now()

    def begin(connection: Connection) -> tuple[str, str, str, str]:
        shows = ("goal", "knowledge")
        room = rooms.open_room(
            connection, title="A caller", task="mobilecs/dialogue", system="rule-agent", shows=shows, now=now
        )
        talk = rooms.enter_room(connection, room, me, lang="en", now=now)
        pairing = pairs.start_pairing(
            connection, title="Films", task="proactive", scenes=scenes(4), settings=SETTINGS, now=now
        )
        pairs.wait(connection, pairing, partner, now=now)
        dialogue = pairs.wait(connection, pairing, other, now=now).talk_id or ""
        return room, talk, pairing, dialogue

    room, talk, pairing, dialogue = world.write(begin)
    engine = TalkEngine(world.database)
    engine.answer(talk)
    assert engine.wait(talk, 30)
    world.write(lambda connection: sessions.say(connection, talk, me, "星夜流量包多少流量？<script>", now=now))
    engine.answer(talk)
    assert engine.wait(talk, 30)
    for at, text in enumerate(good()):
        who = (partner, other)[at % 2]
        world.write(lambda c, who=who, text=text: pairs.say_to_partner(c, dialogue, who, text, now=now))
    world.write(lambda connection: pairs.complete(connection, dialogue, partner, now=now))
    return room, talk, pairing, dialogue
