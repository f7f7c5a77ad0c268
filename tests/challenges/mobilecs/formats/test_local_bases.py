from __future__ import annotations

from typing import Any

import pytest
from tests.challenges.mobilecs.systems.calls import generated

from duologue.challenges.mobilecs.formats import preprocessor
from duologue.challenges.mobilecs.formats.issues import Issues
from duologue.challenges.mobilecs.formats.local_bases import local_bases
from duologue.challenges.mobilecs.formats.raw import read_examples
from duologue.challenges.mobilecs.schema.ontology import STAFF_INTENT, USER_INTENT
from duologue.core.records import Annotation, Answer, Mention, Span, Value

MORE = [{"[SPEAKER 1]": "好", "[SPEAKER 2]": "嗯"}]
"""A second turn: the official conversion pairs what the customer says with the answer."""


def bare(row: dict[str, Any]) -> dict[str, Any]:
    dropped = (STAFF_INTENT, USER_INTENT, "info")
    content = [{key: value for key, value in turn.items() if key not in dropped} for turn in row["content"]]
    return {"id": row["id"], "content": content}


def test_the_annotation_itself_gives_the_official_bases_of_bare_calls() -> None:
    annotated = [one for one in generated(60) if one.source["content"]]
    answers = {one.sample.id: one.references[0] for one in annotated}
    examples = read_examples([bare(one.source) for one in annotated], Issues())
    assert not any(one.references for one in examples)
    made = local_bases(examples, answers)
    official = {row["id"]: row for row in preprocessor.process([one.source for one in annotated], shared=False)}
    assert len(made.rows) == len(official) == 60
    assert made.discarded == []
    for row in made.rows:
        assert list(row) == ["id", "KB", "content"]
        assert row["KB"] == official[row["id"]]["KB"]
        for turn, known in zip(row["content"], official[row["id"]]["content"], strict=True):
            assert {USER_INTENT, STAFF_INTENT}.isdisjoint(turn)
            assert turn["用户"] == known["用户"]


def test_calls_with_intents_keep_them_and_their_goal_but_not_their_annotation() -> None:
    examples = generated(10)
    made = local_bases(examples, {})
    assert {row["id"] for row in made.rows} == {one.sample.id for one in examples}
    assert all(row["KB"] == {} and "goal" in row for row in made.rows)
    assert all(USER_INTENT in turn for row in made.rows for turn in row["content"])


def test_placeholders_of_personal_data_are_no_services() -> None:
    """An extractor took the name of a caller for a plan, and the base had an entity `name_2`."""
    text = "我叫<NAME_2>，十块钱的包"
    examples = read_examples(
        [{"id": "call", "content": [{"[SPEAKER 1]": "您好", "[SPEAKER 2]": text}, *MORE]}], Issues()
    )

    def span(words: str) -> Span:
        return Span(turn=1, start=text.index(words), end=text.index(words) + len(words))

    def named(entity: str, words: str) -> Mention:
        return Mention(label="套餐", text=words, entity=entity, span=span(words))

    def valued(entity: str | None, words: str) -> Value:
        return Value(slot="业务费用", text=words, entity=entity, span=span(words))

    found = Annotation(
        mentions=(named("ent-1", "NAME_2"), named("ent-2", "包")),
        values=(valued("ent-1", "十块钱"), valued("ent-2", "十块钱"), valued(None, "2")),
    )
    (row,) = local_bases(examples, {"call": Answer(annotation=found)}).rows
    assert row["KB"] == {"ent-2": {"name": "包", "type": "套餐", "业务费用": "十块钱"}}


@pytest.mark.parametrize(
    "content", [[], [{"[SPEAKER 1]": "a", "[SPEAKER 2]": "b"}, {"[SPEAKER 2]": "a", "[SPEAKER 1]": "b"}]]
)
def test_calls_that_cannot_be_paired_are_told(content: list[dict[str, str]]) -> None:
    examples = read_examples([{"id": "odd", "content": content}], Issues())
    assert local_bases(examples, {}) == ([], ["odd"])
