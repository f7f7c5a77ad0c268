"""Golden cases of the conversation challenge: `bleu_score`, the captioning metrics, embeddings, and the data."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core.errors import FormatError
from duologue.core.plugins import load_task
from duologue.core.records import Answer, Scoring
from duologue.metrics.meteor import VARIABLE, find_meteor
from golden import collector, conversation_data
from golden.cases import (
    BLEU,
    Case,
    NotHereError,
    files_below,
    near,
    printed,
    put,
    read,
    read_lines,
    report_on,
    same,
    values_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from duologue.core.records import Report
    from golden.cases import Differences

PROFILES = {"nltk_2017": "official", "nltk_3.10": "official-nltk-current"}
COCO = {
    "Bleu_1": "bleu-1",
    "Bleu_2": "bleu-2",
    "Bleu_3": "bleu-3",
    "Bleu_4": "bleu-4",
    "ROUGE_L": "rouge-l",
    "CIDEr": "cider",
}
EMBEDDING = {
    "EmbeddingAverageCosineSimilarity": "embedding-average",
    "VectorExtremaCosineSimilarity": "vector-extrema",
    "GreedyMatchingScore": "greedy-matching",
}


def find(golden: Path) -> Iterator[Case]:
    """Yield the scoring cases, found by the keys of their JSON files, and those of the data's making."""
    for path in files_below(golden, "*.json"):
        expected = read(path)
        if isinstance(expected, dict) and {"coco", "embedding_toy"} & expected.keys():
            yield from _several_references(path, expected)
        elif isinstance(expected, dict):
            for name, case in expected.items():
                if isinstance(case, dict) and any(key.startswith("stdout_nltk") for key in case):
                    yield from _one_reference(path.with_name(f"{name}.txt"), case)
    yield from collector.find(golden)
    yield from conversation_data.find(golden)


def _one_reference(path: Path, case: dict[str, Any]) -> Iterator[Case]:
    yield Case("bleu", path.stem, partial(_bleu_score, path, case))
    if "coco_single_reference" in case:
        wanted = case["coco_single_reference"]
        yield Case("caption metrics", path.stem, partial(_coco, path, wanted))
        if "METEOR" in wanted:
            yield Case("meteor", path.stem, partial(_meteor, path, wanted["METEOR"]))


def _bleu_score(path: Path, case: dict[str, Any], _: Path) -> Differences:
    differences = []
    for profile, variant in PROFILES.items():
        values: dict[str, float] = {}
        with contextlib.chdir(path.parent):  # the program prints the name as it was given
            try:
                report = report_on("conversation", [], type(path)(path.name), Scoring(variant=variant))
                lines, values = report.transcript, values_of(report)
            except FormatError as error:
                lines = error.transcript
        differences += same(f"{profile}, printed lines", printed(lines), case[f"stdout_{profile}"])
        for name, value in case[f"values_{profile}"].items():
            if name.startswith("bleu"):
                differences += near(f"{profile}, {name}", values.get(f"bleu-{name[-1]}"), value, BLEU)
    return differences


def _coco(path: Path, wanted: dict[str, float], _: Path) -> Differences:
    with _without_meteor():
        found = values_of(report_on("conversation", [], path, Scoring(variant="coco")))
    return [one for name, ours in COCO.items() for one in near(name, found.get(ours), wanted[name], BLEU)]


def _meteor(path: Path, wanted: float, _: Path) -> Differences:
    _expect_meteor()
    return near("METEOR", values_of(report_on("conversation", [], path, Scoring(variant="coco"))).get("meteor"), wanted)


def _expect_meteor() -> None:
    if find_meteor() is None:
        raise NotHereError(f"needs the Java program, METEOR 1.5; {VARIABLE} says where it is")


@contextlib.contextmanager
def _without_meteor() -> Iterator[None]:
    """Leave the Java program out where its score is not asked for: it takes some ten seconds to start."""
    path = os.environ.pop(VARIABLE, None)
    try:
        yield
    finally:
        if path is not None:
            os.environ[VARIABLE] = path


def _several_references(path: Path, expected: dict[str, Any]) -> Iterator[Case]:
    """Yield the cases of one file of figures: its rows are beside it, by name where several are there."""
    found = [(one, rows) for one in files_below(path.parent, "*.jsonl") if (rows := _referenced(one))]
    named = [(one, rows) for one, rows in found if path.stem.startswith(one.stem)]
    for one, rows in named if len(found) > 1 else found:
        wanted = expected.get("coco", {})
        if wanted.keys() & COCO.keys():
            yield Case("caption metrics", one.stem, partial(_multi_coco, rows, wanted))
        if "METEOR" in wanted:
            yield Case("meteor", one.stem, partial(_multi_meteor, rows, wanted))
        for vectors in files_below(path.parent, "*.txt") if "embedding_toy" in expected else ():
            first = vectors.read_text(encoding="utf-8").partition("\n")[0].split()
            if len(first) == 2 and all(map(str.isdigit, first)):  # the head of a word2vec table
                toy = expected["embedding_toy"]
                yield Case("embedding", one.stem, partial(_embedding, rows, vectors, toy))


def _referenced(path: Path) -> list[dict[str, Any]]:
    """Return rows of a reply with its references; an empty list for a file of another kind."""
    rows = read_lines(path)
    return rows if all(isinstance(row, dict) and {"hyp", "refs"} <= row.keys() for row in rows) else []


def _multi_report(rows: list[dict[str, Any]], scratch: Path, how: Scoring) -> Report:
    task = load_task("conversation")
    gold = put(scratch / "references.txt", "".join(f"{row['refs'][0]}\n" for row in rows))
    pred = put(scratch / "replies.txt", "".join(f"{row['hyp']}\n" for row in rows))
    examples = [
        msgspec.structs.replace(one, references=tuple(Answer(text=text) for text in row["refs"]))
        for one, row in zip(task.load(gold), rows, strict=True)
    ]
    return task.score(examples, task.read(pred), how)


def _multi_coco(rows: list[dict[str, Any]], wanted: dict[str, Any], scratch: Path) -> Differences:
    with _without_meteor():
        report = _multi_report(rows, scratch, Scoring(variant="coco"))
    found = values_of(report)
    differences = [one for name, ours in COCO.items() for one in near(name, found.get(ours), wanted[name], BLEU)]
    for name in ("ROUGE_L", "CIDEr"):
        column = report.columns.index(COCO[name])
        each = zip(report.items, wanted.get(f"{name}_each", ()), strict=False)
        for number, ((_, counts), value) in enumerate(each, start=1):
            differences += near(f"{name} of item {number}", counts[column], value, BLEU)
    return differences


def _multi_meteor(rows: list[dict[str, Any]], wanted: dict[str, Any], scratch: Path) -> Differences:
    _expect_meteor()
    found = values_of(_multi_report(rows, scratch, Scoring(variant="coco")))
    return near("METEOR", found.get("meteor"), wanted["METEOR"])


def _embedding(rows: list[dict[str, Any]], vectors: Path, wanted: dict[str, float], scratch: Path) -> Differences:
    with _without_meteor():
        found = values_of(_multi_report(rows, scratch, Scoring(variant="coco", options={"vectors": str(vectors)})))
    return [one for name, ours in EMBEDDING.items() for one in near(name, found.get(ours), wanted[name], 5.1e-7)]
