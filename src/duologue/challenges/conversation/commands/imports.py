"""`duologue data import`: dialogues that others collected, into a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.conversation.collector.importers.insertion import ImportResult
    from duologue.store.posts import PostBase

_STORE = click.option(
    "--store", type=options.PATH, required=True, help="Folder of the store; made where there is none."
)
_KEEP = click.option(
    "--keep-personal-data",
    is_flag=True,
    help="Store names, numbers and addresses of people as they stand in the file, such as for the exact official text.",
)
_LANGUAGE = click.option(
    "--language", default="en", show_default=True, help="Language of the posts, where the file does not say it."
)


@click.group(name="import", cls=options.CommandGroup)
def import_() -> None:
    """Bring dialogues that others collected into a store, or transcripts of calls into a file.

    They are as if they had been collected. Importing a file again changes nothing; a killed import is taken up by doing
    it again. Before anything is stored personal data (telephone numbers, addresses, names, ...) becomes placeholders,
    such as <PHONE_1>; what was replaced is told, and written to personal-data.toml beside the store. Stores are
    readable by their owner alone.

    \b
    Examples:
      duologue data import twcs twcs.csv --store twcs
      duologue data import tweets stream.json.bz2 --account AirCare --store tweets
      duologue data import archive twitter-archive --store mine
      duologue data import dialogues chats.jsonl --account Help --store chats
    """


@import_.command()
@click.argument("file", type=options.PATH)
@_STORE
@_LANGUAGE
@_KEEP
@options.quiet_option
def twcs(*, file: Path, store: Path, language: str, keep_personal_data: bool, quiet: bool) -> None:
    """Import the "Customer Support on Twitter" table FILE (twcs.csv, .gz is fine).

    Its anonymous ids are not in time order: posts get new ones that are.

    \b
    Example:
      duologue data import twcs twcs.csv --store twcs
    """
    from duologue.challenges.conversation.collector.importers.twcs import import_twcs
    from duologue.challenges.conversation.formats import stores

    with stores.open_base(store, durable=False) as base, options.progress_bar(quiet=quiet) as progress:
        done = import_twcs(base, file, language=language, progress=progress, keep_personal_data=keep_personal_data)
        _tell(done, base, store, file)


@import_.command()
@click.argument("files", type=options.PATH, nargs=-1, required=True)
@_STORE
@click.option("--account", "names", multiple=True, help="Make the dialogues of this account; may be repeated.")
@click.option("--accounts", type=options.PATH, default=None, help="List of such accounts, one per line.")
@_KEEP
def tweets(
    *, files: tuple[Path, ...], store: Path, names: tuple[str, ...], accounts: Path | None, keep_personal_data: bool
) -> None:
    """Import FILES of tweets as REST API 1.1 gave them: one JSON object per line, plain, gzip or bzip2.

    Posts with a delete notice are left out, and taken out of the store and its account files for good. Lists of the
    service's compliance jobs are such files, too. People have other names, but for the accounts.

    \b
    Example:
      duologue data import tweets stream.json.bz2 --accounts accounts.txt --store tweets
    """
    from duologue.challenges.conversation.collector.importers.dumps import import_stream
    from duologue.challenges.conversation.formats import posts, stores

    wanted = [*names, *(posts.read_accounts(accounts) if accounts else ())]
    for name in wanted:
        stores.account_file(store, name)
    with stores.open_base(store, durable=False) as base:
        done = import_stream(base, files, wanted, keep_personal_data=keep_personal_data)
        _tell(done, base, store, *files)


@import_.command()
@click.argument("archive", type=options.PATH)
@_STORE
@click.option("--account", default=None, help="Whose posts they are, where there is no account.js.")
@_KEEP
def archive(*, archive: Path, store: Path, account: str | None, keep_personal_data: bool) -> None:
    """Import one's own ARCHIVE of Twitter (X): its unpacked folder, or the file tweets.js alone.

    \b
    Example:
      duologue data import archive twitter-archive --store mine
    """
    from duologue.challenges.conversation.collector.importers.dumps import import_archive
    from duologue.challenges.conversation.formats import stores

    with stores.open_base(store, durable=False) as base:
        done = import_archive(base, archive, account, keep_personal_data=keep_personal_data)
        _tell(done, base, store, archive)


@import_.command()
@click.argument("file", type=options.PATH)
@_STORE
@click.option(
    "--account", default=None, help="The company, where the dialogues do not name it; default: the file's name."
)
@click.option(
    "--company", multiple=True, help="What FILE calls the company's side; may be repeated; default: S, system, agent..."
)
@_LANGUAGE
@_KEEP
def dialogues(
    *,
    file: Path,
    store: Path,
    account: str | None,
    company: tuple[str, ...],
    language: str,
    keep_personal_data: bool,
) -> None:
    """Import FILE of dialogues: one JSON object per line with turns, or the published conversation JSON.

    Turns are `[speaker, text]`, objects with speaker and text, or objects with the text under `client` or `agent`.
    Chat files of other tools are read as they are: OpenAI's `messages`, ShareGPT's `conversations`, and the
    dialogues.json or data.zip of ConvLab-3.

    \b
    Examples:
      duologue data import dialogues chats.jsonl --account Help --store chats
      duologue data import dialogues multiwoz/data.zip --account Help --store chats
    """
    from duologue.challenges.conversation.collector.importers.dialogues import COMPANY, import_dialogues
    from duologue.challenges.conversation.formats import stores

    with stores.open_base(store, durable=False) as base:
        done = import_dialogues(
            base,
            file,
            account=account,
            company=company or COMPANY,
            language=language,
            keep_personal_data=keep_personal_data,
        )
        _tell(done, base, store, file)


def _tell(done: ImportResult, base: PostBase, store: Path, *files: Path) -> None:
    from duologue.challenges.conversation.collector.privacy import write_report
    from duologue.challenges.conversation.formats import stores

    stores.refresh(base, store)
    report = write_report(store, ", ".join(file.name for file in files), done.replaced)
    console.line(
        f"{amount(done.posts, 'post')}, {amount(done.dialogues, 'dialogue')} of "
        f"{amount(done.accounts, 'account')} in {store}"
    )
    for why, number in sorted(done.skipped.items()):
        console.line(f"  left out: {number:,} {why}")
    if done.replaced is None:
        console.line("personal data was kept, as --keep-personal-data says: the store is for its owner alone")
    else:
        console.text(done.replaced.told())
        console.line(f"  told in {report}")
