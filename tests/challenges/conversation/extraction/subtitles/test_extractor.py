from __future__ import annotations

import gzip
import itertools
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.subtitles import make_folder, make_tar, make_zip, xml_of

from duologue.challenges.conversation.extraction.subtitles import pairs, utterances
from duologue.challenges.conversation.extraction.subtitles.extractor import (
    BY_MOVIE,
    DEFAULTS,
    OFFICIAL,
    Made,
    SubtitleProfile,
    extract,
)
from duologue.core.errors import FormatError, UsageError
from duologue.corpus.shuffle import shuffle

if TYPE_CHECKING:
    from collections.abc import Iterator

WHOLE = SubtitleProfile(name=OFFICIAL, ratios=(0.7, 0.3), duplicates="keep", leaks=True)


def texts(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(out.glob("*.txt"))}


def run(source: Path, out: Path, profile: SubtitleProfile = WHOLE, **how: Any) -> tuple[Made, list[str]]:
    said: list[str] = []
    return extract(source, out, profile, say=said.append, **how), said


def by_hand(sentences: list[list[str]], ratios: tuple[float, ...]) -> list[str]:
    """The official split of files that are in order already, with all in memory."""
    rng = random.Random(99)
    files = list(range(len(sentences)))
    shuffle(files, rng)
    listed = [entry for file in files for entry in [*sentences[file], ""]]
    places = list(range(len(listed) - 1))
    shuffle(places, rng)
    cuts = [0, *(int(sum(ratios[: part + 1]) / sum(ratios) * len(listed)) for part in range(len(ratios)))]
    return [
        "".join(
            f"U: {listed[i]}\nS: {listed[i + 1]}\n\n"
            for i in places[start:end]
            if 0 < len(listed[i].split()) < 20 and 0 < len(listed[i + 1].split()) < 20
        )
        for start, end in itertools.pairwise(cuts)
    ]


def sentences_of(folder: Path) -> list[list[str]]:
    found = []
    for path in sorted(folder.rglob("*.xml.gz")):
        words = [line.split("<w ")[1:] for line in gzip.decompress(path.read_bytes()).decode().split("<s ")[1:]]
        found.append([" ".join(word.partition(">")[2].partition("<")[0] for word in row) for row in words])
    return found


def test_the_official_split_is_that_of_one_list_in_memory(folder: Path, tmp_path: Path) -> None:
    made, said = run(folder, tmp_path)
    train, dev = by_hand(sentences_of(folder), (0.7, 0.3))
    assert texts(tmp_path) == {"train.txt": train.encode(), "dev.txt": dev.encode()}
    assert said == [
        f"collecting files from {folder}",
        "loading text from 12/12 files",
        "372 sentences loaded",
        f"writing 260 sentence pairs to {tmp_path / 'train.txt'}",
        f"writing 112 sentence pairs to {tmp_path / 'dev.txt'}",
    ]
    assert made.written == {"train": train.count("U: "), "dev": dev.count("U: ")}
    assert (made.summary.read, made.summary.sentences, made.summary.checked) == (12, 360, 1)


@pytest.mark.parametrize("kind", ["tar.gz", "tar", "tar.gz backwards", "zip", "two workers"])
def test_the_bytes_depend_on_neither_archive_nor_order_nor_workers(folder: Path, tmp_path: Path, kind: str) -> None:
    run(folder, tmp_path / "wanted")
    if kind == "zip":
        source = make_zip(tmp_path / "en.zip", folder)
    elif kind == "two workers":
        source = folder
    else:
        name, _, backwards = kind.partition(" ")
        source = make_tar(
            tmp_path / f"en.{name}", folder, backwards=bool(backwards), mode="w:gz" if "gz" in name else "w"
        )
    run(source, tmp_path / "found", workers=2 if kind == "two workers" else 1)
    assert texts(tmp_path / "found") == texts(tmp_path / "wanted")


def test_the_golden_texts_are_written(golden: Path, tmp_path: Path) -> None:
    golden = golden / "opensubs_end_to_end"
    profile = SubtitleProfile(name=OFFICIAL, ratios=(0.5, 0.25), duplicates="keep", leaks=True, samples=10)
    _, said = run(golden / "xml", tmp_path, profile)
    wanted = {f"{part}.txt": (golden / f"expected_{part}.txt").read_bytes() for part in ("train", "dev", "eval")}
    assert texts(tmp_path) == wanted
    lines = "\n".join(said).replace(f"{tmp_path}/", "").replace(str(golden / "xml"), ".")
    assert lines + "\n" == (golden / "expected_stdout.txt").read_text()


def names_in(folder: Path) -> list[str]:
    """The file names of the archive, in the order of their numbers in the shards."""
    return (folder / "files.txt").read_text("utf-8").split("\n")[1:-1]


