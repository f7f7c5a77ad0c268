"""Information extraction and dialogue of a Chinese mobile operator's service line (SereTOD challenge 2022, MobileCS).

What is asked
    Track 1, `mobilecs/extraction`: given the transcript of a call, find every mention of a service with its type,
    resolve coreference between mentions, and fill the slots of each service and of the user. Track 2,
    `mobilecs/dialogue`: given what a user says turn by turn and a small knowledge base of this call alone, predict
    the user's intents, choose one's own, and reply.

Sizes
    8,975 annotated and 87,933 bare dialogues of 11.2 turns; test sets of about 1,000. They are given under a signed
    agreement; 20 dialogues and two sample files are public.

Rules
    A system of track 2 sees the user's side, its own earlier replies and the knowledge base; never the goal, and
    never what the staff really said. Test data of one track must not be used for the other.

Traps
    * The order of keys in a turn is data: the order of the intent keys says who speaks first.
    * Track 2 scorers want entity names in arguments (`<name>-<slot>`, in lower case), not the annotators' ids.
    * The official Success is won by reciting the knowledge base, the official intent score by commas. Variant
      `official` keeps all of it, variant `strict` does not.

How to obtain the data
    `duologue generate mobilecs` makes corpora of our own in the official form. For the real one register at
    http://seretod.org. Formats, formulas and published results: docs/challenges/mobilecs.md.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import msgspec

from duologue.challenges.mobilecs.formats import conversions, files
from duologue.challenges.mobilecs.formats.answers import dialogue_answers, extraction_answers
from duologue.challenges.mobilecs.formats.track2 import place_of
from duologue.challenges.mobilecs.schema.task_infos import DIALOGUE, EXTRACTION
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Inspectable
from duologue.core.protocols import Task
from duologue.core.records import Answer, Turn
from duologue.text.noise.spoken_users import SpokenUsers

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from duologue.core.annotation import AnnotationScheme, PlacedProblem
    from duologue.core.dialogue_view import DialogueView, Statistics
    from duologue.core.optional_protocols import Partner, Stage
    from duologue.core.protocols import Progress, System, World
    from duologue.core.records import Dialogue, Example, Problem, Record, Report, Scoring, Submission
    from duologue.metrics.counts import Metric
    from duologue.text.noise.speech_channel import SpeechChannel
    from duologue.text.noise.spoken_language import SpokenLanguage


class _RawConversion:
    """Conversion of raw dialogues into track 2 data, which both tasks offer."""

    forms = conversions.FORMS
    """Forms of the data that `convert` knows."""
    choices: ClassVar[dict[str, tuple[str, ...]]] = {"variant": conversions.VARIANTS}
    """Choices of `convert`."""

    def convert(self, source: str, target: str, path: Path, out: Path, chosen: Mapping[str, str]) -> list[Path]:
        """Turn raw dialogues into track 2 data, `variant` official or strict (odd records repaired)."""
        return conversions.convert(source, target, path, out, chosen.get("variant", conversions.VARIANTS[0]))


class _GeneratedCorpus:
    """Simulator of calls, whose corpora both tasks share."""

    Generation = CallCorpusRecipe
    """The record of the generator's parameters."""

    def generate(self, recipe: Record, seed: int, out: Path, *, workers: int, progress: Progress | None) -> list[Path]:
        """Write annotated and bare dialogues, track 2 data and the catalogue; see `simulator.corpus.generate`."""
        from duologue.challenges.mobilecs.simulator import corpus

        return corpus.generate(recipe, seed, out, workers=workers, progress=progress)


class _Walked(Inspectable):
    """View of the files of both tracks, which both tasks offer."""

    def dump(self, path: Path, write: Callable[[str], object]) -> None:
        """Write a data or result file as plain text: marked utterances, intents, knowledge base and goal."""
        from duologue.challenges.mobilecs.formats import walker

        walker.dump(path, write)

    def views(self, path: Path) -> Iterator[DialogueView]:
        """Yield what a file holds as a page shows it."""
        from duologue.challenges.mobilecs.formats import dialogue_views

        return dialogue_views.views(path)

    def statistics(self, path: Path) -> Statistics:
        """Return the statistics of a data or result file."""
        from duologue.challenges.mobilecs.formats import walker

        return walker.statistics(path)


