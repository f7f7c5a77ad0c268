from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.systems.copier.network.encoded_dialogue import SYSTEM, USER
from duologue.challenges.conversation.systems.copier.tokenizer_windows import TokenizerWindows
from duologue.core.records import Turn
from duologue.models.vocabulary import BEGIN, END, PAD, UNKNOWN, CopyVocabulary

WORDS = CopyVocabulary(["hi", "?"])  # 4 and 5; the rest from 6 on


def turns(*texts: str) -> tuple[Turn, ...]:
    """Return turns that the user begins."""
    return tuple(Turn(speaker=("user", "system")[place % 2], text=text) for place, text in enumerate(texts))


def test_a_talk_is_one_row_in_which_each_reply_is_wanted_word_by_word() -> None:
    teller = TokenizerWindows(WORDS, longest=40, longest_reply=5)
    (told,) = teller.training_windows(turns("hi Ann", "hi Ann ?", "Bo", "Bo Cy"))
    assert list(told.words) == [END, 4, 6, BEGIN, 4, 6, 5, END, 7, BEGIN, 7, 8, END]
    assert list(told.speakers) == [USER] * 3 + [SYSTEM] * 5 + [USER] + [SYSTEM] * 4
    assert list(told.wanted) == [PAD] * 3 + [4, 6, 5, END, PAD] + [PAD, 7, UNKNOWN, END, PAD]


def test_a_question_is_the_talk_so_far_with_the_words_that_only_it_knows() -> None:
    told, unknown = TokenizerWindows(WORDS, longest=40, longest_reply=5).inference_window(turns("hi Ann", "hi", "Bo ?"))
    assert list(told.words) == [END, 4, 6, BEGIN, 4, END, 7, 5]
    assert unknown == ["Ann", "Bo"]
    assert not told.wanted


def test_of_a_question_that_is_too_long_its_end_is_kept() -> None:
    told, unknown = TokenizerWindows(WORDS, longest=8, longest_reply=3).inference_window(
        turns("a b c d", "hi hi hi", "e f g")
    )
    assert [unknown, len(told.words)] == [["e", "f", "g"], 9]
    assert list(told.words)[:2] == [END, BEGIN]


def test_no_history_at_all_is_an_end_alone() -> None:
    told, unknown = TokenizerWindows(WORDS, longest=8, longest_reply=3).inference_window(())
    assert (list(told.words), unknown) == ([END], [])


@given(st.lists(st.text(alphabet="ab ?", min_size=1, max_size=30).filter(str.strip), min_size=2, max_size=12))
def test_in_windows_every_reply_is_learned_once_and_none_is_too_long(texts: list[str]) -> None:
    teller = TokenizerWindows(WORDS, longest=12, longest_reply=4)
    found = teller.training_windows(turns(*texts))
    assert sum(list(one.wanted).count(END) for one in found) == len(texts) // 2
    assert all(len(one.words) == len(one.speakers) == len(one.wanted) <= 13 for one in found)
