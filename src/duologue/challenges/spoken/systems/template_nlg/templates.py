"""Delexicalisation of replies: knowledge becomes slots, the wording stays; and the filling of templates.

A reply says groups of facts (one subject, one relation, one or more values). A slot takes the values of a group in one
of their forms, a part of a long value, the name of a subject, or the name of a relation.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.spoken.systems.template_nlg.surface_forms import (
    LONG,
    WHOLE,
    Fragment,
    items_of,
    surface_forms_of,
    value_text,
)
from duologue.core.records import Record
from duologue.knowledge.normalization import without_suffix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Fact

VALUE, ENTITY, RELATION = "value", "entity", "relation"
ITEM, PART = "item", "part"
"""Forms: members of a list, a part of a text."""

_JOINT = re.compile(r"\s*+(?:(?:[、，,；;/]|和|与|及|以及|还有|跟)\s*+)?")
_OPEN = "，。！？：；,!?: 是"
_SENTENCE = re.compile(r"[。！？!?…，,]")
_NEAR = 0.62  # share of a stretch of a reply that must stand in a text for the stretch to be a part of it
_NO_WORDS = "》”\"'）)】]」』.!！?？ "
_RECITED = 300  # characters of the longest value that is said as a whole
_ENOUGH = 7  # characters of a text that make a part


class FactGroup(NamedTuple):
    """Facts of one subject and relation."""

    subject: str
    relation: str
    values: tuple[str, ...]

    @property
    def long(self) -> bool:
        """Whether its only value is a text, of which a reply takes a part."""
        return len(self.values) == 1 and len(self.values[0]) > LONG


class TemplateSlot(Record, frozen=True, kw_only=True, array_like=True):
    """A slot of a template."""

    what: str
    """`value`, `entity` or `relation`."""
    group: int
    form: str = WHOLE
    count: int = 0
    """How many values of the group, or members of its value; 0: all."""
    joint: str = "、"
    """The separator between them."""


TemplatePiece = str | TemplateSlot
Template = tuple[TemplatePiece, ...]

BARE: Template = (TemplateSlot(what=VALUE, group=0, form=PART), "。")
"""Template of a part of a text alone."""


def group_facts(facts: Sequence[Fact]) -> tuple[FactGroup, ...]:
    """Return facts grouped by subject and relation, each value once, in the order of the facts."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for fact in facts:
        found.setdefault((fact.subject, fact.relation), {})[value_text(fact.object)] = None
    return tuple(FactGroup(subject, relation, tuple(values)) for (subject, relation), values in found.items())


class _Squeezed:
    """A text without punctuation, blanks and case, aligned with the original."""

    def __init__(self, text: str) -> None:
        self.places = [place for place, sign in enumerate(text) if sign.isalnum()]
        self.text = "".join(text[place] for place in self.places).lower()


class _Found(NamedTuple):
    start: int
    end: int
    slot: TemplateSlot
    number: int
    """Which value of the group, or member of its value."""


def template_of(reply: str, groups: Sequence[FactGroup]) -> Template:
    """Return the template of a reply: the knowledge of the groups replaced by slots."""
    squeezed = _Squeezed(reply)
    found: list[_Found] = []
    taken = [False] * len(squeezed.text)
    surfaces = [surface for number, group in enumerate(groups) for surface in _surfaces(number, group)]
    surfaces.sort(key=lambda surface: (-len(surface[0]), surface[1].what != VALUE))
    for said, slot, number, text in surfaces:
        place = _free(squeezed.text, said, taken)
        if place >= 0 and not any(_same(one, slot, number) for one in found):
            taken[place : place + len(said)] = [True] * len(said)
            start, end = squeezed.places[place], squeezed.places[place + len(said) - 1] + 1
            found.append(_widened(_Found(start, end, slot, number), reply, text))
    for number, group in enumerate(groups):
        if group.long and not any(one.slot.group == number and one.slot.what == VALUE for one in found):
            part = _part(reply, number, group, found)
            found += [part] if part else []
    found.sort()
    return _pieces(reply, _merged(found, reply, groups))


