from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.knowledge.normalization import bare, fold, parts_of, without_suffix


@pytest.mark.parametrize(
    ("said", "meant"),
    [("《雾·港》", "雾港"), ("Ｗａｌｌ－Ｅ", "wall-e"), ("名\u200e字", "名字"), ("名 字。", "名字"), ("七", "七")],
)
def test_signs_width_and_case_do_not_count(said: str, meant: str) -> None:
    assert fold(said) == fold(meant)


def test_a_number_is_folded_as_it_is_written_whole() -> None:
    assert fold(70) == fold(70.0) == fold("70") == "70"
    assert fold(1.5) == fold("1.5")


@given(st.text())
def test_folding_again_changes_nothing_and_only_blanks_become_empty(text: str) -> None:
    once = fold(text)
    assert fold(once) == once or not once.isascii(), "casefold and NFKC settle for all but odd signs"
    assert bool(once) or not text.strip() or not any(sign.isprintable() for sign in text)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("雾港（2003年专辑）", "雾港"),
        ("雾港(Live)（单曲）", "雾港"),
        ("雾港（甲（乙））", "雾港"),
        ("（无题）", "（无题）"),
        ("雾港）", "雾港）"),
        ("（一）雾港", "（一）雾港"),
        ("雾港【新】 ", "雾港"),
        ("", ""),
    ],
)
def test_only_remarks_in_brackets_at_the_end_are_dropped(name: str, plain: str) -> None:
    assert without_suffix(name) == plain


@given(st.text("雾港（）()[]a ", max_size=12))
def test_a_name_never_loses_all_and_never_gains(name: str) -> None:
    kept = without_suffix(name)
    assert name.startswith(kept)
    assert bool(kept.strip()) or not name.strip()


def test_a_bare_name_has_neither_suffix_nor_signs() -> None:
    assert bare("《雾·港》（2003年专辑）") == "雾港"


def test_lists_are_cut_and_prose_is_not() -> None:
    assert parts_of("甲,乙、丙 ；丁") == ("甲", "乙", "丙", "丁")
    assert parts_of("甲") == parts_of("甲，") == parts_of(12) == ()
    assert parts_of("一句，" * 100) == ()
