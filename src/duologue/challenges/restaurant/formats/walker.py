"""The dataset walker: a data file as plain text, and its statistics (specification, section 10).

Equal in content to what the official `dataset_walker.py` writes. Its statistics come in the arbitrary key order
of a Python 2 dictionary; here the order is fixed.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from duologue.challenges.restaurant.formats.python2 import print_float
from duologue.core import disk
from duologue.core.dialogue_view import DialogueView, TableView, UtteranceView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from duologue.core.records import Example

STOP_WORDS_FILE = Path(__file__).with_name("stopwords.txt")

_WORD = re.compile(r"\b\w\w+\b")
"""Two or more word characters: names with underscores are one word, single letters none."""


def dump(examples: Sequence[Example], write: Callable[[str], object]) -> None:
    """Write each dialogue line by line: utterances, candidates, answer (`None` where not known), a blank line."""
    for example in examples:
        sample = example.sample
        texts = {candidate.id: candidate.text for candidate in sample.candidates}
        lines = [f"dialog_id: {sample.id}", "Utterances:"]
        lines += [f" * {turn.text}" for turn in sample.history]
        lines.append("Candidates:")
        lines += [f" * {candidate.id} - {candidate.text}" for candidate in sample.candidates]
        lines.append("Answer:")
        ranking = example.references[0].ranking if example.references else None
        if ranking:
            text = example.references[0].text
            lines.append(f" * {ranking[0]} - {texts.get(ranking[0], '') if text is None else text}")
        else:
            lines.append("None")
        for line in (*lines, ""):
            write(f"{line}\n")


def views(examples: Iterable[Example]) -> Iterator[DialogueView]:
    """Yield each dialogue with its candidates, the right one marked, as a page shows it."""
    for example in examples:
        sample = example.sample
        answer = example.references[0] if example.references else None
        right = answer.ranking[0] if answer is not None and answer.ranking else None
        rows = [("✓" * (one.id == right), one.text, one.id) for one in sample.candidates]
        if answer is not None and right is not None and right not in {one.id for one in sample.candidates}:
            rows.append(("✓", answer.text or "", right))
        yield DialogueView(
            sample.id,
            [UtteranceView(turn.speaker, turn.text) for turn in sample.history],
            after=[TableView("candidates", ("answer", "text", "id"), rows)],
        )


def statistics(examples: Sequence[Example]) -> dict[str, int | float | list[str]]:
    """Return the official statistics, over the context utterances only.

    Words are lower-cased and have two or more word characters; vocabularies are sorted. No dialogues give zeros,
    where the official program fails.
    """
    total = 0
    distinct: set[str] = set()
    for example in examples:
        total += len(example.sample.history)
        distinct.update(turn.text for turn in example.sample.history)
    words = {word for text in distinct for word in _WORD.findall(text.lower())}
    content = words - stop_words()
    return {
        "nb_dialog": len(examples),
        "nb_utterance_total": total,
        "nb_utterance_unic": len(distinct),
        "nb_utterance_per_dialog": total / len(examples) if examples else 0.0,
        "voc_total_len": len(words),
        "voc_total": sorted(words),
        "voc_non_stop_len": len(content),
        "voc_non_stop": sorted(content),
    }


def statistics_text(found: Mapping[str, int | float | list[str]]) -> str:
    """Return statistics as the official file spells them: Python 2 numbers and lists of unicode strings."""
    return "".join(f"{key}:\n{_spelled(value)}\n\n" for key, value in found.items())


def _spelled(value: float | list[str]) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(f"u{word!a}" for word in value) + "]"
    return print_float(value) if isinstance(value, float) else str(value)


@cache
def stop_words() -> frozenset[str]:
    """Return the English stop words of the official walker; lines of the file that start with `#` are remarks."""
    text, _ = disk.decode_text(disk.read_bytes(STOP_WORDS_FILE), STOP_WORDS_FILE)
    return frozenset(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))
