"""Run every golden case of the five challenges and say which of ours differ from the official programs.

`python benchmarks/parity.py FOLDER` takes a folder laid out like the project's data: `<challenge>/golden/...`. Cases
are found by what their files hold; the names of case folders and files are free. One line per challenge and kind,
`conversation bleu: equal 4 of 4`, or `not yet` for kinds whose code comes later; then each difference. Exit code 1 if
any case differs or none is found.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from duologue.core.errors import DuologueError, FormatError
from duologue.core.plugins import load_task
from duologue.core.records import Scoring
from duologue.metrics.significance import values_only

EXACT = 1e-12
BLEU = 1e-9
"""How near sums of logarithms must be; what is printed must be equal."""

Differences = list[str]


class Case(NamedTuple):
    """One golden case."""

    kind: str
    name: str
    run: Callable[[Path], Differences] | None
    """Runs it in a scratch folder; `None` where its code comes later."""


class Missing(Exception):
    """The case needs something that is not here, such as an optional program; it counts as not run."""


# ----------------------------------------------------------------------------------------------- helpers


def read(path: Path) -> Any:
    """Return the decoded JSON of a file, key order kept; `None` for a file that is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError):
        return None


def read_lines(path: Path) -> list[Any]:
    """Return the decoded JSON lines of a file; an empty list for a file that holds none."""
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    except ValueError:
        return []


def put(path: Path, value: Any) -> Path:
    """Write a text as it is, anything else as JSON."""
    path.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def near(what: str, found: float | None, expected: float, tolerance: float = EXACT) -> Differences:
    """Compare one figure; NaN equals NaN."""
    if found is not None and math.isnan(found) and math.isnan(expected):
        return []
    if found is None or not abs(found - expected) <= tolerance:
        return [f"{what}: expected {expected!r}, found {found!r}"]
    return []


def same(what: str, found: Any, expected: Any) -> Differences:
    """Compare anything exactly, and show the first place where texts differ."""
    if found == expected:
        return []
    if isinstance(found, str) and isinstance(expected, str):
        lines = zip(f"{expected}\0".split("\n"), f"{found}\0".split("\n"), strict=False)
        for number, (one, other) in enumerate(lines, start=1):
            if one != other:
                return [f"{what}: line {number}: expected {one[:120]!r}, found {other[:120]!r}"]
    return [f"{what}: expected {str(expected)[:200]}, found {str(found)[:200]}"]


def scored(task: str, gold: Sequence[Path], pred: Path, how: Scoring) -> tuple[dict[str, float], str]:
    """Score a file as `duologue score` does; return the scores by name, and what the official program prints."""
    from duologue.run.evaluate import gather

    loaded = load_task(task)
    with values_only():
        report = loaded.score(gather(loaded, gold), loaded.read(pred), how)
    return {score.name: score.value for score in report.scores}, "".join(f"{line}\n" for line in report.transcript)


