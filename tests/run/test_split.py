"""A split is by dialogue, seeded, and whole or not there; in every task's formats."""

from __future__ import annotations

import gzip
import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from duologue.cli.main import cli
from duologue.core.disk import replacing
from duologue.core.errors import FormatError, StorageError, UsageError
from duologue.core.plugins import load_task
from duologue.run.split import Sizes, counts_of, parse_sizes, split

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
HALVES = parse_sizes(["a=0.5", "b=0.5"])


def session(number: int) -> dict[str, Any]:
    return {
        "goal": [["START", f"A{number}", "B"], [f"A{number}", "p", "B"]],
        "knowledge": [[f"A{number}", "p", "B"]],
        "conversation": ["one", "two", f"three {number}", "four"],
    }


def made(folder: Path, kind: str, n: int) -> tuple[str, Path]:
    """Write a data file of `n` dialogues; return its task and path."""
    path = folder / f"{kind}.txt"
    rows: list[Any]
    if kind == "sessions":
        path.write_text("".join(json.dumps(session(one)) + "\n" for one in range(n)), "utf-8")
        return "proactive", path
    if kind == "samples":
        rows = []
        for one in range(n):
            whole = session(one)
            talk = whole.pop("conversation")
            rows += [{**whole, "history": talk[:at], "response": talk[at]} for at in (0, 2)]
        random.Random(1).shuffle(rows)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return "proactive", path
    if kind == "dialogues":
        blocks = [f"U: hello {one}\nS: yes\n\n" for one in range(n)] + ["U: hello 0\nS: yes\nU: and?\nS: no\n\n"]
        path.write_text("".join(blocks), "utf-8")
        return "conversation", path
    if kind == "replies":
        path.write_text("".join(f"reply {one}\n" for one in range(n)), "utf-8")
        return "conversation", path
    if kind == "spoken":
        rows = [{"messages": [{"message": f"q{one}"}, {"message": "a"}]} for one in range(n)]
        path.write_text(json.dumps(rows), "utf-8")
        return "spoken", path
    if kind == "spoken samples":
        named = {f"t{one}.{size}": [{"message": f"q{one}"}] * size for one in range(n) for size in (1, 3)}
        path.write_text(json.dumps(named), "utf-8")
        return "spoken", path
    if kind == "restaurant":
        candidates = [{"candidate_id": f"c{one}", "utterance": f"u{one}"} for one in range(7)]
        rows = [{"dialog_id": f"d{one}", "utterances": ["hi"], "candidates": candidates} for one in range(n)]
        path.write_text(json.dumps(rows), "utf-8")
        return "restaurant", path
    text = (GOLDEN / "mobilecs" / "small-dialogues.json").read_text("utf-8")
    row = json.loads(text)[0]
    path.write_text(json.dumps([{**row, "id": f"m{one}"} for one in range(n)], ensure_ascii=False, indent=2), "utf-8")
    return "mobilecs/extraction", path


KINDS = ["sessions", "samples", "dialogues", "replies", "spoken", "spoken samples", "restaurant", "mobilecs"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_dialogue_is_in_two_parts_and_nothing_is_lost(kind: str, tmp_path: Path) -> None:
    name, path = made(tmp_path, kind, 20)
    task = load_task(name)
    done = split(task, path, [], tmp_path / "out", parse_sizes(["train=0.7", "dev=3", "test=rest"]), seed=1)
    assert [one.dialogues for one in done.parts] == [14, 3, 3]
    assert done.left_out == 0
    whole = task.rows(path)
    dialogue = {row.text: row.dialogue for row in whole.rows()}
    found: dict[str, set[str]] = {}
    for one in done.parts:
        rows = list(task.rows(one.path).rows())
        assert len(rows) == one.rows
        assert list(task.load(one.path))
        found[one.path.parent.name] = {dialogue[row.text] for row in rows}
        order = [row.text for row in whole.rows()]
        assert [order.index(row.text) for row in rows] == sorted(order.index(row.text) for row in rows)
    assert sum(map(len, found.values())) == len(set().union(*found.values())) == len(set(dialogue.values()))
    assert sum(one.rows for one in done.parts) == len(dialogue)


@pytest.mark.parametrize("kind", KINDS)
def test_one_part_of_all_is_the_file_byte_for_byte(kind: str, tmp_path: Path) -> None:
    name, path = made(tmp_path, kind, 5)
    (one,) = split(load_task(name), path, [], tmp_path / "out", parse_sizes(["all=100%"]), seed=1).parts
    assert one.path.read_bytes() == path.read_bytes()


def test_the_seed_decides_and_the_order_of_the_file_does_not(tmp_path: Path) -> None:
    name, path = made(tmp_path, "restaurant", 40)
    rows = json.loads(path.read_text("utf-8"))
    shuffled = tmp_path / "shuffled.txt"
    shuffled.write_text(json.dumps(rows[::-1]), "utf-8")

    def first(source: Path, seed: int, out: str) -> set[str]:
        done = split(load_task(name), source, [], tmp_path / out, HALVES, seed=seed)
        return {row["dialog_id"] for row in json.loads(done.parts[0].path.read_text("utf-8"))}

    one = first(path, 1, "one")
    assert one == first(path, 1, "two") == first(shuffled, 1, "three")
    assert one != first(path, 2, "four")
    assert sorted(one)[:4] == ["d0", "d10", "d11", "d13"]  # the same on every Python


def test_truth_is_cut_along_the_same_lines_by_id(tmp_path: Path) -> None:
    name, path = made(tmp_path, "restaurant", 10)
    truth = tmp_path / "truth.json.gz"
    rows = [{"dialog_id": f"d{one}", "lst_candidate_id": [{"candidate_id": "c1", "rank": 1}]} for one in range(10)]
    truth.write_bytes(gzip.compress(json.dumps(rows[::-1]).encode()))
    done = split(load_task(name), path, [truth], tmp_path / "out", HALVES, seed=3)
    ids = [{example.sample.id for example in load_task(name).load(one.path)} for one in done.parts]
    assert ids[0] == ids[1]
    assert ids[2] == ids[3]
    assert [one.path.name for one in done.parts] == [path.name, truth.name] * 2
    with gzip.open(done.parts[1].path) as packed:
        assert len(json.load(packed)) == 5


def test_files_with_other_rows_are_not_cut_together(tmp_path: Path) -> None:
    name, path = made(tmp_path, "replies", 10)
    other = tmp_path / "other.txt"
    other.write_text("a\nb\n", "utf-8")
    with pytest.raises(FormatError, match="there is no row '3'") as found:
        split(load_task(name), path, [other], tmp_path / "out", HALVES, seed=1)
    assert len(found.value.problems) == 8
    with pytest.raises(FormatError, match="row '3' is none of"):
        split(load_task(name), other, [path], tmp_path / "out", HALVES, seed=1)
    with pytest.raises(UsageError, match="two files are called"):
        split(load_task(name), path, [path], tmp_path / "out", HALVES, seed=1)
    several = [tmp_path / folder / path.name for folder in "xy"] + [tmp_path / "x" / "also", tmp_path / "also"]
    with pytest.raises(UsageError, match=f"two files are called {path.name}, and so would be their parts; rename one"):
        split(load_task(name), path, several, tmp_path / "out", HALVES, seed=1)
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    name, path = made(tmp_path, "replies", 4)
    theirs = tmp_path / "out" / "b" / path.name
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="is there already"):
        split(load_task(name), path, [], tmp_path / "out", HALVES, seed=1)
    assert theirs.read_text("utf-8") == "mine"
    assert not (tmp_path / "out" / "a").exists()


