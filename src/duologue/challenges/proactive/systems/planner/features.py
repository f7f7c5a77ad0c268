"""Features of candidates: retrieval similarity, agreement with other candidates, plan, form, lexical overlap.

Rows are the candidates of one sample, columns the features named in `NAMES`; all float32. References are never used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.proactive.systems.planner.slots import TOPICS, base_slot
from duologue.challenges.proactive.systems.planner.state import PRONOUNS, terms_of
from duologue.core.sums import added
from duologue.metrics.pairwise_overlap import KeyedTexts
from duologue.metrics.softmax import softmax

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.challenges.proactive.systems.planner.template_index import AgentTurnIndex, TurnCandidate

    Floats = NDArray[np.float32]

_TEMPERATURES = (0.15, 0.4)
"""Temperatures of the softmax over similarities that weights the candidates as voters, besides uniform weights."""
_ASKING = frozenset("?？")
_ASKS = ("吗", "呢", "么")

_AGREEMENT = ("characters", "precision", "recall", "words", "pairs")
_VOTERS = ("all", "near", "wide")
_AGREED = tuple(f"{what}, {who}" for who in _VOTERS for what in _AGREEMENT)
_RETRIEVAL = ("rank", "similarity", "below the first", "times", "variant")
_SIZE = ("characters", "words", "characters beyond the mean")
_PLAN = (
    *("names A", "names B", "A reached", "B reached", "A again", "B again", "B before A"),
    *("turn", "turns from its own", "same A", "same B", "same domains"),
    *("facts", "facts said", "facts new", "relation", "facts of A", "facts of B"),
)
_SLOTS = ("slot share, most", "slot share, least", "slot share, mean", "slots share")
_FORM = ("asks", "ends asking", "user asked")
_WORDS = ("rarity", "rarest", "mean rarity", "rarity unknown", "rarest unknown", "words known")
_OVERLAP = ("of user", "of agent", "of history", "repeated", "of knowledge", "user covered")
_FIT = ("user similarity", "agent similarity", "needs", "wrong pronoun")
_STATE = ("values", "relations", "said", "A is film", "B is film", "user words")
NAMES = (
    *_AGREED,
    *(f"{name}, below the best" for name in _AGREED),
    "rank by agreement",
    *_RETRIEVAL,
    *_SIZE,
    *_PLAN,
    *_SLOTS,
    *_FORM,
    *_WORDS,
    *_OVERLAP,
    *_FIT,
    *_STATE,
)


def features(state: PlannerState, found: Sequence[TurnCandidate], index: AgentTurnIndex) -> Floats:
    """Return the features (candidates, len(NAMES)) of the candidates for one state."""
    similarity = np.array([one.similarity for one in found])
    times = np.array([one.times for one in found], dtype=np.float64)
    voters = [
        np.ones(len(found)) / len(found),
        *(softmax(similarity, temperature, weights=times) for temperature in _TEMPERATURES),
    ]
    said = (state.lines[-1] if state.lines else "", state.lines[-2] if len(state.lines) > 1 else "", state.said)
    agreed, sizes, echoes = _agreement(found, voters, said)
    shares = _slot_shares(found, index, voters[2])
    mean = sizes.mean()
    place = _StateFeatures(state)
    rows = [
        [
            *(number, one.similarity, one.similarity - found[0].similarity, one.times, one.variant),
            *(sizes[number], len(one.filling.words), sizes[number] - mean),
            *place.plan(one, index),
            *shares[number],
            *place.form(one),
            *place.words(one, index),
            *echoes[number],
            *place.echo(one),
            *place.kin(one, index),
            *place.setting,
        ]
        for number, one in enumerate(found)
    ]
    rank = np.argsort(np.argsort(-agreed[:, 0], kind="stable"), kind="stable")
    return np.column_stack([agreed, agreed - agreed.max(axis=0), rank, np.array(rows)]).astype(np.float32)


def _agreement(
    found: Sequence[TurnCandidate], voters: Sequence[NDArray[np.float64]], said: Sequence[str]
) -> tuple[NDArray[np.float64], Floats, NDArray[np.float64]]:
    """Return the weighted agreement of the voters with each candidate, and candidate sizes in characters.

    Last, the fraction of each candidate's characters that occur in each text of `said` (candidates, texts).
    """
    n = len(found)
    texts = KeyedTexts.of_characters([*("".join(one.filling.words) for one in found), *said])
    meeting = texts.overlaps()
    sizes, shared = texts.sizes[:n], meeting[:n, :n]
    precision, recall = shared / np.maximum(1, sizes)[:, None], shared / np.maximum(1, sizes)[None, :]
    characters = 2 * shared / np.maximum(1, sizes[:, None] + sizes[None, :])
    tokens = KeyedTexts.of_tokens([one.filling.words for one in found])
    words = 2 * tokens.overlaps() / np.maximum(1, tokens.sizes[:, None] + tokens.sizes[None, :])
    pairs = tokens.bigrams
    measures = (characters, precision, recall, words, pairs.overlaps() / np.maximum(1, pairs.sizes)[:, None])
    agreed = np.column_stack([measure @ voter_weights for voter_weights in voters for measure in measures])
    echoes = meeting[:n, n:].astype(np.float64) / np.maximum(1, sizes)[:, None]
    return agreed, sizes, echoes


def _slot_shares(
    found: Sequence[TurnCandidate], index: AgentTurnIndex, voter_weights: NDArray[np.float64]
) -> list[tuple[float, ...]]:
    """Return per candidate the voter weight of its slots: highest, lowest, mean, and of exactly this set."""
    slots = [index.slots_of(one) for one in found]
    single: dict[str, float] = {}
    whole: dict[tuple[str, ...], float] = {}
    for names, weight in zip(slots, voter_weights.tolist(), strict=True):
        key = tuple(sorted(names))
        whole[key] = whole.get(key, 0.0) + weight
        for name in names:
            single[name] = single.get(name, 0.0) + weight
    rows: list[tuple[float, ...]] = []
    for names in slots:
        shares = [single[name] for name in names] or [0.0]
        rows.append((max(shares), min(shares), added(shares) / len(shares), whole[tuple(sorted(names))]))
    return rows


class _StateFeatures:
    """Features that compare a candidate with history and knowledge."""

    def __init__(self, state: PlannerState) -> None:
        self.state = state
        self.reached = state.reached
        self.related = {relation.split(">")[0] for relation in state.relations}
        self.user = set(state.lines[-1]) if state.lines else set[str]()
        self.own = "".join(state.lines[0::2])
        self.known = {character for value in state.values for word in value.words for character in word}
        self.vocabulary = {word for value in state.values for word in value.words}
        self.vocabulary.update(word for line in state.history for word in line)
        self.asked = bool(state.lines) and state.lines[-1][-1:] in _ASKING
        film = [name == "F" for name in f"{state.domains}--"[:2]]
        self.terms = [set(terms) for _, terms in terms_of(state)[:2]]
        right = PRONOUNS.intersection(state.pronouns)
        self.wrong = PRONOUNS - right if right else frozenset[str]()
        self.setting = (len(state.values), len(state.relations), len(state.said), *film, len(state.user))

    def plan(self, one: TurnCandidate, index: AgentTurnIndex) -> tuple[float, ...]:
        """Return the plan features: topics named, facts used."""
        state, entry, slots = self.state, index.turn_of(one), index.slots_of(one)
        first, second = "{A}" in slots, "{B}" in slots
        a, b = self.reached
        facts = [slot for slot in slots if slot not in TOPICS]
        said = sum("".join(value.words) in state.said for value in one.filling.used if value.slot not in TOPICS)
        fresh = sum(value.slot not in TOPICS for value in one.filling.used) - said
        return (
            *(first, second, a, b, first and a, second and b, second and not (a or first)),
            *(state.turn, entry.turn - state.turn, entry.reached[0] == a, entry.reached[1] == b),
            *(entry.domains == state.domains, len(facts), said, fresh),
            sum(base_slot(slot)[1:-1] in self.related for slot in facts),
            any(slot.startswith("{a.") for slot in facts),
            any(slot.startswith("{b.") for slot in facts),
        )

    def form(self, one: TurnCandidate) -> tuple[float, ...]:
        """Return whether the candidate is a question, and whether the user asked one."""
        last = one.filling.words[-1]
        return last in _ASKING, last in _ASKING or last in _ASKS, self.asked

    def words(self, one: TurnCandidate, index: AgentTurnIndex) -> tuple[float, ...]:
        """Return the rarity of its words that are not slots, and how many of them are known here."""
        rarities = [(word, index.rarity_of_word.get(word, 0.0)) for word in index.rest_of(one)]
        every = [rarity for _, rarity in rarities]
        unknown = [rarity for word, rarity in rarities if word not in self.vocabulary]
        mean = added(every) / len(every) if every else 0.0
        known = len(every) - len(unknown)
        return added(every), max(every, default=0.0), mean, added(unknown), max(unknown, default=0.0), known

    def echo(self, one: TurnCandidate) -> tuple[float, ...]:
        """Return whether it repeats the agent, its overlap with the knowledge, and its coverage of the user."""
        text = "".join(one.filling.words)
        known = sum(character in self.known for character in text) / max(1, len(text))
        covered = len(self.user.intersection(text)) / max(1, len(self.user))
        return text in self.own, known, covered

    def kin(self, one: TurnCandidate, index: AgentTurnIndex) -> tuple[float, ...]:
        """Return the similarity of the last utterances, and signs that the template may not fit."""
        entry = index.turn_of(one)
        similar = [
            2 * len(here.intersection(terms)) / max(1, len(here) + len(terms))
            for here, (_, terms) in zip(self.terms, entry.groups, strict=False)
        ]
        return *similar, len(entry.needs), not self.wrong.isdisjoint(entry.template)
