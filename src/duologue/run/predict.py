"""Run a system on samples and write the official result file."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from duologue import __version__
from duologue.core.disk import read_bytes, sha256, write_text
from duologue.core.errors import PlugInError
from duologue.core.plugins import CARD, read_card
from duologue.core.recipe import dump, to_table
from duologue.core.records import Record
from duologue.run.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.core.protocols import Progress, System, Task, World
    from duologue.core.records import Answer, Example, Sample

_CHUNK = 100
"""Samples per call of `answer`: small enough for a lively progress bar and a short loss after a kill."""


class Provenance(Record, frozen=True, kw_only=True):
    """Where a result file comes from; written beside it as `<result>.run.toml`."""

    task: str
    task_version: str
    system: str
    """The system's registered name."""
    recipe: dict[str, Any]
    seed: int
    input: str
    input_hash: str
    world: str
    world_hash: str
    seen: str
    """What data the system saw in training."""
    package: str
    """Version of duologue."""
    model: str = ""
    """The model's folder as it was given; empty for systems that are not trained."""
    model_seed: int = 0
    model_data_hash: str = ""
    """Hash of the data that the model was trained on."""


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

    Where `task.rounds` is a generator, it is sent the answers to each round before the next, so that the system's
    own replies can stand in its histories. A system that fits itself on the whole file (attribute `whole_file`) gets
    all samples in one call and uses no journal. Raises `PlugInError` when a system returns another number of answers
    than samples.
    """
    answers: list[tuple[str, Answer]] = []
    rounds = task.rounds(examples)
    batch = next(rounds, None)
    while batch is not None:
        begun = len(answers)
        samples = [example.sample for example in batch]
        size = len(samples) if getattr(system, "whole_file", False) else _CHUNK
        for start in range(0, len(samples), max(size, 1)):
            chunk = samples[start : start + size]
            answers.extend(_answer_chunk(system, chunk, journal))
            if progress is not None:
                progress(len(answers), len(examples), "answering")
        batch = _next_round(rounds, [answer for _, answer in answers[begun:]])
    return answers


def _next_round(rounds: Iterator[Sequence[Example]], answers: list[Answer]) -> Sequence[Example] | None:
    """Return the next round; where its histories are made of the answers so far, the task is told them."""
    if not isinstance(rounds, Generator):
        return next(rounds, None)
    try:
        following: Sequence[Example] = rounds.send(answers)
    except StopIteration:
        return None
    return following


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
    if getattr(system, "whole_file", False):
        task.write(answer_all(task, system, examples, progress=progress), out)
    else:
        identity = sha256(msgspec.json.encode(note))
        with Journal(out.with_name(f".{out.name}.journal"), identity) as journal:
            task.write(answer_all(task, system, examples, journal=journal, progress=progress), out)
    write_text(provenance_path(out), dump(note))


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


def predict_file(
    task: Task,
    system: System,
    data: Path,
    out: Path,
    *,
    name: str,
    world: World | None,
    kb: Path | None,
    seed: int,
    progress: Progress | None = None,
) -> int:
    """Answer an official data file; return the number of answers. `name` is a registered name or a model folder."""
    examples = in_world(list(task.load(data)), world)
    card = Path(name) / CARD
    trained = read_card(card.parent) if card.is_file() else None
    note = Provenance(
        task=task.brief.name,
        task_version=task.brief.version,
        system=trained.system if trained else name,
        recipe=trained.recipe if trained else to_table(getattr(system, "recipe", Record())),
        seed=seed,
        input=data.name,
        input_hash=sha256(read_bytes(data)),
        world=kb.name if kb else "",
        world_hash=sha256(read_bytes(kb)) if kb else "",
        seen=system.seen,
        package=__version__,
        model=name if trained else "",
        model_seed=trained.seed if trained else 0,
        model_data_hash=trained.data_hash if trained else "",
    )
    worlds = {} if world is None else {world.name: world}
    predict(task, system, examples, worlds, out, note, progress=progress)
    return len(examples)
