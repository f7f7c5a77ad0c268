"""Options that would do nothing in a call are refused, and not passed over in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
DATA = GOLDEN / "restaurant" / "small-data.json"
SITE = ("--site", "http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "restaurant", DATA, "--only", "statistics", "--plain", "x"), "leave --plain out"),
        (("show", "restaurant", DATA, "--only", "dump", "--statistics", "x"), "leave --statistics out"),
        (("show", "restaurant", DATA, "--json", "--plain", "x", "--only", "dump"), "leave --plain, --only out"),
        (("verify", "x.judge.json", "--pred", "y", "--option", "a=b"), "leave --pred, --option out"),
        (
            ("board", "restaurant", "x", "--gold", "y", "--title", "T"),
            "without --out no page is written; leave --title",
        ),
        (("ratings", "score", "x.csv", "--protocol", "spoken", "--title", "T"), "leave --title out"),
        (("submit", "--track", "t", "--team", "A", "--status", "--wait", "--note", "n"), "leave --note, --wait out"),
        (("submit", DATA, "--track", "t", "--team", "A", "--token", "x"), "leave --token out"),
        (("submit", DATA, "--track", "t", "--team", "A", "--token", "x", *SITE), "leave --team out"),
        (("track", "campaign", "t", "p", "--link", "c", "--per-item", 2, "--seed", 3), "leave --per-item, --seed out"),
        (("campaign", "link", "c", "--person", "p", "--n", 2), "leave --n out"),
        (("site", "open-link", "--revoke", "x", "--list"), "leave --list out"),
        (("site", "open-link", "--track", "x", "--list", "--limit", 3), "leave --limit out"),
        (("generate", "mobilecs", "--part", "train", "--out", "x"), "no such choice; leave --part out"),
    ],
)
def test_what_would_do_nothing_is_refused(
    duologue: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = duologue(*words)
    assert (done.code, said in " ".join(done.err.split())) == (2, True), done.err
    assert not (tmp_path / "x").exists()


def test_spreads_beside_a_pilot_are_refused(duologue: Any, tmp_path: Path) -> None:
    pilot = tmp_path / "pilot.csv"
    pilot.write_text("item,system,rater,criterion,value\n", encoding="utf-8")
    words = ("ratings", "plan", "--raters", 5, "--items", 9, "--pilot", pilot, "--protocol", "spoken")
    done = duologue(*words, "--item-spread", 0.4)
    assert (done.code, "the pilot tells the spreads; leave --item-spread out" in done.err) == (2, True), done.err


def test_a_room_has_nothing_that_was_rejected(duologue: Any, tmp_path: Path) -> None:
    where = ("--workspace", tmp_path / "w")
    assert duologue("talk", "open", "restaurant", *where).code == 0
    (room,) = json.loads(duologue("talk", "status", "--json", *where).out)["rooms"]
    done = duologue("talk", "export", room["id"], "--rejected", "--out", tmp_path / "x", *where)
    assert (done.code, "leave --rejected out" in done.err) == (2, True), done.err
    assert not (tmp_path / "x").exists()
