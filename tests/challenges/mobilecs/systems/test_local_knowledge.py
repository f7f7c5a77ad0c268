from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.mobilecs.prompts.dialogue import ServicePrompt
from duologue.challenges.mobilecs.schema.task_infos import DIALOGUE
from duologue.challenges.mobilecs.systems.agent.agent import CustomerAgent
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.agent_baseline.agent_baseline import AgentBaseline
from duologue.challenges.mobilecs.systems.local_knowledge import refuse_knowledge
from duologue.challenges.mobilecs.systems.rule_agent import RuleAgent
from duologue.core.errors import UsageError
from duologue.core.protocols import Run
from duologue.knowledge.base import KnowledgeBase

if TYPE_CHECKING:
    from pathlib import Path

WORLDS = {"docs.md": KnowledgeBase("docs.md", [])}


def test_a_system_without_use_for_knowledge_from_outside_says_so(tmp_path: Path) -> None:
    refuse_knowledge({}, "rule-agent")
    with pytest.raises(
        UsageError, match=r"'rule-agent' reads the call's own base alone, and found --kb docs\.md; leave"
    ):
        RuleAgent().prepare(DIALOGUE, 1, WORLDS)
    with pytest.raises(UsageError, match="'agent-baseline' reads the call's own base alone"):
        AgentBaseline().prepare(DIALOGUE, 1, WORLDS)
    with pytest.raises(UsageError, match="'agent-baseline' reads the call's own base alone"):
        AgentBaseline().fit([], [], [], Run(folder=tmp_path, seed=1, worlds=WORLDS))
    with pytest.raises(UsageError, match="reads the call's own base alone"):
        ServicePrompt(DIALOGUE).prepare(WORLDS)


@pytest.mark.parametrize("recipe", [AgentRecipe(), AgentRecipe(knowledge="text")])
def test_an_agent_that_reads_the_calls_base_alone_says_how_to_train_another(recipe: AgentRecipe) -> None:
    agent = CustomerAgent(recipe)
    with pytest.raises(
        UsageError, match=rf"knowledge={recipe.knowledge} reads .* found --kb docs\.md; .*knowledge=joined"
    ):
        agent.prepare(DIALOGUE, 1, WORLDS)
    agent.prepare(DIALOGUE, 1, {})
