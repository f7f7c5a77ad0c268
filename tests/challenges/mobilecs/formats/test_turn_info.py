from __future__ import annotations

from duologue.challenges.mobilecs.formats.turn_info import info_of
from duologue.core.records import Annotation, Mention, Span, Value


def test_the_same_words_are_one_record_and_parts_of_other_turns_are_left_out() -> None:
    def mention(turn: int, start: int) -> Mention:
        return Mention(label="套餐", text="套餐", entity="ent-1", span=Span(turn=turn, start=start, end=start + 2))

    fee = Value(slot="业务费用", text="十元", entity="ent-1", span=Span(turn=3, start=0, end=2))
    own = Value(slot="短信", text="通知", span=Span(turn=2, start=5, end=7))
    found = info_of(Annotation(mentions=(mention(2, 0), mention(3, 4), mention(0, 0)), values=(fee, own)), 2)
    assert found["ents"] == [{"name": "套餐", "id": "ent-1", "type": "套餐", "pos": [[1, 0, 2], [2, 4, 6]]}]
    assert found["triples"] == [
        {"ent-id": "ent-1", "ent-name": "套餐", "prop": "业务费用", "value": "十元", "pos": [2, 0, 2]},
        {"ent-id": "NA", "ent-name": "NA", "prop": "短信", "value": "通知", "pos": [1, 5, 7]},
    ]
