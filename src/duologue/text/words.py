"""Words of Chinese text."""

from __future__ import annotations

from duologue.core.extras import need


def words(text: str) -> list[str]:
    """Return the words of a text by the segmenter that also guesses unknown words; joined they are the text.

    Punctuation marks are words. Raises `MissingExtraError` without the extra `zh`.
    """
    cut: list[str] = need("rjieba", "zh").cut(text, True)  # noqa: FBT003  # compiled: it knows no names
    return cut
