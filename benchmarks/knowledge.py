"""Speed and memory of the knowledge base and of the knowledge graph.

`python benchmarks/knowledge.py [facts]` prints a table for the knowledge base, `python benchmarks/knowledge.py graph`
one for a graph in the proportions of the spoken challenge (38,000 entities, 500,000 triples, a text of about 250
characters each), read from its official file as `duologue run --kg` does and, beside it, from a database.

Makes restaurants in the proportions of the challenge (9 facts each, values as frequent as in its
files), one million facts by default. Times are processor time of the thread, so that other work on
the machine does not count; per query, over 2,000 queries whose values are drawn at random. Queries of one
condition return a third of all restaurants at worst. The very first query, which loads numpy, is apart.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duologue.challenges.spoken.formats.conversions import convert
from duologue.challenges.spoken.formats.files import write_graph
from duologue.core.optional_protocols import Grounded
from duologue.core.plugins import load_task
from duologue.core.records import Fact
from duologue.knowledge.base import KnowledgeBase
from duologue.knowledge.graph import Graph
from duologue.knowledge.query import Query, Step, run

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """Return the resident peak in MB, as far as the system tells it that of this program alone.

    What `getrusage` tells begins, in a child, with the peak of the process that started it.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        peaks = (line.split()[1] for line in status.read_text(encoding="ascii").splitlines() if "VmHWM" in line)
        return int(next(peaks)) / 1024
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


ENTITIES, TRIPLES = 38_000, 500_000
SIGNS = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]
ATTRIBUTES = [f"属性{number}" for number in range(300)]


def graph_rows(rng: random.Random) -> dict[str, list[list[Any]]]:
    """Make a graph as kg.json has it: one text an entity, a fifth of the other values names of entities."""

    def text(low: int, high: int) -> str:
        return "".join(rng.choices(SIGNS, k=rng.randint(low, high)))

    names = [text(2, 7) + ("（2003年电影）" if rng.random() < 0.1 else "") for _ in range(ENTITIES)]
    names = list(dict.fromkeys(names))
    graph: dict[str, list[list[Any]]] = {name: [[name, "Information", text(50, 450)]] for name in names}
    for number in range(TRIPLES - len(names)):
        name = names[number % len(names)]
        value: Any = rng.choice(names) if rng.random() < 0.2 else text(2, 12)
        graph[name].append([name, rng.choice(ATTRIBUTES), rng.randrange(90) if rng.random() < 0.01 else value])
    return graph


def load_graph(path: Path) -> None:
    """Load a graph, then ask it; print times of the processor and the peak of memory of this process."""
    task = load_task("spoken")
    assert isinstance(task, Grounded)
    before, start = memory(), time.process_time()
    graph = task.world(path)
    assert isinstance(graph, Graph)
    loaded = time.process_time() - start
    graph.ready()
    indexed = time.process_time() - start - loaded
    print(f"{path.name}: {len(graph):,} facts of {len(graph.entities):,} entities: read in {loaded:.2f} s, indexes "
          f"in {indexed:.2f} s, peak {memory():.0f} MB ({before:.0f} MB before)")  # fmt: skip
    rng = random.Random(2)
    names = rng.sample(list(graph.entities), QUERIES)
    values = [rng.choice(graph.about(name)).object for name in names]
    print("| query | p50 ms | p99 ms | max ms |\n|---|---|---|---|")
    kinds: dict[str, Callable[[int], object]] = {
        "name to entities": lambda at: graph.forms(names[at]),
        "facts of an entity": lambda at: graph.about(names[at]),
        "facts with a value": lambda at: graph.holders(str(values[at])),
        "facts with a value, in lists too": lambda at: graph.holders(str(values[at]), parts=True),
        "hop, then a reverse step": lambda at: run(Query(start=(names[at],), steps=(Step(), Step(back=True))), graph),
        "comparison of two": lambda at: run(Query(start=(names[at], names[at - 1]), take="largest"), graph),
    }
    for what, ask in kinds.items():
        times = []
        for at in range(QUERIES):
            begun = time.thread_time_ns()
            ask(at)
            times.append((time.thread_time_ns() - begun) / 1e6)
        print(f"| {what} | {quantile(times, 0.5):.3f} | {quantile(times, 0.99):.3f} | {max(times):.3f} |")


def graphs() -> None:
    """Make the graph and load it from each of its forms, every time in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kg.json.gz"
        write_graph(graph_rows(random.Random(1)), path)
        stored = Path(folder) / "kg.sqlite"
        start = time.process_time()
        convert("graph", "sqlite", path, stored)
        size = f"{stored.stat().st_size / 1e6:.0f} MB, made in {time.process_time() - start:.1f} s"
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB packed; {stored.name}: {size}", flush=True)
        for each in (path, stored):
            subprocess.run([sys.executable, __file__, each], check=True)


def main() -> None:
    """Build, query, print."""
    if len(sys.argv) > 1 and not sys.argv[1].isdigit():
        if sys.argv[1] == "graph":
            graphs()
        else:
            load_graph(Path(sys.argv[1]))
        return
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
