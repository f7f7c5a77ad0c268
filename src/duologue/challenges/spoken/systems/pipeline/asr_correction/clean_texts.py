"""Selection of clean training utterances for the language model, by traces that the simulated noise leaves.

Turns with knowledge are always clean. The others are noisy in the challenge's dialogues and clean in KdConv's; a file
does not say which it is, but noise leaves traces that written text hardly has.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from duologue.challenges.spoken.noise.noise_table import FINAL, MARKS, PARTICLES
from duologue.challenges.spoken.systems.pipeline.asr_correction.edits import is_han

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.core.records import Example

_RARE = frozenset("嚜奤锕颠捣蔫灸弍壹叁肆伍陆柒捌玖躲嗨喽呐")
"""Characters that are frequent in the noise and rare in written text."""
_DOUBLED = frozenset(
    "谢看哈对说聊妈爸星天人常多试好太走慢刚嗯呵嘿嘻啦哇爷奶姐妹弟哥宝宠想听问找查玩逛尝渐往往仅偏默深早乖拜考哦佩转刷"
)
"""Characters that are doubled in ordinary words."""
_MAX_EDITS = 0.1
"""Largest share of turns with traces in a dialogue that counts as clean."""
_OFTEN = 3
"""Dialogues that must contain an utterance for it to be trusted in a dialogue with traces."""


def has_noise_traces(text: str) -> bool:
    """Return whether an utterance shows traces of recognition errors.

    >>> has_noise_traces("这个景点的地址在哪呢呀？"), has_noise_traces("这个景点的地址在哪呢？")
    (True, False)
    """
    if not text:
        return False
    inner, last = text[:-1], text[-1]
    if text[0] in MARKS or last not in FINAL or not _RARE.isdisjoint(text):
        return True
    if len(text) > 2 and text[-2] in PARTICLES and text[-3] in PARTICLES:
        return True
    return any(
        (one == "。" and other in MARKS) or (one == other and is_han(one) and one not in _DOUBLED)
        for one, other in zip(inner, text[1:], strict=True)
    )


def clean_texts(dialogues: Iterable[Sequence[tuple[str, bool]]]) -> list[str]:
    """Return the clean utterances of dialogues, each given as its turns: text, and whether it is known to be clean.

    Other turns count where few turns of their dialogue show traces; elsewhere those that occur verbatim in several
    dialogues, since noise hardly makes the same error twice.
    """
    held = list(dialogues)
    said = Counter(text for turns in held for text in {text for text, _ in turns})
    found: list[str] = []
    for turns in held:
        unsure = [text for text, sure in turns if not sure]
        trusted = sum(map(has_noise_traces, unsure)) <= _MAX_EDITS * len(unsure)
        found.extend(
            text for text, sure in turns if sure or ((trusted or said[text] >= _OFTEN) and not has_noise_traces(text))
        )
    return found


def clean_texts_of(examples: Sequence[Example]) -> list[str]:
    """Return the clean utterances in the dialogues that training examples come from.

    Replies with knowledge are known to be clean; all other turns are judged by traces.
    """
    last: dict[str, Example] = {}
    replies: dict[str, dict[int, tuple[str, bool]]] = {}
    for example in examples:
        sample = example.sample
        if sample.dialogue_id not in last or len(sample.history) > len(last[sample.dialogue_id].sample.history):
            last[sample.dialogue_id] = example
        for answer in example.references[:1]:
            facts = answer.annotation.facts if answer.annotation is not None else ()
            replies.setdefault(sample.dialogue_id, {})[len(sample.history)] = answer.text or "", bool(facts)
    return clean_texts(_turns(example, replies.get(name, {})) for name, example in last.items())


def _turns(example: Example, replies: Mapping[int, tuple[str, bool]]) -> list[tuple[str, bool]]:
    turns = [replies.get(at, (turn.text, False)) for at, turn in enumerate(example.sample.history)]
    end = len(turns)
    return [*turns, replies[end]] if end in replies else turns
