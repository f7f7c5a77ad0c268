"""Terms for text similarity, the same for tokenized and untokenized text."""

from __future__ import annotations

import re

_TERM = re.compile(r"\w+|[?!]")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_LONGEST = 64


def terms(text: str) -> list[str]:
    """Return the lower-cased words of a text, and its question and exclamation marks.

    Tokenized and untokenized text give the same terms; very long words are truncated.

    >>> terms("Don 't you have <URL> ?") == terms("Don't you have <URL>?")
    True
    >>> terms("Don 't you have <URL> ?")
    ['don', 't', 'you', 'have', 'url', '?']
    """
    return [term[:_LONGEST] for term in _TERM.findall(text.lower())]


def tokens(text: str) -> list[str]:
    """Return the lower-cased words of a text, and every punctuation mark as a token of its own.

    >>> tokens("Hi, <USER> !!")
    ['hi', ',', '<', 'user', '>', '!', '!']
    """
    return [token[:_LONGEST] for token in _TOKEN.findall(text.lower())]
