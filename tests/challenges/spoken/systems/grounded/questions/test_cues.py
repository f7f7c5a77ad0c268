from __future__ import annotations

import pytest

from duologue.challenges.spoken.systems.grounded.questions.cues import cues
from duologue.challenges.spoken.systems.grounded.questions.recognised_text import RecognisedText


@pytest.mark.parametrize(
    ("text", "more"),
    [("谁更高", True), ("哪个便宜一点", False), ("有多少个", None), ("谁来得早", False), ("大概吧", None)],
)
def test_the_adjective_tells_the_direction(text: str, more: object) -> None:
    assert cues().adjective(RecognisedText.of(text)) is more


def test_after_a_mark_an_adjective_is_known_by_its_sound() -> None:
    heard = RecognisedText.of("谁最搞")
    assert cues().adjective(heard) is None
    assert cues().adjective(heard, heard.text.index("搞")) is True


def test_a_word_may_be_an_adjective() -> None:
    assert [cues().direction(word) for word in ("贵", "便宜", "门票")] == [True, False, None]
