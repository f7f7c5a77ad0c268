"""`duologue export` from end to end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from tests.exports.conftest import demand_schema
from tests.judges.judged_pairs import note_of_pairs

from duologue.exports.formats import FORMATS
from duologue.run.saved import read_report

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def saved(duologue: Any, corpus: Any, solved: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the saved report of the rule bot."""
    out: Path = tmp_path_factory.mktemp("saved") / "solver.report.json"
    done = duologue("score", "restaurant", solved, "--gold", corpus.truth, "--input", corpus.data, "--out", out)
    assert done.code == 0, done.err
    return out


def test_a_saved_report_leaves_in_each_form_and_no_folder_leaves_with_it(
    duologue: Any, corpus: Any, saved: Path, tmp_path: Path
) -> None:
    value = read_report(saved).scores[0]
    written = {}
    for form in ("inspect", "every-eval-ever", "hugging-face", "eval-results", "model-card"):
        out = tmp_path / form
        done = duologue("export", saved, "--to", form, "--name", "lab/bot", "--out", out)
        assert (done.code, done.out) == (0, f"{form} in {out}\n"), done.err
        written[form] = out.read_text(encoding="utf-8")
        assert str(corpus.folder) not in written[form]
        assert str(saved.parent) not in written[form]
    log, aggregate = json.loads(written["inspect"]), json.loads(written["every-eval-ever"])
    demand_schema("inspect-log", log)
    demand_schema("every-eval-ever", aggregate)
    assert log["results"]["scores"][0]["metrics"]["low"]["value"] == value.low
    assert (
        aggregate["evaluation_results"][0]["score_details"]["uncertainty"]["confidence_interval"]["lower"] == value.low
    )
    index = yaml.safe_load(written["hugging-face"])["model-index"]
    assert index[0]["results"][0]["metrics"][0]["args"]["low"] == value.low
    (entry, *_) = yaml.safe_load(written["eval-results"])
    assert (entry["dataset"]["id"], entry["value"]) == ("lab/bot", value.value)
    assert "# bot" in written["model-card"]


def test_a_log_in_a_folder_of_logs_is_named_for_the_viewer(duologue: Any, saved: Path, tmp_path: Path) -> None:
    words = ("export", saved, "--to", "inspect", "--date", "2026-01-31", "--out", tmp_path)
    done = duologue(*words)
    (made,) = tmp_path.iterdir()
    assert (done.code, done.out) == (0, f"inspect in {made}\n"), done.err
    assert made.name.startswith("2026-01-31T00-00-00+00-00_duologue-restaurant_")
    again = duologue(*words)
    assert (again.code, "is there already" in again.err) == (2, True)
    assert duologue(*words, "--force").code == 0
    assert duologue("export", saved, "--to", "model-card", "--out", tmp_path).code == 2


def test_data_of_a_simulator_leaves_as_croissant_and_card(duologue: Any, corpus: Any, tmp_path: Path) -> None:
    for form, said in (("croissant", '"conformsTo"'), ("data-card", "# restaurant, simulated")):
        out = tmp_path / form
        assert duologue("export", "restaurant", corpus.folder, "--to", form, "--out", out).code == 0
        assert said in out.read_text(encoding="utf-8")
        assert str(corpus.folder) not in out.read_text(encoding="utf-8")
    alone = duologue("export", corpus.folder, "--to", "croissant", "--out", tmp_path / "x")
    assert (alone.code, "give TASK and the FOLDER" in alone.err) == (2, True)
    other = duologue("export", "restaurant", corpus.folder, "--to", "inspect", "--out", tmp_path / "x")
    assert (other.code, "is of results" in other.err) == (2, True)


def test_a_file_that_is_there_is_not_written_over_unasked(duologue: Any, saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "README.md"
    out.write_text("mine", encoding="utf-8")
    words = ("export", saved, "--to", "model-card", "--out", out)
    refused = duologue(*words)
    assert (refused.code, out.read_text(encoding="utf-8")) == (2, "mine")
    assert "--force" in refused.err
    assert duologue(*words, "--force", SOURCE_DATE_EPOCH="86400").code == 0
    assert "Made on 1970-01-02" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--to", "x"), "'x' is not one of"),
        (("--to", "inspect", "--date", "31.1.2026"), "expected YYYY-MM-DD"),
        (("--to", "inspect", "--name", "../x"), "expected LAB/NAME"),
        (("--to", "inspect", "--model", "x"), "--model adds the training to a model card"),
        (("--to", "model-card", "--model", "nowhere"), "there is no such folder"),
    ],
)
def test_a_wrong_call_says_what_is_expected(
    duologue: Any, saved: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = duologue("export", saved, *words, "--out", tmp_path / "out")
    assert done.code == 2
    assert said in done.err


def test_judged_pairs_whose_files_lie_elsewhere_are_found_where_it_is_said(duologue: Any, tmp_path: Path) -> None:
    """The message told of `--in`, and there was none."""
    note, elsewhere, out = note_of_pairs(tmp_path), tmp_path.parent / f"{tmp_path.name}-data", tmp_path / "dpo.jsonl"
    elsewhere.mkdir()
    (tmp_path / "gold.txt").rename(elsewhere / "gold.txt")
    words = ("export", note, "--to", "dpo", "--out", out)
    refused = duologue(*words)
    assert (refused.code, "say where it is with --in FOLDER" in refused.err) == (2, True)
    done = duologue(*words, "--in", elsewhere)
    assert (done.code, "8 pairs" in done.out) == (0, True), done.err
    assert len(out.read_text(encoding="utf-8").splitlines()) == 8


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--to", "dpo", "--by", "lab", "--date", "2026-01-31"), "dpo has no place for that; leave --by, --date out"),
        (("--to", "dpo", "--gold", "x"), "dpo needs no truth"),
        (("--to", "inspect", "--in", "."), "or export --to dpo"),
    ],
)
def test_what_a_form_has_no_use_for_is_refused(
    duologue: Any, saved: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = duologue("export", saved, *words, "--out", tmp_path / "x")
    assert (done.code, said in done.err) == (2, True), done.err


@pytest.mark.parametrize("form", FORMATS, ids=lambda one: one.name)
def test_a_form_has_a_place_for_what_it_takes_and_refuses_the_rest(
    duologue: Any, corpus: Any, saved: Path, tmp_path: Path, form: Any
) -> None:
    of = {"results": (saved,), "corpus": ("restaurant", corpus.folder)}.get(form.of, ())
    given = {"name": "lab/thing", "by": "a lab", "licence": "mine-1.0", "date": "2026-01-30"}
    plain, day = tmp_path / "plain", {"SOURCE_DATE_EPOCH": "86400"}
    if of:
        assert duologue("export", *of, "--to", form.name, "--out", plain, **day).code == 0
    for name, value in given.items():
        out = tmp_path / name
        words = ("--to", form.name, f"--{name}", value, "--out", out)
        if name not in form.takes:
            done = duologue("export", *(of or ("x", "y")), *words)
            assert (done.code, f"{form.name} has no place for that; leave --{name} out" in done.err) == (2, True)
        elif of:
            assert duologue("export", *of, *words, **day).code == 0
            assert out.read_bytes() != plain.read_bytes(), name
