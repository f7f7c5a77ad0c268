"""Encodes dialogues as token ids: overlapping training windows, and the context window at inference."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.conversation.systems.copier.network.encoded_dialogue import USER, EncodedDialogue, encode_reply
from duologue.challenges.conversation.systems.tokenizer import tokenize
from duologue.models.vocabulary import END, PAD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.records import Turn
    from duologue.models.vocabulary import CopyVocabulary


class TokenizedTurn(NamedTuple):
    """A tokenized turn."""

    system: bool
    pieces: list[str]
    learned: bool
    """Whether the turn is a target in this window."""


class TokenizerWindows:
    """Encodes dialogues as windows of token ids."""

    def __init__(self, words: CopyVocabulary, *, longest: int, longest_reply: int) -> None:
        """`longest` is the window size in tokens, `longest_reply` the maximum length of a system turn."""
        self.words, self.longest, self.longest_reply = words, longest, longest_reply

    def training_windows(self, turns: Sequence[Turn]) -> list[EncodedDialogue]:
        """Return a dialogue as windows of about `longest` tokens; each reply is a target in exactly one of them.

        Up to half of a window is context repeated from the previous one.
        """
        window: list[TokenizedTurn] = []
        found: list[EncodedDialogue] = []
        for turn in self._tokenized(turns):
            if window and sum(map(_size, window)) + _size(turn) > self.longest:
                found.append(self._encoded(window)[0])
                window = [one._replace(learned=False) for one in _latest(window, self.longest // 2)]
            window.append(turn)
        found.append(self._encoded(window)[0])
        return [one for one in found if any(word != PAD for word in one.wanted)]

    def inference_window(self, turns: Sequence[Turn]) -> tuple[EncodedDialogue, list[str]]:
        """Return the last `longest` tokens of a dialogue as context, and its out-of-vocabulary tokens."""
        window: list[TokenizedTurn] = []
        room = self.longest
        for turn in reversed(list(self._tokenized(turns))):
            window.insert(0, turn._replace(pieces=turn.pieces[-room:], learned=False))
            room -= _size(turn)
            if room <= 0:
                break
        dialogue, unknown = self._encoded(window)
        return dialogue._replace(wanted=()), unknown

    def _tokenized(self, turns: Sequence[Turn]) -> Iterator[TokenizedTurn]:
        for turn in turns:
            pieces = tokenize(turn.text)
            if turn.speaker == "system":
                yield TokenizedTurn(system=True, pieces=pieces[: self.longest_reply], learned=True)
            else:
                yield TokenizedTurn(system=False, pieces=pieces[-(self.longest // 2) :], learned=False)

    def _encoded(self, window: Sequence[TokenizedTurn]) -> tuple[EncodedDialogue, list[str]]:
        """Encode turns behind an END token, so that no input is empty."""
        numbers, unknown = self.words.source(piece for turn in window for piece in turn.pieces)
        words, speakers, wanted = [END], [USER], [PAD]
        start = 0
        for turn in window:
            own = numbers[start : start + len(turn.pieces)]
            if turn.system:
                part = encode_reply(own, set(numbers[:start]), len(self.words))
                words += part.words
                speakers += part.speakers
                wanted += part.wanted if turn.learned else [PAD] * len(part.words)
            else:
                words += own
                speakers += [USER] * len(own)
                wanted += [PAD] * len(own)
            start += len(own)
        assert len(words) == len(speakers) == len(wanted), "each token has a speaker and a target"
        return EncodedDialogue(words, speakers, wanted), unknown


def _size(turn: TokenizedTurn) -> int:
    return len(turn.pieces) + 2 * turn.system


def _latest(window: Sequence[TokenizedTurn], room: int) -> list[TokenizedTurn]:
    """Return the last turns that fit into `room` tokens."""
    kept: list[TokenizedTurn] = []
    for turn in reversed(window):
        room -= _size(turn)
        if room < 0:
            break
        kept.insert(0, turn)
    return kept
