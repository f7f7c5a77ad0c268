from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.full_disk import files_up_to

from duologue.core.errors import FormatError, NoSpaceError, StorageError
from duologue.endpoints.completion import ChatCompletion
from duologue.endpoints.recorded_calls import CallRecording

if TYPE_CHECKING:
    from pathlib import Path

URL, BODY, MADE = "http://x/v1/chat/completions", b'{"model": "m"}', ChatCompletion(text="hi", told=True)


def test_calls_are_lines_that_are_found_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "calls.jsonl"
    recording = CallRecording(path, needed=False)
    assert recording.find(URL, BODY) is None
    assert not path.exists()
    assert recording.keep(URL, BODY, MADE) == MADE
    assert recording.keep(URL, BODY, ChatCompletion(text="later")) == MADE
    recording.keep(URL, b"{}", ChatCompletion(text="other"))
    assert path.read_bytes().count(b"\n") == 2
    again = CallRecording(path, needed=True)
    assert (again.find(URL, BODY), len(again)) == (MADE, 2)
    assert again.find("http://y/v1", BODY) is None


def test_a_line_that_a_kill_cut_off_is_dropped_and_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    CallRecording(path, needed=False).keep(URL, BODY, MADE)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    recording = CallRecording(path, needed=False)
    assert len(recording) == 1
    recording.keep(URL, b"{}", MADE)
    assert len(CallRecording(path, needed=True)) == 2


def test_a_system_and_its_user_may_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    one, other = CallRecording(path, needed=False), CallRecording(path, needed=False)
    for number in range(3):
        one.keep(URL, b"[%d]" % number, MADE)
        other.keep(URL, b"[1%d]" % number, MADE)
    assert len(CallRecording(path, needed=True)) == 6
    path.write_bytes(path.read_bytes()[:-9])
    one, other = CallRecording(path, needed=False), CallRecording(path, needed=False)
    one.keep(URL, b"[7]", MADE)
    other.keep(URL, b"[8]", MADE)
    assert len(CallRecording(path, needed=True)) == 5 + 2


def test_what_is_no_recording_is_refused_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    with pytest.raises(StorageError, match=r"calls\.jsonl"):
        CallRecording(path, needed=True)
    CallRecording(path, needed=False).keep(URL, BODY, MADE)
    path.write_bytes(path.read_bytes().replace(b'"m"', b'"n"') + b"[]\n")
    with pytest.raises(FormatError) as told:
        CallRecording(path, needed=False)
    assert [problem.place for problem in told.value.problems] == ["line 1", "line 2"]
    assert "is not that of its address and request" in str(told.value)


@pytest.mark.parametrize("told", ['"prompt_tokens":1' + "0" * 400, '"completion_tokens":-1', '"milliseconds":1e300'])
def test_a_call_that_took_what_no_call_takes_is_refused_with_its_line(tmp_path: Path, told: str) -> None:
    path = tmp_path / "calls.jsonl"
    CallRecording(path, needed=False).keep(URL, BODY, MADE)
    name = told.partition(":")[0]
    line = path.read_text(encoding="utf-8")
    kept = ",".join(part for part in line.rstrip().removesuffix("}}").split(",") if not part.startswith(name))
    path.write_text(kept + f",{told}}}}}\n", encoding="utf-8")
    with pytest.raises(FormatError, match="line 1: it is no recorded call: Expected"):
        CallRecording(path, needed=True)


def test_a_full_disk_leaves_whole_lines_and_the_call_can_be_kept_later(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    recording = CallRecording(path, needed=False)
    recording.keep(URL, BODY, MADE)
    with files_up_to(path.stat().st_size + 30), pytest.raises(NoSpaceError, match=r"calls\.jsonl"):
        recording.keep(URL, b"{}", MADE)
    assert len(CallRecording(path, needed=True)) == 1
    recording.keep(URL, b"{}", MADE)
    assert len(CallRecording(path, needed=True)) == 2
