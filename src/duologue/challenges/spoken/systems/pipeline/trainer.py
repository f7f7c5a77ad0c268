"""Teaching the parts of the pipeline, one after another."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Literal

from duologue.challenges.spoken.systems.asr_correction.clean_texts import traces
from duologue.challenges.spoken.systems.pipeline.attributes import grams_of, spoken
from duologue.challenges.spoken.systems.pipeline.components import Parts, new_parts
from duologue.challenges.spoken.systems.pipeline.entity_tagger import Rarity, tagged
from duologue.challenges.spoken.systems.pipeline.generator_input import lesson_of, source_of
from duologue.challenges.spoken.systems.pipeline.utterances import facts_of, lines_of, with_names
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.spoken.systems.asr_correction.corrector import Repairer
    from duologue.challenges.spoken.systems.pipeline.network.seq2seq import Pair
    from duologue.challenges.spoken.systems.pipeline.network.vectors import TextPair
    from duologue.challenges.spoken.systems.pipeline.recipe import Attributes, Names, PipelineRecipe, Replies
    from duologue.core.protocols import Run, World
    from duologue.core.records import Example, Fact


def learn(recipe: PipelineRecipe, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> Parts:
    """Return parts that have learned from examples with replies; the held-out ones say which weights are best.

    Interrupted, each part goes on from its last checkpoint to the same weights. Raises `UsageError` when there is
    nothing to learn from.
    """
    from duologue.challenges.spoken.systems.pipeline.network.generator import reply_learner  # these need torch
    from duologue.challenges.spoken.systems.pipeline.network.tagger import tag_learner
    from duologue.challenges.spoken.systems.pipeline.network.vectors import vector_learner
    from duologue.models.words import Words

    lines, judged = lines_of(examples), lines_of(held_out)
    texts = [gram for one in examples if facts_of(one) for gram in _grams(one)]
    parts = new_parts(
        recipe,
        Words.of((line.text for line in lines), least=recipe.rare),
        Words.of(texts, least=recipe.rare),
        Rarity.of(lines),
        run.seed,
    )
    teach = _Teacher(recipe, run)
    names = [[tagged(line, parts.signs) for line in with_names(part)] for part in (lines, judged)]
    teach(tag_learner(parts.tagger), names, recipe.names, "names", "loss")
    attributes = [_questions(part, parts) for part in (examples, held_out)]
    teach(vector_learner(parts.vectors), attributes, recipe.attributes, "attributes", "right")
    replies = [
        [_reply(one, parts, run.worlds) for one in part if _is_worth_saying(one)] for part in (examples, held_out)
    ]
    teach(reply_learner(parts.writer), replies, recipe.replies, "replies", "loss")
    return parts._replace(repairer=_repairer(examples, run)) if recipe.correct else parts


class _Teacher:
    """Trains a part in a folder of its own below that of the run."""

    def __init__(self, recipe: PipelineRecipe, run: Run) -> None:
        self.recipe, self.run = recipe, run

    def __call__(
        self,
        subject: Any,
        rows_and_tests: Sequence[Sequence[Any]],
        part: Names | Attributes | Replies,
        name: str,
        choose: Literal["right", "loss"],
    ) -> None:
        from duologue.models.train import Plan, train  # needs torch

        rows, tests = rows_and_tests
        if not rows or not tests:
            raise UsageError(f"there are too few dialogues with facts to learn {name} from; give more with --train")
        recipe, run = self.recipe, self.run
        plan = Plan(
            epochs=part.epochs,
            batch=part.batch,
            learning_rate=part.learning_rate,
            choose=choose,
            checkpoint_seconds=recipe.checkpoint_seconds,
            threads=recipe.threads,
        )
        folder = run.folder / name
        train(subject, rows, tests, plan, folder=folder, seed=run.seed, identity=run.identity, progress=run.progress)


def _grams(example: Example) -> list[list[str]]:
    """Return the n-grams of the question of an example and of the attribute asked for."""
    question = example.sample.history[-1].text if example.sample.history else ""
    return [grams_of(question), grams_of(spoken(facts_of(example)[0].relation))]


def _questions(examples: Sequence[Example], parts: Parts) -> list[TextPair]:
    from duologue.challenges.spoken.systems.pipeline.network.vectors import TextPair  # needs torch

    return [TextPair(*map(parts.grams.target, _grams(one))) for one in examples if facts_of(one)]


def _is_worth_saying(example: Example) -> bool:
    """Return whether a reply should be learned: those without facts often bear noise, those with facts never do."""
    return bool(facts_of(example)) or not traces(example.references[0].text or "")


def _reply(example: Example, parts: Parts, worlds: Mapping[str, World]) -> Pair:
    source = source_of(given(example, worlds), example.sample.history)
    return lesson_of(source, example.references[0].text or "", parts.signs)[0]


def given(example: Example, worlds: Mapping[str, World]) -> list[Fact]:
    """Return the gold facts with all other values of their entities and attributes.

    That is what the generator is given later; from the gold ones alone it would learn to say whatever it is given.
    """
    facts = facts_of(example)
    world = worlds.get(example.sample.world or "")
    pairs = dict.fromkeys((fact.subject, fact.relation) for fact in facts)
    known = (
        [] if world is None else [fact for pair in pairs for fact in world.about(pair[0]) if fact.relation == pair[1]]
    )
    return list(dict.fromkeys([*known, *facts]))


def _repairer(examples: Sequence[Example], run: Run) -> Repairer:
    """Return what corrects: it learns from the turns that bear no noise."""
    from duologue.challenges.spoken.systems.asr_correction.clean_texts import clean_texts_of
    from duologue.challenges.spoken.systems.asr_correction.corrector import Repairer

    return Repairer.learn(
        clean_texts_of(examples), [fact.subject for one in examples for fact in facts_of(one)], seed=run.seed
    )


def parted(examples: Sequence[Example], share: float, seed: int) -> tuple[list[Example], list[Example]]:
    """Return the examples parted by dialogue: those to learn from, and about this share of them."""
    draws = {
        name: hashlib.sha256(f"{seed} {name}".encode()).digest()
        for name in dict.fromkeys(one.sample.dialogue_id for one in examples)
    }
    held = set(sorted(draws, key=draws.__getitem__)[: max(1, round(share * len(draws)))]) if draws else set()
    return (
        [one for one in examples if one.sample.dialogue_id not in held],
        [one for one in examples if one.sample.dialogue_id in held],
    )
