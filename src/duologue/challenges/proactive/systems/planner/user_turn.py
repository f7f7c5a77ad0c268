"""What the user's last turn asks of the agent: a given fact, the name of a topic, or to talk of something else.

Rules over characters without white space. A question counts where a cue of a predicate and an interrogative, or a
question mark, stand in one clause; it is about the topic that the clause names, else about the one named last.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.knowledge import domains_of, facts_of, is_said, topics_of, without_spaces
from duologue.challenges.proactive.schema import FILM

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.core.records import Fact, Sample

_MAN_OR_WOMAN = "男(?:的|明星|演员|生)?还是女|女(?:的|明星|演员|生)?还是男|男的女的|是男是女"
_CUES = {
    "出生 日期": r"多大(?:了|年纪|岁数?|$)|几岁|年龄|岁数|哪一?年出?生|什么时候出?生|生日|出生日期",
    "星座": r"(?<!我一个)(?<!同一)(?<!同一个)星座",
    "生肖": r"生肖|属什么",
    "血型": r"血型|什么型血",
    "身高": r"多高|身高|个子",
    "体重": r"多重|体重|多少斤",
    "民族": r"民族|什么族|哪个?族",
    "祖籍": r"哪里人|哪儿人|祖籍|老家|籍贯",
    "国家": r"哪个?国|国籍|什么国家",
    "毕业 院校": r"毕业|院校|哪所?个?(?:大学|学校|学院)",
    "学历": r"学历",
    "职业": r"职业|做什么的|干什么的|干嘛的",
    "性别": rf"性别|{_MAN_OR_WOMAN}|是男的?吗|是女的?吗",
    "获奖": r"什么奖|哪些奖|[获得]过?奖",
    "妻子": r"妻子|老婆|太太",
    "丈夫": r"丈夫|老公",
    "代表作": r"(?<![谁星员人]的)代表作|[演拍]过[什哪]|[什哪][么些](?:作品|代表)",
    "导演": r"导演是谁|谁是?导演|谁导演?的|谁拍的|导演叫|(?:^|那|[它片影部个]的)导演呢",
    "主演": r"谁主?演|主演[是有]?[谁哪什]|[哪什][些么]演员|演员[是有]?[谁哪]|(?:^|那|[它片影部个]的)(?:主演|演员)呢",
    "类型": r"什么类型|哪种类型|什么片(?!子)|什么题材|哪类|(?:^|那|[它片影部个]的)(?:类型|题材)呢",
    "上映 时间": r"什么时候上映|何时上映|哪一?年上?映?的|几[年月]上映|上映时间",
    "时光网 评分": r"评分|多少分|几分",
    "票房": r"票房",
    "口碑": r"口碑|好看吗|好不好看|评价(?:怎么样|如何|好)",
}
"""Predicate to what people say who ask for it."""
_ASKED = {predicate: re.compile(cue) for predicate, cue in _CUES.items()}
_CLAUSE = re.compile(r"[^，。！？；、,.!?;~～]+[？?]*")
_QUESTION = re.compile(
    r"[?？]|(?<!为)(?<!不了)什么|哪|谁|几|多[大高重少]|吗|如何|怎么|是不是|有没有|"
    rf"(?<![不但可还只就总])是[^是]{{1,6}}还是|{_MAN_OR_WOMAN}|呢$"
)
"""Interrogatives. `还是` is one between two choices alone: "他还是双鱼座的" says that he is one as well."""
_CALLED = r"[叫名](?:字?是?什么|字?是?啥)|什么名"
_NAME_ASKED = {
    "F": re.compile(rf"(?:什么|哪部|哪一部|啥|哪个)[^，。！？]{{0,4}}(?:电影|影片|片子|作品|剧)|哪一?部|{_CALLED}"),
    "S": re.compile(
        r"(?<!不管)(?<!不管是)(?<!你)(?<!你是)谁(?![不都还来没])|哪一?位|哪个(?:明星|演员|导演|人|歌手)|"
        rf"什么(?:明星|演员|导演|人)|{_CALLED}"
    ),
}
"""Kind of a topic to what people say who ask which one is meant."""
_MAX_SHORT = 8
"""Characters of a clause in which a last 呢 asks by itself ("身高呢")."""
_REFUSAL = re.compile(
    r"不(?:太|怎么|大)?(?:想|愿意)(?:聊|谈|说|听|看)|不(?:太|怎么)?(?:感兴趣|喜欢(?:这|他|她|看|聊))|"
    r"没(?:有|什么|啥|多大)?兴趣|换个?一?个?话题|聊点?别的|说点?别的|别(?:聊|提|说)(?:这|他|她|了)"
)
_TIMES_LISTED = 3
"""Maximum number of objects in one answer."""
_SENTENCES = {
    "出生 日期": "{s} 出生 于 {o} 。",
    "性别": "{s} 是 {o} 的 。",
    "获奖": "{s} 获得 过 {o} 。",
    "代表作": "{s} 的 代表作 有 {o} 。",
    "主演": "{s} 的 主演 有 {o} 。",
    "口碑": "{s} {o} 。",
    "毕业 院校": "{s} 毕业 于 {o} 。",
    "上映 时间": "{s} 是 {o} 上映 的 。",
}
_SENTENCE = "{s} 的 {p} 是 {o} 。"
ACKNOWLEDGEMENT = "好 的 ， 那 我们 聊 点 别的 。"
"""What is said to a user who does not want to talk of the topic."""


class AskedFact(NamedTuple):
    """A question for given facts, and the facts."""

    subject: str
    predicate: str
    objects: tuple[str, ...]
    """The values, as they stand in the knowledge."""
    topics: tuple[str, ...] = ()
    """Names of the topics, as they stand there."""

    def is_told_by(self, text: str) -> bool:
        """Whether a text says one of the values, elsewhere than inside the name of a topic."""
        said, names = without_spaces(text), list(map(without_spaces, self.topics))
        return any(is_said(without_spaces(one), said, names) for one in self.objects)

    @property
    def sentence(self) -> str:
        """A sentence that says the values, in words."""
        told = " 、 ".join(self.objects[:_TIMES_LISTED])
        return _SENTENCES.get(self.predicate, _SENTENCE).format(s=self.subject, p=self.predicate, o=told)


class AskedName(NamedTuple):
    """A question that the name of a topic answers."""

    topic: str
    """As it stands in the goal."""

    def is_told_by(self, text: str) -> bool:
        """Whether a text says the name."""
        return without_spaces(self.topic) in without_spaces(text)

    @property
    def sentence(self) -> str:
        """A sentence that says the name, in words."""
        return f"是 {self.topic} 。"


def asked_of(sample: Sample) -> list[AskedFact] | list[AskedName]:
    """Return what the user's last turn asks for and can be told: given facts, else the name of a topic."""
    return asked_facts(sample) or asked_names(sample)


