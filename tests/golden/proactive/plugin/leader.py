"""A small agent for tests of whole conversations: it leads from A to B by a fixed plan, and learns nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.records import Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Sample


class Leader:
    """Asks, names A, says facts of A, names B, says facts of B."""

    class Recipe(Record, frozen=True, kw_only=True):
        """How the agent behaves."""

        silent: bool = False
        """Say nothing from the second turn on."""
        broken: bool = False
        """Fail, as a stranger's system may."""

    seen = "nothing"
    scope = Scope(tasks=("proactive",))

    def __init__(self, recipe: Recipe | None = None) -> None:
        self.recipe = recipe or self.Recipe()

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Nothing to do."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Say what stands at this place of the plan."""
        return [self._reply(sample) for sample in samples]

    def _reply(self, sample: Sample) -> Answer:
        assert sample.goal is not None
        assert not self.recipe.broken
        first, second = sample.goal.topics
        place = len(sample.history) // 2
        if self.recipe.silent and place:
            return Answer()
        facts = {
            topic: [one for one in sample.knowledge if one.subject == topic and one.relation != "领域"]
            for topic in (first, second)
        }
        if place == 0:
            return Answer(text="你 平时 喜欢 看 电影 吗 ？")
        topic = first if place < 3 else second
        own = facts[topic]
        fact = own[(place - 1) % len(own)] if own else None
        said = f"它 的 {fact.relation} 是 {fact.object} 。" if fact is not None else "你 可以 看看 。"
        return Answer(
            text=f"说说 {topic} 吧 ， {said}" if place in {1, 3} else f"第 {'一二三四五六七八九'[place]} ， {said}"
        )
