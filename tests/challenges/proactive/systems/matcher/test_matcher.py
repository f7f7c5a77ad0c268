from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.schema import INFO
from duologue.challenges.proactive.systems.matcher.matcher import Matcher
from duologue.challenges.proactive.systems.matcher.recipe import MatcherRecipe
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.errors import StorageError, UsageError
from duologue.core.protocols import Run
from duologue.models.trained_system import WEIGHTS
from duologue.testing import check_system

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Example

VARIANTS = ["match", "match_kn", "match_kn_gene"]
TOPICS = [
    ("云 海", "小 舟"),
    ("山 路", "阿 青"),
    ("白 塔", "老 木"),
    ("长 夏", "云 生"),
    ("灯 火", "石 头"),
    ("南 风", "小 满"),
]


def row(number: int) -> dict[str, Any]:
    """Return a made-up session; those of one kind say the same things about their own film and person."""
    film, person = TOPICS[number]
    kind = ("剧情", "喜剧")[number % 2]
    return {
        "id": f"s{number}",
        "goal": [["START", film, person], [film, "导演", person]],
        "knowledge": [
            [film, "领域", "电影"],
            [person, "领域", "明星"],
            [film, "类型", kind],
            [person, "身高", f"17{number}cm"],
        ],
        "conversation": [
            f"你 喜欢 {kind} 吗 ?",
            "喜欢",
            f"那 看 看 《 {film} 》 , 是 {kind} 片",
            "谁 导演 的 ?",
            f"{person} , 身高 17{number}cm",
            "好 的",
        ],
    }