def pairs_in(shards: list[Path], max_length: int = 20) -> Iterator[tuple[int, str, str]]:
    """File, first and second sentence of all pairs, in archive order."""
    for path in shards:
        sentences = utterances.read(path)
        texts = iter(zip(sentences.texts.list(), (sentences.tokens < max_length).tolist(), strict=True))
        for key, count in sentences.files:
            for (one, short), (other, short_too) in itertools.pairwise(itertools.islice(texts, count)):
                if short and short_too:
                    yield key, one, other


def test_no_movie_is_in_two_parts_and_no_pair_twice(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "xml", 50)
    made, _ = run(folder, tmp_path, SubtitleProfile(ratios=(0.5, 0.3, 0.2)))
    said = {name: set(text.decode().split("\n\n")) - {""} for name, text in texts(tmp_path).items()}
    assert sorted(said) == ["dev.txt", "test.txt", "train.txt"]
    assert all(said.values())
    names = names_in(tmp_path / "utterances")
    shards = sorted((tmp_path / "utterances").glob("part-*"))
    movies: dict[str, set[str]] = {name: set() for name in said}
    for file, question, answer in pairs_in(shards):
        for name, found in said.items():
            if f"U: {question}\nS: {answer}" in found:
                movies[name].add(pairs.movie_of(names[file]))
    assert not movies["train.txt"] & movies["dev.txt"]
    assert not movies["test.txt"] & movies["dev.txt"]
    assert sum(map(len, said.values())) == sum(made.written.values())


def copied(folder: Path) -> Path:
    """Files where one is a near copy of another, one has the pairs of a third, and one repeats a pair itself."""
    make_folder(folder, 4)
    plain = [["it", "'s", "time", "."], ["so", "go", "!"]]
    long = [[word, "is", "number", str(number), "."] for number, word in enumerate("abcdefghijklmnopqrstuvwxyz")]
    files = {
        "2000/1/1": [*plain, ["other", "?"], *plain],
        "2000/2/2": [["it", "'s", "time", "!"], ["so", "go", "."]],
        "2001/3/3": long,
        "2001/4/4": [*long[:22], ["another", "end", "."]],
    }
    for name, sentences in files.items():
        path = folder / f"{name}.xml.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(xml_of(sentences).encode()))
    return folder


def test_copies_are_left_out_as_far_as_asked(tmp_path: Path) -> None:
    source = copied(tmp_path / "xml")
    found = {}
    for duplicates in ("keep", "exact", "near"):
        profile = SubtitleProfile(ratios=(1.0,), duplicates=duplicates, leaks=duplicates == "keep")
        made, _ = run(source, tmp_path / duplicates, profile)
        found[duplicates] = texts(tmp_path / duplicates)["train.txt"].decode().split("\n\n")[:-1]
        assert made.copies == len(found["keep"]) - len(found[duplicates])
    twice = "U: it 's time .\nS: so go !"
    assert found["keep"].count(twice) == 2
    assert found["exact"].count(twice) == 1
    assert set(found["exact"]) == set(found["keep"])
    assert "U: it 's time !\nS: so go ." in found["exact"]
    assert "U: it 's time !\nS: so go ." not in found["near"]
    assert "U: v is number 21 .\nS: another end ." not in found["near"]
    assert "U: y is number 24 .\nS: z is number 25 ." in found["near"]


def test_a_pair_of_train_is_not_in_dev_unless_leaks_are_allowed(tmp_path: Path) -> None:
    same = [["only", "this", "."], ["and", "that", "."]]
    for number in range(40):
        path = tmp_path / "xml" / "1999" / str(number) / "1.xml.gz"
        path.parent.mkdir(parents=True)
        path.write_bytes(gzip.compress(xml_of([*same, [str(number), "."]]).encode()))
    for leaks in (True, False):
        run(tmp_path / "xml", tmp_path / f"{leaks}", SubtitleProfile(ratios=(0.5, 0.5), duplicates="keep", leaks=leaks))
        found = texts(tmp_path / f"{leaks}")
        assert found["train.txt"].count(b"U: only this") > 5
        assert (found["dev.txt"].count(b"U: only this") > 5) is leaks
        assert found["dev.txt"].count(b"U: and that") > 5


@pytest.mark.parametrize("ratios", [(math.nan, 0.1), (math.inf,), (0.5, 0.0), ()])
def test_ratios_are_numbers_above_0(folder: Path, tmp_path: Path, ratios: tuple[float, ...]) -> None:
    with pytest.raises(UsageError, match="ratios above 0"):
        run(folder, tmp_path / "out", SubtitleProfile(name=OFFICIAL, ratios=ratios))
    assert not (tmp_path / "out").exists()


