"""The same small codecs on the real files, where they are at hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from duologue.core.disk import read_bytes
from tests.core.codecs import conversation, mobilecs, proactive, spoken

if TYPE_CHECKING:
    from pathlib import Path


def ordered(data: bytes) -> str:
    """Return JSON with the key order of the file and without its layout."""
    return json.dumps(json.loads(data))


@pytest.mark.real_data(twin="test_mobilecs_dialogues_come_back_as_the_same_bytes")
def test_real_mobilecs_dialogues_survive_the_records(real_data: Path) -> None:
    data = read_bytes(real_data / "mobilecs" / "examples" / "example_final.json")
    dialogues = mobilecs.read_dialogues(data)
    assert len(dialogues) == 10
    assert sum(len(dialogue.turns) for dialogue in dialogues) == 2 * 98
    assert ordered(mobilecs.write_dialogues(dialogues)) == ordered(data)


@pytest.mark.real_data(twin="test_duconv_sessions_come_back_as_the_same_bytes")
def test_real_duconv_sessions_survive_the_records(real_data: Path) -> None:
    data = read_bytes(real_data / "proactive" / "duconv_dev_visible.jsonl.gz")
    rows = [json.loads(line) for line in data.decode().splitlines()]
    assert len(rows) == 1500
    keys = ("goal", "knowledge", "conversation")
    lines = [json.dumps({key: row[key] for key in keys}, ensure_ascii=False) + "\n" for row in rows]
    official = "".join(lines).encode()
    assert proactive.write_sessions(proactive.read_sessions(official)) == official


@pytest.mark.slow
@pytest.mark.real_data(twin="test_spoken_dialogues_come_back_as_the_same_bytes_whatever_their_key_order")
@pytest.mark.parametrize(
    ("name", "count"), [("challenge_valid_visible", 518), ("kdconv_film_dev", 150), ("kdconv_travel_dev", 150)]
)
def test_real_spoken_dialogues_survive_the_records(name: str, count: int, real_data: Path) -> None:
    data = read_bytes(real_data / "spoken" / f"{name}.json.gz")
    dialogues = spoken.read_dialogues(data)
    assert len(dialogues) == count
    assert ordered(spoken.write_dialogues(dialogues)) == ordered(data)


@pytest.mark.real_data(twin="test_the_spoken_knowledge_graph_is_facts_with_several_values_of_one_attribute")
def test_the_real_travel_knowledge_survives_the_records(real_data: Path) -> None:
    data = read_bytes(real_data / "spoken" / "kb_travel.json.gz")
    facts = spoken.read_graph(data)
    assert len(facts) == 12_509
    assert ordered(spoken.write_graph(facts)) == ordered(data)


@pytest.mark.real_data(twin="test_conversation_output_tells_an_empty_hypothesis_from_none")
def test_a_real_system_output_survives_the_records(real_data: Path) -> None:
    data = read_bytes(real_data / "conversation" / "golden" / "scoring" / "system_output_example.txt")
    pairs = conversation.read_output(data)
    assert len(pairs) == 500
    assert conversation.write_output(pairs) == data
