"""A noise of speech and its recognition, in six kinds that are switched and graded one by one.

Its rates and tables are general knowledge of disfluent speech, of accents and of recognisers. Nothing is fitted to the
data of a challenge, so what bears this noise was not tuned to it. Meaning stays: a number said wrong is put right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.core.errors import UsageError, did_you_mean
from duologue.core.noise import GREATEST
from duologue.core.rng import Rng
from duologue.text.noise.aligned_text import AlignedText
from duologue.text.noise.spans import moved_annotation, stretches_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.core.records import Example, Turn
    from duologue.text.noise.aligned_text import Stretch
    from duologue.text.noise.spoken_language import SpokenLanguage

_COLLOQUIAL = 0.5
"""Probability of each kind at strength 1: of a word that has a colloquial form,"""
_REPAIR = 0.04
"""of a word to be begun twice,"""
_START, _INSIDE, _END = 0.25, 0.04, 0.12
"""of a filler before the first word, between two words, and behind the last,"""
_ACCENT = 0.1
"""of a word to be said in the speaker's accent,"""
_NEAR = 0.06
"""of a word to be taken for another,"""
_CUT = 0.06
"""and of an utterance to lose its first words, or its last."""
_AGAIN, _TWO = 0.45, 0.35
"""Share of repairs that say a word again, and of cuts that take two words."""


class NoisyText(NamedTuple):
    """An utterance after noise."""

    text: str
    spans: tuple[Stretch, ...]
    """The given spans, in the noisy text."""
    kinds: tuple[str, ...]
    """What changed it, in this order."""


class _Speaker(NamedTuple):
    language: SpokenLanguage
    accent: str
    spans: tuple[Stretch, ...]


class SpeechChannel:
    """Lays noise on utterances; one seed gives the same bytes everywhere, whatever else is made noisy.

    `strengths` has a number from 0 to 5 for each kind that is switched on: it multiplies the kind's probabilities. For
    one kind alone, what a smaller strength changes a greater one changes too. Raises `UsageError` for unknown kinds
    and other strengths.
    """

    def __init__(self, language: SpokenLanguage, seed: int, strengths: Mapping[str, float]) -> None:
        for kind, strength in strengths.items():
            if kind not in _KINDS:
                raise UsageError(f"there is no noise '{kind}'{did_you_mean(kind, KINDS)}")
            if not 0 <= strength <= GREATEST:
                raise UsageError(f"a strength of {strength:g} makes no sense; give a number from 0 to {GREATEST:g}")
        self._language = language
        self._seed = seed
        self._strengths = dict(strengths)

    def say(self, text: str, spans: Sequence[Stretch] = (), *, dialogue: str, at: int) -> NoisyText:
        """Return utterance `at` of a dialogue with noise. A speaker keeps the accent through a dialogue."""
        language = self._language
        accent = Rng("accent", self._seed, dialogue).choice(language.accents)
        traced = AlignedText(text)
        done = []
        for kind, change in _KINDS.items():
            strength = self._strengths.get(kind, 0.0)
            if not strength or not language.words(str(traced)):
                continue
            before = str(traced)
            speaker = _Speaker(language, accent, tuple(traced.carry(spans)))
            change(traced, speaker, strength, Rng("speech noise", self._seed, dialogue, at, kind))
            if str(traced) != before:
                done.append(kind)
        return NoisyText(str(traced), tuple(traced.carry(spans)), tuple(done))

    def turn(self, turn: Turn, *, dialogue: str, at: int) -> Turn:
        """Return a turn with noise; mentions and values stand where their words are now."""
        noisy = self.say(turn.text, stretches_of(turn.annotation), dialogue=dialogue, at=at)
        annotation = turn.annotation
        if annotation is not None:
            annotation = moved_annotation(annotation, noisy.text, noisy.spans)
        return msgspec.structs.replace(turn, text=noisy.text, annotation=annotation)

    def example(self, example: Example) -> Example:
        """Return an example with noise on the user's turns of its history; ids and references stay as they are."""
        sample = example.sample
        history = tuple(
            self.turn(turn, dialogue=sample.dialogue_id, at=at) if turn.speaker == "user" else turn
            for at, turn in enumerate(sample.history)
        )
        return msgspec.structs.replace(example, sample=msgspec.structs.replace(sample, history=history))


