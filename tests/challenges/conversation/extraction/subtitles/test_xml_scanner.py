from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.conversation.extraction.subtitles import xml_scanner as module
from duologue.challenges.conversation.extraction.subtitles.xml_scanner import _is_opening, parse, scan

if TYPE_CHECKING:
    from pathlib import Path

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<document id="1">\n'
META = "  <meta>\n    <source><year>1999</year></source>\n  </meta>\n"
TIME = '<time id="T1S" value="00:00:01,000" />'
TOKENS = st.text(st.sampled_from("ab.-' é€İ&<>\"'😀"), max_size=4)
PIECES = (
    "<", ">", "&", '"', "'", "/", "=", " ", "\n", "\t", "\r", "\x00", "\x85", "\ufffe", "<w>", "</w>", "<s>", "</s>",
    '<s id="1">', '<w id="1.1">', "<w/>", "<b>", "</b>", "<!-- x -->", "<![CDATA[x]]>", "]]>", "&amp;", "&lt;", "&#65;",
    "&nbsp;", "</document>", "<time/>", ' a="b"', "x", "é",
)  # fmt: skip


def document(body: str, head: str = HEAD) -> bytes:
    return f"{head}{body}</document>\n".encode()


def escaped(token: str) -> str:
    return token.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def sentence(number: int, words: list[str], *, times: bool = True) -> str:
    inner = "".join(f'    <w id="{number}.{k}">{escaped(word)}</w>\n' for k, word in enumerate(words, 1))
    time = f"    {TIME}\n" if times else ""
    return f'  <s id="{number}">\n{time}{inner}{time}  </s>\n'


def strict(data: bytes) -> str | None:
    """What the strict parser makes of a file, in the form of `scan`; `None` for one that is malformed."""
    try:
        return "".join(text + "\n" for text in parse(data))
    except ValueError:
        return None


def without_leading(text: str) -> str:
    return text.lstrip("\n")


@settings(max_examples=50)
@given(st.lists(st.lists(TOKENS, max_size=5), min_size=1, max_size=6), st.sampled_from([HEAD, HEAD + META]))
def test_a_regular_file_is_scanned_as_the_strict_parser_reads_it(words: list[list[str]], head: str) -> None:
    data = document("".join(sentence(number, row) for number, row in enumerate(words, 1)), head)
    found = scan(data)
    assert found is not None
    assert without_leading(found) == without_leading(strict(data) or "")


@settings(max_examples=100)
@given(st.integers(0, 10**9))
def test_a_file_that_was_tampered_with_is_left_to_the_strict_parser_or_read_the_same(seed: int) -> None:
    rng = random.Random(seed)
    words = [["Hi", "&", "é"], ["a", '"'], [], ["yes", ":"]]
    text = document("".join(sentence(number, row) for number, row in enumerate(words, 1))).decode()
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(HEAD) - 5, len(text))
        width = rng.choice([0, 0, 1, 2, 6])
        text = text[:place] + rng.choice((*PIECES, "")) + text[place + width :]
    data = text.encode("utf-8", "surrogatepass")
    found = scan(data)
    if found is not None:
        wanted = strict(data)
        assert wanted is not None, text
        assert without_leading(found) == without_leading(wanted)


@pytest.mark.parametrize(
    "body",
    [
        '<s id="1"><w id="1.1" alternative="I" initial="l">I</w></s>',
        '<s id="1" emphasis="true"><w  id="1.1">I</w></s>',
        f'<s id="1">{TIME}{TIME}<w id="">I</w></s><s id=""></s>',
    ],
)
def test_further_attributes_and_empty_values_are_scanned(body: str) -> None:
    data = document(body)
    assert scan(data) == strict(data)
    assert scan(data) is not None


