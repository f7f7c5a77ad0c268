from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.growth import LINEAR, growth

from duologue.store.threads import rebuild

CASES = st.tuples(
    st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=25), st.sets(st.integers(0, 25))
)
"""Per post how far before it stands what it answers (0: nothing) and whether the account wrote it; where runs end."""


def world_of(rows: list[tuple[int, bool]]) -> tuple[dict[int, int | None], list[int]]:
    """Return what posts answer, and the account's replies, oldest first."""
    parents = {number: number - back if 0 < back < number else None for number, (back, _) in enumerate(rows, start=1)}
    return parents, [number for number, (_, own) in enumerate(rows, start=1) if own and parents[number] is not None]


def test_a_dialogue_that_went_on_stands_under_its_new_end_only() -> None:
    change = rebuild({11: (10, 11)}, [13], {13: 12, 12: 11, 11: 10, 10: None})
    assert change == ([11], {13: (10, 11, 12, 13)})


def test_two_replies_to_one_post_make_two_dialogues() -> None:
    assert rebuild({}, [22, 21], {22: 20, 21: 20, 20: 19}).added == {22: (20, 22), 21: (20, 21)}


def test_a_reply_to_what_is_gone_makes_no_dialogue_until_it_goes_on() -> None:
    assert rebuild({}, [31], {31: 30}).added == {}
    assert rebuild({}, [32, 31], {32: 31, 31: 30}).added == {32: (31, 32)}


def test_posts_that_answer_one_another_in_a_circle_end_somewhere() -> None:
    assert rebuild({}, [2], {1: 2, 2: 1}).added == {2: (1, 2)}


@given(CASES)
def test_many_runs_make_the_dialogues_of_one(case: tuple[list[tuple[int, bool]], set[int]]) -> None:
    parents, replies = world_of(case[0])
    whole = rebuild({}, replies[::-1], parents).added
    stored: dict[int, tuple[int, ...]] = {}
    ends = sorted(case[1])
    for start, end in pairwise([0, *ends, 25]):
        fresh = [number for number in replies[::-1] if start < number <= end]
        known = {number: parent for number, parent in parents.items() if number <= end}
        change = rebuild(stored, fresh, known)
        stored = {key: ids for key, ids in stored.items() if key not in change.removed} | change.added
    assert stored == whole


@given(CASES)
def test_doing_it_again_changes_nothing(case: tuple[list[tuple[int, bool]], set[int]]) -> None:
    parents, replies = world_of(case[0])
    stored = rebuild({}, replies[::-1], parents).added
    part = replies[: len(replies) // 2]
    assert rebuild(stored, part[::-1], parents) == ([], {})


def test_very_many_dialogues_that_go_on_are_rebuilt_in_the_time_of_one_pass() -> None:
    """Each once was looked for among all that had been taken away."""

    def given_on(n: int) -> tuple[dict[int, tuple[int]], list[int], dict[int, int | None]]:
        stored = {2 * number: (2 * number,) for number in range(n)}
        return stored, [one + 1 for one in stored], dict.fromkeys(stored) | {one + 1: one for one in stored}

    assert rebuild(*given_on(2)).removed == [0, 2]
    assert growth(given_on, lambda given: rebuild(*given), 3_000) < LINEAR
