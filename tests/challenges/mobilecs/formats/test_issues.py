from __future__ import annotations

from duologue.challenges.mobilecs.formats.issues import Issues, unique_id


def names(*ids: str) -> list[str]:
    taken: dict[str, int] = {}
    return [unique_id(one, taken, Issues()) for one in ids]


def test_repeated_ids_are_numbered_past_those_that_look_so_already() -> None:
    assert names("a", "a~2", "a", "a", "b", "a~2") == ["a", "a~2", "a~3", "a~4", "b", "a~2~2"]


def test_very_many_dialogues_of_one_id_are_numbered_in_one_pass() -> None:
    assert names(*["x"] * 200_000)[-1] == "x~200000"  # looking from ~2 on for each took an hour
