"""Live conversation partner: shows the query to the graph, the selected triples and the reply of a system.

Independent of any terminal. A switch adds recognition errors to the user's input.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.spoken.live.ui_text import GOODBYES, UI_TEXT
from duologue.challenges.spoken.systems.trace import Trace, trace_of
from duologue.core.errors import DuologueError
from duologue.core.live_text import texts_in
from duologue.core.optional_protocols import Partner
from duologue.core.records import Annotation, Dialogue, Sample, Turn
from duologue.core.seeds import seed_of
from duologue.core.system_answers import answers_of
from duologue.core.typed import convert

if TYPE_CHECKING:
    from duologue.challenges.spoken.noise.simulator import NoiseSimulator
    from duologue.core.protocols import System, TaskInfo
    from duologue.knowledge.graph import Graph


class SpokenPartner(Partner):
    """A conversation with a system over a graph; the system is prepared here.

    `lang` (`"en"` or `"zh"`) is the language of remarks. Raises `UsageError` for another.
    """

    def __init__(self, system: System, world: Graph, info: TaskInfo, *, seed: int, lang: str = "en", name: str) -> None:
        self._words, self._lang = texts_in(lang, UI_TEXT), lang
        self._system, self._world, self._seed, self._name = system, world, seed, name
        self._turns: list[Turn] = []
        self._noise: NoiseSimulator | None = None
        system.prepare(msgspec.structs.replace(info, live=True), seed, {world.name: world})

    @property
    def welcome(self) -> str:
        """What to show before the first turn: the graph, and what can be typed."""
        return self._say("welcome", name=self._world.name, facts=len(self._world), entities=len(self._world.entities))

    @property
    def how_to_talk(self) -> str:
        """The graph, and what can be typed: all that is shown before the first turn."""
        return self.welcome

    def reply(self, text: str) -> list[Turn]:
        """Return what the system says, or what a switch did; nothing after a goodbye or an empty line."""
        said = text.strip()
        if not said:
            return []
        if said.rstrip("。！!.").lower() in GOODBYES:
            self.finished = True
            return []
        if said.startswith("/noise"):
            return [
                Turn(speaker="system", text=self._switch(said.removeprefix("/noise").strip()), meta={"remark": True})
            ]
        heard = said
        if self._noise is not None:
            heard = self._noise.turn(said, rng=_stream(self._seed, len(self._turns))).text
        self._turns.append(Turn(speaker="user", text=heard, meta={} if heard == said else {"typed": said}))
        return [self._speak()]

    def shown(self, turn: Turn) -> list[str]:
        """Return the words of a turn, then what was heard, the entity, the query and the triples, a line each."""
        lines = [turn.text]
        if "remark" in turn.meta:
            return lines
        if "heard" in turn.meta:
            lines.append(self._say("heard", text=turn.meta["heard"]))
        trace = convert(turn.meta["trace"], Trace)
        if trace.entity is not None:
            lines.append(self._say("entity", entity=trace.entity))
        if trace.query is not None:
            lines.append(self._say("query", query=trace.query.told()))
        told = [" | ".join(map(str, (fact.subject, fact.relation, fact.object))) for fact in trace.facts]
        return lines + ([self._say("fact", fact=fact) for fact in told] or [self._say("none")])

    def dialogue(self) -> Dialogue:
        """Return the transcript so far.

        A user's turn is what the system heard, `meta["typed"]` what the person wrote where that differs; a turn of the
        system has its triples as annotation and its trace as a remark.
        """
        meta = {
            "system": type(self._system).__name__,
            "seed": self._seed,
            "lang": self._lang,
            "world": self._world.name,
        }
        return Dialogue(id=self._name, turns=tuple(self._turns), meta=meta)

    def _speak(self) -> Turn:
        sample = Sample(
            id=f"{self._name}#{len(self._turns)}",
            dialogue_id=self._name,
            history=tuple(Turn(speaker=turn.speaker, text=turn.text) for turn in self._turns),
            world=self._world.name,
        )
        (answer,) = answers_of(self._system, [sample])
        trace = trace_of(self._system, sample, answer)
        meta = {"trace": msgspec.to_builtins(trace)}
        if "typed" in self._turns[-1].meta:
            meta["heard"] = self._turns[-1].text
        annotation = Annotation(facts=trace.facts)
        turn = Turn(speaker="system", text=answer.text or self._words["silent"], annotation=annotation, meta=meta)
        self._turns.append(turn)
        return turn

    def _switch(self, word: str) -> str:
        """Turn the noise on or off and say so; where it cannot be had, say why."""
        if word not in {"on", "off"}:
            return self._words["noise-how"]
        if word == "off":
            self._noise = None
            return self._words["noise-off"]
        from duologue.challenges.spoken.noise.simulator import NoiseSimulator

        try:
            self._noise = NoiseSimulator("test", self._seed)
            self._noise.turn("试一试", rng=Random(0))  # a missing library is told now, not at the next word
        except DuologueError as error:
            self._noise = None
            return str(error)
        return self._words["noise-on"]

    def _say(self, key: str, **values: object) -> str:
        return self._words[key].format(**values)


def _stream(seed: int, at: int) -> Random:
    """Return the random stream of one turn, the same in every run of the dialogue."""
    return Random(seed_of(f"spoken chat {seed} {at}"))
