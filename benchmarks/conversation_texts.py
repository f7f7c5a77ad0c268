"""The texts of the table of systems that answer: training and evaluation files, and what they have in common.

All become dialogue text of the challenge. Utterances that were never tweets go through the same tokenizer as tweets of
a customer (contractions, long numbers, links); those of companies in `twcs_dialogs` lose handles, names and signatures.

* Task A, the given training dialogues: `sgd_text` train, and the dialogues of `twitter_care` that a hash draws (70 %).
* Task B, external knowledge: `twcs_dialogs` and `topical_chat` as well. Of these, dialogues are left out in which
  somebody says an utterance of the evaluation (eight terms or more).
* Evaluation: the other 30 % of `twitter_care`, a reply each; and beginnings of `sgd_text` dev and test dialogues, drawn
  by the official sampling.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.conversation.extraction import evaluation_samples
from duologue.challenges.conversation.extraction.twitter import overlap
from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.challenges.conversation.extraction.twitter.rules import Speech
from duologue.challenges.conversation.formats.files import read_dialogues
from duologue.challenges.conversation.formats.training_pairs import TrainingDialogue, context_replies, merged_turns
from duologue.challenges.conversation.scoring.ppmi import train_word_vectors
from duologue.challenges.conversation.scoring.terms import terms
from duologue.core.disk import write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SETS = ("twitter", "sgd")
"""Evaluation sets: company tweets, and written service dialogues."""
_LONG = 8  # terms from which equal utterances are no accident
_HELD_OUT = 3  # of ten dialogues of twitter_care

Dialogue = list[tuple[str, str]]


class Texts(NamedTuple):
    """Where the files are."""

    train: dict[str, tuple[Path, ...]]
    """Per task."""
    sources: dict[str, Path]
    """Training text of the same kind as an evaluation set."""
    evaluation: dict[str, Path]
    judge: Path
    """All training text: what the judge of relevance is fitted on."""
    vectors: Path
    """Word vectors made from the same."""
    notes: list[str]
    """What the files hold, and what was left out."""


def make_texts(data: Path, work: Path, samples: int) -> Texts:
    """Write all files below `work`, where they are not there yet, and return where they are."""
    folder = work / f"data-{samples}"
    train = {name: folder / f"train-{name}.txt" for name in ("sgd", "twitter", "twcs", "topical")}
    evaluation = {name: folder / f"eval-{name}.txt" for name in SETS}
    judge, vectors, notes = folder / "train-all.txt", folder / "vectors.txt", folder / "notes.json"
    if not notes.is_file():
        cleaner = Cleaner()
        for part in ("train", "dev", "test"):
            path = train["sgd"] if part == "train" else folder / f"{part}-sgd.txt"
            _write(path, _sgd(data / "sgd_text" / f"{part}.jsonl.gz", cleaner))
        drawn = [folder / f"drawn-{part}.txt" for part in ("dev", "test")]
        for path, part in zip(drawn, ("dev", "test"), strict=True):
            evaluation_samples.sample(folder / f"{part}-sgd.txt", samples // 2, path)
        write_text(evaluation["sgd"], "".join(path.read_text("utf-8") for path in drawn))
        care = list(_blocks(gzip.decompress((data / "twitter_care/expected_dialogs.txt.gz").read_bytes()).decode()))
        for path, held in ((train["twitter"], False), (evaluation["twitter"], True)):
            write_text(path, "".join(f"{one}\n\n" for one in care if _is_held_out(one) == held))
        said = _utterances(evaluation.values())
        external = {"twcs": _twcs(data / "twcs_dialogs/dialogs.jsonl.gz", cleaner)}
        external["topical"] = _topical(data / "topical_chat/dialogs.jsonl.gz", cleaner)
        left_out = [f"{_write(train[name], found, said)} of {name}" for name, found in external.items()]
        write_text(judge, "".join(path.read_text("utf-8") for path in train.values()))
        spoken = [turn.text.split() for one in read_dialogues(judge) for turn in one.turns]
        write_text(vectors, "".join(f"{line}\n" for line in train_word_vectors(spoken).lines()))
        write_text(notes, json.dumps(_notes(train, evaluation, left_out)))
    first = (train["sgd"], train["twitter"])
    return Texts(
        {"A": first, "B": (*first, train["twcs"], train["topical"])},
        {name: train[name] for name in SETS},
        evaluation,
        judge,
        vectors,
        json.loads(notes.read_text("utf-8")),
    )


def _notes(train: dict[str, Path], evaluation: dict[str, Path], left_out: list[str]) -> list[str]:
    """Return what the files hold and share, as lines."""
    notes = []
    for name, path in {**train, **{f"{name} evaluation": path for name, path in evaluation.items()}}.items():
        talks = [TrainingDialogue(one.id, merged_turns(one.turns)) for one in read_dialogues(path)]
        replies = (
            len(talks) if "evaluation" in name else len(context_replies(talk for talk in talks if len(talk.turns) > 1))
        )
        notes.append(f"{name}: {len(talks):,} dialogues, {replies:,} replies")
    notes.append(f"left out of external text for an utterance of the evaluation: {' and '.join(left_out)}")
    with tempfile.TemporaryDirectory() as folder:
        parts = [
            overlap.read_part(path.stem, path, Path(folder) / str(number))
            for number, path in enumerate((*train.values(), *evaluation.values()))
        ]
        shared = [
            f"{one.first} and {one.second}: {one.dialogues}"
            for one in overlap.compare(parts)
            if (one.first + one.second).count("eval-") == 1 and one.any()
        ]
    notes.append(f"whole dialogues in both training and evaluation: {'; '.join(shared) or 'none'}")
    said = _utterances(train.values())
    for name, path in evaluation.items():
        replies_of = [one.turns[-1].text for one in read_dialogues(path)]
        again = sum(tuple(terms(reply)) in said for reply in replies_of if len(terms(reply)) >= _LONG)
        notes.append(
            f"{name} evaluation: {again} of {len(replies_of)} replies were said word for word in training text"
        )
    return notes


def _utterances(paths: Iterable[Path]) -> set[tuple[str, ...]]:
    found = (tuple(terms(turn.text)) for path in paths for one in read_dialogues(path) for turn in one.turns)
    return {one for one in found if len(one) >= _LONG}


def _is_held_out(dialogue: str) -> bool:
    return int(hashlib.sha256(dialogue.encode()).hexdigest(), 16) % 10 < _HELD_OUT


def _blocks(text: str) -> Iterator[str]:
    return (block.strip("\n") for block in text.split("\n\n") if block.strip())


def _write(path: Path, dialogues: Iterable[Dialogue], without: set[tuple[str, ...]] | None = None) -> int:
    """Write dialogues that end with the company; return how many were left out for what is said in them."""
    kept, left_out = [], 0
    for one in dialogues:
        turns = one[: max((place for place, (mark, _) in enumerate(one, start=1) if mark == "S"), default=0)]
        if len(turns) < 2:
            continue
        if without and any(tuple(terms(text)) in without for _, text in turns):
            left_out += 1
            continue
        kept.append("".join(f"{mark}: {text}\n" for mark, text in turns) + "\n")
    write_text(path, "".join(kept))
    return left_out


def _sgd(path: Path, cleaner: Cleaner) -> Iterator[Dialogue]:
    return ([(mark, cleaner.clean(text)) for mark, text in row["turns"]] for row in _rows(path))


def _twcs(path: Path, cleaner: Cleaner) -> Iterator[Dialogue]:
    for row in _rows(path):
        turns: Dialogue = []
        for turn in row["turns"]:
            mark = "U" if turn["role"] == "customer" else "S"
            text = cleaner.clean(turn["text"], Speech(speaker=mark)).strip()
            if turns and turns[-1][0] == mark:
                turns[-1] = (mark, f"{turns[-1][1]} {text}")
            elif text:
                turns.append((mark, text))
        yield turns


def _topical(path: Path, cleaner: Cleaner) -> Iterator[Dialogue]:
    names = {"agent_1": "U", "agent_2": "S"}
    return ([(names[who], cleaner.clean(text)) for who, text in row["turns"]] for row in _rows(path))


def _rows(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
