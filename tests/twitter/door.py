"""Whom the server lets in: users by OAuth 1.0a, as an independent library checks it, and apps by their own token."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qs, quote

from oauthlib.oauth1 import RequestValidator, SignatureOnlyEndpoint

if TYPE_CHECKING:
    from collections.abc import Callable

USER = ("consumer+Key/1", "consumer&Secret=%", "12345-access/Token", "access~Secret+")
"""Key, secret, token and its secret; with all the signs that encodings trip over."""
APP = USER[:2]
APP_TOKEN = "AAAA%2Fapp%3Dtoken"
TOKEN_ENDPOINT = "/oauth2/token"
_SECONDS = 300
Access = Literal["user", "app"]


class Door:
    """Checks each call. `user`: signed calls alone; `app`: key and secret get a token, which may not search users."""

    def __init__(self, access: Access, now: Callable[[], float]) -> None:
        self._access = access
        self._endpoint = SignatureOnlyEndpoint(_Validator(now))
        self.signed = 0

    def refusal(self, method: str, url: str, body: str, authorization: str | None) -> tuple[int, Any] | None:
        """Return status and body for a caller who may not come in; the body repeats what was sent."""
        found = {"errors": [{"message": f"found {authorization}"}]}
        if self._access == "user":
            headers = {"Authorization": authorization or ""}
            valid, request = self._endpoint.validate_request(url, method, body, headers)
            if not valid or request.resource_owner_key != USER[2]:
                return 401, found
            self.signed += 1
            return None
        if TOKEN_ENDPOINT in url:
            basic = base64.b64encode(":".join(quote(one, safe="") for one in APP).encode()).decode()
            fine = (method, authorization, parse_qs(body)) == (
                "POST",
                f"Basic {basic}",
                {"grant_type": ["client_credentials"]},
            )
            return None if fine else (403, found)
        if authorization != f"Bearer {APP_TOKEN}":
            return 401, found
        return (403, {"title": "user context needed"}) if "/users/search" in url else None


class _Validator(RequestValidator):  # type: ignore[misc]  # the library has no types
    enforce_ssl = False
    timestamp_lifetime = 2**40
    """The library's clock is the real one; `validate_timestamp_and_nonce` asks the test's."""
    dummy_client = "nobody"

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self._seen: set[tuple[str, str]] = set()

    def check_client_key(self, client_key: str) -> bool:
        return bool(client_key)

    def check_access_token(self, request_token: str) -> bool:
        return bool(request_token)

    def check_nonce(self, nonce: str) -> bool:
        return nonce.isalnum() and len(nonce) >= 16

    def validate_client_key(self, client_key: str, request: Any) -> bool:  # the library's form
        return client_key == USER[0]

    def get_client_secret(self, client_key: str, request: Any) -> str:
        return USER[1]

    def get_access_token_secret(self, client_key: str, token: str, request: Any) -> str:
        return USER[3]

    def validate_timestamp_and_nonce(
        self,
        client_key: str,
        timestamp: str,
        nonce: str,
        request: Any,
        request_token: str | None = None,
        access_token: str | None = None,
    ) -> bool:
        fresh = (timestamp, nonce) not in self._seen and abs(self._now() - int(timestamp)) <= _SECONDS
        self._seen.add((timestamp, nonce))
        return fresh
