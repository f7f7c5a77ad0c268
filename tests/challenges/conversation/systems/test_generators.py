"""What `lstm` and `copy` keep to alike."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.challenges.conversation.schema import INFO
from duologue.challenges.conversation.systems.copier.copier import Copier, CopyRecipe
from duologue.challenges.conversation.systems.generator import FALLBACK_REPLY, NeuralGenerator
from duologue.challenges.conversation.systems.lstm.lstm import LstmBaseline, LstmRecipe
from duologue.challenges.conversation.task import ConversationTask
from duologue.core.errors import StorageError, UsageError
from duologue.core.identity import CHECKPOINT
from duologue.core.protocols import Run, Trainable
from duologue.core.records import Answer, Example, Sample, Turn
from duologue.knowledge.base import KnowledgeBase
from duologue.models.trained_system import WEIGHTS
from duologue.testing import check_system

if TYPE_CHECKING:
    from tests.challenges.conversation.systems.conftest import Talks

RECIPES: dict[str, tuple[Any, Any]] = {"lstm": (LstmBaseline, LstmRecipe), "copy": (Copier, CopyRecipe)}
ODD = ["", " ", "\u00a0", "\x00\x1f", "e\u0301🏳️\u202eabc", "<USER> <URL> <NUMBERS>", "￭ ￭￭", "\ud800"]
LONG = ["a" * 3000, "so " * 900]


def tiny(name: str, **changes: Any) -> Any:
    kind, recipe = RECIPES[name]
    return kind(msgspec.structs.replace(recipe.tiny(), **changes))


@pytest.fixture(scope="module", params=RECIPES)
def learned(request: pytest.FixtureRequest, talks: Talks, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """Return a system that learned 16 talks a little, and its folder."""
    system, folder = tiny(request.param), tmp_path_factory.mktemp(request.param)
    system.fit(talks(16), [], [], Run(folder=folder, seed=1))
    system.save(folder)
    return system, folder


def samples(*histories: list[str]) -> list[Sample]:
    speakers = ("user", "system")
    return [
        Sample(
            id=str(number),
            dialogue_id=str(number),
            history=tuple(Turn(speaker=speakers[at % 2], text=text) for at, text in enumerate(history)),
        )
        for number, history in enumerate(histories, start=1)
    ]


def test_it_keeps_the_contract_of_systems(learned: tuple[Any, Path], talks: Talks) -> None:
    system, _ = learned
    assert isinstance(system, Trainable)
    check_system(system, [one.sample for one in talks(9)], INFO)
    assert system.seen == "32 replies of 16 training dialogues"


def test_no_reply_is_empty_whatever_is_said(learned: tuple[Any, Path]) -> None:
    system, _ = learned
    asked = samples([], *[[text] for text in ODD + LONG], ["hi", "hello"], ["a", "b", *["c", "d"] * 40, "e"])
    assert all(answer.text and answer.text.strip() for answer in system.answer(asked))


def test_a_saved_one_says_the_same(learned: tuple[Any, Path], talks: Talks) -> None:
    system, folder = learned
    loaded = type(system)(system.recipe)
    loaded.load(folder)
    asked = [one.sample for one in talks(5)]
    for each in (system, loaded):
        each.prepare(INFO, 1, {})  # what a nucleus draws by
    assert loaded.answer(asked) == system.answer(asked)
    assert loaded.seen == system.seen


def test_damaged_files_of_a_model_are_refused_with_what_to_do(learned: tuple[Any, Path], tmp_path: Path) -> None:
    system, folder = learned
    for name in (NeuralGenerator.card_file, WEIGHTS):
        for part in (NeuralGenerator.card_file, WEIGHTS):
            (tmp_path / part).write_bytes((folder / part).read_bytes())
        (tmp_path / name).write_bytes(b'{"words": 3}')
        with pytest.raises(StorageError, match="train it again"):
            type(system)(system.recipe).load(tmp_path)


@pytest.mark.parametrize("name", RECIPES)
def test_one_training_dialogue_is_enough(name: str, talks: Talks, tmp_path: Path) -> None:
    system = tiny(name)
    system.fit(talks(1), [], [], Run(folder=tmp_path, seed=1))
    assert all(answer.text for answer in system.answer(samples(["hello"], [])))


@pytest.mark.parametrize("name", RECIPES)
def test_without_any_reply_it_refuses_to_learn(name: str, tmp_path: Path) -> None:
    alone = [Example(sample=samples(["hello"])[0]), Example(sample=samples([])[0], references=(Answer(text="hi"),))]
    with pytest.raises(UsageError, match="no line of the system"):
        tiny(name).fit(alone, [], [], Run(folder=tmp_path, seed=1))


@pytest.mark.parametrize("name", RECIPES)
def test_what_it_cannot_do_is_said(name: str) -> None:
    system = tiny(name)
    with pytest.raises(UsageError, match=f"'{name}' has not learned yet"):
        system.answer(samples(["hello"]))
    with pytest.raises(UsageError, match="--train"):
        system.make_training_data(ConversationTask(), 1, None)
    with pytest.raises(UsageError, match="'proactive'"):
        system.prepare(msgspec.structs.replace(INFO, name="proactive"), 1, {})
    assert FALLBACK_REPLY


@pytest.mark.parametrize("name", RECIPES)
def test_it_looks_nothing_up(name: str, talks: Talks, tmp_path: Path) -> None:
    worlds = {"faq.txt": KnowledgeBase("faq.txt", [])}
    with pytest.raises(UsageError, match=f"'{name}' looks nothing up"):
        tiny(name).prepare(INFO, 1, worlds)
    with pytest.raises(UsageError, match=f"'{name}' looks nothing up"):
        tiny(name).fit(talks(1), [], [], Run(folder=tmp_path, seed=1, worlds=worlds))


@pytest.mark.parametrize("name", RECIPES)
def test_held_out_talks_may_be_given_and_talks_may_be_fewer(name: str, talks: Talks, tmp_path: Path) -> None:
    system = tiny(name, max_dialogues=5)
    many = talks(12)
    system.fit(many[:9], many[9:], [], Run(folder=tmp_path, seed=1))
    assert system.seen == "10 replies of 5 training dialogues"


@pytest.mark.parametrize("search", ["greedy", "beam", "nucleus", "bonus"])
def test_each_search_gives_replies(learned: tuple[Any, Path], talks: Talks, search: str) -> None:
    system, folder = learned
    if search == ("bonus" if isinstance(system, Copier) else "nucleus"):
        pytest.skip("the other system's search")
    other = type(system)(msgspec.structs.replace(system.recipe, search=search))
    other.load(folder)
    asked = [one.sample for one in talks(3)]
    assert other.answer(asked) == [other.answer([one])[0] for one in asked]


class Killed(Exception):  # noqa: N818  # no error of the system
    """Raised where the process would have been killed."""


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_a_training_that_was_stopped_ends_in_the_same_weights(name: str, talks: Talks, tmp_path: Path) -> None:
    many = talks(70)
    changes = {"epochs": 1, "batch": 2, "checkpoint_seconds": 0.0}
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    for folder in (whole, stopped):
        folder.mkdir()
    system = tiny(name, **changes)
    system.fit(many, [], [], Run(folder=whole, seed=1))
    system.save(whole)

    def kill(done: int, total: int, what: str) -> None:
        if done >= 9:
            raise Killed

    with pytest.raises(Killed):
        tiny(name, **changes).fit(many, [], [], Run(folder=stopped, seed=1, progress=kill))
    assert (stopped / CHECKPOINT).exists()
    system = tiny(name, **changes)
    system.fit(many, [], [], Run(folder=stopped, seed=1))
    system.save(stopped)
    assert (stopped / WEIGHTS).read_bytes() == (whole / WEIGHTS).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_the_command_killed_in_the_middle_goes_on_to_the_same_model(name: str, talks: Talks, tmp_path: Path) -> None:
    lines = []
    for one in talks(200):
        said = [f"{'US'[turn.speaker == 'system']}: {turn.text}" for turn in one.sample.history]
        lines.append("\n".join([*said, f"S: {one.references[0].text}"]) + "\n\n")
    data = tmp_path / "talks.txt"
    data.write_text("".join(lines), encoding="utf-8")

    def command(out: str) -> list[str]:
        sets = ["epochs=2", "batch=2", "checkpoint_seconds=0", "width=16" if name == "copy" else "hidden=8"]
        given = [part for one in sets for part in ("--set", one)]
        call = [
            str(Path(sys.executable).with_name("duologue")),
            "train",
            "conversation",
            "--system",
            name,
            "--train",
            str(data),
        ]
        return [*call, "--seed", "1", "--quiet", *given, "--out", str(tmp_path / out)]

    subprocess.run(command("whole"), check=True)
    process = subprocess.Popen(command("killed"))
    until = time.monotonic() + 60
    while not (tmp_path / "killed" / CHECKPOINT).exists() and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    subprocess.run(command("killed"), check=True)
    assert (tmp_path / "killed" / WEIGHTS).read_bytes() == (tmp_path / "whole" / WEIGHTS).read_bytes()
