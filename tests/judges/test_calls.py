from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("httpx", reason="the client of endpoints is optional")

from tests import endpoint_stub as stub
from tests.endpoint_stub import Stub

from duologue.core.errors import BotError
from duologue.endpoints.caller import ChatCaller
from duologue.endpoints.caps import CapReachedError
from duologue.endpoints.settings import EndpointSettings
from duologue.judges.calls import AGAIN, JUDGED, JudgeCall, drawn, make_calls, part_of
from duologue.judges.prompt import Question
from duologue.prompts.prompt import PromptMessage

CALLS = [
    JudgeCall(JUDGED, "s", str(number), Question([PromptMessage("user", f"number {number}")], {"type": "object"}))
    for number in range(12)
]


def caller(url: str, **entries: Any) -> ChatCaller:
    return ChatCaller(EndpointSettings(url=url, model="m", structure="none", **{"cache": "", "wait": 0.01, **entries}))


def number_of(asked: dict[str, Any]) -> str:
    return str(asked["messages"][-1]["content"])


@pytest.mark.parametrize("workers", [1, 6])
def test_words_stand_in_the_order_of_the_calls(workers: int) -> None:
    shown = []
    with Stub(brain=number_of, delay=0.01) as server:
        made = make_calls(caller(server.url), CALLS, 1, workers, lambda done, total, _: shown.append((done, total)))
    assert made.texts == tuple(f"number {number}" for number in range(12))
    assert made.account.counts["calls"] == 12
    assert shown[-1] == (12, 12)


def test_a_refusal_says_nothing() -> None:
    with Stub(stub.refuses) as server:
        made = make_calls(caller(server.url), CALLS[:1], 1, 1)
    assert made.texts == ("",)
    assert made.account.counts["refusals"] == 1


def test_a_server_that_fails_and_a_cap_tell_what_is_done() -> None:
    with (
        Stub(stub.answers, stub.answers, stub.broken) as server,
        pytest.raises(BotError, match="2 of 12 calls are done"),
    ):
        make_calls(caller(server.url, tries=1), CALLS, 1, 1)
    with Stub() as server, pytest.raises(CapReachedError, match="3 of 12 calls are done"):
        make_calls(caller(server.url, max_calls=3), CALLS, 1, 1)


def test_a_second_judgement_has_another_seed() -> None:
    assert CALLS[0].request(5).seed == 5
    assert CALLS[0]._replace(what=AGAIN).request(5).seed == 6


def test_items_are_drawn_by_the_seed_whatever_their_order() -> None:
    names = [("s", str(number)) for number in range(20)]
    assert drawn(names, 5, 1, "x") == drawn(names[::-1], 5, 1, "x")
    assert drawn(names, 5, 1, "x") != drawn(names, 5, 2, "x")
    assert [len(part_of(names, share, 1)) for share in (0.0, 0.1, 0.11, 1.0)] == [0, 2, 3, 20]
