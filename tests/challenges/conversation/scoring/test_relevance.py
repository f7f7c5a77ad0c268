from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.conversation.formats.training_pairs import ContextReply
from duologue.challenges.conversation.scoring import relevance
from duologue.challenges.conversation.scoring.relevance import RELEVANCE, Judge, SampleContexts
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Report, Scoring, Turn
from duologue.metrics.counts import Counts
from duologue.run import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.challenges.conversation.task import ConversationTask

    Write = Callable[..., Path]

THINGS = ("parcel", "router", "ticket", "invoice", "seat", "meal", "phone", "card", "room", "coat", "lamp", "book")
ASKED = [f"my {thing} is not there since day {n}" for n, thing in enumerate(THINGS)]
REAL = [f"sorry , we will look for the {thing}" for thing in THINGS]
CONSTANT = ["sorry , please send us a message"] * len(THINGS)


@pytest.fixture
def judge() -> Judge:
    talks = [("user", f"where is the {thing} {n} ?", f"a {thing} is on its way") for thing in THINGS for n in range(4)]
    return Judge([ContextReply(said, (Turn(speaker=who, text=said),), reply) for who, said, reply in talks])


@pytest.fixture
def training(write: Write) -> Path:
    talks = (f"U: where is the {one} {n} ?\nS: a {one} is on its way\n\n" for one in THINGS for n in range(4))
    return write("".join(talks), "train.txt")


def asked(*said: str) -> SampleContexts:
    return SampleContexts([str(n) for n, _ in enumerate(said)], [(Turn(speaker="user", text=text),) for text in said])


def score(task: ConversationTask, gold: Path, pred: Path, training: Path) -> Report:
    return evaluate.score(task, [gold], pred, Scoring(variant="strict", options={"relevance": str(training)}))


def test_real_replies_find_their_context_and_a_constant_one_does_so_by_chance_alone(judge: Judge) -> None:
    assert relevance.count(asked(*ASKED), REAL, judge).mean() > 0.9
    assert relevance.count(asked(*ASKED), CONSTANT, judge).mean() < 0.4
    assert relevance.count(asked(*ASKED), [""] * len(ASKED), judge).sum() == 0


def test_a_reply_to_another_context_fails(judge: Judge) -> None:
    assert relevance.count(asked(*ASKED), [*REAL[1:], REAL[0]], judge).sum() == 0


def test_the_words_of_an_answer_need_not_stand_in_the_question() -> None:
    pairs = [
        ("i want to fly", "which airport ?"),
        ("i am hungry", "which restaurant ?"),
        ("i am ill", "which doctor ?"),
    ]
    lessons = [
        ContextReply(str(n), (Turn(speaker="user", text=said),), reply) for n in range(9) for said, reply in pairs
    ]
    histories = [(Turn(speaker="user", text=said),) for said, _ in pairs]
    others = [[1, 2], [0, 2], [0, 1]]
    passes = Judge(lessons).correct([reply for _, reply in pairs], histories, others)
    assert passes.tolist() == [1, 1, 1]


def test_the_tables_have_two_hundred_directions_as_the_page_says() -> None:
    texts = [f"{thing}{n}" for thing in THINGS for n in range(20)]
    pairs = [ContextReply(one, (Turn(speaker="user", text=one),), f"re{one}") for one in texts for _ in range(3)]
    tables = Judge(pairs)._tables
    assert tables.left.shape[1] == tables.right.shape[1] == 200


def test_of_a_context_the_last_three_turns_count_and_the_last_one_most() -> None:
    turns = tuple(Turn(speaker="user", text=text) for text in ("alpha", "beta", "gamma", "delta beta"))
    bag = relevance._context_bag(turns)
    assert bag == pytest.approx({"delta": 1.0, "beta": 1.0 + 0.5, "gamma": 0.7})


def test_draws_depend_on_ids_and_seed_alone_and_come_from_other_dialogues() -> None:
    several = asked(*ASKED, ASKED[0], ASKED[1])
    drawn = list(relevance._distractors(several, 1))
    assert drawn == list(relevance._distractors(several, 1))
    assert drawn != list(relevance._distractors(several, 2))
    for place, others in enumerate(drawn):
        begins = {several.histories[one][0].text for one in (place, *others)}
        assert len(others) == 9
        assert len(begins) == 10


def test_a_score_is_of_the_distractors_of_seed_0(judge: Judge) -> None:
    two = zip(THINGS, (*THINGS[1:], THINGS[0]), REAL, strict=True)
    torn = [f"the {one} and the {other} {other}" if at % 2 else real for at, (one, other, real) in enumerate(two)]
    told, first, second = (relevance.count(asked(*ASKED), torn, judge, *seed).tolist() for seed in ((), (0,), (1,)))
    assert told == first
    assert told != second


def test_fewer_than_ten_dialogues_and_bare_samples_are_refused(judge: Judge) -> None:
    with pytest.raises(UsageError, match="there are 9 dialogues"):
        relevance.count(asked(*ASKED[:9]), REAL[:9], judge)
    with pytest.raises(UsageError, match="1 samples have no context"):
        relevance.count(asked(*ASKED, ""), [*REAL, "x"], judge)


