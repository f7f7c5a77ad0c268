from __future__ import annotations

from duologue.core.records import Annotation, Mention, Span, Value
from duologue.text.noise.spans import moved_annotation, stretches_of

BOTH = Annotation(
    mentions=(Mention(label="a", text="x", span=Span(turn=0, start=0, end=1)), Mention(label="b", text="y")),
    values=(Value(slot="s", text="z", span=Span(turn=1, start=2, end=3)),),
)


def test_only_the_spans_of_an_utterance_move() -> None:
    assert stretches_of(None) == []
    assert stretches_of(BOTH) == [(0, 1), (2, 3)]
    assert stretches_of(BOTH, 1) == [(2, 3)]
    moved = moved_annotation(BOTH, "0123456", [(4, 6)], 1)
    assert moved.mentions == BOTH.mentions
    assert (moved.values[0].text, moved.values[0].span) == ("45", Span(turn=1, start=4, end=6))
    assert [one.text for one in moved_annotation(BOTH, "0123456", [(1, 2), (5, 6)]).mentions] == ["1", "y"]
