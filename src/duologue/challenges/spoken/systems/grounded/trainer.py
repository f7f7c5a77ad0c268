"""Training of the pair ranker and the value selector."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.spoken.systems.grounded.domain_balance import balanced, domains_of_dialogues
from duologue.challenges.spoken.systems.grounded.encoder import PairEncoder, target_shares, vocabulary_of
from duologue.challenges.spoken.systems.grounded.features import CorpusCounts, candidate_pairs
from duologue.challenges.spoken.systems.grounded.network import learner
from duologue.challenges.spoken.systems.grounded.normalization import fold
from duologue.challenges.spoken.systems.grounded.triple_choice import ValueExample, fit_value_selector, value_features
from duologue.challenges.spoken.systems.grounded.user_turns import without_silence
from duologue.challenges.spoken.systems.template_nlg.training_pairs import near_duplicates
from duologue.challenges.spoken.systems.training_data import gold_facts, held_out_dialogues
from duologue.core.errors import UsageError
from duologue.core.progress import tracked
from duologue.metrics.ngrams import char_ngrams
from duologue.models.train import TrainConfig, train
from duologue.models.utility import new_utility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.spoken.systems.grounded.dialogue_state import StateTracker
    from duologue.challenges.spoken.systems.grounded.encoder import RankerVocabulary
    from duologue.challenges.spoken.systems.grounded.features import CandidatePairs
    from duologue.challenges.spoken.systems.grounded.recipe import GroundedRecipe
    from duologue.challenges.spoken.systems.grounded.similarity import SimilarityFeatures
    from duologue.challenges.spoken.systems.grounded.triple_choice import ValueSelector
    from duologue.core.protocols import Progress, Run
    from duologue.core.records import Example, Fact
    from duologue.models.choices import Choice
    from duologue.models.utility import UtilityRanker

_LONGEST_PIECE = 4


def corpus_counts(examples: Sequence[Example], *, limit: int) -> CorpusCounts:
    """Return the counts of common n-grams and of attributes in the training examples."""
    common: Counter[str] = Counter()
    attributes: dict[str, set[str]] = {}
    for one in examples:
        for turn in one.sample.history[-2:]:
            common.update(set(char_ngrams(fold(turn.text), 1, _LONGEST_PIECE)))
        for fact in gold_facts(one):
            attributes.setdefault(fact.relation, set()).add(one.sample.dialogue_id)
    return CorpusCounts(
        {piece: count for piece, count in sorted(common.items()) if count > limit},
        {name: len(dialogues) for name, dialogues in sorted(attributes.items())},
    )


@dataclass
class RankerData:
    """Encoded training data of the ranker."""

    dialogues: list[str]
    """Per row."""
    domains: dict[str, str]
    """By dialogue."""
    rows: list[Choice]
    encoder: PairEncoder
    values: ValueSelector

    @property
    def words(self) -> RankerVocabulary:
        """The vocabulary of the rows."""
        return self.encoder.words

    @classmethod
    def of(
        cls,
        examples: Sequence[tuple[Example, StateTracker]],
        corpus: CorpusCounts,
        rare: int,
        *,
        users: Sequence[tuple[Example, StateTracker]] = (),
        similarity: SimilarityFeatures | None = None,
        progress: Progress | None = None,
    ) -> RankerData:
        """Encode examples; those whose gold pairs are no candidates are left out.

        `users` are turns of the user in the same dialogues, which get no candidate `NONE`. Raises `UsageError` when
        none is left.
        """
        seen: list[tuple[str, CandidatePairs, set[tuple[str, str]]]] = []
        value_examples: list[ValueExample] = []
        own = _own_attributes([one for one, _ in examples])
        alike = near_duplicates([one for one, _ in examples]) if similarity is not None else {}
        for at, (one, tracker) in enumerate(tracked([*examples, *users], progress, "reading dialogues", every=100)):
            facts = gold_facts(one)
            state = tracker.track(one.sample.history)
            others = _without(corpus, own[one.sample.dialogue_id])
            pairs = candidate_pairs(state, tracker, others)
            if similarity is not None:
                pairs = similarity.extended(state, pairs, apart=alike[one.sample.dialogue_id])
            pairs = pairs if at < len(examples) else without_silence(pairs)
            seen.append((one.sample.dialogue_id, pairs, _pairs_in(facts)))
            value_examples += (
                ValueExample(pair[1], value_features(state, tracker, pair), _kept(pair, facts, tracker))
                for pair in sorted(_pairs_in(facts))
                if pair[1] in tracker.profile(pair[0]).relations
            )
        encoder = PairEncoder(vocabulary_of(seen, rare=rare))
        made = [(dialogue, encoder.row(pairs, target_shares(pairs, wanted))) for dialogue, pairs, wanted in seen]
        made = [(dialogue, row) for dialogue, row in made if row.utility.any()]
        if not made:
            raise UsageError("no triple of the training dialogues is in the graph; is it the graph of these dialogues?")
        dialogues, rows = [dialogue for dialogue, _ in made], [row for _, row in made]
        return cls(dialogues, domains_of_dialogues(own), rows, encoder, fit_value_selector(value_examples))

    def rows_of(
        self,
        examples: Sequence[tuple[Example, StateTracker]],
        corpus: CorpusCounts,
        similarity: SimilarityFeatures | None = None,
    ) -> list[Choice]:
        """Return the rows of validation examples; those whose gold pairs are no candidates are left out."""
        rows = []
        for one, tracker in examples:
            state = tracker.track(one.sample.history)
            pairs = candidate_pairs(state, tracker, corpus)
            if similarity is not None:
                pairs = similarity.extended(state, pairs)
            rows.append(self.encoder.row(pairs, target_shares(pairs, _pairs_in(gold_facts(one)))))
        return [row for row in rows if row.utility.any()]


def training_turns(
    examples: Sequence[Example], users: Sequence[Example] = ()
) -> list[tuple[list[str], tuple[str, ...], str]]:
    """Return the turns that others are compared with, those of users in the same dialogues behind the others.

    Of each: its text and that of the turn before it, the attributes of the reply, and the dialogue, or the first one
    that it nearly duplicates.
    """
    alike = near_duplicates(examples)
    return [
        (
            [turn.text for turn in reversed(one.sample.history[-2:])],
            tuple(sorted({fact.relation for fact in gold_facts(one)})),
            alike[one.sample.dialogue_id],
        )
        for one in (*examples, *users)
    ]


def _pairs_in(facts: Sequence[Fact]) -> set[tuple[str, str]]:
    return {(fact.subject, fact.relation) for fact in facts}


def _kept(pair: tuple[str, str], facts: Sequence[Fact], tracker: StateTracker) -> NDArray[np.float64]:
    wanted = {str(fact.object) for fact in facts if (fact.subject, fact.relation) == pair}
    profile = tracker.profile(pair[0])
    return np.array([float(str(profile.values[at].fact.object) in wanted) for at in profile.relations[pair[1]]])


def _own_attributes(examples: Sequence[Example]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in examples:
        found.setdefault(one.sample.dialogue_id, set()).update(fact.relation for fact in gold_facts(one))
    return found


def _without(corpus: CorpusCounts, own: set[str]) -> CorpusCounts:
    """Return the counts without those of a dialogue itself, as for an unseen dialogue."""
    counts = {name: count - (name in own) for name, count in corpus.attributes.items()}
    return corpus._replace(attributes={name: count for name, count in counts.items() if count})


def new_model(words: RankerVocabulary, recipe: GroundedRecipe, seed: int) -> UtilityRanker:
    """Return a network of the recipe's size with the initial weights of a seed."""
    return new_utility(PairEncoder(words).size(recipe), seed)


def train_members(data: RankerData, tests: Sequence[Choice], recipe: GroundedRecipe, run: Run) -> list[UtilityRanker]:
    """Return the trained networks of the ensemble; each keeps its checkpoints in a folder of its own.

    All are validated on `tests`; without them each holds out some of the training dialogues.
    """
    config, collate = TrainConfig.of(recipe, choose="loss"), data.encoder.collator()
    models = []
    for member in range(recipe.members):
        seed = run.seed * 1000 + member
        apart = set() if tests else held_out_dialogues(data.dialogues, recipe.held_out, seed)
        known = [
            (row, dialogue) for row, dialogue in zip(data.rows, data.dialogues, strict=True) if dialogue not in apart
        ]
        learned = balanced(known, data.domains, recipe.balance, seed)
        validation = [row for row, dialogue in zip(data.rows, data.dialogues, strict=True) if dialogue in apart]
        model = new_model(data.words, recipe, seed)
        model.scale(np.concatenate([row.features for row in learned]))
        train(learner(model, collate), learned, tests or validation, config, run.part(f"ranker-{member}", seed))
        models.append(model.eval())
    return models
