"""The reranker: a small network that predicts the utility of each candidate for a dialogue state, and its training."""

from __future__ import annotations

import gc
import hashlib
import itertools
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from duologue.core.errors import UsageError
from duologue.models.choices import template_table
from duologue.retrieval.template_index import NOT_INDEXED, Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from duologue.core.protocols import Run
    from duologue.models.choices import Choice, ChoiceEncoder, UtilitySize
    from duologue.models.train import TrainConfig
    from duologue.models.utility import Collator, UtilityRanker
    from duologue.retrieval.template_index import TemplateIndex

    Floats = NDArray[np.float32]

State = TypeVar("State")
State_contra = TypeVar("State_contra", contravariant=True)

_LONGEST = 32  # words of a template that are read
_SAMPLED = 20_000  # candidates from which mean and spread of the features are taken


class RerankingTask(Protocol[State_contra, Candidate]):
    """What a challenge plugs in, over one index of templates.

    Letters in shapes: c candidates, f features, a targets.
    """

    @property
    def index(self) -> TemplateIndex[Any]:
        """The index of templates."""
        ...

    def candidates(self, state: State_contra, apart: str | None = None) -> list[Candidate]:
        """Return the candidates for a state, none from the source `apart`."""
        ...

    def features(self, state: State_contra, candidates: Sequence[Candidate]) -> Floats:
        """Return the features (c, f) of candidates for a state. References are never used."""
        ...

    def utilities(self, candidates: Sequence[Candidate], reference: str) -> Floats:
        """Return how good each candidate would have been, by each target (c, a)."""
        ...


@runtime_checkable
class TextRerankingTask(Protocol[State_contra]):
    """What a challenge plugs in besides, where the network reads words and not features alone."""

    def state_words(self, state: State_contra) -> Iterable[str]:
        """Return what the network reads of a state."""
        ...

    def template_words(self) -> Sequence[Sequence[str]]:
        """Return what the network reads of each template of the index."""
        ...


class RerankingExample(NamedTuple, Generic[State]):
    """A state with the reply that a person gave."""

    name: str
    """Id of its sample."""
    state: State
    reference: str
    source: str
    """Where it is from: it gets no candidates from there."""


class Reranker(Generic[State, Candidate]):
    """Encodes candidates, trains the network on their utilities, and predicts them."""

    def __init__(self, task: RerankingTask[State, Candidate], encoder: ChoiceEncoder, size: UtilitySize) -> None:
        """Take the challenge's part, the vocabularies, and the sizes of the network but those of the vocabularies."""
        self.encoder, self._size = encoder, encoder.sized(size)
        self._model: UtilityRanker | None = None
        self.use(task)

    def use(self, task: RerankingTask[State, Candidate]) -> None:
        """Take another index, such as that of all replies after a training on some."""
        self.task = task
        self._text = task if isinstance(task, TextRerankingTask) else None
        self._collate: Collator | None = None

    @property
    def trained(self) -> bool:
        """Whether there is a network."""
        return self._model is not None

    def choice(self, state: State, candidates: Sequence[Candidate], reference: str | None = None) -> Choice:
        """Return the encoded candidates of a state; with a reference, their utilities too."""
        others = [one.template_words[:_LONGEST] for one in candidates if one.entry == NOT_INDEXED]
        numbers = itertools.count(-1, -1)
        return self.encoder.choice(
            () if self._text is None else self._text.state_words(state),
            [next(numbers) if one.entry == NOT_INDEXED else one.entry for one in candidates],
            self.task.features(state, candidates),
            None if reference is None else self.task.utilities(candidates, reference),
            others,
        )

    def training_rows(self, examples: Iterable[RerankingExample[State]], limit: int = 0) -> list[Choice]:
        """Return the candidates of each example that has some, with their utilities; at most `limit` of each, if not 0.

        No example has candidates of its own source.
        """
        rows = []
        gc.freeze()  # index and examples are large and stay: the collector need not traverse them again
        try:
            for one in examples:
                candidates = self.task.candidates(one.state, apart=one.source)
                if candidates:
                    row = self.choice(one.state, candidates, one.reference)
                    rows.append(sample_candidates(row, limit, one.name) if limit else row)
        finally:
            gc.unfreeze()
        return rows

    def train(
        self, rows: Sequence[Choice], held_out: Sequence[Choice], config: TrainConfig, run: Run, *, sampled: int = 0
    ) -> None:
        """Train the network; `held_out` decides which weights are best. Interrupted, it resumes from its checkpoint.

        With `sampled`, a step reads so many candidates of a list. Raises `UsageError` where there are no rows.
        """
        from duologue.models.train import train  # these need torch
        from duologue.models.utility import learner, new_utility

        if not rows or not held_out:
            raise UsageError("no sample has candidates: the training files are too small to learn replies from")
        model = new_utility(self._size, run.seed)
        step = max(1, sum(len(row.templates) for row in rows) // _SAMPLED)
        model.scale(np.concatenate([row.features for row in rows[::step]]))
        train(learner(model, self._collator(), sampled), rows, held_out, config, run)
        self._model = model.eval()

    def utilities(self, lists: Sequence[tuple[State, Sequence[Candidate]]]) -> list[Floats]:
        """Return the predicted utility of each candidate of each list (c,), the mean over the targets."""
        from duologue.models.utility import scores  # needs torch

        if self._model is None:
            raise UsageError("the reranker has not learned yet; train it, or load a trained one")
        rows = [self.choice(*one) for one in lists if one[1]]
        predicted = iter(scores(self._model, rows, self._collator()) if rows else [])
        return [next(predicted) if candidates else np.zeros(0, dtype=np.float32) for _, candidates in lists]

    def _collator(self) -> Collator:
        from duologue.models.utility import Collator  # needs torch

        if self._collate is None:
            texts = [()] * len(self.task.index.entries) if self._text is None else self._text.template_words()
            words = (self.encoder.template(one[:_LONGEST]) for one in texts)
            self._collate = Collator(template_table(words))
        return self._collate

    def save(self, path: Path) -> None:
        """Write the weights, if there are any."""
        if self._model is not None:
            from duologue.models.weights import save_weights  # needs torch

            save_weights(self._model, path)

    def load(self, path: Path) -> None:
        """Read weights. Raises `StorageError` where they are missing, damaged, or of a network of other sizes."""
        from duologue.models.utility import new_utility  # these need torch
        from duologue.models.weights import restored

        self._model = restored(lambda: new_utility(self._size, 0), lambda made: {path.name: made}, path.parent)


def sample_candidates(choice: Choice, limit: int, name: str) -> Choice:
    """Return at most `limit` of the candidates, drawn by the id of their sample."""
    n = len(choice.utility)
    if n <= limit:
        return choice
    draws = np.frombuffer(hashlib.shake_256(name.encode()).digest(4 * n), dtype="<u4")
    return choice.some(np.sort(np.argsort(draws, kind="stable")[:limit]))
