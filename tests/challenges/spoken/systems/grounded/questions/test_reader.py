from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.challenges.spoken.worlds import WORLD

from duologue.challenges.spoken.knowledge.inquiry import find
from duologue.challenges.spoken.noise.simulator import NoiseSimulator
from duologue.challenges.spoken.simulator.exam import make_exam
from duologue.core.records import Annotation, Answer, Turn

if TYPE_CHECKING:
    from duologue.challenges.spoken.simulator.exam import ExamQuestion
    from duologue.challenges.spoken.systems.grounded.questions.reader import QuestionReader
    from duologue.core.records import Sample


def history(*texts: str) -> list[Turn]:
    return [Turn(speaker=("user", "system")[at % 2], text=text) for at, text in enumerate(texts)]


def asked(reader: QuestionReader, *texts: str) -> str | None:
    inquiry = reader.read(history(*texts))
    return None if inquiry is None else inquiry.query.told()


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("谁的特产是瓷器？", "瓷器 ← 特产"),
        ("星河札记的作者的家乡是哪里？", "星河札记 → 作者 → 家乡"),
        ("星河札记的作者的家乡的特产是什么？", "星河札记 → 作者 → 家乡 → 特产"),
        ("沈青梧和钟离雪谁的身高更高？", "largest of: 沈青梧, 钟离雪 → 身高"),
        ("职业是画师的人里谁的身高最矮？", "smallest of: 画师 ← 职业 → 身高"),
        ("星河札记有几个主要人物？", "星河札记 → 主要人物"),
        ("请列出孤灯夜话的所有主要人物。", "孤灯夜话 → 主要人物"),
        ("星河札记和雾中行旅有哪些共同的主要人物？", "shared of: 星河札记, 雾中行旅 → 主要人物"),
        ("贺兰舟和柏子衿谁的生日更早？", "smallest of: 贺兰舟, 柏子衿 → 生日"),
        ("职业是画师的有谁的生日在1950年之后？", "more than 1950年 of: 画师 ← 职业 → 生日"),
        ("星河札记记的作者的家香是哪？", "星河札记 → 作者 → 家乡"),
    ],
)
def test_a_question_of_several_triples_is_read_as_its_query(reader: QuestionReader, question: str, query: str) -> None:
    assert asked(reader, question) == query


@pytest.mark.parametrize(
    "question", ["星河札记的作者是谁？", "你好", "今天天气真不错", "你知道沈青梧吗？", "星河札记的售价是多少？", ""]
)
def test_what_one_triple_answers_is_left_to_the_ranker(reader: QuestionReader, question: str) -> None:
    assert asked(reader, question) is None
    assert reader.read([]) is None


def test_what_is_repeated_amid_a_dialogue_is_no_question_about_others(reader: QuestionReader) -> None:
    before = ("你知道沈青梧吗？", "知道，沈青梧是位画师。")
    assert asked(reader, *before, "职业是画师呀，你知道什么？") is None
    assert asked(reader, *before, "这里的特产是瓷器，是什么时候的？") is None


def test_follow_ups_keep_the_right_entity(reader: QuestionReader) -> None:
    listed = ("星河札记的主要人物有哪些？", "是贺兰舟、柏子衿、钟离雪。")
    sized = (*listed, "贺兰舟的身高是多少？", "是172厘米。")
    assert asked(reader, *sized, "有没有比他高的？") == "more than 贺兰舟 of: 星河札记 → 主要人物 → 身高"
    assert asked(reader, *sized, "有没有比他矮的？") == "less than 贺兰舟 of: 星河札记 → 主要人物 → 身高"
    author = ("孤灯夜话的作者是谁？", "是贺兰舟。")
    assert asked(reader, *author, "他的生日是什么时候？") == "贺兰舟 → 生日"
    assert asked(reader, *author, "那雾中行旅呢？") == "雾中行旅 → 作者"
    assert asked(reader, "孤灯夜话的作者是谁？", "不知道。", "他的生日是什么时候？") is None, "nobody was named"
    assert asked(reader, *author, "谢谢你，再见。") is None


def right(reader: QuestionReader, question: ExamQuestion, sample: Sample) -> bool:
    inquiry = reader.read(sample.history)
    found = find(inquiry, WORLD) if inquiry is not None else None
    return found is not None and question.right(Answer(text=found.text, annotation=Annotation(facts=found.facts)))


def test_the_development_exam_of_a_world_is_passed_clean_and_mostly_noisy(reader: QuestionReader) -> None:
    questions = make_exam(WORLD, 6, part="development", seed=5)
    simulator = NoiseSimulator("test", 5)
    clean = sum(right(reader, one, one.example().sample) for one in questions) / len(questions)
    noisy = sum(right(reader, one, simulator.example(one.example()).sample) for one in questions) / len(questions)
    assert clean >= 0.9
    assert noisy >= 0.75
