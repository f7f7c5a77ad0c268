"""Live partner: a person calls, a system serves; goal card, knowledge base and the trace of each reply are shown.

Independent of the terminal. The trace is what the system put into its answer: its intents, what their arguments bring
from the knowledge base by the official query, and the facts it names as used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from duologue.challenges.mobilecs.formats.tables import base_table
from duologue.challenges.mobilecs.knowledge.goal import goal_of
from duologue.challenges.mobilecs.knowledge.kb import facts_of, query_argument
from duologue.challenges.mobilecs.live.goal_card import GoalCard
from duologue.challenges.mobilecs.live.scenes import load_rows
from duologue.challenges.mobilecs.live.ui_text import GOODBYES, phrase
from duologue.challenges.mobilecs.schema.english import bilingual, bilingual_acts, bilingual_argument
from duologue.challenges.mobilecs.schema.task_infos import DIALOGUE
from duologue.core.escapes import one_line
from duologue.core.live_text import LEAVES
from duologue.core.optional_protocols import Partner
from duologue.core.records import Annotation, Dialogue, Sample, Turn
from duologue.core.rng import Rng
from duologue.core.system_answers import answers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import System, World
    from duologue.core.records import Act, Answer


class CallSetting(NamedTuple):
    """What a call is set in."""

    goal: Mapping[str, Any]
    """The official goal of the customer."""
    base: Mapping[str, Mapping[str, str]]
    """The official knowledge base of the call."""


@runtime_checkable
class TellsSources(Protocol):
    """A system that tells what it has from outside the call."""

    def sources(self, sample: Sample, answer: Answer) -> list[str]:
        """Return the passages and catalogue entries that an answer tells values of."""
        ...


class CallPartner(Partner):
    """A live agent with the goal and knowledge base of a call.

    `system` is any system that answers with text; it is prepared here, with knowledge from outside the call where there
    is a `world`, and never sees the goal. `lang` (`"en"` or
    `"zh"`) is the language of the UI text. Raises `UsageError` for another.
    """

    def __init__(
        self,
        system: System,
        setting: CallSetting,
        *,
        seed: int,
        lang: str = "en",
        name: str,
        world: World | None = None,
    ) -> None:
        phrase(lang, "none")  # refuses an unknown language before the first turn
        self._system, self._setting, self._seed, self._lang, self._name = system, setting, seed, lang, name
        self._knowledge = facts_of(setting.base)
        self._card = GoalCard(setting.goal, setting.base, lang)
        self._requests = self._card.requests
        self._turns: list[Turn] = []
        worlds = {} if world is None else {world.name: world}
        system.prepare(msgspec.structs.replace(DIALOGUE, live=True), seed, worlds)

    @property
    def welcome(self) -> str:
        """What to show before the first turn: how to talk, the goal card, and the knowledge base."""
        return "\n".join([self._say("welcome"), *self.goal_card(), *base_table(self._setting.base, self._lang)])

    @property
    def how_to_talk(self) -> str:
        """How to call, without the goal."""
        return self._say("how")

    def goal_card(self) -> list[str]:
        """Return what the caller wants to hear and what they know, a line each."""
        return self._card.lines()

    def reply(self, text: str) -> list[Turn]:
        """Return the agent's answer to what a person says; none to an empty line or one that leaves."""
        said = text.strip()
        if not said:
            return []
        word = said.rstrip("。！？!.?").lower()
        self.finished = word in LEAVES or word in GOODBYES
        if word in LEAVES:
            return []
        self._turns.append(Turn(speaker="user", text=said))
        return [self._speak()]

    def shown(self, turn: Turn) -> list[str]:
        """Return the words of a turn, then intents, queries with their results, facts, and the state of the goal."""
        acts = turn.annotation.acts if turn.annotation is not None else ()
        own: dict[str, list[Act]] = {"user": [], "system": []}
        for act in acts:
            own[act.speaker].append(act)
        facts = turn.annotation.facts if turn.annotation is not None else ()
        queries = [
            self._say("query", argument=bilingual_argument(argument), result=result or self._say("nothing"))
            for argument, result in turn.meta["queries"]
        ]
        return [
            turn.text or self._say("silent"),
            self._say("user", acts=bilingual_acts(own["user"]) or self._say("none")),
            *(queries or [self._say("no-query")]),
            *(self._say("fact", fact=f"{one.subject} {bilingual(one.relation)} {one.object}") for one in facts),
            *(
                self._say("outside", source=one_line(" ".join(source.split())))
                for source in turn.meta.get("outside", ())
            ),
            self._say("staff", acts=bilingual_acts(own["system"]) or self._say("none")),
            *([self._progress(turn.meta["open"])] if self._requests else []),
        ]

    def dialogue(self) -> Dialogue:
        """Return the transcript so far: an agent's turn has its intents, and queries and open requests in `meta`."""
        meta = {"system": type(self._system).__name__, "seed": self._seed, "lang": self._lang}
        return Dialogue(
            id=self._name,
            turns=tuple(self._turns),
            knowledge=self._knowledge,
            goal=goal_of(dict(self._setting.goal)),
            meta=meta,
        )

    def _speak(self) -> Turn:
        sample = Sample(
            id=f"{self._name}#{len(self._turns) // 2}",
            dialogue_id=self._name,
            history=tuple(Turn(speaker=one.speaker, text=one.text, annotation=one.annotation) for one in self._turns),
            knowledge=self._knowledge,
        )
        (answer,) = answers_of(self._system, [sample])
        annotation = answer.annotation or Annotation()
        replies = [*(one.text for one in self._turns if one.speaker == "system"), answer.text or ""]
        arguments = dict.fromkeys(arg for act in annotation.acts if act.speaker == "user" for arg in act.args)
        meta: dict[str, Any] = {
            "queries": [[one, query_argument(self._setting.base, one)] for one in arguments],
            "open": [
                self._card.named(one)
                for one in self._requests
                if not any(value in reply for value in one.values for reply in replies)
            ],
        }
        outside = self._system.sources(sample, answer) if isinstance(self._system, TellsSources) else []
        meta |= {"outside": [" ".join(one.split()) for one in outside]} if outside else {}
        turn = Turn(speaker="system", text=answer.text or "", annotation=annotation, meta=meta)
        self._turns.append(turn)
        return turn

    def _progress(self, left: Sequence[str]) -> str:
        count = len(self._requests)
        return self._say("progress", met=count - len(left), count=count, open=", ".join(left) or self._say("none"))

    def _say(self, key: str, **values: object) -> str:
        return phrase(self._lang, key, **values)


