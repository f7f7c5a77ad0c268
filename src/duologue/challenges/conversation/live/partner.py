"""Live partner: input is preprocessed as the challenge's text and answered by a system.

As in the organisers' own demonstration an empty line begins a new dialogue (specification, section 9).
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.challenges.conversation.extraction.typed_text import as_read
from duologue.challenges.conversation.schema import INFO
from duologue.challenges.conversation.systems.lookup import LooksUp
from duologue.core.errors import UsageError
from duologue.core.escapes import one_line
from duologue.core.live_text import GOODBYES, texts_in
from duologue.core.optional_protocols import Partner
from duologue.core.records import Dialogue, Sample, Turn
from duologue.core.system_answers import answers_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.protocols import System, World

_WORDS = {
    "en": {
        "welcome": "Write to customer service. An empty line begins a new dialogue; bye or /quit leaves.",
        "new": "a new dialogue begins",
        "silent": "(no reply)",
        "said": "said from the knowledge",
        "found": "knowledge",
    },
    "zh": {
        "welcome": "请用英文向客服提问。空行开始新的对话；输入 bye 或 /quit 离开。",
        "new": "新的对话开始",
        "silent": "（没有回复）",
        "said": "取自知识",
        "found": "知识",
    },
}


def as_tokens(sample: Sample) -> Sample:
    """Return a sample whose history, as people typed it, is cut into the challenge's tokens."""
    clean = _cleaner().clean
    cut = tuple(Turn(speaker=turn.speaker, text=clean(turn.text)) for turn in sample.history)
    return msgspec.structs.replace(sample, history=cut)


@cache
def _cleaner() -> Cleaner:
    """Return one for all requests: it knows the words that it has cut before."""
    return Cleaner()


class ServiceAgent(Partner):
    """A system as a live customer-service agent; its context starts at the last empty line.

    `system` is any system that answers with text; it is prepared here. Raises `UsageError` for a language that there
    are no remarks in, and when a system says nothing of its own. Passages of `worlds` that it looks up are shown below
    its replies, and stand in the transcript (`meta["knowledge"]`).
    """

    def __init__(
        self,
        system: System,
        *,
        seed: int,
        lang: str = "en",
        name: str = "chat",
        worlds: Mapping[str, World] = MappingProxyType({}),
    ) -> None:
        self._system, self._seed, self._words, self._name = system, seed, texts_in(lang, _WORDS), name
        self._turns: list[Turn] = []
        self._begin = 0
        self._cleaner = Cleaner()
        system.prepare(msgspec.structs.replace(INFO, live=True), seed, worlds)

    @property
    def welcome(self) -> str:
        """Text shown before the first turn."""
        return self._words["welcome"]

    @property
    def how_to_talk(self) -> str:
        """How to write: all that is shown before the first turn."""
        return self.welcome

    def reply(self, text: str) -> list[Turn]:
        """Return the system's reply; nothing after a goodbye. An empty line begins a new dialogue."""
        typed = text.strip()
        if typed.lower() in GOODBYES:
            self.finished = True
            return []
        cut = self._cleaner.clean(typed)
        if not cut:  # such as a handle alone
            self._begin = len(self._turns)
            return [Turn(speaker="system", text="", meta={"remark": self._words["new"]})]
        self._turns.append(Turn(speaker="user", text=cut, meta={"typed": typed, "dialogue": self._begin}))
        sample = Sample(
            id=f"{self._name}#{len(self._turns):02d}",
            dialogue_id=f"{self._name}#{self._begin:02d}",
            history=tuple(Turn(speaker=turn.speaker, text=turn.text) for turn in self._turns[self._begin :]),
        )
        (answer,) = answers_of(self._system, [sample])
        if answer.text is None:
            raise UsageError(
                f"{type(self._system).__name__} says nothing of its own; a talk needs a system that answers with text"
            )
        found = self._system.trace(sample) if isinstance(self._system, LooksUp) else ()
        told: dict[str, Any] = {"knowledge": [one._asdict() for one in found]} if found else {}
        turn = Turn(speaker="system", text=answer.text, meta={"dialogue": self._begin, **told})
        self._turns.append(turn)
        return [turn]

    def shown(self, turn: Turn) -> list[str]:
        """Return the detokenized text of a turn, and the passages that were looked up for it."""
        said = str(turn.meta.get("remark") or as_read(turn.text) or self._words["silent"])
        return [said, *(self._remark(one, turn.text) for one in turn.meta.get("knowledge", ()))]

    def _remark(self, passage: Mapping[str, Any], said: str) -> str:
        """Return a line on a passage: how well it fits, its title, its text, and whether it is what was said."""
        label = self._words["said" if passage["text"] == said else "found"]
        title = f"{passage['about']}: " if passage["about"] else ""
        return one_line(f"{label} {passage['similarity']:.2f}: {title}{as_read(passage['text'])}")

    def dialogue(self) -> Dialogue:
        """Return the transcript so far: tokens as text, `meta["typed"]` as the person wrote them.

        Turns with the same `meta["dialogue"]` belong together: an empty line begins a new one.
        """
        meta = {"system": type(self._system).__name__, "seed": self._seed}
        return Dialogue(id=self._name, turns=tuple(self._turns), meta=meta)
