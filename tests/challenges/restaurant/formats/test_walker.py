from __future__ import annotations

import json
from pathlib import Path

import pytest

from duologue.challenges.restaurant.formats import files
from duologue.challenges.restaurant.formats.file_names import parse_file_name
from duologue.challenges.restaurant.formats.walker import dump, statistics, statistics_text, stop_words

CASE = json.loads(
    (Path(__file__).resolve().parents[3] / "golden" / "restaurant" / "official" / "walker-plain.json").read_bytes()
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.json"
    path.write_text(json.dumps(CASE["files"]["data.json"]))
    return path


def test_the_dump_is_the_official_one(data: Path) -> None:
    said: list[str] = []
    dump(files.load(data), said.append)
    assert "".join(said) == CASE["output_files"]["out.plain"]


def test_the_statistics_are_the_official_ones_but_for_the_order_of_their_blocks(data: Path) -> None:
    ours, theirs = statistics_text(statistics(files.load(data))), CASE["output_files"]["out.stat"]
    assert sorted(ours.split("\n\n")) == sorted(theirs.split("\n\n"))
    assert ours.endswith("\n\n")


def test_there_are_318_stop_words() -> None:
    assert len(stop_words()) == 318
    assert {"the", "with", "yourselves", "a"} <= stop_words()


def test_no_dialogues_give_zeros() -> None:
    found = statistics([])
    assert found["nb_utterance_per_dialog"] == 0.0
    assert found["voc_total"] == []
    said: list[str] = []
    dump([], said.append)
    assert said == []


def test_words_have_two_letters_and_names_are_one_word() -> None:
    row = {
        "dialog_id": "d",
        "utterances": ["A the_old_inn, isn't it?", "café"],
        "candidates": [{"candidate_id": "c", "utterance": "elsewhere"}],
    }
    found = statistics([files.example_of(row)])
    assert found["voc_total"] == ["café", "isn", "it", "the_old_inn"]
    assert found["voc_non_stop"] == ["café", "isn", "the_old_inn"]
    assert "u'caf\\xe9'" in statistics_text(found)


@pytest.mark.real_data(twin="test_the_statistics_are_the_official_ones_but_for_the_order_of_their_blocks")
def test_real_training_parts_have_the_vocabulary_of_the_training_statistics(real_restaurant: Path) -> None:
    sizes = {}
    for path in sorted((real_restaurant / "train_part").glob("*.gz")):
        found = statistics(files.load(path))
        name = parse_file_name(path)
        assert name is not None
        sizes[name.subtask] = (found["voc_total_len"], found["voc_non_stop_len"], found["nb_utterance_per_dialog"])
    assert sizes == {1: (173, 98, 9.774), 2: (151, 88, 11.362)}