def setting(place: Path | None, seed: int) -> CallSetting:
    """Return goal and knowledge base of a dialogue of a track 2 file, drawn by `seed`; without a file, built-in ones.

    Dialogues without a goal, as in test files, get one sampled from their knowledge base. Raises `FormatError` with all
    problems of the file.
    """
    if place is None:
        return BUILT_IN
    rows, _ = load_rows(place, seed)
    row = rows[Rng(seed, "chat").choice(list(rows))]
    return CallSetting(row["goal"], row["KB"])


BUILT_IN = CallSetting(
    goal={
        "ent-1": {"type": "主套餐", "name": "晴空套餐", "业务费用": "?", "用户意图": "询问"},
        "ent-2": {"type": "流量包", "name": "星夜流量包", "业务费用": "十块钱", "流量总量": "?", "用户意图": "询问"},
        "NA": {"流量余额": "?", "意图": "求助-查询"},
    },
    base={
        "ent-1": {
            "name": "晴空套餐,晴空",
            "type": "主套餐",
            "业务费用": "三十八块钱",
            "通话时长": "一百分钟",
            "业务规则": "办了以后下个月一号生效",
        },
        "ent-2": {
            "name": "星夜流量包,流量包",
            "type": "流量包",
            "业务费用": "十块钱",
            "流量总量": "五个G",
            "流量范围": "省内",
        },
        "NA": {"持有套餐": "晴空套餐", "流量余额": "三百二十兆"},
    },
)
"""Built-in goal and knowledge base for a call without data: two services, both fictional."""
