from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.conversation.extraction.evaluation_samples import candidates, sample
from duologue.core.errors import StorageError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "U: a\nS: b\nU: c \nS: d\n\n\nS: e\nS: f\n\nS: g\n\nU: h\n\tS: i"


def test_every_beginning_that_ends_with_the_system_is_a_candidate() -> None:
    assert ["|".join(lines) for lines in candidates(TEXT.split("\n"))] == [
        "U: a|S: b", "U: a|S: b|U: c|S: d", "S: e|S: f", "U: h|S: i",
    ]  # fmt: skip


def test_samples_are_the_first_of_the_shuffled_candidates(tmp_path: Path) -> None:
    source, out = tmp_path / "dev.txt", tmp_path / "eval.txt"
    source.write_text("".join(f"U: {n}\nS: {n}\n\n" for n in range(10)))
    sample(source, 4, out)
    assert out.read_text() == "".join(f"U: {n}\nS: {n}\n\n" for n in (0, 3, 2, 5))


def test_more_samples_than_candidates_are_refused(tmp_path: Path) -> None:
    (tmp_path / "dev.txt").write_text(TEXT)
    with pytest.raises(UsageError, match=r"has 4 dialogues .* but 5 samples were asked for"):
        sample(tmp_path / "dev.txt", 5, tmp_path / "eval.txt")
    assert not (tmp_path / "eval.txt").exists()
    with pytest.raises(StorageError, match="no such file"):
        sample(tmp_path / "no.txt", 5, tmp_path / "eval.txt")


def test_another_seed_gives_another_order(tmp_path: Path) -> None:
    source = tmp_path / "dev.txt"
    source.write_text("".join(f"U: {n}\nS: {n}\n\n" for n in range(50)))
    for seed in (99, 1):
        sample(source, 50, tmp_path / f"{seed}.txt", seed=seed)
    found = [(tmp_path / f"{seed}.txt").read_text() for seed in (99, 1)]
    assert found[0] != found[1]
    assert sorted(found[0].split("\n")) == sorted(found[1].split("\n"))
    assert random.Random(99).random() != random.Random(1).random()


def test_the_golden_sample_is_drawn(golden: Path, tmp_path: Path) -> None:
    golden = golden / "opensubs_end_to_end"
    sample(golden / "expected_dev.txt", 10, tmp_path / "eval.txt")
    assert (tmp_path / "eval.txt").read_bytes() == (golden / "expected_eval.txt").read_bytes()
