from __future__ import annotations

from typing import Any

import pytest
from tests.challenges.mobilecs.simulator.simulated_calls import calls, perfect_in_acts, perfect_in_text, played

from duologue.challenges.mobilecs.schema.intents import USER_LABELS, acts_of
from duologue.challenges.mobilecs.simulator.agenda_user import AgendaUser
from duologue.challenges.mobilecs.simulator.trained_user import TrainedUser
from duologue.core.errors import UsageError


@pytest.mark.parametrize("agent", [perfect_in_text, perfect_in_acts])
def test_a_perfect_agent_always_succeeds(agent: Any) -> None:
    user = TrainedUser(calls())
    for seed in range(3):
        for row in calls():
            steps = played(user, row, agent, seed)
            assert (steps[-1].info.ended, steps[-1].info.open) == ("done", 0)
            assert all(step.utterance for step in steps)


def test_a_silent_agent_never_succeeds() -> None:
    for row in calls():
        assert played(TrainedUser(calls()[:5]), row, lambda _asked, _base: ("", None))[-1].info.open


def test_equal_seeds_give_equal_dialogues_other_than_those_of_the_agenda_user() -> None:
    users = [TrainedUser(calls()), TrainedUser(calls()), AgendaUser()]
    dialogues = [[played(user, row, perfect_in_text) for row in calls()[:10]] for user in users]
    assert dialogues[0] == dialogues[1] != dialogues[2]
    labels = {act.name for steps in dialogues[0] for step in steps for act in acts_of(step.intent, "user")}
    assert labels <= set(USER_LABELS)


def test_a_user_without_words_does_the_same() -> None:
    users = [TrainedUser(calls(), speaks=speaks) for speaks in (True, False)]
    for row in calls()[:10]:
        spoken, silent = (played(user, row, perfect_in_acts) for user in users)
        assert [step[1:] for step in spoken] == [step[1:] for step in silent]


def test_nothing_to_learn_from_is_refused() -> None:
    with pytest.raises(UsageError, match="found none"):
        TrainedUser([])
