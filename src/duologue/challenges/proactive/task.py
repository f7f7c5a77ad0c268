"""Proactive knowledge-driven dialogue: leading a conversation from one topic to another (DuConv, LIC 2019).

What is asked
    An agent leads a user from topic A to topic B, films and film people, with triples of knowledge about both. The
    agent speaks first; the user knows nothing. Given goal, knowledge and history, produce the agent's next utterance.

Sizes
    19,858 sessions for training, 2,000 for development (9.05 utterances each), test_1 with 5,000 samples and test_2
    with 10,069, both released without replies.

Rules
    All text is segmented. A prediction file has one reply per line, in the order of the samples. Scored by
    characters (F1) and words (BLEU-1/2, DISTINCT-1/2); the finalists were ranked by people who talked to them.

Traps
    * `eval.py` does not score a line with an empty prediction at all, joins the words of an n-gram without a mark, and
      prints a percent sign behind fractions. Variant `official` keeps all of it.
    * test_1 and test_2 have samples of one session with histories of different length, so that a longer history leaks
      the reply to a shorter one. Never look at another sample.
    * Relation rows of the goal are in the knowledge in 64 % of the cases only: they are knowledge of their own.
    * DISTINCT falls with the number of replies: compare it on equal test sets only.

How to obtain the data
    The organisers' repository `baidu/knowledge-driven-dialogue` (code under the MIT licence) names the places; see
    `docs/challenges/proactive.md`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.proactive.formats import conversions, files
from duologue.challenges.proactive.schema import INFO
from duologue.core.errors import RequestError
from duologue.core.optional_protocols import Inspectable
from duologue.core.protocols import Task
from duologue.text.noise.spoken_users import SpokenUsers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from duologue.core.data_rows import DataRows
    from duologue.core.dialogue_view import DialogueView
    from duologue.core.optional_protocols import Partner, Stage
    from duologue.core.protocols import System
    from duologue.core.records import Answer, Dialogue, Example, Problem, Report, Sample, Scoring, Submission, Turn
    from duologue.metrics.counts import Metric
    from duologue.text.noise.speech_channel import SpeechChannel
    from duologue.text.noise.spoken_language import SpokenLanguage


class ProactiveTask(SpokenUsers, Task, Inspectable):
    """Lead a talk from topic A to topic B with given knowledge (DuConv, Baidu 2019): write the reply."""

    info = INFO
    without: Mapping[str, str] = MappingProxyType(
        {
            "Simulated": "dialogues come of goals (`data goals`) played by `simulate`, or of pairs of people",
        }
    )
    forms: tuple[str, ...] = conversions.FORMS
    """Forms of `convert`."""
    choices: dict[str, tuple[str, ...]] = conversions.CHOICES
    """Options of `convert`."""
    pair_first = "system"
    """Whoever leads speaks first."""
    pair_length = (8, 18)
    """Utterances of the shortest and of the longest human dialogue (visible development part)."""
    default_system = ""
    """No default system of `duologue chat`: every system of this task must be trained first."""

    def load(self, path: Path) -> Iterator[Example]:
        """Read a session file (a sample per agent turn) or a sample file; `FormatError` has all its problems."""
        yield from files.load(path)

    def load_files(self, paths: Sequence[Path]) -> Sequence[Example]:
        """Read several files in order, with file names prefixed to the ids, which start again in each file.

        Files of the same name get their number appended. A single very large file is not held in memory.
        """
        from duologue.challenges.proactive.formats import stored

        if len(paths) == 1:
            return stored.truth(paths[0])
        names = [path.name for path in paths]
        prefixes = [
            f"{name}:" if names.count(name) == 1 else f"{name}({number}):" for number, name in enumerate(names, start=1)
        ]
        return [_named(one, prefix) for path, prefix in zip(paths, prefixes, strict=True) for one in files.load(path)]

    def load_training(self, paths: Sequence[Path]) -> list[Example]:
        """Read training files with ids as in `load_files`."""
        return list(self.load_files(paths))

    def rows(self, path: Path) -> DataRows:
        """Return the lines of a session or sample file with their dialogues."""
        return files.data_rows(path)

    def read(self, path: Path) -> Submission:
        """Read a prediction file or an evaluation file unchecked."""
        return files.read_result(path)

    def write(self, examples: Sequence[Example], answers: Iterable[tuple[str, Answer]], path: Path) -> None:  # noqa: ARG002  # ids say all
        """Write a prediction file: a reply a line, in the order given, which must be that of the samples."""
        files.write_predictions(answers, path)

    def check(self, submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
        """Return all problems of a result file; `official` finds what `eval.py` fails on."""
        from duologue.challenges.proactive.scoring import checker

        return checker.check(submission, examples, variant)

    def score(self, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
        """Score a prediction file against data, or an evaluation file by itself."""
        from duologue.challenges.proactive.scoring import scorer

        return scorer.score(examples, submission, how)

    def answers(self, submission: Submission, examples: Sequence[Example]) -> dict[str, Answer]:
        """Return the replies of a result file by sample id."""
        return files.answers_in(submission, examples)

    def metrics(self, how: Scoring) -> Sequence[Metric[Any]]:
        """Return the metrics of a variant; `conversation` is that of whole conversations."""
        from duologue.challenges.proactive.live import free_user, judge
        from duologue.challenges.proactive.scoring import formulas
        from duologue.metrics.conversation_report import VARIANT

        if how.variant == VARIANT:  # with what is counted of users who speak freely
            return (*judge.formulas(), *free_user.formulas())
        return formulas.metrics(how)

    def dump(self, path: Path, write: Callable[[str], object]) -> None:
        """Write a session or sample file as plain text."""
        from duologue.challenges.proactive.formats import walker

        walker.dump(path, write)

    def views(self, path: Path) -> Iterator[DialogueView]:
        """Yield what a file holds as a page shows it."""
        from duologue.challenges.proactive.formats import walker

        return walker.views(path)

    def statistics(self, path: Path) -> dict[str, int | float | list[str]]:
        """Return the statistics of a session or sample file."""
        from duologue.challenges.proactive.formats import walker

        return walker.statistics(path)

    def stage(self, goals: Path | None, users: Sequence[Path], *, n: int, seed: int, max_turns: int | None) -> Stage:
        """Return scenes with the goals of a session or sample file, the simulated user, and the judge."""
        from duologue.challenges.proactive.live.scenes import make_stage

        return make_stage(goals, users, n=n, seed=seed, max_turns=max_turns)

    def write_dialogues(self, dialogues: Iterable[Dialogue], path: Path) -> None:
        """Write dialogues as a session file."""
        files.write_sessions(dialogues, path)

    def partner(self, system: System, place: Path | None, *, seed: int, lang: str, name: str) -> Partner:
        """Return a live partner; of a file with several goals one is sampled by `seed`."""
        from duologue.challenges.proactive.live.partner import ProactivePartner, setting

        return ProactivePartner(system, setting(place, seed), seed=seed, lang=lang, name=name)

    def pair_scenes(self, place: Path, *, n: int, seed: int) -> Sequence[Dialogue]:
        """Return goals with their knowledge, from a file of goals or drawn from a graph."""
        from duologue.challenges.proactive.live.pairs import pair_scenes

        return pair_scenes(place, n, seed)

    def pair_card(self, scene: Dialogue, lang: str, side: str) -> Sequence[str]:
        """Return the goal of whoever leads, a line each."""
        from duologue.challenges.proactive.live.partner import goal_lines

        return goal_lines(scene.goal, lang) if scene.goal is not None and side == "system" else []

    def pair_how(self, side: str, lang: str) -> str:  # noqa: ARG002  # one leads and one follows
        """Return nothing: one leads and one follows."""
        return ""

    def pair_dialogue(self, scene: Dialogue, turns: Sequence[Turn]) -> Dialogue:
        """Return what two people typed, segmented."""
        from duologue.challenges.proactive.live.pairs import written

        return written(scene, turns)

    def pair_problems(self, dialogue: Dialogue) -> Sequence[Problem]:
        """Return what is wrong with a dialogue of two people: topics out of order, little knowledge."""
        from duologue.challenges.proactive.live.pairs import pair_problems

        return list(pair_problems(dialogue))

    def request_sample(self, sample: Sample, *, typed: bool) -> Sample:
        """Return the sample of a request; what people type is segmented as the data is.

        Raises `RequestError` without a goal.
        """
        from duologue.challenges.proactive.live import segmentation

        if sample.goal is None or len(sample.goal.topics) != 2:
            raise RequestError(
                'proactive leads from one topic to another: give "goal": {"topics": ["A", "B"]} and "knowledge"'
            )
        return segmentation.segmented_sample(sample) if typed else sample

    def request_answer(self, answer: Answer, *, typed: bool) -> Answer:
        """Return the answer to a request; where people typed it, the words of the reply are joined."""
        from duologue.challenges.proactive.live import segmentation

        if not typed or answer.text is None:
            return answer
        return msgspec.structs.replace(answer, text=segmentation.joined(answer.text))

    def spoken_language(self) -> SpokenLanguage:
        """Return Chinese that is cut into words by spaces."""
        from duologue.text.noise.chinese import SpokenChinese

        return SpokenChinese(spaced=True)

    def lay_noise(self, path: Path, out: Path, regime: str, channel: SpeechChannel) -> int:  # noqa: ARG002  # there is one
        """Write sessions or samples with noise on the user's turns."""
        from duologue.challenges.proactive.noise import distort

        return distort(path, out, channel)

    def convert(self, source: str, target: str, path: Path, out: Path, chosen: Mapping[str, str]) -> list[Path]:
        """Convert a file with the options given (`conversions.CHOICES`)."""
        return conversions.convert(source, target, path, out, chosen)


def _named(example: Example, prefix: str) -> Example:
    sample = msgspec.structs.replace(
        example.sample, id=prefix + example.sample.id, dialogue_id=prefix + example.sample.dialogue_id
    )
    return msgspec.structs.replace(example, sample=sample)
