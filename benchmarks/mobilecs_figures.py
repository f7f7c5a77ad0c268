"""Figures of MobileCS that the overview shows: where they stand in the pages of the parts, and what must hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Figure(NamedTuple):
    """A figure: where it stands in the page of a part."""

    what: str
    part: str
    heading: str
    """Start of a heading; the first table below it that has the row and the column."""
    row: str
    """Start of the row's cells, with ` | ` between them."""
    columns: tuple[str, ...]
    must: str = ""
    holds: Callable[[list[float]], bool] | None = None
    """Told by the numbers of the figure, whether what must hold does."""


def _least(bound: float) -> Callable[[list[float]], bool]:
    return lambda numbers: numbers[0] >= bound


def _most(bound: float) -> Callable[[list[float]], bool]:
    return lambda numbers: numbers[0] <= bound


FIGURES = (
    Figure("entity F1, `crowd`: extractor", "extraction", "## Systems", "`crowd`: extractor", ("entity F1",)),
    Figure("entity F1, `crowd`: published pipeline", "extraction", "## Systems", "`crowd`: pipeline", ("entity F1",)),
    Figure("triple F1, `crowd`: extractor", "extraction", "## Systems", "`crowd`: extractor", ("triple F1",)),
    Figure("triple F1, `crowd`: published pipeline", "extraction", "## Systems", "`crowd`: pipeline", ("triple F1",)),
    Figure(
        "entity F1, extractor - pipeline",
        "extraction",
        "## Systems",
        "`crowd`: extractor - pipeline | entity-f1",
        ("points", "p"),
        "at least 5, p < .01",
        lambda numbers: numbers[0] >= 5 and numbers[-1] < 0.01,
    ),
    Figure(
        "triple F1, extractor - pipeline",
        "extraction",
        "## Systems",
        "`crowd`: extractor - pipeline | triple-f1",
        ("points", "p"),
        "at least 5, p < .01",
        lambda numbers: numbers[0] >= 5 and numbers[-1] < 0.01,
    ),
    *(
        Figure(
            f"{kind} F1, `clean`: extractor",
            "extraction",
            "## Systems",
            "`clean`: extractor",
            (f"{kind} F1",),
            f"at least {bound}",
            _least(bound),
        )
        for kind, bound in (("entity", 92), ("triple", 88))
    ),
    Figure(
        "training of the extractor, CPU min",
        "extraction",
        "## Systems",
        "`clean`: extractor",
        ("CPU min",),
        "at most 30",
        _most(30),
    ),
    Figure("combined (strict): agent", "dialogue", "## Scores (strict)", "agent", ("combined", "95 %")),
    Figure(
        "combined (strict): baseline",
        "dialogue",
        "## Scores (strict)",
        "agent-baseline",
        ("combined", "p"),
        "20 % below the agent, p < .01 (its page tells)",
    ),
    Figure(
        "success (strict): agent",
        "dialogue",
        "## Scores (strict)",
        "agent",
        ("success",),
        "at least 75",
        _least(75),
    ),
    Figure(
        "stated values without ground, %",
        "dialogue",
        "## Values",
        "agent",
        ("%",),
        "at most 1",
        _most(1),
    ),
    Figure(
        "p95 of a turn, ms",
        "dialogue",
        "## Values",
        "agent",
        ("p95 ms",),
        "at most 60",
        _most(60),
    ),
    Figure("training of the agent, CPU min", "dialogue", "## Values", "agent", ("training, CPU min",)),
    *(
        Figure(
            f"gain from unlabelled calls, {share} % of the labels, track {track}",
            "semi",
            f"## Track {track}",
            f"{share} % | {dialogues} | both",
            ("learned from", "gain", "95 % interval"),
            "interval above 0",
            lambda numbers: numbers[1] > 0,
        )
        for track, sizes in ((1, (10, 30, 100)), (2, (10, 30, 99)))
        for share, dialogues in zip((1, 3, 10), sizes, strict=True)
    ),
    *(
        Figure(f"success of 1,000 simulated calls: {name}", "policy", "## 1000 goals", name, ("success",))
        for name in ("rules", "supervised", "policy-gradient", "reward-weighted")
    ),
    Figure(
        "policy-gradient - supervised, points of success",
        "policy",
        "Differences from the supervised policy",
        "policy-gradient",
        ("success",),
        "at least 5, interval above 0",
        lambda numbers: numbers[0] >= 5 and numbers[1] > 0,
    ),
    Figure(
        "the same with the trained user",
        "policy",
        "Differences from the supervised policy, as above",
        "policy-gradient",
        ("success",),
        "at least 5, interval above 0",
        lambda numbers: numbers[0] >= 5 and numbers[1] > 0,
    ),
    Figure(
        "the same, points of BLEU",
        "policy",
        "| difference from supervised",
        "policy-gradient",
        ("bleu",),
        "at least -1",
        _least(-1),
    ),
    Figure(
        "training of the policy, CPU s",
        "policy",
        "## Training",
        "policy-gradient",
        ("CPU seconds",),
        "at most 1800",
        _most(1800),
    ),
)


def figure_of(one: Figure, page: str) -> str:
    """Return a figure as the page has it; `not measured` where it has not."""
    below = page.partition(f"\n{one.heading}")
    lines = (one.heading + below[2]).split("\n") if below[1] else []
    wanted, head = one.row.split(" | "), list[str]()
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")] if line.startswith("|") else []
        if not cells:
            head = []
        elif not head:
            head = cells
        elif cells[: len(wanted)] == wanted:
            found = [cells[head.index(name)] for name in one.columns if name in head and head.index(name) < len(cells)]
            if found and found[-1]:
                return ", ".join(filter(None, found)).replace("**", "")
    return "not measured"


def judged(one: Figure, found: str) -> str:
    """Return whether what must hold does: yes, no, or nothing where nothing must."""
    numbers = [float(number) for number in re.findall(r"[-+]?\d*\.?\d+", found)]
    if one.holds is None or not numbers:
        return ""
    return "yes" if one.holds(numbers) else "**no**"
