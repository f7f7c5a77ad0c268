"""Random knowledge bases of restaurants with the structure of the official ones (specification, section 3)."""

from __future__ import annotations

from duologue.challenges.restaurant.schema.ontology import FIELDS, kb_values
from duologue.core.records import Fact
from duologue.core.rng import Rng

_ADJECTIVES = (
    "able adorable agreeable bad beautiful big black blue brave broad calm chubby clean crooked curved deep delightful"
    " different drab eager early elegant faithful fancy first flat gentle glamorous good gray great green handsome"
    " happy high hollow important jolly kind large last little lively long low magnificent narrow new next nice"
    " obedient old other plain proud public purple quaint relieved right round same shallow silly skinny small"
    " sparkling square steep straight thankful ugliest unsightly victorious white wide witty yellow young"
    " zealous"
)
ADJECTIVES = tuple(_ADJECTIVES.split())
"""Pool of both adjective places of a name."""
_NOUNS = (
    "air ant area art back bird book business car case cat change chicken city community company cow day dog door"
    " elephant end eye face fact family fish food fox friend game government group hand head health history home"
    " horse hour house idea information issue job kangaroo kind law level life line lion lot minute moment money"
    " monkey month morning name night number office others part party penguin pig place point power problem program"
    " question rabbit reason research result right room school service sheep side state story study system team thing"
    " tiger time war water way week whale wolf word work world year"
)
NOUNS = tuple(_NOUNS.split())
"""Pool of both noun places of a name."""
_TWICE = ("long", "high")
"""Adjectives that are about twice as frequent as the others."""
_WEIGHTED_ADJECTIVES = (*ADJECTIVES, *_TWICE)
BASES = 8
"""Base restaurants in each cell of cuisine x location x price."""


def restaurant_name(rng: Rng) -> str:
    """Return a name of the form `[the_]adjective_adjective_noun_noun` (specification, section 3)."""
    article = "the_" if rng.happens(0.5) else ""
    adjectives = f"{rng.choice(_WEIGHTED_ADJECTIVES)}_{rng.choice(_WEIGHTED_ADJECTIVES)}"
    return f"{article}{adjectives}_{rng.choice(NOUNS)}_{rng.choice(NOUNS)}"


def new_names(count: int, taken: set[str], rng: Rng) -> list[str]:
    """Return so many names that are not taken yet, and take them."""
    names: list[str] = []
    while len(names) < count:
        name = restaurant_name(rng)
        if name not in taken:
            taken.add(name)
            names.append(name)
    return names


def make_kb(kb: int, seed: int) -> list[Fact]:
    """Return the facts of a new knowledge base 1 or 2 with the structure of section 3 of the specification.

    75 cells (cuisine x location x price) of 8 bases of one party size, each expanded to the 9 combinations of
    atmosphere and restrictions, which share the ratings 9b+1 to 9b+9. The names of the two bases of one seed
    are disjoint.
    """
    taken: set[str] = set()
    names = new_names(5_400, taken, Rng(seed, "names", 1))
    if kb == 2:  # a name of base 1 is never used again
        names = new_names(5_400, taken, Rng(seed, "names", 2))
    rng = Rng(seed, "kb", kb)
    values = kb_values(kb)
    rows: list[dict[str, str]] = []
    for cuisine in values["cuisine"]:
        for location in values["location"]:
            for price in values["price"]:
                cell = {"cuisine": cuisine, "location": location, "price": price}
                for base in range(BASES):
                    number = rng.choice(values["number"])
                    rows += _expand({**cell, "number": number}, base, values, rng)
    facts: list[Fact] = []
    for name, row in zip(names, rng.shuffled(rows), strict=True):
        row |= {"phone": f"{name}_phone", "address": f"{name}_address"}
        facts += [Fact(subject=name, relation=field, object=row[field]) for field in FIELDS]
    return facts


def _expand(base: dict[str, str], index: int, values: dict[str, tuple[str, ...]], rng: Rng) -> list[dict[str, str]]:
    combinations = [(mood, diet) for mood in values["atmosphere"] for diet in values["restrictions"]]
    ratings = rng.shuffled(range(9 * index + 1, 9 * index + 10))
    return [
        {**base, "atmosphere": mood, "restrictions": diet, "rating": str(rating)}
        for (mood, diet), rating in zip(combinations, ratings, strict=True)
    ]
