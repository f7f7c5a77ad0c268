from __future__ import annotations

import numpy as np

from duologue.challenges.mobilecs.schema.intents import USER_LABELS, intent_of
from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.agent.user_intents import user_acts

VIEW = CallView([], "彩铃", {"ent-1": {"name": "彩铃", "业务费用": "五元", "业务规则": "次月"}, "NA": {"欠费": "一元"}})


def intent(labels: dict[str, float], asked: tuple[float, ...] = (0, 0, 0, 0)) -> str:
    shares = np.array([labels.get(one, 0.0) for one in USER_LABELS], dtype=np.float32)
    return intent_of(user_acts(VIEW, shares, np.array(asked, dtype=np.float32), AgentRecipe()))


def test_probable_labels_are_reported_and_at_least_one() -> None:
    assert intent({"询问": 0.9, "问候": 0.5, "客套": 0.1}) == "询问,问候"
    assert intent({"客套": 0.1}) == "客套"


def test_arguments_belong_to_the_first_label_that_may_have_some() -> None:
    asked = (0.9, 0.8, 0.1, 0.7)  # a name is no argument
    assert intent({"询问": 0.9, "主动确认": 0.9}, asked) == "询问(彩铃-业务费用)(欠费),主动确认"
    assert intent({"客套": 0.9}, asked) == "主动确认(彩铃-业务费用)(欠费),客套"
