"""Templates filled in: everything escaped, nothing undefined."""

from __future__ import annotations

from datetime import UTC, datetime
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
        self._environment = Environment(
            loader=PackageLoader("duologue.site"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._environment.filters |= {"when": when, "told": messages.told, "place": messages.place}
        self._environment.globals |= {
            "asset": asset_path,
            "entries": tuple(entries),
            "form_token": token_of,
            "known_words": words(),
            "languages": LANGUAGES,
            "new_nonce": new_nonce,
            "nonce_field": NONCE_FIELD,
            "tags": TAGS,
            "token_field": TOKEN_FIELD,
            "version": __version__,
        }

    def render(self, template: str, values: Mapping[str, Any]) -> str:
        """Return a template with values."""
        return self._environment.get_template(template).render(values)


def when(milliseconds: int) -> Markup:
    """Return a time, to be read by people and programs; `site.js` shows it in the reader's zone."""
    at = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return Markup('<time datetime="{}">{} UTC</time>').format(
        at.strftime("%Y-%m-%dT%H:%M:%SZ"), at.strftime("%Y-%m-%d %H:%M")
    )
