"""Calls of a judge: what is asked, planned whole before the first call, and what was said."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.amounts import amount
from duologue.core.errors import BotError
from duologue.core.rng import Rng
from duologue.endpoints.account import Account
from duologue.endpoints.caller import CompletionRequest
from duologue.endpoints.workers import as_made

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.protocols import Progress
    from duologue.endpoints.caller import ChatCaller
    from duologue.judges.prompt import Question

JUDGED, AGAIN = "judged", "again"
APPENDED, ALONE, FILLER = "appended", "alone", "filler"
"""What is judged in the injection test: a reply with a request for points behind it, the request alone, and a reply
that says nothing instead."""


class JudgeCall(NamedTuple):
    """One question."""

    what: str
    """`judged`, `again`, or what of the injection test."""
    system: str
    """Whose answer is judged; empty for a pair."""
    item: str
    question: Question
    swapped: bool = False
    """Of a pair: whether the second system is shown first."""

    def request(self, seed: int) -> CompletionRequest:
        """Return what is sent; a second judgement has another seed."""
        return CompletionRequest(self.question.messages, seed + (self.what == AGAIN), self.question.schema)


class JudgeWords(NamedTuple):
    """What a judge said to all calls."""

    texts: tuple[str, ...]
    """In the order of the calls; empty for a refusal."""
    account: Account


def make_calls(
    caller: ChatCaller, calls: Sequence[JudgeCall], seed: int, workers: int, progress: Progress | None = None
) -> JudgeWords:
    """Return what the judge says to each call. Raises as `ChatCaller.ask`, telling how many calls are done."""
    texts: dict[int, str] = {}
    tables: dict[int, Account] = {}

    def made(call: JudgeCall) -> tuple[str, Account]:
        account = Account()
        completion = caller.ask(call.request(seed), account)
        return "" if completion.refusal else completion.text, account

    caller.reopen()
    try:
        for place, (text, account) in as_made(calls, made, workers, caller.stop):
            texts[place], tables[place] = text, account
            if progress is not None:
                progress(len(texts), len(calls), "judging")
    except BotError as error:
        raise type(error)(
            f"{error}\n{len(texts):,} of {amount(len(calls), 'call')} are done; what is done is kept"
        ) from error
    total = Account.total(tables[place].table() for place in sorted(tables))
    return JudgeWords(tuple(texts[place] for place in range(len(calls))), total)


def drawn(names: Sequence[tuple[str, str]], count: int, *key: object) -> set[tuple[str, str]]:
    """Return so many of the names by lot: the same ones whatever their order."""
    return set(sorted(names, key=lambda name: (Rng(*key, *name).unit(), name))[:count])


def part_of(names: Sequence[tuple[str, str]], share: float, *key: object) -> set[tuple[str, str]]:
    """Return a share of the names by lot, rounded up."""
    return drawn(names, math.ceil(round(share * len(names), 9)), *key)
