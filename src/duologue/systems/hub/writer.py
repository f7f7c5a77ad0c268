"""What a pre-trained model writes for samples, part by part, and how it ranks candidates."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from duologue.core.rng import Rng
from duologue.core.seeds import seed_of
from duologue.prompts.linearization import Given

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from duologue.core.records import Answer, Sample
    from duologue.models.pretrained.language_model import LanguageModel
    from duologue.prompts.linearization import Linearization, Part
    from duologue.prompts.prompt import Reading
    from duologue.systems.hub.recipe import HubRecipe


class PartWriter:
    """Lets a model write the parts of answers, and score candidates."""

    def __init__(
        self, model: LanguageModel, form: Linearization, recipe: HubRecipe, seed: int, *, trained: bool = False
    ) -> None:
        """Take model and form; `trained`: the model learned this form, in which nothing stands before an answer."""
        from duologue.models.pretrained.options import TextDecoding

        self._trained = trained
        self._model, self._form, self._recipe, self._seed = model, form, recipe, seed
        self._decoding = TextDecoding.of(recipe)
        self.cut: set[int] = set()
        """Places of the samples of the last call whose text was too long: its beginning was not read."""

    def readings(self, samples: Sequence[Sample], chosen: Sequence[Answer | None]) -> list[Reading]:
        """Return what could be read of the text for each sample, all written at once.

        `chosen` has the answer of the system that chooses facts, where one does.
        """
        self.cut = set()
        found: dict[int, Reading] = {}
        live: dict[int, tuple[Generator[Part, str, Reading], Part]] = {}
        for place, (sample, answer) in enumerate(zip(samples, chosen, strict=True)):
            facts = answer.annotation.facts if answer is not None and answer.annotation is not None else ()
            writing = self._form.written(Given(sample, facts))
            live[place] = writing, next(writing)
        step = 0
        while live:
            texts = self._texts({place: part for place, (_, part) in live.items()}, samples, step)
            for place, text in texts.items():
                writing = live[place][0]
                try:
                    live[place] = writing, writing.send(text)
                except StopIteration as stop:
                    found[place] = stop.value
                    del live[place]
            step += 1
        return [found[place] for place in range(len(samples))]

    def _texts(self, parts: dict[int, Part], samples: Sequence[Sample], step: int) -> dict[int, str]:
        """Return what the model writes for each part; parts with the same end and length are one batch."""
        found: dict[int, str] = {}
        for (end, longest), group in groupby(
            sorted(parts, key=lambda place: (parts[place].end, parts[place].longest, place)),
            key=lambda place: (parts[place].end, parts[place].longest),
        ):
            places = list(group)
            how = msgspec.structs.replace(self._decoding, longest=longest or self._decoding.longest)
            sources = [self._source(parts[place].text, how.longest, place) for place in places]
            seed = seed_of(f"{self._seed} {samples[places[0]].id} {step}")
            found |= dict(zip(places, self._model.write(sources, how, end=end, seed=seed), strict=True))
        return found

    def _source(self, text: str, room: int, place: int) -> list[int]:
        text = source_words(self._model, self._form, text)
        found = self._model.source_tokens(text, self._recipe.source_tokens, room=room)
        if self._model.is_cut(text, found):
            self.cut.add(place)
        return found

    def ranking(self, sample: Sample) -> tuple[str, ...]:
        """Return the candidates by the likelihood of their texts, the best first; equal ones by lot."""
        self.cut = set()
        if len(sample.candidates) < 2:
            return tuple(one.id for one in sample.candidates)
        model = self._model
        text = self._form.source(Given(sample))
        apart = not self._trained and text[-1:].isascii() and not text[-1:].isspace()
        longest = self._recipe.target_tokens
        targets = [model.target_tokens(model.plain(one.text), longest, apart=apart) for one in sample.candidates]
        source = self._source(text, max(map(len, targets)), 0)
        scores = model.log_likelihoods(source, targets)
        if self._recipe.ranking == "mean":
            scores = [score / len(target) for score, target in zip(scores, targets, strict=True)]
        lots = [Rng(self._seed, sample.id, "lot", one.id).unit() for one in sample.candidates]
        places = sorted(range(len(scores)), key=lambda place: (-round(scores[place], 6), lots[place]))
        return tuple(sample.candidates[place].id for place in places)


def source_words(model: LanguageModel, form: Linearization, text: str) -> str:
    """Return the text of a form with no marks in it but those that the form, or the model's chat form, wrote."""
    return text if form.in_chat_form and model.chat_form else model.plain(text, form.marks)
