"""A bound for dialogues that are cut into samples.

Each sample repeats all utterances before its own, so a dialogue of n utterances holds n x n / 4 of them when it is cut:
with 100,000, a file of half a megabyte, that is more than any memory has. No conversation is so long; whoever has one
has lost what stands between dialogues.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_UTTERANCES = 5_000
RULE = "dialogue-long"
RULE_SAYS = f"a dialogue has at most {MAX_UTTERANCES:,} utterances, since each of its samples repeats those before it"


def long_dialogue(utterances: int, place: str = "") -> Iterator[Problem]:
    """Yield the problem of a dialogue that has too many utterances to be cut into samples.

    >>> [one.rule for one in long_dialogue(MAX_UTTERANCES + 1)], list(long_dialogue(MAX_UTTERANCES))
    (['dialogue-long'], [])
    """
    if utterances > MAX_UTTERANCES:
        yield Problem(
            rule=RULE,
            place=place,
            message=f"the dialogue has {utterances:,} utterances, and {MAX_UTTERANCES:,} is the limit",
            advice="are these several dialogues? part them; a longer one can be cut in two",
        )
