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
        "询问": 27,
        "主动确认": 25,
        "被动确认": 6,
        "提供信息": 10,
        "其他": 8,
        "客套": 3.4,
        "求助-查询": 4.5,
        "取消": 3.6,
        "投诉反馈": 1.5,
        "请求重复": 1.5,
        "求助-故障": 0.8,
        "否认": 0.8,
    },
    "主动确认": {"被动确认": 26, "提供信息": 6, "其他": 4, "主动确认": 1, "否认": 1, "客套": 0.5, "询问": 0.5},
    "询问": {"提供信息": 17, "其他": 2, "被动确认": 3, "询问": 0.8, "请求重复": 0.4, "否认": 0.6},
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
        "询问": 12.5,
        "主动确认": 8,
        "主动确认+通知": 1.6,
        "被动确认": 3,
        "建议": 3.4,
        "建议+通知": 2,
        "主动确认+询问": 1,
        "请求重复": 0.8,
        "抱歉+通知": 0.5,
    },
    "主动确认": {"被动确认": 10.5, "被动确认+通知": 9.5, "通知": 7, "询问": 1, "否认+通知": 1, "主动确认": 0.6},
    "被动确认": {
        "通知": 7,
        "询问": 4,
        "询问+通知": 1.5,
        "主动确认": 5.5,
        "主动确认+通知": 3.2,
        "客套+通知": 1,
        "建议": 1.2,
        "引导": 1.2,
    },
    "其他": {
        "通知": 10,
        "主动确认+通知": 4.5,
        "主动确认": 4.5,
        "问候": 3,
        "询问": 2,
        "引导": 0.8,
        "建议": 0.6,
        "被动确认": 0.6,
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
    "bare": 0.18,
    "other": 0.12,
    "direct": 0.08,
    "greeted": 0.68,
}
"""How the first user turn goes: only a greeting, only a sound, the request at once, greeting and request."""

PURPOSES: Mapping[str, Mapping[str, float]] = {
    "inquiry": {"求助-查询": 9, "询问": 3, "主动确认": 1, "提供信息": 1, "取消": 1},
    "bill": {"询问": 4, "求助-查询": 2, "提供信息": 4, "取消": 2, "投诉反馈": 0.8},
    "balance": {"求助-查询": 11, "询问": 2, "提供信息": 1},
    "cancel": {"取消": 8, "询问": 1, "提供信息": 2},
    "change": {"提供信息": 4, "求助-查询": 3, "询问": 2, "取消": 3},
    "fault": {"求助-故障": 10, "询问": 1, "提供信息": 1},
    "activity": {"询问": 4, "求助-查询": 4, "提供信息": 3},
    "roaming": {"询问": 3, "求助-查询": 3, "主动确认": 2},
    "broadband": {"提供信息": 4, "询问": 3, "求助-故障": 2},
    "points": {"求助-查询": 6, "询问": 3, "提供信息": 1},
}
"""Weights of the intent with which a call's purpose is said."""

USER_LENGTHS = ((0.0, 3), (0.2, 8), (0.5, 14), (0.72, 21), (0.87, 30), (0.95, 43), (0.99, 66), (1.0, 150))
STAFF_LENGTHS = ((0.0, 4), (0.2, 15), (0.45, 26), (0.7, 40), (0.88, 62), (0.97, 104), (1.0, 175))
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
