"""An error that becomes a page: a status, and what is said in the reader's language."""

from __future__ import annotations

from http import HTTPStatus


class PageError(Exception):
    """A request that gets an error for an answer; `key` and `values` are words of the site that say more."""

    def __init__(self, status: HTTPStatus, key: str = "", **values: object) -> None:
        super().__init__(key or status.phrase)
        self.status, self.key, self.values = status, key, values
        self.fields: dict[str, str] = {}
        """Fields of the answer's head."""


def not_found() -> PageError:
    """Return the error for what is not there, or not for this person: which of them is told to nobody."""
    return PageError(HTTPStatus.NOT_FOUND)


def forbidden() -> PageError:
    """Return the error for what this person may not do."""
    return PageError(HTTPStatus.FORBIDDEN)