def write(folder: Path, numbers: Sequence[int], name: str = "sessions.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row(one), ensure_ascii=False) + "\n" for one in numbers), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    return files.load(write(tmp_path_factory.mktemp("data"), range(len(TOPICS))))


def recipe(**changes: Any) -> MatcherRecipe:
    return msgspec.structs.replace(MatcherRecipe.tiny(), **changes)


def trained(folder: Path, examples: Sequence[Example], seed: int = 1, **changes: Any) -> Matcher:
    system = Matcher(recipe(**changes))
    system.fit(examples, [], [], Run(folder=folder, seed=seed))
    return system


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("form", ["pytorch", "paddle"])
def test_every_matcher_keeps_the_contract_and_is_the_same_after_loading(
    variant: str, form: str, tmp_path: Path, examples: list[Example]
) -> None:
    system = trained(tmp_path, examples, variant=variant, form=form)
    samples = [one.sample for one in examples]
    check_system(system, samples, INFO)
    system.save(tmp_path)
    loaded = Matcher(system.recipe)
    loaded.load(tmp_path)
    for each in (system, loaded):
        each.prepare(INFO, 3, {})
    assert loaded.answer(samples) == system.answer(samples)
    assert loaded.seen == system.seen != "nothing yet"


def test_replies_have_their_slots_filled_in_a_live_talk_too(tmp_path: Path, examples: list[Example]) -> None:
    system = trained(tmp_path, examples)
    film, person = "新 片", "新 人"
    sample = examples[0].sample
    text = msgspec.json.encode(sample).decode().replace("云 海", film).replace("小 舟", person)
    sample = msgspec.json.decode(text, type=type(sample))
    for live in (False, True):
        for seed in range(5):
            system.prepare(msgspec.structs.replace(INFO, live=live), seed, {})
            (answer,) = system.answer([sample])
            assert answer.text
            assert "topic_" not in answer.text
            assert not any(name in answer.text for pair in TOPICS for name in pair)


def test_a_talk_has_more_candidates_than_a_file(
    tmp_path: Path, examples: list[Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    system = trained(tmp_path, examples, candidates=2, live_candidates=4)
    asked: list[int] = []
    pool = system._trained().pool
    draw = pool.candidates

    def seen(sample: Any, count: int, chance: Any, **how: Any) -> list[str]:
        asked.append(count)
        return draw(sample, count, chance, **how)

    monkeypatch.setattr(pool, "candidates", seen)
    system.answer([examples[0].sample])
    system.prepare(msgspec.structs.replace(INFO, live=True), 1, {})
    system.answer([examples[0].sample])
    assert asked == [2, 4]


def test_the_right_reply_comes_last_and_never_among_the_wrong_ones(tmp_path: Path, examples: list[Example]) -> None:
    system = trained(tmp_path, examples)
    pool = system._trained().pool
    texts = system._candidate_texts(pool, examples, Run(folder=tmp_path, seed=1), 3)
    assert [text.replies.count(text.replies[-1]) for text in texts] == [1] * len(examples)
    assert {len(text.replies) for text in texts} == {4}
    again = system._candidate_texts(pool, examples[::-1], Run(folder=tmp_path, seed=1), 3)[::-1]
    assert again == texts
    assert system._candidate_texts(pool, examples, Run(folder=tmp_path, seed=2), 3) != texts


def test_variants_read_what_they_say(tmp_path: Path, examples: list[Example]) -> None:
    read = {}
    for variant in VARIANTS:
        system = trained(tmp_path / variant, examples, variant=variant)
        read[variant] = set(system._trained().ids)
    assert "[KN_SEP]" not in read["match"]
    assert "[KN_SEP]" in read["match_kn"]
    assert "video_topic_a" not in read["match_kn"]
    assert {"video_topic_a", "person_topic_b"} <= read["match_kn_gene"]


def test_the_same_seed_trains_the_same_bytes(tmp_path: Path, examples: list[Example]) -> None:
    for name in ("one", "two"):
        trained(tmp_path / name, examples).save(tmp_path / name)
    for part in (WEIGHTS, Matcher.card_file):
        assert (tmp_path / "one" / part).read_bytes() == (tmp_path / "two" / part).read_bytes()


def test_the_paddle_program_as_configured_drops_numbers_in_prediction_alone(examples: list[Example]) -> None:
    assert Matcher(recipe(form="paddle"))._network_size(9).dropout == 0.0
    assert Matcher(recipe(form="paddle", dropout="mended"))._network_size(9).dropout == 0.1
    assert Matcher(recipe())._network_size(9).dropout == 0.3


def test_the_schedule_is_that_of_the_publication() -> None:
    plan = Matcher(MatcherRecipe(size="published", negatives=7))._plan(1600)  # 16 samples a step, 100 steps an epoch
    warm = 300  # a tenth of 3,000 steps
    assert (plan.epochs, plan.batch, plan.optimiser, plan.schedule, plan.clip) == (30, 16, "adam", "inverse-root", 5.0)
    assert plan.learning_rate == pytest.approx(0.1 * 256**-0.5 * min(warm**-0.5, warm * warm**-1.5))


def test_the_small_size_reads_more_data_less_often() -> None:
    def epochs(rows: int, **changes: Any) -> int:
        return Matcher(MatcherRecipe(**changes))._plan(rows).epochs

    assert [epochs(rows) for rows in (100, 5_000, 10_000, 26_000, 90_000)] == [12, 12, 8, 3, 1]
    assert epochs(26_000, epochs=5) == 5
    assert epochs(26_000, size="published") == 30


def test_the_small_size_learns_from_fewer_lines_a_step_and_is_judged_like_the_others(
    tmp_path: Path, examples: list[Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = {size: Matcher(MatcherRecipe(size=size))._plan(1000) for size in ("small", "published")}
    assert {size: plan.batch for size, plan in plans.items()} == {"small": 12, "published": 12}  # samples
    drawn: list[int] = []
    lists = Matcher._candidate_texts

    def seen(self: Matcher, pool: Any, part: Any, run: Run, wrong: int) -> Any:
        drawn.append(wrong)
        return lists(self, pool, part, run, wrong)

    monkeypatch.setattr(Matcher, "_candidate_texts", seen)
    trained(tmp_path, examples, candidates=6)
    assert drawn == [3, 5]  # in training as the recipe says, held out as in prediction


def test_what_is_missing_is_told(tmp_path: Path, examples: list[Example]) -> None:
    with pytest.raises(UsageError, match="has not learned yet"):
        Matcher().answer([examples[0].sample])
    with pytest.raises(UsageError, match="not learned yet"):
        Matcher().save(tmp_path)
    with pytest.raises(UsageError, match="--train"):
        Matcher().make_training_data(ProactiveTask(), 1, None)
    with pytest.raises(UsageError, match="task 'restaurant': it is made for proactive"):
        Matcher().prepare(msgspec.structs.replace(INFO, name="restaurant"), 1, {})
    bare = msgspec.structs.replace(examples[0], references=())
    with pytest.raises(UsageError, match=f"'{bare.sample.id}' has no reply"):
        trained(tmp_path / "bare", [*examples, bare])
    system = trained(tmp_path / "good", examples)
    sample = msgspec.structs.replace(examples[0].sample, knowledge=examples[0].sample.knowledge[1:])
    with pytest.raises(UsageError, match="does not say the 领域 of topic '云 海'"):
        system.answer([sample])
    (tmp_path / Matcher.card_file).write_text('{"tokens": 3}', encoding="utf-8")
    with pytest.raises(StorageError, match="train it again"):
        Matcher(recipe()).load(tmp_path)


@pytest.mark.slow
def test_the_installed_command_trains_and_answers(tmp_path: Path) -> None:
    data, more = write(tmp_path, [0, 1, 2, 3]), write(tmp_path, [4, 5], "more.jsonl")
    tiny = [f"--set={one}" for one in ("size=tiny", "threads=1", "held_out=0.3", "precision=float32")]

    def duologue(*words: object) -> str:
        command = [str(Path(sys.executable).parent / "duologue"), *map(str, words)]
        return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout

    model, replies = tmp_path / "model", tmp_path / "replies.txt"
    start = ("train", "proactive", "--system", "matcher", "--train", data, "--train", more, "--seed", 1)
    assert "model saved" in duologue(*start, *tiny, "--out", model, "--quiet")
    duologue("run", "proactive", "--system", model, data, "--out", replies, "--quiet")
    lines = replies.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 12
    assert all(lines)
    assert not [line for line in lines if "topic_" in line]
    score = json.loads(duologue("score", "proactive", "--gold", data, replies, "--json"))
    assert score["n"] == 12
