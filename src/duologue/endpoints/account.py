"""Account of answers: calls, tokens, time, and what could not be read; accounts of answers add up to that of a run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

from duologue.core.system_answers import TAKEN_UP
from duologue.endpoints.server_words import FILTERED, NO_COMPLETION, TOO_LONG

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.endpoints.caps import SpendingCaps
    from duologue.endpoints.completion import ChatCompletion


class Account:
    """What one answer, or many, took."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.milliseconds: list[float] = []
        """Wall time of each call, as it took when it was made."""
        self.first_choices: dict[str, list[int]] = {}
        """By the number of candidates shown: how often each place was chosen first."""

    def note(self, **counts: int) -> None:
        """Add to counts by name."""
        for name, count in counts.items():
            if count:
                self.counts[name] = self.counts.get(name, 0) + count

    def chosen(self, place: int, size: int) -> None:
        """Count the place that was chosen first, of so many."""
        self.first_choices.setdefault(str(size), [0] * size)[place] += 1

    def called(self, completion: ChatCompletion, *, kept: bool, one_token: bool = False, again: int = 0) -> None:
        """Count a call; `kept` says that it was not made anew, `one_token` that it was to end after one.

        `again` are the requests that were sent for it beside the one that was answered: tries, and refused forms.
        """
        self.milliseconds.append(completion.milliseconds)
        self.note(
            calls=1,
            kept=int(kept),
            sent_again=again,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            estimated=int(not completion.told),
            refusals=int(bool(completion.refusal) and completion.finish not in {TOO_LONG, FILTERED, NO_COMPLETION}),
            too_long=int(completion.finish == TOO_LONG),
            prompts_filtered=int(completion.finish == FILTERED),
            no_completion=int(completion.finish == NO_COMPLETION),
            cut_off=int(completion.finish == "length" and not one_token),
            filtered=int(completion.finish == "content_filter"),
        )

    def table(self) -> dict[str, Any]:
        """Return the account as plain JSON."""
        return {"counts": self.counts, "ms": self.milliseconds, "first": self.first_choices}

    @classmethod
    def total(cls, tables: Iterable[dict[str, Any]]) -> Self:
        """Return the sum of accounts given as `table` does; what is none is passed over.

        All calls of an answer that was taken up are kept ones, and nothing was sent for them.
        """
        found = cls()
        for table in tables:
            if not {"counts", "ms", "first"} <= table.keys():
                continue
            counts = {name: int(count) for name, count in table["counts"].items()}
            if table.get(TAKEN_UP):
                counts["kept"] = counts.get("calls", 0)
                counts.pop("sent_again", None)
            found.note(**counts)
            found.milliseconds += [float(one) for one in table["ms"]]
            for size, chosen in table["first"].items():
                known = found.first_choices.setdefault(size, [0] * len(chosen))
                found.first_choices[size] = [one + more for one, more in zip(known, chosen, strict=True)]
        return found

    def bias(self) -> dict[str, Any]:
        """Return the order bias by the number of candidates shown: the share of first choices by place.

        With an even chance of each place all shares are equal; `distance` is half the sum of the differences (total
        variation: 0 none, near 1 always one place).
        """
        found = {}
        for size, chosen in sorted(self.first_choices.items(), key=lambda one: int(one[0])):
            total = sum(chosen)
            shares = [one / total for one in chosen]
            distance = math.fsum(abs(share - 1 / len(shares)) for share in shares) / 2
            found[size] = {
                "choices": total,
                "shares": [round(one, 4) for one in shares],
                "distance": round(distance, 4),
            }
        return found

    def summary(self, caps: SpendingCaps) -> dict[str, Any]:
        """Return all that is told beside a result, as a TOML table."""
        ordered = sorted(self.milliseconds)
        counts = {name: self.counts.get(name, 0) for name in ("calls", "kept", "prompt_tokens", "completion_tokens")}
        more = {name: count for name, count in sorted(self.counts.items()) if name not in counts}
        cost = caps.cost(counts["prompt_tokens"], counts["completion_tokens"])
        return {
            **counts,
            "unparsable": more.pop("unparsable", 0),
            **more,
            **({"cost": round(cost, 6)} if cost else {}),
            **({"latency_ms": {f"p{share}": _quantile(ordered, share) for share in (50, 95, 99)}} if ordered else {}),
            **({"order_bias": bias} if (bias := self.bias()) else {}),
        }


def summary_lines(
    told: dict[str, Any], answers: int, *, unread: str = "that could not be read and count as empty"
) -> list[str]:
    """Return a summary as lines for people; `unread` says which answers are unparsable, and what becomes of them."""
    again = told.get("sent_again", 0)
    sent = f", requests sent for the others: {told['calls'] - told['kept'] + again:,}, tries included" if again else ""
    lines = [
        f"calls: {told['calls']:,} ({told['kept']:,} of them kept from before){sent}, tokens: "
        f"{told['prompt_tokens']:,} in, {told['completion_tokens']:,} out"
        + (" (some estimated)" if told.get("estimated") else "")
        + (f", cost: {told['cost']:g}" if "cost" in told else "")
    ]
    if "latency_ms" in told:
        lines.append(
            "latency of a call: " + ", ".join(f"{name} {ms:,.0f} ms" for name, ms in told["latency_ms"].items())
        )
    odd = {
        "unparsable": f"answers {unread}",
        "unparsable_calls": "calls of them or of others without a readable choice",
        "dropped": "parts left out that name nothing which was offered",
        "unranked": "candidates that were shown and not ranked",
        "refusals": "refusals",
        "cut_off": "cut off at reply_tokens",
        "filtered": "cut off by a filter of the server",
        "too_long": "prompts longer than the server takes (--set turns=... and --set facts=... shorten them)",
        "prompts_filtered": "prompts that a filter of the server refused",
        "no_completion": "calls that the server answered with what is no chat completion, try after try",
    }
    lines.append(f"not as asked: {told['unparsable']:,} of {answers:,} {odd.pop('unparsable')}")
    found = [f"{told[name]:,} {words}" for name, words in odd.items() if told.get(name)]
    if found:
        lines[-1] += "; " + ", ".join(found)
    if told.get("pairs"):
        lines.append(f"pairs: {told['pairs']:,}, decided otherwise in the other order: {told.get('flips', 0):,}")
    lines += [
        f"order bias, {size} shown: first choices by place {_percent(one['shares'])} (distance {one['distance']:.2f})"
        for size, one in told.get("order_bias", {}).items()
    ]
    return lines


_SHOWN_PLACES = 12


def _percent(shares: Sequence[float]) -> str:
    more = " ..." if len(shares) > _SHOWN_PLACES else ""
    return " ".join(f"{100 * share:.0f}" for share in shares[:_SHOWN_PLACES]) + f"{more} %"


def _quantile(ordered: Sequence[float], percent: int) -> float:
    return round(ordered[math.ceil(percent / 100 * len(ordered)) - 1], 1)
