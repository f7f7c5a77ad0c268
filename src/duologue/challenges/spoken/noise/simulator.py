"""Simulator of the challenge's recognition errors on clean dialogues (specification, section 6).

Nearly every noisy utterance follows one recipe: a repeated and a deleted character, two swapped words, a word written
with homophones, a stray full stop, a particle, ... The regime says which utterances are noisy: in the validation data
the turns without knowledge, whoever speaks; in the test data the user's turns. The parameters are in `noise_table`.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from duologue.challenges.spoken.noise import noise_table as table
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.seeds import seed_of
from duologue.core.sums import added
from duologue.text.noise.aligned_text import AlignedText
from duologue.text.noise.spans import moved_annotation, stretches_of
from duologue.text.pronunciation import reading, sound_alikes
from duologue.text.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.core.records import Dialogue, Example, Turn
    from duologue.text.noise.aligned_text import Stretch
    from duologue.text.noise.speech_channel import SpeechChannel

REGIMES = ("validation", "test")
"""Regimes: noise on the turns without knowledge, or on the user's turns."""

T = TypeVar("T")
Row = TypeVar("Row", bound="tuple[float, ...] | tuple[float, str] | tuple[float, float, str]")


class NoisyUtterance(NamedTuple):
    """An utterance with noise."""

    text: str
    spans: tuple[Stretch, ...]
    """The given spans, in the noisy text."""
    recipe: str
    """Kind of the error, by its effect: a key of `noise_table.SHARES`."""


class NoiseSimulator:
    """Adds recognition errors to clean utterances; one seed gives the same bytes everywhere.

    `strength` is how many recipes an utterance goes through: 1 is the challenge's noise, 0.5 lays it on every second
    utterance, 2 lays it on twice. Needs the extra `zh`. Raises `UsageError` for an unknown regime or a strength
    outside 0 to 5.
    """

    def __init__(self, regime: str, seed: int, *, strength: float = 1.0, channel: SpeechChannel | None = None) -> None:
        """`channel`: a speaker's noise, which comes before the recogniser's."""
        if regime not in REGIMES:
            raise UsageError(f"there is no regime '{regime}' of noise{did_you_mean(regime, REGIMES)}")
        if not 0 <= strength <= 5:
            raise UsageError(f"a strength of {strength:g} makes no sense; give a number from 0 to 5")
        self.regime = regime
        self.seed = seed
        self.strength = strength
        self._channel = channel

    def turn(self, text: str, spans: Sequence[Stretch] = (), *, rng: Random) -> NoisyUtterance:
        """Return an utterance with noise, and its spans `spans` in the noisy text.

        Deterministic for a given state of `rng`. With a strength of more than 1 `recipe` is the last one.
        """
        rounds = int(self.strength)
        rounds += rng.random() < self.strength - rounds
        made = NoisyUtterance(text, tuple(spans), "unchanged")
        for _ in range(rounds):
            made = _once(made.text, made.spans, table.SPELLED[self.regime], rng)
        return made

    def dialogue(self, dialogue: Dialogue) -> Dialogue:
        """Return a dialogue with noise on the turns that the regime names; the spans of annotations are carried.

        Its `source`, where it has one, is a copy that differs in the messages alone.
        """
        turns = tuple(
            self._noisy(turn, dialogue.id, at) if self._touches(turn, at) else turn
            for at, turn in enumerate(dialogue.turns)
        )
        source = dialogue.source
        if isinstance(source, dict) and "messages" in source:
            source = {**source, "messages": _messages(source["messages"], turns)}
        return msgspec.structs.replace(dialogue, turns=turns, source=source)

    def example(self, example: Example) -> Example:
        """Return an example with noise on its history; the reply stays as it is.

        A turn has the same noise in all samples of a dialogue. Earlier turns come without their knowledge, so only
        the regime `test` can tell the noisy ones (`UsageError` for the other).
        """
        if self.regime != "test":
            raise UsageError("samples do not say which turns use knowledge; take the regime 'test', or dialogues")
        sample = example.sample
        history = tuple(
            self._noisy(turn, sample.dialogue_id, at) if self._touches(turn, at) else turn
            for at, turn in enumerate(sample.history)
        )
        source = _messages(example.source, history) if isinstance(example.source, list) else example.source
        sample = msgspec.structs.replace(sample, history=history)
        return msgspec.structs.replace(example, sample=sample, source=source)

    def _touches(self, turn: Turn, at: int) -> bool:
        if self.regime == "test":
            return at % 2 == 0
        return turn.annotation is None or not turn.annotation.facts

    def _noisy(self, turn: Turn, name: str, at: int) -> Turn:
        """Return a turn with noise; its random stream depends on seed, dialogue and position."""
        if self._channel is not None:
            turn = self._channel.turn(turn, dialogue=name, at=at)
        rng = Random(seed_of(f"spoken noise {self.seed} {name} {at}"))
        annotation = turn.annotation
        noisy = self.turn(turn.text, stretches_of(annotation), rng=rng)
        if annotation is not None:
            annotation = moved_annotation(annotation, noisy.text, noisy.spans)
        return msgspec.structs.replace(turn, text=noisy.text, annotation=annotation)


