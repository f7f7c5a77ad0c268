"""`duologue collect`: dialogues of accounts, posts by id, and accounts, from Twitter (X)."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from random import Random
from typing import TYPE_CHECKING, Any

import click
import msgspec

from duologue.cli import console, options
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.collector.api import Api
    from duologue.challenges.conversation.collector.rate_limits import Budget
    from duologue.challenges.conversation.collector.v2 import Numbers
    from duologue.store.posts import PostBase

_STORE = click.option(
    "--store", type=options.PATH, required=True, help="Folder of the store; made where there is none."
)
_DAY_SECONDS = 86_400
_KEEP_DAYS = click.option(
    "--keep-days",
    type=click.IntRange(min=1),
    default=None,
    help="First take posts out of the store, and of its account files, that were read more than so many days ago.",
)
_SERVICE = (
    click.option(
        "--api",
        "service",
        type=click.Choice(["v1", "v2"]),
        default="v2",
        show_default=True,
        help="v1: REST API 1.1, as the challenge's collector. v2: today's X API.",
    ),
    click.option("--base-url", default=None, help="Address of the service, instead of the API's own."),
    click.option(
        "--spelling",
        type=click.Choice(["tweet", "post"]),
        default="tweet",
        show_default=True,
        help="How v2 requests call posts; answers may use either.",
    ),
    click.option("--max-posts", type=click.IntRange(min=1), default=None, help="Stop before more posts are read."),
    click.option("--max-usd", type=click.FloatRange(min=0), default=None, help="Stop before more is spent."),
    click.option(
        "--price", type=click.FloatRange(min=0), default=None, help="USD per post read; default 0.005 (v2), 0 (v1)."
    ),
    click.option(
        "--user-price",
        type=click.FloatRange(min=0),
        default=None,
        help="USD per user read; default 0.010 (v2), 0 (v1).",
    ),
    click.option("--dry-run", is_flag=True, help="Call nothing; print the calls and what they would cost."),
    click.option(
        "--margin",
        type=click.FloatRange(min=0),
        default=5.0,
        show_default=True,
        help="Seconds to wait beyond the promised reset of a rate limit.",
    ),
    click.option(
        "--back-off",
        type=click.FloatRange(min=0),
        default=1.0,
        show_default=True,
        help="Seconds to wait after a first error; doubled with each further one, half of it by chance.",
    ),
    click.option(
        "--tries",
        type=click.IntRange(min=1),
        default=11,
        show_default=True,
        help="Errors in a row after which a call is given up.",
    ),
    click.option(
        "--log",
        type=options.OUT_LOG,
        default=None,
        help="Append each call to this file: endpoint and parameters, one JSON object per line.",
    ),
    options.quiet_option,
)


def _with_service(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that every call of the service has."""
    for option in reversed(_SERVICE):
        command = option(command)
    return command


@click.group()
def collect() -> None:
    """Collect dialogues from Twitter (X) into a store.

    The token comes from the environment variable X_BEARER_TOKEN (or TWITTER_BEARER_TOKEN, BEARER_TOKEN), is sent to
    the service alone, and written nowhere. A stopped or killed run goes on where it was with the same command.

    Posts are kept as the service gave them, with names and numbers of people, since the challenge's exact extraction
    needs them: the store is readable by its owner alone; `--keep-days` and `collect expire` limit how long they stay.
    What leaves the store, other than the official text, is anonymous.

    \b
    Examples:
      duologue collect twitter --accounts accounts.txt --store tweets --dry-run
      duologue collect twitter --accounts accounts.txt --store tweets --max-usd 20
      duologue collect hydrate test_ids.json.gz --store testset
      duologue collect search customer care --out accounts.txt
      duologue collect export tweets --out stored_data
      duologue collect expire tweets --keep-days 30
    """


