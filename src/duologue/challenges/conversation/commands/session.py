"""Command-line options of the Twitter (X) service, and the API client built from them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
import msgspec

from duologue.core.amounts import amount
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import ExitStack

    from duologue.challenges.conversation.collector.api import Api
    from duologue.challenges.conversation.collector.credential import Credential
    from duologue.challenges.conversation.collector.rate_limits import Budget
    from duologue.store.posts import PostBase

_SERVICE = (
    click.option(
        "--api",
        "service",
        type=click.Choice(["v1", "v2"]),
        default="v2",
        show_default=True,
        help="v1: REST API 1.1, as the challenge's collector. v2: today's X API.",
    ),
    click.option(
        "--config",
        type=options.PATH,
        default=None,
        help="Keys of an app and a user's token: config.ini of the challenge's collector.",
    ),
    click.option(
        "--access",
        type=click.Choice(["auto", "bearer", "user", "app"]),
        default="auto",
        show_default=True,
        help="bearer: the environment's token; user: signed with a user's token; app: a token for key and secret.",
    ),
    click.option("--base-url", default=None, help="Address of the service, instead of the API's own."),
    click.option(
        "--spelling",
        type=click.Choice(["tweet", "post"]),
        default="tweet",
        show_default=True,
        help="How v2 requests call posts; answers may use either.",
    ),
    options.count_option("--max-posts", "Stop before more posts are read."),
    options.amount_option("--max-usd", "Stop before more is spent."),
    options.amount_option("--price", "USD per post read; default 0.005 (v2), 0 (v1)."),
    options.amount_option("--user-price", "USD per user read; default 0.010 (v2), 0 (v1)."),
    click.option("--dry-run", is_flag=True, help="Call nothing; print the calls and what they would cost."),
    options.amount_option("--margin", "Seconds to wait beyond the promised reset of a rate limit.", default=5.0),
    options.amount_option(
        "--back-off",
        "Seconds to wait after a first error; doubled with each further one, half of it by chance.",
        default=1.0,
    ),
    options.count_option("--tries", "Errors in a row after which a call is given up.", default=11),
    click.option(
        "--log",
        type=options.OUT_LOG,
        default=None,
        help="Append each call to this file: endpoint and parameters, one JSON object per line.",
    ),
    options.quiet_option,
)


def with_service(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of the service to a command."""
    for option in reversed(_SERVICE):
        command = option(command)
    return command


class Session:
    """API client, budget and call log of one command."""

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
        """Report progress on standard error."""
        if not self._given["quiet"]:
            console.line(text, err=True)

    def api(self, numbers: PostBase | None, accounts: Sequence[str], *, prefer_user: bool = False) -> Api:
        """Return the API client, which keeps user ids in `numbers`; it is closed with the stack.

        `prefer_user`: a user's token goes before the bearer token where both are there.
        """
        from duologue.challenges.conversation.collector.access_keys import credential_for
        from duologue.challenges.conversation.collector.client import HttpClient
        from duologue.challenges.conversation.collector.oauth import AppKeys, app_token
        from duologue.challenges.conversation.collector.rate_limits import RetryPolicy
        from duologue.challenges.conversation.collector.v1 import V1
        from duologue.challenges.conversation.collector.v2 import V2
        from duologue.core.disk import GrowingFile

        given = self._given
        retry = RetryPolicy(margin_seconds=given["margin"], first_seconds=given["back_off"], tries=given["tries"])
        log = None if given["log"] is None else self._stack.enter_context(GrowingFile(given["log"]))

        def on_call(endpoint: str, params: Mapping[str, str | int]) -> None:
            self._calls += 1
            if log is not None:
                log.add(msgspec.json.encode({"endpoint": endpoint, "params": dict(params)}) + b"\n")

        def client(address: str, credential: Credential | None) -> HttpClient:
            # Chance differs from run to run: two collectors that were refused together must not come back together.
            return HttpClient(address, credential, rng=Random(), retry=retry, say=self.say, on_call=on_call)

        credential = credential_for(
            self.base_url, access=given["access"], config=given["config"], prefer_user=prefer_user
        )
        if isinstance(credential, AppKeys):
            parts = urlsplit(self.base_url)
            with client(f"{parts.scheme}://{parts.netloc}", credential) as host:
                credential = app_token(host)
        caller = self._stack.enter_context(client(self.base_url, credential))
        if self.service == "v1":
            return V1(caller, self.budget, self.say)
        return V2(caller, self.budget, numbers, accounts=accounts, spelling=given["spelling"], say=self.say)

    def told(self) -> str:
        """Return a summary of calls and reads."""
        return f"{amount(self._calls, 'call')}, {self.budget.told()}"
