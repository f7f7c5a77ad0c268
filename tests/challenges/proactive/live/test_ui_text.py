from __future__ import annotations

import pytest

from duologue.challenges.proactive.live.ui_text import TEXTS, phrase
from duologue.core.errors import UsageError


def test_both_languages_say_the_same_things() -> None:
    assert TEXTS["en"].keys() == TEXTS["zh"].keys()
    assert phrase("zh", "none") == "无"
    with pytest.raises(UsageError, match="'de'; known are en, zh"):
        phrase("de", "none")
