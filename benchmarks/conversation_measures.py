"""What the scores of replies can tell: people from a constant sentence, and systems as people order them.

    python benchmarks/conversation_measures.py FOLDER --vectors TABLE [--write]

FOLDER is laid out like the organisers' evaluation package (`benchmarks/conversation.py`), TABLE a table of word vectors
such as `vectors.txt` of `benchmarks/conversation_systems.py`. Prints the page; with `--write` it becomes
`benchmarks/CONVERSATION_MEASURES.md`.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from conversation import pearson, ranks, table
from conversation_floors import PROBE
from duologue.challenges.conversation.formats.files import read_submission
from duologue.challenges.conversation.task import ConversationTask
from duologue.core.disk import write_text
from duologue.core.records import Scoring
from duologue.metrics.counts import Counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Example, Report
    from duologue.metrics.counts import Floats

PAGE = Path(__file__).with_name("CONVERSATION_MEASURES.md")
_OURS = ("bleu-4", "rouge-l", "chrf", "distinct-2", "different-replies")
_UNFIT = "S_20"
"""A submission of 47 sentences, 198 times `<no_reply>`: far below all others for people, far above on BLEU."""


class Separation(NamedTuple):
    """How far a score holds people from a constant sentence."""

    name: str
    people: float
    constant: float
    z: float
    """Difference by its jackknife standard error over samples; document frequencies are taken as given."""


def main() -> None:
    """Measure, print, and write the page where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text = page(separations(options.folder, options.vectors), options.folder)
    print(text, end="")
    if options.write:
        write_text(PAGE, text)


def separations(folder: Path, vectors: Path) -> list[Separation]:
    """Score what one person composed, and a constant sentence, against the other ten references."""
    task = ConversationTask()
    composed = folder / "references" / "refgen_result1.txt.gz"
    examples = task.load_files(sorted(path for path in (folder / "references").glob("*.txt*") if path != composed))
    how = Scoring(variant="coco", options={"vectors": str(vectors), "meteor": ""})
    people = task.score(examples, read_submission(composed), how)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "constant.txt"
        path.write_text(f"{PROBE}\n" * len(examples), encoding="utf-8")
        constant = task.score(examples, read_submission(path), how)
    return _separated(people, constant, how)


def _separated(people: Report, constant: Report, how: Scoring) -> list[Separation]:
    first, second = Counts.of_report(people), Counts.of_report(constant)
    found = []
    for metric in ConversationTask().metrics(how):
        if metric.name.startswith(("distinct", "different", "commonest")):
            continue
        here, there = (counts.array[:, counts.positions(metric.columns)] for counts in (first, second))
        left_out = metric.total(here.sum(axis=0) - here) - metric.total(there.sum(axis=0) - there)
        person, sentence = (float(metric.total(rows.sum(axis=0))) for rows in (here, there))
        found.append(Separation(metric.name, person, sentence, (person - sentence) / _error(left_out)))
    return sorted(found, key=lambda one: -one.z)


def _error(left_out: Floats) -> float:
    """Return the jackknife standard error."""
    n = len(left_out)
    return float(np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()))


def page(found: Sequence[Separation], folder: Path) -> str:
    """Return the page."""
    published, human = (
        table(folder / name) for name in ("objective_evaluation_results.txt", "human_evaluation_results.txt")
    )
    rated = {name: human[name]["score"] for name in published}
    ours = _scored(folder)
    lines = [
        """# What the scores of replies can tell

Made by `python benchmarks/conversation_measures.py FOLDER --vectors TABLE --write` from the organisers' evaluation
package and word vectors of other text (PPMI and SVD, 100 dimensions).

## People and a constant sentence

2,000 replies that one person composed (`refgen_result1`), and one polite sentence 2,000 times, each against the other
ten references. z: the difference by its jackknife standard error over samples. A z below 0 takes the sentence for
the better answer to 2,000 different tweets.

| score | person | constant sentence | z |
|---|---|---|---|""",
        *(f"| {one.name} | {one.people:.3f} | {one.constant:.3f} | {one.z:+.1f} |" for one in found),
        "",
        f"""## Systems as people order them

Rank correlation (Spearman; Pearson in brackets) with the mean rating of ten people. Over 19 systems: the published
figures of all submissions and the baseline but {_UNFIT}, which says 47 different sentences and is last for people by
far; it alone turns several signs in Pearson's correlation. Over 14: what can be scored here from published replies.

| published score | 19 systems | 20 systems |
|---|---|---|""",
    ]
    fit = [name for name in published if name != _UNFIT]
    for column in next(iter(published.values())):
        cells = [_both([published[name][column] for name in names], [rated[name] for name in names])
                 for names in (fit, list(published))]  # fmt: skip
        lines.append(f"| {column} | {' | '.join(cells)} |")
    lines += ["", f"| score made here | {len(ours)} systems |", "|---|---|"]
    for name in _OURS:
        cell = _both([scores[name] for scores in ours.values()], [rated[system] for system in ours])
        lines.append(f"| {name} | {cell} |")
    return "\n".join(lines) + "\n"


def _both(values: Sequence[float], rated: Sequence[float]) -> str:
    first, second = list(values), list(rated)
    return f"{pearson(ranks(first), ranks(second)):+.2f} ({pearson(first, second):+.2f})"


def _scored(folder: Path) -> dict[str, dict[str, float]]:
    """Return our scores of the submissions at hand, by system."""
    task, how = ConversationTask(), Scoring(variant="strict", options={"meteor": ""})
    examples: Sequence[Example] = task.load_files(sorted((folder / "references").glob("*.txt*")))
    paths = sorted((folder / "hypotheses").glob("S_*"))
    return {
        path.name.split(".")[0]: {one.name: one.value for one in task.score(examples, task.read(path), how).scores}
        for path in paths
    }


if __name__ == "__main__":
    main()
