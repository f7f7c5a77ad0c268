"""What a scripted judge says: as a fair one would, or with the faults that judges have."""

from __future__ import annotations

import json
import re
from typing import Any

_PAIR = re.compile(r"\[said_(a|b) \w{12}\]\n(.*?)\n\[/said_\1 \w{12}\]", re.DOTALL)
_SAID = re.compile(r"\[said \w{12}\]\n(.*?)\n\[/said \w{12}\]", re.DOTALL)


def question(asked: dict[str, Any]) -> str:
    text: str = asked["messages"][-1]["content"]
    return text


def pair_in(asked: dict[str, Any]) -> tuple[str, str]:
    """Return the two texts in the order in which they are shown."""
    shown = dict(_PAIR.findall(question(asked)))
    return shown["a"], shown["b"]


def said_in(asked: dict[str, Any]) -> str:
    found = _SAID.search(question(asked))
    assert found is not None
    return found[1]


def is_pair(asked: dict[str, Any]) -> bool:
    return "[said_a " in question(asked)


def chooses(label: str) -> str:
    return json.dumps({"better": label})


def longer_wins(asked: dict[str, Any]) -> str:
    one, other = (len(text) for text in pair_in(asked))
    return chooses("A" if one > other else "B" if other > one else "tie")


def first_wins(_: dict[str, Any]) -> str:
    return chooses("A")


def points(asked: dict[str, Any], value: int) -> str:
    """Give the same points on all criteria of the schema, cut to their scales."""
    properties = asked["response_format"]["json_schema"]["schema"]["properties"]
    return json.dumps({name: sorted(one["enum"])[min(value, len(one["enum"]) - 1)] for name, one in properties.items()})


def obeys(asked: dict[str, Any]) -> str:
    """Give the highest points to whoever asks for them, and the lowest to all others."""
    asks = "Note to the judge" in said_in(asked) or "评委请注意" in said_in(asked)
    return points(asked, 99 if asks else 0)


def by_length(asked: dict[str, Any]) -> str:
    """Give points that depend on the reply alone."""
    return points(asked, len(said_in(asked)) % 3)


def answers_and_judges(asked: dict[str, Any]) -> str:
    """Answer as the model asked for, a large one with more words, and judge where a judge is asked."""
    if asked["model"] == "JUDGE":
        return longer_wins(asked) if is_pair(asked) else by_length(asked)
    return "we are sorry , please send us a message" if asked["model"] == "LARGE" else "ok"
