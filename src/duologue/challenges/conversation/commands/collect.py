"""`duologue data collect`: dialogues of accounts, posts by id, and accounts, from Twitter (X)."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from duologue.challenges.conversation.commands.session import Session, with_service
from duologue.core.amounts import amount
from duologue.core.errors import UsageError
from duologue.core.locks import writing_folder
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.store.posts import PostBase

_STORE = click.option(
    "--store", type=options.PATH, required=True, help="Folder of the store; made where there is none."
)
_DAY_SECONDS = 86_400
_KEEP_DAYS = options.count_option(
    "--keep-days",
    "First take posts out of the store, and of its account files, that were read more than so many days ago.",
)


@click.group(cls=options.ResumableGroup)
def collect() -> None:
    """Collect dialogues of accounts, or posts by id, from Twitter (X).

    The token comes from the environment variable X_BEARER_TOKEN (or TWITTER_BEARER_TOKEN, BEARER_TOKEN), or from keys:
    --config config.ini of the challenge's collector, or the variables X_CONSUMER_KEY, X_CONSUMER_SECRET, X_ACCESS_TOKEN
    and X_ACCESS_TOKEN_SECRET. Key and secret alone are an app's, all four sign in the name of a user (OAuth 1.0a).
    They are sent to the service alone, and written nowhere. A stopped or killed run goes on where it was with the same
    command.

    Posts are kept as the service gave them, with names and numbers of people, since the challenge's exact extraction
    needs them: the store is readable by its owner alone; `collect twitter --keep-days` and `collect expire` limit how
    long they stay. What leaves the store, other than the official text, is anonymous.

    \b
    Examples:
      duologue data collect twitter --accounts accounts.txt --store tweets --dry-run
      duologue data collect twitter --accounts accounts.txt --store tweets --max-usd 20
      duologue data collect hydrate test_ids.json.gz --store testset
      duologue data collect search customer care --out accounts.txt
      duologue data collect export tweets --out stored_data
      duologue data collect expire tweets --keep-days 30
    """


@collect.command()
@click.argument("names", nargs=-1)
@click.option("--accounts", type=options.PATH, default=None, help="List of accounts, one per line; # starts a remark.")
@_STORE
@options.count_option("--per-account", "Read at most so many new replies of each.")
@click.option(
    "--files/--no-files",
    default=True,
    show_default=True,
    help="Keep the challenge's account files up to date beside the database.",
)
@_KEEP_DAYS
@with_service
def twitter(
    *,
    names: tuple[str, ...],
    accounts: Path | None,
    store: Path,
    per_account: int | None,
    files: bool,
    keep_days: int | None,
    **service: Any,
) -> None:
    """Collect the dialogues of accounts: those of NAMES and of the list.

    Their replies since the last run, and all posts that these answer. A dialogue ends with a post of the account.

    \b
    Examples:
      duologue data collect twitter --accounts accounts.txt --store tweets
      duologue data collect twitter AirCare ShopHelp --store tweets --api v1 --base-url http://127.0.0.1:8080
    """
    from duologue.challenges.conversation.collector import plan
    from duologue.challenges.conversation.collector.accounts import AccountCollector
    from duologue.challenges.conversation.formats import posts, stores

    wanted = [name.removeprefix("@") for name in (*names, *(posts.read_accounts(accounts) if accounts else ()))]
    if not wanted:
        raise UsageError("no account is named: give NAMES or --accounts")
    for name in wanted:
        stores.account_file(store, name)
    with ExitStack() as stack:
        session = Session(stack, service)
        if service["dry_run"]:
            unknown = len({name.lower() for name in wanted} - _numbered(store, wanted))
            steps = plan.timeline_steps(session.service, len({name.lower() for name in wanted}), unknown, per_account)
            console.block(plan.plan_text(steps, session.budget, session.base_url))
            return
        base = stack.enter_context(stores.open_base(store, read=int(time.time())))
        _expire(base, store, keep_days)
        api = session.api(base, wanted)
        collector = AccountCollector(api, base, store, limit=per_account, files=files, say=session.say)
        outcome = collector.run(wanted)
        counts = base.counts()
    console.line(f"{amount(outcome.accounts, 'account')} read, {outcome.fresh:+,} dialogues; {session.told()}")
    for why, which in (("left out", outcome.gone), ("failed", outcome.failed)):
        for name, reason in which.items():
            console.line(f"  {name} {why}: {reason}")
    if outcome.busy:
        console.line(f"  left to another collector that is reading them: {', '.join(outcome.busy)}")
    console.line(
        f"{store}: {counts['accounts']:,} accounts, {counts['dialogues']:,} dialogues, {counts['posts']:,} posts"
    )
    if outcome.stopped:
        console.line(f"stopped: {outcome.stopped}")
    if outcome.failed:
        raise click.exceptions.Exit(1)


@collect.command()
@click.argument("ids", type=options.PATH)
@_STORE
@click.option("--again", is_flag=True, help="Ask once more for ids that had no post.")
@_KEEP_DAYS
@with_service
def hydrate(*, ids: Path, store: Path, again: bool, keep_days: int | None, **service: Any) -> None:
    """Fetch the posts of an id list: the challenge's (JSON, .gz is fine), or one id per line.

    A hundred ids per call. What is in the store already is not asked for.

    \b
    Example:
      duologue data collect hydrate official_test_ids.json.gz --store testset --dry-run
    """
    from duologue.challenges.conversation.collector import hydration as hydrating
    from duologue.challenges.conversation.collector import plan
    from duologue.challenges.conversation.formats import stores
    from duologue.challenges.conversation.formats.id_lists import read_post_ids
    from duologue.core.locks import held

    wanted = read_post_ids(ids)
    with ExitStack() as stack:
        session = Session(stack, service)
        if service["dry_run"]:
            left = wanted
            if stores.has_base(store):
                with stores.open_base(store, writable=False) as base:
                    left = hydrating.missing_ids(base, wanted, again=again)
            console.line(f"{amount(len(wanted), 'different id')}, {len(left):,} to fetch")
            console.block(
                plan.plan_text(plan.lookup_steps(session.service, len(left)), session.budget, session.base_url)
            )
            return
        if not stack.enter_context(held(stores.lock_of(store, "ids"))).free:
            raise UsageError(f"another process is fetching ids into {store}; wait until it has finished")
        base = stack.enter_context(stores.open_base(store, read=int(time.time())))
        _expire(base, store, keep_days)
        with options.progress_bar(quiet=service["quiet"]) as progress:
            done = hydrating.hydrate(session.api(base, ()), base, wanted, again=again, progress=progress)
    console.line(
        f"{done.stored:,} of {amount(done.asked, 'post')} are in {store}, {done.absent:,} have no post; "
        f"{session.told()}"
    )
    if done.stopped:
        console.line(f"stopped: {done.stopped}")


@collect.command()
@click.argument("words", nargs=-1, required=True)
@options.count_option("--n", "Accounts wanted.", default=100)
@click.option("--out", type=options.OUT_FILE, default=None, help="Write the screen names to this file.")
@click.option("--dump", type=options.OUT_FILE, default=None, help="Write what the service says of each, one per line.")
@options.force_option
@with_service
def search(*, words: tuple[str, ...], n: int, out: Path | None, dump: Path | None, **service: Any) -> None:
    """Find accounts by words: screen names, one per line, as `twitter --accounts` reads them.

    The service wants a user's token for it, so keys of a user, where there are any, go before the bearer token.

    \b
    Examples:
      duologue data collect search customer support --n 200 --out accounts.txt
      duologue data collect search customer support --api v1 --config config.ini --out accounts.txt
    """
    from duologue.challenges.conversation.collector.account_search import search_accounts
    from duologue.core import disk

    with ExitStack() as stack:
        session = Session(stack, service)
        if service["dry_run"]:
            size = 20 if session.service == "v1" else 100
            cost = n * session.budget.prices.user
            console.line(f"nothing is called; it would be up to {amount(-(-n // size), 'call')}, up to {cost:,.2f} USD")
            return
        found = search_accounts(session.api(None, (), prefer_user=True), " ".join(words), n)
    text = "".join(f"{name}\n" for name in found.names)
    if out is None:
        console.text(text)
    else:
        disk.write_text(out, text)
        console.line(f"{amount(len(found.names), 'account')} in {out}")
    if dump is not None:
        disk.write_text(dump, "".join(json.dumps(row) + "\n" for row in found.rows), private=True)
    if found.stopped:
        console.line(f"stopped: {found.stopped}", err=True)


@collect.command()
@click.argument("store", type=options.PATH)
@click.option("--out", type=options.OUT_FOLDER, required=True, help="Folder for the account files.")
@click.option(
    "--keep-personal-data",
    is_flag=True,
    help="Write posts as the store has them, for the official programs; the files are readable by their owner alone.",
)
def export(*, store: Path, out: Path, keep_personal_data: bool) -> None:
    """Write the challenge's account files (`<screen name>.json`) of a STORE, with anonymous people and texts.

    Files that were exported there before are replaced; a folder with another file of such a name is refused.

    \b
    Examples:
      duologue data collect export tweets --out shared
      duologue data collect export tweets --out stored_data --keep-personal-data
    """
    from duologue.challenges.conversation.collector.privacy import StoreAnonymiser
    from duologue.challenges.conversation.formats import stores

    if keep_personal_data:
        with writing_folder(out):
            paths = stores.export(store, out, private=True)
        console.line(f"{len(paths)} account files in {out}, with personal data: they are for their owner alone")
        return
    exporter = StoreAnonymiser(store)
    with writing_folder(out):
        paths = stores.export(store, out, exporter.store)
    console.line(f"{len(paths)} account files in {out}")
    console.text(exporter.anonymiser.replaced().told())


@collect.command()
@click.argument("store", type=options.PATH)
@options.count_option("--keep-days", "Days after which posts go.", required=True)
def expire(*, store: Path, keep_days: int) -> None:
    """Take posts out of a STORE, and of its account files, that were read more than so many days ago.

    What was read is remembered, so that the next collection goes on where the last one was.

    \b
    Example:
      duologue data collect expire tweets --keep-days 30
    """
    from duologue.challenges.conversation.formats import stores

    if not stores.has_base(store):
        raise UsageError(f"there is no store at {store}: collect into it first")
    with stores.open_base(store) as base:
        _expire(base, store, keep_days)


def _expire(base: PostBase, store: Path, days: int | None) -> None:
    from duologue.challenges.conversation.formats import stores

    if days is None:
        return
    gone = base.expire(int(time.time()) - days * _DAY_SECONDS)
    stores.refresh(base, store)
    console.line(f"{amount(gone, 'post')} read more than {days:,} days ago are taken out of {store}")


def _numbered(store: Path, names: list[str]) -> set[str]:
    """Return the names whose user ids a store knows, lower-cased."""
    from duologue.challenges.conversation.formats import stores

    if not stores.has_base(store):
        return set()
    with stores.open_base(store, writable=False) as base:
        return {name.lower() for name in names if base.user(name) is not None}
