"""The NLTK tweet tokenizer, in the two versions behind official text (specification, sections 3.5 and 3.6).

`2017` is what the challenge's text was made with (NLTK 3.2.4), `nltk-3.10` what the same call does today. Both are
written out here: the text of a challenge must not depend on which version of a library happens to be installed.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from html.entities import name2codepoint
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

CHALLENGE, CURRENT = "2017", "nltk-3.10"
GENERATIONS = (CHALLENGE, CURRENT)
"""Names of the tokenizers; the first is the default."""

_ENTITIES = {
    CHALLENGE: re.compile(r"&(#?)(x?)([^&;\s]+);"),
    # Today's tokenizer is written with another library, for which U+001C to U+001F are no white space.
    CURRENT: re.compile(r"&(#?)(x?)((?:[^&;\s]|[\x1c-\x1f])+);"),
}
_LONG = re.compile(r"(.)\1{3,}|(\n)\n{3,}")
"""A repeated character; the official pattern leaves up to three line breaks alone."""

LONGEST_WORD = 4096
"""Characters without white space that official text has tokens across; the longest addresses have half as many."""
_WORD = re.compile(r"\S+")
_MOUTH = r"[)\](\[dp/:}{@|\\]"
_EYES, _NOSE = "[:;=8]", "[-o*']?"
_JOINER, _LETTER, _SIGN = "ǂ", "ǁ", "§"
"""Substitutes in the shadow text: zero-width joiner, other non-standard word characters, non-standard signs."""
_TONES = "[\U0001f3fb-\U0001f3ff]"
_FLAGS = "|".join(
    (
        "[\U0001f1e6-\U0001f1ff]{2}",
        *("\U0001f3f4" + "".join(chr(0xE0000 + ord(one)) for one in f"gb{part}\x7f") for part in ("eng", "sct", "wls")),
    )
)


class _Generation(NamedTuple):
    """Differences between the two versions."""

    phone_gap: str
    """Separators within a phone number."""
    area_gap: str
    """Separators after an area code."""
    heart: str
    dots: str
    """White space within an ellipsis."""
    emoji: str
    """Patterns of multi-code-point emoji, each with a leading `|`."""
    most: str
    """Quantifier for `+`; the current version has bounds against catastrophic backtracking."""
    most_or_none: str
    labels: str
    local: str
    host: str
    host_rest: str


_GENERATIONS = {
    CHALLENGE: _Generation(
        phone_gap=r"[-\s.]", area_gap=r"[-\s.)]", heart="<3", dots=r"\s", emoji="",
        most="+", most_or_none="*", labels="*", local="+", host="+", host_rest="+",
    ),
    CURRENT: _Generation(
        phone_gap=r"[ *\-.)]", area_gap=r"[ *\-.)]", heart="</?3", dots=r"[^\S\r\n]",
        emoji=rf"|\S(?:{_TONES}?(?:{_JOINER}\S{_TONES}?)+|{_TONES})|{_FLAGS}",
        most="{1,255}", most_or_none="{0,255}", labels="{0,126}", local="{1,64}", host="{1,63}", host_rest="{1,251}",
    ),
}  # fmt: skip


def tokenize(text: str, generation: str = CHALLENGE) -> list[str]:
    """Return the tokens of a text: entities decoded, repetitions shortened to three, lower-cased except emoticons.

    Raises `UsageError` for an unknown generation.

    >>> tokenize("Soooooo LATE &amp; broken :D see www.Example.com")
    ['sooo', 'late', '&', 'broken', ':D', 'see', 'www.example.com']
    """
    return scanner(generation)(shorten(decode_entities(text, generation)))


def decode_entities(text: str, generation: str = CHALLENGE) -> str:
    """Return a text with its HTML 4 entities decoded and unknown ones deleted.

    Raises `UsageError` for an unknown generation.

    >>> decode_entities("a &lt;3 b &#8364; &#x80; &apos;AT&T; ok")
    'a <3 b € € AT ok'
    """
    _expect_generation(generation)
    return _ENTITIES[generation].sub(_decoded, text)


def shorten(text: str) -> str:
    """Shorten runs of a character to three, except line breaks in official text.

    >>> shorten("goooooal!!!!")
    'goooal!!!'
    """
    return _LONG.sub(r"\1\1\1\2\2\2", text)


@cache
def scanner(generation: str) -> Callable[[str], list[str]]:
    """Return the function that splits a decoded, shortened text. Raises `UsageError` for an unknown version."""
    _expect_generation(generation)
    chosen = _GENERATIONS[generation]
    emoticon = re.compile(_emoticon(chosen), re.IGNORECASE).search
    pattern = re.compile(_token(chosen), re.IGNORECASE)
    if generation == CHALLENGE:  # whose patterns go through all the rest of a word at each of its parts

        def scan_official(text: str) -> list[str]:
            pieces = [text] if len(text) <= LONGEST_WORD else _pieces(text)
            return [one if emoticon(one) else one.lower() for piece in pieces for one in pattern.findall(piece)]

        return scan_official
    table, odd = _shadows()

    def scan(text: str) -> list[str]:
        if not odd(text):
            return [token if emoticon(token) else token.lower() for token in pattern.findall(text)]
        tokens = (text[slice(*found.span())] for found in pattern.finditer(text.translate(table)))
        return [token if emoticon(token) else token.lower() for token in tokens]

    return scan


def _pieces(text: str) -> list[str]:
    """Return a text in pieces, cut within words that are longer than any that people write."""
    cuts = [at for one in _WORD.finditer(text) for at in range(one.start() + LONGEST_WORD, one.end(), LONGEST_WORD)]
    return [text[start:end] for start, end in pairwise((0, *cuts, len(text)))]


def _expect_generation(generation: str) -> None:
    if generation not in _GENERATIONS:
        raise UsageError(f"no tokenizer '{generation}'{did_you_mean(generation, GENERATIONS)}")


def _decoded(found: re.Match[str]) -> str:
    """Return the character of an entity; empty if unknown."""
    sharp, hexadecimal, body = found.groups()
    if not sharp and not hexadecimal:  # an x makes a number even where # is missing: &x41; is A, &xi; is deleted
        number = name2codepoint.get(body)
        return "" if number is None else chr(number)
    try:
        number = int(body, 16 if hexadecimal else 10)
        if 0x80 <= number <= 0x9F:  # as browsers do; these are no characters in Unicode
            return bytes((number,)).decode("cp1252")
        return chr(number)
    except (ValueError, OverflowError):
        return ""


def _emoticon(chosen: _Generation) -> str:
    return rf"(?:[<>]?{_EYES}{_NOSE}{_MOUTH}|{_MOUTH}{_NOSE}{_EYES}[<>]?|{chosen.heart})"


def _token(chosen: _Generation) -> str:
    """Return the token pattern: ordered alternatives, the first match wins."""
    some, any_, gap = chosen.most, chosen.most_or_none, chosen.phone_gap
    # The official pattern repeats runs of `inside`, which takes for ever on `http://.,.,.,.,`; single characters in
    # the place of runs match the same.
    inside = r"[^\s()<>{}\[\]]"
    nested = rf"\([^\s()]{any_}?\([^\s()]{some}\)[^\s()]{any_}?\)"
    parentheses = rf"{nested}|\(\S{some}?\)"
    start = rf"(?:https?:(?:/{{1,3}}|[a-z0-9%])|[a-z0-9.\-]{some}\.[a-z]{{2,13}}/)"
    last = r"[^\s`!()\[\]{};:'\".,<>?«»“”‘’]"
    return "|".join(
        (
            # a web address with a scheme, or a domain and a slash
            rf"{start}(?:{inside}|{parentheses})+(?:{parentheses}|{last})",
            # a bare domain that is no part of an e-mail address
            rf"(?<!@)[a-z0-9]+(?:[.\-][a-z0-9]+){chosen.labels}\.[a-z]{{2,13}}\b/?(?!@)",
            # a phone number: country, area, exchange, base
            rf"(?:\+?[01]{gap}*)?(?:\(?\d{{3}}{chosen.area_gap}*)?\d{{3}}{gap}*\d{{4}}",
            _emoticon(chosen),
            r"<[^>\s]+>",  # tag
            r"-+>|<-+",  # arrow
            r"@\w+",  # handle
            r"\#+\w+[\w'\-]*\w+",  # hashtag
            rf"[\w.+\-]{chosen.local}@[\w\-]{chosen.host}\.(?:[\w\-]\.?){chosen.host_rest}[\w\-]" + chosen.emoji,
            r"[^\W\d_](?:[^\W\d_]|['\-_])+[^\W\d_]",  # word with apostrophes or hyphens inside
            r"[+\-]?\d+[,/.:\-]\d+[+\-]?",  # number
            r"\w+",
            rf"\.(?:{chosen.dots}*\.)+",  # ellipsis
            r"\S",
        )
    )


@cache
def _shadows() -> tuple[dict[int, str], Callable[[str], object]]:
    """Return the table that translates a text so that `re` matches as `regex` does, and a search for its characters.

    The current tokenizer uses `regex`, for which marks, joiners and circled letters are part of words, superscripts and
    fractions are not, and four control characters are no white space. A text keeps its length.
    """
    table = dict.fromkeys(
        [0x131, ord(_JOINER), 0x200C, *range(0x24B6, 0x24EA), *range(0x1F130, 0x1F14A),
         *range(0x1F150, 0x1F16A), *range(0x1F170, 0x1F18A)],
        _LETTER,
    )  # fmt: skip
    table |= dict.fromkeys(range(0x1C, 0x20), _SIGN)
    for number in range(0x80, sys.maxunicode + 1):
        category = unicodedata.category(chr(number))
        if category[0] == "M" or category == "Pc":
            table[number] = _LETTER
        elif category == "No":
            table[number] = _SIGN
    table[0x200D] = _JOINER
    ordered = sorted(table)
    starts = [one for one in ordered if one - 1 not in table]
    ends = [one for one in ordered if one + 1 not in table]
    ranges = "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in zip(starts, ends, strict=True))
    return table, re.compile(f"[{ranges}]").search
