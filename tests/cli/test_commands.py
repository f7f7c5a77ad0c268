"""The verbs from end to end."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
import pytest
from tests.command import DUOLOGUE

from duologue.cli.main import _stopped, cli
from duologue.core.locks import FOLDER_LOCK, writing_file, writing_folder

if TYPE_CHECKING:
    from collections.abc import Callable

SPOKEN = Path(__file__).resolve().parents[1] / "golden" / "spoken"


def test_every_verb_has_help_with_an_example(duologue: Any) -> None:
    for verb in cli.list_commands(click.Context(cli)):
        outcome = duologue(verb, "--help")
        assert outcome.code == 0
        assert "Example" in outcome.out
        assert f"duologue {verb}" in outcome.out


def test_the_list_names_our_task_and_systems(duologue: Any) -> None:
    rows = json.loads(duologue("list", "--json").out)
    assert "restaurant" in [row["name"] for row in rows["tasks"]]
    assert {"random", "ranker", "solver", "tfidf"} <= {row["name"] for row in rows["systems"]}
    assert all(len(row["about"]) > 20 for kind in rows.values() for row in kind)
    assert [row["name"] for kind in rows.values() for row in kind if "`" in row["about"]] == []  # words of the code


def test_a_broken_plug_in_says_so_in_its_row_and_hides_no_other(duologue: Any, tmp_path: Path) -> None:
    info = tmp_path / "broken_pack-0.7.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-pack\nVersion: 0.7\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[duologue.systems]\nbroken = nosuchmodule:System\n", encoding="utf-8")
    shown = duologue("list", PYTHONPATH=str(tmp_path))
    assert shown.code == 0, shown.err
    about, fits = [line for line in shown.out.splitlines() if line.lstrip().startswith("broken ")]
    assert "cannot be loaded" in about
    assert "x" not in fits.split()
    assert "  tfidf " in shown.out
    assert "\\n" not in shown.out


LEAVER = """
import sys
from duologue.core.records import Record

class Leaver:
    Recipe, seen = Record, "nothing"
    def __init__(self, recipe): pass
    def prepare(self, info, seed, worlds): sys.exit()
    def answer(self, samples): return []