def test_files_that_cannot_be_read_are_named_and_left_out(folder: Path, tmp_path: Path) -> None:
    source = make_folder(tmp_path / "xml")
    broken = {
        "1990/1/a.xml.gz": gzip.compress(b"<document><s>")[:-4],
        "1990/1/b.xml.gz": gzip.compress(b"<document><s>"),
        "1990/1/c.xml.gz": gzip.compress(b"\xff\xfe"),
        "1990/1/d.xml.gz": b"",
        "1990/1/e.xml.gz": gzip.compress(b'<!DOCTYPE d [<!ENTITY a "b">]><d>&a;</d>'),
        "1990/1/f.xml.gz": gzip.compress(b"<document><s><w>odd</w></s></document>"),
    }
    for name, data in broken.items():
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).write_bytes(data)
    made, said = run(source, tmp_path / "out", WHOLE)
    assert [name for name, _ in made.summary.skipped] == [name for name in broken if "f.xml" not in name]
    assert [reason.split("(")[0].strip() for _, reason in made.summary.skipped] == [
        "its packed data ends too early", "not well-formed XML", "not well-formed XML", "not well-formed XML",
        "it declares entities of its own",
    ]  # fmt: skip
    assert (made.summary.read, made.summary.strictly) == (13, 1)
    assert "loading text from 18/18 files" in said
    assert "374 sentences loaded" in said


def test_a_fault_of_the_fast_reader_is_seen_and_the_strict_one_wins(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(folder, tmp_path / "wanted")
    monkeypatch.setattr(
        "duologue.challenges.conversation.extraction.subtitles.xml_scanner.scan", lambda data: " a fault .\n"
    )
    made, _ = run(folder, tmp_path / "found", how=utterances.Extraction(check_every=1))
    assert len(made.summary.differing) == made.summary.checked == 12
    assert texts(tmp_path / "found") == texts(tmp_path / "wanted")


def test_other_ratios_use_the_utterances_again_and_another_archive_does_not(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(folder, out)
    shard = next((out / "utterances").glob("part-*"))
    before = shard.stat().st_mtime_ns
    run(folder, out, SubtitleProfile(name=OFFICIAL, ratios=(0.9, 0.1), duplicates="keep", leaks=True))
    assert shard.stat().st_mtime_ns == before
    other = make_folder(tmp_path / "other", 3)
    made, _ = run(other, out)
    assert made.summary.read == 3
    fresh = tmp_path / "fresh"
    run(other, fresh)
    assert texts(out) == texts(fresh)


@pytest.mark.parametrize("kind", ["folder", "zip", "tar", "tar.gz"])
def test_an_archive_of_equal_names_and_sizes_but_other_text_is_extracted_anew(tmp_path: Path, kind: str) -> None:
    def archive(word: str) -> Path:
        folder = tmp_path / word / "xml"
        for number in range(5):
            path = folder / "1990" / str(number) / "7.xml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(xml_of([["now", word if number == 3 else "here", "."]] * 4), "utf-8")
            os.utime(path, (1e9, 1e9))
        made = tmp_path / f"made.{kind}"  # the same name each time
        if kind == "folder":
            shutil.rmtree(made, ignore_errors=True)
            return Path(shutil.copytree(folder, made))
        if kind == "zip":
            with zipfile.ZipFile(made, "w") as packed:
                for path in sorted(folder.rglob("*.xml")):
                    packed.write(path, path.relative_to(folder))
            return made
        with tarfile.open(made, "w:gz" if kind == "tar.gz" else "w") as tar:
            for path in sorted(folder.rglob("*.xml")):
                tar.add(path, path.relative_to(folder))
        return made

    run(archive("you"), tmp_path / "out")
    other = archive("the")
    run(other, tmp_path / "out")
    assert any(b"now the ." in text for text in texts(tmp_path / "out").values())
    assert not any(b"now you ." in text for text in texts(tmp_path / "out").values())


def test_the_official_tool_finds_packed_files_down_to_the_third_level(tmp_path: Path) -> None:
    source = make_folder(tmp_path / "xml", 3)
    wanted, _ = run(source, tmp_path / "a")
    data = gzip.compress(xml_of([["more", "."]]).encode())
    for name in ("1990/1000/deep/1.xml.gz", "1990/1000/1.xml", ".hidden/1.xml.gz"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(data)
    found, _ = run(source, tmp_path / "b")
    assert found == wanted
    everything, _ = run(source, tmp_path / "c", SubtitleProfile(ratios=(1.0,)))
    assert everything.files == 5


def test_files_of_each_level_come_one_level_after_another(tmp_path: Path) -> None:
    for name in ("b.xml.gz", "a/b.xml.gz", "a/a/a.xml.gz", "a.xml.gz"):
        path = tmp_path / "xml" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(xml_of([[name, "."]]).encode()))
    run(tmp_path / "xml", tmp_path / "out")
    names = names_in(tmp_path / "out/utterances")
    assert names == ["a.xml.gz", "b.xml.gz", "a/b.xml.gz", "a/a/a.xml.gz"]


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        (SubtitleProfile(name="oficial"), "did you mean 'official'"),
        (SubtitleProfile(ratios=()), "expected 1 to 3 ratios"),
        (SubtitleProfile(ratios=(0.5, 0.0)), "expected 1 to 3 ratios"),
        (SubtitleProfile(ratios=(0.9, 0.2)), "at most 1"),
        (SubtitleProfile(name=OFFICIAL, ratios=(1e308, 1e308)), "more than can be counted"),
        (SubtitleProfile(duplicates="exakt"), "did you mean 'exact'"),
        (SubtitleProfile(ratios=(1.0,), samples=5), "drawn from dev"),
    ],
)
def test_a_profile_without_sense_is_refused(
    folder: Path, tmp_path: Path, profile: SubtitleProfile, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        run(folder, tmp_path, profile)


def test_a_folder_without_subtitles_says_what_is_expected(tmp_path: Path) -> None:
    (tmp_path / "xml").mkdir()
    with pytest.raises(UsageError, match="expected the XML release"):
        run(tmp_path / "xml", tmp_path / "out")
    path = make_tar(tmp_path / "en.tar.gz", make_folder(tmp_path / "some", 3))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FormatError, match=r"(download|copy).* again"):
        run(path, tmp_path / "out")


