"""Golden cases of the restaurant challenge: scorer, check, walker and TF-IDF baseline."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from duologue.challenges.restaurant.formats import files, walker
from duologue.challenges.restaurant.scoring import official
from duologue.core.records import Scoring
from duologue.systems.baselines import TfidfRanker
from golden.cases import Case, files_below, printed, read, report_on, same

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from golden.cases import Differences


def find(golden: Path) -> Iterator[Case]:
    """Yield the cases of each tool: JSON objects with `tool`, `files` and `stdout`."""
    kinds = {
        "score": ("scorer", _scorer),
        "check_validity": ("check", _check),
        "dataset_walker": ("walker", _walker),
        "baseline_tfidf": ("baseline_tfidf", _tfidf),
    }
    for path in files_below(golden, "*.json"):
        case = read(path)
        if isinstance(case, dict) and {"tool", "stdout"} <= case.keys():
            kind, run = kinds.get(case["tool"], (str(case["tool"]), _unknown))
            yield Case(kind, path.stem, partial(run, case))


def _unknown(case: dict[str, Any], _: Path) -> Differences:
    return [f"the official program {case['tool']} is not known here"]


def _given(case: dict[str, Any], argument: str) -> bytes:
    """Return the file that an argument of the official program names."""
    value = case["files"][_argument(case, argument)]
    return (value if isinstance(value, str) else json.dumps(value)).encode()


def _argument(case: dict[str, Any], name: str) -> str:
    return str(case["args"][case["args"].index(name) + 1])


def _scorer(case: dict[str, Any], scratch: Path) -> Differences:
    result, truth = _given(case, "--input-result-file-test"), _given(case, "--input-result-file-truth")
    option = "--input-nb-candidate"
    chosen = {option.removeprefix("--"): _argument(case, option)} if option in case["args"] else {}
    outcome = official.score(result, truth, *map(int, chosen.values()))
    differences = same("printed lines", printed(outcome.stdout), case["stdout"])
    differences += same("exit code", outcome.exit_code, case["exit_code"])
    if not case["exit_code"]:  # as a user would: `score --variant official` prints the same lines
        (scratch / "truth.json").write_bytes(truth)
        (scratch / "result.json").write_bytes(result)
        how = Scoring(variant="official", options=chosen)
        report = report_on("restaurant", [scratch / "truth.json"], scratch / "result.json", how)
        differences += same("lines of `score`", printed(report.transcript), case["stdout"])
    return differences


def _check(case: dict[str, Any], _: Path) -> Differences:
    outcome = official.check_validity(_given(case, "--input-task-file"))
    differences = same("printed lines", printed(outcome.stdout), case["stdout"])
    return differences + same("exit code", outcome.exit_code, case["exit_code"])


def _tfidf(case: dict[str, Any], scratch: Path) -> Differences:
    (scratch / "data.json").write_bytes(_given(case, "--input-task-file"))
    samples = [one.sample for one in files.load(scratch / "data.json")]
    answers = TfidfRanker().answer(samples)
    named = [(sample.id, answer) for sample, answer in zip(samples, answers, strict=True)]
    files.write_result(named, scratch / "result.json")
    wanted = case["output_files"][_argument(case, "--output_result-file")]
    return same("rankings", _rankings(read(scratch / "result.json")), _rankings(wanted))


def _rankings(rows: list[Any]) -> dict[str, list[tuple[int, str]]]:
    """Return the candidates of each dialogue by rank; the layout of the file is not that of the baseline."""
    return {
        row["dialog_id"]: sorted((one["rank"], one["candidate_id"]) for one in row["lst_candidate_id"]) for row in rows
    }


def _walker(case: dict[str, Any], scratch: Path) -> Differences:
    data = scratch / "data.json"
    data.write_bytes(_given(case, "--input-task-file"))
    examples, said = files.load(data), list[str]()
    walker.dump(examples, said.append)
    wanted = case["output_files"]
    statistics = wanted[_argument(case, "--output-statistics")]
    ours = walker.statistics_text(walker.statistics(examples))
    return [
        *same("dump", "".join(said), wanted[_argument(case, "--output-task-file")]),
        *same("statistics", sorted(ours.split("\n\n")), sorted(statistics.split("\n\n"))),  # a dictionary's order
    ]
