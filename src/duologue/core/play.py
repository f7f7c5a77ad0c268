"""The conversation loop: simulated users, self-play, reinforcement learning, live sessions.

Both partners are Systems and answer Samples. Each sample is made from that partner's own view and from
what it could hear; the two views are different types, so that giving one partner what belongs to the
other is a type error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.errors import PlugInError
from duologue.core.records import Answer, Dialogue, Sample, Turn
from duologue.core.system_answers import answers_of

if TYPE_CHECKING:
    import random

    from duologue.core.protocols import System
    from duologue.core.scenes import Scene, SystemView, UserView


def play(system: System, user: System, scene: Scene, rng: random.Random) -> Dialogue:
    """Let two prepared systems talk and return the dialogue, with what each of them understood.

    Turns alternate from `scene.first`. The conversation ends when a partner answers with text `None`,
    is over as `scene.over` says, or is cut after `scene.max_turns`; `meta["ended_by"]` is then `"system"`,
    `"user"`, `"over"` or `"max_turns"`. A system that ranks candidates says the first one. A partner reads of
    the other's turns the words alone.
    Equal partners, scene and state of `rng` give an equal dialogue. Raises `PlugInError` when a partner
    does not give one answer, or ranks a candidate first that it was not offered.
    """
    turns: list[Turn] = []
    inner: set[int] = set()  # indices of turns that the user cannot hear
    speaker = scene.first or ("user" if rng.random() < 0.5 else "system")
    spoken, ended_by = 0, "max_turns"
    while spoken < scene.max_turns:
        if speaker == "system":
            sample = _seen_by_system(scene.id, scene.system, tuple(turns))
            if scene.candidates is not None:
                offered = scene.candidates(sample.history, rng)
                sample = msgspec.structs.replace(sample, candidates=offered)
            turn = _speak(system, sample, "system")
        else:
            heard = tuple(turn for index, turn in enumerate(turns) if index not in inner)
            turn = _speak(user, _seen_by_user(scene.id, scene.user, heard), "user")
        if turn is None:
            ended_by = speaker
            break
        turns.append(turn)
        spoken += 1
        returned = scene.api(turn.text) if scene.api is not None and speaker == "system" else None
        if returned is None:
            if scene.over is not None and scene.over(tuple(turns)):
                ended_by = "over"
                break
            speaker = "user" if speaker == "system" else "system"
            continue
        inner.update(range(len(turns) - 1, len(turns) + len(returned)))
        turns.extend(Turn(speaker="api", text=line) for line in returned)
        speaker = scene.after_call
    return Dialogue(
        id=scene.id,
        turns=tuple(turns),
        knowledge=scene.system.knowledge,
        goal=scene.user.goal or scene.system.goal,
        meta={"ended_by": ended_by, "world": scene.system.world},
    )


def _seen_by_system(scene_id: str, view: SystemView, turns: tuple[Turn, ...]) -> Sample:
    return Sample(
        id=f"{scene_id}#{len(turns)}",
        dialogue_id=scene_id,
        history=_words_of_others(turns, "system"),
        knowledge=view.knowledge,
        world=view.world,
        goal=view.goal,
    )


def _seen_by_user(scene_id: str, view: UserView, turns: tuple[Turn, ...]) -> Sample:
    return Sample(
        id=f"{scene_id}#user{len(turns)}",
        dialogue_id=scene_id,
        history=_words_of_others(turns, "user"),
        knowledge=view.knowledge,
        goal=view.goal,
    )


def _words_of_others(turns: tuple[Turn, ...], own: str) -> tuple[Turn, ...]:
    """Leave a partner its own annotations; of all other turns it gets what was said and nothing else."""
    return tuple(turn if turn.speaker == own else Turn(speaker=turn.speaker, text=turn.text) for turn in turns)


def _speak(partner: System, sample: Sample, speaker: str) -> Turn | None:
    (answer,) = answers_of(partner, [sample])
    text = _text_of(answer, sample, partner)
    return None if text is None else Turn(speaker=speaker, text=text, annotation=answer.annotation)


def _text_of(answer: Answer, sample: Sample, partner: System) -> str | None:
    if answer.text is not None or not answer.ranking:
        return answer.text
    texts = {candidate.id: candidate.text for candidate in sample.candidates}
    best = answer.ranking[0]
    if best not in texts:
        raise PlugInError(
            f"{type(partner).__name__} ranks '{best}' first in sample '{sample.id}', which has no such candidate"
        )
    return texts[best]
