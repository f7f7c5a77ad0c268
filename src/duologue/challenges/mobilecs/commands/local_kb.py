"""`duologue data local-kb`: local knowledge bases of calls from what a system extracted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command(name="local-kb")
@click.argument("calls", type=options.PATH)
@click.option(
    "--pred",
    "result",
    type=options.PATH,
    required=True,
    help="What was extracted: a result file of `duologue run mobilecs/extraction` on CALLS.",
)
@click.option("--out", type=options.OUT_FILE, required=True, help="The file of track 2 dialogues to write.")
@options.force_option
def local_kb(*, calls: Path, result: Path, out: Path) -> None:
    """Give MobileCS calls local knowledge bases made of extracted mentions and values.

    CALLS are raw dialogues, bare ones too; the annotation that they may have is not read. The official preprocessing
    pairs the turns anew and makes each base (entities with names, type and slots; the user's own slots). Bare calls
    have no intents, so no goal either.

    \b
    Examples:
      duologue run mobilecs/extraction unlabelled.json --system model --out unlabelled.pred.json
      duologue data local-kb unlabelled.json --pred unlabelled.pred.json --out unlabelled.track2.json
    """
    from duologue.challenges.mobilecs.formats.answers import extraction_answers
    from duologue.challenges.mobilecs.formats.files import EXTRACTION_LAYOUT, dump, load_extraction, read_result
    from duologue.challenges.mobilecs.formats.local_bases import local_bases
    from duologue.challenges.mobilecs.scoring.extraction import checker
    from duologue.core import disk
    from duologue.core.errors import FormatError

    examples = load_extraction(calls)
    submission = read_result(result, EXTRACTION_LAYOUT)
    problems = checker.check(submission, examples, "strict")
    if any(problem.severity == "error" for problem in problems):
        raise FormatError(result, problems)
    made = local_bases(examples, extraction_answers(submission.rows))
    disk.write_bytes(out, dump(made.rows))
    entities = sum(len(row["KB"]) - ("NA" in row["KB"]) for row in made.rows)
    console.line(f"{amount(len(made.rows), 'dialogue')} with {amount(entities, 'entity')} in {out}")
    without = [row["id"] for row in made.rows if not row["content"]]
    for ids, told in (
        (made.discarded, "discarded as the official preprocessing does"),
        (without, "without a turn, since the official ones are what a customer says with the reply behind it"),
    ):
        if ids:
            console.line(f"{told}: {len(ids):,} ({', '.join(ids[:5])}{', ...' * (len(ids) > 5)})")
