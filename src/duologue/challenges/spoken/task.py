"""Knowledge-driven spoken dialogue (Huawei 2022 Global AI Challenge), in the format of KdConv.

What is asked
    Given a dialogue whose last turn is the user's, as a speech recogniser would write it, and a knowledge graph:
    choose the triples (entity, attribute, value) that the reply needs, and write the reply.

Sizes
    740 validation dialogues (13,134 turns, 9,444 triples), 400 test samples with histories of 1 to 17 turns, a graph
    of about 38,000 entities. About four fifths of the dialogues are in the style of KdConv (film, music, travel), the
    rest are idioms, poems, books, recipes, fish and characters of two fantasy worlds.

Rules
    A system answers each sample from its history and the graph that it is given at run time. The speakers alternate
    and the user begins; a sample is a turn of the responder (odd index). Earlier turns come without their triples.

Traps
    * Recogniser noise is on turns without triples, whoever speaks: replies without knowledge are noisy references.
      The samples `knowledge` are the main number.
    * Names keep their suffix in brackets, values their full-width signs, `::;` and U+200E: nothing is made alike.
    * A value may be a number: 70 and "70" are the same triple in `strict` and two in `official`.
    * DISTINCT of the challenge document counts n-grams that occur exactly once; the usual DISTINCT is beside it.
    * KdConv's development and test dialogues are in part those of the challenge: never train on one and test on the
      other.

How to obtain the data
    The validation dialogues stand in the repository of the published baseline; KdConv (Zhou et al., ACL 2020) in
    `thu-coai/KdConv`, Apache License 2.0. The challenge's own graph and training set must be had from the organiser.
"""

from __future__ import annotations

from copy import copy
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.formats.kdconv import CHOICES
from duologue.challenges.spoken.scoring.options import INFO
from duologue.core.errors import FormatError, UsageError
from duologue.core.optional_protocols import Inspectable
from duologue.core.protocols import Service, Task
from duologue.core.records import Problem
from duologue.text.noise.spoken_users import SpokenUsers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from duologue.challenges.spoken.noise.simulator import NoiseSimulator
    from duologue.core.data_rows import DataRows
    from duologue.core.dialogue_view import DialogueView
    from duologue.core.optional_protocols import Partner
    from duologue.core.protocols import System, World
    from duologue.core.records import Answer, Example, Report, Scoring, Submission
    from duologue.knowledge.graph import Graph
    from duologue.metrics.counts import Metric


ORGANISER = "organiser"
FITTED = "the organisers' generator: tables fitted to 805 pairs of the challenge's own data (`noise_table.py`)"
"""What is said of this noise beside figures."""


