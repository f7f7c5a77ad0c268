"""The verbs of scoring from end to end, through the command line, on every task."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.plugins import load_task
from duologue.run.saved import read_report

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@pytest.fixture(scope="module")
def rival(duologue: Any, corpus: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a weak system's result file for the corpus."""
    out: Path = tmp_path_factory.mktemp("rival") / "random.answers.json"
    assert duologue("run", "restaurant", "--system", "random", corpus.data, "--out", out).code == 0
    return out


def test_two_result_files_are_compared_at_once(duologue: Any, corpus: Any, solved: Path, rival: Path) -> None:
    words = ("compare", "restaurant", "--gold", corpus.truth, solved, rival)
    found = json.loads(duologue(*words, "--json").out)
    first = next(row for row in found["comparisons"] if row["score"] == "p@1")
    assert (first["better"], first["losses"]) == ("a", 0)
    assert first["wins"] + first["ties"] == first["n"] == 40
    assert first["difference"] == pytest.approx(first["value_a"] - first["value_b"])
    assert found["differ_most"]["score"] == "p@1"
    assert all(gap["a"] == 1 and gap["b"] == 0 for gap in found["differ_most"]["items"])
    shown = duologue(*words, "--limit", 2)
    assert "Items on which A is better/worse/equal" in shown.out
    assert "Items that differ most" in shown.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compare", "restaurant", "--gold", "x"), "two result files are compared, 0 given"),
        (("compare", "restaurant", "x"), "two result files are compared, 1 given"),
        (("compare", "a", "b", "x", "y"), "there is no file 'a', and no task of that name; known are conversation"),
        (("compare", "restaurnat", "x", "y"), "did you mean 'restaurant'"),
        (("compare", GOLDEN / "registry.toml"), "two reports are compared"),
        (("compare", GOLDEN / "registry.toml", "b", "--gold", "x", "--partial"), "leave --gold, --partial out"),
        (("board", GOLDEN / "registry.toml", "--model", "x"), "leave --model out"),
        (("board", GOLDEN), "to rank result files name their task"),
        (("board", "restaurant", "x", "y"), "one FOLDER of result files"),
        (("board", "restaurant", "x", "--in", GOLDEN), "--in is for saved scores"),
        (
            ("score", "restaurant", "--gold", "x", "y", "--out", "z.html"),
            "'z.html' has the name of a page; a report is",
        ),
        (("verify", "x", "--in", "y"), "'y' is not there; name a folder in which files are looked for"),
        (("verify", "x", "--in", GOLDEN / "registry.toml"), "is a file; name a folder in which files are looked for"),
        (("score", "restaurant", "--gold", "x", "y", "--option", "a=b"), "known are input-nb-candidate"),
        (("score", "spoken", "--gold", "x", "y", "--option", "avrage=corpus"), "did you mean 'average'"),
        (("score", "spoken", "--gold", "x", "y", "--samples", "some"), "known are all, knowledge"),
        (("data", "convert", "restaurant", "--from", "a", "--to", "b", "x", "--out", "y"), "one form only"),
        (
            ("data", "convert", "proactive", "--from", "sesion", "--to", "sample", "x", "--out", "y"),
            "did you mean 'session'",
        ),
        (
            ("data", "convert", "proactive", "--from", "generated", "--to", "replies", "x", "--out", "y"),
            "--option topics=FILE",
        ),
        (
            (
                "data",
                "convert",
                "mobilecs/dialogue",
                "--from",
                "raw",
                "--to",
                "track2",
                "--option",
                "a=b",
                "x",
                "--out",
                "y",
            ),
            "known are variant",
        ),
        (("check", "restaurant", "x", "--kb", GOLDEN / "restaurant" / "small-kb.txt"), "leave --kb out"),
        (("check", "proactive", "x", "--kg", "y"), "has no knowledge base; leave --kb out"),
        (("verify", "no such signature"), "say where to look"),
        (("board", "restaurant", ".", "--gold", "x"), "holds no result files"),
    ],
)
def test_a_wrong_call_is_answered_with_what_to_do(
    duologue: Any, tmp_path: Path, words: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = duologue(*words)
    assert outcome.code == 2
    assert said in outcome.err
    assert "Traceback" not in outcome.err


def test_a_gate_lets_pass_what_is_not_worse_and_tells_a_ci_system(
    duologue: Any, corpus: Any, solved: Path, rival: Path, tmp_path: Path
) -> None:
    saved = []
    for result in (solved, rival):
        saved.append(tmp_path / f"{result.stem}.report.json")
        duologue("score", "restaurant", "--gold", corpus.truth, result, "--out", saved[-1])
    out = tmp_path / "gate.xml"
    closed = duologue("compare", *saved, "--fail-if-worse", "--junit", out, "--github")
    assert closed.code == 1
    assert "failed: B (random) is worse than A (solver); B - A in p@1: -" in closed.out
    assert closed.err.startswith("::error title=duologue compare::B (random) is worse")
    assert 'failures="1"' in out.read_text(encoding="utf-8")
    opened = duologue("compare", *reversed(saved), "--fail-if-worse", "--junit", out, "--json")
    assert (opened.code, json.loads(opened.out)["gate"]["passed"]) == (0, True)
    assert 'failures="0"' in out.read_text(encoding="utf-8")
    alone = duologue("compare", *saved, "--github")
    assert alone.code == 2
    assert "give --fail-if-worse with them" in alone.err


def test_a_check_tells_a_ci_system(duologue: Any, solved: Path, tmp_path: Path) -> None:
    rows = json.loads(solved.read_text(encoding="utf-8"))
    rows[0]["lst_candidate_id"][1]["rank"] = 1
    broken, out = tmp_path / "broken.json", tmp_path / "check.xml"
    broken.write_text(json.dumps(rows), encoding="utf-8")
    told = duologue("check", "restaurant", broken, "--junit", out, "--github", "--json")
    assert told.code == 1
    wanted = [one["rule"] for one in json.loads(told.out)["problems"] if one["severity"] == "error"]
    assert [line.partition("title=")[2].partition("::")[0] for line in told.err.splitlines()] == wanted
    written = out.read_text(encoding="utf-8")
    assert written.count("<failure ") == len(wanted)
    assert str(tmp_path) not in written + told.err
    assert duologue("check", "restaurant", solved, "--junit", out).code == 0
    assert 'failures="0"' in out.read_text(encoding="utf-8")


def test_a_folder_of_results_becomes_a_board(
    duologue: Any, corpus: Any, solved: Path, rival: Path, tmp_path: Path
) -> None:
    folder, page = tmp_path / "results", tmp_path / "board.html"
    folder.mkdir()
    for path in (solved, rival):
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "broken.json").write_text("[", encoding="utf-8")
    outcome = duologue("board", "restaurant", folder, "--gold", corpus.truth, "--out", page)
    assert outcome.code == 0
    assert "broken.json: refused" in outcome.out
    told = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert [(one["system"], one["tier"]) for one in told["systems"]] == [("solver", 1), ("random", 2)]
    assert [one["file"] for one in told["refused"]] == ["broken.json"]
    assert told["systems"][1]["scores"]["p@1"]["low"] is not None
    assert "broken.json" in page.read_text(encoding="utf-8")
    duologue("board", "restaurant", folder, "--gold", corpus.truth, "--input", corpus.data, "--out", page)
    shown = page.read_text(encoding="utf-8")
    assert shown.count('<details class="example" open>') == 3  # of the one that is right everywhere no worst
    assert shown.index("Good and bad dialogues") < shown.index("How it was made")
    again = duologue("board", "restaurant", folder, "--gold", corpus.truth, "--json")
    assert json.loads(again.out) == told


