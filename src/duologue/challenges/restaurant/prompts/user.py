"""Prompt of the simulated user: a guest with a card who types freely; its words become utterances of the challenge.

The knowledge base is read to understand values and names, as in the live bot (`live.nlu`), and never told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.restaurant.live.free_user import UNCLEAR
from duologue.challenges.restaurant.live.nlu import LanguageUnderstanding
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.simulator.bot_turn import read_text
from duologue.challenges.restaurant.systems.solver.solver import BookingState
from duologue.core.errors import UsageError
from duologue.core.records import Act, Annotation, Answer, Turn
from duologue.core.scenes import HANGS_UP, TYPED
from duologue.knowledge.base import KnowledgeBase
from duologue.prompts.user_prompt import UserPrompt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import World
    from duologue.core.records import Sample

REST = "rest"
"""Act of a user who typed more than one utterance: what it says next without being asked again."""
_PATIENCE = 8
"""Silences in a row after which the user speaks up."""
_QUESTIONS = {slot.name: slot.question for slot in templates.SLOTS}


class GuestPrompt(UserPrompt):
    """Tells the card and what guest and bot said; the user of the challenge is silent where the bot goes on."""

    texts = "user.toml"

    def prepare(self, worlds: Mapping[str, World]) -> None:
        """Take the knowledge base by which words are understood. Raises `UsageError` without one."""
        super().prepare(worlds)
        world = next(iter(worlds.values()), None)
        if world is None:
            raise UsageError("the words of a restaurant user are understood by a knowledge base, and there is none")
        self._base = world if isinstance(world, KnowledgeBase) else KnowledgeBase(world.name, world)
        self._names = frozenset(self._base.entities())
        self._nlu = LanguageUnderstanding(self._base, templates.SLOTS)

    def settled(self, sample: Sample) -> Answer | None:
        """Return silence where the bot goes on or made a call, and the rest of what was typed; else as `UserPrompt`."""
        gone = super().settled(sample)
        if gone is not None or not sample.history:
            return gone
        last, own = sample.history[-1], [turn for turn in sample.history if turn.speaker == "user"]
        if last.speaker == "user" or read_text(last.text, self._names).hands_back:
            patient = any(turn.text != templates.SILENCE for turn in own[-_PATIENCE:])
            return Answer(text=templates.SILENCE) if patient else None
        said = [turn for turn in own if turn.text != templates.SILENCE]
        rest = _args(said[-1], REST) if said else ()
        return self._spoken(rest) if rest else None

    def goal(self, sample: Sample) -> str:
        """Return the card: slots with their values, and what is asked of the restaurant."""
        items = sample.goal.items if sample.goal is not None else ()
        lines = [f"{slot}: {value}" for item in items for slot, value in item.known.items()]
        asked = ", ".join(one for item in items for one in item.asked)
        lines += [f"{self.wording.words['asks']} {asked}"] if asked else []
        return "\n".join(lines) or self.wording.nothing

    def history(self, sample: Sample) -> str:
        """Return what was typed and what the bot said; not the silences, nor the utterances that one input became."""
        shown = tuple(turn for turn in sample.history if turn.speaker != "user" or _args(turn, TYPED))
        return super().history(msgspec.structs.replace(sample, history=shown))

    def turn(self, words: str, sample: Sample, *, hangs_up: bool) -> Answer:
        """Return what the words mean as an utterance of the challenge, the first of several.

        A dialogue opens with a greeting. Words that cannot be understood are handed on as they are.
        """
        understood = self._nlu.understand(words, self._state(sample.history))
        utterances = understood.utterances
        unclear = not utterances and not understood.goodbye and not hangs_up
        if unclear:
            utterances = (" ".join(words.split()),)
        if not sample.history and utterances[:1] and utterances[0] not in templates.GREETINGS:
            utterances = (templates.GREETINGS[1], *utterances)
        if (hangs_up or understood.goodbye) and not set(utterances) & set(templates.FAREWELLS):
            utterances = (*utterances, templates.FAREWELLS[0])
        return self._spoken(utterances, typed=words, unclear=unclear)

    def _spoken(self, utterances: Sequence[str], *, typed: str = "", unclear: bool = False) -> Answer:
        """Return the first of some utterances, with what was typed and what is left to be said."""
        first, *rest = utterances
        acts = {TYPED: (typed,) if typed else (), REST: tuple(rest)}
        found = [Act(speaker="user", name=name, args=args) for name, args in acts.items() if args]
        found += [Act(speaker="user", name=UNCLEAR)] * unclear
        found += [Act(speaker="user", name=HANGS_UP)] * (first in templates.FAREWELLS)
        return Answer(text=first, annotation=Annotation(acts=tuple(found)))

    def _state(self, history: Sequence[Turn]) -> BookingState:
        """Return the state of a dialogue as far as the user heard it.

        Two turns of the user in a row mean a call between them. There may always be more restaurants.
        """
        state, before = BookingState(), None
        for turn in history:
            if before is not None and before.speaker == turn.speaker == "user":
                state.observe(Turn(speaker="system", text=state.call()))
            state.observe(turn if turn.speaker == "user" else self._plain(turn))
            before = turn
        state.ratings[""] = 0.0
        return state

    def _plain(self, turn: Turn) -> Turn:
        """Return a bot's own words as the template with their meaning, where they propose a restaurant or ask."""
        heard = read_text(turn.text, self._names)
        if templates.answer_type(turn.text) != "other":
            return turn
        if heard.names:
            return Turn(speaker="system", text=templates.BOT_OPTION.format(name=heard.names[-1]))
        asked = next((slot for slot in heard.asked if slot in _QUESTIONS), None)
        return turn if asked is None else Turn(speaker="system", text=_QUESTIONS[asked])


def _args(turn: Turn, name: str) -> tuple[str, ...]:
    """Return the arguments of one of a turn's acts; none where it has no such act."""
    acts = turn.annotation.acts if turn.annotation is not None else ()
    return next((act.args for act in acts if act.name == name), ())
