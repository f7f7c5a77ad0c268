"""One's own account over the API: language, tokens, sessions, and all that is kept of oneself.

A token makes no tokens, so that revoking it ends what it could do: new ones are made on the account's page, or by the
command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from duologue.arena.campaigns.typed_words import data_and_words_of, delete_person_and_words
from duologue.arena.people.people import Person, find_person, set_language
from duologue.arena.people.personal_data import DeletedData, delete_person
from duologue.arena.people.sessions import end_sessions
from duologue.arena.people.tokens import AccessToken, revoke_token, tokens_of
from duologue.core.errors import UsageError
from duologue.core.records import Record
from duologue.core.typed import convert
from duologue.site.api.operation import Operation

if TYPE_CHECKING:
    from duologue.site.api.operation import OperationCall


class ChosenLanguage(Record, frozen=True, kw_only=True):
    """The language of the pages."""

    language: Literal["en", "zh"]


class Farewell(Record, frozen=True, kw_only=True):
    """What is deleted with an account."""

    sure: bool = False
    """Nothing is done without it."""
    words: bool = False
    """Whether what one typed in talks is removed, too."""


def operations() -> list[Operation]:
    """Return the operations."""
    return [
        Operation("GET", "/me", "Who the token belongs to", me, gives=Person),
        Operation("POST", "/me/language", "Choose a language", choose_language, takes=ChosenLanguage, gives=Person),
        Operation("GET", "/me/tokens", "One's tokens, without their secrets", tokens, gives=list[AccessToken]),
        Operation("POST", "/me/tokens/{token}/revoke", "Make a token worthless", revoke, gives=list[AccessToken]),
        Operation("POST", "/me/sign-out", "End all one's sessions", sign_out, gives=Person),
        Operation("GET", "/me/data", "All that is kept of oneself", give_data, gives=dict[str, list[dict[str, Any]]]),
        Operation("POST", "/me/delete", "Delete one's account", delete, takes=Farewell, gives=DeletedData),
    ]


async def me(call: OperationCall) -> Person:
    """Return who asks."""
    return call.me


async def choose_language(call: OperationCall) -> Person:
    """Remember a language."""
    chosen, person = call.body.language, call.me.id
    await call.write(lambda connection: set_language(connection, person, chosen))
    return await call.read(find_person, person)


async def tokens(call: OperationCall) -> list[AccessToken]:
    """Return the caller's tokens."""
    return await call.read(tokens_of, call.me.id)


async def revoke(call: OperationCall) -> list[AccessToken]:
    """Make a token of the caller worthless; this one too."""
    token, now, person = call.at("token"), call.now, call.me.id
    await call.write(lambda connection: revoke_token(connection, token, person, now=now, by=person))
    return await tokens(call)


async def sign_out(call: OperationCall) -> Person:
    """End the caller's sessions in browsers; tokens stay."""
    now, person = call.now, call.me.id
    await call.write(lambda connection: end_sessions(connection, person, now=now, by=person))
    return call.me


async def give_data(call: OperationCall) -> dict[str, list[dict[str, Any]]]:
    """Return all rows that name the caller."""
    return await call.read(data_and_words_of, call.me.id)


async def delete(call: OperationCall) -> DeletedData:
    """Delete the caller with all that is theirs."""
    wanted: Farewell = call.body
    if not wanted.sure:
        raise UsageError('nothing was deleted: say that you are sure ({"sure": true}); it cannot be undone')
    now, person, remove = call.now, call.me.id, delete_person_and_words if wanted.words else delete_person
    done = await call.write(lambda connection: msgspec.to_builtins(remove(connection, person, now=now, by=person)))
    return convert(done, DeletedData)
