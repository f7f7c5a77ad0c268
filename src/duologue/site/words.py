"""What the pages say, in English and Chinese: tables by area, `words/<area>.toml` or files `words/<area>/*.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from markupsafe import Markup, escape

from duologue.core.disk import read_bytes

LANGUAGES = {"en": "English", "zh": "中文"}
"""Key in the tables -> what the language calls itself."""
TAGS = {"en": "en", "zh": "zh-Hans"}
"""Key in the tables -> language tag of pages."""
FOLDER = Path(__file__).with_name("words")


@cache
def words() -> dict[str, dict[str, str]]:
    """Return all tables as one: `area.key` -> language -> text."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(FOLDER.rglob("*.toml")):
        area = path.relative_to(FOLDER).with_suffix("").parts[0]
        table: dict[str, dict[str, str]] = tomllib.loads(read_bytes(path).decode())
        found |= {f"{area}.{key}": entry for key, entry in table.items()}
    return found


def text(language: str, key: str, **values: object) -> Markup:
    """Return the text of a key as HTML, `{names}` filled in by escaped values. Raises `KeyError` for no such key."""
    return escape(words()[key][language]).format(**values)


def language_of(chosen: str, accepted: str) -> str:
    """Return the language of a page: what somebody chose, else the first of `Accept-Language` that there is.

    >>> language_of("", "de, zh-CN;q=0.8, en;q=0.5")
    'zh'
    """
    if chosen in LANGUAGES:
        return chosen
    for one in accepted.split(",")[:20]:
        found = one.partition(";")[0].strip().partition("-")[0].lower()
        if found in LANGUAGES:
            return found
    return "en"
