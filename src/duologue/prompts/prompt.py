"""A prompt: a sample as chat messages, and what a model says as an answer.

The base class serves tasks that are answered with a text or a ranking. A task whose answers have more parts
subclasses it: `schema`, `read` and `said` are then its own.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from duologue.core.errors import PlugInError
from duologue.core.plugins import load_prompt_class, names
from duologue.core.records import Answer
from duologue.core.thoughts import without_thoughts
from duologue.prompts.labels import choice_in, labels, order_in
from duologue.prompts.prompt_texts import filled, load_wording, readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Example, Fact, Sample, Turn

Asked = Literal["answer", "rank", "best"]
"""What a model is asked for: an answer, an order of all candidates, or one of them."""
RANKING, TEXT = "ranking", "text"
_LONGEST_VALUE = 120
"""Characters of a fact's value that are told."""


class PromptMessage(NamedTuple):
    """One message of a chat."""

    role: str
    """`"system"`, `"user"` or `"assistant"`."""
    content: str


class Reading(NamedTuple):
    """What could be read of what a model said."""

    answer: Answer | None
    """`None` where it is no answer."""
    dropped: int = 0
    """Parts that name nothing which the sample has, and are left out."""


class Prompt:
    """The prompt of a task answered with a text or a ranking; its texts stand in `prompts.toml` beside the class."""

    texts = "prompts.toml"
    """Name of the file with the wordings, in the folder of the class's module."""

    def __init__(self, info: TaskInfo, language: str = "", *, turns: int = 0, facts: int = 60) -> None:
        """Read the wording; `language` is that of the task where none is given.

        Of the history the last `turns` are told (0: all), and at most so many `facts`. Raises as `load_wording`.
        """
        loaded = load_wording(self._file(), language or info.language)
        self.info, self.wording, self.language = info, loaded.wording, loaded.language
        self.mark = f"{info.name} {loaded.mark}"
        """Task, language, version and hash of the wording."""
        self._turns, self._facts = turns, facts
        self.worlds: Mapping[str, World] = {}

    def _file(self) -> Path:
        own = next(one for one in type(self).__mro__ if "texts" in vars(one))
        return Path(inspect.getfile(own)).with_name(self.texts)

    def prepare(self, worlds: Mapping[str, World]) -> None:
        """Take the shared knowledge bases."""
        self.worlds = worlds

    def messages(
        self, sample: Sample, asked: Asked = "answer", shots: Iterable[Sequence[PromptMessage]] = ()
    ) -> list[PromptMessage]:
        """Return the messages that ask for a sample, after `shots` (questions with their answers)."""
        told = [PromptMessage("system", readable(filled(self.wording.instruction, self._general())))]
        told += [message for shot in shots for message in shot]
        return [*told, self._question(sample, asked)]

    def shot(self, example: Example, asked: Asked = "answer") -> list[PromptMessage] | None:
        """Return an example as a question with its answer; `None` for one without a reference that can be said."""
        for reference in example.references:
            said = self.said(reference, example.sample, asked)
            if said is not None:
                return [self._question(example.sample, asked), PromptMessage("assistant", readable(said))]
        return None

    def _question(self, sample: Sample, asked: Asked) -> PromptMessage:
        template = getattr(self.wording, asked)
        if not template:
            raise PlugInError(f"the prompt '{self.mark}' has no text '{asked}'")
        return PromptMessage("user", readable(filled(template, {**self._general(), **self.fields(sample)})))

    def _general(self) -> dict[str, str]:
        """Return what templates may say of the task itself."""
        return {"task": self.info.name, **{key: ", ".join(found) for key, found in self._labels().items()}}

    def _labels(self) -> dict[str, tuple[str, ...]]:
        return {key.replace(" ", "_"): found for key, found in self.info.labels.items()}

    def fields(self, sample: Sample) -> dict[str, str]:
        """Return what the places of a question are filled with."""
        known = labels(len(sample.candidates))
        listed = [f"{label}. {one.text}" for label, one in zip(known, sample.candidates, strict=True)]
        return {
            "history": self.history(sample),
            "goal": self.goal(sample),
            "knowledge": self.knowledge(sample),
            "candidates": "\n".join(listed),
            "labels": ", ".join(known),
            "count": str(len(known)),
        }

    def history(self, sample: Sample) -> str:
        """Return what was said, a line each."""
        turns = sample.history[-self._turns :] if self._turns else sample.history
        called = self.wording.speakers
        lines = [f"{called.get(turn.speaker, turn.speaker)}: {self.utterance(turn)}" for turn in turns]
        return "\n".join(lines) or self.wording.nothing

    def utterance(self, turn: Turn) -> str:
        """Return the words of a turn in one line."""
        return " ".join(turn.text.split())

    def goal(self, sample: Sample) -> str:
        """Return the goal where the task tells it to the system."""
        if sample.goal is None:
            return self.wording.nothing
        topics = [" → ".join(sample.goal.topics)] if sample.goal.topics else []
        return "\n".join([*topics, *map(self.fact, sample.goal.relations)]) or self.wording.nothing

    def known_facts(self, sample: Sample) -> list[Fact]:
        """Return the facts that are told, at most as many as allowed; those of the sample itself by default."""
        return list(dict.fromkeys(sample.knowledge))[: self._facts]

    def knowledge(self, sample: Sample) -> str:
        """Return the facts, a line each."""
        return "\n".join(self.fact(one) for one in self.known_facts(sample)) or self.wording.nothing

    def fact(self, fact: Fact) -> str:
        """Return one fact as a line."""
        value = ", ".join(fact.object) if isinstance(fact.object, tuple) else str(fact.object)
        value = value if len(value) <= _LONGEST_VALUE else f"{value[:_LONGEST_VALUE]}..."
        return f"{fact.subject} | {fact.relation} | {value}"

    def schema(self, sample: Sample, asked: Asked = "answer") -> dict[str, Any] | None:
        """Return the JSON schema of what the model is to say; `None` for plain text."""
        known = labels(len(sample.candidates))
        if asked == "rank":
            size = {"minItems": len(known), "maxItems": len(known)}  # small models repeat themselves without end
            return object_schema(ranking={"type": "array", "items": {"type": "string", "enum": known}, **size})
        return None

    def read(self, text: str, sample: Sample) -> Reading:  # noqa: ARG002  # a text refers to nothing
        """Return the answer in what a model said: its text in one line. Nothing said is no answer."""
        line = " ".join(without_thoughts(text).split())
        return Reading(Answer(text=line) if line else None)

    def read_order(self, text: str, sample: Sample) -> list[int] | None:
        """Return the places of the candidates that a model ranks, best first; `None` where it ranks none."""
        known = labels(len(sample.candidates))
        found = order_in(text, known)
        return None if found is None else [known.index(one) for one in found]

    def read_choice(self, text: str, sample: Sample) -> int | None:
        """Return the place of the candidate that a model chooses; `None` where it chooses none."""
        known = labels(len(sample.candidates))
        found = choice_in(text, known)
        return None if found is None else known.index(found)

    def empty(self, sample: Sample) -> Answer:
        """Return what is written where nothing could be read: the emptiest answer that the task takes."""
        if RANKING in self.info.answers.split("+"):
            return Answer(ranking=tuple(one.id for one in sample.candidates))
        return Answer(text="")

    def said(self, answer: Answer, sample: Sample, asked: Asked = "answer") -> str | None:
        """Return a reference as a model should say it; `None` where it cannot be said."""
        if asked == "answer":
            return answer.text
        places = [number for number, one in enumerate(sample.candidates) if one.id in (answer.ranking or ())[:1]]
        if not places:
            return None
        known = labels(len(sample.candidates))
        if asked == "best":
            return known[places[0]]
        others = [label for label in known if label != known[places[0]]]
        return msgspec.json.encode({"ranking": [known[places[0]], *others]}).decode()


class GeneralPrompt(Prompt):
    """The prompt of a task that brings none: for a text or a ranking."""

    texts = "general.toml"


def object_schema(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with all of these properties and no other, as strict modes want it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def prompt_of(info: TaskInfo, language: str = "", *, turns: int = 0, facts: int = 60) -> Prompt:
    """Return the prompt of a task: the one registered under its name, else the general one.

    Raises `PlugInError` for a task that brings none and wants more than a text or a ranking.
    """
    if info.name in names("prompts"):
        cls: type[Prompt] = load_prompt_class(info.name)
        return cls(info, language, turns=turns, facts=facts)
    if info.answers not in {RANKING, TEXT}:
        raise PlugInError(
            f"task '{info.name}' wants {info.answers.replace('+', ' and ')}, and brings no prompt for it; its package "
            f"would register a subclass of duologue.prompts.prompt.Prompt under the entry point 'duologue.prompts'"
        )
    return GeneralPrompt(info, language, turns=turns, facts=facts)
