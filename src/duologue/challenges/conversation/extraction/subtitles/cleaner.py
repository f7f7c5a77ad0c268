"""Official cleaning of subtitle sentences: rule by rule as the reference, and vectorised over a file.

`RULES` is the table of rules in their order (specification, section 6.2); `clean` applies it to one sentence and is
what everything else is measured against. `clean_lines` gives the same for all sentences of a file: each rule goes
over the whole text once, in which no rule may see beyond a line, and is left out where its characters do not occur.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

TITLES = ("mr", "jr", "ms", "dr", "st")
"""Abbreviations to which a following period belongs; `mrs` also as a suffix."""
DROPPED = frozenset(("", ".", "?", "$", "%", "!", ",", ":", ";"))
"""Sentences that are dropped; `...` and `!!` stay."""
_LONE = np.frombuffer("".join(sorted(DROPPED)).encode(), np.uint8)
_BEFORE_PERIOD = "|".join((*(f" {title}" for title in TITLES), "mrs"))
_DASH = "[-\u2013\u2014]"
_DASHES = f"{_DASH}+"
_DOTTED_I = "i\u0307"
_MARKS = rf" {_DASHES}|(?<!{_DASH}){_DASHES}+(?:$| )|% %|#+|''|``| ' |[()\"]"
"""A run of dashes is looked at from its first alone."""


_LONG = 1_000
"""Characters from which a line is cleaned rule by rule: the expressions for all lines at once look at the rest of a
line from each of its signs, which for a line of a million of them takes hours."""
_OPENING = re.compile(r"[<{(\[]")
_CLOSING = {"<": ">", "{": "}", "(": ")", "[": "]"}


class SentenceRule(NamedTuple):
    """One cleaning rule."""

    name: str
    why: str
    apply: Callable[[str], str]


def _sub(pattern: str, replacement: str) -> Callable[[str], str]:
    compiled = re.compile(pattern)
    return lambda text: compiled.sub(replacement, text)


def _without_asides(text: str) -> str:
    """Return a text with a space for each `<!--.*?-->`, `<[^>]*>`, `{[^}]*}`, `([^)]*)` and `[[^]]*]`.

    Where the next closing sign stands is kept, so that signs that nothing closes cost one look at the text together.
    """
    kept: list[str] = []
    known: dict[str, int] = {}
    begin = place = 0

    def following(sign: str, start: int) -> int:
        if known.get(sign, -1) < start:
            found = text.find(sign, start)
            known[sign] = found if found >= 0 else len(text)
        return known[sign]

    def end_of(start: int) -> int:
        if text.startswith("<!--", start):
            end = following("-->", start + 4)
            if end < following("\n", start + 4):
                return end + 3
        end = following(_CLOSING[text[start]], start + 1)
        return end + 1 if end < len(text) else 0

    while (opening := _OPENING.search(text, place)) is not None:
        end = end_of(opening.start())
        if end:
            kept += (text[begin : opening.start()], " ")
            begin = end
        place = end or opening.end()
    return "".join((*kept, text[begin:]))


RULES = (
    SentenceRule(
        "asides",
        "comments, tags and bracketed remarks are no speech; the first closing sign ends them, nothing nests",
        _without_asides,
    ),
    SentenceRule(
        "escapes", "an apostrophe may be escaped; all is lower case", lambda text: text.replace("\\'", "'").lower()
    ),
    SentenceRule("right", "` ' s ` belongs to what follows", _sub(r" ' (?=(?:em|im|s|t|bout|cause)\s)", " '")),
    SentenceRule("left", "` n ' roll` belongs to what precedes", _sub(r"(?<=n) ' ", "' ")),
    SentenceRule("titles", "the period of a title is no end of a sentence", _sub(rf"(?<={_BEFORE_PERIOD}) \.", ". ")),
    SentenceRule("speaker", "one word and a colon at the start name the speaker", _sub(r"^\s*+[A-z]*+\s*+:", "")),
    SentenceRule("marks", "dashes, quotes, song and percent marks are layout", _sub(_MARKS, " ")),
    SentenceRule(
        "dotted", "a lower-cased Turkish capital leaves its dot behind", lambda text: text.replace(_DOTTED_I, "i")
    ),
    SentenceRule("spaces", "runs of white space are one space", lambda text: re.sub(r"\s+", " ", text).strip()),
    SentenceRule("rest", "a lone sign is no sentence", lambda text: "" if text in DROPPED else text),
)
"""The rules in order: specification, section 6.2."""


def clean(sentence: str) -> str:
    """Return a sentence as the official extractor cleans it; empty where it drops it.

    >>> clean(" JOHN : It ' s me , Mr . Smith --")
    "it 's me , mr. smith"
    """
    for rule in RULES:
        sentence = rule.apply(sentence)
    return sentence


def sentences(raw: Iterable[str]) -> list[str]:
    """Clean the raw sentences of a file rule by rule, the reference implementation (sections 6.1 and 6.2).

    A text that ends with a colon is glued to the next; at the end of the file it is lost.
    """
    found = []
    pending: list[str] = []
    for text in raw:
        pending.append(text)
        end = text.rstrip()
        if end.endswith(":") or (not end and len(pending) > 1):  # what is pending ends with a colon
            continue
        cleaned = clean("".join(pending))
        if cleaned:
            found.append(cleaned)
        pending = []
    return found


# The same for whole files. `\s` may not see the line feed between sentences: S is all white space but that.
S = r"[^\S\n]"
_COLON_AT_END = re.compile(rf"(:{S}*)\n")
_ASIDES = re.compile(r"<!--.*?-->|<[^>\n]*>|\{[^}\n]*\}|\([^)\n]*\)|\[[^\]\n]*\]")
_RIGHT = re.compile(rf" ' (?=(?:em|im|s|t|bout|cause){S})")
_TITLE = re.compile(rf" \.(?<={' .|'.join(f' {title}' for title in TITLES)} .|mrs .)".replace(" .", r" \."))
_SPEAKER = re.compile(rf"\n{S}*+[A-z]*+{S}*+:")
_BEFORE_MARK = "\x01"
"""Marker for a space before a dash or apostrophe, so that the search need not stop at every space."""
_DASH_RUNS = "|".join(rf"{dash}(?<!{_DASH}{dash}){_DASH}*+(?:[ \x01]|(?=\n))" for dash in "-\u2013\u2014")
_LINE_MARKS = re.compile(rf"\x01(?:{_DASHES}|'[ \x01])|{_DASH_RUNS}|% %|##*|''|``|\(|\)|\"")
"""Rule `marks`; each branch begins with a literal character, which makes the search fast."""
_ODD_SPACES = tuple(
    character for character in map(chr, range(0x3001)) if character.isspace() and character not in " \n"
)
"""All white space but space and line feed; there is none above the ideographic space."""
_SPACES = re.compile(rf"{S}+")


class Cleaned(NamedTuple):
    """Cleaned sentences of a file, concatenated."""

    text: bytes
    """UTF-8 without separators."""
    lengths: NDArray[np.int32]
    """Bytes per sentence."""
    tokens: NDArray[np.int32]
    """Words per sentence."""


def clean_lines(raw: str) -> Cleaned:
    """Fast equivalent of `sentences` for the raw sentences of a file, each ended by a line feed.

    No raw text may hold a line feed or a carriage return of its own.
    """
    text = raw
    while (glued := _COLON_AT_END.sub(r"\1", text)) != text:
        text = glued
    if max(map(len, text.split("\n"))) > _LONG:
        return packed(sentences(raw.split("\n")[:-1]))
    text = "\n" + text[: text.rfind("\n") + 1]  # a colon at the end of the file keeps its text from being ended
    return _kept(_squeezed(_marked(_joined(_stripped(text)))))


def _stripped(text: str) -> str:
    """Rules `asides` and `escapes`."""
    if any(sign in text for sign in "<{(["):
        text = _ASIDES.sub(" ", text)
    # A line by itself is mostly ASCII, which is lower-cased many times as fast as what holds a single other letter.
    return "\n".join([line.lower() for line in text.replace("\\'", "'").split("\n")])


def _joined(text: str) -> str:
    """Rules `right`, `left`, `titles` and `speaker`."""
    if " ' " in text:
        text = _RIGHT.sub(" '", text).replace("n ' ", "n' ")
    text = _TITLE.sub(". ", text)
    return _SPEAKER.sub("\n", text) if ":" in text else text


def _marked(text: str) -> str:
    """Rules `marks` and `dotted`."""
    for mark in "-\u2013\u2014'":
        text = text.replace(" " + mark, _BEFORE_MARK + mark)
    return _LINE_MARKS.sub(" ", text).replace(_BEFORE_MARK, " ").replace(_DOTTED_I, "i")


def _squeezed(text: str) -> NDArray[np.uint8]:
    """Rule `spaces`: return UTF-8 with one space between words and none at the ends of lines."""
    if any(space in text for space in (("\t",) if text.isascii() else _ODD_SPACES)):
        text = _SPACES.sub(" ", text)
    data = np.frombuffer(text.encode("utf-8"), np.uint8)
    white = np.flatnonzero(data <= ord(" "))  # by now only spaces and line feeds are white
    ends = data[white] == ord("\n")
    runs = np.flatnonzero(np.diff(white, prepend=-2) > 1)  # (runs,) the first of each run, as a place in `white`
    inner = runs[~np.logical_or.reduceat(ends, runs)]  # those of spaces alone, of which the first stays
    ends[inner] = True
    written = np.ones(len(data), bool)
    written[white[~ends]] = False
    return data[written]


def packed(sentences: list[str]) -> Cleaned:
    """Return cleaned sentences in the form of `clean_lines`."""
    return _kept(np.frombuffer(("\n" + "".join(f"{sentence}\n" for sentence in sentences)).encode(), np.uint8))


def _kept(data: NDArray[np.uint8]) -> Cleaned:
    """Rule `rest`, and the number of words of each line; a line feed comes first."""
    breaks = np.flatnonzero(data <= ord(" "))  # (words + empty lines + 1,)
    line_breaks = np.flatnonzero(data[breaks] == ord("\n"))  # (lines + 1,) places in `breaks`
    ends = breaks[line_breaks]  # (lines + 1,) places in `data`
    lengths = np.diff(ends) - 1
    lone = np.isin(data[np.minimum(ends[:-1] + 1, len(data) - 1)], _LONE)
    kept = (lengths > 1) | ((lengths == 1) & ~lone)
    written = data != ord("\n")
    written[ends[1:][~kept] - 1] = False  # the one character of a dropped line; the line feed of an empty one
    return Cleaned(data[written].tobytes(), lengths[kept].astype(np.int32), np.diff(line_breaks)[kept].astype(np.int32))
