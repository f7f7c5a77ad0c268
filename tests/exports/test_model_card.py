from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
import yaml
from tests.exports.conftest import read_elsewhere

from duologue.core.errors import UsageError
from duologue.core.plugins import SystemCard
from duologue.exports.hugging_face import metadata
from duologue.exports.model_card import to_model_card

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Report
    from duologue.exports.hub import ExportDetails


def card_of(system: str) -> SystemCard:
    return SystemCard(
        system=system,
        distribution="duologue",
        version="1.2",
        task="restaurant",
        seed=7,
        data="given files",
        data_hash="dd",
        recipe_hash="ee",
        recipe={"width": 8, "vectors": "/nobody/has/vectors.txt", "parts": [{"note": "/a/b/c"}]},
    )


def test_the_card_has_the_figures_in_its_head_and_in_words(
    report: Report, details: ExportDetails, tmp_path: Path
) -> None:
    text = to_model_card([report], details)
    assert str(tmp_path) not in text
    _, head, body = text.split("---\n", 2)
    assert yaml.safe_load(head) == metadata([report], details)
    assert "# bot\n" in body
    assert "| p@1 | 93.00 % | 86.50 to 96.69 | 100 |" in body
    assert "| p@1 by answer-type | value | 95 % interval | n |" in body
    assert "| api\\_call | 86.00 % |" in body
    assert "In training: no \\<dialogue\\> at all." in body
    assert "External data: a list \\| of names." in body
    assert "10.00 % of 10 samples" in body
    assert "* warning: these are the bytes of truth.json \\[copy\\]" in body
    assert str(report.signature) in body
    assert "\x1b" not in text


def test_the_folder_of_the_model_adds_its_training(report: Report, details: ExportDetails) -> None:
    named = msgspec.structs.replace(report, system="solver")
    text = to_model_card([named], details._replace(card=card_of("solver")))
    assert "| seed | 7 |" in text
    assert "| external data | not declared |" in text
    assert 'vectors = "vectors.txt"' in text
    assert "/nobody" not in text
    assert "/a/b" not in text
    with pytest.raises(UsageError, match="the model is a 'solver'"):
        to_model_card([report], details._replace(card=card_of("solver")))


READ = """
from huggingface_hub import ModelCard
card = ModelCard.load(sys.argv[1])
again = ModelCard(str(card))
assert again.data.to_dict() == card.data.to_dict()
assert card.text.lstrip().startswith("# bot")
told = [[one.metric_type, one.metric_value, one.metric_args["low"]] for one in card.data.eval_results]
print(json.dumps([card.data.license, card.data.language, told]))
"""


@pytest.mark.slow
def test_the_hub_reads_it(report: Report, details: ExportDetails, tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(to_model_card([report], details), encoding="utf-8")
    found = [[one.name, one.value, one.low] for one in report.scores]
    assert read_elsewhere("huggingface_hub", READ, path) == ["apache-2.0", ["en"], found]
