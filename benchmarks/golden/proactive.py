"""Golden cases of the proactive challenge: the scorer, and the conversions of the official tools."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from duologue.challenges.proactive import convert, matching
from duologue.core.errors import FormatError
from duologue.core.records import Scoring
from golden.cases import Case, files_below, near, printed, read, read_lines, report_on, same, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from golden.cases import Differences

SESSIONS, SAMPLES, TOPICS = "sessions.jsonl", "samples.jsonl", "topics.jsonl"
"""Names of the files that the official converters were run on and wrote; only their folder's name is free."""
MODEL_TEXTS = {"model_text.generalised.txt": True, "model_text.plain.txt": False}
"""File to whether topics are replaced by slots."""
MATCHES = re.compile(r"match\.k([01])\.g([01])\.p([01])\.txt")

NAMES = {"f1": "f1", "bleu1": "bleu-1", "bleu2": "bleu-2", "distinct1": "distinct-1", "distinct2": "distinct-2"}


def find(golden: Path) -> Iterator[Case]:
    """Yield scorer cases (a JSON object with `stdout` and `returncode` beside one text file) and conversions."""
    for path in files_below(golden, "*.json"):
        expected = read(path)
        if isinstance(expected, dict) and {"stdout", "returncode"} <= expected.keys():
            for text in files_below(path.parent, "*.txt"):
                yield Case("scorer", path.parent.name, partial(_scorer, text, expected))
    for path in files_below(golden, SESSIONS):
        yield from _conversions(path.parent)
    for path in files_below(golden, "*.npz"):
        yield Case("trained model", path.stem, None)


def _scorer(text: Path, expected: dict[str, Any], _: Path) -> Differences:
    try:
        report = report_on("proactive", [], text, Scoring(variant="official"))
    except FormatError as error:
        kind = str(expected.get("error", "no error")).partition(":")[0]
        named = [] if kind in str(error) else [f"expected {kind}, found {error}"]
        return named + same("printed lines", printed(error.transcript), expected["stdout"])
    if expected["returncode"]:
        return [f"expected {expected.get('error')}, found scores"]
    found = values_of(report)
    differences = same("printed lines", printed(report.transcript), expected["stdout"])
    for name, value in expected.get("exact", {}).items():
        differences += near(name, found[NAMES[name]], value) if name in NAMES else same(name, report.n, value)
    return differences


def _conversions(folder: Path) -> Iterator[Case]:
    """Yield what the official converters made of the sessions in a folder, step by step."""
    sessions, samples, topics = (folder / name for name in (SESSIONS, SAMPLES, TOPICS))
    yield Case("sessions to samples", folder.name, partial(_converted, sessions, "session", "sample", samples))
    yield Case("samples to topics", folder.name, partial(_converted, samples, "sample", "topics", topics))
    for name, generalise in MODEL_TEXTS.items():
        if (folder / name).is_file():
            run = partial(_converted, samples, "sample", "model-text", folder / name, generalise=generalise)
            yield Case("samples to model text", name, run)
    if (folder / "generated.final.txt").is_file():
        yield Case("slots to names", folder.name, partial(_materialised, folder))
    if (folder / "generated.eval.stdout").is_file():
        yield Case("scorer", f"{folder.name}, generated", partial(_generated, folder))
    for path in files_below(folder, "match.*.txt"):
        yield Case("matching text", path.name, partial(_matched, path))
    if (folder / "gene.dict").is_file():
        yield Case("matching dictionary", folder.name, partial(_dictionary, folder))


def _converted(
    given: Path, source: str, target: str, wanted: Path, scratch: Path, *, generalise: bool = True
) -> Differences:
    made = convert.convert(source, target, given, scratch / "out.txt", generalise=generalise)
    return _same_bytes(made[0], wanted)


def _same_bytes(found: Path, wanted: Path) -> Differences:
    if found.read_bytes() == wanted.read_bytes():
        return []
    return same(wanted.name, found.read_text(encoding="utf-8"), wanted.read_text(encoding="utf-8")) or ["line ends"]


def _materialised(folder: Path, scratch: Path) -> Differences:
    made = convert.materialise(folder / "generated.txt", folder / TOPICS, scratch / "final.txt")
    return _same_bytes(made[0], folder / "generated.final.txt")


def _generated(folder: Path, _: Path) -> Differences:
    """Score the replies with their names, as an evaluation file and against the samples."""
    wanted = (folder / "generated.eval.stdout").read_text(encoding="utf-8")
    how = Scoring(variant="official")
    alone = report_on("proactive", [], folder / "generated.eval.txt", how)
    against = report_on("proactive", [folder / SAMPLES], folder / "generated.final.txt", how)
    return [
        *same("evaluation file", printed(alone.transcript).rstrip(), wanted.rstrip()),
        *same("replies against samples", printed(against.transcript).rstrip(), wanted.rstrip()),
    ]


def _matched(path: Path, _: Path) -> Differences:
    found = MATCHES.fullmatch(path.name)
    if found is None:
        return [f"{path.name} does not say how it was made"]
    knowledge, generalise, predict = (digit == "1" for digit in found.groups())
    rows = read_lines(path.with_name("candidates.jsonl"))
    lines = [
        line
        for row in rows
        for line in matching.match_lines(row, knowledge=knowledge, generalise=generalise, predict=predict)
    ]
    return same("lines", _text(lines), path.read_bytes().decode("utf-8"))


def _text(lines: Sequence[str]) -> str:
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _dictionary(folder: Path, _: Path) -> Differences:
    """The dictionary was made of the text with knowledge and slots, for training."""
    lines = (folder / "match.k1.g1.p0.txt").read_bytes().decode("utf-8").split("\n")[:-1]
    wanted = (folder / "gene.dict").read_bytes().decode("utf-8")
    return same("tokens", _text(matching.dictionary(lines)), wanted)
