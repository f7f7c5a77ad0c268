"""Conversation modelling: what customer service says next (DSTC6 track 2, 2017).

What is asked
    A customer writes to a company on Twitter, the company answers, and so on. Given the dialogue so far, write
    the company's next reply. A pilot task asked for the next line of a film, from OpenSubtitles.

Sizes
    Official data: about 888,000 training dialogues (2.16 million utterances, 40 million words), 108,000 for
    development, 2,000 for the test. The test replies have 11 references: the real one and 10 written by people.

Scores
    Variant `strict` (default) is what to report: BLEU-1..4, ROUGE-L and CIDEr as the official ranking computed
    them, with the diversity of the replies beside them. `coco` is the same without the demand for a complete
    file, `official` is the organisers' `bleu_score.py` with the NLTK of 2017, `official-nltk-current` with today's.

Traps
    * One constant sentence beats every ordinary system on BLEU-4 (0.2225 of the official test set): never report
      BLEU alone. Over the 20 submissions BLEU-4 and human ratings are correlated negatively.
    * With an n-gram order that never matches, BLEU of 2017 leaves the order out (BLEU-4 can exceed BLEU-2), BLEU
      of today prints 0, and the ranking's BLEU adds 1e-15.
    * CIDEr depends on the whole test set; one sample alone has 0.

How to obtain the data
    The tweets must be fetched from their ids (the organisers' repository, MIT, has those of the test set). The
    organisers' evaluation package has references, submissions and results; it states no licence.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.conversation.formats import files
from duologue.challenges.conversation.schema import INFO
from duologue.core.errors import UsageError
from duologue.core.protocols import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from duologue.challenges.conversation.live.partner import ServiceAgent
    from duologue.core.data_rows import DataRows
    from duologue.core.dialogue_view import DialogueView
    from duologue.core.protocols import System, World
    from duologue.core.records import Answer, Example, Problem, Report, Sample, Scoring, Submission


class ConversationTask(Task):
    """Answer a customer or a film line (DSTC6 track 2): BLEU, ROUGE-L, CIDEr and diversity, several references."""

    info = INFO
    without: Mapping[str, str] = MappingProxyType(
        {
            "Simulated": "its dialogues are people's own: `data collect`, `data import` and `data extract` get them",
            "NoiseModel": "its customers write",
            "Playable": "nothing is asked for that a simulated customer could have a goal in: `chat` talks to people",
        }
    )
    default_system = ""
    """Whom `duologue chat` talks to when nobody is named: most systems of this task have learned something first."""

    def load(self, path: Path) -> Iterator[Example]:
        """Read references (one per line), evaluation text or system output; `FormatError` has all its problems."""
        yield from files.load(path)

    def load_training(self, paths: Sequence[Path]) -> list[Example]:
        """Return the examples of training files; the number of its file stands before an id where there are several.

        Dialogues may end with the user: their last reply is the reference. Raises `FormatError` as `load` does.
        """
        several = len(paths) > 1
        names = [f"{number}:" if several else "" for number, _ in enumerate(paths, start=1)]
        return [one for path, name in zip(paths, names, strict=True) for one in files.load_training(path, name)]

    def rows(self, path: Path) -> DataRows:
        """Return the dialogues of a text file, those of one thread together."""
        return files.data_rows(path)

    def read(self, path: Path) -> Submission:
        """Read a result file as it is: system output, or one reply per line."""
        return files.read_submission(path)

    def write(self, examples: Sequence[Example], answers: Iterable[tuple[str, Answer]], path: Path) -> None:  # noqa: ARG002  # ids say all
        """Write one reply per line, at the line that the sample's id names."""
        files.write_replies(answers, path)

    def check(self, submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
        """Return all problems of a result file; `official` finds what stops `bleu_score.py`."""
        from duologue.challenges.conversation.scoring import checker

        return checker.check(submission, examples, variant)

    def score(self, examples: Sequence[Example], submission: Submission, how: Scoring) -> Report:
        """Score a result file; without examples against its own `S_REF:` lines."""
        from duologue.challenges.conversation.scoring import scorer

        return scorer.score(examples, submission, how)

    def answers(self, submission: Submission, examples: Sequence[Example]) -> dict[str, Answer]:
        """Return the replies of a result file by the ids of the samples in whose places they stand."""
        from duologue.challenges.conversation.scoring import items

        return items.answers_in(submission, examples)

    def metrics(self, how: Scoring) -> Sequence[Any]:
        """Return the formulas over the counts that reports of this variant keep."""
        from duologue.challenges.conversation.scoring import scorer

        return scorer.formulas(how)

    def world(self, path: Path | None) -> World:
        """Read passages to be looked up for each reply (task B). Raises `UsageError` for `None`: none are built in."""
        from duologue.challenges.conversation.formats.passages import read_passages
        from duologue.knowledge.base import KnowledgeBase

        if path is None:
            raise UsageError("conversation has no knowledge built in; give documents or facts with --kb FILE")
        return KnowledgeBase(path.name, read_passages(path))

    def partner(self, system: System, place: Path | World | None, *, seed: int, lang: str, name: str) -> ServiceAgent:
        """Return a company's agent to talk to; `place` is the knowledge that it looks up, `None` for none."""
        from duologue.challenges.conversation.live.partner import ServiceAgent

        world = self.world(place) if isinstance(place, Path) else place
        worlds = {} if world is None else {world.name: world}
        return ServiceAgent(system, seed=seed, lang=lang, name=name, worlds=worlds)

    def request_sample(self, sample: Sample, *, typed: bool) -> Sample:
        """Return the sample of a request; what people type is cut into the challenge's tokens."""
        from duologue.challenges.conversation.live.partner import as_tokens

        return as_tokens(sample) if typed else sample

    def request_answer(self, answer: Answer, *, typed: bool) -> Answer:
        """Return the answer to a request; where people typed it, the tokens of the reply are put together."""
        from duologue.challenges.conversation.extraction.typed_text import as_read

        if not typed or answer.text is None:
            return answer
        return msgspec.structs.replace(answer, text=as_read(answer.text))

    def dump(self, path: Path, write: Callable[[str], object]) -> None:
        """Write a store of posts as the official viewer prints it, or the dialogues of a text file."""
        from duologue.challenges.conversation.formats import walker

        walker.dump(path, write)

    def views(self, path: Path) -> Iterator[DialogueView]:
        """Yield what a file holds as a page shows it."""
        from duologue.challenges.conversation.formats import walker

        return walker.views(path)

    def statistics(self, path: Path) -> dict[str, int | float | list[str]]:
        """Return how many dialogues, posts or utterances there are, and how long they are."""
        from duologue.challenges.conversation.formats import walker

        return walker.statistics(path)

    def statistics_text(self, path: Path) -> str:
        """Return the same as lines of text."""
        from duologue.challenges.conversation.formats import walker

        return walker.statistics_text(path)
