"""Calls in the name of a user (OAuth 1.0a, RFC 5849), and of an app by its key and secret (RFC 6749, section 4.4)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from duologue.challenges.conversation.collector.bearer_token import Token
from duologue.challenges.conversation.collector.client import CallError
from duologue.challenges.conversation.collector.credential import ConstantCredential, Credential, is_header_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from duologue.challenges.conversation.collector.client import HttpClient

GRANT_PATH = "/oauth2/token"
"""Where key and secret are exchanged for an app's bearer token, below the host."""
_PORTS = {"http": 80, "https": 443}


class UserToken(Credential):
    """Key and secret of an app with a user's token and its secret: each call is signed anew with HMAC-SHA1."""

    __slots__ = ("_nonce", "_now")

    def __init__(
        self,
        key: str,
        secret: str,
        token: str,
        token_secret: str,
        *,
        now: Callable[[], float] = time.time,
        nonce: Callable[[], str] = secrets.token_hex,
    ) -> None:
        super().__init__(key, secret, token, token_secret)
        self._now = now
        self._nonce = nonce

    def header(
        self, method: str = "GET", url: str = "https://api.x.com", params: Mapping[str, str | int] | None = None
    ) -> dict[str, str]:
        """Return the signed header of a call; a call that is made again needs a new one."""
        key, secret, token, token_secret = self._secrets
        said = {
            "oauth_consumer_key": key,
            "oauth_nonce": self._nonce(),
            "oauth_signature_method": "HMAC-SHA1",
            "oauth_timestamp": str(int(self._now())),
            "oauth_token": token,
            "oauth_version": "1.0",
        }
        text = base_string(method, url, {**(params or {}), **said})
        sign = hmac.new(f"{_quoted(secret)}&{_quoted(token_secret)}".encode(), text.encode(), hashlib.sha1)
        said["oauth_signature"] = base64.b64encode(sign.digest()).decode()
        return {"Authorization": "OAuth " + ", ".join(f'{name}="{_quoted(one)}"' for name, one in said.items())}


class AppKeys(ConstantCredential):
    """Key and secret of an app, which `app_token` exchanges for its bearer token, by HTTP's basic authentication."""

    __slots__ = ()

    def __init__(self, key: str, secret: str) -> None:
        joined = base64.b64encode(f"{_quoted(key)}:{_quoted(secret)}".encode()).decode()
        super().__init__(f"Basic {joined}", key, secret, joined)


def app_token(caller: HttpClient) -> Token:
    """Return the app-only token of `AppKeys`, with which `caller` calls the service's host.

    The token hides the keys too, wherever the service repeats them later. Raises `CallError` where the service gives
    none; its answer is not repeated, as it may hold one.
    """
    body = caller.post(GRANT_PATH, {"grant_type": "client_credentials"}).body
    kind, token = (body.get(name) if isinstance(body, dict) else None for name in ("token_type", "access_token"))
    if not isinstance(kind, str) or kind.lower() != "bearer" or not isinstance(token, str) or not is_header_text(token):
        raise CallError(f"{GRANT_PATH}: the answer holds no bearer token; is --base-url right?")
    return Token(token).hiding_what(caller.credential) if caller.credential else Token(token)


def base_string(method: str, url: str, params: Mapping[str, str | int]) -> str:
    """Return the text that is signed (RFC 5849, section 3.4.1).

    >>> base_string("get", "HTTP://Example.com:80/r%20v", {"b": "x y", "a": 1})
    'GET&http%3A%2F%2Fexample.com%2Fr%2520v&a%3D1%26b%3Dx%2520y'
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    if parts.port is not None and parts.port != _PORTS.get(parts.scheme):
        host += f":{parts.port}"
    pairs = sorted((_quoted(name), _quoted(str(one))) for name, one in params.items())
    joined = "&".join(f"{name}={one}" for name, one in pairs)
    return "&".join((method.upper(), _quoted(f"{parts.scheme}://{host}{parts.path or '/'}"), _quoted(joined)))


def _quoted(text: str) -> str:
    """Return a text in percent encoding as RFC 3986 has it: letters, digits and `-._~` stay."""
    return quote(text, safe="")
