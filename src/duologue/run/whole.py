"""Whole submissions: the files of a team for several test sets, scored one by one and in total.

A truth may be a folder with a folder per test set (`tst1/...`), each with one file or several, or one file. A team's
submission is a folder or an archive of the same shape. A file of a team belongs to the truth file of the same test set
(folder) that has its name, or the task's name for it (`tst1 task 3`), or is the only one there as it is itself. Files
are totalled within a test set, item by item, and once more over all; nothing else is ever put together.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.core import archives
from duologue.core.disk import resolved, sha256, temporary_folder
from duologue.core.errors import FormatError, TruthError, UsageError
from duologue.core.folder_files import all_files
from duologue.core.records import Exposure, Problem, Signature, Slice
from duologue.core.sums import added
from duologue.run import evaluate
from duologue.run.contamination import SeenError, demand_unseen
from duologue.run.folder import RefusedFile, first_problem, is_result
from duologue.run.notes import has_note
from duologue.run.saved import formulas_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from duologue.core.protocols import Progress, Task
    from duologue.core.records import Report, Scoring

_ANSWERS = ".answers.json"


class TruthPart(NamedTuple):
    """One file of a truth."""

    test_set: str
    name: str
    """What it is called within the test set."""
    key: str
    """What a team's file for it is found by."""
    truth: evaluate.Truth


class Marks(NamedTuple):
    """What one submission scored."""

    files: tuple[Report, ...]
    test_sets: tuple[Report, ...]
    """One per test set: its files in total."""
    total: Report
    """All test sets together."""


class WholeTruth:
    """The truth of all test sets, read once."""

    def __init__(self, task: Task, parts: Sequence[TruthPart]) -> None:
        self.task = task
        self.parts = tuple(parts)

    @classmethod
    def of(cls, task: Task, golds: Sequence[Path]) -> WholeTruth:
        """Read a folder or an archive of truth files, or truth files that stand for one test set.

        Where a folder holds data files beside their truth (`X.json` and `X.answers.json`), the data give slices.
        Raises `UsageError` where there is no truth, and what reading it raises.
        """
        if len(golds) != 1 or not (golds[0].is_dir() or archives.is_archive(golds[0])):
            truth = evaluate.Truth.of(task, golds)
            return cls(task, [TruthPart(truth.test_set, truth.test_set, "", truth)])
        with unpacked(golds[0]) as folder:
            found = files_below(folder)
            answers = [path for path in found if _plain_name(path).endswith(_ANSWERS)] or found
            parts = [_truth_part(task, folder, path) for path in answers]
        if not parts:
            raise UsageError(f"{golds[0]} holds no truth files")
        return cls(task, parts)

    def score(self, place: Path, how: Scoring, *, models: Sequence[Path] = (), unseen: bool = False) -> Marks:
        """Score the submission in a folder or an archive, or one result file.

        Raises `FormatError` with all files that are missing or not accepted; with `how.partial` what is missing counts
        as wrong. `unseen` and `models` are as for `run.folder.score_folder`.
        """
        with unpacked(place) as folder, temporary_folder() as scratch:
            files = self._match(folder)
            problems = list(self._missing(folder, files)) if not how.partial else []
            reports = []
            for number, part in enumerate(self.parts):
                path = files.get(number)
                if path is None and not how.partial:
                    continue
                if path is None:
                    path = scratch / f"{number}.json"
                    self.task.write(part.truth.examples, [], path)
                try:
                    known = models if has_note(path) else ()
                    report = evaluate.score_against(
                        self.task, part.truth, path, how, test_set=self._name(part), models=known
                    )
                    if unseen:
                        demand_unseen(report)
                    if number not in files:
                        report = msgspec.structs.replace(report, problems=(_absent(part, "all of it counts as wrong"),))
                    reports.append(msgspec.structs.replace(report, system=_team(place)))
                except TruthError:
                    raise
                except FormatError as error:
                    where = path.relative_to(folder) if path.is_relative_to(folder) else path
                    problems += [
                        msgspec.structs.replace(one, place=f"{where}: {one.place}" if one.place else str(where))
                        for one in error.problems
                    ]
        if any(one.severity == "error" for one in problems):
            raise FormatError(place, problems)
        return self._totals(reports)

    def _name(self, part: TruthPart) -> str:
        """Return what a file's report calls its truth: by its test set too where something else has that name.

        That is a file of another test set, or a test set of several files.
        """
        name = part.truth.test_set
        alike = sum(one.truth.test_set == name for one in self.parts)
        files = sum(one.test_set == name for one in self.parts)
        return name if alike == 1 and files < 2 else f"{part.test_set} {part.name}"

    def _totals(self, reports: Sequence[Report]) -> Marks:
        by_set: dict[str, list[tuple[str, Report]]] = {}
        for part, report in zip(self.parts, reports, strict=True):
            by_set.setdefault(part.test_set, []).append((part.name, report))
        sets = {name: total(group, name) for name, group in by_set.items()}
        name = f"total of {', '.join(sets)}" if len(sets) > 1 else next(iter(sets))
        return Marks(tuple(reports), tuple(sets.values()), total(list(sets.items()), name))

    def _match(self, folder: Path) -> dict[int, Path]:
        """Return the file of a submission by the number of the part of the truth, as far as there is one."""
        if folder.is_file():
            return {0: folder} if len(self.parts) == 1 else {}
        files = files_below(folder)
        keyed = {_key(self.task, folder, path): path for path in files}
        found = {number: keyed[part.key] for number, part in enumerate(self.parts) if part.key in keyed}
        for number, part in enumerate(self.parts):
            alone = [path for path in files if len(self.parts) == 1 or path.parent.name == part.test_set]
            one_of_its_set = sum(one.test_set == part.test_set for one in self.parts) == 1
            if number not in found and one_of_its_set and len(alone) == 1:
                found[number] = alone[0]
        return found

    def _missing(self, folder: Path, files: Mapping[int, Path]) -> Iterator[Problem]:
        """Yield an error for each part of the truth without a file, and then a warning for each file without a part."""
        if len(files) == len(self.parts):
            return
        for number, part in enumerate(self.parts):
            if number not in files:
                yield _absent(part, "name it as the truth, in a folder of the test set's name")
        used = set(files.values())
        for path in () if folder.is_file() else files_below(folder):
            if path not in used:
                yield Problem(
                    rule="file-unknown",
                    severity="warning",
                    place=str(path.relative_to(folder)),
                    message="this file belongs to no truth file",
                )


