from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.collecting.threads import rebuild


@st.composite
def growing_threads(draw: st.DrawFn) -> tuple[dict[int, int | None], list[int], list[int]]:
    """Posts that answer older ones, those by the account among them, and where runs end."""
    size = draw(st.integers(1, 25))
    parents: dict[int, int | None] = {}
    for number in range(1, size + 1):
        parents[number] = draw(st.none() | st.integers(max(1, number - 6), number - 1)) if number > 1 else None
    own = draw(st.lists(st.integers(1, size), unique=True))
    replies = sorted(number for number in own if parents[number] is not None)
    return parents, replies, sorted(draw(st.lists(st.integers(0, size), max_size=4)))


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


@given(growing_threads())
def test_many_runs_make_the_dialogues_of_one(case: tuple[dict[int, int | None], list[int], list[int]]) -> None:
    parents, replies, ends = case
    whole = rebuild({}, replies[::-1], parents).added
    stored: dict[int, tuple[int, ...]] = {}
    for start, end in zip([0, *ends], [*ends, max(parents)], strict=True):
        fresh = [number for number in replies[::-1] if start < number <= end]
        known = {number: parent for number, parent in parents.items() if number <= end}
        change = rebuild(stored, fresh, known)
        stored = {key: ids for key, ids in stored.items() if key not in change.removed} | change.added
    assert stored == whole


@given(growing_threads())
def test_doing_it_again_changes_nothing(case: tuple[dict[int, int | None], list[int], list[int]]) -> None:
    parents, replies, _ = case
    stored = rebuild({}, replies[::-1], parents).added
    part = replies[: len(replies) // 2]
    assert rebuild(stored, part[::-1], parents) == ([], {})
