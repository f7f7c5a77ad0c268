"""Session or sample files as plain text, and statistics of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.formats.rules import form_of
from duologue.core.annotation import Bilingual
from duologue.core.dialogue_view import DialogueView, TableView, UtteranceView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Row = dict[str, Any]

_SPEAKERS = ("agent", "user")
_FORMS = {"session": "对话", "sample": "样本"}
_TRIPLE = ("entity", "attribute", "value")


def dump(path: Path, write: Callable[[str], object]) -> None:
    """Write id, goal, knowledge and turns of each row; the reply of a sample is marked. Raises `FormatError`."""
    for number, row in enumerate(files.stream_rows(path)):
        lines = [f"{form_of(row)}: {row.get('id', number)}"]
        lines += ["goal: " + " -> ".join(row["goal"][0])]
        lines += [f"goal: {' | '.join(triple)}" for triple in row["goal"][1:]]
        lines += [f"knowledge: {' | '.join(triple)}" for triple in row["knowledge"]]
        turns = _turns(row)
        lines += [f"{_SPEAKERS[at % 2]}: {text}" for at, text in enumerate(turns)]
        if "response" in row:
            lines.append(f"reply: {row['response']}")
        if not turns:
            lines.append("(nothing said yet)")
        for line in (*lines, ""):
            write(f"{line}\n")


def views(path: Path) -> Iterator[DialogueView]:
    """Yield each row with goal and knowledge as a page shows it; the reply of a sample comes last. Raises as `dump`."""
    for number, row in enumerate(files.stream_rows(path)):
        said = [UtteranceView(_SPEAKERS[at % 2], text) for at, text in enumerate(_turns(row))]
        if "response" in row:
            said.append(UtteranceView("reply", row["response"]))
        form, name = form_of(row) or "", row.get("id", number)
        yield DialogueView(
            Bilingual(en=f"{form} {name}", zh=f"{_FORMS.get(form, form)} {name}"),
            said,
            [
                TableView("goal", _TRIPLE, [(" → ".join(row["goal"][0]), "", ""), *row["goal"][1:]]),
                TableView("knowledge", _TRIPLE, row["knowledge"]),
            ],
        )


def statistics(path: Path) -> dict[str, int | float | list[str]]:
    """Return counts and means of a file: rows, utterances, words, triples. Raises `FormatError`."""
    form = ""
    counts = dict.fromkeys(
        ("rows", "empty", "longest", "agent", "user", "agent words", "user words", "replies", "triples"), 0
    )
    topics: set[str] = set()
    for row in files.stream_rows(path):
        form = form or form_of(row) or ""
        turns = _turns(row)
        counts["rows"] += 1
        counts["empty"] += not turns
        counts["longest"] = max(counts["longest"], len(turns))
        for speaker, said in (("agent", turns[::2]), ("user", turns[1::2])):
            counts[speaker] += len(said)
            counts[f"{speaker} words"] += sum(len(text.split()) for text in said)
        counts["replies"] += "response" in row
        counts["triples"] += len(row["knowledge"])
        topics.update(row["goal"][0][1:])
    utterances = counts["agent"] + counts["user"]
    return {
        "rows": counts["rows"],
        "form": [form],
        "empty": counts["empty"],
        "utterances": utterances,
        "utterances_per_row": utterances / counts["rows"],
        "longest": counts["longest"],
        "agent_utterances": counts["agent"],
        "user_utterances": counts["user"],
        "words_per_agent_utterance": _share(counts["agent words"], counts["agent"]),
        "words_per_user_utterance": _share(counts["user words"], counts["user"]),
        "replies": counts["replies"],
        "triples": counts["triples"],
        "triples_per_row": counts["triples"] / counts["rows"],
        "topics": len(topics),
    }


def _turns(row: Row) -> list[str]:
    turns: list[str] = row["conversation"] if "conversation" in row else row["history"]
    return turns


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
