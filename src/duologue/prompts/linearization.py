"""A sample as one text that a language model goes on with, and what it writes as an answer.

A challenge may register further ones under `duologue.linearizations`, such as the form of a published system.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from duologue.core.plugins import load_linearization_class
from duologue.prompts.prompt import RANKING, Reading, prompt_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Example, Fact, Sample
    from duologue.prompts.prompt import PromptMessage

    ChatForm = Callable[[Sequence[PromptMessage]], str]


class Part(NamedTuple):
    """What a model is to go on with."""

    text: str
    """All that stands before."""
    end: str = ""
    """Mark that ends what is written; empty: the end of the text."""
    longest: int = 0
    """Tokens at most; 0: as many as the recipe allows."""


class Given(NamedTuple):
    """What a text is made from."""

    sample: Sample
    facts: Sequence[Fact] = ()
    """Facts that another system chose, for forms with `given_facts`."""


class LinearizedPair(NamedTuple):
    """A text to learn from: what is given and what is to be written."""

    source: str
    target: str


class Linearization:
    """Knowledge, goal and history in plain lines, then what the system says, as the task's prompt reads it."""

    tasks: ClassVar[tuple[str, ...]] = ()
    """Tasks by name that it is made for; empty: any."""
    marks: ClassVar[tuple[str, ...]] = ()
    """Signs that end the parts of a text: a model learns them as tokens of their own."""
    in_chat_form: ClassVar[bool] = False
    """Whether the text is what `chat` returns: marks in it are the model's own; in any other only `marks` are."""
    given_facts: ClassVar[bool] = False
    """Whether another system chooses the facts, and the model writes the text alone."""

    def __init__(self, info: TaskInfo, *, turns: int = 0, facts: int = 60) -> None:
        """Take the task's prompt, which words histories and facts; raises as `prompt_of`."""
        self.info, self.turns = info, turns
        self.prompt = prompt_of(info, turns=turns, facts=facts)
        self.chat: ChatForm = joined_messages

    @property
    def mark(self) -> str:
        """What decides the texts: its name and the prompt's mark."""
        return f"{type(self).__name__} {self.prompt.mark}"

    def prepare(self, worlds: Mapping[str, World], chat: ChatForm | None = None) -> None:
        """Take the shared knowledge bases, and how the model at hand wants a chat to be written."""
        self.prompt.prepare(worlds)
        self.chat = chat or joined_messages

    def source(self, given: Given) -> str:
        """Return the text that a model goes on with."""
        sample, prompt, nothing = given.sample, self.prompt, self.prompt.wording.nothing
        parts = [prompt.knowledge(sample), prompt.goal(sample), prompt.history(sample)]
        called = prompt.wording.speakers.get("system", "system")
        return "\n".join([*(part for part in parts if part != nothing), f"{called}:"])

    def target(self, example: Example) -> str | None:
        """Return what a model is to write for an example; `None` where no reference can be said."""
        return self.said(example)

    def said(self, example: Example) -> str | None:
        """Return the first reference that can be said as the prompt has it; of a ranking the text of the best."""
        for reference in example.references:
            if RANKING in self.info.answers.split("+"):
                best = (reference.ranking or ())[:1]
                found = next((one.text for one in example.sample.candidates if one.id in best), None)
            else:
                found = self.prompt.said(reference, example.sample)
            if found:
                return found
        return None

    def pairs(self, examples: Sequence[Example]) -> list[LinearizedPair]:
        """Return the texts to learn from, in the order of the examples; those without an answer are left out."""
        found = []
        for example in examples:
            target = self.target(example)
            if target is not None:
                given = Given(example.sample, self.facts_to_learn(example))
                found.append(LinearizedPair(self.source(given), target))
        return found

    def facts_to_learn(self, example: Example) -> Sequence[Fact]:
        """Return the facts that a text to learn from is given, where another system chooses them later."""
        annotation = example.references[0].annotation if example.references else None
        return annotation.facts if annotation is not None else ()

    def written(self, given: Given) -> Generator[Part, str, Reading]:
        """Yield what the model goes on with, part by part, and return how what it wrote is read.

        The generator is sent what the model wrote for each part.
        """
        text = yield Part(self.source(given))
        return self.prompt.read(text, given.sample)


class PromptLinearization(Linearization):
    """The task's prompt for chat models: instruction and question, in the chat form of the model where it has one."""

    in_chat_form = True

    def source(self, given: Given) -> str:
        """Return the messages as the model's chat form has them, else one below the other."""
        return self.chat(self.prompt.messages(given.sample))


def joined_messages(messages: Sequence[PromptMessage]) -> str:
    r"""Return messages one below the other, for models without a chat form.

    >>> from duologue.prompts.prompt import PromptMessage
    >>> joined_messages([PromptMessage("system", "Be kind."), PromptMessage("user", "Hello")])
    'Be kind.\n\nHello\n'
    """
    return "\n\n".join(one.content.strip() for one in messages) + "\n"


def linearization_of(name: str, info: TaskInfo, *, turns: int = 0, facts: int = 60) -> Linearization:
    """Return the registered linearization of that name for a task.

    Raises `UsageError` for an unknown name and one made for other tasks, `PlugInError` as `prompt_of` does.
    """
    from duologue.core.errors import UsageError

    cls: type[Linearization] = load_linearization_class(name)
    if cls.tasks and info.name not in cls.tasks:
        raise UsageError(f"the linearization '{name}' is made for {' and '.join(cls.tasks)}, not for '{info.name}'")
    return cls(info, turns=turns, facts=facts)
