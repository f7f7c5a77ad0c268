from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.proactive.formats import model_text
from duologue.challenges.proactive.systems.postks import vocabulary

if TYPE_CHECKING:
    from pathlib import Path


def test_the_vocabulary_of_the_visible_sessions_is_equal(real_data: Path, tmp_path: Path) -> None:
    data = real_data / "proactive"
    model_text.convert("session", "model-text", data / "duconv_dev_visible.jsonl.gz", tmp_path / "text")
    with (tmp_path / "text").open(encoding="utf-8", newline="\n") as lines:
        words = vocabulary.vocabulary(lines)
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
