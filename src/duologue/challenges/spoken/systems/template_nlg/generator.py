"""The replier: it says given facts as people said like ones, and has learned which of their ways to choose.

Candidates are replies of the training dialogues with these facts in their slots (`template_index`); a small network
(`duologue.models.utility`) predicts how well each would do by the measures of the challenge. A candidate that states
anything beyond the facts and the history is never said.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.spoken.systems.template_nlg.context import situation_of
from duologue.challenges.spoken.systems.template_nlg.grounding import Lexicon, known_from, unfounded
from duologue.challenges.spoken.systems.template_nlg.recipe import ReplierRecipe
from duologue.challenges.spoken.systems.template_nlg.reranker import (
    new_chooser,
    some_figures,
    some_of,
    voted,
    weigh,
    wordless,
)
from duologue.challenges.spoken.systems.template_nlg.surface_forms import WHOLE, forms_of, fragments_of
from duologue.challenges.spoken.systems.template_nlg.template_index import Bank, Entry
from duologue.challenges.spoken.systems.template_nlg.training_pairs import apart_from, held_out, lessons_of
from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import StorageError, UsageError
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from duologue.challenges.spoken.systems.template_nlg.context import Situation
    from duologue.challenges.spoken.systems.template_nlg.template_index import Found
    from duologue.challenges.spoken.systems.template_nlg.training_pairs import Lesson
    from duologue.core.protocols import Progress, Run, World
    from duologue.core.records import Example, Fact, Sample
    from duologue.models.utility import Choice, UtilityRanker

FOLDER = "replies"
"""Where below the folder of a run the training keeps its checkpoints, and below that of a model its files."""
WEIGHTS, CARD, ENTRIES = "weights.safetensors", "replier.json", "bank.json"

_DIGITS = 5  # of a score: below that, sums depend on the processor
_NOTHING = "嗯，是的。"
"""What is said where no reply of the training dialogues fits."""


class _Card(Record, frozen=True, kw_only=True):
    """What a saved replier needs beside weights and bank."""

    recipe: ReplierRecipe
    plain_words: list[str]


class Replier:
    """Says facts in the words of people; made by `learn` or `load`."""

    def __init__(self, recipe: ReplierRecipe, bank: Bank, words: Sequence[str], model: UtilityRanker) -> None:
        """Take the parts; `words` are runs of characters that are no knowledge."""
        self.recipe, self._bank, self._words, self._model = recipe, bank, list(words), model
        self._lexicon: tuple[World | None, Lexicon] | None = None

    @classmethod
    def learn(
        cls,
        examples: Sequence[Example],
        graph: World,
        run: Run,
        recipe: ReplierRecipe | None = None,
        *,
        judged: Sequence[Example] = (),
        mend: Callable[[str], str] | None = None,
    ) -> Replier:
        """Learn from examples with replies and facts; interrupted, it goes on from its checkpoint to the same weights.

        The examples `judged` decide which weights are best, and nothing else; without them some dialogues do.
        `mend` takes the recogniser's noise out of an utterance; small talk is learned mended. Raises `UsageError`
        where there are too few examples to learn a choice from.
        """
        recipe = recipe or ReplierRecipe()
        lessons, words = lessons_of(examples, graph, mend)
        if judged:
            learned, tests = lessons, apart_from(examples, lessons_of(judged, graph, mend)[0])
        else:
            learned, tests = held_out(lessons, recipe.held_out, run.seed)
        made = cls(recipe, Bank([one.entry for one in learned]), words, new_chooser(recipe.hidden, run.seed))
        made._train(learned, tests, run)
        made._bank = Bank([one.entry for one in lessons])
        return made

    def _train(self, learned: Sequence[Lesson], judged: Sequence[Lesson], run: Run) -> None:
        from duologue.models.train import Plan, train  # needs torch
        from duologue.models.utility import learner

        rows = self._practice(learned, run.progress, "weighing replies", self.recipe.practised)
        tests = self._practice(judged, run.progress, "weighing held-out replies", self.recipe.candidates)
        if not rows or not tests:
            raise UsageError("no sample has candidates: the training files are too small to learn replies from")
        recipe = self.recipe
        self._model.scale(some_figures(rows))
        plan = Plan(
            epochs=recipe.epochs,
            batch=recipe.batch,
            learning_rate=recipe.learning_rate,
            weight_decay=0.02,
            checkpoint_seconds=recipe.checkpoint_seconds,
            threads=recipe.threads,
        )
        train(
            learner(self._model, wordless()),
            rows,
            tests,
            plan,
            folder=run.folder / FOLDER,
            seed=run.seed,
            identity=run.identity,
            progress=run.progress,
        )

    def _practice(self, lessons: Sequence[Lesson], progress: Progress | None, what: str, most: int) -> list[Choice]:
        """Return the candidates of each lesson with their utility, none of its own dialogue; `most` of them, drawn."""
        rows = []
        gc.freeze()  # bank and lessons are many and stay: the collector need not go through them again and again
        try:
            for done, one in enumerate(lessons):
                known = known_from(one.facts, one.example.sample.history)
                found = self._found(one.now, known, apart=one.entry.dialogue)
                if found:
                    rows.append(some_of(weigh(one.now, found, self._bank, one.reply), most, one.example.sample.id))
                if progress is not None and done % 100 == 0:
                    progress(done, len(lessons), what)
        finally:
            gc.unfreeze()
        return rows

    def _found(self, now: Situation, known: str, apart: str | None = None) -> list[Found]:
        recipe = self.recipe
        return self._bank.search(now, known, most=recipe.candidates, pool=recipe.pool, apart=apart)

    def reply(self, sample: Sample, facts: Sequence[Fact], world: World | None = None) -> str:
        """Return a reply to the last turn of a sample that says these facts; without facts, small talk.

        It states nothing that is neither in the facts nor in the history: no number, no foreign word, no title, and
        no name of `world`, the graph at hand.
        """
        known = known_from(facts, sample.history)
        now = situation_of(sample.history, facts)
        found = self._found(now, known)
        lexicon = self._names(world)
        for place in self._ranked(now, found):
            text = found[place].text
            if text.strip() and not unfounded(text, known, lexicon):
                return text
        return _bare_reply(now)

    def ready(self, world: World) -> None:
        """Read the names of a graph now, not at the first reply; for those who answer against the clock."""
        self._names(world)

    def _ranked(self, now: Situation, found: Sequence[Found]) -> list[int]:
        """Return the candidates by their place, best first."""
        if not found:
            return []
        from duologue.models.utility import scores  # needs torch

        scored = scores(self._model, [weigh(now, found, self._bank)], wordless())[0]
        worth = [round(one, _DIGITS) for one in voted(found, scored, self.recipe.vote).tolist()]
        return sorted(range(len(found)), key=lambda place: (-worth[place], place))

    def _names(self, world: World | None) -> Lexicon:
        if self._lexicon is None or self._lexicon[0] is not world:
            self._lexicon = (world, Lexicon(world or (), self._words))
        return self._lexicon[1]

    def save(self, folder: Path) -> None:
        """Write the bank, the words and the weights below `folder`."""
        from duologue.models.weights import save_weights  # needs torch

        save_weights(self._model, folder / FOLDER / WEIGHTS)
        write_bytes(folder / FOLDER / ENTRIES, msgspec.json.encode(self._bank.entries))
        card = _Card(recipe=self.recipe, plain_words=self._words)
        write_bytes(folder / FOLDER / CARD, msgspec.json.encode(card))

    @classmethod
    def load(cls, folder: Path) -> Replier:
        """Take up what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        from duologue.models.weights import load_weights  # needs torch

        card: _Card = _decoded(folder / FOLDER / CARD, _Card)
        model = new_chooser(card.recipe.hidden, 0)
        load_weights(model, folder / FOLDER / WEIGHTS)
        return cls(card.recipe, Bank(_decoded(folder / FOLDER / ENTRIES, list[Entry])), card.plain_words, model)


def _bare_reply(now: Situation) -> str:
    """Return the values alone, of a text its first part; without facts a word that always fits."""
    said = []
    for group in now.groups:
        parts = fragments_of(group.values[0]) if group.long else ()
        said.append(parts[0].text if parts else "、".join(forms_of(value)[WHOLE] for value in group.values))
    return "，".join(said) + "。" if said else _NOTHING


def _decoded(path: Path, kind: Any) -> Any:
    try:
        return msgspec.json.decode(read_bytes(path), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StorageError(f"{path} is damaged ({error}); train the model again") from error
