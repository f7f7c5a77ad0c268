from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from tests.exports.conftest import read_elsewhere

from duologue.core.optional_protocols import Inspectable
from duologue.core.plugins import load_task
from duologue.exports.data_card import to_data_card

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.exports.hub import ExportDetails


def test_the_card_says_how_the_data_was_made_and_what_is_in_it(booking: Path, details: ExportDetails) -> None:
    text = to_data_card("restaurant", booking, details)
    assert str(booking) not in text
    _, head, body = text.split("---\n", 2)
    told = yaml.safe_load(head)
    assert (told["language"], told["license"], told["size_categories"]) == (["en"], "apache-2.0", ["n<1K"])
    assert "Seed: 3." in body
    assert "subtask = 1" in body
    (data,) = booking.glob("tst1/*tst4.json")
    task = load_task("restaurant")
    assert isinstance(task, Inspectable)
    assert f"| nb\\_utterance\\_total | {task.statistics(data)['nb_utterance_total']} |" in body


def test_a_recipe_that_is_lost_or_names_folders_does_no_harm(booking: Path, details: ExportDetails) -> None:
    recipe = booking / "generate.toml"
    was = recipe.read_text(encoding="utf-8")
    try:
        recipe.write_text('kb1 = "/nobody/has/kb.txt"', encoding="utf-8")
        assert 'kb1 = "kb.txt"' in to_data_card("restaurant", booking, details)
        for damaged in ("=", "n = " + "9" * 5000):
            recipe.write_text(damaged, encoding="utf-8")
            assert "The recipe cannot be read." in to_data_card("restaurant", booking, details)
        recipe.unlink()
        told = to_data_card("restaurant", booking, details)
        assert "The recipe is not there." in told
        assert "Seed: not known." in told
    finally:
        recipe.write_text(was, encoding="utf-8")


READ = """
from huggingface_hub import DatasetCard
card = DatasetCard.load(sys.argv[1])
assert card.text.lstrip().startswith("# bot")
print(json.dumps([card.data.license, card.data.language, card.data.size_categories, card.data.pretty_name]))
"""


@pytest.mark.slow
def test_the_hub_reads_it(booking: Path, details: ExportDetails) -> None:
    path = booking / "README.md"
    path.write_text(to_data_card("restaurant", booking, details), encoding="utf-8")
    assert read_elsewhere("huggingface_hub", READ, path) == ["apache-2.0", ["en"], ["n<1K"], "bot"]
