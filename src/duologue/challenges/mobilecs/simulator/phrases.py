"""Phrases of the simulator: templates with alternatives and places to fill, read from the JSON files beside this room.

`[a|b|]` is one of its alternatives, equally likely; `{fee}` is a place to fill.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.simulator.utterance import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PART = re.compile(r"\[([^\[\]]*+)\]|\{(\w+)\}")
_NO_FILLS: dict[str, Text] = {}


class Template:
    """One phrase, taken apart: texts, alternatives (tuples) and places (lists with a name)."""

    __slots__ = ("parts", "places")

    def __init__(self, phrase: str) -> None:
        self.parts: list[Template | str | tuple[Template | str, ...] | list[str]] = []
        position = 0
        for found in _PART.finditer(phrase):
            if found.start() > position:
                self.parts.append(phrase[position : found.start()])
            if found[2]:
                self.parts.append([found[2]])
            else:
                self.parts.append(tuple(Template(one) if "{" in one else one for one in found[1].split("|")))
            position = found.end()
        if position < len(phrase):
            self.parts.append(phrase[position:])
        self.places = tuple(dict.fromkeys(re.findall(r"\{(\w+)\}", phrase)))

    def fill(self, unit: Callable[[], float], fills: Mapping[str, Text] = _NO_FILLS) -> Text:
        """Return the phrase with alternatives chosen and places filled."""
        text = Text()
        self._fill(unit, fills, text)
        return text

    def _fill(self, unit: Callable[[], float], fills: Mapping[str, Text], text: Text) -> None:
        for part in self.parts:
            if isinstance(part, str):
                text.text += part
            elif isinstance(part, tuple):
                chosen = part[int(unit() * len(part))]
                if isinstance(chosen, str):
                    text.text += chosen
                else:
                    chosen._fill(unit, fills, text)  # its own class
            elif isinstance(part, list):
                text.add(fills[part[0]])
            else:
                part._fill(unit, fills, text)  # its own class


@cache
def phrases(name: str) -> Any:
    """Return a file of phrases, each of its texts as a template."""
    return _templates(raw_phrases(name))


@cache
def raw_phrases(name: str) -> Any:
    """Return a file of phrases as it is."""
    return json.loads((files(__package__) / "phrases" / f"{name}.json").read_text(encoding="utf-8"))


def _templates(value: Any) -> Any:
    if isinstance(value, str):
        return Template(value)
    if isinstance(value, list):
        return [_templates(one) for one in value]
    return {key: _templates(one) for key, one in value.items()}
