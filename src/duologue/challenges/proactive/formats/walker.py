"""Session or sample files as plain text, and statistics of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.formats.rules import form_of
from duologue.core.annotation import Bilingual
from duologue.core.dialogue_view import DialogueView, TableView, UtteranceView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    Row = dict[str, Any]

_SPEAKERS = ("agent", "user")
_FORMS = {"session": "对话", "sample": "样本"}
_TRIPLE = ("entity", "attribute", "value")


def dump(path: Path, write: Callable[[str], object]) -> None:
    """Write id, goal, knowledge and turns of each row; the reply of a sample is marked. Raises `FormatError`."""
    for number, row in enumerate(files.read_rows(path)):
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
    for number, row in enumerate(files.read_rows(path)):
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
    rows = files.read_rows(path)
    turns = [_turns(row) for row in rows]
    lengths = [len(one) for one in turns]
    agent = [text for one in turns for text in one[::2]]
    user = [text for one in turns for text in one[1::2]]
    triples = [len(row["knowledge"]) for row in rows]
    return {
        "rows": len(rows),
        "form": [form_of(rows[0]) or ""],
        "empty": sum(not length for length in lengths),
        "utterances": sum(lengths),
        "utterances_per_row": sum(lengths) / len(rows),
        "longest": max(lengths),
        "agent_utterances": len(agent),
        "user_utterances": len(user),
        "words_per_agent_utterance": _mean(agent),
        "words_per_user_utterance": _mean(user),
        "replies": sum("response" in row for row in rows),
        "triples": sum(triples),
        "triples_per_row": sum(triples) / len(rows),
        "topics": len({topic for row in rows for topic in row["goal"][0][1:]}),
    }


def _turns(row: Row) -> list[str]:
    turns: list[str] = row["conversation"] if "conversation" in row else row["history"]
    return turns


def _mean(texts: Sequence[str]) -> float:
    return sum(len(text.split()) for text in texts) / len(texts) if texts else 0.0
