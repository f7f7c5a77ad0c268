"""What noise must know of a language: its words, what people say beside them, and what sounds alike."""

from __future__ import annotations

import re
import tomllib
from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.text.noise.aligned_text import Stretch


class SpokenLanguage(ABC):
    """A language as it is spoken. Its tables stand beside this module, as `NAME.toml`."""

    name: ClassVar[str]
    gap: str
    """What stands between two words."""
    accents: ClassVar[tuple[str, ...]]
    """Ways in which speakers differ; a speaker has one."""

    @cached_property
    def _tables(self) -> dict[str, Any]:
        return tomllib.loads(Path(__file__).with_name(f"{self.name}.toml").read_text(encoding="utf-8"))

    def said(self, what: str) -> Sequence[str]:
        """Return the words of a table: `starts`, `insides`, `ends` of fillers, `terms` before a repair."""
        found: Sequence[str] = self._tables["said"][what]
        return found

    @cached_property
    def _colloquial(self) -> tuple[re.Pattern[str], dict[str, list[str]]]:
        table: dict[str, list[str]] = self._tables["colloquial"]
        forms = {self.gap.join(key.split("/")): one for key, one in table.items()}
        either = "|".join(re.escape(key) for key in sorted(forms, key=lambda key: (-len(key), key)))
        return re.compile(rf"(?<!\S)(?:{either})(?!\S)" if self.gap else either), forms

    def colloquial(self, text: str) -> Iterator[tuple[Stretch, Sequence[str]]]:
        """Yield the places of words that have colloquial forms, with these."""
        pattern, forms = self._colloquial
        for found in pattern.finditer(text):
            yield found.span(), forms[found.group()]

    @abstractmethod
    def words(self, text: str) -> list[Stretch]:
        """Return the places of the words of a text; marks and spaces are none."""

    @abstractmethod
    def near(self, word: str, point: float) -> str | None:
        """Return another word of nearly the same sound; `point` from 0 to below 1 chooses. `None`: there is none."""

    @abstractmethod
    def accented(self, word: str, accent: str, point: float) -> str | None:
        """Return what a recogniser writes for a word in an accent; `None` where the accent says it like all."""

    @abstractmethod
    def other_number(self, word: str, point: float) -> str | None:
        """Return another number of the same form, for a word that is one."""


def drawn(choices: Sequence[str], point: float) -> str | None:
    """Return the choice at a point from 0 to below 1; `None` of none."""
    return choices[int(point * len(choices))] if choices else None
