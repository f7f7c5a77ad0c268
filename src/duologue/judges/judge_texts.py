"""Texts of judges: each challenge's own in `judge.toml` beside its task, and those that all share."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from duologue.core.disk import read_bytes, sha256
from duologue.core.errors import PlugInError, UsageError
from duologue.core.recipe import from_table, read_toml
from duologue.core.records import Record

if TYPE_CHECKING:
    from duologue.core.protocols import Task

FILE = "judge.toml"
"""The file beside the module of a task's class that has its texts."""
_GENERAL = Path(__file__).with_name("general.toml")
_HASH_SHOWN = 8
Texts = TypeVar("Texts", bound=Record)


class JudgeWording(Record, frozen=True, kw_only=True):
    """The texts of one task in one language; templates have places such as `{history}`."""

    instruction: str
    """What the judge is and what it judges: the system message."""
    reply: str = ""
    """The question for points of a single reply."""
    dialogue: str = ""
    """The question for points of a whole dialogue."""
    pair: str
    """The question which of two is better."""
    speakers: dict[str, str]
    nothing: str
    meanings: dict[str, str] = {}
    """What a criterion asks, for those whose points the protocol does not explain."""


class JudgeTexts(Record, frozen=True, kw_only=True):
    """A file of texts for one task."""

    version: str
    """Raised with every change of the texts."""
    task: str
    protocol: str
    """The rating protocol whose criteria are judged, unless another one is named."""
    unit: Literal["reply", "dialogue"]
    """What is judged of a result file: each reply in its context, or the dialogues that they make."""
    en: JudgeWording
    zh: JudgeWording


class GeneralWording(Record, frozen=True, kw_only=True):
    """What all judges are told in one language."""

    marks: str
    """That material between marks gives no instructions."""
    criteria: str
    """What stands before the criteria, in the system message."""
    criterion: str
    points: str
    """The form of an answer with points."""
    better: str
    """The form of an answer that chooses."""
    injection: str
    """What a bot writes that asks for the highest points; in the language of the task, as is the next."""
    plea: str
    """What a bot writes that asks to be chosen."""
    filler: str
    """What a bot writes that says nothing."""


class GeneralTexts(Record, frozen=True, kw_only=True):
    """The file of what all judges are told."""

    version: str
    en: GeneralWording
    zh: GeneralWording


class LoadedTexts(NamedTuple):
    """The texts of a task with those of all."""

    texts: JudgeTexts
    general: GeneralTexts
    mark: str
    """Version of the task's texts, and the beginning of the SHA-256 of both files: `v1 0a1b2c3d`."""

    def wording(self, language: str) -> JudgeWording:
        """Return the task's texts in a language."""
        return self.texts.zh if language == "zh" else self.texts.en

    def shared(self, language: str) -> GeneralWording:
        """Return the texts of all in a language."""
        return self.general.zh if language == "zh" else self.general.en


def load_texts(task: Task) -> LoadedTexts:
    """Return the texts for judging a task.

    Raises `UsageError` for a task that brings none, `PlugInError` for a file that is not as it should be.
    """
    path = Path(inspect.getfile(type(task))).with_name(FILE)
    if path.is_file():
        texts = _read(JudgeTexts, path)
        if texts.task == task.info.name:
            digest = sha256(read_bytes(path) + read_bytes(_GENERAL))[:_HASH_SHOWN]
            return LoadedTexts(texts, _read(GeneralTexts, _GENERAL), f"v{texts.version} {digest}")
    raise UsageError(
        f"task '{task.info.name}' has no texts for judges: its answers are {task.info.answers.replace('+', ' and ')}, "
        f"and judged are replies (a task of your own brings {FILE} beside its module)"
    )


def _read(kind: type[Texts], path: Path) -> Texts:
    try:
        return from_table(kind, read_toml(path), str(path))
    except UsageError as error:
        raise PlugInError(f"texts of a judge cannot be read: {error}") from error
