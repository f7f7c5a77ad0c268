"""What the page of the restaurant's systems says of simulated test sets and of the closed ranker's mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.restaurant.schema.templates import BOT_LOOK, RESTRICTIONS

if TYPE_CHECKING:
    from types import ModuleType

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import restaurant_simulated

    return restaurant_simulated


def test_each_set_is_told_with_what_training_lacks(page: ModuleType) -> None:
    rows = [line for line in page.slots().splitlines() if line.startswith("| t")]
    assert [row.split(" | ")[0] for row in rows] == ["| train", "| tst1", "| tst2", "| tst3", "| tst4"]
    assert rows[1].endswith("price (3), atmosphere (3) | - |")
    assert rows[2].endswith("| values of cuisine, values of location |")
    assert rows[4].endswith("restrictions (3) | values of cuisine, values of location, slot restrictions |")


def judged(page: ModuleType) -> list[Any]:
    """Two files of six dialogues in each variant; `ranker-closed` misses each question for the unseen slot."""
    made = []
    for variant in page.VARIANTS:
        for part in page.TESTS:
            for system in page.SYSTEMS:
                for subtask in range(1, 6):
                    for number in range(6):
                        asks = number < 2 and subtask == 1 and part in {"tst3", "tst4"}
                        wrong = asks and system == "ranker-closed"
                        wanted = RESTRICTIONS.question if asks else BOT_LOOK
                        said, kind = (BOT_LOOK, "dialogue act: look for ask-restrictions") if wrong else (wanted, "")
                        name = f"{part} {subtask} {number}"
                        rank = 2 if wrong else 1
                        made.append(page.Judged(variant, part, subtask, system, name, wanted, said, rank, kind))
    return made


def test_a_question_nobody_heard_is_the_ceiling_of_the_closed_ranker(page: ModuleType) -> None:
    made = judged(page)
    look = {(one.variant, one.name) for one in made if one.system == "ranker-closed" and one.rank > 1}
    text = page.mistakes_of_closed(made, {"do", "you", "have", "any"}, look)
    assert "180 dialogues, `ranker-closed` ranks a wrong candidate first 12 times;\n100.0 % of these" in text
    assert "| A | tst3 | 1 | 6 | 2 | 2 | 0 | 100.0" in text
    assert "| the question nobody heard | dialogue act: look for ask-restrictions | 12 |" in text
    assert "training has\n`do`, `you`, `have`, `any` and not `dietary`, `restrictions`." in text
    assert "0 of 12 are right; where it is not, 0 of 0 are" in text
    assert "`ranker-open` is 6.7 points better" in text


def test_every_variant_has_a_table_of_all_sets_and_systems(page: ModuleType) -> None:
    text = page.simulated(judged(page), 6, ["`ranker-open` 0123456789ab"])
    assert text.count("| tst4 | ranker-closed | 66.7 (") == len(page.VARIANTS)
    assert "Models:\n`ranker-open` 0123456789ab.\n" in text
    assert text.count("| solver |") == 4 * len(page.VARIANTS)
