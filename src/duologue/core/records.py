"""The records that carry all five challenges.

All are frozen and keyword-only; unknown fields are refused. What is not known is absent (`None` or
empty), never `""`, `"NA"` or `-1`: those belong to official files and stay in the challenge's reader.
A record holds what was said; the decoded official object stays beside it in `source`, with its key
order, so that writing gives the file back.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core.bounds import Items, Probability
from duologue.core.escapes import one_line
from duologue.core.marked_text import MarkedText, Stretch, with_english
from duologue.core.notebook import data_frame, html_table, text_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Scalar = str | int | float
"""A value in a knowledge base. The spoken challenge has integers; everything else is text."""

_SCORE_COLUMNS = ("score", "value", "low", "high")
_PROBLEMS = 5
"""Problems of a report that are shown beside its figures; the others are counted."""
Meta = dict[str, Any]
"""Free remarks that no metric reads."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of every record: immutable, unknown fields refused when decoding.

    The library hands `frozen` and the refusal down, but `kw_only` counts for the fields of one class alone:
    a record repeats it.
    """


class Fact(Record, frozen=True, kw_only=True):
    """One piece of knowledge: an attribute, a triple, a row of a knowledge base, an answer of one."""

    subject: str
    """The entity that the fact is about."""
    relation: str
    """Attribute, predicate or slot, spelled as in the source."""
    object: Scalar | tuple[str, ...]
    """The value; a tuple where one fact holds several."""


class Span(Record, frozen=True, kw_only=True):
    """A stretch of one utterance, in characters, end exclusive."""

    turn: int
    """Index of the utterance in the dialogue, from 0; a MobileCS pair counts as two."""
    start: int
    end: int

    def cut(self, dialogue: Dialogue) -> str:
        """Return the text that the span covers."""
        return dialogue.turns[self.turn].text[self.start : self.end]


class Mention(Record, frozen=True, kw_only=True):
    """An entity named in the text. Occurrences of one thing share `entity`."""

    label: str
    """Type of the entity."""
    text: str
    """The words as said."""
    entity: str | None = None
    """Identifier that all mentions of the entity share."""
    span: Span | None = None
    """Where; the first public version of MobileCS has none."""


class Value(Record, frozen=True, kw_only=True):
    """A slot of an entity filled in the text."""

    slot: str
    text: str
    entity: str | None = None
    """Identifier of the entity; `None` where the slot belongs to the user."""
    span: Span | None = None


class Act(Record, frozen=True, kw_only=True):
    """What a speaker does with an utterance: an intent with its arguments."""

    speaker: str
    """`"user"` or `"system"`."""
    name: str
    args: tuple[str, ...] = ()


class Annotation(Record, frozen=True, kw_only=True):
    """Gold or predicted understanding. No annotation (`None` where it is held) is not an empty one."""

    facts: tuple[Fact, ...] = ()
    acts: tuple[Act, ...] = ()
    mentions: tuple[Mention, ...] = ()
    values: tuple[Value, ...] = ()

    def marked(self, text: str, turn: int, names: Mapping[str, str] = MappingProxyType({})) -> str | MarkedText:
        """Return the text of turn `turn` with its mentions and values marked; as it is where it has none.

        `names` are English names of labels, told beside them.
        """
        said = [(one.span, one.entity or "-", one.label) for one in self.mentions]
        said += [(one.span, one.entity or "user", one.slot) for one in self.values]
        stretches = tuple(
            Stretch(span.start, span.end, f"{owner}: {with_english(label, names)}")
            for span, owner, label in said
            if span is not None and span.turn == turn
        )
        return MarkedText(text, stretches) if stretches else text


class Turn(Record, frozen=True, kw_only=True):
    """One utterance. Two-utterance turns of a source are two of these; its writer pairs them again."""

    speaker: str
    """`"user"`, `"system"`, or `"api"` for lines that a knowledge base returned."""
    text: str
    annotation: Annotation | None = None
    meta: Meta = {}


class Item(Record, frozen=True, kw_only=True):
    """One thing a user wants something of: a service, a restaurant to be found."""

    name: str | None = None
    """Identifier within the goal; `None` for what the user wants of themselves, such as their balance."""
    kind: str | None = None
    """Type of the entity, where it is known."""
    known: dict[str, str] = {}
    """Slots whose value the user brings along."""
    asked: tuple[str, ...] = ()
    """Slots whose value the user wants to hear."""
    intents: tuple[str, ...] = ()


class Goal(Record, frozen=True, kw_only=True):
    """What a dialogue is for.

    DuConv: topics A and B and one or two relation facts. MobileCS: items and consultations by type.
    Restaurant: one item, the request.
    """

    topics: tuple[str, ...] = ()
    relations: tuple[Fact, ...] = ()
    items: tuple[Item, ...] = ()
    consultations: tuple[str, ...] = ()


class Dialogue(Record, frozen=True, kw_only=True):
    """A conversation with what is known about it."""

    id: str
    turns: tuple[Turn, ...]
    knowledge: tuple[Fact, ...] = ()
    """Facts that belong to this dialogue alone."""
    goal: Goal | None = None
    meta: Meta = {}
    source: Any = None
    """The decoded official object with its key order; `None` for dialogues made here."""

    def __str__(self) -> str:
        said = (f"{one_line(turn.speaker)}: {one_line(turn.text)}" for turn in self.turns)
        return "\n".join([f"dialogue {one_line(self.id)}", *said])

    def _repr_html_(self) -> str:
        return html_table(
            f"dialogue {self.id}",
            ("speaker", "text"),
            [
                (turn.speaker, turn.text if turn.annotation is None else turn.annotation.marked(turn.text, at))
                for at, turn in enumerate(self.turns)
            ],
        )


class Candidate(Record, frozen=True, kw_only=True):
    """One of the utterances that a system may choose from."""

    id: str
    text: str


class Sample(Record, frozen=True, kw_only=True):
    """All that a system may see when it answers, and nothing else."""

    id: str
    dialogue_id: str
    history: tuple[Turn, ...] = ()
    knowledge: tuple[Fact, ...] = ()
    """Local facts, given with the sample."""
    world: str | None = None
    """Name of the shared knowledge base, if there is one."""
    goal: Goal | None = None
    """Only where the task gives the goal to the agent (proactive yes, MobileCS no)."""
    candidates: tuple[Candidate, ...] = ()


class Answer(Record, frozen=True, kw_only=True):
    """What a person said (a reference) or a system says (a prediction)."""

    text: str | None = None
    """`None` means not given, `""` an empty reply: official scripts treat the two differently."""
    annotation: Annotation | None = None
    ranking: tuple[str, ...] | None = None
    """Candidate ids, best first."""


class Example(Record, frozen=True, kw_only=True):
    """A sample with what only trainers, scorers and simulated users may see."""

    sample: Sample
    references: tuple[Answer, ...] = ()
    """Empty where the answer is not known (a test file)."""
    user_goal: Goal | None = None
    asked: Annotation | None = None
    """What the last turn of the history drew on itself, where the data say it of the user too."""
    source: Any = None
    """The decoded official row, for writers and for official scoring quirks."""


class Problem(Record, frozen=True, kw_only=True):
    """One thing that is wrong with a file, said so that it can be mended."""

    rule: str
    """Stable id of the rule that is broken, such as `rank-repeated`."""
    message: str
    """What was found and what was expected."""
    severity: str = "error"
    """`"error"` (the file is refused) or `"warning"`."""
    place: str = ""
    """Where: `sample 'x', candidate 3`, `line 12`, or a JSON pointer."""
    advice: str = ""
    """What to do."""
    stands_for: int = 1
    """How many problems it tells of: more than one where it counts those that are not told one by one."""


class Submission(Record, frozen=True, kw_only=True):
    """An official result file: its decoded rows in their order and as they are, with its problems.

    Official score variants read the rows (ties, duplicate ids, negative ranks, `70` and `"70"`);
    strict variants score the `Answer`s made from them.
    """

    rows: Any
    """What the file decodes to; `None` when it does not decode."""
    layout: str
    """Name of the file format."""
    problems: tuple[Problem, ...] = ()
    hash: str = ""
    """SHA-256 of the file's (unpacked) bytes."""
    path: str = ""