def _colloquial(traced: AlignedText, speaker: _Speaker, strength: float, rng: Rng) -> None:
    found = [(place, rng.unit(), rng.choice(forms)) for place, forms in speaker.language.colloquial(str(traced))]
    for (start, end), point, form in reversed(found):
        if point < _COLLOQUIAL * strength:
            traced.rewrite(start, end, form)


def _repairs(traced: AlignedText, speaker: _Speaker, strength: float, rng: Rng) -> None:
    """Say words again, break them off, or say another number first."""
    language, text = speaker.language, str(traced)
    terms = language.said("terms")
    drawn = [(place, rng.unit(), rng.unit(), rng.choice(terms), rng.unit()) for place in language.words(text)]
    for (start, end), point, form, term, which in reversed(drawn):
        if point >= _REPAIR * strength:
            continue
        word = text[start:end]
        wrong = language.other_number(word, which)
        said = [word] if wrong is None and form < _AGAIN else [wrong or word[: (len(word) + 1) // 2], term]
        traced.insert_text(start, "".join(one + language.gap for one in said))


def _fillers(traced: AlignedText, speaker: _Speaker, strength: float, rng: Rng) -> None:
    language = speaker.language
    places = language.words(str(traced))
    drawn = []
    for number, (start, _) in enumerate(places):
        table, share = ("insides", _INSIDE) if number else ("starts", _START)
        drawn.append((start, rng.unit(), rng.choice(language.said(table)) + language.gap, share))
    drawn.append((places[-1][1], rng.unit(), language.gap + rng.choice(language.said("ends")), _END))
    for place, point, text, share in reversed(drawn):
        if point < share * strength:
            traced.insert_text(place, text)


def _dialect(traced: AlignedText, speaker: _Speaker, strength: float, rng: Rng) -> None:
    def heard(word: str, which: float) -> str | None:
        return speaker.language.accented(word, speaker.accent, which)

    _rewrite(traced, speaker, _ACCENT * strength, rng, heard)


def _near_sounds(traced: AlignedText, speaker: _Speaker, strength: float, rng: Rng) -> None:
    _rewrite(traced, speaker, _NEAR * strength, rng, speaker.language.near)


def _rewrite(
    traced: AlignedText, speaker: _Speaker, share: float, rng: Rng, heard: Callable[[str, float], str | None]
) -> None:
    """Write a share of the words as they are heard."""
    text = str(traced)
    drawn = [(place, rng.unit(), rng.unit()) for place in speaker.language.words(text)]
    for (start, end), point, which in reversed(drawn):
        other = heard(text[start:end], which) if point < share else None
        if other is not None:
            traced.rewrite(start, end, other)


def _cuts(traced: AlignedText, speaker: _Speaker, strength: float, rng: Rng) -> None:
    """Lose the first words, or the last; some are left, and annotated names and values are spared."""
    first, first_two, last, last_two = (rng.unit() for _ in range(4))
    places = speaker.language.words(str(traced))
    if last < _CUT * strength:
        kept = len(places) - 1 - (last_two < _TWO)
        end = max(places[kept - 1][1] if kept > 0 else len(traced), *(stop for _, stop in speaker.spans), 0)
        traced.cut(end, len(traced))
        places = speaker.language.words(str(traced))
    if first < _CUT * strength:
        lost = 1 + (first_two < _TWO)
        start = min(places[lost][0] if lost < len(places) else 0, *(begin for begin, _ in speaker.spans), len(traced))
        traced.cut(0, start)


_KINDS: dict[str, Callable[[AlignedText, _Speaker, float, Rng], None]] = {
    "colloquial": _colloquial,
    "repairs": _repairs,
    "fillers": _fillers,
    "dialect": _dialect,
    "near-sounds": _near_sounds,
    "cuts": _cuts,
}
KINDS = tuple(_KINDS)
"""The kinds, in the order in which they come: what people say, how it sounds, what is taken down of it."""