class SpokenTask(Task, Inspectable):
    """Answer from a knowledge graph in spoken dialogue (Huawei 2022): choose triples and write the reply."""

    info = INFO
    without: Mapping[str, str] = MappingProxyType(
        {
            "Simulated": "dialogues are converted from KdConv (`data convert`); a noisy copy is made by `data noise`",
            "Playable": "questions are asked of a graph, not of a goal that a simulated user could reach",
        }
    )
    forms: tuple[str, ...] = ("dialogues", "samples", "gold", "graph", "sqlite", "kdconv")
    """The forms that `convert` knows."""
    default_system = ""
    """Whom `duologue chat` talks to when nobody is named: every system of this task has learned something first."""
    choices: ClassVar[dict[str, tuple[str, ...]]] = CHOICES
    """What to take of a folder of KdConv; other conversions leave no choice."""
    regimes: tuple[str, ...] = ("validation", "test")
    """Noise on the turns without knowledge, or on the user's."""
    noises: Mapping[str, str] = {ORGANISER: FITTED, **SpokenUsers.noises}
    usual_noises: tuple[str, ...] = (ORGANISER,)
    labels_move = False

    def __init__(self) -> None:
        self._world: World | None = None
        """The knowledge graph that files are held against."""

    def load(self, path: Path) -> Iterator[Example]:
        """Read dialogues (train.json, valid.json), samples (test.json) or gold; `FormatError` has all problems."""
        yield from files.load(path)

    def rows(self, path: Path) -> DataRows:
        """Return dialogues, samples or gold with their dialogues."""
        return files.data_rows(path)

    def load_files(self, paths: Sequence[Path]) -> list[Example]:
        """Return the examples of several files together: samples of test.json meet their gold by id.

        Raises `FormatError` where two files know the reply of one id: ids of dialogues are their numbers in a file,
        so dialogues of several files cannot be put together without putting one file's replies on another's samples.
        """
        if len(paths) == 1:
            return list(files.load(paths[0]))
        found: dict[str, Example] = {}
        for path in paths:
            clashes: list[Problem] = []
            for example in files.load(path):
                other = found.get(example.sample.id)
                if other is None:
                    found[example.sample.id] = example
                elif other.references and example.references:
                    message = f"sample '{example.sample.id}' has a reply in an earlier file too"
                    clashes.append(Problem(rule="id-repeated", message=message, advice="score the files one by one"))
                else:
                    found[example.sample.id] = _joined(other, example)
            if clashes:
                raise FormatError(path, clashes)
        return list(found.values())

    def load_training(self, paths: Sequence[Path]) -> list[Example]:
        """Return the examples of several training files side by side.

        Dialogues are numbered anew in each file, so the file's name is put before their ids where there are several.
        Files of samples and of gold are put together as `load_files` does. Raises `FormatError` as it does.
        """
        from duologue.challenges.spoken.formats import merge_files as pooling

        return pooling.side_by_side(paths, self.load_files)

    def read(self, path: Path) -> Submission:
        """Read a result file as it is."""
        return files.read_result(path)

    def write(self, examples: Sequence[Example], answers: Iterable[tuple[str, Answer]], path: Path) -> None:  # noqa: ARG002  # ids say all
        """Write result.json. Raises `AnswerError` for an answer without a text."""
        files.write_result(answers, path)

    def check(self, submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
        """Return all problems of a result file; `with_world` adds the triples that are not in the knowledge graph."""
        from duologue.challenges.spoken.scoring import checker

        return checker.check(submission, examples, variant, self._world)

    def score(self, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
        """Score a result file: triples, replies and the total that ranks, with 95 % intervals."""
        from duologue.challenges.spoken.scoring import scorer

        return scorer.score(examples, submission, how)

    def answers(self, submission: Submission, examples: Sequence[Example]) -> dict[str, Answer]:  # noqa: ARG002  # rows have ids
        """Return the replies of a result file by sample id.

        Those with an error of their own are left out, and those with half a surrogate pair, which no record can hold.
        """
        from duologue.challenges.spoken.scoring import checker

        findings = checker.examine(submission, None, "official")
        found = ((name, files.answer_in(row)) for name, row in findings.replies.items())
        return {name: answer for name, answer in found if files.is_writable(name, answer)}

    def metrics(self, how: Scoring) -> Sequence[Metric[Any]]:
        """Return the formulas of all scores under a way of scoring."""
        from duologue.challenges.spoken.scoring import scorer

        return scorer.metrics(how)

    def world(self, path: Path | None) -> Graph:
        """Return the knowledge graph of kg.json, or of a database that `convert` made of it.

        Raises `UsageError` without a file: there is none built in.
        """
        from duologue.challenges.spoken.formats import conversions

        if path is None:
            raise UsageError("spoken has no built-in knowledge graph; give a file in the format of kg.json with --kg")
        return conversions.open_graph(path)

    def with_world(self, world: World) -> Self:
        """Return this task with a knowledge graph that results and data files are held against."""
        found = copy(self)
        found._world = world
        return found

    def dump(self, path: Path, write: Callable[[str], object]) -> None:
        """Write dialogues, samples, gold or a graph as plain text; unknown triples are marked (`with_world`)."""
        from duologue.challenges.spoken.formats import walker

        walker.dump(path, write, self._world)

    def views(self, path: Path) -> Iterator[DialogueView]:
        """Yield what a file holds as a page shows it."""
        from duologue.challenges.spoken.formats import walker

        return walker.views(path, self._world)

    def statistics(self, path: Path) -> dict[str, int | float | list[str]]:
        """Return how much a file holds, and how many of its triples are in the graph of `with_world`."""
        from duologue.challenges.spoken.formats import walker

        return walker.statistics(path, self._world)

    def partner(self, system: System, place: Path | World | None, *, seed: int, lang: str, name: str) -> Partner:
        """Return `system` as a live partner over the graph at `place`; `UsageError` without one."""
        from duologue.challenges.spoken.live import partner
        from duologue.knowledge.graph import Graph

        world = self.world(place) if place is None or isinstance(place, Path) else place
        graph = world if isinstance(world, Graph) else Graph(world.name, world)
        return partner.SpokenPartner(system, graph, INFO, seed=seed, lang=lang, name=name)

    def service(self, system: System, world: World | None, *, seed: int) -> Service:
        """Return `system` behind the form of the published baseline's demo; the graph's indexes are built now."""
        from duologue.challenges.spoken.live.endpoint import Endpoint
        from duologue.knowledge.graph import Graph

        if isinstance(world, Graph):
            world.ready()  # the first request should not wait for them, nor fifty build them at once

        system.prepare(INFO, seed, {} if world is None else {world.name: world})
        endpoint = Endpoint(system, world.name if world is not None else None)
        return Service(endpoint.respond, endpoint.refusal)

    def convert(self, source: str, target: str, path: Path, out: Path, chosen: Mapping[str, str]) -> list[Path]:
        """Turn dialogues into their samples or gold, a graph into a database and back, KdConv into one file."""
        from duologue.challenges.spoken.formats import conversions

        conversions.convert(source, target, path, out, chosen)
        return [out]

    def write_noisy(self, path: Path, out: Path, *, regime: str, seed: int, strengths: Mapping[str, float]) -> int:
        """Write dialogues or samples with noise; return how many utterances changed."""
        from duologue.challenges.spoken.noise.noisy_files import distort

        return distort(path, out, _simulator(regime, seed, strengths))

    def noisy_examples(
        self, examples: Sequence[Example], *, seed: int, strengths: Mapping[str, float]
    ) -> list[Example]:
        """Return examples with noise on the user's turns of their histories."""
        simulator = _simulator("test", seed, strengths)
        return [simulator.example(example) for example in examples]


def _simulator(regime: str, seed: int, strengths: Mapping[str, float]) -> NoiseSimulator:
    """Return the organisers' noise, which comes after the speaker's where both are on."""
    from duologue.challenges.spoken.noise.simulator import NoiseSimulator
    from duologue.text.noise.chinese import SpokenChinese
    from duologue.text.noise.speech_channel import SpeechChannel

    own = {kind: strength for kind, strength in strengths.items() if kind != ORGANISER}
    channel = SpeechChannel(SpokenChinese(), seed, own) if own else None
    return NoiseSimulator(regime, seed, strength=strengths.get(ORGANISER, 0.0), channel=channel)


def _joined(one: Example, other: Example) -> Example:
    """Return one example with the history of the file that has it and the reply of the other."""
    fuller, known = (one, other) if one.sample.history else (other, one)
    if fuller.references:
        return fuller
    return msgspec.structs.replace(fuller, references=known.references, source=known.source)
