"""Which wrong utterances stand beside the answer (specification, section 9).

The similarity behind the official hard negatives is not known. Here a neighbour is a text of the answer's kind
that shares most of its values or words, drawn by a hash of the answer; how many of which kind stand beside each
sentence was counted in the real files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant import patterns as p
from duologue.challenges.restaurant.chance import Chance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.challenges.restaurant.flow import Story, Teller

NAMED = ("option", "repeat", "phone", "address")
"""Kinds of bot utterances that name a restaurant."""
_SIZES = {"training": 5, "a": 10, "b": 3}
"""Neighbours of the answer by style."""
_RANDOM_TRAINING = 4
_LINES = 3
"""Lines of the dialogue itself: style b always, style a beside api_calls."""

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
# The same of 5, in the training files of tasks 1 and 2; for the others half of release A is taken [guess].
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
# Share of distinct bot texts of a training file by kind: tasks 1 and 2 measured, the others from the
# number of restaurants and requests that 10,000 dialogues touch [guess].
_RANDOM_KINDS: dict[int, dict[str, float]] = {
    1: {"api_call": 438, "sentence": 9},
    2: {"api_call": 900, "sentence": 5},
    3: {"option": 5_000, "repeat": 1_000, "sentence": 7},
    4: {"phone": 2_500, "address": 2_500, "sentence": 3},
    5: {"api_call": 900, "option": 4_800, "repeat": 1_500, "phone": 2_800, "address": 2_800, "sentence": 15},
}
# Kinds that a neighbour of an option, repeat, phone or address may have instead of the answer's own (release A).
_TURNED = {
    "option": ("repeat", 0.001),
    "repeat": ("option", 0.04),
    "phone": ("address", 0.02),
    "address": ("phone", 0.02),
}
_SAME_ARTICLE_TRIES = 3
_TRIES = 200


class Crowd:
    """Chooses the wrong candidates of one file."""

    def __init__(self, teller: Teller, style: str, key: Sequence[object]) -> None:
        self.teller, self.style, self.key = teller, style, key
        self.recipe, self.directory, self.schema = teller.recipe, teller.directory, teller.schema
        self.subtask = teller.subtask
        questions = {f"ask-{slot.name}": slot.question for slot in self.schema.slots}
        sentences = {kind: p.ANSWER_TYPES[kind] for kind in _SENTENCES[self.subtask]}
        self.sentences: dict[str, str] = sentences | (questions if self.subtask in {1, 5} else {})
        """Answer type to text of the sentences that can be answers in this subtask."""
        self._fixed: dict[str, tuple[str, ...]] = {}
        self._values: frozenset[str] = frozenset(v for values in self.schema.values.values() for v in values)

    def around(self, story: Story, cut: int, kind: str, chance: Chance) -> list[str]:
        """Return the wrong candidates for the bot turn at place `cut` of the story, in no particular order."""
        answer = story.lines[cut]
        history = story.lines[:cut]
        listed = story.listed if story.listed and story.facts_at < cut else []
        if self.style == "training":
            return self._training(answer, kind, listed, chance)
        if self.style == "a":
            return self._release_a(answer, kind, history, listed, chance)
        return self._release_b(answer, kind, history, chance)

    # -- styles ------------------------------------------------------------------------------------

    def _training(self, answer: str, kind: str, listed: Sequence[str], chance: Chance) -> list[str]:
        size = _SIZES["training"]
        texts = self._neighbours(answer, kind, size)
        if kind in {"option", "repeat"} and chance.happens(self.recipe.listed_options):
            texts = self._with_listed(answer, kind, texts, listed, size)
        known = {answer, *texts}
        kinds = _RANDOM_KINDS[self.subtask]
        names, weights = list(kinds), list(kinds.values())
        if self.recipe.answer_twice and chance.happens(self.recipe.answer_twice):
            texts = [*texts, answer]
        for _ in range(_TRIES):
            if len(texts) >= size + _RANDOM_TRAINING:
                break
            text = self._any_text(chance.weighted(names, weights), chance)
            if text not in known:
                known.add(text)
                texts.append(text)
        return texts

    def _release_a(
        self, answer: str, kind: str, history: Sequence[str], listed: Sequence[str], chance: Chance
    ) -> list[str]:
        size = _SIZES["a"]
        if kind == "api_call":
            lines = self._lines_a(history, answer, chance)
            near = self._neighbours(answer, kind, size)
            outdated = [line for line in history if line.startswith(p.API_CALL)][-1:]
            if outdated and outdated[0] not in lines and outdated[0] != answer:
                near = [*outdated, *(text for text in near if text not in outdated)]
            return [*lines, *(text for text in near if text not in lines)][:size]
        texts = self._neighbours(answer, kind, size)
        if kind in {"option", "repeat"} and chance.happens(self.recipe.listed_options):
            return self._with_listed(answer, kind, texts, listed, size)
        if kind in {"phone", "address"} and self.subtask == 5:
            return self._with_items(answer, kind, texts, listed, chance)
        return texts

    def _release_b(self, answer: str, kind: str, history: Sequence[str], chance: Chance) -> list[str]:
        size = _SIZES["b"]
        near = self._neighbours(answer, kind, size * 2 if kind == "api_call" else size)
        if kind == "api_call":  # sizes 7 to 10 in both sets: about 0.45, 0.2, 0.15, 0.2
            near = near[: size + chance.weighted((0, 1, 2, 3), (9, 4, 3, 4))]
        return near + self._lines_b(answer, kind, history, chance)

    # -- lines of the dialogue itself --------------------------------------------------------------

    def _lines_a(self, history: Sequence[str], answer: str, chance: Chance) -> list[str]:
        """Return three lines beside an api_call: user lines that name a value twice as often as bot turns.

        Two thirds of the outdated calls are among them, the others among the neighbours.
        """
        words = set(answer.split())
        calls = [line for line in history if line.startswith(p.API_CALL) and line != answer]
        taken = calls[-1:] if calls and chance.happens(2 / 3) else []
        pool = [line for line in dict.fromkeys(history) if line not in {answer, p.SILENCE} and line not in calls]
        weights = {line: 3.0 if words.intersection(line.replace(",", "").split()) else 1.0 for line in pool}
        while pool and len(taken) < _LINES:
            line = chance.weighted(pool, [weights[text] for text in pool])
            pool.remove(line)
            taken.append(line)
        return taken

    def _lines_b(self, answer: str, kind: str, history: Sequence[str], chance: Chance) -> list[str]:
        """Return three lines of the history, a line perhaps twice, never the answer's text."""
        name = answer.rsplit(maxsplit=1)[-1].removesuffix("_phone").removesuffix("_address")
        pool = [line for line in history if line not in {answer, p.SILENCE}]
        if kind in NAMED:
            facts = [line for line in pool if line.startswith(f"{name} r_")]
            mentions = [line for line in pool if line.endswith(f" {name}")] or facts
            texts = chance.some(facts, _LINES)
            if mentions and chance.happens(0.35):
                texts[-1] = chance.pick(mentions)
            return texts
        told = [line for line in pool if " r_" not in line]
        if kind == "hello" and len(told) < len(pool):
            return chance.some([line for line in pool if " r_" in line], _LINES)
        return [chance.pick(told) for _ in range(_LINES)]

    # -- neighbours --------------------------------------------------------------------------------

    def _neighbours(self, answer: str, kind: str, size: int) -> list[str]:
        """Return the nearest texts: the same for the same answer throughout the file."""
        if answer not in self._fixed:
            chance = Chance(*self.key, "near", answer)
            self._fixed[answer] = tuple(self._find(answer, kind, size, chance))
        return list(self._fixed[answer])

    def _find(self, answer: str, kind: str, size: int, chance: Chance) -> list[str]:
        if kind == "api_call":
            return self._calls_near(answer, size, chance)
        if kind in NAMED:
            name = answer.rsplit(maxsplit=1)[-1].removesuffix(f"_{kind}")
            texts = [self._text(kind, near) for near in self._names_near(name, size, chance)]
            turned, share = _TURNED[kind]
            texts = [self._turn(text, kind, turned) if chance.happens(share) else text for text in texts]
            if kind in {"phone", "address"} and (self.subtask == 4 or chance.happens(0.25)):
                texts[0] = self._text(turned, name)  # the other item of the same restaurant
            return texts
        return self._sentences_near(answer, kind, size, chance)

    def _sentences_near(self, answer: str, kind: str, size: int, chance: Chance) -> list[str]:
        texts = [text for text in self.sentences.values() if text != answer]
        count = _SENTENCES_NEAR[self.subtask].get(kind, _SENTENCES_NEAR_OTHERS)
        if self.style == "training" and self.subtask in _SENTENCES_NEAR_TRAINING:
            count = _SENTENCES_NEAR_TRAINING[self.subtask].get(kind, 2)
        elif size < _SIZES["a"]:
            count = (count * size + chance.below(_SIZES["a"])) // _SIZES["a"]
        near = chance.some(texts, min(count, size))
        kinds = _KINDS_NEAR[self.subtask].get(kind, _KINDS_NEAR[self.subtask][""])
        names, weights = list(kinds), list(kinds.values())
        return self._fill(near, size, lambda: self._any_text(chance.weighted(names, weights), chance))

    def _fill(self, texts: list[str], size: int, make: Callable[[], str]) -> list[str]:
        for _ in range(_TRIES):
            if len(texts) >= size:
                break
            text = make()
            if text not in texts:
                texts.append(text)
        return texts

    def _calls_near(self, answer: str, size: int, chance: Chance) -> list[str]:
        """Return api_calls that differ in one slot or two, in task 1 on the same side of the split."""
        values = answer.split()[1:]
        one = self.recipe.one_slot_off_training if self.style == "training" else self.recipe.one_slot_off
        texts: list[str] = []
        for attempt in range(_TRIES):
            if len(texts) == size:
                break
            changed = list(values)
            wide = attempt > _TRIES // 2  # a small schema has no more neighbours so near
            count = 3 if wide else 1 if chance.happens(one) else 2
            for place in chance.some(range(len(values)), count):
                changed[place] = chance.other(self.schema.values[self.schema.slots[place].name], values[place])
            text = " ".join((p.API_CALL, *changed))
            if text not in texts and (wide or self.subtask != 1 or self.teller.ours(changed)):
                texts.append(text)
        return texts

    def _names_near(self, name: str, size: int, chance: Chance) -> list[str]:
        """Return names that share a word with the name, most of them with or without `the_` like it."""
        words = [word for word in name.split("_") if word != "the"]
        article = name.startswith("the_")
        near: list[str] = []
        for attempt in range(_TRIES):
            if len(near) == size:
                break
            pool = self.directory.sharing(chance.pick(words)) if attempt < _TRIES // 2 else self.directory.names
            for _ in range(_SAME_ARTICLE_TRIES):
                other = chance.pick(pool)
                if other.startswith("the_") == article:
                    break
            other = self._unknown(other, chance)
            if other != name and other not in near:
                near.append(other)
        return near

    def _unknown(self, name: str, chance: Chance) -> str:
        """Return the name, or sometimes one that no knowledge base has: a slot value in it is changed."""
        if self.style == "training" or not self.recipe.unknown_names:
            return name
        parts = name.split("_")
        for place, part in enumerate(parts):
            if part in self._values and chance.happens(self.recipe.unknown_names):
                values = next(values for values in self.schema.values.values() if part in values)
                parts[place] = chance.other(values, part)
                return "_".join(parts)
        return name

    # -- listed restaurants ------------------------------------------------------------------------

    def _with_listed(self, answer: str, kind: str, texts: list[str], listed: Sequence[str], size: int) -> list[str]:
        """Put the other listed restaurants in place of as many neighbours."""
        others = [text for text in (self._text(kind, name) for name in listed) if text != answer]
        return [*others, *(text for text in texts if text not in others)][:size]

    def _with_items(self, answer: str, kind: str, texts: list[str], listed: Sequence[str], chance: Chance) -> list[str]:
        """Put items of the other listed restaurants in place of neighbours, some of them twice (section 9.2)."""
        others = [text for text in (self._text(kind, name) for name in chance.shuffled(listed)) if text != answer]
        if not others:
            return texts
        count = {1: 3, 2: 4 + chance.below(2)}.get(len(others), 5)
        items = [others[index % len(others)] for index in range(max(count, len(others)))]
        return [*items, *(text for text in texts if text not in others)][: _SIZES["a"]]

    # -- texts -------------------------------------------------------------------------------------

    def _any_text(self, kind: str, chance: Chance) -> str:
        """Return some text of a kind that the file may hold."""
        if kind == "sentence":
            return chance.pick(list(self.sentences.values()))
        if kind == "api_call":
            values = self.teller.any_request(chance) if self.subtask == 1 else self.teller.any_values(chance)
            return " ".join((p.API_CALL, *values.values()))
        return self._text(kind, chance.pick(self.directory.names))

    def _text(self, kind: str, name: str) -> str:
        if kind == "option":
            return p.BOT_OPTION.format(name=name)
        if kind == "repeat":
            return p.BOT_REPEAT.format(name=name)
        return p.BOT_ITEM.format(value=f"{name}_{kind}")

    def _turn(self, text: str, kind: str, other: str) -> str:
        return self._text(other, text.rsplit(maxsplit=1)[-1].removesuffix(f"_{kind}"))
