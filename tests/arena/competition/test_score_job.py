"""An entry is checked and scored by the functions of the commands, and ends with a reason whatever it is."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from duologue.arena.competition.track_board import Viewer, board_for
from duologue.core.plugins import load_task
from duologue.run import evaluate
from tests.arena.competition import booking
from tests.arena.competition.booking import as_file, result

if TYPE_CHECKING:
    from pathlib import Path

    from tests.arena.competition.booking import Contest


def test_a_score_is_that_of_the_command_and_is_tested_against_the_former_entry(
    local_contest: Contest, tmp_path: Path
) -> None:
    team = local_contest.team("Ann")
    first = local_contest.submit(team, as_file(result(wrong=20)))
    second = local_contest.submit(team, as_file(result(wrong=2)))
    local_contest.worker().drain()
    entry = local_contest.entry(second)
    assert (entry.state, entry.reason) == ("scored", "")
    assert entry.value == pytest.approx(22 / 24)
    (tmp_path / "mine.json").write_bytes(as_file(result(wrong=2)))
    task = load_task("restaurant")
    report = evaluate.score(
        task, [booking.truth()], tmp_path / "mine.json", evaluate.scoring(task), data=booking.data()
    )
    assert entry.summary is not None
    assert entry.summary["signature"] == str(report.signature)
    assert {one["name"]: one["value"] for one in entry.summary["scores"]} == {
        one.name: one.value for one in report.scores
    }
    ranking = entry.summary["difference"][0]
    assert (ranking["score"], ranking["better"], ranking["wins"], ranking["losses"]) == ("p@1", "a", 18, 0)
    assert ranking["difference"] == pytest.approx(18 / 24)
    before = local_contest.entry(first).summary
    assert before is not None
    assert before["difference"] == []


def test_a_broken_file_is_refused_with_all_its_problems_and_never_stands_on_the_board(local_contest: Contest) -> None:
    team = local_contest.team("Ann")
    rows = result()
    rows[3]["lst_candidate_id"][1]["rank"] = 1
    del rows[5]
    entry = local_contest.submit(team, as_file(rows))
    local_contest.drain()
    entry = local_contest.entry(entry)
    assert entry.state == "refused"
    assert entry.problem_count >= 2
    assert {one["rule"] for one in entry.problems} >= {"rank-repeated", "dialog-missing"}
    assert all(one["message"] for one in entry.problems)
    assert entry.reason.startswith("the check found ")
    with local_contest.database.reading() as connection:
        board = board_for(connection, local_contest.track, Viewer(organiser=True), local_contest.database.now())
    assert board.teams == ()


@pytest.mark.slow
def test_an_archive_with_one_file_is_taken_as_that_file(local_contest: Contest) -> None:
    team = local_contest.team("Ann")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mine/result.json", as_file(result()))
    entry = local_contest.submit(team, packed.getvalue(), name="mine.zip")
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mine/result.json", bytes(300 << 20))
    swollen = local_contest.submit(team, bomb.getvalue(), name="bomb.zip")
    local_contest.worker().drain()
    assert (local_contest.entry(entry).state, local_contest.entry(entry).value) == ("scored", 1.0)
    found = local_contest.entry(swollen)
    assert (found.state, [one["rule"] for one in found.problems]) == ("refused", ["unpacked-size"])


def test_a_long_name_in_chinese_is_scored_as_any_other(local_contest: Contest) -> None:
    entry = local_contest.submit(local_contest.team("Ann"), as_file(result()), name="./" + "结果" * 60 + ".json")
    local_contest.drain()
    assert local_contest.entry(entry).state == "scored"
    assert entry.name.endswith("结果.json")


@pytest.mark.parametrize("data", [b"n/a", b"NaN", b"[]", b"{}", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_what_is_no_result_file_is_refused(local_contest: Contest, data: bytes) -> None:
    entry = local_contest.submit(local_contest.team("Ann"), data)
    local_contest.drain()
    found = local_contest.entry(entry)
    assert found.state == "refused", found
    assert found.reason


def test_the_truth_reaches_no_word_that_a_team_reads(local_contest: Contest) -> None:
    rows: list[Any] = result(wrong=9)
    rows[0]["lst_candidate_id"] = rows[0]["lst_candidate_id"][:1]
    given = {"Ann": as_file(result(wrong=9)), "Bob": as_file(rows), "Eve": b"[1, 2]"}
    entries = [local_contest.submit(local_contest.team(name), data) for name, data in given.items()]
    local_contest.drain()
    told = []
    for entry in map(local_contest.entry, entries):
        told += [entry.reason, json.dumps(entry.problems), json.dumps(entry.summary)]
    text = "\n".join(told)
    right = [one["lst_candidate_id"][0]["candidate_id"] for one in json.loads(booking.truth().read_text())]
    assert not [one for one in right if one in text]
    assert "/tmp" not in text
    assert booking.truth().name not in text
