"""Notes are proved from the recording, without the judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

from tests.endpoint_stub import Stub
from tests.judges.test_session import CONVERSATION, brain, recipe

from duologue.core.errors import FormatError
from duologue.judges.note import calls_path, note_path, plain, verify_note, write_note
from duologue.judges.session import JudgeSession, Kind
from duologue.judges.trials import TrialFigure
from duologue.ratings.rows import ratings_text

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.judges.results import JudgedFiles


def judged(files: JudgedFiles, out: Path, kind: Kind) -> Path:
    calls = calls_path(out)
    with Stub(brain=brain) as server:
        session = JudgeSession(CONVERSATION, files, recipe(server.url, record=str(calls)), kind=kind, n=6)
        made = session.run()
    out.write_text(ratings_text([*made.ratings, *made.preferences], out), encoding="utf-8")
    write_note(out, session, made, task=CONVERSATION.info, files=files, kb=None, n=6, calls=calls)
    return note_path(out)


@pytest.mark.parametrize("kind", ["points", "pairs"])
def test_a_note_is_proved_and_every_change_is_found(files: JudgedFiles, tmp_path: Path, kind: Kind) -> None:
    out = tmp_path / "judge.csv"
    note = judged(files, out, kind)
    assert note.name == "judge.judge.json"
    verdict = verify_note(note)
    assert verdict.differences == ()
    assert verdict.checked > 6
    whole = note.read_text(encoding="utf-8")
    told = msgspec.json.decode(whole)
    assert "127.0.0.1" in told["recipe"]["url"]
    told["report"]["answers" if kind == "points" else "pairs"] += 1
    note.write_bytes(msgspec.json.encode(told))
    assert "computed" in verify_note(note).differences[0]
    note.write_text(whole, encoding="utf-8")
    text = out.read_text(encoding="utf-8")
    out.write_text(text + "\n", encoding="utf-8")
    assert "the file has changed" in verify_note(note).differences[0]
    out.write_text(text, encoding="utf-8")
    calls_path(out).unlink()
    assert "no such file" in verify_note(note).missing[0]


def test_another_seed_was_not_recorded_and_a_damaged_note_is_refused(files: JudgedFiles, tmp_path: Path) -> None:
    note = judged(files, tmp_path / "judge.csv", "points")
    told = msgspec.json.decode(note.read_bytes())
    note.write_bytes(msgspec.json.encode({**told, "n": 12}))
    with pytest.raises(Exception, match="has no call with the hash"):
        verify_note(note)
    note.write_text("{}", encoding="utf-8")
    with pytest.raises(FormatError, match="no note of `duologue judge`"):
        verify_note(note)


def test_no_place_that_a_note_names_is_read_or_written(files: JudgedFiles, tmp_path: Path) -> None:
    """What `judge` writes names none; a stranger's note may."""
    note = judged(files, tmp_path / "judge.csv", "points")
    told = msgspec.json.decode(note.read_bytes())
    assert {"record", "replay", "cache"}.isdisjoint(told["recipe"])
    theirs = {one: str(tmp_path / "theirs" / one) for one in ("record", "replay", "cache")}
    note.write_bytes(msgspec.json.encode({**told, "recipe": told["recipe"] | theirs}))
    assert verify_note(note).differences == ()
    assert not (tmp_path / "theirs").exists()


def test_reports_become_plain_objects() -> None:
    assert plain({"a": (TrialFigure(1.0, None, None, 2),)}) == {
        "a": [{"value": 1.0, "low": None, "high": None, "n": 2}]
    }
