from __future__ import annotations

from duologue.challenges.spoken.systems.training_data import held_out_dialogues, split_by_dialogue


def test_dialogues_are_held_out_whole_and_by_the_seed() -> None:
    rows = [f"{name}{turn}" for name in "abcdefghij" for turn in range(3)]
    kept, held_out = split_by_dialogue(rows, lambda row: row[0], 0.3, 1)
    here, there = ({row[0] for row in part} for part in (kept, held_out))
    assert here.isdisjoint(there)
    assert len(there) == 3
    assert sorted(kept + held_out) == rows
    assert split_by_dialogue(rows, lambda row: row[0], 0.3, 1) == (kept, held_out)
    assert any(split_by_dialogue(rows, lambda row: row[0], 0.3, seed)[1] != held_out for seed in range(2, 5))


def test_one_dialogue_is_held_out_at_least_and_never_all() -> None:
    assert len(held_out_dialogues("abc", 0.01, 1)) == 1
    assert len(held_out_dialogues("abc", 0.99, 1)) == 2
    assert held_out_dialogues("", 0.5, 1) == set()
