"""Recomputes a stored report from its files and tells what differs."""

from __future__ import annotations

import math
import os
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.disk import Source
from duologue.core.errors import DuologueError, FormatError, UsageError, did_you_mean
from duologue.core.folder_files import all_files
from duologue.core.lines import sha256
from duologue.core.plugins import load_task
from duologue.run import evaluate
from duologue.run.notes import note_of
from duologue.run.prompt_marks import with_prompts
from duologue.run.saved import how_of, read_report
from duologue.run.stored import Located, files_of, locate, told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import TaskInfo
    from duologue.core.records import Report, Score
    from duologue.run.stored import StoredFile, StoredFiles

REPORTS = "*.report.json"
"""Names of saved reports, as `duologue score --out` should be given."""
_LONGEST = 200
"""Characters of a figure that are told where it differs; counts of all items are many."""
NO_NOTE = "told by the report alone, since the note of the run is not beside the result here"


class Verdict(NamedTuple):
    """What came of re-computing one saved report."""

    path: Path
    signature: str
    checked: int
    """How many stored figures were compared."""
    differences: tuple[str, ...]
    """What differs, in words; empty: everything is equal."""
    remarks: tuple[str, ...] = ()
    """What could not be compared, in words."""
    missing: tuple[str, ...] = ()
    """Files that are not to be had, in words: nothing is compared without them, equal or not."""


def find(what: str, folders: Sequence[Path]) -> list[Path]:
    """Return the saved reports that `what` means: a file, or all below `folders` that hold this signature.

    A signature is that of a whole report or of one of its scores. Raises `UsageError` when there is none.
    """
    if Path(what).is_file():
        return [Path(what)]
    looked, found = 0, []
    below = {path for folder in folders if folder.is_dir() for path in all_files(folder) if path.match(REPORTS)}
    for path in sorted(one for one in below if one.is_file()):
        looked += 1
        try:
            report = read_report(path)
        except DuologueError:  # whatever else ends in .report.json is not what is looked for
            continue
        if what in {str(report.signature), *(str(score.signature) for score in report.scores)}:
            found.append(path)
    if not found:
        places = ", ".join(map(str, folders))
        raise UsageError(
            f"no report with the signature '{what}' is among the {looked} below {places}, and no file has this name; "
            f"say where to look with --in FOLDER"
        )
    return found


class FileLocations(NamedTuple):
    """Where the files behind a report are, as its reader says; what is left out is looked for."""

    folders: tuple[Path, ...] = ()
    """Folders below which stored files are looked for, beside that of the report."""
    gold: tuple[Path, ...] = ()
    input: Path | None = None
    pred: Path | None = None
    options: Mapping[str, str] = MappingProxyType({})
    """Files and programs of scoring options by name, such as METEOR's program; the only way to name a program."""


def paths_in(options: Sequence[str]) -> dict[str, str]:
    """Return `name=path` texts as a dictionary. Raises `UsageError` for a text of another shape."""
    pairs = {name: path for name, _, path in (one.partition("=") for one in options)}
    if not all(name and path for name, path in pairs.items()):
        raise UsageError("--option: expected name=path, such as --option meteor=meteor-1.5.jar")
    return pairs


def verify(path: Path, given: FileLocations = FileLocations()) -> Verdict:  # noqa: B008  # it never changes
    """Score again what a saved report was made from and compare every figure, exactly.

    Files are looked for by their stored path beside the report and in the current folder, and anywhere below the
    folders given (`stored.locate`), and hold what the report says by their hashes. Raises `UsageError` for a report
    that does not name its files (made before they were kept), for an option that the task does not have, and where a
    program counted that is not given; `FormatError` for a damaged report; and what scoring raises, for a file that has
    changed meanwhile as one more difference.
    """
    report = read_report(path)
    files = files_of(report, path)
    if files is None:
        raise UsageError(f"{path} does not name the files that it was made from; score them again with --out")
    task = load_task(report.task)
    how = how_of(report)
    differences: list[str] = []
    looked = _Search(path, given.folders, differences)
    golds = looked.all(files.gold, given.gold)
    data = looked.all(files.input, [given.input] if given.input else [])
    pred = looked.all(files.pred, [given.pred] if given.pred else [])
    options = _options(task.info, files, given.options, looked)
    if looked.missing:
        return Verdict(path, str(report.signature), 0, tuple(differences), missing=tuple(looked.missing))
    test_set = report.meta.get("test_set")
    try:
        again = evaluate.score(
            task,
            golds,
            pred[0],
            msgspec.structs.replace(how, options={**how.options, **options}),
            data=data[0] if data else None,
            test_set=str(test_set) if test_set else None,
        )
    except FormatError as error:
        if not differences:
            raise
        refused = f"so it cannot be scored again: {str(error).partition(chr(10))[0].removesuffix(':')}"
        return Verdict(path, str(report.signature), 0, (*differences, refused))
    prompts, remarks = report.signature.prompts, []
    if bool(prompts) != bool(again.signature.prompts):  # an old report, or a result without its note
        again = with_prompts(again, prompts)
        remarks = [f"the prompt is {NO_NOTE}: {', '.join(prompts.values())}"] if prompts else []
    pairs = _figures(report, again)
    if note_of(pred[0], again.meta["files"]["pred"][0]["sha256"]).note is not None:
        pairs += _declared(report, again)
    elif report.seen or report.external is not None:
        remarks.append(f"the data that {report.system} has seen is {NO_NOTE}")
    differences += [
        f"{what}: stored {_shown(stored)}, computed {_shown(now)}"
        for what, stored, now in pairs
        if not _same(stored, now)
    ]
    return Verdict(path, str(report.signature), len(pairs), tuple(differences), tuple(remarks))


