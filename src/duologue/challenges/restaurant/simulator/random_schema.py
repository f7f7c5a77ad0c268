"""Random schemas: the same dialogues with other slots, values and templates, each with a small knowledge base.

The `open` regime trains on them, so that a ranker generalises to unseen slots. The templates about dietary
restrictions (specification, section 8) are never among them; the field occurs in facts only.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.ontology import Schema, kb_values
from duologue.challenges.restaurant.schema.templates import RESTRICTIONS, SLOTS, RequestSlot, UtteranceTemplate
from duologue.challenges.restaurant.simulator import surface_forms
from duologue.challenges.restaurant.simulator.dialogue_generator import is_training_request
from duologue.challenges.restaurant.simulator.random_kb import new_names
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.core.records import Fact
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Sequence

_FIXED_FIELDS = ("rating", "phone", "address")
"""Fields that every restaurant has and nobody asks a preference for."""
_RESERVED = frozenset((*_FIXED_FIELDS, RESTRICTIONS.name, "name", "api_call", "silence"))
_DIETS = kb_values(1)[RESTRICTIONS.name]
_STANDARD_SHARE = 0.5
"""Probability that a slot of the standard schema is kept."""
_WORD_POOLS = ("FIELDS", "VALUES", "SYLLABLES", "ENDINGS")
_NAMED_SHARE = 0.75
"""Probability that the question of a new slot contains the name of its field."""
_MAX_OPTIONS = 8
"""Maximum number of restaurants that share all values of a request."""


def random_schema(seed: int) -> tuple[Schema, list[Fact]]:
    """Return a random schema of 3 to 7 required slots and the facts of its 60 to 200 restaurants.

    Slots of the standard schema are kept, reworded, renamed or dropped, others are new; the order of the
    api_call is random, questions are still asked in alphabetical order of the field names.
    """
    rng = Rng(seed, "invent")
    taken = {*_RESERVED, *_spoken_words()}
    count = 3 + rng.below(5)
    standard = [slot for slot in SLOTS if rng.happens(_STANDARD_SHARE)]
    slots = [_vary(slot, taken, rng) for slot in rng.sample(standard, count)]
    while len(slots) < count:
        slots.append(_new_slot({slot.question for slot in slots}, taken, rng))
    slots = rng.shuffled(slots)
    fewest = 4 if count == 3 else 3
    values = {slot.name: _values(slot.name, fewest + rng.below(4), taken, rng) for slot in slots}
    extra = {_field_name(taken, rng): _values("", 2 + rng.below(5), taken, rng) for _ in range(rng.below(4))}
    if rng.happens(0.8):
        extra[RESTRICTIONS.name] = _DIETS
    fields = tuple(rng.shuffled([*values, *extra, *_FIXED_FIELDS]))
    schema = Schema(name=f"invented-{seed}", slots=tuple(slots), values=values, fields=fields)
    return schema, _facts(schema, extra, rng)


# -- words -----------------------------------------------------------------------------------------


@cache
def _spoken_words() -> frozenset[str]:
    """Return the words of all templates; they must name neither fields nor values."""
    slots = templates.SLOTS_EXTRA
    texts = [text for slot in slots for text in (slot.question, *slot.phrases)]
    texts += [one.text for slot in slots for one in (*slot.answers, *slot.hedges)]
    texts += [one.text for one in (*surface_forms.HEDGES, *templates.UPDATE_PREFIXES)]
    for source in (templates, surface_forms):  # their other constants are sentences or tuples of sentences
        for name, constant in vars(source).items():
            if name.startswith("_") or name in _WORD_POOLS:
                continue
            texts += [constant] if isinstance(constant, str) else []
            texts += [text for text in constant if isinstance(text, str)] if isinstance(constant, tuple) else []
    return frozenset(word.strip(",.:{}") for text in texts for word in text.split())


def _spell(rng: Rng) -> str:
    """Return a random word of syllables."""
    syllables = [rng.choice(surface_forms.SYLLABLES) for _ in range(2 + rng.below(3))]
    return "".join(syllables) + rng.choice(surface_forms.ENDINGS)


def _word(pool: Sequence[str], taken: set[str], rng: Rng, *, real: float) -> str:
    """Return a word that is not taken yet, from the pool as often as `real` says, else spelled; and take it."""
    while True:
        word = rng.choice(pool) if rng.happens(real) else _spell(rng)
        if word not in taken:
            taken.add(word)
            return word


def _field_name(taken: set[str], rng: Rng) -> str:
    return _word(surface_forms.FIELDS, taken, rng, real=0.6)


def _values(slot: str, count: int, taken: set[str], rng: Rng) -> tuple[str, ...]:
    """Return values that no other field has; a standard slot sometimes keeps its own."""
    own = kb_values(1 + rng.below(2)).get(slot, ())
    if own and rng.happens(0.4) and not taken.intersection(own):
        taken.update(own)
        return own
    real = rng.choice((0.0, 0.5, 1.0))  # one field is spelled throughout, another has real words
    return tuple(_word(surface_forms.VALUES, taken, rng, real=real) for _ in range(count))


# -- slots -----------------------------------------------------------------------------------------


def _vary(slot: RequestSlot, taken: set[str], rng: Rng) -> RequestSlot:
    """Return a standard slot unchanged, renamed, or with other question, phrases, answers or hedges."""
    name, question, phrases, answers, hedges = slot.name, slot.question, slot.phrases, slot.answers, slot.hedges
    if rng.happens(0.4):
        name = _field_name(taken, rng)
    if name != slot.name and slot.name in question:
        question = question.replace(slot.name, name)
    if rng.happens(0.4):
        question = rng.choice(surface_forms.QUESTIONS_NAMED).format(f=name)
    if rng.happens(0.3):
        phrases = _phrases(name, rng)
    if rng.happens(0.3):
        answers = _answers(name, rng)
    if rng.happens(0.3):
        hedges = _hedges(name, rng)
    return RequestSlot(name=name, phrases=phrases, question=question, answers=answers, hedges=hedges)


def _new_slot(asked: set[str], taken: set[str], rng: Rng) -> RequestSlot:
    name = _field_name(taken, rng)
    other = _field_name(taken, rng)  # never the name of another field: that would mislead
    noun = rng.choice((name, other))
    question = ""
    while not question or question in asked:
        named = rng.happens(_NAMED_SHARE)
        question = rng.choice(surface_forms.QUESTIONS_NAMED if named else surface_forms.QUESTIONS_UNNAMED)
        question = question.format(f=name, n=other)
    return RequestSlot(
        name=name,
        phrases=_phrases(noun, rng),
        question=question,
        answers=_answers(noun, rng),
        hedges=_hedges(noun, rng) if rng.happens(0.5) else (),
    )


def _phrases(noun: str, rng: Rng) -> tuple[str, ...]:
    return tuple(_with_noun(text, noun) for text in rng.sample(surface_forms.PHRASES, 1 + rng.below(2)))


def _answers(noun: str, rng: Rng) -> tuple[UtteranceTemplate, ...]:
    texts = rng.sample(surface_forms.ANSWERS_ONE, 1 + rng.below(4))
    if rng.happens(0.6):
        texts += rng.sample(surface_forms.ANSWERS_TWO, 1 + rng.below(5))
    return tuple(UtteranceTemplate(text=_with_noun(text, noun)) for text in texts)


def _hedges(noun: str, rng: Rng) -> tuple[UtteranceTemplate, ...]:
    return tuple(
        UtteranceTemplate(text=_with_noun(hedge.text, noun), weight=hedge.weight, draw=hedge.draw)
        for hedge in rng.sample(surface_forms.HEDGES, 2 + rng.below(6))
    )


def _with_noun(text: str, noun: str) -> str:
    return text.replace("{n}", noun)


# -- knowledge base --------------------------------------------------------------------------------


def _facts(schema: Schema, extra: dict[str, tuple[str, ...]], rng: Rng) -> list[Fact]:
    """Return facts with requests of three and more matches on both sides of the split of training and test.

    Where few values leave fewer requests than restaurants are wanted, each request has some.
    """
    rows: list[dict[str, str]] = []
    size = 60 + rng.below(141)
    keys: set[tuple[str, ...]] = set()
    rich = {True: 0, False: 0}
    share, wanted = Generation().train_share, Generation().matches_options
    possible = math.prod(len(schema.values[slot.name]) for slot in schema.slots)
    while (len(rows) < size or min(rich.values()) == 0) and len(keys) < possible:
        key = tuple(rng.choice(schema.values[slot.name]) for slot in schema.slots)
        if key in keys:
            continue
        keys.add(key)
        count = 1 + rng.below(_MAX_OPTIONS)
        rich[is_training_request(key, share)] += count >= wanted
        ratings = rng.sample(range(1, 100), count)
        for rating in ratings:
            row = {slot.name: value for slot, value in zip(schema.slots, key, strict=True)}
            row |= {field: rng.choice(values) for field, values in extra.items()}
            rows.append({**row, "rating": str(rating)})
    names = _names(len(rows), rng)
    facts: list[Fact] = []
    for name, row in zip(names, rng.shuffled(rows), strict=True):
        row |= {"phone": f"{name}_phone", "address": f"{name}_address"}
        facts += [Fact(subject=name, relation=field, object=row[field]) for field in schema.fields]
    return facts


def _names(count: int, rng: Rng) -> list[str]:
    """Return names: mostly like the official ones, else with a word of their own."""
    names = new_names(count, set(), rng)
    if rng.happens(0.3):
        names = [f"{name}_{_spell(rng)}" for name in names]
    return names
