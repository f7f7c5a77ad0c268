"""What systems say of their training, in the languages of the page.

They say it in English, with numbers and names in it, and a report keeps it. The table has the forms that our systems
use; what somebody else's system says is shown as it is, and marked as English.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from markupsafe import Markup

from duologue.core.disk import read_bytes
from duologue.report.words import in_both

FILE = Path(__file__).with_name("phrases.toml")
_LONGEST = 1000
"""Characters of a phrase; longer ones are nobody's of ours."""
_BRACE = re.compile(r"\{(\w+)\}")


def background(said: str) -> Markup:
    """Return what a system says of its training as HTML, in both languages where the table has it.

    >>> str(background("12 annotated calls"))
    '<span class="en" lang="en">12 annotated calls</span><span class="zh" lang="zh-Hans">12 通已标注通话</span>'
    """
    chinese = in_chinese(said)
    if chinese is None:
        return Markup('<span lang="en">{}</span>').format(said)
    return in_both(en=said, zh=chinese)


def in_chinese(said: str) -> str | None:
    """Return what a system says of its training in Chinese; `None` where the table has it not.

    What stands in a brace is a phrase itself, or a number or name that stays.
    """
    if len(said) > _LONGEST:
        return None
    for form, chinese in _phrases():
        found = form.fullmatch(said)
        if found is not None:
            return chinese.format(**{name: in_chinese(value) or value for name, value in found.groupdict().items()})
    return None


@cache
def _phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the table: the form of each English phrase with its Chinese, those with more words of their own first."""
    rows: list[dict[str, str]] = tomllib.loads(read_bytes(FILE).decode())["phrase"]
    rows.sort(key=lambda row: -len(_BRACE.sub("", row["en"])))
    return tuple((_form(row["en"]), row["zh"]) for row in rows)


def _form(phrase: str) -> re.Pattern[str]:
    """Return the expression for a phrase; a brace has whatever is there, if it is short."""
    pieces = _BRACE.split(phrase)
    parts = [f"(?P<{one}>.{{1,300}})" if at % 2 else re.escape(one) for at, one in enumerate(pieces)]
    return re.compile("".join(parts))