def _surfaces(number: int, group: FactGroup) -> list[tuple[str, TemplateSlot, int, str]]:
    """Return what a group may be written as: without punctuation, the slot it would be, which value, and with marks."""
    made: list[tuple[str, TemplateSlot, int, str]] = []
    for place, value in enumerate(group.values):
        for form, text in surface_forms_of(value).items():
            if not form.endswith(("items", "item", "titled")):
                made.append((_Squeezed(text).text, TemplateSlot(what=VALUE, group=number, form=form), place, text))
        if len(group.values) == 1:
            made += [
                (_Squeezed(item).text, TemplateSlot(what=VALUE, group=number, form=ITEM), at, item)
                for at, item in enumerate(items_of(value))
            ]
    made.append((_Squeezed(without_suffix(group.subject)).text, TemplateSlot(what=ENTITY, group=number), 0, ""))
    made.append((_Squeezed(group.relation).text, TemplateSlot(what=RELATION, group=number), 0, ""))
    least = 1 if any(len(value) == 1 for value in group.values) else 2
    return [one for one in made if len(one[0]) >= (least if one[1].what == VALUE else 2)]


def _same(one: _Found, slot: TemplateSlot, number: int) -> bool:
    """Return whether a value was found before; subjects and relations may occur again."""
    if slot.what != VALUE or one.slot.what != VALUE or one.slot.group != slot.group:
        return False
    return one.number == number or (one.slot.form == ITEM) != (slot.form == ITEM)


def _free(text: str, part: str, taken: Sequence[bool]) -> int:
    """Return where a part first stands in untaken text, numbers being whole; -1 if nowhere."""
    place = text.find(part)
    while place >= 0:
        end = place + len(part)
        cut = (part[0].isdigit() and place and text[place - 1].isdigit()) or (
            part[-1].isdigit() and text[end : end + 1].isdigit()
        )
        if not cut and not any(taken[place:end]):
            return place
        place = text.find(part, place + 1)
    return -1


def _widened(found: _Found, reply: str, text: str) -> _Found:
    """Return a place with the marks around it that the value `text` has, and whether it is said as a title."""
    start, end, slot = found.start, found.end, found.slot
    first = next((place for place, sign in enumerate(text) if sign.isalnum()), 0)
    before, after = text[:first], text[len(text.rstrip(_NO_WORDS)) :]
    if before and reply[:start].endswith(before):
        start -= len(before)
    if after and reply[end:].startswith(after):
        end += len(after)
    if slot.what == VALUE and slot.form == WHOLE:
        titled = reply[start - 1 : start] == "《" and reply[end : end + 1] == "》"
        if titled and "《" not in text:
            slot, start, end = TemplateSlot(what=VALUE, group=slot.group, form="titled"), start - 1, end + 1
        elif text.startswith("《") and text.endswith("》") and start == found.start:
            slot = TemplateSlot(what=VALUE, group=slot.group, form="untitled")
    return _Found(start, end, slot, found.number)


def _part(reply: str, number: int, group: FactGroup, found: Sequence[_Found]) -> _Found | None:
    """Return the span of a reply that is taken from a long value, by fuzzy match."""
    value = group.values[0]
    blocks = [
        block
        for block in SequenceMatcher(None, reply, value, autojunk=False).get_matching_blocks()
        if block.size >= 2 and not any(one.start < block.a + block.size and block.a < one.end for one in found)
    ]
    if sum(block.size for block in blocks) < _ENOUGH:
        return None
    while len(blocks) > 1 and sum(block.size for block in blocks) < _NEAR * (
        blocks[-1].a + blocks[-1].size - blocks[0].a
    ):
        blocks = blocks[1:] if blocks[0].size < blocks[-1].size else blocks[:-1]
    start, end = blocks[0].a, blocks[-1].a + blocks[-1].size
    if end - start < _ENOUGH:
        return None
    while start < end and reply[start] in "，。；、 ":
        start += 1
    while end > start and reply[end - 1] in "，。；、 ":
        end -= 1
    if any(one.start < end and start < one.end for one in found):
        return None
    return _Found(start, end, TemplateSlot(what=VALUE, group=number, form=PART), 0)


