"""Sampling of wrong candidates in the three styles of the challenge (specification, section 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.simulator.neighbours import NAMED, SIZES, Neighbours, name_in, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.restaurant.simulator.dialogue_generator import DialogueGenerator, SimulatedDialogue
    from duologue.core.rng import Rng

_RANDOM_TRAINING = 4
_LINES = 3
"""Number of candidates that are lines of the dialogue itself: style b always, style a beside api_calls."""
_TRIES = 200
# Share of distinct bot texts of a training file by kind: tasks 1 and 2 measured, the others from the
# number of restaurants and requests that 10,000 dialogues touch [guess].
_RANDOM_KINDS: dict[int, dict[str, float]] = {
    1: {"api_call": 438, "sentence": 9},
    2: {"api_call": 900, "sentence": 5},
    3: {"option": 5_000, "repeat": 1_000, "sentence": 7},
    4: {"phone": 2_500, "address": 2_500, "sentence": 3},
    5: {"api_call": 900, "option": 4_800, "repeat": 1_500, "phone": 2_800, "address": 2_800, "sentence": 15},
}
# How often a line of the dialogue in release B is a fact where the answer names no restaurant (subtasks 3 and 4).
_FACT_SHARE_B = {
    3: {"hello": 1.0, "on-it": 0.6, "look": 0.63, "reserve": 0.16, "another": 0.04},
    4: {"hello": 1.0, "reserve": 0.8, "ready": 0.17},
}
# By subtask: how often 3, 4, 5 or 6 api_calls stand beside an api_call in release B (counts, tst1 and tst2).
_MORE_CALLS_B = {1: (127, 121, 81, 55), 2: (269, 89, 54, 147), 5: (9, 44, 43, 96)}
# Lines of the dialogue that are like an answer that names a restaurant, and how often one is there if there is one.
_LIKE_LINES_B = {
    "option": (templates.BOT_OPTION.removesuffix("{name}"), 0.57),
    "repeat": (templates.BOT_OPTION.removesuffix("{name}"), 0.43),
    "phone": (templates.BOT_ITEM.removesuffix("{value}"), 1.0),
    "address": (templates.BOT_ITEM.removesuffix("{value}"), 1.0),
}
_BOT_LINES_B = 2.0
"""Weight of a bot turn among the lines beside a sentence, against a user's."""


def _line_weights(lines: Sequence[str], answer: str) -> list[float]:
    """Return sampling weights of lines beside an api_call: those that name its values count more [fitted]."""
    words = set(answer.split())
    return [3.0 if words.intersection(line.replace(",", "").split()) else 1.0 for line in lines]


