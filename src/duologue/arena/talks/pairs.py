"""Two people talk: the waiting room, turns, time-outs, giving up, and what is kept of it.

Every change of a pairing first lets run out what has run out, so that nobody waits for a clock: whoever asks is told
what holds at that moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlalchemy import func, insert, select, update

from duologue.arena.database.tables import new_id
from duologue.arena.people.audit import log
from duologue.arena.talks.likeness import keep_signs, talks_alike
from duologue.arena.talks.pair_checks import pair_problems
from duologue.arena.talks.pair_settings import PairSettings, checked, least_led, speaker_due
from duologue.arena.talks.rows import record_of
from duologue.arena.talks.sessions import LONGEST, TalkTurn, add_turns, end, own_talk, turns_of
from duologue.arena.talks.tables import pairing_people, pairing_scenes, pairings, talks
from duologue.arena.talks.waiting_room import free_scene, on_either_side, partner_for, stand, times_led
from duologue.core.capabilities import lacking_capability
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Paired
from duologue.core.plugins import load_task
from duologue.core.records import Dialogue, Record, Turn
from duologue.core.typed import convert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from duologue.arena.talks.sessions import Talk


class Pairing(Record, frozen=True, kw_only=True):
    """A campaign in which people are paired."""

    id: str
    title: str
    task: str
    settings: PairSettings
    state: str
    created_at: int


class PairPlace(NamedTuple):
    """Where somebody stands in a pairing."""

    state: str
    """`"talking"`, `"waiting"`, `"away"`, or `"done"`: there is nothing more to talk about."""
    talk_id: str | None = None


def paired_task(task: str) -> Paired:
    """Return the task of a name. Raises `UsageError` where people cannot make its dialogues."""
    loaded = load_task(task)
    if not isinstance(loaded, Paired):
        raise lacking_capability(task, "Paired")
    return loaded


def settings_for(task: Paired, **chosen: Any) -> PairSettings:
    """Return the settings of a task, with those that were chosen. Raises `UsageError` for what cannot be kept."""
    shortest, longest = task.pair_length
    own = {"first": task.pair_first, "shortest": shortest, "longest": longest}
    try:
        return checked(convert(own | chosen, PairSettings))
    except msgspec.ValidationError as error:
        raise UsageError(f"people cannot be paired so: {error}".replace("`", "'")) from error


def start_pairing(
    connection: Connection,
    *,
    title: str,
    task: str,
    scenes: Sequence[Dialogue],
    settings: PairSettings,
    now: int,
    by: str | None = None,
) -> str:
    """Begin a campaign over what is talked about, log who did, and return its id. Raises `UsageError` without any."""
    if not scenes:
        raise UsageError("there is nothing to talk about: give goals, or a graph that goals are drawn from")
    values = {"id": new_id(), "title": title, "task": task, "settings": msgspec.to_builtins(settings)}
    connection.execute(insert(pairings).values(**values, state="open", created_at=now))
    rows = [
        {"id": new_id(), "pairing_id": values["id"], "position": at, "scene": msgspec.to_builtins(one), "state": "free"}
        for at, one in enumerate(scenes)
    ]
    connection.execute(insert(pairing_scenes), rows)
    log(connection, by, "pairs.start", now=now, about=str(values["id"]))
    return str(values["id"])


def find_pairing(connection: Connection, pairing_id: str) -> Pairing | None:
    """Return a pairing; `None` where there is none of that id."""
    row = connection.execute(select(pairings).where(pairings.c.id == pairing_id)).mappings().one_or_none()
    return None if row is None else record_of(row, Pairing)


def list_pairings(connection: Connection) -> list[Pairing]:
    """Return all pairings, the last first."""
    rows = connection.execute(select(pairings).order_by(pairings.c.created_at.desc(), pairings.c.id)).mappings()
    return [record_of(row, Pairing) for row in rows]


def close_pairing(connection: Connection, pairing_id: str, *, now: int, by: str | None = None) -> None:
    """Pair nobody any more, and log who said so; dialogues that go on come to their end."""
    connection.execute(update(pairings).where(pairings.c.id == pairing_id).values(state="closed"))
    log(connection, by, "talks.close", now=now, about=pairing_id)


def place_of(connection: Connection, pairing_id: str, person: str) -> PairPlace:
    """Return where somebody stands, without changing anything."""
    talk = connection.execute(
        select(talks.c.id).where(talks.c.pairing_id == pairing_id, talks.c.state == "open", on_either_side(person))
    ).scalar_one_or_none()
    if talk is not None:
        return PairPlace("talking", talk)
    mine = (pairing_people.c.pairing_id == pairing_id) & (pairing_people.c.person_id == person)
    state = connection.execute(select(pairing_people.c.state).where(mine)).scalar_one_or_none()
    if state == "waiting":
        return PairPlace("waiting" if free_scene(connection, pairing_id, person, person) else "done")
    return PairPlace("away")


def wait(connection: Connection, pairing_id: str, person: str, *, now: int) -> PairPlace:
    """Let somebody wait, or go on waiting, for a partner; pair them where there is one.

    Raises `UsageError` for a pairing that there is not, or that is closed.
    """
    pairing = _open_pairing(connection, pairing_id)
    sweep(connection, pairing, now=now)
    place = place_of(connection, pairing_id, person)
    if place.state == "talking":
        return place
    stand(connection, pairing_id, person, "waiting", now=now, since=now if place.state == "away" else None)
    partner = partner_for(connection, pairing.id, person, seen=now - pairing.settings.seen_seconds * 1000)
    if partner is None:
        return place_of(connection, pairing_id, person)
    return PairPlace("talking", _pair(connection, pairing, person, partner, now=now))


def leave(connection: Connection, pairing_id: str, person: str, *, now: int) -> None:
    """Let somebody wait no longer, and give up the dialogue that they are in."""
    place = place_of(connection, pairing_id, person)
    if place.talk_id is not None:
        give_up(connection, place.talk_id, person, now=now)
    elif place.state in {"waiting", "done"}:
        stand(connection, pairing_id, person, "away", now=now)


def say_to_partner(connection: Connection, talk_id: str, person: str, text: str, *, now: int) -> int:
    """Keep what somebody says to the other; return its position. The longest dialogue ends by itself.

    Raises `UsageError` out of turn, for an empty or too long text, and for a dialogue that is over.
    """
    talk, pairing = _going_on(connection, talk_id, person, now=now)
    text = " ".join(text.split())
    if not text:
        raise UsageError("say something: an empty utterance is none")
    if len(text) > LONGEST:
        raise UsageError(f"an utterance has at most {LONGEST:,} characters, this one {len(text):,}")
    turns = turns_of(connection, talk_id)
    if speaker_due(pairing.settings, len(turns)) != side_of(talk, person):
        raise UsageError("it is your partner's turn; wait for their words")
    said = TalkTurn(position=0, speaker=side_of(talk, person), text=text)
    add_turns(connection, talk_id, len(turns), [said], now=now)
    connection.execute(update(talks).where(talks.c.id == talk_id).values(last_at=now))
    if len(turns) + 1 >= pairing.settings.longest:
        _complete(connection, talk, pairing, by="length", now=now)
    return len(turns)


def complete(connection: Connection, talk_id: str, person: str, *, now: int) -> None:
    """End a dialogue as whoever leads may once it is long enough. Raises `UsageError` before, and for the other."""
    talk, pairing = _going_on(connection, talk_id, person, now=now)
    if side_of(talk, person) != "system":
        raise UsageError("whoever leads ends the dialogue; you can give up")
    count = len(turns_of(connection, talk_id))
    if count < pairing.settings.shortest:
        raise UsageError(f"the dialogue has {count} utterances; it can end after {pairing.settings.shortest}")
    _complete(connection, talk, pairing, by="leader", now=now)


def give_up(connection: Connection, talk_id: str, person: str, *, now: int) -> None:
    """Leave a dialogue before its end; what was talked about is free for others."""
    talk = own_talk(connection, talk_id, person)
    _abandon(connection, talk, f"{'leader' if side_of(talk, person) == 'system' else 'follower'}", now=now)


def sweep(connection: Connection, pairing: Pairing, *, now: int) -> int:
    """Abandon dialogues in which somebody was silent for too long, and let nobody wait who is not there any more.

    Returns how many dialogues were abandoned.
    """
    limit = now - pairing.settings.turn_seconds * 1000
    going = (talks.c.pairing_id == pairing.id) & (talks.c.state == "open") & (talks.c.last_at < limit)
    late = connection.execute(select(talks.c.id).where(going)).scalars().all()
    for talk_id in late:
        talk = _talk(connection, talk_id)
        _abandon(connection, talk, "time", now=now)
    gone = (pairing_people.c.pairing_id == pairing.id) & (pairing_people.c.state == "waiting")
    gone &= pairing_people.c.seen_at < now - pairing.settings.seen_seconds * 1000
    connection.execute(update(pairing_people).where(gone).values(state="away"))
    return len(late)


def judge(connection: Connection, talk_id: str, verdict: str, *, now: int, by: str | None = None) -> str:
    """Set the verdict on a finished dialogue by hand, log who did, and return its campaign's id.

    Raises `UsageError` for another verdict than `"accepted"` or `"rejected"`, and for a dialogue that is not finished.
    """
    talk = _talk(connection, talk_id)
    if verdict not in {"accepted", "rejected"} or talk.state != "finished":
        raise UsageError("a dialogue that is finished is accepted or rejected; this is neither")
    connection.execute(update(talks).where(talks.c.id == talk_id).values(verdict=verdict))
    _settle_scene(connection, talk)
    log(connection, by, f"talk.{verdict}", now=now, about=talk_id)
    return talk.pairing_id or ""


def accepted_dialogues(connection: Connection, pairing_id: str, *, rejected: bool = False) -> list[Dialogue]:
    """Return the accepted dialogues of a pairing in the challenge's text, the first first; `rejected`: those too."""
    verdicts = ("accepted", "rejected") if rejected else ("accepted",)
    query = select(talks.c.dialogue).where(talks.c.pairing_id == pairing_id, talks.c.state == "finished")
    rows = connection.execute(query.where(talks.c.verdict.in_(verdicts)).order_by(talks.c.ended_at, talks.c.id))
    return [convert(one, Dialogue) for one in rows.scalars()]


