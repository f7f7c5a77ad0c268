"""Clauses of filled templates, each with the topic that the words before it speak of: what recombination may join.

A clause ends at a comma or at a mark that ends a sentence, never inside a slot's value or a quotation. A clause that
says nothing of its own topic ("he is 180 cm tall") is true only behind words about the same topic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.systems.planner.slots import PUNCTUATION, SlotValue, Tokens, is_slot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.challenges.proactive.systems.planner.slots import Filling
    from duologue.challenges.proactive.systems.planner.state import PlannerState

ENDS = frozenset("，,。！!？?；;…~～")
_OPENS, _CLOSES = frozenset("《（(<“"), frozenset("》）)>”")
_FILM = frozenset({"电影", "影片", "片子", "大片", "部", "这部", "那部", "一部", "上映", "票房", "剧情", "它"})
_STAR = frozenset({"他", "她", "明星", "演员", "歌手", "艺人", "位", "这位", "那位", "一位", "男星", "女星"})


class Subject(NamedTuple):
    """What was spoken of last."""

    side: str = ""
    """`a` or `b`; empty where neither topic came up."""
    kind: str = ""
    """`F` (film) or `S` (star), by the topic or by a word such as "actor"; empty where neither came up."""

    def then(self, word: str, domains: str) -> Subject:
        """Return the subject behind another word of a template."""
        if is_slot(word):
            side = word[1].lower()
            return Subject(side, domains["ab".index(side)] if len(domains) == 2 else "")
        kind = "F" if word in _FILM else "S" if word in _STAR else ""
        return self._replace(kind=kind) if kind else self


class Clause(NamedTuple):
    """A clause of a filled template."""

    words: Tokens
    used: tuple[SlotValue, ...]
    """The values of its slots, in order."""
    before: Subject
    """What the reply speaks of where the clause begins."""
    after: Subject
    names: bool
    """Whether it names a topic before it says anything of one, so that it may stand behind any subject."""


def subject_of(state: PlannerState) -> Subject:
    """Return what a dialogue speaks of before the reply."""
    subject = Subject()
    for line in state.history:
        for word in line:
            subject = subject.then(word, state.domains)
    return subject


def clauses_of(template: Tokens, filling: Filling, subject: Subject, domains: str) -> tuple[Clause, ...]:
    """Return the clauses of a template as it was filled; joined, their words are those of the filling.

    `subject` is that of the dialogue before it. Marks behind one another end one clause; a quotation is not cut.
    """
    found: list[Clause] = []
    used = iter(filling.used)
    for part in _parts(template):
        values = tuple(next(used) for word in part if is_slot(word))
        filled = iter(values)
        words = tuple(word for one in part for word in (next(filled).words if is_slot(one) else (one,)))
        after = subject
        for word in part:
            after = after.then(word, domains)
        found.append(Clause(words, values, subject, after, _names(part)))
        subject = after
    return tuple(found)


def _parts(template: Tokens) -> Iterator[Tokens]:
    start = depth = 0
    for place, word in enumerate(template):
        depth += (word in _OPENS) - (word in _CLOSES)
        last = place + 1 == len(template)
        if last or (word in ENDS and depth <= 0 and template[place + 1] not in PUNCTUATION):
            yield template[start : place + 1]
            start = place + 1


def _names(part: Tokens) -> bool:
    for word in part:
        if is_slot(word):
            return word in {"{A}", "{B}"}
        if word in _FILM or word in _STAR:
            return False
    return False
