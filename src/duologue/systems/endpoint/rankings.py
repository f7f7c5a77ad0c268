"""Rankings by a chat model: whole orders, a tournament of pairs, or probabilities of labels, told or sampled.

Models favour places: what is shown first is chosen more often whatever it says. So candidates are shown in several
orders, each second one the reverse of the one before, and how often each place was chosen first is counted. Ties are
decided by lot, never by the order of the data.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.core.errors import BotError
from duologue.core.rng import Rng
from duologue.prompts.labels import labels
from duologue.systems.endpoint.place_effects import utilities

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.core.records import Sample
    from duologue.endpoints.account import Account
    from duologue.endpoints.completion import ChatCompletion
    from duologue.prompts.prompt import Prompt

    Ask = Callable[[Sample, str, Account], ChatCompletion]
    """Asks for `rank` or `best` of the candidates of a sample, in their order."""

    Draw = Callable[[Sample, int, Account], ChatCompletion]
    """Asks for the best candidate of a sample once more, with the number of the draw."""

NO_LOGPROBS = "gives no logprobs; choose --set ranking=sampled, listwise or pairwise"
_CONFOUNDED = 2
"""Orders that cannot tell whether a candidate or its place is favoured: each then stands at one of two places."""
_MANY = 10_000
_UNSEEN = -1.0
"""Added to the lowest log probability told, for labels that are not among those."""


class _Shown(NamedTuple):
    """An order of the candidates, by their places in the sample."""

    sample: Sample
    places: tuple[int, ...]


def orders(sample: Sample, count: int, seed: int) -> list[tuple[int, ...]]:
    """Return orders of the candidates by lot, each second one the reverse of the one before.

    >>> from duologue.core.records import Candidate, Sample
    >>> one = Sample(id="s", dialogue_id="d", candidates=tuple(Candidate(id=x, text=x) for x in "abc"))
    >>> first, second = orders(one, 2, 1)
    >>> first == second[::-1]
    True
    """
    found: list[tuple[int, ...]] = []
    for number in range(count):
        if number % 2:
            found.append(found[-1][::-1])
        else:
            lot = Rng(seed, sample.id, "order", number // 2)
            found.append(tuple(lot.shuffled(range(len(sample.candidates)))))
    return found


def draws_of(found: Sequence[tuple[int, ...]], draws: int) -> list[range]:
    """Return for each order the numbers of its draws: an order that comes again is drawn anew.

    >>> draws_of([(0, 1), (1, 0), (0, 1)], 2)
    [range(0, 2), range(0, 2), range(2, 4)]
    """
    seen: Counter[tuple[int, ...]] = Counter()
    numbers = []
    for places in found:
        numbers.append(range(draws * seen[places], draws * (seen[places] + 1)))
        seen[places] += 1
    return numbers


def listwise(ask: Ask, prompt: Prompt, sample: Sample, count: int, seed: int, account: Account) -> tuple[str, ...]:
    """Return the candidates by their mean rank over `count` orders; those that a model leaves out share the last."""
    size = len(sample.candidates)
    ranks, read = [0.0] * size, 0
    for shown in _shown(sample, orders(sample, count, seed)):
        order = prompt.read_order(ask(shown.sample, "rank", account).text, shown.sample)
        if order is None:
            account.note(unparsable_calls=1)
            continue
        read += 1
        account.chosen(order[0], size)
        left = (len(order) + size - 1) / 2  # mean of the ranks that are left
        for place in range(size):
            ranks[shown.places[place]] += order.index(place) if place in order else left
        account.note(unranked=size - len(order))
    if not read:
        account.note(unparsable=1)
    return _best_first(sample, [-rank for rank in ranks], seed)


def by_logprobs(ask: Ask, sample: Sample, count: int, seed: int, account: Account) -> tuple[str, ...]:
    """Return the candidates by the probabilities of their labels as the first token, over `count` orders.

    The effect of the place is taken out (`place_effects`) where there are orders enough to know it; of two orders, one
    the reverse of the other, the mean log probability decides. Raises `BotError` where the endpoint tells none.
    """
    size = len(sample.candidates)
    known, told_orders, rows = labels(size), [], []
    for shown in _shown(sample, orders(sample, count, seed)):
        told = ask(shown.sample, "best", account).first
        if not told:
            raise BotError(f"the endpoint {NO_LOGPROBS}")
        chances = dict.fromkeys(known, 0.0)
        for token, logprob in told:
            if token.strip() in chances:
                chances[token.strip()] += math.exp(min(logprob, 0.0))
        row, seen = list(chances.values()), [chance for chance in chances.values() if chance > 0]
        if not seen:
            account.note(unparsable_calls=1)
            continue
        account.note(unranked=size - len(seen))
        account.chosen(max(range(size), key=row.__getitem__), size)
        told_orders.append(shown.places)
        rows.append(row)
    if not rows:
        account.note(unparsable=1)
    if len(rows) > _CONFOUNDED:
        return _best_first(sample, utilities(told_orders, [_as_choices(row) for row in rows]), seed)
    scores = [0.0] * size
    for places, row in zip(told_orders, rows, strict=True):
        floor = math.log(min(chance for chance in row if chance > 0)) + _UNSEEN
        for place, chance in enumerate(row):
            scores[places[place]] += math.log(chance) if chance > 0 else floor
    return _best_first(sample, scores, seed)


def _as_choices(row: Sequence[float]) -> list[float]:
    """Return probabilities as the choices that very many draws would give."""
    return [_MANY * chance / math.fsum(row) for chance in row]


def by_samples(
    draw: Draw, prompt: Prompt, sample: Sample, count: int, draws: int, seed: int, account: Account
) -> tuple[str, ...]:
    """Return the candidates by how often they are chosen at a temperature of 1, in `count` orders, `draws` times each.

    What the place did for a choice is taken out (`place_effects`). In the limit of many draws these are the
    probabilities that `by_logprobs` is told.
    """
    size = len(sample.candidates)
    shown, choices = _shown(sample, orders(sample, count, seed)), []
    for one, numbers in zip(shown, draws_of([one.places for one in shown], draws), strict=True):
        chosen = [0] * size
        for number in numbers:
            choice = prompt.read_choice(draw(one.sample, number, account).text, one.sample)
            if choice is None:
                account.note(unparsable_calls=1)
                continue
            chosen[choice] += 1
            account.chosen(choice, size)
        choices.append(chosen)
    if not any(map(any, choices)):
        account.note(unparsable=1)
    return _best_first(sample, utilities([one.places for one in shown], choices), seed)


def pairwise(ask: Ask, prompt: Prompt, sample: Sample, seed: int, account: Account) -> tuple[str, ...]:
    """Return the candidates by a knock-out tournament: each pair is asked in both orders.

    Two orders that disagree are a tie, which the lot decides. Ranked is by the rounds survived, then by the calls won.
    """
    size = len(sample.candidates)
    lot = Rng(seed, sample.id, "tournament")
    alive = lot.shuffled(range(size))
    rounds, wins, read = [0] * size, [0] * size, 0
    while len(alive) > 1:
        through = alive[len(alive) // 2 * 2 :]  # the last of an odd number has no opponent
        for one, other in zip(alive[::2], alive[1::2], strict=False):
            won = [0, 0]
            for shown in _shown(sample, [(one, other), (other, one)]):
                choice = prompt.read_choice(ask(shown.sample, "best", account).text, shown.sample)
                if choice is None:
                    account.note(unparsable_calls=1)
                    continue
                read += 1
                account.chosen(choice, 2)
                winner = shown.places[choice]
                wins[winner] += 1
                won[winner == other] += 1
            account.note(pairs=1, flips=int(won == [1, 1]))
            through.append(lot.choice((one, other)) if won[0] == won[1] else (one, other)[won[1] > won[0]])
        for place in through:
            rounds[place] += 1
        alive = through
    if size > 1 and not read:
        account.note(unparsable=1)
    return _best_first(sample, [rounds[place] + wins[place] / (4 * size + 1) for place in range(size)], seed)


def _shown(sample: Sample, found: Sequence[tuple[int, ...]]) -> list[_Shown]:
    return [
        _Shown(msgspec.structs.replace(sample, candidates=tuple(sample.candidates[place] for place in places)), places)
        for places in found
    ]


def _best_first(sample: Sample, scores: Sequence[float], seed: int) -> tuple[str, ...]:
    """Return the candidates' ids by falling score, equal ones by lot."""
    lots = [Rng(seed, sample.id, "lot", one.id).unit() for one in sample.candidates]
    places = sorted(range(len(scores)), key=lambda place: (-round(scores[place], 9), lots[place]))
    return tuple(sample.candidates[place].id for place in places)
