"""The baseline of track 2 in the challenge's manner: one language model says all parts of a turn.

It sees a turn at a time, with the names that the user has said before; it writes names and user intent, gets the
result of the query that the intent asks for, and goes on to staff intent and reply, greedily and within limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.systems.agent.kb_pieces import base_with_names
from duologue.challenges.mobilecs.systems.agent_baseline.recipe import AgentBaselineRecipe
from duologue.challenges.mobilecs.systems.agent_baseline.stream import (
    MARKS,
    NAMES,
    REPLY,
    STAFF_INTENT,
    USER_INTENT,
    TurnParts,
    result_of,
)
from duologue.challenges.mobilecs.systems.agent_baseline.turn_rows import answer_of, learned_turns, open_turn
from duologue.challenges.mobilecs.systems.local_knowledge import refuse_knowledge
from duologue.core.errors import UsageError
from duologue.core.held_out import draw_order, split_by_group
from duologue.core.records import Record
from duologue.core.scope import Scope
from duologue.models.trained_system import WEIGHTS, TrainedSystem
from duologue.models.vocabulary import SPECIAL, CopyVocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import Run, TaskInfo, World
    from duologue.core.records import Answer, Example, Sample
    from duologue.models.decoder_lm import DecoderLM
    from duologue.models.trained_system import Networks

_CHUNK = 32  # samples answered at once


class AgentBaselineCard(Record, frozen=True, kw_only=True):
    """What a saved baseline needs besides weights."""

    characters: list[str]
    seen: str


class LearnedStreams(NamedTuple):
    """The language model with its characters."""

    characters: CopyVocabulary
    model: DecoderLM


class AgentBaseline(TrainedSystem[AgentBaselineRecipe, LearnedStreams]):
    """Serve customers with one language model over intents, query results and replies, as the challenge's does."""

    Recipe: type[Record] = AgentBaselineRecipe
    scope = Scope(tasks=("mobilecs/dialogue",))
    extras: tuple[str, ...] = ("models",)
    name, training_files = "agent-baseline", "track2/train.json"
    Card, card_file = AgentBaselineCard, "agent-baseline.json"

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Prepare as any trained system. Raises `UsageError` for knowledge from outside the call, too."""
        refuse_knowledge(worlds, self.name)
        super().prepare(info, seed, worlds)

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[LearnedStreams, str]:
        refuse_knowledge(run.worlds, self.name)
        from duologue.challenges.mobilecs.systems.agent_baseline.network import learner  # these need torch
        from duologue.models.train import TrainConfig, train

        learned, validation = (
            [(sample.dialogue_id, parts.stream()) for sample, parts in learned_turns(part)]
            for part in (examples, held_out)
        )
        seen = f"{len(learned)} turns of {len({name for name, _ in learned})} annotated training dialogues"
        if not validation:
            names = draw_order((name for name, _ in learned), run.seed)
            apart = names[: max(1, round(self.recipe.held_out * len(names)))]
            learned, validation = split_by_group(learned, lambda one: one[0], set(apart))
        if not learned or not validation:
            raise UsageError(
                f"the baseline learns from dialogues with replies and intents, at least two; found {len(learned)} "
                f"turns to learn from and {len(validation)} to choose by"
            )
        texts = [stream for _, stream in learned]
        known = CopyVocabulary.of(({*stream} for stream in texts), least=self.recipe.rare)
        characters = CopyVocabulary([*MARKS, *(one for one in known.words if one not in MARKS)])
        model = self._new_model(characters, run.seed)
        rows, tests = ([self._numbers(stream, characters) for _, stream in part] for part in (learned, validation))
        train(learner(model), rows, tests, TrainConfig.of(self.recipe, choose="loss"), run)
        return LearnedStreams(characters, model.eval()), seen

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return intents and a reply for each sample. Raises `UsageError` before `fit` or `load`."""
        self._trained()
        return [
            answer
            for start in range(0, len(samples), _CHUNK)
            for answer in self._answers(samples[start : start + _CHUNK])
        ]

    def _answers(self, samples: Sequence[Sample]) -> list[Answer]:
        recipe = self.recipe
        bases = [base_with_names(sample.knowledge) for sample in samples]
        turns = [open_turn(sample, base) for sample, base in zip(samples, bases, strict=True)]
        names = self._said(turns, NAMES, recipe.names)
        turns = [turn._replace(names=one) for turn, one in zip(turns, names, strict=True)]
        intents = self._said(turns, USER_INTENT, recipe.user_intent)
        turns = [
            turn._replace(user_intent=one, result=result_of(one, base))
            for turn, one, base in zip(turns, intents, bases, strict=True)
        ]
        staff = self._said(turns, STAFF_INTENT, recipe.staff_intent)
        turns = [turn._replace(staff_intent=one) for turn, one in zip(turns, staff, strict=True)]
        return [
            answer_of(turn, reply) for turn, reply in zip(turns, self._said(turns, REPLY, recipe.reply), strict=True)
        ]

    def _said(self, turns: Sequence[TurnParts], part: int, longest: int) -> list[str]:
        """Return what the model says for one part of each turn, after the parts before it."""
        from duologue.models.decode import DecodingLimits, greedy  # these need torch
        from duologue.models.decoder_lm import TokenBatch
        from duologue.models.inference import inference
        from duologue.models.tokens import padded

        characters, model = self._trained()
        first = len(SPECIAL)
        forbidden = (*range(first), *(first + mark for mark in range(len(MARKS)) if mark != part))
        limits = DecodingLimits(
            longest=longest, shortest=0, forbidden=forbidden, begin=first + part - 1, end=first + part
        )
        streams = [self._numbers(turn.stream(part), characters)[:-1] for turn in turns]  # the mark starts the part
        with inference(model):
            replies = greedy(model, model.encode(TokenBatch(padded(streams))), len(streams), limits)
        return ["".join(characters.text(one.words)) for one in replies]

    def _numbers(self, stream: str, characters: CopyVocabulary) -> list[int]:
        return characters.target(stream)[-self.recipe.longest :]

    def _new_model(self, characters: CopyVocabulary, seed: int) -> DecoderLM:
        from duologue.models.decoder_lm import DecoderLMConfig, new_decoder_lm  # these need torch

        return new_decoder_lm(DecoderLMConfig.of(self.recipe, vocabulary=len(characters)), seed)

    def _networks(self, learned: LearnedStreams) -> Networks:
        return {WEIGHTS: learned.model}

    def _card(self, learned: LearnedStreams) -> AgentBaselineCard:
        return AgentBaselineCard(characters=list(learned.characters.words), seen=self.seen)

    def _restored(self, card: AgentBaselineCard) -> LearnedStreams:
        characters = CopyVocabulary(card.characters)
        return LearnedStreams(characters, self._new_model(characters, 0))
