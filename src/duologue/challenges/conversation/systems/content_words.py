"""Words that say what an English text is about: without function words, and without the endings that inflect them."""

from __future__ import annotations

from typing import Literal

from duologue.challenges.conversation.scoring.terms import terms

Matching = Literal["words", "stems"]
"""How the terms of a text are made: its words and marks as they are, or the stems of its content words."""
_WRITTEN = """
a about after again all also am an and any anyone anything are as at be because been before being but by can cannot
could d did do does doing don done else ever every for from get gets getting go going gone got had has have having
he hello her here hers hey hi him his how i if im in into is it its ive just ll m make may maybe me might mine more
most much must my need no not now of off on one or our ours out over own please re s shall she should so some
someone something still such t than thank thanks that the their theirs them then there these they this those to too
up us ve very want was we were what when where which while who whom whose why will with would yes yet you your yours
"""
_FUNCTION_WORDS = frozenset(_WRITTEN.split())
_VOWELS = frozenset("aeiouy")
_SHORTEST = 3
"""Letters that a stem keeps at least."""


def content_words(text: str) -> list[str]:
    """Return the stems of the words of a text that are no function words, in their order.

    >>> content_words("How do I get a refund ?"), content_words("Refunds take three to five working days .")
    (['refund'], ['refund', 'tak', 'thre', 'fiv', 'work', 'day'])
    """
    return [stem_of(word) for word in terms(text) if word.isalnum() and word not in _FUNCTION_WORDS]


def stem_of(word: str) -> str:
    """Return a lower-cased word without a plural, `-ed` or `-ing`; forms of one word mostly have one stem.

    >>> [stem_of(word) for word in ("parties", "boxes", "delivered", "delivering", "stopped", "arrive", "arriving")]
    ['party', 'box', 'deliver', 'deliver', 'stop', 'arriv', 'arriv']
    >>> [stem_of(word) for word in ("bus", "address", "sing", "need", "this", "2nd")]
    ['bus', 'address', 'sing', 'need', 'this', '2nd']
    """
    if word.endswith("ies") and len(word) > _SHORTEST + 1:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > _SHORTEST:
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= _SHORTEST and not _VOWELS.isdisjoint(rest):
            word = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
            break
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST else word
