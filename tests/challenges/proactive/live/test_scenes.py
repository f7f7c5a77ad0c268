from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.knowledge import without_punctuation
from duologue.challenges.proactive.live import scenes
from duologue.challenges.proactive.live.scenes import EndCondition, draw_dialogue, load_dialogues
from duologue.challenges.proactive.schema import INFO
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.errors import FormatError
from duologue.core.optional_protocols import Playable
from duologue.core.play import play
from duologue.core.records import Dialogue, Turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.core.optional_protocols import Stage
    from duologue.core.protocols import System

    Make = Callable[..., Path]


def stage(goals: Path, *users: Path, n: int = 5, seed: int = 1, max_turns: int | None = None) -> Stage:
    return scenes.make_stage(goals, users, n=n, seed=seed, max_turns=max_turns)


def turns(*texts: str) -> tuple[Turn, ...]:
    return files.turns_of(texts)


def played(leader: System, made: Stage) -> list[Dialogue]:
    made.user.prepare(INFO, 1, {})
    return [play(leader, made.user, scene, random.Random(0)) for scene in made.scenes]


def test_the_task_can_be_played(sessions: Make) -> None:
    task = ProactiveTask()
    assert isinstance(task, Playable)
    made = task.stage(sessions(3), (), n=3, seed=1, max_turns=None)
    assert [scene.id for scene in made.scenes] == ["s0", "s1", "s2"]


def test_each_goal_is_played_once_and_fewer_than_asked_for_are_said(sessions: Make) -> None:
    made = stage(sessions(3), n=5)
    assert len(made.scenes) == 3
    assert "5 conversations were asked for; sessions.jsonl holds 3 different goals" in made.notes[1]
    assert len(stage(sessions(3), n=3).notes) == len(made.notes) - 1


def test_the_same_goal_and_knowledge_is_one_scene_however_many_samples_have_it(sessions: Make, tmp_path: Path) -> None:
    examples = [example for one in files.load_sessions(sessions(2)) for example in files.samples_of(one)]
    files.write_samples(examples, tmp_path / "samples.jsonl")
    made = stage(tmp_path / "samples.jsonl")
    assert len(examples) == 8
    assert len(made.scenes) == 2
    assert "no whole sessions" in made.notes[-1]
    assert not made.human_dialogues


def test_of_more_goals_some_are_drawn_by_the_seed_in_the_order_of_the_file(sessions: Make) -> None:
    path = sessions(40)
    one, again, other = (stage(path, n=6, seed=seed) for seed in (1, 1, 2))
    names = [[scene.id for scene in made.scenes] for made in (one, again, other)]
    assert names[0] == names[1] != names[2]
    assert names[0] == sorted(names[0], key=lambda name: int(name[1:]))
    assert [person.id for person in one.human_dialogues] == names[0]


def test_the_system_sees_goal_and_knowledge_and_the_user_nothing(sessions: Make) -> None:
    (scene,) = stage(sessions(1)).scenes
    assert scene.first == "system"
    assert scene.system.goal is not None
    assert len(scene.system.knowledge) == 8
    assert scene.user.goal is None
    assert not scene.user.knowledge


def test_a_talk_is_over_when_b_is_named_and_it_is_as_long_as_those_of_people() -> None:
    names = [f"d{number}" for number in range(400)]
    reached = turns("a", "b", "a", "b", "云 小一 好", "b", "a", "b")
    share = sum(EndCondition("云小 一", 1, name)(reached) for name in names) / len(names)
    assert share == pytest.approx(0.86, abs=0.05)
    assert not any(EndCondition("云小一", 1, name)(reached[:6]) for name in names)  # too short
    assert not any(
        EndCondition("云小一", 1, name)((*reached, *turns("a"))) for name in names
    )  # the user has the last word
    heard = turns("a", "云小一", "a", "b", "a", "b", "a", "b")
    assert not any(EndCondition("云小一", 1, name)(heard) for name in names)  # the user alone spoke of B


