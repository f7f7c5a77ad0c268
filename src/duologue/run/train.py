"""Train a system and save the model with its recipe, seed and data hash."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from duologue.core.decoded import as_json
from duologue.core.disk import write_text
from duologue.core.errors import FormatError, StorageError, UsageError
from duologue.core.identity import Identity, differences, packages
from duologue.core.locks import FOLDER_LOCK, writing_folder
from duologue.core.own_files import demand_ours
from duologue.core.plugins import (
    CARD,
    demand_fit,
    make_system,
    packages_of,
    read_card,
    save_card,
    write_card,
)
from duologue.core.protocols import Run, Trainable
from duologue.core.recipe import dump, read_toml, to_table
from duologue.run.contamination import HELD_OUT, SKETCH, TRAIN, UNLABELLED, Sketch, declared, with_knowledge
from duologue.run.metrics_log import logging_to

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.plugins import SystemCard
    from duologue.core.protocols import Progress, Task, World
    from duologue.core.records import Example, Record
    from duologue.run.contamination import TrainingFile

UNDER_WAY = "training.toml"
"""The file that says, until the model is there, which training a folder belongs to."""

_SIMULATED = "simulated by the task's own simulator, seed {}"
_GIVEN = "given files"
_AT_HAND = "at hand in training"


def train(
    task: Task,
    name: str,
    recipe: Record,
    seed: int,
    out: Path,
    *,
    examples: Sequence[Example] | None = None,
    held_out: Sequence[Example] | None = None,
    unlabelled: Sequence[Example] = (),
    worlds: Mapping[str, World] | None = None,
    kb: Path | None = None,
    files: Sequence[TrainingFile] = (),
    external: Sequence[str] | None = None,
    loggers: Sequence[str] = (),
    progress: Progress | None = None,
) -> bool:
    """Train the registered system `name` into the folder `out`; return False when it stands there already.

    The system finds the shared knowledge bases in `Run.worlds`; `kb` is the file that they are from. Without
    `examples` the system learns from what its task's simulator makes. `unlabelled` examples, whose answers are not
    known, are for systems that learn from such, too. A stopped training goes on from its last checkpoint and ends in
    the same weights. `files` says which files the examples are from; `external` names data that are not the
    challenge's own (`None`: not declared), and declares them anew for a model that stands there; `kb` is declared with
    them. Beside the model lies a sketch of all that it learned from, so that scores on the same data are told
    (`run.contamination`). `loggers` names where metrics go as the training goes on. Raises
    `UsageError` when the system does not learn, or not from unlabelled examples, there are `held_out` or `unlabelled`
    examples alone, or `out` holds another model or
    another training that was stopped; `BusyError` where another process trains into it.
    """
    demand_fit(name, task.info)
    system = make_system(name, recipe)
    if not isinstance(system, Trainable):
        raise UsageError(f"system '{name}' does not learn; give its name to `duologue run` as it is")
    for kind, given in (("held-out", held_out), ("unlabelled", unlabelled)):
        if examples is None and given:
            raise UsageError(
                f"{kind} examples need examples to learn from beside them; give training files with --train"
            )
    origin = _SIMULATED.format(seed) if examples is None else _GIVEN
    world_hash = _hash_of_worlds(worlds or {})
    identity = Identity(
        task=task.info.name,
        system=name,
        packages=packages_of(name),
        seed=seed,
        recipe=to_table(recipe),
        data=origin if examples is None else _hash_of_data(examples, held_out or (), unlabelled),
        world=world_hash,
    )
    world = next(iter((worlds or {}).values()), None)

    def all_external(given: Sequence[str] | None) -> list[str] | None:
        return with_knowledge(declared(system, given), task, world, kb, _AT_HAND)

    with writing_folder(out):
        if (out / CARD).is_file():
            card = read_card(out)
            other = differences(_identity_of(card).table(), identity.table())
            if not other:
                if external is not None:
                    _declare(out, card, all_external(external))
                return False
            raise UsageError(
                f"{out} holds another model ({card.system}, seed {card.seed}: {', '.join(other)}); "
                f"choose another --out or remove it"
            )
        _claim(out, identity)
        if examples is None:
            examples, held_out = system.make_training_data(task, seed, progress)
            external = external or ()
        data_hash = _hash_of_data(examples, held_out or ()) if origin != _GIVEN else identity.data
        run = Run(folder=out, seed=seed, progress=progress, identity=identity, worlds=dict(worlds or {}))
        about = {"task": task.info.name, "system": name, "seed": str(seed), "data": data_hash}
        try:
            with logging_to(loggers, out, about) as on_metrics:
                learning = msgspec.structs.replace(run, on_metrics=on_metrics)
                system.fit(examples, held_out or [], unlabelled, learning)
        except UsageError:
            _release(out)
            raise
        system.save(out)
        parts = {TRAIN: examples, HELD_OUT: held_out or [], **({UNLABELLED: unlabelled} if unlabelled else {})}
        sketch = Sketch.of(parts, files)
        sketch.save(out / SKETCH)
        save_card(
            out, name=name, recipe=recipe, task=task.info.name, seed=seed,
            data=origin, data_hash=data_hash, world_hash=world_hash,
            sketch=sketch.hash, external=all_external(external),
        )  # fmt: skip
        (out / UNDER_WAY).unlink(missing_ok=True)
        return True


def demand_folder(out: Path) -> None:
    """Raise `UsageError` where a folder holds files and no model or training: a system calls its files as it likes."""
    if out.is_dir() and not (out / CARD).is_file() and not (out / UNDER_WAY).is_file():
        demand_ours(out, sorted(path.name for path in out.iterdir() if not path.name.startswith(".")))


def _declare(out: Path, card: SystemCard, external: list[str] | None) -> None:
    """Put another declaration of external data on a model's card."""
    if external != card.external:
        write_card(out, msgspec.structs.replace(card, external=external))


