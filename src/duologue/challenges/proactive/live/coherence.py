"""Coherence by rule: agent utterances that a reader of goal, knowledge and dialogue alone can tell to be wrong.

Points go as on the human scale (specification, section 7: 3 less the number of flawed replies, at least 0), but rules
see little of what people see: no irrelevant remark, no contradiction in other words. What the knowledge says nothing
of is no flaw here, since people say such things more often than systems do (`grounding` counts them).
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.knowledge import domains_of, facts_of, is_said, without_punctuation, without_spaces
from duologue.challenges.proactive.schema import FILM
from duologue.challenges.proactive.systems.planner.user_turn import asked_facts
from duologue.core.records import Sample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.core.records import Dialogue, Fact

TYPE, CONTRADICTION, REPETITION, QUESTION = (
    "subject-type",
    "fact-contradicted",
    "sentence-repeated",
    "question-unanswered",
)
HIGHEST_COHERENCE = 3
"""The highest score of a dialogue."""
_SHORTEST = 6
"""Characters of a sentence that counts as repeated; people say "是 的 。" as often as they like."""
_SENTENCE_END = re.compile(r"[。！？!?；;~～…]")
_CLAUSE_END = re.compile(r"[，。！？；,!?;~～…]")
_OF_OTHERS = "(?!的|和|与|代表作|演|主演|出演|参演|饰|导|执导|拍|编|写|唱|里|中|有|在|曾|还|就|这|那|·)"
"""Behind a name: whatever makes the words before it speak of something that is only related to it."""
_CLOSED = "(?=[，。！？；,!?;啊哦呢吧呀]|$)"
"""Behind a noun: nothing follows that it would belong to."""
_CALLED_FILM = (
    "(?:一|这|那)部(?:[^，。！？；]{0,6})(?:电影|影片|片子)(?:名字)?(?:叫做?|名为|是)《?{name}》?" + _OF_OTHERS,
    "电影(?:名字)?(?:叫做?|名为)《?{name}》?" + _OF_OTHERS,
    "{name}》?(?:这|那)部",
    "{name}》?(?:也|就)?是一部",
    "{name}》?(?:也|就)?是(?:一|这|那)?[部个][^，。！？；]{0,9}(?<![看拍演爱欢])(?:电影|影片|片子)" + _CLOSED,
    "{name}》?(?:这|那)个(?:电影|影片|片子)",
    "{name}》?的(?:上映|主演是|导演是|片长|票房是)",
)
_CALLED_STAR = (
    "{name}》?(?:这|那)位",
    "{name}》?(?:这|那)个(?:演员|明星|歌手|人(?!物|生|间))",
    "{name}》?(?:也|就)?是(?:一|这|那)(?:位|个)(?:[^，。！？；的]{0,4})(?:演员|明星|歌手)",
    "{name}》?(?:也|就)?是(?:一|这|那)?[位个名][^，。！？；]{0,9}(?:演员|明星|歌手)" + _CLOSED,
    "(?:演员|明星|歌手|艺人)(?:名字)?(?:叫做?|名叫|是)《?{name}》?" + _OF_OTHERS,
    "{name}》?的(?:身高|体重|星座|血型|生日|祖籍|性别|生肖|毕业)",
)
_COUNTRIES = "中国|美国|英国|法国|德国|韩国|泰国|日本|印度|加拿大|意大利|西班牙|俄罗斯|澳大利亚|新加坡|马来西亚"
_VALUES = {
    "性别": re.compile(f"(?:美(女)|(女)(?:演员|明星|歌手|神)|(男)(?:演员|明星|歌手|神)|(帅哥)){_CLOSED}"),
    "出生日期": re.compile(r"(?:出生[于在]|生于)(\d{4})|(\d{4})年(?:\d{1,2}月)?(?:\d{1,2}[日号])?出?生"),
    "国家": re.compile(f"({_COUNTRIES})(?:人|籍|的?(?:演员|明星|歌手|导演)){_CLOSED}|来自({_COUNTRIES})"),
    "星座": re.compile("((?:白羊|牡羊|金牛|双子|巨蟹|狮子|处女|天秤|天蝎|射手|人马|摩羯|水瓶|双鱼)座)"),
    "血型": re.compile(r"(?<![A-Za-z])(AB|A|B|O)型(?!片)"),
    "身高": re.compile(r"(\d{3}(?:\.\d+)?)(?=cm|厘米|公分)"),
    "体重": re.compile(r"(\d{2,3}(?:\.\d+)?)(?=kg|公斤|千克)"),
}
"""Predicates of which a person has one value, and how values look; a group has what the knowledge says."""
_SAME = {"帅哥": "男"}
"""Words that say a value without its own."""
_DIRECTOR = re.compile("导演(?:是|叫做?|名叫)([^，。！？；,!?;]+)")
_ROLES = ("导演", "主演")
"""Predicates of a film whose objects are people."""
_BIRTH = "出生日期"
_YEAR = re.compile(r"\d{4}")
_SPEAKERS = re.compile("[你您我咱]")
"""Words of a clause that may be about the speakers."""
_FAMILY = re.compile("妻子|丈夫|老婆|老公|女儿|儿子|父亲|母亲|家人|朋友|好友")
"""Words of an utterance that may be about others than its topic."""
_OPINION = "口碑"
"""A predicate whose question has answers of one's own."""
_TOLD = 2
"""Characters of a value that tell it: "丹东" for "辽宁丹东"."""


