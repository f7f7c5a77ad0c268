"""Matcher text, the input of the retrieval baseline: label, history, reply, and optionally goal and knowledge.

Specification, section 5.2; output is byte-identical to that of the organisers' converter for samples with candidates.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.proactive.formats.model_text import generalised, topics_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Row = dict[str, Any]

_CHINESE = re.compile("[\u4e00-\u9fa5]")
SEPARATORS = {"history": " [INNER_SEP] ", "goal": " [PATH_SEP] ", "knowledge": " [KN_SEP] "}
EMPTY_HISTORY = "[START]"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


class MatchText(NamedTuple):
    """A sample and its candidate replies as input of the matcher: tokens separated by spaces."""

    history: str
    replies: tuple[str, ...]
    """The candidates in order."""
    goal: str
    knowledge: str


def match_text(sample: Row, candidates: Iterable[str], *, generalise: bool) -> MatchText:
    """Return the matcher text of a sample (keys `goal`, `knowledge`, `history`) and its candidate replies.

    `generalise` replaces topic names by slots, separately in each utterance and each cell of a triple. Raises
    `KeyError` with a topic whose domain is not in the knowledge.
    """
    topics = topics_of(sample)  # the original needs the domains even if it replaces nothing

    def said(text: str) -> str:
        return generalised(text, topics) if generalise else text

    goal, knowledge = (
        split_characters(SEPARATORS[field].join(" ".join(map(said, triple)) for triple in sample[field]))
        for field in ("goal", "knowledge")
    )
    heard = split_characters(SEPARATORS["history"].join(map(said, sample["history"])))
    replies = tuple(split_characters(said(candidate)) for candidate in candidates)
    return MatchText(heard if sample["history"] else EMPTY_HISTORY, replies, goal, knowledge)


def match_lines(sample: Row, *, knowledge: bool, generalise: bool, predict: bool) -> Iterator[str]:
    """Yield one line per candidate of a sample (key `candidate`) with label 0, then the reply with label 1.

    `predict` leaves the reply out, `knowledge` adds goal and triples; `generalise` and errors as in `match_text`.
    """
    replies = sample["candidate"] if predict else [*sample["candidate"], sample["response"]]
    text = match_text(sample, replies, generalise=generalise)
    for place, reply in enumerate(text.replies):
        label = "0" if place < len(sample["candidate"]) else "1"
        background = (text.goal, text.knowledge) if knowledge else ()
        yield "\t".join([label, text.history, reply, *background]) + "\n"


def split_characters(text: str) -> str:
    r"""Split words that contain a Chinese character into characters; other words stay whole.

    Any run of white space (tabs and U+3000 too) becomes one space; none at the ends.

    >>> split_characters(" 电影\u3000 1999年\ttopic")
    '电 影 1 9 9 9 年 topic'
    """
    return " ".join(" ".join(word) if _CHINESE.search(word) else word for word in text.split())


def dictionary(lines: Iterable[str]) -> list[str]:
    """Return the vocabulary of matcher text: special tokens, then the tokens of all fields but the label.

    Ordered by frequency, ties by first occurrence.
    """
    times: Counter[str] = Counter()
    for line in lines:
        for field in line.rstrip("\n").split("\t")[1:]:
            times.update(field.split())
    return _ordered(times)


def dictionary_of(texts: Iterable[MatchText], *, knowledge: bool) -> list[str]:
    """Return the `dictionary` of the lines of texts without building the lines."""
    times: Counter[str] = Counter()
    for text in texts:
        fields = (text.history, *text.replies[:1], *((text.goal, text.knowledge) if knowledge else ()))
        for at, field in enumerate(fields):  # first occurrences in the order of the first line, with final counts
            again = 1 if at == 1 else len(text.replies)
            for token, count in Counter(field.split()).items():
                times[token] += count * again
        for reply in text.replies[1:]:
            times.update(reply.split())
    return _ordered(times)


def _ordered(times: Counter[str]) -> list[str]:
    ordered = sorted(times, key=lambda token: -times[token])  # stable: ties by first occurrence
    return [*SPECIAL, *(token for token in ordered if token not in SPECIAL)]
