"""Cookies: the session of who is signed in, a key for the forms of who is not, and the language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.people.sessions import SESSION_DAYS

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

SESSION, VISITOR, LANGUAGE = "duologue-session", "duologue-visitor", "duologue-language"
_DAY = 24 * 60 * 60


def cookie_of(request: Request, name: str) -> str:
    """Return a cookie, empty where there is none or it is longer than any of ours."""
    found = str(request.cookies.get(_named(request, name), ""))
    return found if len(found) <= 200 else ""


def set_cookie(response: Response, request: Request, name: str, value: str, *, days: int = SESSION_DAYS) -> None:
    """Set a cookie that scripts do not see, and that other sites' pages do not send along."""
    response.set_cookie(
        _named(request, name),
        value,
        max_age=days * _DAY,
        path="/",
        secure=_secure(request),
        httponly=True,
        samesite="lax",
    )


def drop_cookie(response: Response, request: Request, name: str) -> None:
    """Take a cookie back."""
    named = _named(request, name)
    response.delete_cookie(named, path="/", secure=_secure(request), httponly=True, samesite="lax")


def _named(request: Request, name: str) -> str:
    """Return the cookie's name: over TLS one that no other host and no plain page can set."""
    return f"__Host-{name}" if _secure(request) else name


def _secure(request: Request) -> bool:
    return bool(request.url.scheme == "https")
