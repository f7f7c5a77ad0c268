from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import pytest

import duologue
from duologue.cli.main import cli
from duologue.core.errors import FormatError, StorageError, UsageError
from duologue.core.notebook import text_table
from duologue.core.records import Answer, Dialogue, Turn
from duologue.core.text_columns import text_width

if TYPE_CHECKING:
    from collections.abc import Callable

    from duologue.core.records import Report

RESTAURANT = Path(__file__).parent / "golden" / "restaurant" / "small-data.json"
PAGE = Path(__file__).parents[1] / "docs" / "guide" / "notebook.md"
REFERENCES = ["wo xi huan ni", "ta shi yan yuan", "tian qi hen hao", "zai jian", "ni hao a", "hao de"]
REPLIES = ["wo xi huan", "ta shi", "hen hao", "zai jian", "ni hao", "bu hao"]


@pytest.fixture(name="report")
def _report() -> Report:
    return duologue.score("proactive", REPLIES, REFERENCES, system="short")


def test_every_name_of_the_api_is_there_and_nothing_else_is() -> None:
    assert all(callable(getattr(duologue, name)) for name in duologue.__all__ if name != "metrics")
    assert set(duologue.__all__) <= set(dir(duologue))
    with pytest.raises(AttributeError, match="no attribute 'lead'"):
        _ = duologue.lead
    assert dir(duologue.metrics) == ["bleu", "distinct", "f1"]
    with pytest.raises(AttributeError, match="no attribute 'rouge'"):
        _ = duologue.metrics.rouge


def test_one_seed_is_meant_where_none_is_given_by_functions_and_commands_alike() -> None:
    functions = (duologue.train, duologue.predict, duologue.load_system, duologue.compare, duologue.leaderboard)
    assert {inspect.signature(one).parameters["seed"].default for one in functions} == {1}
    commands = [cli.get_command(click.Context(cli), name) for name in ("train", "run", "compare", "board")]
    assert {one.default for each in commands if each for one in each.params if one.name == "seed"} == {1}


def test_one_line_measures_are_what_their_formulas_say() -> None:
    assert duologue.metrics.bleu(["a b c d"], ["a b c d"]) == pytest.approx(1)
    assert duologue.metrics.bleu(["a b"], [["x y", "a b"]], order=2) == pytest.approx(1)
    assert duologue.metrics.bleu([["a", "b"]], ["a c"], order=1) == pytest.approx(0.5)
    assert duologue.metrics.f1(["a b", "c"], ["a c", "c"]) == pytest.approx(2 / 3)
    assert duologue.metrics.distinct(["a b a b"], n=2) == pytest.approx(2 / 3)
    with pytest.raises(UsageError, match="1 hypotheses are given for 2 references"):
        duologue.metrics.f1(["a"], ["a", "b"])
    with pytest.raises(UsageError, match="no text has 3 tokens"):
        duologue.metrics.distinct(["a b"], n=3)
    with pytest.raises(UsageError, match="nothing to score"):
        duologue.metrics.bleu([], [])
    for measure in (duologue.metrics.bleu, duologue.metrics.f1):
        with pytest.raises(UsageError, match=r"'a b' is a text; give a list of texts, such as \['a b'\]"):
            measure("a b", ["a b c"])
    with pytest.raises(UsageError, match="is a text; give a list"):
        duologue.metrics.distinct("a b")
    with pytest.raises(UsageError, match=rf"'{'x' * 79} is a text; give a list of texts, such as \['{'x' * 79}\]"):
        duologue.metrics.distinct("x" * 100)
    with pytest.raises(UsageError, match="n is 0; n-grams have at least one token"):
        duologue.metrics.distinct(["a b"], n=0)


