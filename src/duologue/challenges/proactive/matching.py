"""The text of the retrieval baseline: label, history and reply a line, with goal and knowledge on demand.

Specification, section 5.2; byte for byte what the organisers' converter writes for samples with candidates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.proactive.convert import generalised, topics_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Row = dict[str, Any]

_FIRST, _LAST = "\u4e00", "\u9fa5"
SEPARATORS = {"history": " [INNER_SEP] ", "goal": " [PATH_SEP] ", "knowledge": " [KN_SEP] "}
EMPTY_HISTORY = "[START]"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def match_lines(sample: Row, *, knowledge: bool, generalise: bool, predict: bool) -> Iterator[str]:
    """Yield a line per candidate of a sample (key `candidate`), label 0, and the reply with label 1 unless `predict`.

    `knowledge` adds goal and triples, `generalise` puts slots in the place of topic names, in each field by itself.
    Raises `KeyError` with the topic whose domain is not known.
    """
    topics = topics_of(sample)  # the converter looks at the domains whether or not it replaces

    def made(text: str) -> str:
        return split_characters(generalised(text, topics) if generalise else text)

    history = made(SEPARATORS["history"].join(sample["history"])) if sample["history"] else EMPTY_HISTORY
    background = [
        made(SEPARATORS[field].join(" ".join(triple) for triple in sample[field])) for field in ("goal", "knowledge")
    ]
    replies = [("0", reply) for reply in sample["candidate"]]
    if not predict:
        replies.append(("1", sample["response"]))
    for label, reply in replies:
        yield "\t".join([label, history, made(reply), *(background if knowledge else ())]) + "\n"


def split_characters(text: str) -> str:
    """Return a text whose words with a Chinese character are split into characters; other words stay whole.

    >>> split_characters("电影 1999年 topic")
    '电 影 1 9 9 9 年 topic'
    """
    return " ".join(
        " ".join(word) if any(_FIRST <= character <= _LAST for character in word) else word for word in text.split(" ")
    )


def dictionary(lines: Iterable[str]) -> list[str]:
    """Return the dictionary of matcher text: special tokens, then those of all fields but the label.

    By frequency, of equal ones the first seen first.
    """
    times: dict[str, int] = {}
    for line in lines:
        for field in line.rstrip("\n").split("\t")[1:]:
            for token in field.split():
                times[token] = times.get(token, 0) + 1
    ordered = sorted(times, key=lambda token: -times[token])
    return [*SPECIAL, *(token for token in ordered if token not in SPECIAL)]
