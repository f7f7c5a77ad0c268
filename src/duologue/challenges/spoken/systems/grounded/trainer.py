"""What the ranker learns from: situations of training dialogues with the pairs that were wanted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.spoken.systems.grounded.encoder import Reader, wanted_shares, words_of
from duologue.challenges.spoken.systems.grounded.features import Background, pairs_of
from duologue.challenges.spoken.systems.grounded.network import learner
from duologue.challenges.spoken.systems.grounded.normalization import fold
from duologue.challenges.spoken.systems.grounded.system import chance_of, facts_in
from duologue.challenges.spoken.systems.grounded.triple_choice import Lesson, learn_values, value_figures
from duologue.core.errors import UsageError
from duologue.models.train import Plan, train
from duologue.models.utility import new_utility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.spoken.systems.grounded.dialogue_state import Tracker
    from duologue.challenges.spoken.systems.grounded.encoder import Words
    from duologue.challenges.spoken.systems.grounded.features import Pairs
    from duologue.challenges.spoken.systems.grounded.system import GroundedRecipe
    from duologue.challenges.spoken.systems.grounded.triple_choice import Values
    from duologue.core.protocols import Progress, Run
    from duologue.core.records import Example, Fact
    from duologue.models.utility import Choice, UtilityRanker

_LONGEST_PIECE = 4


def background_of(examples: Sequence[Example], *, most: int) -> Background:
    """Return which pieces of text are common, and in how many dialogues each attribute was wanted."""
    common: Counter[str] = Counter()
    attributes: dict[str, set[str]] = {}
    for one in examples:
        for turn in one.sample.history[-2:]:
            text = fold(turn.text)
            for n in range(1, _LONGEST_PIECE + 1):
                common.update({text[at : at + n] for at in range(len(text) - n + 1)})
        for fact in facts_in(one):
            attributes.setdefault(fact.relation, set()).add(one.sample.dialogue_id)
    return Background(
        {piece: count for piece, count in sorted(common.items()) if count > most},
        {name: len(dialogues) for name, dialogues in sorted(attributes.items())},
    )


@dataclass
class Course:
    """Training data, read against its graphs."""

    dialogues: list[str]
    """Per row."""
    rows: list[Choice]
    reader: Reader
    values: Values

    @property
    def words(self) -> Words:
        """The words that the rows are made of."""
        return self.reader.words

    @classmethod
    def of(
        cls,
        examples: Sequence[tuple[Example, Tracker]],
        background: Background,
        rare: int,
        *,
        progress: Progress | None = None,
    ) -> Course:
        """Read examples; those whose triples cannot be found teach the ranker nothing and are left out.

        Raises `UsageError` when none is left.
        """
        seen: list[tuple[str, Pairs, set[tuple[str, str]]]] = []
        lessons: list[Lesson] = []
        own = _own_attributes([one for one, _ in examples])
        for done, (one, tracker) in enumerate(examples):
            facts = facts_in(one)
            now = tracker.situation(one.sample.history)
            others = _without(background, own[one.sample.dialogue_id])
            seen.append((one.sample.dialogue_id, pairs_of(now, tracker, others), _pairs_in(facts)))
            lessons += (
                Lesson(pair[1], value_figures(now, tracker, pair), _kept(pair, facts, tracker))
                for pair in sorted(_pairs_in(facts))
                if pair[1] in tracker.profile(pair[0]).relations
            )
            if progress is not None and done % 100 == 0:
                progress(done, len(examples), "reading dialogues")
        reader = Reader(words_of(seen, rare=rare))
        made = [(dialogue, reader.row(pairs, wanted_shares(pairs, wanted))) for dialogue, pairs, wanted in seen]
        made = [(dialogue, row) for dialogue, row in made if row.utility.any()]
        if not made:
            raise UsageError("no triple of the training dialogues is in the graph; is it the graph of these dialogues?")
        return cls([dialogue for dialogue, _ in made], [row for _, row in made], reader, learn_values(lessons))

    def rows_of(self, examples: Sequence[tuple[Example, Tracker]], background: Background) -> list[Choice]:
        """Return the rows of examples that are judged and teach nothing; those without triples are left out."""
        rows = []
        for one, tracker in examples:
            pairs = pairs_of(tracker.situation(one.sample.history), tracker, background)
            rows.append(self.reader.row(pairs, wanted_shares(pairs, _pairs_in(facts_in(one)))))
        return [row for row in rows if row.utility.any()]


def _pairs_in(facts: Sequence[Fact]) -> set[tuple[str, str]]:
    return {(fact.subject, fact.relation) for fact in facts}


def _kept(pair: tuple[str, str], facts: Sequence[Fact], tracker: Tracker) -> NDArray[np.float64]:
    wanted = {str(fact.object) for fact in facts if (fact.subject, fact.relation) == pair}
    profile = tracker.profile(pair[0])
    return np.array([float(str(profile.values[at].fact.object) in wanted) for at in profile.relations[pair[1]]])


def _own_attributes(examples: Sequence[Example]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in examples:
        found.setdefault(one.sample.dialogue_id, set()).update(fact.relation for fact in facts_in(one))
    return found


def _without(background: Background, own: set[str]) -> Background:
    """Return what is known of attributes from the other dialogues: so it will be for those that are new."""
    counts = {name: count - (name in own) for name, count in background.attributes.items()}
    return background._replace(attributes={name: count for name, count in counts.items() if count})


def new_model(words: Words, recipe: GroundedRecipe, seed: int) -> UtilityRanker:
    """Return a network of the recipe's size with the first weights of a seed."""
    size = Reader(words).size(
        width=recipe.width, hidden=recipe.hidden, dropout=recipe.dropout, word_dropout=recipe.word_dropout
    )
    return new_utility(size, seed)


def train_members(course: Course, tests: Sequence[Choice], recipe: GroundedRecipe, run: Run) -> list[UtilityRanker]:
    """Return the trained networks; each has a folder for its checkpoints below the run's.

    All are judged by `tests`; without them each holds out some dialogues of the course.
    """
    plan = Plan(
        epochs=recipe.epochs,
        batch=recipe.batch,
        learning_rate=recipe.learning_rate,
        weight_decay=recipe.weight_decay,
        checkpoint_seconds=recipe.checkpoint_seconds,
        threads=recipe.threads,
        choose="loss",
    )
    collate = course.reader.collator()
    models = []
    for member in range(recipe.members):
        seed = run.seed * 1000 + member
        apart = set() if tests else held_out(course.dialogues, recipe.held_out, seed)
        learned = [row for row, dialogue in zip(course.rows, course.dialogues, strict=True) if dialogue not in apart]
        judged = [row for row, dialogue in zip(course.rows, course.dialogues, strict=True) if dialogue in apart]
        model = new_model(course.words, recipe, seed)
        model.scale(np.concatenate([row.figures for row in learned]))
        folder = run.folder / f"ranker-{member}"
        train(
            learner(model, collate), learned, tests or judged, plan,
            folder=folder, seed=seed, identity=run.identity, progress=run.progress,
        )  # fmt: skip
        models.append(model.eval())
    return models


def held_out(dialogues: Sequence[str], share: float, seed: int) -> set[str]:
    """Return which dialogues are held out: at least one, and never all of several."""
    ordered = sorted(dict.fromkeys(dialogues), key=lambda name: (chance_of(name, seed), name))
    return set(ordered[: max(1, min(round(share * len(ordered)), len(ordered) - 1))])
