from __future__ import annotations

import io
import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rich.console import Console

from duologue.core.records import Problem
from duologue.ratings.files import RatingFile
from duologue.ratings.judgement import Preference, Rating
from duologue.ratings.protocol import find_protocol
from duologue.ratings.summary import RatingsSummary, summarise
from duologue.report.ratings import ratings_page, ratings_to_json, render_ratings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.ratings.protocol import RatingProtocol

PROACTIVE, CONVERSATION = find_protocol("proactive"), find_protocol("conversation")
MODEL = "Bradley and Terry's model with"


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


def rated(protocol: RatingProtocol, means: Mapping[str, float], items: int = 6, raters: int = 3) -> RatingFile:
    """Return ratings around a mean for each system; nobody rates the goals of `mute`."""
    rng = np.random.default_rng(1)
    rows = [
        Rating(
            f"i{item}", name, f"r{rater}", scale.name, float(np.clip(round(rng.normal(mean)), scale.low, scale.high))
        )
        for item in range(items)
        for name, mean in means.items()
        for rater in range(raters)
        for scale in protocol.criterion
        if (name, scale.name) != ("mute", "goal-completion")
    ]
    return RatingFile(tuple(rows), (), ())


@cache
def of_all_kinds() -> RatingsSummary:
    """Return a summary in which there is everything once, and everything is missing once."""
    found = summarise(
        rated(PROACTIVE, {"<planner>": 2.2, "matcher": 0.3, "mute": 1.0, "tf": 0.9}),
        PROACTIVE,
        automatic={"<planner>": 0.25, "matcher": 0.75, "tf": 0.5},
        judge=rated(PROACTIVE, {"<planner>": 1.8, "tf": 0.9}, 60, 1),
    )
    problems = (
        Problem(rule="a", severity="warning", place="line 3", message="odd"),
        Problem(rule="b", place="line 4", message="not for the terminal"),
    )
    return found._replace(warnings=problems)


def rounded(value: Any) -> Any:
    """Return a JSON value with three places of each figure."""
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return round(value, 3) if isinstance(value, float) else value


def printed(found: RatingsSummary) -> str:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(render_ratings(found))
    return console.export_text()


def lines(text: str) -> list[str]:
    """Return the lines that hold text, without rules and without what stands after their last word."""
    return [line.rstrip() for line in text.splitlines() if line.strip(" ─")]


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


def test_preferences_are_printed_with_names_at_the_left_and_figures_at_the_right() -> None:
    assert lines(printed(summarise(preferences(), PROACTIVE)))[3:] == [
        "Pairwise judgements, overall",
        " tier   system   win share    95 % interval   wins/losses/ties",
        "    1   a            0.637   0.372 to 0.839            21/10/9",
        "    1   b            0.363   0.161 to 0.628            10/21/9",
        f"Win share: what a system wins against another at random, half of its ties with it (22%). {MODEL}",
        "ties (Davidson 1970).",
        "Intervals and tests speak of other items and other raters.",
        " A   B    A - B     95 % interval   p adj.   better",
        " a   b   +0.275   -0.227 to 0.777    0.201   tie",
        "p adj.: Student's t with two-way errors, Holm's correction over 1 pair; better below 0.05.",
    ]


def test_rated_systems_are_printed_by_rank_with_each_criterion_and_what_a_judge_adds() -> None:
    told = lines(printed(summarise(people(), PROACTIVE, judge=people(200, 1))))
    systems = told.index("Systems")
    assert told[systems + 1 : systems + 4] == [
        " rank   tier   system      total (0 to 5)    95 % interval   coherence   goal-completion   items",
        "    1      1   <planner>            3.413   3.219 to 3.606       1.725             1.688      20",
        "    2      2   matcher              1.150   0.968 to 1.332       0.500             0.650      20",
    ]
    judge = told.index("A judge beside people")
    assert told[judge + 1 : judge + 9] == [
        " criterion         kappa with people    95 % interval   human labels",
        " coherence                     0.452   0.292 to 0.573            160",
        " goal-completion               0.440   0.178 to 0.604            160",
        " system                      people                    PPI++              judge alone   weight",
        " <planner>   3.413 (3.219 to 3.606)   3.413 (3.219 to 3.606)   3.315 (3.190 to 3.440)    0.000",
        " matcher     1.150 (0.968 to 1.332)   1.152 (0.970 to 1.334)   1.230 (1.112 to 1.348)    0.058",
        " A - B                                 people                    PPI++              judge alone   weight",
        " <planner> - matcher   2.263 (2.018 to 2.507)   2.262 (2.018 to 2.506)   2.085 (1.909 to 2.261)    0.028",
    ]


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


