from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.formats import preprocessor
from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS, USER_SLOTS
from duologue.challenges.mobilecs.simulator import acts
from duologue.challenges.mobilecs.simulator.annotator import row_of
from duologue.challenges.mobilecs.simulator.call_generator import CallGenerator
from duologue.challenges.mobilecs.simulator.catalogue import make_catalogue
from duologue.challenges.mobilecs.simulator.crowd_noise import NEIGHBOUR_TYPES, blur, respell
from duologue.challenges.mobilecs.simulator.line import IntentLabel, Line
from duologue.challenges.mobilecs.simulator.phrases import Template, phrases
from duologue.challenges.mobilecs.simulator.plan_shares import SLOT_RATES, USER_SHARES
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.challenges.mobilecs.simulator.requests import are_answered
from duologue.challenges.mobilecs.simulator.shards import bare
from duologue.challenges.mobilecs.simulator.slot_values import surface, surfaces
from duologue.challenges.mobilecs.simulator.speech_noise import SpeechNoise, tidy
from duologue.challenges.mobilecs.simulator.utterance import SpanMark, Text
from duologue.core.rng import Rng

CATALOGUE = make_catalogue(1, 0.4)


def test_tables_use_the_labels_of_the_challenge() -> None:
    assert set(SLOT_RATES) == set(ENTITY_TYPES) == set(NEIGHBOUR_TYPES)
    assert {slot for rates in SLOT_RATES.values() for slot in rates} <= set(SERVICE_SLOTS)
    assert set(USER_SHARES) <= set(USER_SLOTS)
    assert acts.quantile(0.5, ((0.0, 2), (1.0, 4))) == 3
    assert acts.quantile(1.5, ((0.0, 2), (1.0, 4))) == 4


def test_phrases_are_filled_and_chosen() -> None:
    template = Template("[我|咱]要{name}[的{n}个|]")
    assert template.places == ("name", "n")
    fills = {"name": Text("副卡", SpanMark(0, "业务", is_mention=True)), "n": Text("两")}
    made = {template.fill(Rng("phrases", number).unit, fills).text for number in range(60)}
    assert made == {"我要副卡的两个", "咱要副卡的两个", "我要副卡", "咱要副卡"}
    assert all(isinstance(one, Template) for one in phrases("user")["story"])


def test_values_of_all_slots_can_be_said() -> None:
    rng = Rng("values")
    for product in CATALOGUE[::40]:
        for slot in SLOT_RATES[product.type]:
            assert surface(slot, product, rng)
            made = surfaces(slot, product, rng)
            assert len(set(made)) == len(made) >= 1


def test_noise_changes_the_text_and_keeps_spans_inside() -> None:
    noise, changed = SpeechNoise(), 0
    for number in range(200):
        rng = Rng("noise", number)
        text = Text("我想问一下那个")
        text.add(Text("十八块钱的套餐", SpanMark(0, "套餐", is_mention=True)))
        text.add(Text("，现在还能不能办啊"))
        before = text.text
        noise.apply(text, noise.style(rng), rng, staff=bool(number % 2))
        tidy([text])
        changed += text.text != before
        for start, end, _ in text.spans:
            assert 0 <= start < end <= len(text.text)
            assert "[UNK]" not in text.text[start:end]
    assert changed > 150


def test_ids_count_up_by_first_appearance_and_lost_entities_have_no_values() -> None:
    second, first = (SpanMark(number, "套餐", is_mention=True) for number in (1, 0))
    lines = [
        Line([IntentLabel("问候")], Text("您好")),
        Line([IntentLabel("询问", 1, "业务费用")], Text("这个", second)),
    ]
    lines += [Line([IntentLabel("通知")], Text("十块", SpanMark(2, "业务费用", is_mention=False)))]
    lines += [Line([IntentLabel("询问", 7, "业务规则")], Text("那个", first))]
    row = row_of("x", lines, user_first=False)
    assert [list(turn) for turn in row["content"]] == [
        ["[SPEAKER 1]", "[SPEAKER 2]", "客服意图", "用户意图", "info"]
    ] * 2
    assert row["content"][0]["用户意图"] == "询问(ent-1-业务费用)"
    assert row["content"][1] == {
        "[SPEAKER 1]": "十块",
        "[SPEAKER 2]": "那个",
        "客服意图": "通知",
        "用户意图": "询问",
        "info": {"ents": [{"name": "那个", "id": "ent-3", "type": "套餐", "pos": [[2, 0, 2]]}], "triples": []},
    }
    assert bare(row)["content"][1] == {"[SPEAKER 1]": "十块", "[SPEAKER 2]": "那个"}
    assert list(row_of("x", lines, user_first=True)["content"][0])[:3] == ["[SPEAKER 2]", "[SPEAKER 1]", "用户意图"]


def test_a_crowd_leaves_out_and_misreads_about_as_often_as_said() -> None:
    mark = SpanMark(0, "流量包", is_mention=True)
    lines = [Line([IntentLabel("通知")], Text("我要那个流量包啊", None)) for _ in range(4000)]
    for line in lines:
        line.text.spans = [(4, 7, mark)]
    blur(lines, Rng("crowd"))
    kept = [span for line in lines for span in line.text.spans]
    assert 0.18 < 1 - len(kept) / 4000 < 0.22
    assert 0.06 < sum(span[2].label != "流量包" for span in kept) / len(kept) < 0.1
    assert 0.03 < sum(span[:2] != (4, 7) for span in kept) / len(kept) < 0.07
    assert all(0 <= start < end <= 8 for start, end, _ in kept)


def test_a_confused_dialogue_is_marked_and_discarded() -> None:
    row = CallGenerator(CallCorpusRecipe(), 1).call("train", 0).row
    respell(row, Rng("confused"), confused=1.0)
    assert preprocessor.bucket_of(row["content"]) == "others"


@pytest.mark.parametrize(("reply", "answered"), [("每个月是十八块钱", True), ("我查一下", False)])
def test_a_request_is_answered_when_a_reply_has_a_value(reply: str, answered: bool) -> None:  # noqa: FBT001
    base = {"ent-1": {"name": "套餐", "type": "套餐", "业务费用": "十八块钱"}}
    content = [{"用户": "多少钱", "客服": reply, "用户意图": "询问(ent-1-业务费用)", "客服意图": "通知"}]
    goal = {"ent-1": {"业务费用": "?", "用户意图": "询问"}}
    assert are_answered({"KB": base, "goal": goal, "content": content}) is answered


def test_requests_that_cannot_be_read_are_not_answered() -> None:
    names = {"name": "流量包", "type": "流量包", "业务费用": "十元"}
    for intent, base in (
        ("询问(ent-12-业务费用)", {"ent-12": names}),
        ("询问(ent-1-业务费用)(ent-2-业务费用)", {"ent-1": names, "ent-2": names}),
    ):
        content = [{"用户": "", "客服": "十元", "用户意图": intent, "客服意图": "通知"}]
        assert not are_answered({"KB": base, "goal": {}, "content": content})
