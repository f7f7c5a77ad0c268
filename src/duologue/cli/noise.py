"""`duologue data noise`: a clean data file as a speech recogniser would have written it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.capabilities import lacking_capability
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.plugins import load_task
from duologue.core.protocols import NoiseModel
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.task_argument
@click.argument("path", type=options.PATH, metavar="FILE")
@click.option("--regime", required=True, metavar="NAME", help="Which turns are noisy (spoken: test or validation).")
@click.option(
    "--strength",
    type=options.FiniteRange(0, 5),
    default=1.0,
    show_default=True,
    help="1 is the challenge's noise, 0.5 lays it on every second utterance, 2 lays it on twice.",
)
@options.seed_option
@click.option("--out", type=options.OUT_FILE, required=True, help="The file to write, in the format of FILE.")
def noise(*, task: str, path: Path, regime: str, strength: float, seed: int, out: Path) -> None:
    """Lay noise on a data FILE of TASK. The same seed gives the same bytes.

    spoken: FILE holds dialogues or samples. Regime test: the user's turns are noisy; validation: the turns without
    knowledge, whoever speaks (dialogues only). FILE may be packed; what is written is where its name ends in .gz.

    \b
    Examples:
      duologue data noise spoken test.json --regime test --seed 1 --out noisy.json
      duologue data noise spoken train.json.gz --regime validation --seed 1 --out noisy.json.gz
    """
    loaded = load_task(task)
    if not isinstance(loaded, NoiseModel):
        raise lacking_capability(task, "NoiseModel")
    if regime not in loaded.regimes:
        raise UsageError(f"task '{task}' has no noise '{regime}'{did_you_mean(regime, loaded.regimes)}")
    changed = loaded.write_noisy(path, out, regime=regime, seed=seed, strength=strength)
    console.line(f"{changed} utterances changed in {out}")
