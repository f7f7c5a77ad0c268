"""The bearer token: read from the environment, sent in one header, stored nowhere."""

from __future__ import annotations

import ipaddress
import json
import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLES = ("X_BEARER_TOKEN", "TWITTER_BEARER_TOKEN", "BEARER_TOKEN")
"""Environment variables for the token, in order of precedence."""


class Token:
    """A bearer token that no log, message or traceback shows."""

    __slots__ = ("_secret",)

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def __repr__(self) -> str:
        return "Token(***)"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a token is not to be stored")

    def header(self) -> dict[str, str]:
        """Return the header that carries it."""
        return {"Authorization": f"Bearer {self._secret}"}

    def hidden_in(self, text: str) -> str:
        """Return a text, which may be JSON, without it; a service may send back what it was sent."""
        return text.replace(self._secret, "***").replace(json.dumps(self._secret)[1:-1], "***")


def token_for(base_url: str, environment: Mapping[str, str] | None = None) -> Token | None:
    """Return the token from the environment; `None` where none is set and the service is on this machine.

    Raises `UsageError` where a service elsewhere would get none, where the token would travel unencrypted, where it
    cannot stand in a header, and for an address that is none or carries a password.
    """
    try:
        parts = urlsplit(base_url)
        _ = parts.port
    except ValueError as error:  # a bracket that is not closed, a port that cannot be; a password is not repeated
        raise UsageError(f"--base-url is no address ({error}); expected one such as https://host.example") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("--base-url must start with http:// or https:// and name a host")
    if parts.username or parts.password:
        raise UsageError("--base-url must not carry a password; the token comes from the environment")
    here = is_loopback(parts.hostname)
    environment = os.environ if environment is None else environment
    name = next((one for one in VARIABLES if environment.get(one, "").strip()), None)
    if name is None:
        if here:
            return None
        raise UsageError(f"there is no token: set the environment variable {VARIABLES[0]} to the API's bearer token")
    secret = environment[name].strip()
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise UsageError(f"the environment variable {name} holds no token: it has spaces or unprintable characters")
    if parts.scheme == "http" and not here:
        raise UsageError("--base-url is not encrypted: the token would travel readable for all; use https://")
    return Token(secret)


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
