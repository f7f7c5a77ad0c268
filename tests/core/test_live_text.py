from __future__ import annotations

import pytest

from duologue.core.errors import UsageError
from duologue.core.live_text import GOODBYES, LEAVES, texts_in


def test_a_language_without_texts_is_refused() -> None:
    with pytest.raises(UsageError, match="no remarks in language 'fr'"):
        texts_in("fr", {"en": "hello", "zh": "你好"})


def test_words_that_leave_are_compared_in_lower_case() -> None:
    assert LEAVES < GOODBYES
    assert all(word == word.lower().strip() for word in GOODBYES)
