"""Texts of the HTML page in English and Chinese."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from duologue.core.annotation import Bilingual
from duologue.core.disk import read_bytes
from duologue.core.escapes import printable
from duologue.core.marked_text import MarkedText

if TYPE_CHECKING:
    from duologue.core.dialogue_view import Said

LANGUAGES = {"en": "en", "zh": "zh-Hans"}
"""Key in the table of words -> language tag in the page."""
FOLDER = Path(__file__).with_name("words")
"""A table for each page, and one of what they share."""
NAMES = FOLDER / "names"
"""Tables of names that tasks give, by what they name: nothing else is looked up there, nor these elsewhere."""


@cache
def words() -> dict[str, dict[str, str]]:
    """Return all tables as one: key -> language -> text."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        found |= tomllib.loads(read_bytes(path).decode())
    return found


def both(key: str, **values: object) -> Markup:
    """Return the text of `key` in all languages as HTML, each marked with its language; values are escaped.

    A value that is a `Term` is itself looked up and put in language by language. A key without an entry (the name of a
    score, a cut that a task invented) is shown as it is. Raises `KeyError` for a brace without a value.
    """
    entry = words().get(key)
    if entry is None:
        return escape(key)
    return in_both(**{language: _fill(entry[language], language, values) for language in LANGUAGES})


@cache
def names(table: str) -> dict[str, dict[str, str]]:
    """Return a table of names."""
    found: dict[str, dict[str, str]] = tomllib.loads(read_bytes(NAMES / f"{table}.toml").decode())
    return found


def name_in(table: str, name: str) -> Markup:
    """Return a name in both languages as HTML; one that its table has not is shown as it is.

    A name is data: one that happens to be a key of the words of a page is none of them.
    """
    entry = names(table).get(name)
    return escape(printable(name)) if entry is None else in_both(**entry)


def in_both(*, en: object, zh: object) -> Markup:
    """Return a text given in both languages as HTML, each marked with its language.

    >>> str(in_both(en="<b>", zh="粗"))
    '<span class="en" lang="en">&lt;b&gt;</span><span class="zh" lang="zh-Hans">粗</span>'
    """
    return Markup("").join(
        Markup('<span class="{}" lang="{}">{}</span>').format(language, LANGUAGES[language], said)
        for language, said in (("en", en), ("zh", zh))
    )


def said(text: Said | MarkedText) -> str | MarkedText:
    """Return words of the data or of ours for a template; control characters are spelled out, no browser shows them."""
    if isinstance(text, Bilingual):
        return in_both(en=printable(text.en), zh=printable(text.zh))
    return text if isinstance(text, MarkedText) else printable(text)


class Term(str):
    """A key of the table used as a value inside another text."""

    __slots__ = ()


def _fill(text: str, language: str, values: dict[str, object]) -> Markup:
    filled = {
        name: words().get(value, {}).get(language, str(value)) if isinstance(value, Term) else value
        for name, value in values.items()
    }
    return escape(text).format(**filled)
