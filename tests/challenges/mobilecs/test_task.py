from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.growth import LINEAR, growth
from tests.mobilecs_tracks import dialogue_track, extraction_track

from duologue.challenges.mobilecs.task import DialogueTask, ExtractionTask
from duologue.core.errors import FormatError, UsageError
from duologue.core.optional_protocols import Convertible
from duologue.core.protocols import Task
from duologue.core.records import Act, Annotation, Answer, Example, Report, Scoring, Turn
from duologue.metrics.counts import Counts
from duologue.testing import check_task

if TYPE_CHECKING:
    from pathlib import Path

VARIANTS = ("strict", "official")


@pytest.mark.parametrize(
    ("kind", "name"),
    [(ExtractionTask, "extraction/contract/raw.json"), (DialogueTask, "dialogue/contract/dialogues.json")],
)
def test_both_tasks_keep_the_contract(kind: Any, name: str, golden: Path, tmp_path: Path) -> None:
    shutil.copy(golden / name, tmp_path)
    check_task(kind(), tmp_path)
    assert isinstance(kind(), Task)
    assert isinstance(kind(), Convertible)


@pytest.mark.parametrize("variant", VARIANTS)
def test_true_annotation_as_prediction_gives_the_maximum(tmp_path: Path, variant: str) -> None:
    track = extraction_track(tmp_path)
    report = track.task.score(track.examples, track.read(track.rows), Scoring(variant=variant))
    assert [score.value for score in report.scores] == pytest.approx([1.0] * 7, abs=1e-9)
    assert variant == "official" or {score.value for score in report.scores} == {1.0}
    assert report.rank_by == "ranking"


@pytest.mark.parametrize("variant", VARIANTS)
def test_true_replies_as_prediction_give_the_maximum(tmp_path: Path, variant: str) -> None:
    track = dialogue_track(tmp_path)
    report = track.task.score(track.examples, track.read(track.rows), Scoring(variant=variant))
    values = {score.name: score.value for score in report.scores}
    assert values.pop("bleu") == pytest.approx(100, abs=1e-4)
    assert values.pop("combined") == pytest.approx(5, abs=1e-5)
    assert set(values.values()) == {1.0}
    assert (report.rank_by, report.n, len(report.items)) == ("combined", 12, 12)


@pytest.mark.real_data(twin="test_true_replies_as_prediction_give_the_maximum")
@pytest.mark.parametrize("variant", VARIANTS)
def test_true_replies_of_the_public_dialogues_give_the_maximum(
    real_dialogues: Path, tmp_path: Path, variant: str
) -> None:
    task = DialogueTask()
    examples = list(task.load(real_dialogues))
    task.write(examples, [(one.sample.id, one.references[0]) for one in examples], tmp_path / "x.json")
    report = task.score(examples, task.read(tmp_path / "x.json"), Scoring(variant=variant))
    assert report.scores[0].value == pytest.approx(5, abs=1e-5)


def test_dialogues_are_what_resampling_draws(tmp_path: Path) -> None:
    track = dialogue_track(tmp_path)
    report = track.task.score(track.examples, track.read(track.rows), Scoring(variant="strict"))
    assert list(report.groups) == [one.sample.dialogue_id for one in track.examples]
    names, rows = Counts.of_report(report).units()
    assert (len(names), rows.shape) == (4, (4, len(report.columns)))


@pytest.mark.parametrize("variant", VARIANTS)
def test_success_is_counted_once_in_a_dialogue_with_its_first_turn(tmp_path: Path, variant: str) -> None:
    track = dialogue_track(tmp_path)
    report = track.task.score(track.examples, track.read(track.rows), Scoring(variant=variant))
    place = report.columns.index("success dialogues")
    counted = {name for name, counts in report.items if counts[place]}
    first = dict(zip(reversed(report.groups), (name for name, _ in reversed(report.items)), strict=True))
    assert counted
    assert counted <= set(first.values())
    assert max(map(report.groups.count, report.groups)) > 1


def test_the_signature_says_variant_and_data(tmp_path: Path) -> None:
    track = extraction_track(tmp_path)
    signatures = [
        str(track.task.score(track.examples, track.read(track.rows), Scoring(variant=variant)).scores[1].signature)
        for variant in VARIANTS
    ]
    assert signatures[0].startswith(
        "entity-f1 = 2 p r / (p + r) of entity, pooled | mobilecs/extraction | strict | samples all"
    )
    assert "(+1e-10)" in signatures[1]
    assert "official" in signatures[1]
    assert all("n 4 | 4 dialogues | jackknife 2 | gold " in one and "| pred " in one for one in signatures)


