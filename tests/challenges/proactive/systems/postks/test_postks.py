from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from duologue.challenges.proactive.formats.files import load
from duologue.challenges.proactive.schema import INFO
from duologue.challenges.proactive.systems.postks.postks import PostksBaseline
from duologue.challenges.proactive.systems.postks.recipe import PostksRecipe
from duologue.challenges.proactive.systems.postks.text import reply_of
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.errors import StorageError, UsageError
from duologue.core.identity import CHECKPOINT
from duologue.core.protocols import Run, Trainable
from duologue.core.recipe import resolve
from duologue.core.records import Answer, Example, Fact, Goal, Sample, Turn
from duologue.models.trained_system import WEIGHTS
from duologue.testing import check_system

RECIPES = Path(__file__).parents[5] / "src/duologue/challenges/proactive/systems/postks/recipes"
Learned = tuple[PostksBaseline, list[Example], Path]


def sessions(count: int) -> list[dict[str, Any]]:
    """Sessions of our own making: films and people that nobody has heard of."""
    chance = random.Random(4)
    rows = []
    for number in range(count):
        film, person = f"纸船 第{number}夜", f"木 小{chr(0x4E00 + number)}"
        year, mood = str(1990 + number), chance.choice(["悲伤", "温柔", "热闹"])
        rows.append(
            {
                "goal": [["START", film, person], [film, "主演", person]],
                "knowledge": [
                    [film, "领域", "电影"],
                    [person, "领域", "明星"],
                    [film, "年份", year],
                    [film, "评论", f"{mood} 的 片子"],
                ],
                "conversation": [
                    "你 喜欢 看 电影 吗 ？",
                    "还 可以 。",
                    f"{film} 是 {mood} 的 片子 。",
                    "谁 演 的 ？",
                    f"{person} 演 的 ， {year} 年 。",
                    "好 。",
                ],
            }
        )
    return rows


def write_sessions(path: Path, count: int) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in sessions(count)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Learned:
    """A baseline trained in a moment, its examples, and the folder of its training."""
    folder = tmp_path_factory.mktemp("postks")
    examples = load(write_sessions(folder / "sessions.jsonl", 8))
    system = PostksBaseline(PostksRecipe.tiny())
    system.fit(examples, [], [], Run(folder=folder, seed=1))
    system.save(folder)
    return system, examples, folder


def test_it_keeps_what_a_system_promises(learned: Learned) -> None:
    system, examples, _ = learned
    promise: Trainable = system
    assert isinstance(promise, Trainable)
    check_system(system, [example.sample for example in examples], INFO)


@pytest.mark.slow
def test_a_few_sessions_are_learned_by_heart_with_the_names_of_each(tmp_path: Path) -> None:
    recipe = msgspec.structs.replace(
        PostksRecipe.tiny(), words=16, hidden=24, epochs=30, batch=3, dropout=0.0, patience=30, learning_rate=0.02
    )
    system = PostksBaseline(recipe)
    examples = load(write_sessions(tmp_path / "sessions.jsonl", 3))
    system.fit(examples, examples, [], Run(folder=tmp_path, seed=1))
    said = dict(zip((one.sample.id for one in examples), system.answer([one.sample for one in examples]), strict=True))
    for one in examples:
        assert one.sample.goal is not None
        film, person = one.sample.goal.topics
        text = said[one.sample.id].text or ""
        if not one.sample.history:
            assert said[one.sample.id] == one.references[0]
        else:  # 年 is told apart from the others by the reply alone, and numbers cannot be said
            assert (film if len(one.sample.history) == 2 else person) in text


def test_what_is_saved_answers_alike(learned: Learned, tmp_path: Path) -> None:
    system, examples, folder = learned
    samples = [example.sample for example in examples]
    again = PostksBaseline(system.recipe)
    again.load(folder)
    assert again.answer(samples) == system.answer(samples)
    again.save(tmp_path)
    assert all(
        (tmp_path / name).read_bytes() == (folder / name).read_bytes() for name in (PostksBaseline.card_file, WEIGHTS)
    )


def test_training_twice_gives_the_same_bytes(learned: Learned, tmp_path: Path) -> None:
    system, examples, folder = learned
    again = PostksBaseline(system.recipe)
    again.fit(examples, [], [], Run(folder=tmp_path, seed=1))
    again.save(tmp_path)
    assert (tmp_path / WEIGHTS).read_bytes() == (folder / WEIGHTS).read_bytes()


def test_odd_samples_get_a_reply_each(learned: Learned) -> None:
    system, _, _ = learned
    goal = Goal(topics=("没人 知道", "也 没有"))
    same = Goal(topics=("一样", "一样"))
    film = Fact(subject="一样", relation="领域", object="电影")
    mark = Turn(speaker="user", text="\r")
    long = Turn(speaker="user", text=" ".join(["很 长"] * 400))
    odd = [
        Sample(id="no domain", dialogue_id="1", goal=goal),
        Sample(id="equal topics", dialogue_id="2", goal=same, knowledge=(film,)),
        Sample(id="too long", dialogue_id="3", goal=goal, history=(long, long)),
        Sample(id="marks", dialogue_id="4", goal=Goal(topics=("a\tb", "c\nd\x01")), history=(mark, mark)),
        Sample(id="nameless", dialogue_id="5", goal=Goal(topics=("", ""))),
    ]
    answers = system.answer(odd)
    assert len(answers) == len(odd)
    for answer in answers:
        assert answer.text is not None
        assert answer.text.strip()
        assert not set(answer.text) & set("\t\n\r")
    with pytest.raises(UsageError, match="two topics"):
        system.answer([Sample(id="1", dialogue_id="1")])


