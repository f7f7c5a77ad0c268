from __future__ import annotations

from duologue.challenges.mobilecs.systems.tagger.document import JOINT, call_document, turn_documents
from duologue.core.records import Span, Turn

TURNS = [Turn(speaker="system", text="你好"), Turn(speaker="user", text=""), Turn(speaker="system", text="彩铃五元")]


def test_a_call_is_one_text_and_its_spans_are_those_of_utterances() -> None:
    document = call_document(TURNS)
    assert document.text == f"你好{JOINT}{JOINT}彩铃五元{JOINT}"
    span = Span(turn=2, start=2, end=4)
    assert document.stretch(span) == (6, 8)
    assert document.text[6:8] == "五元"
    assert document.span(6, 8) == span


def test_what_crosses_an_utterance_or_lies_elsewhere_is_no_span() -> None:
    document = call_document(TURNS)
    assert [document.span(*place) for place in ((1, 5), (0, 3), (2, 3), (4, 4))] == [None] * 4
    spans = (Span(turn=3, start=0, end=1), Span(turn=1, start=0, end=1), Span(turn=0, start=1, end=1))
    assert [document.stretch(one) for one in spans] == [None] * 3
    assert document.stretch(Span(turn=0, start=1, end=9)) == (1, 2)  # as far as the utterance goes


def test_turns_are_two_utterances_with_nothing_between() -> None:
    first, second = turn_documents(TURNS)
    assert (first.text, second.text) == ("你好", "彩铃五元")
    assert second.span(0, 2) == Span(turn=2, start=0, end=2)
    assert second.stretch(Span(turn=0, start=0, end=2)) is None
    assert call_document([]).text == ""
    assert turn_documents([]) == []
