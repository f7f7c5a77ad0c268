"""Secrets that let a person in: links, tokens and sessions. Only their hashes are kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import NamedTuple

from duologue.arena.database.tables import new_id

_BYTES = 32
_LONGEST = 200
"""Characters of the longest text that is looked at."""


class EntrySecret(NamedTuple):
    """A secret as it is made: `id` names it in the database, `text` is handed out once and never kept."""

    id: str
    text: str
    hash: str


def new_secret() -> EntrySecret:
    """Return a secret of 256 random bits."""
    name, word = new_id(), secrets.token_urlsafe(_BYTES)
    return EntrySecret(name, f"{name}.{word}", hash_of(word))


def hash_of(word: str) -> str:
    """Return what is kept of a word; 256 random bits need no salt."""
    return hashlib.sha256(word.encode("utf-8", "surrogateescape")).hexdigest()


def id_of(text: str) -> str:
    """Return the id in a secret's text; empty for what is none."""
    return text.partition(".")[0] if len(text) <= _LONGEST else ""


def matches(text: str, kept: str) -> bool:
    """Whether a text is the secret whose hash was kept; compared in a time that tells nothing."""
    return hmac.compare_digest(hash_of(text.partition(".")[2]), kept)


def derived_secret(key: str, nonce: str) -> EntrySecret:
    """Return a secret made of another one and a nonce: a form that is sent twice makes one link, and shows it twice."""
    name = _derived(key, f"id {nonce}")[:32]
    word = _derived(key, f"word {nonce}")
    return EntrySecret(name, f"{name}.{word}", hash_of(word))


def _derived(key: str, message: str) -> str:
    return hmac.new(key.encode("utf-8", "surrogateescape"), message.encode(), hashlib.sha256).hexdigest()
