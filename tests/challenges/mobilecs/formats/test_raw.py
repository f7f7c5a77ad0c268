from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.mobilecs.formats import raw
from duologue.challenges.mobilecs.formats.issues import Issues

if TYPE_CHECKING:
    from pathlib import Path


def turn(**changes: Any) -> dict[str, Any]:
    made = {
        "[SPEAKER 1]": "您好_套餐十元",
        "[SPEAKER 2]": "好",
        "客服意图": "问候",
        "用户意图": "客套",
        "info": {
            "ents": [{"name": "套餐", "id": "ent-1", "type": "套餐", "pos": [[1, 3, 5]]}],
            "triples": [{"ent-id": "ent-1", "ent-name": "套餐", "prop": "业务费用", "value": "十元", "pos": [1, 5, 7]}],
        },
    }
    return {key: value for key, value in {**made, **changes}.items() if value is not ...}


def entity(**changes: Any) -> dict[str, Any]:
    made = {"name": "套餐", "id": "ent-1", "type": "套餐", "pos": [[1, 3, 5]], **changes}
    return turn(info={"ents": [{key: value for key, value in made.items() if value is not ...}], "triples": []})


def triple(**changes: Any) -> dict[str, Any]:
    made = {"ent-id": "ent-1", "ent-name": "套餐", "prop": "业务费用", "value": "十元", "pos": [1, 5, 7], **changes}
    return turn(info={"ents": [], "triples": [{key: value for key, value in made.items() if value is not ...}]})


SWAPPED = {key: turn()[key] for key in ("[SPEAKER 1]", "[SPEAKER 2]", "用户意图", "客服意图", "info")}

BROKEN: dict[str, Any] = {
    "not-a-list": {"id": "d", "content": []},
    "item-not-object": [None],
    "dialog-id-missing": [{"content": []}],
    "dialog-id-type": [{"id": 3, "content": []}],
    "dialog-id-repeated": [{"id": "d", "content": []}] * 2,
    "content-type": [{"id": "d"}],
    "repaired-file": [{"id": "d", "content": [{"用户": "喂", "客服": "您好"}] * 3}],
    "turn-type": [[3]],
    "turn-speakers": [[turn(**{"[SPEAKER 2]": ...})]],
    "intent-type": [[turn(客服意图=["问候"])]],
    "intent-missing": [[turn(客服意图=...)]],
    "speakers-swapped": [[turn(), turn(), SWAPPED]],
    "info-type": [[turn(info={"ents": {}, "triples": []})]],
    "info-missing": [[turn(info={"triples": []})]],
    "entity-type": [[entity(type=7)]],
    "triple-type": [[triple(prop=7)]],
    "part-missing": [[entity(type=...)]],
    "owner-user": [[triple(**{"ent-id": "na"})]],
    "keys-exchanged": [[entity(**{"name": ..., "ent-name": "套餐"})]],
    "position-type": [[entity(pos=[[3, 3, 5]])]],
    "position-flat": [[entity(pos=[1, 3, 5])]],
    "position-empty": [[entity(pos=[[], [1, 3, 5]])]],
    "position-text": [[entity(pos=[[1, 2, 4]])]],
}


def read(rows: Any, *, whole: bool = False) -> tuple[list[Any], list[tuple[str, str]]]:
    issues = Issues()
    issues.whole = whole
    return raw.read_dialogues(rows, issues), [(problem.rule, problem.severity) for problem in issues.problems]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_is_broken_by_its_own_file_alone(rule: str, *, whole: bool) -> None:
    severity = "warning" if "(a warning" in raw.RULES[rule] else "error"
    assert read(BROKEN[rule], whole=whole)[1] == [(rule, severity)]


def test_every_rule_has_its_broken_file() -> None:
    assert set(raw.RULES) == set(BROKEN) | {"too-many-problems"}
    assert read([3] * 1001)[1][-1] == ("too-many-problems", "error")


def test_odd_forms_are_mended_and_the_source_stays(golden: Path) -> None:
    odd = [
        entity(pos=[1, 3, 5]),
        entity(**{"name": ..., "id": ..., "ent-name": "套餐", "ent-id": "ent-1"}),
        triple(**{"ent-id": ..., "ent-name": ..., "id": "ent-1", "name": "套餐"}),
        turn(info={}),
        turn(info=..., 客服意图=..., 用户意图=...),
    ]
    (dialogue,), _ = read([{"id": "d", "content": odd}])
    annotations = [one.annotation for one in dialogue.turns]
    assert [[mention.text for mention in one.mentions] for one in annotations[:4:2]] == [["套餐"], ["套餐"]]
    assert annotations[4].values[0].entity == "ent-1"
    assert annotations[8] is None
    assert dialogue.source["content"] == odd


