"""What lets a caller in: shown in no log, message or traceback, sent to one address, stored nowhere."""

from __future__ import annotations

import ipaddress
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from duologue.core.concealment import Concealment
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult


class Credential(ABC):
    """Secrets that no log, message or traceback shows."""

    __slots__ = ("_concealment", "_secrets")

    def __init__(self, *secrets: str) -> None:
        self._secrets = secrets
        self._concealment = Concealment(*secrets)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(***)"

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError(f"{self!r} is not to be stored")

    @abstractmethod
    def header(
        self, method: str = "GET", url: str = "https://api.x.com", params: Mapping[str, str | int] | None = None
    ) -> dict[str, str]:
        """Return the header for a call: `url` without its query, whose parameters are `params`."""

    def hidden_in(self, text: str) -> str:
        """Return a text, which may be JSON, without the secrets; a service may send back what it was sent."""
        return self._concealment.hidden(text)

    def hiding(self, *secrets: str) -> Self:
        """Return itself, which from now on hides these too: keys that were read, though no call may bear them."""
        self._concealment = self._concealment.with_more(*secrets)
        return self

    def hiding_what(self, other: Credential) -> Self:
        """Return itself, which from now on hides what another one does: the service may have been sent that before."""
        self._concealment = self._concealment.joined(other._concealment)
        return self


class ConstantCredential(Credential):
    """Secrets whose header is the same for all calls."""

    __slots__ = ("_authorization",)

    def __init__(self, authorization: str, *secrets: str) -> None:
        super().__init__(*secrets)
        self._authorization = authorization

    def header(self, *_: object, **__: object) -> dict[str, str]:
        """Return the header that carries them."""
        return {"Authorization": self._authorization}


def checked_address(base_url: str) -> SplitResult:
    """Return the parts of an address. Raises `UsageError`, not showing it, for none and for one with a password."""
    try:
        parts = urlsplit(base_url)
        _ = parts.port
    except ValueError as error:  # a bracket that is not closed, a port that cannot be; a password is not repeated
        raise UsageError(f"--base-url is no address ({error}); expected one such as https://host.example") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("--base-url must start with http:// or https:// and name a host")
    if parts.username or parts.password:
        raise UsageError("--base-url must not carry a password; tokens come from the environment, or with --config")
    return parts


def demand_encrypted(parts: SplitResult) -> None:
    """Raise `UsageError` where a secret would travel unencrypted to another machine."""
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise UsageError("--base-url is not encrypted: the token would travel readable for all; use https://")


def is_header_text(secret: str) -> bool:
    """Tell whether a secret can be sent in a header: printable ASCII without spaces."""
    return bool(secret) and secret.isascii() and secret.isprintable() and " " not in secret


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