"""


def test_a_plug_in_that_ends_the_program_is_told_of(duologue: Any, corpus: Any, tmp_path: Path) -> None:
    info = tmp_path / "leaver_pack-0.7.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: leaver-pack\nVersion: 0.7\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[duologue.systems]\nleaver = leavermodule:Leaver\n", encoding="utf-8")
    (tmp_path / "leavermodule.py").write_text(LEAVER, encoding="utf-8")
    words = ("run", "restaurant", corpus.data, "--system", "leaver", "--out", tmp_path / "out.json")
    done = duologue(*words, PYTHONPATH=str(tmp_path), COLUMNS="200")
    assert done.code == 1
    assert "the system 'leaver' of the package 'leaver-pack' (leavermodule:Leaver) called sys.exit(None)" in done.err
    assert not (tmp_path / "out.json").exists()


def test_the_perfect_agent_scores_one_on_generated_data(duologue: Any, corpus: Any, solved: Path) -> None:
    outcome = duologue("score", "restaurant", "--gold", corpus.truth, solved, "--json")
    found = json.loads(outcome.out)
    assert set(found) >= {"task", "variant", "n", "scores", "signature"}
    assert found["scores"]["p@1"] == {"value": 1.0, "low": pytest.approx(0.9259, abs=1e-4), "high": 1.0}
    assert (found["task"], found["variant"], found["n"]) == ("restaurant", "strict", 40)


@pytest.mark.parametrize("name", ["random", "tfidf"])
def test_a_baseline_makes_a_file_that_is_accepted_and_scored(
    installed: Any, corpus: Any, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "out.answers.json"
    assert installed("run", "restaurant", "--system", name, corpus.data, "--out", out).code == 0
    assert installed("check", "restaurant", out, "--input", corpus.data).code == 0
    found = json.loads(installed("score", "restaurant", "--gold", corpus.truth, out, "--json").out)
    assert 0 < found["scores"]["p@5"]["value"] < 1
    assert found["scores"]["p@5"]["low"] < found["scores"]["p@5"]["value"] < found["scores"]["p@5"]["high"]


def test_the_note_beside_a_result_says_what_made_it(corpus: Any, solved: Path) -> None:
    import tomllib

    note = tomllib.loads(solved.with_name("solver.pred.run.toml").read_text(encoding="utf-8"))
    assert note["system"] == "solver"
    assert note["input"] == corpus.data.name
    assert len(note["input_hash"]) == len(note["world_hash"]) == 64
    assert "rules" in note["seen"]


def test_what_came_of_a_run_is_told_as_json(duologue: Any, corpus: Any, tmp_path: Path) -> None:
    out = tmp_path / "pred.json"
    words = ("run", "restaurant", corpus.data, "--system", "random", "--seed", 3, "--json", "--out")
    done = duologue(*words, out)
    assert done.code == 0, done.err
    note = f"{out.with_suffix('')}.run.toml"
    assert json.loads(done.out) == {"result": str(out), "note": note, "answers": 40, "seed": 3, "usage": {}}
    assert Path(note).is_file()
    refused = duologue(*words, "/dev/stdout")
    assert (refused.code, "give --out a file" in refused.err, refused.out) == (2, True, "")


def test_the_same_seed_gives_the_same_result_file_and_another_seed_another(
    duologue: Any, corpus: Any, tmp_path: Path
) -> None:
    files = []
    for number, seed in enumerate((5, 5, 6)):
        out = tmp_path / f"{number}.answers.json"
        duologue("run", "restaurant", "--system", "random", corpus.data, "--seed", seed, "--out", out)
        files.append(out.read_bytes())
    assert files[0] == files[1] != files[2]


def test_official_scoring_prints_the_official_lines_and_nothing_else(duologue: Any, corpus: Any, solved: Path) -> None:
    outcome = duologue("score", "restaurant", "--gold", corpus.truth, solved, "--variant", "official")
    assert outcome.out == "Precision @1: 1.0\nPrecision @2: 1.0\nPrecision @5: 1.0\n"


def test_the_table_shows_percent_intervals_and_the_signature(duologue: Any, corpus: Any, solved: Path) -> None:
    outcome = duologue("score", "restaurant", "--gold", corpus.truth, solved, "--input", corpus.data)
    assert "100.0" in outcome.out
    assert "answer-type" in outcome.out
    assert "strict" in outcome.out


def test_a_file_with_problems_is_refused_with_all_of_them(
    duologue: Any, corpus: Any, solved: Path, tmp_path: Path
) -> None:
    rows = json.loads(solved.read_text(encoding="utf-8"))
    del rows[3]
    rows[0]["lst_candidate_id"][1]["rank"] = 1
    rows[1]["lst_candidate_id"][0]["candidate_id"] = "nobody"
    broken = tmp_path / "broken.answers.json"
    broken.write_text(json.dumps(rows), encoding="utf-8")
    checked = duologue("check", "restaurant", broken, "--input", corpus.data, "--json")
    assert checked.code == 1
    told = json.loads(checked.out)
    assert len({problem["rule"] for problem in told["problems"]}) >= 3
    assert told["total"] == len(told["problems"])
    official = duologue("check", "restaurant", broken, "--input", corpus.data, "--variant", "official")
    assert (official.code, official.out) == (0, "[Success]: Valid format\n")
    scored = duologue("score", "restaurant", "--gold", corpus.truth, broken)
    assert (scored.code, scored.out) == (1, "")
    assert "Nothing was scored" in scored.err
    partial = duologue("score", "restaurant", "--gold", corpus.truth, broken, "--partial", "--json")
    assert json.loads(partial.out)["scores"]["p@1"]["value"] < 1


def test_two_saved_reports_are_compared_and_joined_in_a_page(
    duologue: Any, corpus: Any, solved: Path, tmp_path: Path
) -> None:
    other, page = tmp_path / "random.answers.json", tmp_path / "report.html"
    duologue("run", "restaurant", "--system", "random", corpus.data, "--out", other)
    saved = []
    for result in (solved, other):
        saved.append(tmp_path / f"{result.stem}.report.json")
        duologue("score", "restaurant", "--gold", corpus.truth, result, "--out", saved[-1])
    found = json.loads(duologue("compare", *saved, "--json").out)["comparisons"]
    first = next(row for row in found if row["score"] == "p@1")
    assert first["a"] == "solver"
    assert first["better"] == "a"
    assert first["p_adjusted"] < 0.01
    assert duologue("board", *saved, "--out", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert "<svg" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert "random" in text


def test_the_walker_shows_every_dialogue_and_the_statistics(duologue: Any, corpus: Any, tmp_path: Path) -> None:
    plain, statistics = tmp_path / "plain.txt", tmp_path / "statistics.txt"
    assert duologue("show", "restaurant", corpus.data, "--plain", plain, "--statistics", statistics).code == 0
    assert plain.read_text(encoding="utf-8").count("dialog_id: ") == 40
    assert "nb_dialog:\n40\n" in statistics.read_text(encoding="utf-8")
    found = json.loads(duologue("show", "restaurant", corpus.data, "--json").out)
    assert found["nb_dialog"] == 40


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "restaurnat", "--system", "random", "x", "--out", "y"), "did you mean 'restaurant'"),
        (("run", "restaurant", "--system", "sovler", "x", "--out", "y"), "did you mean 'solver'"),
        (("train", "restaurant", "--system", "solver", "--out", "y"), "does not learn"),
        (("train", "restaurant", "--system", "ranker", "--set", "regmie=closed", "--out", "y"), "regime"),
        (("generate", "restaurant", "--set", "n=many", "--out", "y"), "n"),
        (("score", "restaurant", "--gold", "x"), "RESULT"),
        (("nonsense",), "nonsense"),
        (
            ("train", "restaurant", "--system", "ranker", "--held-out", "x", "--out", "m"),
            "--held-out needs training files",
        ),
    ],
)
def test_a_wrong_call_exits_with_2_and_says_what_is_wrong(
    duologue: Any, tmp_path: Path, words: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = duologue(*words)
    assert outcome.code == 2
    assert said in outcome.err
    assert "Traceback" not in outcome.err
    assert not list(tmp_path.iterdir())


def _faults(folder: Path) -> dict[str, Path]:
    (folder / "truncated.json").write_text('[{"dialog_id": "a", "utterances": ["hi"', encoding="utf-8")
    (folder / "object.json").write_text("{}", encoding="utf-8")
    (folder / "binary.json").write_bytes(bytes(range(256)) * 64)
    (folder / "gz.json.gz").write_bytes(b"\x1f\x8b\x08\x00 not gzip at all")
    (folder / "folder.json").mkdir()
    return {path.name: path for path in sorted(folder.iterdir())} | {"missing.json": folder / "missing.json"}


def test_a_broken_input_gives_a_message_and_no_file(duologue: Any, tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    for name, path in _faults(sources).items():
        out = tmp_path / "out.answers.json"
        ran = duologue("run", "restaurant", "--system", "solver", path, "--out", out)
        assert ran.code in {1, 2}, name
        assert name in ran.err
        assert "Traceback" not in ran.err
        assert "should not have happened" not in ran.err
        assert not out.exists()
        checked = duologue("check", "restaurant", path)
        assert checked.code == 1, name
        assert "Traceback" not in checked.err
        assert "should not have happened" not in checked.err


def test_a_full_disk_is_said_and_leaves_nothing_half_written(duologue: Any, corpus: Any) -> None:
    outcome = duologue("run", "restaurant", "--system", "tfidf", corpus.data, "--out", "/dev/full/x.json")
    assert outcome.code == 1
    assert "/dev/full" in outcome.err
    assert "Traceback" not in outcome.err


def test_a_folder_in_place_of_the_output_file_is_said(duologue: Any, corpus: Any, tmp_path: Path) -> None:
    outcome = duologue("run", "restaurant", "--system", "tfidf", corpus.data, "--out", tmp_path / "made")
    assert outcome.code == 0
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.iterdir())
    outcome = duologue("run", "restaurant", "--system", "tfidf", corpus.data, "--out", tmp_path / "folder")
    assert (outcome.code, "is a folder; name a file" in outcome.err) == (2, True)
    assert sorted(tmp_path.iterdir()) == before  # all was answered before, and a journal was left


BOOKINGS = ("restaurant", "--part", "tst1", "--n", 1500)
CALLS = ("mobilecs", "--set", "unlabelled_ratio=1", "--n", 400)
GENERATE = ("--seed", 3, "--workers", 2, "--out")


@pytest.fixture(scope="module")
def whole(duologue: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return what makes the corpus that a generation ends with when nobody stops it, once."""

    @cache
    def made(*task: object) -> Path:
        out = tmp_path_factory.mktemp("whole") / "out"
        assert duologue("generate", *task, *GENERATE, out).code == 0
        return out

    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "first", "how"),
    [
        (BOOKINGS, "tst1/dialog-*.json", signal.SIGKILL),
        (BOOKINGS, "tst1/dialog-*.json", signal.SIGINT),
        (BOOKINGS, "tst1/dialog-*.json", signal.SIGTERM),
        (CALLS, "track2/train.json", signal.SIGKILL),
        (CALLS, "track2/train.json", signal.SIGTERM),
    ],
)
def test_a_stopped_generation_goes_on_and_gives_the_same_bytes(
    installed: Any,
    whole: Callable[..., Path],
    tmp_path: Path,
    task: tuple[object, ...],
    first: str,
    how: signal.Signals,
) -> None:
    expected = _bytes_of(whole(*task))
    words = ("generate", *task, *GENERATE)
    process = installed.start(*words, tmp_path / "stopped")
    until = time.monotonic() + 60
    while not list((tmp_path / "stopped").glob(first)) and time.monotonic() < until:
        time.sleep(0.01)  # the first file is there, so the workers are at work and the others are not
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    time.sleep(0.5)  # workers notice that their parent is gone
    for path in (tmp_path / "stopped").rglob("*.json"):
        json.loads(path.read_bytes())  # whatever bears a final name is whole
    assert len(_bytes_of(tmp_path / "stopped")) < len(expected)
    assert installed(*words, tmp_path / "stopped").code == 0
    assert _bytes_of(tmp_path / "stopped") == expected


