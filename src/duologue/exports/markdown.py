"""Markdown in which the words of strangers stay words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.core.escapes import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~$])")
_FENCE = re.compile(r"`{3,}")


def words(text: str) -> str:
    r"""Return text as one line in which nothing is markup.

    >>> print(words("a|b <script> p@1"))
    a\|b \<script\> p@1
    """
    return _MARKS.sub(r"\\\1", one_line(text).replace("&", "&amp;"))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; cells are texts of strangers, and those after the first column are set to the right."""
    lines = [f"| {' | '.join(map(words, row))} |" for row in (head, *rows)]
    return "\n".join([lines[0], f"|---|{'---:|' * (len(head) - 1)}", *lines[1:]])


def code(text: str, language: str = "") -> str:
    """Return a block of code that its content cannot end."""
    longest = max((len(found[0]) for found in _FENCE.finditer(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"
