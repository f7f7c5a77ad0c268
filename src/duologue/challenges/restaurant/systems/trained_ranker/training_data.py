"""Training data of the learned ranker: simulated dialogues in the closed or the open regime.

`closed` is what the challenge gave its participants: knowledge base 1 and its five slots. `open` adds random
schemas, so that a ranker generalises to unseen slots. All candidate styles take part, so that a ranker depends
on none of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.restaurant.formats.files import example_of
from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex
from duologue.challenges.restaurant.schema.domain import RESTAURANT
from duologue.challenges.restaurant.simulator.domain_kb import domain_facts
from duologue.challenges.restaurant.simulator.random_schema import random_schema
from duologue.challenges.restaurant.simulator.recipe import STYLES, Generation, with_policy
from duologue.challenges.restaurant.simulator.row_generator import RowGenerator
from duologue.challenges.restaurant.systems.trained_ranker.distractors import DistractorSampler
from duologue.core.gc_pause import gc_paused
from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.challenges.restaurant.schema.domain import Domain
    from duologue.challenges.restaurant.schema.ontology import Schema
    from duologue.core.protocols import Progress
    from duologue.core.records import Example, Fact, Turn

_WEIGHTS = {1: 0.7, 2: 0.6, 3: 1.0, 4: 0.5, 5: 2.2}
"""Relative number of dialogues per subtask, on average 1; whole dialogues (5) get the most."""
_CUTS = {"hello": 0.25, "on-it": 0.25, "look": 0.5, "ready": 0.5, "another": 0.5, "repeat": 5, "phone": 2, "address": 2}
"""Cut weights of style `a` in training: low before easy bot turns, high before rare ones."""
_DISTRACTORS = 4  # additional wrong candidates per dialogue
_REWOUND = 0.2  # share of dialogues that are also cut at an earlier bot turn
_TRAINING_SEEDS, _HELD_OUT_SEEDS = 1, 2
_MANY = 1_000_000  # schemas per seed, more than anybody will ask for
_APART = 1 << 62
"""Added to the seed of held-out dialogues: `duologue generate` with the seed of a training must not make them again as
its test set, which the training would then have looked at to choose its epoch."""


@dataclass
class RankerTrainingData:
    """Training and held-out examples with their knowledge bases."""

    examples: list[Example] = field(default_factory=list)
    held_out: list[Example] = field(default_factory=list)
    worlds: dict[str, list[Fact]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Share:
    """Number of dialogues per subtask in one schema."""

    schema: Schema
    facts: list[Fact]
    dialogues: int
    held_out: bool = False
    domain: Domain = RESTAURANT
    """Whose users talk."""


def closed_training_data(
    dialogues: int, held_out: int, seed: int, progress: Progress | None = None, domain: Domain = RESTAURANT
) -> RankerTrainingData:
    """Return about `dialogues` and `held_out` examples per subtask in knowledge base 1 of a domain with its slots.

    Held-out dialogues make other requests than the training dialogues do.
    """
    schema, facts = domain.schema(1, extra=False), domain_facts(domain, 1, seed)
    shares = [
        _Share(schema, facts, dialogues, domain=domain),
        _Share(schema, facts, held_out, held_out=True, domain=domain),
    ]
    return _generate(shares, seed, progress)


def open_training_data(
    dialogues: int,
    held_out: int,
    schemas: int,
    standard: float,
    seed: int,
    progress: Progress | None = None,
    domain: Domain = RESTAURANT,
) -> RankerTrainingData:
    """Return examples of which the share `standard` is set in a domain, the others in `schemas` random schemas.

    Held-out examples are set in other schemas, a tenth as many. Few dialogues use fewer schemas,
    at least one dialogue per subtask and schema.
    """
    schema, facts = domain.schema(1, extra=False), domain_facts(domain, 1, seed)
    shares: list[_Share] = []
    for wanted, limit, first, judged in (
        (dialogues, schemas, _TRAINING_SEEDS, False),
        (held_out, max(1, schemas // 10), _HELD_OUT_SEEDS, True),
    ):
        known = round(wanted * standard)
        shares.append(_Share(schema, facts, known, held_out=judged, domain=domain))
        invented = max(1, min(limit, wanted - known))
        for index in range(invented):
            count = (wanted - known) * (index + 1) // invented - (wanted - known) * index // invented
            shares.append(_Share(*random_schema((3 * seed + first) * _MANY + index), count, held_out=judged))
    return _generate(shares, seed, progress)


@gc_paused()
def _generate(shares: list[_Share], seed: int, progress: Progress | None) -> RankerTrainingData:
    data = RankerTrainingData()
    turns: dict[tuple[str, str], Turn] = {}
    total = sum(share.dialogues for share in shares) * len(_WEIGHTS)
    done = 0
    for share in shares:
        if not share.dialogues:
            continue
        data.worlds[share.schema.name] = share.facts
        made = []
        for row in _rows(share, seed):
            made.append(_lean(example_of(row, world=share.schema.name), turns))
            done += 1
            if progress is not None and done % 500 == 0:
                progress(min(done, total), total, "simulating dialogues")
        distractors = DistractorSampler(share.facts, made)
        where = data.held_out if share.held_out else data.examples
        for one in made:
            rng = Rng(seed, "decoys", one.sample.id)  # the key of the first release: weights stay the same
            where.append(distractors.extend(one, _DISTRACTORS, rng))
            if rng.happens(_REWOUND) and (earlier := distractors.rewind(one, rng)) is not None:
                where.append(earlier)
    if progress is not None:
        progress(total, total, "simulating dialogues")
    return data


def _rows(share: _Share, seed: int) -> Iterator[dict[str, object]]:
    """Yield the rows of a share, its dialogues dealt out to the candidate styles in turn."""
    part = "tst1" if share.held_out else "train"
    styles = Rng(seed, share.schema.name, part).shuffled(STYLES)  # few dialogues: not always the same
    recipe = Generation(answer_twice=0)  # of two equal answers neither is wrong: nothing to learn
    recipe = with_policy(recipe, share.domain)
    if not share.held_out:
        recipe = msgspec.structs.replace(recipe, cut_weights=_CUTS)
    restaurants = RestaurantIndex(share.schema, share.facts)  # once: it takes longer than the few rows of a schema
    seed += _APART if share.held_out else 0
    for subtask, weight in _WEIGHTS.items():
        wanted = math.ceil(share.dialogues * weight)
        for place, style in enumerate(styles):
            generator = RowGenerator(
                share.schema, restaurants, recipe, subtask=subtask, part=part, style=style, seed=seed
            )
            yield from generator(0, (wanted + len(styles) - 1 - place) // len(styles))


def _lean(example: Example, turns: dict[tuple[str, str], Turn]) -> Example:
    """Return the example without its source, equal turns shared: tens of thousands are held at once."""
    history = tuple(turns.setdefault((turn.speaker, turn.text), turn) for turn in example.sample.history)
    sample = msgspec.structs.replace(example.sample, history=history)
    return msgspec.structs.replace(example, sample=sample, source=None)
