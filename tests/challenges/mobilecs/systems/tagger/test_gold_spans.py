from __future__ import annotations

from duologue.challenges.mobilecs.systems.tagger.document import call_document
from duologue.challenges.mobilecs.systems.tagger.gold_spans import annotation_of, mention_spans, value_spans
from duologue.challenges.mobilecs.systems.tagger.label_layer import MENTIONS, SERVICE_VALUES, KindSpan
from duologue.core.records import Annotation, Answer, Example, Mention, Sample, Span, Turn, Value

HERE = Span(turn=1, start=0, end=2)


def test_annotated_parts_are_spans_of_the_text() -> None:
    document = call_document([Turn(speaker="system", text="好"), Turn(speaker="user", text="彩铃")])
    mentions = [Mention(label="业务", text="彩铃", entity="ent-1", span=HERE)]
    assert mention_spans(document, mentions, MENTIONS) == [KindSpan(2, 4, 0)]
    values = [Value(slot="业务费用", text="彩铃", entity="ent-1", span=HERE)]
    assert value_spans(document, values, SERVICE_VALUES) == [KindSpan(2, 4, 0)]


def test_parts_of_other_labels_or_without_a_place_are_left_out() -> None:
    document = call_document([Turn(speaker="system", text="好")])
    mentions = [Mention(label=label, text="x", span=span) for label, span in (("业务", None), ("别的", HERE))]
    assert mention_spans(document, mentions, MENTIONS) == []
    values = [Value(slot="业务费用", text="x", span=HERE), Value(slot="业务费用", text="x")]
    assert value_spans(document, values, SERVICE_VALUES) == []


def test_a_bare_call_has_no_annotation() -> None:
    sample = Sample(id="a", dialogue_id="a", history=())
    assert annotation_of(Example(sample=sample)) is None
    assert annotation_of(Example(sample=sample, references=(Answer(annotation=Annotation()),))) == Annotation()
