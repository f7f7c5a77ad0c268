"""What a reader of annotated calls can know of types and ends of mentions, without any training: a section of a page.

    python benchmarks/mobilecs_extraction_ceilings.py FILE

FILE is the annotated part of a corpus, such as `labelled/test.json`. Where the calls show one thing annotated in two
ways, a reader who always takes the more frequent one loses the other: that is counted as lost.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.schema import ontology
from duologue.challenges.mobilecs.task import ExtractionTask

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Annotation, Example, Mention

HEAD = """What the `clean` calls themselves bear out, before anything is trained: whether the type of a mention can be
read off the call, and whether its ends can
(`python benchmarks/mobilecs_extraction_ceilings.py clean-{unseen}/labelled/test.json`). Where calls show one thing
annotated in two ways, the rarer way counts as lost; other doubts than these were not looked for. By these the
annotation can be known nearly whole: the wrong types and ends in the table above are the extractor's."""
PLANS = ("套餐", "主套餐")
MAIN_SLOTS = frozenset(
    {
        ontology.VOLUME,
        ontology.MINUTES,
        ontology.CALL_AREA,
        ontology.DATA_AREA,
        "国内主叫",
        "国内被叫",
        "套餐外通话计费",
    }
)
"""Slots of main plans."""
_BREAKS = " _，"
_AMOUNT_AT_END = re.compile("[零一二三四五六七八九十百千两](?:块钱|元钱|元|块|兆|个?[gG])?$")
_SHORT_NAMES = frozenset({"套餐", "业务", "活动", "流量包", "流量", "包", "卡"})
_POINTERS = ("这个", "那个")


class Ceiling(NamedTuple):
    """Something that a reader can know of so many mentions."""

    what: str
    right: int
    of: int


def ceilings(examples: Iterable[Example]) -> list[Ceiling]:
    """Return what can be known of the mentions of annotated calls."""
    calls = [(one, one.references[0].annotation) for one in examples if one.references]
    known = [(example, annotation) for example, annotation in calls if annotation is not None]
    return [*_types([annotation for _, annotation in known]), *_ends(known)]


def section(rows: Sequence[Ceiling]) -> str:
    """Return the rows as a table."""
    lines = [f"| {row.what} | {row.right:,} of {row.of:,} | {100 * row.right / max(1, row.of):.1f} |" for row in rows]
    return "\n".join(["| what | mentions | % |", "|---|---|---|", *lines])


def _types(annotations: Iterable[Annotation]) -> list[Ceiling]:
    total = alike = plans = alone = together = 0
    for annotation in annotations:
        entities: dict[str, list[Mention]] = defaultdict(list)
        slots: dict[str, set[str]] = defaultdict(set)
        for mention in annotation.mentions:
            entities[mention.entity or ontology.USER].append(mention)
        for value in annotation.values:
            slots[value.entity or ontology.USER].add(value.slot)
        for name, mentions in entities.items():
            kinds = Counter(one.label for one in mentions)
            kind, count = kinds.most_common(1)[0]
            total += len(mentions)
            alike += count
            if kind in PLANS:
                plans += count
                is_main = bool(slots[name] & MAIN_SLOTS) or any("主" in one.text for one in mentions)
                together += count * (is_main == (kind == PLANS[1]))
                alone += sum(("主" in one.text) == (kind == PLANS[1]) for one in mentions if one.label == kind)
    return [
        Ceiling("type is that of most mentions of the entity", alike, total),
        Ceiling("套餐 or 主套餐, by 主 in the mention alone", alone, plans),
        Ceiling("套餐 or 主套餐, by 主 in any mention of the entity and by its slots in the call", together, plans),
    ]


def _ends(calls: Iterable[tuple[Example, Annotation]]) -> list[Ceiling]:
    total = breaks = 0
    pointers, fees = Counter[str](), Counter[str]()
    for example, annotation in calls:
        values = {(one.span.turn, one.span.start): one for one in annotation.values if one.span is not None}
        ends = {
            (one.span.turn, one.span.end)
            for one in annotation.values
            if one.span is not None and one.slot == ontology.FEE
        }
        for one in annotation.mentions:
            if one.span is None:
                continue
            total += 1
            text = example.sample.history[one.span.turn].text
            before, after = text[: one.span.start], text[one.span.end :]
            breaks += one.text[0] in _BREAKS or one.text[-1] in _BREAKS
            if one.text.endswith(_POINTERS) and len(one.text) > len(_POINTERS[0]):
                pointers["behind, inside"] += 1
            if after.startswith(_POINTERS) and (one.text.endswith("的") or _AMOUNT_AT_END.search(one.text)):
                pointers["behind, outside"] += 1
            if one.text.startswith(_POINTERS) and one.text[2:] in _SHORT_NAMES:
                pointers["before, inside"] += 1
            if before.endswith(_POINTERS) and one.text in _SHORT_NAMES:
                pointers["before, outside"] += 1
            if one.label.endswith("套餐"):
                follows = values.get((one.span.turn, one.span.end))
                fees["outside"] += follows is not None and follows.slot == ontology.FEE
                fees["inside"] += (one.span.turn, one.span.end) in ends and not _AMOUNT_AT_END.match(one.text)
    lost = (
        min(pointers["behind, inside"], pointers["behind, outside"]),
        min(pointers["before, inside"], pointers["before, outside"]),
        min(fees["inside"], fees["outside"]),
    )
    return [
        Ceiling("no break at an end", total - breaks, total),
        Ceiling("这个 or 那个 beside the name belongs to it or not as elsewhere", total - lost[0] - lost[1], total),
        Ceiling("a fee behind a plan belongs to its name or not as elsewhere", total - lost[2], total),
        Ceiling("all of these ends", total - breaks - sum(lost), total),
    ]


def main() -> None:
    """Print the section of a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="annotated calls")
    sys.stdout.write(section(ceilings(ExtractionTask().load(parser.parse_args().file))) + "\n")


if __name__ == "__main__":
    main()