class Scoring(Record, frozen=True, kw_only=True):
    """How a submission is to be scored; all of it is part of the signature."""

    variant: str
    """Name of the score variant, one of `TaskInfo.variants`."""
    options: dict[str, str] = {}
    """Named choices within a variant, such as `average=corpus`; what is left out keeps its default."""
    samples: str = "all"
    """Which samples count, one of `TaskInfo.samples`."""
    by: tuple[str, ...] = ()
    """What to slice by, of `TaskInfo.slices`; empty: all that the data allows."""
    partial: bool = False
    """Score a file with errors too; what is missing or wrong counts as wrong."""


class Signature(Record, frozen=True, kw_only=True):
    """All that a figure must be told with to mean the same elsewhere; `str` gives it as one line."""

    formulas: tuple[str, ...] = ()
    task: str = ""
    variant: str = ""
    options: tuple[str, ...] = ()
    """Choices within the variant, such as `average=corpus` or `samples all`."""
    tokens: str = ""
    """How texts are cut, where the variant does not say it."""
    references: str = ""
    """References per sample, where there may be several, such as `1 to 3`."""
    version: str = ""
    """Of the task's scores."""
    n: int = 0
    """Items in the denominator."""
    unit: str = ""
    """What is left out for intervals and swapped in tests as one: `dialogue`, or what stands for it."""
    dialogues: int | None = None
    """How many dialogues the items are of; `None` where that is not known."""
    part: str = ""
    """Which part of the data, for a slice."""
    resampling: str = "jackknife 2"
    """Where intervals come from, with its version: 2 has intervals of its own for shares."""
    hashes: dict[str, str] = {}
    """SHA-256, or its beginning, of what counted: `gold`, `pred`, word vectors, programs."""
    prompts: dict[str, str] = {}
    """Marks of the prompts (task, language, version, hash) that chat models were asked with, by their part in what is
    scored: `system`, `user`."""

    def of(self, formulas: Sequence[str], part: str = "", n: int | None = None) -> Signature:
        """Return the signature of some formulas, over a part of the data where one is named."""
        taken = {} if not part else {"part": part, **({} if n is None else {"n": n})}
        return msgspec.structs.replace(self, formulas=tuple(formulas), **taken)

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return bool(self.formulas or self.task)

    def __str__(self) -> str:
        """Return it as one line: formulas first, hashes last.

        >>> print(Signature(formulas=("p@1 = hit@1 / items",), task="toy", variant="strict", version="v1", n=9))
        p@1 = hit@1 / items | toy | strict | v1 | n 9
        """
        count = "" if self.dialogues is None else f"{self.dialogues} dialogue{'s' * (self.dialogues != 1)}"
        units = count or (f"dialogues unknown, by {self.unit}" if self.unit else "")
        parts = (
            ", ".join(self.formulas),
            self.task,
            self.variant,
            *self.options,
            ", ".join(filter(None, (self.tokens, self.references and f"{self.references} ref"))),
            self.version,
            f"n {self.n}",
            units,
            self.resampling if units else "",
            self.part,
            *(f"{part} prompt {mark}" for part, mark in sorted(self.prompts.items())),
            *(f"{name} {found[:8]}" for name, found in self.hashes.items()),
        )
        return " | ".join(filter(None, parts))


