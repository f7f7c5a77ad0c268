"""Live partner: interprets the user's input, asks a system for the reply, runs API calls, keeps the transcript.

Independent of the terminal. The system may be the rule bot or any ranker: it sees the dialogue as in the
challenge - canonical user utterances, `<silence>` where the bot goes on - and picks from generated
candidates.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.knowledge.api_calls import execute, fact_lines
from duologue.challenges.restaurant.knowledge.domain_base import domain_of
from duologue.challenges.restaurant.live.candidates import candidate_utterances
from duologue.challenges.restaurant.live.nlu import HANDS_BACK, LanguageUnderstanding
from duologue.challenges.restaurant.live.ui_text import UiText
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.ontology import MAX_LISTED
from duologue.challenges.restaurant.schema.task_info import INFO
from duologue.challenges.restaurant.systems.solver.domain_rules import DomainRules
from duologue.challenges.restaurant.systems.solver.solver import BookingState
from duologue.core.errors import PlugInError, UsageError
from duologue.core.optional_protocols import Partner
from duologue.core.records import Dialogue, Sample, Turn
from duologue.core.system_answers import answers_of
from duologue.knowledge.base import KnowledgeBase

if TYPE_CHECKING:
    from duologue.challenges.restaurant.knowledge.api_calls import ApiResult
    from duologue.challenges.restaurant.live.nlu import Interpretation
    from duologue.core.protocols import System, World

_LONGEST = 8
"""Maximum number of bot utterances in a row; then the turn goes back to the user."""
_SUPERSEDED = ("ask-", "update-ack", "ready")
"""Kinds of utterance not worth showing when the user's same input goes on to answer them."""


