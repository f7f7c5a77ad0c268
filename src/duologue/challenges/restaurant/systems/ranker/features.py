"""Feature extraction for the ranker: utterances, value mentions, fields and candidate categories as numbers.

Features are counts, orders and string equality only; the policy is left to the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.restaurant.knowledge.facts import parse_fact
from duologue.challenges.restaurant.systems.ranker.network.batches import RankerRow
from duologue.challenges.restaurant.systems.trained_ranker.delex import ITEM, NAME, VALUE, KbLexicon
from duologue.models.vocabulary import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from duologue.challenges.restaurant.systems.trained_ranker.delex import DelexUtterance
    from duologue.core.records import Candidate, Sample, Turn

START, FACTS = "<start>", "<facts>"
"""The turn before the first, and what stands for a block of fact lines."""
MARKERS = ("<padding>", "<unknown>", START, FACTS, VALUE, NAME, ITEM)
"""Tokens 0 to 6 of every vocabulary."""
SPEAKERS = {"user": 0, "system": 1, "api": 2}
LONGEST = 1000
"""Tokens of an utterance that are read, from its beginning; people use a few dozen."""
MENTIONS = 256
"""Mentions of values that are kept, the latest ones: beliefs compare each with each, in time and memory."""

CATEGORIES = {
    "said by the user": 2,
    "said by the bot": 3,
    "said in the last bot turn": 2,
    "a fact line": 2,
    "listed": 3,
    "place among names by the bot, from the first": 7,
    "place among names by the bot, from the last": 7,
    "place among names by the bot, latest mention first": 5,
    "place among names by the user, latest first": 4,
    "how lately the user spoke of the item": 4,
}
"""Categorical features of a candidate with their sizes: its text in the history, its restaurant, its item.
The last number of a category means "none", except for the first four, which count."""
RANKINGS = {
    "from the highest, of all listed": 6,
    "from the lowest, of all listed": 6,
    "from the highest, of the listed not yet named by the bot": 6,
    "from the lowest, of the listed not yet named by the bot": 6,
}
"""Rank features of a listed restaurant by a numeric field, with their sizes; the last number means "not among them"."""


class Vocabulary:
    """Vocabulary: token numbers of words; markers come first, unknown words share one number."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate((*MARKERS, *self.words))}

    def __len__(self) -> int:
        return len(self._numbers)

    @classmethod
    def of(cls, lexicons: Collection[KbLexicon], *, rare: float) -> Vocabulary:
        """Return a vocabulary of the words and fields that occur in more than the share `rare` of the lexicons.

        Field names that never occur in utterances stay unknown: nothing could be learned about them.
        """
        counts: dict[str, int] = {}
        for lexicon in lexicons:
            for word in lexicon.spoken():
                counts[word] = counts.get(word, 0) + 1
        least = max(1.0, rare * len(lexicons))
        return cls(sorted(word for word, count in counts.items() if count >= least and word not in MARKERS))

    def number(self, word: str) -> int:
        """Return the number of a word, `UNKNOWN` when it has none."""
        return self._numbers.get(word, UNKNOWN)


class FeatureExtractor:
    """Extracts rows from samples; keeps the table of token sequences that their utterance numbers point into.

    Both are kept as words, because a vocabulary is counted from them; `numbers` turns them into numbers.
    """

    def __init__(self) -> None:
        self.table: list[tuple[str, ...]] = []
        self._index: dict[tuple[str, ...], int] = {}
        self.fields: list[str] = []
        self._field_index: dict[str, int] = {}

    def utterance(self, tokens: tuple[str, ...]) -> int:
        """Return the table's number of a token sequence, a new one when it is new; of a long one its beginning's."""
        tokens = tokens[:LONGEST]
        number = self._index.get(tokens)
        if number is None:
            number = self._index[tokens] = len(self.table)
            self.table.append(tokens)
        return number

    def row(self, sample: Sample, lexicon: KbLexicon, *, target: int = -1) -> RankerRow:
        """Return the sample as numbers; `target` is the place of the right candidate, where it is known.

        Utterances and field names are numbers into this extractor's `table` and `fields`.
        """
        history = _History(self, sample.history, lexicon)
        read = [lexicon.delexicalise(candidate.text) for candidate in sample.candidates]
        values = [(place, value.field, value.pair) for place, said in enumerate(read) for value in said.values]
        return RankerRow(
            turns=_ints(history.turns, 2),
            mentions=_ints(history.mentions, 4),
            fields=np.array([self.field(name) for name in lexicon.fields], np.int32),
            candidates=_ints(
                [
                    (self.utterance(said.tokens), history.reply(said), *history.categories(candidate, said))
                    for candidate, said in zip(sample.candidates, read, strict=True)
                ],
                2 + len(CATEGORIES),
            ),
            values=_ints(values, 3),
            links=_ints([(place, field) for place, said in enumerate(read) for field in said.fields], 2),
            numeric=_ints(
                [
                    (place, self.field(name), *ranks)
                    for place, said in enumerate(read)
                    for name, ranks in history.numeric.get(said.subject or "", ())
                ],
                2 + len(RANKINGS),
            ),
            target=target,
        )

    def numbers(self, vocabulary: Vocabulary) -> tuple[list[tuple[int, ...]], list[int]]:
        """Return the table of utterances and the list of fields as token numbers."""
        table = [tuple(map(vocabulary.number, tokens)) for tokens in self.table]
        return table, [vocabulary.number(name) for name in self.fields]

    def field(self, name: str) -> int:
        """Return the number of a field's name."""
        number = self._field_index.get(name)
        if number is None:
            number = self._field_index[name] = len(self.fields)
            self.fields.append(name)
        return number


