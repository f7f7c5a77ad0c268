"""References of training examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from duologue.core.records import Example


def expect_reply(example: Example, *, empty: bool = False) -> str:
    """Return the reply of a training example, which may be the `empty` text. Raises `UsageError` without a reply."""
    text = example.references[0].text if example.references else None
    if text is None or not (text or empty):
        raise UsageError(f"sample '{example.sample.id}' has no reply; training needs one in each")
    return text
