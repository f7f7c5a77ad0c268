from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.mobilecs_tracks import Track, changed, extraction_track

from duologue.challenges.mobilecs.formats.raw import content_of
from duologue.challenges.mobilecs.scoring import results
from duologue.challenges.mobilecs.scoring.extraction import checker
from duologue.core import problems
from duologue.core.records import Scoring

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def track(tmp_path: Path) -> Track:
    return extraction_track(tmp_path)


# rule: where in the good rows, and what is put there (... = taken away)
BROKEN: dict[str, tuple[str, Any]] = {
    "entities-type": ("/3", {"id": "00000000000000000000000000000a04", "triples": []}),
    "triples-type": ("/0/triples", "none"),
    "entity-type": ("/0/entities/0/name", ""),
    "entity-type-unknown": ("/0/entities/0/type", "宽带"),
    "triple-type": ("/0/triples/0/value", 3),
    "triple-unmentioned": ("/0/triples/0/ent-id", "ent-9"),
    "position-type": ("/0/entities/0/position", [3, 2]),
    "position-missing": ("/0/triples/0/position", ...),
    "position-text": ("/0/entities/0/position", [1, 5]),
    "turn-type": ("/0/entities/0/turn_id", -1),
    "turn-spelled": ("/0/entities/0/turn_id", "0"),
    "turn-from-utterance": ("/0/entities/0/turn_id", ...),
    "turn-differs": ("/0/entities/0/utterance_id", 2),
}


def test_a_good_file_has_no_problem(track: Track) -> None:
    for data in (
        json.dumps(track.rows).encode(),
        json.dumps(track.rows[::-1], indent=1).replace("\n", "\r\n").encode(),
    ):
        assert track.rules(data) == []
        assert track.rules(gzip.compress(data), known=False) == []
        assert track.rules(data, "official") == []


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_is_broken_by_its_own_file_alone(rule: str, track: Track) -> None:
    severity = "warning" if "(a warning" in checker.RULES[rule] else "error"
    assert track.rules(changed(track.rows, *BROKEN[rule])) == [(rule, severity)]


def test_what_is_given_twice(track: Track) -> None:
    again = changed(track.rows, "/0/entities/+", track.rows[0]["entities"][0])
    assert track.rules(again) == [("entity-repeated", "warning")]
    again = changed(track.rows, "/0/triples/+", track.rows[0]["triples"][0])
    assert track.rules(again) == [("triple-repeated", "warning")]


def test_a_value_that_is_said_twice_in_a_turn_is_two_triples(track: Track) -> None:
    """The scorers count it twice; the extractors' own results were warned of."""
    said = ["一块一块", "一块"]
    texts = [turn.text for turn in track.examples[0].sample.history]
    turns = tuple(
        replace(turn, text=text)
        for turn, text in zip(track.examples[0].sample.history, [*said, *texts[2:]], strict=True)
    )
    track.examples[0] = replace(track.examples[0], sample=replace(track.examples[0].sample, history=turns))
    owner = {"ent-id": "NA", "ent-name": "NA", "prop": "账户余额", "value": "一块", "turn_id": 0}
    first, second, staff, wrong = [
        {**owner, "position": list(place), "utterance_id": side}
        for side, *place in ((0, 0, 2), (0, 2, 4), (1, 0, 2), (0, 1, 3))
    ]
    bare = [{key: value for key, value in one.items() if key != "utterance_id"} for one in (first, staff)]

    def repeated(*triples: Any, known: bool = True) -> int:
        found = track.rules(changed(track.rows, "/0/triples", list(triples)), known=known)
        return found.count(("triple-repeated", "warning"))

    assert repeated(first, second, staff) == repeated(first, second, staff, known=False) == 0
    assert repeated(*bare) == 0  # the file does not say who says it; both do
    assert repeated(*bare, known=False) == 1
    assert repeated(*bare, bare[0]) == 1
    assert repeated(first, second, first, second) == 2
    assert repeated(first, wrong) == 1  # what stands there is something else
    assert repeated(wrong, first) == 0


def test_turns_that_are_missing_or_beyond_the_dialogue(track: Track) -> None:
    bare = {key: value for key, value in track.rows[0]["triples"][0].items() if key not in {"turn_id", "utterance_id"}}
    assert track.rules(changed(track.rows, "/0/triples/+", bare)) == [("turn-missing", "error")]
    late = changed(track.rows, "/0/triples/+", {**bare, "turn_id": 5})
    assert track.rules(late) == [("turn-unknown", "error")]
    assert track.rules(late, known=False) == []


