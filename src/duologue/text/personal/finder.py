"""All personal data in a text, without overlaps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.text.personal import addresses, labelled, names, numbers, online
from duologue.text.personal.characters import digits_said, plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from duologue.text.personal.spans import PersonalSpan

_WORD = re.compile(r"[a-z]+")
_CAPITAL = re.compile(r"[A-Z\u00c0-\u00de][a-z\u00df-\u024f]+")
_HAN = re.compile(r"[\u3007\u3400-\u9fff]")
_COVERED = b"\x01"
_NUMBERED = re.compile(r"@[0-9]+(?![A-Za-z0-9_.])")


def find(text: str, known: Collection[str] = ()) -> list[PersonalSpan]:
    """Return what is personal in a text, in order; of two that overlap the surer kind counts.

    `known` are names of people who take part. Every finder runs only where a word or a sign stands that it needs:
    most texts have nothing personal, and are through after a few looks.
    """
    taken: list[PersonalSpan] = []
    covered = bytearray()  # a mark for each character of what is taken: a text may be one line of megabytes
    for found in _finders(text, known):
        for span in found:
            covered = covered or bytearray(len(text))
            if span.start < span.end and covered.find(_COVERED, span.start, span.end) < 0:
                covered[span.start : span.end] = _COVERED * (span.end - span.start)
                taken.append(span)
    return sorted(taken)


def _finders(text: str, known: Collection[str]) -> Iterator[Iterable[PersonalSpan]]:
    """Yield what the finders find that have something to look for, the surest kinds first."""
    folded = plain(text)
    has_han = not text.isascii() and _HAN.search(folded) is not None
    words = set(_WORD.findall(folded.lower()))
    # A number behind @ is a name without a person: the published table has them.
    bare = _NUMBERED.sub(_blotted, folded) if "@" in folded else folded
    if folded.count("/") > 3 * folded.count("https://t.co/") or "www." in folded or ("?" in folded and "=" in folded):
        yield online.urls(folded)
        if "/" in folded:
            bare = online.without_urls(bare)
    said = digits_said(bare) if has_han or ("_" in bare and not words) else bare
    digits = sum(map(said.count, "0123456789"))
    if "@" in folded or "#" in folded or has_han or not words.isdisjoint(("at", "a")):
        yield online.emails(folded)
    if digits:
        yield online.keys(folded)
        if has_han or not words.isdisjoint(online.SECRET_WORDS):
            yield online.secrets(folded)
            yield online.secrets(said)
        yield from _numbers(bare, said, words, digits=digits, has_han=has_han)
    if has_han or "#" in folded or "u/" in folded or not words.isdisjoint(labelled.NETWORKS):
        yield labelled.named(folded)
    if len(words & numbers.DIGIT_WORDS) >= 3:
        yield numbers.numbers_said(folded)
    if "@" in folded:
        yield online.handles(folded)
    yield addresses.addresses(bare, words, digits=digits, has_han=has_han)
    yield from _names(folded, words, known, has_han=has_han)


def _numbers(bare: str, said: str, words: set[str], *, digits: int, has_han: bool) -> Iterator[Iterable[PersonalSpan]]:
    """Yield what has digits, in a text with that many; `said` has those of Chinese numerals, too."""
    if digits >= 2:
        yield numbers.plates(bare, has_han=has_han)
    if digits >= 3:
        yield online.network(bare)
        if digits >= 6:
            yield numbers.accounts(said)
            yield numbers.identities(said)
            yield numbers.cards(said)
        yield labelled.labelled(said, words, has_han=has_han)
        if digits >= 6:
            yield numbers.phones(said)
            yield numbers.long_numbers(said)


def _names(folded: str, words: set[str], known: Collection[str], *, has_han: bool) -> Iterator[Iterable[PersonalSpan]]:
    if known:
        yield names.known_names(folded, known)
    if not words.isdisjoint(names.LABELS):
        yield names.told(folded)
    if not {word.lower() for word in _CAPITAL.findall(folded)}.isdisjoint(names.LISTED):
        yield names.listed(folded)
    if has_han:
        yield names.chinese(folded, known)


def _blotted(match: re.Match[str]) -> str:
    return "@" + "_" * (len(match[0]) - 1)
