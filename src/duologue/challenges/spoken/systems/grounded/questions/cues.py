"""The words that tell what kind of question it is, from `cues.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.spoken.systems.grounded.normalization import phonetic_key
from duologue.core.records import Record
from duologue.core.typed import convert

if TYPE_CHECKING:
    from duologue.challenges.spoken.systems.grounded.questions.recognised_text import RecognisedText

_NEAR = 3
"""Characters after a mark of degree within which its adjective stands."""


class AttributeWords(Record, frozen=True, kw_only=True):
    """Words by which people ask for attributes without naming them."""

    words: tuple[str, ...]
    attributes: tuple[str, ...]
    """Endings of the attributes' names."""


class Adjectives(Record, frozen=True, kw_only=True):
    """Adjectives of comparison by direction."""

    more: tuple[str, ...]
    less: tuple[str, ...]


class Cues(Record, frozen=True, kw_only=True):
    """The table of `cues.toml`."""

    most: tuple[str, ...]
    shared: tuple[str, ...]
    count: tuple[str, ...]
    each: tuple[str, ...]
    after: tuple[str, ...]
    before: tuple[str, ...]
    than: tuple[str, ...]
    other: tuple[str, ...]
    join: tuple[str, ...]
    pointing: tuple[str, ...]
    asking: tuple[str, ...]
    who: tuple[str, ...]
    plain: str
    """Characters of words that every question may have."""
    is_: tuple[str, ...] = msgspec.field(name="is")
    innocent: tuple[str, ...]
    adjectives: Adjectives
    asked: tuple[AttributeWords, ...]

    @property
    def plain_signs(self) -> frozenset[str]:
        """The characters of the words that questions are asked with."""
        return _plain_signs()

    def adjective(self, heard: RecognisedText, after: int = 0) -> bool | None:
        """Tell whether the adjective in a text says more; `None` where there is none. By its sound after a mark alone.

        Of several the first from `after` on counts, else the last before it.
        """
        for word in self.innocent:
            place = heard.text.find(word)
            if place >= 0:
                heard = heard.without(place, place + len(word))
        found = [
            (place, -len(word), more)
            for more, words in ((True, self.adjectives.more), (False, self.adjectives.less))
            for word in words
            if (place := _place(heard.text, word, after)) >= 0
        ]
        later = [one for one in found if one[0] >= after]
        if later:
            return min(later)[2]
        if found:
            return max(found)[2]
        return self.heard_after(heard, after)

    def direction(self, word: str) -> bool | None:
        """Tell whether a word is an adjective that says more; `None` where it is none."""
        return True if word in self.adjectives.more else False if word in self.adjectives.less else None

    def heard_after(self, heard: RecognisedText, after: int) -> bool | None:
        """Tell the direction of an adjective that was written as another word of its sound."""
        piece = heard.sound[after : after + _NEAR] if after else ""
        for more, words in ((True, self.adjectives.more), (False, self.adjectives.less)):
            if any(phonetic_key(word) in piece for word in words):
                return more
        return None


def _place(text: str, word: str, after: int) -> int:
    later = text.find(word, after)
    return later if later >= 0 else text.rfind(word)


@cache
def _plain_signs() -> frozenset[str]:
    table = cues()
    lists = (table.most, table.shared, table.count, table.each, table.after, table.before, table.than, table.other)
    more = (table.join, table.asking, table.who, table.adjectives.more, table.adjectives.less, table.is_)
    return frozenset(table.plain).union(*("".join(words) for words in (*lists, *more)))


@cache
def cues() -> Cues:
    """Return the table."""
    text = resources.files(__package__).joinpath("cues.toml").read_text(encoding="utf-8")
    return convert(tomllib.loads(text), Cues)
