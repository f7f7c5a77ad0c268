"""The generation baseline of the challenge, `postks` (specification, section 4), as a system.

Text becomes numbers in `text`, the network is `network.model`. Recipes stand in `recipes/`: the published sizes and
settings, the document's reading, and the small size that is the default here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.proactive.systems.holdout import split
from duologue.challenges.proactive.systems.postks.recipe import PostksRecipe
from duologue.challenges.proactive.systems.references import expect_reply
from duologue.core.disk import decode_json, decode_text, read_bytes, write_text
from duologue.core.errors import StorageError, UsageError
from duologue.core.progress import tracked
from duologue.core.records import Answer, Example, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.proactive.systems.postks.network.batch import PostksRow
    from duologue.challenges.proactive.systems.postks.network.model import Postks
    from duologue.challenges.proactive.systems.postks.text import PostksVocabulary
    from duologue.core.protocols import Progress, Run, Task, TaskInfo, TrainingData, World
    from duologue.core.records import Sample

WEIGHTS, CARD = "weights.safetensors", "postks.json"
_CHUNK = 64  # hypotheses decoded at once


class PostksBaseline:
    """Generate replies by posterior knowledge selection, the generation baseline of DuConv (a `Trainable`)."""

    Recipe: type[Record] = PostksRecipe
    scope = Scope(tasks=("proactive",))
    extras = ("models",)

    def __init__(self, recipe: PostksRecipe | None = None) -> None:
        self.recipe = recipe or PostksRecipe()
        self.seen: str = "the agent's turns of the sessions given, nothing else"
        self._model: Postks | None = None
        self._words: PostksVocabulary | None = None

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # all its knowledge is in its weights
        """Check the task. Raises `UsageError` for any but `proactive`."""
        if info.name != "proactive":
            raise UsageError(f"postks answers for task 'proactive' alone, found '{info.name}'")

    def make_training_data(self, task: Task, seed: int, progress: Progress | None) -> TrainingData:  # noqa: ARG002  # there is no practice data
        """Raise `UsageError`: there is no simulator of this data."""
        raise UsageError("postks learns from sessions of people; give them with --train FILE.jsonl[.gz]")

    def fit(
        self,
        examples: Sequence[Example],
        held_out: Sequence[Example],
        unlabelled: Sequence[Example],  # noqa: ARG002  # needs replies
        run: Run,
    ) -> None:
        """Train on samples with replies; without held-out samples a part that shares no pair of topics is held out.

        An interrupted training resumes from the last checkpoint in `run.folder` and ends in the same weights. Raises
        `UsageError` without training data.
        """
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
        self._model, self._words = model.to("cpu"), words

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return a non-empty reply to each sample.

        Raises `UsageError` before `fit` or `load`, and for a sample without a goal of two topics.
        """
        from duologue.challenges.proactive.systems.postks.network.learner import replies
        from duologue.challenges.proactive.systems.postks.text import reply_of, text_of  # these need torch

        if self._model is None or self._words is None:
            raise UsageError("postks has not learned yet; train it, or load a trained one")
        texts = [text_of(Example(sample=sample), generalise=self.recipe.generalise) for sample in samples]
        rows = [self._words.input_row(text.line) for text in texts]
        answers: list[Answer] = [Answer(text="")] * len(samples)
        order = sorted(range(len(rows)), key=lambda place: len(rows[place].source))
        size = max(1, _CHUNK // self.recipe.width)
        for start in range(0, len(order), size):
            places = order[start : start + size]
            found = replies(self._model, [rows[place] for place in places], self.recipe.width)
            for place, one in zip(places, found, strict=True):
                said = self._words.write(one.tokens)
                answers[place] = Answer(text=reply_of(said, texts[place].topics, samples[place]))
        return answers

    def save(self, folder: Path) -> None:
        """Write the weights and the vocabulary."""
        from duologue.models.weights import save_weights  # needs torch

        if self._model is None or self._words is None:
            raise UsageError("there is nothing to save: postks has not learned yet")
        save_weights(self._model, folder / WEIGHTS)
        write_text(folder / CARD, msgspec.json.encode({"words": self._words.words}).decode() + "\n")

    def load(self, folder: Path) -> None:
        """Load what `save` wrote; raises `StorageError` when a file is missing or damaged."""
        from duologue.challenges.proactive.systems.postks.text import PostksVocabulary  # these need torch
        from duologue.models.weights import load_weights

        path = folder / CARD
        text, _ = decode_text(read_bytes(path), path)
        card: Any = decode_json(text, path)
        words = card.get("words") if isinstance(card, dict) else None
        if not isinstance(words, list) or len(words) < 4 or not all(isinstance(word, str) for word in words):
            raise StorageError(f"{path}: expected an object with a list of words under 'words'; train the model again")
        model = self._new_model(PostksVocabulary(words), 0)
        load_weights(model, folder / WEIGHTS)
        self._model, self._words = model.eval(), PostksVocabulary(words)

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