class _Search:
    """Looks for the files behind one report and notes what differs."""

    def __init__(self, report: Path, folders: tuple[Path, ...], differences: list[str]) -> None:
        self._report = report
        self._folders = folders
        self._differences = differences
        self.missing: list[str] = []
        """Files that are not to be had at all, in words."""

    def all(self, files: Sequence[StoredFile], given: Sequence[Path]) -> list[Path]:
        """Return where files are, those that are given before those that are found."""
        if given and len(given) != len(files):
            raise UsageError(f"{self._report} was made from {len(files)} such files, {len(given)} given")
        found = [self._given(one, path) for one, path in zip(files, given, strict=True)] if given else []
        return [path for path in (found or map(self._located, files)) if path is not None]

    def _given(self, one: StoredFile, path: Path) -> Path:
        return self.compared(one, path, sha256(Source(path)))

    def _located(self, one: StoredFile) -> Path | None:
        found = locate(one, self._report, self._folders)
        if found.path is not None:
            return found.path
        if found.changed is not None:
            return self.compared(one, *found.changed)
        self.missing.append(told(one, found))
        return None

    def compared(self, one: StoredFile, path: Path, here: str) -> Path:
        """Return the path of a file; note where it does not hold what was scored."""
        if here != one.sha256:
            self._differences.append(told(one, Located(None, (path, here))))
        return path


def _options(info: TaskInfo, files: StoredFiles, given: Mapping[str, str], looked: _Search) -> dict[str, str]:
    """Return the values of the options that are files and programs: what the reader gives, never a program else.

    Options that did not count are empty, whatever the environment says.
    """
    known = {*info.files, *info.programs}
    for name in given:
        if name not in known:
            raise UsageError(f"{info.name} has no file or program to be given as '{name}'{did_you_mean(name, known)}")
    values = dict.fromkeys(sorted(known), "")
    for one in files.options:
        if one.option in info.files:
            found = looked.all([one], [Path(given[one.option])] if one.option in given else [])
            values[one.option] = str(found[0]) if found else ""
    for one in files.programs:
        if one.option not in info.programs:
            continue
        variable = f"DUOLOGUE_{one.option.upper()}"
        program = given.get(one.option) or os.environ.get(variable)
        if not program:
            raise UsageError(
                f"{one.option} was counted by a program (SHA-256 {one.sha256[:12]}), and a report is never asked which "
                f"program to run; say where yours is with --option {one.option}=PATH, or set {variable}"
            )
        looked.compared(one, Path(program), sha256(Source(Path(program))))
        values[one.option] = program
    return values


def _figures(stored: Report, now: Report) -> list[tuple[str, Any, Any]]:
    """Return what both reports say of each thing: `None` where one says nothing."""
    pairs: list[tuple[str, Any, Any]] = [("n", stored.n, now.n)]
    pairs.append(("signature", str(stored.signature), str(now.signature)))
    pairs.append(("hashes of the signature", stored.signature.hashes, now.signature.hashes))
    pairs += _compared("", stored.scores, now.scores)
    if stored.transcript or now.transcript:
        pairs.append(("printed lines", stored.transcript, now.transcript))
    pairs.append(("counts per item", (stored.columns, stored.items), (now.columns, now.items)))
    pairs.append(("dialogues of the items", stored.groups, now.groups))
    before, after = ({(one.by, one.value): one for one in report.slices} for report in (stored, now))
    for key in dict.fromkeys((*before, *after)):
        one, other = before.get(key), after.get(key)
        named = f"{key[0]} {key[1]}, "
        pairs.append((f"{named}n", one and one.n, other and other.n))
        pairs += _compared(named, one.scores if one else (), other.scores if other else ())
    return pairs


def _declared(stored: Report, now: Report) -> list[tuple[str, Any, Any]]:
    """Return what both reports say of the system and its data, which the note of a run tells."""
    pairs: list[tuple[str, Any, Any]] = [
        ("system", stored.system, now.system),
        ("data seen in training", stored.seen, now.seen),
        ("external data", stored.external, now.external),
    ]
    if now.exposure is not None:  # it needs a sketch beside the note
        pairs.append(("share of the truth that was seen in training", stored.exposure, now.exposure))
    return pairs


def _compared(named: str, stored: Sequence[Score], now: Sequence[Score]) -> list[tuple[str, Any, Any]]:
    """Return figures and signatures of scores: what stands beside a score in words may be said anew."""
    before, after = ({score.name: _figures_of(score) for score in scores} for scores in (stored, now))
    return [
        (f"{named}{name}, {field}", before.get(name, {}).get(field), after.get(name, {}).get(field))
        for name in dict.fromkeys((*before, *after))
        for field in ("value", "low", "high", "signature", "hashes")
    ]


def _figures_of(score: Score) -> dict[str, Any]:
    found = {name: getattr(score, name) for name in ("value", "low", "high")}
    return found | {"signature": str(score.signature), "hashes": score.signature.hashes}


def _shown(figure: object) -> str:
    told = repr(figure)
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}…"


def _same(one: object, other: object) -> bool:
    """Whether two figures are equal; NaN is equal to itself and to nothing, as JSON writes it."""
    if isinstance(one, float) and math.isnan(one):
        one = None
    if isinstance(other, float) and math.isnan(other):
        other = None
    return one == other