@pytest.mark.parametrize("kind", [ExtractionTask, DialogueTask])
def test_an_unknown_variant_is_refused(kind: Any) -> None:
    with pytest.raises(UsageError, match="did you mean 'strict'"):
        kind().metrics(Scoring(variant="strickt"))


def test_the_truth_must_be_known(golden: Path, tmp_path: Path, raw_rows: list[Any], paired_rows: list[Any]) -> None:
    (tmp_path / "empty.json").write_text("[]", encoding="utf-8")
    for turn in raw_rows[0]["content"]:
        for key in ("客服意图", "用户意图", "info"):
            del turn[key]
    del paired_rows[0]["content"][0]["客服"]
    for task, rows in ((ExtractionTask(), raw_rows), (DialogueTask(), paired_rows)):
        (tmp_path / "gold.json").write_text(json.dumps(rows), encoding="utf-8")
        submission = task.read(tmp_path / "empty.json")
        with pytest.raises(FormatError, match="not known"):
            task.score(list(task.load(tmp_path / "gold.json")), submission, Scoring(variant="strict", partial=True))
        with pytest.raises(FormatError, match=r"there is no dialogue|does not hold any turn"):
            task.score([], submission, Scoring(variant="strict"))


def test_a_rounds_history_holds_the_systems_own_replies(golden: Path) -> None:
    task = DialogueTask()
    examples = list(task.load(golden / "dialogue/contract/dialogues.json"))
    rounds = task.rounds(examples)
    batch = next(rounds)
    asked = []
    number = 0
    while True:
        asked += [one.sample.id for one in batch]
        for one in batch:
            speakers = [turn.speaker for turn in one.sample.history]
            assert speakers == ["user", "system"] * number + ["user"]
            assert [turn.text for turn in one.sample.history[1::2]] == [
                f"{one.sample.dialogue_id} {place}" for place in range(number)
            ]
        act = Annotation(acts=(Act(speaker="system", name="通知"),))
        try:
            answers = [Answer(text=f"{one.sample.dialogue_id} {number}", annotation=act) for one in batch]
            batch = rounds.send(answers)
        except StopIteration:
            break
        number += 1
    assert sorted(asked) == sorted(one.sample.id for one in examples)
    assert [name[-1] for name in asked] == list("000011112223")


def test_an_answer_is_shown_after_those_that_its_system_gave_before(golden: Path, tmp_path: Path) -> None:
    """Histories of the file are the user's side alone: the reply that was answered to looked like one to nothing."""
    task = DialogueTask()
    examples = list(task.load(golden / "dialogue/contract/dialogues.json"))
    task.write(examples, [(one.sample.id, Answer(text=f"reply {one.sample.id}")) for one in examples], tmp_path / "r")
    for example, view in zip(examples, task.laid_over(task.read(tmp_path / "r"), examples), strict=True):
        said = [one.text for one in view.utterances if one.speaker == "system"]
        dialogue, _, number = example.sample.id.rpartition("#")
        assert said == [f"reply {dialogue}#{before}" for before in range(int(number))]
        assert view.title == example.sample.id
        assert view.utterances[-1].text == f"reply {example.sample.id}"


def test_a_plain_loop_over_rounds_gives_the_users_side(golden: Path) -> None:
    task = DialogueTask()
    examples = list(task.load(golden / "dialogue/contract/dialogues.json"))
    batches = list(task.rounds(examples))
    assert [len(batch) for batch in batches] == [4, 4, 3, 1]
    assert {turn.speaker for batch in batches for one in batch for turn in one.sample.history} == {"user"}


def test_histories_that_do_not_grow_turn_by_turn_are_filled_all_the_same(golden: Path) -> None:
    """Noise may change what the user said before, and a round may be left out."""
    task = DialogueTask()
    first, second, third = [
        one
        for one in task.load(golden / "dialogue/contract/dialogues.json")
        if one.sample.id.endswith(("#0", "#1", "#2"))
    ][:3]
    said = tuple(Turn(speaker="user", text=text) for text in ("other", "words", "here"))
    changed = replace(third, sample=replace(third.sample, history=said))
    rounds = task.rounds([first, second, changed])
    assert len(next(rounds)) == 1
    rounds.send([Answer(text="one")])
    (last,) = rounds.send([Answer(text="two")])
    assert [turn.text for turn in last.sample.history] == ["other", "one", "words", "two", "here"]
    skipped = task.rounds([first, changed])
    next(skipped)
    (last,) = skipped.send([Answer(text="one")])
    assert [turn.text for turn in last.sample.history] == ["other", "one", "words", "here"]