def test_slots_that_a_sample_does_not_have_stay(learned: Learned) -> None:
    sample = learned[1][0].sample
    assert (
        reply_of("person_topic_b 和 video_topic_b", {"person_topic_b": "木 小一"}, sample) == "木 小一 和 video_topic_b"
    )
    assert sample.goal is not None
    assert reply_of("  ", {}, sample) == sample.goal.topics[0]


def test_what_cannot_be_done_is_said(learned: Learned, tmp_path: Path) -> None:
    system, examples, folder = learned
    task: Any = ProactiveTask()
    with pytest.raises(UsageError, match="--train"):
        PostksBaseline().make_training_data(task, 1, None)
    with pytest.raises(UsageError, match="not learned yet"):
        PostksBaseline().answer([])
    with pytest.raises(UsageError, match="not learned yet"):
        PostksBaseline().save(tmp_path)
    with pytest.raises(UsageError, match="proactive"):
        PostksBaseline().prepare(msgspec.structs.replace(INFO, name="restaurant"), 1, {})
    silent = [msgspec.structs.replace(one, references=()) for one in examples]
    with pytest.raises(UsageError, match="has no reply"):
        PostksBaseline(PostksRecipe.tiny()).fit(silent, [], [], Run(folder=tmp_path, seed=1))
    for card in (b"{", b"[]", b'{"words": ["a"]}'):
        (tmp_path / PostksBaseline.card_file).write_bytes(card)
        with pytest.raises(Exception, match=PostksBaseline.card_file) as caught:
            PostksBaseline(system.recipe).load(tmp_path)
        assert type(caught.value).__module__ == "duologue.core.errors"
    (tmp_path / PostksBaseline.card_file).write_bytes((folder / PostksBaseline.card_file).read_bytes())
    (tmp_path / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-100])
    with pytest.raises(StorageError, match="train it again"):
        PostksBaseline(system.recipe).load(tmp_path)


def test_every_recipe_is_one_of_this_system() -> None:
    paths = sorted(RECIPES.glob("postks-*.toml"))
    assert [path.stem for path in paths] == ["postks-document", "postks-published", "postks-small"]
    document, published, small = (resolve(PostksRecipe, file=path) for path in paths)
    assert small == PostksRecipe()
    assert (published.words, published.hidden, published.posterior, published.loss) == (300, 800, "reply", "summed")
    assert (document.posterior, document.loss, document.width) == ("source-and-reply", "averaged", 10)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_other_readings_learn_and_answer(tmp_path: Path, precision: str) -> None:
    recipe = resolve(
        PostksRecipe,
        overrides=[
            "posterior=source-and-reply",
            "loss=averaged",
            "width=4",
            f"precision={precision}",
            "generalise=false",
        ],
        base=PostksRecipe.tiny(),
    )
    examples = load(write_sessions(tmp_path / "sessions.jsonl", 4))
    system = PostksBaseline(recipe)
    system.fit(examples, [], [], Run(folder=tmp_path, seed=1))
    assert all(isinstance(answer, Answer) and answer.text for answer in system.answer([examples[0].sample]))


def test_the_command_trains_answers_and_scores(duologue: Any, tmp_path: Path) -> None:
    train = write_sessions(tmp_path / "train.jsonl", 6)
    samples = tmp_path / "samples.jsonl"
    lines = [
        {**{key: one[key] for key in ("goal", "knowledge")}, "history": said[:at], "response": said[at]}
        for one in sessions(8)[6:]
        for said in [one["conversation"]]
        for at in (0, 2)
    ]
    samples.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    model, replies = tmp_path / "model", tmp_path / "replies.txt"
    settings = ("words=8", "hidden=8", "epochs=2", "bow_epochs=1", "held_out=0.3")
    sizes = [part for setting in settings for part in ("--set", setting)]
    for words in (
        ("train", "proactive", "--system", "postks", "--train", train, *sizes, "--seed", 1, "--quiet", "--out", model),
        ("run", "proactive", "--system", model, samples, "--quiet", "--out", replies),
        ("score", "proactive", "--gold", samples, replies, "--json"),
    ):
        done = duologue(*words)
        assert done.code == 0, done.err
    assert len(replies.read_text(encoding="utf-8").splitlines()) == len(lines)


def test_a_stopped_training_ends_in_the_same_weights(learned: Learned, tmp_path: Path) -> None:
    _, examples, folder = learned
    recipe = msgspec.structs.replace(PostksRecipe.tiny(), checkpoint_seconds=0.0)

    def stop(done: int, total: int, what: str) -> None:
        if what.startswith("training") and done >= total / 2:  # in the second stage
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        PostksBaseline(recipe).fit(examples, [], [], Run(folder=tmp_path, seed=1, progress=stop))
    assert (tmp_path / CHECKPOINT).exists()
    again = PostksBaseline(recipe)
    again.fit(examples, [], [], Run(folder=tmp_path, seed=1))
    again.save(tmp_path)
    assert (tmp_path / WEIGHTS).read_bytes() == (folder / WEIGHTS).read_bytes()
