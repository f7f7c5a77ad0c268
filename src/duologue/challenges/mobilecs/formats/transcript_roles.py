"""Roles of speakers by what a transcript calls them: a usual word for staff or customer, alone or before who it is."""

from __future__ import annotations

import re

from duologue.challenges.mobilecs.formats.transcript_words import CUSTOMER, STAFF
from duologue.text.personal.gazetteer import (
    CHINESE_DOUBLE_SURNAMES,
    CHINESE_SURNAMES,
    NO_GIVEN,
    WORDS_WITH_SURNAMES,
)
from duologue.text.personal.names import names_in

_NUMBERED = re.compile(r"([a-z]+|[\u4e00-\u9fff]+)[^a-z\u4e00-\u9fff].*", re.DOTALL)
"""A role with what tells one person from others: 客服001, 坐席-张三, agent 7."""
_BADGE = "工号"
"""Word for the number of one of the staff, a role with that number alone."""
_WORDS = STAFF | CUSTOMER
_BEFORE_NAMES = tuple(sorted((one for one in _WORDS if len(one) > 1), key=lambda one: (-len(one), one)))
"""Words that a name may stand behind with nothing between."""
_JOBS = r"(?:代表|专员|经理|主管|班长|人员|老师|师傅)"
_SURNAME = f"(?:{'|'.join(sorted(CHINESE_DOUBLE_SURNAMES))}|[{''.join(sorted(CHINESE_SURNAMES))}])"
_TITLE = "(?:先生|女士|小姐|太太|老师|师傅|经理|主任|同学|阿姨|叔叔|大爷|大妈)"
_NICKNAME = re.compile(rf"[小老阿]{_SURNAME}")
_TITLED = re.compile(rf"{_SURNAME}[\u4e00-\u9fff]{{0,2}}{_TITLE}|先生|女士|小姐|太太|{_SURNAME}(?:总|工|某{{1,2}})")
_FULL_NAME = re.compile(rf"{_SURNAME}[\u4e00-\u9fff]{{1,2}}")
_NO_NAMES = WORDS_WITH_SURNAMES | {"余额", "项目", "任务", "程序", "顾问", "管理", "关怀", "关系", "常用", "金额"}
"""Words that begin as names do and stand behind a role above a call (客户余额: 50), or in other roles (客户顾问)."""
_MARK = re.compile(r"[a-z]|[甲乙丙丁]")
"""What tells one from others by itself: 客服A, 客户甲."""


def role_of(speaker: str) -> bool | None:
    """Tell whether the usual words say that a speaker is the staff; `None` where they do not say.

    >>> [role_of(one) for one in ("客服", "客服小王", "工号8027", "Agent 7", "客户李女士", "客户经理", "客户余额")]
    [True, True, True, True, False, None, None]
    """
    word = _role_word(speaker)
    return None if word is None else word not in CUSTOMER


def names_of(speaker: str) -> list[str]:
    """Return the names of a person that a speaker is called by, without the role.

    >>> names_of("坐席-张三丰"), names_of("客服小王"), names_of("客服代表李娜"), names_of("客户（本人）")
    (['张三丰'], ['小王'], ['李娜'], [])
    """
    word = _role_word(speaker)
    if word is None:
        return names_in(speaker)
    behind = re.sub(rf"\A{_JOBS}", "", speaker[len(word) :])
    return [name for name in names_in(behind) if name.isascii() or _is_name(name)]


def _is_name(told: str) -> bool:
    return told[0] in CHINESE_SURNAMES or _NICKNAME.fullmatch(told) is not None


def _role_word(speaker: str) -> str | None:
    """Return the usual word for a role that a speaker is called by, alone or before a number or a name."""
    name = speaker.lower()
    numbered = _NUMBERED.fullmatch(name)
    word = next((word for word in (name, numbered[1] if numbered else "") if word in _WORDS), None)
    if word is not None:
        return word
    if re.fullmatch(rf"{_BADGE}[ 号:：]?\d+号?", name):
        return _BADGE
    if numbered is not None:
        name = numbered[1]
    word = next((word for word in _BEFORE_NAMES if name.startswith(word)), None)
    return word if word is not None and _tells_who(word, name[len(word) :]) else None


def _tells_who(word: str, behind: str) -> bool:
    """Tell whether what stands behind a word for a role says who it is: a name, a title, a letter, of staff a job."""
    if word in STAFF:
        job = re.match(_JOBS, behind)
        behind = behind[job.end() :] if job is not None else behind
        if job is not None and not behind:
            return True
    if word.isascii() and behind[:1].isascii():  # agents, users, a word that goes on
        return False
    if any(found.fullmatch(behind) for found in (_MARK, _NICKNAME, _TITLED)):
        return True
    full = _FULL_NAME.fullmatch(behind) is not None
    return full and behind[:2] not in _NO_NAMES and not NO_GIVEN.intersection(behind[1:])
