"""Contamination check: hashes of the training data beside a model, and their overlap with a test set.

A sketch holds fingerprints (`core.fingerprints`) of all utterances and of all beginnings of dialogues, never a text. A
sample was seen where its context and reply begin a dialogue of the training data. Texts that are spaced, cased or
punctuated otherwise are the same.

Some samples recur by chance: dialogues made from templates begin alike now and then, and companies repeat themselves.
A sketch therefore keeps how often beginnings of one dialogue are found in another one of the same training data, by
their number of turns. That is the share that unseen data of the same source would show too, and only what goes well
beyond it is called a leak.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter, deque
from contextlib import suppress
from itertools import accumulate, chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import msgspec

from duologue.core.bounds import Items
from duologue.core.disk import Source, read_bytes, sha256, write_bytes
from duologue.core.errors import DuologueError, FormatError
from duologue.core.fingerprints import BYTES, of_beginnings, of_several, of_text
from duologue.core.identity import hash_of_knowledge
from duologue.core.lines import sha256 as sha256_of
from duologue.core.records import Exposure, Problem, Record
from duologue.core.typed import convert, decode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from duologue.core.fingerprints import TextFingerprint
    from duologue.core.protocols import System, Task, World
    from duologue.core.records import Example, Report

SKETCH = "training.sketch"
"""The file of a model's folder that holds what it was trained on."""
BESIDE = ".sketch"
"""How the names of sketches beside results end."""
TRAIN, HELD_OUT, UNLABELLED = "train", "held-out", "unlabelled"
"""The parts of training data."""
ENOUGH = 8
"""Words that a sample or a reply must have to tell anything; a Chinese character counts as half a word."""
_BEGINNINGS, _UTTERANCES = _KINDS = ("beginnings", "utterances")
_MAX_TURNS = 40
"""Longer beginnings are one group when chance is measured."""
_SHOWN = 5
"""Samples that are named."""
_FORMAT = "duologue training sketch 1"
NO_SKETCH = "its model keeps no sketch of its training data; train it again with this version"
_HASH = re.compile(r"[0-9a-f]{64}")


class SeenError(DuologueError):
    """A system saw the truth in training, or it is not shown that it did not."""


class TrainingFile(Record, frozen=True, kw_only=True):
    """A file that a system was trained on."""

    name: str
    """Without its folder."""
    sha256: str
    """Of its unpacked bytes."""
    part: str
    """`"train"`, `"held-out"` or `"unlabelled"`."""


class _Kind(Record, frozen=True, kw_only=True):
    count: Items
    """Fingerprints in the file."""
    recurring: list[tuple[Items, Items, Items]] = []
    """By number of turns: how many were counted, and how many of them stand in another dialogue too."""


class _Part(Record, frozen=True, kw_only=True):
    name: str
    kinds: dict[str, _Kind]


class _Head(Record, frozen=True, kw_only=True):
    format: str
    files: list[TrainingFile]
    parts: list[_Part]


class _Shelf(NamedTuple):
    """Sorted fingerprints of one kind, looked up in the bytes of the file, and what recurs among them.

    Whoever answers with a model needs nothing but the sketch's hash, so its fingerprints are not decoded at all.
    """

    data: bytes
    start: int
    """Place of the first byte."""
    size: int
    chance: dict[int, float]

    def holds(self, one: int) -> bool:
        """Tell whether a fingerprint is among them."""
        wanted = one.to_bytes(BYTES)
        place = bisect_left(range(self.size), wanted, key=self._at)
        return place < self.size and self._at(place) == wanted

    def _at(self, place: int) -> bytes:
        start = self.start + BYTES * place
        return self.data[start : start + BYTES]  # the highest byte first: bytes are in the order of the numbers


