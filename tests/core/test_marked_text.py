from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from duologue.core.escapes import printable
from duologue.core.marked_text import MarkedText, Stretch, with_english
from duologue.core.records import Annotation, Dialogue, Mention, Span, Turn, Value
from tests.growth import LINEAR, growth


def test_an_utterance_is_marked_with_what_its_annotation_has_in_its_turn() -> None:
    span = Span(turn=1, start=0, end=3)
    annotation = Annotation(
        mentions=(Mention(label="套餐", text="十八的", entity="ent-1", span=span), Mention(label="套餐", text="它")),
        values=(
            Value(slot="业务费用", text="十八", entity="ent-1", span=Span(turn=1, start=0, end=2)),
            Value(slot="短信", text="十八的", span=Span(turn=0, start=0, end=3)),
        ),
    )
    text = annotation.marked("十八的呢", 1, {"套餐": "plan", "业务费用": "fee"})
    assert isinstance(text, MarkedText)
    assert text.__html__() == (
        '<mark title="ent-1: 套餐 (plan); ent-1: 业务费用 (fee)">十八</mark>'
        '<mark title="ent-1: 套餐 (plan)">的</mark>呢'
    )
    assert annotation.marked("十八的呢", 2) == "十八的呢"
    turns = (Turn(speaker="system", text="好"), Turn(speaker="user", text="十八的<", annotation=annotation))
    shown = Dialogue(id="a", turns=turns)._repr_html_()
    assert (
        '<td><mark title="ent-1: 套餐; ent-1: 业务费用">十八</mark><mark title="ent-1: 套餐">的</mark>&lt;</td>'
        in shown
    )


def test_numbers_that_end_together_are_told_apart_and_a_stretch_has_its_class() -> None:
    marked = MarkedText("八十八的", (Stretch(0, 3, "a", "hit"), Stretch(1, 3, "b", "missed")), numbered=True)
    assert marked.__html__() == (
        '<mark class="hit" title="a">八</mark><mark class="hit missed" title="a; b">十八<sup>1,2</sup></mark>的'
    )


def test_a_label_without_an_english_name_stays_as_it_is() -> None:
    names = {"求助-查询": "query", "查询": "wrong"}
    assert (with_english("求助-查询", names), with_english("短信", names)) == ("求助-查询 (query)", "短信")


@given(st.text(max_size=9), st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), st.text(max_size=3))))
def test_without_its_marks_the_text_is_what_it_was(text: str, places: list[tuple[int, int, str]]) -> None:
    made = MarkedText(text, tuple(Stretch(*place) for place in places)).__html__()
    assert unescape(re.sub(r'<mark title="[^"]*">|</mark>', "", made)) == unescape(
        printable(text).replace("&", "&amp;")
    )


@given(
    st.text("ab", max_size=8),
    st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10), st.sampled_from("xyz")).map(lambda one: Stretch(*one))),
)
def test_a_piece_means_what_all_stretches_mean_that_it_lies_in(text: str, stretches: list[Stretch]) -> None:
    shown = MarkedText(text, tuple(stretches)).__html__()
    told = ["; ".join(one.meaning for one in stretches if one.start <= at < one.end) for at in range(len(text))]
    found = [
        title for title, piece in re.findall(r'(?:<mark title="([^"]*)">)?([ab]+)(?:</mark>)?', shown) for _ in piece
    ]
    assert found == told


def test_a_numbered_stretch_carries_its_number_at_its_end_and_controls_are_spelled_out() -> None:
    stretches = (Stretch(0, 9, "all\x1b"), Stretch(1, 2, "b"), Stretch(0, 0, "nowhere"))
    assert MarkedText("ab\u202e", stretches, numbered=True).__html__() == (
        r'<mark title="all\x1b">a</mark><mark title="all\x1b; b">b<sup>2</sup></mark>'
        r'<mark title="all\x1b">\u202e<sup>1</sup></mark>'
    )


def test_very_many_marks_in_one_text_are_shown_in_the_time_of_one_pass() -> None:
    """Each piece once asked all marks whether it lies in them."""

    def marked(n: int) -> MarkedText:
        return MarkedText("ab" * n, tuple(Stretch(2 * at, 2 * at + 1, "word") for at in range(n)))

    assert growth(marked, MarkedText.__html__, 700) < LINEAR
