"""Templates filled in: everything escaped, nothing undefined."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from duologue.core.version import __version__
from duologue.site import messages
from duologue.site.assets import asset_path
from duologue.site.form import NONCE_FIELD, TOKEN_FIELD, new_nonce, token_of
from duologue.site.words import LANGUAGES, TAGS, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.site.navigation import NavigationEntry


class Renderer:
    """The templates of the site; `entries` are the lines of the navigation."""

    def __init__(self, entries: Sequence[NavigationEntry]) -> None:
        self._entries = tuple(entries)

    def render(self, template: str, values: Mapping[str, Any]) -> str:
        """Return a template with values."""
        return _environment().get_template(template).render({"entries": self._entries, **values})


@cache
def _environment() -> Environment:
    """Return what compiles the templates, each once for all sites of the process."""
    environment = Environment(
        loader=PackageLoader("duologue.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {"when": when, "told": messages.told, "place": messages.place}
    environment.globals |= {
        "asset": asset_path,
        "form_token": token_of,
        "known_words": words(),
        "languages": LANGUAGES,
        "new_nonce": new_nonce,
        "nonce_field": NONCE_FIELD,
        "tags": TAGS,
        "token_field": TOKEN_FIELD,
        "version": __version__,
    }
    return environment


def when(milliseconds: int) -> Markup:
    """Return a time, to be read by people and programs; `site.js` shows it in the reader's zone."""
    at = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return Markup('<time datetime="{}">{} UTC</time>').format(
        at.strftime("%Y-%m-%dT%H:%M:%SZ"), at.strftime("%Y-%m-%d %H:%M")
    )
