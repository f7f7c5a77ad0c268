"""Replies of the training data as templates: values and names of the knowledge base become places to fill.

A template is used again only if nothing else in it could be knowledge of its own call: no amounts, no names or values
of other bases, and only wording that several calls have.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.schema.ontology import USER
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.challenges.mobilecs.systems.agent.turn_encoder import grams_of
from duologue.core.records import Record
from duologue.retrieval.template_index import TemplateEntry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView, SpokenValue
    from duologue.challenges.mobilecs.systems.agent.turn_encoder import TurnTruth

Key = tuple[tuple[str, ...], ...]
"""What a reply tells, by owner: slots of each entity, and of the user with `NA` before them; sorted."""

_DIGIT = "零幺两二三四五六七八九十百千万半0123456789０-９"
_AMOUNT = re.compile(rf"[{_DIGIT}]|一(?=[{_DIGIT}点块元毛角分兆个年月天号]|小时)|一$")
"""Numerals, and 一 where it counts something."""
_MASKED = re.compile("0{3,}")
"""A masked number, which tells nothing."""
_RUN = 3
_LONGEST_SURFACE = 16
_MOSTLY = 0.5
"""Share of the calls saying a text, from which its being in their bases makes it knowledge."""
_FILL = "\ue000"
"""Stands for a place to fill where wording is counted."""


class TemplateHole(Record, frozen=True, kw_only=True):
    """A place to fill."""

    owner: int
    """Number of an entity of the reply, from 0; -1 for the user."""
    slot: str


class StaffTemplate(TemplateEntry, frozen=True, kw_only=True):
    """A reply with places to fill; `parts` stand around and between the holes, one more than there are holes."""

    parts: tuple[str, ...]
    holes: tuple[TemplateHole, ...]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse parts that do not stand around the holes."""
        if len(self.parts) != len(self.holes) + 1:
            raise ValueError(f"a template has {len(self.parts)} parts around {len(self.holes)} holes; one more is due")

    @property
    def key(self) -> Key:
        """What it tells."""
        owners: dict[int, set[str]] = {}
        for hole in self.holes:
            owners.setdefault(hole.owner, set()).add(hole.slot)
        return key_of((USER if owner < 0 else str(owner), slots) for owner, slots in owners.items())

    @property
    def wording(self) -> str:
        """The text without what fills it."""
        return _FILL.join(self.parts)


class AnsweredTurn(NamedTuple):
    """A turn of the training data with the reply that a person gave."""

    dialogue: str
    view: CallView
    truth: TurnTruth
    reply: str


def key_of(owners: Iterable[tuple[str, Iterable[str]]]) -> Key:
    """Return the key of the slots told of some owners; a name beside slots of its entity is no news."""
    found = []
    for owner, slots in owners:
        told = set(slots)
        kept = sorted(told - {NAME} or told)
        found.append((USER, *kept) if owner == USER else tuple(kept))
    return tuple(sorted(found))


def templates_of(turns: Sequence[AnsweredTurn], *, common: int) -> list[StaffTemplate]:
    """Return the templates of the replies that can be used again."""
    every = [template for template in map(_template, turns) if template is not None]
    knowledge = _knowledge(turns)
    runs: dict[str, set[str]] = {}
    for one in every:
        for run in _runs(one.wording):
            runs.setdefault(run, set()).add(one.source)
    return [
        one
        for one in every
        if not any(_AMOUNT.search(_MASKED.sub("", part)) for part in one.parts)
        and not any(surface in knowledge for part in one.parts for surface in _substrings(part))
        and all(len(runs[run]) >= common for run in _runs(one.wording))
    ]


def terms_of(view: CallView, labels: Iterable[str]) -> list[tuple[float, list[str]]]:
    """Return the retrieval terms of a turn: what the user says now, said before, and the staff's labels."""
    return [
        (1.0, sorted(one for one in grams_of(view.last) if 1 < len(one) < 4)),
        (0.3, sorted(one for one in grams_of(view.users[-1] if view.users else "") if len(one) == 2)),
        (0.5, sorted(labels)),
        (0.3, [f"turn {min(view.turn, 3)}"]),
    ]


def _template(turn: AnsweredTurn) -> StaffTemplate | None:
    """Return a reply as a template; `None` for an empty one, or one without labels."""
    if not turn.reply or not turn.truth.staff_labels:
        return None
    parts, holes, end = list[str](), list[TemplateHole](), 0
    owners: dict[str, int] = {USER: -1}
    spans = turn.view.spoken(turn.reply)
    about = {turn.view.pieces[number].owner for one in spans for number in one.pieces if len(one.pieces) == 1}
    for span in spans:
        piece = turn.view.pieces[_meant(span, turn, about)]
        owner = owners.setdefault(piece.owner, len(owners) - 1)
        parts.append(turn.reply[end : span.start])
        holes.append(TemplateHole(owner=owner, slot=piece.slot))
        end = span.end
    return StaffTemplate(
        source=turn.dialogue,
        turn=turn.view.turn,
        groups=tuple((weight, tuple(terms)) for weight, terms in terms_of(turn.view, turn.truth.staff_labels)),
        parts=(*parts, turn.reply[end:]),
        holes=tuple(holes),
        labels=turn.truth.staff_labels,
    )


def _meant(span: SpokenValue, turn: AnsweredTurn, about: set[str]) -> int:
    """Return the piece that a value is most probably said of: asked for, news of the user, of what is spoken of."""
    told = set().union(*turn.view.told_before)

    def merit(number: int) -> tuple[bool, bool, bool, int]:
        piece = turn.view.pieces[number]
        return (
            number in turn.truth.asked,
            piece.owner == USER and number not in told,
            piece.owner in about,
            -number,
        )

    return max(span.pieces, key=merit)


def _knowledge(turns: Sequence[AnsweredTurn]) -> set[str]:
    """Return the names and values that are mostly knowledge where they are said."""
    surfaces: dict[str, set[str]] = {}
    said: dict[str, list[str]] = {}
    for turn in turns:
        said.setdefault(turn.dialogue, []).append(turn.reply.lower())
        for surface in turn.view.surfaces:
            if 1 < len(surface) <= _LONGEST_SURFACE:
                surfaces.setdefault(surface, set()).add(turn.dialogue)
    spoken: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for dialogue, replies in said.items():
        for one in {part for reply in replies for part in _substrings(reply) if part in surfaces}:
            spoken[one] += 1
            known[one] += dialogue in surfaces[one]
    return {one for one, times in spoken.items() if known[one] >= _MOSTLY * times}


def _substrings(text: str) -> Iterator[str]:
    text = text.lower()
    for start in range(len(text)):
        for end in range(start + 2, min(len(text), start + _LONGEST_SURFACE) + 1):
            yield text[start:end]


def _runs(wording: str) -> set[str]:
    padded = f"^{wording}$"
    return {padded[at : at + _RUN] for at in range(max(1, len(padded) - _RUN + 1))}
