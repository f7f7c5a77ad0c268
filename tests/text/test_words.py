from __future__ import annotations

import sys

import pytest

from duologue.core.errors import MissingExtraError
from duologue.text.words import words


def test_words_joined_are_the_text() -> None:
    pytest.importorskip("rjieba", reason="the extra zh is not installed")
    text = "你知道 the Beatles 的《黄色潜水艇》吗？"
    assert "".join(words(text)) == text
    assert words("这个景点的地址在哪？") == ["这个", "景点", "的", "地址", "在", "哪", "？"]


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rjieba", None)
    with pytest.raises(MissingExtraError, match=r"duologue\[zh\]"):
        words("好")
