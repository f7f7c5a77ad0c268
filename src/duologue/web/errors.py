"""The one form of errors: JSON as the OpenAI API has it, without anything of the machine."""

from __future__ import annotations

from http import HTTPStatus

import msgspec

_TYPES = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}


class ApiError(Exception):
    """A request that gets an error for an answer: a status, what is wrong in words, and where."""

    def __init__(
        self, status: HTTPStatus, message: str = "", *, param: str | None = None, code: str | None = None
    ) -> None:
        super().__init__(message or status.phrase)
        self.status = status
        self.body = error_body(status, message, param=param, code=code)


def error_body(status: HTTPStatus, message: str = "", *, param: str | None = None, code: str | None = None) -> bytes:
    """Return the body of an error: `{"error": {"message": ..., "type": ..., "param": ..., "code": ...}}`."""
    kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    error = {
        "message": message or f"{status.phrase}.",
        "type": kind,
        "param": param,
        "code": code or status.phrase.lower().replace(" ", "_").replace("-", "_"),
    }
    return msgspec.json.encode({"error": error})
