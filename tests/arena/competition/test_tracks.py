"""A track is a file of TOML with the files that it names; all that is wrong with it is said before it is made."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from sqlalchemy import insert, select, update

from duologue.arena.competition import tracks
from duologue.arena.competition.tables import entries, finalists, track_files
from duologue.arena.competition.track_file import read_track
from duologue.core.errors import StorageError, UsageError
from duologue.core.plugins import load_task
from duologue.core.recipe import resolve
from tests.arena.competition import booking

if TYPE_CHECKING:
    from pathlib import Path

    from tests.arena.competition.booking import Contest


def written(folder: Path, *changes: tuple[str, str]) -> Path:
    """Return the track's file with changes, beside its data."""
    shutil.copytree(booking.made(), folder, dirs_exist_ok=True)
    text = (folder / "track.toml").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "track.toml").write_text(text, encoding="utf-8")
    return folder / "track.toml"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('zone = "Asia/Shanghai"', 'zone = "Asia/Shang"', "there is no time zone 'Asia/Shang'"),
        ('zone = "Asia/Shanghai"', 'zone = "../../etc/passwd"', "there is no time zone"),
        ('task = "restaurant"', 'task = "restaurants"', "did you mean 'restaurant'"),
        ('name = "booking"', 'name = "Booking!"', "is no name of a track"),
        ("opens = 2027-01-15T00:00:00", "opens = 2027-01-15T00:00:00Z", "leave it out"),
        ("opens = 2027-01-15T00:00:00", "opens = 2028-01-15T00:00:00", "closes"),
        ('name = "test-2"', 'name = "test-1"', "none twice"),
        ("opens = 2027-01-15T00:00:00", "opens = 0001-01-15T00:00:00", "years from 1971 to 9998, which every zone has"),
        ('zone = "Asia/Shanghai"', f'zone = "Asia/Shanghai"\nlimits = {{ seconds = {10**30} }}', "at most 30 days"),
        ('zone = "Asia/Shanghai"', 'zone = "Asia/Shanghai"\nlimits = { memory = "9999999T" }', "at most 30 days"),
        ("day = 2", "day = 0", "from 1 to 1,000,000"),
        ("day = 2", f"day = {10**30}", "from 1 to 1,000,000"),
        ("top = 2\n", f"top = {10**30}\n", "at most 1,000,000"),
        ("day = 2", "days = 2", "did you mean"),
        ('visible = "owner"', 'visible = "team"', "'organiser' or 'owner' or 'all'"),
        ("top = 2\n", "", "set top"),
        ('kind = "human"', 'kind = "results"', "no truth"),
        ("quota = { total = 2 }", 'kb = "kb.txt"\nprotocol = "spoken"', "leave select and protocol out"),
        ('task = "restaurant"', 'task = "restaurant"\nvariant = "lenient"', "no variant 'lenient'"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_track(written(tmp_path, (old, new)))


def test_files_lie_in_the_folder_of_the_track(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.json").write_text("[]")
    path = written(tmp_path / "track", ('"data/', '"../data/'))
    with pytest.raises(UsageError, match="lies outside the folder"):
        tracks.read_source(path)
    with pytest.raises(UsageError, match="lies outside the folder"):
        tracks.read_source(written(tmp_path / "nul", ('"data/', '"\\u0000/')))
    with pytest.raises(StorageError, match="there is no input file"):
        tracks.read_source(written(tmp_path / "other", ('"data/', '"none/')))


def test_no_two_files_of_a_role_have_one_name(tmp_path: Path) -> None:
    path = written(tmp_path / "track")
    text = path.read_text(encoding="utf-8")
    gold = re.search(r'gold = \["truth/(.+)"\]', text)
    assert gold is not None
    (path.parent / "other").mkdir()
    shutil.copyfile(path.parent / "truth" / gold[1], path.parent / "other" / gold[1])
    path.write_text(text.replace(gold[0], f'gold = ["truth/{gold[1]}", "other/{gold[1]}"]'), encoding="utf-8")
    with pytest.raises(UsageError, match=rf"names two files of gold that are called '{re.escape(gold[1])}'"):
        tracks.read_source(path)


def test_a_pipe_is_no_file_of_a_track(tmp_path: Path) -> None:
    path = written(tmp_path / "track", ('"truth/', '"pipes/'))
    names = re.findall(r'"pipes/([^"]+)"', path.read_text(encoding="utf-8"))
    (path.parent / "pipes").mkdir()
    for name in sorted(set(names)):
        os.mkfifo(path.parent / "pipes" / name)
    with pytest.raises(StorageError, match="it is a pipe"):
        tracks.read_source(path)


def test_a_track_keeps_its_files_and_offers_the_data_alone(contest: Contest, tmp_path: Path) -> None:
    track = contest.track
    with contest.database.reading() as connection:
        assert tracks.track_names(connection) == ["booking"]
        (name,) = tracks.file_names(connection, "booking", "test-1", "input")
        sha256 = tracks.input_file(connection, track, track.phases[0], name)
        assert contest.blobs.read(sha256) == booking.data().read_bytes()
        for hidden in (*tracks.file_names(connection, "booking", "test-1", "gold"), "../gold/x", ""):
            with pytest.raises(UsageError, match="offers no file"):
                tracks.input_file(connection, track, track.phases[0], hidden)
        places = tracks.lay_out(connection, contest.blobs, "booking", "test-1", tmp_path / "out")
    (gold,) = places["gold"]
    assert (tmp_path / gold).read_bytes() == booking.truth().read_bytes()


@pytest.mark.parametrize("name", ["../../elsewhere", "/etc/elsewhere", "a/../../x"])
def test_a_file_that_the_database_calls_by_another_place_is_not_written_there(
    contest: Contest, tmp_path: Path, name: str
) -> None:
    gold = (track_files.c.phase == "test-1") & (track_files.c.role == "gold")
    contest.database.write(
        lambda connection: connection.execute(update(track_files).where(gold).values(name=name)).rowcount
    )
    with contest.database.reading() as connection, pytest.raises(StorageError, match="the database is damaged"):
        tracks.lay_out(connection, contest.blobs, "booking", "test-1", tmp_path / "out" / "in")
    assert [path.name for path in tmp_path.glob("out/**/*") if path.is_file()] == []


def test_a_folder_of_truth_files_is_one_place(contest: Contest, tmp_path: Path) -> None:
    path = written(tmp_path / "track", (f'gold = ["truth/{booking.truth().name}"]', 'gold = ["truth"]'))
    source = tracks.read_source(path)
    contest.database.write(
        lambda connection: tracks.save_track(connection, contest.blobs, source, contest.database.now(), change=True)
    )
    with contest.database.reading() as connection:
        places = tracks.lay_out(connection, contest.blobs, "booking", "test-1", tmp_path / "out")
    assert places["gold"] == [str(tmp_path / "out" / "gold" / "folder")]
    assert len(list((tmp_path / "out" / "gold" / "folder").iterdir())) == 2


def test_what_entries_were_scored_with_stays(contest: Contest, tmp_path: Path) -> None:
    def change(folder: str, *changes: tuple[str, str]) -> None:
        source = tracks.read_source(written(tmp_path / folder, *changes))
        contest.database.write(
            lambda connection: tracks.save_track(connection, contest.blobs, source, contest.database.now(), change=True)
        )

    with pytest.raises(UsageError, match="change it with --change"):
        contest.database.write(
            lambda connection: tracks.save_track(
                connection, contest.blobs, tracks.read_source(booking.made() / "track.toml"), contest.database.now()
            )
        )
    contest.submit(contest.team("Ann"), b"x")
    change("a", ("closes = 2027-01-25", "closes = 2027-01-26"))
    with pytest.raises(UsageError, match="variant, options and zone stay"):
        change("b", ("Asia/Shanghai", "Europe/Berlin"))
    with pytest.raises(UsageError, match="scored against its truth, which must stay"):
        change("c", (booking.truth(1).name, booking.truth(2).name))
    source = tracks.read_source(written(tmp_path / "d"))
    final = source.definition.phases[-1]
    assert final.kind == "human"
    inside = {"track": "booking", "phase": final.name, "team": "t", "entry": "e", "place": 1, "selected": True}
    with contest.database.reading() as connection:
        inside["entry"], inside["team"] = connection.execute(select(entries.c.id, entries.c.team)).one()
    contest.database.write(lambda connection: connection.execute(insert(finalists).values(**inside)).rowcount)
    fewer = source._replace(definition=msgspec.structs.replace(source.definition, phases=source.definition.phases[:-1]))
    with pytest.raises(UsageError, match=f"has finalists in the phase '{final.name}', which must stay"):
        contest.database.write(
            lambda connection: tracks.save_track(connection, contest.blobs, fewer, contest.database.now(), change=True)
        )
    with contest.database.reading() as connection:
        assert tracks.find_track(connection, "booking").phases[0].closes.day == 26
        with pytest.raises(UsageError, match="did you mean 'booking'"):
            tracks.find_track(connection, "bookings")


def test_the_example_of_the_guide_is_a_track(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    task: Any = load_task("restaurant")
    for seed, folder, n in ((31, "test-1", 100), (32, "test-2", 120)):
        recipe = resolve(task.Generation, overrides=["part=tst1", "subtask=1", f"n={n}"])
        task.generate(recipe, seed, tmp_path / folder, workers=1, progress=None)
    shutil.copy(request.config.rootpath / "docs" / "examples" / "booking-track.toml", tmp_path)
    source = tracks.read_source(tmp_path / "booking-track.toml")
    assert [phase.kind for phase in source.definition.phases] == ["results", "results", "human"]
    assert [(file.phase, file.role) for file in source.files] == [
        ("test-1", "gold"), ("test-1", "input"), ("test-2", "gold"), ("test-2", "input"),
    ]  # fmt: skip
