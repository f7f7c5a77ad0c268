from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.mobilecs.systems.agent_baseline.agent_baseline import AgentBaseline
from duologue.challenges.mobilecs.systems.agent_baseline.recipe import AgentBaselineRecipe
from duologue.core.errors import UsageError
from duologue.core.protocols import Run
from duologue.core.typed import convert
from duologue.run.contamination import declared

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example

TINY = AgentBaselineRecipe.tiny()


def trained(examples: list[Example], folder: Path) -> AgentBaseline:
    baseline = AgentBaseline(TINY)
    baseline.fit(examples, [], [], Run(folder=folder, seed=1))
    return baseline


def test_a_loaded_baseline_answers_as_the_one_that_was_trained(calls: list[Example], tmp_path: Path) -> None:
    baseline = trained(calls[:80], tmp_path)
    baseline.save(tmp_path)
    other = AgentBaseline(TINY)
    other.load(tmp_path)
    samples = [one.sample for one in calls[:40]]
    answers = baseline.answer(samples)
    assert other.answer(samples) == answers
    assert all(one.text is not None and len(one.text) <= TINY.reply for one in answers)
    assert "turns of" in other.seen


def test_it_reads_the_turn_alone_and_the_names_before(calls: list[Example], tmp_path: Path) -> None:
    baseline = trained(calls[:80], tmp_path)
    sample = next(one.sample for one in calls if len(one.sample.history) > 2)
    words = [turn for turn in sample.history if turn.speaker == "user"]
    quiet = [msgspec.structs.replace(turn, text="") for turn in words[:-1]]
    shortened = msgspec.structs.replace(sample, history=(*quiet, words[-1]), knowledge=())
    assert baseline.answer([shortened]) == baseline.answer([msgspec.structs.replace(shortened, history=(words[-1],))])


def test_what_has_no_answers_teaches_nothing(calls: list[Example], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="learns from dialogues with replies and intents"):
        trained([msgspec.structs.replace(one, references=()) for one in calls], tmp_path)
    with pytest.raises(UsageError, match="has not learned yet"):
        AgentBaseline(TINY).answer([calls[0].sample])


def test_streams_have_a_character_to_go_on_from() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"Expected `int` >= 2 - at `\$.longest`"):
        convert({"longest": 1}, AgentBaselineRecipe)


def test_what_it_learns_from_is_declared_by_those_who_train_it() -> None:
    assert declared(AgentBaseline()) is None
    assert declared(AgentBaseline(), []) == []