COUNTED = """
import os, signal, sys
from duologue.challenges.restaurant.systems.solver.solver import Solver
from duologue.cli.main import main
from duologue.run import journal, predict

predict.CHUNK, most, asked, add, answer = 10, int(sys.argv.pop(1)), [], journal.Journal.add, Solver.answer

def counted_add(self, places, answers):
    add(self, places, answers)
    if len(self.answers) >= most:
        os.kill(os.getpid(), signal.SIGKILL)

def counted_answer(self, samples):
    asked.extend(samples)
    return answer(self, samples)

journal.Journal.add, Solver.answer = counted_add, counted_answer
try:
    main()
finally:
    print("asked", len(asked))
"""
"""The command, which tells how many samples the system was asked and is killed once so many answers are kept."""


def test_a_killed_run_goes_on_from_its_journal_and_gives_the_same_file(
    duologue: Any, corpus: Any, tmp_path: Path
) -> None:
    def run(most: int, out: Path) -> subprocess.CompletedProcess[str]:
        words = ("run", "restaurant", "--system", "solver", corpus.data, "--kb", corpus.kb, "--out", out)
        command = [sys.executable, "-c", COUNTED, str(most), *map(str, words)]
        return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)

    whole, stopped = tmp_path / "whole.pred.json", tmp_path / "stopped.pred.json"
    first = run(1000, whole)
    assert (first.returncode, first.stdout.split()[-2:]) == (0, ["asked", "40"])
    assert run(20, stopped).returncode == -signal.SIGKILL
    assert not stopped.exists()
    again = run(1000, stopped)
    assert (again.returncode, again.stdout.split()[-2:]) == (0, ["asked", "20"])
    assert stopped.read_bytes() == whole.read_bytes()
    assert not list(tmp_path.glob(".*journal"))