class Score(Record, frozen=True, kw_only=True):
    """One figure with all that is needed to mean the same thing elsewhere."""

    name: str
    value: float
    """A fraction, percent only in print; something else where `percent` is false."""
    low: float | None = None
    """Lower end of the 95 % interval; `None` where none is computed."""
    high: float | None = None
    higher_is_better: bool = True
    signature: Signature = Signature()
    percent: bool = True
    """Whether the value is a fraction and printed in percent; otherwise it is printed as it is (CIDEr, sums)."""
    note: str = ""
    """What stands beside every table with the figure, such as `by rule, not the human scale`."""


class Slice(Record, frozen=True, kw_only=True):
    """The same scores over a part of the data."""

    by: str
    """What the data was cut by, such as `answer-type`; one of `TaskInfo.slices`."""
    value: str
    n: int
    scores: tuple[Score, ...]


class Exposure(Record, frozen=True, kw_only=True):
    """How much of a truth was in the training data of the system that is scored on it."""

    unknown: str = ""
    """Why nothing can be told, in words; empty where it can."""
    files: tuple[str, ...] = ()
    """Files of the truth that were trained on as they are."""
    samples: Items = 0
    """Samples that could be looked for: context and reply have enough words to tell anything."""
    samples_seen: Items = 0
    """Those of them whose context and reply stand in the training data."""
    by_chance: Probability = 0.0
    """Share of samples to be expected of unseen data of the same source, since its dialogues recur."""
    replies: Items = 0
    """Replies of enough words to tell anything."""
    replies_seen: Items = 0
    """Those of them that stand in the training data, after whatever context."""
    held_out: Items = 0
    """Samples seen that were held out in training and only used to choose by."""
    examples: tuple[str, ...] = ()
    """Ids of some samples seen."""

    def __post_init__(self) -> None:
        """Refuse more that was seen than there is: whoever hid a leak so would be believed."""
        for part, whole in (("samples_seen", "samples"), ("replies_seen", "replies"), ("held_out", "samples_seen")):
            if getattr(self, part) > getattr(self, whole):
                raise ValueError(f"{part} is {getattr(self, part)}, more than {whole}, {getattr(self, whole)}")

    @property
    def share(self) -> float:
        """Share of the samples that were seen; 1 where a file of the truth was trained on and no sample could tell."""
        return self.samples_seen / self.samples if self.samples else float(bool(self.files))

    @property
    def leak(self) -> bool:
        """Whether this is more than chance: a file of the truth itself, or clearly more samples than expected."""
        if self.files or not self.samples:
            return bool(self.files)
        expected = self.by_chance
        return self.share >= min(0.01 + 3 * expected, (1 + expected) / 2)


