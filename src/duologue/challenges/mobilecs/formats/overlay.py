"""Marks mentions and slot values within an utterance, with a line for each on entity, type and slot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from duologue.challenges.mobilecs.schema.english import bilingual, told_owner
from duologue.core.annotation import Bilingual
from duologue.core.dialogue_view import UtteranceView
from duologue.core.marked_text import MarkedText, Stretch
from duologue.core.records import Mention

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Annotation, Value

Found = Literal["", "hit", "missed", "false"]
"""What a result made of a mention or value: it has it; it lacks it; it has one that is none; nothing is asked."""
FOUND = {
    "hit": Bilingual(en="hit", zh="正确"),
    "missed": Bilingual(en="missed", zh="遗漏"),
    "false": Bilingual(en="false", zh="误报"),
}
"""These in words."""


class Meaning(NamedTuple):
    """What a stretch is said to be."""

    owner: Bilingual
    """The entity that it is a mention of, or the one or the user that has it as a value."""
    label: str
    """The type of the entity, or the slot."""
    is_value: bool
    remark: Bilingual | None = None
    """What else is to be said of it."""

    def told(self) -> Bilingual:
        """Return it in words."""
        verb, chinese = (
            ("has", f"{self.owner.zh} 的{self.label}") if self.is_value else ("is", f"{self.owner.zh} 是{self.label}")
        )
        remark = Bilingual(en="", zh="") if self.remark is None else self.remark
        return Bilingual(en=f"{self.owner.en} {verb} {bilingual(self.label)}{remark.en}", zh=chinese + remark.zh)


class Mark(NamedTuple):
    """A stretch of an utterance with all that it is said to be."""

    start: int
    end: int
    """Exclusive; equal to `start` where the words are not in the utterance."""
    words: str
    meanings: tuple[Meaning, ...]
    found: Found = ""

    def told(self) -> Bilingual:
        """Return the words, what they are, and what a result made of them."""
        missing = self.start == self.end
        meanings = [one.told() for one in self.meanings]
        en = f"{self.words}: {'; '.join(one.en for one in meanings)}"
        zh = f"{self.words}：{'；'.join(one.zh for one in meanings)}"
        if self.found:
            en, zh = f"{FOUND[self.found].en}: {en}", f"{FOUND[self.found].zh}：{zh}"
        return Bilingual(
            en=en + " (these words are not in the utterance)" * missing, zh=zh + "（话语中没有这些词）" * missing
        )

    def stretch(self) -> Stretch:
        """Return where it stands, with what is told of it in either language."""
        meaning = "; ".join(f"{one.owner.zh} · {bilingual(one.label)}" for one in self.meanings)
        return Stretch(self.start, self.end, meaning, self.found)


def marked_utterance(speaker: str, text: str, marks: Sequence[Mark], notes: Sequence[Bilingual] = ()) -> UtteranceView:
    """Return an utterance with its marks, what these are, and notes."""
    stretches = tuple(mark.stretch() for mark in marks)
    marked = MarkedText(text, stretches, numbered=True) if stretches else text
    return UtteranceView(speaker, marked, [mark.told() for mark in marks], notes)


def marks_of(text: str, annotation: Annotation) -> list[Mark]:
    """Return the marks on an utterance by position, the longer before the shorter.

    Words that are not at their position are marked where they first occur (the conversion to track 2 deletes `[UNK]`
    without moving positions); words that do not occur come last, with no length.
    """
    parts: Iterable[Mention | Value] = (*annotation.mentions, *annotation.values)
    return joined(Mark(*place_in(text, one), one.text, (meaning_of(one),)) for one in parts)


def joined(marks: Iterable[Mark]) -> list[Mark]:
    """Return marks in their order; of those on the same words that a result made the same of, one."""
    found: dict[tuple[int, int, str, Found], dict[Meaning, None]] = {}
    for start, end, words, meanings, verdict in marks:
        found.setdefault((start, end, words, verdict), {}).update(dict.fromkeys(meanings))
    made = [Mark(start, end, words, tuple(all_), verdict) for (start, end, words, verdict), all_ in found.items()]
    return sorted(made, key=lambda mark: (mark.start == mark.end, mark.start, -mark.end))


def meaning_of(one: Mention | Value, owner: Bilingual | None = None, remark: Bilingual | None = None) -> Meaning:
    """Return what a mention or value says of its words; `owner` replaces its entity."""
    is_value = not isinstance(one, Mention)
    said = told_owner(one.entity) if is_value else Bilingual(en=str(one.entity), zh=str(one.entity))
    return Meaning(
        said if owner is None else owner, one.label if isinstance(one, Mention) else one.slot, is_value, remark
    )


def place_in(text: str, one: Mention | Value) -> tuple[int, int]:
    """Return where in an utterance the words of a mention or value are; no length where they are not."""
    if one.span is not None and text[one.span.start : one.span.end] == one.text:
        return one.span.start, one.span.start + len(one.text)
    start = text.find(one.text)
    return (start, start + len(one.text)) if start >= 0 else (0, 0)
