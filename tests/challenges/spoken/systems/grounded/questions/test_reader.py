from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import pytest
from tests.challenges.spoken.worlds import WORLD

from duologue.challenges.spoken.knowledge.inquiry import find
from duologue.challenges.spoken.noise.simulator import NoiseSimulator
from duologue.challenges.spoken.simulator.exam import make_exam
from duologue.challenges.spoken.systems.grounded.entity_linker import EntityLinker
from duologue.challenges.spoken.systems.grounded.questions.reader import QuestionReader
from duologue.core.records import Annotation, Answer, Fact, Turn
from duologue.knowledge.graph import Graph

PRICES = {"竹溪苑": "40元", "梅岭园": "免费开放。", "兰亭圃": "12元", "松风亭": "10元", "菊香台": "请咨询"}
PARKS = Graph(
    "parks",
    [
        *(Fact(subject=name, relation="门票", object=price) for name, price in PRICES.items()),
        *(Fact(subject="松风亭", relation="周边景点", object=name) for name in ("竹溪苑", "梅岭园", "兰亭圃")),
        *(Fact(subject="竹溪苑", relation="周边景点", object=name) for name in ("兰亭圃", "菊香台")),
        Fact(subject="松风亭", relation="开放时间", object="8:00-16:00"),
        Fact(subject="竹溪苑", relation="开放时间", object="9:00-17:00"),
        Fact(subject="松风亭", relation="建议游玩时间", object="2小时"),
        Fact(subject="竹溪苑", relation="建议游玩时间", object="1天"),
        Fact(subject="梅岭园", relation="建议游玩时间", object="3公里"),
    ],
)

if TYPE_CHECKING:
    from duologue.challenges.spoken.simulator.exam import ExamQuestion
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


def test_a_text_that_is_longer_than_questions_are_is_not_read_as_one(reader: QuestionReader) -> None:
    question = "星河札记的作者的家乡是哪里？"
    assert asked(reader, question) is not None
    began = process_time()
    assert asked(reader, "你好，星河札记，贺兰舟，看看天气吧。" * 60 + question) is None
    assert asked(reader, question, "是。", "它的呢？" * 5_000) is None
    assert process_time() - began < 5, "each name and each doubled character was another reading of the whole"


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


@pytest.fixture(scope="module")
def visitor() -> QuestionReader:
    """A reader over places with prices, some free."""
    return QuestionReader(PARKS, EntityLinker(PARKS.entities))


@pytest.mark.parametrize(
    ("turns", "query"),
    [
        (("松风亭和竹溪苑哪个的建议游玩时间更长",), "largest of: 松风亭, 竹溪苑 → 建议游玩时间"),
        (("松风亭和梅岭园哪个的建议游玩时间更长",), None),
        (("松风亭和竹溪苑哪个更便宜",), "smallest of: 松风亭, 竹溪苑 → 门票"),
        (("松风亭和竹溪苑哪个贵一些",), "largest of: 松风亭, 竹溪苑 → 门票"),
        (("梅岭园和竹溪苑，哪个便宜？",), "smallest of: 梅岭园, 竹溪苑 → 门票"),
        (("松风亭附近最便宜的景点是哪个",), "smallest of: 松风亭 → 周边景点 → 门票"),
        (("松风亭的哪个周边景点门票最贵",), "largest of: 松风亭 → 周边景点 → 门票"),
        (("竹溪苑周边景点里门票最贵的是哪个",), None),
        (("松风亭的门票多少钱", "10元", "有没有比它便宜的"), "less than 松风亭 of: 松风亭 → 周边景点 → 门票"),
        (("松风亭的开放时间是什么", "8:00-16:00", "有没有比它便宜的"), "less than 松风亭 of: 松风亭 → 周边景点 → 门票"),
        (("门票是10元的是哪个", "是松风亭", "有没有比它贵的"), "more than 松风亭 of: 松风亭 → 周边景点 → 门票"),
        (("竹溪苑的门票多少钱", "40元", "有没有比它贵的"), None),
        (("松风亭和竹溪苑哪个门票更便宜", "是松风亭", "那里几点开门"), "松风亭 → 开放时间"),
        (("松风亭和竹溪苑哪个更便宜", "是松风亭", "有没有比它便宜的"), "less than 松风亭 of: 松风亭 → 周边景点 → 门票"),
    ],
)
def test_prices_and_times_are_compared_as_people_ask(
    visitor: QuestionReader, turns: tuple[str, ...], query: str | None
) -> None:
    assert asked(visitor, *turns) == query
