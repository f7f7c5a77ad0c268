"""What a language model reads of a sample: goal, knowledge and history as plain lines.

A plain form for harnesses, one for each language; who wants another writes it into the exported task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duologue.core.records import Fact, Sample

_WORDS = {
    "en": {
        "goal": "Goal",
        "knowledge": "Facts",
        "user": "User",
        "system": "System",
        "api": "Database",
        "colon": ":",
    },
    "zh": {"goal": "目标", "knowledge": "知识", "user": "用户", "system": "系统", "api": "数据库", "colon": "："},
}


def prompt_of(sample: Sample, language: str) -> str:
    """Return the prompt of a sample, which ends where the system is to speak.

    >>> from duologue.core.records import Sample, Turn
    >>> print(prompt_of(Sample(id="1", dialogue_id="1", history=(Turn(speaker="user", text="hello"),)), "en"))
    User: hello
    System:
    """
    words = _WORDS.get(language, _WORDS["en"])
    colon = words["colon"]
    space = " " if colon == ":" else ""
    lines = [f"{words['goal']}{colon}{space}{one}" for one in _goal(sample)]
    lines += [f"{words['knowledge']}{colon}{space}{_told(one)}" for one in sample.knowledge]
    lines += [f"{words.get(turn.speaker, turn.speaker)}{colon}{space}{turn.text}" for turn in sample.history]
    return "\n".join([*lines, f"{words['system']}{colon}"])


def _goal(sample: Sample) -> Iterator[str]:
    if sample.goal is None:
        return
    if sample.goal.topics:
        yield " → ".join(sample.goal.topics)
    for fact in sample.goal.relations:
        yield _told(fact)


def _told(fact: Fact) -> str:
    value = ", ".join(fact.object) if isinstance(fact.object, tuple) else str(fact.object)
    return f"{fact.subject} | {fact.relation} | {value}"
