"""The generation baseline of the challenge, `postks` (specification, section 4), as a system.

Text becomes numbers in `text`, the network is `network.model`. Recipes stand in `recipes/`: the published sizes and
settings, the document's reading, and the small size that is the default here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from duologue.challenges.proactive.systems.holdout import split
from duologue.challenges.proactive.systems.postks.recipe import PostksRecipe
from duologue.challenges.proactive.systems.references import expect_reply
from duologue.core.progress import tracked
from duologue.core.records import Answer, Example, Record
from duologue.core.scope import Scope
from duologue.models.trained_system import WEIGHTS, TrainedSystem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.proactive.systems.postks.network.batch import PostksRow
    from duologue.challenges.proactive.systems.postks.network.model import Postks
    from duologue.challenges.proactive.systems.postks.text import PostksVocabulary
    from duologue.core.protocols import Progress, Run
    from duologue.core.records import Sample
    from duologue.models.trained_system import Networks

_CHUNK = 64  # hypotheses decoded at once
_SEEN = "the agent's turns of the sessions given, nothing else"


class PostksCard(Record, frozen=True, kw_only=True):
    """What a saved baseline needs besides its weights."""

    words: Annotated[list[str], msgspec.Meta(min_length=4)]
    """The vocabulary, special tokens first."""
    seen: str = _SEEN


class LearnedPostks(NamedTuple):
    """The network with its vocabulary."""

    model: Postks
    words: PostksVocabulary


class PostksBaseline(TrainedSystem[PostksRecipe, LearnedPostks]):
    """Generate replies by posterior knowledge selection, the generation baseline of DuConv."""

    Recipe: type[Record] = PostksRecipe
    scope = Scope(tasks=("proactive",))
    extras = ("models",)
    name, training_files = "postks", "FILE.jsonl[.gz]"
    Card, card_file = PostksCard, "postks.json"

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[LearnedPostks, str]:
        """Train on samples with replies; without held-out samples a part that shares no pair of topics is held out."""
        from duologue.challenges.proactive.systems.postks.network.learner import Learner
        from duologue.challenges.proactive.systems.postks.text import PostksVocabulary  # these need torch
        from duologue.models.train import TrainConfig, train

        recipe = self.recipe
        if not held_out:
            examples, held_out = split(examples, recipe.held_out, run.seed)
        lines, validation = (self._lines(part, run.progress) for part in (examples, held_out))
        words = PostksVocabulary.of(lines)
        model = self._new_model(words, run.seed)
        config = TrainConfig.of(
            recipe,
            warm_up=0.0,
            weight_decay=0.0,
            optimiser="adam",
            schedule="constant",
            choose="loss",
            choose_from=min(recipe.bow_epochs, recipe.epochs - 1),
        )
        train(
            Learner(model, recipe.bow_epochs, recipe.precision).subject(),
            _training_rows(lines, words),
            _training_rows(validation, words),
            config,
            run,
        )
        return LearnedPostks(model.to("cpu"), words), _SEEN

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return a non-empty reply to each sample.

        Raises `UsageError` before `fit` or `load`, and for a sample without a goal of two topics.
        """
        from duologue.challenges.proactive.systems.postks.network.learner import replies
        from duologue.challenges.proactive.systems.postks.text import reply_of, text_of  # these need torch

        model, words = self._trained()
        texts = [text_of(Example(sample=sample), generalise=self.recipe.generalise) for sample in samples]
        rows = [words.input_row(text.line) for text in texts]
        answers: list[Answer] = [Answer(text="")] * len(samples)
        order = sorted(range(len(rows)), key=lambda place: len(rows[place].source))
        size = max(1, _CHUNK // self.recipe.width)
        for start in range(0, len(order), size):
            places = order[start : start + size]
            found = replies(model, [rows[place] for place in places], self.recipe.width)
            for place, one in zip(places, found, strict=True):
                said = words.write(one.tokens)
                answers[place] = Answer(text=reply_of(said, texts[place].topics, samples[place]))
        return answers

    def _networks(self, learned: LearnedPostks) -> Networks:
        return {WEIGHTS: learned.model}

    def _card(self, learned: LearnedPostks) -> PostksCard:
        return PostksCard(words=learned.words.words, seen=self.seen)

    def _restored(self, card: PostksCard) -> LearnedPostks:
        from duologue.challenges.proactive.systems.postks.text import PostksVocabulary  # needs torch

        words = PostksVocabulary(card.words)
        return LearnedPostks(self._new_model(words, 0), words)

    def _lines(self, examples: Sequence[Example], progress: Progress | None) -> list[str]:
        """Return the model text of examples with replies; raises `UsageError` for one without."""
        from duologue.challenges.proactive.systems.postks.text import text_of  # needs torch

        lines = []
        for example in tracked(examples, progress, "reading samples"):
            expect_reply(example, empty=True)
            lines.append(text_of(example, generalise=self.recipe.generalise).line)
        return lines

    def _new_model(self, words: PostksVocabulary, seed: int) -> Postks:
        from duologue.challenges.proactive.systems.postks.network.learner import new_postks
        from duologue.challenges.proactive.systems.postks.network.model import PostksSize  # these need torch

        recipe = self.recipe
        size = PostksSize(
            vocabulary=len(words),
            words=recipe.words,
            hidden=recipe.hidden,
            dropout=recipe.dropout,
            posterior=recipe.posterior,
            loss=recipe.loss,
        )
        return new_postks(size, seed)


def _training_rows(lines: Sequence[str], words: PostksVocabulary) -> list[PostksRow]:
    """Return the rows of lines, without those that the official program drops as too long."""
    return [row for row in map(words.training_row, lines) if row is not None]
