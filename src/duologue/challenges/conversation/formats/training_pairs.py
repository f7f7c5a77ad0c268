"""Training data of the systems: whole dialogues, and each reply in them paired with its context.

Every reply of the system in a training dialogue is used, not only the last one. The official extraction prints each
path through a tree of tweets, so that many dialogues share a prefix: dialogues with the same first line stay on one
side of a train/held-out split, and a reply is used once per context.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.conversation.formats.dialogue_lines import HIDDEN
from duologue.core.errors import UsageError
from duologue.core.held_out import draw_order, draw_rank, split_by_group
from duologue.core.records import Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duologue.core.records import Example


class UtterancePair(NamedTuple):
    """A response and the utterance it answers (specification, section 9)."""

    context: str
    """What the user said since the previous response; an opening line of the system is put before it."""
    response: str


class ContextReply(NamedTuple):
    """A reply with its whole dialogue history."""

    dialogue: str
    """Id of the dialogue."""
    history: tuple[Turn, ...]
    """Alternating speakers, the user last."""
    reply: str


class TrainingDialogue(NamedTuple):
    """A dialogue with alternating speakers: consecutive lines of one speaker are merged."""

    id: str
    turns: tuple[Turn, ...]
    """Of user and system; the system answers a user at least once, and has the last turn."""

    def context_replies(self) -> Iterator[ContextReply]:
        """Yield each reply with its context."""
        for place, turn in enumerate(self.turns):
            if place and turn.speaker == "system":
                yield ContextReply(self.id, self.turns[:place], turn.text)

    def utterance_pairs(self) -> list[UtterancePair]:
        """Return the responses with the utterances they answer."""
        return utterance_pairs(self.turns)


class HeldOutSplit(NamedTuple):
    """Training dialogues and held-out ones."""

    train: list[TrainingDialogue]
    held_out: list[TrainingDialogue]


def merged_turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Merge consecutive turns of one speaker; empty, hidden and missing turns are left out.

    Runs of white space become single spaces. Whoever is not the system counts as the user.
    """
    texts = [("system" if one.speaker == "system" else "user", " ".join(one.text.split())) for one in turns]
    groups = groupby((one for one in texts if one[1] not in HIDDEN), key=lambda one: one[0])
    return tuple(Turn(speaker=speaker, text=" ".join(text for _, text in group)) for speaker, group in groups)


def utterance_pairs(turns: Sequence[Turn]) -> list[UtterancePair]:
    """Return the responses of merged turns with the utterances they answer.

    A last user turn without a response becomes a pair with an empty `response`.
    """
    context: list[str] = []
    found: list[UtterancePair] = []
    for place, turn in enumerate(turns):
        if turn.speaker == "system" and place:
            found.append(UtterancePair(" ".join(context), turn.text))
            context = []
        else:
            context.append(turn.text)
    return [*found, UtterancePair(" ".join(context), "")] if context else found


def training_dialogues(examples: Iterable[Example]) -> list[TrainingDialogue]:
    """Return the dialogues of examples that have a reply, without duplicates, in order.

    The first reference of an example ends its dialogue; without one, a last user turn is dropped.
    """
    found: dict[tuple[str, ...], TrainingDialogue] = {}
    for one in examples:
        last = [Turn(speaker="system", text=one.references[0].text or "")] if one.references else []
        turns = merged_turns([*one.sample.history, *last])
        if turns and turns[-1].speaker == "user":
            turns = turns[:-1]
        if len(turns) > 1:
            words = (turns[0].speaker, *(turn.text for turn in turns))
            found.setdefault(words, TrainingDialogue(one.sample.dialogue_id, turns))
    return list(found.values())


def context_replies(dialogues: Iterable[TrainingDialogue]) -> list[ContextReply]:
    """Return the replies of dialogues in order, without duplicates of context and reply."""
    found: dict[tuple[str, ...], ContextReply] = {}
    for dialogue in dialogues:
        for pair in dialogue.context_replies():
            words = (pair.history[0].speaker, *(turn.text for turn in pair.history), pair.reply)
            found.setdefault(words, pair)
    return list(found.values())


def require_dialogues(examples: Iterable[Example]) -> list[TrainingDialogue]:
    """Return the dialogues of examples. Raises `UsageError` where none has a reply."""
    dialogues = training_dialogues(examples)
    if not dialogues:
        raise UsageError(
            "the training data has no reply: no line of the system ('S: ...') follows one of the user ('U: ...'); "
            "give dialogue text with --train"
        )
    return dialogues


def split_held_out(dialogues: Sequence[TrainingDialogue], share: float, seed: int) -> HeldOutSplit:
    """Split dialogues into training and about `share` held-out ones, in order.

    Dialogues with the same first line are on one side; the seed and that line alone decide which, except that neither
    side is left empty. Where all have the same first line, both sides hold all of them.
    """
    beginnings = {dialogue.turns[0].text for dialogue in dialogues}
    if len(beginnings) < 2:
        return HeldOutSplit(list(dialogues), list(dialogues))
    first, *others, _ = draw_order(beginnings, seed)
    drawn = {text for text in others if draw_rank(text, seed) < share} | {first}
    return HeldOutSplit(*split_by_group(dialogues, lambda dialogue: dialogue.turns[0].text, drawn))
