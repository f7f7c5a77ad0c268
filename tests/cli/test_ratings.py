"""`duologue ratings` from end to end, through the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

from duologue.cli.ratings import plan as plan_command

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People's ratings of 20 items, a judge's of 100, pairwise judgements, and automatic scores."""
    made = tmp_path_factory.mktemp("ratings")
    rng = np.random.default_rng(1)

    def rows(items: int, raters: list[str]) -> str:
        lines = ["item,system,rater,success,coherency,fluency"]
        for item in range(items):
            for system, mean in (("weak", 2.0), ("good", 4.0)):
                for rater in raters:
                    points = np.clip(np.round(rng.normal(mean, 0.8, 3)), 1, 5).astype(int)
                    lines.append(f"{item},{system},{rater},{','.join(map(str, points))}")
        return "\n".join(lines) + "\n"

    (made / "people.csv").write_text(rows(20, ["ann", "ben", "cy", "di"]), encoding="utf-8")
    (made / "judge.csv").write_text(rows(100, ["llm"]), encoding="utf-8")
    (made / "scores.csv").write_text("system,score\nweak,4.9\ngood,1.0\n", encoding="utf-8")
    pairs = [f"{item},weak,good,r{item % 4},{('b', 'b', 'tie', 'good', 'weak')[item % 5]}" for item in range(30)]
    (made / "pairs.csv").write_text("\n".join(["item,system_a,system_b,rater,winner", *pairs]), encoding="utf-8")
    return made


def test_ratings_are_scored_with_a_judge_and_shown_as_a_page(duologue: Any, folder: Path) -> None:
    words = ("ratings", "score", folder / "people.csv", "--protocol", "mobilecs", "--judge", folder / "judge.csv")
    told = json.loads(duologue(*words, "--json").out)
    assert [(one["system"], one["rank"], one["standing"]["tier"]) for one in told["systems"]] == [
        ("good", 1, 1),
        ("weak", 2, 2),
    ]
    assert told["speaks_of_other_raters"] is True
    assert told["judge"]["criteria"][0]["labels"] == 160
    page = folder / "page.html"
    shown = duologue(*words, "--out", page)
    assert shown.code == 0
    assert "PPI++" in shown.out
    assert "自动评委与人" in page.read_text(encoding="utf-8")
    mixed = duologue(
        *("ratings", "score", folder / "people.csv", "--protocol", "mobilecs"),
        *("--automatic", folder / "scores.csv", "--json"),
    )
    assert [one["system"] for one in json.loads(mixed.out)["systems"]] == ["weak", "good"]


def test_pairwise_judgements_become_win_shares(duologue: Any, folder: Path) -> None:
    told = json.loads(duologue("ratings", "score", folder / "pairs.csv", "--protocol", "spoken", "--json").out)
    first = told["preferences"]["overall"]["systems"][0]
    assert first["system"] == "good"
    assert first["win_share"]["value"] == pytest.approx(0.7, abs=1e-3)


def test_problems_are_told_all_at_once(duologue: Any, folder: Path) -> None:
    wrong = folder / "wrong.csv"
    wrong.write_text("item,system,rater,success\n1,a,ann,9\n1,,ann,3\n", encoding="utf-8")
    found = duologue("ratings", "score", wrong, "--protocol", "mobilecs")
    assert found.code == 1
    assert "line 2: field success: found '9', expected a whole number from 1 to 5" in found.err
    assert "line 3: field system: found '', expected a name" in found.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("score", "people.csv", "--protocol", "mobile"), "no protocol 'mobile'"),
        (("score", "pairs.csv", "--protocol", "spoken", "--judge", "people.csv"), "found"),
        (("score", "pairs.csv", "--protocol", "mobilecs", "--judge", "judge.csv"), "pairwise judgements; --judge"),
        (("plan", "--raters", "5"), "give --items, or the --difference"),
        (("plan", "--raters", "5", "--pairs"), "give --items, or the --win-share"),
        (("plan", "--raters", "5", "--items", "9", "--ties", "0.2"), "go with --pairs"),
        (("plan", "--raters", "5", "--items", "9", "--pilot", "people.csv"), "--pilot and --protocol go together"),
        (("plan", "--raters", "5", "--items", "9", "--per-item", "6"), "6 raters per item are asked for"),
    ],
)
def test_calls_that_are_refused(duologue: Any, folder: Path, words: tuple[str, ...], said: str) -> None:
    found = duologue("ratings", *(folder / word if word.endswith(".csv") else word for word in words))
    assert found.code in {1, 2}
    assert said in found.err


def test_plans_tell_power_difference_or_items(duologue: Any, folder: Path) -> None:
    plan = ("ratings", "plan", "--raters", "8", "--per-item", "2")
    least = json.loads(duologue(*plan, "--items", "40", "--json").out)
    assert least["wanted_power"] == 0.8
    assert least["measured"] is False
    power = json.loads(duologue(*plan, "--items", "40", "--difference", least["difference"], "--json").out)
    assert power["power"] == pytest.approx(0.8, abs=0.01)
    needed = json.loads(duologue(*plan, "--difference", least["difference"], "--json").out)
    assert needed["items"] == pytest.approx(40, abs=6)
    piloted = duologue(*plan, "--items", 40, "--pilot", folder / "people.csv", "--protocol", "mobilecs")
    assert "measured in the pilot" in piloted.out
    never = duologue("ratings", "plan", "--raters", 3, "--difference", 0.1, "--rater-spread", 2)
    assert "No number of items" in never.out


def test_a_plan_needs_the_number_of_raters(duologue: Any) -> None:
    done = duologue("ratings", "plan", "--items", 12)
    assert done.code == 2
    assert "Missing option '--raters'" in done.err


def test_plans_of_pairs_tell_power_share_or_items() -> None:
    def plan(*words: object) -> dict[str, Any]:
        asked = ["--pairs", "--raters", "8", "--per-item", "1", "--json", *map(str, words)]
        done = CliRunner().invoke(plan_command, asked, catch_exceptions=False)
        found: dict[str, Any] = json.loads(done.output)
        return found

    least = plan("--items", 40)["win_share"]
    assert plan("--items", 40, "--win-share", least)["power"] == pytest.approx(0.8, abs=0.01)
    assert plan("--win-share", least)["items"] == pytest.approx(40, abs=6)
    assert plan("--items", 40, "--win-share", least, "--systems", 3)["votes"] == 120
    said = CliRunner().invoke(
        plan_command, ["--pairs", "--raters", "4", "--per-item", "1", "--win-share", "0.51", "--rater-spread", "3"]
    )
    assert "No number of items" in said.output
    wrong = CliRunner().invoke(plan_command, ["--pairs", "--raters", "2", "--difference", "1"])
    assert "leave --difference" in str(wrong.exception)


def test_protocols_are_listed(duologue: Any) -> None:
    assert "goal-completion, 0 to 2" in duologue("ratings", "protocols").out
    assert {one["name"] for one in json.loads(duologue("ratings", "protocols", "--json").out)} >= {
        "spoken",
        "restaurant",
    }
