"""`duologue data exam`: an exam of questions that need several triples, over any graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.core.locks import writing_folder
from duologue.core.own_files import own_files
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.spoken.simulator.exam import Part

SAMPLES, GOLD, KEY = "test.json", "gold.json", "key.json"


@click.command()
@click.argument("graph", type=options.PATH)
@click.option("--n", type=options.CountNumber(min=1), default=2000, show_default=True, help="Questions of each kind.")
@click.option(
    "--wordings",
    type=click.Choice(["development", "test"]),
    default="test",
    show_default=True,
    help="Which of two sets of wordings; they share no sentence.",
)
@click.option(
    "--noise",
    type=click.FloatRange(0, 5),
    default=0.0,
    show_default=True,
    help="Strength of the recogniser's noise on the user's turns; 1 is the challenge's.",
)
@click.option("--out", type=options.OUT_FOLDER, required=True, help="The folder to write.")
@options.seed_option
@options.quiet_option
def exam(*, graph: Path, n: int, wordings: Part, noise: float, out: Path, seed: int, quiet: bool) -> None:
    """Write an exam over GRAPH (kg.json): questions that need several triples, for the spoken challenge.

    Kinds are reverse look-up, two and three hops, comparison, superlatives, counts, lists, dates and follow-ups. OUT
    gets `test.json` (the samples), `gold.json` (the true triples and replies) and `key.json` (what each question asks
    of the graph and what a right reply says). A graph may have too little for some kinds: it is drawn from until
    nothing new has come for long. A folder with
    files of these names that were not written so is refused.

    \b
    Examples:
      duologue data exam kg.json --n 2000 --seed 1 --out exam
      duologue run spoken exam/test.json --system model --kg kg.json --out result.json
      duologue data marks exam --pred result.json
    """
    from duologue.challenges.spoken.formats import files
    from duologue.challenges.spoken.noise.simulator import NoiseSimulator
    from duologue.challenges.spoken.simulator.exam import KINDS, make_exam, write_key
    from duologue.challenges.spoken.task import SpokenTask
    from duologue.core.errors import UsageError

    with writing_folder(out), own_files(out, [out / name for name in (SAMPLES, GOLD, KEY)]):
        with options.progress_bar(quiet=quiet) as progress:
            questions = make_exam(SpokenTask().world(graph), n, part=wordings, seed=seed, progress=progress)
        if not questions:
            raise UsageError(f"{graph} has no way of several triples that a question could ask for")
        examples = [question.example() for question in questions]
        simulator = NoiseSimulator("test", seed, strength=noise) if noise else None
        files.write_samples((simulator.example(one) if simulator else one for one in examples), out / SAMPLES)
        files.write_gold(examples, out / GOLD)
        write_key(questions, out / KEY)
    counts = {kind: sum(one.kind == kind for one in questions) for kind in KINDS}
    console.line(
        f"{amount(len(questions), 'question')} in {out}: " + ", ".join(f"{kind} {counts[kind]:,}" for kind in KINDS)
    )
    fewer = [kind for kind in KINDS if counts[kind] < n]
    if fewer:
        console.line(f"{n:,} of each kind were asked for; the graph has fewer of: {', '.join(fewer)}")
