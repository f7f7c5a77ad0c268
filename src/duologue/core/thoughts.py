"""Thoughts of reasoning models, which stand amid their words: taken out of a text, and of one that comes in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

THOUGHTS_BEGIN, THOUGHTS_END = "<think>", "</think>"
_MARKS = (THOUGHTS_BEGIN, THOUGHTS_END)


def without_thoughts(text: str) -> str:
    """Return what follows the thoughts of a reasoning model; one that never ends them has said nothing.

    Some servers send the end of the thoughts alone, since their beginning stands in the prompt.

    >>> without_thoughts("<think>hm</think> yes"), without_thoughts("hm</think>yes"), without_thoughts("<think>hm")
    ('yes', 'yes', '')
    """
    if THOUGHTS_END in text:
        text = text.rpartition(THOUGHTS_END)[2].lstrip()
    return "" if text.lstrip().startswith(THOUGHTS_BEGIN) else text


def pieces_without_thoughts(pieces: Iterable[str], take_back: Callable[[], object]) -> Iterator[str]:
    """Yield a text that comes in pieces without the thoughts: together what `without_thoughts` has of it whole.

    What may be thoughts is held back until it is clear. That what was yielded has been thoughts is known at their end
    alone where nothing told of their beginning: then `take_back` is called, and nothing yielded before it counts.
    Each sign is read a fixed number of times, however it is cut.

    >>> list(pieces_without_thoughts(["<thi", "nk>h", "m</think", "> y", "es"], list))
    ['y', 'es']
    """
    state = _ThoughtState()
    for piece in pieces:
        told = state.told(piece)
        if state.takes_back:
            take_back()
        if told:
            yield told
    if rest := state.rest():
        yield rest


class _ThoughtState:
    """What is known of a text that comes in pieces."""

    def __init__(self) -> None:
        self.takes_back = False
        """Whether what was told before the last piece does not count."""
        self._has_told = False
        self._blank: list[str] | None = []
        """White space that the text begins with, which counts where words follow; `None` after thoughts."""
        self._begun = False
        """Whether words have come, so that thoughts which never end are no longer the whole text."""
        self._held: list[str] | None = None
        """What came since a beginning of thoughts; `None` where none is open."""
        self._open = ""
        """The end of what came, which may begin a mark."""

    def told(self, piece: str) -> str:
        """Return what a further piece makes sure of."""
        text, self.takes_back = self._open + piece, False
        end = text.rfind(THOUGHTS_END)
        if end >= 0:
            self.takes_back, self._has_told = self._has_told, False
            self._held, self._blank, self._begun = None, None, False
            text = text[end + len(THOUGHTS_END) :]
        cut = _open_from(text)
        text, self._open = text[:cut], text[cut:]
        if self._held is not None:
            self._held.append(text)
            return ""
        before, mark, after = text.partition(THOUGHTS_BEGIN)
        told = self._counted(before)
        if mark:
            self._held = [mark, after]
        self._has_told = self._has_told or bool(told)
        return told

    def rest(self) -> str:
        """Return what was held back, at the end of the text."""
        if self._held is None:
            return self._counted(self._open) or "".join(() if self._begun else self._blank or ())
        return "".join([*self._held, self._open]) if self._begun else ""

    def _counted(self, text: str) -> str:
        """Return words with the white space before the first, unless that parts them from thoughts."""
        if self._begun or not text:
            return text
        words = text.lstrip()
        if not words:
            if self._blank is not None:
                self._blank.append(text)
            return ""
        self._begun = True
        return words if self._blank is None else "".join([*self._blank, text])


def _open_from(text: str) -> int:
    """Return where a mark begins that the end of a text cuts off; the length of the text where none does."""
    first = max(0, len(text) - len(THOUGHTS_END) + 1)
    for place in range(first, len(text)):
        end = text[place:]
        if any(mark.startswith(end) and mark != end for mark in _MARKS):
            return place
    return len(text)
