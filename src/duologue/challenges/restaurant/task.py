"""End-to-end goal-oriented dialogue: booking a restaurant table (DSTC6 track 1, 2017).

What is asked
    A dialogue between a user and a booking bot is cut just before a bot turn. Given the utterances so far
    and 7 to 11 candidates, rank the candidates; exactly one is what the bot said next. Five subtasks: 1 API
    calls, 2 updated API calls, 3 displaying options, 4 extra information, 5 full dialogues. Four test sets:
    tst1 shares the knowledge base of training, tst2 has another one, tst3 and tst4 are these two with one
    more required slot (dietary restrictions) of which training shows no sentence.

Sizes
    Training 10,000 dialogues per subtask; test 1,000 per subtask and set, in two releases (A: autumn 2017,
    11 candidates; B: January 2018, 7 to 10 candidates, other cuts of the same dialogues). Two knowledge bases
    of 5,400 restaurants x 9 fields.

Rules
    A system answers each dialogue from its own history, its candidates and the knowledge base. Never look at
    the other release or at other rows of the file: rows of A and B are cut from the same dialogues, and in A
    equal candidate sets mean equal answers.

Traps
    * Fact lines (`<name> r_<field> <value>`) are utterances of nobody and do not change whose turn it is.
    * In training-style candidates the answer's text may occur twice under different ids; only one counts.
    * The official scorer keeps 10 slots: the 11th candidate of release A is never seen. Of equal ranks the
      later wins; ranks below 1 wrap around. Variant `official` keeps all of it, variant `strict` refuses.
    * Ratings are compared as numbers. Names hold ordinary words (`party`, `food`): never split them.

How to obtain the data
    Release B with the official answers: the organisers' repository `dstc6-goal-oriented-end-to-end`
    (BSD 3-Clause). `Simulated.generate` makes files of the same format and statistics.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from duologue.challenges.restaurant.formats import file_names, files
from duologue.challenges.restaurant.knowledge import facts
from duologue.challenges.restaurant.schema.task_info import INFO
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.core.disk import read_bytes
from duologue.core.errors import RequestError
from duologue.core.protocols import Task
from duologue.text.noise.spoken_users import SpokenUsers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from duologue.core.dialogue_view import DialogueView
    from duologue.core.optional_protocols import Partner, Stage
    from duologue.core.protocols import Progress, System, World
    from duologue.core.records import (
        Answer,
        Dialogue,
        Example,
        Mistake,
        Problem,
        Record,
        Report,
        Sample,
        Scoring,
        Submission,
    )
    from duologue.metrics.counts import Metric
    from duologue.text.noise.speech_channel import SpeechChannel
    from duologue.text.noise.spoken_language import SpokenLanguage

BUILT_IN_SEED = 1
"""Seed of the knowledge base that is made when no file is given."""


class RestaurantTask(SpokenUsers, Task):
    """Book a restaurant table (DSTC6 track 1): rank the bot's next utterance among 7 to 11 candidates."""

    info = INFO
    Generation: type[Record] = Generation
    """The recipe of the simulator."""
    default_system = "solver"
    """Whom `duologue chat` talks to when nobody is named: the rule bot."""

    def load(self, path: Path) -> Iterator[Example]:
        """Read a data file or a truth file; `FormatError` has all its problems."""
        yield from files.load(path)

    def read(self, path: Path) -> Submission:
        """Read a result file as it is."""
        return files.read_result(path)

    def write(self, examples: Sequence[Example], answers: Iterable[tuple[str, Answer]], path: Path) -> None:  # noqa: ARG002  # ids say all
        """Write a result file in the official byte layout."""
        files.write_result(answers, path)

    def check(self, submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
        """Return all problems of a result file; `official` finds what the official check finds."""
        from duologue.challenges.restaurant.scoring import checker

        return checker.check(submission, examples, variant)

    def score(self, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
        """Score a result file: P@1, P@2, P@5 and MRR with 95 % intervals."""
        from duologue.challenges.restaurant.scoring import scorer

        return scorer.score(examples, submission, how)

    def metrics(self, how: Scoring) -> Sequence[Metric[Any]]:
        """Return the formulas of P@1, P@2, P@5 and MRR; `conversation` is the variant of whole bookings."""
        from duologue.challenges.restaurant.live import free_user, judge
        from duologue.challenges.restaurant.scoring import scorer
        from duologue.metrics.conversation_report import VARIANT

        if how.variant == VARIANT:  # with what is counted of users who speak freely
            return list({one.name: one for one in (*judge.formulas(), *free_user.formulas())}.values())
        return scorer.metrics()

    def answers(self, submission: Submission, examples: Sequence[Example]) -> Mapping[str, Answer]:
        """Return the rankings of a result file by dialogue."""
        from duologue.challenges.restaurant.scoring import checker

        return checker.examine(submission, examples or None).answers

    def mistakes(self, submission: Submission, examples: Sequence[Example]) -> Sequence[Mistake]:
        """Return the mistakes by the purpose of the right answer; needs the candidates (`--input`)."""
        from duologue.challenges.restaurant.scoring import mistakes

        return mistakes.mistakes(examples, self.answers(submission, examples))

    def dump(self, path: Path, write: Callable[[str], object]) -> None:
        """Write the plain dump of the official dataset walker."""
        from duologue.challenges.restaurant.formats import walker

        walker.dump(files.load(path), write)

    def views(self, path: Path) -> Iterator[DialogueView]:
        """Yield what a file holds as a page shows it."""
        from duologue.challenges.restaurant.formats import walker

        return walker.views(files.load(path))

    def statistics(self, path: Path) -> dict[str, int | float | list[str]]:
        """Return the statistics of the official dataset walker."""
        from duologue.challenges.restaurant.formats import walker

        return walker.statistics(files.load(path))

    def statistics_text(self, path: Path) -> str:
        """Return the statistics in the official spelling."""
        from duologue.challenges.restaurant.formats import walker

        return walker.statistics_text(walker.statistics(files.load(path)))

    def test_set(self, path: Path) -> str | None:
        """Return a name such as `tst1 task 3` for an official file name."""
        found = file_names.parse_file_name(path)
        return None if found is None else f"{found.part} task {found.subtask}"

    def replay_check(self, path: Path) -> Sequence[str]:
        """Return what the official `check_validity.py` prints for a result file."""
        from duologue.challenges.restaurant.scoring import official

        return official.check_validity(read_bytes(path)).stdout

    def spoken_language(self) -> SpokenLanguage:
        """Return English."""
        from duologue.text.noise.english import SpokenEnglish

        return SpokenEnglish()

    def lay_noise(self, path: Path, out: Path, regime: str, channel: SpeechChannel) -> int:  # noqa: ARG002  # there is one
        """Write a data file with noise on the user's turns."""
        from duologue.challenges.restaurant.noise import distort

        return distort(path, out, channel)

    def generate(self, recipe: Record, seed: int, out: Path, *, workers: int, progress: Progress | None) -> list[Path]:
        """Write official files below `out` and return their paths; resumes where a stopped run left off."""
        from duologue.challenges.restaurant.simulator.corpus import generate

        return generate(recipe, seed, out, workers=workers, progress=progress)

    def world(self, path: Path | None) -> World:
        """Read a knowledge base file or a domain file (`.toml`); `None` makes one in the structure of KB 1.

        Names are drawn where a file brings none.
        """
        from duologue.knowledge.base import KnowledgeBase

        if path is not None and path.suffix == ".toml":
            from duologue.challenges.restaurant.formats.domain_file import read_domain
            from duologue.challenges.restaurant.knowledge.domain_base import DomainBase
            from duologue.challenges.restaurant.simulator.domain_kb import domain_facts

            domain = read_domain(path)
            return DomainBase(path.name, domain_facts(domain, 1, BUILT_IN_SEED), domain)
        if path is not None:
            return KnowledgeBase(path.name, facts.read_base(path))
        from duologue.challenges.restaurant.simulator.random_kb import make_kb

        return KnowledgeBase("generated-kb1", make_kb(1, BUILT_IN_SEED))

    def stage(self, goals: Path | None, users: Sequence[Path], *, n: int, seed: int, max_turns: int | None) -> Stage:
        """Return bookings in a knowledge base file (`goals`), the simulated user, and the judge."""
        from duologue.challenges.restaurant.live.scenes import make_stage

        return make_stage(self.world(goals), users, n=n, seed=seed, max_turns=max_turns)

    def write_dialogues(self, dialogues: Iterable[Dialogue], path: Path) -> None:
        """Write dialogues as a data file, each cut before the bot's last turn; see `files.dialogue_row`."""
        files.write_data(filter(None, map(files.dialogue_row, dialogues)), path)

    def answer_request(self, system: System, sample: Sample, world: World | None, *, seed: int, typed: bool) -> Answer:
        """Rank the candidates of a request; without any, a talk that a person types is answered as in `chat`.

        Raises `RequestError` for a request that has neither candidates nor typed lines of the user.
        """
        if sample.candidates:
            return super().answer_request(system, sample, world, seed=seed, typed=typed)
        if not typed or world is None:
            raise RequestError('restaurant chooses among utterances: give "candidates": [{"id": "...", "text": "..."}]')
        if all(turn.speaker != "user" for turn in sample.history):
            raise RequestError("nothing is said yet; the user speaks first here: give a message of the role 'user'")
        from duologue.challenges.restaurant.live.replay import replay

        return replay(system, sample, world, seed=seed)

    def partner(self, system: System, place: Path | World | None, *, seed: int, lang: str, name: str) -> Partner:
        """Return a booking bot to talk to, set in a knowledge base: the rule bot, or any system that ranks."""
        from duologue.challenges.restaurant.live.partner import RestaurantPartner

        world = self.world(place) if place is None or isinstance(place, Path) else place
        return RestaurantPartner(system, world, seed=seed, lang=lang, name=name)