class _History:
    """Features of one dialogue history, and what candidates are compared with."""

    def __init__(self, extractor: FeatureExtractor, history: Sequence[Turn], lexicon: KbLexicon) -> None:
        self.turns: list[tuple[int, int]] = [(SPEAKERS["api"], extractor.utterance((START,)))]
        self.mentions: list[tuple[int, int, int, int]] = []
        self._listed: dict[str, dict[str, str]] = {}
        self._said: dict[str, dict[str, int]] = {"user": {}, "system": {}, "api": {}}
        self._by_bot: list[str] = []
        self._by_bot_latest: dict[str, None] = {}
        self._by_user_latest: dict[str, None] = {}
        self._items_by_user: dict[str, None] = {}
        self._reply_to: dict[str, int] = {}
        self._last_bot = ""
        self._in_facts = False
        for turn in history:
            self._take(extractor, turn, lexicon)
        self._bot_from_last = list(reversed(self._by_bot))
        self._bot_latest = list(reversed(self._by_bot_latest))
        self._user_latest = list(reversed(self._by_user_latest))
        self.numeric = _rankings(self._listed, set(self._by_bot))
        self._items_latest = list(reversed(self._items_by_user))

    def _take(self, extractor: FeatureExtractor, turn: Turn, lexicon: KbLexicon) -> None:
        said = self._said.get(turn.speaker)
        if said is None:
            said = self._said[turn.speaker] = {}
        said[turn.text] = said.get(turn.text, 0) + 1
        line = parse_fact(turn.text) if turn.speaker == "api" else None
        if line is not None:
            values = self._listed.get(line.subject)
            if values is None:
                values = self._listed[line.subject] = {}
            values[line.relation] = str(line.object)
            if not self._in_facts:
                self.turns.append((SPEAKERS["api"], extractor.utterance((FACTS,))))
                self._in_facts = True
            return
        self._in_facts = False
        heard = lexicon.delexicalise(turn.text)
        if turn.speaker == "user":
            named = [(len(self.turns), *value) for value in heard.values if value.position < LONGEST]
            self.mentions = [*self.mentions, *named][-MENTIONS:]
            _latest(self._by_user_latest, heard.subject)
            for word in heard.items:
                _latest(self._items_by_user, word)
        elif turn.speaker == "system":
            self._last_bot = turn.text
            if heard.subject is not None and heard.subject not in self._by_bot_latest:
                self._by_bot.append(heard.subject)
            _latest(self._by_bot_latest, heard.subject)
            if heard.subject is not None:
                self._reply_to[heard.subject] = len(self.turns) + 1
        self.turns.append((SPEAKERS.get(turn.speaker, 3), extractor.utterance(heard.tokens)))

    def reply(self, said: DelexUtterance) -> int:
        """Return the turn that followed when the bot last named the candidate's restaurant; 0 when there is none."""
        turn = self._reply_to.get(said.subject or "", 0)
        return turn if turn < len(self.turns) else 0

    def categories(self, candidate: Candidate, said: DelexUtterance) -> tuple[int, ...]:
        """Return one number per entry of `CATEGORIES`."""
        text, subject = candidate.text, said.subject
        listed = 2 if subject is None else int(subject in self._listed)
        return (
            min(self._said["user"].get(text, 0), 1),
            min(self._said["system"].get(text, 0), 2),
            int(text == self._last_bot),
            int(text in self._said["api"]),
            listed,
            _place(self._by_bot, subject, 7),
            _place(self._bot_from_last, subject, 7),
            _place(self._bot_latest, subject, 5),
            _place(self._user_latest, subject, 4),
            _place(self._items_latest, said.item, 4),
        )


def _latest(seen: dict[str, None], word: str | None) -> None:
    """Move a word to the end of what was seen."""
    if word is not None:
        seen.pop(word, None)
        seen[word] = None


def _place(order: Sequence[str], wanted: str | None, size: int) -> int:
    """Return where `wanted` stands in the order, at most `size - 2`; `size - 1` when it does not."""
    return min(order.index(wanted), size - 2) if wanted in order else size - 1


def _rankings(listed: Mapping[str, Mapping[str, str]], named: set[str]) -> dict[str, list[tuple[str, tuple[int, ...]]]]:
    """Return per listed restaurant, for every field whose listed values are all numbers, its four places."""
    out: dict[str, list[tuple[str, tuple[int, ...]]]] = {subject: [] for subject in listed}
    fields = sorted({field for values in listed.values() for field in values})
    for field in fields:
        numbers: dict[str, float] = {}
        for subject, values in listed.items():
            number = _number(values.get(field, ""))
            if number is None:
                break
            numbers[subject] = number
        if len(numbers) < len(listed):
            continue
        unnamed = {other: value for other, value in numbers.items() if other not in named}
        for subject, number in numbers.items():
            places = []
            for others in (numbers, unnamed):
                for sign in (1, -1):
                    better = sum(sign * value > sign * number for value in others.values())
                    places.append(min(better, 4) if subject in others else 5)
            out[subject].append((field, tuple(places)))
    return out


def _number(text: str) -> float | None:
    """Return a decimal number, `None` for anything else (names such as `nan` and `inf` too)."""
    digits = text.removeprefix("-").replace(".", "", 1)
    return float(text) if digits.isascii() and digits.isdigit() else None


def _ints(rows: Sequence[Sequence[int]], columns: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.array(rows, np.int32).reshape(-1, columns)
