"""Text form after S2KG (arXiv 2210.08873): the whole knowledge base in words, and the user's last two utterances.

What is given is the published form (specification, section 11): `知识：` with all entries, one previous user utterance
and the current one. How its intents are written is not published; here they stand before the reply in one line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema.ontology import USER
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME, TYPE, base_with_names
from duologue.challenges.mobilecs.systems.agent_baseline.stream import TurnParts
from duologue.challenges.mobilecs.systems.agent_baseline.turn_rows import answer_of, learned_turns
from duologue.prompts.linearization import Given, Linearization, LinearizedPair, Part
from duologue.prompts.prompt import Reading

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from duologue.core.records import Example

_KNOWLEDGE, _BEFORE, _USER = "知识：", "上一句：", "用户："
_USER_INTENT, _STAFF_INTENT, _REPLY = "用户意图：", "客服意图：", "回复："
_BREAK = "；"


class WholeKb(Linearization):
    """All of the knowledge base is read; intents and reply are written in one line."""

    tasks = ("mobilecs/dialogue",)

    def source(self, given: Given) -> str:
        """Return the knowledge base and the user's last two utterances."""
        known = " ".join(_entries(base_with_names(given.sample.knowledge)))
        said = [turn.text for turn in given.sample.history if turn.speaker == "user"]
        before = f"{_BEFORE}{said[-2]} " if len(said) > 1 else ""
        return f"{_KNOWLEDGE}{known} {before}{_USER}{said[-1] if said else ''}"

    def pairs(self, examples: Sequence[Example]) -> list[LinearizedPair]:
        """Return the turns whose reply and intents are known."""
        found = []
        for sample, turn in learned_turns(examples):
            heads = (_USER_INTENT, turn.user_intent), (_STAFF_INTENT, turn.staff_intent), (_REPLY, turn.reply)
            written = _BREAK.join(f"{head}{text}" for head, text in heads)
            found.append(LinearizedPair(self.source(Given(sample)), written))
        return found

    def written(self, given: Given) -> Generator[Part, str, Reading]:
        """Yield what is given, and read intents and reply; a line without the head of a reply is no answer."""
        text = yield Part(self.source(given))
        head, found, reply = text.partition(f"{_BREAK}{_REPLY}")
        user, _, staff = head.partition(f"{_BREAK}{_STAFF_INTENT}")
        if not found:
            return Reading(None)
        turn = TurnParts("", "", user_intent=user.removeprefix(_USER_INTENT), staff_intent=staff)
        return Reading(answer_of(turn, reply))


def _entries(base: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yield each entity, and what is known of the user, as one line."""
    for key, slots in base.items():
        named = {"名称": slots.get(NAME, ""), "类型": slots.get(TYPE, "")} if key != USER else {}
        other = {slot: value for slot, value in slots.items() if slot not in {NAME, TYPE}}
        yield _BREAK.join(f"{slot}：{value}" for slot, value in {**named, **other}.items() if value)
