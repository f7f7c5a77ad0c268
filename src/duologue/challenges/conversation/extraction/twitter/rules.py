"""The official preprocessing of tweets as a table: each rule with its order, its intent and an example.

`preprocess` applies the table rule by rule (specification, section 3) and is what the fast way of `cleaner` is
measured against. `BEFORE` sees the text, then the tokenizer cuts it, `TOKEN` sees each token, tokens are joined with
single spaces, and `AFTER` sees a reply of the account as a whole.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.conversation.extraction.twitter import tokenizer
from duologue.challenges.conversation.extraction.twitter.tokenizer import CHALLENGE

if TYPE_CHECKING:
    from collections.abc import Callable

USER, SYSTEM = "U", "S"


class Speech(NamedTuple):
    """Who says a text, and to whom."""

    speaker: str = USER
    """`U`, or `S` for the account, whose replies alone lose names and signatures."""
    screen_name: str = ""
    """The customer's, without `@`; empty where it is not known."""
    first_name: str = ""


class TweetRule(NamedTuple):
    """One step of the preprocessing."""

    name: str
    why: str
    before: str
    """A text that the rule changes (a token, for `TOKEN`) ..."""
    after: str
    """... and what it makes of it, for the speech `EXAMPLE`."""
    apply: Callable[[str, Speech], str]


EXAMPLE = Speech(SYSTEM, "joe_99", "Joe")
"""Whom the examples of the rules speak of."""

HANDLES = re.compile(r"(?:@[A-Za-z0-9_]+[.;, ])+")
"""Names that a tweet starts with, each with one sign behind it."""
PART_MARK = re.compile(r"(?:^|[(\[ ])[1-4]/[2-5](?:[)\] ]|$)")
LONG_NUMBER = re.compile(r"(?<=[ A-Z])(?:\+\d|\d-|\d{3,}|\(\d{2,}\))[\d\- ]+\d{3}")
_DIGITS_AND_GAPS, _THREE = re.compile(r"[\d\- ]{64,}"), re.compile(r"\d{3,}")
SIGNATURE = re.compile(r"[\^\-~–][\-– ]*(?:[a-z]+\s*|[a-z ]{2,8})((?:<URL>|\.)?\s*$)")
"""Initials or a name at the end, as the official rule has it; `without_signature` finds the same in one pass."""
_SIGNED = re.compile(r"[\-– ]*(?:[a-z]++\s*+|[a-z ]{2,8})((?:<URL>|\.)?\s*$)")
_LONGEST_INITIALS = 8
THANKS = re.compile(r" (?:thanks|thnks|thx)\s*$")
LAST_WORD = re.compile(r"(?<= [\-,!?.–])\s*[a-z]+\s*$")


def _sub(pattern: str | re.Pattern[str], replacement: str) -> Callable[[str, Speech], str]:
    compiled = re.compile(pattern)
    return lambda text, _: compiled.sub(replacement, text)


@cache
def first_name_pattern(name: str) -> re.Pattern[str]:
    """Return where a first name stands as a word of its own; the sign before it and that behind it are taken too."""
    return re.compile(rf"(^|[^A-Za-z0-9]){re.escape(name)}([^A-Za-z0-9]|$)")


def replace_long_numbers(text: str) -> str:
    """Replace what `LONG_NUMBER` finds by its placeholder, in the time of one pass.

    A number ends with three digits. Behind the last three of a long run of digits and gaps none ends, and so none
    begins; from there the pattern would go through the rest of the run at each digit.
    """
    pieces: list[str] = []
    begin = at = 0
    runs = [(one.start() + _last_three(one[0]), one.end()) for one in _DIGITS_AND_GAPS.finditer(text)]
    ends = [(end, following) for end, following in runs if end < following]  # one of digits alone may be in brackets
    for end, following in (*ends, (len(text), len(text))):
        for found in LONG_NUMBER.finditer(text, begin, end):
            pieces += [text[at : found.start()], "<NUMBERS>"]
            at = found.end()
        begin = following
    return "".join([*pieces, text[at:]]) if pieces else text


def _last_three(run: str) -> int:
    """Return where the last three digits or more of a run end; 0 where there are none."""
    return max((one.end() for one in _THREE.finditer(run)), default=0)


def replace_names(text: str, speech: Speech) -> str:
    """Return a reply with the customer's names replaced; what customers write stays."""
    if speech.speaker != SYSTEM:
        return text
    if speech.screen_name:
        text = text.replace(f"@{speech.screen_name}", "<USER>")
    if speech.first_name and speech.first_name in text:
        text = first_name_pattern(speech.first_name).sub(r"\1<USER>\2", text)
    return text


def remove_signature(text: str, speech: Speech) -> str:
    """Return a tokenized reply without the agent's initials or name behind `^`, `-` or `~` at its end."""
    return without_signature(text) if speech.speaker == SYSTEM else text


