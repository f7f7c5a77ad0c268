"""What is measured of each candidate: how alike, how agreed upon, what it says, what it repeats.

Rows are candidates of one sample, columns the figures named in `NAMES`; all float32. Nothing here looks at a reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.proactive.systems.planner.overlap import overlaps
from duologue.challenges.proactive.systems.planner.slots import TOPICS, plain
from duologue.challenges.proactive.systems.planner.state import terms_of
from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.proactive.systems.planner.state import Situation
    from duologue.challenges.proactive.systems.planner.template_index import Bank, Found

    Floats = NDArray[np.float32]

_HEATS = (0.15, 0.4)
"""How quickly the voice of a neighbour falls with its likeness; smaller is quicker. Besides, all count alike."""
_ASKING = frozenset("?？")
_ASKS = ("吗", "呢", "么")

_AGREEMENT = ("characters", "precision", "recall", "words", "pairs")
_VOICES = ("all", "near", "wide")
_AGREED = tuple(f"{what}, {who}" for who in _VOICES for what in _AGREEMENT)
_LIKENESS = ("place", "likeness", "behind the first", "times", "way")
_SIZE = ("characters", "words", "characters beyond the mean")
_PLAN = (
    *("names A", "names B", "A reached", "B reached", "A again", "B again", "B before A"),
    *("turn", "turns from its own", "same A", "same B", "same domains"),
    *("facts", "facts said", "facts new", "relation", "facts of A", "facts of B"),
)
_SLOTS = ("slot share, most", "slot share, least", "slot share, mean", "slots share")
_FORM = ("asks", "ends asking", "user asked")
_WORDS = ("rarity", "rarest", "mean rarity", "rarity unknown", "rarest unknown", "words known")
_ECHO = ("of user", "of agent", "of history", "repeated", "of knowledge", "user covered")
_KIN = ("user alike", "agent alike", "needs", "wrong pronoun")
_PLACE = ("values", "relations", "said", "A is film", "B is film", "user words")
NAMES = (
    *_AGREED,
    *(f"{name}, below the best" for name in _AGREED),
    "rank by agreement",
    *_LIKENESS,
    *_SIZE,
    *_PLAN,
    *_SLOTS,
    *_FORM,
    *_WORDS,
    *_ECHO,
    *_KIN,
    *_PLACE,
)


def features(now: Situation, found: Sequence[Found], bank: Bank) -> Floats:
    """Return the figures (candidates, len(NAMES)) of the candidates for one situation."""
    likeness = np.array([one.likeness for one in found])
    times = np.array([one.times for one in found], dtype=np.float64)
    voices = [np.ones(len(found)), *(np.exp((likeness - likeness.max()) / heat) * times for heat in _HEATS)]
    voices = [voice / voice.sum() for voice in voices]
    said = (now.lines[-1] if now.lines else "", now.lines[-2] if len(now.lines) > 1 else "", now.said)
    agreed, sizes, echoes = _agreement(found, voices, said)
    shares = _slot_shares(found, bank, voices[2])
    mean = sizes.mean()
    place = _Place(now)
    rows = [
        [
            *(number, one.likeness, one.likeness - found[0].likeness, one.times, one.way),
            *(sizes[number], len(one.filling.words), sizes[number] - mean),
            *place.plan(one, bank),
            *shares[number],
            *place.form(one),
            *place.words(one, bank),
            *echoes[number],
            *place.echo(one),
            *place.kin(one, bank),
            *place.setting,
        ]
        for number, one in enumerate(found)
    ]
    rank = np.argsort(np.argsort(-agreed[:, 0], kind="stable"), kind="stable")
    return np.column_stack([agreed, agreed - agreed.max(axis=0), rank, np.array(rows)]).astype(np.float32)


def _agreement(
    found: Sequence[Found], voices: Sequence[NDArray[np.float64]], said: Sequence[str]
) -> tuple[NDArray[np.float64], Floats, NDArray[np.float64]]:
    """Return how much the voices agree with each candidate, and the sizes of candidates in characters.

    Last the share of each candidate's characters that stand in each of the texts said (candidates, texts).
    """
    n = len(found)
    every, meeting = overlaps([*("".join(one.filling.words) for one in found), *said])
    sizes, shared = every[:n], meeting[:n, :n]
    precision, recall = shared / np.maximum(1, sizes)[:, None], shared / np.maximum(1, sizes)[None, :]
    characters = 2 * shared / np.maximum(1, sizes[:, None] + sizes[None, :])
    counts, common = overlaps([one.filling.words for one in found])
    words = 2 * common / np.maximum(1, counts[:, None] + counts[None, :])
    pairs, both = overlaps([list(zip(one.filling.words, one.filling.words[1:], strict=False)) for one in found])
    figures = (characters, precision, recall, words, both / np.maximum(1, pairs)[:, None])
    agreed = np.column_stack([figure @ voice for voice in voices for figure in figures])
    echoes = meeting[:n, n:].astype(np.float64) / np.maximum(1, sizes)[:, None]
    return agreed, sizes, echoes


def _slot_shares(found: Sequence[Found], bank: Bank, voice: NDArray[np.float64]) -> list[tuple[float, ...]]:
    """Return for each candidate how much of the voice uses its slots: most, least, mean, and just these together."""
    slots = [bank.slots_of[one.entry] for one in found]
    single: dict[str, float] = {}
    whole: dict[tuple[str, ...], float] = {}
    for names, weight in zip(slots, voice.tolist(), strict=True):
        key = tuple(sorted(names))
        whole[key] = whole.get(key, 0.0) + weight
        for name in names:
            single[name] = single.get(name, 0.0) + weight
    rows: list[tuple[float, ...]] = []
    for names in slots:
        shares = [single[name] for name in names] or [0.0]
        rows.append((max(shares), min(shares), added(shares) / len(shares), whole[tuple(sorted(names))]))
    return rows


_SEX = ("{a.性别}", "{b.性别}")
_PRONOUNS = {"男": "他", "女": "她"}


class _Place:
    """The measures that compare a candidate with what was said and what is known."""

    def __init__(self, now: Situation) -> None:
        self.now = now
        self.reached = now.reached
        self.related = {relation.split(">")[0] for relation in now.relations}
        self.user = set(now.lines[-1]) if now.lines else set[str]()
        self.own = "".join(now.lines[0::2])
        self.known = {character for value in now.values for word in value.words for character in word}
        self.vocabulary = {word for value in now.values for word in value.words}
        self.vocabulary.update(word for line in now.history for word in line)
        self.asked = bool(now.lines) and now.lines[-1][-1:] in _ASKING
        film = [name == "F" for name in f"{now.domains}--"[:2]]
        self.terms = [set(terms) for _, terms in terms_of(now)[:2]]
        sexes = {"".join(words) for slot, words in now.values if plain(slot) in _SEX}
        self.wrong = {_PRONOUNS[sex] for sex in _PRONOUNS.keys() - sexes} if sexes else set[str]()
        self.setting = (len(now.values), len(now.relations), len(now.said), *film, len(now.user))

    def plan(self, one: Found, bank: Bank) -> tuple[float, ...]:
        """Return what the candidate does on the way from A to B."""
        now, entry, slots = self.now, bank.entries[one.entry], bank.slots_of[one.entry]
        first, second = "{A}" in slots, "{B}" in slots
        a, b = self.reached
        facts = [slot for slot in slots if slot not in TOPICS]
        said = sum("".join(value.words) in now.said for value in one.filling.used if value.slot not in TOPICS)
        fresh = sum(value.slot not in TOPICS for value in one.filling.used) - said
        return (
            *(first, second, a, b, first and a, second and b, second and not (a or first)),
            *(now.turn, entry.turn - now.turn, entry.reached[0] == a, entry.reached[1] == b),
            *(entry.domains == now.domains, len(facts), said, fresh),
            sum(plain(slot)[1:-1] in self.related for slot in facts),
            any(slot.startswith("{a.") for slot in facts),
            any(slot.startswith("{b.") for slot in facts),
        )

    def form(self, one: Found) -> tuple[float, ...]:
        """Return whether the candidate asks, and whether the user did."""
        last = one.filling.words[-1]
        return last in _ASKING, last in _ASKING or last in _ASKS, self.asked

    def words(self, one: Found, bank: Bank) -> tuple[float, ...]:
        """Return how rare its own words are, and how many of them are known here."""
        rarities = [(word, bank.rarity_of_word.get(word, 0.0)) for word in bank.rest_of[one.entry]]
        every = [rarity for _, rarity in rarities]
        unknown = [rarity for word, rarity in rarities if word not in self.vocabulary]
        mean = added(every) / len(every) if every else 0.0
        known = len(every) - len(unknown)
        return added(every), max(every, default=0.0), mean, added(unknown), max(unknown, default=0.0), known

    def echo(self, one: Found) -> tuple[float, ...]:
        """Return whether the candidate was said already, how much of it is known, how much of the user it takes up."""
        text = "".join(one.filling.words)
        known = sum(character in self.known for character in text) / max(1, len(text))
        covered = len(self.user.intersection(text)) / max(1, len(self.user))
        return text in self.own, known, covered

    def kin(self, one: Found, bank: Bank) -> tuple[float, ...]:
        """Return how alike the last utterances are, and what of the entry may not fit here."""
        entry = bank.entries[one.entry]
        alike = [
            2 * len(here.intersection(terms)) / max(1, len(here) + len(terms))
            for here, (_, terms) in zip(self.terms, entry.groups, strict=False)
        ]
        return *alike, len(entry.needs), not self.wrong.isdisjoint(entry.template)
