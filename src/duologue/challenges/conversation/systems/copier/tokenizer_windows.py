"""Talks as numbers for the system `copy`: whole ones to learn from, in windows where they are long, and open ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.conversation.systems.copier.network.decoder_lm import USER, Told, reply_told
from duologue.challenges.conversation.systems.tokenizer import pieces_of
from duologue.models.words import END, PAD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.records import Turn
    from duologue.models.words import Words


class Piecewise(NamedTuple):
    """A turn in pieces."""

    system: bool
    pieces: list[str]
    learned: bool
    """Whether it is a reply to be learned here."""


class Teller:
    """Turns talks into numbers."""

    def __init__(self, words: Words, *, longest: int, longest_reply: int) -> None:
        """Take the vocabulary, the pieces that are read at most, and those of a system's turn."""
        self.words, self.longest, self.longest_reply = words, longest, longest_reply

    def lessons(self, turns: Sequence[Turn]) -> list[Told]:
        """Return a talk as windows of at most about `longest` pieces; each reply is to be learned in one of them.

        A window starts with the turns before its first new one, as far as they fill half of it.
        """
        window: list[Piecewise] = []
        found: list[Told] = []
        for turn in self._cut(turns):
            if window and sum(map(_size, window)) + _size(turn) > self.longest:
                found.append(self._told(window)[0])
                window = [one._replace(learned=False) for one in _last(window, self.longest // 2)]
            window.append(turn)
        found.append(self._told(window)[0])
        return [one for one in found if any(word != PAD for word in one.wanted)]

    def question(self, turns: Sequence[Turn]) -> tuple[Told, list[str]]:
        """Return the end of a talk that is to be answered, of at most `longest` pieces, and its unknown words.

        Of the first turn that has no room the last pieces are kept.
        """
        window: list[Piecewise] = []
        room = self.longest
        for turn in reversed(list(self._cut(turns))):
            window.insert(0, turn._replace(pieces=turn.pieces[-room:], learned=False))
            room -= _size(turn)
            if room <= 0:
                break
        told, unknown = self._told(window)
        return told._replace(wanted=()), unknown

    def _cut(self, turns: Sequence[Turn]) -> Iterator[Piecewise]:
        for turn in turns:
            pieces = pieces_of(turn.text)
            if turn.speaker == "system":
                yield Piecewise(system=True, pieces=pieces[: self.longest_reply], learned=True)
            else:
                yield Piecewise(system=False, pieces=pieces[-(self.longest // 2) :], learned=False)

    def _told(self, window: Sequence[Piecewise]) -> tuple[Told, list[str]]:
        """Return turns as numbers, an END before them: no talk is without a word."""
        numbers, unknown = self.words.source(piece for turn in window for piece in turn.pieces)
        words, speakers, wanted = [END], [USER], [PAD]
        start = 0
        for turn in window:
            own = numbers[start : start + len(turn.pieces)]
            if turn.system:
                part = reply_told(own, set(numbers[:start]), len(self.words))
                words += part.words
                speakers += part.speakers
                wanted += part.wanted if turn.learned else [PAD] * len(part.words)
            else:
                words += own
                speakers += [USER] * len(own)
                wanted += [PAD] * len(own)
            start += len(own)
        assert len(words) == len(speakers) == len(wanted), "each word has a speaker and a successor"
        return Told(words, speakers, wanted), unknown


def _size(turn: Piecewise) -> int:
    return len(turn.pieces) + 2 * turn.system


def _last(window: Sequence[Piecewise], room: int) -> list[Piecewise]:
    """Return the last turns that fit together."""
    kept: list[Piecewise] = []
    for turn in reversed(window):
        room -= _size(turn)
        if room < 0:
            break
        kept.insert(0, turn)
    return kept
