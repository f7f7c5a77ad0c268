"""Run a system on samples and write the official result file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.disk import write_text
from duologue.core.errors import PlugInError
from duologue.core.recipe import toml
from duologue.run.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import Progress, System, Task, World
    from duologue.core.records import Answer, Example, Record, Sample

_CHUNK = 100
"""Samples per call of `answer`: small enough for a lively progress bar and a short loss after a kill."""


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """Where a result file comes from; written beside it as `<result>.run.toml`."""

    task: str
    task_version: str
    system: str
    """The registered name, or the model folder as it was given."""
    recipe: dict[str, object]
    seed: int
    input: str
    input_hash: str
    world: str
    world_hash: str
    seen: str
    """What data the system saw in training."""
    package: str
    """Version of duologue."""
    model_hash: str = ""
    """Hash of the trained model's files; empty for systems that are not trained."""


def provenance_path(result: Path) -> Path:
    """Return the name of the note beside a result file."""
    return result.with_name(result.name.removesuffix(".json") + ".run.toml")


def in_world(examples: Sequence[Example], world: World | None) -> list[Example]:
    """Return the examples with their samples placed in `world`; unchanged when there is none."""
    if world is None:
        return list(examples)
    return [
        msgspec.structs.replace(example, sample=msgspec.structs.replace(example.sample, world=world.name))
        for example in examples
    ]


def answer_all(
    task: Task,
    system: System,
    examples: Sequence[Example],
    *,
    journal: Journal | None = None,
    progress: Progress | None = None,
) -> list[tuple[str, Answer]]:
    """Answer every example's sample, in order; `system` is prepared already.

    A system that fits itself on the whole file (attribute `whole_file`) gets all samples in one call and
    uses no journal. Raises `PlugInError` when a system returns another number of answers than samples.
    """
    answers: list[tuple[str, Answer]] = []
    for batch in task.rounds(examples):
        samples = [example.sample for example in batch]
        size = len(samples) if getattr(system, "whole_file", False) else _CHUNK
        for start in range(0, len(samples), max(size, 1)):
            chunk = samples[start : start + size]
            answers.extend(_answer_chunk(system, chunk, journal))
            if progress is not None:
                progress(len(answers), len(examples), "answering")
    return answers


def predict(
    task: Task,
    system: System,
    examples: Sequence[Example],
    worlds: Mapping[str, World],
    out: Path,
    note: Provenance,
    *,
    progress: Progress | None = None,
) -> None:
    """Answer all samples and write the official result file with its note; resumes a stopped run.

    Answers go to a journal beside the result as they are made; a kill at any moment loses at most the
    last chunk, and the same call goes on from there. Both files appear only when complete.
    """
    system.prepare(task.brief, note.seed, worlds)
    identity = msgspec.json.encode(note).hex()
    if getattr(system, "whole_file", False):
        answers = answer_all(task, system, examples, progress=progress)
    else:
        with Journal(out.with_name(f".{out.name}.journal"), identity) as journal:
            answers = answer_all(task, system, examples, journal=journal, progress=progress)
            task.write(answers, out)
            write_text(provenance_path(out), toml(msgspec.to_builtins(note)))
        return
    task.write(answers, out)
    write_text(provenance_path(out), toml(msgspec.to_builtins(note)))


def _answer_chunk(system: System, samples: Sequence[Sample], journal: Journal | None) -> list[tuple[str, Answer]]:
    known = journal.answers if journal is not None else {}
    missing = [sample for sample in samples if sample.id not in known]
    fresh = system.answer(missing) if missing else []
    if len(fresh) != len(missing):
        raise PlugInError(
            f"{type(system).__name__} returned {len(fresh)} answers for {len(missing)} samples; "
            "a system must return one answer per sample, in order"
        )
    if journal is not None:
        journal.add([sample.id for sample in missing], fresh)
    made = dict(zip((sample.id for sample in missing), fresh, strict=True))
    return [(sample.id, known[sample.id] if sample.id in known else made[sample.id]) for sample in samples]


def recipe_of(recipe: Record) -> dict[str, object]:
    """Return a recipe as plain values, without what is not set (TOML has no null)."""
    plain: dict[str, object] = msgspec.to_builtins(recipe)
    return {key: value for key, value in plain.items() if value is not None}
