from __future__ import annotations

import pytest

from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.challenges.conversation.extraction.typed_text import as_cut, as_read


@pytest.mark.parametrize(
    ("typed", "cut"),
    [
        ("We're sorry. Visit <URL>!", "we 're sorry . visit <URL> !"),
        ("order 112-3456789 isn't here", "order <NUMBERS> isn 't here"),
        ("<USER>", "<USER>"),
        ("  ", ""),
    ],
)
def test_what_was_cut_is_not_cut_again(typed: str, cut: str) -> None:
    assert as_cut(typed) == cut
    assert as_cut(cut, Cleaner()) == cut


def test_tokens_are_joined_as_people_write_them() -> None:
    assert as_read("it 's late , isn 't it ?") == "it's late, isn't it?"