class CoherenceFlaw(NamedTuple):
    """What is wrong with an agent utterance."""

    turn: int
    """Index of the utterance in the dialogue, from 0."""
    rule: str
    what: str
    """The words that show it; of a question, what was asked for."""


class Coherence(NamedTuple):
    """The flaws of a dialogue, in turn order, and the user's questions for given facts."""

    flaws: tuple[CoherenceFlaw, ...]
    asked: int
    """User turns that ask for given facts and are answered by some utterance."""

    @property
    def points(self) -> int:
        """0 to 3: 3 less the number of flawed utterances."""
        return max(0, HIGHEST_COHERENCE - len({one.turn for one in self.flaws}))

    def count(self, rule: str) -> int:
        """Return the number of utterances that a rule finds flawed."""
        return len({one.turn for one in self.flaws if one.rule == rule})


def coherence_of(dialogue: Dialogue) -> Coherence:
    """Return what rules find wrong with the agent utterances of a dialogue."""
    kinds = _Kinds(dialogue)
    flaws: list[CoherenceFlaw] = []
    said: set[str] = set()
    asked = 0
    for place, turn in enumerate(dialogue.turns):
        if turn.speaker != "system":
            continue
        flaws += (CoherenceFlaw(place, TYPE, what) for what in kinds.mistaken(turn.text))
        flaws += (CoherenceFlaw(place, CONTRADICTION, what) for what in _contradictions(dialogue, turn.text))
        for sentence in _sentences(turn.text):
            if sentence in said:
                flaws.append(CoherenceFlaw(place, REPETITION, sentence))
            said.add(sentence)
        questions = _questions(dialogue, place)
        asked += bool(questions)
        flaws += (CoherenceFlaw(place, QUESTION, what) for what in questions if what is not None)
    return Coherence(tuple(flaws), asked)


class _Kinds:
    """Finds utterances that call a person a film or a film a person."""

    def __init__(self, dialogue: Dialogue) -> None:
        domains = domains_of(dialogue.knowledge)
        self._patterns = [
            re.compile(pattern.replace("{name}", re.escape(without_spaces(topic))))
            for topic in (dialogue.goal.topics if dialogue.goal is not None else ())
            if topic in domains
            for pattern in (_CALLED_STAR if domains[topic] == FILM else _CALLED_FILM)
        ]

    def mistaken(self, text: str) -> Iterator[str]:
        """Yield the first words that do so."""
        plain = without_spaces(text)
        for pattern in self._patterns:
            found = pattern.search(plain)
            if found is not None:
                yield found[0]
                return


