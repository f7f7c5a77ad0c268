"""Numbers that are dictated over several utterances: 幺三八, 嗯, 零零一三, 嗯, 八零零零."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.text.personal.characters import NUMERAL, PAUSE, plain
from duologue.text.personal.spans import PersonalSpan

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST = 7
"""Digits that such a number has; fewer are amounts and counts."""
_RUN = re.compile(rf"{NUMERAL}(?:{PAUSE}{NUMERAL})*+")
_UNITS = frozenset("十百千万亿点块毛元个兆分GgM月号年%")
"""Characters behind digits that are an amount, a date or a part of a number with place values."""
_HEARD = " _,，。、.！!?？~-嗯啊哦呃噢唉诶哎对好的是行喂然后了吧嘛呢哈"
"""Characters of what is said between the pieces."""
_NOTHING = str.maketrans("", "", _HEARD + "0123456789" + NUMERAL[4:-1])


def dictated(texts: Sequence[str]) -> list[list[PersonalSpan]]:
    """Return the pieces of dictated numbers in each of the utterances of a call.

    A number goes on while an utterance is nothing but digits and sounds of hearing; it may begin at the end of one with
    other words, and end at the beginning of another.
    """
    found: list[list[PersonalSpan]] = [[] for _ in texts]
    chain: list[tuple[int, re.Match[str]]] = []
    for number, text in enumerate(texts):
        folded = plain(text)
        runs = [run for run in _RUN.finditer(folded) if folded[run.end() : run.end() + 1] not in _UNITS]
        if not folded.translate(_NOTHING):
            chain += [(number, run) for run in runs]
            continue
        if runs and _is_piece(runs[0], folded[: runs[0].start()]):
            chain.append((number, runs[0]))
        _take(chain, found)
        chain = [(number, runs[-1])] if runs and _is_piece(runs[-1], folded[runs[-1].end() :]) else []
    _take(chain, found)
    return found


def _is_piece(run: re.Match[str], outside: str) -> bool:
    """Tell whether digits at an end of other words may be the beginning or the end of a number."""
    return _digits(run) > 1 and not outside.strip(_HEARD)


def _take(chain: Sequence[tuple[int, re.Match[str]]], found: list[list[PersonalSpan]]) -> None:
    """Add the pieces of a chain to what is found where they are a number over several utterances."""
    if len({number for number, _ in chain}) > 1 and sum(_digits(run) for _, run in chain) >= _LEAST:
        for number, run in chain:
            found[number].append(PersonalSpan(run.start(), run.end(), "NUMBER"))


def _digits(run: re.Match[str]) -> int:
    return len(re.findall(NUMERAL, run[0]))
