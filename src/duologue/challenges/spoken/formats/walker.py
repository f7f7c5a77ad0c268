"""Walker: official files as plain text for reading, and their statistics."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.schema.triples import ATTRIBUTE, NAME, VALUE, fact_of, plain
from duologue.core.annotation import Bilingual
from duologue.core.dialogue_view import DialogueView, TableView, UtteranceView, in_english

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from duologue.core.dialogue_view import Said
    from duologue.core.protocols import World

    Messages = Sequence[dict[str, Any]]
    Statistics = dict[str, int | float | list[str]]

_SPEAKERS = ("user", "system")
_COMMONEST = 10
"""Most frequent attributes that statistics list."""


def dump(path: Path, write: Callable[[str], object], world: World | None = None) -> None:
    """Write each dialogue, sample, reply or entity with its triples; those that `world` lacks are marked.

    Raises `FormatError` with all problems of the file.
    """
    kind, value = files.read_any(path)
    if kind == "graph":
        for entity, rows in value.items():
            lines = [f"    {attribute}: {plain(said)}" for _, attribute, said in rows]
            for line in (entity, *lines, ""):
                write(f"{line}\n")
        return
    for title, messages, first in _talks(kind, value):
        lines = [title.en]
        for at, message in enumerate(messages, first):
            lines.append(f"{_SPEAKERS[at % 2]}: {message['message']}")
            lines += [f"    {in_english(_triple(attr, world))}" for attr in message.get("attrs", ())]
        for line in (*lines, ""):
            write(f"{line}\n")


def views(path: Path, world: World | None = None) -> Iterator[DialogueView]:
    """Yield each dialogue, sample, reply or entity with its triples as a page shows it. Raises as `dump` does."""
    kind, value = files.read_any(path)
    if kind == "graph":
        for entity, rows in value.items():
            known = [(attribute, plain(said)) for _, attribute, said in rows]
            yield DialogueView(entity, (), [TableView("knowledge", ("attribute", "value"), known)])
        return
    for title, messages, first in _talks(kind, value):
        said = [
            UtteranceView(
                _SPEAKERS[at % 2], message["message"], (), [_triple(attr, world) for attr in message.get("attrs", ())]
            )
            for at, message in enumerate(messages, first)
        ]
        yield DialogueView(title, said)


def statistics(path: Path, world: World | None = None) -> Statistics:
    """Return statistics of a file; with `world` also how many of its triples the graph has.

    Triples are counted as they stand, or as different ones by name, attribute and value as text. Raises `FormatError`.
    """
    kind, value = files.read_any(path)
    if kind == "graph":
        return _graph_statistics(value)
    talks = [messages for _, messages, _ in _talks(kind, value)]
    turns = list(chain.from_iterable(talks))
    attrs = [attr for message in turns for attr in message.get("attrs", ())]
    with_names = sum(bool(message.get("attrs")) for message in turns)
    different = {(plain(attr[NAME]), plain(attr[ATTRIBUTE]), plain(attr[VALUE])): attr for attr in attrs}
    found: Statistics = {
        "form": [kind],
        "rows": len(talks),
        "turns": len(turns),
        "turns_per_row": _share(len(turns), len(talks)),
        "turns_with_triples": with_names,
        "share_with_triples": _share(with_names, len(turns)),
        "triples": len(attrs),
        "triples_per_such_turn": _share(len(attrs), with_names),
        "different_triples": len(different),
        "entities": len({plain(attr[NAME]) for attr in attrs}),
        "attributes": len({plain(attr[ATTRIBUTE]) for attr in attrs}),
        "characters_per_turn": _share(sum(len(message["message"]) for message in turns), len(turns)),
        "commonest_attributes": _commonest(plain(attr[ATTRIBUTE]) for attr in attrs),
    }
    if world is not None:
        known = sum(_knows(world, attr) for attr in different.values())
        found["different_triples_in_graph"] = known
        found["share_in_graph"] = _share(known, len(different))
    return found


def _talks(kind: str, value: Any) -> Iterator[tuple[Bilingual, Messages, int]]:
    """Yield a title, the messages, and the place of the first among the speakers."""
    if kind == "dialogues":
        for number, row in enumerate(value):
            name = f"{number}" + (f" ({plain(row['name'])})" if "name" in row else "")
            yield Bilingual(en=f"dialogue: {name}", zh=f"对话：{name}"), row["messages"], 0
    elif kind == "samples":
        for name, messages in value.items():
            yield Bilingual(en=f"sample: {name}", zh=f"样本：{name}"), messages, 0
    else:
        for name, row in value.items():
            yield Bilingual(en=f"reply: {name}", zh=f"回复：{name}"), [row], 1


def _graph_statistics(graph: dict[str, list[list[Any]]]) -> Statistics:
    rows = [row for rows in graph.values() for row in rows]
    lengths = [len(plain(value)) for _, _, value in rows]
    return {
        "form": ["graph"],
        "entities": len(graph),
        "triples": len(rows),
        "triples_per_entity": _share(len(rows), len(graph)),
        "attributes": len({attribute for _, attribute, _ in rows}),
        "values_that_are_entities": sum(isinstance(value, str) and value in graph for _, _, value in rows),
        "characters_per_value": _share(sum(lengths), len(rows)),
        "commonest_attributes": _commonest(plain(attribute) for _, attribute, _ in rows),
    }


def _triple(attr: dict[str, Any], world: World | None) -> Said:
    said = " | ".join((plain(attr[NAME]), plain(attr[ATTRIBUTE]), plain(attr[VALUE])))
    if world is None or _knows(world, attr):
        return said
    return Bilingual(en=f"{said} (not in the graph)", zh=f"{said}（图谱中没有）")


def _knows(world: World, attr: dict[str, Any]) -> bool:
    """Return whether a graph has a triple, compared as text."""
    fact = fact_of(attr)
    about = world.about(fact.subject)
    return any(one.relation == fact.relation and plain(one.object) == plain(fact.object) for one in about)


def _commonest(names: Iterator[str]) -> list[str]:
    ranked = sorted(Counter(names).items(), key=lambda entry: (-entry[1], entry[0]))
    return [f"{name} ({count})" for name, count in ranked[:_COMMONEST]]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
