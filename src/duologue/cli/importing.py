"""`duologue import`: dialogues that others collected, into a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.conversation.collecting.importers.placing import Imported

_STORE = click.option(
    "--store", type=options.PATH, required=True, help="Folder of the store; made where there is none."
)
_LANGUAGE = click.option(
    "--language", default="en", show_default=True, help="Language of the posts, where the file does not say it."
)


@click.group(name="import")
def import_() -> None:
    """Bring dialogues that others collected into a store, as if they had been collected.

    Importing a file again changes nothing; a killed import is taken up by doing it again.

    \b
    Examples:
      duologue import twcs twcs.csv --store twcs
      duologue import tweets stream.json.bz2 --account AirCare --store tweets
      duologue import archive twitter-archive --store mine
      duologue import dialogues chats.jsonl --account Help --store chats
    """


@import_.command()
@click.argument("file", type=options.PATH)
@_STORE
@_LANGUAGE
@options.quiet_option
def twcs(*, file: Path, store: Path, language: str, quiet: bool) -> None:
    """Import the "Customer Support on Twitter" table FILE (twcs.csv, .gz is fine).

    Its anonymous ids are not in time order: posts get new ones that are.

    \b
    Example:
      duologue import twcs twcs.csv --store twcs
    """
    from duologue.challenges.conversation.collecting import stores
    from duologue.challenges.conversation.collecting.importers.twcs import import_twcs

    with stores.open_base(store, durable=False) as base, options.progress_bar(quiet=quiet) as progress:
        _tell(import_twcs(base, file, language=language, progress=progress), store)


def _tell(done: Imported, store: Path) -> None:
    click.echo(f"{done.posts:,} posts, {done.dialogues:,} dialogues of {done.accounts:,} accounts in {store}")
    for why, number in sorted(done.skipped.items()):
        click.echo(f"  left out: {number:,} {why}")
