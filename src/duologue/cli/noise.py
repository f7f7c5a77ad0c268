"""`duologue data noise`: a clean data file as people say it, and as a speech recogniser would have written it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.core.capabilities import lacking_capability
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.noise import noise_strengths
from duologue.core.optional_protocols import NoiseModel
from duologue.core.plugins import load_task
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.task_argument
@click.argument("path", type=options.PATH, metavar="FILE")
@click.option(
    "--regime",
    default=None,
    metavar="NAME",
    help="Which turns are noisy: user; spoken: test or validation; mobilecs/extraction: user or both.",
)
@options.kind_option
@click.option(
    "--strength",
    type=options.FiniteRange(0, 5),
    default=1.0,
    show_default=True,
    help="Multiplies the strengths of all kinds. organiser: 0.5 is noise on every second utterance, 2 on all twice.",
)
@options.seed_option
@click.option("--out", type=options.OUT_FILE, required=True, help="The file to write, in the format of FILE.")
@options.force_option
def noise(
    *, task: str, path: Path, regime: str | None, kinds: tuple[str, ...], strength: float, seed: int, out: Path
) -> None:
    """Lay noise on a data FILE of TASK. The same seed gives the same bytes.

    Kinds, each a switch with a strength of its own: near-sounds (words taken for others of their sound), fillers,
    repairs (words begun twice, numbers put right), colloquial (forms), cuts (first or last words lost), dialect (an
    accent per speaker), and for spoken organiser, the challenge's own, which is its usual one; elsewhere all are on.

    spoken: FILE holds dialogues or samples. Regime test: the user's turns are noisy; validation: the turns without
    knowledge, whoever speaks (dialogues only). mobilecs/extraction: labels stay where their words are. FILE may be
    packed; what is written is where its name ends in .gz.

    \b
    Examples:
      duologue data noise spoken test.json --regime test --seed 1 --out noisy.json
      duologue data noise spoken train.json.gz --regime validation --seed 1 --out noisy.json.gz
      duologue data noise restaurant test.json --kind fillers --kind cuts=0.5 --out noisy.json
    """
    loaded = load_task(task)
    if not isinstance(loaded, NoiseModel):
        raise lacking_capability(task, "NoiseModel")
    if regime is None and len(loaded.regimes) > 1 and "user" not in loaded.regimes:
        raise UsageError(f"{task} has several noises; give one with --regime: {', '.join(loaded.regimes)}")
    regime = regime or loaded.regimes[0]
    if regime not in loaded.regimes:
        raise UsageError(f"task '{task}' has no noise '{regime}'{did_you_mean(regime, loaded.regimes)}")
    strengths = noise_strengths(loaded, kinds, strength)
    changed = loaded.write_noisy(path, out, regime=regime, seed=seed, strengths=strengths)
    console.line(f"{amount(changed, 'utterance')} changed in {out}")
    if not changed and any(strengths.values()):
        console.remark(f"{path} holds no utterance that this noise could change; is it the file that was meant?")
