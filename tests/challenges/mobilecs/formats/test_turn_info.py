from __future__ import annotations

from tests.growth import LINEAR, growth

from duologue.challenges.mobilecs.formats.turn_info import TurnInfos, info_of
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
    infos = TurnInfos(Annotation(mentions=(mention(2, 0), mention(3, 4), mention(0, 0)), values=(fee, own)))
    assert infos.of(2) == found
    assert infos.of(0)["ents"] == [{"name": "套餐", "id": "ent-1", "type": "套餐", "pos": [[1, 0, 2]]}]
    assert infos.of(4) == {"ents": [], "triples": []}


def test_a_call_of_many_turns_takes_no_longer_for_each_of_them() -> None:
    """Each turn looked through what was found in the whole call."""

    def made(size: int) -> Annotation:
        spans = [Span(turn=turn, start=0, end=2) for turn in range(size)]
        return Annotation(mentions=tuple(Mention(label="套餐", text="套餐", entity="e", span=span) for span in spans))

    def work(found: Annotation) -> None:
        infos = TurnInfos(found)
        assert all(len(infos.of(turn)["ents"]) == 1 for turn in range(0, len(found.mentions), 2))

    assert growth(made, work, 2_000) < LINEAR
