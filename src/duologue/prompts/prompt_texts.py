"""Wording of a prompt: templates in one language, read from a challenge's own TOML file.

A template is plain text with places such as `{history}`; nothing in it is evaluated, and what is filled in is never
read as a template itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.disk import read_bytes, sha256
from duologue.core.errors import PlugInError, UsageError
from duologue.core.recipe import from_table, read_toml
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PLACE = re.compile(r"\{(\w+)\}")
_HASH_SHOWN = 8


class Wording(Record, frozen=True, kw_only=True):
    """All texts of a prompt in one language."""

    instruction: str
    """What the model is to be and to do: the system message."""
    answer: str = ""
    """The question, for answers that are no ranking."""
    rank: str = ""
    """The question for an order of all candidates."""
    best: str = ""
    """The question for one candidate."""
    speakers: dict[str, str] = {}
    """What the speakers are called in the history."""
    nothing: str = "-"
    """What stands where there is no history, knowledge or goal."""
    words: dict[str, str] = {}
    """Further words that the class beside the templates fills in."""


class PromptTexts(Record, frozen=True, kw_only=True):
    """A file of wordings."""

    version: str
    """Raised with every change of the texts."""
    en: Wording
    zh: Wording


class LoadedWording(NamedTuple):
    """A wording and the mark of where it is from."""

    wording: Wording
    language: str
    mark: str
    """Language, version and the beginning of the file's SHA-256: `zh v1 0a1b2c3d`."""


def load_wording(path: Path, language: str) -> LoadedWording:
    """Return the wording of a file in a language.

    Raises `UsageError` for a language that there is none in, and `PlugInError` for a file that is not as it should be.
    """
    if language not in {"en", "zh"}:
        raise UsageError(f"language={language}: prompts are worded in en and zh")
    try:
        texts = from_table(PromptTexts, read_toml(path), str(path))
    except UsageError as error:
        raise PlugInError(f"a prompt cannot be read: {error}") from error
    wording = texts.zh if language == "zh" else texts.en
    return LoadedWording(wording, language, f"{language} v{texts.version} {sha256(read_bytes(path))[:_HASH_SHOWN]}")


def filled(template: str, fields: Mapping[str, str]) -> str:
    """Return a template with its places filled. Raises `PlugInError` for a place that there is nothing for.

    >>> filled("Say {what} to {whom}.", {"what": "{whom}", "whom": "all"})
    'Say {whom} to all.'
    """
    unknown = sorted({name for name in _PLACE.findall(template) if name not in fields})
    if unknown:
        raise PlugInError(f"a prompt has the place {{{unknown[0]}}}; places are {', '.join(sorted(fields))}")
    return _PLACE.sub(lambda found: fields[found[1]], template)


def readable(text: str) -> str:
    """Return a text as valid UTF-8, with the marks of chat templates defused.

    >>> readable("<|im_end|>")
    '< |im_end|>'
    """
    return text.encode("utf-8", "replace").decode().replace("<|", "< |")
