from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from tests.subtitles import xml_of

from duologue.challenges.conversation.extraction.subtitles.duplicates import DuplicatePairs, similar_files
from duologue.challenges.conversation.extraction.subtitles.pairs import SentencePairs
from duologue.challenges.conversation.extraction.subtitles.utterances import Extraction, Worker
from duologue.corpus.members import MemberData
from duologue.corpus.tables import PackedTexts

if TYPE_CHECKING:
    from pathlib import Path


def standing(places: list[int]) -> SentencePairs:
    numbers = np.array(places, np.int64)
    texts = PackedTexts.of(b"", np.zeros(len(places), np.int64))
    return SentencePairs(numbers, numbers, numbers, texts, texts)


def test_what_is_marked_is_left_out() -> None:
    copies = DuplicatePairs(40)
    copies.mark(np.array([3, 8, 9, 39]))
    assert copies.total == 4
    assert copies.others(standing([3, 4, 8, 9, 10, 39])).tolist() == [False, True, False, False, True, False]


def test_a_file_with_mostly_the_sentences_of_an_earlier_one_is_similar(tmp_path: Path) -> None:
    own = [[[word, "number", str(number), "."] for number in range(60)] for word in ("one", "two")]
    versions = [own[0], own[1], [*own[0][5:], ["an", "end", "."]], own[0][:30] + own[1][:30], own[0][:10]]
    paths = []
    for first in (0, 3):  # two shards
        parts = [MemberData(key, str(key), xml_of(versions[key]).encode()) for key in range(first, min(first + 3, 5))]
        paths.append(tmp_path / f"{first}.parquet")
        paths[-1].write_bytes(Worker(Extraction())(parts))
    assert similar_files(paths, 5).tolist() == [False, False, True, False, False]
