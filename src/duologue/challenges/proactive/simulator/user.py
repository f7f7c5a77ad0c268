"""The simulated user: answers an agent as people answered one who said something alike, and never says it twice.

It sees what was said and nothing else: neither goal nor knowledge. Real exchanges (what the agent said, what the person
answered) are looked up by the characters and words of the agent's utterance, in which names of the exchange's own
dialogue count for nothing; answers that say such a name, a number or a title are left out, since they fit nowhere else.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.knowledge import bare, squeezed
from duologue.challenges.proactive.simulator.smalltalk import ALWAYS, EXCHANGES
from duologue.core.records import Answer, Record
from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from duologue.core.protocols import Brief, World
    from duologue.core.records import Dialogue, Sample

_NEAREST = 12
"""Most exchanges that an answer is drawn from."""
_NEAR_ENOUGH = 0.6
"""They are at least so like the agent's utterance, as a share of the likeness of the nearest."""
_OTHER_KIND = 0.3
"""What likeness is worth where one utterance asks and the other does not."""
_ASKS_BACK = 0.5
"""And where a question would be answered by a question."""
_OTHER_PLACE = (1.0, 0.85, 0.7)
"""And where the utterances stand 0, 1, 2 or more turns apart; from the fourth turn on all places are one."""
_LAST_PLACE = 3
_FEWEST = 50
"""Utterances that may hold it in any case, so that a small index keeps its words."""
_COMMON = 0.1
"""Share of the utterances that hold a word or pair of characters: above it tells nothing, and takes long to look up."""
_EVERYDAY = 5
"""Dialogues whose users say a word: from so many on it is no name."""
_OPEN = re.compile(r"[0-9０-９A-Za-z《》座]")
"""What an answer that fits elsewhere does not hold."""
_QUESTION = re.compile(r"[?？]|吗|呢|什么|谁|哪|怎么|怎样|多少|几|是不是|有没有|要不要|知不知道")
_ASKING_WORDS = ("吗", "呢", "谁", "什么")

_PRONOUN = re.compile(r"(?<!其)[他她]")
_PERSON = re.compile(r"演员|导演|明星|主演|歌手|编剧|女神|男神|影后|影帝")


class Exchange(NamedTuple):
    """What an agent said once, and what a person answered."""

    heard: str
    """The agent's words without the names of its dialogue."""
    answer: str
    place: int
    """Which exchange of its dialogue it is, from 0."""
    topics: frozenset[str]
    """The topics of its dialogue, without white space; empty for exchanges of our own making."""


def exchanges_of(dialogues: Sequence[Dialogue]) -> list[Exchange]:
    """Return the exchanges of people whose answers fit elsewhere; dialogues start with the agent."""
    everyday = _everyday_words(dialogues)
    return [exchange for dialogue in dialogues for exchange in _exchanges(dialogue, everyday)]


