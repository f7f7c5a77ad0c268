"""Hard negatives: the nearest neighbours of an answer among the bot's utterances (specification, section 9).

The similarity behind the official hard negatives is not known. Here a neighbour is a text of the answer's kind
that shares most of its values or words, drawn by a hash of the answer; how many of which kind stand beside each
sentence was counted in the real files.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.knowledge.api_calls import call_text
from duologue.challenges.restaurant.schema import templates
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.challenges.restaurant.simulator.dialogue_generator import DialogueGenerator

NAMED = ("option", "repeat", "phone", "address")
"""Kinds of bot utterances that name a restaurant."""
SIZES = {"training": 5, "a": 10, "b": 3}
"""Neighbours of the answer by style."""
# Sentences that can be answers, by subtask; the questions come from the schema (subtasks 1 and 5).
_SENTENCES = {
    1: ("look", "ready"),
    2: ("update-ack", "look", "ready"),
    3: ("hello", "on-it", "look", "another", "sorry", "reserve"),
    4: ("hello", "reserve", "ready"),
    5: ("look", "ready", "update-ack", "another", "sorry", "reserve", "anything", "welcome"),
}
# How many of the 10 neighbours of a sentence are sentences, in release A (tst1 and tst2; 132 fixed sets).
_SENTENCES_NEAR = {
    1: {
        "ask-atmosphere": 3,
        "ask-location": 2,
        "ask-price": 5,
        "ask-number": 4,
        "ask-cuisine": 1,
        "look": 3,
        "ready": 6,
    },
    2: {"update-ack": 0, "ready": 2, "look": 0},
    3: {"on-it": 4, "another": 2, "sorry": 2, "reserve": 2, "hello": 1, "look": 1},
    4: {"ready": 2, "reserve": 0, "hello": 1},
    5: {
        "ask-number": 5,
        "ask-atmosphere": 4,
        "ask-cuisine": 2,
        "reserve": 3,
        "sorry": 2,
        "update-ack": 4,
        "welcome": 7,
        "anything": 3,
        "another": 6,
        "look": 1,
        "ready": 9,
    },
}
_SENTENCES_NEAR_OTHERS = 3
# Fewer neighbours are nearer, and sentences are near to sentences: with 5 (training tasks 1 and 2) or 3 (release B)
# neighbours about so much of that number are sentences.
_SENTENCES_KEPT = {"training": 0.7, "a": 1.0, "b": 0.55}
# The same of 5, counted in the training files of tasks 1 and 2.
_SENTENCES_NEAR_TRAINING = {
    1: {
        "ask-atmosphere": 3,
        "ask-location": 2,
        "ask-price": 1,
        "ask-number": 3,
        "ask-cuisine": 0,
        "look": 3,
        "ready": 5,
    },
    2: {"update-ack": 0, "ready": 2, "look": 0},
}
# Kinds of the other neighbours of a sentence, with weights (release A); "" stands for every other sentence.
_KINDS_NEAR: dict[int, dict[str, dict[str, float]]] = {
    1: {"": {"api_call": 1}},
    2: {"": {"api_call": 1}},
    3: {
        "": {"option": 1},
        "on-it": {"repeat": 5.5, "option": 0.5},
        "reserve": {"repeat": 6, "option": 2},
        "another": {"option": 7, "repeat": 1},
    },
    4: {
        "": {"phone": 1},
        "ready": {"phone": 5.9, "address": 2.1},
        "reserve": {"phone": 6.5, "address": 3.5},
    },
    5: {
        "": {"api_call": 4, "option": 2, "phone": 1, "address": 0.5},
        "reserve": {"repeat": 2.6, "option": 3, "api_call": 0.9, "phone": 0.5},
        "sorry": {"option": 7.5, "api_call": 0.5},
        "update-ack": {"api_call": 5.5, "address": 0.5},
        "welcome": {"phone": 2.5, "api_call": 0.5},
        "anything": {"option": 4.5, "api_call": 2.5},
        "another": {"option": 2.5, "repeat": 1, "api_call": 0.5},
        "look": {"option": 1},
        "ready": {"phone": 1},
    },
}
# Kinds that a neighbour of an option, repeat, phone or address may have instead of the answer's own (release A).
_TURNED = {
    "option": ("repeat", 0.001),
    "repeat": ("option", 0.06),
    "phone": ("address", 0.02),
    "address": ("phone", 0.02),
}
# How often the other item of the same restaurant is among the neighbours of a phone or address, in task 5 and task 4.
_OTHER_ITEM = {"training": (0.1, 1.0), "a": (0.1, 1.0), "b": (0.05, 0.05)}
_SAME_ARTICLE_TRIES = 3
_TRIES = 200


def text_of(kind: str, name: str) -> str:
    """Return the bot utterance of a kind (`NAMED`) that names the restaurant."""
    if kind == "option":
        return templates.BOT_OPTION.format(name=name)
    if kind == "repeat":
        return templates.BOT_REPEAT.format(name=name)
    return templates.BOT_ITEM.format(value=f"{name}_{kind}")


def name_in(text: str, kind: str) -> str:
    """Return the restaurant that a bot utterance of a kind (`NAMED`) names."""
    return text.rsplit(maxsplit=1)[-1].removesuffix(f"_{kind}")


class Neighbours:
    """Nearest neighbours of the answers of one file; deterministic for each answer."""

    def __init__(self, generator: DialogueGenerator, style: str, key: Sequence[object]) -> None:
        self.generator, self.style, self.key = generator, style, key
        self.recipe, self.restaurants, self.schema = generator.recipe, generator.restaurants, generator.schema
        self.subtask = generator.subtask
        questions = {f"ask-{slot.name}": slot.question for slot in self.schema.slots}
        sentences = {kind: templates.ANSWER_TYPES[kind] for kind in _SENTENCES[self.subtask]}
        self.sentences: dict[str, str] = sentences | (questions if self.subtask in {1, 5} else {})
        """Answer type to text of the sentences that can be answers in this subtask."""
        self._found: dict[str, tuple[str, ...]] = {}
        self._values: frozenset[str] = frozenset(v for values in self.schema.values.values() for v in values)

    def near(self, answer: str, kind: str, size: int) -> list[str]:
        """Return the `size` nearest texts; `size` must not change for an answer."""
        if answer not in self._found:
            rng = Rng(*self.key, "near", answer)
            self._found[answer] = tuple(self._find(answer, kind, size, rng))
        return list(self._found[answer])

    def _find(self, answer: str, kind: str, size: int, rng: Rng) -> list[str]:
        if kind == "api_call":
            return self._calls_near(answer, size, rng)
        if kind in NAMED:
            name = name_in(answer, kind)
            texts = [text_of(kind, near) for near in self._names_near(name, size, rng)]
            turned, share = _TURNED[kind]
            texts = [text_of(turned, name_in(text, kind)) if rng.happens(share) else text for text in texts]
            if kind in {"phone", "address"} and rng.happens(_OTHER_ITEM[self.style][self.subtask == 4]):
                texts[0] = text_of(turned, name)
            return texts
        return self._sentences_near(answer, kind, size, rng)

    def _sentences_near(self, answer: str, kind: str, size: int, rng: Rng) -> list[str]:
        texts = [text for text in self.sentences.values() if text != answer]
        count = _SENTENCES_NEAR[self.subtask].get(kind, _SENTENCES_NEAR_OTHERS)
        if self.style == "training" and self.subtask in _SENTENCES_NEAR_TRAINING:
            count = _SENTENCES_NEAR_TRAINING[self.subtask].get(kind, 2)
        else:
            count = math.floor(count * _SENTENCES_KEPT[self.style] + rng.unit())
        near = rng.sample(texts, min(count, size))
        kinds = _KINDS_NEAR[self.subtask].get(kind, _KINDS_NEAR[self.subtask][""])
        names, weights = list(kinds), list(kinds.values())
        return self._fill(near, size, lambda: self.any_text(rng.weighted_choice(names, weights), rng))

    def _fill(self, texts: list[str], size: int, make: Callable[[], str]) -> list[str]:
        for _ in range(_TRIES):
            if len(texts) >= size:
                break
            text = make()
            if text not in texts:
                texts.append(text)
        return texts

    def _calls_near(self, answer: str, size: int, rng: Rng) -> list[str]:
        """Return api_calls that differ in one slot or two, in task 1 on the same side of the split."""
        values = answer.split()[1:]
        recipe = self.recipe
        one = {"training": recipe.one_slot_off_training, "a": recipe.one_slot_off, "b": recipe.one_slot_off_b}[
            self.style
        ]
        texts: list[str] = []
        for attempt in range(_TRIES):
            if len(texts) == size:
                break
            changed = list(values)
            wide = attempt > _TRIES // 2  # a small schema has no more neighbours so near
            count = 3 if wide else 1 if rng.happens(one) else 2
            for place in rng.sample(range(len(values)), count):
                changed[place] = rng.other(self.schema.values[self.schema.slots[place].name], values[place])
            text = call_text(changed)
            if text not in texts and (wide or self.subtask != 1 or self.generator.on_this_side(changed)):
                texts.append(text)
        return texts

    def _names_near(self, name: str, size: int, rng: Rng) -> list[str]:
        """Return names that share a word with the name, most of them with or without `the_` like it."""
        words = [word for word in name.split("_") if word != "the"] or [name]  # a stranger's place may be called so
        article = name.startswith("the_")
        near: list[str] = []
        for attempt in range(_TRIES):
            if len(near) == size:
                break
            pool = self.restaurants.sharing(rng.choice(words)) if attempt < _TRIES // 2 else self.restaurants.names
            for _ in range(_SAME_ARTICLE_TRIES):
                other = rng.choice(pool)
                if other.startswith("the_") == article:
                    break
            other = self._unknown(other, rng)
            if other != name and other not in near:
                near.append(other)
        return near

    def _unknown(self, name: str, rng: Rng) -> str:
        """Return the name, or sometimes one that no knowledge base has: a slot value in it is changed."""
        if self.style == "training" or not self.recipe.unknown_names:
            return name
        parts = name.split("_")
        for place, part in enumerate(parts):
            if part in self._values and rng.happens(self.recipe.unknown_names):
                values = next(values for values in self.schema.values.values() if part in values)
                parts[place] = rng.other(values, part)
                return "_".join(parts)
        return name

    def any_text(self, kind: str, rng: Rng) -> str:
        """Return some text of a kind that the file may hold."""
        if kind == "sentence":
            return rng.choice(list(self.sentences.values()))
        if kind == "api_call":
            values = self.generator.any_request(rng) if self.subtask == 1 else self.generator.any_values(rng)
            return call_text(list(values.values()))
        return text_of(kind, rng.choice(self.restaurants.names))
