"""Features of candidate (entity, attribute) pairs for the ranker: numbers, and words of attribute and question.

No feature names an entity, so a graph with other entities gives the same features for the same dialogue.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.spoken.systems.grounded.entity_linker import EXACT
from duologue.challenges.spoken.systems.grounded.normalization import fold, phonetic_key
from duologue.core.sums import added
from duologue.metrics.ngrams import char_ngrams

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from duologue.challenges.spoken.systems.grounded.dialogue_state import (
        CandidateEntity,
        DialogueState,
        EntityProfile,
        StateTracker,
    )

NONE = ("", "")
"""The pair of a reply without knowledge."""

_AGES = 6
"""Turns with features of their own."""
_READ = 3
"""Latest turns whose words are read."""
_FADE = 0.7
"""Decay of a turn's weight per turn of age."""
_SURE = 4
"""Characters of a name from which a fuzzy match is masked."""
_WIDE = 200
"""Four times the characters of a long value."""

ENTITY = (
    *(f"named {age}" for age in range(_AGES)),
    *(f"exactly named {age}" for age in range(3)),
    *("age", "rank", "times named", "never exactly", "never named", "first named", "last of its turn"),
    *("form length", "form common", "namesakes", "age of user's", "age of system's"),
    *(f"told {age}" for age in range(_AGES)),
    *("told fading", "told ahead", "told 1 ahead", "recalled 0", "recalled", "recalled ahead", "attributes"),
    *("value of another", "value of the last", "owner of the question"),
)
PAIR = (
    *(
        "none",
        "values",
        "value length",
        "long",
        "value told 0",
        "value told 1",
        "value told 3",
        "value told 5",
        "told ever",
        "told by user",
    ),
    *("share told", "all told", "name shared 0", "name whole 0", "name heard 0", "name shared 1", "name whole 1"),
    *("seen", "frequent", "same of another told", "question length", "question ends"),
)
FEATURE_NAMES = (*ENTITY, *PAIR)


class CandidatePairs(NamedTuple):
    """Candidate pairs of one turn with their features; the first pair is `NONE`."""

    pairs: list[tuple[str, str]]
    features: NDArray[np.float32]
    """(c, f)."""
    attributes: list[tuple[str, ...]]
    """Per pair: words of its attribute and the shape of its values."""
    question: list[str]
    """Words of the question and of the turns before it."""


class CorpusCounts(NamedTuple):
    """Counts of character n-grams and attributes in the training data."""

    common: Mapping[str, int]
    """By n-gram of 1 to 4 characters: the turns that contain it, where several do."""
    attributes: Mapping[str, int]
    """By attribute: the dialogues that ask for it."""


def candidate_pairs(state: DialogueState, tracker: StateTracker, corpus: CorpusCounts) -> CandidatePairs:
    """Return the candidate pairs of a dialogue state: every attribute of every candidate entity, and `NONE`."""
    profiles = [tracker.profile(one.name) for one in state.candidates]
    overlaps = [[tracker.overlaps(one.name, text) for text in state.turns[: 2 * _AGES]] for one in state.candidates]
    entities = _entity_features(state, profiles, overlaps, corpus)
    asked = fold(state.turns[0]) if state.turns else ""
    before = fold(state.turns[1]) if len(state.turns) > 1 else ""
    answered = _answered(profiles, overlaps)
    pairs: list[tuple[str, str]] = [NONE]
    rows = [[*_nothing(entities), 1.0, *([0.0] * (len(PAIR) - 3)), min(len(asked), 60) / 30, _ends(state)]]
    words: list[tuple[str, ...]] = [("#none",)]
    for candidate, profile, lines, features in zip(state.candidates, profiles, overlaps, entities, strict=True):
        for relation, places in profile.relations.items():
            pairs.append((candidate.name, relation))
            others = answered.get(relation, {})
            same = max((strength for name, strength in others.items() if name != candidate.name), default=0.0)
            known = corpus.attributes.get(relation, 0)
            rows.append(
                [
                    *features,
                    0.0,
                    *_value_features(profile, places),
                    *_overlap_features(lines, places),
                    *_name_features(relation, asked, before),
                    float(known > 0),
                    math.log1p(known) / 5,
                    same,
                    min(len(asked), 60) / 30,
                    _ends(state),
                ]
            )
            words.append(_attribute_words(relation, profile, places))
    question = list(_question_words(state, profiles, overlaps))
    return CandidatePairs(pairs, np.array(rows, dtype=np.float32), words, question)


