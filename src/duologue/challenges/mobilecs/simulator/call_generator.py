"""Generated calls as official rows: planned, spoken, made to sound like speech, annotated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.formats import preprocessor
from duologue.challenges.mobilecs.simulator import acts
from duologue.challenges.mobilecs.simulator.annotator import row_of
from duologue.challenges.mobilecs.simulator.call_plan import CallPlanner
from duologue.challenges.mobilecs.simulator.catalogue import make_catalogue, split_by_type
from duologue.challenges.mobilecs.simulator.conversation import Conversation
from duologue.challenges.mobilecs.simulator.crowd_noise import blur, respell
from duologue.challenges.mobilecs.simulator.requests import are_answered
from duologue.challenges.mobilecs.simulator.speech_noise import SpeechNoise, tidy
from duologue.core.rng import Rng, digest

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe

UNLABELLED = "unlabelled"
_TOGETHER = 0.5
"""How often a call with much to say is also a long one."""


class GeneratedCall(NamedTuple):
    """One call."""

    row: dict[str, Any]
    """Annotated, in the official raw form."""
    track2: list[dict[str, Any]]
    """What the official preprocessing makes of it: one dialogue, or none where it discards the call."""


class CallGenerator:
    """Generates the calls of one corpus, each from its part and number alone."""

    def __init__(self, recipe: CallCorpusRecipe, seed: int) -> None:
        self.recipe, self.seed = recipe, seed
        self.catalogue = make_catalogue(seed, recipe.unseen_products)
        labelled = [product for product in self.catalogue if product.labelled]
        telling = recipe.profile == "clean"
        self._labelled = CallPlanner(split_by_type(labelled), telling=telling)
        self._all = CallPlanner(split_by_type(self.catalogue), telling=telling)
        self._noise = SpeechNoise(whole_names=telling)

    def call(self, part: str, number: int) -> GeneratedCall:
        """Return one call; a call of an annotated part is such that its own replies answer what is requested."""
        attempt = 0
        while True:
            row = self._row(part, number, attempt)
            if part == UNLABELLED:
                return GeneratedCall(row, [])
            made = preprocessor.process([row])
            if all(map(are_answered, made)):
                return GeneratedCall(row, made)
            attempt += 1

    def _row(self, part: str, number: int, attempt: int) -> dict[str, Any]:
        rng = Rng(self.seed, part, number, attempt)
        level = rng.unit()
        planner = self._all if part == UNLABELLED else self._labelled
        turns = round(acts.quantile(level if rng.happens(_TOGETHER) else rng.unit(), acts.TURNS))
        plan = planner.plan(rng, level)
        user_first = rng.happens(self.recipe.user_first)
        lines = Conversation(plan, rng, turns=turns, argument_rate=self.recipe.argument_rate).realise()
        if user_first:  # neither the staff's greeting nor an unanswered last word
            lines = lines[1:-1]
        style = self._noise.style(rng)
        for place, line in enumerate(lines):
            self._noise.apply(line.text, style, rng, staff=(place % 2 == 0) != user_first)
        tidy([line.text for line in lines])
        crowd = self.recipe.profile == "crowd"
        if crowd:
            blur([line for line in lines if line.text.spans], rng)
        row = row_of(digest(self.seed, part, number).hex()[:32], lines, user_first=user_first)
        if crowd:
            respell(row, rng, confused=self.recipe.confused)
        return row
