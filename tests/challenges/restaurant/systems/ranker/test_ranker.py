from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from duologue.challenges.restaurant.systems.ranker.ranker import Ranker, RankerRecipe
from duologue.core.errors import StorageError, UsageError
from duologue.core.identity import CHECKPOINT
from duologue.core.protocols import Run, TaskInfo, Trainable
from duologue.core.records import Candidate, Example, Sample, Turn
from duologue.models.trained_system import WEIGHTS

INFO = TaskInfo(name="restaurant", version="1", language="en", answers="ranking")


class _Task:
    """What `make_training_data` asks of a task."""

    info = INFO


TASK: Any = _Task()
Learned = tuple[Ranker, list[Example], Path]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ranker, list[Example], Path]:
    """A ranker trained in a moment, its held-out examples, and the folder of its training."""
    folder = tmp_path_factory.mktemp("ranker")
    ranker = Ranker(msgspec.structs.replace(RankerRecipe.tiny(), dialogues=60))
    examples, held_out = ranker.make_training_data(TASK, 1, None)
    ranker.fit(examples, held_out, [], Run(folder=folder, seed=1))
    ranker.save(folder)
    return ranker, held_out, folder


def test_it_keeps_what_a_trainable_system_promises(learned: Learned) -> None:
    ranker, held_out, _ = learned
    promise: Trainable = ranker
    assert isinstance(promise, Trainable)
    samples = [example.sample for example in held_out]
    answers = ranker.answer(samples)
    for sample, answer in zip(samples, answers, strict=True):
        assert answer.ranking is not None
        assert sorted(answer.ranking) == sorted(candidate.id for candidate in sample.candidates)


def test_an_answer_does_not_depend_on_the_batch(learned: Learned) -> None:
    ranker, held_out, _ = learned
    samples = [example.sample for example in held_out]
    assert ranker.answer(samples) == [answer for sample in samples for answer in ranker.answer([sample])]
    assert ranker.answer([]) == []


def test_what_is_saved_answers_alike(learned: Learned, tmp_path: Path) -> None:
    ranker, held_out, folder = learned
    samples = [example.sample for example in held_out]
    again = Ranker(ranker.recipe)
    again.load(folder)
    again._worlds = ranker._worlds
    assert again.answer(samples) == ranker.answer(samples)
    again.save(tmp_path)
    assert all((tmp_path / name).read_bytes() == (folder / name).read_bytes() for name in (Ranker.card_file, WEIGHTS))


def test_training_twice_gives_the_same_bytes(learned: Learned, tmp_path: Path) -> None:
    ranker, _, folder = learned
    again = Ranker(ranker.recipe)
    examples, held_out = again.make_training_data(TASK, 1, None)
    again.fit(examples, held_out, [], Run(folder=tmp_path, seed=1))
    again.save(tmp_path)
    assert (tmp_path / WEIGHTS).read_bytes() == (folder / WEIGHTS).read_bytes()


def test_equal_texts_share_a_score_and_keep_their_order(learned: Learned) -> None:
    ranker, held_out, _ = learned
    sample = held_out[0].sample
    first = sample.candidates[0]
    doubled = msgspec.structs.replace(sample, candidates=(*sample.candidates, Candidate(id="again", text=first.text)))
    (answer,) = ranker.answer([doubled])
    assert answer.ranking is not None
    same = [candidate.id for candidate in doubled.candidates if candidate.text == first.text]
    place = answer.ranking.index(first.id)
    assert answer.ranking[place : place + len(same)] == tuple(same)


@pytest.mark.slow
def test_odd_samples_are_answered(learned: Learned) -> None:
    ranker, _, _ = learned
    odd = [
        Sample(id="1", dialogue_id="1"),
        Sample(id="2", dialogue_id="2", candidates=(Candidate(id="a", text=""), Candidate(id="b", text="x_y_phone"))),
        Sample(
            id="3",
            dialogue_id="3",
            world="never heard of",
            history=(Turn(speaker="api", text="not a fact"), Turn(speaker="narrator", text="!!! ???")),
            candidates=(Candidate(id="a", text="the option was no_such_inn"),),
        ),
        Sample(
            id="4",
            dialogue_id="4",
            history=(Turn(speaker="user", text="api_call indian paris " * 100_000),),
            candidates=(Candidate(id="a", text="indian " * 100_000),),
        ),
    ]
    answers = ranker.answer(odd)
    assert answers[0].ranking == ()
    assert [sorted(answer.ranking or ()) for answer in answers[1:]] == [["a", "b"], ["a"], ["a"]]


