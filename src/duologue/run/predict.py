"""Run a system on samples and write the official result file."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.disk import Source, is_stream, read_bytes, write_bytes, write_text
from duologue.core.errors import PlugInError, UsageError
from duologue.core.identity import Identity, hash_of_knowledge, hash_of_model, packages
from duologue.core.lines import sha256
from duologue.core.locks import writing_file
from duologue.core.plugins import CARD, names, packages_of, read_card
from duologue.core.recipe import dump, to_table
from duologue.core.records import Record
from duologue.core.result_note import provenance_path
from duologue.core.system_answers import answers_of, faults_of
from duologue.core.version import __version__
from duologue.run.contamination import declared, sketch_of, with_knowledge
from duologue.run.journal import CHUNK, Journal, journal_path, told_what_is_kept
from duologue.run.notes import BEING_WRITTEN, Provenance, demand_free

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from duologue.core.protocols import Progress, System, Task, World
    from duologue.core.records import Answer, Example, Sample
    from duologue.run.contamination import Sketch


class Predicted(NamedTuple):
    """What came of answering a data file."""

    answers: int
    note: Provenance
    remarks: Sequence[str]
    """What the system tells of the run, such as what it cost, a line each."""


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
    accounts: dict[int, dict[str, Any]] | None = None,
) -> list[tuple[str, Answer]]:
    """Answer every example's sample, in order; `system` is prepared already.

    Where `task.rounds` is a generator, it is sent the answers to each round before the next, so that the system's
    own replies can stand in its histories. A system that fits itself on the whole file (attribute `whole_file`) gets
    all samples in one call and uses no journal; one that is slow may say how many it takes at once (`chunk`), or hand
    on each answer as it is made, with what it took (`answer_each`): `accounts` takes that up by place. Raises
    `PlugInError` when a system returns another number of answers than samples, or takes none at once.
    """
    answers: list[tuple[str, Answer]] = []
    rounds = task.rounds(examples)
    batch = next(rounds, None)
    while batch is not None:
        begun = len(answers)
        samples = [example.sample for example in batch]
        each = getattr(system, "answer_each", None)
        if each is not None:
            taken = _answer_each(each, samples, journal, begun, len(examples), progress)
            answers.extend((sample.id, answer) for sample, (answer, _) in zip(samples, taken, strict=True))
            if accounts is not None:
                accounts.update({begun + place: account for place, (_, account) in enumerate(taken)})
            batch = next_round(rounds, [answer for _, answer in answers[begun:]])
            continue
        size = max(len(samples), 1) if getattr(system, "whole_file", False) else _chunk_of(system)
        for start in range(0, len(samples), size):
            chunk = samples[start : start + size]
            answers.extend(_answer_chunk(system, chunk, journal, begun + start))
            if progress is not None:
                progress(len(answers), len(examples), "answering")
        batch = next_round(rounds, [answer for _, answer in answers[begun:]])
    return answers


def _chunk_of(system: System) -> int:
    size: object = getattr(system, "chunk", CHUNK)
    if not isinstance(size, int) or size < 1:
        name = type(system).__name__
        raise PlugInError(f"{name}.chunk must be a whole number of at least 1, the samples at once; found {size!r}")
    return size


def _answer_each(
    each: Callable[[Sequence[Sample]], Iterator[tuple[int, Answer, dict[str, Any]]]],
    samples: Sequence[Sample],
    journal: Journal | None,
    begun: int,
    total: int,
    progress: Progress | None,
) -> list[tuple[Answer, dict[str, Any]]]:
    """Return answer and account of each sample, of which the first has the place `begun`; each is kept when made."""
    known = journal.answers if journal is not None else {}
    told = journal.accounts if journal is not None else {}
    found = {
        place: (known[begun + place], told[begun + place]) for place in range(len(samples)) if begun + place in known
    }
    missing = [place for place in range(len(samples)) if place not in found]
    with told_what_is_kept(journal):
        for number, answer, account in each([samples[place] for place in missing]) if missing else ():
            place = missing[number]
            found[place] = answer, account
            if journal is not None:
                journal.add([begun + place], [answer], account)
            if progress is not None:
                progress(begun + len(found), total, "answering")
    if len(found) != len(samples):
        raise PlugInError(f"{len(samples) - len(found)} of {len(samples)} samples got no answer of `answer_each`")
    return [found[place] for place in range(len(samples))]


def next_round(rounds: Iterator[Sequence[Example]], answers: list[Answer]) -> Sequence[Example] | None:
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
    sketch: Sketch | None = None,
    say: Callable[[str], object] | None = None,
    progress: Progress | None = None,
) -> Provenance:
    """Answer all samples and write the official result file with its note and sketch; resumes a stopped run.

    Answers go to a journal beside the result as they are made; a kill at any moment loses at most the
    last chunk, and the same call goes on from there. Both files appear only when complete. Returns the note as it is
    written, with what the system tells of its prompt and of what the answers took.
    """
    system.prepare(task.info, note.seed, worlds)
    note = msgspec.structs.replace(note, prompt=getattr(system, "prompt_mark", ""))
    accounts: dict[int, dict[str, Any]] = {}
    with ExitStack() as stack:
        journal = None
        if not getattr(system, "whole_file", False) and not is_stream(out):
            journal = stack.enter_context(Journal(journal_path(out), identity_of(note, system), say=say))
        answers = answer_all(task, system, examples, journal=journal, progress=progress, accounts=accounts)
        if hasattr(system, "usage"):
            note = msgspec.structs.replace(note, usage=system.usage([accounts[place] for place in sorted(accounts)]))
        with faults_of(system):
            return write_result(task, examples, answers, out, note, [sketch] if sketch is not None else [])


def write_result(
    task: Task,
    examples: Sequence[Example],
    answers: Sequence[tuple[str, Answer]],
    out: Path,
    note: Provenance,
    sketches: Sequence[Sketch],
) -> Provenance:
    """Write the result, and its note before and after: at no moment does a result of ours lack one.

    Returns the note with the hash of the result; a stream has no note beside it.
    """
    if is_stream(out):
        task.write(examples, answers, out)
        return note
    path = provenance_path(out)
    before = read_bytes(path) if path.is_file() else None
    write_text(path, dump(msgspec.structs.replace(note, result_hash=BEING_WRITTEN)))
    try:
        task.write(examples, answers, out)
    except BaseException:
        if before is None:
            path.unlink(missing_ok=True)
        else:
            write_bytes(path, before)
        raise
    for sketch in sketches:
        sketch.put_beside(out)
    note = msgspec.structs.replace(note, result_hash=sha256(Source(out)))
    write_text(path, dump(note))
    return note


def identity_of(note: Provenance, system: System) -> Identity:
    """Return what makes the run of a prepared system the same run, so that its journal can be gone on with."""
    prompt = getattr(system, "prompt_mark", "")
    return Identity(
        task=f"{note.task} {note.task_version}",
        system=note.system,
        packages=packages_of(note.system) if note.system in names("systems") else packages(),
        seed=note.seed,
        recipe=decisive(system, note.recipe) | ({"prompt": prompt} if prompt else {}),
        data=note.input_hash,
        world=note.world_hash,
        weights=note.model_hash,
    )


def decisive(system: System, recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a recipe that answers depend on.

    A class names the others as `patience`: whoever gives a slow bot more time goes on with what it has answered.
    """
    return {key: value for key, value in recipe.items() if key not in getattr(system, "patience", ())}


