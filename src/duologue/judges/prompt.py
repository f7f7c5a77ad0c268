"""What a judge is asked, and what it says as points or as a choice.

All material stands between marks that it cannot close: they bear a hash of the material itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from duologue.core.disk import sha256
from duologue.core.errors import UsageError
from duologue.core.records import Turn
from duologue.core.thoughts import without_thoughts
from duologue.judges.judge_texts import load_texts
from duologue.judges.verdict import choice_in, plain, points_in, points_of
from duologue.prompts.json_answer import found_json
from duologue.prompts.prompt import PromptMessage, object_schema, prompt_of
from duologue.prompts.prompt_texts import filled, readable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import Task, World
    from duologue.core.records import Fact
    from duologue.judges.items import JudgedItem
    from duologue.ratings.judgement import Outcome
    from duologue.ratings.protocol import Criterion, RatingProtocol

Unit = Literal["reply", "dialogue"]

_MARK = 12
"""Hexadecimal digits of a mark."""


class Question(NamedTuple):
    """Messages, and the schema of the answer."""

    messages: list[PromptMessage]
    schema: dict[str, Any]


class JudgePrompt:
    """The prompt of one task's judge."""

    def __init__(
        self, task: Task, protocol: RatingProtocol, unit: Unit, language: str = "", *, turns: int = 0, facts: int = 60
    ) -> None:
        """Read the texts; of a reply's history the last `turns` are told (0: all), and at most so many `facts`.

        Raises `UsageError` for a task that is not judged, or not by this unit; else as `prompt_of`.
        """
        loaded = load_texts(task)
        self.protocol, self.unit = protocol, unit
        language = language or task.info.language
        self._wording, self._general = loaded.wording(language), loaded.shared(language)
        self.bots = loaded.shared(task.info.language)
        """What bots of the injection test write."""
        if not getattr(self._wording, unit):
            raise UsageError(f"judges of {task.info.name} are not asked about a whole {unit}; judged is each reply")
        self._language = language
        self.mark = f"{task.info.name} {language} {loaded.mark} {protocol.name} {unit}"
        """Task, language, version and hash of the texts, protocol and unit."""
        self._prompt = prompt_of(task.info, language, turns=0 if unit == "dialogue" else turns, facts=facts)
        self._prompt.wording = msgspec.structs.replace(
            self._prompt.wording, speakers=self._wording.speakers, nothing=self._wording.nothing
        )

    def prepare(self, worlds: Mapping[str, World]) -> None:
        """Take the shared knowledge bases."""
        self._prompt.prepare(worlds)

    def points(self, item: JudgedItem) -> Question:
        """Return the question for points of an item."""
        form = ", ".join(f'"{one.name}": {one.low}-{one.high}' for one in self.protocol.criterion)
        shared = {"points": filled(self._general.points, {"form": "{" + form + "}"})}
        listed = "\n".join(map(self._criterion, self.protocol.criterion))
        criteria = filled(self._general.criteria, {"criteria": listed})
        numbers = {
            one.name: {"type": "integer", "enum": list(range(one.low, one.high + 1))} for one in self.protocol.criterion
        }
        texts = {**self._context(item), "said": self.said(item)}
        question = self._messages(getattr(self._wording, self.unit), texts, shared, criteria)
        return Question(question, object_schema(**numbers))

    def better(self, first: JudgedItem, second: JudgedItem) -> Question:
        """Return the question which of two items is better, in the order in which they are shown."""
        texts = {**self._context(first), "said_a": self.said(first), "said_b": self.said(second)}
        schema = object_schema(better={"type": "string", "enum": ["A", "B", "tie"]})
        return Question(self._messages(self._wording.pair, texts, {"better": self._general.better}), schema)

    def said(self, item: JudgedItem) -> str:
        """Return what is judged as it is shown: the reply in one line, or all turns."""
        if self.unit == "dialogue":
            return self._prompt.history(msgspec.structs.replace(item.sample, history=item.dialogue))
        return self._prompt.utterance(Turn(speaker="system", text=item.reply)) or self._wording.nothing

    def context(self, item: JudgedItem) -> str:
        """Return what stands before what is judged, for people: goal, facts and history where there are some."""
        parts = [text for text in self._context(item).values() if text != self._wording.nothing]
        return "\n\n".join(parts)

    def known_facts(self, item: JudgedItem) -> list[Fact]:
        """Return the facts that are told of an item."""
        return self._prompt.known_facts(item.sample)

    def read_points(self, text: str) -> dict[str, int]:
        """Return the points in what a judge said by criterion; those that cannot be read are not there."""
        told = found_json(text)
        if not isinstance(told, dict):
            return points_in(without_thoughts(text), self.protocol.criterion)
        named = {plain(key): value for key, value in told.items()}
        found = {}
        for one in self.protocol.criterion:
            value = _points_of(named.get(plain(one.name), named.get(plain(one.zh or one.name))), one)
            if value is not None:
                found[one.name] = value
        return found

    def read_better(self, text: str) -> Outcome | None:
        """Return what a judge chose: `a` is what was shown first; `None` where it cannot be read."""
        told = found_json(text)
        said = told.get("better") if isinstance(told, dict) else without_thoughts(text)
        return choice_in(said) if isinstance(said, str) else None

    def _criterion(self, one: Criterion) -> str:
        anchors = one.anchors_zh if self._language == "zh" else one.anchors
        points = "; ".join(f"{point} = {anchor}" for point, anchor in enumerate(anchors, start=one.low))
        name = f"{one.name}（{one.zh}）" if self._language == "zh" and one.zh else one.name
        meaning = " ".join(filter(None, (self._wording.meanings.get(one.name, ""), points)))
        fields = {"name": name, "low": str(one.low), "high": str(one.high), "meaning": meaning}
        return f"- {filled(self._general.criterion, fields)}".rstrip()

    def _context(self, item: JudgedItem) -> dict[str, str]:
        prompt = self._prompt
        return {
            "goal": prompt.goal(item.sample),
            "knowledge": prompt.knowledge(item.sample),
            "history": prompt.history(item.sample) if self.unit == "reply" else self._wording.nothing,
        }

    def _messages(
        self, template: str, texts: Mapping[str, str], shared: Mapping[str, str], *system: str
    ) -> list[PromptMessage]:
        """Return the messages; the first one is the same for all items, so that servers need not read it again."""
        mark = mark_of(list(texts.values()))
        fenced = {name: f"[{name} {mark}]\n{text}\n[/{name} {mark}]" for name, text in texts.items()}
        told = [self._wording.instruction, self._general.marks, *system]
        return [
            PromptMessage("system", readable("\n\n".join(one.strip() for one in told))),
            PromptMessage("user", readable(filled(template, {**fenced, **shared}).strip())),
        ]


def mark_of(texts: Sequence[str]) -> str:
    """Return a mark that none of the texts holds: a hash of them all.

    >>> mark_of(["a", "b"]) == mark_of(["a", "b"]) != mark_of(["ab"])
    True
    """
    number = 0
    while True:
        mark = sha256(msgspec.json.encode([number, *(text.encode("utf-8", "replace").decode() for text in texts)]))
        if not any(mark[:_MARK] in text for text in texts):
            return mark[:_MARK]
        number += 1


def _points_of(value: Any, criterion: Criterion) -> int | None:
    """Return points of the scale, also such as are written as text or with zeros behind a point."""
    if isinstance(value, str):
        return points_of(value, criterion)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and criterion.low <= value <= criterion.high else None
