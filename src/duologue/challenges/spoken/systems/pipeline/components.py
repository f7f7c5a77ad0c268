"""Components of the pipeline: construction, and what is kept of them beside weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.spoken.systems.pipeline.entity_tagger import NgramIdf, tagger_size
from duologue.challenges.spoken.systems.pipeline.generator_input import KINDS
from duologue.core.records import Record

if TYPE_CHECKING:
    from duologue.challenges.spoken.systems.pipeline.asr_correction.corrector import AsrCorrector
    from duologue.challenges.spoken.systems.pipeline.network.tagger import Tagger
    from duologue.challenges.spoken.systems.pipeline.network.vectors import TextVectors
    from duologue.challenges.spoken.systems.pipeline.recipe import PipelineRecipe
    from duologue.models.copy_transformer import CopyTransformer, Seq2SeqSize
    from duologue.models.vocabulary import CopyVocabulary


class Components(NamedTuple):
    """The trained components and vocabularies."""

    signs: CopyVocabulary
    """Characters, for tagger and generator."""
    grams: CopyVocabulary
    """n-grams of questions and attributes."""
    idf_table: NgramIdf
    tagger: Tagger
    vectors: TextVectors
    generator: CopyTransformer
    corrector: AsrCorrector | None
    """`None` where nothing is corrected."""


class PipelineCard(Record, frozen=True, kw_only=True):
    """What saved components keep beside weights."""

    signs: list[str]
    grams: list[str]
    idf_table: NgramIdf = msgspec.field(name="rarity")
    seen: str


def new_components(
    recipe: PipelineRecipe, signs: CopyVocabulary, grams: CopyVocabulary, idf_table: NgramIdf, seed: int
) -> Components:
    """Return untrained components without a corrector."""
    from duologue.challenges.spoken.systems.pipeline.network.tagger import new_tagger
    from duologue.challenges.spoken.systems.pipeline.network.vectors import VectorSize, new_vectors
    from duologue.models.seq2seq import new_generator  # these need torch

    return Components(
        signs=signs,
        grams=grams,
        idf_table=idf_table,
        tagger=new_tagger(tagger_size(signs, recipe.names.width, recipe.names.layers), seed),
        vectors=new_vectors(VectorSize(vocabulary=len(grams), width=recipe.attributes.width), seed),
        generator=new_generator(_size(recipe, len(signs)), seed),
        corrector=None,
    )


def _size(recipe: PipelineRecipe, vocabulary: int) -> Seq2SeqSize:
    from duologue.models.copy_transformer import Seq2SeqSize  # needs torch

    replies = recipe.replies
    return Seq2SeqSize(
        vocabulary=vocabulary,
        kinds=KINDS,
        width=replies.width,
        inner=2 * replies.width,
        encoder_layers=replies.encoder_layers,
        decoder_layers=replies.decoder_layers,
        dropout=replies.dropout,
        word_dropout=replies.word_dropout,
    )