def test_the_scorer_gives_it_with_interval_signature_and_counts(
    task: ConversationTask, write: Write, training: Path, tmp_path: Path
) -> None:
    lines = [f"U: {said}\nS: {reply}\n\n" for said, reply in zip(ASKED, REAL, strict=True)]
    gold = write("".join(lines), "gold.txt")
    real = score(task, gold, write("".join(f"{one}\n" for one in REAL), "real.txt"), training)
    same = score(task, gold, write("".join(f"{one}\n" for one in CONSTANT), "same.txt"), training)
    found, other = (next(one for one in report.scores if one.name == "relevance") for report in (real, same))
    assert found.value > other.value
    assert found.low is not None
    assert found.low <= found.value
    assert "judge " in str(found.signature)
    assert sum(Counts.of_report(real).array[:, real.columns.index("relevance")]) == found.value * len(REAL)
    assert RELEVANCE in task.metrics(Scoring(variant="strict", options={"relevance": str(training)}))
    assert "relevance" not in {
        one.name for one in task.score([], task.read(_output(write)), Scoring(variant="strict")).scores
    }


def _output(write: Write) -> Path:
    rows = zip(ASKED, REAL, CONSTANT, strict=True)
    return write("".join(f"U: {said}\nS_REF: {real}\nS_HYP: {reply}\n\n" for said, real, reply in rows), "output.txt")


def test_system_output_has_its_contexts_itself(
    task: ConversationTask, write: Write, training: Path, tmp_path: Path
) -> None:
    how = Scoring(variant="coco", options={"relevance": str(training)})
    report = task.score([], task.read(_output(write)), how)
    assert "relevance" in report.columns


def test_references_without_contexts_are_refused(
    task: ConversationTask, write: Write, training: Path, tmp_path: Path
) -> None:
    replies = "".join(f"{one}\n" for one in REAL)
    with pytest.raises(UsageError, match="relevance needs contexts"):
        score(task, write(replies, "gold.txt"), write(replies, "pred.txt"), training)


def test_the_judge_wants_training_dialogues(task: ConversationTask, write: Write) -> None:
    with pytest.raises(UsageError, match="no reply to fit"):
        relevance.fitted_judge(write("U: hello\n\n", "bare.txt"))
    with pytest.raises(FormatError, match="speaker-unknown"):
        relevance.fitted_judge(write("hello\n", "odd.txt"))
    with pytest.raises(UsageError, match="leave the options out"):
        task.metrics(Scoring(variant="official", options={"relevance": "train.txt"}))


def test_a_word_weighs_by_how_few_training_pairs_hold_it(judge: Judge) -> None:
    pairs = 4 * len(THINGS)
    assert judge._rarity("parcel") == pytest.approx(math.log((1 + pairs) / (1 + 4)))
    assert judge._rarity("unheard") == pytest.approx(math.log(1 + pairs))


def test_rare_words_are_a_vector_of_length_1_however_long_the_text(judge: Judge) -> None:
    weight, other = judge._rarity("parcel"), judge._rarity("unheard")
    length = math.hypot(2 * weight, other)
    assert judge._rare({"parcel": 2, "unheard": 1}) == pytest.approx(
        {"parcel": 2 * weight / length, "unheard": other / length}
    )
    assert judge._rare({}) == {}


def test_a_dialogue_is_known_by_its_first_turn() -> None:
    turns = [[(Turn(speaker="user", text=first), Turn(speaker="user", text=last)) for last in "ab"] for first in ASKED]
    several = SampleContexts([str(n) for n in range(24)], [one for pair in turns for one in pair])
    for place, others in enumerate(relevance._distractors(several, 1)):
        assert len({one // 2 for one in (place, *others)}) == 10


def test_dialogues_that_nearly_all_begin_alike_are_refused_and_not_drawn_from_for_hours(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten others among 100,000 take 200,000 draws for each of them: six hours."""
    monkeypatch.setattr(relevance, "_DRAWS", 1_000_000)
    greeted = asked(*["hello"] * 100_000, *ASKED)
    with pytest.raises(UsageError, match="100,000 of 100,012 samples are of a dialogue that begins with 'hello'"):
        relevance.count(greeted, ["x"] * len(greeted.ids), judge)


def test_ten_dialogues_are_enough(judge: Judge) -> None:
    found = relevance.count(asked(*ASKED[:10]), REAL[:10], judge)
    assert len(found) == 10
    assert all(sorted((place, *others)) == list(range(10)) for place, others in enumerate(_drawn(10)))


def _drawn(count: int) -> list[list[int]]:
    return list(relevance._distractors(asked(*ASKED[:count]), 0))


def test_a_judge_is_fitted_once_and_the_last_two_are_kept(write: Write, training: Path) -> None:
    text = training.read_text(encoding="utf-8")
    other, third = (write(f"{text}U: {name}\nS: yes\n\n", f"{name}.txt") for name in ("other", "third"))
    first, second = relevance.fitted_judge(training), relevance.fitted_judge(other)
    assert relevance.fitted_judge(training) is first
    assert relevance.fitted_judge(other) is second
    relevance.fitted_judge(third)
    assert relevance.fitted_judge(training) is not first


def test_words_that_occur_three_times_have_directions() -> None:
    said = [("thrice twice", "yes yes"), ("thrice twice", "no yes"), ("thrice", "no")]
    judge = Judge([ContextReply(one, (Turn(speaker="user", text=one),), reply) for one, reply in said])
    assert set(judge._numbers) == {"thrice", "yes"}


def test_of_a_beginning_that_is_everywhere_sixty_signs_are_told(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relevance, "_DRAWS", 1_000)
    greeted = asked(*["h" * 70] * 10_000, *ASKED)
    with pytest.raises(UsageError, match=rf"begins with '{'h' * 60}';"):
        relevance.count(greeted, ["x"] * len(greeted.ids), judge)


def test_the_judge_knows_four_thousand_words_that_occur_three_times(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def none_of(texts: object, limit: int, least: int) -> dict[str, int]:
        asked.append((limit, least))
        return {"a": 0}

    monkeypatch.setattr(relevance, "word_ids", none_of)
    Judge([ContextReply("a", (Turn(speaker="user", text="a"),), "a")])
    assert asked == [(4000, 3)]
