"""Replies put together from clauses of several candidates, chosen by minimum Bayes risk.

The candidates that the ranker finds best vote, each with the weight of its predicted utility: a reply is worth what it
would score, on the mean, if one of them were the reference. A reply begins as a candidate begins and ends as one ends;
in between, the begin of one is joined to the end of another at clause ends, in several rounds. Joined are only clauses
that speak of the same topic (`clauses`), so that no fact changes its subject.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.proactive.knowledge import without_punctuation
from duologue.challenges.proactive.systems.planner.slots import TOPICS, Filling, Tokens
from duologue.challenges.proactive.systems.planner.voters import KEYS, SHARED, VoterOverlap
from duologue.core.records import Record
from duologue.metrics.softmax import softmax

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from duologue.challenges.proactive.systems.planner.clauses import Clause, Subject

    Floats = NDArray[np.float32]

_ASKING = frozenset("?？")
_PRONOUNS = "他她"
MEASURES = (*SHARED, "predicted", "characters", "clauses", "least predicted")
"""What `Recombination.measures` tells of a reply."""
_DIGITS = 5  # of a worth: the digits below are those of the machine


class RecombinationWeights(Record, frozen=True, kw_only=True):
    """How replies are put together and weighed."""

    voters: int = 25
    """Best candidates whose clauses are joined, and which vote."""
    rounds: int = 3
    kept: int = 25
    """Replies that a round hands on."""
    temperature: float = 0.02
    """Of the softmax over predicted utilities that gives the voters their weights."""
    prior: float = 0.5
    """Share of the ranker's prediction in the worth of a reply, the mean over its clauses; the rest is agreement."""
    words: float = 0.3
    """Share of words and word pairs in the agreement; the rest is characters."""
    pooled: float = 0.5
    """Share of the contribution to the F1 of all replies in the agreement with one voter; the rest is F1."""
    price: float = 0.3
    """F1 of all replies that this contribution assumes: what each character (word, pair) of a reply costs."""


class ReplyPart(NamedTuple):
    """The begin or the end of a reply."""

    clauses: tuple[Clause, ...]
    subject: Subject
    """What a begin speaks of at its end; what stands before an end."""
    free: bool
    """Whether an end may stand behind any subject."""


class WeighedReply(NamedTuple):
    """A reply made of clauses, and what it is worth."""

    clauses: tuple[Clause, ...]
    worth: float

    @property
    def filling(self) -> Filling:
        """Its words and values."""
        return _filling(self.clauses)


def _filling(clauses: Sequence[Clause]) -> Filling:
    return Filling(
        tuple(word for one in clauses for word in one.words), tuple(value for one in clauses for value in one.used)
    )