def test_what_is_automatic_has_its_columns_where_there_is_some() -> None:
    scores = {"<planner>": 0.25, "matcher": 0.75}
    for found, there in (
        (summarise(people(), PROACTIVE), False),
        (summarise(people(), PROACTIVE, automatic=scores), True),
    ):
        page, text = ratings_page(found, title="Ratings"), printed(found)
        heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', page)
        assert any('lang="en">automatic</span>' in head for head in heads) == there
        assert (page.count("0.250"), page.count("0.750")) == ((1, 1) if there else (0, 0))
        assert ("automatic   final" in text) == there


def test_shares_stand_on_an_axis_of_quarters() -> None:
    page = ratings_page(summarise(preferences(), PROACTIVE), title="Preferences")
    scale = re.findall(r'<text x="([^"]*)"[^>]*>([^<]*)</text>', page)
    assert [label for _, label in scale[:5]] == ["0 %", "25 %", "50 %", "75 %", "100 %"]
    assert [float(place.removesuffix("%")) for place, _ in scale[:5]] == [3.0, 26.5, 50.0, 73.5, 97.0]


@pytest.mark.parametrize(("systems", "more"), [(6, ""), (7, "... and 6 more pairs (--json has all)")])
def test_up_to_fifteen_pairs_are_listed_and_the_others_counted(systems: int, more: str) -> None:
    rng = np.random.default_rng(3)
    rows = [
        Rating(f"i{item}", f"s{system}", f"r{rater}", scale.name, float(rng.integers(0, scale.high + 1)))
        for item in range(6)
        for system in range(systems)
        for rater in range(3)
        for scale in PROACTIVE.criterion
    ]
    told = lines(printed(summarise(RatingFile(tuple(rows), (), ()), PROACTIVE)))
    first = next(number for number, line in enumerate(told) if line.split()[:5] == ["A", "B", "A", "-", "B"])
    assert sum(re.match(r" s\d +s\d ", line) is not None for line in told[first:]) == 15
    assert told[first + 16].startswith(more or "p adj.: Student's t")


def test_systems_stand_on_an_axis_that_holds_all_their_intervals() -> None:
    page = ratings_page(summarise(people(), PROACTIVE), title="Ratings")
    assert re.findall(r'<text x="[^"]*"[^>]*>([^<]*)</text>', page) == ["0", "1", "2", "3", "4"]  # up to 3.606
    places = [float(place) for place in re.findall(r'<svg x="([\d.]+)%" y="[\d.]+" class="at">', page)]
    assert places == pytest.approx([3 + 94 * mean / 4 for mean in (3.4125, 1.15)], abs=0.02)


TERMINAL = """\
proactive: 126 ratings, 3 raters, 6 items
Agreement of the raters
 criterion         agreement           value     95 % interval   answers
 coherence         alpha (ordinal)     0.350   -0.161 to 0.616        24
 goal-completion   ICC(2,k)            0.538   -0.035 to 0.775        18
Systems
 rank   tier   system      total (0 to 5)    95 % interval   coherence   goal-completion   automatic   final   items
    1      1   <planner>            3.889   3.185 to 4.592       2.222             1.667       0.250   3.889       6
    2      1   tf                   1.667   0.299 to 3.035       1.111             0.556       0.500   1.667       6
    3      2   matcher              1.167   0.000 to 2.359       0.556             0.611       0.750   1.167       6
    –      –   mute                     –                –       1.167                 –           –       –       6
Intervals and tests speak of other items and other raters.
 A           B          A - B     95 % interval   p adj.   better
 <planner>   matcher   +2.722    1.716 to 3.728    0.007   <planner>
 <planner>   tf        +2.222    0.479 to 3.966    0.064   tie
 tf          matcher   +0.500   -1.716 to 2.716    0.395   tie
p adj.: Student's t with two-way errors, Holm's correction over 3 pairs; better below 0.05.
A judge beside people
 criterion         kappa with people    95 % interval   human labels
 coherence                     0.417   0.183 to 0.575             36   UNCALIBRATED
 system                      people                    PPI++              judge alone   weight
 <planner>   3.889 (3.185 to 4.592)   3.889 (3.185 to 4.592)   3.317 (3.010 to 3.623)    0.000
 matcher                          –                        –                        –        –
 A - B                                 people                    PPI++              judge alone   weight
 <planner> - tf        2.222 (0.479 to 3.966)   2.107 (0.424 to 3.790)   1.617 (1.186 to 2.048)    0.145
warning: uncalibrated (coherence, goal-completion): fewer than 50 human labels.
warning: line 3: odd
"""


def test_what_is_missing_is_a_dash_and_all_stands_in_its_column_and_order() -> None:
    told = lines(printed(of_all_kinds()))
    wanted = TERMINAL.splitlines()
    assert [line for line in told if line in wanted] == wanted
    assert len(told) == 57
    assert "not for the terminal" not in "\n".join(told)


