"""What speech and its transcription do to a call (specification, 13.7): fillers, repeats, breaks, cuts, homophones.

Every change is an edit of a `Text`, so mentions and values keep their places and have the text after editing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.schema.ontology import UNTRANSCRIBED
from duologue.challenges.mobilecs.simulator.phrases import raw_phrases
from duologue.challenges.mobilecs.simulator.utterance import TextEdit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.mobilecs.simulator.utterance import Text
    from duologue.core.rng import Rng


_BEGINNINGS = frozenset("我你您那这就还有是能要把给在帮想不没一什怎为办开查看说它他再又都也去到")
"""Characters with which phrases of these calls begin."""
_IN_SPANS = 0.12
"""How often such a place within a name or value is taken."""


class Style(NamedTuple):
    """How one call is transcribed."""

    commas: float
    """Share of the joints between clauses that are written as commas."""
    breaks: float
    """Share of the other joints that are written as breaks."""
    mark: str
    """What a break is: an underscore or a blank."""
    dialect: Mapping[str, str]


class SpeechNoise:
    """Makes calls sound as they are transcribed."""

    def __init__(self, *, whole_names: bool = False) -> None:
        """`whole_names`: whether a false start of a name or value is no part of it: 定位 in 看见定位看见定位服务."""
        self.whole_names = whole_names
        table = raw_phrases("noise")
        self.homophones: dict[str, str] = table["homophones"]
        self.dialects: list[dict[str, str]] = table["dialects"]
        self.words: dict[str, list[str]] = {
            key: value.split() for key, value in table.items() if isinstance(value, str)
        }

    def style(self, rng: Rng) -> Style:
        """Return the style of one call."""
        commas = 0.85 if rng.happens(0.33) else 0.0
        dialect = rng.choice(self.dialects) if rng.happens(0.15) else {}
        return Style(commas, 0.3, "_" if rng.happens(0.4) else " ", dialect)

    def apply(self, text: Text, style: Style, rng: Rng, *, staff: bool) -> None:
        """Change an utterance in place."""
        self._dialect(text, style, rng)
        if staff:
            self._fill_in(text, rng, "staff_", 0.2, 0.22, 0.14)
        else:
            self._fill_in(text, rng, "", 0.34, 0.44, 0.12)
        self._repeat(text, rng, 0.13 if staff else 0.2, 0.07 if staff else 0.11)
        self._misspell(text, rng)
        self._break_up(text, style, rng)
        self._cut(text, rng)
        self._break_off(text, rng)

    def _dialect(self, text: Text, style: Style, rng: Rng) -> None:
        edits = []
        for word, local in style.dialect.items():
            place = text.text.find(word)
            if place >= 0 and rng.unit() < 0.5:
                edits.append(TextEdit(place, place + len(word), local))
        text.edit(edits)

    def _fill_in(self, text: Text, rng: Rng, side: str, start: float, inside: float, end: float) -> None:
        unit, length = rng.unit, len(text.text)
        weight = 1.0 if length > 6 else 0.25
        edits = []
        if unit() < start * weight:
            edits.append(TextEdit(0, 0, rng.choice(self.words[side + "starts"]) + ("，" if unit() < 0.3 else "")))
        while length > 8 and unit() < inside * min(1.0, length / 24):
            place = self._joint(text, rng)
            edits.append(TextEdit(place, place, rng.choice(self.words[side + "insides"])))
            inside *= 0.6
        if unit() < end * weight:
            edits.append(TextEdit(length, length, rng.choice(self.words[side + "ends"])))
        text.edit(edits)

    def _repeat(self, text: Text, rng: Rng, single: float, phrase: float) -> None:
        unit, length = rng.unit, len(text.text)
        edits = []
        weight = min(1.6, length / 12)
        if unit() < single * weight and length:
            place = int(unit() * length)
            if text.text[place] != "，":
                edits.append(TextEdit(place, place, text.text[place]))
        if unit() < phrase * weight and length > 5:
            size = 2 + int(unit() * 3)
            place = self._joint(text, rng)
            again = text.text[place : place + size]
            if len(again) == size and "，" not in again:
                after = place + size
                if self.whole_names and _around(text, place) < _around(text, after):
                    after = place  # the same text, the copy before what it copies
                edits.append(TextEdit(after, after, again))
        text.edit(edits)

    def _misspell(self, text: Text, rng: Rng) -> None:
        expected = len(text.text) * 0.0075
        edits = []
        for _ in range(int(expected) + (rng.unit() < expected - int(expected))):
            place = int(rng.unit() * len(text.text))
            options = self.homophones.get(text.text[place])
            if options:
                edits.append(TextEdit(place, place + 1, rng.choice(options)))
        text.edit(edits)

    def _break_up(self, text: Text, style: Style, rng: Rng) -> None:
        """Write the joints between clauses in the style of the call, and break some clauses."""
        unit, edits = rng.unit, []
        place = text.text.find("，")
        while place >= 0:
            if not unit() < style.commas:
                edits.append(TextEdit(place, place + 1, style.mark if unit() < style.breaks else ""))
            place = text.text.find("，", place + 1)
        length = len(text.text)
        if length > 12 and unit() < 0.055:
            place = 1 + int(unit() * (length - 1))
            edits.append(TextEdit(place, min(length, place + int(unit() * 3)), style.mark))
        if style.commas and unit() < 0.03:
            edits.append(TextEdit(length, length, "？" if unit() < 0.5 else "。"))
        text.edit(edits)

    def _cut(self, text: Text, rng: Rng) -> None:
        length = len(text.text)
        if length > 7 and rng.unit() < 0.09:
            size = 1 + rng.below(4)
            text.edit([TextEdit(0, size, "")] if rng.unit() < 0.45 else [TextEdit(length - size, length, "")])

    def _break_off(self, text: Text, rng: Rng) -> None:
        """Leave a piece untranscribed, or a word broken off; not in a span: it would be read as notation."""
        point = rng.unit()
        place = self._outside(text, rng) if point < 0.01 and text.text else None
        if place is not None:
            piece = UNTRANSCRIBED if point < 0.005 else f"（{text.text[place - 1]}-）"
            text.edit([TextEdit(place, place, piece)])

    @staticmethod
    def _joint(text: Text, rng: Rng) -> int:
        """Return a place at which people hesitate: before a word that begins a phrase, mostly outside of names."""
        written: str = text.text
        start: int = rng.below(len(written))
        for place in (*range(start, len(written)), *range(1, start)):
            if written[place] in _BEGINNINGS and written[place - 1] != "，":
                inside = any(first < place < last for first, last, _ in text.spans)
                if not inside or rng.unit() < _IN_SPANS:
                    return int(place)
        return start

    @staticmethod
    def _outside(text: Text, rng: Rng) -> int | None:
        """Return a place that lies in no span; `None` if there is none at hand."""
        place = rng.below(len(text.text) + 1)
        return None if any(start < place < end for start, end, _ in text.spans) else place


def _around(text: Text, place: int) -> int:
    """Return how many spans have a place inside."""
    return sum(first < place < last for first, last, _ in text.spans)


def tidy(texts: Sequence[Text]) -> None:
    """Take spans away that are nothing but a break or a comma."""
    for text in texts:
        text.spans = [span for span in text.spans if text.text[span[0] : span[1]].strip(" _，")]