def test_the_walker_warns_of_a_byte_order_mark_once(installed: Any, corpus: Any, tmp_path: Path) -> None:
    marked = tmp_path / "marked.json"
    marked.write_bytes(b"\xef\xbb\xbf" + corpus.data.read_bytes())
    shown = installed("show", "restaurant", marked)
    assert shown.code == 0
    assert "nb_dialog:\n40\n" in shown.out  # the statistics, for which the file is read again
    assert shown.err.count("byte order mark") == 1


def test_output_cut_off_by_the_reader_is_no_fault(installed: Any, corpus: Any) -> None:
    process = installed.start("show", "restaurant", corpus.data)
    assert process.stdout is not None
    process.stdout.read(10)
    process.stdout.close()
    process.wait(timeout=60)
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    assert "Traceback" not in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission_is_said(duologue: Any, corpus: Any, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    outcome = duologue("run", "restaurant", "--system", "tfidf", corpus.data, "--out", tmp_path / "x.json")
    assert outcome.code == 1
    assert "permission" in outcome.err


def _bytes_of(folder: Path) -> dict[str, Any]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in {".json", ".txt"} and not path.name.startswith(".")
    }


def test_a_table_is_booked_in_a_chat_and_the_transcript_is_saved(duologue: Any, corpus: Any, tmp_path: Path) -> None:
    lines = [
        "Hello!",
        "I'd like to book a table for two in Paris, please",
        "casual",
        "italian",
        "something cheap",
        "it's perfect",
        "what is the phone number?",
        "thanks",
        "no thanks",
        "bye",
    ]
    transcript = tmp_path / "chat.json"
    outcome = duologue("chat", "restaurant", "--save", transcript, said="\n".join(lines) + "\n")
    assert outcome.code == 0
    assert "api_call italian paris two cheap casual" in outcome.out
    assert "facts from the knowledge base" in outcome.out
    assert "great let me do the reservation" in outcome.out
    assert "_phone" in outcome.out
    from duologue.core.records import Dialogue

    dialogue = msgspec.json.decode(transcript.read_bytes(), type=Dialogue)
    assert next(turn.text for turn in dialogue.turns if turn.speaker == "user") == "Hello!"
    assert [turn for turn in dialogue.turns if turn.speaker == "api"]