def _absent(part: TruthPart, advice: str) -> Problem:
    return Problem(
        rule="file-missing",
        place=part.test_set if part.name == part.test_set else f"{part.test_set}, {part.name}",
        message="there is no result file for this truth",
        advice=advice,
    )


def total(parts: Sequence[tuple[str, Report]], name: str) -> Report:
    """Return one report over the items of several, which are given with their names; a single one stays as it is.

    The scores are those of all items together: means over files where all have equally many items. Those that no sum of
    counts gives (different n-grams, which files share; CIDEr, whose weights are a file's own) are left out, unless they
    rank. The slices are the files.
    """
    from duologue.metrics.counts import Counts  # numpy only where it is needed
    from duologue.metrics.intervals import scores

    first = parts[0][1]
    if len(parts) == 1:
        return msgspec.structs.replace(first, meta={**first.meta, "test_set": name})
    items = tuple((f"{part}: {item}", counts) for part, one in parts for item, counts in one.items)
    known = all(one.groups for _, one in parts)
    groups = tuple(f"{part}: {group}" for part, one in parts for group in one.groups) if known else ()
    whole = msgspec.structs.replace(first, items=items, groups=groups)
    formulas = [one for one in formulas_of(first) if one.additive or one.name == first.rank_by]
    counts = Counts.of_report(whole)
    signature = Signature(
        formulas=tuple(one.formula for one in formulas),
        task=first.task,
        variant=first.variant,
        options=("total of " + " + ".join(part for part, _ in parts),),
        version=first.signature.version,
        n=len(items),
        hashes={"files": sha256(" ".join(str(one.signature) for _, one in parts).encode())},
    )
    return msgspec.structs.replace(
        whole,
        n=len(items),
        scores=scores(counts, formulas, signature),
        signature=counts.sign(signature),
        slices=tuple(Slice(by="file", value=part, n=one.n, scores=one.scores) for part, one in parts),
        problems=tuple(problem for _, one in parts for problem in one.problems),
        transcript=(),
        exposure=_exposure([one.exposure for _, one in parts]),
        meta={key: first.meta[key] for key in ("track", "how") if key in first.meta}
        | {"test_set": name, "parts": [one.meta for _, one in parts]},
    )


