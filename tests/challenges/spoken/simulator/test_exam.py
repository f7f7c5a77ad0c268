from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.challenges.spoken.worlds import ROWS, WORLD

from duologue.challenges.spoken.simulator import drawer, exam
from duologue.challenges.spoken.simulator.exam import (
    KINDS,
    PARTS,
    make_exam,
    marks,
    perfect,
    read_key,
    wordings,
    write_key,
)
from duologue.core.errors import FormatError
from duologue.core.records import Annotation, Answer, Fact
from duologue.knowledge.graph import Graph
from duologue.knowledge.normalization import fold
from duologue.knowledge.query import run

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.knowledge.query import Query, QueryResult

SUBJECTS = st.sampled_from(sorted({row[0] for row in ROWS}))
RELATIONS = st.sampled_from(sorted({row[1] for row in ROWS}))
OBJECTS = st.sampled_from(sorted({row[2] for row in ROWS}))


def test_an_exam_has_all_kinds_and_the_executor_passes_it() -> None:
    questions = make_exam(WORLD, 4, part="test", seed=1)
    assert set(Counter(one.kind for one in questions)) == set(KINDS)
    answers = {one.id: perfect(one, WORLD) for one in questions}
    assert all(right == asked for right, asked in marks(questions, answers).values())
    assert make_exam(WORLD, 4, part="test", seed=1) == questions
    assert make_exam(WORLD, 4, part="test", seed=2) != questions


@settings(max_examples=15, deadline=None)
@given(rows=st.lists(st.tuples(SUBJECTS, RELATIONS, OBJECTS), min_size=8, max_size=40), seed=st.integers(0, 99))
def test_the_executor_passes_the_exam_of_any_graph(rows: list[tuple[str, str, str]], seed: int) -> None:
    graph = Graph("any", [Fact(subject=s, relation=r, object=o) for s, r, o in rows])
    questions = make_exam(graph, 2, part="test", seed=seed)
    answers = {one.id: perfect(one, graph) for one in questions}
    assert all(right == asked for right, asked in marks(questions, answers).values())
    assert all(set(one.facts) <= set(graph) for one in questions)


def test_a_small_graph_is_not_drawn_from_for_as_long_as_a_large_one() -> None:
    told: list[int] = []
    graph = Graph("one", [Fact(subject="黄山", relation="所在地", object="安徽省")])
    questions = make_exam(graph, 2000, part="test", seed=1, progress=lambda found, *_: told.append(found))
    assert Counter(one.kind for one in questions) == {"reverse": len(wordings("test")["reverse"]["back"])}
    assert len(told) == 3 * len(KINDS)  # at 0, 500 and 1,000 draws


def test_a_graph_without_facts_has_nothing_to_ask() -> None:
    assert make_exam(Graph("empty", []), 2, part="test", seed=1) == []


def test_more_questions_than_a_graph_has_are_not_looked_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exam, "_FRUITLESS", 300)
    few = Graph(
        "few",
        [Fact(subject="甲乙", relation="作者", object="丙丁"), Fact(subject="丙丁", relation="家", object="戊己")],
    )
    found = Counter(one.kind for one in make_exam(few, 10**9, part="test", seed=1))
    assert found["two-hops"]


def test_a_small_graph_is_asked_the_same_once_and_progress_is_told_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Query] = []
    told: list[tuple[int, int, str]] = []

    def counted(query: Query, graph: Graph) -> QueryResult:
        asked.append(query)
        return run(query, graph)

    monkeypatch.setattr(drawer, "run", counted)
    monkeypatch.setattr(exam, "_FRUITLESS", 3000)
    made = make_exam(WORLD, 1000, part="test", seed=1, kinds=["list"], progress=lambda *one: told.append(one))
    assert 0 < len(made) < 1000
    assert len(asked) == len(set(asked)) < 1000
    assert len(told) > 6
    assert told[0] == (0, 1000, "list")
    assert told[-1] == (len(made), 1000, "list")


def test_facts_without_the_name_of_an_attribute_are_not_asked_about() -> None:
    facts = [Fact(subject=s, relation=r if number % 2 else "", object=o) for number, (s, r, o) in enumerate(ROWS)]
    named = Graph("named", [fact for fact in facts if fact.relation])
    found = make_exam(Graph("some", facts), 4, part="test", seed=1)
    assert found
    assert found == make_exam(named, 4, part="test", seed=1)


def test_a_question_says_where_its_query_begins_unless_the_dialogue_does() -> None:
    for one in make_exam(WORLD, 6, part="development", seed=3):
        said = fold("".join(one.turns))
        assert all(fold(start) in said for start in one.inquiry.query.start)
        if one.kind != "follow-up":
            assert len(one.turns) == 1
            assert all(fold(name) in said for step in one.inquiry.query.steps for name in step.relation_names)


def test_wrong_triples_and_an_answer_after_its_rival_are_wrong() -> None:
    question = next(one for one in make_exam(WORLD, 3, part="test", seed=1) if one.kind == "comparison")
    right = perfect(question, WORLD)
    assert question.right(right)
    assert not question.right(msgspec.structs.replace(right, annotation=Annotation(facts=question.facts[:1])))
    assert not question.right(msgspec.structs.replace(right, text=question.rivals[0] + question.answers[0]))
    assert not question.right(Answer(text=question.text))
    assert marks([question], {}) == {"comparison": (0, 1)}


def test_the_two_parts_share_no_wording() -> None:
    tables = [wordings(part) for part in PARTS]
    kinds = [kind for kind in KINDS if kind != "adjectives"]
    said = [{text for kind in kinds for texts in table[kind].values() for text in texts} for table in tables]
    assert not said[0] & said[1]
    assert all(set(table) == {*KINDS, "adjectives"} for table in tables)
    assert all(set(tables[0][kind]) == set(tables[1][kind]) for kind in kinds)


def test_a_key_is_read_as_it_was_written(tmp_path: Path) -> None:
    questions = make_exam(WORLD, 2, part="test", seed=1)
    write_key(questions, tmp_path / "key.json")
    assert read_key(tmp_path / "key.json") == questions
    (tmp_path / "key.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(FormatError, match="no key of an exam"):
        read_key(tmp_path / "key.json")
    for kept, wrong in (
        ([], "it has no question"),
        ([msgspec.structs.replace(questions[0], answers=())], "has no answer"),
    ):
        write_key(kept, tmp_path / "key.json")
        with pytest.raises(FormatError, match=wrong):
            read_key(tmp_path / "key.json")