class _SpokenCalls(SpokenUsers):
    """Noise of speech on calls, which are Chinese."""

    def spoken_language(self) -> SpokenLanguage:
        """Return Chinese."""
        from duologue.text.noise.chinese import SpokenChinese

        return SpokenChinese()


class _Annotated:
    """Annotation of raw dialogues by people."""

    @property
    def scheme(self) -> AnnotationScheme:
        """The layers: entities with coreference, slots, intents with arguments; and the guideline."""
        from duologue.challenges.mobilecs.schema.annotation_scheme import annotation_scheme

        return annotation_scheme()

    def read_annotated(self, path: Path) -> list[Dialogue]:
        """Return the dialogues of a raw file, annotated or bare; `FormatError` has all its problems."""
        return files.load_raw(path)

    def write_annotated(self, dialogues: Sequence[Dialogue], path: Path) -> None:
        """Write annotated dialogues as a raw file; turns whose annotation is as it was read, byte for byte."""
        files.write_annotated(dialogues, path)

    def check_annotation(self, dialogue: Dialogue) -> list[PlacedProblem]:
        """Return all problems: those of the reader of raw files, and those of the guideline."""
        from duologue.challenges.mobilecs.formats.annotation_check import check_annotation

        return check_annotation(dialogue)


class ExtractionTask(_SpokenCalls, _Annotated, _RawConversion, _GeneratedCorpus, _Walked, Task):
    """Extract entities and slot values from service calls (MobileCS, SereTOD 2022 track 1)."""

    info = EXTRACTION
    without: Mapping[str, str] = MappingProxyType(
        {
            "Conversable": "it reads calls that are over; mobilecs/dialogue talks",
            "Playable": "it reads calls that are over; mobilecs/dialogue is played",
        }
    )
    regimes: tuple[str, ...] = ("user", "both")
    """Noise on the user's side of a call, or on both."""
    labels_move = True

    def lay_noise(self, path: Path, out: Path, regime: str, channel: SpeechChannel) -> int:
        """Write a raw file with noise; mentions and values stand where their words are now."""
        from duologue.challenges.mobilecs.noise import distort_calls

        return distort_calls(path, out, regime, channel)

    def noisy_examples(
        self, examples: Sequence[Example], *, seed: int, strengths: Mapping[str, float]
    ) -> list[Example]:
        """Return calls with noise on the user's side, and references at the places where their words are now."""
        from duologue.challenges.mobilecs.noise import noisy_call
        from duologue.text.noise.speech_channel import SpeechChannel

        channel = SpeechChannel(self.spoken_language(), seed, strengths)
        return [noisy_call(example, channel) for example in examples]

    def load(self, path: Path) -> Iterator[Example]:
        """Read a raw file, one example per dialogue; `FormatError` has all its problems."""
        yield from files.load_extraction(path)

    def read(self, path: Path) -> Submission:
        """Read a track 1 result file as it is."""
        return files.read_result(path, files.EXTRACTION_LAYOUT)

    def write(self, examples: Sequence[Example], answers: Iterable[tuple[str, Answer]], path: Path) -> None:  # noqa: ARG002  # ids say all
        """Write a track 1 result file."""
        files.write_extraction(answers, path)

    def check(self, submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
        """Return all problems of a result file; `official` finds what the official programs crash on."""
        from duologue.challenges.mobilecs.scoring.extraction import checker

        return checker.check(submission, examples, variant)

    def score(self, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
        """Score a result file: mention F1, triple F1 and their mean with 95 % intervals."""
        from duologue.challenges.mobilecs.scoring.extraction import scorer

        return scorer.score(self.info, examples, submission, how)

    def laid_over(self, submission: Submission, examples: Sequence[Example]) -> Iterator[DialogueView]:
        """Yield the calls with each mention and value of truth and result, as the strict scorer counts them."""
        from duologue.challenges.mobilecs.scoring.extraction import laid_over

        return laid_over.laid_over(examples, submission)

    def answers(self, submission: Submission, examples: Sequence[Example]) -> dict[str, Answer]:  # noqa: ARG002  # rows have ids
        """Return the mentions and values of a result file by dialogue; what cannot be read is left out."""
        return extraction_answers(submission.rows)

    def metrics(self, how: Scoring) -> Sequence[Metric[Mapping[str, float]]]:
        """Return the formulas over the counts that reports keep."""
        from duologue.challenges.mobilecs.scoring.extraction import scorer

        return scorer.metrics(how.variant)


class DialogueTask(_SpokenCalls, _RawConversion, _GeneratedCorpus, _Walked, Task):
    """Serve mobile customers (MobileCS, SereTOD 2022 track 2): intents and replies, turn by turn."""

    info = DIALOGUE

    def lay_noise(self, path: Path, out: Path, regime: str, channel: SpeechChannel) -> int:  # noqa: ARG002  # there is one
        """Write a track 2 file with noise on the user's turns."""
        from duologue.challenges.mobilecs.noise import distort_turns

        return distort_turns(path, out, channel)

    default_system = "rule-agent"
    """Whom `duologue chat` talks to when nobody is named."""

    def load(self, path: Path) -> Iterator[Example]:
        """Read a track 2 file, one example per turn; `FormatError` has all its problems.

        The history of a sample is the user's side; `rounds` puts the system's own replies into it.
        """
        yield from files.load_dialogue(path)

    def rounds(self, examples: Sequence[Example]) -> Generator[Sequence[Example], Sequence[Answer] | None, None]:
        """Yield the first turns of all dialogues, then all second turns, and so on.

        Send the answers to a round, in its order, to have them as system turns in the histories of the next; with
        a plain loop, nothing is sent and the histories hold the user's side alone.
        """
        turns: dict[int, list[Example]] = {}
        for example in examples:
            place = place_of(example.sample.id)
            turns.setdefault(place[1] if place is not None else 0, []).append(example)
        histories: defaultdict[str, _HistoryWithReplies] = defaultdict(_HistoryWithReplies)
        for number in sorted(turns):
            batch = []
            for example in turns[number]:
                history = histories[example.sample.dialogue_id].of(example.sample.history)
                sample = msgspec.structs.replace(example.sample, history=history)
                batch.append(msgspec.structs.replace(example, sample=sample))
            answers = yield batch
            for example, answer in zip(batch, answers or (), strict=answers is not None):
                reply = Turn(speaker="system", text=answer.text or "", annotation=answer.annotation)
                histories[example.sample.dialogue_id].replies[number] = reply

    def read(self, path: Path) -> Submission:
        """Read a track 2 result file as it is."""
        return files.read_result(path, files.DIALOGUE_LAYOUT)

    def write(self, examples: Sequence[Example], answers: Iterable[tuple[str, Answer]], path: Path) -> None:
        """Write a track 2 result file: the rows that the examples were read from with the generated fields filled."""
        files.write_replies(examples, answers, path)

    def check(self, submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
        """Return all problems of a result file; `official` finds what the official program crashes on."""
        from duologue.challenges.mobilecs.scoring.dialogue import checker

        return checker.check(submission, examples, variant)

    def score(self, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
        """Score a result file: intents, Success, BLEU and the combined score with 95 % intervals over dialogues."""
        from duologue.challenges.mobilecs.scoring.dialogue import scorer

        return scorer.score(self.info, examples, submission, how)

    def answers(self, submission: Submission, examples: Sequence[Example]) -> dict[str, Answer]:  # noqa: ARG002  # rows have ids
        """Return the intents and replies of a result file by turn; what cannot be read is left out."""
        return dialogue_answers(submission.rows)

    def laid_over(self, submission: Submission, examples: Sequence[Example]) -> Iterator[DialogueView]:
        """Yield the turns with what was wanted and answered, each after the replies that its system had given."""
        answers = self.answers(submission, examples)
        rounds = self.rounds(examples)
        placed = {example.sample.id: example for example in examples}
        with suppress(StopIteration):
            batch = next(rounds)
            while True:
                placed.update({example.sample.id: example for example in batch})
                batch = rounds.send([answers.get(example.sample.id, Answer(text="")) for example in batch])
        return super().laid_over(submission, [placed[example.sample.id] for example in examples])

    def metrics(self, how: Scoring) -> Sequence[Metric[Mapping[str, float]]]:
        """Return the formulas over the counts that reports keep; `conversation` is that of whole conversations."""
        from duologue.challenges.mobilecs.live import free_user, judge
        from duologue.challenges.mobilecs.scoring.dialogue import scorer
        from duologue.metrics.conversation_report import VARIANT

        if how.variant == VARIANT:  # with what is counted of users who speak freely
            return (*judge.formulas(), *free_user.formulas())
        return scorer.metrics(how.variant)

    def stage(self, goals: Path | None, users: Sequence[Path], *, n: int, seed: int, max_turns: int | None) -> Stage:
        """Return scenes with the goals of a track 2 file, the simulated user, and the judge."""
        from duologue.challenges.mobilecs.live.scenes import make_stage

        return make_stage(goals, users, n=n, seed=seed, max_turns=max_turns)

    def world(self, path: Path | None) -> World:
        """Read a catalogue or documents from outside the calls. Raises `UsageError` for `None`: none are built in."""
        from duologue.challenges.mobilecs.formats.knowledge_files import read_knowledge
        from duologue.knowledge.base import KnowledgeBase

        if path is None:
            raise UsageError("no catalogue is built in; give a catalogue or documents with --kb FILE")
        return KnowledgeBase(path.name, read_knowledge(path))

    def partner(self, system: System, place: Path | World | None, *, seed: int, lang: str, name: str) -> Partner:
        """Return an agent to call, with goal and knowledge base of a track 2 dialogue drawn by `seed`.

        `place` is a track 2 file, or knowledge from outside the call beside the built-in goal and base.
        """
        from duologue.challenges.mobilecs.live.partner import CallPartner, setting

        goals, world = (place, None) if place is None or isinstance(place, Path) else (None, place)
        return CallPartner(system, setting(goals, seed), seed=seed, lang=lang, name=name, world=world)

    pair_first = "user"
    """Who speaks first where two people talk: the customer, as in the data of track 2."""
    pair_length = (4, 40)
    """Utterances of the shortest and of the longest call that is wanted."""

    def pair_scenes(self, place: Path, *, n: int, seed: int) -> Sequence[Dialogue]:
        """Return goals with their knowledge bases, drawn by the seed from a track 2 file."""
        from duologue.challenges.mobilecs.live.pairs import pair_scenes

        return pair_scenes(place, n, seed)

    def pair_card(self, scene: Dialogue, lang: str, side: str) -> Sequence[str]:
        """Return the goal for the customer; the staff see the knowledge base alone."""
        from duologue.challenges.mobilecs.live.pairs import card_lines

        return card_lines(scene, lang, side)

    def pair_how(self, side: str, lang: str) -> str:
        """Return how to call, and how to serve."""
        from duologue.challenges.mobilecs.live.ui_text import phrase

        return phrase(lang, f"pair-{side}")

    def pair_dialogue(self, scene: Dialogue, turns: Sequence[Turn]) -> Dialogue:
        """Return the call that people typed."""
        from duologue.challenges.mobilecs.live.pairs import written

        return written(scene, turns)

    def pair_problems(self, dialogue: Dialogue) -> Sequence[Problem]:
        """Return what is wrong with a call of two people: what is not answered, and what the customer cannot know."""
        from duologue.challenges.mobilecs.live.pairs import pair_problems

        return list(pair_problems(dialogue))

    def write_dialogues(self, dialogues: Iterable[Dialogue], path: Path) -> None:
        """Write dialogues as track 2 data with the system's fields filled."""
        files.write_conversations(dialogues, path)


class _HistoryWithReplies:
    """The history of a dialogue, which grows from round to round: the user's turns, the system's own replies between.

    Each turn is looked at once, not again in every later round.
    """

    def __init__(self) -> None:
        self.replies: dict[int, Turn] = {}
        """By the number of the user's turn that they answer."""
        self._given: tuple[Turn, ...] = ()
        self._history: list[Turn] = []
        self._users = 0

    def of(self, given: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """Return the history of a sample, given as the user's side, with the replies so far."""
        if given[: len(self._given)] != self._given:
            self._given, self._history, self._users = (), [], 0
        for turn in given[len(self._given) :]:
            if turn.speaker == "user":
                if self._users - 1 in self.replies:
                    self._history.append(self.replies[self._users - 1])
                self._history.append(turn)
                self._users += 1
        self._given = given
        return tuple(self._history)
