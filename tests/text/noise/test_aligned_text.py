from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duologue.text.noise.aligned_text import AlignedText


def test_a_repetition_inside_a_stretch_belongs_to_it() -> None:
    text = AlignedText("看过战争吗")
    text.repeat(2)
    assert str(text) == "看过战战争吗"
    assert text.carry([(2, 4), (0, 2)]) == [(2, 5), (0, 2)]


def test_what_is_put_inside_a_stretch_belongs_to_it_and_what_is_put_before_does_not() -> None:
    text = AlignedText("看过战争吗")
    text.insert(3, "。")
    text.insert(0, "额")
    assert text.carry([(2, 4)]) == [(3, 6)]


def test_a_stretch_moves_with_its_words_and_one_torn_apart_holds_what_came_between() -> None:
    text = AlignedText("这个景点在哪")
    text.swap(0, 2, 4)
    assert str(text) == "景点这个在哪"
    assert text.carry([(2, 4), (0, 2), (3, 5)]) == [(0, 2), (2, 4), (1, 5)]


def test_a_lost_stretch_is_empty_and_stands_where_it_would_be() -> None:
    text = AlignedText("看过战争吗")
    text.delete(2)
    text.delete(2)
    assert text.carry([(2, 4)]) == [(2, 2)]


def test_a_replaced_character_keeps_its_place() -> None:
    text = AlignedText("景点")
    text.replace(0, "竟")
    assert (str(text), text.carry([(0, 1)])) == ("竟点", [(0, 1)])


@given(st.text(min_size=1, max_size=12), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30)), max_size=6))
def test_stretches_stay_inside_the_text_whatever_is_done(text: str, changes: list[tuple[int, int]]) -> None:
    traced = AlignedText(text)
    for what, number in changes:
        if not len(traced):
            break
        at = number % len(traced)
        if what == 0:
            traced.repeat(at)
        elif what == 1:
            traced.insert(at, "。")
        elif what == 2:
            traced.delete(at)
        else:
            traced.swap(0, at, len(traced))
    for start, end in traced.carry([(0, len(text)), (0, 1), (len(text) - 1, len(text))]):
        assert 0 <= start <= end <= len(traced)


def test_many_stretches_are_carried_as_each_alone() -> None:
    text = AlignedText("0123456789" * 5)
    for at in (3, 17, 17, 30):
        text.delete(at)
        text.insert(at // 2, "x")
        text.repeat(at)
    text.swap(2, 9, 21)
    stretches = [(start, start + size) for start in range(45) for size in (0, 1, 2, 5)]
    assert text.carry(stretches) == [text.carry([one])[0] for one in stretches]
    for (start, end), (left, right) in zip(stretches, text.carry(stretches), strict=True):
        origins = [at for at, (_, origin) in enumerate(text._signs) if start <= origin < end]
        assert not origins or (left, right) == (origins[0], origins[-1] + 1)