def test_a_sample_without_a_world_is_read_with_its_own_facts(learned: Learned) -> None:
    ranker, _, _ = learned
    alone = Ranker(ranker.recipe)
    alone._learned = ranker._learned
    turns = ("old_inn r_rating 7", "new_inn r_rating 70")
    sample = Sample(
        id="1",
        dialogue_id="1",
        history=tuple(Turn(speaker="api", text=text) for text in turns),
        candidates=(Candidate(id="a", text="what do you think of this option: new_inn"),),
    )
    alone.prepare(INFO, 0, {})
    assert alone.answer([sample])[0].ranking == ("a",)


def test_it_says_what_it_saw() -> None:
    assert Ranker().seen.startswith("closed: ")
    assert Ranker(RankerRecipe(regime="open", schemas=7)).seen.startswith("open: ")
    assert "7 invented schemas" in Ranker(RankerRecipe(regime="open", schemas=7)).seen


def test_an_untrained_ranker_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not learned yet"):
        Ranker().answer([])
    with pytest.raises(UsageError, match="not learned yet"):
        Ranker().save(tmp_path)


def test_damaged_models_are_refused(learned: Learned, tmp_path: Path) -> None:
    ranker, _, folder = learned
    for card in (b"{", b"[]", b'{"words": [1]}'):
        (tmp_path / Ranker.card_file).write_bytes(card)
        with pytest.raises(Exception, match=Ranker.card_file) as caught:
            Ranker(ranker.recipe).load(tmp_path)
        assert type(caught.value).__module__ == "duologue.core.errors"
    (tmp_path / Ranker.card_file).write_bytes((folder / Ranker.card_file).read_bytes())
    (tmp_path / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-100])
    with pytest.raises(StorageError, match="train it again"):
        Ranker(ranker.recipe).load(tmp_path)


def test_an_example_without_answer_cannot_be_learned_from(learned: Learned, tmp_path: Path) -> None:
    ranker, held_out, _ = learned
    blank = [msgspec.structs.replace(example, references=()) for example in held_out]
    with pytest.raises(UsageError, match="has no answer among its candidates"):
        Ranker(ranker.recipe).fit(blank, blank, [], Run(folder=tmp_path, seed=1))


def test_another_task_is_refused() -> None:
    other: Any = type("Other", (), {"info": msgspec.structs.replace(INFO, name="spoken")})()
    with pytest.raises(UsageError, match="found 'spoken'"):
        Ranker().make_training_data(other, 1, None)


def test_without_held_out_examples_a_tenth_is_held_out(learned: Learned, tmp_path: Path) -> None:
    ranker, held_out, _ = learned
    again = Ranker(ranker.recipe)
    again._worlds = ranker._worlds
    again.fit(held_out, [], [], Run(folder=tmp_path, seed=1))
    assert len(again.answer([held_out[0].sample])) == 1


def test_importing_the_ranker_loads_no_heavy_library() -> None:
    code = (
        "import sys, duologue.challenges.restaurant.systems.ranker.ranker\n"
        "print([name for name in ('numpy', 'torch', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_training_killed_in_the_middle_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    settings = (
        "dialogues=120",
        "held_out=10",
        "epochs=3",
        "width=16",
        "hidden=16",
        "threads=1",
        "checkpoint_seconds=0",
    )

    def command(folder: Path) -> list[str]:
        sets = [part for setting in settings for part in ("--set", setting)]
        program = str(Path(sys.executable).with_name("duologue"))
        return [program, "train", "restaurant", "--system", "ranker", *sets, "--quiet", "--out", str(folder)]

    subprocess.run(command(tmp_path / "whole"), check=True)
    process = subprocess.Popen(command(tmp_path / "killed"))
    deadline = time.monotonic() + 120
    while not (tmp_path / "killed" / CHECKPOINT).exists():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not (tmp_path / "killed" / WEIGHTS).exists()
    subprocess.run(command(tmp_path / "killed"), check=True)
    assert (tmp_path / "killed" / WEIGHTS).read_bytes() == (tmp_path / "whole" / WEIGHTS).read_bytes()


@pytest.mark.slow
def test_a_small_training_learns_far_more_than_word_overlap(tmp_path: Path) -> None:
    """TF-IDF has P@1 of about 0.2 on such candidates."""
    ranker = Ranker(RankerRecipe(dialogues=800, held_out=60, batch=32, learning_rate=3e-3))
    examples, held_out = ranker.make_training_data(TASK, 1, None)
    ranker.fit(examples, held_out, [], Run(folder=tmp_path, seed=1))
    answers = ranker.answer([example.sample for example in held_out])
    right = [
        (answer.ranking or ("",))[0] == (example.references[0].ranking or ("?",))[0]
        for answer, example in zip(answers, held_out, strict=True)
    ]
    assert sum(right) / len(right) > 0.8
