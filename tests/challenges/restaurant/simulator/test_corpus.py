from __future__ import annotations

import errno
import hashlib
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.restaurant.formats.domain_file import shipped_path
from duologue.challenges.restaurant.formats.files import load, read_result, write_data, write_result, write_truth
from duologue.challenges.restaurant.knowledge.facts import kb_lines, read_facts
from duologue.challenges.restaurant.scoring.checker import check
from duologue.challenges.restaurant.scoring.scorer import score
from duologue.challenges.restaurant.simulator.corpus import generate
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.systems.solver.solver import Solver
from duologue.core.errors import StorageError, UsageError
from duologue.core.recipe import resolve
from duologue.core.records import Record, Scoring

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


SMALL = Generation(train_dialogs=30, test_dialogs=12)


def hashes(out: Path) -> dict[str, str]:
    files = sorted(path for path in out.rglob("*") if path.is_file())
    return {path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("corpus")
    generate(SMALL, 1, out, workers=1, progress=None)
    return out


def test_a_corpus_has_all_official_files(corpus: Path) -> None:
    names = {path.relative_to(corpus).as_posix() for path in corpus.rglob("*.*") if path.is_file()}
    assert len(names) == 5 + 40 + 2 + 2
    assert {
        "extendedkb1.txt",
        "extendedkb2.txt",
        "generate.toml",
        ".generated.json",
        "train/dialog-task5FULL-kb1_atmosphere-distr0.5-trn30.json",
        "tst4/dialog-task1API-kb2_atmosphere_restrictions-distr0.5-tst12.json",
        "tst4/dialog-task1API-kb2_atmosphere_restrictions-distr0.5-tst12.answers.json",
    } <= names


def test_paths_are_returned_and_progress_is_told(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []

    def note(done: int, total: int, what: str) -> None:
        assert what == "dialogues"
        steps.append((done, total))

    paths = generate(
        Generation(part="tst1", n=8),
        1,
        tmp_path,
        workers=1,
        progress=note,
    )
    assert len(paths) == 11
    assert all(path.is_file() for path in paths)
    assert steps == [(8, 40), (16, 40), (24, 40), (32, 40), (40, 40)]


@pytest.mark.slow
def test_files_are_the_same_with_any_number_of_workers(corpus: Path, tmp_path: Path) -> None:
    generate(SMALL, 1, tmp_path, workers=2, progress=None)
    assert hashes(tmp_path) == hashes(corpus)


def test_files_of_a_seed_have_the_same_bytes_on_every_version_of_python(corpus: Path) -> None:
    files = {name: digest for name, digest in hashes(corpus).items() if name.startswith(("train", "tst", "extended"))}
    text = "".join(f"{name} {digest}\n" for name, digest in files.items())
    assert hashlib.sha256(text.encode()).hexdigest() == (
        "01ee74ebd57094618cf7d65e6e68d5d559ec0b598e617997e2bab99cc4e08656"
    )


def test_another_seed_gives_other_files(corpus: Path, tmp_path: Path) -> None:
    generate(Generation(part="tst1", subtask=1, n=12), 2, tmp_path, workers=1, progress=None)
    ours, theirs = hashes(tmp_path), hashes(corpus)
    assert not {name for name in ours if ours[name] == theirs.get(name)}


@pytest.mark.slow
def test_a_part_made_alone_is_that_part_of_the_whole(corpus: Path, tmp_path: Path) -> None:
    for options in ("part=tst3 subtask=4 n=12", "part=train subtask=2 n=30", "part=tst3 subtask=5 n=12"):
        generate(resolve(Generation, overrides=options.split()), 1, tmp_path, workers=1, progress=None)
    ours, theirs = hashes(tmp_path), hashes(corpus)
    same = {name for name in ours if ours[name] == theirs.get(name)}
    assert set(ours) - same == {"generate.toml", ".generated.json"}
    assert len(same) == 6


def test_a_longer_file_starts_with_the_rows_of_a_shorter_one(tmp_path: Path) -> None:
    texts = []
    for n in (6, 9):
        paths = generate(Generation(part="tst2", subtask=3, n=n), 4, tmp_path / str(n), workers=1, progress=None)
        texts.append(next(path.read_text() for path in paths if path.suffixes == [".5-tst" + str(n), ".json"]))
    assert texts[1].startswith(texts[0][:-1])


def test_every_file_is_valid_and_a_perfect_agent_scores_1(corpus: Path, tmp_path: Path) -> None:
    for path in sorted(corpus.rglob("dialog-*[0-9].json")):
        examples = load(path)
        answers = Solver().answer([example.sample for example in examples])
        result = tmp_path / path.name
        write_result(((example.sample.id, answer) for example, answer in zip(examples, answers, strict=True)), result)
        submission = read_result(result)
        assert check(submission, examples, "strict") == ()
        gold = examples if path.parent.name == "train" else load(path.with_suffix(".answers.json"))
        if path.parent.name != "train":  # there the answer may stand twice, and only one of the two counts
            report = score(gold, submission, Scoring(variant="official"))
            assert {one.name: one.value for one in report.scores}["p@1"] == 1


def test_files_have_the_official_byte_layout(corpus: Path, tmp_path: Path) -> None:
    for path in sorted(corpus.rglob("dialog-*-kb1_atmosphere-*.json")):
        write = write_truth if ".answers" in path.name else write_data
        write(load(path), tmp_path / "again.json")
        assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    assert read_facts(corpus / "extendedkb2.txt") == make_kb(2, 1)


def test_dialogues_end_with_the_user_or_facts_and_hold_no_answer_of_a_test(corpus: Path) -> None:
    paths = sorted(corpus.rglob("dialog-*[0-9].json"))
    assert len(paths) == 25
    for path in paths:
        examples = load(path)
        assert {example.sample.history[-1].speaker for example in examples} <= {"user", "api"}
        assert {len(example.references) for example in examples} == {int(path.parent.name == "train")}


def test_the_saved_recipe_can_be_given_again(corpus: Path, tmp_path: Path) -> None:
    recipe = resolve(Generation, file=corpus / "generate.toml")
    assert recipe == SMALL
    assert "seed is 1" in (corpus / "generate.toml").read_text()
    only = msgspec.structs.replace(recipe, part="tst1", subtask=2, take_newest=1)  # 1 is 1.0
    generate(only, 1, tmp_path, workers=1, progress=None)
    ours, theirs = hashes(tmp_path), hashes(corpus)
    assert {name for name in ours if ours[name] != theirs.get(name)} == {"generate.toml", ".generated.json"}


def test_complete_files_are_kept_and_damaged_ones_made_again(tmp_path: Path) -> None:
    recipe = Generation(part="tst1", n=8)
    paths = generate(recipe, 1, tmp_path, workers=1, progress=None)
    before = hashes(tmp_path)
    damaged, kept = paths[-2], paths[1]
    damaged.write_text("[]")
    rest = damaged.with_name(f".{damaged.name}.xyz.part")
    rest.write_text("what a kill left")
    stamp = kept.stat().st_mtime_ns
    told: list[tuple[int, int, str]] = []
    generate(recipe, 1, tmp_path, workers=1, progress=lambda *step: told.append(step))
    assert hashes(tmp_path) == before
    assert kept.stat().st_mtime_ns == stamp
    assert told == [(8, 8, "dialogues")]  # one file alone
    assert not rest.exists()


def test_a_folder_with_another_corpus_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    generate(Generation(part="tst1", subtask=1, n=5), 1, tmp_path, workers=1, progress=None)
    before = hashes(tmp_path)
    for subtask in (1, 2):
        with pytest.raises(UsageError, match="another recipe, seed or version of duologue"):
            generate(Generation(part="tst1", subtask=subtask, n=5), 2, tmp_path, workers=1, progress=None)
    assert hashes(tmp_path) == before


def test_a_file_of_the_user_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "extendedkb1.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=r"none of this corpus \(extendedkb1.txt\)"):
        generate(Generation(part="tst1", subtask=1, n=5), 1, tmp_path, workers=1, progress=None)
    assert [path.read_text("utf-8") for path in tmp_path.iterdir()] == ["mine"]


def test_given_bases_are_copied_and_used(tmp_path: Path) -> None:
    facts = make_kb(1, 77)
    (tmp_path / "mine.txt").write_text(kb_lines(facts))
    recipe = Generation(part="tst1", subtask=4, n=6, kb1=str(tmp_path / "mine.txt"))
    paths = generate(recipe, 1, tmp_path / "out", workers=1, progress=None)
    assert read_facts(paths[0]) == facts
    assert {
        line.split()[0] for example in load(paths[1]) for line in example.source["utterances"] if " r_" in line
    } <= {fact.subject for fact in facts}


def test_what_is_impossible_is_said_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no such file"):
        generate(Generation(kb1="nowhere.txt"), 1, tmp_path / "out", workers=1, progress=None)
    with pytest.raises(UsageError, match="lacks a request with at least 99 matches"):
        generate(Generation(matches_options=99), 1, tmp_path / "out", workers=1, progress=None)
    with pytest.raises(UsageError, match="expected a Generation"):
        generate(Record(), 1, tmp_path / "out", workers=1, progress=None)
    assert not (tmp_path / "out").exists()


def test_a_file_in_place_of_the_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(StorageError, match="cannot"):
        generate(Generation(part="tst1", subtask=1, n=2), 1, tmp_path / "out", workers=1, progress=None)


def test_a_full_disk_is_said_and_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = os.fsync, iter(range(100))

    def full(handle: int) -> None:
        if next(calls) > 3:  # recipe, base and two ledgers fit
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr("duologue.core.disk.os.fsync", full)
    recipe = Generation(part="tst1", n=4)
    with pytest.raises(StorageError, match="no space left on the disk"):
        generate(recipe, 1, tmp_path / "out", workers=1, progress=None)
    monkeypatch.undo()
    assert not list((tmp_path / "out").rglob("*.part"))
    generate(recipe, 1, tmp_path / "out", workers=1, progress=None)
    generate(recipe, 1, tmp_path / "whole", workers=1, progress=None)
    assert hashes(tmp_path / "out") == hashes(tmp_path / "whole")


SCRIPT = """
import sys
from pathlib import Path
from duologue.challenges.restaurant.simulator.corpus import generate
from duologue.challenges.restaurant.simulator.recipe import Generation
if __name__ == "__main__":
    recipe = Generation(part="train", n=int(sys.argv[2]))
    try:
        generate(recipe, 1, Path(sys.argv[1]), workers=2, progress=None)
    except KeyboardInterrupt:
        sys.exit("stopped")
"""


_LONG = 4000
"""Dialogues per file: enough that a signal after the first file comes before the last."""


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("training")
    generate(Generation(part="train", n=_LONG), 1, out, workers=1, progress=None)
    return out


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_run_leaves_whole_files_and_the_next_one_ends_with_the_same_bytes(
    stop: signal.Signals, training: Path, tmp_path: Path
) -> None:
    script, out, n = tmp_path / "script.py", tmp_path / "out", _LONG
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, str(script), str(out), str(n)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_hear_ctrl_c,  # noqa: PLW1509  # nothing here runs threads
    )
    assert _waited(lambda: any(out.glob("train/*.json")))
    if stop == signal.SIGINT:
        os.killpg(process.pid, stop)  # as a terminal does: the workers get it, too
    else:
        process.kill()
    error = process.communicate(timeout=30)[1]
    assert process.returncode == (1 if stop == signal.SIGINT else -signal.SIGKILL)
    assert error == ("stopped\n" if stop == signal.SIGINT else "")
    assert 0 < len(list(out.glob("train/*.json"))) < 5
    if stop == signal.SIGINT:
        assert _waited(lambda: not list(out.rglob("*.part")))  # the last worker tidies up after the run has ended
    assert _waited(lambda: not _alive(process.pid))  # no worker outlives the run
    generate(Generation(part="train", n=n), 1, out, workers=1, progress=None)
    assert hashes(out) == hashes(training)


def _hear_ctrl_c() -> None:
    """Undo what a shell does to programs in its background: they inherit that Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _waited(condition: Callable[[], object]) -> bool:
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.02)
    return False


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_corpus_of_another_domain_describes_it(tmp_path: Path) -> None:
    recipe = Generation(domain="hotel", train_dialogs=6, test_dialogs=4, subtask=5)
    paths = generate(recipe, 2, tmp_path / "one", workers=1, progress=None)
    generate(recipe, 2, tmp_path / "two", workers=2, progress=None)
    assert hashes(tmp_path / "one") == hashes(tmp_path / "two")
    assert {"domain1.toml", "domain2.toml"} <= {path.name for path in paths}
    again = Generation(domain=str(tmp_path / "one" / "domain2.toml"), part="tst1", test_dialogs=3)
    generate(again, 2, tmp_path / "again", workers=1, progress=None)  # a described domain can be generated from
    kb = (tmp_path / "one" / "extendedkb2.txt").read_bytes()
    assert (tmp_path / "again" / "extendedkb1.txt").read_bytes() == kb


def test_a_domain_without_an_unseen_slot_makes_the_sets_that_need_none(tmp_path: Path) -> None:
    text = shipped_path("hotel").read_text(encoding="utf-8").replace('unseen = "breakfast"\n', "")
    (tmp_path / "plain.toml").write_text(text, encoding="utf-8")
    recipe = Generation(domain=str(tmp_path / "plain.toml"), train_dialogs=2, test_dialogs=2, subtask=1)
    generate(recipe, 1, tmp_path / "out", workers=1, progress=None)
    assert {path.name for path in (tmp_path / "out").iterdir() if path.is_dir()} == {"train", "tst1", "tst2"}
    with pytest.raises(UsageError, match="has no unseen slot"):
        generate(msgspec.structs.replace(recipe, part="tst3"), 1, tmp_path / "no", workers=1, progress=None)