def _messages(rows: Sequence[dict[str, Any]], turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """Return the official rows of turns with their messages changed, all else as it stands."""
    return [{**row, "message": turn.text} for row, turn in zip(rows, turns, strict=True)]


def _once(text: str, spans: Sequence[Stretch], spelled: float, rng: Random) -> NoisyUtterance:
    """Return an utterance after one recipe; `spelled` is the probability that a numeral is changed where it may be."""
    form = _pick([(weight, name) for name, weight in table.FORMS.items()], rng)[1]
    traced = AlignedText(text)
    traced.keep(lambda sign: sign not in table.QUIET)
    if form == "unchanged" or len(traced) < 2:
        return NoisyUtterance(text, tuple(spans), "unchanged")
    digits = form in _SPELLS_DIGITS and rng.random() < spelled and _spell_digits(traced)
    recipe = _FORMS[form](traced, rng)
    return NoisyUtterance(str(traced), tuple(traced.carry(spans)), "digits" if digits else recipe)


def _pick(rows: Sequence[Row], rng: Random) -> Row:
    """Draw a row by the weight in its first column."""
    drawn = rng.random() * added(row[0] for row in rows)
    for row in rows:
        drawn -= row[0]
        if drawn < 0:
            return row
    return rows[-1]


def _any(things: Sequence[T], rng: Random) -> T:
    return things[int(rng.random() * len(things))]


def _place(fraction: float, n: int, limit: int, rng: Random) -> int:
    """Return the place that a fraction gives among `n` things; where it is not below `limit`, any place."""
    at = int(fraction * (1 << n.bit_length()))
    return at if at < limit else int(rng.random() * limit)


def _spell_digits(traced: AlignedText) -> bool:
    """Write numerals in their formal characters; return whether there were any."""
    found = False
    for at, sign in enumerate(str(traced)):
        if sign in table.NUMERALS:
            traced.replace(at, table.NUMERALS[sign])
            found = True
    return found


def _swap(traced: AlignedText, fraction: float, rng: Random) -> tuple[str, str]:
    """Let two neighbouring words change places; return them, empty where there is only one word."""
    cut = words(str(traced))
    if len(cut) < 2:
        return "", ""
    second = max(1, _place(fraction, len(cut), len(cut), rng))
    start = sum(map(len, cut[: second - 1]))
    middle = start + len(cut[second - 1])
    traced.swap(start, middle, middle + len(cut[second]))
    return cut[second - 1], cut[second]


def _plain_swap(traced: AlignedText, rng: Random) -> str:
    before = str(traced)
    pair = _swap(traced, _pick(table.SWAPS, rng)[1], rng)
    if str(traced) == before:
        return "unchanged"
    return "punctuation" if table.MARKS.intersection(pair) else "swap"


def _swap_with_particle(traced: AlignedText, rng: Random) -> str:
    _, fraction, particle = _pick(table.SWAPS_WITH_PARTICLE, rng)
    before = str(traced)
    pair = _swap(traced, fraction, rng)
    seen = str(traced) != before and not table.MARKS.intersection(pair)
    torn = pair[1] in table.PARTICLES  # the particle that was moved is not told from one that was put in
    traced.insert(len(traced) - 1, particle)
    if not seen:
        return "particle"
    return "other" if torn else "swap+particle"


def _filler(traced: AlignedText, rng: Random) -> str:
    _, fraction, sound = _pick(table.FILLERS, rng)
    traced.insert(_place(fraction, len(traced), len(traced), rng), sound)
    return "particle"


def _tail(traced: AlignedText, rng: Random) -> str:
    traced.insert(len(traced) - 1, _pick(table.TAILS, rng)[1])
    return "particle"


def _stop(traced: AlignedText, rng: Random) -> str:
    n = len(traced)
    at = _place(_pick(table.STOPS, rng)[1], n, n + 1, rng)
    text = str(traced)
    traced.insert(at, "。")
    beside_end = at >= n or (at == n - 1 and text[-1] in table.FINAL)
    return "punctuation" if beside_end else "stop"


def _repeat(traced: AlignedText, rng: Random) -> str:
    return "particle" if _say_twice(traced, _pick(table.REPEATS, rng)[1], rng) else "repeat"


def _say_twice(traced: AlignedText, fraction: float, rng: Random) -> bool:
    """Say a character twice; return whether it looks like a particle at the end."""
    n = len(traced)
    at = _place(fraction, n, n, rng)
    text = str(traced)
    if text[at] in table.MARKS and any(sign not in table.MARKS for sign in text):  # marks are seldom said twice
        at = next(place for place in (at - 1, at - 2, at + 1, at + 2, *range(n)) if _says(text, place))
    traced.repeat(at)
    rest = text[at + 1 :]
    return text[at] in table.PARTICLES and all(sign in table.MARKS for sign in rest)


def _says(text: str, place: int) -> bool:
    return 0 <= place < len(text) and text[place] not in table.MARKS


def _repeat_and_tail(traced: AlignedText, rng: Random) -> str:
    _say_twice(traced, _pick(table.REPEATS, rng)[1], rng)
    _tail(traced, rng)
    return "other"


def _repeat_and_delete(traced: AlignedText, rng: Random) -> str:
    _, lost, twice = _pick(table.DELETIONS, rng)
    n = len(traced)
    at = _place(lost, n, n, rng)
    if str(traced)[at] in table.MARKS:
        at = max(0, at - 1)
    traced.delete(at)
    return "other" if _say_twice(traced, twice, rng) else "repeat+delete"


def _stop_and_repeat(traced: AlignedText, rng: Random) -> str:
    _, twice, stop = _pick(table.STOPPED_REPEATS, rng)
    bare = AlignedText(str(traced))
    bare.keep(lambda sign: sign not in table.MARKS)
    if len(bare) < 2:
        return _stop(traced, rng)
    traced.keep(lambda sign: sign not in table.MARKS)
    looks_like_tail = _say_twice(traced, twice, rng)
    traced.insert(_place(stop, len(traced), len(traced) + 1, rng), "。")
    return "other" if looks_like_tail else "stop+repeat"


def _homophone(traced: AlignedText, rng: Random) -> str:
    """Write a word in other characters of the same sound, wherever the utterance has it."""
    text = str(traced)
    cut = words(text)
    at = _place(_pick(table.HOMOPHONES, rng)[1], len(cut), len(cut), rng)
    able = [number for number, word in enumerate(cut) if any(_replaceable(sign) for sign in word)]
    if not able:
        return "unchanged"
    longer = [number for number in able if len(cut[number]) > 1]
    if at not in able or (len(cut[at]) == 1 and longer and rng.random() < table.LONGER):
        at = _any(longer or able, rng)
    word = cut[at]
    said = [sign if not _replaceable(sign) or rng.random() < table.KEPT else _alike(sign, rng) for sign in word]
    if said == list(word):
        first = next(number for number, sign in enumerate(word) if _replaceable(sign))
        said[first] = _alike(word[first], rng)
    start = 0
    for one in cut:
        if one == word:
            for offset, sign in enumerate(said):
                traced.replace(start + offset, sign)
        start += len(one)
    return "homophone"


def _replaceable(sign: str) -> bool:
    return sign not in table.STEADY and sum(map(len, sound_alikes().get(reading(sign), ("", "")))) > 1


def _alike(sign: str, rng: Random) -> str:
    """Return another character of the same sound: the noise's usual one, where that is known."""
    if sign in table.USUAL:
        return table.USUAL[sign]
    common, rare = ([other for other in half if other != sign] for half in sound_alikes()[reading(sign)])
    chosen = rare if rare and (not common or rng.random() < table.RARE) else common
    return _any(chosen, rng)


_FORMS: dict[str, Callable[[AlignedText, Random], str]] = {
    "swap+particle": _swap_with_particle,
    "stop": _stop,
    "repeat+delete": _repeat_and_delete,
    "stop+repeat": _stop_and_repeat,
    "homophone": _homophone,
    "repeat": _repeat,
    "swap": _plain_swap,
    "filler": _filler,
    "tail": _tail,
    "repeat+tail": _repeat_and_tail,
}
_SPELLS_DIGITS = frozenset({"swap", "repeat", "tail", "repeat+tail"})
"""The ways in which numerals are changed too."""
