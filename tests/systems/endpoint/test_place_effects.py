from __future__ import annotations

import math

from duologue.core.rng import Rng
from duologue.systems.endpoint.place_effects import utilities


def test_without_choices_all_are_equal() -> None:
    assert utilities([[0, 1], [1, 0]], [[0, 0], [0, 0]]) == [0.0, 0.0]


def test_what_is_chosen_wherever_it_stands_is_wanted() -> None:
    first, second, third = utilities([[0, 1, 2], [2, 1, 0], [1, 0, 2]], [[5, 0, 0], [0, 0, 5], [0, 5, 0]])
    assert first > 1.0
    assert abs(second - third) < 0.5


def test_utilities_are_found_beside_a_strong_favour_for_the_first_place() -> None:
    size, wanted, favoured = 5, [0.0, 1.5, 0.5, -0.5, -1.5], [3.0, 1.0, 0.0, 0.0, 0.0]
    orders = [[(start + step) % size for step in range(size)] for start in range(size)]
    rng, choices = Rng("place effects"), []
    for order in orders:
        weights = [math.exp(wanted[one] + favoured[place]) for place, one in enumerate(order)]
        drawn = [rng.weighted_choice(range(size), weights) for _ in range(2000)]
        choices.append([drawn.count(place) for place in range(size)])
    assert all(abs(found - true) < 0.1 for found, true in zip(utilities(orders, choices), wanted, strict=True))
