"""Forecast of whole conversations: what partners that are paid by the call would ask, without asking.

How long conversations are is not known before, so there are three figures. *At least*: each conversation ends with the
partner's first answer. *Likely*: a few conversations are played with partners of our own in the place of those that
are paid, the task's own user and its default system; where the task has no such system, dialogues of people about the
same scenes are taken. *At most*: each conversation goes on to the last turn allowed, in utterances as long as the
partner may write them, or as the longest that were played. All three are told by the partner's own `forecast`.
"""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.amounts import amount
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Conversable
from duologue.core.play import play
from duologue.core.records import Act, Annotation, Sample, Turn
from duologue.core.scenes import TYPED
from duologue.run.forecast import amount_words, teller_of
from duologue.run.prompt_marks import SYSTEM, USER
from duologue.run.simulate import chance_of
from duologue.run.systems import open_system

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.optional_protocols import Stage
    from duologue.core.protocols import System, Task, TaskInfo, World
    from duologue.core.records import Answer, Dialogue, Record
    from duologue.core.scenes import Scene

PLAYED = 5
"""Conversations that are played, at most; the figures of all are made from them."""
_BYTES_PER_TOKEN = 3


class ConversationForecast(NamedTuple):
    """What one partner would take for all conversations."""

    part: str
    """`system` or `user`."""
    conversations: int
    least: dict[str, float]
    """What the partner tells by name, added up over all conversations: calls, tokens, cost."""
    likely: dict[str, float] | None
    """`None` where nothing tells how long conversations are."""
    most: dict[str, float]
    source: str
    """What the likely figures were made from, in words; empty where there are none."""
    left: int = 0
    """Answers of a stopped run, which are asked no more: the figures above are those of all conversations."""


class _Recording:
    """A partner whose samples are kept."""

    def __init__(self, partner: System) -> None:
        self._partner = partner
        self.Recipe: type[Record] = partner.Recipe
        self.seen = partner.seen
        self.asked: list[Sample] = []

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Prepare the partner."""
        self._partner.prepare(info, seed, worlds)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Answer as the partner does."""
        self.asked.extend(samples)
        return self._partner.answer(samples)


class _Known(NamedTuple):
    """What partners would be asked in a few conversations, a list for each of the first scenes."""

    samples: dict[str, list[list[Sample]]]
    source: str


def forecast_conversations(
    task: Task,
    system: System,
    stage: Stage,
    own: Stage,
    *,
    name: str,
    seed: int,
    left: Mapping[str, int] = MappingProxyType({}),
) -> list[ConversationForecast]:
    """Return what each partner that is paid by the call would take to play a stage; nothing is asked.

    `left` has by partner how many answers a stopped run kept. `own` is the stage with the task's own user, the same
    one where no other plays. Raises `UsageError` where neither partner, the system of that name and the user, tells a
    forecast, and for a stage without scenes.
    """
    if not stage.scenes:
        raise UsageError("there is no goal to play")
    paid = {part: one for part, one in ((SYSTEM, system), (USER, stage.user)) if hasattr(one, "forecast")}
    if not paid:
        teller_of(system, name)
    for partner in paid.values():
        partner.prepare(task.info, seed, stage.worlds)
    known = _known(task, system, own, seed)
    return [_forecast(part, partner, stage, known)._replace(left=left.get(part, 0)) for part, partner in paid.items()]


def conversation_lines(forecasts: Sequence[ConversationForecast]) -> list[str]:
    """Return forecasts in words."""
    lines = []
    for one in forecasts:
        likely = "" if one.likely is None else f"likely about {one.likely['calls']:,.0f}, "
        calls = f"at least {one.least['calls']:,.0f} calls, {likely}at most {one.most['calls']:,.0f}"
        lines.append(f"{one.part}: {amount(one.conversations, 'conversation takes', 'conversations take')} {calls}")
        for how, counts in (("at least", one.least), ("likely", one.likely), ("at most", one.most)):
            if counts is not None:
                kept = f", {counts['kept']:,.0f} calls kept from before" if counts["kept"] else ""
                lines.append(f"{one.part}, {how}: {amount_words(counts)}{kept}")
    lines += [
        f"{one.part}: {amount(one.left, 'answer')} kept of a stopped run, and asked no more; the figures are of all"
        for one in forecasts
        if one.left
    ]
    sources = dict.fromkeys(one.source for one in forecasts)
    lines += [
        f"likely: {source}" if source else "nothing tells how long conversations are, so these are bounds alone"
        for source in sources
    ]
    return [
        *lines,
        "at least: each conversation ends with the first answer; at most: each goes on to its last turn, in long words",
        "nothing was asked and nothing written; the tokens of prompts are estimated from their bytes",
    ]