@pytest.mark.parametrize(
    "body",
    [
        '<s id="1"><w id="1.1">I</w></s',
        '<s id="1"><w id="1.1">I</s></w>',
        '<s id="1"><w id="1.1>I</w></s>',
        '<s id="1"><w id=1.1>I</w></s>',
        '<s id="1"><w id="1" id="2">I</w></s>',
        '<s id="1"><w id="1"a="2">I</w></s>',
        '<s id="1"><w id="1">A & B</w></s>',
        '<s id="1"><w id="1">A &nbsp; B</w></s>',
        '<s id="1"><w id="&">A</w></s>',
        '<s id="1"><w id="1">A\x07</w></s>',
        '<s id="1"><w id="1">]]></w></s>',
        '<s id="1"><w id="1">\ufffe</w></s>',
        '<s id="1"><w id="1">A</w></s></document>x',
        '<s id="1"><time id="T1S" value="00:00:0"1,000" /></s>',
    ],
)
def test_what_is_malformed_is_refused_by_both(body: str) -> None:
    data = document(body)
    assert scan(data) is None
    with pytest.raises(ValueError, match="not well-formed"):
        parse(data)


def test_bytes_that_are_no_utf8_are_refused() -> None:
    data = document('<s id="1"><w id="1">caf\xe9</w></s>').replace("é".encode(), b"\xe9")
    assert scan(data) is None
    assert strict(data) is None


def test_another_encoding_is_left_to_the_strict_parser() -> None:
    data = document('<s id="1"><w id="1">é</w></s>').replace(b"utf-8", b"latin-1")
    assert scan(data) is None
    assert parse(data) == [" Ã©"]


def test_entities_of_its_own_make_a_file_malformed() -> None:
    bomb = '<!DOCTYPE d [<!ENTITY a "ha">]><document><s id="1"><w id="1">&a;</w></s></document>'
    with pytest.raises(ValueError, match="entities"):
        parse(bomb.encode())
    assert scan(bomb.encode()) is None


def test_a_large_file_is_parsed_piece_by_piece_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    data = document(META + sentence(1, ["a", "b"]) + "<x><w>c</w><y><w>deep</w></y></x>" + sentence(2, []))
    whole = parse(data)
    monkeypatch.setattr(module, "_SMALL", 0)
    assert parse(data) == whole == ["", " a b", " c", ""]


def test_the_golden_files_are_read_the_same_both_ways(golden: Path) -> None:
    scanned = 0
    for line in (golden / "opensubs_cases.jsonl").read_text("utf-8").splitlines():
        data = json.loads(line)["xml"].encode()
        found = scan(data)
        if found is not None:
            scanned += 1
            assert without_leading(found) == without_leading(strict(data) or "")
    assert scanned >= 25


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16le", "utf-16be", "iso-8859-1", "windows-1252"])
@pytest.mark.parametrize(
    "declared", ['<!ENTITY a "aaaaaaaa">', '<!ENTITY % p "x">', '<!ENTITY e SYSTEM "file:///etc/passwd">']
)
def test_entities_are_refused_in_every_encoding(encoding: str, declared: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE d [{declared}]><d><s id="1"><w>x</w></s></d>'
    with pytest.raises(ValueError, match="entities of its own"):
        parse(text.encode(encoding))
    plain = text.replace(declared, "<!ELEMENT d ANY>")
    assert parse(plain.encode(encoding)) == [" x"]


def test_what_only_looks_like_an_entity_is_text() -> None:
    assert parse(b'<d><s><w><![CDATA[<!ENTITY a "b">]]></w></s></d>') == [' <!ENTITY a "b">']


_TAG = re.compile(rb'<[sw](?:\s+[a-zA-Z_][\w-]*="[^"<&]*")*\s*>')


@given(
    st.lists(
        st.sampled_from([b"<s", b"<w", b" ", b"\n", b"a", b"b-1", b"1", b'="', b'"', b"x", b">", b"<", b"&", b"="])
    )
)
def test_an_opening_tag_is_what_the_grammar_says_it_is(parts: list[bytes]) -> None:
    for tag in (b"".join(parts), b"<w" + b"".join(parts) + b">"):
        names = re.findall(rb'\s([\w-]+)="[^"]*"', tag)
        assert _is_opening(tag) == (_TAG.fullmatch(tag) is not None and len(set(names)) == len(names))


def test_a_tag_that_no_file_has_is_left_to_the_strict_parser() -> None:
    tag = f'<w id="1" a="{"x" * 5_000}">'
    data = document(f'  <s id="1">\n    {tag}Hi</w>\n  </s>\n')
    assert scan(data) is None
    assert strict(data) == " Hi\n"
