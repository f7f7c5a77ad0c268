"""What the live partner says of itself, in English and Chinese; and Chinese text cut into words or put together."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING

from duologue.core.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "welcome": (
            "The agent leads the talk from {a} ({kind_a}) to {b} ({kind_b}); you know nothing of either.\n"
            "It knows {count} facts. Answer as you like, with or without spaces; /quit or bye leaves."
        ),
        "goal": "goal: START -> {a} -> {b}",
        "relation": "    {subject} | {relation} | {object}",
        "plan": "plan: {a} {reached_a}, {b} {reached_b}; facts used {used} of {count}",
        "reached": "reached",
        "open": "not yet",
        "used": "used: {fact}",
        "unused": "unused: {facts}",
        "none": "none",
        "ended": "The agent has nothing more to say.",
    },
    "zh": {
        "welcome": (
            "机器人将把话题从《{a}》（{kind_a}）引向《{b}》（{kind_b}），你事先什么都不知道。\n"
            "它掌握 {count} 条知识。请随意回答，不用分词；输入 /quit 或 再见 离开。"
        ),
        "goal": "目标：START -> {a} -> {b}",
        "relation": "    {subject} | {relation} | {object}",
        "plan": "计划：{a} {reached_a}，{b} {reached_b}；已用知识 {used} / {count}",
        "reached": "已提到",
        "open": "未提到",
        "used": "用到：{fact}",
        "unused": "未用：{facts}",
        "none": "无",
        "ended": "机器人没有更多要说的了。",
    },
}
"""Language to what is said; names in braces are filled in."""

GOODBYES = frozenset({"/quit", "bye", "goodbye", "quit", "exit", "再见", "拜拜", "88"})
"""Inputs that leave."""

_CJK = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_BETWEEN = re.compile(rf"(?<=[{_CJK}]) (?=\S)|(?<=\S) (?=[{_CJK}])")
_PIECE = re.compile(rf"[A-Za-z]+(?:['-][A-Za-z]+)*|\d+(?:\.\d+)*|[{_CJK}]|\S")


def phrase(lang: str, key: str, **values: object) -> str:
    """Return what is said under `key`. Raises `UsageError` for a language that there is none of."""
    if lang not in WORDS:
        raise UsageError(f"there are no remarks in language '{lang}'{did_you_mean(lang, WORDS)}")
    return WORDS[lang][key].format(**values)


def together(text: str) -> str:
    """Return a text cut into words as people write it: no spaces beside Chinese characters.

    >>> together("看 过 Batman Begins 吗 ？")
    '看过Batman Begins吗？'
    """
    return _BETWEEN.sub("", text)


def apart(text: str, names: Iterable[str]) -> str:
    """Return a text cut into words, as the data is: by single spaces.

    Text that has spaces between Chinese characters is cut already. `names` (the cells of the knowledge, cut into words)
    are kept as they are there; the rest is cut by `rjieba` where it is installed (extra `zh`), else into characters.
    """
    if _BETWEEN.search(text):
        return " ".join(text.split())
    cut_as = {"".join(name.split()): name.split() for name in names}
    known = sorted((plain for plain in cut_as if len(plain) > 1), key=lambda plain: (-len(plain), plain))
    found = re.compile(
        "|".join(map(re.escape, known)) or r"(?!)"
    )  # of names that start alike the longest is tried first
    pieces: list[str] = []
    for part in text.split():
        end = 0
        for match in found.finditer(part):
            pieces += [*_words(part[end : match.start()]), *cut_as[match[0]]]
            end = match.end()
        pieces += _words(part[end:])
    return " ".join(pieces)


def _words(text: str) -> list[str]:
    """Return the words of a text without spaces."""
    return [word for word in _segmenter()(text) if word.strip()] if text else []


def _segmenter() -> Callable[[str], Iterable[str]]:
    try:
        return importlib.import_module("rjieba").cut  # type: ignore[no-any-return]  # a library without types
    except ModuleNotFoundError:
        return _PIECE.findall
