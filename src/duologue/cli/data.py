"""`duologue data`: all that is done to data before a system sees them."""

from __future__ import annotations

import click

from duologue.cli.lazy_group import LazyGroup

_COMMANDS = {
    "Commands": {
        "fetch": (
            "duologue.cli.fetch:fetch",
            "Tell how to obtain a challenge's data; fetch what can be; check a folder.",
        ),
        "convert": ("duologue.cli.convert:convert", "Turn a data file from one official form into another."),
        "chats": ("duologue.cli.chats:chats", "Turn dialogues into chat files of other tools, and back."),
        "split": ("duologue.cli.split:split", "Cut a data file into parts by dialogue."),
        "noise": ("duologue.cli.noise:noise", "Lay a task's noise on a clean data file."),
    }
}


@click.group(cls=LazyGroup, sections=_COMMANDS, prefix="data.")
def data() -> None:
    """Obtain data, and turn them into files that tasks and systems read.

    \b
    Examples:
      duologue data fetch proactive
      duologue data fetch restaurant --check data/dstc6
      duologue data convert proactive sessions.txt --from session --to sample --out samples.txt
      duologue data chats train.txt --from proactive --to openai --out train.jsonl
      duologue data split spoken train.json --part train=0.9 --part dev=0.1 --out parts
      duologue data noise spoken test.json --regime test --out noisy.json
      duologue data import twcs twcs.csv --store twcs
      duologue data extract twitter twcs --out dialogues.txt
    """
