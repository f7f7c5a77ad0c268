"""What many annotators do to the annotation of a corpus (specification, 13.8): omissions, wrong types, ends and owners.

The shares are the specification's guesses. The text stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.ontology import CONFUSED, SPEAKERS, STAFF_INTENT, USER, USER_INTENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.challenges.mobilecs.simulator.line import Line
    from duologue.challenges.mobilecs.simulator.utterance import SpanMark
    from duologue.core.rng import Rng

MISSING_FIRST, MISSING_MENTION, MISSING_VALUE = 0.03, 0.2, 0.1
"""Of the first mention of an entity, of later ones, of values; 12 % of all mentions."""
WRONG_TYPE, WRONG_BOUNDARY, WRONG_ENTITY = 0.08, 0.05, 0.04
OTHER_NAME = 0.2
FULL_WIDTH, SWAPPED_INTENTS = 0.5, 0.005

NEIGHBOUR_TYPES: Mapping[str, tuple[str, ...]] = {
    "业务": ("数据业务", "流量包", "附加套餐"),
    "数据业务": ("业务",),
    "套餐": ("主套餐", "业务", "流量包"),
    "主套餐": ("套餐", "4G套餐"),
    "4G套餐": ("主套餐", "套餐"),
    "5G套餐": ("主套餐", "4G套餐"),
    "附加套餐": ("套餐", "流量包", "业务"),
    "流量包": ("附加套餐", "套餐"),
    "长途业务": ("附加套餐", "业务"),
    "国际漫游业务": ("附加套餐", "业务"),
}
"""Types that annotators give instead: one level too general, or a sibling."""

_NOTATION = frozenset("，（）")
"""Characters that no name takes on: intents would not be read as they are meant."""
_WIDE = str.maketrans("(),", "（），")


def blur(lines: Sequence[Line], rng: Rng) -> None:
    """Leave out, move, retype and reassign spans of a call, in place."""
    entities = sorted({span[2].entity for line in lines for span in line.text.spans if span[2].entity is not None})
    seen: set[int | None] = set()
    for line in lines:
        kept = []
        for start, end, mark in sorted(line.text.spans, key=lambda span: span[:2]):
            missing = MISSING_VALUE
            if mark.is_mention:
                missing = MISSING_MENTION if mark.entity in seen else MISSING_FIRST
                seen.add(mark.entity)
            if rng.unit() < missing:
                continue
            moved = _moved(start, end, len(line.text.text), rng) if rng.unit() < WRONG_BOUNDARY else (start, end)
            if _NOTATION & set(line.text.text[slice(*moved)]):
                moved = start, end
            kept.append((*moved, _misread(mark, entities, rng) if mark.is_mention else mark))
        line.text.spans = kept


def _moved(start: int, end: int, length: int, rng: Rng) -> tuple[int, int]:
    """Return the span with one end moved by one to three characters; it stays in the text and keeps a character."""
    by = 1 + rng.below(3) if rng.happens(0.5) else -1 - rng.below(3)
    if rng.happens(0.5):
        return min(max(start + by, 0), end - 1), end
    return start, max(min(end + by, length), start + 1)


def _misread(mark: SpanMark, entities: Sequence[int], rng: Rng) -> SpanMark:
    if rng.unit() < WRONG_TYPE:
        mark = mark._replace(label=rng.choice(NEIGHBOUR_TYPES[mark.label]))
    if rng.unit() < WRONG_ENTITY:
        mark = mark._replace(entity=rng.choice(entities))
    return mark


def respell(row: dict[str, Any], rng: Rng, *, confused: float) -> None:
    """Spell the annotation of a row as different annotators do, in place; the share `confused` is marked unusable."""
    _take_names_elsewhere(row, rng)
    content = row["content"]
    if rng.unit() < FULL_WIDTH:
        for turn in content:
            for key in (USER_INTENT, STAFF_INTENT):
                turn[key] = turn[key].translate(_WIDE)
    if rng.unit() < SWAPPED_INTENTS:
        place = rng.below(len(content))
        content[place] = _swapped(content[place])
    if rng.unit() < confused:
        content[rng.below(len(content))][USER_INTENT] = CONFUSED


def _take_names_elsewhere(row: dict[str, Any], rng: Rng) -> None:
    """Give some triples the name that their entity has in another turn."""
    names: dict[str, list[str]] = {}
    for turn in row["content"]:
        for entity in turn["info"]["ents"]:
            names.setdefault(entity["id"], []).append(entity["name"])
    for turn in row["content"]:
        for triple in turn["info"]["triples"]:
            if triple["ent-id"] != USER and rng.unit() < OTHER_NAME:
                triple["ent-name"] = rng.choice(names[triple["ent-id"]])


def _swapped(turn: dict[str, Any]) -> dict[str, Any]:
    """Return a turn with the order of its intent keys changed and the labels under the wrong keys."""
    texts = {key: turn[key] for key in turn if key in SPEAKERS}
    first, second = (key for key in turn if key in {USER_INTENT, STAFF_INTENT})
    return {**texts, second: turn[first], first: turn[second], "info": turn["info"]}