def test_one_line_measures_without_settings_are_bleu_4_of_captions_and_distinct_1() -> None:
    said, meant = ["a b c d e", "a b x d"], [["a b c d f"], "a b c d"]
    assert duologue.metrics.bleu(said, meant) == duologue.metrics.bleu(said, meant, order=4, profile="coco")
    assert len({duologue.metrics.bleu(said, meant, order=order) for order in (1, 2, 3, 4)}) == 4
    assert duologue.metrics.bleu(["a b"], ["a b"]) != duologue.metrics.bleu(["a b"], ["a b"], profile="plain")
    assert duologue.metrics.distinct(["a b", "a"]) == pytest.approx(2 / 3)


def test_plain_texts_score_as_the_files_of_the_command_line_do(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "replies.txt"
    path.write_text("".join(f"{said}\t{meant}\n" for said, meant in zip(REPLIES, REFERENCES, strict=True)), "utf-8")
    from_file = duologue.score("proactive", str(path))
    assert [(one.name, one.value) for one in report.scores] == [(one.name, one.value) for one in from_file.scores]


def test_predictions_by_id_and_as_rows_score_as_lists_do(report: Report) -> None:
    by_id = dict(zip(map(str, range(1, 7)), REPLIES, strict=True))
    again = duologue.score("proactive", by_id, dict(zip(by_id, REFERENCES, strict=True)))
    assert [one.value for one in again.scores] == [one.value for one in report.scores]
    answers = [Answer(text=text) for text in REPLIES]
    assert duologue.score("proactive", answers, REFERENCES).scores == again.scores


def test_rankings_are_scored_by_the_right_candidate() -> None:
    scores = duologue.score("restaurant", [["a", "b"], ["b", "a"], ["a", "b"]], ["a", "a", "a"]).scores
    assert scores[0].name == "p@1"
    assert scores[0].value == pytest.approx(2 / 3)


def test_rows_of_official_files_are_taken_as_they_are() -> None:
    row = {"dialog_id": "1", "lst_candidate_id": [{"candidate_id": "x", "rank": 1}]}
    truth = [{"dialog_id": "1", "lst_candidate_id": [{"candidate_id": "x", "rank": 1}]}]
    assert duologue.score("restaurant", [row], truth).scores[0].value == 1
    assert [one.rule for one in duologue.check("restaurant", [row | {"lst_candidate_id": []}])] != []


def test_what_does_not_fit_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2 predictions are given for 1 references"):
        duologue.score("proactive", ["a", "b"], ["a"])
    with pytest.raises(UsageError, match="plain predictions need references"):
        duologue.score("proactive", ["a", "b"])
    with pytest.raises(UsageError, match=r"the prediction of sample '1' is .*; expected a text or an"):
        duologue.score("proactive", [["a", "b"]], ["a"])
    with pytest.raises(UsageError, match="tourism"):
        duologue.load_task("tourism")
    (tmp_path / "there.json").write_text("[]", "utf-8")
    with pytest.raises(UsageError, match="is there already"):
        duologue.predict("restaurant", "random", [], out=tmp_path / "there.json")
    with pytest.raises(FormatError):
        duologue.load_data("restaurant", _damaged(tmp_path))


def test_a_result_that_is_there_is_refused_before_anything_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = duologue.load_system("restaurant", "random")
    monkeypatch.setattr(ready, "answer", None)
    (tmp_path / "there.json").write_text("[]", "utf-8")
    with pytest.raises(UsageError, match="is there already"):
        duologue.predict("restaurant", ready, RESTAURANT, out=tmp_path / "there.json")


def _damaged(folder: Path) -> Path:
    path = folder / "damaged.json"
    path.write_text("{", "utf-8")
    return path


def test_reports_compare_and_rank(report: Report) -> None:
    echo = duologue.score("proactive", REFERENCES, REFERENCES, system="echo")
    table = duologue.compare(report, echo)
    first = dict(zip(table.columns, table.rows()[0], strict=True))
    assert first["score"] == "f1"
    assert first["b"] == pytest.approx(1)
    assert first["difference"] == pytest.approx(report.scores[0].value - 1)
    board = duologue.leaderboard([report, echo])
    assert [row[2] for row in board.rows()] == ["echo", "short"]
    assert len(board.columns()) == len(board.rows()[0])


def test_records_show_themselves_in_a_notebook_and_escape_what_they_show(report: Report) -> None:
    dialogue = Dialogue(id="<1>", turns=(Turn(speaker="user", text="<script>alert(1)</script>"),))
    shown = dialogue._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    echo = duologue.score("proactive", REFERENCES, REFERENCES, system="<b>\x1b")
    pages = (report, duologue.compare(report, echo), duologue.leaderboard([report, echo]))
    for page in (one._repr_html_() for one in pages):
        assert page.startswith("<table>")
        assert "f1" in page
        assert "<b>" not in page
        assert "\x1b" not in page


def test_records_are_printed_as_tables_that_no_terminal_obeys(report: Report) -> None:
    lines = str(report).splitlines()
    assert lines[0].startswith("short on proactive, strict, 6 items")
    assert lines[1].split() == ["score", "value", "low", "high"]
    assert lines[2].split()[:2] == ["f1", f"{report.scores[0].value:.4f}"]
    assert lines[-1] == str(report.signature)
    echo = duologue.score("proactive", REFERENCES, REFERENCES, system="\x1b[2J")
    table = duologue.compare(report, echo)
    assert str(table).splitlines()[2].startswith("f1 ")
    board = str(duologue.leaderboard([report, echo]))
    assert "\\x1b[2J" in board
    assert "\x1b" not in board
    dialogue = Dialogue(id="1", turns=(Turn(speaker="user", text="two\nlines\x1b"),))
    assert str(dialogue) == "dialogue 1\nuser: two\\nlines\\x1b"


def test_tables_in_print_keep_their_columns_where_names_are_wide() -> None:
    lines = text_table("scores", ["system", "f1"], [["流量套餐", 0.5], ["ours", 0.25]]).splitlines()
    assert len({text_width(line) for line in lines[1:]}) == 1


def test_columns_in_another_order_are_refused_and_boards_of_plain_data_name_no_test_set(report: Report) -> None:
    class Column(list[str]):
        index = property(lambda self: sorted(range(len(self)), reverse=self[0] == REFERENCES[-1]))

    turned = Column(REFERENCES[::-1])
    for score in (duologue.metrics.f1, duologue.metrics.bleu, partial(duologue.score, "proactive")):
        with pytest.raises(UsageError, match="the same index in another order"):
            score(turned, Column(REFERENCES))
    other = duologue.score("proactive", REFERENCES, REFERENCES[::-1], system="other")
    with pytest.raises(UsageError, match=r"^short \(A\) against other \(B\): "):
        duologue.leaderboard([report, other])


def test_the_package_lists_its_api_alone() -> None:
    assert dir(duologue) == sorted([*duologue.__all__, "__version__"])


@pytest.mark.skipif(importlib.util.find_spec("pandas") is not None, reason="pandas is installed")
def test_without_pandas_a_data_frame_says_what_to_install(report: Report) -> None:
    with pytest.raises(ImportError, match="pip install pandas"):
        report.to_pandas()


def test_with_pandas_the_rows_become_a_data_frame(report: Report) -> None:
    pandas = pytest.importorskip("pandas")
    frame = report.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert next(iter(frame["score"])) == "f1"


def test_a_system_practises_and_answers_by_the_folder_of_its_model(tmp_path: Path) -> None:
    """The folder that `train` returns is what `load_system` and `predict` take."""
    text = tmp_path / "train.txt"
    lines = [f"U: where is my parcel {number}\nS: it is on its way number {number}\n\n" for number in range(30)]
    text.write_text("".join(lines), "utf-8")
    pytest.importorskip("tantivy")
    model = duologue.train("conversation", "retriever", tmp_path / "model", data=[text], seed=1)
    questions = tmp_path / "test.txt"
    questions.write_text("U: where is my parcel 7\nS: ?\n", "utf-8")
    answers = duologue.predict("conversation", model, questions)
    assert all(answer.text for answer in answers.values())


def test_the_notebook_page_runs_as_it_stands(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 3
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(blocks)],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import duologue, json, sys; print(json.dumps(list({'numpy', 'torch', 'msgspec'} & {*sys.modules})))"
    done: Any = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert json.loads(done.stdout) == []


def test_a_written_result_has_its_note_and_the_same_answers(tmp_path: Path) -> None:
    rows = [
        {
            "dialog_id": f"d{number}",
            "utterances": ["hello", "hi", "a cheap place please"],
            "candidates": [
                {"candidate_id": f"c{n}", "utterance": text} for n, text in enumerate(("cheap place", "bye"))
            ],
        }
        for number in range(4)
    ]
    data = tmp_path / "data.json"
    data.write_text(json.dumps(rows), "utf-8")
    written = duologue.predict("restaurant", "tfidf", data, out=tmp_path / "a.pred.json")
    assert written == duologue.predict("restaurant", "tfidf", data)
    assert written["d0"].ranking is not None
    assert duologue.score("restaurant", tmp_path / "a.pred.json", _truth(tmp_path)).system == "tfidf"
    with pytest.raises(UsageError, match=r"data\.json"):
        duologue.predict("restaurant", "tfidf", data, out=data)


def _truth(folder: Path) -> Path:
    path = folder / "truth.json"
    rows = [{"dialog_id": f"d{number}", "lst_candidate_id": [{"candidate_id": "c0", "rank": 1}]} for number in range(4)]
    path.write_text(json.dumps(rows), "utf-8")
    return path


def test_named_predictions_find_their_references_in_any_order() -> None:
    references = dict(zip("123456", REFERENCES, strict=True))
    predictions = dict(reversed(list(zip("123456", REPLIES, strict=True))))
    for task in ("proactive", "conversation", "spoken"):
        named = duologue.score(task, predictions, references)
        listed = duologue.score(task, REPLIES, REFERENCES)
        assert [(one.name, one.value) for one in named.scores] == [(one.name, one.value) for one in listed.scores]
    with pytest.raises(UsageError, match=r"1 of 6 references have no prediction: '6'$"):
        duologue.score("proactive", dict.fromkeys("12345", "x"), references)
    with pytest.raises(
        UsageError, match="have ids that the samples do not have: '7'; the samples' are '1', '2', '3', "
    ):
        duologue.score("spoken", dict.fromkeys("1234567", "x"), references)


@pytest.mark.parametrize("task", ["conversation", "proactive", "restaurant", "spoken"])
def test_what_cannot_be_scored_is_refused_in_words_of_whoever_gave_it(task: str) -> None:
    wrong: Any = float("nan")
    for predictions, references, told in (
        ([], [], "nothing to score: no reference is given"),
        ([wrong], ["a"], "^the prediction of sample '1' is nan; expected "),
        (["a"], [wrong], "^a reference of sample '1' is nan; expected "),
        (["a"], [[]], "sample '1' has no reference"),
    ):
        with pytest.raises(UsageError, match=told):
            duologue.score(task, predictions, references)
    with pytest.raises(FormatError, match=r"^the list of predictions has 1 problem"):
        duologue.score("proactive", [""], ["a"])


def test_whatever_gives_its_members_in_an_order_is_plain_data(report: Report) -> None:
    """Generators had no length, and arrays of candidate ids were no rankings."""
    for given in (iter(REPLIES), np.array(REPLIES), tuple(REPLIES)):
        references: Any = iter(REFERENCES)
        assert duologue.score("proactive", given, references, system="short") == report
    assert duologue.check("proactive", (one for one in REPLIES)) == ()
    ranked: Any = np.array([["a", "b"], ["b", "a"]])
    right: Any = np.array(["a", "a"])
    assert duologue.score("restaurant", ranked, right).scores[0].value == 0.5
    numbered: Any = dict(enumerate(REPLIES, start=1))
    assert duologue.score("proactive", numbered, REFERENCES).scores == report.scores
    assert duologue.leaderboard(iter([report])).places[0].report == duologue.leaderboard(report).places[0].report


def test_references_that_no_score_would_look_at_are_refused() -> None:
    """The second reference was left out in silence; only the conversation's scores take several."""
    for task in ("proactive", "restaurant", "spoken"):
        with pytest.raises(UsageError, match=f"^sample '1' has 2 references, and the scores of {task} look at one; "):
            duologue.score(task, ["a", "b"], [["x", "a"], ["b"]])
    assert duologue.score("conversation", ["a", "b"], [["x", "a"], ["b", "y"]]).scores[0].value > 0.9


def test_a_loaded_task_stands_for_its_name(report: Report) -> None:
    """The functions took none of what `load_task` gives."""
    task = duologue.load_task("proactive")
    assert duologue.score(task, REPLIES, REFERENCES, system="short") == report
    assert duologue.check(task, REPLIES) == ()


def test_one_file_is_one_file_and_not_its_letters(tmp_path: Path) -> None:
    """Its name was taken for a list: "cannot read f"."""
    with pytest.raises(StorageError, match=r"cannot read file\.json"):
        duologue.train("restaurant", "ranker", tmp_path, data="file.json")
    with pytest.raises(StorageError, match=r"cannot read file\.json"):
        duologue.leaderboard("file.json")


def as_any(wrong: object) -> Any:
    return wrong


def test_a_check_of_fewer_predictions_than_samples_is_told_by_number(tmp_path: Path) -> None:
    """Held against its data file, a list of another length was a traceback of `zip`."""
    rows = [{"dialog_id": name, "lst_candidate_id": [{"candidate_id": "a", "rank": 1}]} for name in "123"]
    (tmp_path / "gold.json").write_text(json.dumps(rows), "utf-8")
    assert duologue.check("restaurant", [["a"], ["a"], ["a"]], tmp_path / "gold.json") == ()
    for number in (2, 4):
        with pytest.raises(UsageError, match=f"^{number} predictions are given for 3 samples; give one for each$"):
            duologue.check("restaurant", [["a"]] * number, tmp_path / "gold.json")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (duologue.load_task, "no task; give its name"),
        (lambda wrong: duologue.score("proactive", wrong, ["a"]), "no list of predictions"),
        (lambda wrong: duologue.score("proactive", {wrong: "a"}, ["a"]), "no id of a sample"),
        (
            lambda wrong: duologue.score("proactive", ["a"], ["a"], options=as_any([wrong])),
            "options is .* expected a mapping",
        ),
        (lambda wrong: duologue.score("proactive", ["a"], ["a"], variant=as_any(2)), "no variant '2'"),
        (lambda wrong: duologue.score("restaurant", [{"a": wrong}], ["a"]), "rows of predictions cannot be written"),
        (lambda wrong: duologue.compare(wrong, wrong), "no report; give what `score` returned"),
        (lambda wrong: duologue.leaderboard([wrong]), "no report; give what `score` returned"),
        (duologue.leaderboard, "no list of reports"),
        (lambda wrong: duologue.leaderboard([], seed=wrong), "seed is .*; expected a whole number"),
        (lambda wrong: duologue.load_system("restaurant", "random", seed=-1), "seed is -1; expected .* from 0"),
        (
            lambda wrong: duologue.load_system("restaurant", "random", recipe=as_any([wrong])),
            "recipe is .* expected a mapping",
        ),
        (lambda wrong: duologue.load_system("restaurant", "ranker", recipe={"width": wrong}), "no recipe has"),
        (lambda wrong: duologue.load_data("restaurant", wrong), "no path of a file"),
        (lambda wrong: duologue.show("restaurant", wrong), "no path of a file"),
        (lambda wrong: duologue.check("restaurant", [["a"]], wrong), "no path of a file"),
        (lambda wrong: duologue.predict("restaurant", "random", wrong), "no list of examples"),
        (lambda wrong: duologue.predict("restaurant", "random", [wrong]), "no `Example`; give one data file"),
        (lambda wrong: duologue.predict("restaurant", wrong, []), "no system; give its name"),
    ],
)
def test_what_is_of_another_kind_is_told_and_no_traceback(call: Callable[[Any], object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        call(object())
