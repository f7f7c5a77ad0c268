from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.growth import LINEAR, growth

from duologue.challenges.conversation.extraction.twitter import tokenizer
from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.challenges.conversation.extraction.twitter.rules import preprocess
from duologue.challenges.conversation.extraction.twitter.tokenizer import CHALLENGE, CURRENT, GENERATIONS, tokenize
from duologue.core.errors import UsageError


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("see http://a.b/(c(d)e)f!", "see http://a.b/(c(d)e)f !"),
        ("http://x.co/()", "http://x.co/ ( )"),
        ("www.amazon.co.uk/help amazon.com foo@bar.com", "www.amazon.co.uk/help amazon.com foo@bar.com"),
        ("ref123456789", "ref 12345678 9"),
        ("8PM 18DEC :-) >:D <3", "8P m 18DEC :-) >:D <3"),
        ("<b>a</b> --> <-- <-", "<b> a </b> --> <-- <-"),
        ("#a #ab #a-b' @me.", "# a #ab #a-b ' @me ."),
        ("rock'n'roll y'all' a-b_c d-", "rock'n'roll y'all ' a-b_c d -"),
        ("+1,5 2017-09-12 1/2/3", "+1,5 2017-09- 12 1/2 / 3"),
        ("HTTP://X.co/A", "HTTP://X.co/A"),
        ("a :/ B", "a :/ b"),
    ],
)
def test_the_alternatives_of_a_token_come_in_their_order(text: str, tokens: str) -> None:
    assert tokenize(text) == tokens.split(" ") == tokenize(text, CURRENT)


@pytest.mark.parametrize(
    ("text", "then", "now"),
    [
        ("👍🏽", ["👍", "🏽"], ["👍🏽"]),
        ("🇺🇸🇫🇷", ["🇺", "🇸", "🇫", "🇷"], ["🇺🇸", "🇫🇷"]),
        ("👨‍👩‍👧", ["👨", "\u200d", "👩", "\u200d", "👧"], ["👨‍👩‍👧"]),
        ("</3", ["<", "/", "3"], ["</3"]),
        ("1920*1080", ["1920", "*", "1080"], ["1920*1080"]),
        ("555\n0199", ["555\n0199"], ["555", "0199"]),
        ("555 0199", ["555 0199"], ["555 0199"]),
        (".\n.", [".\n."], [".", "."]),
        ("e\u0301a½", ["e", "\u0301", "a½"], ["e\u0301a", "½"]),
        ("a\x1cb", ["a", "b"], ["a", "\x1c", "b"]),
    ],
)
def test_the_generations_differ_where_the_library_changed(text: str, then: list[str], now: list[str]) -> None:
    assert tokenize(text, CHALLENGE) == then
    assert tokenize(text, CURRENT) == now


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("&amp;&lt;&nbsp;", "&<\xa0"),
        ("&AMP;&apos;", ""),
        ("AT&T; ok &T ; x", "AT ok &T ; x"),
        ("&#8364;&#x20ac;&#x80;&#128;", "€€€€"),
        ("&#X41;&x41;&xi;", "A"),
        ("&#129;&#99999999999999999999;&#-5;", ""),
    ],
)
def test_entities_are_decoded_by_the_table_of_html_4(text: str, decoded: str) -> None:
    assert tokenizer.decode_entities(text) == decoded


@pytest.mark.parametrize(
    ("text", "then", "now"),
    [
        ("R&amp\x1dB; x", "R&amp\x1dB; x", "R x"),
        ("a&#6\x1c5;b", "a&#6\x1c5;b", "ab"),
        ("a&#\x1ex41;b &#\x1f65;c", "a&#\x1ex41;b &#\x1f65;c", "ab c"),
        ("a&#65;\x1cb", "aA\x1cb", "aA\x1cb"),
        ("a&am p;b &\u2003x;", "a&am p;b &\u2003x;", "a&am p;b &\u2003x;"),
    ],
)
def test_four_control_characters_are_white_space_in_an_entity_of_2017_alone(text: str, then: str, now: str) -> None:
    assert tokenizer.decode_entities(text) == tokenizer.decode_entities(text, CHALLENGE) == then
    assert tokenizer.decode_entities(text, CURRENT) == now


def test_long_repetitions_become_three_and_three_stay() -> None:
    assert tokenizer.shorten("goood goooood!!!! ....") == "goood goood!!! ..."
    assert tokenizer.shorten("a\n\n\nb\n\n\n\n\nc") == "a\n\n\nb\n\n\nc"


@settings(max_examples=40)
@given(st.text(st.sampled_from("aB8:;=)(-.@#/'<> \n1é½👍🏽\u200d&;")), st.sampled_from(GENERATIONS))
def test_tokens_are_the_text_but_for_white_space_and_case(text: str, generation: str) -> None:
    tokens = tokenizer.scanner(generation)(text)
    assert "".join("".join(tokens).split()).lower() == "".join(text.split()).lower()


def test_an_address_of_signs_does_not_take_for_ever() -> None:
    assert len(tokenize("http://" + ".," * 2_000)) > 2_000


def test_an_unknown_generation_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UsageError, match=r"no tokenizer 'nltk-3.1'; did you mean 'nltk-3.10'"):
        tokenize("a", "nltk-3.1")


@pytest.mark.parametrize("part", ["a.", "1-"])
def test_a_word_that_nobody_writes_is_read_in_pieces(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The official pattern goes through all the rest of a word at each of its parts."""
    monkeypatch.setattr(tokenizer, "LONGEST_WORD", 200)
    assert growth(lambda n: part * n, tokenize, 1000) < LINEAR


def test_longer_words_than_any_address_have_tokens_of_their_pieces() -> None:
    longest = tokenizer.LONGEST_WORD
    assert tokenize("http://a.b/" + "ab" * (longest // 2))[0] == ("http://a.b/" + "ab" * longest)[:longest]
    texts = ("ab" * longest + "!", "http://a.b/" + "c1" * longest + " ok", "a.b" * longest)
    for text in texts:
        assert Cleaner().clean(text) == preprocess(text)
        assert "".join(tokenize(text)) == text.replace(" ", "")
