"""Surface realiser of one side of a call: phrases that are not repeated, texts joined, turns lengthened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.simulator import acts
from duologue.challenges.mobilecs.simulator.call_subject import CallSubject
from duologue.challenges.mobilecs.simulator.utterance import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.mobilecs.simulator.phrases import Template
    from duologue.challenges.mobilecs.simulator.planned_entity import PlannedEntity
    from duologue.core.rng import Rng

_LONG_GAP = 22
"""From so many missing characters on, a turn is lengthened by a sentence about its subject."""
_TRIES = 4
_SHORT = {"被动确认", "其他", "客套", "问候", "再见", "否认", "请求重复"}
"""Intents whose turns are not lengthened."""


class SurfaceRealiser:
    """Words the utterances of one side of a call."""

    def __init__(
        self,
        rng: Rng,
        *,
        about: Sequence[Template],
        fillers: Sequence[Template],
        lengths: tuple[tuple[float, float], ...],
        subject: CallSubject | None = None,
    ) -> None:
        """Take sentences about the call's topic, shorter ones for any call, and the quantiles of turns' lengths."""
        self.rng, self.unit = rng, rng.unit
        self.about, self.fillers, self.lengths = about, fillers, lengths
        self.subject = subject if subject is not None else CallSubject(telling=False)
        self._used: set[Template] = set()

    def phrase(self, options: Sequence[Template]) -> Text:
        """Return one of the phrases, if possible one that this call has not had."""
        template = self._unused(options) or self.rng.choice(options)
        return template.fill(self.unit)

    def filled(self, options: Sequence[Template], **fills: Text) -> Text:
        """Return one of the phrases with its places filled."""
        text = self.rng.choice(options).fill(self.unit, fills)
        for _ in range(_TRIES):
            if not self.subject.blurs(text):
                break
            text = self.rng.choice(options).fill(self.unit, fills)
        self.subject.hear(text)
        return text

    def repeated_name(self, entity: PlannedEntity) -> Text:
        """Return a name of an entity that was said before, mostly a short one, or nothing.

        Of an entity that is not the subject it is the fullest, where speakers are to tell.
        """
        if not self.subject.is_clear(entity):
            return entity.names[0]
        return entity.names[-1] if self.unit() < 0.6 else entity.names[0] if self.unit() < 0.4 else Text()

    def join(self, texts: Sequence[Text], conjunctions: Sequence[Template] = ()) -> Text:
        """Return the texts as one, with conjunctions between them, or commas where none are given."""
        joined = Text()
        for number, text in enumerate(texts):
            if number:
                joined.add(self.rng.choice(conjunctions).fill(self.unit) if conjunctions else Text("，"))
            joined.add(text)
        return joined

    def lengthen(self, text: Text, intent: str) -> Text:
        """Return the text of a turn with sentences added up to a drawn length, if its intent has something to say."""
        if intent in _SHORT:
            return text
        wanted = acts.quantile(self.unit(), self.lengths) - 5
        before = self.unit() < 0.35
        while len(text.text) < wanted:
            is_long = wanted - len(text.text) > _LONG_GAP
            template = self._unused(self.about if is_long else self.fillers) or self._unused(self.fillers)
            if template is None:
                break
            added = template.fill(self.unit)
            text = self.join([added, text] if before else [text, added])
            before = False
        return text

    def _unused(self, options: Sequence[Template]) -> Template | None:
        """Return one of the phrases that this call has not had; `None` if five draws do not find one."""
        for _ in range(5):
            template = self.rng.choice(options)
            if template not in self._used:
                self._used.add(template)
                return template
        return None


def concatenated(first: Text, second: Text) -> Text:
    """Return two texts as one, with nothing between them."""
    text = Text()
    text.add(first)
    text.add(second)
    return text
