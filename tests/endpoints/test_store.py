from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.full_disk import files_up_to

from duologue.core.errors import NoSpaceError
from duologue.endpoints.completion import ChatCompletion
from duologue.endpoints.store import CallStore

if TYPE_CHECKING:
    from pathlib import Path

URL, BODY, MADE = "http://x/v1/chat/completions", b'{"model":"m"}', ChatCompletion(text="hi", told=True)


def test_a_call_is_found_by_what_was_asked(tmp_path: Path) -> None:
    store = CallStore(str(tmp_path / "calls"))
    assert store.find(URL, BODY) is None
    store.keep(URL, BODY, MADE)
    assert CallStore(str(tmp_path / "calls")).find(URL, BODY) == MADE
    assert store.find(URL, b'{"model":"n"}') is None
    assert store.find("http://y/v1", BODY) is None
    (path,) = (tmp_path / "calls").rglob("*.json")
    assert path.read_bytes().startswith(b'{"url":"http://x/v1/chat/completions","request":{"model":"m"},')


def test_a_file_that_is_damaged_or_of_another_call_is_no_answer(tmp_path: Path) -> None:
    store = CallStore(str(tmp_path))
    store.keep(URL, BODY, MADE)
    store.keep(URL, b'{"model":"n"}', ChatCompletion(text="other"))
    one, other = sorted(tmp_path.rglob("*.json"))
    one.write_bytes(other.read_bytes())
    assert [store.find(URL, body) for body in (BODY, b'{"model":"n"}')].count(None) == 1
    one.write_bytes(other.read_bytes()[:-9])
    assert [store.find(URL, body) for body in (BODY, b'{"model":"n"}')].count(None) == 1


def test_without_a_folder_nothing_is_kept() -> None:
    store = CallStore("")
    store.keep(URL, BODY, MADE)
    assert store.find(URL, BODY) is None


def test_a_call_of_the_folder_is_recorded_when_it_is_found(tmp_path: Path) -> None:
    recording = tmp_path / "calls.jsonl"
    CallStore(str(tmp_path / "calls")).keep(URL, BODY, MADE)
    assert CallStore(str(tmp_path / "calls"), record=str(recording)).find(URL, BODY) == MADE
    assert CallStore(replay=str(recording)).find(URL, BODY) == MADE
    assert CallStore(str(tmp_path / "calls"), replay=str(recording)).find(URL, b'{"model":"n"}') is None


def test_a_full_disk_leaves_no_part_of_a_call(tmp_path: Path) -> None:
    store = CallStore(str(tmp_path))
    with files_up_to(20), pytest.raises(NoSpaceError):
        store.keep(URL, BODY, MADE)
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == []
    store.keep(URL, BODY, MADE)
    assert store.find(URL, BODY) == MADE
