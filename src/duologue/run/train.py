"""Train a system and save the model with its recipe, seed and data hash."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from duologue.core.errors import UsageError
from duologue.core.plugins import CARD, make_system, read_card, save_card
from duologue.core.protocols import Run, Trainable
from duologue.core.recipe import recipe_hash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import Progress, Task, World
    from duologue.core.records import Example, Record


def train(
    task: Task,
    name: str,
    recipe: Record,
    seed: int,
    out: Path,
    *,
    examples: Sequence[Example] | None = None,
    held_out: Sequence[Example] | None = None,
    worlds: Mapping[str, World] | None = None,
    progress: Progress | None = None,
) -> bool:
    """Train the registered system `name` into the folder `out`; return False when it stands there already.

    The system finds the shared knowledge bases in `Run.worlds`; what they hold is part of the data hash. Without
    `examples` the system practises on what its task's simulator makes. A stopped training goes on from its last
    checkpoint and ends in the same weights. Raises `UsageError` when the system does not learn or `out` holds another
    model.
    """
    system = make_system(name, recipe)
    if not isinstance(system, Trainable):
        raise UsageError(f"system '{name}' does not learn; give its name to `duologue run` as it is")
    given = "" if examples is None else _data_hash(examples, held_out, worlds)
    origin = f"simulated by the task's own simulator, seed {seed}" if examples is None else "given files"
    if (out / CARD).is_file():
        card = read_card(out)
        same = (card.system, card.recipe_hash, card.seed, card.data) == (name, recipe_hash(recipe), seed, origin)
        if same and given in {"", card.data_hash}:
            return False
        raise UsageError(
            f"{out} holds another model ({card.system}, seed {card.seed}); choose another --out or remove it"
        )
    if examples is None:
        examples, held_out = system.practice(task, seed, progress)
    data_hash = given or _data_hash(examples, held_out, worlds)
    run = Run(folder=out, seed=seed, progress=progress, data_hash=data_hash, worlds=dict(worlds or {}))
    system.fit(examples, held_out or [], [], run)
    system.save(out)
    save_card(out, name=name, recipe=recipe, task=task.brief.name, seed=seed, data=origin, data_hash=run.data_hash)
    return True


def _data_hash(
    examples: Sequence[Example] | None, held_out: Sequence[Example] | None, worlds: Mapping[str, World] | None
) -> str:
    """Return the SHA-256 of all examples and facts as JSON lines, fed one by one: they may be many."""
    encoder, digest = msgspec.json.Encoder(), hashlib.sha256()
    for part in (examples, held_out):
        for example in part or ():
            digest.update(encoder.encode(example) + b"\n")
    for _, world in sorted((worlds or {}).items()):
        for fact in world:
            digest.update(encoder.encode(fact) + b"\n")
    return digest.hexdigest()
