"""Generated calls for the tests of the extraction systems."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.formats.issues import Issues
from duologue.challenges.mobilecs.formats.raw import read_examples
from duologue.challenges.mobilecs.simulator.call_generator import CallGenerator
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe

if TYPE_CHECKING:
    from duologue.core.records import Example


@cache
def generated(n: int, seed: int = 3) -> list[Example]:
    """Return annotated calls of the exact profile."""
    generator = CallGenerator(CallCorpusRecipe(profile="exact", n=n), seed)
    return read_examples([generator.call("train", number).row for number in range(n)], Issues())