class Sketch:
    """What a system was trained on, without its texts."""

    def __init__(self, files: Sequence[TrainingFile], parts: dict[str, dict[str, _Shelf]], data: bytes) -> None:
        self.files = tuple(files)
        self._parts = parts
        self.data = data
        """The bytes of its file."""
        self.hash = sha256(data)

    @classmethod
    def of(cls, parts: dict[str, Sequence[Example]], files: Sequence[TrainingFile] = ()) -> Sketch:
        """Return the sketch of training data, by parts (`train`, `held-out`, `unlabelled`); 12 bytes per utterance."""
        heads, body = [], []
        for name, examples in parts.items():
            kinds = {}
            gathered = _Gathered(examples)
            for kind, prints, recurring in (
                (_BEGINNINGS, gathered.beginnings, gathered.recurring()),
                (_UTTERANCES, gathered.utterances, []),
            ):
                kinds[kind] = _Kind(count=len(prints), recurring=recurring)
                body += [one.to_bytes(BYTES) for one in sorted(prints)]
            heads.append(_Part(name=name, kinds=kinds))
        head = _Head(format=_FORMAT, files=list(files), parts=heads)
        return cls.decode(msgspec.json.encode(head) + b"\n" + b"".join(body), None)

    @classmethod
    def read(cls, path: Path) -> Sketch:
        """Return the sketch in a file. Raises `FormatError` for a damaged one, `StorageError` for none."""
        return cls.decode(read_bytes(path), path)

    @classmethod
    def decode(cls, data: bytes, path: Path | None) -> Sketch:
        """Return the sketch that the bytes of its file hold; `path` is what messages call it."""
        start = data.find(b"\n") + 1
        try:
            head = decode_json(data[: max(start - 1, 0)], _Head)
        except msgspec.DecodeError as error:
            _refuse(path, f"its first line is not that of a sketch: {error}", error)
        wanted = start + BYTES * sum(kind.count for part in head.parts for kind in part.kinds.values())
        if head.format != _FORMAT or wanted != len(data):
            _refuse(path, f"found {len(data):,} bytes, expected {wanted:,} of the format '{_FORMAT}'", None)
        if not _sound(head):
            _refuse(path, f"a part has not {' and '.join(_KINDS)}, or more of them recur than there are", None)
        parts: dict[str, dict[str, _Shelf]] = {}
        for part in head.parts:
            for name, kind in part.kinds.items():
                chance = {turns: again / n for turns, n, again in kind.recurring if n}
                parts.setdefault(part.name, {})[name] = _Shelf(data, start, kind.count, chance)
                start += BYTES * kind.count
        return cls(head.files, parts, data)

    def save(self, path: Path) -> None:
        """Write the sketch as a whole file."""
        write_bytes(path, self.data)

    def put_beside(self, result: Path) -> None:
        """Write the sketch beside a result, under a name made from its hash; nothing where it lies there already."""
        path = beside(result, self.hash)
        assert path is not None
        if not path.is_file() or read_bytes(path) != self.data:
            self.save(path)

    def exposure(self, truth: Iterable[Example], files: Iterable[tuple[str, str]] = ()) -> Exposure:
        """Return how much of a truth the system saw; `files` are names and hashes of the truth's files.

        An example counts by its context and reply; by its context alone where the reply is no text or not known.
        Those of fewer words than `ENOUGH` tell nothing and are left out.
        """
        known = {one.sha256 for one in self.files}
        seen_files = tuple(name for name, hash_ in files if hash_ in known)
        tally = _Tally()
        for example in truth:
            self._look(example, tally)
        return Exposure(
            files=seen_files,
            samples=tally.samples,
            samples_seen=tally.seen,
            by_chance=tally.chance / tally.samples if tally.samples else 0.0,
            replies=tally.replies,
            replies_seen=tally.replies_seen,
            held_out=tally.held_out,
            examples=tuple(tally.shown),
        )

    def _look(self, example: Example, tally: _Tally) -> None:
        replies = [of_text(text) for text in _replies(example)]
        context = deque(_beginnings(_turns(example)), maxlen=1).pop()
        said = [context.then(reply) for reply in replies] or [context]
        prints = [one.print for one in said if one.size >= ENOUGH]
        if prints:
            parts = {name: part[_BEGINNINGS] for name, part in self._parts.items()}
            tally.samples += 1
            tally.chance += max((part.chance.get(said[0].turns, 0.0) for part in parts.values()), default=0.0)
            where = [name for name, part in parts.items() if any(map(part.holds, prints))]
            if where:
                tally.seen += 1
                tally.held_out += where == [HELD_OUT]
                if len(tally.shown) < _SHOWN:
                    tally.shown.append(example.sample.id)
        telling = [reply.print for reply in replies if reply.size >= ENOUGH]
        if telling:
            tally.replies += 1
            tally.replies_seen += any(part[_UTTERANCES].holds(one) for part in self._parts.values() for one in telling)