def scene_of(connection: Connection, talk: Talk) -> Dialogue:
    """Return what a dialogue is about."""
    found = connection.execute(select(pairing_scenes.c.scene).where(pairing_scenes.c.id == talk.scene_id)).scalar_one()
    return convert(found, Dialogue)


def scene_counts(connection: Connection, pairing_id: str) -> dict[str, int]:
    """Return how many scenes are free, taken and done."""
    query = select(pairing_scenes.c.state, func.count()).where(pairing_scenes.c.pairing_id == pairing_id)
    found = {row[0]: row[1] for row in connection.execute(query.group_by(pairing_scenes.c.state))}
    return {state: found.get(state, 0) for state in ("free", "taken", "done")}


def side_of(talk: Talk, person: str) -> str:
    """Return the side of somebody in a dialogue: `"system"` for whoever leads."""
    return "system" if person == talk.leader_id else "user"


def _talk(connection: Connection, talk_id: str) -> Talk:
    from duologue.arena.talks.sessions import find_talk

    found = find_talk(connection, talk_id)
    if found is None or found.pairing_id is None:
        raise UsageError(f"there is no dialogue '{talk_id}' of two people")
    return found


def _open_pairing(connection: Connection, pairing_id: str) -> Pairing:
    found = find_pairing(connection, pairing_id)
    if found is None:
        raise UsageError(f"there is no pairing '{pairing_id}'")
    if found.state != "open":
        raise UsageError("this campaign is closed; thank you")
    return found


