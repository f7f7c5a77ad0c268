from __future__ import annotations

import pytest

from duologue.challenges.spoken.systems.grounded.questions.recognised_text import RecognisedText


@pytest.mark.parametrize(
    ("text", "phrase", "stretch"),
    [
        ("他的主演是谁", "主演", (2, 4)),
        ("他的煮眼是谁", "主演", (2, 4)),
        ("他的主啊演是谁", "主演", (2, 5)),
        ("这里游玩建议时间", "建议游玩时间", (2, 8)),
        ("出生期是哪天", "出生日期", (0, 3)),
        ("他的身高", "导演", None),
    ],
)
def test_a_phrase_is_found_as_it_was_heard(text: str, phrase: str, stretch: tuple[int, int] | None) -> None:
    found = RecognisedText.of(text).match(phrase)
    assert (None if found is None else (found.start, found.end)) == stretch


def test_what_is_written_counts_most_and_what_is_hidden_nothing() -> None:
    heard = RecognisedText.of("主演的主演")
    match = heard.match("主演")
    assert match is not None
    again = heard.without(match.start, match.end).match("主演")
    assert again is not None
    assert again.start == 3
    sound = RecognisedText.of("煮眼").match("主演")
    assert sound is not None
    assert sound.score < match.score


def test_what_is_hidden_can_be_shown_again() -> None:
    heard = RecognisedText.of("谁便宜")
    assert heard.without(0, 3).showing(heard, 1, 3).text == "\0便宜"
