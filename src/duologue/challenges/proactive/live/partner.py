"""An agent as a live partner: it leads a person from topic to topic; its goal, plan and facts are shown.

Nothing here knows a terminal. The system may be any that answers with text: it sees goal, knowledge and what was said,
as in the challenge, with the person's words cut as the data is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.proactive.knowledge import mentioned, squeezed, usable
from duologue.challenges.proactive.live.scenes import pick
from duologue.challenges.proactive.live.ui_text import GOODBYES, apart, phrase, together
from duologue.challenges.proactive.schema import BRIEF, DOMAIN
from duologue.core.errors import UsageError
from duologue.core.protocols import Live
from duologue.core.records import Annotation, Dialogue, Fact, Goal, Sample, Turn

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.protocols import System

_UNUSED_SHOWN = 5
"""Unused facts that are shown with a reply."""


class Partner:
    """An agent to talk to, set in the goal and knowledge of a dialogue.

    `system` is any system that answers with text, with what it learned; it is prepared here. `lang` (`"en"` or `"zh"`)
    is the language of remarks. Raises `UsageError` for another language and for a setting without two topics.
    """

    def __init__(self, system: System, setting: Dialogue, *, seed: int, lang: str = "en", name: str = "chat") -> None:
        if setting.goal is None or len(setting.goal.topics) != 2:
            raise UsageError(f"dialogue '{setting.id}' has no goal of two topics to lead to")
        self._goal, self._knowledge = setting.goal, setting.knowledge
        self._usable = usable(Sample(id="", dialogue_id="", knowledge=setting.knowledge, goal=setting.goal))
        self._system, self._seed, self._lang, self._name = system, seed, lang, name
        self._turns: list[Turn] = []
        self.finished = False
        """Whether the person said goodbye, or the system has nothing more to say."""
        phrase(lang, "welcome", **self._names(), count=0)  # an unknown language is said before the first word
        if isinstance(system, Live):
            system.go_live()
        system.prepare(BRIEF, seed, {})

    @property
    def welcome(self) -> str:
        """What to show before the first turn: who leads where, and the goal with its relations."""
        facts = [
            phrase(
                self._lang,
                "relation",
                subject=together(one.subject),
                relation=together(one.relation),
                object=together(str(one.object)),
            )
            for one in self._goal.relations
        ]
        welcome = phrase(self._lang, "welcome", **self._names(), count=len(self._usable))
        return "\n".join([welcome, phrase(self._lang, "goal", **self._names()), *facts])

    def opening(self) -> list[Turn]:
        """Return the agent's first utterance."""
        return self._speak()

    def reply(self, text: str) -> list[Turn]:
        """Return what the agent says to a person's input; nothing after a goodbye. An empty line is passed over."""
        said = text.strip()
        if not said:
            return []
        if squeezed(said).lower() in GOODBYES:
            self.finished = True
            return []
        names = [*self._goal.topics, *(cell for one in self._facts() for cell in (one.subject, str(one.object)))]
        self._turns.append(Turn(speaker="user", text=apart(said, names), meta={"typed": said}))
        return self._speak()

    def shown(self, turn: Turn) -> list[str]:
        """Return the words of a turn, the facts it uses, and the plan after it: topics reached, facts used and left."""
        used = turn.annotation.facts if turn.annotation is not None else ()
        lines = [together(turn.text), *(phrase(self._lang, "used", fact=_fact(one)) for one in used)]
        if "reached" not in turn.meta:  # the word that the agent has ended
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

        Turns are cut into words; `meta["typed"]` is what the person wrote. The agent's turns hold the facts they use
        as annotation, and the plan as remarks: topics reached, number of facts used, facts not used so far.
        """
        meta = {"system": type(self._system).__name__, "seed": self._seed, "lang": self._lang}
        turns = tuple(turn for turn in self._turns if "remark" not in turn.meta)
        return Dialogue(id=self._name, turns=turns, knowledge=self._knowledge, goal=self._goal, meta=meta)

    def _speak(self) -> list[Turn]:
        """Ask the system for the next utterance; return it with the facts it uses."""
        sample = Sample(
            id=f"{self._name}#{len(self._turns):02d}",
            dialogue_id=self._name,
            history=tuple(Turn(speaker=turn.speaker, text=turn.text) for turn in self._turns),
            knowledge=self._knowledge,
            goal=self._goal,
        )
        (answer,) = self._system.answer([sample])
        if answer.text is None and answer.ranking is not None:
            raise UsageError(
                f"{type(self._system).__name__} ranks candidates and says nothing of its own; a talk needs a system "
                "that answers with text"
            )
        if not (answer.text or "").strip():
            self.finished = True
            return [Turn(speaker="system", text=phrase(self._lang, "ended"), meta={"remark": "ended"})]
        turn = self._noted(str(answer.text))
        self._turns.append(turn)
        return [turn]

    def _noted(self, text: str) -> Turn:
        """Return an utterance of the agent with the facts it uses, and how far the plan is with it."""
        said = [turn.text for turn in self._turns if turn.speaker == "system"] + [text]
        now, ever = mentioned(text, self._usable), mentioned("\n".join(said), self._usable)
        unused = [
            [one.fact.subject, one.fact.relation, one.fact.object] for one in self._usable if one.object not in ever
        ]
        reached = [topic for topic in self._goal.topics if any(squeezed(topic) in squeezed(one) for one in said)]
        meta = {"reached": reached, "used": len(self._usable) - len(unused), "unused": unused}
        facts = tuple(one.fact for one in self._usable if one.object in now)
        return Turn(speaker="system", text=text, annotation=Annotation(facts=facts), meta=meta)

    def _facts(self) -> tuple[Fact, ...]:
        return (*self._knowledge, *self._goal.relations)

    def _names(self) -> dict[str, str]:
        a, b = self._goal.topics
        kinds = {one.subject: str(one.object) for one in self._knowledge if one.relation == DOMAIN}
        return {
            "a": together(a),
            "b": together(b),
            "kind_a": kinds.get(a, "?"),
            "kind_b": kinds.get(b, "?"),
        }


def setting(place: Path | None, seed: int) -> Dialogue:
    """Return a goal with its knowledge: of the dialogues of a session or sample file one is drawn by `seed`.

    `None` gives the built-in one. Raises `FormatError` with all problems of the file.
    """
    return BUILT_IN if place is None else pick(place, seed)


def _fact(fact: Fact) -> str:
    return " | ".join(map(together, (fact.subject, fact.relation, str(fact.object))))


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
"""A goal with knowledge of our own making, for a talk without any data: a film and its director, both invented."""
