"""The terms by which texts are compared, whether they are cut into tokens or not."""

from __future__ import annotations

import re

_TERM = re.compile(r"\w+|[?!]")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_LONGEST = 64


def terms(text: str) -> list[str]:
    """Return the words of a text in lower case, and its question and exclamation marks.

    Tokenized text and text as people write it give the same terms; of a very long word its beginning counts.

    >>> terms("Don 't you have <URL> ?") == terms("Don't you have <URL>?")
    True
    >>> terms("Don 't you have <URL> ?")
    ['don', 't', 'you', 'have', 'url', '?']
    """
    return [term[:_LONGEST] for term in _TERM.findall(text.lower())]


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, and every sign by itself: how it is said, beside what.

    >>> tokens("Hi, <USER> !!")
    ['hi', ',', '<', 'user', '>', '!', '!']
    """
    return [token[:_LONGEST] for token in _TOKEN.findall(text.lower())]
