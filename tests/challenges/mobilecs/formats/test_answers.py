from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.mobilecs.formats.answers import dialogue_answers, extraction_answers
from duologue.challenges.mobilecs.task import DialogueTask, ExtractionTask
from duologue.core.records import Answer, Span

if TYPE_CHECKING:
    from pathlib import Path

ENTITY = {"id": "e1", "name": "套餐", "type": "主套餐", "position": [3, 5], "turn_id": 0}
TRIPLE = {"ent-id": "NA", "ent-name": "NA", "prop": "用户需求", "value": "查", "position": [0, 1], "turn_id": 0}
ODD = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 3), st.sampled_from(["", "d", "\ud800"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["id", "entities", "triples", "content", "position", "utterance_id", "name", "客服-生成"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


def test_what_is_written_is_read_again_for_both_tracks(golden: Path, tmp_path: Path) -> None:
    for task, name in (
        (ExtractionTask(), "extraction/contract/raw.json"),
        (DialogueTask(), "dialogue/contract/dialogues.json"),
    ):
        examples = list(task.load(golden / name))
        said = {one.sample.id: one.references[0] for one in examples}
        task.write(examples, said.items(), tmp_path / "result.json")
        assert task.answers(task.read(tmp_path / "result.json"), examples) == said


def test_several_rows_of_one_dialogue_are_one_answer_of_track_1() -> None:
    rows = [
        {"id": "d", "entities": [ENTITY], "triples": []},
        {"id": "d", "entities": [{**ENTITY, "utterance_id": 1}, {**ENTITY, "name": 3}], "triples": [TRIPLE]},
    ]
    (answer,) = extraction_answers(rows).values()
    assert answer.annotation is not None
    assert [one.span for one in answer.annotation.mentions] == [None, Span(turn=1, start=3, end=5)]
    assert [(one.entity, one.text) for one in answer.annotation.values] == [(None, "查")]


def test_the_second_dialogue_of_an_id_has_a_name_of_its_own_in_track_2() -> None:
    rows = [{"id": "d", "content": [{"客服-生成": text}, {"用户": "好"}]} for text in "一二"]
    assert dialogue_answers(rows) == {"d#0": Answer(text="一"), "d~2#0": Answer(text="二")}


@given(ODD)
def test_nothing_is_refused(rows: Any) -> None:
    for some in (rows, [rows]):
        for read in (extraction_answers, dialogue_answers):
            assert all(isinstance(one, Answer) for one in read(some).values())


def test_a_result_that_does_not_decode_has_no_answers(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps([{"id": "d"}])[:-1])
    for task in (ExtractionTask(), DialogueTask()):
        assert task.answers(task.read(tmp_path / "x.json"), []) == {}