class Recombination:
    """Puts replies together for one sample."""

    def __init__(
        self,
        candidates: Sequence[tuple[Clause, ...]],
        predicted: Sequence[float],
        weights: RecombinationWeights,
        bonus: Callable[[Sequence[str]], float],
    ) -> None:
        """Take candidates with their predicted utilities, the best first, and what words add to a reply's worth."""
        self._weights, self._bonus = weights, bonus
        self.candidates = list(candidates[: weights.voters])
        utility = np.array(predicted[: weights.voters], dtype=np.float64)
        shares = softmax(utility, weights.temperature).astype(np.float32)
        words = [_filling(one).words for one in self.candidates]
        self._bags = tuple(VoterOverlap([keys(one) for one in words], shares) for keys in KEYS)
        self._known: dict[Tokens, tuple[NDArray[np.int16], ...]] = {}
        self._bonuses: dict[Tokens, float] = {}
        self._priors: dict[Clause, float] = {}
        for clauses, value in zip(self.candidates, utility.tolist(), strict=True):
            for clause in clauses:
                self._priors[clause] = max(value, self._priors.get(clause, value))

    def replies(self, subject: Subject, sound: Callable[[Filling], bool]) -> list[WeighedReply]:
        """Return the best replies, the best first; `subject` is that of the dialogue, `sound` what a reply must hold.

        Candidates are always among those that are compared; ties go to them, and then to what was found first.
        """
        whole = [ReplyPart(one, subject, free=False) for one in self.candidates]
        kept = self._best(
            [one.clauses for one in whole], self._worths(whole, [ReplyPart((), subject, free=True)], None)
        )
        for _ in range(self._weights.rounds):
            begins = _distinct(begin for one in kept for begin in _begins(one.clauses, subject))
            ends = _distinct(end for one in kept for end in _ends(one.clauses))
            if not ends:
                break
            joins = _joins(begins, ends)
            worths = self._worths(begins, ends, joins)
            fresh = self._found(begins, ends, joins, worths, sound, {_filling(one.clauses).words for one in kept})
            if not fresh:
                break
            kept = sorted([*kept, *fresh], key=lambda one: -one.worth)[: self._weights.kept]
        return kept

    def measures(self, replies: Sequence[WeighedReply]) -> NDArray[np.float64]:
        """Return what replies are worth in single measures (replies, `MEASURES`).

        Of characters, words and pairs of words: the F1 with the voters, and how many are shared. Then the predicted
        utility of the clauses (mean over characters, and least), characters, and clauses.
        """
        parts = [ReplyPart(one.clauses, one.clauses[0].before, free=False) for one in replies]
        columns: list[ArrayLike] = []
        for number, bag in enumerate(self._bags):
            columns += bag.shared(np.stack([self._counted(part, number) for part in parts]))
        plain = np.array([self._plain(part)[:2] for part in parts])
        least = [min(self._priors[clause] for clause in one.clauses) for one in replies]
        columns += [plain[:, 0] / np.maximum(1, plain[:, 1]), plain[:, 1], [len(one.clauses) for one in replies], least]
        return np.array(columns, dtype=np.float64).T

    def _best(self, replies: Sequence[tuple[Clause, ...]], worths: Floats) -> list[WeighedReply]:
        return sorted(
            (WeighedReply(one, worth) for one, worth in zip(replies, worths.tolist(), strict=True)),
            key=lambda one: -one.worth,
        )[: self._weights.kept]

    def _found(
        self,
        begins: Sequence[ReplyPart],
        ends: Sequence[ReplyPart],
        joins: NDArray[np.intp],
        worths: Floats,
        sound: Callable[[Filling], bool],
        seen: set[Tokens],
    ) -> list[WeighedReply]:
        """Return the best sound replies of a round that were not seen."""
        found: list[WeighedReply] = []
        for place in np.argsort(-worths, kind="stable")[: 4 * self._weights.kept].tolist():
            begin, end = joins[place].tolist()
            clauses = (*begins[begin].clauses, *ends[end].clauses)
            filling = _filling(clauses)
            if filling.words not in seen and _is_whole(clauses) and sound(filling):
                seen.add(filling.words)
                found.append(WeighedReply(clauses, float(worths[place])))
                if len(found) == self._weights.kept:
                    break
        return found

    def _worths(self, begins: Sequence[ReplyPart], ends: Sequence[ReplyPart], joins: NDArray[np.intp] | None) -> Floats:
        """Return the worth of each join; without joins, of each begin alone."""
        first = np.arange(len(begins)) if joins is None else joins[:, 0]
        second = np.zeros(len(begins), dtype=np.intp) if joins is None else joins[:, 1]
        agreed = []
        for number, bag in enumerate(self._bags):
            counts = [np.stack([self._counted(part, number) for part in side]) for side in (begins, ends)]
            counted = counts[0][first] + counts[1][second]
            agreed.append(bag.agreement(counted, self._weights.pooled, self._weights.price))
        sums = [np.array([self._plain(part) for part in side], dtype=np.float32) for side in (begins, ends)]
        plain = sums[0][first] + sums[1][second]
        prior = plain[:, 0] / np.maximum(1, plain[:, 1])
        weights = self._weights
        agreement = (1 - weights.words) * agreed[0] + weights.words * (agreed[1] + agreed[2]) / 2
        worths = (1 - weights.prior) * agreement + weights.prior * prior + plain[:, 2]
        rounded: Floats = worths.round(_DIGITS)
        return rounded

    def _counted(self, part: ReplyPart, number: int) -> NDArray[np.int16]:
        total = self._bags[number].vector(())
        for clause in part.clauses:
            known = self._known.get(clause.words)
            if known is None:
                known = tuple(bag.vector(keys(clause.words)) for keys, bag in zip(KEYS, self._bags, strict=True))
                self._known[clause.words] = known
            total = total + known[number]
        return total

    def _plain(self, part: ReplyPart) -> tuple[float, float, float]:
        """Return the prior times characters, characters, and bonus of a part."""
        prior = size = bonus = 0.0
        for clause in part.clauses:
            length = sum(map(len, clause.words))
            if clause.words not in self._bonuses:
                self._bonuses[clause.words] = self._bonus(clause.words)
            prior, size = prior + length * self._priors[clause], size + length
            bonus += self._bonuses[clause.words]
        return prior, size, bonus


def _begins(clauses: tuple[Clause, ...], subject: Subject) -> list[ReplyPart]:
    made = [ReplyPart((), subject, free=False)]
    return made + [ReplyPart(clauses[:at], clauses[at - 1].after, free=False) for at in range(1, len(clauses))]


def _ends(clauses: tuple[Clause, ...]) -> list[ReplyPart]:
    return [ReplyPart(clauses[at:], clauses[at].before, clauses[at].names) for at in range(1, len(clauses))]


def _distinct(parts: Iterable[ReplyPart]) -> list[ReplyPart]:
    found: dict[tuple[Tokens, Subject, bool], ReplyPart] = {}
    for part in parts:
        found.setdefault((_filling(part.clauses).words, part.subject, part.free), part)
    return list(found.values())


def _joins(begins: Sequence[ReplyPart], ends: Sequence[ReplyPart]) -> NDArray[np.intp]:
    """Return the places (joins, 2) of begins and ends that may be joined."""
    numbers: dict[Subject, int] = {}
    left = np.array([numbers.setdefault(one.subject, len(numbers)) for one in begins])
    right = np.array([numbers.setdefault(one.subject, len(numbers)) for one in ends])
    free = np.array([one.free for one in ends])
    return np.argwhere((left[:, None] == right) | free)


def _is_whole(clauses: Sequence[Clause]) -> bool:
    """Whether a reply says nothing twice (clause, fact, name of a topic), asks once, and is of men or of women."""
    said = Counter(without_punctuation("".join(one.words)) for one in clauses)
    if said.most_common(1)[0][1] > 1:
        return False
    values = Counter(value.slot if value.slot in TOPICS else value.words for one in clauses for value in one.used)
    if values and values.most_common(1)[0][1] > 1:
        return False
    if all(any(pronoun in one.words for one in clauses) for pronoun in _PRONOUNS):
        return False
    return sum(one.words[-1] in _ASKING for one in clauses) <= 1
