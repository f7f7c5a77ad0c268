"""Retrieval-based simulated user: answers an agent as people answered similar utterances, never the same way twice.

It sees the history only, neither goal nor knowledge. Exchanges of people (agent utterance, user answer) are retrieved
by TF-IDF over words and character bigrams of the agent's utterance, without the names of the exchange's own dialogue;
answers with such a name, a number or a title are left out, since they fit no other dialogue.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.knowledge import facts_of, without_punctuation, without_spaces
from duologue.challenges.proactive.simulator.smalltalk import EXCHANGES, FALLBACKS
from duologue.core.records import Answer, Record
from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Dialogue, Sample

_NEAREST = 12
"""Maximum number of retrieved answers to draw from."""
_NEAR_ENOUGH = 0.6
"""Their minimum similarity, as a fraction of that of the nearest."""
_OTHER_KIND = 0.3
"""Factor on the similarity if only one of the two utterances is a question."""
_ASKS_BACK = 0.5
"""Factor if a question would be answered by a question."""
_OTHER_PLACE = (1.0, 0.85, 0.7)
"""Factors for utterances 0, 1, 2 or more turns apart; turns from the fourth on count as one."""
_LAST_PLACE = 3
_FEWEST = 50
"""Document frequency up to which a term is always indexed, so that a small index keeps its terms."""
_COMMON = 0.1
"""Relative document frequency above which a term is not indexed: uninformative and slow to look up."""
_COMMON_DIALOGUES = 5
"""Number of dialogues whose users say a word from which on it is not taken for a name."""
_SPECIFIC = re.compile(r"[0-9０-９A-Za-z《》座]")
"""Numbers, foreign words, titles: an answer with one of them fits no other dialogue."""
_QUESTION = re.compile(r"[?？]|吗|呢|什么|谁|哪|怎么|怎样|多少|几|是不是|有没有|要不要|知不知道")
_QUESTION_WORDS = ("吗", "呢", "谁", "什么")

_PRONOUN = re.compile(r"(?<!其)[他她]")
_PERSON = re.compile(r"演员|导演|明星|主演|歌手|编剧|女神|男神|影后|影帝")


class UserExchange(NamedTuple):
    """An agent utterance and the answer of a user to it."""

    prompt: str
    """The agent utterance without the names of its dialogue."""
    answer: str
    place: int
    """Index of the exchange in its dialogue, capped."""
    topics: frozenset[str]
    """The topics of its dialogue, without white space; empty for built-in exchanges."""


def exchanges_of(dialogues: Sequence[Dialogue]) -> list[UserExchange]:
    """Return the exchanges of dialogues whose answers fit other dialogues; dialogues start with the agent."""
    common_words = _common_words(dialogues)
    return [exchange for dialogue in dialogues for exchange in _exchanges(dialogue, common_words)]


def built_in_exchanges() -> list[UserExchange]:
    """Return the built-in exchanges."""
    return [
        UserExchange(prompt, answer, min(place // 6, _LAST_PLACE), frozenset())
        for place, (prompt, answers) in enumerate(EXCHANGES)
        for answer in answers
    ]


class RetrievalUser:
    """A simulated user that answers from retrieved `exchanges` (a `System`).

    `excluded` maps a dialogue id to the topics held out for it: exchanges about just these topics are not used. Each
    answer depends only on seed, dialogue and history.
    """

    Recipe: type[Record] = Record

    def __init__(self, exchanges: Sequence[UserExchange], excluded: Mapping[str, frozenset[str]] | None = None) -> None:
        self.recipe = Record()
        self.seen = f"{len(exchanges)} answers of people" if exchanges else "nothing"
        self._exchanges = exchanges
        self._index = _TfIdfIndex([one.prompt for one in exchanges])
        self._excluded = dict(excluded or {})
        self._seed = 0

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # System's promise
        """Set the seed."""
        self._seed = seed

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return an answer to the last utterance of each sample, not given before in that dialogue."""
        return [Answer(text=self._reply(sample)) for sample in samples]

    def _reply(self, sample: Sample) -> str:
        said = {without_punctuation(turn.text) for turn in sample.history if turn.speaker == "user"}
        prompt = sample.history[-1].text if sample.history else ""
        found = self._nearest(prompt, len(said), said, self._excluded.get(sample.dialogue_id))
        if not found:
            found = [answer for answer in FALLBACKS if without_punctuation(answer) not in said] or list(FALLBACKS)
        lot = hashlib.sha256(f"{self._seed}\n{sample.dialogue_id}\n{len(sample.history)}\n{prompt}".encode()).digest()
        return found[int.from_bytes(lot[:8], "big") % len(found)]

    def _nearest(self, prompt: str, place: int, said: Collection[str], excluded: frozenset[str] | None) -> list[str]:
        """Return the answers to the utterances most similar to `prompt`, best first."""
        asked = is_question(prompt)
        rated: list[tuple[float, int]] = []
        for number, similarity in self._index.similarities(prompt).items():
            one = self._exchanges[number]
            if (excluded and one.topics == excluded) or _wrong_pronoun(one.answer, prompt):
                continue
            value = similarity * _OTHER_PLACE[min(abs(one.place - min(place, _LAST_PLACE)), 2)]
            if is_question(one.prompt) != asked:
                value *= _OTHER_KIND
            elif asked and _ends_in_question(one.answer):
                value *= _ASKS_BACK
            rated.append((-value, number))
        rated.sort()
        found: dict[str, str] = {}
        for value, number in rated:
            if value > rated[0][0] * _NEAR_ENOUGH or len(found) == _NEAREST:
                break
            answer = self._exchanges[number].answer
            if without_punctuation(answer) not in said:
                found.setdefault(without_punctuation(answer), answer)
        return list(found.values())