def test_the_official_check_names_the_crash(track: Track) -> None:
    for rule in ("position-missing", "turn-from-utterance", "triple-unmentioned"):
        assert track.rules(changed(track.rows, *BROKEN[rule]), "official") == [("official-crash", "error")]


def test_the_check_tells_the_first_problems_and_counts_the_others(
    track: Track, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(problems, "PROBLEM_LIMIT", 5)
    rules = [rule for rule, _ in track.rules([1, 2, 3, 4, 5, 6, 7])]
    assert rules == ["item-not-object"] * 5 + ["too-many-problems"]


def test_warnings_however_many_refuse_nothing(track: Track, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "PROBLEM_LIMIT", 3)
    track.rows[0]["triples"] += [track.rows[0]["triples"][0]] * 10
    warned = track.rules(track.rows)
    assert warned == [*[("triple-repeated", "warning")] * 3, ("too-many-problems", "warning")]
    assert track.task.score(track.examples, track.read(track.rows), Scoring(variant="strict")).n == 4


def test_every_rule_of_the_track_has_its_broken_file() -> None:
    told_elsewhere = {"entity-repeated", "triple-repeated", "turn-missing", "turn-unknown"}
    told_elsewhere |= {"official-crash", "too-many-problems"}
    assert set(checker.RULES) == {*results.RULES, *BROKEN, *told_elsewhere}


def test_a_problem_says_where_and_what_to_do(track: Track) -> None:
    submission = track.read(changed(track.rows, *BROKEN["position-text"]))
    (problem,) = track.task.check(submission, track.examples, "strict")
    assert problem.place == "dialogue '00000000000000000000000000000a01', /0/entities/0"
    assert "covers '好请讲' or '松套餐一', expected '青松套餐'" in problem.message
    assert problem.advice == "positions count characters of one utterance from 0"


@pytest.mark.parametrize(
    ("key", "value", "told", "advice"),
    [
        ("utterance_id", 2, "utterance 2 lies in turn 1, not in 0", ""),
        ("turn_id", ..., "there is 'utterance_id' and no 'turn_id'; the official scorer needs it", "utterance_id // 2"),
        ("turn_id", "0", "'turn_id' is the text '0'; read as a number", ""),
        ("turn_id", -1, "'turn_id' is -1, expected an integer from 0", ""),
        ("utterance_id", "1", "'utterance_id' is '1', expected an integer from 0", ""),
    ],
)
def test_what_is_wrong_with_a_turn_is_told_in_words(key: str, value: Any, told: str, advice: str, track: Track) -> None:
    submission = track.read(changed(track.rows, f"/0/entities/0/{key}", value))
    (problem,) = track.task.check(submission, track.examples, "strict")
    assert (problem.place, problem.message) == ("dialogue '00000000000000000000000000000a01', /0/entities/0", told)
    assert problem.advice.endswith(advice)


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        ("/0/triples", ..., "'triples' is missing, expected a list"),
        ("/0/triples", None, "'triples' is null, expected a list"),
        ("/0/entities/+", "ent-1", "found 'ent-1', expected an object"),
        ("/0/triples/+", 7, "found 7, expected an object"),
        ("/0/entities/0/position", [1], "'position' is [1], expected [start, end] with 0 <= start < end"),
        ("/0/entities/0/position", [3, 3], "'position' is [3, 3], expected [start, end] with 0 <= start < end"),
        ("/0/entities/0/position", [-1, 3], "'position' is [-1, 3], expected [start, end] with 0 <= start < end"),
        ("/0/entities/0/position", [0, 1, 2], "'position' is [0, 1, 2], expected [start, end] with 0 <= start < end"),
    ],
)
def test_what_is_no_record_or_no_place_is_told_in_words(place: str, value: Any, told: str, track: Track) -> None:
    submission = track.read(changed(track.rows, place, value))
    assert told in [problem.message for problem in track.task.check(submission, track.examples, "strict")]


@pytest.mark.parametrize(
    ("place", "value", "what"), [("/0/triples/0/value", 3, "triple"), ("/0/entities/0/name", "", "entity")]
)
def test_what_cannot_be_read_still_counts_as_said(place: str, value: Any, what: str, track: Track) -> None:
    def sums(rows: list[Any]) -> dict[str, float]:
        report = track.task.score(track.examples, track.read(rows), Scoring(variant="strict", partial=True))
        each = [counts for _, counts in report.items]
        return {name: sum(row[at] for row in each) for at, name in enumerate(report.columns)}

    good, broken = sums(track.rows), sums(changed(track.rows, place, value))
    assert broken[f"{what} said"] == good[f"{what} said"]
    assert broken[f"{what} right"] == good[f"{what} right"] - 1


