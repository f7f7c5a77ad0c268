"""A frozen track: parts that are apart, ids that hold, a blind file with its sealed truth, and a proof."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from duologue.challenges.conversation.commands.freeze import freeze as command
from duologue.challenges.conversation.extraction.twitter import extractor
from duologue.challenges.conversation.extraction.twitter.track import TrackPlan, freeze, leaks
from duologue.challenges.conversation.formats import files, posts
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [f"Shop{number}" for number in range(8)]
WORDS = ("red", "blue", "late", "early", "broken", "lost", "new", "old", "small", "large", "cheap", "dear")


def post(number: int, text: str, who: str, answers: int | None) -> dict[str, Any]:
    user = {"id": int(hashlib.sha256(who.encode()).hexdigest()[:8], 16), "screen_name": who, "name": who}
    minute, second = divmod(number % 3600, 60)
    return {
        "id": number, "created_at": f"Tue Sep 12 {8 + number // 3600 % 12:02}:{minute:02}:{second:02} +0000 2017",
        "text": text, "truncated": False, "lang": "en", "in_reply_to_status_id": answers, "user": user,
    }  # fmt: skip


def talk(account: str, start: int, text: str, turns: int = 4) -> list[dict[str, Any]]:
    """Return a dialogue of a customer with an account; each post says something of its own after `text`."""
    said = []
    for at in range(turns):
        who = account if at % 2 else f"anna{start}"
        told = f"{text} {' '.join(WORDS[(start // 7 + at * 3 + k * k) % len(WORDS)] for k in range(5))} {start} {at}"
        said.append(post(start + at, told, who, start + at - 1 if at else None))
    return said


def write(folder: Path, stores: dict[str, list[list[dict[str, Any]]]]) -> Path:
    folder.mkdir(exist_ok=True)
    for account, dialogues in stores.items():
        rows = {str(said[-1]["id"]): said for said in dialogues}
        (folder / f"{account}.json").write_text(json.dumps(rows), "utf-8")
    return folder


def made_stores(dialogues: int = 5) -> dict[str, list[list[dict[str, Any]]]]:
    return {
        name: [talk(name, 100_000 + 5_000 * place + 40 * at, "my order") for at in range(dialogues)]
        for place, name in enumerate(NAMES)
    }


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return write(tmp_path / "store", made_stores())


PLAN = TrackPlan(development=2, evaluation=2, samples=6, seed=3)


def names_in(out: Path) -> dict[str, list[str]]:
    places = {"train": "participants", "dev": "participants", "evaluation": "sealed"}
    return {part: posts.read_accounts(out / place / f"{part}_accounts.txt") for part, place in places.items()}


def test_parts_are_of_whole_accounts_and_have_nothing_in_common(store: Path, tmp_path: Path) -> None:
    frozen, proof = freeze(store, tmp_path / "out", PLAN)
    parts = names_in(tmp_path / "out")
    assert sorted(name for part in parts.values() for name in part) == NAMES
    assert {part: len(names) for part, names in parts.items()} == frozen.accounts == {
        "train": 4, "dev": 2, "evaluation": 2,
    }  # fmt: skip
    assert frozen.dialogues == {"train": 20, "dev": 10, "evaluation": 6}
    assert not leaks(proof)
    assert [(one.first, one.second) for one in proof] == list(combinations(("train", "dev", "evaluation"), 2))
    assert all((one.accounts, one.posts, one.dialogues) == (0, 0, 0) for one in proof)
    assert all(one.runs is not None and one.runs.of_second for one in proof)


def test_a_participant_gets_the_same_text_from_the_ids_also_when_the_store_has_grown(
    store: Path, tmp_path: Path
) -> None:
    freeze(store, tmp_path / "out", PLAN)
    grown = made_stores(6)
    for dialogues in grown.values():
        for said in dialogues[:3]:
            last = said[-1]["id"]
            said.append(post(last + 1, "thank you very much", said[0]["user"]["screen_name"], last))
    write(tmp_path / "grown", grown)
    public = tmp_path / "out" / "participants"
    for part in ("train", "dev"):
        for source in (store, tmp_path / "grown"):
            extractor.from_accounts(
                source,
                tmp_path / "again.txt",
                accounts=posts.read_accounts(public / f"{part}_accounts.txt"),
                limits=posts.read_limits(public / f"{part}_begin_end_ids.json"),
            )
            assert (tmp_path / "again.txt").read_bytes() == (public / f"{part}.txt").read_bytes()
    extractor.from_ids(tmp_path / "grown", posts.read_ids(public / "evaluation_ids.json"), tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == (public / "evaluation.txt").read_bytes()


def test_the_blind_file_lacks_the_replies_that_the_sealed_one_has(store: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    frozen, _ = freeze(store, out, PLAN)
    blind = files.load(out / "participants" / "evaluation.txt")
    truth = files.load(out / "sealed" / "evaluation.txt")
    assert [one.sample for one in blind] == [one.sample for one in truth]
    assert not any(one.references for one in blind)
    replies = [one.references[0].text for one in truth]
    assert len(set(replies)) == 6
    given = "".join(path.read_text("utf-8") for path in (out / "participants").iterdir())
    assert not [reply for reply in replies if reply and reply in given]
    ids = [[turn.ids for turn in turns] for turns in posts.read_ids(out / "sealed" / "evaluation_ids+refs.json")]
    assert not [number for turns in ids for number in turns[-1] if str(number) in given]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in (out / "sealed").iterdir())
    assert stat.S_IMODE((out / "sealed").stat().st_mode) == 0o700
    listed = json.loads((out / "participants" / "track.json").read_bytes())["files"]
    assert listed == frozen.files
    written = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
    assert {
        name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in written.items() if name in listed
    } == (listed)
    assert set(written) - set(listed) == {"participants/track.json"}


def test_the_seed_decides(store: Path, tmp_path: Path) -> None:
    first, again = (freeze(store, tmp_path / name, PLAN)[0] for name in ("a", "b"))
    assert first == again
    others = [freeze(store, tmp_path / f"c{seed}", TrackPlan(evaluation=2, samples=6, seed=seed))[0] for seed in (4, 5)]
    assert others[0].files["sealed/evaluation.txt"] != others[1].files["sealed/evaluation.txt"]


@pytest.mark.parametrize("seed", range(6))
def test_a_dialogue_of_two_accounts_and_one_that_is_said_twice_are_in_one_part_alone(tmp_path: Path, seed: int) -> None:
    stores = made_stores()
    shared = talk("Shop0", 900_000, "shared")
    for name in NAMES:
        stores[name].append(shared)
        base = 800_000 + 100 * NAMES.index(name)
        asked, said = (f"where is my very own parcel which i sent {when} days ago please" for when in ("ten", "two"))
        stores[name].append([post(base, asked, f"bea{base}", None), post(base + 1, said, name, base)])
    _, proof = freeze(
        write(tmp_path / "store", stores), tmp_path / "out", TrackPlan(evaluation=2, samples=9, seed=seed)
    )
    assert not leaks(proof)
    assert all(one.posts == 0 for one in proof)
    truth = (tmp_path / "out" / "sealed" / "evaluation.txt").read_text("utf-8")
    assert "parcel" not in truth  # the same words are in training


def test_what_cannot_be_frozen_is_told_and_leaves_nothing(store: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="8 accounts; with 6 for evaluation and 2 for development none is left"):
        freeze(store, tmp_path / "out", TrackPlan(development=2, evaluation=6, samples=1))
    with pytest.raises(UsageError, match=r"have 10 dialogues .* 500 are to be drawn"):
        freeze(store, tmp_path / "out", TrackPlan(development=2, evaluation=2))
    assert not (tmp_path / "out" / "participants").exists()
    freeze(store, tmp_path / "out", PLAN)
    with pytest.raises(UsageError, match="holds something already"):
        freeze(store, tmp_path / "out", PLAN)


def test_the_folder_may_be_a_disk_of_its_own(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts were made beside it, and could not be moved into it."""
    rename = type(tmp_path).rename

    def move(path: Path, target: Path) -> Path:
        if not path.is_relative_to(tmp_path / "out"):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return rename(path, target)

    monkeypatch.setattr(type(tmp_path), "rename", move)
    freeze(store, tmp_path / "out", PLAN)
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == ["overlap.json", "participants", "sealed"]


def test_the_command_tells_sizes_and_proof(store: Path, tmp_path: Path) -> None:
    words = [str(store), "--development", "2", "--evaluation", "2", "--samples", "6", "--out"]
    done = CliRunner().invoke(command, [*words, str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "train: 20 dialogues of 4 accounts\n" in done.output
    assert "evaluation: 6 samples of 2 accounts, their replies sealed\n" in done.output
    assert "train and evaluation: 0 accounts, 0 posts, 0 dialogues in both\n" in done.output
    found = json.loads(CliRunner().invoke(command, [*words, str(tmp_path / "b"), "--json"]).output)
    assert found["apart"] is True
    assert found["track"]["samples"] == 6


@pytest.mark.real_data(twin="test_parts_are_of_whole_accounts_and_have_nothing_in_common")
def test_a_track_of_real_posts(real_data: Path, tmp_path: Path) -> None:
    plan = TrackPlan(development=3, evaluation=5, samples=50, seed=7)
    frozen, proof = freeze(real_data / "conversation" / "twitter_care" / "stored_data", tmp_path / "out", plan)
    assert frozen.dialogues == {"train": 446, "dev": 48, "evaluation": 50}
    assert not leaks(proof)
