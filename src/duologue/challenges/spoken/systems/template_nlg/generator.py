"""Template-based generator: retrieves reply templates, fills them with the facts and reranks the candidates.

Candidates are training replies with the given facts in their slots (`template_index`); a small network
(`duologue.models.utility`) predicts the utility of each by the measures of the challenge. A candidate that states
anything that neither the facts nor the history support is never chosen (`grounding`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.spoken.systems.template_nlg.context import context_of
from duologue.challenges.spoken.systems.template_nlg.grounding import EntityLexicon, unsupported
from duologue.challenges.spoken.systems.template_nlg.recipe import TemplateNlgRecipe
from duologue.challenges.spoken.systems.template_nlg.reranking_task import ReplyRerankingTask, mbr_scores, new_reranker
from duologue.challenges.spoken.systems.template_nlg.surface_forms import WHOLE, fragments_of, surface_forms_of
from duologue.challenges.spoken.systems.template_nlg.template_index import IndexedTemplate, ReplyTemplateIndex
from duologue.challenges.spoken.systems.template_nlg.training_pairs import (
    training_replies,
    with_training_duplicates,
)
from duologue.challenges.spoken.systems.training_data import split_by_dialogue
from duologue.core.progress import tracked
from duologue.core.records import Record
from duologue.models.trained_system import WEIGHTS, read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.challenges.spoken.systems.template_nlg.context import ReplyContext
    from duologue.challenges.spoken.systems.template_nlg.template_index import ReplyCandidate
    from duologue.challenges.spoken.systems.template_nlg.training_pairs import TrainingReply
    from duologue.core.protocols import Run, World
    from duologue.core.records import Example, Fact, Sample

FOLDER = "replies"
"""Folder of the checkpoints in a run, and of the files in a saved model."""
CARD, ENTRIES = "replier.json", "bank.json"

_DIGITS = 5  # of a score: below that, sums depend on the processor
_NOTHING = "嗯，是的。"
"""Reply where no candidate fits and there are no facts."""


class _Card(Record, frozen=True, kw_only=True):
    """What a saved generator keeps beside weights and templates."""

    recipe: TemplateNlgRecipe
    plain_words: list[str]


class TemplateGenerator:
    """Generates replies that express given facts; made by `learn` or `load`."""

    def __init__(self, recipe: TemplateNlgRecipe, index: ReplyTemplateIndex, words: Sequence[str]) -> None:
        """Take the parts; `words` are common words, which are no claims."""
        self.recipe, self._words = recipe, list(words)
        self._reranker = new_reranker(index, recipe)
        self._lexicon: tuple[World | None, EntityLexicon] | None = None

    @classmethod
    def learn(
        cls,
        examples: Sequence[Example],
        graph: World,
        run: Run,
        recipe: TemplateNlgRecipe | None = None,
        *,
        validation: Sequence[Example] = (),
    ) -> TemplateGenerator:
        """Train on examples with replies and facts; interrupted, training resumes from its checkpoint.

        The best weights are chosen on `validation`, or on held-out dialogues without it. Raises `UsageError` where
        there are too few examples.
        """
        recipe = recipe or TemplateNlgRecipe()
        training, words = training_replies(examples, graph)
        if validation:
            learned, tests = (
                training,
                with_training_duplicates(examples, training_replies(validation, graph)[0]),
            )
        else:
            learned, tests = split_by_dialogue(training, lambda one: one.entry.source, recipe.held_out, run.seed)
        made = cls(recipe, ReplyTemplateIndex([one.entry for one in learned]), words)
        made._train(learned, tests, run)
        made._reranker.use(ReplyRerankingTask(ReplyTemplateIndex([one.entry for one in training]), recipe))
        return made

    def _train(self, learned: Sequence[TrainingReply], validation: Sequence[TrainingReply], run: Run) -> None:
        from duologue.models.train import TrainConfig  # needs torch

        recipe = self.recipe
        rows, tests = (
            self._reranker.training_rows((one.reranked for one in tracked(part, run.progress, what, every=100)), limit)
            for part, what, limit in (
                (learned, "weighing replies", recipe.training_candidates),
                (validation, "weighing held-out replies", recipe.candidates),
            )
        )
        config = TrainConfig.of(recipe, weight_decay=0.02)
        self._reranker.train(rows, tests, config, run.part(FOLDER))

    def reply(self, sample: Sample, facts: Sequence[Fact], world: World | None = None) -> str:
        """Return a reply to the last turn of a sample that expresses the facts; without facts, small talk.

        It states nothing that is neither in the facts nor in the history: no number, no foreign word, no title, and
        no name of `world`, the graph at hand.
        """
        context = context_of(sample.history, facts)
        candidates = self._reranker.task.candidates(context)
        lexicon = self._lexicon_of(world)
        for place in self._ranked(context, candidates):
            text = candidates[place].text
            if text.strip() and not unsupported(text, context.known, lexicon):
                return text
        return _bare_reply(context)

    def prepare_lexicon(self, world: World) -> None:
        """Index the names of a graph now rather than at the first reply."""
        self._lexicon_of(world)

    def _ranked(self, context: ReplyContext, candidates: Sequence[ReplyCandidate]) -> list[int]:
        """Return the indices of the candidates, best first."""
        if not candidates:
            return []
        scored = self._reranker.utilities([(context, candidates)])[0]
        worth = [round(one, _DIGITS) for one in mbr_scores(candidates, scored, self.recipe.vote).tolist()]
        return sorted(range(len(candidates)), key=lambda place: (-worth[place], place))

    def _lexicon_of(self, world: World | None) -> EntityLexicon:
        if self._lexicon is None or self._lexicon[0] is not world:
            self._lexicon = (world, EntityLexicon(world or (), self._words))
        return self._lexicon[1]

    def save(self, folder: Path) -> None:
        """Write templates, common words and weights below `folder`."""
        self._reranker.save(folder / FOLDER / WEIGHTS)
        write_json(self._reranker.task.index.entries, folder / FOLDER / ENTRIES)
        write_json(_Card(recipe=self.recipe, plain_words=self._words), folder / FOLDER / CARD)

    @classmethod
    def load(cls, folder: Path) -> TemplateGenerator:
        """Take up what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        card = read_json(folder / FOLDER / CARD, _Card)
        index = ReplyTemplateIndex(read_json(folder / FOLDER / ENTRIES, list[IndexedTemplate]))
        made = cls(card.recipe, index, card.plain_words)
        made._reranker.load(folder / FOLDER / WEIGHTS)
        return made


def _bare_reply(context: ReplyContext) -> str:
    """Return the values alone, of a text its first part; without facts a generic reply."""
    said = []
    for group in context.groups:
        parts = fragments_of(group.values[0]) if group.long else ()
        said.append(parts[0].text if parts else "、".join(surface_forms_of(value)[WHOLE] for value in group.values))
    return "，".join(said) + "。" if said else _NOTHING
