"""Rankings by a chat-only endpoint beside those by log probabilities, on the same local model and samples.

The server tells the probabilities of the labels once for each order of the candidates. What `ranking=sampled` does
with any number of draws follows from them exactly, so it is computed and not asked: with how many draws the chat-only
way chooses as the logprob way does, and what that is worth in P@1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from duologue.core.plugins import load_task
from duologue.core.records import Record
from duologue.endpoints.account import Account
from duologue.endpoints.caller import ChatCaller, CompletionRequest
from duologue.prompts.labels import labels
from duologue.prompts.prompt import prompt_of
from duologue.systems.endpoint import rankings
from duologue.systems.endpoint.place_effects import utilities
from duologue.systems.endpoint.recipe import EndpointRecipe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from duologue.core.records import Example
    from duologue.endpoints.completion import ChatCompletion

    Floats = NDArray[np.float64]

ORDERS, SEED = 4, 1
CALLS = (16, 64, 256, 1024, 65_536, 4_194_304)
"""Draws for a sample, spread over the orders; the last two say where the ways meet, and nobody would pay for them."""
_MANY = 10_000
"""Draws that stand for probabilities."""
REPEATS = 40
"""Times that the draws of a sample are repeated."""


class ToldLabels(Record, frozen=True, kw_only=True):
    """What the model thinks of the candidates of a sample, shown in several orders."""

    id: str
    gold: int
    """Place of the right candidate in the sample."""
    orders: list[list[int]]
    """Places of the candidates as they are shown."""
    chances: list[list[float]]
    """Per order the probability of each label as the first token; 0 where it is not among the likeliest 20."""


class DrawnRow(NamedTuple):
    """The chat-only way with so many calls beside the logprob way."""

    calls: int
    hit: float
    """P@1 to be expected."""
    difference: tuple[float, float, float]
    """From the logprob way, with its 95 % interval over samples."""
    agreement: float
    """How often both ways choose the same candidate."""


def told_labels(url: str, examples: Sequence[Example], path: Path) -> list[ToldLabels]:
    """Ask for the probabilities of samples that `path` does not hold yet, and return those that it holds then.

    Without an address nothing is asked.
    """
    known = {one.id: one for one in _read(path)} if path.is_file() else {}
    if not url:
        return [known[one.sample.id] for one in examples if one.sample.id in known]
    caller = ChatCaller(EndpointRecipe(url=url, model="local", workers=1, timeout=900.0, cache=""))
    prompt = prompt_of(load_task("restaurant").info)
    with path.open("ab") as file:
        for example in examples:
            sample = example.sample
            if sample.id in known:
                continue
            orders = rankings.orders(sample, ORDERS, SEED)
            chances = []
            for places in orders:
                shown = tuple(sample.candidates[place] for place in places)
                messages = prompt.messages(msgspec.structs.replace(sample, candidates=shown), "best")
                completion = caller.ask(CompletionRequest(messages, SEED, one_token=True), Account())
                chances.append(_chances(completion, len(shown)))
            right = (example.references[0].ranking or ("",))[0]
            gold = [one.id for one in sample.candidates].index(right)
            row = ToldLabels(id=sample.id, gold=gold, orders=[list(one) for one in orders], chances=chances)
            known[sample.id] = row
            file.write(msgspec.json.encode(row) + b"\n")
            file.flush()
            print(f"  {len(known)} of {len(examples)} samples", flush=True)
    return [known[one.sample.id] for one in examples if one.sample.id in known]


def _read(path: Path) -> Iterator[ToldLabels]:
    for line in path.read_bytes().splitlines():
        yield msgspec.json.decode(line, type=ToldLabels)


def _chances(completion: ChatCompletion, size: int) -> list[float]:
    found = dict.fromkeys(labels(size), 0.0)
    for token, logprob in completion.first:
        if token.strip() in found:
            found[token.strip()] += math.exp(min(logprob, 0.0))
    return list(found.values())


def drawn_rows(told: Sequence[ToldLabels]) -> list[DrawnRow]:
    """Return a row for each number of calls."""
    rng = np.random.default_rng(SEED)
    first = np.array([_first(_scores(one)) for one in told])  # (n,)
    gold = np.array([one.gold for one in told])
    rows = []
    for calls in CALLS:
        chosen = np.array([_drawn_first(one, calls // ORDERS, rng) for one in told])  # (n, repeats)
        right = (chosen == gold[:, None]).mean(axis=1)
        agreement = float((chosen == first[:, None]).mean())
        rows.append(DrawnRow(calls, float(right.mean()), interval(right - (first == gold)), agreement))
    return rows


def told_hit(told: Sequence[ToldLabels]) -> tuple[float, float, float]:
    """Return P@1 of the logprob way with its 95 % interval over samples."""
    return interval(np.array([float(_first(_scores(one)) == one.gold) for one in told]))


def knowing(told: Sequence[ToldLabels], nats: float) -> list[ToldLabels]:
    """Return the same labels of a model that holds the right candidate for likelier by so many nats."""
    return [
        msgspec.structs.replace(
            one,
            chances=[
                [chance * math.exp(nats * (place == one.gold)) for place, chance in zip(places, row, strict=True)]
                for places, row in zip(one.orders, one.chances, strict=True)
            ],
        )
        for one in told
    ]


def spread(told: Sequence[ToldLabels]) -> tuple[float, float]:
    """Return what moves the log probability of a label: its place, and the candidate shown there.

    Variances in squared nats, averaged over samples; of the place that of the mean over orders.
    """
    by_place = [np.mean([row - row.mean() for row in _logs(one)], axis=0).var() for one in told]
    return float(np.mean(by_place)), float(np.mean([_scores(one).var() for one in told]))


def interval(values: Floats) -> tuple[float, float, float]:
    """Return a mean with its 95 % bootstrap interval (percentiles)."""
    rng = np.random.default_rng(SEED)
    means = values[rng.integers(0, len(values), (4000, len(values)))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(values.mean()), float(low), float(high)


def _logs(one: ToldLabels) -> list[Floats]:
    """Return the log probabilities of the labels per order; labels that are not told are a little less likely."""
    found = []
    for chances in one.chances:
        seen = min(chance for chance in chances if chance > 0)
        found.append(np.log(np.array([chance or seen * math.exp(-1) for chance in chances])))
    return found


def _scores(one: ToldLabels) -> Floats:
    """Return what `by_logprobs` makes of the probabilities: utilities without the effect of the place."""
    return np.array(utilities(one.orders, [_MANY * np.exp(row) / np.exp(row).sum() for row in _logs(one)]))


def _drawn_first(one: ToldLabels, draws: int, rng: np.random.Generator) -> list[int]:
    """Return the place that is first after `draws` draws of each order, `REPEATS` times; ties are decided by lot."""
    chances = [np.exp(row) / np.exp(row).sum() for row in _logs(one)]
    found = []
    for _ in range(REPEATS):
        choices = [rng.multinomial(draws, row).tolist() for row in chances]
        found.append(_first(np.array(utilities(one.orders, choices)) + 1e-9 * rng.random(len(chances[0]))))
    return found


def _first(scores: Floats) -> int:
    return int(scores.argmax())