def asked_names(sample: Sample) -> list[AskedName]:
    """Return the topic not said so far, the first of the goal, if the user's last turn asks which one is meant.

    "Which film?" asks for a film alone, "who?" for a person alone; a clause that names a topic asks for another thing.
    People who are asked so say the name in 19 of 20 cases.
    """
    words = _last_words(sample)
    if not words:
        return []
    topics, said = topics_of(sample), [without_spaces(turn.text) for turn in sample.history]
    names = [without_spaces(topic) for topic in topics]
    unsaid = [topic for topic, name in zip(topics, names, strict=True) if not any(name in line for line in said)]
    if not unsaid:
        return []
    asks = _NAME_ASKED["F" if domains_of(sample.knowledge).get(unsaid[0]) == FILM else "S"]
    for clause in _clauses(words):
        if any(name in clause for name in names) or any(cue.search(clause) for cue in _ASKED.values()):
            continue
        if asks.search(clause):
            return [AskedName(unsaid[0])]
    return []


def asked_facts(sample: Sample) -> list[AskedFact]:
    """Return the questions of the user's last turn that goal or knowledge answer, in their order, none twice."""
    found: dict[tuple[str, str], AskedFact] = {}
    for clause in _clauses(_last_words(sample)):
        subjects = _subjects(clause, sample)
        for predicate, cue in _ASKED.items():
            if cue.search(clause) is None:
                continue
            one = _answered(predicate, subjects, facts_of(sample.goal, sample.knowledge))
            if one is not None:
                found.setdefault((one.subject, predicate), one._replace(topics=topics_of(sample)))
    return list(found.values())


def refuses(sample: Sample) -> bool:
    """Return whether the user's last turn wants to hear no more of the topic.

    >>> from duologue.core.records import Sample, Turn
    >>> turns = (Turn(speaker="system", text="你 看过 吗"), Turn(speaker="user", text="我 不 感兴趣"))
    >>> refuses(Sample(id="1", dialogue_id="1", history=turns))
    True
    """
    return _REFUSAL.search(_last_words(sample)) is not None


def _last_words(sample: Sample) -> str:
    """Return what the user said last, without white space; empty where the agent spoke last, or nobody yet."""
    last = sample.history[-1] if sample.history else None
    return without_spaces(last.text) if last is not None and last.speaker == "user" else ""


def _clauses(text: str) -> Iterator[str]:
    """Yield the clauses of a text without white space that ask something."""
    for found in _CLAUSE.finditer(text):
        clause = found[0]
        asks = _QUESTION.search(clause)
        if asks is not None and not (asks[0] == "呢" and len(clause) > _MAX_SHORT):
            yield clause


def _subjects(clause: str, sample: Sample) -> list[str]:
    """Return the topics that a clause may be about, the likeliest first.

    It is about those that it names; else about the one named last, and about the other only if that is of another
    kind, so that nothing of one star is told of another. Before any is named it is about the first alone, so that the
    answer does not bring up the second before it.
    """
    topics = topics_of(sample)
    named = [topic for topic in topics if without_spaces(topic) in clause]
    if named:
        return named
    lines = [without_spaces(turn.text) for turn in sample.history]
    last = {
        topic: max((place for place, line in enumerate(lines) if without_spaces(topic) in line), default=-1)
        for topic in topics
    }
    first = max(topics, key=lambda topic: last[topic])
    kinds = domains_of(sample.knowledge)
    others = [topic for topic in topics if last[first] >= 0 and kinds.get(topic) != kinds.get(first)]
    return list(dict.fromkeys((first, *others)))


def _answered(predicate: str, subjects: list[str], facts: tuple[Fact, ...]) -> AskedFact | None:
    for subject in subjects:
        objects = dict.fromkeys(
            str(fact.object) for fact in facts if fact.subject == subject and fact.relation == predicate
        )
        if objects:
            return AskedFact(subject, predicate, tuple(objects))
    return None
