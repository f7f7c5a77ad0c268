from __future__ import annotations

import pytest

from duologue.core.errors import UsageError
from duologue.core.plugins import load_linearization_class, load_task, names
from duologue.core.records import Answer, Candidate, Example, Fact, Sample, Turn
from duologue.prompts.linearization import Given, Linearization, Part, linearization_of
from duologue.prompts.prompt import Reading

CONVERSATION, RESTAURANT = load_task("conversation").info, load_task("restaurant").info
SAMPLE = Sample(
    id="1",
    dialogue_id="1",
    history=(Turn(speaker="user", text="hello"), Turn(speaker="system", text="hi"), Turn(speaker="user", text="bye")),
    knowledge=(Fact(subject="shop", relation="opens", object="at nine"),),
)


def test_plain_lines_end_where_the_system_speaks() -> None:
    form = linearization_of("plain", CONVERSATION)
    assert form.source(Given(SAMPLE)).splitlines()[0] == "shop | opens | at nine"
    assert form.source(Given(SAMPLE)).endswith(":")
    assert "bye" in form.source(Given(SAMPLE)).splitlines()[-2]
    assert len(linearization_of("plain", CONVERSATION, turns=1).source(Given(SAMPLE)).splitlines()) == 3


def test_the_prompt_is_written_as_the_model_wants_a_chat() -> None:
    form = linearization_of("prompt", CONVERSATION)
    form.prepare({})
    assert "bye" in form.source(Given(SAMPLE))
    form.prepare({}, lambda messages: "|".join(one.role for one in messages))
    assert form.source(Given(SAMPLE)) == "system|user"


def test_pairs_have_what_the_prompt_would_say_and_of_a_ranking_the_best_text() -> None:
    form = linearization_of("plain", CONVERSATION)
    known, unknown = Example(sample=SAMPLE, references=(Answer(text="see you"),)), Example(sample=SAMPLE)
    (pair,) = form.pairs([unknown, known])
    assert pair == (form.source(Given(SAMPLE)), "see you")
    candidates = (Candidate(id="a", text="first"), Candidate(id="b", text="second"))
    ranked = Sample(id="1", dialogue_id="1", history=SAMPLE.history, candidates=candidates)
    (pair,) = linearization_of("plain", RESTAURANT).pairs(
        [Example(sample=ranked, references=(Answer(ranking=("b",)),))]
    )
    assert pair.target == "second"


def test_what_is_written_is_read_as_the_prompt_reads_it() -> None:
    writing = linearization_of("plain", CONVERSATION).written(Given(SAMPLE))
    assert next(writing) == Part(linearization_of("plain", CONVERSATION).source(Given(SAMPLE)))
    with pytest.raises(StopIteration) as stop:
        writing.send("Good\nBYE!")
    assert stop.value.value == Reading(Answer(text="good bye !"))


@pytest.mark.parametrize("name", names("linearizations"))
def test_each_is_made_for_tasks_that_there_are(name: str) -> None:
    for task in names("tasks"):
        info = load_task(task).info
        cls = load_linearization_class(name)
        if cls.tasks and task not in cls.tasks:
            with pytest.raises(UsageError, match="is made for"):
                linearization_of(name, info)
            continue
        form = linearization_of(name, info)
        assert isinstance(form, Linearization)
        assert task in (form.tasks or (task,))
        assert form.mark