class CandidateSampler:
    """Samples the wrong candidates for the rows of one file."""

    def __init__(self, generator: DialogueGenerator, style: str, key: Sequence[object]) -> None:
        self.style, self.recipe, self.subtask = style, generator.recipe, generator.subtask
        self.neighbours = Neighbours(generator, style, key)

    def sample(self, dialogue: SimulatedDialogue, cut: int, kind: str, rng: Rng) -> list[str]:
        """Return the wrong candidates for the bot turn at place `cut` of the dialogue, in no particular order."""
        answer = dialogue.lines[cut]
        history = dialogue.lines[:cut]
        listed = dialogue.listed if dialogue.listed and dialogue.facts_at < cut else []
        if self.style == "training":
            return self._training(answer, kind, listed, rng)
        if self.style == "a":
            return self._release_a(answer, kind, history, listed, rng)
        return self._release_b(answer, kind, history, rng)

    # -- styles ------------------------------------------------------------------------------------

    def _training(self, answer: str, kind: str, listed: Sequence[str], rng: Rng) -> list[str]:
        size = SIZES["training"]
        texts = self.neighbours.near(answer, kind, size)
        if kind in {"option", "repeat"} and rng.happens(self.recipe.listed_options_training):
            texts = self._with_listed(answer, kind, texts, listed, size)
        known = {answer, *texts}
        kinds = _RANDOM_KINDS[self.subtask]
        names, weights = list(kinds), list(kinds.values())
        if self.recipe.answer_twice and rng.happens(self.recipe.answer_twice):
            texts = [*texts, answer]
        for _ in range(_TRIES):
            if len(texts) >= size + _RANDOM_TRAINING:
                break
            text = self.neighbours.any_text(rng.weighted_choice(names, weights), rng)
            if text not in known:
                known.add(text)
                texts.append(text)
        return texts

    def _release_a(self, answer: str, kind: str, history: Sequence[str], listed: Sequence[str], rng: Rng) -> list[str]:
        size = SIZES["a"]
        if kind == "api_call":
            lines = self._lines_a(history, answer, rng)
            near = self.neighbours.near(answer, kind, size)
            outdated = [line for line in history if line.startswith(templates.API_CALL)][-1:]
            if outdated and outdated[0] not in lines and outdated[0] != answer:
                near = [*outdated, *(text for text in near if text not in outdated)]
            return [*lines, *(text for text in near if text not in lines)][:size]
        texts = self.neighbours.near(answer, kind, size)
        if kind in {"option", "repeat"} and rng.happens(self.recipe.listed_options):
            return self._with_listed(answer, kind, texts, listed, size)
        if kind in {"phone", "address"} and self.subtask == 5:
            return self._with_items(answer, kind, texts, listed, rng)
        return texts

    def _release_b(self, answer: str, kind: str, history: Sequence[str], rng: Rng) -> list[str]:
        size = SIZES["b"]
        near = self.neighbours.near(answer, kind, size * 2 if kind == "api_call" else size)
        if kind == "api_call":
            near = near[: size + rng.weighted_choice(range(size + 1), _MORE_CALLS_B[self.subtask])]
        return near + self._lines_b(answer, kind, history, rng)

    # -- lines of the dialogue itself --------------------------------------------------------------

    def _lines_a(self, history: Sequence[str], answer: str, rng: Rng) -> list[str]:
        """Return three lines beside an api_call, none twice.

        Two thirds of the outdated calls are among them, the others among the neighbours.
        """
        calls = [line for line in history if line.startswith(templates.API_CALL) and line != answer]
        taken = calls[-1:] if calls and rng.happens(2 / 3) else []
        pool = [line for line in dict.fromkeys(history) if line not in {answer, templates.SILENCE, *calls}]
        weights = dict(zip(pool, _line_weights(pool, answer), strict=True))
        while pool and len(taken) < _LINES:
            line = rng.weighted_choice(pool, [weights[text] for text in pool])
            pool.remove(line)
            taken.append(line)
        return taken

    def _lines_b(self, answer: str, kind: str, history: Sequence[str], rng: Rng) -> list[str]:
        """Return three lines of the history, a line perhaps twice, never the answer's text."""
        pool = [line for line in history if line not in {answer, templates.SILENCE}]
        if kind == "api_call":
            return [rng.weighted_choice(pool, _line_weights(pool, answer)) for _ in range(_LINES)]
        facts = [line for line in pool if " r_" in line]
        if kind in NAMED:
            name = name_in(answer, kind)
            texts = rng.sample([line for line in facts if line.startswith(f"{name} ")], _LINES)
            start, share = _LIKE_LINES_B[kind]
            alike = [line for line in pool if line.startswith(start)]
            if alike and rng.happens(share):
                texts[-1] = rng.choice(alike)
            return texts
        spoken = [line for line in pool if " r_" not in line]
        weights = [1.0 if templates.answer_type(line) == "other" else _BOT_LINES_B for line in spoken]
        share = _FACT_SHARE_B.get(self.subtask, {}).get(kind, 0.0)
        return [
            rng.choice(facts) if facts and rng.happens(share) else rng.weighted_choice(spoken, weights)
            for _ in range(_LINES)
        ]

    # -- listed restaurants ------------------------------------------------------------------------

    def _with_listed(self, answer: str, kind: str, texts: list[str], listed: Sequence[str], size: int) -> list[str]:
        """Put the other listed restaurants in place of as many neighbours."""
        others = [text for text in (text_of(kind, name) for name in listed) if text != answer]
        return [*others, *(text for text in texts if text not in others)][:size]

    def _with_items(self, answer: str, kind: str, texts: list[str], listed: Sequence[str], rng: Rng) -> list[str]:
        """Put items of the other listed restaurants in place of neighbours, some of them twice (section 9.2)."""
        others = [text for text in (text_of(kind, name) for name in rng.shuffled(listed)) if text != answer]
        if not others:
            return texts
        count = {1: 3, 2: 4 + rng.below(2)}.get(len(others), 5)
        items = [others[index % len(others)] for index in range(max(count, len(others)))]
        return [*items, *(text for text in texts if text not in others)][: SIZES["a"]]
