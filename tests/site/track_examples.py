"""A track in the middle of everything, for the pages that show it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tests.arena.competition.booking import as_file, drain_here, open_now, result
from tests.site.world import Example

from duologue.arena.competition import entries as competition
from duologue.arena.competition.phases import advance
from duologue.arena.competition.ratings import keep_ratings
from duologue.arena.competition.teams import register, teams_of
from duologue.arena.competition.tracks import find_track, read_source, save_track
from duologue.arena.storage import open_blobs
from duologue.ratings.files import RatingFile, read_ratings
from duologue.ratings.protocol import find_protocol
from duologue.ratings.summary import summarise

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection
    from tests.site.world import World

    from duologue.arena.competition.track_file import TrackDefinition
    from duologue.arena.database.blobs import Blobs


class Booking(NamedTuple):
    """The track with ids of entries: of the participant a refused one, two scored ones, and one that waits."""

    track: TrackDefinition
    blobs: Blobs
    refused: str
    scored: str
    waiting: str


def made_track(world: World) -> Booking:
    """Make the track with three teams; the participant's is called Ann."""
    database, blobs = world.database, open_blobs(world.workspace)
    source = read_source(open_now(world.workspace / "track"))
    database.write(lambda connection: save_track(connection, blobs, source, database.now()))
    with database.reading() as connection:
        track = find_track(connection, "booking")

    def hand_in(owner: str | None, name: str, *files: bytes, phase: str = "test-1") -> list[str]:
        with database.reading() as connection:
            team = next((one for one in teams_of(connection, "booking") if one.name == name), None)
        if team is None:
            team = database.write(
                lambda connection: register(
                    connection, track, name, database.now(), agreed=True, owner=owner, external=("a language model",)
                )
            )
        its = team

        def take(connection: Connection, data: bytes) -> str:
            return competition.submit(
                connection, blobs, track, its, "result.json", data, database.now(), phase=phase
            ).id

        return [database.write(partial(take, data=data)) for data in files]

    broken = result()
    broken[2]["lst_candidate_id"][1]["rank"] = 1
    del broken[7]
    me = world.ids["participant"]
    (refused,) = hand_in(me, "Ann", as_file(broken))
    drain_here(database, blobs)
    hand_in(me, "Ann", as_file(result(wrong=12)))
    hand_in(None, "Bob", as_file(result(wrong=3)), as_file(result(wrong=2)))
    drain_here(database, blobs)
    (scored,) = hand_in(me, "Ann", as_file(result(wrong=2)))
    hand_in(None, "Eve", as_file(result(wrong=20)))
    for name, wrong in (("Ann", 2), ("Bob", 1), ("Eve", 18)):
        hand_in(None, name, as_file(result(2, wrong=wrong)), phase="test-2")
    drain_here(database, blobs)
    database.write(lambda connection: advance(connection, track, database.now(), early="final"))
    found = summarise(people(world.workspace), find_protocol("restaurant"))
    final = track.phase("final")
    database.write(lambda connection: keep_ratings(connection, track, final, "human", found, database.now()))
    (waiting,) = hand_in(None, "Ann", as_file(result(2)), phase="test-2")
    return Booking(track, blobs, refused, scored, waiting)


def people(folder: Path) -> RatingFile:
    """Return ratings of the finalists by two people."""
    protocol = find_protocol("restaurant")
    (criterion,) = protocol.criterion
    rows = ["item,system,rater,criterion,value"]
    for item in range(8):
        for rater in ("x", "y"):
            rows.append(f"{item},Ann,{rater},{criterion.name},{criterion.high if item else criterion.low}")
            rows.append(f"{item},Bob,{rater},{criterion.name},{criterion.high if item % 3 else criterion.low}")
    path = folder / "people.csv"
    path.write_text("\n".join(rows))
    return read_ratings(path, protocol)


def tracks(world: World) -> list[Example]:
    found = made_track(world)
    one = "/entries/{id}"
    return [
        Example("/tracks", "/tracks"),
        Example("/tracks/{track}", "/tracks/booking"),
        Example("/tracks/{track}/board", "/tracks/booking/board"),
        Example("/tracks/{track}/register", "/tracks/booking/register", "organiser"),
        Example("/tracks/{track}/entries", "/tracks/booking/entries", "participant"),
        Example("/tracks/{track}/office", "/tracks/booking/office", "organiser"),
        Example(one, f"/entries/{found.refused}", "participant"),
        Example(one, f"/entries/{found.scored}", "participant"),
        Example(one, f"/entries/{found.waiting}", "participant"),
        Example(f"{one}/file", f"/entries/{found.refused}/file?row=3", "participant"),
        Example("/new-track", "/new-track", "organiser"),
        Example("/tracks/{track}/phases/{phase}/campaign", "/tracks/booking/phases/final/campaign", "organiser"),
    ]
