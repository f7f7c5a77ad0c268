"""Parses and formats intent strings: labels with arguments in brackets, as raw files spell them.

`求助-查询(ent-1-业务规则)(账户余额),问候` is an act `求助-查询` with two arguments and an act `问候` with none
(specification, sections 1, 3 and 4.3).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, QUERY_USER_SLOTS, USER
from duologue.core.records import Act

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

QUERY, ASK, CONFIRM = "求助-查询", "询问", "主动确认"
WITH_ARGUMENTS = (QUERY, ASK, CONFIRM)
"""Labels that may have arguments, in the order in which the official preprocessing tries to add them."""

USER_LABELS = (
    QUERY,
    "求助-故障",
    "提供信息",
    "投诉反馈",
    "取消",
    ASK,
    "请求重复",
    CONFIRM,
    "被动确认",
    "否认",
    "问候",
    "再见",
    "客套",
    "其他",
)
STAFF_LABELS = (
    "通知",
    "建议",
    ASK,
    "引导",
    "请求重复",
    CONFIRM,
    "被动确认",
    "否认",
    "问候",
    "抱歉",
    "再见",
    "客套",
    "其他",
)

_ASCII = str.maketrans("（），", "(),")
_BRACKETS = re.compile(r"\((?:([^)\n]*+)\)|[^)\n]*+)")
r"""Equivalent to `\((.*?)\)` in linear time: the rest of a line without a closing bracket is skipped at once."""
_ITEM = re.compile(r"([^,()]*)((?:\([^()]*\))*)[^,()]*")
_ENTITY = re.compile(r"(ent-\d+)-(.*)", re.DOTALL)
_BRACKETED_SLOT, _STAND_IN = "账户余额（欠费）", "\ue000"
"""The one slot with brackets in its name, and what stands for it while brackets are read."""
ID_LENGTH = 5
"""The official code takes the first five characters of an argument for its entity id, so `ent-10` becomes `ent-1`."""


def bracketed(text: str) -> list[str]:
    """Return the contents of all brackets, as the official code finds them.

    >>> bracketed("询问(ent-1-业务费用)(账户余额)")
    ['ent-1-业务费用', '账户余额']
    """
    return [found[1] for found in _BRACKETS.finditer(text) if found[1] is not None]


def without_brackets(text: str) -> str:
    """Return the text without brackets and their contents, as the official code deletes them."""
    return _BRACKETS.sub(lambda found: found[0] if found[1] is None else "", text)


def to_ascii(intent: str) -> str:
    """Return the intent with full-width brackets and commas replaced by ASCII ones."""
    return intent.translate(_ASCII)


def normalise_user(intent: str) -> str:
    """Return a user intent as the official preprocessing spells it (specification, 4.3).

    >>> normalise_user("求助-查询（ent-1-业务费用，ent-1-流量总量）"), normalise_user("询问(ent-2-业务规则,业务时长)")
    ('求助-查询(ent-1-业务费用)(ent-1-流量总量)', '询问(ent-2-业务规则)(ent-2-业务时长)')
    """
    intent = to_ascii(intent)
    for old, new in ((",ent", ")(ent"), ("))", ")"), ("),(", ")("), (",(", ")(")):
        intent = intent.replace(old, new)
    for content in bracketed(intent):
        if "," in content:
            intent = intent.replace(content, _split_argument(content))
    return intent


def _split_argument(content: str) -> str:
    """Return the arguments of one bracket each in its own, bare slots prefixed with the last entity id."""
    entity = ""
    pieces = []
    for piece in content.split(","):
        if piece.startswith("ent"):
            entity = piece[:ID_LENGTH]
            pieces.append(piece)
        elif piece in ENTITY_TYPES or piece in QUERY_USER_SLOTS or not entity:
            pieces.append(piece)
        else:
            pieces.append(f"{entity}-{piece}")
    return ")(".join(pieces)


def with_arguments(intent: str, text: str, triples: Iterable[Mapping[str, Any]]) -> str:
    """Return a user intent with arguments from the triples whose value occurs in the user's text (4.4).

    The first query-like label without arguments gets them, at each of its occurrences.
    """
    for label in WITH_ARGUMENTS:
        if label in intent and f"{label}(" not in intent:
            added = "".join(
                f"({triple['prop']})" if triple["ent-id"] == USER else f"({triple['ent-id']}-{triple['prop']})"
                for triple in triples
                if {"ent-id", "prop", "value"} <= triple.keys() and triple["value"] in text
            )
            if added:
                return intent.replace(label, label + added)
    return intent


@lru_cache(maxsize=4096)  # few intents make up most of a corpus
def acts_of(intent: str, speaker: str) -> tuple[Act, ...]:
    """Return the acts of an intent string in any spelling of brackets and commas; blanks around labels are dropped.

    Arguments that share a bracket are split; a bare service slot gets the entity id of the argument before it.
    Never raises.

    >>> [(act.name, act.args) for act in acts_of("问候，询问（ent-12-业务规则，业务时长）", "user")]
    [('问候', ()), ('询问', ('ent-12-业务规则', 'ent-12-业务时长'))]
    >>> acts_of("询问(账户余额（欠费）)", "user")[0].args
    ('账户余额（欠费）',)
    """
    found = []
    for label, brackets in _items(to_ascii(intent.replace(_BRACKETED_SLOT, _STAND_IN))):
        pieces = (piece for content in bracketed(brackets) for piece in _arguments(content))
        args = dict.fromkeys(piece.replace(_STAND_IN, _BRACKETED_SLOT) for piece in pieces)
        if label or args:
            found.append(Act(speaker=speaker, name=label, args=tuple(args)))
    return tuple(found)


def _items(intent: str) -> list[tuple[str, str]]:
    """Return label and brackets of each item; commas inside brackets do not separate items."""
    found: list[tuple[str, str]] = []
    for match in _ITEM.finditer(intent):
        label, brackets = match[1].strip(), match[2]
        if brackets and not label and found:  # `a,(b)`: the bracket belongs to the label before
            found[-1] = (found[-1][0], found[-1][1] + brackets)
        elif label or brackets:
            found.append((label, brackets))
    return found


def _arguments(content: str) -> list[str]:
    """Return the arguments in one bracket, bare service slots prefixed with the entity id before them."""
    pieces = [piece.strip() for piece in content.split(",")]
    found: list[str] = []
    entity = ""
    for piece in pieces:
        parsed = _ENTITY.fullmatch(piece)
        if parsed is not None:
            entity = parsed[1]
            found.append(piece)
        elif piece and entity and piece not in ENTITY_TYPES and piece not in QUERY_USER_SLOTS:
            found.append(f"{entity}-{piece}")
        elif piece:
            found.append(piece)
    return found


def intent_of(acts: Iterable[Act]) -> str:
    """Return the intent string of acts in canonical spelling: ASCII brackets and commas, no blanks.

    >>> intent_of([Act(speaker="user", name="询问", args=("账户余额",)), Act(speaker="user", name="客套")])
    '询问(账户余额),客套'
    """
    return ",".join(act.name + "".join(f"({argument})" for argument in act.args) for act in acts)


def entity_argument(argument: str) -> tuple[str, str] | None:
    """Return entity id (all its digits) and slot of an argument such as `ent-12-业务规则`; `None` for another form."""
    found = _ENTITY.fullmatch(argument)
    return None if found is None else (found[1], found[2].strip("-"))