def _exposure(found: Sequence[Exposure | None]) -> Exposure | None:
    """Return how much of several truths was seen in all; `None` where nothing is known of one."""
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    samples = sum(one.samples for one in known)
    return Exposure(
        unknown=next((one.unknown for one in known if one.unknown), ""),
        files=tuple(name for one in known for name in one.files),
        samples=samples,
        samples_seen=sum(one.samples_seen for one in known),
        by_chance=added(one.by_chance * one.samples for one in known) / samples if samples else 0.0,
        replies=sum(one.replies for one in known),
        replies_seen=sum(one.replies_seen for one in known),
        held_out=sum(one.held_out for one in known),
        examples=tuple(name for one in known for name in one.examples)[:5],
    )


def teams(folder: Path) -> list[Path]:
    """Return the submissions in a folder: its folders and archives, sorted. Raises as listing it does."""
    return [
        path
        for path in sorted(folder.iterdir())
        if not path.name.startswith(".") and (path.is_dir() or (path.is_file() and archives.is_archive(path)))
    ]


class ScoredTeams(NamedTuple):
    """What came of a folder of submissions."""

    marks: tuple[Marks, ...]
    refused: tuple[RefusedFile, ...]


def score_teams(
    task: Task,
    golds: Sequence[Path],
    folder: Path,
    how: Scoring,
    *,
    models: Sequence[Path] = (),
    unseen: bool = False,
    progress: Progress | None = None,
) -> ScoredTeams:
    """Score every submission in a folder, those that are refused are noted.

    Raises `UsageError` where there is none, and what reading the truth raises.
    """
    own = {resolved(path) for path in golds}
    places = [place for place in teams(folder) if resolved(place) not in own] if folder.is_dir() else []
    if not places:
        raise UsageError(f"{folder} holds no submissions: a folder or an archive per team is expected")
    truth = WholeTruth.of(task, golds)
    marks, refused = [], []
    for number, place in enumerate(places, start=1):
        try:
            marks.append(truth.score(place, how, models=models, unseen=unseen))
        except FormatError as error:
            refused.append(RefusedFile(place.name, len(error.problems), first_problem(error)))
        except SeenError as error:
            refused.append(RefusedFile(place.name, 1, str(error)))
        if progress is not None:
            progress(number, len(places), "scoring")
    return ScoredTeams(tuple(marks), tuple(refused))


def unpacked(place: Path) -> AbstractContextManager[Path]:
    """Return a folder, an archive unpacked into a temporary one, or a file, as a path within a `with` block."""
    if place.is_file() and archives.is_archive(place):
        return archives.unpacked(place)
    return nullcontext(place)


def files_below(folder: Path) -> list[Path]:
    """Return the files below a folder that may be results or truth, sorted; links that lead elsewhere are left out.

    Raises `StorageError` as `all_files`.
    """
    root = resolved(folder)
    return [
        path
        for path in all_files(folder)
        if is_result(path)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and resolved(path).is_relative_to(root)
    ]


def _truth_part(task: Task, folder: Path, path: Path) -> TruthPart:
    plain = _plain_name(path)
    data = [
        path.with_name(plain.removesuffix(_ANSWERS) + ending)
        for ending in (".json", ".json.gz")
        if plain.endswith(_ANSWERS) and path.with_name(plain.removesuffix(_ANSWERS) + ending).is_file()
    ]
    truth = evaluate.Truth.of(task, [path], data[0] if data else None)
    if task.test_set(path):
        test_set, _, name = truth.test_set.partition(" ")
    else:
        test_set, name = path.parent.name if path.parent != folder else truth.test_set, truth.test_set
    return TruthPart(test_set, name or test_set, _key(task, folder, path), truth)


def _key(task: Task, folder: Path, path: Path) -> str:
    named = task.test_set(path)
    return named or f"{path.parent.name if path.parent != folder else ''}/{_plain_name(path)}"


def _plain_name(path: Path) -> str:
    return path.name.removesuffix(".gz")


def _team(place: Path) -> str:
    """Return what a submission is called: its folder or archive without its ending."""
    name = resolved(place).name
    ending = next((one for one in (".tar.gz", ".tgz", ".tar", ".zip") if name.lower().endswith(one)), "")
    return name[: len(name) - len(ending)] or name


def is_whole(paths: Iterable[Path]) -> bool:
    """Tell whether one of some paths is a folder or an archive: a whole truth or submission, and not one file."""
    return any(path.is_dir() or (path.is_file() and archives.is_archive(path)) for path in paths)
