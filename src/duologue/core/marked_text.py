"""Text with stretches that mean something, shown as HTML: mentions and slot values within an utterance."""

from __future__ import annotations

from html import escape
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.escapes import printable

if TYPE_CHECKING:
    from collections.abc import Mapping


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Stretch(NamedTuple):
    """A part of a text, in characters, end exclusive."""

    start: int
    end: int
    meaning: str
    kind: str = ""
    """A class of the page's style, if it has one of its own."""


class MarkedText(NamedTuple):
    """A text whose stretches are marked in HTML and say what they mean under the pointer; they may cross."""

    text: str
    stretches: tuple[Stretch, ...]
    numbered: bool = False
    """Whether each stretch carries its number, from 1, at its end: for a list of what they mean."""

    def bracketed(self) -> str:
        """Return the text in brackets that carry the numbers of its stretches, from 1; they may lie within others.

        >>> MarkedText("十八块的套餐", (Stretch(0, 6, "plan"), Stretch(0, 3, "fee"))).bracketed()
        '[¹[²十八块²]的套餐¹]'
        """
        opened: dict[int, list[str]] = {}
        closed: dict[int, list[str]] = {}
        for number, one in enumerate(self.stretches, 1):
            if one.start < one.end:
                opened.setdefault(one.start, []).append(f"[{raised(number)}")
                closed.setdefault(one.end, []).append(f"{raised(number)}]")
        pieces = []
        for at in range(len(self.text) + 1):
            pieces += [*reversed(closed.get(at, ())), *opened.get(at, ()), self.text[at : at + 1]]
        return "".join(pieces)

    def __html__(self) -> str:
        """Return the text as HTML, everything escaped; control characters are spelled out, which no browser shows.

        >>> MarkedText("a<b", (Stretch(2, 3, "letter"),)).__html__()
        'a&lt;<mark title="letter">b</mark>'
        """
        edges = {0, len(self.text)}
        begun: dict[int, list[int]] = {}
        for number, one in enumerate(self.stretches):
            edges |= {min(one.start, len(self.text)), min(one.end, len(self.text))}
            begun.setdefault(one.start, []).append(number)
        pieces = []
        here: list[int] = []  # numbers of the stretches that the piece lies in
        for start, end in pairwise(sorted(edges)):
            here = sorted(one for one in chain(here, begun.get(start, ())) if end <= self.stretches[one].end)
            pieces.append(self._piece(start, end, here))
        return "".join(pieces)

    def _piece(self, start: int, end: int, here: list[int]) -> str:
        shown = escape(printable(self.text[start:end]))
        if self.numbered:
            ended = [str(one + 1) for one in here if min(self.stretches[one].end, len(self.text)) == end]
            shown += f"<sup>{','.join(ended)}</sup>" if ended else ""
        meanings = "; ".join(printable(self.stretches[one].meaning) for one in here)
        if not meanings:
            return shown
        kinds = " ".join(dict.fromkeys(kind for one in here if (kind := self.stretches[one].kind)))
        styled = f' class="{escape(kinds)}"' if kinds else ""
        return f'<mark{styled} title="{escape(meanings)}">{shown}</mark>'


def raised(number: int) -> str:
    """Return a number in raised digits: `12` is `¹²`."""
    return str(number).translate(_RAISED)


def with_english(label: str, names: Mapping[str, str]) -> str:
    """Return a label with its English name; one with its owner in front has that of its end.

    >>> with_english("ent-1-业务费用", {"业务费用": "fee"}), with_english("name", {})
    ('ent-1-业务费用 (fee)', 'name')
    """
    english = names.get(label) or names.get(label.rpartition("-")[2])
    return label if english is None else f"{label} ({english})"