def _known(task: Task, system: System, own: Stage, seed: int) -> _Known:
    """Play the first scenes with partners of our own, or cut what people said in them."""
    scenes = own.scenes[:PLAYED]
    free, called = (None, "") if hasattr(system, "forecast") else (system, "the system")
    if free is None and isinstance(task, Conversable) and task.default_system:
        free, called = open_system(task, task.default_system), f"system '{task.default_system}'"
    if free is not None:
        partners = {SYSTEM: _Recording(free), USER: _Recording(own.user)}
        for partner in partners.values():
            partner.prepare(task.info, seed, own.worlds)
        found: dict[str, list[list[Sample]]] = {part: [] for part in partners}
        for scene in scenes:
            play(partners[SYSTEM], partners[USER], scene, chance_of(seed, scene.id))
            for part, partner in partners.items():
                found[part].append(partner.asked)
                partner.asked = []
        return _Known(
            found, f"as in {amount(len(scenes), 'conversation')} of {called} with the task's own user, played for this"
        )
    people = {one.id: one for one in own.human_dialogues}
    if all(scene.id in people for scene in scenes):
        cut = {part: [_cut(people[scene.id], scene, part) for scene in scenes] for part in (SYSTEM, USER)}
        return _Known(cut, f"as in {amount(len(scenes), 'dialogue')} of people about the same scenes")
    return _Known({part: [[] for _ in scenes] for part in (SYSTEM, USER)}, "")


def _cut(dialogue: Dialogue, scene: Scene, part: str) -> list[Sample]:
    """Return what a partner would be asked at each of its turns in a dialogue."""
    return [
        _sample(scene, part, dialogue.turns[:place])
        for place, turn in enumerate(dialogue.turns[: scene.max_turns])
        if turn.speaker == part
    ]


def _sample(scene: Scene, part: str, turns: Sequence[Turn]) -> Sample:
    """Return what a partner sees of a scene after some turns."""
    view = scene.system if part == SYSTEM else scene.user
    return Sample(
        id=f"{scene.id}#{part}{len(turns)}",
        dialogue_id=scene.id,
        history=tuple(_typed(turn) if part == USER else turn for turn in turns),
        knowledge=view.knowledge,
        world=scene.system.world if part == SYSTEM else None,
        goal=view.goal,
    )


def _typed(turn: Turn) -> Turn:
    """Return a turn of a user as one that a person typed, as a chat model does."""
    if turn.speaker != USER:
        return turn
    acts = turn.annotation.acts if turn.annotation is not None else ()
    typed = Act(speaker=USER, name=TYPED, args=(turn.text,))
    return msgspec.structs.replace(turn, annotation=Annotation(acts=(*acts, typed)))


def _forecast(part: str, partner: Any, stage: Stage, known: _Known) -> ConversationForecast:
    scenes = stage.scenes[:PLAYED]
    asked = [
        [
            msgspec.structs.replace(_sample(scene, part, one.history), id=one.id, candidates=one.candidates)
            for one in known.samples[part][place]
        ]
        for place, scene in enumerate(scenes)
    ]
    scale = len(stage.scenes) / len(scenes)
    first = [samples[0] if samples else _sample(scene, part, ()) for scene, samples in zip(scenes, asked, strict=True)]
    least = dict(partner.forecast(first))
    longest = _longest(part, asked, _tokens_of_a_call(least))
    most: Counter[str] = Counter()
    for scene, samples in zip(scenes, asked, strict=True):  # one by one: words alike are those of no two scenes
        most.update(partner.forecast(_all(scene, part, samples, longest)))
    likely = partner.forecast([sample for samples in asked for sample in samples]) if known.source else None
    return ConversationForecast(
        part,
        len(stage.scenes),
        _scaled(least, scale),
        None if likely is None else _scaled(likely, scale),
        _scaled({**most, "kept": 0.0}, scale),
        known.source,
    )


def _scaled(counts: Mapping[str, float], scale: float) -> dict[str, float]:
    return {name: count * scale for name, count in counts.items()}


def _tokens_of_a_call(counts: Mapping[str, float]) -> float:
    new = counts["calls"] - counts["kept"]
    return counts["most_completion_tokens"] / new if new else 0.0


def _longest(part: str, asked: Sequence[Sequence[Sample]], tokens: float) -> dict[str, str]:
    """Return the longest utterance of each speaker: of the partner as long as a call allows, else as it was played."""
    most = Counter({part: round(_BYTES_PER_TOKEN * tokens)})
    for turn in (turn for samples in asked for sample in samples[-1:] for turn in sample.history):
        most[turn.speaker] = max(most[turn.speaker], len(turn.text.encode()))
    other = USER if part == SYSTEM else SYSTEM
    most[other] = most[other] or most[part]
    return {speaker: "x" * size for speaker, size in most.items()}


def _all(scene: Scene, part: str, played: Sequence[Sample], longest: Mapping[str, str]) -> list[Sample]:
    """Return what a partner is asked in a conversation that goes on to its last turn.

    The other side is taken to say something between any two turns, but where the system may call its knowledge base:
    then every turn but the user's first may be the system's. What calls return counts as often as it was played.
    """
    other = USER if part == SYSTEM else SYSTEM
    late = scene.first == other
    alone = part == SYSTEM and scene.api is not None and scene.after_call == SYSTEM
    last = played[-1] if played else None
    returned = tuple(turn for turn in last.history if turn.speaker == "api") if last is not None else ()
    candidates = max((one.candidates for one in played), key=len, default=())
    found = []
    for before in range(late, scene.max_turns, 1 if alone else 2):
        speakers = (part if (before - place) % 2 == 0 else other for place in range(before))
        turns = (*returned, *(Turn(speaker=speaker, text=longest[speaker]) for speaker in speakers))
        found.append(msgspec.structs.replace(_sample(scene, part, turns), candidates=candidates))
    return found
