"""METEOR 1.5 through its original Java program, the only way to its exact figures.

The program and its paraphrase table are not part of this distribution: `meteor-1.5.jar` with the folder `data`
beside it, as the package `pycocoevalcap` of the extra `meteor` holds it (104 MB). A scorer takes its path as an option,
from the environment variable `DUOLOGUE_METEOR`, or from that package where there is a Java; asked for and unable to
run, it is an error, never a 0.

The program aligns and counts; the formula over its counts is here, so that intervals and paired tests add counts
up as for every other score.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess  # the program is Java, and the caller says where it lies
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from duologue.core.disk import resolved
from duologue.core.errors import MissingExtraError, UsageError
from duologue.metrics.corpus_bleu import TokenizedPair
from duologue.metrics.counts import Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.metrics.counts import Floats

VARIABLE = "DUOLOGUE_METEOR"
"""Environment variable with the path of `meteor-1.5.jar`; empty: no METEOR, even where its package is installed."""

PACKAGE, _JAR = "pycocoevalcap", ("meteor", "meteor-1.5.jar")
"""The package that brings the program, and where in it."""

_STAGES = ("exact", "stem", "synonym", "paraphrase")
_SIDES = ("hypothesis", "reference")
COLUMNS = (
    *(f"meteor {side} tokens" for side in _SIDES),
    *(f"meteor {side} function words" for side in _SIDES),
    *(f"meteor {side} {stage} {kind}" for stage in _STAGES for kind in ("content", "function") for side in _SIDES),
    "meteor chunks",
    *(f"meteor {side} matches" for side in _SIDES),
)
"""What the program counts per item, in its order."""

_ALPHA, _BETA, _GAMMA, _DELTA = 0.85, 0.2, 0.6, 0.75
_WEIGHTS = np.array([1.0, 0.6, 0.8, 0.6])
"""The program's parameters for English: balance, fragmentation (two), content words, and the four stages."""

_UNMATCHED = "\u2603"
"""Sent in place of an empty hypothesis, which the program refuses; counted as no token."""


class Meteor(Metric[TokenizedPair]):
    """METEOR 1.5 (English, normalised) over the sums of the program's counts, as the program totals them."""

    name = "meteor"
    columns = COLUMNS
    formula = "meteor = METEOR 1.5 -l en -norm, totalled over counts"
    source = "Denkowski and Lavie 2014, counted by the original Java program"

    def __init__(self, jar: Path | None = None) -> None:
        self.jar = jar

    def count(self, seen: TokenizedPair) -> tuple[float, ...]:
        """Return the counts of one item: one start of the program, half a minute. Use `count_meteor` for many."""
        found = count_meteor([" ".join(seen.hypothesis)], [[" ".join(one) for one in seen.references]], self.jar)
        return tuple(found[0].tolist())

    def total(self, sums: Floats) -> Floats:
        """Return METEOR for sums of counts; 0 where nothing matches, NaN where there is no item."""
        content, function = sums[..., 4:20:4], sums[..., 6:20:4]
        said = _share(sums[..., 0], sums[..., 2], content, function)
        wanted = _share(sums[..., 1], sums[..., 3], sums[..., 5:20:4], sums[..., 7:20:4])
        matched = (said > 0) & (wanted > 0)
        fmean = 1 / ((1 - _ALPHA) / np.where(matched, said, 1.0) + _ALPHA / np.where(matched, wanted, 1.0))
        chunks, pairs = sums[..., 20], (sums[..., 21] + sums[..., 22]) / 2
        frag = chunks / np.where(pairs > 0, pairs, 1.0)
        found = np.where(matched, fmean * (1 - _GAMMA * frag**_BETA), 0.0)
        return np.where((sums[..., 0] == 0) & (sums[..., 1] == 0), np.nan, found)


def _share(tokens: Floats, function: Floats, content_hits: Floats, function_hits: Floats) -> Floats:
    length = _DELTA * (tokens - function) + (1 - _DELTA) * function
    hits = ((_DELTA * content_hits + (1 - _DELTA) * function_hits) * _WEIGHTS).sum(axis=-1)
    found: Floats = hits / np.where(length > 0, length, 1.0)
    return found


def find_meteor() -> Path | None:
    """Return the path of the program: of `DUOLOGUE_METEOR` where it is set, else in the package of the extra `meteor`.

    `None` where the variable is empty, where there is neither, and for the package without a `java` on the path.
    """
    found = os.environ.get(VARIABLE)
    if found is not None:
        return Path(found) if found else None
    spec = importlib.util.find_spec(PACKAGE) if shutil.which("java") else None  # the package itself is not imported
    places = [Path(folder, *_JAR) for folder in (spec.submodule_search_locations or ())] if spec else []
    return next((path for path in places if path.is_file()), None)


def count_meteor(hypotheses: Sequence[str], references: Sequence[Sequence[str]], jar: Path | None = None) -> Floats:
    """Return the program's counts, columns as `COLUMNS`, shape (items, 23); the best reference counts.

    `jar` is the path of `meteor-1.5.jar`, by default that of `find_meteor`. Starting it takes some ten
    seconds, 2,000 items with 11 references about a minute. `|||` in a text separates texts for the program and
    is taken out. Raises `UsageError` when no jar is given or it does not exist, and `MissingExtraError` when
    Java is missing or the program fails.
    """
    path = jar or find_meteor()
    if path is None:
        raise UsageError(
            f"METEOR needs its Java program: install duologue[meteor] and Java, give the path of meteor-1.5.jar, or "
            f"set {VARIABLE}"
        )
    if not path.is_file():
        raise UsageError(f"there is no METEOR program {path}; it is meteor-1.5.jar of {PACKAGE}")
    java = shutil.which("java")
    if java is None:
        raise MissingExtraError("METEOR needs Java, and no 'java' is on the path")
    if not hypotheses:
        return np.zeros((0, len(COLUMNS)))
    lines = [_line(said, several) for said, several in zip(hypotheses, references, strict=True)]
    command = [java, "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", str(resolved(path)), "-", "-"]
    ran = subprocess.run(  # noqa: S603  # no shell; texts go in through standard input
        [*command, "-stdio", "-l", "en", "-norm"],
        input="".join(lines),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    rows = [line.split() for line in ran.stdout.splitlines()]
    try:
        array = np.array(rows, dtype=np.float64)
    except ValueError:
        array = np.empty((0, 0))
    if array.shape != (len(lines), len(COLUMNS)):
        said_last = (ran.stderr or ran.stdout).strip().rpartition("\n")[2]
        raise MissingExtraError(
            f"the METEOR program {path} gave {len(rows)} usable rows for {len(lines)} items (exit status "
            f"{ran.returncode}); it said last: {said_last or 'nothing'}"
        )
    # A reply that is its reference in one piece has no fragments: the program leaves its chunk out of the total.
    whole = (array[:, 20] == 1) & (array[:, 21] == array[:, 0]) & (array[:, 22] == array[:, 1])
    array[whole, 20] = 0.0
    silent = [number for number, said in enumerate(hypotheses) if not _clean(said)]
    array[silent, 0] = 0.0
    return array


def _clean(text: str) -> str:
    return " ".join(text.replace("|||", "").split())


def _line(said: str, references: Sequence[str]) -> str:
    texts = [_clean(one) or _UNMATCHED for one in references]
    return " ||| ".join(["SCORE", *texts, _clean(said) or _UNMATCHED]) + "\n"
