"""The reply generator: a copy transformer that says templates with numbered slots, by beam search and by drawing.

What a beam finds joins the candidates of the index. Drawn replies are a sample of what a person might say: how far a
reply agrees with them is a measure of its worth (`second_choice`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.systems.planner.generator_input import KINDS, generator_source
from duologue.challenges.proactive.systems.planner.numbered_slots import NumberedSlots
from duologue.challenges.proactive.systems.planner.pronouns import Pronouns
from duologue.core.seeds import seed_of
from duologue.models.training_recipe import epochs_for
from duologue.models.vocabulary import CopyVocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.challenges.proactive.systems.planner.generator_input import StateTokens
    from duologue.challenges.proactive.systems.planner.numbered_slots import FilledReply
    from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe, ReplyGeneratorRecipe
    from duologue.challenges.proactive.systems.planner.slots import Tokens
    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.core.protocols import Run
    from duologue.models.copy_transformer import CopyTransformer, Seq2SeqPair
    from duologue.models.decode import Reply
    from duologue.retrieval.reranker import RerankingExample

_HEADS = 4
_SHORTEST, _LONGEST = 3, 40  # tokens of a reply
_NOT_TWICE = 3  # tokens: a run of so many is said once
_LENGTH_POWER = 0.7
_TOP_P, _TEMPERATURE = 0.9, 0.9
_TARGET = 45  # tokens of a person's reply that are learned


class GeneratedReplies(NamedTuple):
    """What is generated for a state."""

    likely: Sequence[FilledReply] = ()
    """Of the beam, the likeliest first."""
    drawn: Sequence[FilledReply] | None = None
    """What was drawn; `None` where nothing is."""


class ReplyGenerator:
    """Generates replies to a state."""

    def __init__(self, sizes: ReplyGeneratorRecipe, words: Sequence[str], seed: int = 0) -> None:
        """Take the sizes, the vocabulary without its special words, and the seed of the first weights."""
        from duologue.models.copy_transformer import Seq2SeqSize  # these need torch
        from duologue.models.seq2seq import new_generator

        self.vocabulary = CopyVocabulary(words)
        size = Seq2SeqSize(
            vocabulary=len(self.vocabulary),
            kinds=KINDS,
            width=sizes.width,
            heads=_HEADS,
            inner=4 * sizes.width,
            encoder_layers=sizes.encoder_layers,
            decoder_layers=sizes.decoder_layers,
            dropout=sizes.dropout,
            word_dropout=sizes.word_dropout,
        )
        self.network: CopyTransformer = new_generator(size, seed)

    @classmethod
    def trained(
        cls,
        recipe: PlannerRecipe,
        training: Sequence[RerankingExample[PlannerState]],
        held_out: Sequence[RerankingExample[PlannerState]],
        run: Run,
    ) -> ReplyGenerator:
        """Return a generator trained on states with replies; `held_out` decides which weights are best."""
        from duologue.models.seq2seq import generator_learner  # these need torch
        from duologue.models.train import TrainConfig, train

        sizes = recipe.generator
        read, tests = ([_read(one) for one in part] for part in (training, held_out))
        texts = (text for source, reply in read for text in (source.tokens, reply))
        made = cls(sizes, CopyVocabulary.of(texts, least=sizes.rare, limit=sizes.words).words, run.seed)
        epochs = epochs_for(len(read), sizes.batch, sizes.epochs, sizes.least_steps)
        config = TrainConfig.of(recipe, sizes, epochs=epochs, weight_decay=0.02, choose="loss", fused=True)
        rows, rows_held_out = ([made._pair(*one)[0] for one in part] for part in (read, tests))
        train(generator_learner(made.network), rows, rows_held_out, config, run)
        made.network.eval()
        return made

    def replies(self, state: PlannerState, recipe: PlannerRecipe) -> GeneratedReplies:
        """Return what is generated for a state, as much as a recipe asks for; what is drawn depends on the state alone.

        Replies with a slot that has no such value, or with a fact where the recipe allows none, are left out.
        """
        from duologue.models.copy_transformer import collate_seq2seq  # these need torch
        from duologue.models.decode import DecodingLimits
        from duologue.models.generation import SamplingConfig, generate
        from duologue.models.inference import inference

        slots, network = NumberedSlots(state), self.network
        source = generator_source(state, slots)
        pair, unknown = self._pair(source)
        limits = DecodingLimits(longest=_LONGEST, shortest=_SHORTEST, once=_NOT_TWICE)
        width, number = recipe.generator.beam, recipe.generator.drawn
        beam = SamplingConfig(width=width, length_power=_LENGTH_POWER)
        draws = SamplingConfig(search="nucleus", draws=number, top_p=_TOP_P, temperature=_TEMPERATURE)
        likely: list[Reply] = []
        drawn: list[Reply] = []
        with inference(network):
            sources = collate_seq2seq([pair])
            begin = network.start(network.encode(sources.source, sources.kinds))
            if width:
                likely = generate(network, begin, 1, beam, limits, ())[0]
            if recipe.draws:
                drawn = generate(network, begin, 1, draws, limits, [seed_of(" ".join(source.tokens))])[0]
        pronouns: Callable[[Tokens], Tokens] = Pronouns(state) if recipe.pronouns else tuple

        def filled(found: Sequence[Reply]) -> list[FilledReply]:
            texts = (pronouns(tuple(self.vocabulary.text(one.words, unknown))) for one in found)
            made = (slots.filled(text, facts=recipe.copy) for text in texts)
            return [one for one in made if one is not None]

        return GeneratedReplies(filled(likely), filled(drawn) if recipe.draws else None)

    def _pair(self, source: StateTokens, reply: Sequence[str] = ()) -> tuple[Seq2SeqPair, list[str]]:
        """Return a source and its reply as numbers, and the words of the source that the vocabulary has not."""
        from duologue.models.copy_transformer import Seq2SeqPair  # needs torch

        numbers, unknown = self.vocabulary.source(source.tokens)
        return Seq2SeqPair(numbers, source.kinds, self.vocabulary.target(reply, unknown)[:_TARGET]), unknown


def _read(example: RerankingExample[PlannerState]) -> tuple[StateTokens, list[str]]:
    """Return what is read of a state, and the numbered template of its reply."""
    slots = NumberedSlots(example.state)
    return generator_source(example.state, slots), slots.template(example.reference.split())