def test_all_parts_are_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, path = made(tmp_path, "replies", 4)
    written: list[Path] = []

    def failing(target: Path) -> Any:
        written.append(target)
        return replacing(target if len(written) < 2 else Path("/dev/full") / target.name)

    monkeypatch.setattr("duologue.run.split.replacing", failing)
    with pytest.raises(StorageError, match="cannot write /dev/full/"):
        split(load_task(name), path, [], tmp_path / "out", HALVES, seed=1)
    assert len(written) == 2
    assert not [one for one in (tmp_path / "out").rglob("*") if one.is_file()]


@given(
    total=st.integers(1, 10_000),
    weights=st.lists(st.integers(1, 50), min_size=1, max_size=6),
)
def test_shares_of_the_whole_leave_none_out(total: int, weights: list[int]) -> None:
    sizes: Sizes = {str(at): Fraction(one, sum(weights)) for at, one in enumerate(weights)}
    if min(weights) * total < sum(weights):  # one may be empty
        total *= sum(weights)
    found = counts_of(sizes, total)
    assert sum(found.values()) == total
    assert all(abs(found[name] - share * total) < 1 for name, share in sizes.items() if isinstance(share, Fraction))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["train"], "expected a number of dialogues"),
        (["train=0"], "expected a number of dialogues"),
        (["train=1.5"], "expected a number of dialogues"),
        (["train=120%"], "expected a number of dialogues"),
        (["train=nan"], "expected a number of dialogues"),
        (["../up=1"], "with a name for a folder"),
        (["=1"], "with a name for a folder"),
        (["a=1", "a=2"], "already"),
        (["a=rest", "b=rest"], "only one part"),
        (["a=0.6", "b=0.6"], "more than there is"),
        (["a=11"], "more than there is: a 11 of 10 dialogues"),
        (["a=0.01"], "would be empty"),
        (["a=10", "b=rest"], "would be empty"),
    ],
)
def test_sizes_that_cannot_be_had_are_told(words: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        counts_of(parse_sizes(words), 10)


def test_the_command_tells_what_it_wrote(tmp_path: Path) -> None:
    name, path = made(tmp_path, "samples", 10)
    words = ["data", "split", name, str(path), "--part", "dev=2", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        f"{tmp_path / 'out' / 'dev' / path.name}: 2 dialogues, 4 rows",
        "left out: 8 dialogues",
    ]
    told = json.loads(CliRunner().invoke(cli, [*words[:-1], str(tmp_path / "more"), "--json"]).stdout)
    assert told["left_out"] == 8
    assert told["parts"][0]["rows"] == 4
    graph = CliRunner().invoke(cli, ["data", "split", "spoken", str(GOLDEN / "spoken" / "small-kg.json"), *words[4:]])
    assert isinstance(graph.exception, FormatError)


def test_shares_are_rounded_by_where_they_end() -> None:
    third = Fraction(1, 3)
    assert counts_of({"train": 2 * third, "dev": third}, 10) == {"train": 7, "dev": 3}
    assert counts_of({"a": Fraction(1, 2), "b": Fraction(1, 2)}, 5) == {"a": 3, "b": 2}
    assert counts_of({"a": third, "b": third, "c": third}, 5) == {"a": 2, "b": 1, "c": 2}
