"""`duologue data freeze`: a track of the conversation challenge, made once and for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("store", type=options.PATH, metavar="STORE")
@click.option("--out", type=options.OUT_FOLDER, required=True, help="The folder to write; it must be new or empty.")
@options.count_option("--development", "Accounts for development.  [default: a tenth]")
@options.count_option("--evaluation", "Accounts for evaluation.  [default: a tenth]")
@options.count_option("--samples", "Dialogues in the evaluation file.", default=500)
@options.count_option("--max-turns", "Most groups of posts of a dialogue.", default=20)
@click.option(
    "--tokenizer",
    type=click.Choice(["2017", "nltk-3.10"]),
    default="2017",
    show_default=True,
    help="Generation of the tweet tokenizer; the challenge's text was made with 2017.",
)
@options.seed_option
@options.json_option
def freeze(
    *,
    store: Path,
    out: Path,
    development: int | None,
    evaluation: int | None,
    samples: int,
    max_turns: int,
    tokenizer: str,
    seed: int,
    as_json: bool,
) -> None:
    """Freeze a track of the conversation challenge: deal the accounts of STORE to training, development and evaluation.

    OUT/participants has the accounts, begin and end ids and text of training and development, the evaluation file whose
    last replies are hidden with its ids, and track.json: sizes, seed, and the SHA-256 of every file, the sealed ones
    too, so that anybody can see later that the truth was not changed. OUT/sealed, for its owner alone, has the true
    replies, their ids and the accounts of evaluation. OUT/overlap.json tells what each two parts have in common.

    Begin and end ids hold when STORE grows: whoever collects later and runs `duologue data extract twitter --profile
    official` with them gets the same text. A dialogue with a post of evaluation or development is in no other part; in
    the evaluation each post and each text stands once. The seed and the ids decide alone. Exit code 1 where two parts
    share an account or a post, or a dialogue of the evaluation is in another part.

    \b
    Examples:
      duologue data freeze store --development 117 --evaluation 100 --seed 7 --out track
      duologue score conversation REPLIES.txt --gold track/sealed/evaluation.txt
    """
    import msgspec

    from duologue.challenges.conversation.extraction.twitter import track
    from duologue.challenges.conversation.extraction.twitter.extractor import Settings

    plan = track.TrackPlan(
        development=development,
        evaluation=evaluation,
        samples=samples,
        seed=seed,
        settings=Settings(max_turns=max_turns, tokenizer=tokenizer),
    )
    frozen, proof = track.freeze(store, out, plan)
    if as_json:
        told = [msgspec.to_builtins(one) for one in proof]
        console.as_json({"track": msgspec.to_builtins(frozen), "overlap": told, "apart": not track.leaks(proof)})
    else:
        for part in (track.TRAIN, track.DEV):
            console.line(
                f"{part}: {amount(frozen.dialogues[part], 'dialogue')} of {amount(frozen.accounts[part], 'account')}"
            )
        told_accounts = amount(frozen.accounts[track.EVALUATION], "account")
        console.line(f"{track.EVALUATION}: {amount(frozen.samples, 'sample')} of {told_accounts}, their replies sealed")
        for one in proof:
            console.block(one.told())
        console.line(f"give away {out / track.OPEN}; keep {out / track.SEALED} to yourself")
    if track.leaks(proof):
        raise click.exceptions.Exit(1)
