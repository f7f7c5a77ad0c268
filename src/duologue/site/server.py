"""The server of the site: the strict one of `web`, with uploads, proxies, and refusals that people can read."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from duologue.site.application import create_application
from duologue.site.words import TAGS, text, words
from duologue.web.connections import ServerRules
from duologue.web.server import Server

if TYPE_CHECKING:
    from http import HTTPStatus

    from duologue.arena.database.database import Database
    from duologue.site.settings import SiteSettings


def make_server(database: Database, settings: SiteSettings, host: str = "127.0.0.1", port: int = 0) -> Server:
    """Return a server of the site that listens already; `run` serves. Raises `UsageError` for a bad address."""
    application = create_application(database, settings)
    rules = ServerRules(settings.largest_upload, settings.proxies, refusal)
    return Server(application, host, port, hosts=settings.hosts, rules=rules)


def refusal(status: HTTPStatus) -> tuple[str, bytes]:
    """Return the page for a request that is refused before it is known whose it is: in all languages, no style."""
    key = f"site.error_{status.value}"
    key = key if key in words() else "site.error_other"
    said = "".join(f'<p lang="{tag}">{text(one, key)} ({status.value})</p>' for one, tag in TAGS.items())
    title = escape(status.phrase)
    page = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><main>{said}</main></html>'
    return "text/html; charset=utf-8", page.encode()