def test_of_one_criterion_there_is_one_column_and_its_name_stands_for_the_total() -> None:
    people = rated(CONVERSATION, {"bot": 3.0, "reference": 4.4, "other": 2.0})
    told = lines(printed(summarise(people, CONVERSATION, judge=rated(CONVERSATION, {"bot": 3.0}, 60, 1))))
    systems = told.index("Systems")
    assert told[systems + 1 : systems + 5] == [
        " rank   tier   system      quality    95 % interval   items",
        "    1      1   bot           2.833   2.283 to 3.383       6",
        "    2      2   other         2.056   1.307 to 2.804       6",
        "    –      –   reference     4.333   3.856 to 4.810       6",
    ]
    judge = told.index("A judge beside people")
    assert told[judge + 3 : judge + 5] == [
        " system                      people                    PPI++              judge alone   weight",
        " bot         2.833 (2.283 to 3.383)   2.833 (2.283 to 3.383)   2.967 (2.734 to 3.200)    0.000",
    ]


def test_json_has_each_figure_under_its_key_and_null_for_what_is_missing() -> None:
    told = rounded(ratings_to_json(of_all_kinds()))
    head = {name: told[name] for name in ("protocol", "ratings", "raters", "items", "speaks_of_other_raters")}
    assert head == {"protocol": "proactive", "ratings": 126, "raters": 3, "items": 6, "speaks_of_other_raters": True}
    assert (told["source"], told["rule"]) == (PROACTIVE.source, PROACTIVE.rule)
    assert told["warnings"] == ["line 3: odd", "line 4: not for the terminal"]
    ordinal = {"name": "alpha (ordinal)", "value": 0.35, "low": -0.161, "high": 0.616, "units": 24, "raters": 3}
    assert told["agreement"]["coherence"][0] == {**ordinal, "why": ""}
    first, *_, mute = told["systems"]
    goals = {"value": 1.667, "low": 1.132, "high": 2}
    assert first == {
        "system": "<planner>",
        "items": 6,
        "raters": 3,
        "criteria": {"coherence": {"value": 2.222, "low": 1.693, "high": 2.751}, "goal-completion": goals},
        "total": {"value": 3.889, "low": 3.185, "high": 4.592},
        "automatic": 0.25,
        "final": 3.889,
        "rank": 1,
        "standing": {"tier": 1, "best": 1, "worst": 2},
    }
    assert mute["criteria"]["goal-completion"] is None
    assert {mute[name] for name in ("total", "automatic", "final", "rank", "standing")} == {None}
    test = {"b": "matcher", "difference": 2.722, "low": 1.716, "high": 3.728, "p": 0.002, "p_adjusted": 0.007}
    assert told["tests"][1] == {"a": "<planner>", "better": "<planner>", **test}
    kappa = {"name": "kappa (quadratic)", "value": 0.417, "low": 0.183, "high": 0.575, "units": 36, "raters": 2}
    coherence = {"criterion": "coherence", "kappa": {**kappa, "why": ""}, "labels": 36, "calibrated": False}
    assert told["judge"]["criteria"][0] == coherence
    means = [one for one in told["judge"]["means"] if one["criterion"] == "total"]
    assert {name: means[0][name] for name in ("system", "other")} == {"system": "<planner>", "other": None}
    judge = {"value": 3.317, "error": 0.153, "freedom": 59, "weight": 1.0, "labels": 0, "others": 60}
    assert means[0]["judge"] == {**judge, "low": 3.01, "high": 3.623}
    assert (means[0]["people"]["low"], means[0]["ppi"]["high"]) == (3.185, 4.592)
    nothing = {"people": None, "ppi": None, "judge": None}
    assert means[1] == {"criterion": "total", "system": "matcher", "other": None, **nothing}
    assert told["judge"]["differences"][1] == {"criterion": "total", "system": "<planner>", "other": "mute", **nothing}


def test_json_of_preferences_has_shares_and_tests_by_criterion() -> None:
    told = rounded(ratings_to_json(summarise(preferences(), PROACTIVE)))
    standing = {"tier": 1, "best": 1, "worst": 2}
    ahead = {
        "system": "a",
        "wins": 21,
        "losses": 10,
        "ties": 9,
        "win_share": {"value": 0.637, "low": 0.372, "high": 0.839},
    }
    behind = {
        "system": "b",
        "wins": 10,
        "losses": 21,
        "ties": 9,
        "win_share": {"value": 0.363, "low": 0.161, "high": 0.628},
    }
    test = {"a": "a", "b": "b", "difference": 0.275, "low": -0.227, "high": 0.777, "p": 0.201, "p_adjusted": 0.201}
    assert told["preferences"] == {
        "overall": {
            "tie_share": 0.225,
            "speaks_of_other_raters": True,
            "systems": [{**ahead, "standing": standing}, {**behind, "standing": standing}],
            "tests": [{**test, "better": None}],
        }
    }
    assert not {"agreement", "systems", "tests", "judge"} & told.keys()
    assert printed(summarise(preferences(), PROACTIVE)).startswith(
        "proactive: 40 pairwise judgements, 5 raters, 40 items"
    )