def _claim(out: Path, identity: Identity) -> None:
    """Note whose training the folder holds from now on.

    Raises `UsageError` where another one was stopped in it, and `StorageError` where a damaged note says whose it was.
    """
    path = out / UNDER_WAY
    if path.is_file():
        try:
            found = read_toml(path)
        except FormatError as error:
            raise StorageError(
                f"{path} is damaged, and tells no more whose training was stopped in {out}; remove the folder to start "
                f"anew, or choose another --out"
            ) from error
        other = differences(found, identity.table())
        if other:
            raise UsageError(
                f"a training that was stopped in {out} is another one ({', '.join(other)}); train with the same to go "
                f"on with it, choose another --out, or remove the folder to start anew"
            )
    write_text(path, dump(identity))


def _release(out: Path) -> None:
    """Give up a folder whose training was refused before it wrote anything: the next one may have other data."""
    if {path.name for path in out.iterdir()} <= {UNDER_WAY, FOLDER_LOCK}:
        (out / UNDER_WAY).unlink(missing_ok=True)


def _identity_of(card: SystemCard) -> Identity:
    """Return the identity of the training that made a model."""
    return Identity(
        task=card.task,
        system=card.system,
        packages=packages(card.distribution, card.version, duologue=card.duologue),
        seed=card.seed,
        recipe=card.recipe,
        data=card.data_hash if card.data == _GIVEN else card.data,
        world=card.world_hash,
    )


def _hash_of_data(examples: Sequence[Example], held_out: Sequence[Example], unlabelled: Sequence[Example] = ()) -> str:
    """Return the SHA-256 of the examples of all parts as JSON lines, fed one by one: they may be many.

    Raises `UsageError` for half of a surrogate pair.
    """
    digest = hashlib.sha256()
    parts = [("examples", examples), ("held out", held_out), *([("unlabelled", unlabelled)] if unlabelled else [])]
    for name, part in parts:
        digest.update(f"# {name}\n".encode())  # no JSON begins so: where a part ends counts, too
        for example in part:
            digest.update(as_json(example, f"'{example.sample.id}'") + b"\n")
    return digest.hexdigest()


def _hash_of_worlds(worlds: Mapping[str, World]) -> str:
    """Return the SHA-256 of all facts, by knowledge base; nothing where there is none."""
    if not worlds:
        return ""
    digest = hashlib.sha256()
    for name, world in sorted(worlds.items()):
        digest.update(b"# " + as_json(name, "a name") + b"\n")
        for fact in world:
            digest.update(as_json(fact, f"a fact of {name}") + b"\n")
    return digest.hexdigest()