class _Tally:
    def __init__(self) -> None:
        self.samples = self.seen = self.replies = self.replies_seen = self.held_out = 0
        self.chance = 0.0
        self.shown: list[str] = []


def beside(result: Path, hash_: str) -> Path | None:
    """Return where the sketch of that hash lies beside a result; `None` for what is no hash.

    The name is made from the hash, whatever a stranger's note says: no other file is ever opened.
    """
    return result.parent / f"training-{hash_[:16]}{BESIDE}" if _HASH.fullmatch(hash_) else None


def training_files(paths: Iterable[Path], part: str) -> list[TrainingFile]:
    """Return names and hashes of files that are trained on. Raises as reading them does."""
    return [TrainingFile(name=path.name, sha256=sha256_of(Source(path)), part=part) for path in paths]


def declared(system: System, external: Sequence[str] | None = None) -> list[str] | None:
    """Return the external data of a system, sorted; `None` where it is not declared.

    They are what the system brings along itself (its attribute `external`, such as weights that others trained) and
    what is declared of its training data.
    """
    own: Sequence[str] | None = getattr(system, "external", None)
    return None if own is None and external is None else sorted({*(own or ()), *(external or ())})


def with_knowledge(
    external: list[str] | None, task: Task, world: World | None, kb: Path | None, use: str = "looked up while answering"
) -> list[str] | None:
    """Return external data with the knowledge of `--kb`, if any: name, use, facts and hash.

    It counts where the challenge tells systems without and with external data apart or gives no such knowledge itself,
    and where the others are declared.
    """
    if external is None or world is None or kb is None or (task.info.tracks is None and not task.info.kb_beside):
        return external
    facts = sum(1 for _ in world)
    return sorted({*external, f"{kb.name} ({use}, {facts:,} facts, {hash_of_knowledge(kb)[:12]})"})


def sketch_of(model: Path) -> Sketch | None:
    """Return the sketch that lies in a model's folder; `None` where there is none."""
    return Sketch.read(model / SKETCH) if (model / SKETCH).is_file() else None


def told(exposure: Exposure, system: str) -> Problem | None:
    """Return the warning that a report carries: a leak, or that none can be looked for; `None`: all is well."""
    name = system or "the system"
    if exposure.unknown:
        return Problem(
            rule="training-unknown",
            severity="warning",
            message=f"whether {name} was trained on this truth cannot be told: {exposure.unknown}",
            advice="name the folder of its model with --model",
        )
    if not exposure.leak:
        return None
    found = [f"{', '.join(exposure.files)} itself was trained on"] if exposure.files else []
    if exposure.samples_seen:
        share = f"{100 * exposure.samples_seen / exposure.samples:.1f} % of {exposure.samples:,} samples"
        kept_back = f", {exposure.held_out:,} of them held out" if exposure.held_out else ""
        examples = ", ".join(f"'{one}'" for one in exposure.examples)
        chance = f"{100 * exposure.by_chance:.1f} % are to be expected of unseen data"
        found.append(f"{share} (context and reply) were in its training data{kept_back}, such as {examples} ({chance})")
    return Problem(
        rule="seen-in-training",
        severity="warning",
        message=f"{name} knew this truth: {'; '.join(found)}",
        advice="this is no measure of how it does on new data: score it on other data, or train it without these",
    )