def test_a_talk_whose_transcript_has_no_place_is_not_begun(duologue: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    outcome = duologue("chat", "restaurant", "--save", tmp_path / "file" / "chat.json", said="hello\nbye\n")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith(f"duologue: cannot write {tmp_path / 'file' / 'chat.json'}: ")


def test_the_chat_speaks_chinese_about_itself(duologue: Any, tmp_path: Path) -> None:
    outcome = duologue("chat", "restaurant", "--lang", "zh", "--save", tmp_path / "c.json", said="hi\nbye\n")
    assert "机器人" in outcome.out
    assert "对话记录" in outcome.out


def test_a_truth_file_that_is_a_ring_of_links_gets_a_message(duologue: Any, tmp_path: Path) -> None:
    (tmp_path / "truth.json").symlink_to("truth.json")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "a.pred.json").write_text("[]", encoding="utf-8")
    outcome = duologue("board", "restaurant", tmp_path / "results", "--gold", tmp_path / "truth.json")
    assert outcome.code in {1, 2}
    assert "truth.json" in outcome.err
    assert "should not have happened" not in outcome.out + outcome.err


@pytest.mark.slow
def test_a_file_that_swells_is_refused_unless_the_user_allows_it(duologue: Any, tmp_path: Path) -> None:
    path = tmp_path / "replies.txt.gz"
    path.write_bytes(gzip.compress(b"a b\n" * (2 << 20), compresslevel=1))  # 8 MiB in 35 KiB
    refused = duologue("check", "proactive", path)
    assert refused.code == 1
    assert "unpacks to more than 1 MiB and over 100 times its packed size" in refused.out + refused.err
    assert "duologue --max-unpacked 256G" in refused.out + refused.err
    assert duologue("--max-unpacked", "10M", "check", "proactive", path).code == 0
    assert duologue("check", "proactive", path, DUOLOGUE_MAX_UNPACKED="10M").code == 0
    assert duologue("--max-unpacked", "much", "list").code == 2