def _answer_chunk(
    system: System, samples: Sequence[Sample], journal: Journal | None, begun: int
) -> list[tuple[str, Answer]]:
    """Return the answers to samples of which the first has the place `begun`; ids may be equal, places are not."""
    known = journal.answers if journal is not None else {}
    missing = [place for place in range(begun, begun + len(samples)) if place not in known]
    with told_what_is_kept(journal):
        fresh = answers_of(system, [samples[place - begun] for place in missing]) if missing else []
    if journal is not None:
        journal.add(missing, fresh)
    made = dict(zip(missing, fresh, strict=True))
    return [
        (sample.id, made[place] if place in made else known[place]) for place, sample in enumerate(samples, start=begun)
    ]


def demand_unread(system: System, data: Path) -> None:
    """Raise `UsageError` where a system takes examples from the very file that it is to answer (attribute `reads`)."""
    for path in getattr(system, "reads", ()):
        if sha256(Source(path)) == sha256(Source(data)):
            raise UsageError(f"the examples in {path} are the file that is answered; take them from a training file")


def demand_questions(examples: Sequence[Example], data: Path, advice: str = "give the data file in its place") -> None:
    """Raise `UsageError` where no sample of a data file holds anything to be answered, as in a file of the truth."""
    samples = [example.sample for example in examples]
    if not samples:
        raise UsageError(f"{data} holds no sample, so there is nothing to answer; is it the file that was meant?")
    if not any(one.history or one.candidates or one.knowledge or one.goal for one in samples):
        raise UsageError(
            f"{data} holds nothing that could be answered: none of its {len(samples):,} samples has a history, "
            f"candidates, knowledge or a goal; it looks like a truth or result file, so {advice}"
        )


def note_of_run(
    task: Task, system: System, data: Path, *, name: str, world: World | None, kb: Path | None, seed: int
) -> Provenance:
    """Return what is known of a run before it: `sketch` is as the model's card says, `exposure` is not told."""
    card = Path(name) / CARD
    trained = read_card(card.parent) if card.is_file() else None
    return Provenance(
        task=task.info.name,
        task_version=task.info.version,
        system=trained.system if trained else name,
        recipe=trained.recipe if trained else to_table(getattr(system, "recipe", Record())),
        seed=seed,
        input=data.name,
        input_hash=sha256(Source(data)),
        world=kb.name if kb else "",
        world_hash=hash_of_knowledge(kb) if kb else "",
        seen=system.seen,
        package=__version__,
        model=name if trained else "",
        model_seed=trained.seed if trained else 0,
        model_hash=hash_of_model(card.parent) if trained else "",
        model_data_hash=trained.data_hash if trained else "",
        sketch=trained.sketch if trained else "",
        external=with_knowledge(trained.external if trained else declared(system), task, world, kb),
    )


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
    force: bool = False,
    say: Callable[[str], object] | None = None,
    progress: Progress | None = None,
) -> Predicted:
    """Answer an official data file. `name` is a registered name or a model folder.

    `say` is told of what an earlier run left and cannot be gone on with. Raises `UsageError` where `out` is a file
    that is read, or, unless `force`, one that was not written so; `BusyError` where another process is writing it.
    """
    with writing_file(out):
        demand_free(out, [data, *([kb] if kb else [])], force=force)
        demand_unread(system, data)
        examples = in_world(list(task.load(data)), world)
        demand_questions(examples, data)
        note = note_of_run(task, system, data, name=name, world=world, kb=kb, seed=seed)
        sketch = sketch_of(Path(name)) if note.sketch else None
        if sketch is not None:
            exposure = sketch.exposure(examples, [(data.name, note.input_hash)])
            note = msgspec.structs.replace(note, sketch=sketch.hash, exposure=exposure)
        worlds = {} if world is None else {world.name: world}
        note = predict(task, system, examples, worlds, out, note, sketch=sketch, say=say, progress=progress)
        lines = getattr(system, "usage_lines", None)
        return Predicted(len(examples), note, lines(note.usage, len(examples)) if lines is not None else ())
