from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest
from rich.console import Console

from duologue.ratings.files import RatingFile
from duologue.ratings.judgement import Preference, Rating
from duologue.ratings.protocol import find_protocol
from duologue.ratings.summary import RatingsSummary, summarise
from duologue.report.ratings import ratings_page, ratings_to_json, render_ratings

PROACTIVE = find_protocol("proactive")


def people(items: int = 20, raters: int = 4, first: int = 0) -> RatingFile:
    rng = np.random.default_rng(1)
    rows = [
        Rating(
            f"i{item:03}", system, f"r{rater}", scale.name, float(np.clip(round(rng.normal(mean, 0.7)), 0, scale.high))
        )
        for item in range(first, first + items)
        for system, mean in (("<planner>", 1.8), ("matcher", 0.6))
        for rater in range(raters)
        for scale in PROACTIVE.criterion
    ]
    return RatingFile(tuple(rows), (), ())


def preferences() -> RatingFile:
    rng = np.random.default_rng(2)
    rows = [
        Preference(str(item), "a", "b", f"r{item % 5}", "overall", ("a", "a", "b", "tie")[rng.integers(4)])
        for item in range(40)
    ]
    return RatingFile((), tuple(rows), ())


def printed(found: RatingsSummary) -> str:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(render_ratings(found))
    return console.export_text()


def test_the_terminal_tells_agreement_systems_tests_and_the_judge() -> None:
    text = printed(summarise(people(), PROACTIVE, judge=people(200, 1)))
    for told in (
        "alpha (ordinal)",
        "<planner>",
        "other raters",
        "p adj.",
        "PPI++",
        "kappa with people",
        "total (0 to 5)",
    ):
        assert told in text
    assert "UNCALIBRATED" not in text


def test_few_raters_and_few_labels_are_stamped() -> None:
    text = printed(summarise(people(8, 2), PROACTIVE, judge=people(50, 1)))
    assert "these raters alone" in text
    assert text.count("UNCALIBRATED") == 2
    assert "fewer than 50 human labels" in text
    one = printed(summarise(people(8, 1), PROACTIVE))
    assert "there is 1 rater, and agreement takes two" in one


def test_json_has_every_figure_and_no_nan() -> None:
    told = ratings_to_json(summarise(people(4, 4), PROACTIVE, judge=people(30, 1)))
    text = json.dumps(told, allow_nan=False)
    assert json.loads(text) == told
    assert told["systems"][0]["system"] == "<planner>"
    assert set(told["agreement"]) == {"coherence", "goal-completion"}
    assert len(told["judge"]["means"]) == 6
    assert [one["calibrated"] for one in told["judge"]["criteria"]] == [False, False]
    pairwise = ratings_to_json(summarise(preferences(), PROACTIVE))
    assert pairwise["preferences"]["overall"]["systems"][0]["system"] == "a"
    json.dumps(pairwise, allow_nan=False)


@pytest.mark.parametrize("kind", ["ratings", "preferences"])
def test_the_page_is_whole_in_both_languages_and_escapes_names(kind: str) -> None:
    found = (
        summarise(people(), PROACTIVE, judge=people(60, 1))
        if kind == "ratings"
        else summarise(preferences(), PROACTIVE)
    )
    page = ratings_page(found, title="Ratings", commands=["duologue ratings score <x>"])
    assert page == ratings_page(found, title="Ratings", commands=["duologue ratings score <x>"])
    assert "<planner>" not in page
    assert "&lt;x&gt;" in page
    assert 'lang="zh-Hans"' in page
    assert not re.search(r"(?:src|href)=.https?:", page)
    assert ("连贯性" in page) == (kind == "ratings")
    assert ("胜率" in page) == (kind == "preferences")
    assert page.count("<table") == page.count("</table>")
