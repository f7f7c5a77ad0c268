"""Speed and memory of the knowledge base: `python benchmarks/knowledge.py [facts]` prints a table.

Makes restaurants in the proportions of the challenge (9 facts each, values as frequent as in its
files), one million facts by default. Times are processor time of the thread, so that other work on
the machine does not count; per query, over 2,000 queries whose values are drawn at random. Queries of one
condition return a third of all restaurants at worst. The very first query, which loads numpy, is apart.
"""

from __future__ import annotations

import random
import resource
import sys
import time

from duologue.core.records import Fact
from duologue.knowledge.base import KnowledgeBase

FIELDS = {
    "cuisine": [f"cuisine{number}" for number in range(5)],
    "location": [f"location{number}" for number in range(5)],
    "number": ["two", "four", "six", "eight"],
    "price": ["cheap", "moderate", "expensive"],
    "atmosphere": ["business", "casual", "romantic"],
    "restrictions": ["glutenfree", "vegan", "vegetarian"],
    "rating": [str(number) for number in range(1, 73)],
}
QUERIES = 2_000


def facts(count: int, rng: random.Random) -> list[Fact]:
    """Make about `count` facts, 9 for each restaurant."""
    made = []
    for number in range(count // 9 + 1):
        name = f"place_{number}"
        made += [Fact(subject=name, relation=field, object=rng.choice(values)) for field, values in FIELDS.items()]
        made += [Fact(subject=name, relation=field, object=f"{name}_{field}") for field in ("phone", "address")]
    return made[:count]


def quantile(times: list[float], share: float) -> float:
    """Return the time that `share` of the queries stay below."""
    return sorted(times)[int(share * (len(times) - 1))]


def memory() -> float:
    """Return the resident peak in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(base: KnowledgeBase, conditions: list[dict[str, str]]) -> tuple[list[float], float]:
    """Return the time of each query in milliseconds and the mean number of subjects found."""
    times, found = [], 0
    for condition in conditions:
        start = time.thread_time_ns()
        found += len(base.find(condition))
        times.append((time.thread_time_ns() - start) / 1e6)
    return times, found / len(conditions)


def show(what: str, times: list[float], found: float) -> list[float]:
    """Print one row of the table and pass the times on."""
    row = f"| {what} | {found:,.1f} | {quantile(times, 0.5):.3f} | {quantile(times, 0.99):.3f} | {max(times):.3f} |"
    print(row)
    return times


def main() -> None:
    """Build, query, print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rng = random.Random(1)
    made = facts(count, rng)
    before, start = memory(), time.process_time()
    base = KnowledgeBase("benchmark", made)
    print(f"{len(base):,} facts: built in {time.process_time() - start:.2f} s, "
          f"indexes {memory() - before:.0f} MB beside {before:.0f} MB of facts")  # fmt: skip
    first, _ = measure(base, [{"price": "cheap"}])
    print(f"first query {first[0]:.0f} ms")
    print("| conditions | found (mean) | p50 ms | p99 ms | max ms |\n|---|---|---|---|---|")
    names = list(FIELDS)[:6]
    every: list[float] = []
    for size in range(1, 7):
        conditions = [{name: rng.choice(FIELDS[name]) for name in rng.sample(names, size)} for _ in range(QUERIES)]
        every += show(str(size), *measure(base, conditions))
    phones = [f"place_{rng.randrange(count // 9)}_phone" for _ in range(QUERIES)]
    every += show("phone, price", *measure(base, [{"phone": phone, "price": "cheap"} for phone in phones]))
    ratings = [rng.choice(FIELDS["rating"]) for _ in range(QUERIES)]
    every += show("rating, price", *measure(base, [{"rating": rating, "price": "cheap"} for rating in ratings]))
    print(f"all: p50 {quantile(every, 0.5):.3f} ms, p99 {quantile(every, 0.99):.3f} ms")
    print(f"at the end {memory():.0f} MB in all")


if __name__ == "__main__":
    main()