def test_a_board_of_broken_files_alone_says_what_is_wrong(duologue: Any, corpus: Any, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("[", encoding="utf-8")
    outcome = duologue("board", "restaurant", tmp_path, "--gold", corpus.truth)
    assert outcome.code == 1
    assert "no file in" in outcome.err
    assert "JSON" in outcome.err


def test_a_stored_number_is_verified_by_file_and_by_signature(
    duologue: Any, corpus: Any, rival: Path, tmp_path: Path
) -> None:
    report = tmp_path / "random.report.json"
    duologue("score", "restaurant", "--gold", corpus.truth, rival, "--out", report)
    where = ("--in", corpus.folder, "--in", rival.parent)
    outcome = duologue("verify", report, *where)
    assert (outcome.code, "equal" in outcome.out) == (0, True)
    signature = str(read_report(report).signature)
    found = json.loads(duologue("verify", signature, "--in", tmp_path, *where, "--json").out)["verified"]
    assert [(one["equal"], one["differences"]) for one in found] == [(True, [])]
    report.write_text(report.read_text(encoding="utf-8").replace('"n":40', '"n":41', 1), encoding="utf-8")
    forged = duologue("verify", report, *where)
    assert forged.code == 1
    assert "n: stored 41, computed 40" in forged.out


def test_a_report_without_its_files_is_not_compared_and_nothing_is_said_to_differ(
    duologue: Any, corpus: Any, rival: Path, tmp_path: Path
) -> None:
    report, result = tmp_path / "away" / "random.report.json", tmp_path / "result.json"
    shutil.copy(rival, result)
    duologue("score", "restaurant", "--gold", corpus.truth, result, "--out", report)
    result.unlink()
    outcome = duologue("verify", report)
    assert (outcome.code, "not compared: " in outcome.out, "differs" in outcome.out) == (1, True, False)
    (found,) = json.loads(duologue("verify", report, "--json").out)["verified"]
    assert (found["equal"], found["differences"]) == (False, [])
    assert any(result.name in one for one in found["missing"])


def test_the_page_shows_items_while_their_files_are_there(
    duologue: Any, corpus: Any, rival: Path, tmp_path: Path
) -> None:
    report, page = tmp_path / "random.report.json", tmp_path / "page.html"
    result = tmp_path / "random.answers.json"
    result.write_bytes(rival.read_bytes())
    words = ("--gold", corpus.truth, result, "--input", corpus.data, "--out", report)
    assert duologue("score", "restaurant", *words).code == 0
    assert duologue("board", report, "--in", corpus.folder, "--out", page).code == 0
    assert 'class="example"' in page.read_text(encoding="utf-8")
    result.unlink()
    gone = duologue("board", report, "--in", corpus.folder, "--out", page)
    assert (gone.code, "no such file" in gone.err) == (0, True)
    assert 'class="example"' not in page.read_text(encoding="utf-8")


def test_every_formula_is_listed_with_signature_and_source(duologue: Any) -> None:
    tasks = json.loads(duologue("list", "--scores", "--json").out)["tasks"]
    scores = {task["task"]: {row["score"] for row in task["scores"]} for task in tasks}
    assert {"f1", "bleu-1", "bleu-2", "distinct-1", "distinct-2"} <= scores["proactive"]
    assert {"precision", "recall", "f1", "bleu-1", "bleu-2", "generation-f1", "total"} <= scores["spoken"]
    assert {"bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-l", "cider"} <= scores["conversation"]
    assert {"entity-f1", "triple-f1"} <= scores["mobilecs/extraction"]
    combined = {"user-intent-f1", "system-intent-f1", "success", "bleu", "combined"}
    assert combined <= scores["mobilecs/dialogue"]
    assert {"p@1", "p@2", "p@5", "mrr"} <= scores["restaurant"]
    for task in tasks:
        assert all(row["formula"] and row["source"] and task["task"] in row["signature"] for row in task["scores"])
    ranked = next(task["scores"] for task in tasks if task["task"] == "restaurant")
    assert {row["interval"] for row in ranked} == {"jackknife 2 over dialogues"}
    shown = duologue("list", "--scores")
    assert "options: average = sample | corpus" in shown.out


def test_system_output_with_its_own_references_needs_no_truth(duologue: Any, tmp_path: Path) -> None:
    path = tmp_path / "output.txt"
    path.write_text(
        "U: hi\nS_REF: how are you\nS_HYP: how are you\n\nU: bye\nS_REF: see you\nS_HYP: see you\n", "utf-8"
    )
    found = json.loads(duologue("score", "conversation", path, "--json").out)
    assert found["scores"]["bleu-1"]["value"] == pytest.approx(1, abs=1e-6)
    official = duologue("score", "conversation", path, "--variant", "official")
    assert f"Evaluated file: {path}" in official.out
    assert "Bleu1: 1.000000" in official.out


def test_official_lines_are_printed_with_their_percent_sign(duologue: Any, tmp_path: Path) -> None:
    path = tmp_path / "eval.txt"
    path.write_text("我 喜欢 电影\t我 喜欢 电影\n你 好 吗\t你 好 吗\n", "utf-8")
    outcome = duologue("score", "proactive", path, "--variant", "official")
    assert outcome.out.splitlines()[0] == "F1: 100.00%"
    assert len(outcome.out.splitlines()) == 5


def test_official_lines_are_printed_of_official_variants_alone(
    duologue: Any, corpus: Any, solved: Path, tmp_path: Path
) -> None:
    (tmp_path / "truth.json").write_text("{}", encoding="utf-8")
    words = ("score", "restaurant", solved, "--gold", tmp_path / "truth.json")
    said = [duologue(*words, *more) for more in ((), ("--variant", "official"))]
    assert [(one.code, one.out) for one in said] == [(1, ""), (1, "[Error] The result file should be a list ...\n")]
    assert all("truth.json has 1 problem" in one.err for one in said)


def test_gold_as_prediction_scores_highest_through_the_command(duologue: Any, tmp_path: Path) -> None:
    gold = {"1": {"message": "门票十元。", "attrs": [{"name": "园", "attrname": "门票", "attrvalue": "十元"}]}}
    for name in ("gold.json", "result.json"):
        (tmp_path / name).write_text(json.dumps(gold, ensure_ascii=False), "utf-8")
    words = ("--gold", tmp_path / "gold.json", tmp_path / "result.json", "--json")
    found = json.loads(duologue("score", "spoken", *words).out)
    assert {found["scores"][name]["value"] for name in ("precision", "recall", "f1", "bleu-1")} == {1}
    corpus = json.loads(duologue("score", "spoken", "--option", "average=corpus", *words).out)
    assert "average=corpus" in corpus["signature"]


def test_sessions_become_samples_model_text_and_topics(duologue: Any, tmp_path: Path) -> None:
    sessions, samples = GOLDEN / "proactive" / "small-sessions.txt", tmp_path / "samples.txt"
    made = duologue("data", "convert", "proactive", "--from", "session", "--to", "sample", sessions, "--out", samples)
    assert (made.code, made.out) == (0, f"{samples}\n")
    for form in ("model-text", "topics"):
        out = tmp_path / form
        assert (
            duologue("data", "convert", "proactive", "--from", "sample", "--to", form, samples, "--out", out).code == 0
        )
        assert out.read_text("utf-8").count("\n") == samples.read_text("utf-8").count("\n")


def test_generated_replies_get_their_names_back(duologue: Any, tmp_path: Path) -> None:
    sessions, topics = GOLDEN / "proactive" / "small-sessions.txt", tmp_path / "topics.gz"
    assert (
        duologue("data", "convert", "proactive", "--from", "session", "--to", "topics", sessions, "--out", topics).code
        == 0
    )
    names = [json.loads(line) for line in gzip.decompress(topics.read_bytes()).decode("utf-8").splitlines()]
    generated, out = tmp_path / "generated.txt", tmp_path / "replies.txt"
    generated.write_text("".join(f"{next(iter(row))} 好看\n" for row in names), "utf-8")
    way = ("--from", "generated", "--to", "replies", "--option", f"topics={topics}")
    assert duologue("data", "convert", "proactive", *way, generated, "--out", out).code == 0
    assert out.read_text("utf-8").splitlines() == [f"{next(iter(row.values()))} 好看" for row in names]


def test_a_reply_is_held_against_the_knowledge_graph(duologue: Any, tmp_path: Path) -> None:
    attrs = [{"name": "园", "attrname": "门票", "attrvalue": "十元"}]
    (tmp_path / "result.json").write_text(json.dumps({"1": {"message": "门票十元。", "attrs": attrs}}), "utf-8")
    graph = tmp_path / "kg.json.gz"
    for value, rules in (("十元", []), ("九元", ["triple-unknown"])):
        graph.write_bytes(gzip.compress(json.dumps({"园": [["园", "门票", value]]}).encode()))
        for option in ("--kb", "--kg"):
            outcome = duologue("check", "spoken", tmp_path / "result.json", option, graph, "--json")
            assert outcome.code == 0  # a warning
            assert [problem["rule"] for problem in json.loads(outcome.out)["problems"]] == rules


def test_raw_dialogues_become_track_2_data(duologue: Any, tmp_path: Path) -> None:
    raw = GOLDEN / "mobilecs" / "extraction" / "contract" / "raw.json"
    for task in ("mobilecs/extraction", "mobilecs/dialogue"):
        out = tmp_path / f"{task.partition('/')[2]}.json"
        assert duologue("data", "convert", task, "--from", "raw", "--to", "track2", raw, "--out", out).code == 0
        assert {"id", "KB", "goal", "content"} <= json.loads(out.read_text("utf-8"))[0].keys()


TASKS = ("conversation", "mobilecs/dialogue", "mobilecs/extraction", "proactive", "restaurant", "spoken")


@pytest.mark.parametrize("task", TASKS)
def test_a_broken_file_gives_a_message_on_every_task(duologue: Any, task: str, tmp_path: Path) -> None:
    path = tmp_path / "broken"
    path.write_bytes(b'[{"broken": "\xff\xfe')
    for words in (("check", task, path), ("score", task, "--gold", path, path)):
        outcome = duologue(*words)
        assert outcome.code == 1, outcome.err
        assert "Traceback" not in outcome.err
        assert "should not have happened" not in outcome.err


def test_doubts_are_said_beside_official_lines_and_json(duologue: Any, corpus: Any, tmp_path: Path) -> None:
    copy = tmp_path / "copy.json"
    copy.write_bytes(corpus.truth.read_bytes())
    words = ("score", "restaurant", "--gold", corpus.truth, copy)
    plain, lines, table = duologue(*words), duologue(*words, "--variant", "official"), duologue(*words, "--json")
    assert "very bytes of the truth" in " ".join(plain.out.split())
    for other in (lines, table):
        assert "very bytes of the truth" in other.err
        assert "very bytes" not in other.out
    assert json.loads(table.out)
    same = duologue("score", "restaurant", "--gold", corpus.truth, corpus.truth)
    assert same.code == 2
    assert "the truth itself" in same.err


def test_a_run_never_overwrites_the_truth(duologue: Any, corpus: Any) -> None:
    before = corpus.truth.read_bytes()
    words = ("run", "restaurant", "--system", "random", corpus.data, "--out", corpus.truth)
    refused = duologue(*words)
    assert refused.code == 2
    assert "--force" in refused.err
    assert corpus.truth.read_bytes() == before


def test_a_file_that_cannot_be_unpacked_is_not_said_to_be_scored_in_part(duologue: Any, tmp_path: Path) -> None:
    packed = tmp_path / "bomb.json.gz"
    packed.write_bytes(gzip.compress(b" " * (70 << 20)))
    refused = duologue("score", "proactive", packed)
    assert refused.code == 1
    assert "--max-unpacked" in refused.err
    assert "--partial" not in refused.err


@pytest.mark.parametrize(
    ("task", "result", "truth"),
    [
        ("mobilecs/extraction", "mobilecs/small-extraction.answers.json", ()),  # nothing to score against
        ("mobilecs/extraction", "mobilecs/small-dialogue.json", ("mobilecs/small-extraction.answers.json",)),
        ("mobilecs/dialogue", "mobilecs/small-dialogue.answers.json", ()),
        ("spoken", "spoken/small-result.json", ("spoken/small-test.json",)),
        ("spoken", "spoken/small-result.json", ("spoken/small-valid.json",)),
    ],
)
def test_scoring_in_part_is_advised_where_it_scores(
    duologue: Any, tmp_path: Path, task: str, result: str, truth: tuple[str, ...]
) -> None:
    made = tmp_path / "result.json"
    made.write_bytes((GOLDEN / result).read_bytes())
    words = ("score", task, made, *(f"--gold={GOLDEN / one}" for one in truth))
    refused, in_part = duologue(*words), duologue(*words, "--partial")
    assert (refused.code, "Nothing was scored" in refused.err) == (1, True), refused.err
    assert ("--partial" in refused.err) == (in_part.code == 0), in_part.err
    assert "--partial" not in in_part.err


def test_scoring_a_part_of_a_result_is_advised(duologue: Any, corpus: Any, solved: Path, tmp_path: Path) -> None:
    some = tmp_path / "some.json"
    some.write_text(json.dumps(json.loads(solved.read_bytes())[:-1]), encoding="utf-8")
    words = ("score", "restaurant", "--gold", corpus.truth, some)
    assert "score what is there with --partial" in duologue(*words).err
    assert duologue(*words, "--partial").code == 0
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(some.read_bytes()))
    writer.start()
    refused = duologue(*words[:-1], pipe)  # which is read once
    writer.join()
    assert (refused.code, "--partial" in refused.err) == (1, False)


