from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.subtitles import xml_of

from duologue.challenges.conversation.extraction.subtitles import utterances
from duologue.challenges.conversation.extraction.subtitles.utterances import Extraction, Worker, find, read, summarise
from duologue.core.errors import FormatError
from duologue.corpus import tables
from duologue.corpus.members import MemberData, Members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from duologue.core.worker_pool import Shard
    from duologue.corpus.members import ShardPlan


class Listed:
    """An archive of which only the names matter."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def members(self, wanted: Callable[[str], bool]) -> Members:
        names = [name for name in self.names if wanted(name)]
        return Members(names, np.ones(len(names), np.int64), b"")

    def shards(self, plan: ShardPlan, done: object) -> Iterator[Shard]:
        raise AssertionError(plan, done)


def test_a_shard_holds_its_sentences_and_what_became_of_its_files(tmp_path: Path) -> None:
    parts = [
        MemberData(0, "a", xml_of([["Hi", "!"], ["-"], ["A", "b"]]).encode()),
        MemberData(1, "b", b"<broken>"),
        MemberData(2, "c", b"<d><s><w>odd</w></s></d>"),
        MemberData(3, "d", xml_of([["."]]).encode()),
    ]
    path = tmp_path / "part-00000.parquet"
    path.write_bytes(Worker(Extraction(check_every=2))(parts))
    found = read(path)
    assert found.texts.list() == ["hi !", "a b", "odd"]
    assert found.tokens.tolist() == [2, 2, 1]
    assert found.files == [(0, 2), (2, 1), (3, 0)]
    summary, counts = summarise([path], 5)
    assert counts.tolist() == [2, -1, 1, 0, -1]
    assert (summary.read, summary.sentences, summary.strictly, summary.checked) == (3, 3, 1, 1)
    assert summary.skipped[0][0] == "b"
    assert summary.differing == ()


def test_the_last_of_equal_names_counts_and_other_files_do_not() -> None:
    archive = Listed("x/b.xml.gz", "x/a.xml.gz", "./x/b.xml.gz", "x/./b.xml.gz", "x/c.txt", "x/.d.xml.gz", "x/e.xml")
    found, members = find(archive, 1.0, official=True)
    assert found.names == ["x/a.xml.gz", "x/b.xml.gz"]
    plan = utterances._plan(members, found)
    chosen = {members.names[place]: place for place in plan.places.tolist()}
    assert chosen == {"x/a.xml.gz": 1, "x/./b.xml.gz": 3}
    everything, _ = find(archive, 1.0, official=False)
    assert "x/e.xml" in everything.names


def test_the_share_of_files_is_rounded_down() -> None:
    archive = Listed(*(f"{number}.xml.gz" for number in range(12)))
    found, _ = find(archive, 0.75, official=True)
    assert len(found.order) == 9
    assert len(find(archive, 0.1, official=True)[0].order) == 1


def test_a_shard_of_a_damaged_disk_is_told_as_such_or_read(tmp_path: Path) -> None:
    parts = [MemberData(0, "a", xml_of([["Hi", "!"], ["A", "b"]]).encode()), MemberData(1, "b", b"<broken>")]
    whole, path = Worker(Extraction())(parts), tmp_path / "part-00000.parquet"
    told = []
    for place in range(4, len(whole), 5):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        with suppress(FormatError):
            summarise([path], 2)
            read(path).texts.list()
            continue
        told.append(place)
    assert told


def test_notes_that_contradict_the_sentences_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "part-00000.parquet"
    texts = tables.PackedTexts.of(b"ab", np.array([1, 1]))
    notes = {"files": [[0, 2]], "skipped": [], "strictly": 0, "checked": 0, "differing": []}
    for files in ([[0, 1]], [[-1, 2]], [[7, 2]], [[0, "2"]]):
        path.write_bytes(tables.dump(texts, {"tokens": np.array([1, 1], np.int32)}, {**notes, "files": files}))
        read_it = read if files == [[0, 1]] else lambda place: summarise([place], 2)
        with pytest.raises(FormatError, match="delete it and run the extraction again"):
            read_it(path)
