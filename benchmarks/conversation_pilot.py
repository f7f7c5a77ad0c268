"""The pilot task: systems that learn the next line from an extraction in OpenSubtitles' layout.

    python benchmarks/conversation_pilot.py --data FOLDER [--work workspace/pilot] [--only chats]

FOLDER holds `topical_chat` and `sgd_text` of the visible conversation data. Their licences are clear (CDLA-Sharing 1.0,
CC BY-SA 4.0), those of subtitles are not. Each text becomes an archive in the layout of the 2016 release
(`docs/examples/subtitle_archive.py`), a film for each dialogue, and `duologue data extract subtitles` makes the three
splits. Systems are trained, run and scored by the command line, and `CONVERSATION_PILOT.md` is written. What lies in
the work folder is not made again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from conversation_floors import FLOORS
from conversation_pilot_page import Extracted, Scored, page
from costs import timed
from duologue.challenges.conversation.extraction import evaluation_samples
from duologue.challenges.conversation.formats.files import read_dialogues
from duologue.challenges.conversation.scoring.ppmi import train_word_vectors
from duologue.challenges.conversation.task import ConversationTask
from duologue.core.disk import write_text
from duologue.core.records import Answer, Scoring
from duologue.run import evaluate
from duologue.run.saved import read_report, save_report

if TYPE_CHECKING:
    from collections.abc import Iterable

ARCHIVER = Path(__file__).resolve().parents[1] / "docs" / "examples" / "subtitle_archive.py"
SPLITS = ("test", "dev", "train")
NEAREST = ("candidates=1", "before=0.0", "reply=0.0", "kind=0.0", "likeness=0.0", "pool=1")
_ONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Source(NamedTuple):
    """A text that stands for subtitles."""

    file: str
    films: int
    """The first so many dialogues; 0: all."""
    licence: str


SOURCES = {
    "services": Source("sgd_text/train.jsonl.gz", 1600, "Schema-Guided Dialogue, CC BY-SA 4.0"),
    "chats": Source("topical_chat/dialogs.jsonl.gz", 0, "Topical-Chat, CDLA-Sharing 1.0"),
}


class Row(NamedTuple):
    """A floor (a name of `FLOORS`), or a trained system with what `--set` gets."""

    name: str
    system: str = ""
    settings: tuple[str, ...] = ()


ROWS = (
    Row("constant"),
    Row("central"),
    Row("drawn"),
    Row("nearest", "retriever", NEAREST),
    Row("retriever", "retriever"),
    Row("copy", "copy", ("batch=54",)),
)
LEAKY = ("drawn", "nearest", "retriever")
"""Rows that are made for the official splits as well."""


class Extraction:
    """The splits of one archive in one profile, and the systems that learn from them."""

    def __init__(self, text: str, profile: str, archive: Path, folder: Path, samples: int) -> None:
        self.text, self.profile, self.folder, self._samples = text, profile, folder, samples
        if not (folder / "eval.txt").is_file():
            words = ("data", "extract", "subtitles", archive, "--profile", profile, "--ratios", "0.8,0.1,0.1")
            _duologue(*words, "--eval", samples, "--out", folder, "--quiet")

    def evaluation(self, split: str) -> Path:
        """Return the samples of a split, drawn as the official tool draws them; those of dev are `eval.txt`."""
        path = self.folder / ("eval.txt" if split == "dev" else f"eval-{split}.txt")
        if not path.is_file():
            evaluation_samples.sample(self.folder / f"{split}.txt", self._samples, path)
        return path

    @cached_property
    def vectors(self) -> Path:
        """Word vectors of the training pairs."""
        path = self.folder / "vectors.txt"
        if not path.is_file():
            spoken = [turn.text.split() for one in read_dialogues(self.folder / "train.txt") for turn in one.turns]
            write_text(path, "".join(f"{line}\n" for line in train_word_vectors(spoken).lines()))
        return path

    def scored(self, row: Row, split: str) -> Scored:
        """Return what a row came to on the samples of a split."""
        data, result = self.evaluation(split), self.folder / f"{row.name}-{split}.txt"
        costs = self._trained(row) if row.system else {}
        if not result.is_file() and row.system:
            words = ("run", "conversation", data, "--system", self.folder / row.name, "--seed", 1, "--quiet")
            _duologue(*words, "--out", result)
        elif not result.is_file():
            examples = list(ConversationTask().load(data))
            replies = FLOORS[row.name](examples, self.folder / "train.txt")
            named = [(one.sample.id, Answer(text=said)) for one, said in zip(examples, replies, strict=True)]
            ConversationTask().write(examples, named, result)
        kept = result.with_suffix(".report")
        if not kept.is_file():
            options = {"vectors": str(self.vectors), "meteor": ""}
            if split != "train":  # the judge may not know what it judges
                options["relevance"] = str(self.folder / "train.txt")
            how = Scoring(variant="strict", options=options)
            save_report(evaluate.score(ConversationTask(), [data], result, how), kept)
        return Scored(self.text, self.profile, row.name, split, bool(row.system), read_report(kept), costs)

    def _trained(self, row: Row) -> dict[str, float]:
        note, model = self.folder / f"{row.name}.costs", self.folder / row.name
        if not (model / "system.toml").is_file():
            print(f"{self.text}, {self.profile}: training {row.name}", flush=True)
            settings = [word for one in row.settings for word in ("--set", one)]
            held_out = ("--held-out", self.folder / "dev.txt") if row.system == "copy" else ()
            words = ("train", "conversation", "--system", row.system, "--train", self.folder / "train.txt", *held_out)
            timed(
                note,
                (_program(), *words, "--external", "none", "--seed", 1, "--quiet", *settings, "--out", model),
                **_ONE,
            )
        found: dict[str, float] = json.loads(note.read_text(encoding="utf-8"))
        return found

    def counts(self) -> Extracted:
        """Return what the splits hold, and how much of dev and test the training pairs have too."""
        pairs = {split: _pairs(self.folder / f"{split}.txt") for split in SPLITS}
        known, said = set(pairs["train"]), {line for pair in pairs["train"] for line in pair}
        whole = {split: sum(pair in known for pair in pairs[split]) / len(pairs[split]) for split in SPLITS}
        again = {split: sum(pair[1] in said for pair in pairs[split]) / len(pairs[split]) for split in SPLITS}
        return Extracted(self.text, self.profile, {split: len(found) for split, found in pairs.items()}, whole, again)


def _pairs(path: Path) -> list[tuple[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(lines[place][3:], lines[place + 1][3:]) for place in range(0, len(lines), 3)]


def _archive(source: Source, data: Path, work: Path) -> Path:
    """Return the archive of a text, made where it is not there."""
    archive = work / "en.tar.gz"
    if not archive.is_file():
        work.mkdir(parents=True, exist_ok=True)
        with gzip.open(data / source.file, "rt", encoding="utf-8") as rows:
            films = [json.loads(row)["turns"] for row in rows][: source.films or None]
        write_text(work / "text.txt", "".join(_blocks(films)))
        subprocess.run([sys.executable, ARCHIVER, work / "text.txt", archive], check=True)
    return archive


def _blocks(films: Iterable[list[list[str]]]) -> Iterable[str]:
    for film in films:
        yield "".join(f"{' '.join(text.split())}\n" for _, text in film) + "\n"


def _program() -> Path:
    return Path(sys.executable).with_name("duologue")


def _duologue(*words: object) -> None:
    subprocess.run([_program(), *map(str, words)], check=True)


def main() -> None:
    """Read the arguments, make what is missing, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the visible conversation data")
    parser.add_argument("--work", type=Path, default=Path("workspace/pilot"))
    parser.add_argument("--only", nargs="+", choices=(*SOURCES,), default=(*SOURCES,), help="texts of the page")
    parser.add_argument("--samples", type=int, default=500, help="evaluation samples of each split")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("CONVERSATION_PILOT.md"))
    options = parser.parse_args()
    extracted, found = [], []
    for name in options.only:
        archive = _archive(SOURCES[name], options.data, options.work / name)
        for profile in ("by-movie", "official"):
            one = Extraction(name, profile, archive, options.work / name / profile, options.samples)
            extracted.append(one.counts())
            rows = [row for row in ROWS if profile == "by-movie" or row.name in LEAKY]
            splits = SPLITS if profile == "by-movie" else ("dev",)
            found += [one.scored(row, split) for split in splits for row in rows]
    licences = {name: SOURCES[name].licence for name in options.only}
    write_text(options.out, page(licences, extracted, found, options.samples))
    print(f"{options.out} is written")


if __name__ == "__main__":
    main()
