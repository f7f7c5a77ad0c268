"""Prompts of all tasks: what they tell of a sample, and that a perfect answer comes back as it was said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.core.errors import PlugInError
from duologue.core.optional_protocols import Grounded
from duologue.core.plugins import load_task, names
from duologue.core.protocols import TaskInfo
from duologue.core.records import Answer, Candidate, Example, Fact, Goal, Sample, Turn
from duologue.prompts.prompt import GeneralPrompt, prompt_of
from duologue.run.predict import in_world

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.protocols import World
    from duologue.prompts.prompt import Asked

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
DATA = {
    "conversation": "conversation/contract/evaluation.txt",
    "mobilecs/dialogue": "mobilecs/dialogue/contract/dialogues.json",
    "mobilecs/extraction": "mobilecs/extraction/contract/raw.json",
    "proactive": "proactive/contract/sessions.txt",
    "restaurant": "restaurant/small-data.json",
    "spoken": "spoken/contract/valid.json",
}
TALK = TaskInfo(name="talk", version="1", language="en", answers="text")
CHOICE = TaskInfo(name="choice", version="1", language="zh", answers="ranking")
SAMPLE = Sample(
    id="s",
    dialogue_id="d",
    history=(Turn(speaker="user", text="hi\nthere"), Turn(speaker="system", text="hello {candidates}")),
    knowledge=(Fact(subject="tea", relation="price", object=("1", "2")),),
    goal=Goal(topics=("tea", "cake"), relations=(Fact(subject="tea", relation="with", object="cake"),)),
    candidates=(Candidate(id="x", text="one"), Candidate(id="y", text="two")),
)


def data(task: str) -> tuple[list[Example], Mapping[str, World]]:
    loaded = load_task(task)
    world = loaded.world(GOLDEN / "spoken/tiny-kg.json") if task == "spoken" and isinstance(loaded, Grounded) else None
    return in_world(list(loaded.load(GOLDEN / DATA[task])), world), {world.name: world} if world else {}


def in_order(answer: Answer) -> Answer:
    """Return an answer with its mentions and values by their places: a model tells them service by service."""
    if answer.annotation is None:
        return answer
    parts = {name: tuple(sorted(getattr(answer.annotation, name), key=str)) for name in ("mentions", "values")}
    return msgspec.structs.replace(answer, annotation=msgspec.structs.replace(answer.annotation, **parts))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("task", DATA)
def test_every_task_brings_a_prompt_that_its_references_can_be_said_in(task: str, language: str) -> None:
    assert task in names("prompts")
    info = load_task(task).info
    prompt = prompt_of(info, language)
    assert not isinstance(prompt, GeneralPrompt)
    assert prompt.mark.startswith(f"{info.name} {language} v1 ")
    examples, worlds = data(task)
    prompt.prepare(worlds)
    asked: Asked = "rank" if info.answers == "ranking" else "answer"
    said = 0
    for example in examples:
        *_, question = prompt.messages(example.sample, asked)
        assert question.role == "user"
        if example.sample.history:
            assert "".join(example.sample.history[-1].text.split()) in "".join(question.content.split())
        shot = prompt.shot(example, asked)
        if shot is not None and asked == "answer":
            found = prompt.read(shot[1].content, example.sample)
            assert found.answer is not None
            assert (in_order(found.answer), found.dropped) == (in_order(example.references[0]), 0)
            said += 1
        assert prompt.read("", example.sample).answer is None
        assert prompt.read("\n<think>so", example.sample).answer is None
    assert asked == "rank" or said > len(examples) / 2


@pytest.mark.parametrize("task", [task for task in DATA if task not in {"conversation", "proactive", "restaurant"}])
def test_structured_answers_have_a_strict_schema_and_refusals_are_no_answers(task: str) -> None:
    prompt = prompt_of(load_task(task).info)
    examples, worlds = data(task)
    prompt.prepare(worlds)
    sample = examples[0].sample
    schema = prompt.schema(sample)
    assert schema is not None
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False
    for text in ("I cannot help with that.", "{}", '{"reply": 7, "services": "none"}', "[1]"):
        assert prompt.read(text, sample).answer is None
    msgspec.json.encode(schema)


@pytest.mark.parametrize("task", DATA)
def test_the_empty_answer_is_one_that_the_task_accepts(task: str, tmp_path: Path) -> None:
    loaded, (examples, _) = load_task(task), data(task)
    prompt = prompt_of(loaded.info)
    out = tmp_path / "result"
    loaded.write(examples, [(one.sample.id, prompt.empty(one.sample)) for one in examples], out)
    found = loaded.check(loaded.read(out), examples, loaded.info.variants[0])
    assert not [problem for problem in found if problem.severity == "error"]


def test_a_task_without_a_prompt_is_asked_in_general_words() -> None:
    prompt = prompt_of(TALK)
    assert isinstance(prompt, GeneralPrompt)
    system, question = prompt.messages(SAMPLE)
    assert "'talk'" in system.content
    assert "User: hi there\nSystem: hello {candidates}\n" in question.content
    assert "tea | price | 1, 2" in question.content
    assert prompt.read(" yes,\n indeed ", SAMPLE).answer == Answer(text="yes, indeed")
    ranked = prompt_of(CHOICE)
    assert "A. one\nB. two" in ranked.messages(SAMPLE, "rank")[1].content
    assert ranked.read_order("B > A", SAMPLE) == [1, 0]
    assert ranked.read_choice("B", SAMPLE) == 1
    assert ranked.empty(SAMPLE) == Answer(ranking=("x", "y"))
    with pytest.raises(PlugInError, match=r"wants facts and text, and brings no prompt.*duologue\.prompts"):
        prompt_of(msgspec.structs.replace(TALK, answers="facts+text"))


def test_history_and_facts_are_told_as_far_as_is_allowed() -> None:
    more = tuple(Fact(subject=str(number), relation="is", object="x" * 500) for number in range(9))
    prompt = prompt_of(TALK, turns=1, facts=2)
    question = prompt.messages(msgspec.structs.replace(SAMPLE, knowledge=more))[1].content
    assert "hi there" not in question
    assert "1 | is | " + "x" * 120 + "..." in question
    assert "2 | is" not in question


def test_an_example_of_a_ranking_names_the_right_candidate_wherever_it_stands() -> None:
    prompt = prompt_of(CHOICE)
    example = Example(sample=SAMPLE, references=(Answer(ranking=("y",)),))
    shots = [prompt.shot(example, "rank"), prompt.shot(example, "best")]
    assert [shot[1].content for shot in shots if shot] == ['{"ranking":["B","A"]}', "B"]
    assert prompt.shot(msgspec.structs.replace(example, references=()), "best") is None
