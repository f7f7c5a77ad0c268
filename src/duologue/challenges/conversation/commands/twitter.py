"""`duologue data extract twitter`, `sizes` and `overlap`: collected posts to dialogue text, and checks of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.core.amounts import amount
from duologue.core.disk import resolved
from duologue.core.errors import UsageError
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.conversation.extraction.twitter.extractor import Settings


def add_twitter(parent: click.Group) -> None:
    """Give `duologue data extract` its subcommands `twitter`, `sizes` and `overlap`."""
    for command in (twitter, sizes, overlap):
        parent.add_command(command)


@click.command()
@click.argument("store", type=options.PATH, metavar="STORE")
@click.option("--out", type=options.OUT_FILE, required=True, help="The dialogue text to write.")
@options.force_option
@click.option(
    "--profile",
    type=click.Choice(["trial", "official", "testset"]),
    default="trial",
    show_default=True,
    help="trial: all dialogues. official: between the begin and end ids of --ids. testset: the turns that --ids lists.",
)
@click.option(
    "--accounts", type=options.PATH, default=None, help="Only these accounts, one per line (not for testset)."
)
@click.option(
    "--ids",
    type=options.PATH,
    default=None,
    help="official: begin and end ids per account. testset: per dialogue its turns with their ids. "
    "Default: begin_end_ids.json or testset_ids.json beside STORE.",
)
@click.option(
    "--without",
    type=options.PATH,
    default=None,
    help="Leave out dialogues with a post of this list, such as the test set.",
)
@options.count_option("--max-turns", "Most groups of posts of a dialogue (testset has no limit).", default=20)
@click.option(
    "--tokenizer",
    type=click.Choice(["2017", "nltk-3.10"]),
    default="2017",
    show_default=True,
    help="Generation of the tweet tokenizer; the challenge's text was made with 2017.",
)
@options.json_option
def twitter(
    *,
    store: Path,
    out: Path,
    profile: str,
    accounts: Path | None,
    ids: Path | None,
    without: Path | None,
    max_turns: int,
    tokenizer: str,
    as_json: bool,
) -> None:
    """Make dialogue text from a store of posts, byte for byte as the challenge's own tools.

    STORE is what `duologue data collect` or `duologue data import` made, or a folder of the challenge's account files.

    \b
    Examples:
      duologue data extract twitter store --profile trial --accounts trial_train.txt --out train.txt
      duologue data extract twitter store --profile official --ids begin_end_ids.json --out train.txt
      duologue data extract twitter store --profile testset --ids official_testset_ids.json.gz --out test.txt
    """
    from duologue.challenges.conversation.extraction.twitter.extractor import Settings

    settings = Settings(max_turns=max_turns, tokenizer=tokenizer)
    if profile == "testset":
        _restore(store, out, settings, ids, [accounts, without], as_json=as_json)
    else:
        _extract(store, out, settings, profile, accounts, ids, without, as_json=as_json)


def _restore(
    store: Path, out: Path, settings: Settings, ids: Path | None, others: list[Path | None], *, as_json: bool
) -> None:
    import msgspec

    from duologue.challenges.conversation.extraction.twitter import extractor
    from duologue.challenges.conversation.formats import posts

    if any(others):
        raise UsageError("profile testset writes what --ids lists; leave --accounts and --without out")
    ids = ids or _beside(store, "testset_ids", "the list of dialogues with the ids of their turns")
    restored = extractor.from_ids(store, posts.read_ids(ids), out, settings)
    if as_json:
        console.as_json(msgspec.to_builtins(restored))
    else:
        console.exact(restored.printed(), nl=False)


def _beside(store: Path, name: str, what: str) -> Path:
    """Return the file of ids that lies beside a store."""
    found = [path for ending in (".json", ".json.gz") if (path := resolved(store).parent / f"{name}{ending}").is_file()]
    if not found:
        raise UsageError(f"this profile needs {what}: give --ids FILE (there is no {name}.json beside {store})")
    return found[0]


def _extract(
    store: Path,
    out: Path,
    settings: Settings,
    profile: str,
    accounts: Path | None,
    ids: Path | None,
    without: Path | None,
    *,
    as_json: bool,
) -> None:
    import msgspec

    from duologue.challenges.conversation.extraction.twitter import extractor
    from duologue.challenges.conversation.formats import posts
    from duologue.challenges.conversation.formats.id_lists import read_post_ids

    if profile == "trial" and ids is not None:
        raise UsageError("profile trial has no ids; give --profile official or testset with --ids")
    if profile == "official":
        ids = ids or _beside(store, "begin_end_ids", "the begin and end ids of each account")
    made = extractor.from_accounts(
        store,
        out,
        settings,
        accounts=None if accounts is None else posts.read_accounts(accounts),
        limits=None if ids is None else posts.read_limits(ids),
        without=frozenset() if without is None else frozenset(read_post_ids(without)),
    )
    if as_json:
        console.as_json(msgspec.to_builtins(made))
        return
    left_out = f"; {made.left_out:,} left out" if without is not None else ""
    console.line(
        f"{amount(made.dialogues, 'dialogue')}, {amount(made.utterances, 'utterance')}, {amount(made.words, 'word')} "
        f"of {amount(made.accounts, 'account')}{left_out}"
    )


@click.command()
@click.argument("train", type=options.PATH)
@click.argument("dev", type=options.PATH)
def sizes(*, train: Path, dev: Path) -> None:
    """Compare the sizes of TRAIN and DEV with those of the challenge, in the lines of its own check.

    \b
    Example:
      duologue data extract sizes train.txt dev.txt
    """
    from duologue.challenges.conversation.extraction import sizes as subject

    console.text(subject.printed(subject.count(train), subject.count(dev)))


@click.command()
@click.argument("parts", type=options.PATH, nargs=-1, required=True, metavar="PART...")
@click.option("--store", type=options.PATH, default=None, help="Store of the accounts: compare their posts too.")
@options.count_option("--run-words", "Words of the runs that texts are compared by.", default=8)
@options.amount_option(
    "--limit",
    "Exit code 1 also where more than this share, in percent, of the longer utterances or of the runs of words of one "
    "text is in another.",
    limit=100,
)
@options.json_option
def overlap(*, parts: tuple[Path, ...], store: Path | None, run_words: int, limit: float | None, as_json: bool) -> None:
    """Show that the parts of a split have no account, no post and no dialogue in common, and how much they share.

    A PART is a list of accounts, a list of post ids (one per line, or the challenge's JSON), or dialogue text. Of texts
    also the utterances of 8 words or more and the runs of words are compared, in whatever case and punctuation: how
    many are in both, which share of each that is, and some of them. Memory does not grow with the texts. Exit code 1
    where two parts have accounts, posts or dialogues in common, or (--limit) too much of what is said.

    \b
    Examples:
      duologue data extract overlap train_accounts.txt dev_accounts.txt --store store
      duologue data extract overlap train.txt dev.txt
    """
    import msgspec

    from duologue.challenges.conversation.extraction.twitter.overlap import compare, read_part
    from duologue.core.disk import temporary_folder

    if len(parts) < 2:
        raise UsageError("give two parts or more; one has nothing to be compared with")
    with temporary_folder() as folder:
        read = [read_part(path.name, path, folder / str(number), store, run_words) for number, path in enumerate(parts)]
        found = compare(read, run_words)
    if as_json:
        console.as_json([msgspec.to_builtins(one) for one in found])
    else:
        for one in found:
            console.block(one.told())
    if any(one.any(None if limit is None else limit / 100) for one in found):
        raise click.exceptions.Exit(1)
