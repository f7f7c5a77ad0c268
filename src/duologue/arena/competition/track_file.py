"""A track as data: its task, phases with dates, test sets and quota, and rules, from a TOML file."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from duologue.arena.jobs.limited_process import JobLimits
from duologue.core.decompression import parse_size
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.recipe import from_table, read_toml
from duologue.core.records import Record
from duologue.run import evaluate

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.protocols import Task
    from duologue.core.records import Scoring

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
"""What tracks and phases are called: they stand in addresses of pages."""
_LIMIT = 1_000_000
"""Entries and teams, at most."""
_YEARS = (1971, 9998)
Visibility = Literal["organiser", "owner", "all"]
"""Who sees scores: the organiser alone, each team its own as well, or everybody."""


class PhaseQuota(Record, frozen=True, kw_only=True):
    """How many scored entries a team may have in a phase; those that are refused, failed or taken back are free."""

    day: int | None = None
    """On one calendar day of the track's zone; `None`: as many as a team may hand in (`entries.MAX_A_DAY`)."""
    total: int | None = None

    def __post_init__(self) -> None:
        for one in (self.day, self.total):
            if one is not None and not 1 <= one <= _LIMIT:
                raise ValueError(f"a quota is from 1 to {_LIMIT:,}; leave it out for none")


class EntryLimits(Record, frozen=True, kw_only=True):
    """What an entry and its scoring may use."""

    upload: str = "64M"
    """Size of an uploaded file."""
    memory: str = "4G"
    seconds: int = 300
    cpu_seconds: int = 300

    def __post_init__(self) -> None:
        for one in (self.upload, self.memory):
            try:
                parse_size(one)
            except UsageError as error:
                raise ValueError(str(error)) from error
        self.of_job()

    @property
    def max_bytes(self) -> int:
        """Bytes of an uploaded file."""
        return parse_size(self.upload)

    def of_job(self) -> JobLimits:
        """Return the limits of the child process."""
        return JobLimits(seconds=self.seconds, cpu_seconds=self.cpu_seconds, memory=parse_size(self.memory))


