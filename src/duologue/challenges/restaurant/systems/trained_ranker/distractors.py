"""Additional distractors for training: bot utterances of other dialogues with this dialogue's restaurants and values.

The candidate styles of the challenge pair each kind of answer with its own kind of neighbours and never ask for
the first bot turns of some subtasks. Distractors of every kind beside every answer, and dialogues cut at an
earlier bot turn, keep a ranker from exploiting these artefacts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.restaurant.knowledge.facts import parse_fact
from duologue.challenges.restaurant.schema.templates import API_CALL
from duologue.challenges.restaurant.systems.trained_ranker.delex import PUNCTUATION
from duologue.core.records import Answer, Candidate, Example

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.core.records import Fact, Sample
    from duologue.core.rng import Rng

_NAME = "{name}"
_AT_HAND = 0.8  # how often a distractor names a restaurant or values of the dialogue, if there are any
_BESIDE_EARLIER = 8  # distractors beside an earlier bot turn, which has no other candidates


class DistractorSampler:
    """Samples distractors from the bot utterances of one knowledge base, grouped by template."""

    def __init__(self, facts: Iterable[Fact], examples: Iterable[Example]) -> None:
        self._subject_of: dict[str, str] = {}
        self._field_of: dict[str, str] = {}
        for fact in facts:
            self._subject_of[fact.subject] = fact.subject
            self._field_of[str(fact.object)] = fact.relation
            if isinstance(fact.object, str) and fact.object.startswith(fact.subject):
                self._subject_of[fact.object] = fact.subject
        self._subjects = sorted(set(self._subject_of.values()))
        forms: dict[str, set[str]] = {}
        for example in examples:
            text = example.references[0].text or ""
            form = self._form(text)
            forms.setdefault(form, set()).add(text if form == API_CALL else form)
        self._forms = [sorted(forms[form]) for form in sorted(forms)]

    def _form(self, text: str) -> str:
        words = text.split(" ")
        if words[0] == API_CALL:
            return API_CALL
        for place, word in enumerate(words):
            subject = self._subject_of.get(word)
            if subject is not None:
                words[place] = _NAME + word[len(subject) :]
        return " ".join(words)

    def extend(self, example: Example, count: int, rng: Rng) -> Example:
        """Return the example with up to `count` more candidates, none of which is there already."""
        sample = example.sample
        known = {candidate.text for candidate in sample.candidates}
        near, heard = self._near(sample), self._heard(sample)
        added: list[Candidate] = []
        for texts in rng.sample(self._forms, count):
            text = rng.choice(texts)
            if _NAME in text:
                pool = near if near and rng.happens(_AT_HAND) else self._subjects
                text = text.replace(_NAME, rng.choice(pool))
            elif text.startswith(API_CALL) and rng.happens(_AT_HAND):
                text = " ".join(rng.choice(heard.get(self._field_of.get(word, ""), [word])) for word in text.split(" "))
            if text not in known:
                known.add(text)
                added.append(Candidate(id=f"distractor-{len(added)}", text=text))
        candidates = (*sample.candidates, *added)
        return msgspec.structs.replace(example, sample=msgspec.structs.replace(sample, candidates=candidates))

    def rewind(self, example: Example, rng: Rng) -> Example | None:
        """Return the dialogue cut before an earlier bot turn, that turn among distractors; `None` without one."""
        history = example.sample.history
        places = [place for place, turn in enumerate(history) if turn.speaker == "system"]
        if not places:
            return None
        place = rng.choice(places)
        said = Candidate(id="said", text=history[place].text)
        sample = msgspec.structs.replace(
            example.sample, id=f"{example.sample.id}#{place}", history=history[:place], candidates=(said,)
        )
        reference = Answer(text=said.text, ranking=(said.id,))
        return self.extend(Example(sample=sample, references=(reference,)), _BESIDE_EARLIER, rng)

    def _heard(self, sample: Sample) -> dict[str, list[str]]:
        """Return the values that the user named, by field."""
        heard: dict[str, list[str]] = {}
        for turn in sample.history:
            if turn.speaker == "user":
                for written in turn.text.split(" "):
                    word = written.rstrip(PUNCTUATION)
                    if word in self._field_of:
                        heard.setdefault(self._field_of[word], []).append(word)
        return heard

    def _near(self, sample: Sample) -> list[str]:
        """Return the restaurants that the dialogue lists or names."""
        near: dict[str, None] = {}
        for turn in sample.history:
            fact = parse_fact(turn.text) if turn.speaker == "api" else None
            if fact is not None:
                near[fact.subject] = None
            else:
                near.update((word, None) for word in turn.text.split(" ") if self._subject_of.get(word) == word)
        return list(near)
