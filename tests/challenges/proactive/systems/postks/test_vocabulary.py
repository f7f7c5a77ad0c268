from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.proactive.formats import conversions
from duologue.challenges.proactive.systems.postks import vocabulary

if TYPE_CHECKING:
    from pathlib import Path


def words_of(sessions: Path, out: Path) -> list[str]:
    """Return the vocabulary of sessions, by way of their model text."""
    conversions.convert("session", "model-text", sessions, out, {})
    with out.open(encoding="utf-8", newline="\n") as lines:
        return vocabulary.vocabulary(lines)


def test_the_vocabulary_of_our_own_sessions_is_the_official_one(golden: Path, tmp_path: Path) -> None:
    words = words_of(golden / "corpus" / "train.dialogues.jsonl", tmp_path / "text")
    assert "".join(f"{word}\n" for word in words) == (golden / "postks" / "vocab.txt").read_text(encoding="utf-8")
    assert len(words) == 184


@pytest.mark.real_data(twin="test_the_vocabulary_of_our_own_sessions_is_the_official_one")
def test_the_vocabulary_of_the_visible_sessions_is_equal(real_data: Path, tmp_path: Path) -> None:
    data = real_data / "proactive"
    words = words_of(data / "duconv_dev_visible.jsonl.gz", tmp_path / "text")
    expected = (data / "golden" / "conversion" / "vocab.visible.txt").read_text(encoding="utf-8")
    assert "".join(f"{word}\n" for word in words) == expected


def test_words_come_by_frequency_then_by_code_point_and_special_ones_first() -> None:
    words = vocabulary.vocabulary(["b a <unk>\ta 12\tc c\x01c"])
    assert words == ["<pad>", "<unk>", "<bos>", "<eos>", "c", "a", "<num>", "b"]


def test_an_example_of_more_than_500_tokens_is_dropped() -> None:
    assert vocabulary.fields_of("a " * 499 + "a\tb\tc") is not None
    assert vocabulary.fields_of("a " * 500 + "a\tb\tc") is None
    assert vocabulary.fields_of("a\t" + "b " * 500 + "b\tc") is None
    fields = vocabulary.fields_of("a\tb\t" + "c " * 600)
    assert fields is not None
    assert len(fields[2][0]) == 500
