"""Paths and characters that may leave the machine."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duologue.core.escapes import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

_NO_XML = re.compile("[\ufffe\uffff]")


def portable(path: Path | str) -> str:
    """Return a path as it may leave the machine: from the current folder where it lies below that, else its name.

    >>> portable("results/a.json"), portable("/nobody/has/this/a.json"), portable("../a.json")
    ('results/a.json', 'a.json', 'a.json')
    """
    given = Path(path)
    here = Path.cwd()
    whole = given if given.is_absolute() else here / given
    if ".." not in given.parts and whole.is_relative_to(here) and whole != here:
        return whole.relative_to(here).as_posix()
    return given.name


def without_folders(text: str, paths: Iterable[str]) -> str:
    """Return a text in which each of some paths is told by `portable` alone.

    >>> without_folders("the truth /nobody/has/t.json is a copy", ["/nobody/has/t.json"])
    'the truth t.json is a copy'
    """
    for path in sorted(filter(None, paths), key=len, reverse=True):
        text = text.replace(path, portable(path))
    return text


def xml_text(text: str) -> str:
    r"""Return a text of characters that XML 1.0 has; others are spelled out.

    >>> xml_text("a\x00b")
    'a\\x00b'
    """
    return _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(text))


def names_for_folders(value: Any) -> Any:
    """Return the values of a recipe in which whole paths are told by their names.

    >>> names_for_folders({"a": ["/nobody/has/x.txt", 1], "b": "x/y"})
    {'a': ['x.txt', 1], 'b': 'x/y'}
    """
    if isinstance(value, dict):
        return {key: names_for_folders(held) for key, held in value.items()}
    if isinstance(value, list):
        return [names_for_folders(held) for held in value]
    return portable(value) if isinstance(value, str) and "\n" not in value and Path(value).is_absolute() else value