def without_signature(text: str) -> str:
    """Return a text without what `SIGNATURE` finds, but what follows the name, in the time of one pass.

    Behind the signs that a signature starts with and the blanks among them no such sign stands any more, so that it
    starts with the last of all runs of them; the pattern goes through all the rest at each sign. Of a long run no more
    matters than blanks at its end, which may be part of the initials.
    """
    last = max(map(text.rfind, "^-~–"))
    if last < 0:
        return text
    first = last
    if text[last] in "-–":
        head = text[:last].rstrip("-– ")
        first = len(head) - 1 if head.endswith(("^", "~")) else last - len(text[len(head) : last].lstrip(" "))
    end = len(text) - len(text[last + 1 :].lstrip(" "))
    found = _SIGNED.match(text, max(first + 1, end - _LONGEST_INITIALS))
    return text[:first] + found[1] if found else text


def remove_last_word(text: str, speech: Speech) -> str:
    """Return a tokenized reply without one word that stands alone behind its last sign, unless it says thanks."""
    if speech.speaker != SYSTEM or THANKS.search(text):
        return text
    return LAST_WORD.sub("", text)


BEFORE = (
    TweetRule(
        "apostrophe", "the curly apostrophe is the plain one; the opening quote is not touched",
        "I can’t", "I can't", lambda text, _: text.replace("’", "'"),
    ),
    TweetRule(
        "double quotes", "curly quotation marks only get in the way of words",
        "say “hi”", "say hi", lambda text, _: text.replace("“", "").replace("”", ""),
    ),
    TweetRule(
        "leading handles", "whom a tweet answers is no part of what it says",
        "@Shop @joe_99 hello", "hello", lambda text, _: text[found.end() :] if (found := HANDLES.match(text)) else text,
    ),
    TweetRule(
        "part marks", "1/2 numbers the tweets of one reply; a fraction looks the same and goes too",
        "please wait 1/2", "please wait ", _sub(PART_MARK, " "),
    ),
    TweetRule(
        "long numbers", "orders, parcels and telephones: a model should not learn them",
        "order 112-3456789 is late", "order <NUMBERS> is late", lambda text, _: replace_long_numbers(text),
    ),
    TweetRule(
        "names", "a reply is the same to every customer; the handle has no right boundary, the first name has two",
        "Hi Joe, see @joe_99", "Hi <USER>, see <USER>", replace_names,
    ),
)  # fmt: skip
"""Rules for the text, in their order: specification, section 3.1."""

TOKEN = (
    TweetRule(
        "e-mail", "an address is a placeholder",
        "help@shop.com", "<E-MAIL>", _sub(r"\A[a-z0-9_.\-]+@[a-z0-9_.\-]+\.[a-z]+\Z", "<E-MAIL>"),
    ),
    TweetRule(
        "address", "so is a link with its scheme in lower case",
        "https://t.co/Ab", "<URL>", _sub(r"\Ahttps?:\S+\Z", "<URL>"),
    ),
    TweetRule(
        "number mark", "the tokenizer wrote the placeholder in lower case",
        "<numbers>", "<NUMBERS>", _sub(r"\A<numbers>\Z", "<NUMBERS>"),
    ),
    TweetRule(
        "user mark", "this one too",
        "<user>", "<USER>", _sub(r"\A<user>\Z", "<USER>"),
    ),
    TweetRule(
        "contraction", "the part from the apostrophe on is a word",
        "don't", "don 't", _sub(r"\A([a-z]+)('[a-z]+)\Z", r"\1 \2"),
    ),
    TweetRule(
        "missing space", "a period between words ends a sentence; it breaks bare domains too",
        "ok.thanks", "ok . thanks", _sub(r"\A([a-z]+)\.([a-z]+)\Z", r"\1 . \2"),
    ),
)  # fmt: skip
"""Rules for each token, in their order: specification, section 3.3."""

AFTER = (
    TweetRule(
        "signature", "agents sign; what follows the name stays. No boundary is needed: check-in becomes check",
        "please dm us . ^ th <URL>", "please dm us . <URL>", remove_signature,
    ),
    TweetRule(
        "last word", "one word behind the last sign is mostly the agent's name",
        "sorry about that ! jenny", "sorry about that !", remove_last_word,
    ),
)  # fmt: skip
"""Rules for the joined tokens of a reply, in their order: specification, section 3.4."""


def preprocess(text: str, speech: Speech = Speech(), generation: str = CHALLENGE) -> str:  # noqa: B008  # immutable
    """Return a tweet as dialogue text, rule by rule; trailing spaces may remain. Raises as `tokenizer.tokenize` does.

    >>> preprocess("@joe_99 Hi Joe, please DM us! ^TH", Speech("S", "joe_99", "Joe"))
    'hi <USER> , please dm us ! '
    """
    for rule in BEFORE:
        text = rule.apply(text, speech)
    text = " ".join(token_text(token, speech) for token in tokenizer.tokenize(text, generation))
    for rule in AFTER:
        text = rule.apply(text, speech)
    return text


def token_text(token: str, speech: Speech) -> str:
    """Return what a token becomes: itself, a placeholder, or words with spaces between."""
    for rule in TOKEN:
        token = rule.apply(token, speech)
    return token
