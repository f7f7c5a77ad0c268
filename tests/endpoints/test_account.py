from __future__ import annotations

from duologue.core.system_answers import taken_up
from duologue.endpoints.account import Account, summary_lines
from duologue.endpoints.caps import SpendingCaps
from duologue.endpoints.completion import ChatCompletion
from duologue.systems.endpoint.recipe import EndpointRecipe

CAPS = SpendingCaps(EndpointRecipe(url="http://x/v1", model="m", price_in=1.0, price_out=2.0))


def one(milliseconds: float, *, kept: bool = False) -> Account:
    account = Account()
    made = ChatCompletion(
        text="", refusal="no", finish="length", prompt_tokens=1000, completion_tokens=500, milliseconds=milliseconds
    )
    account.called(made, kept=kept)
    return account


def test_a_call_for_one_token_is_not_cut_off() -> None:
    account = Account()
    account.called(ChatCompletion(text="A", finish="length"), kept=False, one_token=True)
    assert "cut_off" not in account.counts


def test_answers_that_a_filter_cut_off_are_told() -> None:
    account = Account()
    for finish in ("content_filter", "stop"):
        account.called(ChatCompletion(text="the answ", finish=finish), kept=False)
    assert summary_lines(account.summary(CAPS), 2)[-1].endswith("count as empty; 1 cut off by a filter of the server")


def test_prompts_that_a_server_refused_for_themselves_are_told_and_are_no_refusals_of_the_model() -> None:
    account = Account()
    for finish in ("prompt_too_long", "prompt_filtered", "prompt_filtered"):
        account.called(ChatCompletion(text="", refusal="no", finish=finish), kept=False)
    told = summary_lines(account.summary(CAPS), 3)[-1]
    assert "1 prompts longer than the server takes (--set turns=... and --set facts=..." in told
    assert "2 prompts that a filter of the server refused" in told
    assert "refusals" not in told


def test_answers_that_are_no_chat_completion_are_told_and_are_no_refusals_of_the_model() -> None:
    account = Account()
    account.called(ChatCompletion(text="", refusal='{"foo":1}', finish="no_completion"), kept=False)
    told = summary_lines(account.summary(CAPS), 1)[-1]
    assert told.endswith("; 1 calls that the server answered with what is no chat completion, try after try")


def test_accounts_add_up_and_are_told_with_cost_and_latency() -> None:
    accounts = [one(float(number), kept=number > 90) for number in range(1, 101)]
    accounts[0].note(unparsable=1, dropped=4)
    total = Account.total(account.table() for account in accounts)
    told = total.summary(CAPS)
    assert (told["calls"], told["kept"], told["prompt_tokens"], told["completion_tokens"]) == (100, 10, 100_000, 50_000)
    assert told["cost"] == 0.2
    assert told["latency_ms"] == {"p50": 50.0, "p95": 95.0, "p99": 99.0}
    assert (told["unparsable"], told["refusals"], told["cut_off"], told["estimated"]) == (1, 100, 100, 100)
    lines = summary_lines(told, 100)
    assert lines[0] == (
        "calls: 100 (10 of them kept from before), tokens: 100,000 in, 50,000 out (some estimated), cost: 0.2"
    )
    assert lines[1] == "latency of a call: p50 50 ms, p95 95 ms, p99 99 ms"
    assert lines[2].startswith("not as asked: 1 of 100 answers that could not be read and count as empty; 4 parts left")


def test_calls_of_answers_that_were_taken_up_are_kept_ones() -> None:
    new, before = one(1.0), one(2.0)
    new.note(sent_again=1)
    before.note(sent_again=4)
    total = Account.total([new.table(), taken_up(before.table()), taken_up({})])
    assert (total.counts["calls"], total.counts["kept"], total.counts["sent_again"]) == (2, 1, 1)
    assert len(total.milliseconds) == 2


def test_order_bias_is_the_share_of_first_choices_by_place() -> None:
    account = Account()
    for place in (0, 0, 0, 1):
        account.chosen(place, 2)
    account.chosen(2, 3)
    account.note(pairs=2, flips=1)
    told = Account.total([account.table(), {}, Account().table()]).summary(CAPS)
    assert told["order_bias"] == {
        "2": {"choices": 4, "shares": [0.75, 0.25], "distance": 0.25},
        "3": {"choices": 1, "shares": [0.0, 0.0, 1.0], "distance": 0.6667},
    }
    lines = summary_lines(told, 3, unread="left out")
    assert any(" of 3 answers left out" in line for line in lines)
    assert "pairs: 2, decided otherwise in the other order: 1" in lines
    assert "order bias, 2 shown: first choices by place 75 25 % (distance 0.25)" in lines
