"""Live partner: a system leads a person from topic to topic; its goal, plan and facts are shown.

Independent of the terminal. Any system that answers with text will do: it sees goal, knowledge and history as in the
challenge, with the person's words segmented as in the data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.proactive.knowledge import (
    domains_of,
    facts_of,
    mentioned_objects,
    usable_facts,
    without_spaces,
)
from duologue.challenges.proactive.live.scenes import draw_dialogue
from duologue.challenges.proactive.live.segmentation import joined, segmented
from duologue.challenges.proactive.live.ui_text import GOODBYES, phrase
from duologue.challenges.proactive.schema import INFO
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Partner
from duologue.core.records import Annotation, Dialogue, Fact, Goal, Sample, Turn
from duologue.core.system_answers import answers_of

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.protocols import System

_UNUSED_SHOWN = 5
"""Maximum number of unused facts shown with a reply."""


class ProactivePartner(Partner):
    """A live agent with the goal and knowledge of a dialogue.

    `system` is any trained system that answers with text; it is prepared here. `lang` (`"en"` or `"zh"`) is the
    language of the UI text. Raises `UsageError` for another language and for a dialogue without a goal of two topics.
    """

    secretive = True

    def __init__(self, system: System, setting: Dialogue, *, seed: int, lang: str = "en", name: str = "chat") -> None:
        if setting.goal is None or len(setting.goal.topics) != 2:
            raise UsageError(f"dialogue '{setting.id}' has no goal of two topics to lead to")
        self._goal, self._knowledge = setting.goal, setting.knowledge
        self._usable = usable_facts(Sample(id="", dialogue_id="", knowledge=setting.knowledge, goal=setting.goal))
        self._system, self._seed, self._lang, self._name = system, seed, lang, name
        self._turns: list[Turn] = []
        phrase(lang, "welcome", **self._names(), count=0)  # refuses an unknown language before the first turn
        system.prepare(msgspec.structs.replace(INFO, live=True), seed, {})

    @property
    def welcome(self) -> str:
        """Text to show before the first turn: instructions, topics, and the goal with its relations."""
        welcome = phrase(self._lang, "welcome", **self._names(), count=len(self._usable))
        return "\n".join([welcome, *self.goal_card()])

    @property
    def how_to_talk(self) -> str:
        """How to talk, without the topics."""
        return phrase(self._lang, "how")

    def goal_card(self) -> list[str]:
        """Return the goal and its relations, which are the agent's."""
        return goal_lines(self._goal, self._lang)

    def opening(self) -> list[Turn]:
        """Return the agent's first utterance."""
        return self._speak()

    def reply(self, text: str) -> list[Turn]:
        """Return the agent's reply to a person's input; none to a goodbye or an empty line."""
        said = text.strip()
        if not said:
            return []
        if without_spaces(said).lower() in GOODBYES:
            self.finished = True
            return []
        names = [
            *self._goal.topics,
            *(cell for one in facts_of(self._goal, self._knowledge) for cell in (one.subject, str(one.object))),
        ]
        self._turns.append(Turn(speaker="user", text=segmented(said, names), meta={"typed": said}))
        return self._speak()

    def shown(self, turn: Turn) -> list[str]:
        """Return display lines of a turn: text, facts used, and the plan: topics reached, facts used and left."""
        used = turn.annotation.facts if turn.annotation is not None else ()
        lines = [joined(turn.text), *(phrase(self._lang, "used", fact=_fact(one)) for one in used)]
        if "reached" not in turn.meta:  # the remark that the agent has ended
            return lines
        reached, count = turn.meta["reached"], turn.meta["used"]
        marks = [phrase(self._lang, "reached" if topic in reached else "open") for topic in self._goal.topics]
        names = self._names()
        plan = phrase(
            self._lang,
            "plan",
            a=names["a"],
            b=names["b"],
            reached_a=marks[0],
            reached_b=marks[1],
            used=count,
            count=len(self._usable),
        )
        left = [_fact(Fact(subject=one, relation=two, object=three)) for one, two, three in turn.meta["unused"]]
        more = f" (+{len(left) - _UNUSED_SHOWN})" if len(left) > _UNUSED_SHOWN else ""
        listed = "; ".join(left[:_UNUSED_SHOWN]) + more if left else phrase(self._lang, "none")
        return [*lines, plan, phrase(self._lang, "unused", facts=listed)]

    def dialogue(self) -> Dialogue:
        """Return the transcript so far.

        Turns are segmented; `meta["typed"]` is the person's input. Agent turns have the facts that they use as
        annotation and the plan in `meta`: topics reached, number of facts used, unused facts.
        """
        meta = {"system": type(self._system).__name__, "seed": self._seed, "lang": self._lang}
        turns = tuple(turn for turn in self._turns if "remark" not in turn.meta)
        return Dialogue(id=self._name, turns=turns, knowledge=self._knowledge, goal=self._goal, meta=meta)

    def _speak(self) -> list[Turn]:
        """Return the system's next utterance, annotated."""
        sample = Sample(
            id=f"{self._name}#{len(self._turns):02d}",
            dialogue_id=self._name,
            history=tuple(Turn(speaker=turn.speaker, text=turn.text) for turn in self._turns),
            knowledge=self._knowledge,
            goal=self._goal,
        )
        (answer,) = answers_of(self._system, [sample])
        if answer.text is None and answer.ranking is not None:
            raise UsageError(
                f"{type(self._system).__name__} ranks candidates and generates no text; a live dialogue needs "
                "a system that answers with text"
            )
        if not (answer.text or "").strip():
            self.finished = True
            return [Turn(speaker="system", text=phrase(self._lang, "ended"), meta={"remark": "ended"})]
        turn = self._annotated(str(answer.text))
        self._turns.append(turn)
        return [turn]

    def _annotated(self, text: str) -> Turn:
        """Return an agent utterance as a turn, annotated with the facts that it uses and the plan after it."""
        said = [turn.text for turn in self._turns if turn.speaker == "system"] + [text]
        now, ever = mentioned_objects(text, self._usable), mentioned_objects("\n".join(said), self._usable)
        unused = [
            [one.fact.subject, one.fact.relation, one.fact.object] for one in self._usable if one.object not in ever
        ]
        reached = [
            topic for topic in self._goal.topics if any(without_spaces(topic) in without_spaces(one) for one in said)
        ]
        meta = {"reached": reached, "used": len(self._usable) - len(unused), "unused": unused}
        facts = tuple(one.fact for one in self._usable if one.object in now)
        return Turn(speaker="system", text=text, annotation=Annotation(facts=facts), meta=meta)

    def _names(self) -> dict[str, str]:
        a, b = self._goal.topics
        kinds = domains_of(self._knowledge)
        return {
            "a": joined(a),
            "b": joined(b),
            "kind_a": kinds.get(a, "?"),
            "kind_b": kinds.get(b, "?"),
        }


