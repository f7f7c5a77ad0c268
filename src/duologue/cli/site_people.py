"""`duologue site people` and `duologue site audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from duologue.cli.site import site_database
from duologue.core.amounts import amount
from duologue.core.disk import write_text
from duologue.core.errors import UsageError
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

_roles_option = click.option(
    "--role", "roles", multiple=True, required=True, help="A role, such as volunteer; may be repeated."
)
_person_argument = click.argument("person_id", metavar="PERSON")


@click.group(cls=options.CommandGroup)
def people() -> None:
    """Add people, hand out links, delete a person's data.

    Roles are admin, organiser, judge, annotator, participant and volunteer. PERSON is an id, as `list` shows it.

    \b
    Examples:
      duologue site people add --name Wei --role volunteer
      duologue site people list
    """


@people.command("list")
@options.workspace_option
@options.database_option
@click.option("--role", default=None, help="Only people of this role.")
@options.json_option
def list_(*, workspace: Path, address: str | None, role: str | None, as_json: bool) -> None:
    """Show who there is, with ids and roles.

    \b
    Examples:
      duologue site people list --role judge
    """
    with site_database(workspace, address) as found, found.reading() as connection:
        from duologue.arena.people.people import list_people

        everybody = list_people(connection, role)
    if as_json:
        console.as_json({"people": msgspec.to_builtins(everybody)})
        return
    for one in everybody:
        state = "" if one.closed_at is None else "  (let in no more)"
        console.line(f"{one.id}  {one.name or '(no name)'}  {', '.join(one.roles)}{state}")


@people.command()
@options.workspace_option
@options.database_option
@click.option("--name", required=True, help="What the person is called; a made-up name will do.")
@_roles_option
@options.days_option(30)
@click.option("--once", is_flag=True, help="The link lets in one time only.")
@options.site_url_option
def add(
    *, workspace: Path, address: str | None, name: str, roles: tuple[str, ...], days: float, once: bool, url: str
) -> None:
    """Add a person, and print the link that lets them in.

    \b
    Examples:
      duologue site people add --name Wei --role volunteer
      duologue site people add --name Ada --role organiser --once --days 1 --site https://dialogue.example.org
    """
    with site_database(workspace, address) as found:
        from duologue.arena.people.links import path_of
        from duologue.arena.people.newcomer import add_newcomer
        from duologue.arena.people.secret import new_secret

        secret, now = new_secret(), found.now()
        found.write(
            lambda connection: add_newcomer(connection, secret, name, roles, now=now, by=None, days=days, once=once)
        )
        console.line(url.rstrip("/") + path_of(secret))


@people.command()
@_person_argument
@options.workspace_option
@options.database_option
@options.days_option(7)
@click.option("--often", is_flag=True, help="The link lets in as often as wanted.")
@click.option(
    "--revoke", default=None, metavar="LINK", help="Make none: let nobody in by this link, and end what began with it."
)
@options.site_url_option
def link(
    *, person_id: str, workspace: Path, address: str | None, days: float, often: bool, revoke: str | None, url: str
) -> None:
    """Print one more link of a person, or revoke one.

    LINK is what stands before the dot of a link; `data` lists all of a person.

    \b
    Examples:
      duologue site people link 0123456789abcdef
      duologue site people link 0123456789abcdef --revoke fedcba9876543210
    """
    with site_database(workspace, address) as found:
        from duologue.arena.people.links import links_of, make_link, path_of, revoke_link
        from duologue.arena.people.secret import new_secret

        if revoke is not None:
            with found.reading() as connection:
                known = [one.id for one in links_of(connection, person_id)]
            if revoke not in known:
                raise UsageError(f"the person has no link '{revoke}'; duologue site people data lists all")
            found.write(lambda opened: revoke_link(opened, revoke, now=found.now(), by=None))
            return

        secret, now = new_secret(), found.now()
        found.write(lambda opened: make_link(opened, secret, person_id, now=now, by=None, days=days, once=not often))
        console.line(url.rstrip("/") + path_of(secret))


@people.command()
@_person_argument
@options.workspace_option
@options.database_option
@click.option("--label", default="command line", show_default=True, help="What the token is called.")
@options.days_option(90, "the token")
@click.option("--revoke", default=None, metavar="TOKEN", help="Make none: make this one worthless.")
def token(*, person_id: str, workspace: Path, address: str | None, label: str, days: float, revoke: str | None) -> None:
    """Print a token by which a person's programs ask the site's API, or revoke one.

    TOKEN is what stands before the dot of a token; `data` lists all of a person.

    \b
    Examples:
      duologue site people token 0123456789abcdef --label nightly
    """
    with site_database(workspace, address) as found:
        from duologue.arena.people.secret import new_secret
        from duologue.arena.people.tokens import make_token, revoke_token

        now = found.now()
        if revoke is not None:
            found.write(lambda opened: revoke_token(opened, revoke, person_id, now=now, by=None))
            return
        secret = new_secret()
        found.write(lambda opened: make_token(opened, secret, person_id, label, now=now, by=None, days=days))
        console.line(secret.text)


@people.command("roles")
@_person_argument
@options.workspace_option
@options.database_option
@_roles_option
def roles_(*, person_id: str, workspace: Path, address: str | None, roles: tuple[str, ...]) -> None:
    """Give a person these roles, and no others.

    \b
    Examples:
      duologue site people roles 0123456789abcdef --role judge --role annotator
    """
    with site_database(workspace, address) as found:
        from duologue.arena.people.people import set_roles

        found.write(lambda connection: set_roles(connection, person_id, roles, now=found.now(), by=None))


@people.command()
@_person_argument
@options.workspace_option
@options.database_option
@click.option("--again", is_flag=True, help="Let them in again.")
def close(*, person_id: str, workspace: Path, address: str | None, again: bool) -> None:
    """Let a person in no more; what they did stays.

    \b
    Examples:
      duologue site people close 0123456789abcdef
    """
    with site_database(workspace, address) as found:
        from duologue.arena.people.people import close_person, reopen_person

        change = reopen_person if again else close_person
        found.write(lambda connection: change(connection, person_id, now=found.now(), by=None))


@people.command()
@_person_argument
@options.workspace_option
@options.database_option
@click.option("--out", type=options.OUT_FILE, default=None, help="Write this JSON file instead of printing.")
@options.force_option
def data(*, person_id: str, workspace: Path, address: str | None, out: Path | None) -> None:
    """Give out all that there is of a person, as JSON.

    \b
    Examples:
      duologue site people data 0123456789abcdef --out mine.json
    """
    with site_database(workspace, address) as found, found.reading() as connection:
        from duologue.arena.campaigns.typed_words import data_and_words_of
        from duologue.arena.people.people import find_person

        found_data = data_and_words_of(connection, find_person(connection, person_id).id)
    text = msgspec.json.format(msgspec.json.encode(found_data), indent=2).decode() + "\n"
    if out is None:
        console.block(text)
    else:
        write_text(out, text)


@people.command()
@_person_argument
@options.workspace_option
@options.database_option
@click.option("--words", is_flag=True, help="Remove what they typed in talks, too; how these were rated stays.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(*, person_id: str, workspace: Path, address: str | None, words: bool, yes: bool) -> None:
    """Delete a person with all that is theirs; ratings and the words of talks stay, under nobody's name.

    \b
    Examples:
      duologue site people delete 0123456789abcdef
      duologue site people delete 0123456789abcdef --words
    """
    with site_database(workspace, address) as found:
        from duologue.arena.campaigns.typed_words import delete_person_and_words
        from duologue.arena.people.people import find_person
        from duologue.arena.people.personal_data import delete_person

        remove = delete_person_and_words if words else delete_person
        with found.reading() as connection:
            person = find_person(connection, person_id)
        if not yes and not click.confirm(f"Delete {person.name} and all that is theirs? This cannot be undone."):
            raise UsageError("nothing was deleted")
        done = found.write(lambda connection: remove(connection, person_id, now=found.now(), by=None))
    if words:
        removed = done.deleted.pop("utterances")
        console.line(f"{amount(removed, 'utterance was', 'utterances were')} removed from talks")
    console.line(
        f"deleted {amount(sum(done.deleted.values()), 'row')}; {sum(done.kept.values())} stay, under nobody's name"
    )


@click.command()
@options.workspace_option
@options.database_option
@click.option(
    "--limit", type=options.WholeNumber(1, 100_000), default=50, show_default=True, help="So many, the last ones."
)
@click.option("--action", default="", help="Only actions that begin so, such as person.")
@options.json_option
def audit(*, workspace: Path, address: str | None, limit: int, action: str, as_json: bool) -> None:
    """Show who did what, the last first.

    \b
    Examples:
      duologue site audit --limit 20
      duologue site audit --action person. --json
    """
    with site_database(workspace, address) as found, found.reading() as connection:
        from duologue.arena.people.audit import audit_entries

        entries = audit_entries(connection, limit=limit, action=action)
    if as_json:
        console.as_json({"entries": msgspec.to_builtins(entries)})
        return
    for one in entries:
        console.line(f"{_time(one.at)}  {one.name or one.person_id or 'command line'}  {one.action}  {one.about}")


def _time(milliseconds: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
