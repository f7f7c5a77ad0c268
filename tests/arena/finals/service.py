"""A small track of customer service: an archive, result files of teams, and the track with a final in a database."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from duologue.arena.competition.phases import advance
from duologue.arena.competition.track_archive import read_archive
from duologue.arena.competition.tracks import save_track
from duologue.arena.database.blobs import Blobs
from tests.arena.competition.booking import Contest, drain_here

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database

NAME = "service"
TRACK = """
name = "service"
title = "Customer service"
title_zh = "客服对话"
task = "conversation"
zone = "Asia/Shanghai"
rules = "Answer each customer. Nothing is looked up in the test data."
rules_zh = "回复每位客户。不得查看测试数据。"
agreement = "We use the data for research alone."
agreement_zh = "数据仅用于研究。"

[[phases]]
name = "test"
title = "Test"
title_zh = "测试"
opens = 2020-01-01T00:00:00
closes = 2100-01-01T00:00:00
gold = ["truth.txt"]

[[phases]]
name = "final"
title = "Final"
title_zh = "决赛"
kind = "human"
opens = 2100-01-01T00:00:00
closes = 2100-02-01T00:00:00
top = 2
select = 1
protocol = "conversation"
"""
DIALOGUES = 12


def talks(reply: str) -> bytes:
    """Return all dialogues with one reply each; `{}` is the number of the dialogue."""
    rows = [f"U: my parcel {number} is late\n{reply.format(number)}\n" for number in range(DIALOGUES)]
    return "\n".join(rows).encode()


TRUTH = talks("S: yes yes yes parcel {} is here")
GOOD, POOR = talks("S_HYP: yes yes parcel {} is here"), talks("S_HYP: yes {}")
BROKEN = talks("S_HYP: yes {}").replace(b"S_HYP: yes 3\n", b"")


def archive(track: str = TRACK, truth: bytes = TRUTH, *, folder: str = "") -> bytes:
    """Return the track as a .zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr(f"{folder}track.toml", track)
        made.writestr(f"{folder}truth.txt", truth)
    return out.getvalue()


def open_service(database: Database, folder: Path) -> Contest:
    """Return the track without teams."""
    blobs = Blobs(folder / "site" / "files")
    source = read_archive(archive())
    database.write(lambda connection: save_track(connection, blobs, source, database.now()))
    return Contest(database, blobs, source.definition)


def open_final(database: Database, folder: Path) -> Contest:
    """Return the track with two scored teams in its final: Ann is better by her file, in which people agree."""
    contest = open_service(database, folder)
    for name, file in (("Ann", GOOD), ("Bob", POOR)):
        contest.submit(contest.team(name), file, name="result.txt")
    drain_here(database, contest.blobs)
    filled = database.write(lambda connection: advance(connection, contest.track, database.now(), early="final"))
    assert filled == ["final"]
    return contest