@collect.command()
@click.argument("names", nargs=-1)
@click.option("--accounts", type=options.PATH, default=None, help="List of accounts, one per line; # starts a remark.")
@_STORE
@click.option(
    "--per-account", type=click.IntRange(min=1), default=None, help="Read at most so many new replies of each."
)
@click.option(
    "--files/--no-files",
    default=True,
    show_default=True,
    help="Keep the challenge's account files up to date beside the database.",
)
@_KEEP_DAYS
@_with_service
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
      duologue collect twitter --accounts accounts.txt --store tweets
      duologue collect twitter AirCare ShopHelp --store tweets --api v1 --base-url http://127.0.0.1:8080
    """
    from duologue.challenges.conversation.collector import plan
    from duologue.challenges.conversation.collector.accounts import Collector
    from duologue.challenges.conversation.formats import posts, stores

    wanted = [name.removeprefix("@") for name in (*names, *(posts.read_accounts(accounts) if accounts else ()))]
    if not wanted:
        raise UsageError("no account is named: give NAMES or --accounts")
    for name in wanted:
        stores.account_file(store, name)
    with ExitStack() as stack:
        session = _Session(stack, service)
        if service["dry_run"]:
            unknown = len({name.lower() for name in wanted} - _numbered(store, wanted))
            steps = plan.timeline_steps(session.service, len({name.lower() for name in wanted}), unknown, per_account)
            console.block(plan.told(steps, session.budget, session.base_url))
            return
        base = stack.enter_context(stores.open_base(store, read=int(time.time())))
        _expire(base, store, keep_days)
        api = session.api(base, wanted)
        collector = Collector(api, base, store, most=per_account, files=files, say=session.say)
        outcome = collector.run(wanted)
        counts = base.counts()
    console.line(f"{outcome.accounts:,} accounts read, {outcome.fresh:+,} dialogues; {session.told()}")
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
@_with_service
def hydrate(*, ids: Path, store: Path, again: bool, keep_days: int | None, **service: Any) -> None:
    """Fetch the posts of an id list: the challenge's (JSON, .gz is fine), or one id per line.

    A hundred ids per call. What is in the store already is not asked for.

    \b
    Example:
      duologue collect hydrate official_test_ids.json.gz --store testset --dry-run
    """
    from duologue.challenges.conversation.collector import hydration as hydrating
    from duologue.challenges.conversation.collector import plan
    from duologue.challenges.conversation.collector.locks import held
    from duologue.challenges.conversation.formats import stores
    from duologue.challenges.conversation.formats.id_lists import read_wanted

    wanted = read_wanted(ids)
    with ExitStack() as stack:
        session = _Session(stack, service)
        if service["dry_run"]:
            left = wanted
            if stores.has_base(store):
                with stores.open_base(store, writable=False) as base:
                    left = hydrating.left_of(base, wanted, again=again)
            console.line(f"{len(wanted):,} different ids, {len(left):,} to fetch")
            console.block(plan.told(plan.lookup_steps(session.service, len(left)), session.budget, session.base_url))
            return
        if not stack.enter_context(held(store, "ids")):
            raise UsageError(f"another process is fetching ids into {store}; wait until it has finished")
        base = stack.enter_context(stores.open_base(store, read=int(time.time())))
        _expire(base, store, keep_days)
        with options.progress_bar(quiet=service["quiet"]) as progress:
            done = hydrating.hydrate(session.api(base, ()), base, wanted, again=again, progress=progress)
    console.line(
        f"{done.stored:,} of {done.asked:,} posts are in {store}, {done.absent:,} have no post; {session.told()}"
    )
    if done.stopped:
        console.line(f"stopped: {done.stopped}")


@collect.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--n", type=click.IntRange(min=1), default=100, show_default=True, help="Accounts wanted.")
@click.option("--out", type=options.OUT_FILE, default=None, help="Write the screen names to this file.")
@click.option("--dump", type=options.OUT_FILE, default=None, help="Write what the service says of each, one per line.")
@_with_service
def search(*, words: tuple[str, ...], n: int, out: Path | None, dump: Path | None, **service: Any) -> None:
    """Find accounts by words: screen names, one per line, as `--accounts` reads them.

    \b
    Example:
      duologue collect search customer support --n 200 --out accounts.txt
    """
    from duologue.challenges.conversation.collector.account_search import found_accounts
    from duologue.core import disk

    with ExitStack() as stack:
        session = _Session(stack, service)
        if service["dry_run"]:
            size = 20 if session.service == "v1" else 100
            cost = n * session.budget.prices.user
            console.line(f"nothing is called; it would be up to {-(-n // size)} calls, up to {cost:,.2f} USD")
            return
        found = found_accounts(session.api(_Passing(), ()), " ".join(words), n)
    text = "".join(f"{name}\n" for name in found.names)
    if out is None:
        console.text(text)
    else:
        disk.write_text(out, text)
        console.line(f"{len(found.names)} accounts in {out}")
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

    \b
    Examples:
      duologue collect export tweets --out shared
      duologue collect export tweets --out stored_data --keep-personal-data
    """
    from duologue.challenges.conversation.collector.privacy import Exporter
    from duologue.challenges.conversation.formats import stores

    if keep_personal_data:
        paths = stores.export(store, out, private=True)
        console.line(f"{len(paths)} account files in {out}, with personal data: they are for their owner alone")
        return
    exporter = Exporter(store)
    paths = stores.export(store, out, exporter.store)
    console.line(f"{len(paths)} account files in {out}")
    console.text(exporter.anonymiser.replaced().told())