@pytest.mark.parametrize(
    "odd",
    [
        *(entity(**{key: absent}) for key in ("name", "id", "type", "pos") for absent in (..., None)),
        *(triple(**{key: absent}) for key in ("ent-id", "prop", "value") for absent in (..., None, "")),
    ],
)
def test_a_record_that_lacks_a_part_is_left_out_with_a_warning(odd: dict[str, Any]) -> None:
    for whole in (False, True):
        (dialogue,), problems = read([{"id": "d", "content": [odd]}], whole=whole)
        assert problems == [("part-missing", "warning")]
        assert not any(one.annotation.mentions or one.annotation.values for one in dialogue.turns)


def test_a_dialogue_without_an_id_is_called_by_its_place() -> None:
    dialogues, problems = read([{"id": "", "content": []}, {"id": None, "content": []}, {"content": []}])
    assert [one.id for one in dialogues] == ["row-0", "row-1", "row-2"]
    assert problems == [("dialog-id-missing", "warning")] * 3


OTHER_VOICE = {"[SPEAKER 2]": "您好_套餐十元", "[SPEAKER 1]": "好", **{key: turn()[key] for key in list(turn())[2:]}}


@pytest.mark.parametrize(
    ("content", "advice"),
    [
        ([turn(), turn(), SWAPPED], "the official tools discard the dialogue"),
        ([turn(), turn(), OTHER_VOICE], "the official tools take the speakers of the first turn for all"),
    ],
)
def test_what_the_official_tools_do_with_exchanged_speakers_is_said(content: list[Any], advice: str) -> None:
    issues = Issues()
    raw.read_dialogues([content], issues)
    assert [(one.rule, one.advice) for one in issues.problems] == [("speakers-swapped", advice)]


def test_the_order_of_the_intent_keys_says_who_speaks_first() -> None:
    (dialogue,), _ = read([[turn(), SWAPPED]])
    assert [one.speaker for one in dialogue.turns] == ["system", "user", "user", "system"]
    assert dialogue.id == "v1-00"


def test_without_intents_the_second_speaker_is_the_user() -> None:
    bare = {"[SPEAKER 2]": "喂", "[SPEAKER 1]": "您好"}
    (dialogue,), problems = read([[bare]])
    assert ([one.speaker for one in dialogue.turns], problems) == (["user", "system"], [])
    assert all(one.annotation is None for one in dialogue.turns)


def test_a_triple_without_a_position_stands_where_its_value_is_said() -> None:
    (dialogue,), _ = read([[triple(pos=...), triple(pos=..., value="百元")]])
    first, third = (dialogue.turns[number].annotation.values[0].span for number in (0, 2))
    assert (first.start, first.end) == (5, 7)
    assert (third.start, third.end) == (0, 0)


def test_every_mention_of_our_own_dialogues_is_cut_by_its_span(golden: Path) -> None:
    dialogues, problems = read(json.loads((golden / "extraction/contract/raw.json").read_bytes()))
    assert problems == []
    parts = [
        (dialogue, part)
        for dialogue in dialogues
        for one in dialogue.turns
        for part in (*one.annotation.mentions, *one.annotation.values)
    ]
    assert len(parts) == 23
    assert all(part.span.cut(dialogue) == part.text for dialogue, part in parts)


def test_the_examples_of_track_1_hold_what_the_dialogues_hold(raw_rows: list[Any]) -> None:
    for rows in (raw_rows, [row["content"] for row in raw_rows], [[turn(客服意图=..., 用户意图=..., info=...)]]):
        dialogues, examples = raw.read_dialogues(rows, Issues()), raw.read_examples(rows, Issues())
        assert len(dialogues) == len(examples) == len(rows)
        for dialogue, example in zip(dialogues, examples, strict=True):
            assert (example.sample.id, example.source) == (dialogue.id, dialogue.source)
            bare = [(one.speaker, one.text, one.meta) for one in dialogue.turns]
            assert [(one.speaker, one.text, one.meta) for one in example.sample.history] == bare
            known = [one.annotation for one in dialogue.turns if one.annotation is not None]
            assert len(example.references) == bool(known)
            for reference in example.references:
                assert reference.annotation is not None
                assert reference.annotation.mentions == tuple(one for part in known for one in part.mentions)
                assert reference.annotation.values == tuple(one for part in known for one in part.values)