def _nothing(entities: Sequence[Sequence[float]]) -> list[float]:
    """Return the entity features of `NONE`: the maximum of each over the candidates."""
    return [max(column) for column in zip(*entities, strict=True)] if entities else [0.0] * len(ENTITY)


def _ends(state: DialogueState) -> float:
    return float(state.turns[0].rstrip()[-1:] in {"?", "？"}) if state.turns else 0.0


def _entity_features(
    state: DialogueState,
    profiles: Sequence[EntityProfile],
    overlaps: Sequence[Sequence[tuple[float, ...]]],
    corpus: CorpusCounts,
) -> list[list[float]]:
    best = [[max(line, default=0.0) for line in lines] for lines in overlaps]
    latest = [line[1] if len(line) > 1 else 0.0 for line in best]
    fading = [added(_FADE**age * value for age, value in enumerate(line[1:])) for line in best]
    retrieved = [added(_FADE**age * value for age, value in one.retrieved.items()) for one in state.candidates]
    ranks = _ranks(state)
    first = max((one.said[-1].age for one in state.candidates if one.said), default=0)
    rows = []
    for at, one in enumerate(state.candidates):
        line = [*best[at], *([0.0] * _AGES)]
        ages = [said.age for said in one.said]
        exact = [said.age for said in one.said if said.mention.kind == EXACT]
        rows.append(
            [
                *(float(age in ages) for age in range(_AGES)),
                *(float(age in exact) for age in range(3)),
                min(ages, default=20) / 10,
                1 / (1 + ranks[at]),
                math.log1p(len(ages)),
                float(not exact),
                float(not ages),
                float(bool(ages) and ages[-1] == first),
                _place(one, state),
                *_form_features(one, corpus),
                math.log(max(1, one.namesakes)),
                min((age for age in ages if age % 2 == 0), default=20) / 10,
                min((age for age in ages if age % 2 == 1), default=20) / 10,
                *line[:_AGES],
                fading[at],
                fading[at] - max((value for other, value in enumerate(fading) if other != at), default=0.0),
                latest[at] - max((value for other, value in enumerate(latest) if other != at), default=0.0),
                one.retrieved.get(0, 0.0),
                retrieved[at],
                retrieved[at] - max((value for other, value in enumerate(retrieved) if other != at), default=0.0),
                math.log1p(len(profiles[at].relations)) / 3,
                *_owned(one, at, state, profiles),
            ]
        )
    return rows


def _ranks(state: DialogueState) -> list[int]:
    """Return for each candidate the number of different names mentioned after its last mention."""
    latest: dict[str, int] = {}
    for one in state.candidates:
        if one.said:
            latest.setdefault(one.said[0].mention.form, len(latest))
    return [latest[one.said[0].mention.form] if one.said else len(latest) for one in state.candidates]


def _place(one: CandidateEntity, state: DialogueState) -> float:
    """Return 1 where the candidate's last mention is the last of its turn."""
    if not one.said:
        return 0.0
    said = one.said[0]
    return float(all(other.start <= said.mention.start for other in state.mentions[said.age]))


def _form_features(one: CandidateEntity, corpus: CorpusCounts) -> list[float]:
    if not one.said:
        return [0.0, 0.0]
    form = one.said[0].mention.form
    return [min(len(form), 12) / 6, math.log1p(corpus.common.get(form, 0)) / 3]


def _owned(one: CandidateEntity, at: int, state: DialogueState, profiles: Sequence[EntityProfile]) -> list[float]:
    """Return whether the candidate is a value of another, of the last mentioned one, and whether its value is named."""
    form = fold(one.name) if not one.said else one.said[0].mention.form
    of_another = of_last = owner = 0.0
    for other, profile in enumerate(profiles):
        if other != at and any(form == value.folded or form in value.parts for value in profile.values):
            of_another = 1.0
            if state.candidates[other].said and one.said and state.candidates[other].said[0].age <= one.said[0].age + 2:
                of_last = 1.0
    asked = {mention.form for mention in state.mentions[0]} if state.mentions else set()
    if any(value.folded in asked for value in profiles[at].values):
        owner = 1.0
    return [of_another, of_last, owner]