def test_a_whole_conversation_ends_as_people_end_theirs(sessions: Make, leader: System) -> None:
    made = stage(sessions(12), n=12)
    dialogues = played(leader, made)
    assert {one.meta["ended_by"] for one in dialogues} == {"over"}
    assert all(len(one.turns) % 2 == 0 and 8 <= len(one.turns) <= 14 for one in dialogues)
    for one in dialogues:
        said = [without_punctuation(turn.text) for turn in one.turns if turn.speaker == "user"]
        assert len(set(said)) == len(said)
    assert played(leader, stage(sessions(12), n=12)) == dialogues


def test_a_talk_may_be_cut_earlier(sessions: Make, leader: System) -> None:
    assert {len(one.turns) for one in played(leader, stage(sessions(3), n=3, max_turns=5))} == {5}


def test_the_dialogues_are_written_as_sessions(sessions: Make, leader: System, tmp_path: Path) -> None:
    dialogues = played(leader, stage(sessions(3), n=3))
    out = tmp_path / "out.jsonl.gz"
    ProactiveTask().write_dialogues(dialogues, out)
    again = files.load_sessions(out)
    assert [one.turns for one in again] == [
        tuple(Turn(speaker=t.speaker, text=t.text) for t in d.turns) for d in dialogues
    ]
    assert [one.goal for one in again] == [one.goal for one in dialogues]


def test_the_user_speaks_like_people_of_other_files_or_of_the_goals_file(sessions: Make) -> None:
    assert stage(sessions(2)).notes[0].endswith("and 66 that come with duologue")
    many = sessions(60, "many.jsonl", start=40)
    assert stage(sessions(2), many).notes[0] == "the user answers with 210 answers of people (--users)"
    assert "never from a dialogue about the same topics" in stage(many, n=60).notes[0]
    empty = sessions(2, "empty.jsonl", conversation=[])
    assert stage(empty).notes[0] == "the user answers with 66 built-in answers"


def test_beginnings_of_sessions_are_no_dialogues_of_people(sessions: Make, tmp_path: Path) -> None:
    beginnings = tmp_path / "beginnings.jsonl"
    texts = [sessions(2, "a", samples=[["test_1", 0, 0]]), sessions(1, "b", start=5, conversation=[])]
    beginnings.write_text("".join(path.read_text("utf-8") for path in texts), encoding="utf-8")
    assert not load_dialogues(beginnings).whole
    assert load_dialogues(sessions(2)).whole
    assert len(stage(beginnings).scenes) == 3
    assert len(list(ProactiveTask().load(beginnings))) == 8  # the empty one has no turn of the agent


def test_a_dialogue_to_talk_about_is_drawn_by_the_seed(sessions: Make) -> None:
    path = sessions(30)
    assert draw_dialogue(path, 1) == draw_dialogue(path, 1)
    assert len({draw_dialogue(path, seed).id for seed in range(12)}) > 3


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"goal": []}\n', encoding="utf-8")
    with pytest.raises(FormatError, match="row-form"):
        stage(path)


@pytest.mark.slow
@pytest.mark.real_data(twin="test_beginnings_of_sessions_are_no_dialogues_of_people")
def test_real_beginnings_and_sessions_are_both_accepted(real_data: Path) -> None:
    folder = real_data / "proactive"
    made = stage(folder / "duconv_dev_visible.jsonl.gz", n=2000)
    assert len(made.scenes) == 1500
    report = made.judge(made.human_dialogues)
    assert report.scores[0].value == pytest.approx(1.84, abs=0.005)  # specification, section 7.1
    assert {one.name: one.value for one in report.scores}["utterances"] == pytest.approx(9.05, abs=0.005)
    beginnings = load_dialogues(folder / "duconv_test_prefixes.jsonl.gz")
    assert len(beginnings.dialogues) == 7936
    assert not beginnings.whole
