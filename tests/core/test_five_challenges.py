"""The records carry all five challenges: small files in the official formats go in and come out as the same bytes.

The files are written for this project; their odd cases are those of the real data.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from duologue.challenges.restaurant.formats import files as restaurant
from duologue.challenges.restaurant.knowledge.facts import kb_lines, read_facts
from duologue.challenges.spoken.formats import files as spoken_files
from duologue.core.records import (
    Act,
    Annotation,
    Answer,
    Candidate,
    Example,
    Fact,
    Goal,
    Item,
    Mention,
    Record,
    Submission,
    Value,
)
from tests.core.codecs import conversation, mobilecs, proactive, spoken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Dialogue

R = TypeVar("R", bound=Record)
GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def golden(name: str) -> bytes:
    return (GOLDEN / name).read_bytes()


def carried(records: Sequence[R]) -> list[R]:
    """Send records through JSON and back, as journals and pipes do, and demand that nothing is lost."""
    wire = [msgspec.json.encode(record) for record in records]
    again = [msgspec.json.decode(line, type=type(record)) for line, record in zip(wire, records, strict=True)]
    assert again == list(records)
    assert [msgspec.json.encode(record) for record in again] == wire
    return again


def submission(data: bytes, layout: str) -> Submission:
    return carried([Submission(rows=json.loads(data), layout=layout)])[0]


# MobileCS -------------------------------------------------------------------------------------------------


def mobilecs_dialogue() -> Dialogue:
    dialogues = mobilecs.read_dialogues(golden("mobilecs/small-dialogues.json"))
    assert [len(dialogue.turns) for dialogue in dialogues] == [8, 0]
    return dialogues[0]


def test_mobilecs_dialogues_come_back_as_the_same_bytes() -> None:
    data = golden("mobilecs/small-dialogues.json")
    assert mobilecs.write_dialogues(carried(mobilecs.read_dialogues(data))) == data


def test_a_mobilecs_turn_with_swapped_keys_keeps_who_spoke_first() -> None:
    speakers = [turn.speaker for turn in mobilecs_dialogue().turns]
    assert speakers == ["system", "user", "system", "user", "user", "system", "system", "user"]
    first, second = mobilecs_dialogue().turns[4:6]
    assert (first.meta["voice"], second.meta["voice"]) == ("[SPEAKER 2]", "[SPEAKER 1]")
    assert first.text.startswith("好 那就办")


def test_mobilecs_intents_are_acts_with_arguments_whatever_the_brackets() -> None:
    turns = mobilecs_dialogue().turns
    acts = [turn.annotation.acts for turn in turns if turn.annotation is not None]
    assert acts[1] == (Act(speaker="user", name="求助-查询", args=("ent-1-业务费用",)),)
    assert [(act.name, act.args) for act in acts[3]] == [("求助-查询", ("账户余额",)), ("询问", ())]
    assert acts[4][0].args == ("ent-1-业务规则", "ent-1-业务时长")


def test_mobilecs_mentions_and_values_are_cut_by_their_spans() -> None:
    dialogue = mobilecs_dialogue()
    annotations = [turn.annotation for turn in dialogue.turns if turn.annotation is not None]
    found: list[Mention | Value] = []
    for annotation in annotations:
        found += (*annotation.mentions, *annotation.values)
    assert len(found) == 7
    assert [one.span.cut(dialogue) for one in found if one.span is not None] == [one.text for one in found]
    assert {one.entity for one in found} == {"ent-1", None}


def test_one_mobilecs_entity_record_with_two_positions_is_two_mentions() -> None:
    turn = mobilecs_dialogue().turns[2]
    assert turn.annotation is not None
    spans = [mention.span for mention in turn.annotation.mentions]
    assert [(span.turn, span.start, span.end) for span in spans if span is not None] == [(2, 0, 4), (2, 11, 15)]


def test_a_mobilecs_change_of_a_record_reaches_the_file() -> None:
    dialogue = mobilecs_dialogue()
    turn = msgspec.structs.replace(dialogue.turns[7], text="再见了", annotation=Annotation(acts=()))
    changed = msgspec.structs.replace(dialogue, turns=(*dialogue.turns[:7], turn))
    written = json.loads(mobilecs.write_dialogues([changed]))[0]["content"][3]
    assert (written["[SPEAKER 2]"], written["用户意图"]) == ("再见了", "")


def test_a_mobilecs_extraction_is_an_answer_with_mentions_and_values() -> None:
    data = golden("mobilecs/small-extraction.answers.json")
    dialogue = mobilecs_dialogue()
    annotations = [turn.annotation for turn in dialogue.turns if turn.annotation is not None]
    mentions = [one for annotation in annotations for one in annotation.mentions]
    values = [one for annotation in annotations for one in annotation.values]
    answer = Answer(annotation=Annotation(mentions=tuple(mentions[:2]), values=(values[0], values[2])))
    assert mobilecs.write_extraction([(dialogue.id, carried([answer])[0])]) == data
    assert mobilecs.dumps(submission(data, "mobilecs-extraction").rows) == data


def test_mobilecs_user_turns_with_knowledge_and_goal_come_back_as_the_same_bytes() -> None:
    data = golden("mobilecs/small-dialogue.json")
    examples = carried(mobilecs.read_samples(data))
    assert mobilecs.write_samples(examples) == data
    assert [example.sample.id for example in examples] == ["00aa#0", "00aa#1", "00aa#2"]
    assert Fact(subject="ent-1", relation="name", object=("青松套餐", "那个套餐")) in examples[0].sample.knowledge
    assert Fact(subject="user", relation="账户余额", object="四十二块") in examples[0].sample.knowledge


def test_a_mobilecs_goal_is_beside_the_sample_and_never_in_it() -> None:
    example = mobilecs.read_samples(golden("mobilecs/small-dialogue.json"))[0]
    assert example.sample.goal is None
    assert example.user_goal == Goal(
        items=(
            Item(
                name="ent-1",
                kind="主套餐",
                known={"name": "青松套餐", "业务费用": "三十八"},
                asked=("业务费用", "流量总量"),
                intents=("求助-查询", "主动确认"),
            ),
            Item(name="ent-2", known={"name": "夜间包"}, asked=("业务费用",), intents=("询问",)),
            Item(asked=("账户余额",), intents=("求助-查询",)),
        ),
        consultations=("求助-查询-流量包",),
    )


def test_mobilecs_replies_are_answers_with_acts_of_both_sides() -> None:
    examples = mobilecs.read_samples(golden("mobilecs/small-dialogue.json"))
    data = golden("mobilecs/small-dialogue.answers.json")
    answers = carried(mobilecs.read_replies(data))
    assert mobilecs.write_replies(examples, answers) == data
    assert answers[2].text == ""
    assert answers[1].annotation is not None
    assert [act.speaker for act in answers[1].annotation.acts] == ["user", "user", "system", "system"]


# DuConv ---------------------------------------------------------------------------------------------------


def test_duconv_sessions_come_back_as_the_same_bytes() -> None:
    data = golden("proactive/small-sessions.txt")
    assert proactive.write_sessions(carried(proactive.read_sessions(data))) == data


def test_a_duconv_goal_of_three_rows_has_two_topics_and_two_relations() -> None:
    three, two = proactive.read_sessions(golden("proactive/small-sessions.txt"))
    assert three.goal == Goal(
        topics=("云 海 之 旅", "山 路"),
        relations=(
            Fact(subject="云 海 之 旅", relation="类型", object="剧情"),
            Fact(subject="山 路", relation="类型", object="剧情"),
        ),
    )
    assert two.goal is not None
    assert len(two.goal.relations) == 1
    assert [turn.speaker for turn in three.turns] == ["system", "user", "system", "user", "system"]


def test_a_duconv_sample_shows_the_goal_and_may_have_no_history_or_no_reply() -> None:
    data = golden("proactive/small-samples.txt")
    examples = carried(proactive.read_samples(data))
    assert proactive.write_samples(examples) == data
    assert [len(example.sample.history) for example in examples] == [0, 2, 2]
    assert [len(example.references) for example in examples] == [1, 1, 0]
    assert all(example.sample.goal for example in examples)
    assert all(len(example.sample.knowledge) == 5 for example in examples)


def test_duconv_predictions_keep_their_double_blanks() -> None:
    data = golden("proactive/small-predictions.txt")
    answers = carried(proactive.read_predictions(data))
    assert proactive.write_predictions(answers) == data
    assert answers[1].text == "《 云 海 之 旅 》  不错 。"


# spoken ---------------------------------------------------------------------------------------------------


def test_spoken_dialogues_come_back_as_the_same_bytes_whatever_their_key_order() -> None:
    data = golden("spoken/small-valid.json")
    assert spoken.write_dialogues(carried(spoken.read_dialogues(data))) == data


def test_a_spoken_attribute_keeps_its_integer_its_text_and_its_list() -> None:
    turns = spoken.read_dialogues(golden("spoken/small-valid.json"))[0].turns
    objects = [fact.object for turn in turns if turn.annotation is not None for fact in turn.annotation.facts]
    assert objects == [4200, "50", ("老赵", "赵 门神")]
    assert type(objects[0]) is int


def test_a_spoken_turn_without_knowledge_has_no_annotation() -> None:
    turns = spoken.read_dialogues(golden("spoken/small-valid.json"))[0].turns
    assert [turn.annotation is None for turn in turns] == [True, False, False, True]


def test_a_spoken_test_sample_names_its_world_and_has_no_reference() -> None:
    data = golden("spoken/small-test.json")
    examples = carried(spoken.read_test(data))
    assert spoken.write_test(examples) == data
    assert [(example.sample.world, example.references) for example in examples] == [("kg", ())] * 2
    assert [turn.speaker for turn in examples[1].sample.history] == ["user", "system", "user"]


def test_the_spoken_knowledge_graph_is_facts_with_several_values_of_one_attribute() -> None:
    data = golden("spoken/small-kg.json")
    facts = carried(spoken.read_graph(data))
    assert spoken.write_graph(facts) == data
    assert [fact.object for fact in facts if fact.relation == "周边景点"] == ["白沙湾", "灯塔"]


def test_a_spoken_result_keeps_its_order_and_tells_no_facts_from_none_needed() -> None:
    data = golden("spoken/small-result.json")
    names, answers = zip(*spoken.read_results(data), strict=True)
    assert spoken.write_results(list(zip(names, carried(answers), strict=True))) == data
    assert (names, answers[1]) == (("2", "1"), Answer(text=""))
    assert spoken.dumps(submission(data, "spoken").rows) == data


# conversation ---------------------------------------------------------------------------------------------


def test_conversation_dialogues_come_back_as_the_same_bytes() -> None:
    data = golden("conversation/small-dialogues.txt")
    dialogues = carried(conversation.read_dialogues(data))
    assert conversation.write_dialogues(dialogues) == data
    assert dialogues[1].turns[2].text == "S: is not an answer"
    assert dialogues[1].turns[3].text.endswith(" ")


def test_a_conversation_evaluation_file_may_hide_its_references() -> None:
    data = golden("conversation/small-evaluation.txt")
    examples = carried(conversation.read_samples(data))
    assert conversation.write_samples(examples) == data
    assert [len(example.references) for example in examples] == [1, 0]


def test_conversation_output_tells_an_empty_hypothesis_from_none() -> None:
    data = golden("conversation/small-output.txt")
    pairs = conversation.read_output(data)
    examples, answers = carried([one for one, _ in pairs]), carried([answer for _, answer in pairs])
    assert conversation.write_output(list(zip(examples, answers, strict=True))) == data
    assert [answer.text for answer in answers] == ["could you send us your order number ?", "", None]
    assert [len(example.sample.history) for example in examples] == [1, 3, 1]


# restaurant -----------------------------------------------------------------------------------------------


def test_restaurant_samples_come_back_as_the_same_bytes(tmp_path: Path) -> None:
    examples = carried(list(restaurant.load(GOLDEN / "restaurant" / "small-data.json")))
    restaurant.write_data(examples, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == golden("restaurant/small-data.json")


def test_a_restaurant_sample_has_turns_of_three_speakers_and_candidates_that_may_say_the_same() -> None:
    first, second = restaurant.load(GOLDEN / "restaurant" / "small-data.json")
    assert [turn.speaker for turn in first.sample.history] == ["api", "api", "user", "system", "user"]
    assert first.sample.candidates[0] == Candidate(id="c-1", text="i'm on it")
    assert first.sample.candidates[2] == Candidate(id="c-3", text="i'm on it")
    assert first.references == (Answer(text="i'm on it", ranking=("c-1",)),)
    assert (second.sample.id, second.references) == ("d-2", ())


def test_a_restaurant_sample_made_of_fields_alone_is_written_with_the_same_content(tmp_path: Path) -> None:
    examples = list(restaurant.load(GOLDEN / "restaurant" / "small-data.json"))
    bare = [msgspec.structs.replace(example, source=None) for example in examples]
    restaurant.write_data(bare, tmp_path / "bare.json")
    assert json.loads((tmp_path / "bare.json").read_bytes()) == json.loads(golden("restaurant/small-data.json"))


def test_a_restaurant_result_keeps_ties_duplicate_ids_and_odd_ranks() -> None:
    path = GOLDEN / "restaurant" / "small-odd.answers.json"
    found = carried([restaurant.read_result(path)])[0]
    assert json.dumps(found.rows).encode() == path.read_bytes()
    assert [row["dialog_id"] for row in found.rows] == ["d-1", "d-2", "d-1"]
    ranks = [one["rank"] for row in found.rows for one in row["lst_candidate_id"]]
    assert ranks == [1, 1, "3", -9, 0, 11, 1, 2.0]
    assert [type(rank) for rank in ranks].count(float) == 1
    assert list(found.rows[1]) == ["lst_candidate_id", "dialog_id"]


def test_a_restaurant_knowledge_base_is_facts() -> None:
    facts = read_facts(GOLDEN / "restaurant" / "small-kb.txt")
    assert [(fact.relation, fact.object) for fact in carried(facts)] == [("rating", "7"), ("cuisine", "french")]
    assert "".join(kb_lines(facts)).encode() == golden("restaurant/small-kb.txt")


def test_every_field_of_every_record_is_filled_by_some_challenge() -> None:
    samples: list[Example] = [
        *mobilecs.read_samples(golden("mobilecs/small-dialogue.json")),
        *proactive.read_samples(golden("proactive/small-samples.txt")),
        *spoken.read_test(golden("spoken/small-test.json")),
        *spoken_files.load(GOLDEN / "spoken" / "small-valid.json"),
        *restaurant.load(GOLDEN / "restaurant" / "small-data.json"),
    ]
    for kind, records in (("Example", samples), ("Sample", [example.sample for example in samples])):
        for field in records[0].__struct_fields__:
            assert any(getattr(record, field) for record in records), f"no challenge fills {kind}.{field}"
