"""The page of the pilot task: what the splits hold, scores with intervals, paired tests, costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.metrics.counts import Counts
from duologue.run.saved import formulas_of
from families import tested
from p_values import p_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.records import Report

SHOWN = ("bleu-1", "bleu-4", "rouge-l", "cider", "chrf", "greedy-idf", "relevance", "distinct-2", "different-replies")
TESTED = ("bleu-4", "rouge-l", "greedy-idf", "relevance")
PAIRS = (
    ("retriever", "constant"),
    ("retriever", "drawn"),
    ("retriever", "nearest"),
    ("copy", "constant"),
    ("copy", "drawn"),
    ("copy", "nearest"),
    ("copy", "retriever"),
)
"""Rows of a split that are compared, where both were made."""


class Extracted(NamedTuple):
    """What an extraction holds."""

    text: str
    profile: str
    pairs: dict[str, int]
    """By split."""
    known: dict[str, float]
    """Share of a split's pairs that are pairs of train."""
    said: dict[str, float]
    """Share of a split's answers that somebody says in train, as a question or an answer."""


class Scored(NamedTuple):
    """What a row came to on the samples of a split."""

    text: str
    profile: str
    row: str
    split: str
    is_system: bool
    report: Report
    costs: Mapping[str, float]


def page(licences: Mapping[str, str], extracted: Sequence[Extracted], found: Sequence[Scored], samples: int) -> str:
    """Return the page."""
    only = "" if len(licences) > 1 else f" --only {' '.join(licences)}"
    lines = [
        _HEAD.format(only=only, samples=samples),
        "| text | from | profile | train | dev | test |",
        "|---|---|---|---|---|---|",
    ]
    for one in extracted:
        sizes = " | ".join(f"{one.pairs[split]:,}" for split in ("train", "dev", "test"))
        lines.append(f"| {one.text} | {licences[one.text]} | {one.profile} | {sizes} |")
    lines += [
        "",
        _SHARED,
        "| text | profile | dev: pairs | dev: answers | test: pairs | test: answers |",
        "|---|---|---|---|---|---|",
    ]
    for one in extracted:
        cells = (f"{100 * share[split]:.1f} %" for split in ("dev", "test") for share in (one.known, one.said))
        lines.append(f"| {one.text} | {one.profile} | {' | '.join(cells)} |")
    for text in licences:
        for split in ("test", "dev", "train"):
            here = [one for one in found if (one.text, one.profile, one.split) == (text, "by-movie", split)]
            lines += ["", f"## {text}: {_TITLES[split]}", "", *_scores(here)]
        here = [one for one in found if (one.text, one.profile) == (text, "official")]
        lines += ["", f"## {text}: dev of the official profile", "", *_scores(here)]
    lines += ["", "## Paired tests", "", _TESTS, *_tests(found)]
    lines += ["", "## Costs of training", "", "| text | system | CPU seconds | megabytes |", "|---|---|---|---|"]
    for row in found:
        if row.is_system and (row.profile, row.split) == ("by-movie", "test"):
            lines.append(f"| {row.text} | {row.row} | {row.costs['cpu']:.0f} | {row.costs['mb']:.0f} |")
    return "\n".join(lines) + "\n"


def _scores(found: Sequence[Scored]) -> list[str]:
    known = {score.name for one in found for score in one.report.scores}
    names = [name for name in SHOWN if name in known]
    lines = [f"| system | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for one in found:
        scores = {score.name: score for score in one.report.scores}
        cells = []
        for name in names:
            value, low, high = scores[name].value, scores[name].low, scores[name].high
            cells.append(f"{value:.3f}" + ("" if low is None or high is None else f" ({low:.3f}-{high:.3f})"))
        lines.append(f"| {one.row} | {' | '.join(cells)} |")
    return lines


def _tests(found: Sequence[Scored]) -> list[str]:
    counts = [Counts.of_report(one.report) for one in found]
    places = {(one.text, one.profile, one.split, one.row): place for place, one in enumerate(found)}
    asked = []
    for text, profile, split in dict.fromkeys(key[:3] for key in places):
        for first, second in PAIRS:
            one, two = places.get((text, profile, split, first)), places.get((text, profile, split, second))
            if one is None or two is None or split == "train":
                continue
            metrics = [metric for metric in formulas_of(found[one].report) if metric.name in TESTED]
            asked += [(one, two, metric) for metric in metrics]
    families: dict[tuple[str, str, str], list[int]] = {}
    for number, (one, _, _) in enumerate(asked):
        families.setdefault((found[one].text, found[one].profile, found[one].split), []).append(number)
    lines = ["| text | profile | split | first | second | score | difference | 95 % interval | p |", f"|{'---|' * 9}"]
    for numbers in families.values():  # dev and test of one size have the same ids: a family each
        results = tested([(counts[asked[n][0]], counts[asked[n][1]], asked[n][2]) for n in numbers])
        for number, test in zip(numbers, results, strict=True):
            left, right = (found[place] for place in asked[number][:2])
            cells = (left.text, left.profile, left.split, left.row, right.row, test.name, f"{test.difference:+.3f}")
            lines.append(f"| {' | '.join(cells)} | {test.low:+.3f} to {test.high:+.3f} | {p_value(test.p_adjusted)} |")
    return lines


_TITLES = {
    "test": "test, films that nobody has seen",
    "dev": "dev, which chose the weights of `copy`",
    "train": "train, which the systems have learned",
}
_HEAD = """# The pilot task: the next line of a film

Made by `python benchmarks/conversation_pilot.py --data FOLDER{only}`, seed 1.

The licence of subtitles is not clear, so dialogues of known licence stand for them: each becomes a film in the layout
of the 2016 release, its sentences cut into words as OPUS cut them and without speakers
(`docs/examples/subtitle_archive.py`). They are chats or bookings, no films; what the page shows is the path from the
archive to scores, and how its splits behave.

`duologue data extract subtitles en.tar.gz --ratios 0.8,0.1,0.1 --eval {samples}` makes the splits, by film (`by-movie`,
ours) and as the official tool does (`official`: the shuffled list of all pairs is cut). A pair is two neighbouring
sentences of fewer than 20 words; the second, which may be of the same speaker, is asked for. {samples} samples of each
split are drawn as the official sampling draws them. `retriever` learns from all of train, `copy` from the 7,000 pairs
that its recipe draws (54 a step, about as many replies as a step of its default has; nothing else was chosen); it keeps
the weights that are best on dev.

`constant` is the polite sentence that beat the systems of 2017, `central` the training answer that agrees most with
others, `drawn` one by chance, `nearest` the answer to the most similar line (BM25). Word vectors (greedy-idf) and the
judge of relevance (does the line find its own context among ten? chance .1) are made from train. In brackets 95 %
intervals over samples; lines of one film are not independent, so they are narrow rather than wide.
"""
_SHARED = """What the systems could have seen word for word: pairs of dev and test that are pairs of train, and answers
that somebody says in train, as a question or an answer:
"""
_TESTS = """The first against the second on the same samples; p of the paired randomisation test, corrected over all
tests on one split of one text. Train is left out: what was learned by heart proves nothing.
"""