def test_the_profiles_differ_in_what_they_guard_against() -> None:
    assert DEFAULTS[OFFICIAL].duplicates == "keep"
    assert DEFAULTS[OFFICIAL].leaks
    assert DEFAULTS[BY_MOVIE].duplicates == "exact"
    assert not DEFAULTS[BY_MOVIE].leaks


PROGRAM = """
import sys
from pathlib import Path
from duologue.challenges.conversation.extraction.subtitles import utterances
from duologue.challenges.conversation.extraction.subtitles.extractor import SubtitleProfile, extract
utterances.SHARD = utterances.MIN_SHARD = 2000
if __name__ == "__main__":
    profile = SubtitleProfile(name="official", ratios=(0.7, 0.3), duplicates="keep", leaks=True, samples=5)
    extract(Path(sys.argv[1]), Path(sys.argv[2]), profile, workers=int(sys.argv[3]))
"""


@pytest.mark.slow
def test_a_run_that_is_killed_at_any_moment_gives_the_same_bytes_when_it_is_repeated(tmp_path: Path) -> None:
    source = make_tar(tmp_path / "en.tar.gz", make_folder(tmp_path / "xml", 60))
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    command = [sys.executable, str(script), str(source)]
    start = time.monotonic()
    subprocess.run([*command, tmp_path / "wanted", "1"], check=True)
    lasted = time.monotonic() - start
    rng = random.Random(5)
    killed = 0
    for attempt in range(60):  # a machine that is busier or idler than in the first run may let many end
        if attempt >= 7 and killed > 2:
            break
        with subprocess.Popen([*command, tmp_path / "found", str(1 + attempt % 2)]) as process:
            try:
                process.wait(lasted * rng.random())
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
                killed += 1
            else:  # what is there already makes a run shorter: begin anew
                assert texts(tmp_path / "found") == texts(tmp_path / "wanted")
                shutil.rmtree(tmp_path / "found")
        shards = tmp_path / "found/utterances"
        for path in shards.glob("part-*") if shards.is_dir() else ():
            assert path.read_bytes() == (tmp_path / "wanted/utterances" / path.name).read_bytes()
    subprocess.run([*command, tmp_path / "found", "2"], check=True)
    assert killed > 2
    assert texts(tmp_path / "found") == texts(tmp_path / "wanted")
    assert files(tmp_path / "found") == files(tmp_path / "wanted")


def files(out: Path) -> set[str]:
    return {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}


def test_utterances_of_another_version_of_duologue_are_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = tmp_path / "xml" / "1999" / "1", tmp_path / "out"
    source.mkdir(parents=True)
    (source / "1.xml").write_text(
        '<document><s id="1">hello there</s><s id="2">good day</s></document>', encoding="utf-8"
    )
    run(tmp_path / "xml", out)
    shard = next((out / "utterances").glob("part-*"))
    first = shard.stat().st_mtime_ns
    run(tmp_path / "xml", out)
    assert shard.stat().st_mtime_ns == first
    monkeypatch.setattr("duologue.challenges.conversation.extraction.subtitles.utterances.__version__", "0.0.0")
    run(tmp_path / "xml", out)
    assert shard.stat().st_mtime_ns != first