@collect.command()
@click.argument("store", type=options.PATH)
@click.option("--keep-days", type=click.IntRange(min=1), required=True, help="Days after which posts go.")
def expire(*, store: Path, keep_days: int) -> None:
    """Take posts out of a STORE, and of its account files, that were read more than so many days ago.

    What was read is remembered, so that the next collection goes on where the last one was.

    \b
    Example:
      duologue collect expire tweets --keep-days 30
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
    console.line(f"{gone:,} posts read more than {days:,} days ago are taken out of {store}")


class _Session:
    """What the service's options come to."""

    def __init__(self, stack: ExitStack, given: Mapping[str, Any]) -> None:
        from duologue.challenges.conversation.collector import v1, v2
        from duologue.challenges.conversation.collector.rate_limits import Budget, Prices

        self._stack = stack
        self._given = given
        self.service: str = given["service"]
        old = self.service == "v1"
        self.base_url: str = given["base_url"] or (v1.BASE_URL if old else v2.BASE_URL)
        if not old:  # the version is a part of every endpoint there
            self.base_url = self.base_url.rstrip("/").removesuffix("/2")
        usual = Prices(post=0.0, user=0.0) if old else Prices()
        prices = {
            name: usual_price if given[option] is None else given[option]
            for name, option, usual_price in (("post", "price", usual.post), ("user", "user_price", usual.user))
        }
        self.budget: Budget = Budget(Prices(**prices), max_posts=given["max_posts"], max_usd=given["max_usd"])
        self._calls = 0

    def say(self, text: str) -> None:
        """Tell people how it goes, beside the output."""
        if not self._given["quiet"]:
            console.line(text, err=True)

    def api(self, numbers: Numbers, accounts: Sequence[str]) -> Api:
        """Return the service, ready to be called; it is closed with the stack."""
        from duologue.challenges.conversation.collector.bearer_token import token_for
        from duologue.challenges.conversation.collector.client import Caller
        from duologue.challenges.conversation.collector.rate_limits import Patience
        from duologue.challenges.conversation.collector.v1 import V1
        from duologue.challenges.conversation.collector.v2 import V2

        given = self._given
        patience = Patience(margin_seconds=given["margin"], first_seconds=given["back_off"], tries=given["tries"])
        log = None if given["log"] is None else self._stack.enter_context(_opened(given["log"]))

        def on_call(endpoint: str, params: Mapping[str, str | int]) -> None:
            self._calls += 1
            if log is not None:
                log.write(msgspec.json.encode({"endpoint": endpoint, "params": dict(params)}).decode() + "\n")
                log.flush()

        token = token_for(self.base_url)
        # Chance differs from run to run here: two collectors that were refused together must not come back together.
        caller = Caller(self.base_url, token, chance=Random(), patience=patience, say=self.say, on_call=on_call)
        self._stack.enter_context(caller)
        if self.service == "v1":
            return V1(caller, self.budget, self.say)
        return V2(caller, self.budget, numbers, accounts=accounts, spelling=given["spelling"], say=self.say)

    def told(self) -> str:
        """Return what was called and read, in words."""
        return f"{self._calls:,} calls, {self.budget.told()}"


class _Passing:
    """Numbers of accounts that nobody will ask for."""

    def user(self, account: str) -> int | None:  # noqa: ARG002  # the protocol's signature
        """Return nothing."""
        return None

    def note_users(self, users: Mapping[str, int | None]) -> None:
        """Forget them."""


def _opened(path: Path) -> Any:
    from duologue.core.errors import StorageError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("a", encoding="utf-8")
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error


def _numbered(store: Path, names: list[str]) -> set[str]:
    """Return the names whose numbers a store knows, in small letters."""
    from duologue.challenges.conversation.formats import stores

    if not stores.has_base(store):
        return set()
    with stores.open_base(store, writable=False) as base:
        return {name.lower() for name in names if base.user(name) is not None}