@pytest.mark.parametrize(
    ("texts", "given", "expected"),
    [
        (["流量包", "没有了"], None, 0),
        (["没有了", "流量包"], None, 1),
        (["流量包", "流量包"], None, None),
        (["没有了", "没有了"], None, -1),
        (["流量包", "流量包"], 1, 1),
        (["流量包", "没有了"], 1, -1),
    ],
)
def test_the_side_of_a_mention_is_told_by_its_text_alone(
    texts: list[str], given: int | None, expected: int | None
) -> None:
    """One that stands in both utterances of a turn has no side; one that stands in neither is wrong."""
    assert checker._side("流量包", [0, 3], texts, given) == expected


@pytest.mark.parametrize(("name", "text"), [("4_G", "4 G"), ("4 G", "4_G"), ("4_G", "4_G"), ("4 _", "4__")])
def test_blanks_and_underscores_of_a_name_are_the_same(name: str, text: str) -> None:
    assert checker._side(name, [0, 3], [text, "没有了"], None) == 0
    assert checker._side(name, [0, 3], ["4-G", "没有了"], None) == -1


@pytest.mark.parametrize("owner", ["ent-9", "1", "NB", "na", "zz"])
def test_any_entity_but_the_user_needs_a_mention(track: Track, owner: str) -> None:
    assert track.rules(changed(track.rows, "/0/triples/0/ent-id", owner)) == [("triple-unmentioned", "warning")]


def test_an_entity_may_have_any_id_but_that_of_the_user(track: Track) -> None:
    how = Scoring(variant="strict")
    usual = track.task.score(track.examples, track.read(track.rows), how)
    plain = json.loads(re.sub(r'"ent-(\d)', r'"\1', json.dumps(track.rows)))
    assert plain != track.rows
    assert track.task.score(track.examples, track.read(plain), how).items == usual.items


def test_the_last_turn_of_a_dialogue_is_known_and_the_next_is_not(track: Track) -> None:
    turns = len(track.examples[0].sample.history) // 2
    bare = {key: value for key, value in track.rows[0]["triples"][0].items() if key not in {"turn_id", "utterance_id"}}
    for turn in range(turns):
        assert track.rules(changed(track.rows, "/0/triples/+", {**bare, "turn_id": turn, "value": "x"})) == []
    late = track.read(changed(track.rows, "/0/triples/+", {**bare, "turn_id": turns}))
    (problem,) = track.task.check(late, track.examples, "strict")
    assert problem.message == f"there is no turn {turns}; the dialogue has {turns}"


def test_gold_is_read_as_the_official_scorer_does_whatever_it_was_made_from(track: Track) -> None:
    (whole, *_) = track.examples
    bare = msgspec.structs.replace(whole, source=None)
    turns = msgspec.structs.replace(whole, source=[{"1": "a"}])
    assert checker.gold_rows([whole, bare, turns]) == [
        whole.source,
        {"id": whole.sample.id, "content": content_of([])},
        {"id": whole.sample.id, "content": content_of([{"1": "a"}])},
    ]


def test_a_mention_is_looked_for_in_its_own_turn_alone(track: Track) -> None:
    texts = [turn.text for turn in track.examples[0].sample.history]
    for utterance in (0, 1, 4, 5):  # before and behind turn 1
        place = next(
            at for at in range(9) if texts[utterance][at : at + 2] not in {text[at : at + 2] for text in texts[2:4]}
        )
        elsewhere = {
            **track.rows[0]["entities"][0], "name": texts[utterance][place : place + 2], "position": [place, place + 2],
        }  # fmt: skip
        elsewhere.pop("utterance_id", None)
        for turn, wrong in ((utterance // 2, []), (1, [("position-text", "error")])):
            rows = changed(track.rows, "/0/entities/+", {**elsewhere, "turn_id": turn})
            assert track.rules(rows) == wrong


@pytest.mark.parametrize("position", [None, [1], [0, 1, 2], [0, -1], [0, True], ["0", "1"]])
def test_what_is_no_position_is_a_place_of_nothing(position: Any) -> None:
    value = checker.ComparedTriple(None, 0, "账户余额", "一")
    assert checker.places_of({"position": position}, value, ["一块", "一块"]) == ()
    assert checker.places_of({"position": [0, 1]}, value, ["一块", "一块"]) == ((0, 0, 1), (1, 0, 1))
