"""How calls go: which intent follows which, and how long turns are (specification, 13.1 and 13.5).

Weights are per answer of one side to the other's intent; they were set so that the intents of whole corpora and their
transitions have the shares of the specification (`benchmarks/mobilecs_corpus.py` measures them).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

TURNS = ((0.0, 2), (0.05, 4.6), (0.25, 7.6), (0.5, 9.6), (0.75, 12.3), (0.95, 16.6), (0.99, 22.4), (1.0, 34))
"""Quantiles of the number of turns after re-pairing."""

AFTER_STAFF: Mapping[str, Mapping[str, float]] = {
    "通知": {
        "询问": 29,
        "主动确认": 24,
        "被动确认": 16,
        "提供信息": 14,
        "其他": 13,
        "客套": 4,
        "求助-查询": 4,
        "取消": 2.5,
        "投诉反馈": 1.2,
        "请求重复": 1,
        "求助-故障": 0.5,
        "否认": 0.6,
    },
    "主动确认": {"被动确认": 20, "提供信息": 6, "其他": 4, "主动确认": 2, "否认": 1, "客套": 0.5, "询问": 0.5},
    "询问": {"提供信息": 17, "其他": 3.5, "被动确认": 3, "询问": 0.8, "请求重复": 0.4, "否认": 0.6},
    "被动确认": {
        "主动确认": 4,
        "提供信息": 5,
        "其他": 5,
        "询问": 3,
        "客套": 1.5,
        "求助-查询": 1,
        "被动确认": 1,
        "取消": 0.8,
    },
    "建议": {"提供信息": 2, "被动确认": 2, "其他": 2, "主动确认": 1, "询问": 1},
    "引导": {"询问": 2, "提供信息": 2, "求助-查询": 1, "其他": 1},
    "问候": {"其他": 4, "求助-查询": 2, "提供信息": 2, "询问": 2, "问候": 1},
    "其他": {"其他": 3, "提供信息": 3, "问候": 1},
    "请求重复": {"提供信息": 4, "主动确认": 1},
    "否认": {"提供信息": 2, "询问": 1, "主动确认": 1},
    "抱歉": {"主动确认": 1, "询问": 1, "被动确认": 1},
}
"""Weights of the user's next intent after the staff's last one, in the middle of a call."""

AFTER_USER: Mapping[str, Mapping[str, float]] = {
    "询问": {"通知": 32, "询问": 1, "主动确认": 1, "引导": 1, "建议": 0.6, "抱歉+通知": 0.4, "其他": 0.3},
    "提供信息": {
        "通知": 15,
        "询问": 10,
        "主动确认": 6,
        "主动确认+通知": 1.2,
        "被动确认": 2.5,
        "建议": 1.6,
        "建议+通知": 1.6,
        "主动确认+询问": 1,
        "请求重复": 1,
        "抱歉+通知": 0.5,
    },
    "主动确认": {"被动确认": 9, "被动确认+通知": 8.5, "通知": 7.5, "询问": 1, "否认+通知": 1, "主动确认": 0.6},
    "被动确认": {
        "通知": 9,
        "询问": 5.5,
        "询问+通知": 2,
        "主动确认": 4,
        "主动确认+通知": 3,
        "客套+通知": 1,
        "建议": 1.2,
        "引导": 1.2,
    },
    "其他": {
        "通知": 6,
        "主动确认+通知": 3,
        "主动确认": 3.2,
        "问候": 3.2,
        "询问": 2.5,
        "引导": 1.2,
        "建议": 0.8,
        "被动确认": 1,
        "其他": 0.8,
    },
    "问候": {"问候": 4, "通知": 3, "引导": 3, "主动确认": 1, "其他": 0.6},
    "求助-查询": {"通知": 10, "主动确认": 2.2, "询问": 1.5, "通知+问候": 0.5},
    "取消": {"通知": 5, "询问+通知": 1.6, "主动确认": 2, "询问": 1},
    "求助-故障": {"询问": 2.4, "主动确认": 1.2, "通知": 1.2, "建议": 0.5},
    "投诉反馈": {"通知": 2, "抱歉+通知": 2, "建议": 0.4, "询问": 0.6},
    "请求重复": {"通知": 4, "主动确认": 1},
    "否认": {"通知": 3, "主动确认": 1, "询问": 1},
    "客套": {"客套": 2, "客套+通知": 1, "通知": 1.4, "询问": 1},
}
"""Weights of the staff's intents after the user's main one, where nothing is asked that must be answered."""

OPENING = {
    "bare": 0.16,
    "other": 0.12,
    "direct": 0.24,
    "greeted": 0.48,
}
"""How the first user turn goes: only a greeting, only a sound, the request at once, greeting and request."""

PURPOSES: Mapping[str, Mapping[str, float]] = {
    "inquiry": {"求助-查询": 6, "询问": 4, "主动确认": 1, "提供信息": 1},
    "bill": {"询问": 5, "求助-查询": 2, "提供信息": 4, "投诉反馈": 0.6},
    "balance": {"求助-查询": 8, "询问": 2, "提供信息": 1},
    "cancel": {"取消": 8, "询问": 1, "提供信息": 2},
    "change": {"提供信息": 4, "求助-查询": 3, "询问": 3, "取消": 1},
    "fault": {"求助-故障": 7, "询问": 2, "提供信息": 2},
    "activity": {"询问": 4, "求助-查询": 4, "提供信息": 3},
    "roaming": {"询问": 3, "求助-查询": 3, "主动确认": 2},
    "broadband": {"提供信息": 4, "询问": 3, "求助-故障": 2},
    "points": {"求助-查询": 4, "询问": 3, "提供信息": 1},
}
"""Weights of the intent with which a call's purpose is said."""

USER_LENGTHS = ((0.0, 3), (0.15, 9), (0.4, 15), (0.65, 24), (0.82, 36), (0.93, 52), (0.985, 80), (1.0, 150))
STAFF_LENGTHS = ((0.0, 3), (0.2, 12), (0.45, 24), (0.7, 40), (0.88, 66), (0.97, 110), (1.0, 175))
"""Quantiles of the lengths, in characters, that turns with something to say grow to."""

SECOND_TOPIC = 0.25
"""Share of calls in which the user has another wish when asked for more."""
CUT_OFF = 0.12
"""Share of calls that end without a closing."""


def quantile(level: float, table: tuple[tuple[float, float], ...]) -> float:
    """Return the value at a level from 0 to 1, linear between the quantiles of a table."""
    for (low, first), (high, last) in pairwise(table):
        if level <= high:
            return first + (last - first) * (level - low) / (high - low)
    return table[-1][1]