class PhaseDefinition(Record, frozen=True, kw_only=True):
    """One phase: a test set with dates, or the evaluation by people of the best."""

    name: str
    title: str = ""
    title_zh: str = ""
    kind: Literal["results", "human"] = "results"
    """`results`: teams hand in result files; `human`: people rate the first of the phase before."""
    opens: datetime
    closes: datetime
    """Times without an offset are of the track's zone; the phase is over at `closes`."""
    gold: tuple[str, ...] = ()
    """Truth: one folder or archive, or files; from the folder of the TOML file."""
    input: tuple[str, ...] = ()
    """Data that the teams answer, offered to them while the phase is open."""
    kb: str = ""
    """A knowledge base that the check uses."""
    quota: PhaseQuota = PhaseQuota()
    visible: Visibility = "all"
    """Who sees scores while the phase is open."""
    visible_after: Visibility = "all"
    """Who sees them when it is over."""
    move: Literal["", "standing"] = ""
    """`standing`: when the phase before is over, its entries that count move in here, without a quota."""
    top: int | None = None
    """How many of the phase before come in; teams with the very score of the last one come too."""
    select: int | None = None
    """`human`: how many are selected in the end."""
    protocol: str = ""
    """`human`: the rating protocol (`duologue ratings protocols`)."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"'{self.name}' is no name of a phase: a to z, 0 to 9 and '-', 40 characters at most")
        self._expect_dates()
        if self.kind == "results" and len(self.gold) == 0:
            raise ValueError(f"'{self.name}' has no truth (gold) that results are scored against")
        if self.kind == "human" and (self.gold or self.input or self.kb):
            raise ValueError(f"'{self.name}' is rated by people: it has no files; leave gold, input and kb out")
        if self.kind == "human" and self.top is None:
            raise ValueError(f"'{self.name}' does not say how many teams people rate; set top")
        if self.kind == "results" and (self.select is not None or self.protocol):
            raise ValueError(f"'{self.name}' is not rated by people: leave select and protocol out")
        for one in (self.top, self.select):
            if one is not None and not 1 <= one <= _LIMIT:
                raise ValueError(f"'{self.name}': top and select are at least 1 and at most {_LIMIT:,}")

    def _expect_dates(self) -> None:
        if self.opens.tzinfo is not None or self.closes.tzinfo is not None:
            raise ValueError(f"the times of '{self.name}' have an offset; leave it out, they are of the track's zone")
        if not _YEARS[0] <= self.opens.year <= self.closes.year <= _YEARS[1]:
            raise ValueError(
                f"'{self.name}' opens {self.opens} and closes {self.closes}; expected years from {_YEARS[0]} to "
                f"{_YEARS[1]}, which every zone has"
            )
        if self.opens >= self.closes:
            raise ValueError(f"'{self.name}' closes ({self.closes}) before it opens ({self.opens})")

    @property
    def takes_entries(self) -> bool:
        """Whether entries of the phase before come in by themselves."""
        return self.kind == "human" or self.move != ""


class TrackDefinition(Record, frozen=True, kw_only=True):
    """A track: what is asked, by which rules, and when."""

    name: str
    title: str
    title_zh: str = ""
    task: str
    variant: str = ""
    """How files are scored; empty: as the task does it. Every file must pass the strict check whatever the variant."""
    options: dict[str, str] = {}
    """Choices within the variant."""
    zone: str
    """The zone of all dates and days, such as `Asia/Shanghai`."""
    rules: str = ""
    rules_zh: str = ""
    agreement: str = ""
    """What a team agrees to when it registers; empty: nothing."""
    agreement_zh: str = ""
    approval: bool = False
    """Whether the organiser approves a team before it may hand in."""
    standing: Literal["last", "chosen"] = "last"
    """Which scored entry of a team counts: the last one, or the one it has chosen (the last while it has not)."""
    limits: EntryLimits = EntryLimits()
    phases: tuple[PhaseDefinition, ...]

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"'{self.name}' is no name of a track: a to z, 0 to 9 and '-', 40 characters at most")
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"there is no time zone '{self.zone}'; give one such as Europe/Berlin") from error
        names = [phase.name for phase in self.phases]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"the phases are {names}; expected one or more, none twice")
        if self.phases[0].takes_entries:
            raise ValueError(f"'{names[0]}' is the first phase: no entries can move into it")

    def phase(self, name: str) -> PhaseDefinition:
        """Return a phase by its name. Raises `UsageError` for one that there is not."""
        found = next((phase for phase in self.phases if phase.name == name), None)
        if found is None:
            told = ", ".join(phase.name for phase in self.phases)
            raise UsageError(f"track '{self.name}' has no phase '{name}'; its phases are {told}")
        return found

    def titles(self, phase: PhaseDefinition) -> tuple[str, str]:
        """Return what a phase of the track is called in English and in Chinese; the latter is empty for the same."""
        chinese = f"{self.title_zh or self.title}：{phase.title_zh or phase.title or phase.name}"
        return f"{self.title}: {phase.title or phase.name}", chinese if self.title_zh or phase.title_zh else ""

    def before(self, phase: PhaseDefinition) -> PhaseDefinition:
        """Return the phase before one that is not the first."""
        return self.phases[self.phases.index(phase) - 1]

    def scoring(self, task: Task) -> Scoring:
        """Return how entries are scored. Raises `UsageError` for what the task does not have."""
        options = [f"{name}={value}" for name, value in self.options.items()]
        return evaluate.scoring(task, self.variant or None, options=options)


def read_track(path: Path) -> TrackDefinition:
    """Return the track of a TOML file; the task is asked whether it knows variant and options.

    Raises `UsageError` with all that is wrong, `FormatError` for what is no TOML, and `StorageError` for a file that
    cannot be read.
    """
    definition = from_table(TrackDefinition, read_toml(path), str(path))
    task = load_task(definition.task)
    if outside := sorted({*task.info.files, *task.info.programs} & definition.options.keys()):
        raise UsageError(f"{path}: {', '.join(outside)} would be a file or a program of the server; leave it out")
    definition.scoring(task)
    return definition
