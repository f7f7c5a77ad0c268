"""Which finished dialogues of a pairing may be nearly the same as another: by what is said in them, from an index.

Most of a dialogue's utterances stand in one that is like it, so at least one of any few does: the rarest are looked up.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select

from duologue.arena.talks.pair_checks import ALIKE, plain
from duologue.arena.talks.tables import talk_signs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

_MANY = 50
"""Dialogues with an utterance up to which they are counted; beyond, it is common."""

_SLACK = 1e-6
"""What a difference of floats may lack."""


def sign_of(text: str) -> int:
    """Return the number of an utterance, equal where it counts as the same."""
    return int.from_bytes(hashlib.sha256(plain(text).encode("utf-8", "replace")).digest()[:8], "big", signed=True)


def keep_signs(connection: Connection, pairing_id: str, talk_id: str, texts: Sequence[str]) -> None:
    """Keep what is said in a finished dialogue, for those that come."""
    rows = [{"pairing_id": pairing_id, "sign": sign, "talk_id": talk_id} for sign in sorted({*map(sign_of, texts)})]
    if rows:
        connection.execute(insert(talk_signs), rows)


def renew_signs(connection: Connection, talk_id: str, texts: Sequence[str]) -> None:
    """Keep what is left of a finished dialogue: a number tells who guesses an utterance that it was said."""
    mine = talk_signs.c.talk_id == talk_id
    pairing_id = connection.execute(select(talk_signs.c.pairing_id).where(mine).limit(1)).scalar_one_or_none()
    if pairing_id is not None:
        connection.execute(delete(talk_signs).where(mine))
        keep_signs(connection, pairing_id, talk_id, texts)


def talks_alike(connection: Connection, pairing_id: str, texts: Sequence[str]) -> list[str]:
    """Return the finished dialogues that may have so many of these utterances that both are alike; no other is."""
    times = Counter(map(sign_of, texts))
    index = talk_signs.c

    def known(sign: int) -> int:
        some = select(index.talk_id).where(index.pairing_id == pairing_id, index.sign == sign).limit(_MANY)
        return int(connection.execute(select(func.count()).select_from(some.subquery())).scalar_one())

    left, asked = len(texts) - ALIKE * len(texts) + _SLACK, list[int]()
    for sign in sorted(times, key=lambda one: (known(one), one)):
        if left < 0:
            break
        asked.append(sign)
        left -= times[sign]
    query = select(index.talk_id).where(index.pairing_id == pairing_id, index.sign.in_(asked)).distinct()
    return list(connection.execute(query.order_by(index.talk_id)).scalars())