def test_each_turn_of_a_long_call_is_looked_at_once(golden: Path) -> None:
    """Each round once made the whole history anew: a call of thousands of turns took the square of its length."""
    task = DialogueTask()
    first = next(task.load(golden / "dialogue/contract/dialogues.json"))

    def made(n: int) -> list[Example]:
        turns = tuple(Turn(speaker="user", text=f"turn {at}") for at in range(n))
        named = first.sample.id.rpartition("#")[0]
        return [
            replace(first, sample=replace(first.sample, id=f"{named}#{at}", history=turns[: at + 1])) for at in range(n)
        ]

    def played(examples: list[Example]) -> None:
        rounds = task.rounds(examples)
        next(rounds)
        for _ in examples[1:]:
            rounds.send([Answer(text="yes")])

    assert growth(made, played, 100) < LINEAR


def test_a_result_is_the_loaded_test_file_with_its_blanks_filled(tmp_path: Path) -> None:
    track = dialogue_track(tmp_path)
    rows = track.rows
    assert [list(row) for row in rows] == [["id", "KB", "content"]] * 4
    assert list(rows[0]["content"][0]) == ["用户", "用户意图-生成", "客服意图-生成", "客服-生成"]


def test_tasks_are_listed_without_numpy_or_scipy() -> None:
    code = (
        "import sys, duologue.challenges.mobilecs.task as t; t.ExtractionTask(), t.DialogueTask(); "
        "print([name for name in ('numpy', 'scipy', 'torch', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def whole(rows: list[Any]) -> list[Any]:
    """Return track 2 dialogues with their own intents and replies as what was generated."""
    fields = {"用户意图-生成": "用户意图", "客服意图-生成": "客服意图", "客服-生成": "客服"}
    return [
        {**row, "content": [{**turn, **{key: turn[true] for key, true in fields.items()}} for turn in row["content"]]}
        for row in rows
    ]


def scored(golds: list[Path], rows: Any, folder: Path, variant: str = "strict") -> Report:
    (folder / "pred.json").write_text(json.dumps(rows), encoding="utf-8")
    task = DialogueTask()
    examples = [one for gold in golds for one in task.load(gold)]
    return task.score(examples, task.read(folder / "pred.json"), Scoring(variant=variant))


def test_a_whole_submission_is_scored_by_what_it_holds_itself(
    golden: Path, paired_rows: list[Any], tmp_path: Path
) -> None:
    rows = whole(paired_rows)
    rows[0]["content"][0]["客服-生成"] = "不知道"
    rows[1]["content"][0]["用户意图-生成"] = "客套"
    alone, beside = scored([], rows, tmp_path), scored([golden / "dialogue/contract/dialogues.json"], rows, tmp_path)
    assert alone.items == beside.items
    assert alone.signature == beside.signature
    assert scored([], rows, tmp_path, "official").n == alone.n


def test_intents_that_the_truth_does_not_hold_are_told(paired_rows: list[Any], tmp_path: Path) -> None:
    gold = [
        {**row, "content": [{key: turn[key] for key in ("用户", "客服")} for turn in row["content"]]}
        for row in paired_rows
    ]
    (tmp_path / "gold.json").write_text(json.dumps(gold), encoding="utf-8")
    report = scored([tmp_path / "gold.json"], whole(paired_rows), tmp_path)
    assert [one.message for one in report.problems if one.rule == "nothing-counted"] == [
        "user-intent-f1 is 0 whatever is said: the truth holds no intents",
        "system-intent-f1 is 0 whatever is said: the truth holds no intents",
    ]


def test_a_submission_that_does_not_tell_what_was_said_asks_for_the_truth(
    paired_rows: list[Any], tmp_path: Path
) -> None:
    rows = whole(paired_rows)
    del rows[0]["goal"], rows[1]["content"][0]["客服意图"]
    with pytest.raises(FormatError, match="does not hold goal, 客服意图; give the truth with --gold"):
        scored([], rows, tmp_path)
    with pytest.raises(FormatError, match="does not hold any turn"):
        scored([], [], tmp_path)
    with pytest.raises(FormatError, match="expected a list of dialogues"):
        scored([], {}, tmp_path)
    (tmp_path / "pred.json").write_bytes(b"{")
    task = DialogueTask()
    with pytest.raises(FormatError, match="not-json") as caught:
        task.score([], task.read(tmp_path / "pred.json"), Scoring(variant="strict"))
    assert len(caught.value.problems) == 1
