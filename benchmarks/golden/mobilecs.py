"""Golden cases of MobileCS: both scorers, the preprocessing and the KB query."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats import preprocessor
from duologue.challenges.mobilecs.knowledge.kb import query as ask
from duologue.challenges.mobilecs.scoring.dialogue import official as dialogue_official
from duologue.challenges.mobilecs.scoring.extraction import official as extraction_official
from duologue.core.errors import FormatError
from duologue.core.optional_protocols import Convertible
from duologue.core.plugins import load_task
from duologue.core.records import Scoring
from golden.cases import BLEU, Case, NotHereError, files_below, near, put, read, report_on, same, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from golden.cases import Differences


def find(golden: Path) -> Iterator[Case]:
    """Yield track 1, track 2, preprocessing and KB query cases, told apart by the keys of their files."""
    for path in files_below(golden, "*.json"):
        cases = read(path)
        if isinstance(cases, list):
            yield from _scorer_cases(cases)
        elif isinstance(cases, dict) and {"kb", "queries"} <= cases.keys():
            for number, query in enumerate(cases["queries"], start=1):
                kb = cases["kb"]
                yield Case("kb query", str(number), partial(_kb_query, kb, query))
        elif isinstance(cases, dict):
            for name, case in cases.items():
                if isinstance(case, dict) and {"buckets", "processed"} <= case.keys():
                    yield from _preprocessing_cases(name, case.get("input") or _public_examples(golden.parent), case)


def _scorer_cases(cases: list[Any]) -> Iterator[Case]:
    for number, case in enumerate(cases, start=1):
        keys = case.keys() if isinstance(case, dict) else set[str]()
        if {"gold", "submission", "expected"} <= keys:
            yield Case("track 1", str(case.get("case", number)), partial(_track1, case))
        elif {"dialogs", "expected"} <= keys:
            yield Case("track 2", str(case.get("case", number)), partial(_track2, case))


def _refusal(error: FormatError, expected: dict[str, Any]) -> Differences:
    """Where the official program ends with an error, ours must name it."""
    wanted = str(expected.get("error", "no error"))
    return [] if wanted.partition(":")[0].strip() in str(error) else [f"expected {wanted}, found {error}"]


def _track1(case: dict[str, Any], scratch: Path) -> Differences:
    expected = case["expected"]
    gold, pred = put(scratch / "gold.json", case["gold"]), put(scratch / "submission.json", case["submission"])
    try:
        found = values_of(report_on("mobilecs/extraction", [gold], pred, Scoring(variant="official")))
    except FormatError as error:
        return _refusal(error, expected)
    if "error" in expected:
        return [f"expected the error {expected['error']}, found {found}"]
    outcome = extraction_official.score(case["gold"], case["submission"])
    differences = [
        *near("entity_f1", found.get("entity-f1"), expected["entity_f1"]),
        *near("triple_f1", found.get("triple-f1"), expected["triple_f1"]),
        *near("ranking_score", (found["entity-f1"] + found["triple-f1"]) / 2, expected["ranking_score"]),
    ]
    sums = Counter[str]()
    for counts in outcome.documents.values():
        sums.update({name: int(count) for name, count in counts.items()})
    for what in ("entity", "triple"):
        for ours, theirs in (("right", "tp"), ("said", "pred"), ("wanted", "gold")):
            differences += same(f"{what} {theirs}", sums[f"{what} {ours}"], expected[f"{what}_counts"][theirs])
    made = [{"id": name, "assign": list(map(list, pairs))} for name, pairs in outcome.assignment]
    return differences + same("assignment", made, expected["assignment"])


def _track2(case: dict[str, Any], scratch: Path) -> Differences:
    expected = case["expected"]
    dialogs = put(scratch / "dialogs.json", case["dialogs"])
    try:
        found = values_of(report_on("mobilecs/dialogue", [dialogs], dialogs, Scoring(variant="official")))
    except FormatError as error:
        return _refusal(error, expected)
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
    made = dialogue_official.score(case["dialogs"])
    ours = [{"id": row["id"], "requested": one.requested} for row, one in zip(case["dialogs"], made, strict=True)]
    return differences + same("requested", ours, expected["requested_info"])


def _kb_query(kb: dict[str, Any], query: dict[str, Any], _: Path) -> Differences:
    try:
        found = ask(kb, **query["args"])
    except Exception as error:  # noqa: BLE001  # the official error has a name, and ours must have the same
        return same("error", type(error).__name__, str(query.get("error", "none")).partition(":")[0])
    return same("result", found, query["result"]) if "result" in query else [f"expected {query}, found {found}"]


def _public_examples(challenge: Path) -> list[Any] | None:
    """Return the public example dialogues that lie beside the golden folder, as the case's note says."""
    final = read(challenge / "examples" / "example_final.json")
    first = read(challenge / "examples" / "example_first_version.json")
    if final is None or first is None:
        return None
    return [*final, *({"id": f"v1-{number:02}", "content": turns} for number, turns in enumerate(first))]


def _preprocessing_cases(name: str, rows: list[Any] | None, case: dict[str, Any]) -> Iterator[Case]:
    """Yield one case for the buckets and one per processed dialogue."""

    def given() -> list[Any]:
        if rows is None:
            raise NotHereError("the public examples do not lie beside the golden folder")
        return rows

    def buckets(_: Path) -> Differences:
        found = preprocessor.sort_dialogues(given())._asdict()
        return same("buckets", {one: [row["id"] for row in found[one]] for one in case["buckets"]}, case["buckets"])

    def processed(wanted: dict[str, Any], scratch: Path) -> Differences:
        task = load_task("mobilecs/dialogue")
        assert isinstance(task, Convertible), "the task converts its data"
        made = read(task.convert("raw", "track2", put(scratch / "raw.json", given()), scratch / "track2.json", {})[0])
        found = next((row for row in made if row["id"] == wanted["id"]), None)
        return same("dialogue", found and _sorted_values(found), wanted)

    yield Case("preprocessing", f"{name}, buckets", buckets)
    for wanted in case["processed"]:
        yield Case("preprocessing", wanted["id"], partial(processed, wanted))


CONSULTATIONS = "咨询"
"""What the user asks about by type; it keeps its order and stays a text."""


def _sorted_values(dialogue: dict[str, Any]) -> dict[str, Any]:
    """Return a dialogue with the values of its KB and goal entries as sorted lists, as the golden files have them."""

    def sort(entries: dict[str, Any]) -> dict[str, Any]:
        return {
            name: {slot: value if slot == "type" else sorted(value.split(",")) for slot, value in entry.items()}
            if isinstance(entry, dict) and name != CONSULTATIONS
            else entry
            for name, entry in entries.items()
        }

    return {**dialogue, "KB": sort(dialogue["KB"]), "goal": sort(dialogue["goal"])}
