from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.restaurant.knowledge.facts import fact_utterance, kb_lines, parse_fact, read_facts
from duologue.core.errors import FormatError
from duologue.core.records import Fact

if TYPE_CHECKING:
    from pathlib import Path

WORD = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=8)
KB = "1 old_inn R_location\trome\n1 old_inn R_rating\t46\n"


def test_a_line_gives_the_bare_field_and_the_value_as_text(tmp_path: Path) -> None:
    path = tmp_path / "kb.txt"
    path.write_text(KB)
    assert read_facts(path) == [
        Fact(subject="old_inn", relation="location", object="rome"),
        Fact(subject="old_inn", relation="rating", object="46"),
    ]


def test_packed_files_marks_windows_ends_and_blank_lines_are_read(tmp_path: Path) -> None:
    plain, odd = tmp_path / "kb.txt", tmp_path / "odd"
    plain.write_text(KB)
    odd.write_bytes(gzip.compress(b"\xef\xbb\xbf" + KB.replace("\n", "\r\n\r\n").rstrip().encode()))
    assert read_facts(odd) == read_facts(plain)


def test_all_bad_lines_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "kb.txt"
    path.write_text(KB + "2 old_inn R_price\tcheap\n1 old_inn price\tcheap\n1 old_inn R_price cheap\n1 a R_b\t\n" + KB)
    with pytest.raises(FormatError) as caught:
        read_facts(path)
    assert [problem.place for problem in caught.value.problems] == ["line 3", "line 4", "line 5", "line 6"]
    assert {problem.rule for problem in caught.value.problems} == {"kb-line"}
    assert "'2 old_inn R_price\\tcheap'" in str(caught.value)


def test_of_a_file_of_nothing_but_bad_lines_a_thousand_are_told(tmp_path: Path) -> None:
    path = tmp_path / "kb.txt"
    path.write_text("nothing\n" * 5000)
    with pytest.raises(FormatError) as caught:
        read_facts(path)
    assert len(caught.value.problems) == 1001
    assert caught.value.problems[-1].message == "and 4,000 more problems, all errors; 5,000 in all"


@pytest.mark.real_data(twin="test_a_base_in_a_file_gives_back_what_was_written")
def test_real_knowledge_bases_come_back_byte_for_byte(real_restaurant: Path) -> None:
    for path in sorted((real_restaurant / "kb").glob("*.gz")):
        facts = read_facts(path)
        assert len(facts) == 48_600
        assert kb_lines(facts).encode() == gzip.decompress(path.read_bytes())


@given(st.lists(st.builds(Fact, subject=WORD, relation=WORD, object=WORD), max_size=5))
def test_facts_that_are_written_are_read_again(tmp_path_factory: pytest.TempPathFactory, facts: list[Fact]) -> None:
    path = tmp_path_factory.mktemp("kb") / "kb.txt"
    path.write_bytes(kb_lines(facts).encode())
    assert read_facts(path) == facts


def test_a_fact_in_a_dialogue_is_told_from_speech() -> None:
    fact = Fact(subject="old_inn", relation="rating", object="46")
    assert parse_fact("old_inn r_rating 46") == fact
    assert fact_utterance(fact) == "old_inn r_rating 46"
    assert parse_fact("may i have a table") is None
    assert parse_fact("old_inn r_rating") is None
