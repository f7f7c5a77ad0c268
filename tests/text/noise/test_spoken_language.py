from __future__ import annotations

import pytest

from duologue.text.noise.chinese import SpokenChinese
from duologue.text.noise.english import SpokenEnglish
from duologue.text.noise.spoken_language import SpokenLanguage, drawn


@pytest.mark.parametrize("language", [SpokenChinese(), SpokenEnglish()])
def test_a_language_has_all_tables(language: SpokenLanguage) -> None:
    for what in ("starts", "insides", "ends", "terms"):
        assert len(language.said(what)) == len(set(language.said(what))) > 3
    assert len(language.accents) >= 6


def test_a_point_draws() -> None:
    assert [drawn("abc", point) for point in (0, 0.34, 0.999)] == ["a", "b", "c"]
    assert drawn("", 0.5) is None