def _going_on(connection: Connection, talk_id: str, person: str, *, now: int) -> tuple[Talk, Pairing]:
    """Return a dialogue that goes on still, and its pairing. Raises `UsageError` where it is over."""
    talk = own_talk(connection, talk_id, person)
    pairing = find_pairing(connection, talk.pairing_id or "")
    if pairing is None:
        raise UsageError(f"there is no dialogue '{talk_id}' of two people")
    if now - talk.last_at > pairing.settings.turn_seconds * 1000:
        raise UsageError("this dialogue is over: somebody was silent for too long")
    return talk, pairing


def _pair(connection: Connection, pairing: Pairing, person: str, partner: str, *, now: int) -> str:
    """Begin a dialogue of two people, and return its id; of two who have led alike, who waited longer leads."""
    leader, follower = least_led(*((one, times_led(connection, pairing.id, one)) for one in (partner, person)))
    scene = free_scene(connection, pairing.id, person, partner)
    values: dict[str, Any] = {
        "id": new_id(),
        "kind": "people",
        "task": pairing.task,
        "lang": "en",
        "pairing_id": pairing.id,
    }
    values |= {"scene_id": scene, "person_id": follower, "leader_id": leader, "shows": [], "state": "open"}
    connection.execute(insert(talks).values(**values, created_at=now, last_at=now))
    connection.execute(update(pairing_scenes).where(pairing_scenes.c.id == scene).values(state="taken"))
    for one in (leader, follower):
        stand(connection, pairing.id, one, "talking", now=now)
    return str(values["id"])