class _TfIdfIndex:
    """TF-IDF index of texts over words and character bigrams, with cosine similarity."""

    def __init__(self, texts: Sequence[str]) -> None:
        parts = [_parts(text) for text in texts]
        spread = Counter(part for one in parts for part in one)
        limit = max(_COMMON * len(texts), _FEWEST)
        self._weights = {part: math.log((1 + len(texts)) / count) for part, count in spread.items() if count <= limit}
        self._where: dict[str, list[tuple[int, float]]] = {}
        for number, one in enumerate(parts):
            rare = sorted(part for part in one if part in self._weights)
            length = math.sqrt(added(self._weights[part] ** 2 for part in rare))
            for part in rare:
                self._where.setdefault(part, []).append((number, self._weights[part] / length))

    def similarities(self, text: str) -> dict[int, float]:
        """Return text index -> similarity to `text`, up to a common factor; only texts that share a term."""
        found: dict[int, float] = {}
        for part in sorted(_parts(text)):
            weight = self._weights.get(part, 0.0)
            for number, value in self._where.get(part, ()):
                found[number] = found.get(number, 0.0) + weight * value
        return found


def _wrong_pronoun(answer: str, prompt: str) -> bool:
    """Whether an answer has a personal pronoun that does not match the agent's utterance."""
    meant, known = (set(_PRONOUN.findall(text)) for text in (answer, prompt))
    return bool(meant - known) and (bool(known) or not _PERSON.search(prompt))


def is_question(text: str) -> bool:
    """Whether an utterance is a question."""
    return _QUESTION.search(text) is not None


def _parts(text: str) -> set[str]:
    """Return the words and character bigrams of a text."""
    characters = without_spaces(text)
    return {*(f"{word} " for word in text.split()), *(one + other for one, other in pairwise(characters))}


def _common_words(dialogues: Iterable[Dialogue]) -> frozenset[str]:
    spread: Counter[str] = Counter()
    for one in dialogues:
        spread.update({word for turn in one.turns if turn.speaker == "user" for word in turn.text.split()})
    return frozenset(word for word, count in spread.items() if count >= _COMMON_DIALOGUES)


def _exchanges(dialogue: Dialogue, common_words: frozenset[str]) -> Iterator[UserExchange]:
    goal = dialogue.goal
    topics = frozenset(map(without_spaces, goal.topics)) if goal is not None else frozenset()
    facts = facts_of(goal, dialogue.knowledge)
    cells = [*(goal.topics if goal is not None else ()), *(str(fact.object) for fact in facts)]
    names = {word for cell in cells for word in (without_spaces(cell), *cell.split()) if len(word) > 1} - common_words
    for place in range(0, len(dialogue.turns) - 1, 2):
        prompt, answer = dialogue.turns[place], dialogue.turns[place + 1]
        if prompt.speaker != "system" or answer.speaker != "user" or not without_punctuation(answer.text):
            continue
        if _SPECIFIC.search(answer.text) or any(name in without_spaces(answer.text) for name in names):
            continue
        yield UserExchange(_without(prompt.text, names), answer.text, min(place // 2, _LAST_PLACE), topics)


def _without(text: str, names: Collection[str]) -> str:
    """Remove the words that are names or parts of names."""
    return " ".join(word for word in text.split() if word not in names and not any(word in name for name in names))


def _ends_in_question(text: str) -> bool:
    """Whether a text ends in a question mark or a question word, other punctuation aside."""
    end = len(text)
    while end and not (text[end - 1].isalnum() or text[end - 1] == "_"):
        end -= 1
    return any(mark in text[end:] for mark in "?？") or text[:end].endswith(_QUESTION_WORDS)
