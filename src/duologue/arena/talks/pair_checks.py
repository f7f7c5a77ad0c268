"""Quality of dialogues that two people made: length, repetition, copies of the knowledge and of other dialogues."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.core.records import Dialogue, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.arena.talks.pair_settings import PairSettings
    from duologue.core.optional_protocols import Paired

_SIGNS = re.compile(r"[\W_]+")
_COPIED = 0.9
"""Share of an utterance that one object of the knowledge makes up, for it to be a copy."""
_SHORTEST_COPY = 8
"""Characters of the shortest copy: names and numbers are meant to be said."""
_MAX_COPIES = 0.5
"""Share of an agent's utterances that may be copies."""
ALIKE = 0.8
"""Share of a dialogue's utterances that stand in another one, for both to be alike."""
_MIN_CHARACTERS = 3.0
"""Mean length of utterances below which nobody can have meant it."""


def pair_problems(
    task: Paired, dialogue: Dialogue, settings: PairSettings, others: Sequence[Sequence[str]]
) -> list[Problem]:
    """Return what is wrong with a finished dialogue, by these checks and by the task's own rules.

    `others` are the utterances of finished dialogues of the same campaign, as they were typed.
    """
    return [*_general(dialogue, settings, others), *task.pair_problems(dialogue)]


def _general(dialogue: Dialogue, settings: PairSettings, others: Sequence[Sequence[str]]) -> Iterator[Problem]:
    texts = [plain(turn.text) for turn in dialogue.turns]
    if len(texts) < settings.shortest:
        message = f"the dialogue has {len(texts)} utterances; {settings.shortest} are the fewest"
        yield Problem(rule="dialogue-short", message=message)
    if len(texts) > settings.longest:
        message = f"the dialogue has {len(texts)} utterances; {settings.longest} are the most"
        yield Problem(rule="dialogue-long", message=message)
    if texts and sum(map(len, texts)) / len(texts) < _MIN_CHARACTERS:
        yield Problem(rule="utterances-short", message="the utterances have fewer than three characters on average")
    said: set[tuple[str, str]] = set()
    for at, (turn, text) in enumerate(zip(dialogue.turns, texts, strict=True)):
        if (turn.speaker, text) in said:
            place = f"utterance {at + 1}"
            yield Problem(rule="utterance-repeated", place=place, message="the same speaker has said this before")
        said.add((turn.speaker, text))
    yield from _copies(dialogue, texts)
    if texts and any(_alike(texts, list(map(plain, other))) for other in others):
        yield Problem(rule="dialogue-copied", message="another dialogue of the campaign has nearly the same utterances")


def plain(text: str) -> str:
    """Return a text without spaces, case and signs; texts equal after this count as the same."""
    return _SIGNS.sub("", text.casefold()) or "".join(text.split())


def _copies(dialogue: Dialogue, texts: Sequence[str]) -> Iterator[Problem]:
    """Yield what is wrong where whoever leads hands on the knowledge as it stands."""
    objects = [plain(str(fact.object)) for fact in dialogue.knowledge]
    objects = [one for one in objects if len(one) >= _SHORTEST_COPY]
    led = [at for at, turn in enumerate(dialogue.turns) if turn.speaker == "system"]
    copied = [at for at in led if any(one in texts[at] and len(one) >= _COPIED * len(texts[at]) for one in objects)]
    many = len(copied) > _MAX_COPIES * len(led)
    for at in copied:
        yield Problem(
            rule="knowledge-copied",
            severity="error" if many else "warning",
            place=f"utterance {at + 1}",
            message="this is a piece of the knowledge and no more",
        )


def _alike(texts: Sequence[str], other: Sequence[str]) -> bool:
    there = set(other)
    return bool(there) and sum(one in there for one in texts) >= ALIKE * len(texts)