def test_a_test_set_that_is_called_as_the_total_is_refused(duologue: Any, tmp_path: Path) -> None:
    """Its report was written over by that of all test sets."""
    for part in ("total", "other"):
        for kind, speaker in (("truth", "S"), ("team", "S_HYP")):
            place = tmp_path / kind / part / "talk.txt"
            place.parent.mkdir(parents=True)
            place.write_text(f"U: who is it\n{speaker}: it is me\n\n", "utf-8")
    told = duologue("score", "conversation", tmp_path / "team", "--gold", tmp_path / "truth", "--out", tmp_path / "out")
    assert (told.code, "a test set is called 'total'" in told.err) == (2, True)


def test_a_result_that_is_refused_is_read_once(
    duologue: Any, corpus: Any, solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether --partial would help is tried with what was read."""
    some = tmp_path / "some.json"
    some.write_text(json.dumps(json.loads(solved.read_bytes())[:-1]), encoding="utf-8")
    taken, task = list[str](), type(load_task("restaurant"))

    def noting(name: str) -> Callable[[Any, Any], Any]:
        true = getattr(task, name)

        def note(self: Any, given: Any) -> Any:
            taken.append(name)
            return true(self, given)

        return note

    for name in ("read", "load_files"):
        monkeypatch.setattr(task, name, noting(name))
    assert "--partial" in duologue("score", "restaurant", "--gold", corpus.truth, some).err
    assert sorted(taken) == ["load_files", "read"]


def test_a_folder_in_place_of_a_result_is_said(duologue: Any, corpus: Any, solved: Path, tmp_path: Path) -> None:
    """`.` has no name that a note could stand beside."""
    for place in (".", "..", "/"):
        outcome = duologue("compare", "restaurant", "--gold", corpus.truth, place, solved)
        assert outcome.code in {1, 2}
        assert "should not have happened" not in outcome.err
        assert outcome.err.startswith("duologue: ")


def test_mistakes_are_counted_by_what_they_are(duologue: Any, corpus: Any, solved: Path, rival: Path) -> None:
    words = ("score", "restaurant", "--gold", corpus.truth, "--input", corpus.data, "--errors")
    assert duologue(*words, solved).out.rstrip().endswith("no mistakes")
    told = json.loads(duologue(*words, rival, "--json").out)
    wrong = 40 * (1 - told["scores"]["p@1"]["value"])
    assert sum(one["n"] for one in told["errors"]) == pytest.approx(wrong)
    first = told["errors"][0]
    shown = duologue(*words, rival).out
    assert f"{first['purpose']}: {first['kind']} ({first['n']} of {first['of']}," in " ".join(shown.split())
    bare = duologue("score", "restaurant", "--gold", corpus.truth, "--errors", rival)
    assert bare.code == 2
    assert "give the data file: --input FILE" in bare.err
