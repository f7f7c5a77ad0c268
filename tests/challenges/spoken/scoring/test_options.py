from __future__ import annotations

import pytest

from duologue.challenges.spoken.scoring.options import OFFICIAL, OPTIONS, ScoringOptions, scoring_options
from duologue.core.errors import UsageError
from duologue.core.records import Scoring


def test_the_first_value_of_every_option_is_its_default() -> None:
    assert {name: values[0] for name, values in OPTIONS.items()} == ScoringOptions()._asdict()


def test_the_official_variant_is_one_profile() -> None:
    assert scoring_options(Scoring(variant="official")).changed() == ("duplicates=count", "strict_types=true")
    assert scoring_options(Scoring(variant="official", options=OFFICIAL)) == scoring_options(
        Scoring(variant="official")
    )


@pytest.mark.parametrize(
    ("how", "says"),
    [
        (Scoring(variant="oficial"), "did you mean 'official'"),
        (Scoring(variant="strict", samples="knowlege"), "did you mean 'knowledge'"),
        (Scoring(variant="strict", options={"avarage": "corpus"}), "did you mean 'average'"),
        (Scoring(variant="strict", options={"average": "mean"}), "one of sample, corpus"),
        (Scoring(variant="official", options={"bleu": "corpus"}), "defined with bleu=sentence"),
    ],
)
def test_a_choice_that_there_is_not_is_named(how: Scoring, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        scoring_options(how)
