"""Training, answering, scoring and talking in the conversation challenge, through the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.plugins import read_card

pytest.importorskip("tantivy", reason="the retriever's engine is optional")

if TYPE_CHECKING:
    from pathlib import Path

THINGS = ("parcel", "router", "ticket", "invoice", "seat", "meal", "phone", "card", "room", "coat", "lamp", "book")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("conversation")
    talks = [
        f"U: where is my {thing} ?\nS: what is the number of the {thing} ?\nU: it is <NUMBERS>\nS: {thing} is coming\n"
        for thing in THINGS
    ]
    (made / "train.txt").write_text("\n".join(talks) + "\n", "utf-8")
    asked = [f"U: my {thing} is not here\nS: sorry , what is the number of your {thing} ?\n" for thing in THINGS]
    (made / "eval.txt").write_text("\n".join(asked) + "\n", "utf-8")
    return made


@pytest.fixture(scope="module")
def model(duologue: Any, folder: Path) -> Path:
    out = folder / "model"
    words = ("train", "conversation", "--system", "retriever", "--train", folder / "train.txt", "--seed", 1)
    made = duologue(*words, "--out", out)
    assert made.code == 0, made.err
    return out


def test_a_trained_retriever_answers_a_file_and_is_scored_with_relevance(
    duologue: Any, folder: Path, model: Path
) -> None:
    result = folder / "result.txt"
    ran = duologue("run", "conversation", "--system", model, folder / "eval.txt", "--out", result)
    assert ran.code == 0, ran.err
    assert len(result.read_text("utf-8").splitlines()) == len(THINGS)
    words = ("score", "conversation", "--gold", folder / "eval.txt", result, "--json")
    scored = duologue(*words, "--option", f"relevance={folder / 'train.txt'}")
    assert scored.code == 0, scored.err
    scores = json.loads(scored.out)["scores"]
    assert scores["relevance"]["value"] > 0.8
    assert scores["relevance"]["low"] is not None
    constant = folder / "constant.txt"
    constant.write_text("sorry , please send us a message\n" * len(THINGS), "utf-8")
    pair = ("--gold", folder / "eval.txt", result, constant)
    tested = duologue("compare", "conversation", *pair, "--option", f"relevance={folder / 'train.txt'}", "--json")
    assert tested.code == 0, tested.err
    (found,) = (one for one in json.loads(tested.out)["comparisons"] if one["score"] == "relevance")
    assert found["difference"] > 0.5


def test_one_talks_with_it_and_the_transcript_is_saved(duologue: Any, folder: Path, model: Path) -> None:
    saved = folder / "chat.json"
    said = "Where is my router?\nIt is 112-3456789\n\nWhere's my lamp?\nbye\nnobody listens\n"
    outcome = duologue("chat", "conversation", "--system", model, "--save", saved, said=said)
    assert outcome.code == 0, outcome.err
    assert "what is the number of the router?" in outcome.out
    assert "is coming" in outcome.out
    assert "a new dialogue begins" in outcome.out
    turns = json.loads(saved.read_text("utf-8"))["turns"]
    assert [turn["speaker"] for turn in turns] == ["user", "system"] * 3
    assert turns[0]["text"] == "where is my router ?"


def test_training_files_may_end_with_the_user_and_be_several(duologue: Any, folder: Path) -> None:
    more = folder / "more.txt"
    more.write_text("U: hello\nS: hi , how can we help ?\nU: never mind\n", "utf-8")
    words = ("train", "conversation", "--system", "retriever", "--train", more)
    for files in ((), ("--train", folder / "train.txt")):
        made = duologue(*words, *files, "--seed", 1, "--out", folder / f"several-{len(files)}")
        assert made.code == 0, made.err
    again = duologue(*words, "--seed", 1, "--out", folder / "several-0")
    assert "nothing to do" in again.out


def test_what_cannot_be_learned_from_or_talked_to_is_said(duologue: Any, folder: Path) -> None:
    bare = folder / "bare.txt"
    bare.write_text("S: hello\n\n", "utf-8")
    refused = duologue("train", "conversation", "--system", "retriever", "--train", bare, "--out", folder / "none")
    assert refused.code == 2
    assert "no reply" in refused.err
    refused = duologue("chat", "conversation")
    assert refused.code == 2
    assert "say whom to talk to" in refused.err
    refused = duologue("chat", "conversation", "--system", "random", said="hello\n")
    assert refused.code == 2
    assert "wants text; systems that do: copy, endpoint, http" in refused.err


def test_a_retriever_scored_on_its_own_training_file_is_told_of_and_can_be_refused(
    duologue: Any, folder: Path, model: Path
) -> None:
    truth, results = folder / "train.txt", folder / "seen"
    result = results / "retriever.txt"
    ran = duologue("run", "conversation", "--system", model, truth, "--out", result)
    assert ran.code == 0, ran.err
    assert "train.txt itself was trained on; 100.0 % of 12 samples" in ran.err
    pair = ("conversation", "--gold", truth, result)
    scored = duologue("score", *pair)
    assert scored.code == 0, scored.err
    assert "[seen-in-training]" in scored.out
    exposure = json.loads(duologue("score", *pair, "--json").out)["exposure"]
    assert (exposure["samples_seen"], exposure["files"], exposure["leak"]) == (len(THINGS), ["train.txt"], True)
    refused = duologue("score", *pair, "--require-unseen", "--out", results / "r.report.json")
    assert (refused.code, (results / "r.report.json").exists()) == (1, False)
    assert "retriever knew this truth" in refused.err
    official = duologue("score", *pair, "--variant", "official")
    assert "seen-in-training" in official.err
    assert "seen-in-training" not in official.out
    compared = duologue("compare", *pair, result)
    assert "[seen-in-training]" in compared.out
    assert duologue("compare", *pair, result, "--require-unseen").code == 1
    board = ("board", "conversation", results, "--gold", truth)
    assert "knew this truth" in duologue(*board).out
    none_left = duologue(*board, "--require-unseen")
    assert none_left.code == 1
    assert "knew this truth" in none_left.err


def test_a_result_that_left_its_sketch_behind_says_so_until_the_model_is_named(
    duologue: Any, folder: Path, model: Path
) -> None:
    result = folder / "moved" / "result.txt"
    duologue("run", "conversation", "--system", model, folder / "eval.txt", "--out", result)
    for sketch in result.parent.glob("*.sketch"):
        sketch.unlink()
    pair = ("score", "conversation", "--gold", folder / "eval.txt", result)
    assert "[training-unknown]" in duologue(*pair).out
    assert duologue(*pair, "--require-unseen").code == 1
    named = duologue(*pair, "--model", model, "--require-unseen")
    assert named.code == 0, named.err
    assert "training-unknown" not in named.out


def test_external_data_are_declared_at_training_and_shown_with_the_track(duologue: Any, folder: Path) -> None:
    (folder / "more.txt").write_text("U: is the shop open ?\nS: yes , until late today\n\n", "utf-8")
    words = ("train", "conversation", "--system", "retriever", "--train", folder / "train.txt", "--seed", 1)
    shown = {}
    for name, declared in (("a", ("none",)), ("b", (f"shops={folder / 'more.txt'}",)), ("c", ())):
        made = duologue(*words, *(f"--external={one}" for one in declared), "--out", folder / f"model-{name}")
        assert made.code == 0, made.err
        result = folder / f"teams-{name}" / "result.txt"
        system = folder / f"model-{name}"
        ran = duologue("run", "conversation", "--system", system, folder / "eval.txt", "--out", result)
        assert ran.code == 0, ran.err
        shown[name] = duologue("score", "conversation", "--gold", folder / "eval.txt", result).out
    assert "external data: none (task A)" in shown["a"]
    assert "external data: shops (task B)" in shown["b"]
    assert "external data: not declared" in shown["c"]
    assert "13 training dialogues" in shown["b"]
    both = duologue(*words, "--external", "none", "--external", "shops", "--out", folder / "model-d")
    assert both.code == 2
    redeclared = duologue(*words, "--external", "films", "--out", folder / "model-c")
    assert "already" in redeclared.out
    assert read_card(folder / "model-c").external == ["films"]


def test_knowledge_is_looked_up_declared_and_shown(duologue: Any, folder: Path, tmp_path: Path) -> None:
    model, result, faq = tmp_path / "model", tmp_path / "result.txt", tmp_path / "faq.jsonl"
    rows = ({"about": f"my {thing} is not here", "text": f"We look for your {thing}."} for thing in THINGS)
    faq.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    words = ("train", "conversation", "--system", "retriever", "--train", folder / "train.txt", "--external", "none")
    made = duologue(*words, "--recipe", "retriever-lookup", "--seed", 1, "--out", model)
    assert made.code == 0, made.err
    ran = duologue("run", "conversation", "--system", model, folder / "eval.txt", "--kb", faq, "--out", result)
    assert ran.code == 0, ran.err
    assert result.read_text("utf-8").splitlines() == [f"we look for your {thing} ." for thing in THINGS]
    told = f"faq.jsonl (looked up while answering, {len(THINGS)} facts, "
    scored = duologue("score", "conversation", "--gold", folder / "eval.txt", result)
    assert f"external data: {told}" in " ".join(scored.out.split())
    assert "(task B)" in " ".join(scored.out.split())
    packed = duologue("pack", "conversation", "--system", model, "--kb", faq, "--out", tmp_path / "entry")
    assert f"external data: {told}" in packed.out, packed.err
    chat = ("chat", "conversation", "--system", model, "--kb", faq, "--save", tmp_path / "talk.json")
    talked = duologue(*chat, said="My lamp isn't here\nbye\n")
    assert "bot: we look for your lamp.\n" in talked.out, talked.err
    assert "said from the knowledge 1.00: my lamp is not here: we look for your lamp." in talked.out
    passages = json.loads((tmp_path / "talk.json").read_text("utf-8"))["turns"][1]["meta"]["knowledge"]
    assert passages[0]["about"] == "my lamp is not here"
    faq.write_text('{"text": ""}\n', "utf-8")
    refused = duologue("run", "conversation", "--system", model, folder / "eval.txt", "--kb", faq, "--out", result)
    assert (refused.code, "line 1" in refused.err) == (1, True)