def _complete(connection: Connection, talk: Talk, pairing: Pairing, *, by: str, now: int) -> None:
    """End a dialogue that is whole: written in the challenge's text, checked, accepted or not."""
    task = paired_task(pairing.task)
    said = [Turn(speaker=one.speaker, text=one.text) for one in turns_of(connection, talk.id)]
    dialogue = msgspec.structs.replace(task.pair_dialogue(scene_of(connection, talk), said), id=talk.id)
    others = _others(connection, talk, [one.text for one in dialogue.turns])
    problems = pair_problems(task, dialogue, pairing.settings, others)
    verdict = "rejected" if any(one.severity == "error" for one in problems) else "accepted"
    told = [
        {"rule": one.rule, "severity": one.severity, "place": one.place, "message": one.message} for one in problems
    ]
    values = {"dialogue": msgspec.to_builtins(dialogue), "problems": told, "verdict": verdict}
    connection.execute(update(talks).where(talks.c.id == talk.id).values(values))
    end(connection, talk.id, "finished", by, now=now)
    keep_signs(connection, pairing.id, talk.id, [one.text for one in dialogue.turns])
    _settle_scene(connection, talk)
    _set_free(connection, talk)


def _others(connection: Connection, talk: Talk, texts: Sequence[str]) -> list[list[str]]:
    """Return the utterances of those finished dialogues of a campaign that these may nearly be the same as."""
    found: list[list[str]] = []
    for alike in talks_alike(connection, talk.pairing_id or "", texts):
        query = select(talks.c.dialogue).where(talks.c.id == alike, talks.c.state == "finished")
        one = connection.execute(query).scalar_one_or_none()
        found += [] if one is None else [[turn["text"] for turn in one["turns"]]]
    return found


def _abandon(connection: Connection, talk: Talk, by: str, *, now: int) -> None:
    end(connection, talk.id, "abandoned", by, now=now)
    _settle_scene(connection, talk)
    _set_free(connection, talk)


def _settle_scene(connection: Connection, talk: Talk) -> None:
    """Set what a dialogue is about free for others, unless another dialogue about it is accepted or goes on.

    Verdicts by hand come at any time: what was rejected first may have been given to others since.
    """
    about = select(talks.c.state, talks.c.verdict).where(talks.c.scene_id == talk.scene_id)
    found = connection.execute(about).all()
    accepted = any(one.verdict == "accepted" for one in found)
    state = "done" if accepted else "taken" if any(one.state == "open" for one in found) else "free"
    connection.execute(update(pairing_scenes).where(pairing_scenes.c.id == talk.scene_id).values(state=state))


def _set_free(connection: Connection, talk: Talk) -> None:
    """Let both people of a dialogue that is over wait again when they want to."""
    both = pairing_people.c.person_id.in_([talk.person_id, talk.leader_id])
    mine = (pairing_people.c.pairing_id == talk.pairing_id) & both
    connection.execute(update(pairing_people).where(mine).values(state="away"))
