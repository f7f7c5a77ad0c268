"""The bearer token: read from the environment, sent in one header, stored nowhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from duologue.challenges.conversation.collector.credential import (
    ConstantCredential,
    checked_address,
    demand_encrypted,
    is_header_text,
    is_loopback,
)
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLES = ("X_BEARER_TOKEN", "TWITTER_BEARER_TOKEN", "BEARER_TOKEN")
"""Environment variables for the token, in order of precedence."""


class Token(ConstantCredential):
    """A bearer token that no log, message or traceback shows."""

    __slots__ = ()

    def __init__(self, secret: str) -> None:
        super().__init__(f"Bearer {secret}", secret)


def token_for(base_url: str, environment: Mapping[str, str] | None = None) -> Token | None:
    """Return the token from the environment; `None` where none is set and the service is on this machine.

    Raises `UsageError` where a service elsewhere would get none, where the token would travel unencrypted, where it
    cannot stand in a header, and for an address that is none or carries a password.
    """
    parts = checked_address(base_url)
    environment = os.environ if environment is None else environment
    name = next((one for one in VARIABLES if environment.get(one, "").strip()), None)
    if name is None:
        if is_loopback(parts.hostname or ""):
            return None
        raise UsageError(
            f"there is no token: set the environment variable {VARIABLES[0]} to the API's bearer token, or give key "
            f"and secret of an app with --config config.ini (of the challenge's collector)"
        )
    secret = environment[name].strip()
    if not is_header_text(secret):
        raise UsageError(f"the environment variable {name} holds no token: it has spaces or unprintable characters")
    demand_encrypted(parts)
    return Token(secret)