def _value_features(profile: EntityProfile, places: Sequence[int]) -> list[float]:
    lengths = [len(profile.values[place].folded) for place in places]
    mean = sum(lengths) / len(lengths)
    return [math.log(len(places)), math.log1p(mean) / 3, float(mean > _WIDE / 4)]


def _overlap_features(lines: Sequence[tuple[float, ...]], places: Sequence[int]) -> list[float]:
    """Return how far the values were expressed, by turn and speaker, and the share of them."""
    by_age = [max(line[place] for place in places) for line in lines]
    ever = [max((line[place] for line in lines[1:]), default=0.0) for place in places]
    share = sum(value >= 0.5 for value in ever) / len(ever)
    ages = [*by_age, *([0.0] * _AGES)]
    own = [value for age, value in enumerate(by_age[1:], 1) if age % 2]
    others = [value for age, value in enumerate(by_age[1:], 1) if not age % 2]
    return [
        *(ages[age] for age in (0, 1, 3, 5)),
        max(own, default=0.0),
        max(others, default=0.0),
        share,
        float(share == 1),
    ]


def _name_features(relation: str, asked: str, before: str) -> list[float]:
    name = fold(relation)
    if not name:
        return [0.0] * 5
    phonetic = phonetic_key(name)
    return [
        sum(letter in asked for letter in name) / len(name),
        float(name in asked),
        float(phonetic in phonetic_key(asked)),
        sum(letter in before for letter in name) / len(name),
        float(name in before),
    ]


def _answered(
    profiles: Sequence[EntityProfile], overlaps: Sequence[Sequence[tuple[float, ...]]]
) -> dict[str, dict[str, float]]:
    """Return by attribute and entity how far the latest replies expressed its values."""
    found: dict[str, dict[str, float]] = {}
    for profile, lines in zip(profiles, overlaps, strict=True):
        for relation, places in profile.relations.items():
            strength = max((line[place] for line in lines[1:4:2] for place in places), default=0.0)
            if strength >= 0.5:
                found.setdefault(relation, {})[profile.values[0].fact.subject] = strength
    return found


_DATE = re.compile(r"\d{2,4}\s*[年\-/.]\s*\d{1,2}")
_NUMBER = re.compile(r"\d")


def _attribute_words(relation: str, profile: EntityProfile, places: Sequence[int]) -> tuple[str, ...]:
    name = fold(relation)
    value = profile.values[places[0]]
    text = str(value.fact.object)
    shape = "#date" if _DATE.search(text[:20]) else "#number" if _NUMBER.search(text[:6]) else "#words"
    size = f"#{min(len(value.folded), 64).bit_length()}"
    letters = dict.fromkeys((*name, *char_ngrams(name, 2, 2)))
    return ("=" + relation, *letters, shape, size, f"#x{min(len(places), 3)}")


def _question_words(
    state: DialogueState, profiles: Sequence[EntityProfile], overlaps: Sequence[Sequence[tuple[float, ...]]]
) -> Iterator[str]:
    """Yield character and phonetic n-grams of the last three turns with names masked, and attributes told before."""
    for age, text in enumerate(state.turns[:_READ]):
        masked = _masked(fold(text), state, age)
        yield f"{age}!{min(len(masked) // 4, 8)}"
        yield from (f"{age}{gram}" for gram in char_ngrams(masked, *((1, 3) if age == 0 else (2, 2))))
        if age == 0:
            phonetic = phonetic_key(masked)
            yield from (f"~{gram}" for gram in char_ngrams(phonetic, 2, 3))
            if text.rstrip()[-1:] in {"?", "？"}:
                yield "0?"
    latest: Counter[str] = Counter()
    for profile, lines in zip(profiles, overlaps, strict=True):
        for relation, places in profile.relations.items():
            for age, line in enumerate(lines[1:4], 1):
                if max(line[place] for place in places) >= 0.5:
                    latest[f"{age}>{relation}"] += 1
    yield from latest
    yield f"#{min(len(state.turns), 9)}"


def _masked(folded: str, state: DialogueState, age: int) -> str:
    """Return a folded text with the names in it masked."""
    pieces, at = [], 0
    for mention in state.mentions[age]:
        if mention.kind != EXACT and len(mention.form) < _SURE:
            continue
        pieces += [folded[at : mention.start], "□"]
        at = mention.end
    return "".join([*pieces, folded[at:]])