def own_exchanges() -> list[Exchange]:
    """Return the exchanges of our own making; they may come anywhere in a dialogue."""
    return [
        Exchange(heard, answer, min(place // 6, _LAST_PLACE), frozenset())
        for place, (heard, answers) in enumerate(EXCHANGES)
        for answer in answers
    ]


class PeopleLike:
    """A simulated user that speaks as the people in `exchanges` did (`System`).

    `apart` names, per dialogue, the topics that it must not have heard people talk about: exchanges of a dialogue about
    just these are not used. Each answer depends on seed, dialogue and what was said, on nothing else.
    """

    Recipe: type[Record] = Record

    def __init__(self, exchanges: Sequence[Exchange], apart: Mapping[str, frozenset[str]] | None = None) -> None:
        self.recipe = Record()
        self.seen = f"{len(exchanges)} answers of people" if exchanges else "nothing"
        self._exchanges = exchanges
        self._index = _Index([one.heard for one in exchanges])
        self._apart = dict(apart or {})
        self._seed = 0

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # System's promise
        """Take the seed."""
        self._seed = seed

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return an answer to the last utterance of each sample that its user has not given before."""
        return [Answer(text=self._reply(sample)) for sample in samples]

    def _reply(self, sample: Sample) -> str:
        said = {bare(turn.text) for turn in sample.history if turn.speaker == "user"}
        heard = sample.history[-1].text if sample.history else ""
        found = self._nearest(heard, len(said), said, self._apart.get(sample.dialogue_id))
        if not found:
            found = [answer for answer in ALWAYS if bare(answer) not in said] or list(ALWAYS)
        lot = hashlib.sha256(f"{self._seed}\n{sample.dialogue_id}\n{len(sample.history)}\n{heard}".encode()).digest()
        return found[int.from_bytes(lot[:8], "big") % len(found)]

    def _nearest(self, heard: str, place: int, said: Collection[str], apart: frozenset[str] | None) -> list[str]:
        """Return answers that people gave to utterances like `heard`, the most fitting first."""
        asked = asks(heard)
        rated: list[tuple[float, int]] = []
        for number, likeness in self._index.like(heard).items():
            one = self._exchanges[number]
            if (apart and one.topics == apart) or _of_another(one.answer, heard):
                continue
            value = likeness * _OTHER_PLACE[min(abs(one.place - min(place, _LAST_PLACE)), 2)]
            if asks(one.heard) != asked:
                value *= _OTHER_KIND
            elif asked and _asks_at_end(one.answer):
                value *= _ASKS_BACK
            rated.append((-value, number))
        rated.sort()
        found: dict[str, str] = {}
        for value, number in rated:
            if value > rated[0][0] * _NEAR_ENOUGH or len(found) == _NEAREST:
                break
            answer = self._exchanges[number].answer
            if bare(answer) not in said:
                found.setdefault(bare(answer), answer)
        return list(found.values())


class _Index:
    """Texts by their words and pairs of characters, weighted by rarity; likeness is the cosine."""

    def __init__(self, texts: Sequence[str]) -> None:
        parts = [_parts(text) for text in texts]
        spread = Counter(part for one in parts for part in one)
        most = max(_COMMON * len(texts), _FEWEST)
        self._weights = {part: math.log((1 + len(texts)) / count) for part, count in spread.items() if count <= most}
        self._where: dict[str, list[tuple[int, float]]] = {}
        for number, one in enumerate(parts):
            rare = sorted(part for part in one if part in self._weights)
            length = math.sqrt(added(self._weights[part] ** 2 for part in rare))
            for part in rare:
                self._where.setdefault(part, []).append((number, self._weights[part] / length))

    def like(self, text: str) -> dict[int, float]:
        """Return the likeness to each text that shares something with `text`, up to a common factor."""
        found: dict[int, float] = {}
        for part in sorted(_parts(text)):
            weight = self._weights.get(part, 0.0)
            for number, value in self._where.get(part, ()):
                found[number] = found.get(number, 0.0) + weight * value
        return found


def _of_another(answer: str, heard: str) -> bool:
    """Tell whether an answer speaks of a man or a woman where the agent spoke of no person, or of the other."""
    meant, known = (set(_PRONOUN.findall(text)) for text in (answer, heard))
    return bool(meant - known) and (bool(known) or not _PERSON.search(heard))


def asks(text: str) -> bool:
    """Tell whether an utterance asks something."""
    return _QUESTION.search(text) is not None


def _parts(text: str) -> set[str]:
    """Return the words of a text, and its pairs of neighbouring characters."""
    characters = squeezed(text)
    return {*(f"{word} " for word in text.split()), *(one + other for one, other in pairwise(characters))}


def _everyday_words(dialogues: Iterable[Dialogue]) -> frozenset[str]:
    spread: Counter[str] = Counter()
    for one in dialogues:
        spread.update({word for turn in one.turns if turn.speaker == "user" for word in turn.text.split()})
    return frozenset(word for word, count in spread.items() if count >= _EVERYDAY)


def _exchanges(dialogue: Dialogue, everyday: frozenset[str]) -> Iterator[Exchange]:
    goal = dialogue.goal
    topics = frozenset(map(squeezed, goal.topics)) if goal is not None else frozenset()
    facts = (*dialogue.knowledge, *(goal.relations if goal is not None else ()))
    cells = [*(goal.topics if goal is not None else ()), *(str(fact.object) for fact in facts)]
    names = {word for cell in cells for word in (squeezed(cell), *cell.split()) if len(word) > 1} - everyday
    for place in range(0, len(dialogue.turns) - 1, 2):
        heard, answer = dialogue.turns[place], dialogue.turns[place + 1]
        if heard.speaker != "system" or answer.speaker != "user" or not bare(answer.text):
            continue
        if _OPEN.search(answer.text) or any(name in squeezed(answer.text) for name in names):
            continue
        yield Exchange(_without(heard.text, names), answer.text, min(place // 2, _LAST_PLACE), topics)


def _without(text: str, names: Collection[str]) -> str:
    """Return a text without the words that belong to names."""
    return " ".join(word for word in text.split() if word not in names and not any(word in name for name in names))


def _asks_at_end(text: str) -> bool:
    """Tell whether a text ends in a question mark or a question word, whatever signs stand behind it."""
    end = len(text)
    while end and not (text[end - 1].isalnum() or text[end - 1] == "_"):
        end -= 1
    return any(mark in text[end:] for mark in "?？") or text[:end].endswith(_ASKING_WORDS)
