"""Recipe of a generated corpus: sizes, profile and shares."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from duologue.core.bounds import Probability, ProperFraction, Rows
from duologue.core.records import Record

LABELLED, UNLABELLED = 8_975, 87_933
"""Dialogues of the real corpus."""


class CallCorpusRecipe(Record, frozen=True):
    """The recipe of a generated corpus. The defaults are the figures of the specification's section 13."""

    profile: Literal["clean", "exact", "crowd"] = "clean"
    """`clean`: complete and exact annotation of calls that tell the type of each service and whose each value is;
    `exact`: calls that leave some of it open, with the same annotation; `crowd`: those with the omissions and errors of
    many annotators (13.8)."""
    n: Rows = 0
    """Annotated dialogues; 0 means as many as the challenge has, 8,975."""
    unlabelled_ratio: Annotated[float, Meta(ge=0, le=1e6)] = UNLABELLED / LABELLED
    """Bare dialogues for each annotated one; the default is the challenge's, 87,933 to 8,975."""
    argument_rate: Probability = 0.1
    """How often a query-like user intent says what it asks for (13.5); the challenge annotates few."""
    dev_share: ProperFraction = 0.1
    """Share of the annotated dialogues in `dev`; what neither `dev` nor `test` has is `train`."""
    test_share: ProperFraction = 0.1
    """Share in `test`; at full size the test set has 1,000 dialogues at the least."""
    unseen_products: Probability = 0.4
    """Share of the catalogue that annotated dialogues never speak of; one product of each type stays to them."""
    user_first: Probability = 0.05
    """Share of dialogues whose turns the user opens."""
    confused: Probability = 0.005
    """Profile `crowd`: share of dialogues marked as unusable (意图混乱)."""

    def __post_init__(self) -> None:
        """Raise `ValueError` for shares that leave no training dialogues."""
        if self.dev_share + self.test_share >= 1:
            raise ValueError("dev_share and test_share leave nothing for training; together they must be below 1")


def sizes(recipe: CallCorpusRecipe) -> dict[str, int]:
    """Return the number of dialogues of each part: train, dev, test and unlabelled.

    >>> sizes(CallCorpusRecipe(n=900))
    {'train': 720, 'dev': 90, 'test': 90, 'unlabelled': 8818}
    """
    labelled = recipe.n or LABELLED
    dev, test = round(labelled * recipe.dev_share), round(labelled * recipe.test_share)
    unlabelled = round(labelled * recipe.unlabelled_ratio)
    return {"train": labelled - dev - test, "dev": dev, "test": test, "unlabelled": unlabelled}
