"""Messages that are made below the site, in English, and told in the reader's language.

Checks, jobs and statistics say in English what they found. `words/messages` has the form of each in both languages; a
message is held against the English forms, and what stands in their braces goes into the Chinese one. A message of no
known form stays as it is and is marked as English.
"""

from __future__ import annotations

from functools import cache, lru_cache
from string import Formatter
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import pass_context
from markupsafe import Markup, escape

from duologue.site.words import words

if TYPE_CHECKING:
    from jinja2.runtime import Context

_AREA, _VALUES, _PLACES = "messages.", "messages.value_", "messages.place_"
_WHOLE = "message"
"""Name of a brace in which another message stands."""
_LONGEST = 1000
"""Characters of the longest message that is held against the forms."""


class MessageForm(NamedTuple):
    """The form of a message: its fixed parts, with a value between each two."""

    fixed: tuple[str, ...]
    names: tuple[str, ...]
    """Of the values, one fewer than the fixed parts."""
    zh: str

    @classmethod
    def of(cls, en: str, zh: str) -> MessageForm:
        """Return the form of a text with braces."""
        parts = list(Formatter().parse(en))
        fixed, names = [""], []
        for text, name, _, _ in parts:
            fixed[-1] += text
            if name is not None:
                names.append(name)
                fixed.append("")
        return cls(tuple(fixed), tuple(names), zh)

    def values(self, message: str) -> dict[str, str] | None:
        """Return what stands in the braces, each as short as can be; `None` for a message of another form.

        >>> MessageForm.of("{n} of {all} are there", "").values("1 of 2 are there")
        {'n': '1', 'all': '2'}
        """
        first, *between = self.fixed
        if not between:
            return {} if message == first else None
        last = between.pop()
        if not message.startswith(first) or not message.endswith(last) or len(message) < len(first) + len(last):
            return None
        begin, end = len(first), len(message) - len(last)
        found = []
        for text in between:
            at = message.find(text, begin, end)
            if at < 0:
                return None
            found.append(message[begin:at])
            begin = at + len(text)
        return dict(zip(self.names, [*found, message[begin:end]], strict=True))


def in_chinese(message: str) -> str | None:
    """Return an English message in Chinese, or `None` where its form is not known."""
    return _filled(message, _AREA)


def in_language(language: str, message: str) -> str:
    """Return an English message in a language of the site; in English where its form is not known."""
    return (in_chinese(message) if language == "zh" else None) or message


@pass_context
def told(context: Context, message: str) -> Markup:
    """Return a message in the language of a page, as HTML; one that stays English says so (filter of the templates)."""
    return _in_language(str(context["language"]), message, in_chinese(message))


@pass_context
def place(context: Context, where: str) -> Markup:
    """Return the place of a problem in the language of a page, as HTML; pointers into JSON are of no language."""
    language, (before, slash, pointer) = str(context["language"]), where.partition(", /")
    found = _filled(before, _PLACES)
    return _in_language(language, where, found and found + slash + pointer, mark=not where.startswith("/"))


def _in_language(language: str, message: str, found: str | None, *, mark: bool = True) -> Markup:
    if language == "en" or not message:
        return escape(message)
    if found is not None:
        return escape(found)
    return Markup('<span lang="en">{}</span>').format(message) if mark else escape(message)


@lru_cache(2000)
def _filled(message: str, area: str) -> str | None:
    if len(message) > _LONGEST:
        return None
    for form in _forms(area):
        values = form.values(message)
        if values is not None:
            return form.zh.format(**{name: _value(name, value) for name, value in values.items()})
    return None


def _value(name: str, value: str) -> str:
    return (_filled(value, _AREA if name == _WHOLE else _VALUES)) or value


@cache
def _forms(area: str) -> tuple[MessageForm, ...]:
    """Return the forms of an area, those with most fixed text first; values and places are in areas of their own."""
    apart = {_VALUES, _PLACES} - {area}
    found = [
        MessageForm.of(entry["en"], entry["zh"])
        for key, entry in words().items()
        if key.startswith(area) and not key.startswith(tuple(apart))
    ]
    return tuple(sorted(found, key=lambda form: -sum(map(len, form.fixed))))