class RestaurantPartner(Partner):
    """A booking bot to talk to.

    `system` is any system of the restaurant task, with what it learned; it is prepared here. Of more than
    four matches the listed ones are drawn by `seed`. `lang` (`"en"` or `"zh"`) is the language of the bot's
    UI text. When `flowing`, the bot goes on by itself where the user of the challenge would be silent;
    else it says one thing and waits for an empty line. Raises `UsageError` when the knowledge base lacks a
    slot or there is no UI text in the language.
    """

    def __init__(
        self, system: System, world: World, *, seed: int, lang: str = "en", flowing: bool = True, name: str = "chat"
    ) -> None:
        self._system = system
        self._base = world if isinstance(world, KnowledgeBase) else KnowledgeBase(world.name, world)
        rules = self._rules = DomainRules(domain_of(self._base))
        missing = [slot.name for slot in rules.domain.slots if not self._base.values(slot.name)]
        if missing:
            raise UsageError(
                f"knowledge base '{world.name}' has no field {', '.join(missing)}; it has "
                f"{', '.join(self._base.relations()) or 'none'}. "
                f"Give one with the fields of domain '{rules.domain.name}'"
            )
        slots = tuple(slot for slot in rules.slots if self._base.values(slot.name))
        self._nlu = LanguageUnderstanding(self._base, slots, rules)
        self._ui_text = UiText(lang, self._base, slots, rules.domain)
        self._seed, self._lang, self._flowing, self._name = seed, lang, flowing, name
        self._turns: list[Turn] = []
        self._history: list[Turn] = []
        """The dialogue as the system sees it, in canonical utterances."""
        self._state = BookingState(rules)
        self._calls = 0
        system.prepare(INFO, seed, {self._base.name: self._base})

    @property
    def welcome(self) -> str:
        """What to show before the first input: how to talk to the bot."""
        return self._ui_text.text("welcome", self._state, {})

    @property
    def how_to_talk(self) -> str:
        """How to talk to the bot: all that is shown before the first turn."""
        return self.welcome

    def goal_card(self) -> list[str]:
        """Return the table that a person may book here, drawn by the seed as simulated users draw theirs.

        There is none in a knowledge base that allows no simulated bookings.
        """
        from duologue.challenges.restaurant.live.scenes import make_stage  # with the simulator, for a card alone

        try:
            stage = make_stage(self._base, (), n=1, seed=self._seed, max_turns=None)
        except UsageError:
            return []
        goal = stage.scenes[0].user.goal
        return [] if goal is None else [line for item in goal.items for line in self._ui_text.card(item)]

    def reply(self, text: str) -> list[Turn]:
        """Return what follows the user's input: calls, the facts they brought, and what the bot says.

        Calls and utterances are turns of speaker `"system"`, facts of `"api"`. UI text has
        `meta["remark"]`. An empty line or `<silence>` hands the turn back to the bot.
        """
        interpretation = self._nlu.understand(text, self._state)
        self.finished = interpretation.goodbye
        said = text.strip() or templates.SILENCE
        meta = {"heard": list(interpretation.utterances)} if interpretation.utterances not in ((), (said,)) else {}
        self._turns.append(Turn(speaker="user", text=said, meta=meta))
        shown, slots = self._greet(interpretation), self._rules.slots
        for place, utterance in enumerate(interpretation.utterances):
            turns = self._hand(utterance)
            if place < len(interpretation.utterances) - 1:
                kinds = [templates.answer_type(turn.text, slots) for turn in turns]
                turns = [turn for turn, kind in zip(turns, kinds, strict=True) if not kind.startswith(_SUPERSEDED)]
            shown += turns
        if interpretation.remark:
            shown.append(self._ui_text.turn(interpretation.remark, self._state, interpretation.details))
        self._turns += shown
        return [turn for turn in shown if turn.speaker != "user"]

    def dialogue(self) -> Dialogue:
        """Return the transcript so far.

        The user's turns are as typed; `meta["heard"]` has the canonical utterances where they differ.
        Silences that the bot went on by itself are turns of the user with `meta["implied"]`. `knowledge` has the facts
        about what the bot named, by which a person can tell whether it fits.
        """
        meta = {
            "system": type(self._system).__name__,
            "world": self._base.name,
            "seed": self._seed,
            "lang": self._lang,
        }
        words = [turn.text.split() for turn in self._turns if turn.speaker == "system"]
        named = dict.fromkeys(word for text in words for word in text if word in self._base)
        facts = tuple(fact for name in named for fact in self._base.about(name))
        return Dialogue(id=self._name, turns=tuple(self._turns), knowledge=facts, meta=meta)

    def _greet(self, interpretation: Interpretation) -> list[Turn]:
        """Begin a dialogue as the challenge does, with a greeting, if the user does not."""
        if interpretation.anew:
            self._history, self._state = [], BookingState(self._rules)
        if self._history or not interpretation.utterances or interpretation.utterances[0] in templates.GREETINGS:
            return []
        hello = self._hand(templates.GREETINGS[1])
        return [] if interpretation.anew else hello

    def _hand(self, utterance: str) -> list[Turn]:
        """Give the system one user utterance; return what it says until it is the user's turn."""
        self._see(Turn(speaker="user", text=utterance))
        turns: list[Turn] = []
        for step in range(1, _LONGEST + 1):
            said = Turn(speaker="system", text=self._choose())
            self._see(said)
            turns.append(said)
            result = execute(said.text, self._base)
            if result is not None:
                facts = self._list(result)
                turns += facts
                if not facts:
                    turns.append(self._ui_text.turn("no-match", self._state, {"call": said.text}))
                    break
            elif said.text not in HANDS_BACK:
                break
            if not self._flowing or step == _LONGEST:
                break
            silence = Turn(speaker="user", text=templates.SILENCE, meta={"implied": True})
            self._see(silence)
            turns.append(silence)
        return turns

    def _see(self, turn: Turn) -> None:
        self._history.append(turn)
        self._state.observe(turn)

    def _choose(self) -> str:
        """Ask the system for the bot's next utterance."""
        choice = candidate_utterances(self._history, self._state, self._base, self._nlu.slot_of)
        number = sum(turn.speaker == "system" for turn in self._history)
        sample = Sample(
            id=f"{self._name}#{number}",
            dialogue_id=self._name,
            history=tuple(self._history),
            world=self._base.name,
            candidates=choice,
        )
        (answer,) = answers_of(self._system, [sample])
        if answer.text is not None:
            return answer.text
        best = (answer.ranking or ("",))[0]
        text = next((candidate.text for candidate in choice if candidate.id == best), None)
        if text is None:
            raise PlugInError(f"{type(self._system).__name__} neither says anything nor ranks the candidates it got")
        return text

    def _list(self, result: ApiResult) -> list[Turn]:
        """Return the facts of the restaurants listed: all matches, or some drawn by the seed."""

        def lot(name: str) -> bytes:
            return hashlib.sha256(f"{self._seed}\n{self._calls}\n{name}".encode()).digest()

        self._calls += 1
        names = sorted(result.names, key=lot)[:MAX_LISTED]
        turns = [Turn(speaker="api", text=line) for line in fact_lines(self._base, names)]
        for turn in turns:
            self._see(turn)
        return turns
