"""Tracks of other challenges: the truth reaches no word that a team reads, and a broken file never enters the order."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from duologue.arena.competition.track_board import Viewer, board_for
from duologue.arena.competition.tracks import read_source, save_track
from duologue.arena.database.blobs import Blobs
from tests.arena.competition.booking import Contest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.arena.database.database import Database

CANARY = "zebrafinch"
"""A word that stands in the truth alone."""
N = 8


class Challenge(NamedTuple):
    """Truth with the canary in it, data without it, a result that is whole, and breaks of it."""

    task: str
    gold: bytes
    data: bytes | None
    result: bytes
    breaks: tuple[bytes, ...]


def conversation() -> Challenge:
    def talks(reply: str) -> str:
        return "\n".join(f"U: my parcel {number} is late\n{reply.format(number)}\n" for number in range(N))

    whole = talks("S_HYP: it comes {}")
    breaks = (
        whole.replace("S_HYP: it comes 3\n", ""),
        whole.replace("S_HYP: it comes 3\n", "S_HYP: it comes 3\nS_HYP: it comes 3\n"),
        whole.replace("parcel 3", "parcel 33"),
        whole.replace("it comes 3\n", f"it comes 3\n\nU: one more {N}\nS_HYP: x\n"),
        "n/a",
        "null",
    )
    return Challenge(
        "conversation", talks(f"S: it comes {{}} {CANARY}").encode(), None, whole.encode(),
        tuple(one.encode() for one in breaks),
    )  # fmt: skip


def proactive() -> Challenge:
    rows, truth, lines = [], [], []
    for number in range(N):
        row = {
            "goal": [["START", f"film {number}", "director"], [f"film {number}", "made by", "director"]],
            "knowledge": [[f"film {number}", "made by", "director"]],
            "history": ["hello", "hello, what do you like?"],
        }
        rows.append(json.dumps(row, ensure_ascii=False))
        truth.append(json.dumps({**row, "response": f"it is film {number} {CANARY}"}, ensure_ascii=False))
        lines.append(f"it is film {number}")
    whole = "\n".join(lines) + "\n"
    breaks = (
        "\n".join(lines[1:]) + "\n",
        whole + "one more\n",
        whole.replace("it is film 3\n", "\n"),
        "n/a",
        "null",
    )
    return Challenge(
        "proactive", "\n".join(truth).encode() + b"\n", "\n".join(rows).encode() + b"\n", whole.encode(),
        tuple(one.encode() for one in breaks),
    )  # fmt: skip


CHALLENGES: tuple[Callable[[], Challenge], ...] = (conversation, proactive)


def opened_track(database: Database, folder: Path, one: Challenge) -> Contest:
    text = f"""
name = "other"
title = "Other"
task = "{one.task}"
zone = "UTC"

[[phases]]
name = "test"
opens = 2020-01-01T00:00:00
closes = 2100-01-01T00:00:00
gold = ["truth.txt"]
input = [{'"data.txt"' if one.data is not None else ""}]
"""
    (folder / "track.toml").write_text(text, encoding="utf-8")
    (folder / "truth.txt").write_bytes(one.gold)
    if one.data is not None:
        (folder / "data.txt").write_bytes(one.data)
    blobs = Blobs(folder / "files")
    source = read_source(folder / "track.toml")
    database.write(partial(save_track, blobs=blobs, source=source, now=database.now()))
    return Contest(database, blobs, source.definition)


@pytest.mark.parametrize("challenge", CHALLENGES)
def test_the_truth_stays_and_broken_files_stay_outside(
    challenge: Callable[[], Challenge], opened: Callable[[str | None], Database], tmp_path: Path
) -> None:
    one = challenge()
    contest = opened_track(opened(None), tmp_path, one)
    teams = [contest.team(f"Team {number}") for number in range(len(one.breaks))]
    handed = [contest.submit(team, data, name="result.txt") for team, data in zip(teams, one.breaks, strict=True)]
    whole = contest.submit(contest.team("Whole"), one.result, name="result.txt")
    contest.drain()
    assert contest.entry(whole).state == "scored", contest.entry(whole)
    for entry in map(contest.entry, handed):
        assert entry.state == "refused", (one.breaks[handed.index(entry)] if entry in handed else entry, entry.reason)
        assert entry.value is None
    with contest.database.reading() as connection:
        board = board_for(connection, contest.track, Viewer(organiser=True), contest.database.now())
    assert [name for _, name in board.teams] == ["Whole"]
    told: list[Any] = [contest.entry(entry) for entry in (*handed, whole)]
    text = json.dumps([[one.reason, one.problems, one.summary] for one in told], ensure_ascii=False)
    assert CANARY not in text
    assert "/tmp" not in text
    assert "truth.txt" not in text
