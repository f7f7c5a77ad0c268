"""`duologue site`: tracks, campaigns, talks and annotation for people, as pages and an API."""

from __future__ import annotations

from contextlib import contextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING

import click

from duologue.cli.lazy_group import LazyGroup
from duologue.core.extras import need
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from duologue.arena.database.database import Database

_COMMANDS = {
    "Commands": {
        "init": ("duologue.cli.site:init", "Make the first admin, and print the one link of theirs."),
        "people": ("duologue.cli.site_people:people", "Add people, hand out links, delete a person's data."),
        "open-link": ("duologue.cli.site_links:open_link", "Make one link for many people, into a campaign or track."),
        "audit": ("duologue.cli.site_people:audit", "Show who did what."),
        "backup": ("duologue.cli.site_data:backup", "Write the whole site to one file, while it runs."),
        "restore": ("duologue.cli.site_data:restore", "Fill an empty site from a backup."),
        "export": ("duologue.cli.site_data:export", "Write what may be given to others, without names."),
    }
}

_KEPT_NONCES = 30 * 24 * 60 * 60 * 1000
"""Milliseconds for which a form that is sent again is known to be answered; older ones are forgotten at a start."""


@contextmanager
def site_database(workspace: Path, address: str | None) -> Iterator[Database]:
    """Give the database of a workspace, with all its tables."""
    need("sqlalchemy", "site")
    need("alembic", "site")
    from duologue.arena.storage import open_database

    with open_database(workspace, address) as found:
        yield found


@click.group(
    cls=LazyGroup,
    sections=_COMMANDS,
    prefix="site.",
    invoke_without_command=True,
    subcommand_metavar="[COMMAND] [ARGS]...",  # some versions of click show no brackets
)
@options.workspace_option
@options.database_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; by default for this machine.")
@click.option(
    "--port",
    type=options.WholeNumber(0, 65535),
    default=options.SITE_PORT,
    show_default=True,
    help="0 takes any free port.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name under which people reach the site, beside localhost and addresses; may be repeated.",
)
@click.option(
    "--behind-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Address or network of a proxy whose X-Forwarded-For and -Proto are believed; may be repeated.",
)
@click.option(
    "--rate",
    type=options.WholeNumber(0, 1_000_000),
    default=600,
    show_default=True,
    help="Requests a minute of one person, or of one address that nobody has signed in from; 0: any number.",
)
@click.option(
    "--largest-upload",
    type=options.WholeNumber(1, 4096),
    default=64,
    show_default=True,
    metavar="MB",
    help="Size of the largest file that is taken.",
)
@click.pass_context
def site(
    context: click.Context,
    *,
    workspace: Path,
    address: str | None,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    proxies: tuple[str, ...],
    rate: int,
    largest_upload: int,
) -> None:
    """Serve the site of a workspace to people, until Ctrl-C: one process, no other service.

    The database is the file site/site.db of the workspace, or PostgreSQL by its URL. `duologue site init` makes the
    first admin and prints a link; everybody else is let in by a link too. See docs/guide/site.md.

    \b
    Examples:
      duologue site init --workspace work
      duologue site --workspace work
      duologue site --database postgresql://duologue@localhost/duologue --behind-proxy 127.0.0.1 \\
          --allow-host dialogue.example.org
    """
    if context.invoked_subcommand is not None:
        return
    need("starlette", "site")
    need("uvicorn", "site")
    need("python_multipart", "site")
    from duologue.arena.competition.track_worker import worker_beside
    from duologue.arena.people.people import list_people
    from duologue.arena.storage import open_blobs
    from duologue.site.server import make_server
    from duologue.site.settings import SiteSettings

    settings = SiteSettings(
        workspace=workspace, hosts=hosts, proxies=proxies, per_minute=rate, largest_upload=largest_upload << 20
    )
    with site_database(workspace, address) as found:
        found.forget_nonces(found.now() - _KEPT_NONCES)
        server = make_server(found, settings, host, port)
        console.line(f"the site is at {server.address} (Ctrl-C stops); its database is {found.place}")
        with found.reading() as connection:
            if not list_people(connection, "admin", closed=False):
                lacking = "there is no admin yet" if list_people(connection, closed=False) else "nobody can sign in yet"
                console.line(f"{lacking}: `duologue site init` makes the first admin")
        if not (_is_here(host) or proxies):
            console.line(f"whoever reaches {host} can read along: put a proxy with TLS before it (--behind-proxy)")
        with worker_beside(found, open_blobs(workspace)):
            server.run()
        console.line("stopped")


@click.command()
@options.workspace_option
@options.database_option
@click.option("--name", default="Admin", show_default=True, help="What the admin is called.")
@options.site_url_option
def init(*, workspace: Path, address: str | None, name: str, url: str) -> None:
    """Make the first admin of a site, and print a link that lets them in once, within a day.

    \b
    Examples:
      duologue site init
      duologue site init --workspace work --name "Ada" --site https://dialogue.example.org
    """
    with site_database(workspace, address) as found:
        from duologue.arena.people.links import path_of
        from duologue.arena.people.newcomer import add_first_admin
        from duologue.arena.people.secret import new_secret

        secret, now = new_secret(), found.now()
        found.write(lambda connection: add_first_admin(connection, secret, name, now=now))
        console.line(url.rstrip("/") + path_of(secret))


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