def _merged(found: Sequence[_Found], reply: str, groups: Sequence[FactGroup]) -> list[tuple[int, int, TemplateSlot]]:
    """Return the found spans, neighbouring values of one group merged into one slot."""
    runs: list[list[_Found]] = []
    for one in found:
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and last.slot.what == one.slot.what == VALUE
            and last.slot.group == one.slot.group
            and one.start - last.end <= 3
            and _JOINT.fullmatch(reply[last.end : one.start])
        ):
            runs[-1].append(one)
        else:
            runs.append([one])
    merged = []
    for run in runs:
        slot = run[0].slot
        if slot.what == VALUE and slot.form != PART:
            group = groups[slot.group]
            limit = len(items_of(group.values[0])) if slot.form == ITEM else len(group.values)
            joint = reply[run[0].end : run[1].start] if len(run) > 1 else "、"
            count = 0 if len(run) == limit else len(run)
            slot = TemplateSlot(what=VALUE, group=slot.group, form=slot.form, count=count, joint=joint)
        merged.append((run[0].start, run[-1].end, slot))
    return merged


def _pieces(reply: str, places: Sequence[tuple[int, int, TemplateSlot]]) -> Template:
    made: list[TemplatePiece] = []
    done = 0
    for start, end, slot in places:
        if reply[done:start]:
            made.append(reply[done:start])
        made.append(slot)
        done = end
    if reply[done:]:
        made.append(reply[done:])
    return tuple(made)


def fill(
    pieces: Template, groups: Sequence[FactGroup], order: Sequence[int], part: Fragment | None = None
) -> tuple[str, ...] | None:
    """Return the pieces of a template with its slots filled; `None` where a slot cannot be filled.

    `order` says which of the groups each group of the template stands for. `part` fills the slots for parts.
    """
    said: list[str] = []
    used: dict[int, int] = {}
    for piece in pieces:
        if isinstance(piece, str):
            again = bool(said) and not isinstance(pieces[len(said) - 1], str) and said[-1][-1:] == piece[:1]
            said.append(piece[1:] if again else piece)  # "... award" before "award": people say it once
            continue
        text = _filled(piece, groups[order[piece.group]], used, part)
        if text is None:
            return None
        said.append(text)
    return tuple(said)


def _filled(slot: TemplateSlot, group: FactGroup, used: dict[int, int], part: Fragment | None) -> str | None:
    if slot.what == ENTITY:
        return without_suffix(group.subject)
    if slot.what == RELATION:
        return group.relation
    if slot.form == PART:
        return part.text if part is not None else None
    if slot.form == ITEM:
        items: Sequence[str] = items_of(group.values[0]) if len(group.values) == 1 else ()
    else:
        texts = [surface_forms_of(value).get(slot.form) for value in group.values]
        items = [text for text in texts if text is not None and len(text) <= _RECITED]
        if len(items) < len(texts):
            return None
    start = used.get(slot.group, 0)
    chosen = items[start : start + slot.count] if slot.count else items[start:]
    if not chosen or (slot.count and len(chosen) < slot.count):
        return None
    used[slot.group] = start + len(chosen)
    return slot.joint.join(chosen)


def takes_part(pieces: Template, groups: Sequence[FactGroup], order: Sequence[int]) -> bool:
    """Return whether a template has one slot for a part of a text, in a position that any part can fill.

    That is after punctuation or a copula: every part is tried there.
    """
    slots = [place for place, piece in enumerate(pieces) if isinstance(piece, TemplateSlot) and piece.form == PART]
    if len(slots) != 1:
        return False
    slot = pieces[slots[0]]
    assert isinstance(slot, TemplateSlot)
    before = pieces[slots[0] - 1] if slots[0] else ""
    return groups[order[slot.group]].long and isinstance(before, str) and (not before or before[-1] in _OPEN)


def head_of(pieces: Template) -> Template | None:
    """Return a template cut after the sentence of its last slot; `None` where nothing follows it."""
    values = [place for place, piece in enumerate(pieces) if isinstance(piece, TemplateSlot) and piece.what == VALUE]
    after = values[-1] + 1 if values else len(pieces)
    wording = pieces[after] if after < len(pieces) else None
    if not isinstance(wording, str):
        return None
    match = _SENTENCE.search(wording)
    if match is None or (match.end() == len(wording) and after + 1 == len(pieces)):
        return None
    return (*pieces[:after], wording[: match.start()] + "。")
