"""Leaks of simulated users: values that a user says before anybody told it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from duologue.core.records import Dialogue, Turn


class Leak(NamedTuple):
    """A user's turn with values that the user cannot know."""

    turn: int
    """Index of the turn in the dialogue, from 0."""
    values: tuple[str, ...]


def leaks(
    turns: Sequence[Turn],
    secrets: Iterable[str],
    *,
    told: Iterable[str] = (),
    said: Callable[[Turn], str] = lambda turn: turn.text,
    form: Callable[[str], str] = lambda text: text,
) -> list[Leak]:
    """Return the user's turns that hold a secret which neither an earlier utterance nor what it was `told` has.

    A value is held by a text where its `form` is a part of the text's. `said` gives the words of a turn; API lines are
    not heard. A value is a leak once: from then on it was said.

    >>> from duologue.core.records import Turn
    >>> talk = [Turn(speaker="system", text="do you like films?"), Turn(speaker="user", text="yes, Titanic!")]
    >>> leaks(talk, ["Titanic", "film"])
    [Leak(turn=1, values=('Titanic',))]
    """
    left = {value: form(value) for value in dict.fromkeys(secrets) if form(value).strip()}
    heard = [form(text) for text in told]
    found = []
    left = {value: shape for value, shape in left.items() if not any(shape in text for text in heard)}
    for place, turn in enumerate(turns):
        if turn.speaker == "api":
            continue
        text = form(said(turn))
        now = tuple(value for value, shape in left.items() if shape in text)
        if now and turn.speaker == "user":
            found.append(Leak(place, now))
        left = {value: shape for value, shape in left.items() if value not in now}
    return found


def leak_problem(
    dialogue: Dialogue, leak: Leak, other: str, said: Callable[[Turn], str] = lambda turn: turn.text
) -> Problem:
    """Return the warning that the user says something before the `other` does."""
    return Problem(
        rule="user-leak",
        severity="warning",
        place=f"dialogue '{dialogue.id}', turn {leak.turn} (from 0)",
        message=f"the user says {', '.join(leak.values)} before the {other} does: {said(dialogue.turns[leak.turn])}",
    )