def _contradictions(dialogue: Dialogue, text: str) -> Iterator[str]:
    """Yield values that an utterance gives a topic of which the knowledge has another one.

    A value is that of the topic named in its clause, else of the one named last in the utterance. A clause about the
    speakers does not count, nor does an utterance about a topic's family or friends.
    """
    topics = {_plain(one): one for one in (dialogue.goal.topics if dialogue.goal is not None else ())}
    facts = facts_of(dialogue.goal, dialogue.knowledge)
    plain = _plain(text)
    if _FAMILY.search(plain):
        return
    kinds = domains_of(dialogue.knowledge)
    subject = film = None
    for clause in _CLAUSE_END.split(plain):
        named = [topic for name, topic in topics.items() if name in clause]
        subject = named[0] if len(named) == 1 else None if named else subject
        film = next((topic for topic in named if kinds.get(topic) == FILM), film)
        if _SPEAKERS.search(clause):
            continue
        yield from _wrong_directors(clause, film, facts)
        for predicate, value in _VALUES.items():
            found = value.search(clause)
            if found is None:
                continue
            told = found[found.lastindex or 0]
            true = [
                _plain(str(one.object))
                for one in facts
                if one.subject == subject and without_spaces(one.relation) == predicate
            ]
            if predicate == _BIRTH:
                true = [one for one in true if _YEAR.search(one)]
            if true and not any(_SAME.get(told, told) in one for one in true):
                yield found[0]


def _wrong_directors(clause: str, film: str | None, facts: tuple[Fact, ...]) -> Iterator[str]:
    """Yield what a clause says of the director of the film named last where it names another person that is known."""
    found = _DIRECTOR.search(clause)
    if found is None:
        return
    people = [one for one, kind in domains_of(facts).items() if kind != FILM]
    people += [str(one.object) for one in facts if one.relation in _ROLES]
    true = [_plain(str(one.object)) for one in facts if one.subject == film and one.relation == _ROLES[0]]
    named = [one for one in map(_plain, people) if one in found[1]]
    if true and named and not any(one in found[1] or found[1] in one for one in true):
        yield found[0]


def _plain(text: str) -> str:
    return without_spaces(unicodedata.normalize("NFKC", text))


def _sentences(text: str) -> Iterator[str]:
    """Yield the longer sentences of an utterance without white space and punctuation."""
    for part in _SENTENCE_END.split(text):
        sentence = without_punctuation(part)
        if len(sentence) >= _SHORTEST:
            yield sentence


def _questions(dialogue: Dialogue, place: int) -> list[str | None]:
    """Return the questions before an utterance that the knowledge answers; `None` for those that it answers, too.

    Part of a value is an answer. Who says the value and asks whether it is so is answered with a word, and not counted.
    """
    if dialogue.goal is None or place == 0:
        return []
    sample = Sample(
        id="", dialogue_id="", history=dialogue.turns[:place], knowledge=dialogue.knowledge, goal=dialogue.goal
    )
    text, said = _plain(dialogue.turns[place].text), _plain(dialogue.turns[place - 1].text)
    names = [_plain(topic) for topic in dialogue.goal.topics]
    return [
        None
        if any(_tells(text, value, names) for value in map(_plain, one.objects))
        else f"{one.subject} {one.predicate}"
        for one in asked_facts(sample)
        if one.predicate != _OPINION
        and not any(len(value) >= _TOLD and is_said(value, said, names) for value in map(_plain, one.objects))
    ]


def _tells(text: str, value: str, names: list[str]) -> bool:
    others = [name for name in names if name != value]
    starts = range(max(1, len(value) - _TOLD + 1))
    return any(is_said(value[start : start + _TOLD], text, others) for start in starts)