def warnings_of_training(reports: Iterable[Report]) -> list[str]:
    """Return a line for each report whose system saw its truth in training, or of which that cannot be told."""
    warnings = [told(one.exposure, one.system) for one in reports if one.exposure is not None]
    return [f"warning: {one.message}; {one.advice} [{one.rule}]" for one in warnings if one is not None]


def demand_unseen(report: Report) -> None:
    """Raise `SeenError` unless it is shown that the system did not see the truth in training."""
    why = "there is no note of `duologue run` beside the result; name the folder of its model with --model"
    demand_shown(report.exposure, report.system, why)


def demand_shown(exposure: Exposure | None, system: str, why: str) -> None:
    """Raise `SeenError` unless an exposure shows that the system saw nothing; `why` there is none, where it is none."""
    if exposure is None:
        name = system or "the system"
        raise SeenError(f"nothing tells what {name} was trained on, and --require-unseen was given: {why}")
    warning = told(exposure, system)
    if warning is not None:
        raise SeenError(f"{warning.message}; {warning.advice} (--require-unseen)")


def exposure_of(
    note: Mapping[str, Any] | None,
    result: Path,
    truth: Callable[[], Iterable[Example]],
    files: Iterable[tuple[str, str]],
    models: Sequence[Path] = (),
) -> Exposure | None:
    """Return how much of a truth the system behind a result saw; `None` where nothing says what it was trained on.

    `note` is what `duologue run` wrote beside the result; `truth` gives the examples and is asked only where there is
    a sketch. That lies beside the result or in one of `models`, folders that the user names; where there is no note
    and one folder, the result is taken to be that model's. Of a truth without texts only the note can tell, by what
    was answered.
    """
    if note is not None and note.get("combined"):
        parts = note["combined"] if isinstance(note["combined"], list) else []
        return _worst([exposure_of(one, result, truth, files, models) for one in parts if isinstance(one, dict)])
    sketch: Sketch | str | None
    if note is None:
        sketch = sketch_of(models[0]) if len(models) == 1 else None
    elif not note.get("model"):
        return Exposure() if note.get("external") == [] else None  # it learns nothing, or nobody knows what it knows
    else:
        sketch = _find(str(note.get("sketch", "")), result, models)
    if sketch is None:
        return None
    if isinstance(sketch, str):
        return Exposure(unknown=sketch)
    found = sketch.exposure(truth(), files)
    if note is not None and not found.samples and not found.files:
        with suppress(msgspec.ValidationError):
            return convert(note.get("exposure"), Exposure)
    return found


def _worst(found: Sequence[Exposure | None]) -> Exposure | None:
    """Return how much a combination of systems saw: as much as the one that saw most; not known where one is not."""
    if not found or None in found:
        return None
    known = [one for one in found if one is not None]
    return next((one for one in known if one.unknown), max(known, key=lambda one: (one.leak, one.share)))


def sketch_beside(result: Path, hash_: str) -> Sketch | None:
    """Return the sketch of that hash that lies beside a result; `None` where there is none, or it is damaged."""
    found = _find(hash_, result, ())
    return found if isinstance(found, Sketch) else None


def _find(hash_: str, result: Path, models: Sequence[Path]) -> Sketch | str:
    """Return the sketch of that hash, or why there is none; one whose bytes have another hash is none."""
    near = beside(result, hash_)
    if near is None:
        return NO_SKETCH
    for path in (near, *(model / SKETCH for model in models)):
        if path.is_file():
            data = read_bytes(path)
            if sha256(data) == hash_:
                try:
                    return Sketch.decode(data, path)
                except FormatError as error:
                    return str(error).partition("\n")[2].strip()
    return f"the sketch of its training data, {near.name}, is not beside the result"


