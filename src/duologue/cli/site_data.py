"""`duologue site backup`, `restore` and `export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.cli.site import site_database
from duologue.core.amounts import amount
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.workspace_option
@options.database_option
@click.option("--out", type=options.OUT_FILE, required=True, help="The zip file to write.")
@options.force_option
def backup(*, workspace: Path, address: str | None, out: Path) -> None:
    """Write the whole site to one file, while it runs: all rows of one moment, and the files that people gave.

    It holds what the site holds: names, texts and the hashes of secrets. Keep it where only you can read it.

    \b
    Examples:
      duologue site backup --out monday.zip
    """
    with site_database(workspace, address) as found:
        from duologue.arena.database.backup import back_up
        from duologue.arena.storage import open_blobs

        made = back_up(found, open_blobs(workspace), out)
    console.line(f"{amount(made.rows, 'row')} and {amount(made.files, 'file')} are in {out}")


@click.command()
@click.argument("source", metavar="BACKUP", type=options.PATH)
@options.workspace_option
@options.database_option
def restore(*, source: Path, workspace: Path, address: str | None) -> None:
    """Fill an empty site from a backup: all of it or nothing; it may be of another kind of database.

    \b
    Examples:
      duologue site restore monday.zip --workspace again
      duologue site restore monday.zip --workspace again --database postgresql://duologue@localhost/duologue
    """
    with site_database(workspace, address) as found:
        from duologue.arena.database.backup import restore as fill
        from duologue.arena.storage import open_blobs

        made = fill(source, found, open_blobs(workspace))
    console.line(f"{amount(made.rows, 'row')} and {amount(made.files, 'file')} are back")


@click.command()
@options.workspace_option
@options.database_option
@click.option("--anonymised", is_flag=True, help="Without names, secrets and personal data.")
@click.option("--out", type=options.OUT_FILE, required=True, help="The zip file to write, with JSON lines by table.")
@options.force_option
def export(*, workspace: Path, address: str | None, anonymised: bool, out: Path) -> None:
    """Write what may be given to others: rows with pseudonyms for people, texts gone through the anonymiser.

    The anonymiser goes by rules and lists: look before you publish. With names and all, the site is written by
    `duologue site backup`.

    \b
    Examples:
      duologue site export --anonymised --out data.zip
    """
    if not anonymised:
        raise click.UsageError("say --anonymised: with names and all, it is `duologue site backup`")
    with site_database(workspace, address) as found:
        from duologue.arena.anonymised_export import export_anonymised

        replaced = export_anonymised(found, out)
    console.line(f"the export is in {out}")
    console.block(replaced.told())
