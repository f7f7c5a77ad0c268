from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.full_disk import files_up_to

from duologue.core.errors import BotError, NoSpaceError
from duologue.core.identity import Identity
from duologue.core.records import Answer
from duologue.run.journal import Journal, told_what_is_kept

if TYPE_CHECKING:
    from pathlib import Path

OURS = Identity(task="echo 1", system="parrot", recipe={"loud": False}, data="a" * 64)


def begun(path: Path, *texts: str, identity: Identity = OURS) -> None:
    """Leave a journal as a killed run does."""
    journal = Journal(path, identity).__enter__()
    for place, text in enumerate(texts):
        journal.add([place], [Answer(text=text)])
    journal.__exit__(KeyboardInterrupt, None, None)


def reopened(path: Path, identity: Identity = OURS) -> tuple[dict[int | str, str | None], list[str]]:
    said: list[str] = []
    with Journal(path, identity, say=said.append) as journal:
        return {place: answer.text for place, answer in journal.answers.items()}, said


def test_what_a_killed_run_answered_is_there_and_a_finished_run_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / ".x.journal"
    begun(path, "one", "two")
    assert reopened(path) == ({0: "one", 1: "two"}, [])
    assert not list(tmp_path.iterdir())


def test_a_journal_that_somebody_removed_does_not_fail_the_run_that_ends(tmp_path: Path) -> None:
    path = tmp_path / ".x.journal"
    with Journal(path, OURS) as journal:
        journal.add([0], [Answer(text="one")])
        path.unlink()
    assert not list(tmp_path.iterdir())


def test_the_last_line_may_be_cut_off_anywhere(tmp_path: Path) -> None:
    path = tmp_path / ".x.journal"
    begun(path, "one", "two")
    whole = path.read_bytes()
    start = whole.index(b"\n", whole.index(b"\n") + 1) + 1  # of the last line
    for end in range(start, len(whole)):
        path.write_bytes(whole[:end])
        assert reopened(path) == ({0: "one"}, [])


def test_no_broken_byte_stops_a_run_or_gets_into_its_result(tmp_path: Path) -> None:
    path = tmp_path / ".x.journal"
    begun(path, "one", "two", "three")
    whole = path.read_bytes()
    right = {0: "one", 1: "two", 2: "three"}
    for place in range(len(whole)):
        for value in (0, 0xFF, ord("\n"), whole[place] ^ 1):
            path.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
            damaged = path.read_bytes()
            found, said = reopened(path)
            assert found.items() <= right.items()
            aside = list(tmp_path.iterdir())
            if damaged != whole and place < len(whole) - 1:
                assert len(said) == 1
                assert "damaged" in said[0]
                assert [one.read_bytes() for one in aside] == [damaged]
            for one in aside:
                one.unlink()


def test_answers_that_are_whole_are_kept_beside_a_damaged_one(tmp_path: Path) -> None:
    path = tmp_path / ".x.journal"
    begun(path, "one", "two", "three")
    path.write_bytes(path.read_bytes().replace(b"two", b"tw\xff"))
    found, said = reopened(path)
    assert found == {0: "one", 2: "three"}
    assert "line 3" in said[0]
    assert "2 answers that are whole are kept" in said[0]


@pytest.mark.parametrize("field", [field.name for field in msgspec.structs.fields(Identity)])
def test_a_journal_of_another_identity_is_set_aside(field: str, tmp_path: Path) -> None:
    path = tmp_path / ".x.journal"
    begun(path, "one")
    other = msgspec.structs.replace(OURS, **{field: {"seed": 3, "recipe": {"loud": True}}.get(field, "other")})
    before = path.read_bytes()
    found, said = reopened(path, other)
    assert found == {}
    assert "another run" in said[0]
    assert field in said[0]
    assert (tmp_path / ".x.journal.1").read_bytes() == before


def test_nothing_set_aside_is_ever_written_over(tmp_path: Path) -> None:
    path = tmp_path / ".x.journal"
    for number in range(3):
        begun(path, f"by {number}", identity=msgspec.structs.replace(OURS, seed=number))
    assert sorted(one.name for one in tmp_path.iterdir()) == [".x.journal", ".x.journal.1", ".x.journal.2"]


def test_a_journal_that_is_no_journal_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / ".x.journal"
    for content in (b"", b"\xff\xfe", b'{"run":"1234"}\n{"id":"a","answer":{}}\n', b"\n\n\n"):
        path.write_bytes(content)
        found, said = reopened(path)
        assert found == {}
        assert "damaged" in said[0]


def test_it_is_told_how_many_lines_are_damaged(tmp_path: Path) -> None:
    path = tmp_path / ".x.journal"
    begun(path, "one", "two", "three", "four")
    path.write_bytes(path.read_bytes().replace(b"two", b"tw\xff").replace(b"three", b"thre\xff"))
    assert "damaged in line 3 and 1 more; the 2 answers" in reopened(path)[1][0]
    path.unlink(missing_ok=True)
    begun(path, "one", "two", "three", "four")
    path.write_bytes(path.read_bytes().replace(b"two", b"tw\xff"))
    assert "damaged in line 3; the 3 answers" in reopened(path)[1][0]


def test_a_full_disk_loses_no_answer_and_leaves_none_half_written(tmp_path: Path) -> None:
    """What a buffer held was written when the journal was closed: again in vain, and without a word of the file."""
    path = tmp_path / ".x.journal"
    begun(path, "one")
    with pytest.raises(NoSpaceError, match=r"\.x\.journal: .*; what is answered so far is kept"):
        fill(path)
    assert path.read_bytes().endswith(b"}\n")
    kept, said = reopened(path)
    assert (kept[0], kept[1], said) == ("one", "two" * 100, [])
    assert len(kept) < 10


def fill(path: Path) -> None:
    with files_up_to(2_000), Journal(path, OURS) as journal:  # closed while the disk is full still
        for place in range(1, 10):
            journal.add([place], [Answer(text="two" * 100)])


def test_each_line_of_a_journal_stands_behind_its_checksum(tmp_path: Path) -> None:
    """Another version that cannot read them would ask, and pay, for all answers anew."""
    path = tmp_path / ".x.journal"
    begun(path, "one", "two")
    *lines, end = path.read_bytes().split(b"\n")
    assert end == b""
    assert [line[:9] for line in lines] == [f"{zlib.crc32(line[9:]):08x} ".encode() for line in lines]
    assert b'"text":"one"' in lines[1]


@pytest.mark.parametrize(
    ("answers", "told"), [(0, "Nothing is answered yet;"), (1, "1 answer is kept;"), (2, "2 answers are kept;")]
)
def test_what_is_kept_is_told_where_a_bot_fails(tmp_path: Path, answers: int, told: str) -> None:
    with pytest.raises(BotError, match=f"^it is down\n{told} the same command goes on from there"):
        fail_after(tmp_path / ".x.journal", answers)
    with pytest.raises(BotError, match=r"^it is down$"), told_what_is_kept(None):
        raise BotError("it is down")


def fail_after(path: Path, answers: int) -> None:
    with Journal(path, OURS) as journal, told_what_is_kept(journal):
        for place in range(answers):
            journal.add([place], [Answer(text="x")])
        raise BotError("it is down")