def _replies(example: Example) -> list[str]:
    """Return what a person said: the texts of the references, or those of the candidates that they put first."""
    texts = [answer.text for answer in example.references if answer.text]
    first = {answer.ranking[0] for answer in example.references if answer.ranking and not answer.text}
    return texts + [one.text for one in example.sample.candidates if one.id in first]


class _Beginning(NamedTuple):
    """What is said in a dialogue up to some turn."""

    print: int
    size: float
    """Words in all."""
    turns: int

    def then(self, said: TextFingerprint) -> _Beginning:
        """Return what it is with one more turn."""
        return _Beginning(of_several((self.print, said.print)), self.size + said.size, min(self.turns + 1, _MAX_TURNS))


def _turns(example: Example) -> list[TextFingerprint]:
    """Return the turns of the history."""
    return [of_text(turn.text) for turn in example.sample.history]


def _beginnings(turns: Sequence[TextFingerprint]) -> Iterator[_Beginning]:
    """Yield what is said before each turn, and at last all of them."""
    sizes = accumulate((one.size for one in turns), initial=0.0)
    numbers = chain(range(_MAX_TURNS), repeat(_MAX_TURNS))
    return map(_Beginning, of_beginnings(one.print for one in turns), sizes, numbers)


class _Gathered:
    """The fingerprints of training data; those of fewer words than `ENOUGH` are left out."""

    def __init__(self, examples: Iterable[Example]) -> None:
        self.beginnings: dict[int, str] = {}
        """With the first dialogue that begins so."""
        self.utterances: set[int] = set()
        self._several: set[int] = set()
        """Beginnings of several dialogues."""
        self._all = array("Q")
        """Beginnings, each once for each dialogue."""
        self._turns = bytearray()
        dialogue, known = "", set[int]()
        for example in examples:
            if example.sample.dialogue_id != dialogue:
                dialogue, known = example.sample.dialogue_id, set()
            self._add(example, known)

    def _add(self, example: Example, known: set[int]) -> None:
        """Take an example; `known` has the beginnings of its dialogue so far."""
        replies = [of_text(text) for text in _replies(example)]
        turns, history = _turns(example), example.sample.history
        said = [one for one, turn in zip(turns, history, strict=True) if turn.speaker != "api"]
        self.utterances.update(one.print for one in (*said, *replies) if one.size >= ENOUGH)
        begun = list(_beginnings(turns))
        for one in (*begun, *(begun[-1].then(reply) for reply in replies)):
            if one.size < ENOUGH or one.print in known:
                continue
            known.add(one.print)
            if self.beginnings.setdefault(one.print, example.sample.dialogue_id) != example.sample.dialogue_id:
                self._several.add(one.print)
            self._all.append(one.print)
            self._turns.append(one.turns)

    def recurring(self) -> list[tuple[int, int, int]]:
        """Return by turns how many beginnings there are, and how many of them are those of another dialogue too."""
        counted = Counter(self._turns)
        again = Counter(turns for one, turns in zip(self._all, self._turns, strict=True) if one in self._several)
        return [(turns, counted[turns], again[turns]) for turns in sorted(counted)]


def _sound(head: _Head) -> bool:
    kinds = [kind for part in head.parts for kind in part.kinds.values()]
    return all(set(part.kinds) == set(_KINDS) for part in head.parts) and all(
        again <= n for kind in kinds for _, n, again in kind.recurring
    )


def _refuse(path: Path | None, what: str, error: Exception | None) -> NoReturn:
    problem = Problem(
        rule="not-a-sketch",
        message=f"this is no sketch of training data: {what}",
        advice="copy it again from the model's folder, or train the model again",
    )
    raise FormatError(path or "the sketch", [problem]) from error