LARGEST_COUNT = 1e100
"""Of a report; squares of larger counts, which intervals and tests take, would be infinite."""
SMALLEST_COUNT = 1e-40
"""Of a report, beside 0; shares of smaller counts, and their squares, would be infinite."""


class Mistake(Record, frozen=True, kw_only=True):
    """A kind of mistakes of a result, with its count."""

    purpose: str
    """What the right answers are for."""
    kind: str
    """What was said in their place."""
    n: int
    of: int
    """Items of this purpose, right or wrong."""


class Report(Record, frozen=True, kw_only=True):
    """The outcome of scoring one submission."""

    task: str
    variant: str
    n: int
    """Items in the denominator."""
    scores: tuple[Score, ...]
    rank_by: str
    """Name of the score that ranks systems in this task."""
    signature: Signature = Signature()
    slices: tuple[Slice, ...] = ()
    columns: tuple[str, ...] = ()
    """Names of the counts that are kept per item."""
    items: tuple[tuple[str, tuple[float, ...]], ...] = ()
    """Per item its id and counts: what intervals leave out and paired tests swap."""
    groups: tuple[str, ...] = ()
    """Per item the dialogue that it belongs to: dialogues are what stands alone. Empty: not known."""
    problems: tuple[Problem, ...] = ()
    transcript: tuple[str, ...] = ()
    """The lines that the official program prints on standard output (official variants only)."""
    system: str = ""
    seen: str = ""
    """What data the system saw in training."""
    exposure: Exposure | None = None
    """How much of the truth was among it; `None` where nothing says what that was."""
    external: tuple[str, ...] | None = None
    """Data beside the challenge's own that the system learned from, as declared; `None`: not declared."""
    meta: Meta = {}

    @property
    def caution(self) -> str:
        """What stands beside every interval and test where dialogues are not known; else empty."""
        if not self.items or self.groups:
            return ""
        return (
            "dialogues are not known, so each item is taken to stand alone: where several are of one dialogue, "
            "intervals are too narrow and p-values too small"
        )

    def rows(self) -> list[tuple[object, ...]]:
        """Return a row for each score: its name, value and both ends of its 95 % interval (`None`: there is none)."""
        return [(score.name, score.value, score.low, score.high) for score in self.scores]

    def to_pandas(self) -> Any:
        """Return the scores as a pandas data frame. Raises `ImportError` where pandas is not installed."""
        return data_frame(_SCORE_COLUMNS, self.rows())

    def __str__(self) -> str:
        return text_table(self._title, _SCORE_COLUMNS, self.rows(), below=self._below)

    def _repr_html_(self) -> str:
        return html_table(self._title, _SCORE_COLUMNS, self.rows(), below=self._below)

    @property
    def _below(self) -> list[str]:
        """What stands beside the figures, that dialogues are not known and the first problems; and the signature."""
        shown = self.problems[:_PROBLEMS]
        told = [f"{one.severity}: {f'{one.place}: ' if one.place else ''}{one.message}" for one in shown]
        more = [f"and {len(self.problems) - len(shown)} more problems"] if len(self.problems) > len(shown) else []
        return [*filter(None, [self.caution]), *told, *more, str(self.signature)]

    @property
    def _title(self) -> str:
        return f"{self.system or 'scores'} on {self.task}, {self.variant}, {self.n} items"