def goal_lines(goal: Goal, lang: str) -> list[str]:
    """Return a goal of two topics and its relations, a line each."""
    a, b = map(joined, goal.topics)
    facts = [
        phrase(
            lang,
            "relation",
            subject=joined(one.subject),
            relation=joined(one.relation),
            object=joined(str(one.object)),
        )
        for one in goal.relations
    ]
    return [phrase(lang, "goal", a=a, b=b), *facts]


def setting(place: Path | None, seed: int) -> Dialogue:
    """Return a dialogue of a session or sample file, sampled by `seed`, for its goal and knowledge.

    Without a file, the built-in one. Raises `FormatError` with all problems of the file.
    """
    return BUILT_IN if place is None else draw_dialogue(place, seed)


def _fact(fact: Fact) -> str:
    return " | ".join(map(joined, (fact.subject, fact.relation, str(fact.object))))


def _known(subject: str, *pairs: tuple[str, str]) -> tuple[Fact, ...]:
    return tuple(Fact(subject=subject, relation=relation, object=value) for relation, value in pairs)


BUILT_IN = Dialogue(
    id="built-in",
    turns=(),
    knowledge=(
        *_known(
            "灯塔 下 的 信",
            ("领域", "电影"),
            ("类型", "剧情"),
            ("导演", "沈 一 帆"),
            ("上映 时间", "2014年5月1日"),
            ("口碑", "口碑 不错"),
            ("时光网 短评", "看 完 想 给 很 久 不 见 的 朋友 写 一 封 信"),
        ),
        *_known(
            "沈 一 帆",
            ("领域", "明星"),
            ("职业", "导演"),
            ("出生 日期", "1979 - 3 - 8"),
            ("星座", "双鱼座"),
            ("代表作", "灯塔 下 的 信"),
            ("代表作", "雨 后 的 站台"),
            ("评论", "他 的 镜头 总 是 很 安静"),
        ),
    ),
    goal=Goal(
        topics=("灯塔 下 的 信", "沈 一 帆"),
        relations=_known("灯塔 下 的 信", ("导演", "沈 一 帆")),
    ),
)
"""Built-in goal and knowledge for a dialogue without data: a film and its director, both fictional."""
