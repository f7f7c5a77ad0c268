"""Examples in a prompt: a few of a training file, the same for all samples or the most similar ones for each."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from duologue.core.errors import UsageError
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Example, Sample
    from duologue.prompts.prompt import Asked, Prompt, PromptMessage
    from duologue.retrieval.grouped_terms import GroupedTerms

_LAST, _BEFORE = 1.0, 0.5
"""Weights of the last turn and of the two before it in the similarity of samples."""


class ShotPool:
    """Training examples that shots are chosen from; nothing is learned of them but how rare their terms are."""

    def __init__(self, examples: Sequence[Example], prompt: Prompt, *, size: int, seed: int) -> None:
        """Draw at most `size` examples that can be said. Raises `UsageError` where there is none."""
        known = [example for example in examples if example.references]
        drawn = sorted(Rng(seed, "shots").sample(range(len(known)), size))
        asked: Asked = "best" if "ranking" in prompt.info.answers.split("+") else "answer"
        self._examples = [known[place] for place in drawn if prompt.shot(known[place], asked) is not None]
        self._prompt, self._seed = prompt, seed
        if not self._examples:
            raise UsageError("the file of examples holds none that could be told: it needs replies (truth)")

    def choose(
        self, sample: Sample, count: int, how: str, asked: Asked, *, pair: bool = False
    ) -> list[list[PromptMessage]]:
        """Return `count` examples as questions with their answers, the most similar one last.

        None has the history of the sample. With `pair` each shows the right candidate and another one alone.
        """
        order = self._similar(sample) if how == "similar" else self._drawn
        found: list[list[PromptMessage]] = []
        for place in order:
            example = self._examples[place]
            if len(found) == count:
                break
            if example.sample.history == sample.history:
                continue
            shot = self._prompt.shot(self._mixed(example, pair=pair), asked)
            if shot is not None:
                found.append(shot)
        return found[::-1]

    @cached_property
    def _drawn(self) -> list[int]:
        return Rng(self._seed, "shots", "order").shuffled(range(len(self._examples)))

    @cached_property
    def _index(self) -> GroupedTerms:
        from duologue.retrieval.grouped_terms import GroupedTerms

        return GroupedTerms([_groups(one.sample) for one in self._examples])

    def _similar(self, sample: Sample) -> list[int]:
        similar = self._index.similarities(_groups(sample)).tolist()
        return sorted(range(len(similar)), key=lambda place: (-round(similar[place], 9), place))

    def _mixed(self, example: Example, *, pair: bool) -> Example:
        """Return an example with its candidates in an order by lot, so that the right one's place tells nothing."""
        sample, lot = example.sample, Rng(self._seed, "shots", example.sample.id)
        candidates = lot.shuffled(sample.candidates)
        if pair:
            right = {reference.ranking[0] for reference in example.references if reference.ranking}
            others = [one for one in candidates if one.id not in right][:1]
            candidates = [one for one in candidates if one.id in right or one in others][:2]
        shown = msgspec.structs.replace(sample, candidates=tuple(candidates))
        return msgspec.structs.replace(example, sample=shown)


def _groups(sample: Sample) -> list[tuple[float, list[str]]]:
    texts = [turn.text for turn in sample.history[-3:]]
    last, before = texts[-1:], texts[:-1]
    topics = list(sample.goal.topics) if sample.goal is not None else []
    return [(_LAST, terms(" ".join(last))), (_BEFORE, terms(" ".join([*before, *topics])))]


def terms(text: str) -> list[str]:
    """Return the words of a text, and of words in other scripts than Latin the pairs of their signs.

    >>> terms("Batman 电影 ok"), terms("你好吗")
    (['batman', '电影', 'ok'], ['你好', '好吗'])
    """
    found: list[str] = []
    for word in text.lower().split():
        if word.isascii() or len(word) == 1:
            found.append(word)
        else:
            found += [word[place : place + 2] for place in range(len(word) - 1)]
    return found
