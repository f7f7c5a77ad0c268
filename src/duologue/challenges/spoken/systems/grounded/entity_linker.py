"""Entity linking over the names of a graph: exact, phonetic, and within one edit of a syllable.

The names are indexed when the linker is made; nothing is learned. Fuzzy matches are found by deletion neighbourhood:
variants of a span with one character deleted are matched with those of a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.spoken.systems.grounded.normalization import fold, fold_name, phonetic_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EXACT, PHONETIC, REORDERED, EDITED = range(4)
"""Kinds of match: verbatim (punctuation and case apart), homophonous, with the syllables in another order, with one
syllable substituted, deleted or inserted."""
_COSTS = (0.0, 0.4, 1.2, 1.4)
"""By kind of match: the characters by which it must be longer than an exact match to be preferred."""
_LONGEST = 24  # characters of a name that is linked
_LONGEST_EDITED = 14  # characters of a name that is linked with an error
_SHORTEST_SOUND = 2  # of two characters at least one must be as written, see `_alike`
_SHORTEST_SWAPPED = 4
_SHORTEST_EDITED = 3
_KEPT = 4096  # texts whose mentions are cached


class LinkedMention(NamedTuple):
    """A mention of one or more entities in a text."""

    start: int
    """In the folded text; `end` is exclusive."""
    end: int
    form: str
    """The folded name as the graph has it, without a suffix in brackets."""
    kind: int
    """`EXACT`, `PHONETIC`, `REORDERED` or `EDITED`."""
    names: tuple[str, ...]
    """The entities of that name."""


class EntityLinker:
    """Links the mentions in a text to the entities of a graph."""

    def __init__(self, names: Iterable[str], *, fuzzy: bool = True) -> None:
        """Index names in one pass; without `fuzzy` only exact matches are linked."""
        self._forms: dict[str, tuple[str, ...]] = {}
        for name in names:
            for form in dict.fromkeys((fold(name), fold_name(name))):
                if form:
                    self._forms[form] = (*self._forms.get(form, ()), name)
        self._longest = min(_LONGEST, max(map(len, self._forms), default=0))
        self._fuzzy = fuzzy
        self._phonetic_table: dict[str, list[str]] = {}
        self._shortened: dict[str, list[str]] = {}
        self._bags: dict[str, list[str]] = {}
        self._halves: set[tuple[int, bool, str]] = set()
        self._known: dict[str, tuple[LinkedMention, ...]] = {}
        if fuzzy:
            for form in self._forms:
                self._index(form)

    def _index(self, form: str) -> None:
        if not _SHORTEST_SOUND <= len(form) <= _LONGEST_EDITED:
            return
        phonetic = phonetic_key(form)
        self._phonetic_table.setdefault(phonetic, []).append(form)
        if len(form) >= _SHORTEST_SWAPPED:
            self._bags.setdefault("".join(sorted(phonetic)), []).append(form)
        if len(form) >= _SHORTEST_EDITED:
            for shorter in _shortened(phonetic):
                self._shortened.setdefault(shorter, []).append(form)
            half = len(phonetic) // 2
            self._halves |= {(len(phonetic), True, phonetic[:half]), (len(phonetic), False, phonetic[-half:])}

    def called(self, form: str) -> tuple[str, ...]:
        """Return the entities of a folded name, without regard to a suffix in brackets."""
        return self._forms.get(form, ())

    def mentions(self, text: str) -> tuple[LinkedMention, ...]:
        """Return the mentions in a text from left to right; of overlapping ones the best and longest."""
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            known = self._known[text] = self._resolved(fold(text))
        return known

    def _resolved(self, folded: str) -> tuple[LinkedMention, ...]:
        found = sorted(
            self._found(folded),
            key=lambda one: (_COSTS[one.kind] - min(one.end - one.start, len(one.form)), one.kind, one.start),
        )
        taken = bytearray(len(folded))
        chosen = []
        for one in found:
            if not any(taken[one.start : one.end]):
                taken[one.start : one.end] = b"\1" * (one.end - one.start)
                chosen.append(one)
        return tuple(sorted(chosen))

    def _found(self, folded: str) -> Iterator[LinkedMention]:
        phonetic = phonetic_key(folded) if self._fuzzy else ""
        for start in range(len(folded)):
            for end in range(start + 1, min(start + self._longest + 1, len(folded)) + 1):
                piece = folded[start:end]
                names = self._forms.get(piece)
                if names is not None and (len(piece) > 1 or len(folded) == 1):
                    yield LinkedMention(start, end, piece, EXACT, names)
                elif self._fuzzy and end - start <= _LONGEST_EDITED + 1:
                    for form, kind in self._misheard(piece, phonetic[start:end]):
                        yield LinkedMention(start, end, form, kind, self._forms[form])

    def _misheard(self, piece: str, phonetic: str) -> Iterator[tuple[str, int]]:
        """Return the names that a span may be a misrecognition of, with the kind of match."""
        same = self._phonetic_table.get(phonetic)
        if same is not None:
            yield from ((form, PHONETIC) for form in same if len(form) > _SHORTEST_SOUND or _alike(piece, form))
            return
        if len(phonetic) >= _SHORTEST_SWAPPED:
            yield from ((form, REORDERED) for form in self._bags.get("".join(sorted(phonetic)), ()))
        if len(phonetic) >= _SHORTEST_EDITED and self._half_known(phonetic):
            yield from ((form, EDITED) for form in self._edited(piece, phonetic))

    def _half_known(self, phonetic: str) -> bool:
        """Return whether a name within one edit is possible: its first or last half is then in the span."""
        for length in (len(phonetic) - 1, len(phonetic), len(phonetic) + 1):
            half = length // 2
            if (length, True, phonetic[:half]) in self._halves or (length, False, phonetic[-half:]) in self._halves:
                return True
        return False

    def _edited(self, piece: str, phonetic: str) -> Iterator[str]:
        """Return the names within one syllable edit of a span."""
        missing = self._shortened.get(phonetic, ())
        yield from (form for form in missing if len(form) > _SHORTEST_EDITED)
        for at, shorter in enumerate(_shortened(phonetic)):
            if 0 < at < len(phonetic) - 1:  # one too many, at the edges it is no part of the name
                yield from (form for form in self._phonetic_table.get(shorter, ()) if len(form) >= _SHORTEST_EDITED)
            for form in self._shortened.get(shorter, ()):  # one wrong
                if len(form) == len(phonetic) and _alike(piece, form) and _same_but(phonetic_key(form), phonetic, at):
                    yield form


def _shortened(phonetic: str) -> list[str]:
    return [phonetic[:at] + phonetic[at + 1 :] for at in range(len(phonetic))]


def _alike(piece: str, form: str) -> bool:
    """Return whether at least half of the characters, and two of three, are as written."""
    same = sum(one == other for one, other in zip(piece, form, strict=True))
    return 2 * same >= len(form) and len(form) - same <= max(1, len(form) // 3)


def _same_but(one: str, other: str, at: int) -> bool:
    return one[:at] == other[:at] and one[at + 1 :] == other[at + 1 :]
