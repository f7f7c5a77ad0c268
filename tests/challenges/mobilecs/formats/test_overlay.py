from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.mobilecs.formats.overlay import Mark, marked_utterance, marks_of
from duologue.core.dialogue_view import utterance_lines
from duologue.core.marked_text import raised
from duologue.core.records import Annotation, Mention, Span, Value


def at(start: int, end: int) -> Span:
    return Span(turn=0, start=start, end=end)


def overlaid(text: str, marks: list[Mark]) -> str:
    return next(utterance_lines(marked_utterance("user", text, marks), "", ""))


def legend(text: str, marks: list[Mark]) -> list[str]:
    return [*utterance_lines(marked_utterance("user", text, marks), "", "")][1:]


def test_marks_of_one_place_are_one_and_values_lie_within_mentions() -> None:
    text = "我的十八块的套餐"
    annotation = Annotation(
        mentions=(Mention(label="套餐", text="十八块的套餐", entity="ent-1", span=at(2, 8)),),
        values=(
            Value(slot="业务费用", text="十八块", entity="ent-1", span=at(2, 5)),
            Value(slot="持有套餐", text="十八块的套餐", span=at(2, 8)),
        ),
    )
    marks = marks_of(text, annotation)
    assert overlaid(text, marks) == "我的[¹[²十八块²]的套餐¹]"
    assert legend(text, marks) == [
        "¹ 十八块的套餐: ent-1 is 套餐 (plan); user has 持有套餐 (plan held)",
        "² 十八块: ent-1 has 业务费用 (fee)",
    ]


def test_words_that_are_elsewhere_are_found_and_those_that_are_nowhere_are_told() -> None:
    annotation = Annotation(
        mentions=(Mention(label="流量包", text="夜行包", entity="ent-2", span=at(9, 12)),),
        values=(Value(slot="业务费用", text="九块", entity="ent-2", span=at(0, 2)),),
    )
    marks = marks_of("那夜行包呢", annotation)
    assert overlaid("那夜行包呢", marks) == "那[¹夜行包¹]呢"
    assert legend("那夜行包呢", marks)[1] == "² 九块: ent-2 has 业务费用 (fee) (these words are not in the utterance)"


def test_marks_may_cross() -> None:
    assert overlaid("一二三四", [Mark(0, 3, "一二三", ()), Mark(2, 4, "三四", ())]) == "[¹一二[²三¹]四²]"
    assert raised(120) == "¹²⁰"


@given(
    st.text(alphabet="一二三四五", max_size=8), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=9)
)
def test_an_utterance_without_its_marks_is_what_it_was_and_each_mark_opens_and_closes_once(
    text: str, places: list[tuple[int, int]]
) -> None:
    words = [(start, text[start:end], end) for start, end in places if text[start:end]]
    values = tuple(Value(slot="短信", text=said, span=at(start, end)) for start, said, end in words)
    marks = marks_of(text, Annotation(values=values))
    made = overlaid(text, marks)
    assert re.sub(r"\[[⁰¹²³⁴-⁹]+|[⁰¹²³⁴-⁹]+\]", "", made) == text
    for number, mark in enumerate(marks, 1):
        inner = made[made.index(f"[{raised(number)}") : made.index(f"{raised(number)}]")]
        assert re.sub(r"[\[\]⁰¹²³⁴-⁹]+", "", inner) == mark.words


def test_of_marks_that_end_together_the_inner_ones_close_first() -> None:
    marks = [Mark(start, 3, "x", ()) for start in range(3)]
    assert overlaid("abcd", marks) == "[¹a[²b[³c³]²]¹]d"
