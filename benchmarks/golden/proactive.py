"""Golden cases of the proactive challenge: the scorer, and the conversions of the official tools."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.proactive.formats import conversions, matcher_text
from duologue.core.errors import FormatError
from duologue.core.records import Scoring
from golden.cases import Case, files_below, near, printed, read, read_lines, report_on, same, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from golden.cases import Differences

SLOT = re.compile(r"(video|person)_topic_[ab]")
"""What stands for a topic in generalised text."""

NAMES = {"f1": "f1", "bleu1": "bleu-1", "bleu2": "bleu-2", "distinct1": "distinct-1", "distinct2": "distinct-2"}


def find(golden: Path) -> Iterator[Case]:
    """Yield scorer cases (a JSON object with `stdout` and `returncode` beside one text file) and conversions."""
    for path in files_below(golden, "*.json"):
        expected = read(path)
        if isinstance(expected, dict) and {"stdout", "returncode"} <= expected.keys():
            for text in _text_of(path):
                yield Case("scorer", path.parent.name, partial(_scorer, text, expected))
    for folder in sorted({path.parent for path in files_below(golden, "*.jsonl")}):
        for group in _groups(folder):
            yield from _conversions(group)
    for path in files_below(golden, "*.npz"):
        yield Case("trained model", path.stem, None)


def _text_of(expected: Path) -> list[Path]:
    """Return the text that was scored: the one beside the figures; of several, those of nearly the same name."""
    texts = sorted(expected.parent.glob("*.txt"))
    part = expected.name.partition(".")[0]
    return texts if len(texts) == 1 else [path for path in texts if path.name.partition(".")[0] == part]


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


class Group(NamedTuple):
    """The files of one run of the official converters, by what they hold."""

    name: str
    kinds: dict[str, list[Path]]


def _groups(folder: Path) -> Iterator[Group]:
    """Yield the files of a folder as one group; with several session files, as one per first part of the names."""
    found = [(path, kind) for path in sorted(folder.iterdir()) if path.is_file() and (kind := _kind_of(path))]
    several = sum(kind == "sessions" for _, kind in found) > 1
    groups: dict[str, dict[str, list[Path]]] = {}
    for path, kind in found:
        part = path.name.partition(".")[0]
        groups.setdefault(f"{folder.name}, {part}" if several else folder.name, {}).setdefault(kind, []).append(path)
    for name, kinds in groups.items():
        yield Group(name, kinds)


def _kind_of(path: Path) -> str:
    """Return what a file of the converters holds, told by its first line; an empty text for any other."""
    if path.suffix == ".jsonl":
        row = next(iter(read_lines(path)), None)
        keys = row.keys() if isinstance(row, dict) else set[str]()
        for key, kind in (("conversation", "sessions"), ("candidate", "candidates"), ("history", "samples")):
            if key in keys:
                return kind
        return "topics" if keys and all(map(SLOT.fullmatch, keys)) else ""
    if path.suffix == ".dict":
        return "dictionary"
    if path.suffix != ".txt":
        return ""
    if path.name.endswith(".final.txt"):
        return "replies"
    fields = path.read_text(encoding="utf-8").partition("\n")[0].split("\t")
    if len(fields) in {3, 5} and fields[0] in {"0", "1"}:
        return "matching text"
    return "model text" if len(fields) == 3 else ""


def _conversions(group: Group) -> Iterator[Case]:
    """Yield what the official converters made of one file of sessions, step by step."""
    name, kinds = group
    for samples in kinds.get("samples", ())[:1]:
        for path in kinds.get("sessions", ()):
            yield Case("sessions to samples", name, partial(_converted, path, "session", "sample", samples))
        for path in kinds.get("topics", ()):
            yield Case("samples to topics", name, partial(_converted, samples, "sample", "topics", path))
        for path in kinds.get("model text", ()):
            generalise = bool(SLOT.search(path.read_text(encoding="utf-8")))
            run = partial(_converted, samples, "sample", "model-text", path, generalise=generalise)
            yield Case("samples to model text", f"{name}, {path.name}", run)
        for path in kinds.get("replies", ()):
            if _beside(path, ".eval.stdout").is_file():
                yield Case("scorer", f"{name}, {path.name}", partial(_generated, path, samples))
    for topics in kinds.get("topics", ())[:1]:
        for path in kinds.get("replies", ()):
            yield Case("slots to names", f"{name}, {path.name}", partial(_materialised, path, topics))
    yield from _matchings(group)


def _matchings(group: Group) -> Iterator[Case]:
    """Yield what the converter of the retrieval baseline made of samples with candidates."""
    name, kinds = group
    texts = kinds.get("matching text", ())
    for candidates in kinds.get("candidates", ())[:1]:
        for path in texts:
            yield Case("matching text", f"{name}, {path.name}", partial(_matched, candidates, path))
    for path in kinds.get("dictionary", ()):
        yield Case("matching dictionary", f"{name}, {path.name}", partial(_dictionary, path, texts))


def _beside(final: Path, suffix: str) -> Path:
    """Return the file that belongs to one of replies with their names."""
    return final.with_name(final.name.removesuffix(".final.txt") + suffix)


def _converted(
    given: Path, source: str, target: str, wanted: Path, scratch: Path, *, generalise: bool = True
) -> Differences:
    made = conversions.convert(source, target, given, scratch / "out.txt", {} if generalise else {"generalise": "no"})
    return _same_bytes(made[0], wanted)


def _same_bytes(found: Path, wanted: Path) -> Differences:
    if found.read_bytes() == wanted.read_bytes():
        return []
    return same(wanted.name, found.read_text(encoding="utf-8"), wanted.read_text(encoding="utf-8")) or ["line ends"]


def _materialised(final: Path, topics: Path, scratch: Path) -> Differences:
    made = conversions.convert(
        "generated", "replies", _beside(final, ".txt"), scratch / "final.txt", {"topics": str(topics)}
    )
    return _same_bytes(made[0], final)


def _generated(final: Path, samples: Path, _: Path) -> Differences:
    """Score the replies with their names, as an evaluation file and against the samples."""
    wanted = _beside(final, ".eval.stdout").read_text(encoding="utf-8")
    how = Scoring(variant="official")
    alone = report_on("proactive", [], _beside(final, ".eval.txt"), how)
    against = report_on("proactive", [samples], final, how)
    return [
        *same("evaluation file", printed(alone.transcript).rstrip(), wanted.rstrip()),
        *same("replies against samples", printed(against.transcript).rstrip(), wanted.rstrip()),
    ]


def _matched(candidates: Path, wanted: Path, scratch: Path) -> Differences:
    """Make matcher text with the choices that the wanted text shows: its fields, its slots, its labels."""
    text = wanted.read_bytes().decode("utf-8")
    lines = [line.split("\t") for line in text.split("\n")[:-1]]
    chosen = {
        "knowledge": len(lines[0]) == 5,
        "generalise": SLOT.search(text) is not None,
        "predict": all(fields[0] == "0" for fields in lines),
    }
    choices = {name: "yes" if chosen[name] else "no" for name in chosen}
    conversions.convert("sample", "matcher-text", candidates, scratch / "matcher.txt", choices)
    return _same_bytes(scratch / "matcher.txt", wanted)


def _dictionary(wanted: Path, texts: Sequence[Path], _: Path) -> Differences:
    """Make the dictionary of each text beside it: which one it was made of is not said."""
    text = wanted.read_bytes().decode("utf-8")
    made = {_text(matcher_text.dictionary(one.read_bytes().decode("utf-8").split("\n")[:-1])) for one in texts}
    return [] if text in made else same("tokens", max(made, key=len, default=""), text)


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