def test_a_second_writer_to_one_output_is_told_of_the_first(installed: Any, corpus: Any, tmp_path: Path) -> None:
    out, source = tmp_path / "out", tmp_path / "xml" / "1999" / "1"
    source.mkdir(parents=True)
    (source / "1.xml").write_text('<document><s id="1">hello there</s></document>', encoding="utf-8")
    asked = (corpus.data, "--out", out)
    with writing_folder(out):
        for words in (
            ("generate", "restaurant", "--part", "tst1", "--subtask", 1, "--n", 5, "--out", out),
            ("train", "restaurant", "--system", "ranker", "--set", "dialogues=10", "--out", out),
            ("data", "extract", "subtitles", tmp_path / "xml", "--workers", 1, "--out", out),
        ):
            refused = installed(*words)
            assert refused.code == 1
            assert "is being written by another process (number" in refused.err
            assert [path.name for path in out.iterdir()] == [FOLDER_LOCK]
    with writing_file(out):
        refused = installed("run", "restaurant", "--system", "random", *asked)
        assert refused.code == 1
        assert "is being written by another process (number" in refused.err
    assert installed("run", "restaurant", "--system", "random", *asked).code == 0


@pytest.mark.slow
def test_every_command_that_writes_a_folder_is_told_who_else_writes_there(
    installed: Any, corpus: Any, tmp_path: Path
) -> None:
    """Two exams of other seeds left questions of one beside the answers of the other."""
    out, store = tmp_path / "out", tmp_path / "a.json"
    store.write_text("{}", encoding="utf-8")
    truth = ("--gold", corpus.truth)
    with writing_folder(out):
        for words in (
            ("data", "exam", SPOKEN / "tiny-kg.json", "--n", 2, "--out", out),
            ("data", "collect", "export", store, "--out", out),
            ("data", "collect", "export", store, "--out", out, "--keep-personal-data"),
            ("export", "restaurant", corpus.data, *truth, "--to", "lm-eval", "--force", "--out", out),
        ):
            refused = installed(*words)
            assert "is being written by another process (number" in refused.err, words
            assert refused.code == 1
            assert [path.name for path in out.iterdir()] == [FOLDER_LOCK]


def begin_chat(folder: Path, before: Any = None) -> subprocess.Popen[str]:
    """Start a chat and wait until it has said something."""
    words = [str(DUOLOGUE), "chat", "restaurant", "--save", str(folder / "talk.json")]
    process = subprocess.Popen(
        words,
        stdin=-1,
        stdout=-1,
        stderr=-1,
        encoding="utf-8",
        preexec_fn=before or _hear_all,  # noqa: PLW1509  # signals as the child should have them; no threads here
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("hello\n")
    process.stdin.flush()
    while "bot: " not in process.stdout.readline():
        assert process.poll() is None
    return process


def _hear_all() -> None:
    for one in (signal.SIGINT, signal.SIGHUP):
        signal.signal(one, signal.SIG_DFL)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_chat_that_is_stopped_is_saved_and_promises_nothing(tmp_path: Path, how: signal.Signals) -> None:
    process = begin_chat(tmp_path)
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Transcript: " in out
    assert err.strip() == "Stopped."
    assert json.loads((tmp_path / "talk.json").read_bytes())["turns"]


def test_a_closed_terminal_stops_nothing_that_was_started_to_stay(tmp_path: Path) -> None:
    process = begin_chat(tmp_path, lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    process.communicate("/quit\n", timeout=60)
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--max-unpacked 3 train restaurant --out m", "goes on where it was"),
        ("data extract subtitles en.tar.gz --out m", "goes on where it was"),
        ("extract subtitles en.tar.gz --out m", "goes on where it was"),
        ("data extract twitter store --out m", "begins anew"),
        ("--max-unpacked 3G data collect twitter train --store s", "goes on where it was"),
        ("data import tweets run --store s", "begins anew"),
        ("", "begins anew"),
        ("simulate proactive --out x", "goes on where it was"),
        ("simulate proactive", "begins anew"),
        ("simulate proactive --out=x", "goes on where it was"),
        ("score restaurant run", "begins anew"),
        ("data fetch restaurant --out d", "goes on where it was"),
        ("campaign rate 3f2a --person p", "goes on where it was"),
        ("campaign start c.toml", "begins anew"),
    ],
)
def test_only_what_goes_on_is_said_to(words: str, said: str) -> None:
    assert said in _stopped(words.split())