def files_below(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a name pattern, in a stable order."""
    return sorted(path for path in folder.rglob(pattern) if path.is_file())


# -------------------------------------------------------------------------------------------- restaurant


def restaurant(golden: Path) -> Iterator[Case]:
    """Yield scorer, check and walker cases: JSON objects with `tool`, `files` and `stdout`."""
    kinds = {"score": ("scorer", _restaurant_score), "check_validity": ("check", _restaurant_check)}
    kinds["dataset_walker"] = ("walker", _restaurant_walker)
    for path in files_below(golden, "*.json"):
        case = read(path)
        if isinstance(case, dict) and case.get("tool") in kinds:
            kind, run = kinds[case["tool"]]
            yield Case(kind, path.stem, lambda scratch, run=run, case=case: run(case, scratch))


def _restaurant_files(case: dict[str, Any]) -> dict[str, bytes]:
    return {
        name: (value if isinstance(value, str) else json.dumps(value)).encode() for name, value in case["files"].items()
    }


def _argument(case: dict[str, Any], name: str) -> str:
    return str(case["args"][case["args"].index(name) + 1])


def _restaurant_score(case: dict[str, Any], scratch: Path) -> Differences:
    from duologue.challenges.restaurant import official

    files = _restaurant_files(case)
    result = files[_argument(case, "--input-result-file-test")]
    truth = files[_argument(case, "--input-result-file-truth")]
    outcome = official.score(result, truth)
    return [
        *same("printed lines", "".join(f"{line}\n" for line in outcome.stdout), case["stdout"]),
        *same("exit code", outcome.exit_code, case["exit_code"]),
        *(_restaurant_report(result, truth, case, scratch) if not case["exit_code"] else []),
    ]


def _restaurant_report(result: bytes, truth: bytes, case: dict[str, Any], scratch: Path) -> Differences:
    """Score the same files as a user would: `score --variant official` prints the same lines."""
    (scratch / "truth.json").write_bytes(truth)
    (scratch / "result.json").write_bytes(result)
    _, printed = scored("restaurant", [scratch / "truth.json"], scratch / "result.json", Scoring(variant="official"))
    return same("lines of `score`", printed, case["stdout"])


def _restaurant_check(case: dict[str, Any], scratch: Path) -> Differences:
    from duologue.challenges.restaurant import official

    outcome = official.check_validity(_restaurant_files(case)[_argument(case, "--input-task-file")])
    return [
        *same("printed lines", "".join(f"{line}\n" for line in outcome.stdout), case["stdout"]),
        *same("exit code", outcome.exit_code, case["exit_code"]),
    ]


def _restaurant_walker(case: dict[str, Any], scratch: Path) -> Differences:
    from duologue.challenges.restaurant import files, walker

    data = scratch / "data.json"
    data.write_bytes(_restaurant_files(case)[_argument(case, "--input-task-file")])
    examples, said = files.load(data), list[str]()
    walker.dump(examples, said.append)
    wanted = case["output_files"]
    statistics = wanted[_argument(case, "--output-statistics")]
    ours = walker.statistics_text(walker.statistics(examples))
    return [
        *same("dump", "".join(said), wanted[_argument(case, "--output-task-file")]),
        *same("statistics", sorted(ours.split("\n\n")), sorted(statistics.split("\n\n"))),  # a dictionary's order
    ]


# ------------------------------------------------------------------------------------------------ spoken

SPOKEN_OPTIONS: dict[str, dict[str, str]] = {
    "default": {},
    "selection_corpus": {"average": "corpus"},
    "selection_empty_skip": {"empty": "skip"},
    "selection_empty_zero": {"empty": "zero"},
    "selection_gold_only": {"empty": "gold_only"},
    "selection_count_duplicates": {"duplicates": "count"},
    "selection_strict_types": {"strict_types": "true"},
    "tokens_han": {"tokens": "han"},
    "bleu_corpus": {"bleu": "corpus"},
    "bleu_add1": {"smoothing": "add1"},
    "bleu_epsilon": {"smoothing": "epsilon"},
    "f1_set": {"f1": "set"},
    "distinct_types": {"distinct": "types"},
    "distinct_once_corpus": {"scope": "corpus"},
    "distinct_types_corpus": {"distinct": "types", "scope": "corpus"},
}
SPOKEN_NAMES = {
    "bleu1": "bleu-1",
    "bleu2": "bleu-2",
    "distinct1": "distinct-1",
    "distinct2": "distinct-2",
    "generation_f1": "generation-f1",
    "score": "total",
}


def spoken(golden: Path) -> Iterator[Case]:
    """Yield a case per file with `gold`, `prediction` and `expected`, all options in it, and the baseline's own code."""
    for path in files_below(golden, "*.json"):
        case = read(path)
        if isinstance(case, dict) and {"gold", "prediction", "expected"} <= case.keys():
            yield Case("scores", path.stem, lambda scratch, case=case: _spoken_scores(case, scratch))
            if "baseline_selection_code" in case:
                yield Case("baseline selection", path.stem, lambda scratch, case=case: _spoken_baseline(case, scratch))


def _spoken_files(case: dict[str, Any], scratch: Path) -> tuple[list[Path], Path]:
    return [put(scratch / "gold.json", case["gold"])], put(scratch / "result.json", case["prediction"])


def _spoken_scores(case: dict[str, Any], scratch: Path) -> Differences:
    gold, pred = _spoken_files(case, scratch)
    differences = []
    default = {name: one["value"] for name, one in case["expected"]["default"].items()}
    for option in dict.fromkeys((*SPOKEN_OPTIONS, *case["expected"])):
        if option not in SPOKEN_OPTIONS:
            differences.append(f"{option}: an option that is not known here")
            continue
        expected = default | {name: one["value"] for name, one in case["expected"].get(option, {}).items()}
        found, _ = scored("spoken", gold, pred, Scoring(variant="strict", options=SPOKEN_OPTIONS[option], partial=True))
        for name, value in expected.items():
            tolerance = BLEU if name in {"bleu1", "bleu2", "score"} else EXACT
            differences += near(f"{option}, {name}", found.get(SPOKEN_NAMES.get(name, name)), value, tolerance)
    return differences


def _spoken_baseline(case: dict[str, Any], scratch: Path) -> Differences:
    gold, pred = _spoken_files(case, scratch)
    found, _ = scored("spoken", gold, pred, Scoring(variant="official"))
    return [
        difference
        for name, value in case["baseline_selection_code"].items()
        for difference in near(name, found.get(name), value)
    ]


# ---------------------------------------------------------------------------------------------- mobilecs


def mobilecs(golden: Path) -> Iterator[Case]:
    """Yield track 1, track 2, preprocessing and KB query cases, told apart by the keys of their files."""
    for path in files_below(golden, "*.json"):
        cases = read(path)
        if isinstance(cases, list):
            for case in cases:
                if {"gold", "submission", "expected"} <= case.keys():
                    yield Case("track 1", case["case"], lambda scratch, case=case: _track1(case, scratch))
                elif {"dialogs", "expected"} <= case.keys():
                    yield Case("track 2", case["case"], lambda scratch, case=case: _track2(case, scratch))
        elif isinstance(cases, dict) and {"kb", "queries"} <= cases.keys():
            for number, query in enumerate(cases["queries"], start=1):
                kb = cases["kb"]
                yield Case("kb query", f"{number}", lambda scratch, kb=kb, query=query: _kb_query(kb, query))
        elif isinstance(cases, dict):
            for name, case in cases.items():
                if isinstance(case, dict) and {"buckets", "processed"} <= case.keys():
                    rows = case.get("input") or _public_examples(golden.parent)
                    for one in _preprocessed(name, rows, case):
                        yield one


def _refusal(error: FormatError, expected: str) -> Differences:
    """Where the official program ends with an error, ours must name it."""
    kind = expected.partition(":")[0].strip()
    return [] if kind in str(error) else [f"expected the error {expected}, found {error}"]


def _track1(case: dict[str, Any], scratch: Path) -> Differences:
    from duologue.challenges.mobilecs import extraction_official

    expected = case["expected"]
    gold, pred = put(scratch / "gold.json", case["gold"]), put(scratch / "submission.json", case["submission"])
    try:
        found, _ = scored("mobilecs/extraction", [gold], pred, Scoring(variant="official"))
    except FormatError as error:
        return _refusal(error, expected.get("error", "none"))
    if "error" in expected:
        return [f"expected the error {expected['error']}, found {found}"]
    outcome = extraction_official.score(case["gold"], case["submission"])
    sums = Counter[str]()
    for counts in outcome.documents.values():
        sums.update(counts)
    differences = [
        *near("entity_f1", found.get("entity-f1"), expected["entity_f1"]),
        *near("triple_f1", found.get("triple-f1"), expected["triple_f1"]),
    ]
    if "ranking_score" in expected:
        ranking = (found["entity-f1"] + found["triple-f1"]) / 2
        differences += near("ranking_score", ranking, expected["ranking_score"])
    for what in ("entity", "triple"):
        for ours, theirs in (("right", "tp"), ("said", "pred"), ("wanted", "gold")):
            counts = expected.get(f"{what}_counts", {})
            differences += same(f"{what} {theirs}", int(sums[f"{what} {ours}"]), counts.get(theirs))
    if "assignment" in expected:
        ours_made = [[name, sorted(map(list, pairs))] for name, pairs in outcome.assignment]
        theirs_made = [
            [row["id"], sorted([a, b or "None"] for a, b in row["assign"])] for row in expected["assignment"]
        ]
        differences += same("assignment", [row for row in ours_made if row in theirs_made or row[1]], theirs_made)
    return differences


def _track2(case: dict[str, Any], scratch: Path) -> Differences:
    from duologue.challenges.mobilecs import dialogue_official

    expected = case["expected"]
    dialogs = put(scratch / "dialogs.json", case["dialogs"])
    try:
        found, _ = scored("mobilecs/dialogue", [dialogs], dialogs, Scoring(variant="official"))
    except FormatError as error:
        return _refusal(error, expected.get("error", "none"))
    if "error" in expected:
        return [f"expected the error {expected['error']}, found {found}"]
    names = {"p": "precision", "r": "recall", "f1": "f1"}
    differences = [
        difference
        for what in ("user", "system")
        for short, value in expected[f"{what}_intent"].items()
        for difference in near(f"{what} {short}", found.get(f"{what}-intent-{names[short]}"), value)
    ]
    differences += near("bleu", found.get("bleu"), expected["bleu"], BLEU)
    differences += near("success", found.get("success"), expected["success"])
    differences += near("combined", found.get("combined"), expected["combined"], BLEU)
    if "requested_info" in expected:
        made = dialogue_official.score(case["dialogs"])
        ours = [{"id": row["id"], "requested": one.requested} for row, one in zip(case["dialogs"], made, strict=True)]
        differences += same("requested", ours, expected["requested_info"])
    return differences


def _kb_query(kb: dict[str, Any], query: dict[str, Any]) -> Differences:
    from duologue.challenges.mobilecs.kb import query as ask

    try:
        found = ask(kb, **query["args"])
    except Exception as error:  # noqa: BLE001  # the official error has a name, and ours must have the same
        return same("error", type(error).__name__, str(query.get("error", "none")).partition(":")[0])
    return same("result", found, query.get("result", query.get("error")))


def _public_examples(challenge: Path) -> list[Any] | None:
    """Return the public example dialogues that lie beside the golden folder, as the case's note says."""
    final = read(challenge / "examples" / "example_final.json")
    first = read(challenge / "examples" / "example_first_version.json")
    if final is None or first is None:
        return None
    return [*final, *({"id": f"v1-{number:02}", "content": turns} for number, turns in enumerate(first))]


def _preprocessed(name: str, rows: list[Any] | None, case: dict[str, Any]) -> Iterator[Case]:
    def buckets(scratch: Path) -> Differences:
        from duologue.challenges.mobilecs import preprocess

        if rows is None:
            raise Missing("the public examples do not lie beside the golden folder")
        found = preprocess.sort_dialogues(rows)._asdict()
        ours = {bucket: [row["id"] for row in found[bucket]] for bucket in case["buckets"]}
        return same("buckets", ours, case["buckets"])

    def processed(scratch: Path, wanted: dict[str, Any]) -> Differences:
        if rows is None:
            raise Missing("the public examples do not lie beside the golden folder")
        raw, out = put(scratch / "raw.json", rows), scratch / "track2.json"
        made = read(_converted("mobilecs/dialogue", "raw", "track2", raw, out)[0])
        found = next((row for row in made if row["id"] == wanted["id"]), None)
        return same("dialogue", found and _sorted_values(found), wanted)

    yield Case("preprocessing", f"{name}, buckets", buckets)
    for wanted in case["processed"]:
        yield Case("preprocessing", wanted["id"], lambda scratch, wanted=wanted: processed(scratch, wanted))


def _converted(task: str, source: str, target: str, path: Path, out: Path) -> list[Path]:
    made: list[Path] = load_task(task).convert(source, target, path, out)  # type: ignore[attr-defined]  # Convertible
    return made


def _sorted_values(dialogue: dict[str, Any]) -> dict[str, Any]:
    """Return a dialogue with the values of its KB and goal entries as sorted lists, as the golden files have them."""

    def sort(entries: dict[str, Any]) -> dict[str, Any]:
        return {
            name: {slot: value if slot == "type" else sorted(value.split(",")) for slot, value in entry.items()}
            if isinstance(entry, dict)
            else entry
            for name, entry in entries.items()
        }

    return {**dialogue, "KB": sort(dialogue["KB"]), "goal": sort(dialogue["goal"])}


# ------------------------------------------------------------------------------------------------- frame

CHALLENGES: dict[str, Callable[[Path], Iterable[Case]]] = {
    "restaurant": restaurant,
    "spoken": spoken,
    "mobilecs": mobilecs,
}


def run_case(case: Case) -> Differences | None:
    """Return what differs, `None` for a case that cannot be run here; whatever goes wrong is a difference."""
    assert case.run is not None, "a case of a later kind is not run"
    with tempfile.TemporaryDirectory() as scratch:
        try:
            return case.run(Path(scratch))
        except Missing as error:
            print(f"  {case.kind}, {case.name}: not run: {error}")
            return None
        except DuologueError as error:
            return [f"refused: {error}"]
        except Exception as error:  # noqa: BLE001  # one broken case must not hide the others
            return [f"{type(error).__name__}: {error}"]


def main(arguments: Sequence[str]) -> int:
    """Print a line per challenge and kind, then the differences; return the exit code."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print(__doc__)
        return 2
    differences: list[str] = []
    equal = found = 0
    for challenge, finder in CHALLENGES.items():
        golden = Path(arguments[0]) / challenge / "golden"
        kinds: dict[str, list[Case]] = {}
        for case in finder(golden) if golden.is_dir() else ():
            kinds.setdefault(case.kind, []).append(case)
        for kind, cases in kinds.items():
            if all(case.run is None for case in cases):
                print(f"{challenge} {kind}: not yet")
                continue
            outcomes = [(case, run_case(case)) for case in cases]
            ran = [(case, outcome) for case, outcome in outcomes if outcome is not None]
            right = sum(not outcome for _, outcome in ran)
            print(f"{challenge} {kind}: equal {right} of {len(ran)}")
            equal, found = equal + right, found + len(ran)
            differences += [
                f"{challenge} {kind}, {case.name}: {one}" for case, outcome in ran for one in (outcome or ())
            ]
    for difference in differences:
        print(difference)
    print(f"cases {found}, equal {equal}, differing {found - equal}")
    return 0 if found and equal == found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
